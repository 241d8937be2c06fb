//! A commit as a tree of files, read by way of `git`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::tree::{Child, Node, Real, Tree, Unreadable, below, resolved};
use rustc_hash::FxHashMap;

/// Links that are followed one after another before they count as a circle.
const MOST_LINKS: usize = 40;

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
}

/// The files of one commit, below a folder that stands for the root of the repository.
#[derive(Debug)]
pub struct GitTree {
    root: Utf8PathBuf,
    commit: String,
    /// What stands at each path.
    modes: FxHashMap<String, Mode>,
    /// The names in each folder.
    folders: FxHashMap<String, Vec<(String, Mode)>>,
    process: Mutex<Pipe>,
    /// What was asked for; none for what git doesn't have.
    known: Mutex<FxHashMap<String, Option<Arc<[u8]>>>>,
}

#[derive(Debug)]
struct Pipe {
    process: Process,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    File,
    Folder,
    Link,
    /// A submodule, of which the commit holds a name only.
    Submodule,
}

/// Returns a `git` that runs no hook, asks nothing, fetches nothing and reads no configuration but
/// the repository's.
pub(crate) fn git(root: &Utf8Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        // Whose the files are is no question here: nothing in them is run.
        .args(["-c", &format!("safe.directory={root}")])
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn said(command: &mut Command) -> Result<Option<String>, GitError> {
    let output = command.output().map_err(|source| GitError::NoGit { source })?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !text.is_empty()).then_some(text))
}

/// Returns the commit that `rev` and `HEAD` have in common.
pub(crate) fn merge_base(root: &Utf8Path, rev: &str) -> Result<String, GitError> {
    let verify = |rev: &str| {
        let name = format!("{rev}^{{commit}}");
        said(git(root).args(["rev-parse", "--quiet", "--verify", "--end-of-options", &name]))
    };
    if said(git(root).args(["rev-parse", "--git-dir"]))?.is_none() {
        return Err(GitError::NoRepository { root: root.to_owned() });
    }
    let Some(base) = verify(rev)? else {
        return Err(GitError::NoRevision { rev: rev.to_owned() });
    };
    // A branch without a commit yet adds everything.
    match verify("HEAD")? {
        None => Ok(base),
        Some(head) => match said(git(root).args(["merge-base", &base, &head]))? {
            Some(common) => Ok(common),
            None => {
                let shallow = said(git(root).args(["rev-parse", "--is-shallow-repository"]))?;
                let rev = rev.to_owned();
                Err(match shallow.as_deref() {
                    Some("true") => GitError::Shallow { rev },
                    _ => GitError::NoBase { rev },
                })
            }
        },
    }
}

impl GitTree {
    /// Opens what a branch is held against: the commit that `rev` and `HEAD` have in common.
    ///
    /// # Errors
    /// When there is no repository or no such commit, or `git` can't be run.
    pub fn merge_base(root: &Utf8Path, rev: &str) -> Result<Self, GitError> {
        Self::open(root, merge_base(root, rev)?)
    }

    fn open(root: &Utf8Path, commit: String) -> Result<Self, GitError> {
        let mut process = git(root)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| GitError::NoGit { source })?;
        let lost = || GitError::NoGit { source: std::io::Error::other("it has no pipes") };
        let to = process.stdin.take().ok_or_else(lost)?;
        let from = BufReader::new(process.stdout.take().ok_or_else(lost)?);
        let process = Mutex::new(Pipe { process, to, from });
        let (mut modes, mut folders) = (FxHashMap::default(), FxHashMap::default());
        for (path, mode) in listed(root, &commit)? {
            let (above, name) = path.rsplit_once('/').unwrap_or(("", &path));
            let names: &mut Vec<(String, Mode)> = folders.entry(above.to_owned()).or_default();
            names.push((name.to_owned(), mode));
            modes.insert(path, mode);
        }
        let root = root.to_owned();
        Ok(Self { root, commit, modes, folders, process, known: Mutex::default() })
    }

    /// Returns the commit's name.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Returns the names of all files, relative to the root.
    pub fn files(&self) -> Vec<String> {
        let files = self.modes.iter().filter(|(_, mode)| **mode != Mode::Folder);
        let mut out: Vec<String> = files.map(|(path, _)| path.clone()).collect();
        out.sort_unstable();
        out
    }

    /// Returns the content of a path relative to the root; links aren't followed.
    fn object(&self, relative: &str) -> Option<Arc<[u8]>> {
        if let Ok(known) = self.known.lock()
            && let Some(object) = known.get(relative)
        {
            return object.clone();
        }
        // A request is a line, so a name with a line break can't be asked for.
        let wanted = matches!(self.modes.get(relative), Some(Mode::File | Mode::Link));
        let object = match wanted && !relative.contains('\n') {
            true => self.ask(relative).map(Arc::from),
            false => None,
        };
        if let Ok(mut known) = self.known.lock() {
            known.insert(relative.to_owned(), object.clone());
        }
        object
    }

    fn ask(&self, relative: &str) -> Option<Vec<u8>> {
        let mut pipe = self.process.lock().ok()?;
        pipe.to.write_all(format!("{}:{relative}\n", self.commit).as_bytes()).ok()?;
        pipe.to.flush().ok()?;
        let mut head = String::new();
        pipe.from.read_line(&mut head).ok()?;
        let mut words = head.trim_end().rsplit(' ');
        let size = words.next()?;
        if size == "missing" {
            return None;
        }
        let (size, kind) = (size.parse::<usize>().ok()?, words.next()?.to_owned());
        let mut bytes = vec![0; size];
        pipe.from.read_exact(&mut bytes).ok()?;
        let mut end = [0];
        pipe.from.read_exact(&mut end).ok()?;
        (kind == "blob").then_some(bytes)
    }

    /// Returns the mode of a path; the root is a folder.
    fn mode(&self, relative: &str) -> Option<Mode> {
        match relative {
            "" => Some(Mode::Folder),
            _ => self.modes.get(relative).copied(),
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

impl Drop for GitTree {
    fn drop(&mut self) {
        if let Ok(pipe) = self.process.get_mut() {
            // It ends by itself when its input ends; it isn't waited for if it doesn't.
            drop(pipe.process.kill());
            drop(pipe.process.wait());
        }
    }
}

/// Lists everything in a commit: the path and what it is. Names that aren't UTF-8 are left out.
fn listed(root: &Utf8Path, commit: &str) -> Result<Vec<(String, Mode)>, GitError> {
    let mut command = git(root);
    command.args(["ls-tree", "-r", "-t", "-z", commit]);
    let output = command.output().map_err(|source| GitError::NoGit { source })?;
    if !output.status.success() {
        return Err(GitError::Unlisted { commit: commit.to_owned() });
    }
    let line = |line: &[u8]| {
        let at = memchr::memchr(b'\t', line)?;
        let mode = match line.get(..6)? {
            b"040000" => Mode::Folder,
            b"120000" => Mode::Link,
            b"160000" => Mode::Submodule,
            _ => Mode::File,
        };
        Some((String::from_utf8(line[at + 1..].to_vec()).ok()?, mode))
    };
    Ok(output.stdout.split(|byte| *byte == 0).filter_map(line).collect())
}

fn node_of(mode: Mode) -> Node {
    match mode {
        Mode::File => Node::File,
        Mode::Folder | Mode::Submodule => Node::Folder,
        Mode::Link => Node::Link,
    }
}

impl Tree for GitTree {
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
            (Mode::File, Some(bytes)) => Ok(bytes.to_vec()),
            (Mode::Folder | Mode::Submodule, _) => Err(Unreadable::Folder),
            _ => Err(Unreadable::Missing),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests lay files out")]
mod tests {
    use super::*;

    fn repository() -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        std::fs::create_dir_all(root.join("docs/deep")).unwrap();
        std::fs::write(root.join("CLAUDE.md"), "one").unwrap();
        std::fs::write(root.join("docs/deep/a.md"), "a\n").unwrap();
        std::os::unix::fs::symlink("docs/deep", root.join("ln")).unwrap();
        std::os::unix::fs::symlink("../outside", root.join("out")).unwrap();
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
        run(&root, &["init", "-q", "-b", "main"]);
        commit(&root, "one");
        (temp, root)
    }

    fn run(root: &Utf8Path, args: &[&str]) {
        let mut command = git(root);
        command.args(["-c", "user.name=t", "-c", "user.email=t@t.test"]).args(args);
        assert!(command.status().unwrap().success(), "{args:?}");
    }

    fn commit(root: &Utf8Path, what: &str) {
        run(root, &["add", "-A"]);
        run(root, &["commit", "-q", "-m", what]);
    }

    #[test]
    fn a_commit_is_read_as_a_tree() {
        let (_temp, root) = repository();
        run(&root, &["checkout", "-q", "-b", "topic"]);
        std::fs::write(root.join("CLAUDE.md"), "two").unwrap();
        commit(&root, "two");
        let tree = GitTree::merge_base(&root, "main").unwrap();
        assert_eq!(tree.read(&root.join("CLAUDE.md")).unwrap(), b"one");
        assert_eq!(tree.read(&root.join("ln/a.md")).unwrap(), b"a\n");
        assert_eq!(tree.real(&root.join("ln/a.md")).unwrap().path, root.join("docs/deep/a.md"));
        assert_eq!(tree.node(&root.join("ln")), Ok(Node::Link));
        assert_eq!(tree.read(&root.join("out")), Err(Unreadable::Outside));
        assert_eq!(tree.read(&root.join("loop")), Err(Unreadable::Loop));
        assert_eq!(tree.read(&root.join("none")), Err(Unreadable::Missing));
        assert_eq!(tree.read(&root.join("docs")), Err(Unreadable::Folder));
        assert_eq!(tree.read(&root.join(".git/config")), Err(Unreadable::Missing));
        let names: Vec<_> =
            tree.list(&root).unwrap().into_iter().filter_map(|child| child.name).collect();
        assert_eq!(names, ["CLAUDE.md", "docs", "ln", "loop", "out"]);
        assert_eq!(tree.files().len(), 5);
    }

    #[test]
    fn what_git_does_not_know_is_an_error() {
        let (_temp, root) = repository();
        let error = |rev: &str| GitTree::merge_base(&root, rev).unwrap_err().to_string();
        assert_eq!(error("nowhere"), "git knows no revision `nowhere` here");
        assert_eq!(error("--help"), "git knows no revision `--help` here");
        run(&root, &["checkout", "-q", "--orphan", "other"]);
        commit(&root, "other");
        assert!(error("main").contains("have in common"));
        let empty = tempfile::tempdir().unwrap();
        let empty = Utf8Path::from_path(empty.path()).unwrap();
        assert!(matches!(GitTree::merge_base(empty, "main"), Err(GitError::NoRepository { .. })));
    }
}
