//! Who uses a folder of the host's memory, and whose project is gone.
//!
//! The name of such a folder can't be turned back into a path, so sessions are asked where they
//! began. Only the start of a few is read, and how many is part of the answer.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::git;
use coalwash_core::load::memory::{MemoryProblem, MemoryTrouble};
use coalwash_core::load::slug::slug;
use coalwash_core::load::tree::Tree;
use coalwash_core::load::{Origin, Scene, Unread, Unreadable};
use coalwash_core::transcripts::claude_code::Record;
use coalwash_core::transcripts::{Piece, pieces};

use crate::disk::{read_file, unreadable};

/// Bytes of a transcript that are read to learn where it began.
const HEAD_BYTES: u64 = 64 * 1024;
/// Sessions of a folder that are asked.
const MOST_SESSIONS: usize = 4;
/// The same where many projects are looked at: the host's list names most, at no further cost.
const MOST_OF_MANY: usize = 2;
/// Folders of the host that are looked into because what they belong to lies below a project.
const MOST_BELOW: usize = 64;
/// Linked worktrees of a checkout that are looked at.
const MOST_WORKTREES: usize = 64;

/// What sessions say of the memory of a project.
#[derive(Clone, Debug, Default)]
pub struct MemoryUse {
    /// Who shares it, and what was left behind below the project.
    pub problems: Vec<MemoryProblem>,
    /// Sessions in its folder.
    pub sessions: usize,
    /// How many of them were asked where they began.
    pub asked: usize,
    /// What could not be looked at.
    pub unread: Vec<Unread>,
}

/// Asks who else uses the memory of a scene, and, where `below` is set, looks for memory of what was
/// once below it.
pub fn memory_use(tree: &dyn Tree, scene: &Scene, below: bool) -> MemoryUse {
    let mut out = MemoryUse::default();
    let key = scene.git.as_ref().map_or(&scene.cwd, |git| &git.main);
    let projects = scene.config.join("projects");
    let own = slug(key);
    let folder = projects.join(&own);
    // A folder from the settings is meant to be shared.
    if scene.memory.as_deref().is_none_or(|memory| memory.parent() != Some(&folder)) {
        return out;
    }
    let most = if below { MOST_SESSIONS } else { MOST_OF_MANY };
    let asked = Asked::of(&folder, most, &mut out.unread);
    (out.sessions, out.asked) = (asked.sessions, asked.asked);
    let listed = scene.near.iter().map(|cwd| Began { cwd: cwd.clone(), seen_in: None });
    let mut seen = Vec::new();
    for began in asked.began.into_iter().chain(listed) {
        let uses_it =
            || slug(&began.cwd) == own && began.cwd != *key && shares(tree, &began.cwd, key);
        if !seen.contains(&began.cwd) && uses_it() {
            seen.push(began.cwd.clone());
            let fix = "give one of the two folders another name, or set `autoMemoryDirectory`";
            out.problems.push(MemoryProblem {
                project: Some(began.cwd),
                seen_in: began.seen_in,
                ..MemoryProblem::new(MemoryTrouble::MemoryShared, folder.join("memory"), fix)
            });
        }
    }
    if below {
        left_below(scene, key, &own, &projects, &mut out);
    }
    out
}

/// Returns whether sessions in a folder that has the same name for the host use the same memory.
fn shares(tree: &dyn Tree, cwd: &Utf8Path, key: &Utf8Path) -> bool {
    let Ok(real) = tree.real(cwd) else { return false };
    let main = git::checkout(tree, &real.path).map_or(real.path, |checkout| checkout.main);
    // The one that moved and kept its name by chance took its memory along.
    main != key && slug(&main) == slug(key)
}

/// Looks for memory of folders and worktrees of this project that are gone.
fn left_below(scene: &Scene, key: &Utf8Path, own: &str, projects: &Utf8Path, out: &mut MemoryUse) {
    let worktrees = Worktrees::of(key);
    // Those that the host lists: to list its folders takes as long as there are many.
    let known = scene.near.iter().chain(worktrees.0.iter().map(|(path, _)| path));
    let mut names: Vec<String> = known.clone().map(|path| slug(path)).collect();
    names.retain(|name| name != own);
    names.sort();
    names.dedup();
    if names.len() > MOST_BELOW {
        let why = format!(
            "of {} folders below this project only {MOST_BELOW} were looked for",
            names.len()
        );
        out.unread.push(Unread::new(projects, why));
    }
    for name in names.into_iter().take(MOST_BELOW) {
        let folder = projects.join(&name);
        if !has_memory(&folder) {
            continue;
        }
        let mut began = Asked::of(&folder, MOST_SESSIONS, &mut out.unread).began;
        began.extend(known.clone().map(|cwd| Began { cwd: cwd.clone(), seen_in: None }));
        began.retain(|began| slug(&began.cwd) == name);
        let is_ours = |began: &Began| {
            began.cwd.starts_with(key) || worktrees.main_of(&began.cwd).is_some_and(|m| m == key)
        };
        if began.iter().all(is_ours) {
            out.problems.extend(left_behind(&folder, &began, &worktrees));
        }
    }
}

/// Returns what is to be said of a folder with memory, where every project that used it is gone.
pub(super) fn left_behind(
    folder: &Utf8Path,
    began: &[Began],
    worktrees: &Worktrees,
) -> Option<MemoryProblem> {
    let first = began.first().filter(|_| !began.iter().any(|began| began.cwd.is_dir()))?;
    let worktree_of = worktrees.main_of(&first.cwd);
    let fix = match &worktree_of {
        Some(_) => "copy what you need to the memory of its checkout",
        None => "if it moved, copy the files to the memory of its new place",
    };
    Some(MemoryProblem {
        project: Some(first.cwd.clone()),
        worktree_of,
        seen_in: first.seen_in.clone(),
        ..MemoryProblem::new(MemoryTrouble::MemoryLeftBehind, folder.join("memory"), fix)
    })
}

/// A folder in which a session began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Began {
    /// The folder.
    pub(super) cwd: Utf8PathBuf,
    /// The record that says so; `None` where the host's list of projects does.
    pub(super) seen_in: Option<Origin>,
}

/// The answers of the sessions in one folder.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Each place once.
    pub(super) began: Vec<Began>,
    sessions: usize,
    asked: usize,
}

impl Asked {
    /// Asks the sessions of a folder, at most `most`. Their names are by chance, so the first and
    /// the last by name are as good as any.
    pub(super) fn of(folder: &Utf8Path, most: usize, unread: &mut Vec<Unread>) -> Self {
        let mut files = match names(folder, |kind| kind.is_file()) {
            Ok(files) => files,
            Err(Unreadable::Missing) => return Self::default(),
            Err(why) => {
                unread.push(Unread::new(folder, format!("{why}, so its sessions are not known")));
                return Self::default();
            }
        };
        files.retain(|name| name.ends_with(".jsonl"));
        files.sort();
        let mut out = Self { sessions: files.len(), ..Self::default() };
        let skip = files.len().saturating_sub(most);
        let asked = files.iter().take(most / 2).chain(files.iter().skip(most / 2 + skip));
        for name in asked {
            out.asked += 1;
            let Some(began) = first_cwd(&folder.join(name)) else { continue };
            if out.began.iter().all(|known| known.cwd != began.cwd) {
                out.began.push(began);
            }
        }
        out
    }
}

/// Returns where a session began: later records follow the shell's `cd`.
pub(super) fn first_cwd(file: &Utf8Path) -> Option<Began> {
    let bytes = read_file(file, HEAD_BYTES).ok()?;
    pieces(&bytes).find_map(|piece| {
        let Piece::Record { json, line, .. } = piece else { return None };
        let cwd = Utf8PathBuf::from(Record::parse(&json).ok()?.cwd?.into_owned());
        let seen_in = Some(Origin { path: file.to_owned(), line });
        cwd.is_absolute().then_some(Began { cwd, seen_in })
    })
}

/// Returns whether a folder of the host holds memory.
pub(super) fn has_memory(folder: &Utf8Path) -> bool {
    if folder.join("memory/MEMORY.md").is_file() {
        return true;
    }
    let files = names(&folder.join("memory"), |kind| kind.is_file());
    files.is_ok_and(|files| files.iter().any(|name| name.ends_with(".md")))
}

/// Lists the names in a folder of which the kind is right; those that aren't UTF-8 are left out.
fn names(
    folder: &Utf8Path,
    is_it: impl Fn(std::fs::FileType) -> bool,
) -> Result<Vec<String>, Unreadable> {
    let listing = std::fs::read_dir(folder).map_err(|e| unreadable(&e))?;
    let right = listing.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        entry.file_type().is_ok_and(&is_it).then_some(name)
    });
    Ok(right.collect())
}

/// Linked worktrees, with the root of each one's main checkout.
#[derive(Debug, Default)]
pub(super) struct Worktrees(Vec<(Utf8PathBuf, Utf8PathBuf)>);

impl Worktrees {
    /// Reads which worktrees git knows of a checkout; those that are gone stay listed for a while.
    pub(super) fn of(main: &Utf8Path) -> Self {
        let mut out = Self::default();
        out.add(main);
        out
    }

    /// Adds those of another checkout.
    pub(super) fn add(&mut self, main: &Utf8Path) {
        let folder = main.join(".git/worktrees");
        let names = names(&folder, |kind| kind.is_dir()).unwrap_or_default();
        for name in names.into_iter().take(MOST_WORKTREES) {
            let Ok(bytes) = read_file(&folder.join(name).join("gitdir"), 4096) else { continue };
            let Ok(text) = String::from_utf8(bytes) else { continue };
            let dot_git = Utf8Path::new(text.trim_end());
            if let Some(path) = dot_git.parent().filter(|path| path.is_absolute()) {
                self.0.push((path.to_owned(), main.to_owned()));
            }
        }
    }

    /// Returns the checkout of which a folder that is gone was a worktree, as far as git or the place
    /// says so.
    ///
    /// The host makes its own in `.claude/worktrees`.
    /// Source: <https://code.claude.com/docs/en/worktrees>, read 2026-12-01.
    fn main_of(&self, cwd: &Utf8Path) -> Option<Utf8PathBuf> {
        let known = self.0.iter().find(|(path, _)| cwd.starts_with(path));
        let by_place = || {
            let (root, _) = cwd.as_str().split_once("/.claude/worktrees/")?;
            Some(Utf8PathBuf::from(root)).filter(|root| root.join(".git").exists())
        };
        known.map(|(_, main)| main.clone()).or_else(by_place)
    }
}

#[cfg(test)]
mod tests;
