//! The decision table of the Node engine's recovery, with what this build decides otherwise: it
//! writes nothing by itself, and stays inside the project.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::Unread;
use coalwash_core::wash::Change;

use super::{Project, modified_ms};
use crate::disk::RealDisk;
use crate::wash::node::{Around, FromNode, Scope, recover_from_node};
use crate::wash::{Engine, Holder, Locked, Meta, Process};

/// A journal of a run that was cut short, with these steps that made a file.
fn journal(created: &[&str]) -> String {
    let steps: Vec<String> = created
        .iter()
        .map(|path| format!(r#"{{"type":"create","path":"{path}","status":"pending"}}"#))
        .collect();
    format!(
        r#"{{"version":1,"snapDir":"{{P}}/.claude/coalwash/snap-7","roots":["{{P}}"],
            "status":"applying","steps":[{}]}}"#,
        steps.join(",")
    )
}

/// A manifest of copies of these paths.
fn manifest(originals: &[&str]) -> String {
    let lines = originals.iter().enumerate();
    let lines = lines.map(|(at, path)| format!(r#"{{"snap":"f{at}","original":"{path}"}}"#));
    format!("[{}]", lines.collect::<Vec<_>>().join(","))
}

fn with_snapshot(originals: &[&str]) -> Project {
    let project = Project::new();
    project.store("snap-7/manifest.json", &manifest(originals)).store("snap-7/snap.complete", "7");
    for at in 0..originals.len() {
        project.store(&format!("snap-7/f{at}"), "Never push to main.\n");
    }
    project
}

fn asked(project: &Project, now_ms: i64) -> FromNode {
    let has = |path: &Utf8Path| {
        (!path.as_str().contains("unknown")).then(|| path.as_str().contains("tracked"))
    };
    let scope = Scope { project: &project.root, tracked: &has };
    let settings = [project.top().join("home/.claude")];
    let home = project.top().join("home");
    recover_from_node(&RealDisk, scope, Around { home: &home, settings: &settings }, now_ms)
}

fn refusals(project: &Project, all: &[Unread]) -> String {
    let lines = all.iter().map(|it| project.plain(format!("no {}: {}\n", it.path, it.why)));
    lines.collect()
}

fn said(project: &Project, answer: &FromNode) -> String {
    match answer {
        FromNode::Nothing => "nothing".to_owned(),
        FromNode::NotBegun => "not begun".to_owned(),
        FromNode::AsBefore => "as before".to_owned(),
        FromNode::Refused(all) => refusals(project, all),
        FromNode::Back(back) => {
            let mut out = String::new();
            for action in &back.plan.actions {
                out += &match &action.change {
                    Change::Rewrite { file, .. } => format!("rewrite {}\n", file.path),
                    Change::Create { path, .. } => format!("create {path}\n"),
                    Change::Delete { file } => format!("delete {}\n", file.path),
                    other => panic!("{other:?}"),
                };
            }
            project.plain(out) + &refusals(project, &back.refused)
        }
    }
}

fn answer(project: &Project) -> String {
    said(project, &asked(project, i64::MAX))
}

/// R2, R3, R4, R6, R7, R16 and R17: what the journal says decides before anything else is looked at.
#[test]
fn a_journal_decides() {
    let at = "no {P}/.claude/coalwash/journal.json";
    for (text, wanted) in [
        (r#"{"status":"committed"}"#, "nothing"),
        (r#"{"status":"rolled-back"}"#, "nothing"),
        ("{}", "not begun"),
        ("[]", "not begun"),
        (r#"{"status":"unknown"}"#, "not begun"),
        ("null", "it is empty"),
        ("{", "EOF while parsing"),
        (r#"{"version":99,"status":"committed"}"#, "a newer version wrote it"),
        (r#"{"version":99,"status":"applying"}"#, "a newer version wrote it"),
        (r#"{"snapDir":"/etc/snap-7"}"#, "its snapshot lies elsewhere"),
        (r#"{"snapDir":"{P}/.claude/coalwash/../snap-7"}"#, "its snapshot lies elsewhere"),
        (r#"{"snapDir":"{P}/.claude/coalwash"}"#, "its snapshot lies elsewhere"),
        (r#"{"snapDir":"{P}/.claude/coalwash/a/snap-7"}"#, "its snapshot lies elsewhere"),
        (r#"{"snapDir":"snap-7"}"#, "its snapshot lies elsewhere"),
        (r#"{"snapDir":"{P}/.claude/coalwash/snap-8"}"#, "not begun"),
        (r#"{"snapDir":"{P}/.claude/coalwash/snap-7"}"#, "no verifiable roots"),
        (
            r#"{"snapDir":"{P}/.claude/coalwash/snap-7","roots":["/etc","/"]}"#,
            "no verifiable roots",
        ),
    ] {
        let project = with_snapshot(&["{P}/a.md"]);
        project.store("journal.json", text);
        let said = answer(&project);
        let refused = !matches!(wanted, "nothing" | "not begun");
        assert_eq!(said.starts_with(at), refused, "{text}: {said}");
        assert!(if refused { said.contains(wanted) } else { said == wanted }, "{text}: {said}");
    }
    assert_eq!(answer(&Project::new()), "nothing");
}

/// R1, R5, R8 to R11 and R13: every file by itself, and why not.
#[test]
fn a_plan_stays_inside_and_touches_nothing_of_gits() {
    let project = with_snapshot(&[
        "{P}/changed.md",
        "{P}/same.md",
        "{P}/gone.md",
        "{P}/docs/gone.md",
        "{P}/pinned.md",
        "{P}/tracked.md",
        "{P}/unknown.md",
        "/etc/passwd.md",
        "{P}/../out.md",
        "{P}-not/a.md",
        "{P}/linked.md",
        "{P}/folder-link/a.md",
        "{P}/hard.md",
        "{P}/folder.md",
        "{P}/.claude/settings.json",
        "{P}/.git/hooks/a.md",
        "{P}/.claude/coalwash/a.md",
        "relative.md",
        "{P}/CHANGED.md",
    ]);
    project.store(
        "journal.json",
        &journal(&["{P}/made.md", "{P}/never.md", "{P}/tracked2.md", "/etc/x.md"]),
    );
    project.file("changed.md", "Push.\n").file("same.md", "Never push to main.\n");
    project.file("pinned.md", "---\npinned: true\n---\n").file("made.md", "Made.\n");
    project.file("tracked.md", "x").file("tracked2.md", "x").file("folder.md/x", "");
    project.link("linked.md", "changed.md").link("folder-link", "..").file("hard.md", "x");
    std::fs::hard_link(project.root.join("hard.md"), project.root.join("hard2.md")).unwrap();
    insta::assert_snapshot!(answer(&project), @"
    rewrite {P}/changed.md
    create {P}/gone.md
    delete {P}/made.md
    no {P}/docs/gone.md: its folder is gone (its copy: `{P}/.claude/coalwash/snap-7/f3`)
    no {P}/pinned.md: its front matter says `pinned: true` (its copy: `{P}/.claude/coalwash/snap-7/f4`)
    no {P}/tracked.md: git has it, and git can put it back (its copy: `{P}/.claude/coalwash/snap-7/f5`)
    no {P}/unknown.md: whether git has it can't be told (its copy: `{P}/.claude/coalwash/snap-7/f6`)
    no /etc/passwd.md: it lies outside the project, where nothing is put back from here (its copy: `{P}/.claude/coalwash/snap-7/f7`)
    no {P}/../out.md: it is no plain absolute path (its copy: `{P}/.claude/coalwash/snap-7/f8`)
    no {P}-not/a.md: it lies outside the project, where nothing is put back from here (its copy: `{P}/.claude/coalwash/snap-7/f9`)
    no {P}/linked.md: it is a link, which is not followed (its copy: `{P}/.claude/coalwash/snap-7/f10`)
    no {P}/folder-link: it is a link, which is not followed (its copy: `{P}/.claude/coalwash/snap-7/f11`)
    no {P}/hard.md: it has other names (hard links) (its copy: `{P}/.claude/coalwash/snap-7/f12`)
    no {P}/folder.md: it is no file (its copy: `{P}/.claude/coalwash/snap-7/f13`)
    no {P}/.claude/settings.json: it is no text that the Node engine would have washed (its copy: `{P}/.claude/coalwash/snap-7/f14`)
    no {P}/.git/hooks/a.md: it belongs to git or to the stores themselves (its copy: `{P}/.claude/coalwash/snap-7/f15`)
    no {P}/.claude/coalwash/a.md: it belongs to git or to the stores themselves (its copy: `{P}/.claude/coalwash/snap-7/f16`)
    no relative.md: it is no plain absolute path (its copy: `{P}/.claude/coalwash/snap-7/f17`)
    no {P}/CHANGED.md: it is named twice (its copy: `{P}/.claude/coalwash/snap-7/f18`)
    no {P}/tracked2.md: git has it, and git can put it back
    no /etc/x.md: it lies outside the project, where nothing is put back from here
    ");
}

#[test]
fn copies_that_are_no_text_or_no_file_are_named() {
    let project = with_snapshot(&["{P}/a.md", "{P}/b.md", "{P}/c.md"]);
    project.store("journal.json", &journal(&[]));
    project.file(".claude/coalwash/snap-7/f0", b"\xff\n");
    let copies = project.root.join(".claude/coalwash/snap-7");
    std::fs::remove_file(copies.join("f1")).unwrap();
    std::fs::remove_file(copies.join("f2")).unwrap();
    project.link(".claude/coalwash/snap-7/f2", "f0");
    insta::assert_snapshot!(answer(&project), @"
    no {P}/a.md: its copy isn't UTF-8
    no {P}/b.md: its copy is missing
    no {P}/.claude/coalwash/snap-7/f2: it is a link, which is not followed
    ");
    let project = with_snapshot(&["{P}/a.md"]);
    project.store("journal.json", &journal(&[])).file("a.md", "Never push to main.\n");
    assert_eq!(answer(&project), "as before");
}

/// R12 and R18.
#[test]
fn the_wrong_place_and_a_run_that_may_go_on_are_refused() {
    let project = with_snapshot(&["{P}/a.md"]);
    project.store("journal.json", &journal(&[])).store(".coalwash.lock", "{}");
    let now_ms = modified_ms(&project.root.join(".claude/coalwash/.coalwash.lock"));
    let fresh = said(&project, &asked(&project, now_ms + 60_000));
    assert!(fresh.contains("may still be going on"), "{fresh}");
    assert_eq!(answer(&project), "create {P}/a.md\n");
    let root = &*project.root;
    let inside = root.join("settings");
    let nowhere = Utf8Path::new("/nowhere");
    for (home, settings, wanted) in [
        (root, nowhere, "home directory or an ancestor of it"),
        (&*root.join("u/home"), nowhere, "home directory or an ancestor of it"),
        (nowhere, root, "the agent's own settings"),
        (nowhere, &*inside, "the agent's own settings"),
        (nowhere, project.top(), "the agent's own settings"),
    ] {
        let settings = [settings.to_owned()];
        let scope = Scope { project: root, tracked: &|_| Some(false) };
        let answer =
            recover_from_node(&RealDisk, scope, Around { home, settings: &settings }, i64::MAX);
        assert!(said(&project, &answer).contains(wanted), "{answer:?}");
    }
}

fn data(project: &Project) -> Utf8PathBuf {
    let data = project.top().join("data");
    std::fs::create_dir_all(data.join("stores")).unwrap();
    data
}

/// R1, R13 and R21: carried out, it puts all back, and the engine keeps what it replaced.
#[test]
fn the_plan_is_carried_out_by_the_engine() {
    let project = with_snapshot(&["{P}/changed.md", "{P}/gone.md"]);
    project.store("journal.json", &journal(&["{P}/made.md"]));
    project.file("changed.md", "An edit after the crash.\n").file("made.md", "Made.\n");
    let data = data(&project);
    let engine = Engine::new(RealDisk, data.clone());
    let FromNode::Back(back) = asked(&project, i64::MAX) else { panic!("something differs") };
    let process = Process { host: "h".into(), boot: "b".into(), pid: 1 };
    let holder = Holder { process, since_ms: 0 };
    let stores = [project.root.clone()];
    let locked = Locked::take(&data, &stores, &holder, Duration::ZERO).unwrap();
    let cleared = back.cleared(&engine, &project.root).unwrap();
    let prepared = engine.prepare(&locked, cleared, &Meta::default()).unwrap();
    prepared.commit(serde_json::Value::Null).unwrap();
    let read = |name: &str| std::fs::read_to_string(project.root.join(name)).ok();
    let before = Some("Never push to main.\n".to_owned());
    assert_eq!(
        (read("changed.md"), read("gone.md"), read("made.md")),
        (before.clone(), before, None)
    );
    assert_eq!(answer(&project), "as before");
    assert!(
        project.root.join(".claude/coalwash/journal.json").exists(),
        "nothing of theirs is removed"
    );
}

/// A link in the place of a store: nothing behind it is read, and nothing is written.
#[test]
fn no_plan_comes_of_what_a_link_leads_to() {
    for name in
        ["", "journal.json", "snap-7", "snap-7/manifest.json", "snap-7/f0", "snap-7/snap.complete"]
    {
        let project = with_snapshot(&["{P}/a.md"]);
        project.store("journal.json", &journal(&[]));
        let path = project.root.join(".claude/coalwash").join(name);
        let path = path.as_str().trim_end_matches('/');
        let outside = project.top().join("outside");
        std::fs::rename(path, &outside).unwrap();
        std::os::unix::fs::symlink(&outside, path).unwrap();
        let said = answer(&project);
        assert!(said.starts_with("no ") && said.contains("it is a link"), "{name}: {said}");
        assert!(!project.root.join("a.md").exists());
    }
}
