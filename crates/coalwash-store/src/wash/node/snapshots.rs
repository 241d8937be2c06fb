//! Snapshots, the journal and the lock of the Node engine's runs. Nothing is ever replayed from here.

use camino::Utf8PathBuf;
use coalwash_core::load::Unread;
use coalwash_core::wash::node::{Journal, Manifest, journal, manifest};

use super::NodeStore;
use super::place::Place;
use crate::disk::Disk;

/// What the name of a snapshot begins with.
const SNAPSHOT: &str = "snap-";
/// The file that says that a snapshot is whole.
const COMPLETE: &str = "snap.complete";
/// For how long a lock is believed to be somebody's.
///
/// Source: the lock of v1.1.0.
const LOCK_MS: i64 = 30 * 60_000;

/// A whole snapshot.
pub struct Snapshot<'a, D: Disk> {
    /// The name of its folder.
    pub name: String,
    /// When it was made, in milliseconds since 1970.
    pub at_ms: i64,
    /// The copies in it, and where each was copied from, as someone claims.
    pub manifest: Manifest,
    pub(super) place: Place<'a, D>,
}

impl<D: Disk> Snapshot<'_, D> {
    /// Returns its path.
    pub fn path(&self) -> Utf8PathBuf {
        self.place.path.clone()
    }

    /// Reads a copy; `None` where there is none.
    ///
    /// # Errors
    /// When it is no plain file, or can't be read.
    pub fn copy(&self, name: &str) -> Result<Option<Vec<u8>>, Unread> {
        self.place.read(name)
    }
}

/// Returns the time in the name of a snapshot.
pub(super) fn snapshot_ms(name: &str) -> Option<i64> {
    let digits = name.strip_prefix(SNAPSHOT)?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

impl<'a, D: Disk> NodeStore<'a, D> {
    /// Returns the whole snapshots, oldest first, and what could not be read. One that was never
    /// finished is none.
    pub fn snapshots(&self) -> (Vec<Snapshot<'a, D>>, Vec<Unread>) {
        let mut unread = Vec::new();
        let mut out = Vec::new();
        let Some(place) = &self.place else { return (out, unread) };
        let names = place.names().unwrap_or_else(|why| {
            unread.push(why);
            Vec::new()
        });
        for name in names.iter().filter(|name| snapshot_ms(name).is_some()) {
            match self.snapshot(name) {
                Ok(snapshot) => out.extend(snapshot),
                Err(why) => unread.push(why),
            }
        }
        out.sort_by(|a, b| (a.at_ms, &a.name).cmp(&(b.at_ms, &b.name)));
        (out, unread)
    }

    /// Opens a snapshot by its name; `None` where there is no whole one.
    pub(super) fn snapshot(&self, name: &str) -> Result<Option<Snapshot<'a, D>>, Unread> {
        let (Some(at_ms), Some(place)) = (snapshot_ms(name), &self.place) else { return Ok(None) };
        let Some(place) = place.below(name)? else { return Ok(None) };
        if place.file(COMPLETE)?.is_none() {
            return Ok(None);
        }
        const MANIFEST: &str = "manifest.json";
        let bytes = place.read(MANIFEST)?;
        let bytes = bytes.ok_or_else(|| place.wrong(MANIFEST, "it is missing"))?;
        let manifest = manifest(&bytes).map_err(|why| place.wrong(MANIFEST, &why))?;
        Ok(Some(Snapshot { name: name.to_owned(), at_ms, manifest, place }))
    }

    /// Reads the journal; `None` where there is none.
    ///
    /// # Errors
    /// When it can't be read, or a newer version wrote it.
    pub fn journal(&self) -> Result<Option<Journal>, Unread> {
        const JOURNAL: &str = "journal.json";
        let Some(place) = &self.place else { return Ok(None) };
        let Some(bytes) = place.read(JOURNAL)? else { return Ok(None) };
        journal(&bytes).map(Some).map_err(|why| place.wrong(JOURNAL, &why))
    }

    /// Says whether a run of the Node engine may still be going on.
    ///
    /// # Errors
    /// When that can't be told.
    pub fn is_locked(&self, now_ms: i64) -> Result<bool, Unread> {
        let Some(place) = &self.place else { return Ok(false) };
        let lock = place.stat(".coalwash.lock")?;
        // One from the future is as good as fresh: the clock went back.
        Ok(lock.is_some_and(|lock| now_ms.saturating_sub(lock.modified_ns / 1_000_000) <= LOCK_MS))
    }
}
