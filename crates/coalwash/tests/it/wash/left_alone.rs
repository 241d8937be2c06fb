//! Files with repeats that `quick` leaves alone.

use std::process::Command;

use insta::assert_snapshot;

use super::{MONEY, REFUNDS, commit, files, memory, shop};
use crate::home::{Run, TestHome, path};

/// A text that says one thing twice.
fn twice(title: &str) -> String {
    format!("# {title}\n\n{MONEY}\n{MONEY}")
}

/// Runs `quick` and expects that no file of the user's changed.
fn nothing_is_cut(home: &TestHome, args: &[&str]) -> Run {
    let before = files(home);
    let run = home.run(args);
    assert_eq!(files(home), before, "{}", run.all());
    run
}

#[test]
fn what_is_kept_or_pinned_stays() {
    let home = TestHome::new();
    home.file("CLAUDE.md", format!("---\npinned: true\n---\n{}", twice("Shop")));
    let run = nothing_is_cut(&home, &["quick"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let home = TestHome::new();
    home.file("coalwash.jsonc", r#"{"keep": ["CLAUDE.md#Security"]}"#);
    home.file("CLAUDE.md", format!("# Shop\n\n{MONEY}\n## Security\n\n{MONEY}\n## Other\n\nx\n"));
    assert_eq!(nothing_is_cut(&home, &["quick"]).code, 0);
    home.file("coalwash.jsonc", r#"{"keep": ["CLAUDE.md"]}"#).file("CLAUDE.md", twice("Shop"));
    assert_eq!(nothing_is_cut(&home, &["quick"]).code, 0);
    home.file("coalwash.jsonc", "{}");
    let run = home.run(&["quick"]);
    assert!(run.stdout.starts_with("Cut 48 tokens"), "{}", run.all());
}

#[test]
fn files_of_others_stay() {
    let home = TestHome::new();
    // Above the project, the user's own, another project's.
    home.file("~/work/CLAUDE.md", twice("Above")).file("~/.claude/CLAUDE.md", twice("Me"));
    home.file("~/work/other/CLAUDE.md", twice("Other")).file("CLAUDE.md", "@../other/CLAUDE.md\n");
    let run = nothing_is_cut(&home, &["quick"]);
    assert_snapshot!(run.all());
    let run = home.run(&["quick", "--user"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(super::text(&home, "~/work/CLAUDE.md") == twice("Above"));
    assert!(super::text(&home, "~/work/other/CLAUDE.md") == twice("Other"));
}

#[test]
fn skills_commands_and_agents_stay() {
    let home = TestHome::new();
    let front = |name: &str| format!("---\nname: {name}\ndescription: d\n---\n{}", twice(name));
    home.file(".claude/skills/a/SKILL.md", front("a"))
        .file(".claude/commands/b.md", front("b"))
        .file(".claude/agents/c.md", front("c"));
    assert_eq!(nothing_is_cut(&home, &["quick"]).code, 0);
    home.file(".claude/rules/d.md", twice("d"));
    let run = home.run(&["quick"]);
    assert!(run.stdout.contains("1 file, no fact lost"), "{}", run.all());
}

#[test]
fn links_and_files_with_other_names_are_named_and_stay() {
    let home = TestHome::new();
    home.file("docs/shop.md", twice("Shop")).link("CLAUDE.md", "docs/shop.md");
    assert_snapshot!(nothing_is_cut(&home, &["quick"]).all());
    let home = TestHome::new();
    home.file("CLAUDE.md", twice("Shop"));
    std::fs::hard_link(home.path("CLAUDE.md"), home.path("copy.md")).unwrap();
    let run = nothing_is_cut(&home, &["quick"]);
    assert_snapshot!(run.all());
    // The other files are cut all the same.
    home.file(&memory(&home, "MEMORY.md"), format!("# S\n\n{REFUNDS}- x\n{REFUNDS}"));
    let run = home.run(&["quick"]);
    assert!(run.stdout.contains("1 file, no fact lost"), "{}", run.all());
}

#[test]
fn a_file_is_not_written_for_less_than_20_tokens() {
    let home = TestHome::new();
    let short = "# S\n\n- never retry a chargeback\n- a\n- never retry a chargeback\n\n\n\n\nx  \n";
    home.file("CLAUDE.md", short);
    assert_snapshot!(nothing_is_cut(&home, &["quick"]).all());
}

#[test]
fn what_is_not_text_is_named_and_stays() {
    let home = TestHome::new();
    let mut bytes = twice("Shop").into_bytes();
    bytes.push(0xff);
    home.file("CLAUDE.md", bytes);
    assert_snapshot!(nothing_is_cut(&home, &["quick"]).all());
}

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is said")]
fn a_dry_run_needs_no_place_to_write() {
    let home = shop();
    commit(&home);
    let shown = home.run(&["quick", "-n"]);
    let root = home.home();
    // A disk that can only be read, where the system lets us have one.
    let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && shift 0 && \
                  ! touch \"$0/x\" 2>/dev/null && exec \"$@\"";
    let binary = env!("CARGO_BIN_EXE_coalwash");
    let plain = home.command(&[]);
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script]).arg(&root).args([binary, "quick", "-n"]);
    command.env_clear().current_dir(home.project());
    command.envs(plain.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let output = command.env("PATH", path()).output();
    let Some(output) =
        output.ok().filter(|it| !it.stdout.is_empty() || it.status.code() == Some(0))
    else {
        eprintln!("skipped: no namespace with a disk that can only be read");
        return;
    };
    let stdout = String::from_utf8(output.stdout).unwrap();
    let clean = stdout.replace(root.parent().unwrap().to_str().unwrap(), "/tmp/T");
    assert_eq!((output.status.code(), clean), (Some(0), shown.stdout));
}
