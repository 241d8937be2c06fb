//! What an old snapshot of a file had that is neither in the file nor in a recorded cut.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::Unread;
use coalwash_core::wash::anchor_diff::{AnchorDiff, anchor_diff};

use super::place::Place;
use super::{NodeStore, Snapshot};
use crate::disk::Disk;

/// A file, held against its oldest snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineage {
    /// The folder of the snapshot.
    pub snapshot: Utf8PathBuf,
    /// When it was made, in milliseconds since 1970.
    pub at_ms: i64,
    /// How many cuts were recorded since.
    pub approved: usize,
    /// What is missing.
    pub diff: AnchorDiff,
}

impl<D: Disk> NodeStore<'_, D> {
    /// Compares a file with its oldest whole snapshot; `None` where there is none. `file` is its
    /// physical path, in the physical folder `project`.
    ///
    /// What could not be read is added to `unread`: an older snapshot may be among it, or a cut.
    pub fn lineage(
        &self,
        project: &Utf8Path,
        file: &Utf8Path,
        unread: &mut Vec<Unread>,
    ) -> Option<Lineage> {
        let place = self.place.as_ref()?;
        let (snapshots, why) = self.snapshots();
        unread.extend(why);
        let (snapshot, anchor) =
            snapshots.iter().find_map(|it| Some((it, copy(it, file, unread)?)))?;
        let current = match current(place.disk, project, file) {
            Ok(bytes) => bytes?,
            Err(why) => {
                unread.push(why);
                return None;
            }
        };
        let approved = self.cuts(file, snapshot.at_ms, unread);
        let diff = anchor_diff(&text(&anchor), &text(&current), &approved);
        let (approved, at_ms) = (approved.len(), snapshot.at_ms);
        Some(Lineage { snapshot: snapshot.path(), at_ms, approved, diff })
    }

    /// Returns the texts that were cut from a file since then.
    fn cuts(&self, file: &Utf8Path, since_ms: i64, unread: &mut Vec<Unread>) -> Vec<String> {
        let bins = self.bins();
        unread.extend(bins.unread);
        let mut out = Vec::new();
        for item in bins.items {
            let is_of = item.original.as_deref() == Some(file);
            if !is_of || item.at_ms.is_none_or(|at| at < since_ms) {
                continue;
            }
            let read = self.bin(item.bin).and_then(|open| match open {
                Some(open) => open.place.read(&item.id),
                None => Ok(None),
            });
            match read {
                Ok(bytes) => out.extend(bytes.map(|bytes| text(&bytes))),
                Err(why) => unread.push(why),
            }
        }
        out
    }
}

/// Returns what a snapshot has of a file.
fn copy<D: Disk>(
    snapshot: &Snapshot<'_, D>,
    file: &Utf8Path,
    unread: &mut Vec<Unread>,
) -> Option<Vec<u8>> {
    let mut copies = snapshot.manifest.copies.iter().filter(|(_, original)| original == file);
    copies.find_map(|(name, _)| {
        snapshot.copy(name).unwrap_or_else(|why| {
            unread.push(why);
            None
        })
    })
}

fn current<D: Disk>(
    disk: &D,
    project: &Utf8Path,
    file: &Utf8Path,
) -> Result<Option<Vec<u8>>, Unread> {
    let Ok(inside) = file.strip_prefix(project) else { return Ok(None) };
    let mut place = Place::open(disk, project)?;
    for name in inside.parent().unwrap_or(Utf8Path::new("")).iter() {
        place = match place {
            Some(place) => place.below(name)?,
            None => None,
        };
    }
    place.map_or(Ok(None), |place| place.read(inside.file_name().unwrap_or_default()))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
