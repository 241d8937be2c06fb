//! What has to be known of git, read from its files: roots, worktrees, tracked names.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

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
        match index_names(bytes, keep) {
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

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn index_names(
    bytes: &[u8],
    keep: impl Fn(&[u8]) -> bool,
) -> Result<FxHashSet<String>, &'static str> {
    const CUT: &str = "the git index ends too early";
    if bytes.get(..4) != Some(b"DIRC") {
        return Err("the git index has an unknown format");
    }
    let version = be32(bytes, 4).ok_or(CUT)?;
    if !(2..=4).contains(&version) {
        return Err("the git index has an unknown version");
    }
    let count = be32(bytes, 8).ok_or(CUT)?;
    let mut names = FxHashSet::default();
    let mut name: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        // SHA-1 names: 40 bytes of stat data, 20 of hash, 2 of flags.
        let start = at;
        let flags = bytes.get(at + 60..at + 62).ok_or(CUT)?;
        at += if version >= 3 && flags[0] & 0x40 != 0 { 64 } else { 62 };
        if version == 4 {
            let (strip, used) = varint(bytes.get(at..).ok_or(CUT)?).ok_or(CUT)?;
            at += used;
            let kept = name.len().checked_sub(strip).ok_or("the git index is damaged")?;
            name.truncate(kept);
        } else {
            name.clear();
        }
        let rest = bytes.get(at..).ok_or(CUT)?;
        let len = memchr::memchr(0, rest).ok_or(CUT)?;
        name.extend_from_slice(&rest[..len]);
        at += len;
        at = if version == 4 { at + 1 } else { start + ((at - start) / 8 + 1) * 8 };
        if keep(&name)
            && let Ok(text) = std::str::from_utf8(&name)
        {
            names.insert(text.to_owned());
        }
    }
    // Extensions; `link` says that more names are in a second file.
    while at + 28 <= bytes.len() {
        if &bytes[at..at + 4] == b"link" {
            return Err("the git index is split over two files");
        }
        at += 8 + be32(bytes, at + 4).ok_or(CUT)? as usize;
    }
    Ok(names)
}

/// Reads git's variable-width number.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut used = 1;
    while bytes[used - 1] & 0x80 != 0 {
        let next = usize::from(bytes.get(used)? & 0x7f);
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(next)?;
        used += 1;
    }
    Some((value, used))
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

    fn entry(version: u32, strip: u8, name: &[u8]) -> Vec<u8> {
        let mut e = vec![0; 62];
        if version == 4 {
            e.push(strip);
            e.extend_from_slice(name);
            e.push(0);
        } else {
            e.extend_from_slice(name);
            e.resize((e.len() / 8 + 1) * 8, 0);
        }
        e
    }

    fn index(version: u32, entries: &[Vec<u8>], extension: &[u8]) -> Vec<u8> {
        let mut out = b"DIRC".to_vec();
        out.extend(version.to_be_bytes());
        out.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        out.extend(entries.concat());
        out.extend(extension);
        out.extend([0; 20]);
        out
    }

    #[test]
    fn names_of_all_index_versions_are_read() {
        let v2 = index(2, &[entry(2, 0, b"CLAUDE.md"), entry(2, 0, b"src/main.rs")], b"");
        let t = Tracked::from_index(&v2, |n| n.ends_with(b".md"));
        assert_eq!(t.has("CLAUDE.md"), Some(true));
        assert_eq!(t.has("src/main.rs"), Some(false), "not asked for");
        let v4 = index(4, &[entry(4, 0, b"src/a.md"), entry(4, 4, b"b.md")], b"");
        assert_eq!(Tracked::from_index(&v4, |_| true).has("src/b.md"), Some(true));
    }

    #[test]
    fn an_index_that_cannot_be_read_is_unknown_not_empty() {
        let v2 = index(2, &[entry(2, 0, b"CLAUDE.md")], b"link\0\0\0\0");
        for bytes in [&v2[..], &v2[..40], b"", b"DIRC\0\0\0\x09\0\0\0\0"] {
            assert_eq!(Tracked::from_index(bytes, |_| true).has("CLAUDE.md"), None);
        }
    }
}
