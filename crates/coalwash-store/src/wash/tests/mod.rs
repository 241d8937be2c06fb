//! Runs on a disk that fails.

mod crash;
mod foreign;
mod retention;
mod undo;

use std::collections::BTreeMap;

use coalwash_core::wash::{Action, Change, Plan, Target};

use super::apply::{ApplyError, Done, Engine, Meta};
use super::journal::End;
use super::lock::Locked;
use super::recover::Recovered;
use crate::disk::Attributes;
use crate::disk::fault::FaultDisk;

const STORES: [&str; 2] = ["/memory", "/p"];

/// A small project and a memory folder.
const FILES: [(&str, &[u8]); 6] = [
    ("/p/a.md", b"Use port 5432.\n"),
    ("/p/c.md", b"Old notes.\n"),
    ("/p/docs/d.md", b"Never push to main.\n"),
    ("/memory/e.md", b"Run the tests first.\n"),
    ("/memory/f.md", b"Ask before a deploy.\n"),
    ("/p/other.md", b"Nobody touches this.\n"),
];

fn disk() -> FaultDisk {
    FaultDisk::with(&FILES).folder("/data")
}

fn held(path: &str) -> Target {
    let (_, bytes) = FILES.iter().find(|(name, _)| *name == path).expect("it is one of the files");
    Target::holding(path, bytes)
}

fn action(change: Change) -> Action {
    Action { change, reason: String::new(), approvals: Vec::new() }
}

/// A plan with all five actions, in both folders.
fn plan() -> Plan {
    let text = str::to_owned;
    Plan::new(
        "test",
        vec![
            action(Change::Rewrite { file: held("/p/a.md"), content: text("Use port 5433.\n") }),
            action(Change::Create { path: "/p/docs/b.md".into(), content: text("New.\n") }),
            action(Change::Delete { file: held("/p/c.md") }),
            action(Change::Merge {
                file: held("/p/docs/d.md"),
                content: text("Never push to main. Run the tests first.\n"),
                sources: vec![held("/memory/e.md")],
            }),
            action(Change::Move { file: held("/memory/f.md"), to: "/memory/g.md".into() }),
        ],
    )
}

fn engine(disk: FaultDisk) -> Engine<FaultDisk> {
    Engine::new(disk, "/data".into())
}

fn locked() -> Locked {
    Locked::of_names(&STORES)
}

/// Carries the plan out.
fn apply(engine: &Engine<FaultDisk>, plan: Plan) -> Result<Done, ApplyError> {
    let roots = STORES.map(Into::into);
    let locked = locked();
    let staged = engine.stage(plan, &roots)?;
    engine.prepare(&locked, staged.restoring(), &Meta::default())?.commit(serde_json::Value::Null)
}

fn recover(engine: &Engine<FaultDisk>) -> Result<Vec<Recovered>, ApplyError> {
    engine.recover(&locked())
}

/// The user's files.
fn user_files(disk: &FaultDisk) -> BTreeMap<String, (String, Attributes)> {
    let mut out = disk.below("/p");
    out.extend(disk.below("/memory"));
    out
}

/// The same without the time at which they were written.
fn texts(disk: &FaultDisk) -> BTreeMap<String, (String, Option<u32>)> {
    let files = user_files(disk).into_iter();
    files.map(|(path, (text, attributes))| (path, (text, attributes.mode))).collect()
}

/// Whether the journal of run 1 says that it is done.
fn is_committed(engine: &Engine<FaultDisk>) -> bool {
    [true, false].into_iter().any(|is_open| {
        let run = engine.runs().run(1, is_open);
        // A run that has ended and lost its last record isn't known to be done.
        let record = run.ok().and_then(|run| run.record().ok().flatten());
        record.is_some_and(|record| matches!(record.end, Some(End::Committed(_))))
    })
}
