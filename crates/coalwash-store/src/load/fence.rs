//! A view of a repository in which nothing else can be seen.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::git::{self, Tracked};
use coalwash_core::load::tree::{Child, Node, Real, Tree, Unreadable, below};
use rustc_hash::FxHashMap;

use crate::disk::DiskTree;

/// Bytes of files that are kept for the next host that asks.
const MOST_KEPT: usize = 64 * 1024 * 1024;

/// The files of one repository, as everyone has them: those that git has in its index, or all where
/// there is no git.
///
/// What lies outside is missing; a link that leads there leads out. No file outside is ever opened.
///
/// A file is looked at once, since several hosts ask for the same ones; make a new value for a new
/// run.
#[derive(Debug)]
pub struct Fence {
    disk: DiskTree,
    root: Utf8PathBuf,
    /// Names in the index, relative to the root; `None` where everything counts.
    names: Option<BTreeSet<String>>,
    /// Where the index is, and its bytes.
    index: Option<(Utf8PathBuf, Vec<u8>)>,
    /// Why everything counts though there is git.
    note: Option<String>,
    /// Where paths lead, by their text: to compare paths by their parts takes longer.
    seen: Mutex<FxHashMap<String, Result<Real, Unreadable>>>,
    kept: Mutex<Kept>,
}

/// What was read, by its physical path.
#[derive(Debug, Default)]
struct Kept {
    files: FxHashMap<String, Arc<Vec<u8>>>,
    bytes: usize,
}

impl Fence {
    /// Makes the view of the repository at `root`, a physical path.
    pub fn new(root: &Utf8Path) -> Self {
        let disk = DiskTree::default();
        let (mut names, mut index, mut note) = (None, None, None);
        let checkout = git::checkout(&disk, root).filter(|checkout| checkout.root == root);
        let folder = checkout.as_ref().map(|it| git::git_folder(&disk, it));
        if folder == Some(None) {
            note = Some("`.git` leads to no folder of git's".to_owned());
        }
        if let Some(folder) = folder.flatten() {
            let path = folder.join("index");
            match disk.read(&path) {
                Ok(bytes) => {
                    match Tracked::from_index(&bytes, |_| true) {
                        Tracked::Names(found) => names = Some(found.into_iter().collect()),
                        Tracked::Unknown(why) => note = Some(why),
                        Tracked::NoGit => {}
                    }
                    index = Some((path, bytes));
                }
                // A repository without an index has no files yet.
                Err(Unreadable::Missing) => names = Some(BTreeSet::new()),
                Err(why) => note = Some(format!("the git index can't be read: {why}")),
            }
        }
        let (seen, kept) = (Mutex::default(), Mutex::default());
        Self { disk, root: root.to_owned(), names, index, note, seen, kept }
    }

    /// Returns the root of the repository.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// Returns the bytes of git's index, as they were at the beginning.
    pub(super) fn index(&self) -> Option<&[u8]> {
        self.index.as_ref().map(|(_, bytes)| bytes.as_slice())
    }

    /// Returns whether git's index is what it was at the beginning.
    pub(super) fn index_is_the_same(&self) -> bool {
        self.index.as_ref().is_some_and(|(path, bytes)| self.disk.read(path).as_ref() == Ok(bytes))
    }

    /// Returns the bytes of a regular file, links followed.
    pub(super) fn contents(&self, path: &Utf8Path) -> Result<Arc<Vec<u8>>, Unreadable> {
        let path = self.inside(path)?.path;
        if let Ok(kept) = self.kept.lock()
            && let Some(bytes) = kept.files.get(path.as_str())
        {
            return Ok(Arc::clone(bytes));
        }
        let bytes = Arc::new(self.disk.read(&path)?);
        if let Ok(mut kept) = self.kept.lock()
            && kept.bytes + bytes.len() <= MOST_KEPT
        {
            kept.bytes += bytes.len();
            kept.files.insert(path.into_string(), Arc::clone(&bytes));
        }
        Ok(bytes)
    }

    /// Returns why files count that git may not have, where that is so.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns whether the files are those of git's index.
    pub fn is_by_index(&self) -> bool {
        self.names.is_some()
    }

    /// Returns the names of all files, relative to the root.
    pub fn files(&self) -> Vec<String> {
        match &self.names {
            Some(names) => names.iter().cloned().collect(),
            None => {
                let mut out = Vec::new();
                self.walk(&self.root, &mut out);
                out.sort();
                out
            }
        }
    }

    fn walk(&self, folder: &Utf8Path, out: &mut Vec<String>) {
        for child in self.disk.list(folder).unwrap_or_default() {
            let Some(name) = child.name.filter(|name| name != ".git") else { continue };
            let path = folder.join(&name);
            match child.node {
                Node::Folder if name != "node_modules" => self.walk(&path, out),
                Node::File | Node::Link => {
                    out.extend(below(&path, &self.root).map(str::to_owned));
                }
                _ => {}
            }
        }
    }

    /// Returns whether a path may be seen; it isn't followed.
    fn holds(&self, path: &Utf8Path) -> bool {
        let Some(relative) = below(path, &self.root) else { return false };
        let first = relative.split('/').next().unwrap_or_default();
        if relative.is_empty() || first == ".git" {
            return true;
        }
        let Some(names) = &self.names else { return true };
        if names.contains(relative) {
            return true;
        }
        let folder = format!("{relative}/");
        names.range(folder.clone()..).next().is_some_and(|name| name.starts_with(&folder))
    }

    /// Checks a path, and where it leads.
    fn inside(&self, path: &Utf8Path) -> Result<Real, Unreadable> {
        if let Ok(seen) = self.seen.lock()
            && let Some(known) = seen.get(path.as_str())
        {
            return known.clone();
        }
        let found = self.looked_up(path);
        if let Ok(mut seen) = self.seen.lock() {
            seen.insert(path.as_str().to_owned(), found.clone());
        }
        found
    }

    fn looked_up(&self, path: &Utf8Path) -> Result<Real, Unreadable> {
        if !self.holds(path) {
            return Err(Unreadable::Missing);
        }
        let real = self.disk.real(path)?;
        if below(&real.path, &self.root).is_none() {
            return Err(Unreadable::Outside);
        }
        if self.holds(&real.path) { Ok(real) } else { Err(Unreadable::Missing) }
    }
}

impl Tree for Fence {
    fn list(&self, folder: &Utf8Path) -> Result<Vec<Child>, Unreadable> {
        let real = self.inside(folder)?;
        let mut out = self.disk.list(&real.path)?;
        out.retain(|child| match &child.name {
            Some(name) => self.holds(&real.path.join(name)),
            None => self.names.is_none(),
        });
        // The order must not differ from machine to machine.
        out.sort_by(|a, b| (&a.name, &a.shown).cmp(&(&b.name, &b.shown)));
        Ok(out)
    }

    fn node(&self, path: &Utf8Path) -> Result<Node, Unreadable> {
        if !self.holds(path) {
            return Err(Unreadable::Missing);
        }
        self.disk.node(path)
    }

    fn real(&self, path: &Utf8Path) -> Result<Real, Unreadable> {
        self.inside(path)
    }

    fn leads_through_file(&self, path: &Utf8Path) -> bool {
        self.holds(path) && self.disk.leads_through_file(path)
    }

    fn read(&self, path: &Utf8Path) -> Result<Vec<u8>, Unreadable> {
        self.contents(path).map(Arc::unwrap_or_clone)
    }

    fn read_start(&self, path: &Utf8Path, limit: usize) -> Result<Vec<u8>, Unreadable> {
        self.disk.read_start(&self.inside(path)?.path, limit)
    }
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests lay files out")]
mod tests {
    use super::*;

    fn laid_out() -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let top = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        let root = top.join("repo");
        std::fs::create_dir_all(root.join("docs")).unwrap();
        std::fs::write(top.join("outside.md"), "secret").unwrap();
        std::fs::write(root.join("CLAUDE.md"), "x").unwrap();
        std::fs::write(root.join("docs/a.md"), "a").unwrap();
        std::os::unix::fs::symlink("../outside.md", root.join("out.md")).unwrap();
        std::os::unix::fs::symlink("docs/a.md", root.join("in.md")).unwrap();
        (temp, root)
    }

    #[test]
    fn nothing_outside_is_seen() {
        let (_temp, root) = laid_out();
        let fence = Fence::new(&root);
        assert_eq!(fence.files(), ["CLAUDE.md", "docs/a.md", "in.md", "out.md"]);
        assert_eq!(fence.read(&root.join("out.md")), Err(Unreadable::Outside));
        assert_eq!(fence.read(&root.join("in.md")).unwrap(), b"a");
        assert_eq!(fence.read(&root.join("../outside.md")), Err(Unreadable::Outside));
        let above = root.parent().unwrap();
        assert_eq!(fence.list(above).unwrap_err(), Unreadable::Missing);
        assert_eq!(fence.node(&above.join("outside.md")), Err(Unreadable::Missing));
    }

    #[test]
    fn a_repository_whose_git_is_elsewhere_and_gone_says_so() {
        let (_temp, root) = laid_out();
        std::fs::write(root.join(".git"), "gitdir: /nowhere/at/all\n").unwrap();
        let fence = Fence::new(&root);
        assert_eq!(fence.note(), Some("`.git` leads to no folder of git's"));
        assert_eq!(fence.read(&root.join("docs/a.md")).unwrap(), b"a");
    }

    #[test]
    fn a_repository_without_an_index_has_no_files() {
        let (_temp, root) = laid_out();
        std::fs::create_dir(root.join(".git")).unwrap();
        let fence = Fence::new(&root);
        assert!(fence.is_by_index());
        assert_eq!(fence.files(), [""; 0]);
        assert_eq!(fence.read(&root.join("CLAUDE.md")), Err(Unreadable::Missing));
    }
}
