//! What the Node engine (`CoalWash` 1.x) left in `<project>/.claude/coalwash/`.
//!
//! All of it is untrusted: a repository can ship every file of it. So nothing here follows a link,
//! opens a pipe, or does by itself what a file asks for. Reading writes nothing; what is put back
//! goes through the engine, as a plan that someone has looked at.

mod bins;
mod guard;
mod keeps;
mod lineage;
mod place;
mod put_back;
mod recover;
mod snapshots;
mod sweep;
mod target;
#[cfg(test)]
mod tests;
mod tracked;

pub use bins::{BinItem, Bins};
pub use guard::GuardCopy;
pub use keeps::{ReadKeeps, global_keeps};
pub use lineage::Lineage;
pub use recover::{Around, FromNode, ORIGIN as RECOVER_ORIGIN, TakeBack, recover_from_node};
pub use snapshots::Snapshot;
pub use sweep::{Moment, Swept};
pub use target::Scope;
pub use tracked::git_has;

use camino::Utf8Path;
use coalwash_core::load::Unread;

use crate::disk::Disk;
use place::Place;

/// The folders from the project to the stores.
const FOLDERS: [&str; 2] = [".claude", "coalwash"];

/// The stores beside one project.
pub struct NodeStore<'a, D: Disk> {
    /// Their folder, held open; `None` where there is none.
    place: Option<Place<'a, D>>,
}

impl<'a, D: Disk> NodeStore<'a, D> {
    /// Opens the stores of a physical project folder.
    ///
    /// # Errors
    /// When a link stands where a folder should, or the folder can't be opened. Nothing of it is read
    /// then.
    pub fn open(disk: &'a D, project: &Utf8Path) -> Result<Self, Unread> {
        let mut place = Place::open(disk, project)?;
        for name in FOLDERS {
            place = match place {
                Some(place) => place.below(name)?,
                None => None,
            };
        }
        Ok(Self { place })
    }

    /// Returns whether there are any.
    pub fn exists(&self) -> bool {
        self.place.is_some()
    }
}
