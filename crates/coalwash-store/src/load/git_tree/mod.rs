//! A commit as a tree of files, read by way of `git`.
//!
//! What a branch left as it was lies on the disk, too, where it costs less to read. So `git` is only
//! asked what differs between the commit and the index, and for the content of what does. A file on
//! the disk is believed when its bytes have the name of the object that the commit has there: line
//! ends and filters that make the two differ can't deceive it.

mod git;
pub(crate) use git::{common, git};

use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::git::{ObjectId, index_entries};
use coalwash_core::load::tree::{Child, Node, Real, Tree, Unreadable, below, resolved};
use rustc_hash::FxHashMap;
use sha1::Digest as _;

use super::Fence;
use git::Blobs;

/// Links that are followed one after another before they count as a circle.
const MOST_LINKS: usize = 40;

/// Blobs that are asked for in one go, before anyone wants them.
const MOST_AHEAD: usize = 1_000;

/// Files that are not on the disk as the index has them, from which on it isn't a matter of a file
/// that was edited.
const MANY_UNLIKE: usize = 4;

/// Why a commit can't be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum GitError {
    /// There is no repository.
    #[error("`{root}` is no git repository")]
    NoRepository { root: Utf8PathBuf },
    /// `git` can't be run.
    #[error("`git` could not be run: {source}")]
    NoGit { source: std::io::Error },
    /// No such revision.
    #[error("git knows no revision `{rev}` here")]
    NoRevision { rev: String },
    /// No such revision, and not all of the history is here.
    #[error("git knows no revision `{rev}` here; this is a shallow clone")]
    NoRevisionInShallow { rev: String },
    /// No commit that both have.
    #[error("git finds no commit that `{rev}` and this branch have in common")]
    NoBase { rev: String },
    /// A shallow clone lacks it.
    #[error("this is a shallow clone, which lacks what `{rev}` and this branch have in common")]
    Shallow { rev: String },
    /// The commit is there, and what it holds isn't.
    #[error("git can't list the files of {commit}")]
    Unlisted { commit: String },
    /// A command of git's failed.
    #[error("`git {what}` failed here")]
    Failed { what: String },
    /// A partial clone, or a damaged one.
    #[error("git does not have what `{path}` held in {commit}")]
    NoContent { path: String, commit: String },
    /// It ended, or said what it never says.
    #[error("git stopped while it was asked for `{path}` of {commit}")]
    Stopped { path: String, commit: String, source: std::io::Error },
}

/// The files of one commit, below a folder that stands for the root of the repository.
#[derive(Debug)]
pub struct GitTree<'a> {
    /// The files as they are now.
    now: &'a Fence,
    root: Utf8PathBuf,
    commit: String,
    /// What stands at each path.
    items: FxHashMap<String, Item>,
    /// The names in each folder.
    folders: FxHashMap<String, Vec<(String, Mode)>>,
    blobs: Mutex<Asked>,
    /// What was asked for; none for what git doesn't have.
    known: Mutex<FxHashMap<String, Option<Arc<Vec<u8>>>>>,
    /// The first thing that could not be had.
    failure: Mutex<Option<GitError>>,
}

/// Who is asked, and what that was about.
#[derive(Debug)]
struct Asked {
    git: Blobs,
    has_asked: bool,
    /// Files that the disk doesn't have as the index has them.
    unlike_disk: usize,
}

/// What a commit has at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    mode: Mode,
    /// The object; none of a folder, which isn't read as one.
    id: Option<ObjectId>,
    /// Whether the index has the same here, so that the disk may.
    maybe_on_disk: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    File,
    Folder,
    Link,
    /// A submodule, of which the commit holds a name only.
    Submodule,
}

impl Mode {
    /// Reads a mode as git writes it.
    fn of_octal(digits: &[u8]) -> Self {
        match digits {
            b"040000" => Self::Folder,
            b"120000" => Self::Link,
            b"160000" => Self::Submodule,
            _ => Self::File,
        }
    }

    /// Reads a mode as the index has it; `None` for what stands for more than one file.
    fn of_number(mode: u32) -> Option<Self> {
        match mode & 0o170_000 {
            0o100_000 => Some(Self::File),
            0o120_000 => Some(Self::Link),
            0o160_000 => Some(Self::Submodule),
            _ => None,
        }
    }
}

impl<'a> GitTree<'a> {
    /// Opens what a branch is held against: the commit that `rev` and `HEAD` have in common.
    ///
    /// # Errors
    /// When there is no repository or no such commit, or `git` can't be run.
    pub fn merge_base(now: &'a Fence, rev: &str) -> Result<Self, GitError> {
        let root = now.root().to_owned();
        let commit = git::common(&root, rev)?;
        let files = match by_index(now, &commit) {
            Some(files) => files,
            None => git::listed(&root, &commit)?.into_iter().collect(),
        };
        let mut items: FxHashMap<String, Item> = FxHashMap::default();
        let mut folders: FxHashMap<String, Vec<(String, Mode)>> = FxHashMap::default();
        for (path, item) in files {
            let mut at = path.as_str();
            let mut mode = item.mode;
            loop {
                let (above, name) = at.rsplit_once('/').unwrap_or(("", at));
                let is_new = !folders.contains_key(above);
                folders.entry(above.to_owned()).or_default().push((name.to_owned(), mode));
                if !is_new || above.is_empty() {
                    break;
                }
                mode = Mode::Folder;
                let item = Item { mode, id: None, maybe_on_disk: false };
                items.insert(above.to_owned(), item);
                at = above;
            }
            items.insert(path, item);
        }
        let git = Blobs::new(&root);
        let blobs = Mutex::new(Asked { git, has_asked: false, unlike_disk: 0 });
        let (known, failure) = (Mutex::default(), Mutex::default());
        Ok(Self { now, root, commit, items, folders, blobs, known, failure })
    }

    /// Returns the commit's name.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Returns the names of all files, relative to the root.
    pub fn files(&self) -> Vec<String> {
        let files = self.items.iter().filter(|(_, item)| item.mode != Mode::Folder);
        let mut out: Vec<String> = files.map(|(path, _)| path.clone()).collect();
        out.sort_unstable();
        out
    }

    /// Returns the first thing that was asked for and could not be had, if there is any: what was
    /// worked out from this tree is wrong then.
    pub fn failure(self) -> Option<GitError> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, relative: &str, bytes: Option<Arc<Vec<u8>>>) {
        if let Ok(mut known) = self.known.lock() {
            known.insert(relative.to_owned(), bytes);
        }
    }

    /// Returns what is on the disk at a path, if it is what the commit has there.
    fn on_disk(&self, relative: &str, item: &Item, id: ObjectId) -> Option<Arc<Vec<u8>>> {
        if !item.maybe_on_disk || item.mode != Mode::File {
            return None;
        }
        let bytes = self.now.contents(&self.root.join(relative)).ok()?;
        is_named(&bytes, id).then_some(bytes)
    }

    /// Returns the content of a path relative to the root; links aren't followed.
    fn object(&self, relative: &str) -> Option<Arc<Vec<u8>>> {
        let item = self.items.get(relative)?;
        let id = item.id.filter(|_| item.mode != Mode::Submodule)?;
        let known = self.known.lock().ok().and_then(|known| known.get(relative).cloned());
        let answer = match known.or_else(|| self.on_disk(relative, item, id).map(Some)) {
            Some(known) => Ok(known),
            None => self.ask(relative, item, id),
        };
        let (path, commit) = (relative.to_owned(), self.commit.clone());
        let error = match answer {
            Ok(answer) => {
                self.keep(relative, answer.clone());
                if answer.is_some() {
                    return answer;
                }
                GitError::NoContent { path, commit }
            }
            Err(source) => GitError::Stopped { path, commit, source },
        };
        if let Ok(mut failure) = self.failure.lock() {
            failure.get_or_insert(error);
        }
        None
    }

    /// Asks git for a blob, and in the same go for what is likely to be wanted next.
    fn ask(
        &self,
        relative: &str,
        item: &Item,
        id: ObjectId,
    ) -> std::io::Result<Option<Arc<Vec<u8>>>> {
        let mut blobs = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have asked meanwhile.
        let known = self.known.lock().ok().and_then(|known| known.get(relative).cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let mut names = vec![relative];
        let mut ids = vec![id];
        for (path, id) in self.likely(&mut blobs, item) {
            if path != relative {
                names.push(path);
                ids.push(id);
            }
        }
        let answers = blobs.git.ask(&ids)?;
        let mut answers = answers.into_iter().map(|bytes| bytes.map(Arc::new));
        let own = answers.next().flatten();
        for (name, answer) in names.into_iter().skip(1).zip(answers) {
            self.keep(name, answer);
        }
        Ok(own)
    }

    /// Returns what is likely to be wanted next: at first links, and the Markdown that is no more or
    /// not the same. Later, where the disk doesn't have what the index has, as with line ends that
    /// git rewrites, other Markdown.
    fn likely(&self, blobs: &mut Asked, item: &Item) -> Vec<(&str, ObjectId)> {
        let is_first = !std::mem::replace(&mut blobs.has_asked, true);
        if item.maybe_on_disk && item.mode == Mode::File {
            blobs.unlike_disk += 1;
        }
        let all = blobs.unlike_disk >= MANY_UNLIKE;
        if !is_first && !all {
            return Vec::new();
        }
        let Ok(known) = self.known.lock() else { return Vec::new() };
        let wanted = self.items.iter().filter(|(path, item)| match item.mode {
            Mode::Link => is_first,
            Mode::File => (all || !item.maybe_on_disk) && path.ends_with(".md"),
            Mode::Folder | Mode::Submodule => false,
        });
        let unknown = wanted.filter(|(path, _)| !known.contains_key(*path));
        unknown.filter_map(|(path, item)| Some((&**path, item.id?))).take(MOST_AHEAD).collect()
    }

    /// Returns the mode of a path; the root is a folder.
    fn mode(&self, relative: &str) -> Option<Mode> {
        match relative {
            "" => Some(Mode::Folder),
            _ => self.items.get(relative).map(|item| item.mode),
        }
    }

    /// Follows all links on the way to a path.
    fn follow(&self, path: &Utf8Path) -> Result<(String, Mode), Unreadable> {
        let mut path = path.to_owned();
        'again: for _ in 0..MOST_LINKS {
            let relative = below(&path, &self.root).ok_or(Unreadable::Outside)?.to_owned();
            if relative == ".git" || relative.starts_with(".git/") {
                return Err(Unreadable::Missing);
            }
            let mut at = String::new();
            for name in relative.split('/').filter(|name| !name.is_empty()) {
                if !at.is_empty() {
                    at.push('/');
                }
                at.push_str(name);
                match self.mode(&at) {
                    None => return Err(Unreadable::Missing),
                    Some(Mode::Link) => {
                        let target = self.object(&at).ok_or(Unreadable::Missing)?;
                        let target =
                            std::str::from_utf8(&target).map_err(|_| Unreadable::NotUtf8)?;
                        let link = self.root.join(&at);
                        let to = resolved(link.parent().unwrap_or(&link), target);
                        path = resolved(&to, relative[at.len()..].trim_start_matches('/'));
                        continue 'again;
                    }
                    Some(_) => {}
                }
            }
            let mode = self.mode(&at).ok_or(Unreadable::Missing)?;
            return Ok((at, mode));
        }
        Err(Unreadable::Loop)
    }
}

/// Returns all files of a commit by way of what differs from the index, which git tells without a
/// look at the folders that are the same.
///
/// `None` where the index can't be read, or doesn't list one file in each entry.
fn by_index(now: &Fence, commit: &str) -> Option<FxHashMap<String, Item>> {
    let bytes = now.index()?;
    let mut out: FxHashMap<String, Item> = FxHashMap::default();
    let mut is_plain = true;
    index_entries(bytes, |entry| match (entry.is_plain, Mode::of_number(entry.mode)) {
        (true, Some(mode)) => {
            if let Ok(name) = std::str::from_utf8(entry.name) {
                let item = Item { mode, id: Some(entry.id), maybe_on_disk: true };
                out.insert(name.to_owned(), item);
            }
        }
        _ => is_plain = false,
    })
    .ok()?;
    let changed = if is_plain { git::changed(now.root(), commit)? } else { return None };
    // Written in the meantime: git saw another one.
    if !now.index_is_the_same() {
        return None;
    }
    for (path, item) in changed {
        match item {
            Some(item) => out.insert(path, item),
            None => out.remove(&path),
        };
    }
    Some(out)
}

/// Returns whether a blob of these bytes has this name.
fn is_named(bytes: &[u8], id: ObjectId) -> bool {
    let head = format!("blob {}\0", bytes.len());
    match id.bytes().len() {
        20 => {
            sha1::Sha1::new().chain_update(&head).chain_update(bytes).finalize()[..] == *id.bytes()
        }
        _ => {
            sha2::Sha256::new().chain_update(&head).chain_update(bytes).finalize()[..]
                == *id.bytes()
        }
    }
}

fn node_of(mode: Mode) -> Node {
    match mode {
        Mode::File => Node::File,
        Mode::Folder | Mode::Submodule => Node::Folder,
        Mode::Link => Node::Link,
    }
}

impl Tree for GitTree<'_> {
    fn list(&self, folder: &Utf8Path) -> Result<Vec<Child>, Unreadable> {
        let (at, _) = self.follow(folder)?;
        let entries = match self.folders.get(&at) {
            Some(entries) => entries.as_slice(),
            // A commit may be empty.
            None if at.is_empty() => &[],
            None => return Err(Unreadable::Missing),
        };
        let child = |(name, mode): &(String, Mode)| Child {
            name: Some(name.clone()),
            shown: String::new(),
            node: node_of(*mode),
        };
        let mut out: Vec<Child> = entries.iter().map(child).collect();
        out.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(out)
    }

    fn node(&self, path: &Utf8Path) -> Result<Node, Unreadable> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Unreadable::Missing);
        };
        if path == self.root {
            return Ok(Node::Folder);
        }
        let (at, _) = self.follow(above)?;
        let at = if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") };
        self.mode(&at).map(node_of).ok_or(Unreadable::Missing)
    }

    fn real(&self, path: &Utf8Path) -> Result<Real, Unreadable> {
        let (at, mode) = self.follow(path)?;
        let bytes = match mode {
            Mode::File => self.object(&at).map_or(0, |bytes| bytes.len() as u64),
            _ => 0,
        };
        let path = if at.is_empty() { self.root.clone() } else { self.root.join(&at) };
        Ok(Real { path, node: node_of(mode), bytes })
    }

    fn read(&self, path: &Utf8Path) -> Result<Vec<u8>, Unreadable> {
        let (at, mode) = self.follow(path)?;
        match (mode, self.object(&at)) {
            (Mode::File, Some(bytes)) => Ok(bytes.as_ref().clone()),
            (Mode::Folder | Mode::Submodule, _) => Err(Unreadable::Folder),
            _ => Err(Unreadable::Missing),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
