//! A folder that is held open, and what stands in it.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::Unread;

use crate::disk::{Disk, Kind, Stat};

/// The most bytes of a file that are read.
///
/// Ours: no run of ours holds a larger one either.
pub(super) const MOST_BYTES: u64 = crate::wash::contents::MOST_BYTES;

/// An open folder and its path, which is only for messages.
pub(super) struct Place<'a, D: Disk> {
    pub(super) disk: &'a D,
    pub(super) at: D::Folder,
    pub(super) path: Utf8PathBuf,
}

impl<'a, D: Disk> Place<'a, D> {
    /// Opens a physical folder; `None` where nothing is there.
    pub(super) fn open(disk: &'a D, path: &Utf8Path) -> Result<Option<Self>, Unread> {
        match disk.open(path) {
            Ok(at) => Ok(Some(Self { disk, at, path: path.to_owned() })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Unread::new(path.to_owned(), error.to_string())),
        }
    }

    /// Opens a folder in it; `None` where nothing is.
    pub(super) fn below(&self, name: &str) -> Result<Option<Self>, Unread> {
        match self.stat(name)?.map(|stat| stat.kind) {
            None => return Ok(None),
            Some(Kind::Folder) => {}
            Some(Kind::Link) => return Err(self.wrong(name, "it is a link, which is not followed")),
            Some(Kind::File | Kind::Other) => return Err(self.wrong(name, "it is no folder")),
        }
        let at = self.disk.open_in(&self.at, name).map_err(|error| self.failed(name, &error))?;
        Ok(Some(Self { disk: self.disk, at, path: self.path.join(name) }))
    }

    /// Lists the names in it, in order.
    pub(super) fn names(&self) -> Result<Vec<String>, Unread> {
        let names = self.disk.names(&self.at);
        let mut names = names.map_err(|error| Unread::new(self.path.clone(), error.to_string()))?;
        names.sort_unstable();
        Ok(names)
    }

    /// Says what stands under a name; `None` where nothing does.
    pub(super) fn stat(&self, name: &str) -> Result<Option<Stat>, Unread> {
        self.disk.stat(&self.at, name).map_err(|error| self.failed(name, &error))
    }

    /// Says what a regular file is like; `None` where nothing stands.
    pub(super) fn file(&self, name: &str) -> Result<Option<Stat>, Unread> {
        let Some(stat) = self.stat(name)? else { return Ok(None) };
        match stat.kind {
            Kind::File => Ok(Some(stat)),
            Kind::Link => Err(self.wrong(name, "it is a link, which is not followed")),
            Kind::Folder | Kind::Other => Err(self.wrong(name, "it is no file")),
        }
    }

    /// Reads a regular file; `None` where nothing stands.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Unread> {
        if self.file(name)?.is_none() {
            return Ok(None);
        }
        match self.disk.read(&self.at, name, MOST_BYTES + 1) {
            Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
                Err(self.wrong(name, &format!("it is larger than {} MiB", MOST_BYTES >> 20)))
            }
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(name, &error)),
        }
    }

    /// Says what is wrong with a name in it.
    pub(super) fn wrong(&self, name: &str, why: &str) -> Unread {
        Unread::new(self.path.join(name), why.to_owned())
    }

    fn failed(&self, name: &str, error: &io::Error) -> Unread {
        self.wrong(name, &error.to_string())
    }
}
