//! `coalwash gauge`: the Node engine's verdict, from its own state files.

use serde_json::{Value, json};

use crate::home::{NOW_MS, TestHome};

const DAY_MS: i64 = 86_400_000;

/// Lays out a project with 500 copies of a line, 100 others, and a long index of the memory.
fn full() -> TestHome {
    let home = TestHome::new();
    let copy = format!("{}\n", "x".repeat(78)).repeat(500);
    let others: String = (0..100).map(|n| format!("{:<78}|\n", format!("line {n}"))).collect();
    home.folder(".git").file("CLAUDE.md", copy + &others);
    let index: String = (0..149).map(|n| format!("- {:<145}\n", format!("topic {n}."))).collect();
    home.file(&format!("{}/memory/MEMORY.md", home.host_folder()), index + "end");
    home
}

/// Starts four sessions a day for five days.
fn stamps() -> Value {
    (0..20).map(|n| json!({"t": NOW_MS - 5 * DAY_MS + n * DAY_MS / 4, "fp": 1})).collect()
}

fn state_file(home: &TestHome) -> String {
    format!("{}/coalwash/state.json", home.host_folder())
}

fn verdict(home: &TestHome) -> Value {
    let run = home.run(&["gauge", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.json()
}

fn short(json: &Value) -> (&str, &str, bool) {
    let verdict = &json["verdict"];
    let text = |key: &str| verdict[key].as_str().unwrap();
    (text("band"), text("reason"), verdict["econLatched"].as_bool().unwrap())
}

#[test]
fn cutting_pays_where_many_sessions_load_many_repeats() {
    let home = full();
    let state = json!({"stateSchema": 1, "stamps": stamps(), "projectRoot": home.project()});
    home.file(&state_file(&home), state.to_string());
    let json = verdict(&home);
    assert_eq!(short(&json), ("FULL", "economic", true));
    // 499 copies of a line of 78 characters, each 19.5 tokens, rounded.
    assert_eq!(json["measure"]["mechFat"]["dupTokens"], 499 * 20);
    assert_eq!(json["measure"]["index"]["lines"], 150);
    assert_eq!(json["breakEven"]["perDay"], 499 * 20 * 4);
    assert_eq!(json["sessionsPerDay"], 4.0);
    let demotable = json["breakEven"]["demotableTokens"].as_u64().unwrap();
    let index = json["measure"]["index"]["bytes"].as_u64().unwrap();
    assert_eq!(demotable, (index + 2) / 4 - 3713, "the index over the fill mark");
    assert_eq!(json["breakEven"]["economical"], true);
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    let first = ["schema", "projectRoot", "platform", "flags", "measure", "inherited", "verdict"];
    assert_eq!(keys[..7], first);
    assert_eq!((&json["flags"], &json["recover"]), (&json!([]), &json!({"recovered": "none"})));
    assert!(json["measure"]["gzipRatio"].is_null() && json["notMeasured"]["gzipRatio"].is_string());
    let line = home.run(&["gauge"]).stdout;
    let tokens = json["measure"]["alwaysLoaded"]["tokensEst"].as_u64().unwrap();
    let start = format!("[CoalWash] FULL — always-loaded ~{tokens} tok/session (~est) · BMI ");
    assert!(line.starts_with(&start), "{line}");
    assert!(line.ends_with(" · certain fat ~9980 tok\n"), "{line}");
}

#[test]
fn a_state_counts_only_as_far_as_it_can_be_trusted() {
    let was = json!({"overCeiling": true, "econLatched": true, "band": "FULL"});
    let crossing = json!({"band": "FULL", "at": NOW_MS - 1, "consumed": false});
    let with = |schema: Value| {
        json!({"stateSchema": schema, "lastVerdict": was, "lastCrossing": crossing,
               "stamps": [null, null, {"t": "x"}, {"t": NOW_MS}], "mine": 1})
    };
    for (name, state, wanted, told) in [
        ("known", with(json!(1)).to_string(), ("FULL", "economic", true), true),
        ("a text", with(json!("1")).to_string(), ("FULL", "economic", true), true),
        ("newer", with(json!(7)).to_string(), ("FULL", "economic", true), true),
        ("none", with(Value::Null).to_string(), ("OBESE", "fat", false), false),
        ("a mark first", format!("\u{feff}{}", with(json!(1))), ("FULL", "economic", true), true),
        ("torn", "{\"stateSchema\": 1, \"lastVer".to_owned(), ("OBESE", "fat", false), false),
        ("a list", "[1]".to_owned(), ("OBESE", "fat", false), false),
        ("empty", String::new(), ("OBESE", "fat", false), false),
    ] {
        let home = full();
        home.file(&state_file(&home), &state);
        let json = verdict(&home);
        assert_eq!(short(&json), wanted, "{name}");
        assert_eq!(json["pending"].is_object(), told, "{name}");
        assert_eq!(std::fs::read_to_string(home.path(&state_file(&home))).unwrap(), state);
    }
}

#[test]
fn older_places_of_the_state_are_read_in_turn() {
    let was = json!({"overCeiling": true, "econLatched": true, "band": "FULL"});
    let home = full();
    let slug = home.host_folder().rsplit('/').next().unwrap().to_owned();
    let oldest = json!({"stateSchema": 1, "projects": {
        home.project().to_str().unwrap(): {"lastVerdict": was}, "/elsewhere": {}}});
    home.file("~/.claude/.coalwash-state.json", oldest.to_string());
    assert_eq!(short(&verdict(&home)), ("FULL", "economic", true));
    let shared = json!({"stateSchema": 1, "lastVerdict": {"overCeiling": false}});
    home.file(&format!("~/.claude/coal/coalwash/state-{slug}.json"), shared.to_string());
    let json = verdict(&home);
    assert_eq!(short(&json), ("OBESE", "fat", false));
    assert!(json["state"].as_str().unwrap().contains("coal/coalwash/state-"));
    // One that can't be read is named, and the next one counts.
    home.folder(&state_file(&home));
    let json = verdict(&home);
    assert_eq!(short(&json), ("OBESE", "fat", false));
    let named = json["notMeasured"].as_object().unwrap();
    assert!(named.iter().any(|(key, why)| key.ends_with("state.json") && why == "it is a folder"));
}

#[test]
fn a_limit_is_named_by_itself() {
    let home = TestHome::new();
    let lines: String = (0..250).map(|n| format!("- topic {n}\n")).collect();
    home.folder(".git").file(&format!("{}/memory/MEMORY.md", home.host_folder()), lines);
    let before = home.snapshot();
    let json = verdict(&home);
    assert_eq!((home.snapshot(), json["state"].is_null()), (before, true), "nothing is written");
    assert_eq!(
        (short(&json), &json["cap"], &json["cause"]),
        (("FULL", "absolute-cap", false), &json!("index-lines"), &json!("capacity-unmeasured"))
    );
    // Once a run has taken out what it could, the answer is to move topics out.
    let state = json!({"stateSchema": 1, "removedThisEpisode": true});
    home.file(&state_file(&home), state.to_string());
    let after = verdict(&home);
    assert_eq!((short(&after), after["cause"].is_null()), (("FULL", "externalize", false), true));
    assert_eq!(
        json["capacity"],
        json!({
        "tokens": 167_000, "source": "conservative-default", "discovered": false})
    );

    let home = TestHome::new();
    let lines: String = (0..100).map(|n| format!("- topic {n} {}\n", "x".repeat(300))).collect();
    home.folder(".git").file(&format!("{}/memory/MEMORY.md", home.host_folder()), lines);
    assert_eq!(verdict(&home)["cap"], "index-size");

    let home = TestHome::new();
    home.folder(".git").file("CLAUDE.md", "# A\n");
    let stats = json!({"modelUsage": {"a": {"contextWindow": 1_000_000}}});
    home.file("~/.claude/stats-cache.json", stats.to_string());
    let json = verdict(&home);
    assert_eq!((short(&json), json["cap"].is_null()), (("LEAN", "fat", false), true));
    assert_eq!(json["capacity"]["tokens"], 967_000);
    assert_eq!(home.run(&["gauge", "--host", "codex"]).code, 2);
}

#[test]
fn the_files_of_roles_and_what_lies_outside_are_listed() {
    let home = TestHome::new();
    home.folder("~/.claude").folder(".git");
    home.file("CLAUDE.md", "# P\n\n@~/notes/x.md\n").file("~/notes/x.md", "x");
    for (name, text) in
        [("MEMORY.md", "- [A](a.md)\n"), ("b.md", "bb"), ("a.md", "a"), ("c.txt", "")]
    {
        home.file(&format!(".claude/agent-memory/coder/{name}"), text);
    }
    let json = verdict(&home);
    let at = |name: &str| home.path(&format!(".claude/agent-memory/coder/{name}"));
    let role = json!([{"store": "agent:coder", "dir": home.path(".claude/agent-memory/coder"),
        "index": {"path": at("MEMORY.md"), "bytes": 12},
        "memories": [{"path": at("a.md"), "bytes": 1}, {"path": at("b.md"), "bytes": 2}],
        "bytes": 15, "files": 3}]);
    // Paths of a run have the temporary folder taken out.
    let root = home.home().parent().unwrap().to_str().unwrap().to_owned();
    let role: Value = serde_json::from_str(&role.to_string().replace(&root, "/tmp/T")).unwrap();
    assert_eq!(json["roleMemories"], role);
    let flags = json["flags"].as_array().unwrap();
    assert_eq!(flags.len(), 1, "{flags:?}");
    assert!(
        flags[0].as_str().unwrap().starts_with("skipped (outside this folder, never approved): ")
    );
}

#[test]
fn a_machine_without_the_host_is_told_and_measured_all_the_same() {
    let mut home = TestHome::new();
    home.folder(".git").file("CLAUDE.md", "# P\n");
    let json = verdict(&home);
    assert_eq!((&json["platform"], &json["measure"]["files"]), (&json!("unknown"), &json!(1)));
    let flag = json["flags"][0].as_str().unwrap();
    assert!(flag.starts_with("unknown platform: no `/tmp/T/u/.claude`; measured as "), "{flag}");
    // Once it is set, it is meant, whether there is such a folder or not.
    home.env("CLAUDE_CONFIG_DIR", "/none");
    let json = verdict(&home);
    assert_eq!((&json["platform"], &json["flags"]), (&json!("claude-code"), &json!([])));
}

#[test]
fn a_run_that_was_cut_short_is_told_and_left_alone() {
    let home = TestHome::new();
    home.folder(".git").file("CLAUDE.md", "# P\n").file(".claude/coalwash/journal.json", "{}");
    let before = home.snapshot();
    let json = verdict(&home);
    assert_eq!(json["recover"]["recovered"], "none");
    assert!(json["recover"]["error"].as_str().unwrap().contains("journal.json"));
    let line = home.run(&["gauge"]).stdout;
    assert!(line.ends_with("tok · a run was cut short and not recovered (see --json)\n"), "{line}");
    assert_eq!(home.snapshot(), before);
}

/// The verdict as a person reads it: on the overview, and above the list.
#[test]
fn screens_say_the_verdict_in_plain_words() {
    let all =
        |home: &TestHome| format!("{}\n{}", home.run(&[]).all(), home.run(&["context"]).all());
    let home = full();
    let copy = format!("- {}\n", "x".repeat(76)).repeat(500);
    home.file("CLAUDE.md", format!("# P\n\n{copy}"));
    assert!(!all(&home).contains("pays for itself"), "one session a day is too few");
    let state = json!({"stateSchema": 1, "stamps": stamps()});
    home.file(&state_file(&home), state.to_string());
    insta::assert_snapshot!(all(&home));

    let home = TestHome::new();
    let text: String = (0..30_000).map(|at| format!("Line {at} says {}.\n\n", at * 7)).collect();
    home.folder(".git").file("CLAUDE.md", text);
    assert_eq!(verdict(&home)["cap"], "capacity");
    assert!(!all(&home).contains("Too much"), "the model has a larger window than is assumed");
    let stats = json!({"modelUsage": {"a": {"contextWindow": 200_000}}});
    home.file("~/.claude/stats-cache.json", stats.to_string());
    insta::assert_snapshot!(all(&home));
}

#[test]
fn an_index_that_is_cut_says_what_to_do_next() {
    let home = TestHome::new();
    let lines: String = (0..250).map(|n| format!("- topic {n} is a line of its own\n")).collect();
    let index = format!("{}/memory/MEMORY.md", home.host_folder());
    home.folder(".git").file(&index, &lines);
    let said = |home: &TestHome| home.run(&[]).stdout.replace("\n     ", " ");
    assert!(
        said(&home).contains("from \"- topic 200 is a line of its own\" on; shorten its entries")
    );
    let state = json!({"stateSchema": 1, "removedThisEpisode": true});
    home.file(&state_file(&home), state.to_string());
    assert!(said(&home).contains("nothing is left to cut: move a topic to its own file"));
    home.file(&index, format!("- topic 5 is a line of its own\n{lines}"));
    assert!(
        said(&home)
            .contains("on; its exact repeats can go, the first in line 7: coalwash quick -n")
    );
}
