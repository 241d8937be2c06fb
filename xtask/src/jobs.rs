//! Several sessions at a time.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context as _, Result};

/// Does something for every seed, on this many threads, and returns what came of it in no order.
///
/// # Errors
/// When a thread ends early.
pub(crate) fn each<T: Send>(
    seeds: &[u64],
    jobs: u8,
    work: &(dyn Fn(u64) -> T + Sync),
) -> Result<Vec<T>> {
    let queue = Mutex::new(seeds.iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next().copied();
    let some = || std::iter::from_fn(next).map(work).collect::<Vec<T>>();
    let parts: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(some)).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut all = Vec::new();
    for part in parts {
        all.extend(part.ok().context("a worker ended early")?);
    }
    Ok(all)
}
