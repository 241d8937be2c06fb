//! One fresh tree, asked of another host.

use anyhow::{Context as _, Result};
use camino::Utf8Path;
use coalwash_store::disk::DiskTree;

use super::{Compared, Tables};
use crate::hosts::{
    Host,
    compare::{answer, differs, ours_at},
};

/// Asks about the tree of a seed, and says how the answers differ.
///
/// Ours is worked out three times: in memory, on the disk before the client comes, and on the disk
/// as the client leaves it.
pub(super) fn compare(host: &Host, program: &Utf8Path, seed: u64) -> Result<Compared> {
    let tree = (host.generate)(seed);
    let folder = tree.lay_out_anew()?;
    let real = folder.path().canonicalize().context("no temporary folder")?;
    let root = real.to_str().context("the temporary folder has to be valid UTF-8")?;
    let on_disk = || answer(host.id, &tree, root, &DiskTree::default());
    let before = on_disk()?;
    let theirs = host.ask(program, &tree, &real)?;
    let all = [
        ("in memory", ours_at(host.id, &tree, root)?),
        ("on disk", before),
        ("on disk afterwards", on_disk()?),
    ];
    for (place, ours) in &all {
        if let Some(how) = differs(host.id, ours, &theirs) {
            return Ok(Err(format!("{place}: {how}")));
        }
    }
    Ok(Ok(Tables::Without))
}
