use super::{Outcome, Subject, first_seed};

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

#[test]
fn clients_are_those_of_the_named_hosts() {
    let titles = |hosts: &[&str]| -> Result<String, String> {
        let hosts: Vec<String> = hosts.iter().map(|id| (*id).to_owned()).collect();
        let versions = ["2.1.332".to_owned(), "2.1.197".to_owned()];
        let subjects = Subject::of(&hosts, &versions).map_err(|error| error.to_string())?;
        let named = |it: &Subject| format!("{} {}", it.package().title(), it.package().variable());
        Ok(subjects.iter().map(named).collect::<Vec<_>>().join(", "))
    };
    let claude = "Claude Code 2.1.332 COALWASH_CLAUDE_2_1_332, \
                  Claude Code 2.1.197 COALWASH_CLAUDE_2_1_197";
    let others = "Codex 0.171.0 COALWASH_CODEX_0_171_0, \
                  Gemini CLI 0.61.0 COALWASH_GEMINI_CLI_0_61_0, \
                  OpenCode 1.18.33 COALWASH_OPENCODE_1_18_33";
    assert_eq!(titles(&[]).unwrap(), format!("{claude}, {others}"));
    assert_eq!(titles(&["codex", "gemini-cli", "opencode"]).unwrap(), others);
    assert_eq!(titles(&["claude-code"]).unwrap(), claude);
    let unknown = "no host `x`: claude-code, codex, gemini-cli, opencode";
    assert_eq!(titles(&["codex", "x"]).unwrap_err(), unknown);
}
