//! The texts that are compared: files that were named, or what git has.

use std::collections::BTreeSet;
use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::Config;
use coalwash_core::load::{Entry, git, project};
use coalwash_core::text::FamilyFactor;
use coalwash_store::config::repository_files;
use coalwash_store::disk::{DiskTree, read_file};
use coalwash_store::load::{Fence, GitError, GitTree, repository_maps};
use coalwash_store::wash::{Between, Change, changes};

use super::Accepted;
use crate::cli::DiffArgs;
use crate::exit::Failure;

/// Bytes of a file that are read: more than the gate takes, so that it can say so.
const MOST_BYTES: u64 = 32 << 20;

/// The texts, with what holds for them.
#[derive(Default)]
pub(super) struct Sides {
    pub(super) pairs: Vec<Pair>,
    pub(super) unread: Vec<(String, String)>,
    pub(super) accepted: Vec<Accepted>,
    /// `keep` of the repository's configuration.
    pub(super) keep: Vec<String>,
    pub(super) base: Option<String>,
}

/// Old texts, and the new one, each with its name.
pub(super) struct Pair {
    pub(super) old: Vec<(Utf8PathBuf, String)>,
    pub(super) new: (Utf8PathBuf, String),
}

/// Reads what `args` names.
pub(super) fn read(folder: &Utf8Path, args: &DiffArgs) -> Result<Sides, Failure> {
    let root = root(folder);
    let files = repository_files(&root);
    let keep = Config::of(&files).texts("keep");
    let between = match (&args.base, args.staged) {
        (Some(rev), _) => Between::Base(rev),
        (None, true) => Between::Staged,
        (None, false) => return named(folder, &root, args, keep),
    };
    let wanted: BTreeSet<String> = match args.paths.is_empty() {
        true => loaded(&root, args.base.as_deref()),
        false => {
            args.paths.iter().map(|path| relative(folder, &root, path).into_string()).collect()
        }
    };
    let asked = !args.paths.is_empty();
    let wants = |path: &str| wanted.contains(path) || (!asked && is_memory(path));
    let found = changes(&root, between, &wants).map_err(|error| failure(&error, args))?;
    let mut sides = Sides {
        keep,
        base: found.commit,
        accepted: found.accepted.iter().map(|value| Accepted::read(value)).collect(),
        ..Sides::default()
    };
    for change in found.files {
        sides.add(change);
    }
    Ok(sides)
}

impl Sides {
    fn add(&mut self, change: Change) {
        let Change { old_path, new_path, old, new, unread } = change;
        let name = new_path.clone().or_else(|| old_path.clone()).unwrap_or_default();
        if let Some(why) = unread {
            self.unread.push((name.into_string(), why));
            return;
        }
        // A new file has lost nothing.
        let Some(old_path) = old_path else { return };
        match (decoded(old), decoded(new)) {
            (Ok(old), Ok(new)) => {
                let new_path = new_path.unwrap_or_else(|| old_path.clone());
                self.pairs.push(Pair { old: vec![(old_path, old)], new: (new_path, new) });
            }
            (Err(why), _) | (_, Err(why)) => self.unread.push((name.into_string(), why)),
        }
    }
}

/// Reads OLD… and NEW.
fn named(
    folder: &Utf8Path,
    root: &Utf8Path,
    args: &DiffArgs,
    keep: Vec<String>,
) -> Result<Sides, Failure> {
    let [old @ .., new] = &args.paths[..] else {
        return Err(usage("nothing to compare was named"));
    };
    if old.is_empty() {
        return Err(usage(&format!("only `{new}` was named")));
    }
    let text = |path: &Utf8Path| -> Result<String, Failure> {
        let bytes = if path == "-" {
            let mut bytes = Vec::new();
            let read = std::io::stdin().take(MOST_BYTES).read_to_end(&mut bytes);
            read.map_err(|error| Failure::io(format!("could not read standard input: {error}")))?;
            bytes
        } else {
            read_file(&folder.join(path), MOST_BYTES)
                .map_err(|why| usage(&format!("could not read `{path}`: {why}")))?
        };
        decoded(bytes).map_err(|why| usage(&format!("`{path}` {why}")))
    };
    let named = |path: &Utf8PathBuf| Ok((relative(folder, root, path), text(path)?));
    let old = old.iter().map(named).collect::<Result<Vec<_>, Failure>>()?;
    let pair = Pair { old, new: named(new)? };
    Ok(Sides { pairs: vec![pair], keep, ..Sides::default() })
}

fn usage(what: &str) -> Failure {
    Failure::usage(what, "coalwash diff OLD NEW, or `coalwash diff --base REV`")
}

/// Returns text, or why the bytes are none.
fn decoded(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("is UTF-16; save it as UTF-8".to_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        format!("is not UTF-8: byte {} is no text", error.utf8_error().valid_up_to() + 1)
    })
}

/// Returns the root of the repository that a folder lies in. No home is looked at.
fn root(folder: &Utf8Path) -> Utf8PathBuf {
    let tree = DiskTree::default();
    let checkout = git::checkout(&tree, folder);
    let nowhere = Utf8Path::new("/coalwash-no-home");
    project::root(&tree, folder, nowhere, nowhere, checkout.as_ref())
}

/// Returns a path as the repository names it, where it lies in it. `-` is no path.
fn relative(folder: &Utf8Path, root: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    if path == "-" {
        return path.to_owned();
    }
    let whole = folder.join(path);
    let path = path.strip_prefix("./").unwrap_or(path);
    whole.strip_prefix(root).map_or_else(|_| path.to_owned(), |path| path.to_owned())
}

/// Returns what any host loads of the repository, now or in the commit before.
fn loaded(root: &Utf8Path, base: Option<&str>) -> BTreeSet<String> {
    let factor = FamilyFactor::CLAUDE;
    let fence = Fence::new(root);
    let mut maps = repository_maps(&fence, root, &fence.files(), &factor);
    if let Some(tree) = base.and_then(|rev| GitTree::merge_base(&fence, rev).ok()) {
        maps.extend(repository_maps(&tree, root, &tree.files(), &factor));
    }
    let inside = |entry: &Entry| {
        let path = entry.target.as_deref().unwrap_or(&entry.path);
        path.strip_prefix(root).ok().map(|path| path.as_str().to_owned())
    };
    maps.iter().flat_map(|map| &map.map.entries).filter_map(inside).collect()
}

/// Returns whether a path is one of those where hosts look for instructions, loaded now or not.
fn is_memory(path: &str) -> bool {
    const NAMES: [&str; 7] = [
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        "AGENTS.override.md",
        "GEMINI.md",
        "MEMORY.md",
        "SKILL.md",
    ];
    const FOLDERS: [&str; 5] = [".claude/", ".codex/", ".gemini/", ".opencode/", ".agents/"];
    let name = path.rsplit('/').next().unwrap_or(path);
    let below = |folder: &&str| path.starts_with(*folder) || path.contains(&format!("/{folder}"));
    NAMES.contains(&name) || (path.ends_with(".md") && FOLDERS.iter().any(below))
}

fn failure(error: &GitError, args: &DiffArgs) -> Failure {
    let next = match error {
        GitError::NoRepository { .. } => "name two files, or a repository with `-C`".to_owned(),
        GitError::NoGit { .. } => "install git, or name two files".to_owned(),
        GitError::Shallow { .. } => {
            "fetch all of it: `fetch-depth: 0`, or `git fetch --unshallow`".to_owned()
        }
        GitError::NoBase { .. } => "fetch both branches, or name another base".to_owned(),
        _ => match &args.base {
            Some(rev) => format!("git fetch origin {rev}"),
            None => "git status".to_owned(),
        },
    };
    Failure::usage(error.to_string(), next)
}
