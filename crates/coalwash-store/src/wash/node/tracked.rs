//! Whether git has a file.

use camino::Utf8Path;
use coalwash_core::load::git::{Tracked, checkout, git_folder};
use coalwash_core::load::tree::{Tree, Unreadable};

use crate::disk::DiskTree;

/// Returns whether a checkout around `path` has it in its index, or `None` where one can't be read.
pub fn git_has(path: &Utf8Path) -> Option<bool> {
    let tree = DiskTree::default();
    let mut folder = path.parent().map(Utf8Path::to_owned);
    // One checkout can lie in another, and either may have it.
    while let Some(found) = folder.and_then(|folder| checkout(&tree, &folder)) {
        let index = git_folder(&tree, &found)?.join("index");
        let name = path.strip_prefix(&found.root).ok()?.as_str();
        let tracked = match tree.read(&index) {
            Ok(bytes) => Tracked::from_index(&bytes, |other| other == name.as_bytes()).has(name)?,
            Err(Unreadable::Missing) => false,
            Err(_) => return None,
        };
        if tracked {
            return Some(true);
        }
        folder = found.root.parent().map(Utf8Path::to_owned);
    }
    Some(false)
}
