//! Files that differ between a commit and the working tree or the index, by way of `git`.

use camino::{Utf8Path, Utf8PathBuf};

use crate::disk::read_file;
use crate::load::{GitError, common, git};

/// Bytes of a file that are read: more than the gate takes, so that it can say so.
const MOST_BYTES: u64 = 32 << 20;

/// What is compared with what.
#[derive(Clone, Copy, Debug)]
pub enum Between<'a> {
    /// The commit that a revision and `HEAD` have in common, with the working tree.
    Base(&'a str),
    /// `HEAD`, with what is staged.
    Staged,
}

/// One file on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path before, relative to the root; none where it is new.
    pub old_path: Option<Utf8PathBuf>,
    /// Its path now; none where it is gone.
    pub new_path: Option<Utf8PathBuf>,
    /// What it said.
    pub old: Vec<u8>,
    /// What it says.
    pub new: Vec<u8>,
    /// Why a side is not compared: a link, a submodule, a file that could not be read.
    pub unread: Option<String>,
}

/// What differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The commit that was compared with; none before the first commit.
    pub commit: Option<String>,
    /// The files, by path.
    pub files: Vec<Change>,
    /// Values of the trailer `Coalwash-Ok:` of the commits since.
    pub accepted: Vec<String>,
}

/// Returns the files that `wanted` names and that differ.
///
/// # Errors
/// When there is no repository or no such commit, or `git` can't be run or fails.
pub fn changes(
    root: &Utf8Path,
    between: Between<'_>,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Changes, GitError> {
    let commit = match between {
        Between::Base(rev) => common(root, rev)?,
        Between::Staged => {
            let head = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
            match text(root, &head) {
                Ok(head) => head.trim().to_owned(),
                // Nothing was there before the first commit, so nothing can be lost.
                Err(GitError::Failed { .. }) if text(root, &["rev-parse", "--git-dir"]).is_ok() => {
                    return Ok(Changes::default());
                }
                Err(GitError::Failed { .. }) => {
                    return Err(GitError::NoRepository { root: root.to_owned() });
                }
                Err(other) => return Err(other),
            }
        }
    };
    let mut args =
        vec!["diff", "--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", "--no-textconv"];
    if matches!(between, Between::Staged) {
        args.push("--cached");
    }
    args.extend(["--end-of-options", &commit, "--"]);
    let listed = bytes(root, &args)?;
    let mut files = Vec::new();
    for raw in parse(&listed) {
        let old_path = raw.old_path.filter(|path| wanted(path));
        let new_path = raw.new_path.filter(|path| wanted(path));
        if old_path.is_none() && new_path.is_none() {
            continue;
        }
        files.push(change(root, between, &raw.modes, &raw.ids, old_path, new_path));
    }
    let accepted = match between {
        Between::Staged => Vec::new(),
        Between::Base(_) => {
            let format = "--format=%(trailers:key=Coalwash-Ok,valueonly,separator=%x0A)";
            let range = format!("{commit}..HEAD");
            let said = text(root, &["log", format, "--end-of-options", &range]).unwrap_or_default();
            said.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        }
    };
    files.sort_by(|a, b| (&a.old_path, &a.new_path).cmp(&(&b.old_path, &b.new_path)));
    Ok(Changes { commit: Some(commit), files, accepted })
}

fn change(
    root: &Utf8Path,
    between: Between<'_>,
    modes: &[String; 2],
    ids: &[String; 2],
    old_path: Option<String>,
    new_path: Option<String>,
) -> Change {
    let mut unread = None;
    let is_file = |mode: &str| mode.starts_with("100");
    let mut blob = |id: &str| match bytes(root, &["cat-file", "blob", id]) {
        Ok(bytes) => bytes,
        Err(error) => {
            unread = Some(error.to_string());
            Vec::new()
        }
    };
    let old = match &old_path {
        Some(_) if is_file(&modes[0]) => blob(&ids[0]),
        _ => Vec::new(),
    };
    let new = match &new_path {
        Some(_) if !is_file(&modes[1]) => Vec::new(),
        None => Vec::new(),
        Some(_) if matches!(between, Between::Staged) => blob(&ids[1]),
        Some(path) => match read_file(&root.join(path), MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(why) => {
                unread = Some(format!("{path}: {why}"));
                Vec::new()
            }
        },
    };
    for (mode, path) in modes.iter().zip([&old_path, &new_path]) {
        if let Some(path) = path
            && !is_file(mode)
        {
            let kind = if mode == "120000" { "a link" } else { "no file" };
            unread.get_or_insert_with(|| format!("{path} is {kind}"));
        }
    }
    Change {
        old_path: old_path.map(Utf8PathBuf::from),
        new_path: new_path.map(Utf8PathBuf::from),
        old,
        new,
        unread,
    }
}

/// One record of `git diff --raw -z`.
#[derive(Debug, PartialEq, Eq)]
struct Raw {
    modes: [String; 2],
    ids: [String; 2],
    old_path: Option<String>,
    new_path: Option<String>,
}

/// Parses `:MODE MODE ID ID STATUS NUL PATH NUL [PATH NUL]`; a path that isn't UTF-8 is passed over,
/// as no host file has one.
fn parse(listed: &[u8]) -> Vec<Raw> {
    let mut parts = listed.split(|b| *b == 0);
    let mut out = Vec::new();
    while let Some(head) = parts.next().filter(|head| head.first() == Some(&b':')) {
        let head = String::from_utf8_lossy(&head[1..]).into_owned();
        let fields: Vec<&str> = head.split(' ').collect();
        let [mode, new_mode, id, new_id, status] = fields[..] else { break };
        let path = |part: Option<&[u8]>| String::from_utf8(part?.to_vec()).ok();
        let first = path(parts.next());
        let renamed = status.starts_with(['R', 'C']);
        let second = if renamed { path(parts.next()) } else { first.clone() };
        let copied = status.starts_with('C');
        out.push(Raw {
            modes: [mode.to_owned(), new_mode.to_owned()],
            ids: [id.to_owned(), new_id.to_owned()],
            old_path: first.filter(|_| !status.starts_with('A') && !copied),
            new_path: second.filter(|_| !status.starts_with('D')),
        });
    }
    out
}

fn bytes(root: &Utf8Path, args: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = git(root).args(args).output().map_err(|source| GitError::NoGit { source })?;
    if !output.status.success() {
        return Err(GitError::Failed { what: args[0].to_owned() });
    }
    Ok(output.stdout)
}

fn text(root: &Utf8Path, args: &[&str]) -> Result<String, GitError> {
    Ok(String::from_utf8_lossy(&bytes(root, args)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_parsed() {
        let listed = b":100644 100644 aa bb M\0CLAUDE.md\0:000000 100644 00 cc A\0n.md\0:100644 000000 dd 00 D\0o.md\0:100644 100644 ee ff R087\0a.md\0b.md\0";
        let said: Vec<(Option<String>, Option<String>)> =
            parse(listed).into_iter().map(|raw| (raw.old_path, raw.new_path)).collect();
        let path = |path: &str| Some(path.to_owned());
        assert_eq!(
            said,
            [
                (path("CLAUDE.md"), path("CLAUDE.md")),
                (None, path("n.md")),
                (path("o.md"), None),
                (path("a.md"), path("b.md")),
            ]
        );
        assert_eq!(parse(b"").len(), 0);
        assert_eq!(parse(b":100644 x\0").len(), 0);
    }
}
