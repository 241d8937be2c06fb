//! Makes the scene of a folder for hosts that look for files by name, and the maps of a repository.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::check::HostMap;
use coalwash_core::load::git::{self, Tracked};
use coalwash_core::load::hosts::claude_code::settings::{InstructionFiles, Settings};
use coalwash_core::load::hosts::claude_code::table;
use coalwash_core::load::hosts::{Host, codex, gemini, opencode};
use coalwash_core::load::tree::Tree;
use coalwash_core::load::{Checkout, LoadMap, Opening, Scene, Unread, load_map, project};
use coalwash_core::text::Estimator;
use rustc_hash::FxHashSet;

use super::discover::tracked;
use super::nested::nested;

/// A host besides Claude Code, and what the environment says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// Codex.
    Codex,
    /// Gemini CLI, and whether the environment says that the folder is trusted.
    Gemini(Option<bool>),
    /// OpenCode.
    OpenCode(Box<opencode::Switches>),
}

impl Other {
    /// All of them, with nothing set in the environment.
    pub fn all() -> [Self; 3] {
        [Self::Codex, Self::Gemini(None), Self::OpenCode(Box::default())]
    }

    /// Returns the host.
    pub fn host(&self) -> Host {
        match self {
            Self::Codex => codex::HOST,
            Self::Gemini(_) => gemini::HOST,
            Self::OpenCode(_) => opencode::HOST,
        }
    }

    /// Returns the tokens of its models' window.
    pub fn window_tokens(&self) -> u64 {
        match self {
            Self::Codex => codex::WINDOW_TOKENS,
            Self::Gemini(_) => gemini::WINDOW_TOKENS,
            Self::OpenCode(_) => opencode::WINDOW_TOKENS,
        }
    }

    /// Names of files that a folder below may have, which a session gets once it opens a file there.
    fn nested_names(&self) -> &'static [&'static str] {
        match self {
            Self::Codex => &[],
            Self::Gemini(_) => &["GEMINI.md"],
            Self::OpenCode(_) => &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
        }
    }

    /// Works out what a session loads.
    pub fn load_map(&self, scene: &Scene, tree: &dyn Tree, estimator: &dyn Estimator) -> LoadMap {
        match self {
            Self::Codex => codex::load_map(scene, tree, estimator),
            Self::Gemini(trusted) => gemini::load_map(scene, *trusted, tree, estimator),
            Self::OpenCode(switches) => opencode::load_map(scene, switches, tree, estimator),
        }
    }

    /// Works out what files add that one session opens one after another.
    pub fn openings(
        &self,
        scene: &Scene,
        tree: &dyn Tree,
        estimator: &dyn Estimator,
        files: &[Utf8PathBuf],
    ) -> Vec<Opening> {
        match self {
            Self::Codex => files.iter().map(|_| Opening::default()).collect(),
            Self::Gemini(trusted) => gemini::openings(scene, *trusted, tree, estimator, files),
            Self::OpenCode(switches) => opencode::openings(scene, switches, tree, estimator, files),
        }
    }
}

/// Where a host's own files lie.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The physical working folder of the session.
    pub cwd: Utf8PathBuf,
    /// The home, as the host sees it.
    pub home: Utf8PathBuf,
    /// The host's configuration folder.
    pub config: Utf8PathBuf,
    /// The system's folder for it.
    pub managed: Utf8PathBuf,
    /// Whether to look for files below the working folder.
    pub look_below: bool,
    /// Whether it is asked whose a file is, for which git's index is read.
    pub owners: bool,
}

/// Makes the scene, and says what could not be looked into.
pub fn scene_of(tree: &dyn Tree, other: &Other, places: &Places) -> (Scene, Vec<Unread>) {
    let mut notes = Vec::new();
    let checkout = git::checkout(tree, &places.cwd);
    let project = project::root(tree, &places.cwd, &places.home, &places.config, checkout.as_ref());
    let tracked = match checkout.as_ref().filter(|_| places.owners) {
        Some(checkout) => tracked(tree, checkout, &mut notes),
        None => Tracked::NoGit,
    };
    let names = other.nested_names();
    let mut scene = Scene {
        cwd: places.cwd.clone(),
        home: places.home.clone(),
        config: places.config.clone(),
        managed: places.managed.clone(),
        project,
        tracked,
        ..Scene::default()
    };
    if places.look_below && !names.is_empty() {
        let below = nested(&places.cwd, names, checkout.as_ref());
        if below.stopped {
            let why = format!("folders below it were searched up to the first {}", below.entered);
            notes.push(Unread::new(&places.cwd, why));
        }
        scene.ignored_below = below.ignored > 0;
        scene.nested = below.folders;
        notes.extend(below.unread);
    }
    scene.git = checkout;
    (scene, notes)
}

/// A home that is nowhere.
const NO_HOME: &str = "/coalwash-no-home";

/// Works out what every host loads of a repository alone, for a session at its root: no home, no
/// system, no approval. The newest table of each host is taken, whatever is installed.
pub fn repository_maps(
    tree: &dyn Tree,
    root: &Utf8Path,
    files: &[String],
    estimator: &dyn Estimator,
) -> Vec<HostMap> {
    let home = Utf8PathBuf::from(NO_HOME);
    let profile = table::profile(None);
    let settings =
        Settings::read(tree, &home, &home.join(".claude"), root, None, &home.join("managed"));
    let nested: Vec<Utf8PathBuf> = folders_with(files, root, &|name| {
        let first = |row: &coalwash_core::load::hosts::Surface| {
            row.name.split('/').next().unwrap_or(row.name)
        };
        profile.touch.iter().any(|row| first(row) == name)
    });
    let checkout = Checkout { root: root.to_owned(), main: root.to_owned() };
    let scene = |config: &str, nested: Vec<Utf8PathBuf>| Scene {
        cwd: root.to_owned(),
        home: home.clone(),
        config: home.join(config),
        managed: home.join("managed"),
        project: root.to_owned(),
        git: Some(checkout.clone()),
        sealed: true,
        nested,
        ..Scene::default()
    };
    let fragile = settings.instruction_files == InstructionFiles::Either;
    let claude = Scene { settings, ..scene(".claude", nested) };
    let first = || HostMap {
        name: profile.name,
        map: load_map(&profile, &claude, tree, estimator),
        fragile,
    };
    let others = || -> Vec<HostMap> {
        let map = |other: Other| {
            let host = other.host();
            let names = other.nested_names();
            let nested = folders_with(files, root, &|name| names.contains(&name));
            let map = other.load_map(&scene(host.id, nested), tree, estimator);
            HostMap { name: host.name, map, fragile: false }
        };
        Other::all().into_iter().map(map).collect()
    };
    // A thread costs about as much as reading ten files.
    let (first, others) = match files.len() > MANY_FILES {
        true => std::thread::scope(|scope| {
            let others = scope.spawn(others);
            (first(), others.join())
        }),
        false => (first(), Ok(others())),
    };
    let others = others.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    std::iter::once(first).chain(others).collect()
}

/// Files of a repository above which the hosts are asked on two threads.
const MANY_FILES: usize = 200;

/// Returns the folders below the root in which a name stands, outermost first.
fn folders_with(
    files: &[String],
    root: &Utf8Path,
    wanted: &dyn Fn(&str) -> bool,
) -> Vec<Utf8PathBuf> {
    let mut found: FxHashSet<&str> = FxHashSet::default();
    for file in files {
        let mut at = 0;
        while let Some(step) = file[at..].find('/') {
            let start = at + step + 1;
            let name = file[start..].split('/').next().unwrap_or_default();
            if wanted(name) {
                found.insert(&file[..start - 1]);
                break;
            }
            at = start;
        }
    }
    let mut out: Vec<Utf8PathBuf> = found.into_iter().map(|folder| root.join(folder)).collect();
    out.sort();
    out
}
