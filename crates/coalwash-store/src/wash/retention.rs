//! How long the originals of a run are kept.
//!
//! The journals stay, so the log goes on telling what was done; what goes is the texts, and with them
//! the way back. Nothing goes while it is young, whatever its size, and nothing whose age is in doubt.

use std::io;

use super::apply::Engine;
use super::contents;
use super::journal::{Begin, Found, Record};
use super::lock::Locked;
use super::run::Run;
use crate::disk::{Disk, Kind};
use coalwash_core::wash::ContentHash;

/// How long originals are kept whatever their size, in milliseconds: 180 days.
///
/// Ours: half a year is longer than anyone waits to miss a line of a memory file.
pub const KEPT_MS: i64 = 180 * DAY_MS;

/// Bytes of originals that are kept beyond that, for the folders of one run together.
///
/// Ours: about 200,000 rewrites of an ordinary file.
pub const MOST_BYTES: u64 = 256 << 20;

/// How long a displaced file is kept beside its copy, for programs that still have it open.
const DISPLACED_MS: i64 = DAY_MS;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Runs that can no longer be taken back.
    pub forgotten: Vec<u64>,
    /// Displaced files that hold what another program wrote after the run; they are kept.
    pub late: Vec<u64>,
}

/// A run as the sweep sees it.
struct Kept<'a, D: Disk> {
    run: Run<'a, D>,
    begin: Begin,
    found: Vec<Found>,
    bytes: u64,
}

impl<D: Disk> Engine<D> {
    /// Removes what is too old to be kept, of runs in folders whose locks are held.
    ///
    /// # Errors
    /// When the disk refuses; what was removed until then stays removed.
    pub fn sweep(&self, locked: &Locked, now_ms: i64) -> io::Result<Swept> {
        self.sweep_to(locked, now_ms, MOST_BYTES)
    }

    pub(super) fn sweep_to(
        &self,
        locked: &Locked,
        now_ms: i64,
        most_bytes: u64,
    ) -> io::Result<Swept> {
        let mut out = Swept::default();
        let mut all = Vec::new();
        for (number, is_open) in self.runs().list()? {
            let run = self.runs().run(number, is_open)?;
            // One that can't be read, or may have to be taken back, is left alone.
            let Ok(Some(record)) = run.record() else { continue };
            let is_ours = record.begin.stores.iter().any(|store| locked.holds(store));
            if is_open || !is_ours {
                continue;
            }
            let mut kept = Kept { run, begin: record.begin, found: record.found, bytes: 0 };
            if kept.age_ms(now_ms) > DISPLACED_MS && kept.drop_displaced()? {
                out.late.push(number);
            }
            kept.bytes = kept.size()?;
            all.push(kept);
        }
        let mut total: u64 = all.iter().map(|kept| kept.bytes).sum();
        for kept in all {
            if total <= most_bytes {
                break;
            }
            if kept.age_ms(now_ms) > KEPT_MS && kept.bytes > 0 {
                kept.forget()?;
                total -= kept.bytes;
                out.forgotten.push(kept.run.number);
            }
        }
        Ok(out)
    }
}

impl<D: Disk> Kept<'_, D> {
    /// How old it is; a clock that went back makes it young.
    fn age_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(self.begin.at_ms)
    }

    /// The names of its texts, but not of its journal.
    fn texts(&self) -> io::Result<Vec<String>> {
        let names = self.run.disk.names(&self.run.folder)?;
        let is_text = |name: &String| {
            name == contents::NAME || name.starts_with("displaced-") || name.starts_with("found-")
        };
        Ok(names.into_iter().filter(is_text).collect())
    }

    fn size(&self) -> io::Result<u64> {
        let mut bytes = 0;
        for name in self.texts()? {
            let stat = self.run.disk.stat(&self.run.folder, &name)?;
            bytes += stat.filter(|it| it.kind == Kind::File).map_or(0, |it| it.bytes);
        }
        Ok(bytes)
    }

    /// Removes displaced files that hold what the run's copy holds; returns whether one doesn't.
    fn drop_displaced(&self) -> io::Result<bool> {
        let mut is_late = false;
        for (step, before) in self.begin.steps.iter().enumerate() {
            let name = format!("displaced-{step}");
            let Some(before) = &before.before else { continue };
            if self.run.disk.stat(&self.run.folder, &name)?.is_none() {
                continue;
            }
            let bytes = self.run.disk.read(&self.run.folder, &name, u64::MAX)?;
            if ContentHash::of(&bytes) == before.hash {
                self.run.disk.remove(&self.run.folder, &name)?;
                continue;
            }
            is_late = true;
            let found = Found { step, kept_as: name };
            if !self.found.contains(&found) {
                self.run.note(&Record::Found(found))?;
            }
        }
        Ok(is_late)
    }

    fn forget(&self) -> io::Result<()> {
        for name in self.texts()? {
            self.run.disk.remove(&self.run.folder, &name)?;
        }
        Ok(())
    }
}
