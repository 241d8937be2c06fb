//! Letting what is old in the bins of the Node engine go, by its ladder, with a certificate each.
//!
//! Only inside a run, since its lock is held then; never where git has any of it, and never by a link.
//! What isn't in a sound index is left alone.

use std::collections::BTreeSet;
use std::io;

use camino::Utf8Path;
use coalwash_core::load::Unread;
use coalwash_core::wash::node::Bin;
use coalwash_core::wash::retention::{Aged, CapConflict, Terms, certificate, ladder};

use super::bins::{INDEX, OpenBin};
use super::{FOLDERS, NodeStore, Scope};
use crate::disk::{Attributes, Disk};
use crate::wash::Locked;

/// How often the size of the memory fits into a bin.
const BUDGET: u64 = 2;
/// Where certificates are written.
const LOG: &str = "death.log";
/// The name that a new index has first.
const NEW: &str = "index.json.tmp";
const LOCK: &str = ".bin.lock";
/// After which time the lock of a bin is nobody's.
///
/// Source: the bins of v1.1.0.
const STALE_MS: i64 = 5_000;

/// What became of a bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// The bin.
    pub bin: Bin,
    /// How many things went.
    pub destroyed: usize,
    /// How many its index still lists.
    pub kept: usize,
    /// Set where it is larger than it may be.
    pub cap_conflict: Option<CapConflict>,
}

/// When a sweep is, and how much memory there is.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
    /// The size of all memory; `None` where that isn't known, so that there is no cap.
    pub memory_bytes: Option<u64>,
    /// What no other process writes into a lock.
    pub token: &'a str,
}

impl<D: Disk> NodeStore<'_, D> {
    /// Sweeps both bins of the project in `scope`, whose lock is held.
    ///
    /// Returns what became of each, and why one was left alone.
    pub fn sweep(
        &self,
        locked: &Locked,
        scope: Scope<'_>,
        moment: Moment<'_>,
    ) -> (Vec<Swept>, Vec<Unread>) {
        let (mut out, mut unread) = (Vec::new(), Vec::new());
        if !locked.holds(scope.project) {
            let why = "its lock isn't held, so no bin is swept".to_owned();
            return (out, vec![Unread::new(scope.project.to_owned(), why)]);
        }
        for bin in Bin::ALL {
            let swept = self.bin(bin).and_then(|open| match open {
                Some(open) => open.locked_sweep(scope, moment),
                None => Ok(None),
            });
            match swept {
                Ok(swept) => out.extend(swept),
                Err(why) => unread.push(why),
            }
        }
        (out, unread)
    }
}

impl<D: Disk> OpenBin<'_, D> {
    fn locked_sweep(&self, scope: Scope<'_>, moment: Moment<'_>) -> Result<Option<Swept>, Unread> {
        if self.place.file(INDEX)?.is_none() {
            return Ok(None);
        }
        self.untracked(INDEX, scope)?;
        self.lock(moment)?;
        let swept = self.sweep(scope, moment);
        // A lock that stays is stale after five seconds.
        let unlocked = self.unlock(moment);
        swept.and_then(|swept| unlocked.map(|()| Some(swept)))
    }

    /// Refuses what git has: it isn't the Node engine's.
    fn untracked(&self, name: &str, scope: Scope<'_>) -> Result<(), Unread> {
        let path: &Utf8Path = &scope.project.join(FOLDERS[0]).join(FOLDERS[1]);
        match (scope.tracked)(&path.join(self.bin.name()).join(name)) {
            Some(false) => Ok(()),
            Some(true) => Err(self.place.wrong(name, "git has it, so the bin is left alone")),
            None => Err(self.place.wrong(name, "whether git has it can't be told")),
        }
    }

    fn sweep(&self, scope: Scope<'_>, moment: Moment<'_>) -> Result<Swept, Unread> {
        let mut damaged = Vec::new();
        let index = self.index(&mut damaged);
        if let Some(why) = damaged.pop() {
            return Err(why);
        }
        let mut items = Vec::new();
        for entry in &index.entries {
            // What is a link or a folder is nothing that the Node engine put there.
            let Ok(stat) = self.place.file(&entry.id) else { continue };
            let bytes = stat.map_or(0, |stat| stat.bytes);
            items.push((entry, Aged { at_ms: entry.at_ms, bytes }));
        }
        let aged: Vec<Aged> = items.iter().map(|(_, aged)| *aged).collect();
        let budget = moment.memory_bytes.filter(|bytes| *bytes > 0);
        let terms = Terms {
            horizon_days: self.bin.horizon_days(),
            budget_bytes: budget.map(|bytes| bytes.saturating_mul(BUDGET)),
        };
        let ladder = ladder(&aged, moment.now_ms, terms);
        // Nothing goes whose certificate can't be written.
        for name in [LOG, NEW] {
            self.place.file(name)?;
        }
        for (item, _) in &ladder.destroy {
            self.untracked(&items[*item].0.id, scope)?;
        }
        let mut gone = BTreeSet::new();
        for (item, rule) in &ladder.destroy {
            let (entry, aged) = &items[*item];
            if self.destroy(&entry.id)? {
                let original = entry.original.as_deref();
                self.log(&certificate(moment.now_ms, &entry.id, *aged, *rule, original))?;
                gone.insert(&*entry.id);
            }
        }
        if let Some(conflict) = &ladder.cap_conflict {
            self.log(&conflict.logged(moment.now_ms))?;
        }
        if !gone.is_empty() {
            self.forget(&gone)?;
        }
        Ok(Swept {
            bin: self.bin,
            destroyed: gone.len(),
            kept: index.entries.len() - gone.len(),
            cap_conflict: ladder.cap_conflict,
        })
    }

    /// Removes a file, and says whether it is gone.
    fn destroy(&self, id: &str) -> Result<bool, Unread> {
        let place = &self.place;
        if place.file(id)?.is_some() {
            // Whatever it says, what counts is whether it is there.
            drop(place.disk.remove(&place.at, id));
        }
        Ok(place.stat(id)?.is_none())
    }

    fn log(&self, line: &str) -> Result<(), Unread> {
        let place = &self.place;
        let written = match place.file(LOG)? {
            Some(_) => place.disk.append(&place.at, LOG, line.as_bytes()),
            None => place.disk.create(&place.at, LOG, line.as_bytes(), &Attributes::private()),
        };
        written.map_err(|error| place.wrong(LOG, &error.to_string()))
    }

    /// Takes these out of the index. All else in it stays as it is.
    fn forget(&self, gone: &BTreeSet<&str>) -> Result<(), Unread> {
        let place = &self.place;
        let failed = |error: io::Error| place.wrong(INDEX, &error.to_string());
        let bytes = place.read(INDEX)?.unwrap_or_default();
        let read: Result<Vec<serde_json::Value>, _> = serde_json::from_slice(&bytes);
        let mut list = read.map_err(|error| failed(error.into()))?;
        list.retain(|record| {
            let id = record.get("id").and_then(serde_json::Value::as_str);
            id.is_none_or(|id| !gone.contains(id))
        });
        let text = serde_json::to_vec_pretty(&list).map_err(|error| failed(error.into()))?;
        // One that a crash left, never what a link leads to.
        if place.file(NEW)?.is_some() {
            place.disk.remove(&place.at, NEW).map_err(failed)?;
        }
        let attributes = place.disk.attributes(&place.at, INDEX).map_err(failed)?.written_now();
        place.disk.create(&place.at, NEW, &text, &attributes).map_err(failed)?;
        place.disk.sync(&place.at, NEW).map_err(failed)?;
        place.disk.exchange(&place.at, NEW, INDEX).map_err(failed)?;
        place.disk.remove(&place.at, NEW).map_err(failed)?;
        place.disk.sync_folder(&place.at).map_err(failed)
    }

    /// Takes the Node engine's lock of the bin.
    fn lock(&self, moment: Moment<'_>) -> Result<(), Unread> {
        let place = &self.place;
        let busy = || place.wrong(LOCK, "another process writes this bin");
        let failed = |error: io::Error| place.wrong(LOCK, &error.to_string());
        let text = lock_text(moment);
        let private = Attributes::private();
        match place.disk.create(&place.at, LOCK, &text, &private) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done.map_err(failed),
        }
        let Some(stale) = place.file(LOCK)? else { return Err(busy()) };
        if moment.now_ms.saturating_sub(stale.modified_ns / 1_000_000) <= STALE_MS {
            return Err(busy());
        }
        // Trading names shows whose lock it was: one that was taken over meanwhile is given back.
        let name = format!("{LOCK}.{}", moment.token);
        place.disk.create(&place.at, &name, &text, &private).map_err(failed)?;
        place.disk.exchange(&place.at, &name, LOCK).map_err(failed)?;
        let is_ours = place.stat(&name)? == Some(stale);
        if !is_ours {
            place.disk.exchange(&place.at, &name, LOCK).map_err(failed)?;
        }
        place.disk.remove(&place.at, &name).map_err(failed)?;
        if is_ours { Ok(()) } else { Err(busy()) }
    }

    fn unlock(&self, moment: Moment<'_>) -> Result<(), Unread> {
        let place = &self.place;
        if place.read(LOCK)? != Some(lock_text(moment)) {
            return Ok(());
        }
        let removed = place.disk.remove(&place.at, LOCK);
        removed.map_err(|error| place.wrong(LOCK, &error.to_string()))
    }
}

fn lock_text(moment: Moment<'_>) -> Vec<u8> {
    let Moment { now_ms, token, .. } = moment;
    serde_json::json!({"sessionId": "coalwash", "pid": std::process::id(), "at": now_ms,
        "token": token})
    .to_string()
    .into_bytes()
}
