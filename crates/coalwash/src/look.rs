//! Looks at one folder: everything that the screens and the JSON are made of.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::Config;
use coalwash_core::load::hosts::claude_code::{model_of, table};
use coalwash_core::load::hosts::{Host, Profile};
use coalwash_core::load::memory::{self, MemoryProblem};
use coalwash_core::load::observed::{Comparison, Observation};
use coalwash_core::load::repeats::Repeats;
use coalwash_core::load::tree::{Node, Tree as _, Unreadable, resolved};
use coalwash_core::load::{LoadMap, Opening, Scene, Unread, load_map, openings};
use coalwash_core::text::{Estimator as _, FamilyFactor, Tokens};
use coalwash_store::disk::{DiskTree, modified_ms};
use coalwash_store::load::{
    Ask, Installed, Other, Places, discover, installed, memory_use, scene_of,
};
use coalwash_store::transcripts::observe;

use crate::cli::Host as HostId;
use crate::env::Env;
use crate::exit::Failure;
use crate::judge::{self, Judged};
use crate::settings;
use crate::ui::Names;
use crate::when::parsed_ms;

/// How the tokens of this run are counted; calibration arrives with the ledger.
pub(crate) const ESTIMATOR: FamilyFactor = FamilyFactor::CLAUDE;

/// What was found in one folder for one host.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) host: Host,
    pub(crate) version: Version,
    pub(crate) scene: Scene,
    pub(crate) map: LoadMap,
    pub(crate) repeats: Repeats,
    pub(crate) check: Check,
    /// What is wrong with the host's memory; `None` where that was not looked for.
    pub(crate) memory: Option<Memory>,
    /// The verdict, where it could say something that nothing else here does.
    pub(crate) judged: Option<Judged>,
    /// Our own settings in this folder; those of Claude Code's folder only.
    pub(crate) config: Config,
    /// What could not be read or isn't in force.
    pub(crate) unread: Vec<Unread>,
    pub(crate) window_tokens: u64,
}

/// The host's memory of a project, looked at.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) problems: Vec<MemoryProblem>,
    /// Sessions in the host's folder of it.
    pub(crate) sessions: usize,
    /// How many of them were asked whether they belong to another project.
    pub(crate) asked: usize,
}

/// Which version the host's table was chosen for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// The installed client says so.
    Installed(Installed),
    /// The newest session says so.
    Recorded(String),
    /// Nothing says so: the newest table.
    Unknown,
}

impl Version {
    /// Returns the version, where one is known.
    pub(crate) fn known(&self) -> Option<&str> {
        match self {
            Self::Installed(found) => Some(&found.version),
            Self::Recorded(version) => Some(version),
            Self::Unknown => None,
        }
    }
}

/// What the host's own records say of the map.
#[derive(Debug)]
pub(crate) enum Check {
    /// A session recorded what it sent.
    Recorded(Box<Recorded>),
    /// Nothing was recorded, for this reason.
    Nothing(&'static str),
}

/// A record of what was sent, held against what would be sent now.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) at_ms: Option<i64>,
    pub(crate) observation: Observation,
    pub(crate) comparison: Comparison,
    pub(crate) drift: Drift,
}

/// Files that differ from the record, by whether a later change explains it.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    /// The file was written or deleted after the session began.
    pub(crate) explained: Vec<(Utf8PathBuf, Option<i64>)>,
    /// Nothing explains it: the map is wrong, or the session was started with switches.
    pub(crate) unexplained: Vec<(Utf8PathBuf, &'static str)>,
}

/// How far to look: each screen pays only for what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// As [`Depth::List`], without what only a screen shows.
    Sizes,
    /// What every session loads, and what repeats in it, in one of many projects.
    Row,
    /// The same of one project, and what was left behind near it.
    Overview,
    /// What every session loads, and what waits in the folders below.
    List,
    /// Everything.
    Whole,
}

/// Looks at `folder` as a host would load it.
pub(crate) fn look(
    env: &Env,
    folder: &Utf8Path,
    depth: Depth,
    host: HostId,
) -> Result<Look, Failure> {
    match other(env, host) {
        None => claude(env, folder, depth),
        Some(other) => look_by_name(env, folder, depth, &other),
    }
}

/// Looks at `folder` as every other host would load it that is in use here: it has a folder in the
/// home, or files of its own in the project. Codex stands for all that read `AGENTS.md`.
pub(crate) fn others(env: &Env, folder: &Utf8Path, depth: Depth) -> Result<Vec<Look>, Failure> {
    let mut out = Vec::new();
    for host in HostId::ALL.into_iter().skip(1) {
        // It reads what the others read, so files alone don't tell; and texts are held in memory.
        if host == HostId::OpenCode && !opencode_is_used(env, folder)? {
            continue;
        }
        let found = look(env, folder, depth, host)?;
        let scene = &found.scene;
        let in_project = || found.map.always().any(|e| e.real().starts_with(&scene.project));
        let used = host == HostId::OpenCode || in_project() || scene.config.is_dir();
        if found.tokens().0 > 0 && used {
            out.push(found);
        }
    }
    Ok(out)
}

/// Returns whether OpenCode has a folder in the home, or settings in the project.
fn opencode_is_used(env: &Env, folder: &Utf8Path) -> Result<bool, Failure> {
    let Some(other) = other(env, HostId::OpenCode) else { return Ok(false) };
    let places = places(env, folder, &other)?;
    let own = ["opencode.json", "opencode.jsonc", ".opencode"];
    let has_own = |at: &Utf8Path| own.iter().any(|name| at.join(name).exists());
    Ok(places.config.is_dir()
        || places.home.join(".local/share/opencode").is_dir()
        || folder.ancestors().take_while(|at| **at != places.home).any(has_own))
}

/// Returns a host besides Claude Code.
fn other(env: &Env, host: HostId) -> Option<Other> {
    match host {
        HostId::ClaudeCode => None,
        HostId::Codex => Some(Other::Codex),
        HostId::GeminiCli => Some(Other::Gemini(env.others.gemini_trusted)),
        HostId::OpenCode => Some(Other::OpenCode(Box::new(env.others.opencode.clone()))),
    }
}

/// Returns where a host's own files lie.
fn places(env: &Env, folder: &Utf8Path, other: &Other) -> Result<Places, Failure> {
    let home = home(env)?;
    let set = |dir: &Option<String>| dir.as_deref().map(|dir| resolved(folder, dir));
    let system = |name: &str| env.others.system.join(name);
    let mut out = Places { cwd: folder.to_owned(), ..Places::default() };
    (out.home, out.config, out.managed) = match other {
        Other::Codex => {
            let config = set(&env.others.codex_home).unwrap_or_else(|| home.join(".codex"));
            (home, config, system("codex"))
        }
        Other::Gemini(_) => {
            let home = set(&env.others.gemini_home).unwrap_or(home);
            let config = home.join(".gemini");
            (home, config, system("gemini-cli"))
        }
        Other::OpenCode(_) => {
            let config = env.others.xdg_config.clone().unwrap_or_else(|| home.join(".config"));
            (home, config.join("opencode"), system("opencode"))
        }
    };
    Ok(out)
}

fn look_by_name(
    env: &Env,
    folder: &Utf8Path,
    depth: Depth,
    other: &Other,
) -> Result<Look, Failure> {
    let tree = DiskTree::default();
    let mut places = places(env, folder, other)?;
    places.look_below = !matches!(depth, Depth::Row | Depth::Overview);
    places.owners = places.look_below;
    let (scene, mut unread) = scene_of(&tree, other, &places);
    let map = other.load_map(&scene, &tree, &ESTIMATOR);
    let repeats = match depth {
        Depth::Sizes | Depth::List => Repeats::default(),
        Depth::Row | Depth::Overview | Depth::Whole => Repeats::of(&map.entries, &ESTIMATOR),
    };
    let large = |path: &Utf8PathBuf| Unread::new(path, "it is too large to look for repeats in");
    unread.extend(repeats.not_searched.iter().map(large));
    Ok(Look {
        host: other.host(),
        version: Version::Unknown,
        scene,
        map,
        repeats,
        check: Check::Nothing("this build does not read what this host recorded"),
        memory: None,
        judged: None,
        config: Config::default(),
        unread,
        window_tokens: other.window_tokens(),
    })
}

/// Looks at `folder` as Claude Code would load it.
fn claude(env: &Env, folder: &Utf8Path, depth: Depth) -> Result<Look, Failure> {
    let tree = DiskTree::default();
    let mut ask = ask(env, folder)?;
    ask.look_below = !matches!(depth, Depth::Row | Depth::Overview);
    let observed = observe(&ask.config(), folder);
    let version = match installed(&env.path, &ask.home) {
        Some(found) => Version::Installed(found),
        None => observed.version.map_or(Version::Unknown, Version::Recorded),
    };
    let profile = table::profile(version.known());
    let (scene, mut unread) = discover(&tree, &profile, &ask);
    unread.extend(observed.unread);
    let map = load_map(&profile, &scene, &tree, &ESTIMATOR);
    let memory = (depth != Depth::Sizes && scene.memory.is_some()).then(|| {
        let used = memory_use(&tree, &scene, depth != Depth::Row);
        unread.extend(used.unread);
        let mut problems = memory::problems(&map, &scene, &tree, &mut unread);
        problems.extend(used.problems);
        Memory { problems, sessions: used.sessions, asked: used.asked }
    });
    let settings = settings::read(env, folder);
    unread.extend(settings.notes());
    let config = settings.config;
    let window_tokens = model_of(&profile, &scene).window_tokens;
    let may_say = || judge::may_say_more(&scene, &map, &config, window_tokens);
    let judged = (depth != Depth::Sizes && may_say())
        .then(|| judge::judge(&scene, &map, &config, env.now_ms));
    let pays = judged.as_ref().is_some_and(|it| it.judgement.break_even.economical);
    let repeats = match depth {
        Depth::Sizes | Depth::List if !pays => Repeats::default(),
        _ => Repeats::of(&map.entries, &ESTIMATOR),
    };
    unread.extend(judged.iter().flat_map(|judged| judged.unread.iter().cloned()));
    let large = |path: &Utf8PathBuf| Unread::new(path, "it is too large to look for repeats in");
    unread.extend(repeats.not_searched.iter().map(large));
    let check = match observed.observation {
        Some(observation) => {
            let comparison = compared(&profile, &ask, &tree, &map, &observation);
            let at_ms = parsed_ms(&observation.timestamp);
            let drift = drift(&comparison, at_ms);
            Check::Recorded(Box::new(Recorded { at_ms, observation, comparison, drift }))
        }
        None if profile.version == "2.1.197" => {
            Check::Nothing("this version of Claude Code does not record what it sends")
        }
        None => Check::Nothing("no session here has recorded what it was sent"),
    };
    let host = Host { id: profile.host, name: profile.name, version: profile.version };
    Ok(Look {
        host,
        version,
        scene,
        map,
        repeats,
        check,
        memory,
        judged,
        config,
        unread,
        window_tokens,
    })
}

/// Holds a record against what the client that wrote it would load now.
fn compared(
    profile: &Profile,
    ask: &Ask,
    tree: &DiskTree,
    map: &LoadMap,
    observation: &Observation,
) -> Comparison {
    let wrote = table::profile(observation.version.as_deref().or(Some(profile.version)));
    if wrote.version == profile.version {
        return Comparison::of(map, observation);
    }
    let ask = Ask { look_below: false, ..ask.clone() };
    let (scene, _) = discover(tree, &wrote, &ask);
    Comparison::of(&load_map(&wrote, &scene, tree, &ESTIMATOR), observation)
}

/// What opening one file adds, and what is known of that file.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) host: Host,
    pub(crate) scene: Scene,
    pub(crate) opening: Opening,
    pub(crate) unread: Vec<Unread>,
    pub(crate) state: FileState,
}

/// What stands where a file was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FileState {
    /// A file below the folder of the session.
    File,
    /// Nothing.
    Missing,
    /// A folder.
    Folder,
    /// A pipe, socket or device, or something that can't be looked at.
    Special,
    /// Something outside the folder of the session, for which nothing is loaded.
    Outside,
}

/// Works out what opening `file` adds for a host.
pub(crate) fn opening(
    env: &Env,
    folder: &Utf8Path,
    file: &Utf8Path,
    host: HostId,
) -> Result<Opened, Failure> {
    let tree = DiskTree::default();
    let state = state(&tree, folder, file);
    let files = [file.to_owned()];
    if let Some(other) = other(env, host) {
        let (scene, unread) = scene_of(&tree, &other, &places(env, folder, &other)?);
        let mut opened = other.openings(&scene, &tree, &ESTIMATOR, &files);
        let opening = opened.pop().unwrap_or_default();
        return Ok(Opened { host: other.host(), scene, opening, unread, state });
    }
    let ask = ask(env, folder)?;
    let observed = observe(&ask.config(), folder);
    let version = installed(&env.path, &ask.home).map(|found| found.version).or(observed.version);
    let profile = table::profile(version.as_deref());
    let (scene, unread) = discover(&tree, &profile, &ask);
    let mut opened = openings(&profile, &scene, &tree, &ESTIMATOR, &files);
    let opening = opened.pop().unwrap_or_default();
    let host = Host { id: profile.host, name: profile.name, version: profile.version };
    Ok(Opened { host, scene, opening, unread, state })
}

/// Returns what stands where a file was named.
fn state(tree: &DiskTree, folder: &Utf8Path, file: &Utf8Path) -> FileState {
    match tree.real(file) {
        _ if !file.starts_with(folder) => FileState::Outside,
        Ok(real) if !real.path.starts_with(folder) => FileState::Outside,
        Ok(real) => match real.node {
            Node::File => FileState::File,
            Node::Folder => FileState::Folder,
            Node::Link | Node::Special => FileState::Special,
        },
        Err(Unreadable::Missing) => FileState::Missing,
        Err(_) => FileState::Special,
    }
}

/// Returns the folder of Claude Code's memory of the project that `folder` lies in.
pub(crate) fn memory_folder(env: &Env, folder: &Utf8Path) -> Result<Option<Utf8PathBuf>, Failure> {
    let ask = ask(env, folder)?;
    Ok(discover(&DiskTree::default(), &table::profile(None), &ask).0.memory)
}

/// Returns the home, which has to be a folder.
fn home(env: &Env) -> Result<Utf8PathBuf, Failure> {
    let home = env.home.clone().ok_or_else(|| {
        Failure::usage("`HOME` names no absolute path", "set it: agents look for their files there")
    })?;
    if !home.is_dir() {
        let what = format!("`HOME` is `{home}`, which is not a folder");
        return Err(Failure::usage(what, "set it: agents look for their files there"));
    }
    Ok(home)
}

fn ask(env: &Env, folder: &Utf8Path) -> Result<Ask, Failure> {
    let home = home(env)?;
    Ok(Ask {
        cwd: folder.to_owned(),
        home,
        config_dir: env.claude.config_dir.clone(),
        managed: env.managed.clone(),
        disable_auto_memory: env.claude.disable_auto_memory.clone(),
        listing_budget: env.claude.listing_budget.clone(),
        off_switch: env.claude.off_switch,
        model: env.claude.model.clone(),
        now_ms: env.now_ms,
        look_below: false,
    })
}

fn drift(comparison: &Comparison, at_ms: Option<i64>) -> Drift {
    let mut out = Drift::default();
    let kinds = [
        (&comparison.changed, "sent with another text"),
        (&comparison.missing, "not sent, though we expect it"),
        (&comparison.unexpected, "sent, though we do not expect it"),
    ];
    for (paths, what) in kinds {
        for path in paths {
            let written = modified_ms(path);
            match (written, at_ms) {
                (None, _) => out.explained.push((path.clone(), None)),
                (Some(written), Some(at)) if written > at => {
                    out.explained.push((path.clone(), Some(written)));
                }
                _ => out.unexplained.push((path.clone(), what)),
            }
        }
    }
    out
}

impl Look {
    /// Returns how paths look on a screen about this folder.
    pub(crate) fn names<'a>(&'a self, env: &'a Env) -> Names<'a> {
        Names {
            root: &self.scene.project,
            home: env.home.as_deref(),
            memory: self.scene.memory.as_deref(),
        }
    }

    /// Returns the tokens of every session.
    pub(crate) fn tokens(&self) -> Tokens {
        self.map.always().map(|e| e.tokens).sum()
    }

    /// Returns how far the figures may be off, in percent.
    pub(crate) fn band(&self) -> u8 {
        ESTIMATOR.band_percent()
    }
}
