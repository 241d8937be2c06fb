//! Sweeps of the bins.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::{Project, modified_ms};
use crate::wash::Locked;
use crate::wash::node::{Moment, Scope};

const NOW: i64 = 1_796_050_800_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Puts things of these ids and ages into a bin.
fn fill(project: &Project, bin: &str, items: &[(&str, i64)]) {
    let records = items.iter().map(|(id, age_ms)| {
        let at = NOW - age_ms;
        format!(
            r#"{{"id":"{id}","at":{at},"bytes":9,"original":"{{P}}/a.md","origin":"x","more":1}}"#
        )
    });
    let records: Vec<String> = records.collect();
    project.store(&format!("{bin}/index.json"), &format!("[7,{}]", records.join(",")));
    for (id, _) in items.iter().filter(|(id, _)| coalwash_core::wash::node::is_bare(id)) {
        project.store(&format!("{bin}/{id}"), "ten bytes\n");
    }
}

/// Sweeps and says what became of the bins.
fn sweep_at(project: &Project, memory_bytes: Option<u64>, now_ms: i64) -> String {
    let tracked = |path: &Utf8Path| Some(path.as_str().contains("tracked"));
    let scope = Scope { project: &project.root, tracked: &tracked };
    let moment = Moment { now_ms, memory_bytes, token: "t" };
    let locked = Locked::of_names(&[project.root.as_str()]);
    let (swept, unread) = project.opened().sweep(&locked, scope, moment);
    let mut out = String::new();
    for it in swept {
        out += &format!("{}: {} gone, {} kept\n", it.bin.name(), it.destroyed, it.kept);
        out += &it.cap_conflict.map_or(String::new(), |it| format!("  {it:?}\n"));
    }
    for it in unread {
        out += &project.plain(format!("{}: {}\n", it.path, it.why));
    }
    out
}

fn sweep(project: &Project, memory_bytes: Option<u64>) -> String {
    sweep_at(project, memory_bytes, NOW)
}

/// Every file below the folder that holds the project, with its text.
fn tree(project: &Project) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut folders = vec![project.top().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.symlink_metadata().unwrap().is_dir() {
                folders.push(path.to_owned());
            } else {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                out.insert(project.plain(path), text);
            }
        }
    }
    out
}

/// B10, B11, B16, B17 and B18: what goes has a certificate, and the rest of the index stays.
#[test]
fn what_is_old_goes_with_a_certificate() {
    let project = Project::new();
    let old = [("1-a", 31 * DAY_MS), ("2-b", HOUR_MS)];
    fill(&project, "fat-bin", &old);
    fill(&project, "store.old", &old);
    assert_eq!(sweep(&project, None), "fat-bin: 1 gone, 1 kept\nstore.old: 0 gone, 2 kept\n");
    let files = tree(&project);
    let log = "2026-11-30T15:00:00.000Z destroyed 1-a (age 31d, rule horizon) original {P}/a.md\n";
    let at = |name: &str| format!("{{P}}/.claude/coalwash/fat-bin/{name}");
    assert_eq!(project.plain(&files[&at("death.log")]), log);
    assert_eq!(files.get(&at("1-a")), None);
    let index: serde_json::Value = serde_json::from_str(&files[&at("index.json")]).unwrap();
    assert_eq!(
        (&index[0], &index[1]["id"], &index[1]["more"]),
        (&7.into(), &"2-b".into(), &1.into())
    );
    assert!(!files.keys().any(|name| name.contains("lock") || name.contains("tmp")), "{files:?}");
    let before = tree(&project);
    assert_eq!(sweep(&project, None), "fat-bin: 0 gone, 1 kept\nstore.old: 0 gone, 2 kept\n");
    assert_eq!(tree(&project), before, "a second sweep finds nothing");
}

/// B15 and B16, by what lies there and not by what the index says.
#[test]
fn a_bin_that_is_too_large_gives_up_its_oldest() {
    let project = Project::new();
    let ages = [("1-a", 25), ("2-b", 72), ("3-c", 96), ("4-d", 120)];
    fill(&project, "fat-bin", &ages.map(|(id, hours)| (id, hours * HOUR_MS)));
    assert_eq!(sweep(&project, Some(10)), "fat-bin: 2 gone, 2 kept\n");
    let over = "  CapConflict { budget_bytes: 2, kept_bytes: 10 }\n";
    assert_eq!(sweep(&project, Some(1)), format!("fat-bin: 1 gone, 1 kept\n{over}"));
    let log = tree(&project)["{P}/.claude/coalwash/fat-bin/death.log"].clone();
    assert_eq!((log.matches("rule size-cap").count(), log.matches("cap-conflict").count()), (3, 1));
    assert_eq!(sweep(&project, Some(0)), "fat-bin: 0 gone, 1 kept\n", "no size is no cap");
}

/// B3, B7, B23, and what a repository can ship: each bin that looks odd is left as it is.
#[test]
fn what_is_not_surely_theirs_is_left_alone() {
    type Odd = fn(&Project);
    let old = |project: &Project, id: &str| fill(project, "fat-bin", &[(id, 90 * DAY_MS)]);
    let at = "{P}/.claude/coalwash/fat-bin";
    let rows: [(Odd, &str); 9] = [
        (|p| _ = p.store("fat-bin/index.json", "{"), "EOF"),
        (|p| _ = p.store("fat-bin/index.json", r#"[{"id":"1-a","at":null}]"#), "0 gone, 1 kept"),
        (
            |p| _ = p.store("fat-bin/index.json", r#"[{"id":"../../../x","at":1}]"#),
            "0 gone, 0 kept",
        ),
        (|p| std::fs::remove_file(p.root.join(".claude/coalwash/fat-bin/index.json")).unwrap(), ""),
        (|p| _ = p.link(".claude/coalwash/fat-bin/death.log", "../../../x"), "it is a link"),
        (|p| _ = p.link(".claude/coalwash/fat-bin/index.json.tmp", "../../../x"), "it is a link"),
        (|p| _ = p.store("fat-bin/death.log/x", ""), "it is no file"),
        (|p| _ = p.link(".claude/coalwash/fat-bin/.bin.lock", "../../../x"), "it is a link"),
        (|p| _ = p.link(".claude/coalwash/fat-bin/linked", "../../../x"), "gone"),
    ];
    for (number, (odd, wanted)) in rows.into_iter().enumerate() {
        let project = Project::new();
        project.file("x", "not theirs");
        old(&project, "1-a");
        odd(&project);
        let said = sweep(&project, Some(1));
        assert!(said.contains(wanted), "{number}: {said}");
        let after = tree(&project);
        assert_eq!(after["{P}/x"], "not theirs", "{number}");
        let is_kept = after.contains_key(&format!("{at}/1-a"));
        assert_eq!(is_kept, number != 8, "{number}: {said}");
    }
    let project = Project::new();
    old(&project, "1-tracked");
    let before = tree(&project);
    assert!(sweep(&project, None).contains("git has it"));
    assert_eq!(tree(&project), before);
}

#[test]
fn the_lock_of_a_bin_is_honoured_until_it_is_stale() {
    let project = Project::new();
    fill(&project, "fat-bin", &[("1-a", 90 * DAY_MS)]);
    project.store("fat-bin/.bin.lock", r#"{"token":"theirs"}"#);
    let lock = project.root.join(".claude/coalwash/fat-bin/.bin.lock");
    let written_ms = modified_ms(&lock);
    let before = tree(&project);
    assert!(
        sweep_at(&project, None, written_ms + 4_000).contains("another process writes this bin")
    );
    assert_eq!(tree(&project), before);
    assert_eq!(sweep_at(&project, None, written_ms + 6_000), "fat-bin: 1 gone, 0 kept\n");
    assert!(!lock.exists());
    let scope = Scope { project: &project.root, tracked: &|_| Some(false) };
    let moment = Moment { now_ms: NOW, memory_bytes: None, token: "t" };
    let (swept, why) = project.opened().sweep(&Locked::of_names(&["/other"]), scope, moment);
    assert!(swept.is_empty() && why[0].why.contains("isn't held"));
}
