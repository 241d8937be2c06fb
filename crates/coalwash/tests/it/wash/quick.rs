//! `quick`: what it cuts, how it shows it, and what it leaves alone.

use insta::assert_snapshot;

use super::{DEPLOY, MONEY, REFUNDS, committed, files, memory, shop, text};
use crate::home::TestHome;

#[test]
fn exact_repeats_go_as_one_run_that_is_shown_first() {
    let home = committed();
    let before = (home.snapshot(), files(&home));
    assert_snapshot!(home.run(&["quick", "-n"]).all());
    assert_snapshot!(home.run(&["quick", "-n", "--similar"]).all());
    assert_eq!(home.snapshot(), before.0, "a dry run writes nothing");
    assert_snapshot!(home.run(&["quick"]).all());
    assert_eq!(
        text(&home, &memory(&home, "MEMORY.md")),
        format!("# shop\n\n{REFUNDS}{DEPLOY}- [Ports](ports.md): 5433\n")
    );
    assert_eq!(text(&home, "CLAUDE.md"), format!("# Shop\n\n{MONEY}\nUse pnpm.\n"));
    let after = home.snapshot();
    assert_snapshot!(home.run(&["quick"]).all());
    assert_eq!(home.snapshot(), after, "a second run has nothing to do");
    assert_eq!(home.run(&["undo"]).code, 0);
    assert_eq!(files(&home), before.1);
}

#[test]
fn mine_leaves_alone_what_git_has() {
    let home = committed();
    assert_snapshot!(home.run(&["quick", "-n", "--mine"]).all());
    assert_eq!(home.run(&["quick", "--mine"]).code, 0);
    assert!(text(&home, "CLAUDE.md").matches(MONEY).count() == 2);
    assert!(text(&home, &memory(&home, "MEMORY.md")).matches(REFUNDS).count() == 1);
}

#[test]
fn the_users_files_for_all_projects_are_cut_only_when_asked() {
    let home = TestHome::new();
    home.file("~/.claude/CLAUDE.md", format!("# Me\n\n{MONEY}\nUse pnpm.\n\n{MONEY}"));
    assert_snapshot!(home.run(&["quick", "-n"]).all());
    assert_snapshot!(home.run(&["quick", "--user"]).all());
    assert_eq!(text(&home, "~/.claude/CLAUDE.md"), format!("# Me\n\n{MONEY}\nUse pnpm.\n"));
}

#[test]
fn json_names_every_repeat() {
    let home = committed();
    let text = |run: crate::home::Run| {
        let json = run.json_of_exit(0);
        let text = serde_json::to_string_pretty(&json).unwrap();
        text.replace(home.home().parent().unwrap().to_str().unwrap(), "/tmp/T")
    };
    assert_snapshot!(text(home.run(&["quick", "-n", "--json", "--similar"])));
    let done = home.run(&["quick", "--json"]).json_of_exit(0);
    assert_eq!((&done["applied"], &done["run"]), (&true.into(), &1.into()));
    let again = home.run(&["quick", "--json"]).json_of_exit(0);
    assert_eq!((&again["applied"], &again["run"]), (&false.into(), &serde_json::Value::Null));
}

#[test]
fn uncommitted_changes_are_refused_until_they_are_allowed() {
    let home = committed();
    home.file("CLAUDE.md", format!("# Shop\n\n{MONEY}\nUse npm.\n\n{MONEY}"));
    let before = home.snapshot();
    assert_snapshot!(home.run(&["quick"]).all());
    assert_snapshot!(home.run(&["quick", "-n"]).all());
    assert_eq!(home.snapshot(), before);
    assert_eq!(home.run(&["quick", "--allow-dirty"]).code, 0);
    assert_eq!(text(&home, "CLAUDE.md"), format!("# Shop\n\n{MONEY}\nUse npm.\n"));
    // Added and never committed is uncommitted, too; what git ignores isn't.
    let home = shop();
    home.file(".gitignore", "CLAUDE.local.md\n");
    home.file("CLAUDE.local.md", format!("# Mine\n\n{MONEY}\n{MONEY}"));
    crate::home::git(&home, &home.project(), &["init", "-q"]);
    crate::home::git(&home, &home.project(), &["add", "-A"]);
    let run = home.run(&["quick"]);
    assert_eq!(run.code, 3, "{}", run.all());
    assert!(run.stderr.contains("CLAUDE.md has uncommitted changes"), "{}", run.all());
    assert_eq!(home.run(&["quick", "--mine"]).code, 0);
    assert_eq!(text(&home, "CLAUDE.local.md"), format!("# Mine\n\n{MONEY}"));
}
