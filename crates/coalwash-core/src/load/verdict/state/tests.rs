use proptest::prelude::*;

use super::super::{AlwaysLoaded, Cap, Envelope, Fat, Index, Terms};
use super::*;

const PROJECT: &str = "/w/shop";

fn measure(footprint: u64, fat: u64, index_bytes: u64) -> Measure {
    Measure {
        files: 2,
        total_bytes: footprint * 4,
        total_tokens_est: footprint,
        always_loaded: AlwaysLoaded { files: 2, bytes: footprint * 4, tokens_est: footprint },
        index: Index { bytes: index_bytes, lines: 1 },
        mech_fat: Fat { tokens_est: fat, dup_tokens: fat, blank_tokens: 0 },
        gzip_ratio: None,
        est: true,
    }
}

fn judged(state: &State, measure: &Measure, cut: Option<Cap>, loads_per_day: f64) -> Judgement {
    let envelope = Envelope::of(4_125, 20, 10, 10);
    Judgement::of(&Terms { measure, cut, capacity: 167_000, envelope, loads_per_day }, state)
}

/// Writes a state and reads it again, as the next hook does.
fn again(state: &State) -> State {
    let bytes = state.to_bytes(PROJECT.into());
    assert!(!bytes.contains(&b'\n'));
    read_state(&bytes)
}

fn note(state: &mut State, fat: u64, cut: Option<Cap>, at: i64, session: Option<&str>) {
    let measure = measure(20_000, fat, 0);
    let judgement = judged(state, &measure, cut, 1.0);
    let paths = ["/w/shop/CLAUDE.md"].map(Utf8Path::new);
    state.judged(&judgement, &measure, paths.into_iter(), at, session);
}

/// The fields of the Node engine, as it writes them.
#[test]
fn a_verdict_is_written_as_the_node_engine_does() {
    let mut state = State::default();
    state.started(5, 372);
    note(&mut state, 780, Some(Cap::IndexLines), 9, Some("s4"));
    state.told(11);
    state.quick_asked(11);
    let wanted = json!({
        "stamps": [{"t": 5, "fp": 372}],
        "lastVerdict": {"band": "FULL", "reason": "absolute-cap", "economical": false,
            "fatTokens": 780, "overCeiling": true, "econLatched": false, "perDay": 780,
            "breakEvenDays": 60_000.0 / 780.0, "muscleTokens": 19_220, "demotableTokens": 0,
            "reorgPerDay": 0, "reorgBreakEvenDays": null, "hardCeilingTokens": 167_000,
            "alwaysLoadedPaths": ["/w/shop/CLAUDE.md"], "alwaysLoadedBytes": 80_000,
            "storeTotalBytes": 80_000, "at": 9, "cap": "index-lines"},
        "lastCrossing": {"band": "FULL", "at": 9, "consumed": true, "session": "s4", "consumedAt": 11},
        "quickTried": true, "quickTriedAt": 11, "stateSchema": 1, "projectRoot": PROJECT});
    let bytes = state.to_bytes(PROJECT.into());
    assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), wanted);
}

#[test]
fn an_episode_ends_with_everything_that_belongs_to_it() {
    let mut state = State::default();
    note(&mut state, 0, Some(Cap::IndexLines), 1, Some("s"));
    assert_eq!(state.all["lastVerdict"]["reason"], "absolute-cap");
    assert_eq!(state.all["lastVerdict"]["cause"], "capacity-unmeasured");
    state.removed();
    state.quick_asked(2);
    let mut state = again(&state);
    note(&mut state, 0, Some(Cap::IndexLines), 3, Some("s"));
    assert_eq!(state.all["lastVerdict"]["reason"], "externalize");
    assert!(state.all["lastVerdict"].get("cause").is_none());
    note(&mut state, 0, None, 4, Some("s"));
    let mut left: Vec<&String> = state.all.keys().collect();
    left.sort();
    assert_eq!(left, ["lastVerdict", "projectRoot", "stateSchema"], "the band is clean");
    let mut state = again(&state);
    note(&mut state, 0, Some(Cap::IndexLines), 5, Some("s"));
    assert_eq!(state.all["lastVerdict"]["reason"], "absolute-cap", "asked anew");
}

/// Numbers of the past that a verdict does not read stay, whatever they say.
#[test]
fn what_no_verdict_reads_changes_nothing_and_stays() {
    let poisoned = br#"{"stateSchema":1,"leanFloorTokens":99999999,"leanFloorAt":-1,"subSpawns":"x","strayPruneDone":true}"#;
    let mut state = read_state(poisoned);
    let measure = measure(20_000, 499, 0);
    let clean = judged(&State::default(), &measure, None, 1.0);
    assert_eq!(judged(&state, &measure, None, 1.0), clean);
    state.started(1, 2);
    let state = again(&state);
    assert_eq!(state.all["leanFloorTokens"], 99_999_999);
    assert_eq!(state.all["strayPruneDone"], true);
    assert!(state.all.get("subSpawns").is_none(), "counted per session");
}

#[test]
fn figures_are_told_where_there_is_something_to_cut() {
    // Repeats, bytes of the index, a limit, sessions a day; band, reason, per day, economical.
    let rows = [
        (600, 0, None, 20.0, "OBESE", "fat", 12_000, false),
        (600, 22_000, None, 1.0, "OBESE", "fat", 600, false),
        (9_000, 22_240, None, 4.0, "FULL", "economic", 36_000, true),
        (499, 24_000, Some(Cap::IndexSize), 20.0, "FULL", "absolute-cap", 0, false),
        (499, 24_000, None, 20.0, "LEAN", "fat", 0, false),
        (0, 24_000, None, 20.0, "LEAN", "fat", 0, false),
    ];
    for (fat, index, cut, loads, band, reason, per_day, economical) in rows {
        let measure = measure(20_000, fat, index);
        let Judgement { verdict, break_even } = judged(&State::default(), &measure, cut, loads);
        let json = serde_json::to_value(verdict).unwrap();
        let got = (&json["band"], &json["reason"], break_even.per_day, break_even.economical);
        assert_eq!(got, (&json!(band), &json!(reason), per_day, economical), "{fat} {index}");
        let told = serde_json::to_value(break_even).unwrap();
        assert_eq!(told["breakEvenDays"].is_null(), per_day == 0);
        let wall = if cut.is_some() { 167_000 } else { verdict.muscle_tokens + 500 };
        assert_eq!(verdict.hard_ceiling_tokens, wall);
    }
    let removed =
        State { episode: Episode { removed: true, ..Episode::default() }, ..State::default() };
    let measure = measure(20_000, 499, 24_000);
    let found = judged(&removed, &measure, Some(Cap::IndexSize), 20.0);
    assert_eq!(serde_json::to_value(found.verdict).unwrap()["reason"], "externalize");
    assert_eq!((found.break_even.economical, found.verdict.econ_latched), (false, false));
}

#[test]
fn a_crossing_of_a_wrong_shape_is_none() {
    let of = |crossing: &str| {
        let text = format!("{{\"stateSchema\":1,\"lastCrossing\":{crossing}}}");
        read_state(text.as_bytes()).episode.pending(1_000)
    };
    assert!(of(r#"{"band":"FULL","at":5,"consumed":false}"#).is_some());
    for crossing in [
        r#"{"band":"FULL","at":5,"consumed":true}"#,
        r#"{"band":"FULL","at":5}"#,
        r#"{"band":"LEAN","at":5,"consumed":false}"#,
        r#"{"band":"HUGE","at":5,"consumed":false}"#,
        r#"{"band":"FULL","at":1001,"consumed":false}"#,
        r#"{"band":"FULL","consumed":false}"#,
        r#"{"band":"FULL","at":"5","consumed":false}"#,
        r#"["FULL"]"#,
        r#""FULL""#,
        "null",
    ] {
        assert_eq!(of(crossing), None, "{crossing}");
    }
    let mut state = State::default();
    state.told(5);
    assert!(state.all.is_empty(), "there is nothing to have told");
}

/// Any JSON, small.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z\"\\\\é\n]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Names that are never a field.
fn unknown() -> impl Strategy<Value = std::collections::BTreeMap<String, Value>> {
    prop::collection::btree_map("x[a-zA-Z.é]{0,8}", value(), 0..5)
}

#[derive(Clone, Debug)]
enum Step {
    Start,
    Judge(u64, bool),
    Tell,
    Ask,
    Remove,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Start),
        (0u64..1_500, any::<bool>()).prop_map(|(fat, capped)| Step::Judge(fat, capped)),
        Just(Step::Tell),
        Just(Step::Ask),
        Just(Step::Remove),
    ]
}

proptest! {
    /// Whatever happens, fields that are not ours come out as they went in, and what is remembered
    /// is the same after it was written and read.
    #[test]
    fn fields_that_are_not_ours_survive_any_history(
        fields in unknown(), steps in prop::collection::vec(step(), 0..12), schema in 0u64..3,
    ) {
        let mut all: Map<String, Value> = fields.clone().into_iter().collect();
        all.insert("stateSchema".to_owned(), json!(schema));
        let mut state = read_state(Value::Object(all).to_string().as_bytes());
        for (at, step) in (1..).zip(steps) {
            match step {
                Step::Start => state.started(at, 7),
                Step::Judge(fat, capped) => {
                    note(&mut state, fat, capped.then_some(Cap::IndexSize), at, Some("s"));
                }
                Step::Tell => state.told(at),
                Step::Ask => state.quick_asked(at),
                Step::Remove => state.removed(),
            }
            let read = again(&state);
            prop_assert_eq!(&read.episode, &state.episode);
            prop_assert_eq!((read.was_over, read.was_economical), (state.was_over, state.was_economical));
            prop_assert_eq!((read.band, &read.starts), (state.band, &state.starts));
            for (key, value) in &fields {
                prop_assert_eq!(read.all.get(key), Some(value));
            }
            state = read;
        }
    }

    #[test]
    fn any_bytes_are_a_state(bytes: Vec<u8>) {
        let state = read_state(&bytes);
        prop_assert!(again(&state).all.contains_key("projectRoot"));
    }
}
