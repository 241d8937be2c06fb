//! The task that records the answers of the other hosts' clients.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;

use super::{HOSTS, Host};
use crate::record::{self, Golden};

/// Returns the host of an id.
///
/// # Errors
/// When there is none; the message names them all.
pub fn host(id: &str) -> Result<&'static Host> {
    let ids: Vec<_> = HOSTS.iter().map(|host| host.id).collect();
    HOSTS
        .iter()
        .find(|host| host.id == id)
        .with_context(|| format!("no host is called `{id}`: {}", ids.join(", ")))
}

/// Lays the tree of a seed out in a new folder and asks a host's client about it.
///
/// # Errors
/// When the folder can't be made, or as [`Host::ask`]; the message names the seed.
pub fn ask_anew(host: &Host, program: &Utf8Path, seed: u64) -> Result<Golden> {
    let tree = (host.generate)(seed);
    // Letters and digits only: the path must not mean anything in a text or in a glob.
    let root = tempfile::Builder::new().prefix("cw").tempdir().context("no temporary folder")?;
    tree.lay_out(root.path())?;
    let answer = (host.ask)(program, &tree, root.path()).with_context(|| format!("seed {seed}"))?;
    Ok(Golden { seed, tree: tree.hash(), answer })
}

/// Records every seed, keeps what was recorded after every 20 of them, and fails if one failed.
///
/// # Errors
/// When the client fails about one of the trees, or the file can't be read or written.
pub fn record(
    host: &Host,
    program: &Utf8Path,
    seeds: Range<u64>,
    out: &Utf8Path,
    jobs: u8,
    say: &dyn Fn(&str),
) -> Result<()> {
    let all: Vec<u64> = seeds.collect();
    let mut failed = 0;
    for some in all.chunks(20) {
        let queue = Mutex::new(some.iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next().copied();
        let work = || -> Vec<Result<Golden>> {
            std::iter::from_fn(next).map(|seed| ask_anew(host, program, seed)).collect()
        };
        let results: Vec<_> = thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
        });
        ensure!(results.len() == some.len(), "a worker ended early");
        let mut goldens = Vec::new();
        for result in results {
            match result {
                Ok(golden) => goldens.push(golden),
                Err(error) => {
                    failed += 1;
                    say(&format!("failed: {error:#}"));
                }
            }
        }
        record::merge(out, &goldens)?;
    }
    ensure!(failed == 0, "{failed} of {} trees could not be recorded", all.len());
    say(&format!("Recorded {} trees with {} {}: {out}", all.len(), host.id, host.version));
    Ok(())
}
