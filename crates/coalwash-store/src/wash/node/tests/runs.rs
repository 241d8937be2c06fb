//! Snapshots, journals and guard copies, as files that anyone may have written.

use coalwash_core::wash::node::{Status, copy_name};
use sha2::Digest as _;

use super::Project;

#[test]
fn only_whole_snapshots_count_and_the_oldest_comes_first() {
    let project = Project::new();
    let manifest = r#"[{"snap":"f0","original":"{P}/a.md"}]"#;
    for name in ["snap-20", "snap-3", "snap-x", "snap-40", "snap-50", "snap-60"] {
        project.store(&format!("{name}/f0"), name);
        if name != "snap-40" {
            project.store(&format!("{name}/snap.complete"), "1");
        }
        if name != "snap-50" {
            let text = if name == "snap-60" { "{" } else { manifest };
            project.store(&format!("{name}/manifest.json"), text);
        }
    }
    project.link(".claude/coalwash/snap-70", "snap-3");
    let (found, unread) = project.opened().snapshots();
    let names: Vec<_> = found.iter().map(|it| (&*it.name, it.at_ms)).collect();
    assert_eq!(names, [("snap-3", 3), ("snap-20", 20)]);
    assert_eq!(found[1].copy("f0").unwrap().unwrap(), b"snap-20");
    assert_eq!(found[1].copy("f1").unwrap(), None);
    let said: Vec<String> =
        unread.iter().map(|it| format!("{}: {}", it.path.file_name().unwrap(), it.why)).collect();
    assert_eq!(
        said,
        [
            "manifest.json: it is missing",
            "manifest.json: EOF while parsing an object at line 1 column 1",
            "snap-70: it is a link, which is not followed"
        ]
    );
}

#[test]
fn a_journal_is_read_and_nothing_more() {
    let project = Project::new();
    assert_eq!(project.opened().journal().unwrap(), None);
    project.store("journal.json", r#"{"version":1,"status":"applying","steps":[]}"#);
    assert_eq!(project.opened().journal().unwrap().unwrap().status, Status::Open);
    project.store("journal.json", r#"{"version":2,"status":"committed"}"#);
    assert_eq!(project.opened().journal().unwrap_err().why, "a newer version wrote it");
    let now_ms = 1 + super::modified_ms(&project.root.join(".claude/coalwash/journal.json"));
    assert!(!project.opened().is_locked(now_ms).unwrap());
    project.store(".coalwash.lock", "{}");
    let locked = |after_min: i64| project.opened().is_locked(now_ms + after_min * 60_000).unwrap();
    assert!(locked(0) && locked(29) && locked(-60) && !locked(31));
}

#[test]
fn copies_of_the_guard_are_listed_and_checked_where_a_record_is() {
    let project = Project::new();
    let path = project.root.join("CLAUDE.md");
    let name = copy_name(path.as_str());
    let at = |name: &str| format!("writeguard/s-1/{name}");
    project.store(&at(&name), "before").store(&at(".gitignore"), "*\n");
    project.store("writeguard/.gitignore", "*\n").link(".claude/coalwash/writeguard/s-2", "s-1");
    let (copies, unread) = project.opened().guard_copies();
    assert_eq!((copies.len(), unread.len()), (1, 1));
    assert!(copies[0].is_of(&path) && !copies[0].is_of("/elsewhere".into()));
    assert_eq!((copies[0].original.as_deref(), copies[0].bytes), (None, 6));
    let read = || project.opened().guard_copy(&copies[0]);
    assert_eq!(read().unwrap().unwrap(), b"before");
    let hash = "0".repeat(64);
    let record = |hash: &str, original: &str| {
        let text = format!(r#"{{"schema":1,"sha256":"{hash}","bytes":6,"original":"{original}"}}"#);
        project.store(&at(&format!("{name}.meta.json")), &text);
    };
    record(&hash, "{P}/CLAUDE.md");
    assert!(read().unwrap_err().why.contains("its hash differs"));
    assert_eq!(project.opened().guard_copies().0[0].original.as_deref(), Some(&*path));
    record(&hash, "/etc/passwd");
    assert_eq!(project.opened().guard_copies().0[0].original, None, "its name says otherwise");
    let right = sha2::Sha256::digest(b"before");
    record(&right.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), "{P}/CLAUDE.md");
    assert_eq!(read().unwrap().unwrap(), b"before");
    project.store(&at(&format!("{name}.meta.json")), "{");
    assert!(read().is_err(), "a record that can't be read doesn't vouch for anything");
}

/// D1 to D5, with the oldest snapshot and the cuts of this file since.
#[test]
fn a_file_is_held_against_its_oldest_snapshot() {
    let project = Project::new();
    let file = project.root.join("a.md");
    let lineage = |file: &camino::Utf8Path| {
        let mut unread = Vec::new();
        let found = project.opened().lineage(&project.root, file, &mut unread);
        let said = found.map(|it| {
            let missing = it.diff.candidates.iter().map(|token| &*token.value).collect::<Vec<_>>();
            format!(
                "{} at {}, {} cuts: {}",
                it.snapshot.file_name().unwrap(),
                it.at_ms,
                it.approved,
                missing.join(" ")
            )
        });
        (said, unread.iter().map(|it| it.why.clone()).collect::<Vec<_>>())
    };
    project.file("a.md", "[[one]]");
    assert_eq!(lineage(&file), (None, vec![]));
    for (name, text) in
        [("snap-9", "[[one]] [[two]]"), ("snap-10", "[[one]]"), ("snap-1", "[[zero]]")]
    {
        project.store(
            &format!("{name}/manifest.json"),
            r#"[{"snap":"../../../x","original":"{P}/a.md"},{"snap":"f0","original":"{P}/a.md"}]"#,
        );
        project.store(&format!("{name}/f0"), text);
        if name != "snap-1" {
            project.store(&format!("{name}/snap.complete"), "");
        }
    }
    assert_eq!(lineage(&file).0.unwrap(), "snap-9 at 9, 0 cuts: two");
    assert_eq!(lineage(&project.root.join("b.md")).0, None);
    assert_eq!(lineage(&project.top().join("out.md")).0, None);
    project.store("fat-bin/8-old", "[[two]]").store("fat-bin/11-other", "[[two]]");
    project.store(
        "fat-bin/index.json",
        r#"[{"id":"8-old","at":8,"original":"{P}/a.md"},{"id":"11-other","at":11,"original":"{P}/b.md"}]"#,
    );
    assert_eq!(
        lineage(&file).0.unwrap(),
        "snap-9 at 9, 0 cuts: two",
        "before it, or of another file"
    );
    project
        .store("store.old/9-cut", "[[two]]")
        .store("store.old/index.json", r#"[{"id":"9-cut","at":9,"original":"{P}/a.md"}]"#);
    assert_eq!(lineage(&file).0.unwrap(), "snap-9 at 9, 1 cuts: ");
    std::fs::remove_file(project.root.join(".claude/coalwash/snap-9/f0")).unwrap();
    project.link(".claude/coalwash/snap-9/f0", "../../../a.md");
    let (said, unread) = lineage(&file);
    assert_eq!(said.unwrap(), "snap-10 at 10, 0 cuts: ");
    assert_eq!(unread, ["it is a link, which is not followed"]);
}
