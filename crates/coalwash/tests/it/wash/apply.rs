//! `apply FILE --from DRAFT`: shown, gated, approved, written.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{files, memory, text};
use crate::home::{TestHome, git, path};

const OLD: &str = "# Shop

- Never push to main without a review.
- Timeout of the gateway is 30 s.
- Please note that the ports are 5432 and 5433.
- Never push to main without a review.
";

/// Nothing is lost by this.
const FAITHFUL: &str = "# Shop

- Never push to main without a review.
- Timeout of the gateway is 30 s.
- Please note that the ports are 5432 and 5433.
";

const LOSSY: &str = "# Shop

- Timeout of the gateway is 60 s.
- The ports are 5432 and 5433.
";

fn shop() -> TestHome {
    let home = TestHome::new();
    home.file("CLAUDE.md", OLD).file("draft.md", FAITHFUL).file("lossy.md", LOSSY);
    home
}

/// Runs `apply` and expects this code and no change of any file.
fn refused(home: &TestHome, args: &[&str], code: i32) -> String {
    let before = (files(home), home.snapshot());
    let run = home.run(args);
    assert_eq!(run.code, code, "{}", run.all());
    assert_eq!(files(home), before.0, "{}", run.all());
    assert_eq!(home.snapshot(), before.1, "{}", run.all());
    run.all()
}

#[test]
fn a_faithful_draft_is_shown_written_and_taken_back() {
    let home = shop();
    let before = files(&home);
    let shown = refused(&home, &["apply", "CLAUDE.md", "--from", "draft.md", "-n"], 0);
    assert_snapshot!(shown);
    let run = home.run(&["apply", "CLAUDE.md", "--from", "draft.md"]);
    assert_snapshot!(run.all());
    assert_eq!(text(&home, "CLAUDE.md"), FAITHFUL);
    assert_snapshot!(refused(&home, &["apply", "CLAUDE.md", "--from", "draft.md"], 0));
    assert_eq!(home.run(&["undo"]).code, 0);
    assert_eq!(files(&home), before);
}

#[test]
fn what_a_draft_loses_has_to_be_approved_one_by_one() {
    let home = shop();
    let args = ["apply", "CLAUDE.md", "--from", "lossy.md"];
    assert_snapshot!(refused(&home, &args, 3));
    assert_snapshot!(refused(&home, &[&args[..], &["-n"]].concat(), 3));
    let json = home.run(&[&args[..], &["-n", "--json"]].concat()).json_of_exit(3);
    let found = json["files"][0]["unapproved"].as_array().unwrap().clone();
    let approve = |found: &[Value]| {
        let all = found
            .iter()
            .map(|it| json!({"file": "CLAUDE.md", "class": it["class"], "text": it["text"]}));
        json!({"schema": "coalwash.approvals/1", "approvals": all.collect::<Vec<_>>()}).to_string()
    };
    assert!(found.len() > 1, "{found:?}");
    home.file("yes.json", approve(&found[1..]));
    let args = [&args[..], &["--approve", "yes.json"]].concat();
    let left = refused(&home, &args, 3);
    assert!(left.contains("CLAUDE.md would lose or change 1 thing"), "{left}");
    home.file("yes.json", approve(&found));
    let run = home.run(&args);
    assert_snapshot!(run.all());
    assert_eq!(text(&home, "CLAUDE.md"), LOSSY);
}

#[test]
fn a_rewording_needs_an_approval_too() {
    let home = TestHome::new();
    home.file("CLAUDE.md", "# Shop\n\n- The docs directory is very large.\n");
    home.file("draft.md", "# Shop\n\n- The docs folder is large.\n");
    assert_snapshot!(refused(&home, &["apply", "CLAUDE.md", "--from", "draft.md"], 3));
}

#[test]
fn approvals_that_fit_nothing_are_named() {
    let home = shop();
    let approval = |file: &str| json!({"file": file, "class": "weaker", "text": "must → should"});
    let all = [approval("CLAUDE.md"), approval("docs/other.md")];
    home.file("yes.json", json!({"schema": "coalwash.approvals/1", "approvals": all}).to_string());
    let args = ["apply", "CLAUDE.md", "--from", "draft.md", "--approve", "yes.json"];
    assert_snapshot!(refused(&home, &[&args[..], &["-n"]].concat(), 0));
    home.file("yes.json", r#"{"schema": "coalwash.approvals/1", "approvals": [], "more": 1}"#);
    assert_snapshot!(refused(&home, &args, 2));
}

#[test]
fn what_is_kept_cannot_be_approved_away() {
    let home = shop();
    home.file("coalwash.jsonc", r#"{"keep": ["CLAUDE.md"]}"#);
    let args = ["apply", "CLAUDE.md", "--from", "lossy.md"];
    assert_snapshot!(refused(&home, &args, 3));
    let json = home.run(&[&args[..], &["-n", "--json"]].concat()).json_of_exit(3);
    let found = json["files"][0]["unapproved"].as_array().unwrap().iter();
    let all: Vec<Value> = found
        .map(|it| json!({"file": "CLAUDE.md", "class": it["class"], "text": it["text"]}))
        .collect();
    home.file("yes.json", json!({"schema": "coalwash.approvals/1", "approvals": all}).to_string());
    refused(&home, &[&args[..], &["--approve", "yes.json"]].concat(), 3);
    home.file("coalwash.jsonc", "{}").file("CLAUDE.md", format!("---\npinned: yes\n---\n{OLD}"));
    assert_snapshot!(refused(&home, &args, 3));
}

#[test]
fn a_file_with_uncommitted_changes_is_refused() {
    let mut home = shop();
    home.env("PATH", &path());
    super::commit(&home);
    home.file("CLAUDE.md", format!("{OLD}- More.\n"))
        .file("draft.md", format!("{FAITHFUL}- More.\n"));
    let args = ["apply", "CLAUDE.md", "--from", "draft.md"];
    assert_snapshot!(refused(&home, &args, 3));
    assert_eq!(home.run(&[&args[..], &["--allow-dirty"]].concat()).code, 0);
    git(&home, &home.project(), &["commit", "-qam", "y"]);
    assert_eq!(home.run(&["undo"]).code, 0);
}

#[test]
fn a_new_file_and_one_of_the_memory_can_be_written() {
    let home = shop();
    home.file(&memory(&home, "MEMORY.md"), OLD);
    let run = home.run(&["apply", "docs.md", "--from", "draft.md"]);
    assert_snapshot!(run.all());
    assert_eq!(text(&home, "docs.md"), FAITHFUL);
    let memory = home.path(&memory(&home, "MEMORY.md"));
    let run = home.run(&["apply", memory.to_str().unwrap(), "--from", "draft.md"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let run = home.run(&["apply", "MEMORY.md", "--from", "lossy.md", "-n"]);
    assert!(run.stderr.contains("MEMORY.md would lose"), "{}", run.all());
}
