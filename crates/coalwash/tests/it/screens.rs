//! What a person sees, to the letter.

use insta::assert_snapshot;

use crate::home::TestHome;

/// A project with one of everything.
fn shop() -> TestHome {
    let home = TestHome::new();
    home.folder(".git")
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(
            "CLAUDE.md",
            "# shop\n\nConventions are in @docs/conventions.md here.\n\nThe API is in @docs/api.md.\n\n- Never push to main without a review.\n- Money is integer cents everywhere.\n- Never push to main without a review.\n",
        )
        .file("docs/conventions.md", format!("# Conventions\n\n{}\n", "Names say what a thing is for. ".repeat(20)))
        .file("docs/api.md", "# API\n")
        .file(".claude/rules/testing.md", "# Testing\n\nA test has one reason to fail.\n")
        .file(".claude/rules/pay.md", "---\npaths: \"**/payments/**\"\n---\nSign every amount.\n")
        .file("src/payments/CLAUDE.md", "# Payments\n\nEvents arrive twice.\n")
        .file("src/payments/refund.rs", "//! Refunds.\n")
        .file(".claude/skills/notes/SKILL.md", "---\nname: notes\ndescription: Writes notes.\n---\nBody.\n")
        .file(".claude/agents/rev.md", "---\nname: rev\ndescription: Reads diffs.\n---\nBody.\n")
        .file("~/.claude/CLAUDE.md", "# Me\n\nAnswer first, reasons after.\n")
        .file(&format!("{}/memory/MEMORY.md", home.host_folder()), long_memory())
        .file(&format!("{}/memory/topic.md", home.host_folder()), "# Topic\n");
    home
}

fn long_memory() -> String {
    (1..=210).map(|n| format!("- [Topic {n}](t{n}.md): words about it\n")).collect()
}

#[test]
fn overview_of_a_project_that_needs_attention() {
    assert_snapshot!(shop().run(&[]).all());
}

#[test]
fn overview_of_a_clean_project() {
    let home = TestHome::new();
    home.file("CLAUDE.md", "# shop\n\nBuild with make.\n").written("CLAUDE.md", 7_200_000);
    home.session(&[("CLAUDE.md", "# shop\n\nBuild with make.")]);
    assert_snapshot!(home.run(&[]).all());
}

#[test]
fn overview_read_by_an_agent_is_short() {
    let mut home = shop();
    home.env("CLAUDECODE", "1");
    let run = home.run(&[]);
    assert!(run.stdout.lines().count() <= 12, "{}", run.all());
    assert_snapshot!(run.all());
    let run = home.run(&["context"]);
    assert!(run.stdout.lines().count() <= 12, "{}", run.all());
    assert_snapshot!(run.all());
}

#[test]
fn overview_without_any_agent_shows_the_sample() {
    let home = TestHome::new();
    assert_snapshot!(home.run(&[]).all());
    assert_eq!(home.run(&["--json"]).json()["hosts"][0]["files"], 0, "JSON never falls back");
}

#[test]
fn demo_shows_the_sample_whatever_is_here() {
    let home = shop();
    assert_snapshot!(home.run(&["demo"]).all());
}

#[test]
fn context_lists_what_loads() {
    assert_snapshot!(shop().run(&["context"]).all());
    assert_snapshot!(shop().run(&["context", "--all"]).all());
}

#[test]
fn context_of_one_file() {
    let home = shop();
    assert_snapshot!(home.run(&["context", "src/payments/refund.rs"]).all());
    assert_snapshot!(home.run(&["context", "/etc/passwd"]).all());
    assert_snapshot!(home.run(&["context", "docs/api.md"]).all());
}

#[test]
fn a_change_after_the_session_is_told_from_a_wrong_map() {
    let home = TestHome::new();
    home.file("CLAUDE.md", "# shop\n\nBuild with make.\n").written("CLAUDE.md", 7_200_000);
    home.file(".claude/CLAUDE.md", "Newer.\n").written(".claude/CLAUDE.md", 60_000);
    home.session(&[("CLAUDE.md", "# shop\n\nBuild with make.")]);
    assert_snapshot!(home.run(&[]).all());
    assert_snapshot!(home.run(&["context", "--observed"]).all());

    // The same file, but written before the session: nothing explains that it wasn't sent.
    home.written(".claude/CLAUDE.md", 7_200_000);
    assert_snapshot!(home.run(&[]).all());
    assert_snapshot!(home.run(&["context", "--observed"]).all());
}

#[test]
fn all_projects_worst_first() {
    let home = shop();
    home.session(&[]);
    home.file("~/work/web/CLAUDE.md", "# web\n\nPlain.\n").file(
        &format!("~/.claude/projects/web/{}", "s.jsonl"),
        format!("{{\"type\":\"user\",\"cwd\":\"{}\"}}\n", home.path("~/work/web").display()),
    );
    home.file(
        "~/.claude/projects/gone/s.jsonl",
        "{\"type\":\"user\",\"cwd\":\"/no/such/folder\"}\n",
    );
    home.file("~/.claude/projects/silent/s.jsonl", "{\"type\":\"summary\"}\n");
    assert_snapshot!(home.run(&["--all"]).all());
    home.folder("~/elsewhere");
    let bare = home.run_in(&home.path("~/elsewhere"), &[]);
    assert_eq!(bare.stdout, home.run(&["--all"]).stdout, "bare, outside a project");
}

#[test]
fn help_is_short_and_plain() {
    let home = TestHome::new();
    assert_snapshot!(home.run(&["--help"]).all());
    assert_snapshot!(home.run(&["context", "--help"]).all());
}

#[test]
fn wrong_usage_names_the_fix() {
    let home = TestHome::new();
    assert_snapshot!(home.run(&["-C", "/no/such/folder"]).all());
    assert_snapshot!(home.run(&["contxt"]).all());
    let file = home.file("a.txt", "x").path("a.txt");
    assert_snapshot!(home.run(&["-C", file.to_str().unwrap()]).all());
    let mut home = TestHome::new();
    home.env("HOME", "relative");
    assert_snapshot!(home.run(&["context"]).all());
}
