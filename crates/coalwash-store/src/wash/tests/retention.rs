//! What is kept, and for how long.

use super::super::retention::{KEPT_MS, Swept};
use super::super::undo::{UndoAsk, UndoError};
use super::*;
use crate::disk::Disk as _;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Runs that change one file, each at its time.
fn runs(at_ms: &[i64]) -> Engine<FaultDisk> {
    let engine = engine(disk());
    let mut old = "Use port 5432.\n".to_owned();
    for (number, at_ms) in at_ms.iter().enumerate() {
        let new = format!("Use port {number}.\n");
        let change = Change::Rewrite {
            file: Target::holding("/p/a.md", old.as_bytes()),
            content: new.clone(),
        };
        let staged = engine.stage(Plan::new("t", vec![action(change)]), &["/p".into()]).unwrap();
        let meta = Meta { now_ms: *at_ms, ..Meta::default() };
        let locked = locked();
        let prepared = engine.prepare(&locked, staged.restoring(), &meta).unwrap();
        prepared.commit(serde_json::Value::Null).unwrap();
        old = new;
    }
    engine
}

#[test]
fn the_oldest_go_first_and_only_when_they_are_old_and_too_much() {
    let now = 400 * DAY_MS;
    let old = now - KEPT_MS - 1;
    let cases: &[(&[i64], u64, &[u64])] = &[
        (&[old, old + 1, now], 0, &[1]),
        (&[old - 2, old - 1, now], 0, &[1, 2]),
        (&[old, now, now], 1 << 20, &[]),
        // A run from the future is in doubt, and stays.
        (&[now + DAY_MS, old], 0, &[2]),
    ];
    for (at_ms, most, forgotten) in cases {
        let engine = runs(at_ms);
        let swept = engine.sweep_to(&locked(), now, *most).unwrap();
        assert_eq!(swept.forgotten, *forgotten, "{at_ms:?}");
        let (all, damaged) = engine.history(None).unwrap();
        assert_eq!((all.len(), damaged.len()), (at_ms.len(), 0), "the log still has them");
        for run in 1..=at_ms.len() as u64 {
            let is_kept = all.iter().any(|it| it.begin.run == run && it.is_kept);
            assert_eq!(is_kept, !forgotten.contains(&run));
            let error = engine.undoing(run, &UndoAsk::default(), &["/p".into()]).err();
            let is_gone = matches!(error, Some(UndoError::NotKept { .. }));
            assert_eq!(is_gone, forgotten.contains(&run), "{error:?}");
        }
    }
}

#[test]
fn a_displaced_file_is_looked_at_again_before_it_goes() {
    let engine = runs(&[0, 0]);
    let run = engine.disk.open("/data/runs/2".into()).unwrap();
    engine.disk.append(&run, "displaced-0", b"written late").unwrap();
    let swept = |now| engine.sweep(&locked(), now).unwrap();
    assert_eq!(swept(DAY_MS), Swept::default());
    assert!(engine.disk.below("/data/runs/1").contains_key("/data/runs/1/displaced-0"));
    assert_eq!(swept(DAY_MS + 1).late, [2]);
    assert!(!engine.disk.below("/data/runs/1").contains_key("/data/runs/1/displaced-0"));
    let kept = engine.disk.below("/data/runs/2");
    assert!(kept["/data/runs/2/displaced-0"].0.ends_with("written late"));
    let found = |engine: &Engine<FaultDisk>| engine.record_of(2).unwrap().found.len();
    assert_eq!(found(&engine), 1);
    swept(DAY_MS + 2);
    assert_eq!(found(&engine), 1);
}

#[test]
fn only_runs_of_folders_that_are_locked_are_swept() {
    let engine = runs(&[0, 0]);
    let elsewhere = Locked::of_names(&["/elsewhere"]);
    let swept = engine.sweep_to(&elsewhere, KEPT_MS * 2, 0).unwrap();
    assert_eq!(swept, Swept::default());
}
