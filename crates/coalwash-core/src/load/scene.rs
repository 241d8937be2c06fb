//! What the load map is asked about: a folder, a home, and the settings in force.

use camino::{Utf8Path, Utf8PathBuf};

use rustc_hash::FxHashMap;

use super::git::Tracked;
use super::hosts::claude_code::settings::Settings;

/// One question: what would a session in this folder load?
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The physical working folder of the session.
    pub cwd: Utf8PathBuf,
    /// The user's home.
    pub home: Utf8PathBuf,
    /// The host's configuration folder, as the host names it.
    pub config: Utf8PathBuf,
    /// The organisation's folder.
    pub managed: Utf8PathBuf,
    /// The project: the root of the checkout, or where a marker stands.
    pub project: Utf8PathBuf,
    /// The checkout that `cwd` lies in.
    pub git: Option<Checkout>,
    /// The folder of the host's memory of this project.
    pub memory: Option<Utf8PathBuf>,
    /// What the settings say.
    pub settings: Settings,
    /// Whether the user approved imports from outside for this project.
    pub outside_approved: bool,
    /// Other projects of the host with the same folder name, or below this one.
    pub near: Vec<Utf8PathBuf>,
    /// Which files git tracks.
    pub tracked: Tracked,
    /// The model that the environment asks for.
    pub model: Option<String>,
    /// A variable in the environment that switches all instructions off.
    pub off_switch: Option<&'static str>,
    /// Characters of the list of skills that the environment asks for.
    pub listing_budget: Option<usize>,
    /// How often skills were used, weighted by age; keeps descriptions when the list is too long.
    pub skill_use: FxHashMap<String, u64>,
    /// Folders below `cwd` that hold instruction files, outermost first.
    pub nested: Vec<Utf8PathBuf>,
    /// Whether nothing outside the project can be seen, so that what seems missing there may be there.
    pub sealed: bool,
    /// Whether folders below `cwd` were left out of that search because git ignores them.
    pub ignored_below: bool,
}

/// A git checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// Its root: the folder that holds `.git`.
    pub root: Utf8PathBuf,
    /// The root of the main checkout, the same unless this is a linked worktree.
    pub main: Utf8PathBuf,
}

impl Scene {
    /// Returns whether `folder` belongs to a main checkout whose linked worktree we stand in.
    ///
    /// The host leaves the main checkout's shared files out then: the worktree has its own copies.
    pub fn shadowed_by_worktree(&self, folder: &Utf8Path) -> bool {
        self.git.as_ref().is_some_and(|git| {
            git.root != git.main
                && git.root.starts_with(&git.main)
                && folder.starts_with(&git.main)
                && !folder.starts_with(&git.root)
        })
    }

    /// Returns the folders from the root of the file system down to the working folder.
    pub fn folders(&self) -> Vec<Utf8PathBuf> {
        let mut out: Vec<_> = self.cwd.ancestors().map(Utf8Path::to_owned).collect();
        out.reverse();
        out
    }
}
