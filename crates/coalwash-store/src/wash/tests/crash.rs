//! Every crash: before every operation, with every fate of what was not synced, and again while the
//! first one is recovered from.

use super::*;
use crate::disk::fault::{Fault, Names, Unsynced};

const UNSYNCED: [Unsynced; 3] = [Unsynced::Lost, Unsynced::Torn, Unsynced::Kept];
const NAMES: [Names; 3] = [Names::Lost, Names::Kept, Names::Reordered];

fn fates() -> impl Iterator<Item = (Unsynced, Names)> {
    UNSYNCED.into_iter().flat_map(|unsynced| NAMES.map(|names| (unsynced, names)))
}

/// Stops a run before its operation of this number and ends the power.
fn crashed(fault: Fault, fate: (Unsynced, Names)) -> FaultDisk {
    let engine = engine(disk().fault(fault));
    // Whether it got far enough to succeed doesn't matter here.
    drop(apply(&engine, plan()));
    engine.disk.power_cycle(fate.0, fate.1)
}

/// Says what is wrong after a crash and the recovery from it.
fn wrong(engine: &Engine<FaultDisk>, expected: &Expected, was_committed: bool) -> Option<String> {
    if was_committed && texts(&engine.disk) != expected.after {
        return Some(format!("committed, and not done: {:#?}", texts(&engine.disk)));
    }
    if !was_committed && user_files(&engine.disk) != expected.before {
        return Some(format!("not committed, and not as before: {:#?}", user_files(&engine.disk)));
    }
    match recover(engine) {
        Ok(again) if again.is_empty() => None,
        other => Some(format!("a second recovery found more: {other:?}")),
    }
}

/// The files before the plan and after it.
struct Expected {
    before: BTreeMap<String, (String, Attributes)>,
    after: BTreeMap<String, (String, Option<u32>)>,
}

impl Expected {
    fn new() -> Self {
        Self { before: user_files(&disk()), after: applied_texts() }
    }
}

fn applied_texts() -> BTreeMap<String, (String, Option<u32>)> {
    let engine = engine(disk());
    apply(&engine, plan()).unwrap();
    texts(&engine.disk)
}

/// Tries every crash of a faulty disk; returns how many, and the first that ends badly.
fn every_crash(fault: Fault) -> (usize, Option<String>) {
    let whole = engine(disk().fault(fault));
    drop(apply(&whole, plan()));
    let (operations, _) = whole.disk.counted();
    let mut count = 0;
    let expected = Expected::new();
    for stop in 0..=operations {
        for fate in fates() {
            let fault = Fault { stop_after: Some(stop), ..fault };
            let engine = engine(crashed(fault, fate));
            let was_committed = is_committed(&engine);
            count += 1;
            let done = recover(&engine).map_err(|error| error.to_string()).err();
            if let Some(what) = done.or_else(|| wrong(&engine, &expected, was_committed)) {
                return (count, Some(format!("stopped at {stop}, {fate:?}: {what}")));
            }
        }
    }
    (count, None)
}

const ONE_DISK: Fault = Fault { stop_after: None, swallow: None, delay: None, two_disks: false };
const TWO_DISKS: Fault = Fault { two_disks: true, ..ONE_DISK };

#[test]
#[expect(clippy::print_stdout, reason = "the count is part of the result")]
fn every_crash_recovers_to_before_or_after() {
    for fault in [ONE_DISK, TWO_DISKS] {
        let (count, bad) = every_crash(fault);
        println!("{count} crashes, {fault:?}");
        assert_eq!(bad, None);
        assert!(count > 300, "{count}");
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the count is part of the result")]
fn every_crash_of_a_recovery_is_recovered_from() {
    let expected = Expected::new();
    for fault in [ONE_DISK, TWO_DISKS] {
        let whole = engine(disk().fault(fault));
        apply(&whole, plan()).unwrap();
        let (operations, _) = whole.disk.counted();
        let mut count = 0;
        for stop in 0..=operations {
            for fate in fates() {
                let fault = Fault { stop_after: Some(stop), ..fault };
                count += crashes_of_recovery(fault, fate, &expected);
            }
        }
        println!("{count} crashes of a recovery, {fault:?}");
        assert!(count > 5_000, "{count}");
    }
}

/// Stops the recovery from this crash before each of its operations; returns how often.
fn crashes_of_recovery(fault: Fault, fate: (Unsynced, Names), expected: &Expected) -> usize {
    let torn = crashed(fault, fate);
    let first = engine(torn.copied());
    let was_committed = is_committed(&first);
    recover(&first).unwrap();
    let (steps, _) = first.disk.counted();
    let mut count = 0;
    for again in 0..steps {
        for second in fates() {
            let again = Fault { stop_after: Some(again), ..fault };
            let halfway = engine(torn.copied().fault(again));
            drop(recover(&halfway));
            let engine = engine(halfway.disk.power_cycle(second.0, second.1));
            count += 1;
            recover(&engine).unwrap();
            let bad = wrong(&engine, expected, was_committed);
            assert_eq!(bad, None, "{fault:?} {fate:?}, then {again:?} {second:?}");
        }
    }
    count
}

/// Returns what a run does to the disk.
fn operations() -> Vec<String> {
    let whole = engine(disk());
    apply(&whole, plan()).unwrap();
    whole.disk.log()
}

/// A sync that is left out makes a crash end badly, on one disk or on two.
#[test]
fn every_sync_is_needed() {
    let syncs: Vec<String> =
        operations().into_iter().filter(|what| what.starts_with("sync")).collect();
    let harmless: Vec<&String> = syncs
        .iter()
        .enumerate()
        .filter(|(k, _)| {
            [ONE_DISK, TWO_DISKS]
                .into_iter()
                .all(|disks| every_crash(Fault { swallow: Some(*k), ..disks }).1.is_none())
        })
        .map(|(_, what)| what)
        .collect();
    assert_eq!(harmless, Vec::<&String>::new());
}

/// Two operations that change places make a run fail or a crash end badly, but for these: a sync and
/// something that doesn't rely on it, or two files that were displaced already.
#[test]
fn what_may_change_places() {
    let all = operations();
    let harmless: Vec<String> = (0..all.len() - 1)
        .filter(|k| {
            let fault = Fault { delay: Some(*k), ..ONE_DISK };
            // An apply that notices gives up, which is no loss but a failure all the same.
            apply(&engine(disk().fault(fault)), plan()).is_ok() && every_crash(fault).1.is_none()
        })
        .map(|k| format!("{} | {}", all[k], all[k + 1]))
        .collect();
    insta::assert_snapshot!(harmless.join("\n"));
}
