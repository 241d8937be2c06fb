//! What is wrong with a host's memory of a project.
//!
//! The index is all that a session is sent of it, so what the index does not name is never read, and
//! what it names in vain is looked for in vain. Pure: who else uses a folder, and which folders no
//! one uses any more, is found by the store and comes in as values.

mod index;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::map::{Entry, Kind, LoadMap, Origin, Owner, Tier, Unread};
use super::scene::Scene;
use super::tree::{Tree, Unreadable, resolved};
use index::Index;

/// Bytes of an index that are looked through; the host sends 25,000 characters of it.
const MOST_BYTES: usize = 4 << 20;
/// Names outside the memory's folder that are looked for on the disk.
const MOST_ELSEWHERE: usize = 2_000;

/// What is wrong; the code is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryTrouble {
    /// The host cuts the index.
    MemoryTooLong,
    /// Another project has the same folder.
    MemoryShared,
    /// The index names a file that isn't there.
    MemoryEntryMissing,
    /// No entry of the index names the file.
    MemoryFileUnnamed,
    /// The project whose memory it was is not there any more.
    MemoryLeftBehind,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryProblem {
    /// What.
    pub reason: MemoryTrouble,
    /// The file or folder in which it shows.
    pub path: Utf8PathBuf,
    /// The 1-based line, where one shows it.
    pub line: Option<usize>,
    /// The words there: the first line that isn't sent, the name that leads nowhere.
    pub text: Option<String>,
    /// The other project, or the one that is gone.
    pub project: Option<Utf8PathBuf>,
    /// The checkout whose removed worktree that project was.
    pub worktree_of: Option<Utf8PathBuf>,
    /// The record that names the project.
    pub seen_in: Option<Origin>,
    /// What to do, a sentence without a full stop.
    pub fix: String,
}

impl MemoryProblem {
    /// Says what is wrong with something, with nothing else known.
    pub fn new(reason: MemoryTrouble, path: impl Into<Utf8PathBuf>, fix: &str) -> Self {
        Self {
            reason,
            path: path.into(),
            line: None,
            text: None,
            project: None,
            worktree_of: None,
            seen_in: None,
            fix: fix.into(),
        }
    }
}

/// Looks for what is wrong with the index and the files beside it.
///
/// A name that could not be looked for is added to `unread`.
pub fn problems(
    map: &LoadMap,
    scene: &Scene,
    tree: &dyn Tree,
    unread: &mut Vec<Unread>,
) -> Vec<MemoryProblem> {
    let Some(folder) = &scene.memory else { return Vec::new() };
    let Some(index) = index(map) else { return Vec::new() };
    let mut out = Vec::new();
    out.extend(too_long(index));
    let bytes = match tree.read_start(&index.path, MOST_BYTES + 1) {
        Ok(bytes) => bytes,
        Err(why) => {
            unread.push(Unread::new(&index.path, format!("{why}, so its entries are not known")));
            return out;
        }
    };
    if bytes.len() > MOST_BYTES {
        unread.push(Unread::new(&index.path, "it is too large to look through its entries"));
        return out;
    }
    let text = String::from_utf8_lossy(&bytes);
    let named = Index::read(&text);
    let topics: Vec<(&Entry, &str)> = memory(map)
        .filter(|entry| entry.tier == Tier::OnRead)
        .filter_map(|entry| Some((entry, entry.path.file_name()?)))
        .collect();
    missing(&named, folder, &topics, index, scene, tree, unread, &mut out);
    let fix = "add a line that names it";
    for (topic, name) in &topics {
        if !named.names(name, &text) {
            let trouble = MemoryTrouble::MemoryFileUnnamed;
            out.push(MemoryProblem::new(trouble, &topic.path, fix));
        }
    }
    out
}

/// Returns the index of the host's memory.
pub fn index(map: &LoadMap) -> Option<&Entry> {
    memory(map).find(|entry| entry.tier == Tier::Always)
}

fn memory(map: &LoadMap) -> impl Iterator<Item = &Entry> {
    let is_memory = |entry: &&Entry| entry.kind == Kind::Memory && entry.owner == Owner::Personal;
    map.entries.iter().filter(is_memory)
}

/// Returns what the host cuts off an index.
fn too_long(index: &Entry) -> Option<MemoryProblem> {
    let cut = index.cut.as_ref()?;
    let fix = "shorten its entries to a line each";
    Some(MemoryProblem {
        line: cut.line,
        text: Some(cut.first_lost.clone()),
        ..MemoryProblem::new(MemoryTrouble::MemoryTooLong, &index.path, fix)
    })
}

#[expect(clippy::too_many_arguments, reason = "one caller")]
fn missing(
    named: &Index<'_>,
    folder: &Utf8Path,
    topics: &[(&Entry, &str)],
    index: &Entry,
    scene: &Scene,
    tree: &dyn Tree,
    unread: &mut Vec<Unread>,
    out: &mut Vec<MemoryProblem>,
) {
    let here: FxHashSet<&str> = topics.iter().map(|(_, name)| *name).collect();
    let mut seen = FxHashSet::default();
    let mut looked = 0;
    for entry in &named.entries {
        if here.contains(&*entry.target) || !seen.insert(&*entry.target) {
            continue;
        }
        looked += 1;
        if looked > MOST_ELSEWHERE {
            let why = format!("names behind the first {MOST_ELSEWHERE} were not looked for");
            unread.push(Unread::new(&index.path, why));
            break;
        }
        let from_home = entry.target.strip_prefix("~/").map(|rest| resolved(&scene.home, rest));
        // People also write paths as they look from the project.
        let places = match from_home {
            Some(path) => vec![path],
            None => vec![resolved(folder, &entry.target), resolved(&scene.project, &entry.target)],
        };
        match places.iter().map(|path| tree.real(path)).find(|it| *it != Err(Unreadable::Missing)) {
            Some(Ok(_)) => continue,
            Some(Err(why)) => {
                unread.push(Unread::new(&places[0], format!("{why}, but the memory names it")));
                continue;
            }
            None => {}
        }
        let other = here.iter().find(|name| name.eq_ignore_ascii_case(&entry.target));
        let fix = match other {
            Some(name) => format!("write `{name}`: names are case-sensitive"),
            None => "write the file, or take the entry out".to_owned(),
        };
        out.push(MemoryProblem {
            line: Some(entry.line),
            text: Some(entry.target.to_string()),
            ..MemoryProblem::new(MemoryTrouble::MemoryEntryMissing, &index.path, &fix)
        });
    }
}

#[cfg(test)]
mod tests;
