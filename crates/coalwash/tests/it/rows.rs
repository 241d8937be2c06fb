//! The rows of the Node engine's specification about verdicts, states, settings and capacity: the
//! test that holds each, or why there is none.

/// Where a row is held.
enum Held {
    /// In a test of this name, in this file.
    By(&'static str, &'static str),
    /// Nowhere: another answer is right, or nothing here does what it is about.
    Not(&'static str),
}
use Held::{By, Not};

const CORE: &str = include_str!("../../../coalwash-core/src/load/verdict/tests.rs");
const STATE: &str = include_str!("../../../coalwash-core/src/load/verdict/state/tests.rs");
const STORE: &str = include_str!("../../../coalwash-store/src/load/state/tests.rs");
const KEYS: &str = include_str!("../../../coalwash-core/src/config/tests.rs");
const FILES: &str = include_str!("config.rs");
const GAUGE: &str = include_str!("gauge.rs");

const NOTHING_DELETED: &str =
    "states of other folders and older places are the Node engine's: read, never moved or deleted";

/// Numbers are those of the specification's tables 14.4 to 14.7 and 14.11.
const ROWS: &[(std::ops::RangeInclusive<u16>, Held)] = &[
    // Economics and bands.
    (88..=90, By(CORE, "bands_follow_the_marks")),
    (91..=91, By(STATE, "figures_are_told_where_there_is_something_to_cut")),
    (92..=92, By(CORE, "what_is_no_repeat_arms_nothing")),
    // 93 by the newer rule; 95: a cap is reached once the host cuts, not at 25,600 bytes.
    (93..=95, By(CORE, "bands_follow_the_marks")),
    (96..=97, By(STATE, "figures_are_told_where_there_is_something_to_cut")),
    (98..=98, By(CORE, "bands_follow_the_marks")),
    (99..=99, Not("settings always give an envelope, by their defaults")),
    (100..=103, By(CORE, "bands_follow_the_marks")),
    (104..=105, By(STATE, "figures_are_told_where_there_is_something_to_cut")),
    (106..=106, By(CORE, "runs_pay_or_they_do_not")),
    (107..=110, By(CORE, "sessions_a_day_are_counted_from_the_first")),
    (111..=111, By(STATE, "what_no_verdict_reads_changes_nothing_and_stays")),
    // Crossings.
    (112..=126, By(CORE, "a_verdict_is_told_once_and_again_when_it_grew")),
    (127..=128, By(STATE, "a_crossing_of_a_wrong_shape_is_none")),
    (129..=130, By(CORE, "a_verdict_is_told_once_and_again_when_it_grew")),
    // The state file.
    (131..=131, By(CORE, "a_state_file_of_any_shape_is_read")),
    (132..=132, By(GAUGE, "a_limit_is_named_by_itself")),
    (133..=135, By(CORE, "a_state_file_of_any_shape_is_read")),
    // The first write takes the older place over, and leaves it where it is.
    (136..=136, By(STORE, "older_places_are_the_beginning_and_stay_as_they_are")),
    (137..=137, Not(NOTHING_DELETED)),
    (138..=138, By(STORE, "older_places_are_the_beginning_and_stay_as_they_are")),
    // Nothing is written to the shared place either.
    (139..=139, By(STORE, "nothing_is_written_where_it_does_not_belong")),
    (140..=140, By(STORE, "older_places_are_the_beginning_and_stay_as_they_are")),
    (141..=141, Not(NOTHING_DELETED)),
    (142..=142, By(STORE, "nothing_is_written_where_it_does_not_belong")),
    (143..=149, Not(NOTHING_DELETED)),
    (150..=150, By(CORE, "a_state_file_of_any_shape_is_read")),
    (151..=151, Not("there is no hook that counts agents; a new session takes the counters away")),
    (152..=152, Not(NOTHING_DELETED)),
    (153..=153, By(CORE, "a_state_file_of_any_shape_is_read")),
    // Settings.
    // 155: `updateMode` is off here, and a repository cannot raise it.
    (154..=166, By(KEYS, "a_repository_can_only_make_things_stricter")),
    (167..=167, By(KEYS, "a_repository_can_only_make_things_stricter")),
    (168..=169, By(KEYS, "files_of_any_encoding_are_read")),
    (170..=174, By(KEYS, "a_repository_can_only_make_things_stricter")),
    (175..=175, By(KEYS, "a_value_out_of_range_is_the_default")),
    (176..=176, By(KEYS, "files_of_any_encoding_are_read")),
    (177..=177, By(KEYS, "a_repository_can_only_make_things_stricter")),
    (178..=180, By(KEYS, "a_value_out_of_range_is_the_default")),
    (181..=182, By(FILES, "the_first_file_that_can_be_used_counts")),
    (183..=183, By(KEYS, "a_repository_can_only_make_things_stricter")),
    // Capacity and newer rules.
    (261..=269, By(CORE, "capacity_is_read_where_it_can_be_believed")),
    (270..=271, By(STATE, "an_episode_ends_with_everything_that_belongs_to_it")),
    (272..=273, By(KEYS, "a_repository_can_only_make_things_stricter")),
    (274..=275, By(FILES, "the_first_file_that_can_be_used_counts")),
];

#[test]
fn every_row_is_held_or_says_why_not() {
    let mut rows = (88..=183).chain(261..=275);
    for (range, held) in ROWS {
        for row in range.clone() {
            assert_eq!(rows.next(), Some(row), "the rows stand in their order, each once");
        }
        match held {
            By(file, name) => {
                assert!(file.contains(&format!("fn {name}(")), "{range:?}: no test `{name}`");
            }
            Not(why) => assert!(!why.is_empty()),
        }
    }
    assert_eq!(rows.next(), None);
}
