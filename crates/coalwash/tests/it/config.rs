//! `coalwash config`: what it says, what it writes, and what it leaves alone.

use crate::home::{TestHome, said};

/// Returns what a run printed, with its exit code.
#[test]
fn every_key_that_is_set_is_listed_with_its_place() {
    let home = TestHome::new();
    home.folder(".git")
        .file(
            "coalwash.jsonc",
            "{\n  // ours\n  \"budget\": { \"always\": 10500, \"hosts\": { \"codex\": 9000 } },\n  \
             \"writeGuard\": \"off\",\n  \"files\": { \"CLAUDE.md\": 6500 },\n}\n",
        )
        .file("~/.config/coalwash/config.jsonc", "{ \"coalwashMode\": \"manual\" }")
        .file("~/.claude/.coalwash.json", "{ \"language\": \"th\" }");
    insta::assert_snapshot!(said(&home.run(&["config"])));
    insta::assert_snapshot!(said(&home.run(&["config", "--json"])));
    insta::assert_snapshot!(said(&home.run(&["config", "get", "budget.hosts.codex"])));
    insta::assert_snapshot!(said(&home.run(&["config", "explain", "writeGuard"])));
}

#[test]
fn a_bad_file_is_named_with_the_place_and_the_fix() {
    let rows: [(&str, &[u8]); 9] = [
        ("typo", b"{ \"budgets\": { \"always\": 1 } }"),
        ("text", b"{ \"budget\": { \"always\": \"8000\" } }"),
        ("nothing", b"{ \"budget\": { \"always\": null } }"),
        ("endless", b"{ \"budget\": { \"always\": 1e400 } }"),
        ("truncated", b"{ \"budget\": {\n"),
        ("utf-16 half", b"\xff\xfe{"),
        ("large", &[b' '; (1 << 20) + 1]),
        ("list", b"[]"),
        ("twice", b"{ \"keep\": [],\n  \"keep\": [] }"),
    ];
    let mut out = String::new();
    for (name, bytes) in rows {
        let home = TestHome::new();
        home.folder(".git").file("CLAUDE.md", "# P\n").file("coalwash.jsonc", bytes);
        out.push_str(&format!("== {name}\n{}\n", said(&home.run(&["config"]))));
        let overview = home.run(&[]);
        assert!(overview.stdout.contains("coalwash.jsonc"), "{name}: {}", overview.stdout);
        assert_eq!(overview.code, 0, "{name}: a look is no check");
    }
    let home = TestHome::new();
    home.folder(".git").folder("coalwash.jsonc").file(".agents/.coalwash.json", "{}");
    out.push_str(&format!("== folder\n{}\n", said(&home.run(&["config"]))));
    let home = TestHome::new();
    home.folder(".git").link("coalwash.jsonc", "../outside.jsonc").file("../outside.jsonc", "{}");
    out.push_str(&format!("== link\n{}\n", said(&home.run(&["config"]))));
    insta::assert_snapshot!(out);
}

#[test]
fn what_check_refuses_is_listed() {
    let home = TestHome::new();
    home.folder(".git").file("CLAUDE.md", "# P\n").file(
        "coalwash.jsonc",
        "{ \"budget\": { \"always\": 3 }, \"check\": { \"ignore\": [\"no-rule\"] },\n  \
         \"context\": { \"always\": { \"budget\": { \"tokens\": 5 } } },\n  \
         \"estate\": { \"archiveDir\": \"/a\" } }",
    );
    insta::assert_snapshot!(said(&home.run(&["config"])));
    assert_eq!(home.run(&["config", "get", "estate.archiveDir"]).stdout, "\n");
}

#[test]
fn setting_a_key_changes_that_key_and_nothing_else() {
    let home = TestHome::new();
    let before = "// top\n{\n  \"budget\": { \"always\": 10500 }, // tokens\n}\n";
    home.folder(".git").file("coalwash.jsonc", before);
    let dry = home.run(&["config", "set", "budget.always", "9000", "-n"]);
    assert_eq!(dry.code, 0);
    assert_eq!(std::fs::read_to_string(home.path("coalwash.jsonc")).unwrap(), before);
    let mut out = said(&dry);
    for args in [
        &["config", "set", "budget.always", "9000"][..],
        &["config", "set", "budget.always", "9000"],
        &["config", "set", "writeGuard", "off"],
        &["config", "set", "coalwashMode", "manual", "--user"],
        &["config", "set", "budget.alway", "1"],
        &["config", "set", "budget.always", "-1"],
    ] {
        out.push_str(&format!("\n$ {}\n{}", args.join(" "), said(&home.run(args))));
    }
    insta::assert_snapshot!(out);
    let after = std::fs::read_to_string(home.path("coalwash.jsonc")).unwrap();
    assert!(after.starts_with("// top\n{\n  \"budget\": { \"always\": 9000 }, // tokens\n"));
    assert!(home.path("~/.config/coalwash/config.jsonc").is_file());
}

#[test]
fn no_write_follows_a_link() {
    let home = TestHome::new();
    home.folder(".git").file("real.jsonc", "{}").link("coalwash.jsonc", "real.jsonc");
    let before = home.snapshot();
    let run = home.run(&["config", "set", "budget.always", "9000"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(home.snapshot(), before);
    insta::assert_snapshot!(run.stderr);
}

#[test]
fn coalwash_home_stands_for_the_folder_of_ones_own_configuration() {
    let mut home = TestHome::new();
    let own = home.path("~/own").to_str().unwrap().to_owned();
    home.env("COALWASH_HOME", &own).folder(".git");
    home.file("~/.config/coalwash/config.jsonc", "{ \"language\": \"th\" }")
        .file("~/own/config.jsonc", "{ \"language\": \"ja\" }");
    assert_eq!(home.run(&["config", "get", "language"]).stdout, "ja\n");
}

#[test]
fn the_published_schema_is_the_one_that_is_printed() {
    let printed = TestHome::new().run(&["config", "schema"]).stdout;
    let published = include_str!("../../../../docs/coalwash.schema.json");
    assert_eq!(printed, published, "cargo run -- config schema > docs/coalwash.schema.json");
}

/// The places of the Node engine's file, in its order; a later one counts where an earlier can't.
#[test]
fn the_first_file_that_can_be_used_counts() {
    let places = [
        "coalwash.jsonc",
        ".claude/coal/coalwash.json",
        ".agents/coal/coalwash.json",
        ".gemini/coal/coalwash.json",
        ".claude/.coalwash.json",
        ".coalwash.json",
    ];
    let languages = ["th", "en", "ja", "zh", "es", "th"];
    let language = |home: &TestHome| home.run(&["config", "get", "language"]).stdout;
    for first in 0..places.len() {
        let home = TestHome::new();
        home.folder(".git");
        for (place, language) in places.iter().zip(languages).skip(first) {
            home.file(place, format!("{{\"language\": \"{language}\"}}"));
        }
        let before = home.snapshot();
        assert_eq!(language(&home), format!("{}\n", languages[first]), "{}", places[first]);
        assert_eq!(home.snapshot(), before);
        if first + 1 < places.len() {
            std::fs::remove_file(home.path(places[first])).unwrap();
            home.folder(places[first]);
            assert_eq!(language(&home), format!("{}\n", languages[first + 1]));
            assert!(home.run(&["config"]).stdout.contains("it is a folder"));
        }
    }
    let home = TestHome::new();
    home.folder(".git").file(".agents/.coalwash.json", "{\"language\": \"th\"}");
    assert_eq!(language(&home), "auto\n");
    assert!(unwrapped(&home.run(&[]).stdout).contains(".agents/.coalwash.json is read by no one"));
}

#[test]
fn a_file_that_is_not_in_force_is_named() {
    let home = TestHome::new();
    home.folder(".git")
        .file("CLAUDE.md", "# P\n")
        .file("coalwash.jsonc", "{ \"budget\": { \"always\": 100 } }")
        .file("coalwash.json", "{ \"budget\": { \"always\": 1 } }")
        .file(".claude/coal/coalwash.json", "{ \"coalwashMode\": \"off\" }")
        .file(".coalwash.json", "{ \"language\": \"th\" }")
        .file("~/.config/coalwash/config.jsonc", "{}")
        .file("~/.config/coalwash/config.json", "{}")
        .file("~/.claude/.coalwash.json", "{ \"language\": \"ja\" }");
    insta::assert_snapshot!(said(&home.run(&["config"])));
    let json = home.run(&["config", "--json"]).json();
    let names: Vec<&str> = json["not_in_force"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap().rsplit('/').next().unwrap())
        .collect();
    assert_eq!(
        names,
        ["coalwash.json", ".coalwash.json", ".coalwash.json", "coalwash.json", "config.json"]
    );
    assert_eq!(json["never_read"].as_array().unwrap().len(), 2);
    // `check` knows the repository's only.
    std::fs::remove_dir(home.path(".git")).unwrap();
    let mut out = said(&home.run(&["check"]));
    out.push_str(&format!("\n{}", said(&home.run(&["check", "--format", "github"]))));
    insta::assert_snapshot!(out);
    let json = home.run(&["check", "--json"]).json();
    assert_eq!(json["config_not_in_force"].as_array().unwrap().len(), 3);
}

/// Returns a screen as one line.
fn unwrapped(screen: &str) -> String {
    screen.split_whitespace().map(|word| format!("{word} ")).collect()
}

#[test]
fn a_file_of_a_wrong_name_is_a_problem_where_there_is_no_other() {
    for name in ["coalwash.json", ".coalwash.jsonc", "coalwash.yaml"] {
        let home = TestHome::new();
        home.folder(".git").file("CLAUDE.md", "# P\n").file(name, "{}");
        let wrong =
            format!("{name}: no one reads a file of this name; rename it to `coalwash.jsonc` ");
        for args in [&["config"][..], &["check"]] {
            let run = home.run(args);
            assert_eq!(run.code, 2, "{}", run.all());
            assert!(unwrapped(&run.stdout).contains(&wrong), "{}", run.all());
        }
        let overview = home.run(&[]);
        assert_eq!(overview.code, 0);
        assert!(overview.stdout.contains(name), "{}", overview.stdout);
        let init = home.run(&["check", "--init"]);
        assert_eq!(init.code, 3);
        assert!(init.stderr.contains("next:  rename it to `coalwash.jsonc`"), "{}", init.stderr);
        // Behind a good one it is only named.
        home.file("coalwash.jsonc", "{}");
        let run = home.run(&["config"]);
        assert_eq!(run.code, 0, "{}", run.all());
        let line = format!("{name} is read by no one; the name is `coalwash.jsonc` ");
        assert!(unwrapped(&run.stdout).contains(&line), "{}", run.stdout);
    }
}
