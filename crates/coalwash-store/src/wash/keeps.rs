//! Keeps of one's own, one file for each folder whose files they are about.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::wash::Keeps;

use super::lock::{Locked, store_name};
use crate::disk::{ReplaceError, read_file, replace};
use coalwash_core::load::Unreadable;

/// Bytes of a file of keeps that are read.
const MOST_BYTES: u64 = 4 << 20;

/// Why keeps were not read or written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum KeepsError {
    /// Not read, so not in force, and not written over.
    #[error("`{path}`: {why}")]
    Unreadable { path: Utf8PathBuf, why: String },
    /// Not written.
    #[error(transparent)]
    Write(#[from] ReplaceError),
    /// The lock is of another folder.
    #[error("the lock of `{store}` is not held")]
    NotLocked { store: Utf8PathBuf },
}

fn file(data: &Utf8Path, store: &Utf8Path) -> Utf8PathBuf {
    data.join("stores").join(store_name(store)).join("keeps.json")
}

fn read_both(data: &Utf8Path, store: &Utf8Path) -> Result<(Option<Vec<u8>>, Keeps), KeepsError> {
    let path = file(data, store);
    let failed = |why: String| KeepsError::Unreadable { path: path.clone(), why };
    let bytes = match read_file(&path, MOST_BYTES + 1) {
        Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
            return Err(failed(io::Error::from(io::ErrorKind::FileTooLarge).to_string()));
        }
        Ok(bytes) => bytes,
        Err(Unreadable::Missing) => return Ok((None, Keeps::default())),
        Err(why) => return Err(failed(why.to_string())),
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
    let keeps = Keeps::read(text).map_err(failed)?;
    Ok((Some(bytes), keeps))
}

/// Reads the keeps about files below the physical folder `store`; `data` is the folder of our data.
///
/// # Errors
/// When there is a file and it can't be read: then it isn't known what is kept.
pub fn keeps(data: &Utf8Path, store: &Utf8Path) -> Result<Keeps, KeepsError> {
    Ok(read_both(data, store)?.1)
}

/// Changes the keeps about files below `store`, whose lock is held.
///
/// # Errors
/// Then the file is as it was.
pub fn change_keeps<T>(
    data: &Utf8Path,
    store: &Utf8Path,
    locked: &Locked,
    change: impl FnOnce(&mut Keeps) -> T,
) -> Result<T, KeepsError> {
    if !locked.stores().iter().any(|held| held == store) {
        return Err(KeepsError::NotLocked { store: store.to_owned() });
    }
    let (old, mut keeps) = read_both(data, store)?;
    let before = keeps.clone();
    let out = change(&mut keeps);
    if keeps != before {
        replace(&file(data, store), old.as_deref(), keeps.to_json().as_bytes())?;
    }
    Ok(out)
}
