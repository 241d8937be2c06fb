//! The state of a project: read where the Node engine left it, written beside its transcripts.
//!
//! Many hooks may run at once, so each change is made under a lock, on what stands in the file then.
//! The Node engine takes no lock: what it writes meanwhile is seen by its bytes, and the change is
//! made again on top of it. So none of our own updates is lost, and of the Node engine's only one
//! that falls between our last look and the rename.
//!
//! The older places, `<base>/coal/coalwash/` and `<base>/.coalwash-state.json`, are the Node
//! engine's: they are read and never written, moved or deleted.

use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::slug::slug;
use coalwash_core::load::verdict::{State, read_state, read_state_of_all};
use coalwash_core::load::{Unread, Unreadable};

use crate::disk::{ReplaceError, Waited, lock_file, read_file, replace};

/// Bytes of a state file that are read; the Node engine keeps theirs far smaller.
const MOST_BYTES: u64 = 4 << 20;
/// How often a change is made again because something without a lock wrote meanwhile.
const MOST_TRIES: usize = 5;

/// Where the state of a project is.
#[derive(Clone, Debug)]
pub struct StateFiles {
    base: Utf8PathBuf,
    project: Utf8PathBuf,
    slug: String,
}

/// Why a state was not written. The file is as it was, or as another process left it.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum StateError {
    /// The host has made no folder for the project, and we make none.
    #[error("`{folder}` is no folder of the host's")]
    NoPlace { folder: Utf8PathBuf },
    /// The folder leads out of the host's.
    #[error("`{folder}` is a link")]
    Link { folder: Utf8PathBuf },
    /// Another of our processes held the lock for too long.
    #[error("another coalwash is writing `{path}`")]
    Busy { path: Utf8PathBuf },
    /// A newer version wrote the file, and may mean other things by its fields.
    #[error("a newer version wrote `{path}`")]
    Newer { path: Utf8PathBuf },
    /// What stands there can't be read, so it is not replaced.
    #[error("could not read `{path}`: {why}")]
    Unreadable { path: Utf8PathBuf, why: Unreadable },
    /// The lock could not be taken.
    #[error("could not lock `{path}`: {source}")]
    Lock { path: Utf8PathBuf, source: io::Error },
    /// The file could not be replaced.
    #[error(transparent)]
    Write(#[from] ReplaceError),
}

impl StateFiles {
    /// Names the files of the physical folder `project` below the host's folder `base`.
    pub fn of(base: &Utf8Path, project: &Utf8Path) -> Self {
        Self { base: base.to_owned(), project: project.to_owned(), slug: slug(project) }
    }

    /// Returns the file that is written.
    pub fn own(&self) -> Utf8PathBuf {
        self.folder().join("coalwash/state.json")
    }

    fn folder(&self) -> Utf8PathBuf {
        self.base.join("projects").join(&self.slug)
    }

    /// Reads the state and the file it was found in: the project's own, else the shared one, else
    /// its part of the oldest. What isn't an object is as good as no file.
    ///
    /// A file that can't be read is added to `unread`, and the next one counts.
    pub fn read(&self, unread: &mut Vec<Unread>) -> (State, Option<Utf8PathBuf>) {
        let mut bytes_of = |path: &Utf8Path| match read_file(path, MOST_BYTES) {
            Ok(bytes) => Some(bytes),
            Err(Unreadable::Missing) => None,
            Err(why) => {
                unread.push(Unread::new(path, why.to_string()));
                None
            }
        };
        let shared = self.base.join(format!("coal/coalwash/state-{}.json", self.slug));
        for path in [self.own(), shared] {
            if let Some(bytes) = bytes_of(&path) {
                let state = read_state(&bytes);
                if !state.all.is_empty() {
                    return (state, Some(path));
                }
            }
        }
        let path = self.base.join(".coalwash-state.json");
        match bytes_of(&path).and_then(|bytes| read_state_of_all(&bytes, &self.project)) {
            Some(state) => (state, Some(path)),
            None => (State::default(), None),
        }
    }

    /// Changes the state: reads it, lets `change` work on it, and puts the result in its place.
    ///
    /// `change` may be called again, each time with the state as it stands then. The first change of
    /// a project begins from what an older place holds. Waits at most `wait` for other processes of
    /// ours. Returns the state as it was written.
    ///
    /// # Errors
    /// Then nothing was written, and a caller that can't remember having told something does not
    /// tell it.
    pub fn update(
        &self,
        wait: Duration,
        mut change: impl FnMut(&mut State),
    ) -> Result<State, StateError> {
        let path = self.own();
        self.contained()?;
        let lock = path.with_file_name("state.lock");
        let held =
            lock_file(&lock, wait).map_err(|source| StateError::Lock { path: lock, source })?;
        let Waited::Held(_held) = held else { return Err(StateError::Busy { path }) };
        for tries_left in (0..MOST_TRIES).rev() {
            let old = match read_file(&path, MOST_BYTES + 1) {
                Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
                    let why = Unreadable::Io("it is too large".to_owned());
                    return Err(StateError::Unreadable { path, why });
                }
                Ok(bytes) => Some(bytes),
                Err(Unreadable::Missing) => None,
                Err(why) => return Err(StateError::Unreadable { path, why }),
            };
            let mut state = match old.as_deref().map(read_state) {
                Some(state) if !state.all.is_empty() => state,
                _ => self.read(&mut Vec::new()).0,
            };
            if state.is_newer() {
                return Err(StateError::Newer { path });
            }
            change(&mut state);
            match replace(&path, old.as_deref(), &state.to_bytes(&self.project)) {
                Ok(()) => return Ok(state),
                // The Node engine, which knows no lock.
                Err(ReplaceError::Changed { .. }) if tries_left > 0 => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(StateError::Busy { path })
    }

    /// Checks that the folder is the host's own, and that nothing on the way to the file is a link.
    fn contained(&self) -> Result<(), StateError> {
        let folder = self.folder();
        let links = [self.base.join("projects"), folder.clone(), folder.join("coalwash")];
        for (at, folder) in links.into_iter().enumerate() {
            match std::fs::symlink_metadata(&folder) {
                Ok(meta) if meta.is_symlink() => return Err(StateError::Link { folder }),
                Ok(meta) if meta.is_dir() => {}
                // Only the last one is ours to make.
                Err(e) if e.kind() == io::ErrorKind::NotFound && at == 2 => {}
                _ => return Err(StateError::NoPlace { folder }),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
