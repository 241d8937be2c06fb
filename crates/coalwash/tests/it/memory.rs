//! What is wrong with the host's memory, on screens and in JSON.

use coalwash_core::load::slug::slug;
use insta::assert_snapshot;

use crate::home::{Run, TestHome};

/// A project with notes, of which not all fit together.
fn shop() -> TestHome {
    let home = TestHome::new();
    let host = home.host_folder();
    home.folder(".git").file("CLAUDE.md", "# shop\n\nMoney is integer cents.\n");
    home.file(
        &format!("{host}/memory/MEMORY.md"),
        "# shop\n\n- [Refunds](refunds.md): never retry a chargeback\n- [Ports](ports.md): 5433\n- [Deploy](deploy.md): on Tuesday\n",
    );
    home.file(&format!("{host}/memory/refunds.md"), "# Refunds\n");
    home.file(&format!("{host}/memory/old_notes.md"), "# Notes\n");
    home.file(&format!("{host}/memory/taxes.md"), "# Taxes\n");
    home
}

/// Lays a session that began in `cwd` into the host's folder of `of`, both from the home.
fn began(home: &TestHome, of: &str, cwd: &str) {
    let path = |name: &str| home.path(name).to_str().unwrap().to_owned();
    let record = format!("{{\"type\":\"user\",\"cwd\":\"{}\"}}\n", path(cwd));
    home.file(&format!("{}/5e55.jsonl", host(home, of)), record);
}

/// Writes the host's list of projects.
fn listed(home: &TestHome, projects: &[&str]) {
    let path = |name: &&str| home.path(name).to_str().unwrap().to_owned();
    let all: serde_json::Map<_, _> =
        projects.iter().map(|name| (path(name), serde_json::json!({}))).collect();
    home.file("~/.claude.json", serde_json::json!({"projects": all}).to_string());
}

fn host(home: &TestHome, of: &str) -> String {
    format!("~/.claude/projects/{}", slug(home.path(of).to_str().unwrap().into()))
}

/// Returns what a run printed, with broken lines put together: where they break depends on the path
/// of the temporary folder.
fn unbroken(run: &Run) -> String {
    let mut out = String::new();
    for line in run.all().lines() {
        let goes_on = line.starts_with("   ") && !line.trim_start().starts_with(['…', '█', '▏']);
        let goes_on = goes_on && !line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        out.push_str(if goes_on && !out.is_empty() { " " } else { "\n" });
        out.push_str(if goes_on { line.trim_start() } else { line });
    }
    out.replace("memory  is", "memory is")
}

#[test]
fn what_is_wrong_with_the_memory_is_told_on_every_screen() {
    let home = shop();
    let below = ["~/work/shop/.claude/worktrees/tax", "~/work/shop/old"];
    listed(&home, &below);
    for gone in below {
        home.file(&format!("{}/memory/a.md", host(&home, gone)), "x");
        began(&home, gone, gone);
    }
    assert_snapshot!(unbroken(&home.run(&[])));
    assert_snapshot!(unbroken(&home.run(&["context"])));
    assert_snapshot!(unbroken(&home.run(&["context", "--all"])));
    let json = home.run(&["context", "--json"]).json();
    let memory = &json["hosts"][0]["memory"];
    let text = serde_json::to_string_pretty(memory).unwrap();
    let root = home.home().parent().unwrap().to_str().unwrap().to_owned();
    let text = text.replace(&slug(root.as_str().into()), "-tmp-T").replace(&root, "/tmp/T");
    assert_snapshot!(text);
}

#[test]
fn two_projects_that_share_a_memory_are_told_of_each_other() {
    let home = shop();
    let other = home.path("~/work/a.b");
    home.folder("~/work/a.b/.git").file("~/work/a.b/CLAUDE.md", "# ab\n");
    home.folder("~/work/a-b/.git").file("~/work/a-b/CLAUDE.md", "# ab\n");
    home.file(&format!("{}/memory/MEMORY.md", host(&home, "~/work/a.b")), "- x\n");
    began(&home, "~/work/a.b", "~/work/a-b");
    assert_snapshot!(unbroken(&home.run_in(&other, &[])));
    let run = home.run_in(&home.path("~/work/a-b"), &[]);
    assert!(!unbroken(&run).contains(", too:"), "only `a-b` has had sessions: {}", run.all());
    // The host's list of projects says so for both.
    listed(&home, &["~/work/a.b", "~/work/a-b"]);
    let run = home.run_in(&home.path("~/work/a-b"), &[]);
    assert!(unbroken(&run).contains("is the memory of ~/work/a.b, too"), "{}", run.all());
}

#[test]
fn memory_without_a_project_is_listed_with_all_projects() {
    let home = shop();
    began(&home, "~/work/shop", "~/work/shop");
    for (of, cwd) in [
        ("~/work/moved", Some("~/work/moved")),
        ("~/work/feature", None),
        ("~/work/kept", None),
        ("~/work/lost", None),
    ] {
        home.file(&format!("{}/memory/a.md", host(&home, of)), "x");
        if let Some(cwd) = cwd {
            began(&home, of, cwd);
        }
    }
    // Sessions were swept; the host still lists two, and git knows one as a worktree.
    listed(&home, &["~/work/feature", "~/work/kept"]);
    let gone = home.path("~/work/feature/.git");
    home.file(".git/worktrees/f/gitdir", format!("{}\n", gone.display())).folder("~/work/kept");
    assert_snapshot!(unbroken(&home.run(&["--all"])));
    let json = home.run(&["--all", "--json"]).json();
    assert_eq!(json["memory"].as_array().unwrap().len(), 2);
    assert_eq!(json["memory_unknown"].as_array().unwrap().len(), 1);
}

#[test]
fn check_knows_nothing_of_memory() {
    let home = shop();
    let run = home.run(&["check"]);
    assert!(!run.all().contains("MEMORY"), "{}", run.all());
}
