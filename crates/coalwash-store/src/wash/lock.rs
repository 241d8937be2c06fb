//! One lock for each folder whose files change, held by the system for as long as its process lives.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::slug::slug;
use coalwash_core::wash::ContentHash;
use serde::{Deserialize, Serialize};

use super::journal::Process;
use crate::disk::{Waited, lock_file, make_private};

/// The locks of some folders. They go when the value does, or the process.
#[derive(Debug)]
pub struct Locked {
    stores: Vec<Utf8PathBuf>,
    files: Vec<File>,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum LockError {
    /// Another process of ours writes there.
    #[error("another coalwash is writing here{}", said(holder.as_ref()))]
    Busy { holder: Option<Holder> },
    /// The lock could not be asked for.
    #[error("could not lock `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: io::Error },
}

/// Who holds a lock, by what was written into its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub process: Process,
    /// Since when, in milliseconds since 1970.
    pub since_ms: i64,
}

fn said(holder: Option<&Holder>) -> String {
    holder
        .map(|holder| format!(" (pid {} on {})", holder.process.pid, holder.process.host))
        .unwrap_or_default()
}

/// Returns the name of the folder of ours that belongs to a physical folder.
///
/// Its last characters are of a hash, since two folders can have one slug.
pub fn store_name(folder: &Utf8Path) -> String {
    let hash = ContentHash::of(folder.as_str().as_bytes()).to_string();
    let name = slug(folder);
    // A name may have 255 bytes, and the end of a path says most.
    let tail = &name[name.len().saturating_sub(120)..];
    format!("{tail}-{}", &hash[..12])
}

impl Locked {
    /// Takes the locks of these physical folders, in the order of their paths, so that two processes
    /// can't wait for each other.
    ///
    /// `data` is the physical folder of ours. Waits about `wait` for each.
    ///
    /// # Errors
    /// When another process holds one; those that were taken are given back.
    pub fn take(
        data: &Utf8Path,
        stores: &[Utf8PathBuf],
        holder: &Holder,
        wait: Duration,
    ) -> Result<Self, LockError> {
        let mut stores = stores.to_vec();
        stores.sort();
        stores.dedup();
        let mut files = Vec::new();
        for store in &stores {
            let path = data.join("stores").join(store_name(store)).join("lock");
            let failed = |source| LockError::Io { path: path.clone(), source };
            make_private(path.parent().unwrap_or(data)).map_err(failed)?;
            match lock_file(&path, wait).map_err(failed)? {
                Waited::Busy => {
                    let holder = std::fs::read(&path).ok();
                    let holder = holder.and_then(|bytes| serde_json::from_slice(&bytes).ok());
                    return Err(LockError::Busy { holder });
                }
                Waited::Held(mut file) => {
                    let before = held_by(&mut file).map_err(failed)?;
                    // The system gave us the lock, so a holder of this machine is gone. One of
                    // another machine may only be out of this system's sight.
                    if let Some(before) = before
                        && before.process.host != holder.process.host
                    {
                        return Err(LockError::Busy { holder: Some(before) });
                    }
                    write_holder(&mut file, Some(holder)).map_err(failed)?;
                    files.push(file);
                }
            }
        }
        Ok(Self { stores, files })
    }

    /// Returns the folders.
    pub fn stores(&self) -> &[Utf8PathBuf] {
        &self.stores
    }

    pub(super) fn holds(&self, store: &Utf8Path) -> bool {
        self.stores.iter().any(|held| held == store)
    }

    /// Locks of nothing but names, for a disk that isn't one.
    #[cfg(test)]
    pub(super) fn of_names(stores: &[&str]) -> Self {
        Self { stores: stores.iter().map(Utf8PathBuf::from).collect(), files: Vec::new() }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        for file in &mut self.files {
            // What stays written is of a process that the system knows to be gone.
            drop(write_holder(file, None));
        }
    }
}

fn held_by(file: &mut File) -> io::Result<Option<Holder>> {
    let mut text = Vec::new();
    file.take(64 << 10).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).ok())
}

fn write_holder(file: &mut File, holder: Option<&Holder>) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    match holder {
        Some(holder) => file.write_all(&serde_json::to_vec(holder)?),
        None => Ok(()),
    }
}
