//! The projects that a host has left records of.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::git;
use coalwash_core::load::memory::MemoryProblem;
use coalwash_core::load::slug::slug;
use coalwash_core::load::{Unread, Unreadable};
use coalwash_core::text::escape::escaped_bytes;
use rustc_hash::FxHashMap;

use super::memory::{Asked, Began, Worktrees, first_cwd, has_memory, left_behind};
use crate::disk::{DiskTree, read_file, unreadable};
use crate::transcripts::newest_first;

/// Sessions that are asked where a project is, newest first.
const MOST_SESSIONS: usize = 3;
/// Sessions that are asked before memory is said to be left behind.
const MOST_ASKED: usize = 8;
/// Checkouts whose worktrees are looked at.
const MOST_CHECKOUTS: usize = 200;

/// A folder that a host keeps for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProject {
    /// The host's folder.
    pub folder: Utf8PathBuf,
    /// The working folder that its newest session names; `None` where nothing names one.
    pub cwd: Option<Utf8PathBuf>,
    /// Whether that folder is still there.
    pub exists: bool,
    /// Whether the host keeps memory there.
    pub has_memory: bool,
    /// What is to be said of that memory where the project is gone.
    pub left_behind: Option<MemoryProblem>,
}

/// Lists the folders below `<config>/projects`, by name.
///
/// Their names can't be turned back into paths, so the newest session is asked, and the host's list
/// of projects in the file `state`. What can't be listed is added to `unread`.
pub fn known_projects(
    config: &Utf8Path,
    state: &Utf8Path,
    unread: &mut Vec<Unread>,
) -> Vec<KnownProject> {
    let top = config.join("projects");
    let listing = match std::fs::read_dir(&top) {
        Ok(listing) => listing,
        Err(e) => {
            let why = unreadable(&e);
            if why != Unreadable::Missing {
                unread.push(Unread::new(top, format!("{why}, so projects are not known")));
            }
            return Vec::new();
        }
    };
    let folders = listing.flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
    let mut folders: Vec<_> = folders
        .filter_map(|e| match Utf8PathBuf::from_path_buf(e.path()) {
            Ok(path) => Some(path),
            Err(path) => {
                let path = escaped_bytes(path.as_os_str().as_encoded_bytes());
                unread.push(Unread::new(path, "its name is not UTF-8"));
                None
            }
        })
        .collect();
    folders.sort();
    let mut out: Vec<_> = folders.into_iter().map(|folder| known(folder, unread)).collect();
    if out.iter().all(|it| it.exists) {
        return out;
    }
    // Before a project is said to be gone or unknown, everything else that may name it is asked.
    let listed = listed(state);
    let mut gone = Vec::new();
    for (at, project) in out.iter_mut().enumerate().filter(|(_, it)| !it.exists) {
        let name = project.folder.file_name().unwrap_or_default();
        let mut began = Vec::new();
        if project.has_memory {
            began = Asked::of(&project.folder, MOST_ASKED, unread).began;
        }
        began.extend(listed.get(name).into_iter().flatten().cloned());
        let here = began.iter().find(|began| began.cwd.is_dir());
        project.exists = here.is_some();
        let cwd = here.or_else(|| began.first()).map(|began| began.cwd.clone());
        project.cwd = if project.exists { cwd } else { project.cwd.take().or(cwd) };
        if project.has_memory && !project.exists {
            gone.push((at, began));
        }
    }
    if !gone.is_empty() {
        let worktrees = worktrees(&out);
        for (at, began) in gone {
            out[at].left_behind = left_behind(&out[at].folder, &began, &worktrees);
        }
    }
    out
}

fn known(folder: Utf8PathBuf, unread: &mut Vec<Unread>) -> KnownProject {
    let files = newest_first(&folder, unread);
    let began = files.into_iter().take(MOST_SESSIONS).find_map(|(_, file)| first_cwd(&file));
    let cwd = began.map(|began| began.cwd);
    KnownProject {
        exists: cwd.as_ref().is_some_and(|cwd| cwd.is_dir()),
        has_memory: has_memory(&folder),
        cwd,
        folder,
        left_behind: None,
    }
}

/// Reads the host's list of projects, by the folder that each of them has.
fn listed(state: &Utf8Path) -> FxHashMap<String, Vec<Began>> {
    #[derive(serde::Deserialize)]
    struct State {
        #[serde(default)]
        projects: FxHashMap<String, serde::de::IgnoredAny>,
    }
    let mut out: FxHashMap<String, Vec<Began>> = FxHashMap::default();
    let bytes = read_file(state, u64::MAX).unwrap_or_default();
    let Ok(state) = serde_json::from_slice::<State>(&bytes) else { return out };
    let mut paths: Vec<_> = state.projects.into_keys().map(Utf8PathBuf::from).collect();
    paths.retain(|path| path.is_absolute());
    paths.sort();
    for cwd in paths {
        out.entry(slug(&cwd)).or_default().push(Began { cwd, seen_in: None });
    }
    out
}

/// Asks git of the projects that are there which worktrees they have, or had.
fn worktrees(projects: &[KnownProject]) -> Worktrees {
    let tree = DiskTree::default();
    let there = projects.iter().filter(|it| it.exists).filter_map(|it| it.cwd.as_ref());
    let mains = there.take(MOST_CHECKOUTS).filter_map(|cwd| git::checkout(&tree, cwd));
    let mut mains: Vec<_> = mains.map(|checkout| checkout.main).collect();
    mains.sort();
    mains.dedup();
    let mut out = Worktrees::default();
    for main in mains {
        out.add(&main);
    }
    out
}
