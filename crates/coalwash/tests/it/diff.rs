//! `coalwash diff`: what a rewrite lost, by files, by branch and before a commit.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::formats::{ODD, decoded, schema};
use crate::home::{TestHome, path, said};
use crate::schema::against;

const OLD: &str = "# Shop

## Rules

- Never push to main without a review.
- Timeout of the gateway is 30 s.
- Staging uses port 5433, prod uses port 5432.
- Migrations run before the deploy, never after it.
- Please note that the docs directory is very large.

## Only in CI

- Run `just check --all` first.
";

const NEW: &str = "# Shop

## Rules

- Avoid pushing to main without a review.
- Timeout of the gateway is 300 s.
- Staging uses port 5432, prod uses port 5433.
- The docs folder is large.
- Run `just check --all` first.

## Only in CI
";

fn git(home: &TestHome, args: &[&str]) {
    crate::home::git(home, &home.project(), args);
}

/// A repository whose `main` has the old text, and a branch that rewrites it.
fn branch() -> TestHome {
    let mut home = TestHome::new();
    home.env("PATH", &path());
    home.file("CLAUDE.md", OLD)
        .file("docs/notes.md", "Notes that no host loads: 1, 2, 3.\n")
        .file("src/a.rs", "fn a() {}\n");
    git(&home, &["init", "-q", "-b", "main"]);
    git(&home, &["add", "-A"]);
    git(&home, &["commit", "-q", "-m", "one"]);
    git(&home, &["checkout", "-q", "-b", "topic"]);
    home.file("CLAUDE.md", NEW)
        .file("docs/notes.md", "Notes: 1.\n")
        .file("src/a.rs", "fn b() {}\n");
    home
}

#[test]
fn two_files() {
    let home = TestHome::new();
    home.file("old.md", OLD).file("new.md", NEW).file("same.md", OLD.replace("- ", "* "));
    insta::assert_snapshot!(said(&home.run(&["diff", "old.md", "new.md"])));
    insta::assert_snapshot!(said(&home.run(&["diff", "old.md", "new.md", "--all"])));
    insta::assert_snapshot!(said(&home.run(&["diff", "old.md", "same.md"])));
    let again = home.run(&["gate", "old.md", "new.md"]);
    assert_eq!(said(&again), said(&home.run(&["diff", "old.md", "new.md"])));
}

#[test]
fn every_form_for_scripts() {
    let home = branch();
    let json = home.run(&["diff", "--base", "main", "--json"]);
    let commit = json.json_of_exit(1)["base"].as_str().unwrap().to_owned();
    assert_eq!(commit.len(), 40, "{commit}");
    insta::assert_snapshot!(said(&json).replace(&commit, "COMMIT"));
    insta::assert_snapshot!(said(&home.run(&["diff", "--base", "main", "--format", "markdown"])));
    insta::assert_snapshot!(said(&home.run(&["diff", "--base", "main", "--format", "github"])));
    let log = sarif(&home, &["--base", "main"]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 7);
    assert_eq!(results[0]["ruleId"], "weaker");
    let rules = &log["runs"][0]["tool"]["driver"]["rules"];
    for result in results {
        let at = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[at]["id"], result["ruleId"]);
    }
}

/// Returns the log of a comparison, which is as the schema and GitHub want it.
fn sarif(home: &TestHome, args: &[&str]) -> Value {
    let mut all = vec!["diff", "--format", "sarif"];
    all.extend(args);
    let log = home.run(&all).json();
    assert_eq!(against(&schema(), &log), Vec::<String>::new());
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
        for key in ["shortDescription", "fullDescription", "help"] {
            let text = rule[key]["text"].as_str().unwrap();
            assert!((1..=1024).contains(&text.len()), "{key} of {rule}");
        }
    }
    log
}

#[test]
fn sarif_of_odd_names_of_what_is_accepted_and_of_what_was_not_compared() {
    let home = branch();
    for name in ODD {
        home.file(&format!(".claude/rules/{name}"), "Wait for 5 s.\n");
    }
    git(&home, &["add", "-A"]);
    git(&home, &["commit", "-q", "-m", "two\n\nCoalwash-Ok: CLAUDE.md:5,6,7,8"]);
    git(&home, &["checkout", "-q", "-b", "next"]);
    for name in ODD {
        home.file(&format!(".claude/rules/{name}"), "Wait for 6 s.\n");
    }
    git(&home, &["commit", "-q", "-a", "-m", "three"]);
    let log = sarif(&home, &["--base", "topic"]);
    let uri = |it: &Value| {
        let place = &it["locations"][0]["physicalLocation"];
        decoded(place["artifactLocation"]["uri"].as_str().unwrap())
    };
    let all = log["runs"][0]["results"].as_array().unwrap();
    let names: BTreeSet<String> = all.iter().map(uri).collect();
    assert_eq!(names, ODD.iter().map(|name| format!(".claude/rules/{name}")).collect());
    let log = sarif(&home, &["--base", "main"]);
    let all = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(all.iter().filter(|it| it.get("suppressions").is_some()).count(), 5);

    home.file("old.md", OLD).file("new.md", NEW);
    let (old, new) = (home.path("old.md"), home.path("new.md"));
    let log = sarif(&home, &[old.to_str().unwrap(), new.to_str().unwrap()]);
    assert_eq!(uri(&log["runs"][0]["results"][0]), "new.md");
    std::fs::remove_file(home.path("CLAUDE.md")).unwrap();
    home.link("CLAUDE.md", "old.md");
    let log = sarif(&home, &["--base", "main"]);
    let run = &log["runs"][0]["invocations"][0];
    assert_eq!(run["executionSuccessful"], false);
    assert_eq!(uri(&run["toolExecutionNotifications"][0]), "CLAUDE.md");
}

#[test]
fn a_branch_fails_until_a_trailer_says_that_it_is_meant() {
    let home = branch();
    insta::assert_snapshot!(said(&home.run(&["diff", "--base", "main"])));
    git(&home, &["commit", "-q", "-a", "-m", "two\n\nCoalwash-Ok: CLAUDE.md:5,6,7,8"]);
    let some = home.run(&["diff", "--base", "main"]);
    assert_eq!(some.code, 1);
    assert!(some.stdout.contains("1 fact lost, changed or moved."), "{}", some.stdout);
    git(&home, &["commit", "-q", "--allow-empty", "-m", "three\n\nCoalwash-Ok: CLAUDE.md:13"]);
    insta::assert_snapshot!(said(&home.run(&["diff", "--base", "main"])));
}

#[test]
fn what_is_staged_is_held_against_the_last_commit() {
    let home = branch();
    let nothing = home.run(&["diff", "--staged"]);
    assert_eq!(said(&nothing), "No file that agents load has changed.\nexit 0");
    git(&home, &["add", "-A"]);
    // What stands in the working tree alone is not staged.
    home.file("CLAUDE.md", OLD);
    insta::assert_snapshot!(said(&home.run(&["diff", "--staged"])));
    assert_eq!(home.run(&["diff", "--base", "main"]).code, 0);
    assert_eq!(
        home.run(&["diff", "--staged", "docs/notes.md"]).code,
        1,
        "a file that is named counts"
    );
}

#[test]
fn a_file_that_is_gone_or_renamed_is_compared() {
    let home = branch();
    git(&home, &["mv", "CLAUDE.md", "AGENTS.md"]);
    home.file("AGENTS.md", OLD.replace("30 s", "40 s"));
    git(&home, &["add", "-A"]);
    let renamed = home.run(&["diff", "--base", "main"]);
    assert!(
        renamed.stdout.contains("CLAUDE.md → AGENTS.md: 9 facts, 8 found"),
        "{}",
        renamed.stdout
    );
    git(&home, &["rm", "-q", "-f", "AGENTS.md"]);
    let gone = home.run(&["diff", "--base", "main"]);
    assert_eq!(gone.code, 1);
    assert!(gone.stdout.contains("9 facts, 0 found again"), "{}", gone.stdout);
}

#[test]
fn approvals_are_for_one_finding_and_those_left_are_told() {
    let home = TestHome::new();
    home.file("old.md", "Wait 30 s for it. Releases must be signed.\n");
    home.file("new.md", "Wait 60 s for it. Releases must be signed.\n");
    home.file(
        "ok.json",
        r#"{"schema": "coalwash.approvals/1", "approvals": [
          {"file": "old.md", "class": "number-changed", "text": "30 s → 60 s"},
          {"file": "old.md", "class": "weaker", "text": "must → should"}]}"#,
    );
    let args = ["diff", "old.md", "new.md", "--approve", "ok.json"];
    insta::assert_snapshot!(said(&home.run(&args)));
    home.file("new.md", "Wait 90 s for it. Releases must be signed.\n");
    assert_eq!(home.run(&args).code, 1, "another value is another change");
}

#[test]
fn strict_lets_rewordings_fail_and_pins_do() {
    let home = TestHome::new();
    home.file("old.md", "It is very fast.\n").file("new.md", "It is fast.\n");
    assert_eq!(home.run(&["diff", "old.md", "new.md"]).code, 0);
    assert_eq!(home.run(&["diff", "old.md", "new.md", "--strict"]).code, 1);
    home.file("old.md", "---\npinned: true\n---\n\nIt is very fast.\n");
    home.file("new.md", "---\npinned: true\n---\n\nIt is fast.\n");
    insta::assert_snapshot!(said(&home.run(&["diff", "old.md", "new.md"])));
}

#[test]
fn what_a_project_keeps_may_not_even_be_reworded() {
    let home = branch();
    home.file("coalwash.jsonc", r#"{"keep": ["CLAUDE.md#Only in CI", "CLAUDE.md#Nowhere"]}"#);
    home.file(
        "CLAUDE.md",
        OLD.replace("Run `just check --all` first", "Just run `just check --all` first"),
    );
    insta::assert_snapshot!(said(&home.run(&["diff", "--base", "main"])));
}

#[test]
fn several_files_may_become_one() {
    let home = TestHome::new();
    home.file("a.md", "# A\n\n- Never push to main.\n- Use tabs.\n");
    home.file("b.md", "# B\n\n- Use tabs.\n- Ask Dana first.\n");
    home.file("all.md", "# A\n\n- Never push to main.\n- Use tabs.\n\n# B\n\n- Ask Dana first.\n");
    home.file("less.md", "# A\n\n- Never push to main.\n- Use tabs.\n\n# B\n");
    assert_eq!(home.run(&["diff", "a.md", "b.md", "all.md"]).code, 0);
    insta::assert_snapshot!(said(&home.run(&["diff", "a.md", "b.md", "less.md"])));
}

#[test]
fn a_batch_has_one_answer_a_line() {
    let home = TestHome::new();
    home.file(
        "cases.jsonl",
        concat!(
            "{\"id\":\"a\",\"orig\":\"Wait 30 s.\",\"next\":\"Wait 60 s.\"}\n",
            "\n",
            "{\"id\":\"b\",\"orig\":\"- a\\n- b\",\"next\":\"* a\\n* b\"}\n",
        ),
    );
    insta::assert_snapshot!(said(&home.run(&["gate", "--batch", "cases.jsonl", "--json"])));
    home.file("bad.jsonl", "{\"id\":\"a\",\"orig\":\"\",\"next\":\"\"}\nno\n");
    insta::assert_snapshot!(said(&home.run(&["gate", "--batch", "bad.jsonl"])));
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let home = TestHome::new();
    home.file("old.md", OLD).file("wide.md", b"\xff\xfea\0").file("bytes.md", b"ab\xc3\x28");
    home.folder("dir");
    let mut out = String::new();
    for args in [
        &["diff"][..],
        &["diff", "old.md"],
        &["diff", "none.md", "old.md"],
        &["diff", "dir", "old.md"],
        &["diff", "wide.md", "old.md"],
        &["diff", "old.md", "bytes.md"],
        &["diff", "--staged"],
        &["diff", "--base", "main"],
        &["diff", "--base", "main", "--staged"],
        &["diff", "old.md", "old.md", "--approve", "old.md"],
        &["diff", "old.md", "old.md", "--approve", "none.json"],
    ] {
        let run = home.run(args);
        assert_eq!(run.code, 2, "{args:?}\n{}{}", run.stdout, run.stderr);
        out.push_str(&format!("$ coalwash {}\n{}\n", args.join(" "), run.stderr));
    }
    insta::assert_snapshot!(out);
}

#[test]
#[cfg(unix)]
fn a_file_that_became_a_link_is_not_called_clean() {
    let home = branch();
    std::fs::remove_file(Path::new(&home.path("CLAUDE.md"))).unwrap();
    home.link("CLAUDE.md", "docs/notes.md");
    git(&home, &["add", "-A"]);
    insta::assert_snapshot!(said(&home.run(&["diff", "--base", "main"])));
}
