use super::{Outcome, first_seed};

#[test]
fn an_outcome_counts_every_tree() {
    let mut outcome = Outcome {
        client: "Claude Code 2.1.332".into(),
        equal: 25,
        tables: 2,
        ..Outcome::default()
    };
    let clean = "25 trees asked, 25 equal, 0 different, 2 with the client's own table \
                 (Claude Code 2.1.332)";
    assert_eq!(outcome.to_string(), clean);
    assert!(outcome.is_clean());
    outcome.failed = 1;
    outcome.tables = 0;
    let failed = "26 trees asked, 25 equal, 0 different, 1 not answered (Claude Code 2.1.332)";
    assert_eq!(outcome.to_string(), failed);
    assert!(!outcome.is_clean());
}

#[test]
fn the_seeds_of_two_days_are_apart() {
    assert_eq!(first_seed(20_787), 20_787_000);
    assert!(first_seed(20_788) - first_seed(20_787) >= 300);
}
