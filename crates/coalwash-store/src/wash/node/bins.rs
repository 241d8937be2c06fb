//! The two bins: what was cut, by the id it got.
//!
//! The index says where a thing was cut from and when. Where it is lost or damaged, the names of the
//! files still tell what is there and when; so does a file that no index lists.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use coalwash_core::load::Unread;
use coalwash_core::wash::node::{Bin, BinEntry, Index, id_time_ms, index, is_bare};

use super::NodeStore;
use super::place::Place;
use crate::disk::Disk;

/// The index of a bin.
pub(super) const INDEX: &str = "index.json";

/// One thing in a bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinItem {
    /// Its bin.
    pub bin: Bin,
    /// Its id, which is its name there.
    pub id: String,
    /// When it was cut, in milliseconds since 1970, if that is known.
    pub at_ms: Option<i64>,
    /// Where it was cut from, as someone claims; `None` where no index says so.
    pub original: Option<Utf8PathBuf>,
    /// Its size.
    pub bytes: u64,
    /// Whether an index lists it. One that doesn't is known by its name alone.
    pub is_listed: bool,
}

/// All that both bins hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bins {
    /// What is there, by bin and id.
    pub items: Vec<BinItem>,
    /// What could not be read, and what an index lists that isn't there.
    pub unread: Vec<Unread>,
}

/// One bin, open.
pub(super) struct OpenBin<'a, D: Disk> {
    pub(super) bin: Bin,
    pub(super) place: Place<'a, D>,
}

impl<'a, D: Disk> NodeStore<'a, D> {
    /// Opens a bin; `None` where there is none.
    pub(super) fn bin(&self, bin: Bin) -> Result<Option<OpenBin<'a, D>>, Unread> {
        let Some(place) = &self.place else { return Ok(None) };
        Ok(place.below(bin.name())?.map(|place| OpenBin { bin, place }))
    }

    /// Lists both bins.
    pub fn bins(&self) -> Bins {
        let mut out = Bins::default();
        for bin in Bin::ALL {
            match self.bin(bin) {
                Ok(None) => {}
                Ok(Some(open)) => open.list(&mut out),
                Err(unread) => out.unread.push(unread),
            }
        }
        out
    }

    /// Reads one thing by its whole id, in the first bin that has it.
    ///
    /// # Errors
    /// When no bin has it that can be read, and it may be where nothing could be read.
    pub fn item(&self, id: &str) -> Result<Option<(BinItem, Vec<u8>)>, Unread> {
        let mut unread = None;
        for bin in Bin::ALL.into_iter().filter(|_| is_bare(id)) {
            let found = self.bin(bin).and_then(|open| match open {
                Some(open) => open.read(id),
                None => Ok(None),
            });
            match found {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => {}
                Err(why) => unread = unread.or(Some(why)),
            }
        }
        unread.map_or(Ok(None), Err)
    }
}

impl<D: Disk> OpenBin<'_, D> {
    /// Reads the index; an empty one where it is missing, which `unread` tells if anything is there.
    pub(super) fn index(&self, unread: &mut Vec<Unread>) -> Index {
        let read = self.place.read(INDEX).and_then(|bytes| match bytes {
            None => Ok(Index::default()),
            Some(bytes) => index(&bytes).map_err(|why| self.place.wrong(INDEX, &why)),
        });
        read.unwrap_or_else(|mut why| {
            why.why.push_str("; its items are known by their names alone");
            unread.push(why);
            Index::default()
        })
    }

    fn list(&self, out: &mut Bins) {
        let index = self.index(&mut out.unread);
        if index.left_out > 0 {
            let why = format!("{} of its records mean nothing", index.left_out);
            out.unread.push(self.place.wrong(INDEX, &why));
        }
        let listed: BTreeSet<&str> = index.entries.iter().map(|entry| &*entry.id).collect();
        for entry in &index.entries {
            match self.place.file(&entry.id) {
                Ok(Some(stat)) => out.items.push(self.item(entry, stat.bytes)),
                Ok(None) => out
                    .unread
                    .push(self.place.wrong(&entry.id, "the index lists it, and it is gone")),
                Err(unread) => out.unread.push(unread),
            }
        }
        let names = self.place.names().unwrap_or_else(|unread| {
            out.unread.push(unread);
            Vec::new()
        });
        for name in names.iter().filter(|name| !listed.contains(&***name)) {
            if id_time_ms(name).is_none() {
                continue;
            }
            match self.place.file(name) {
                Ok(Some(stat)) => out.items.push(self.by_name(name, stat.bytes)),
                Ok(None) => {}
                Err(unread) => out.unread.push(unread),
            }
        }
        out.items.sort_by(|a, b| (a.bin, a.at_ms, &a.id).cmp(&(b.bin, b.at_ms, &b.id)));
    }

    fn read(&self, id: &str) -> Result<Option<(BinItem, Vec<u8>)>, Unread> {
        let index = self.index(&mut Vec::new());
        let entry = index.entries.iter().find(|entry| entry.id == id);
        if entry.is_none() && id_time_ms(id).is_none() {
            return Ok(None);
        }
        let Some(bytes) = self.place.read(id)? else { return Ok(None) };
        let size = bytes.len() as u64;
        let item = entry.map_or_else(|| self.by_name(id, size), |entry| self.item(entry, size));
        Ok(Some((item, bytes)))
    }

    fn item(&self, entry: &BinEntry, bytes: u64) -> BinItem {
        BinItem {
            bin: self.bin,
            id: entry.id.clone(),
            at_ms: entry.at_ms,
            original: entry.original.as_deref().map(Utf8PathBuf::from),
            bytes,
            is_listed: true,
        }
    }

    fn by_name(&self, id: &str, bytes: u64) -> BinItem {
        BinItem {
            bin: self.bin,
            id: id.to_owned(),
            at_ms: id_time_ms(id),
            original: None,
            bytes,
            is_listed: false,
        }
    }
}
