//! What has to be known of git, read from its files: roots, worktrees, tracked names.

mod index;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

pub use index::{IndexEntry, ObjectId, index_entries};

use super::scene::Checkout;
use super::tree::{Node, Tree, resolved};

/// Returns the checkout that `folder` lies in.
///
/// A `.git` file leads to a folder below `worktrees` of the main checkout; one that leads nowhere
/// still marks a root.
pub fn checkout(tree: &dyn Tree, folder: &Utf8Path) -> Option<Checkout> {
    let (root, node) = folder
        .ancestors()
        .find_map(|at| Some((at.to_owned(), tree.real(&at.join(".git")).ok()?.node)))?;
    let main = if node == Node::File { main_root(tree, &root) } else { None };
    Some(Checkout { main: main.unwrap_or_else(|| root.clone()), root })
}

/// Follows the `.git` file of a linked worktree to the main checkout.
fn main_root(tree: &dyn Tree, root: &Utf8Path) -> Option<Utf8PathBuf> {
    let dot_git = first_line(tree, &root.join(".git"))?;
    let own = resolved(root, dot_git.strip_prefix("gitdir:")?.trim());
    let common = resolved(&own, &first_line(tree, &own.join("commondir"))?);
    // The host only believes a folder that points back.
    if resolved(&own, &first_line(tree, &own.join("gitdir"))?) != root.join(".git") {
        return None;
    }
    match common.file_name() {
        Some(".git") => common.parent().map(Utf8Path::to_owned),
        // A bare repository is its own root.
        _ => Some(common),
    }
}

fn first_line(tree: &dyn Tree, path: &Utf8Path) -> Option<String> {
    // Paths are shorter than this; a longer first line is no path.
    let bytes = tree.read_start(path, 16 * 1024).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.lines().next().map(|l| l.trim().to_owned())
}

/// Returns the folder that holds the index of the checkout; `None` where `.git` leads to none.
pub fn git_folder(tree: &dyn Tree, checkout: &Checkout) -> Option<Utf8PathBuf> {
    let dot_git = checkout.root.join(".git");
    let is_folder = |path: &Utf8Path| tree.real(path).is_ok_and(|real| real.node == Node::Folder);
    if is_folder(&dot_git) {
        return Some(dot_git);
    }
    let line = first_line(tree, &dot_git)?;
    let to = resolved(&checkout.root, line.strip_prefix("gitdir:")?.trim());
    is_folder(&to).then_some(to)
}

/// The files that git tracks in one checkout.
#[derive(Clone, Debug, Default)]
pub enum Tracked {
    /// There is no checkout, so no file is git's.
    #[default]
    NoGit,
    /// The names were read; relative to the root.
    Names(FxHashSet<String>),
    /// There is a checkout whose index can't be read, for this reason.
    Unknown(String),
}

impl Tracked {
    /// Reads a git index and keeps the names that `keep` asks for.
    ///
    /// Versions 2 to 4 are read. An index that is split over two files, or damaged, is
    /// [`Tracked::Unknown`].
    ///
    /// Source: git's documentation, *index-format*.
    pub fn from_index(bytes: &[u8], keep: impl Fn(&[u8]) -> bool) -> Self {
        match index::names(bytes, keep) {
            Ok(names) => Self::Names(names),
            Err(why) => Self::Unknown(why.to_owned()),
        }
    }

    /// Returns whether git tracks the file, or `None` where that isn't known.
    pub fn has(&self, relative: &str) -> Option<bool> {
        match self {
            Self::NoGit => Some(false),
            Self::Names(names) => Some(names.contains(relative)),
            Self::Unknown(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::MemTree;

    #[test]
    fn a_linked_worktree_leads_to_the_main_checkout() {
        let mut t = MemTree::default();
        t.folder("/m/.git/worktrees/w").file("/m/wt/.git", "gitdir: /m/.git/worktrees/w\n");
        t.file("/m/.git/worktrees/w/commondir", "../..\n").folder("/m/wt/src");
        assert_eq!(checkout(&t, "/m/wt/src".into()).unwrap().main, "/m/wt", "no way back");
        t.file("/m/.git/worktrees/w/gitdir", "/m/wt/.git\n");
        let c = checkout(&t, "/m/wt/src".into()).unwrap();
        assert_eq!((c.root.as_str(), c.main.as_str()), ("/m/wt", "/m"));
        assert_eq!(git_folder(&t, &c).unwrap(), "/m/.git/worktrees/w");
        assert_eq!(checkout(&t, "/m".into()).unwrap().main, "/m");
        assert_eq!(checkout(&t, "/".into()), None);
    }

    #[test]
    fn a_git_file_that_leads_nowhere_still_marks_a_root() {
        let mut t = MemTree::default();
        t.file("/p/.git", "gitdir: ../gone\n");
        let c = checkout(&t, "/p".into()).unwrap();
        assert_eq!((c.root.as_str(), c.main.as_str()), ("/p", "/p"));
        assert_eq!(git_folder(&t, &c), None);
    }
}
