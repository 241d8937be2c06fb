//! `undo` and `log`: what was changed is listed, shown and taken back.

use insta::assert_snapshot;

use super::{MONEY, State, commit, files, memory, shop, text};
use crate::home::{Run, TestHome, path};

const LINES: &str =
    "# Shop\n\n- One is 1.\n- One is 1.\n- Two is 2.\n- Three is 3.\n- Three is 3.\n";
const WASHED: &str = "# Shop\n\n- One is 1.\n- Two is 2.\n- Three is 3.\n";

/// A project in which one run took two repeats out of `CLAUDE.md`, and one out of `b.md`.
fn washed() -> TestHome {
    let home = TestHome::new();
    home.file("CLAUDE.md", LINES).file("draft.md", WASHED);
    home.file("b.md", "# B\n\n- x\n- x\n").file("draft-b.md", "# B\n\n- x\n");
    let of = |name: &str| {
        coalwash_core::wash::ContentHash::of(&std::fs::read(home.path(name)).unwrap()).to_string()
    };
    let action = |name: &str, content: &str| serde_json::json!({"action": "rewrite", "path": home.path(name), "expected": of(name), "content": content});
    let plan = serde_json::json!({"schema": "coalwash.plan/1", "origin": "apply", "actions": [
        action("CLAUDE.md", WASHED), action("b.md", "# B\n\n- x\n")]});
    home.file("plan.json", plan.to_string());
    let run = home.run(&["apply", "plan.json"]);
    assert_eq!(run.code, 0, "{}", run.all());
    home
}

/// Runs, and expects this code and no change of the user's files.
fn unchanged(home: &TestHome, args: &[&str], code: i32) -> String {
    let before = files(home);
    let run = home.run(args);
    assert_eq!(run.code, code, "{}", run.all());
    assert_eq!(files(home), before, "{}", run.all());
    run.all()
}

#[test]
fn undo_and_redo_bring_every_byte_mode_and_time_back() {
    let home = shop();
    let note = memory(&home, "MEMORY.md");
    home.mode(&note, 0o640).mode("CLAUDE.md", 0o444).written("CLAUDE.md", 3_600_000);
    commit(&home);
    let before = files(&home);
    assert_eq!(home.run(&["quick"]).code, 0);
    let after = files(&home);
    assert_snapshot!(unchanged(&home, &["undo", "-n"], 0));
    assert_snapshot!(home.run(&["undo"]).all());
    assert_eq!(files(&home), before);
    let redo = home.run(&["undo"]);
    assert_eq!(redo.code, 0, "{}", redo.all());
    let texts = |of: std::collections::BTreeMap<_, State>| {
        of.into_iter().map(|(path, it)| (path, it.bytes, it.mode)).collect::<Vec<_>>()
    };
    assert_eq!(files(&home), after);
    assert_eq!(home.run(&["undo"]).code, 0);
    assert_eq!(texts(files(&home)), texts(before));
    assert_snapshot!(unchanged(&home, &["log"], 0));
    assert_snapshot!(unchanged(&home, &["undo", "1"], 1));
}

#[test]
fn what_was_changed_since_is_refused_by_name_and_can_be_left_out() {
    let home = washed();
    home.file("b.md", "# B\n\n- x\n- mine\n");
    assert_snapshot!(unchanged(&home, &["undo"], 3));
    assert_snapshot!(home.run(&["undo", "1", "--except", "b.md"]).all());
    assert_eq!(text(&home, "CLAUDE.md"), LINES);
    assert_eq!(text(&home, "b.md"), "# B\n\n- x\n- mine\n");
    assert_snapshot!(unchanged(&home, &["undo", "1", "--except", "c.md"], 3));
}

#[test]
fn both_changes_are_kept_where_they_touch_other_lines() {
    let home = washed();
    home.file("CLAUDE.md", WASHED.replace("# Shop", "# Our shop")).mode("CLAUDE.md", 0o600);
    assert_snapshot!(home.run(&["undo", "--merge"]).all());
    assert_eq!(text(&home, "CLAUDE.md"), LINES.replace("# Shop", "# Our shop"));
    assert_eq!(files(&home)[&home.path("CLAUDE.md")].mode & 0o7777, 0o600);
    let home = washed();
    home.file("CLAUDE.md", "# Shop\n\n- One is 7.\n- Two is 2.\n- Three is 3.\n");
    assert_snapshot!(unchanged(&home, &["undo", "--merge"], 3));
}

#[test]
fn one_line_can_be_taken_back_alone() {
    let home = washed();
    assert_snapshot!(unchanged(&home, &["undo", "--line", "4"], 2));
    assert_snapshot!(unchanged(&home, &["undo", "--line", "x"], 2));
    assert_snapshot!(unchanged(&home, &["undo", "--line", "CLAUDE.md:5"], 3));
    assert_snapshot!(home.run(&["undo", "--line", "CLAUDE.md:4"]).all());
    let one = "# Shop\n\n- One is 1.\n- One is 1.\n- Two is 2.\n- Three is 3.\n";
    assert_eq!(text(&home, "CLAUDE.md"), one);
    assert_eq!(text(&home, "b.md"), "# B\n\n- x\n");
    assert_snapshot!(home.run(&["log"]).all());
}

#[test]
fn a_file_that_went_since_is_named() {
    let home = washed();
    std::fs::remove_file(home.path("b.md")).unwrap();
    assert_snapshot!(unchanged(&home, &["undo"], 3));
    home.link("b.md", "CLAUDE.md");
    assert_snapshot!(unchanged(&home, &["undo"], 3));
    std::fs::remove_file(home.path("b.md")).unwrap();
    home.folder("b.md");
    assert_snapshot!(unchanged(&home, &["undo"], 3));
}

#[test]
fn log_lists_every_run_shows_one_and_finds_those_of_a_file() {
    let home = washed();
    home.file("c.md", format!("# C\n\n{MONEY}")).file("draft.md", "# C\n");
    let json = home.run(&["apply", "c.md", "--from", "draft.md", "-n", "--json"]).json_of_exit(3);
    let found = json["files"][0]["unapproved"].as_array().unwrap().iter();
    let all: Vec<_> = found
        .map(|it| serde_json::json!({"file": "c.md", "class": it["class"], "text": it["text"]}))
        .collect();
    let yes = serde_json::json!({"schema": "coalwash.approvals/1", "approvals": all});
    home.file("yes.json", yes.to_string());
    let run = home.run(&["apply", "c.md", "--from", "draft.md", "--approve", "yes.json"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(home.run(&["undo", "1"]).code, 0);
    assert_snapshot!(unchanged(&home, &["log"], 0));
    assert_snapshot!(unchanged(&home, &["log", "c.md"], 0));
    assert_snapshot!(unchanged(&home, &["log", "draft.md"], 0));
    assert_snapshot!(unchanged(&home, &["log", "1"], 0));
    assert_snapshot!(unchanged(&home, &["log", "2"], 0));
    let text = |run: Run| {
        run.json_of_exit(0);
        run.stdout
    };
    assert_snapshot!(text(home.run(&["log", "--json"])));
    assert_snapshot!(text(home.run(&["log", "2", "--json"])));
    assert_snapshot!(text(home.run(&["undo", "--json"])));
}

#[test]
fn a_run_that_is_not_there_is_no() {
    let home = TestHome::new();
    let mut out = String::new();
    for args in [&["log"][..], &["log", "7"], &["undo"], &["undo", "7"], &["recover"]] {
        out.push_str(&format!("{args:?}\n{}\n", home.run(args).all()));
    }
    assert_snapshot!(out);
}

#[test]
fn another_project_does_not_see_or_undo_a_run_by_accident() {
    let home = washed();
    let before = files(&home);
    home.file("~/work/other/CLAUDE.md", "# Other\n");
    let other = home.path("~/work/other");
    assert_snapshot!(home.run_in(&other, &["log"]).all());
    assert_snapshot!(home.run_in(&other, &["undo"]).all());
    assert_snapshot!(home.run_in(&other, &["undo", "1"]).all());
    std::fs::remove_dir_all(other).unwrap();
    assert_eq!(files(&home), before);
}

#[test]
fn a_clock_that_goes_back_changes_no_order() {
    let mut home = washed();
    home.env("COALWASH_NOW", &(crate::home::NOW_MS - 40 * 86_400_000).to_string());
    home.env("PATH", &path());
    home.file("c.md", "# C\n\n- x\n- x\n").file("draft.md", "# C\n\n- x\n");
    assert_eq!(home.run(&["apply", "c.md", "--from", "draft.md"]).code, 0);
    assert_snapshot!(unchanged(&home, &["log"], 0));
    let run = home.run(&["undo"]);
    assert!(run.stdout.contains("run 2"), "the last run is the one made last: {}", run.all());
    assert_eq!(text(&home, "c.md"), "# C\n\n- x\n- x\n");
    assert_eq!(home.run(&["undo", "1"]).code, 0);
    assert_eq!(text(&home, "CLAUDE.md"), LINES);
}
