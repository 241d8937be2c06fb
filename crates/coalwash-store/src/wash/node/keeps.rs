//! Keeps of the Node engine: the project's, and those that hold everywhere.

use camino::Utf8Path;
use coalwash_core::load::Unread;
use coalwash_core::wash::node::{Keep, keeps};

use super::NodeStore;
use super::place::Place;
use crate::disk::Disk;

/// Keeps, as far as they could be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadKeeps {
    /// The decisions.
    pub keeps: Vec<Keep>,
    /// What could not be read. What it keeps is not known.
    pub unread: Vec<Unread>,
}

impl<D: Disk> NodeStore<'_, D> {
    /// Reads the keeps of the project.
    pub fn keeps(&self) -> ReadKeeps {
        self.place.as_ref().map_or_else(ReadKeeps::default, |place| read(place, "keeps.json"))
    }
}

/// Reads the keeps that hold for every project, in the host's physical folder of settings.
pub fn global_keeps<D: Disk>(disk: &D, settings: &Utf8Path) -> ReadKeeps {
    match Place::open(disk, settings) {
        Ok(Some(place)) => read(&place, ".coalwash-global-keeps.json"),
        Ok(None) => ReadKeeps::default(),
        Err(unread) => ReadKeeps { unread: vec![unread], ..ReadKeeps::default() },
    }
}

fn read<D: Disk>(place: &Place<'_, D>, name: &str) -> ReadKeeps {
    let mut out = ReadKeeps::default();
    let bytes = match place.read(name) {
        Ok(None) => return out,
        Ok(Some(bytes)) => bytes,
        Err(unread) => {
            out.unread.push(unread);
            return out;
        }
    };
    match keeps(&bytes) {
        Ok(read) => {
            if read.left_out > 0 {
                let why = format!("{} of its records have no `target`", read.left_out);
                out.unread.push(place.wrong(name, &why));
            }
            out.keeps = read.keeps;
        }
        Err(why) => out.unread.push(place.wrong(name, &why)),
    }
    out
}
