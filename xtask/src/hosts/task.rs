//! The tasks that are the same for every host.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;

use super::{HOSTS, Host};
use crate::record::{self, Golden};

/// How many answers are kept at once.
const CHUNK: usize = 20;

/// Returns the host of an id.
///
/// # Errors
/// When there is none; the message names all.
pub fn find(id: &str) -> Result<&'static Host> {
    let known = HOSTS.iter().map(|host| host.id).collect::<Vec<_>>().join(", ");
    HOSTS.iter().find(|host| host.id == id).with_context(|| format!("no host `{id}`: {known}"))
}

/// Lays the tree of a seed out in a new folder and asks a host's client about it.
///
/// # Errors
/// When the folder can't be made, or as [`Host::ask`]; the message names the seed.
pub fn ask(host: &Host, program: &Utf8Path, seed: u64) -> Result<Golden> {
    let tree = (host.generate)(seed);
    let ask = || -> Result<_> {
        // Letters and digits only: the path must not mean anything in a text or in a pattern.
        let folder =
            tempfile::Builder::new().prefix("cw").tempdir().context("no temporary folder")?;
        let root = folder.path().canonicalize().context("no temporary folder")?;
        tree.lay_out(&root)?;
        (host.ask)(program, &tree, &root)
    };
    let answer = ask().with_context(|| format!("seed {seed}"))?;
    Ok(Golden { seed, tree: tree.hash(), answer })
}

/// Records the answers about the trees of some seeds, keeps them after every 20, and fails if one
/// failed.
///
/// # Errors
/// When an answer can't be had or kept.
pub fn record(
    host: &Host,
    program: &Utf8Path,
    seeds: &Range<u64>,
    out: &Utf8Path,
    jobs: u8,
    say: &dyn Fn(&str),
) -> Result<()> {
    let all: Vec<u64> = seeds.clone().collect();
    let mut failed = 0;
    for some in all.chunks(CHUNK) {
        let queue = Mutex::new(some.iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next().copied();
        let work = || -> Vec<Result<Golden>> {
            std::iter::from_fn(next).map(|seed| ask(host, program, seed)).collect()
        };
        let results: Vec<_> = thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
        });
        ensure!(results.len() == some.len(), "a worker ended early");
        let (good, bad): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        for error in bad.iter().filter_map(|it| it.as_ref().err()) {
            failed += 1;
            say(&format!("failed: {error:#}"));
        }
        let goldens: Vec<_> = good.into_iter().filter_map(Result::ok).collect();
        record::merge(out, &goldens)?;
    }
    ensure!(failed == 0, "{failed} of {} trees could not be recorded", all.len());
    say(&format!("Recorded {} trees with {} {}: {out}", all.len(), host.id, host.version));
    Ok(())
}
