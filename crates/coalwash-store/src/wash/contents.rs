//! The texts of a run: every file before and after, compressed, in one file.
//!
//! One file, so that they cost one sync. Each text is a zstd frame of its own, and a text that a run
//! holds twice is written once. The journal knows where each lies and what it has to be.

use std::collections::HashMap;
use std::io;

use coalwash_core::wash::ContentHash;

use super::journal::Extent;
use crate::disk::Disk;

/// The name of the file in the folder of a run.
pub(super) const NAME: &str = "contents.zst";

/// How hard is tried to make the texts small.
///
/// Ours: level 3 is zstd's own choice; a run of 5 MB takes about 20 ms.
const LEVEL: i32 = 3;

/// Bytes of the largest file that a run can hold.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// Texts that are put together.
#[derive(Default)]
pub(super) struct Contents {
    packed: Vec<u8>,
    at: HashMap<ContentHash, Extent>,
}

impl Contents {
    /// Adds a text.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<(ContentHash, Extent)> {
        let hash = ContentHash::of(bytes);
        if let Some(extent) = self.at.get(&hash) {
            return Ok((hash, *extent));
        }
        let frame = zstd::bulk::compress(bytes, LEVEL)?;
        let extent = Extent {
            start: self.packed.len() as u64,
            packed_bytes: frame.len() as u64,
            bytes: bytes.len() as u64,
        };
        self.packed.extend(frame);
        self.at.insert(hash, extent);
        Ok((hash, extent))
    }

    /// Writes them, waits for the disk and reads all of them back.
    pub(super) fn write<D: Disk>(&self, disk: &D, folder: &D::Folder) -> io::Result<()> {
        disk.create(folder, NAME, &self.packed, &crate::disk::Attributes::private())?;
        disk.sync(folder, NAME)?;
        let packed = disk.read(folder, NAME, u64::MAX)?;
        for (hash, extent) in &self.at {
            unpacked(&packed, *extent, *hash)?;
        }
        Ok(())
    }
}

/// Reads a text and checks that it is the one it should be.
pub(super) fn read<D: Disk>(
    disk: &D,
    folder: &D::Folder,
    extent: Extent,
    hash: ContentHash,
) -> io::Result<Vec<u8>> {
    unpacked(&disk.read(folder, NAME, u64::MAX)?, extent, hash)
}

fn unpacked(packed: &[u8], extent: Extent, hash: ContentHash) -> io::Result<Vec<u8>> {
    let damaged = || io::Error::other(format!("`{NAME}` is damaged"));
    let size = |n: u64| usize::try_from(n).map_err(|_| damaged());
    if extent.bytes > MOST_BYTES {
        return Err(damaged());
    }
    let (start, length) = (size(extent.start)?, size(extent.packed_bytes)?);
    let frame = start.checked_add(length).and_then(|end| packed.get(start..end));
    let bytes = zstd::bulk::decompress(frame.ok_or_else(damaged)?, size(extent.bytes)?)?;
    if ContentHash::of(&bytes) != hash {
        return Err(damaged());
    }
    Ok(bytes)
}
