//! What `git` is asked, and what it answers.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::git::ObjectId;

use super::{GitError, Item, Mode};

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
        // A partial clone fetches what it lacks; a version that doesn't know the first has no way.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "")
        // What stands in place of an object here is there for no one else.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        // The repository is this one, or none.
        .env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root))
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

/// Returns the commit that a revision and `HEAD` have in common; without a commit yet, the revision.
pub(crate) fn common(root: &Utf8Path, rev: &str) -> Result<String, GitError> {
    let theirs = format!("{rev}^{{commit}}");
    let ours = "HEAD^{commit}";
    match said(git(root).args(["merge-base", "--end-of-options", &theirs, ours]))? {
        Some(common) => Ok(common),
        None => explained(root, rev),
    }
}

/// Asks one thing after another, to say what it is that there isn't.
fn explained(root: &Utf8Path, rev: &str) -> Result<String, GitError> {
    let verify = |rev: &str| {
        let name = format!("{rev}^{{commit}}");
        said(git(root).args(["rev-parse", "--quiet", "--verify", "--end-of-options", &name]))
    };
    if said(git(root).args(["rev-parse", "--git-dir"]))?.is_none() {
        return Err(GitError::NoRepository { root: root.to_owned() });
    }
    let is_shallow = || -> Result<bool, GitError> {
        let shallow = said(git(root).args(["rev-parse", "--is-shallow-repository"]))?;
        Ok(shallow.as_deref() == Some("true"))
    };
    let Some(base) = verify(rev)? else {
        let rev = rev.to_owned();
        return Err(match is_shallow()? {
            true => GitError::NoRevisionInShallow { rev },
            false => GitError::NoRevision { rev },
        });
    };
    // A branch without a commit yet adds everything.
    let Some(head) = verify("HEAD")? else { return Ok(base) };
    if let Some(common) = said(git(root).args(["merge-base", &base, &head]))? {
        return Ok(common);
    }
    let rev = rev.to_owned();
    Err(if is_shallow()? { GitError::Shallow { rev } } else { GitError::NoBase { rev } })
}

/// Lists all files of a commit: their path and what they are. Names that aren't UTF-8 are left out.
pub(super) fn listed(root: &Utf8Path, commit: &str) -> Result<Vec<(String, Item)>, GitError> {
    let output = git(root)
        .args(["ls-tree", "-r", "-z", commit])
        .output()
        .map_err(|source| GitError::NoGit { source })?;
    if !output.status.success() {
        return Err(GitError::Unlisted { commit: commit.to_owned() });
    }
    // `100644 blob ID<tab>PATH`
    let line = |line: &[u8]| {
        let at = memchr::memchr(b'\t', line)?;
        let mut words = line[..at].split(|byte| *byte == b' ');
        let mode = Mode::of_octal(words.next()?);
        let id = ObjectId::of_hex(words.nth(1)?)?;
        let path = String::from_utf8(line[at + 1..].to_vec()).ok()?;
        Some((path, Item { mode, id: Some(id), maybe_on_disk: true }))
    };
    Ok(output.stdout.split(|byte| *byte == 0).filter_map(line).collect())
}

/// Lists what differs between a commit and the index: the path, and what the commit has there.
///
/// `None` where it can't be told this way.
pub(super) fn changed(root: &Utf8Path, commit: &str) -> Option<Vec<(String, Option<Item>)>> {
    let output = git(root)
        .args(["diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames"])
        .args(["--no-ext-diff", "--ignore-submodules=none", commit, "--"])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let mut out = Vec::new();
    // `:MODE MODE ID ID STATUS<nul>PATH<nul>`, the commit's first.
    let mut fields = output.stdout.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    while let Some(head) = fields.next() {
        let path = fields.next()?;
        let mut words = head.strip_prefix(b":")?.split(|byte| *byte == b' ');
        let (mode, id) = (words.next()?, words.nth(1)?);
        let item = match words.nth(1)? {
            b"A" => None,
            b"D" | b"M" | b"T" => {
                let id = Some(ObjectId::of_hex(id)?);
                Some(Item { mode: Mode::of_octal(mode), id, maybe_on_disk: false })
            }
            _ => return None,
        };
        if let Ok(path) = String::from_utf8(path.to_vec()) {
            out.push((path, item));
        }
    }
    Some(out)
}

/// `git cat-file --batch`, started when it is first asked.
#[derive(Debug)]
pub(super) struct Blobs {
    root: Utf8PathBuf,
    pipe: Option<Pipe>,
}

#[derive(Debug)]
struct Pipe {
    process: Process,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// Bytes of requests that any pipe takes at once, whoever reads.
const ANY_PIPE: usize = 4_096;

impl Blobs {
    pub(super) fn new(root: &Utf8Path) -> Self {
        Self { root: root.to_owned(), pipe: None }
    }

    /// Returns the contents of blobs in their order, `None` for what git doesn't have.
    ///
    /// All requests are on their way before the first answer is waited for. After an error `git` is
    /// ended, and the next request starts another one.
    pub(super) fn ask(&mut self, ids: &[ObjectId]) -> io::Result<Vec<Option<Vec<u8>>>> {
        let mut pipe = match self.pipe.take() {
            Some(pipe) => pipe,
            None => Pipe::start(&self.root)?,
        };
        // Dropped on an error, which ends the process.
        let out = pipe.ask(ids)?;
        self.pipe = Some(pipe);
        Ok(out)
    }
}

impl Pipe {
    fn start(root: &Utf8Path) -> io::Result<Self> {
        let mut process = git(root)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let lost = || io::Error::other("it has no pipes");
        let to = process.stdin.take().ok_or_else(lost)?;
        let from = BufReader::new(process.stdout.take().ok_or_else(lost)?);
        Ok(Self { process, to, from })
    }

    fn ask(&mut self, ids: &[ObjectId]) -> io::Result<Vec<Option<Vec<u8>>>> {
        let requests: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let Self { process, to, from } = self;
        let mut answers = || ids.iter().map(|id| answer(from, *id)).collect();
        if requests.len() <= ANY_PIPE {
            to.write_all(requests.as_bytes())?;
            return answers();
        }
        // While git waits for its answers to be read it reads no requests, so one thread does each.
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| to.write_all(requests.as_bytes()));
            let out: io::Result<Vec<_>> = answers();
            if out.is_err() {
                // Whoever writes to it would wait forever otherwise.
                drop(process.kill());
            }
            match writer.join() {
                Ok(written) => out.and_then(|out| written.map(|()| out)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}

/// Reads one answer: `ID blob SIZE`, the bytes and a line end; or `ID missing`.
fn answer(from: &mut BufReader<ChildStdout>, id: ObjectId) -> io::Result<Option<Vec<u8>>> {
    let odd = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut head = String::new();
    from.read_line(&mut head)?;
    let Some(head) = head.strip_suffix('\n') else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    let rest = head.strip_prefix(&id.to_string()).ok_or_else(|| odd("another object"))?;
    if rest == " missing" {
        return Ok(None);
    }
    let size = rest.strip_prefix(" blob ").and_then(|size| size.parse::<usize>().ok());
    let size = size.ok_or_else(|| odd("no blob"))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| odd("too large for memory"))?;
    from.by_ref().take(size as u64).read_to_end(&mut bytes)?;
    let mut end = [0];
    from.read_exact(&mut end)?;
    if bytes.len() == size && end == *b"\n" { Ok(Some(bytes)) } else { Err(odd("another size")) }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // It ends by itself when its input ends; it isn't waited for if it doesn't.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
