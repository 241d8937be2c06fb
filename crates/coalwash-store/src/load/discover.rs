//! Makes the scene of one folder from the disk.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::git::{self, Tracked};
use coalwash_core::load::hosts::claude_code::settings::{
    ProjectsOfHost, Settings, projects_of_host,
};
use coalwash_core::load::hosts::{Place, Profile, Shape};
use coalwash_core::load::slug::slug;
use coalwash_core::load::tree::{Tree, Unreadable, resolved};
use coalwash_core::load::{Checkout, Scene, Unread, project};
use rustc_hash::FxHashMap;

use super::nested::nested;

/// What a scene is made from: the folder, and what the environment says.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The physical working folder of the session.
    pub cwd: Utf8PathBuf,
    /// The user's home.
    pub home: Utf8PathBuf,
    /// `CLAUDE_CONFIG_DIR` as it is set.
    pub config_dir: Option<String>,
    /// The organisation's folder.
    pub managed: Utf8PathBuf,
    /// `CLAUDE_CODE_DISABLE_AUTO_MEMORY` as it is set.
    pub disable_auto_memory: Option<String>,
    /// `SLASH_COMMAND_TOOL_CHAR_BUDGET` as it is set.
    pub listing_budget: Option<String>,
    /// The variable that switches all instructions off, where one is set.
    pub off_switch: Option<&'static str>,
    /// `ANTHROPIC_MODEL` as it is set.
    pub model: Option<String>,
    /// Milliseconds since 1970.
    pub now_ms: i64,
    /// Whether to look for instruction files below the working folder.
    pub look_below: bool,
}

impl Ask {
    /// Returns the host's configuration folder, as the host works it out.
    pub fn config(&self) -> Utf8PathBuf {
        match &self.config_dir {
            Some(dir) => resolved(&self.cwd, dir),
            None => self.home.join(".claude"),
        }
    }
}

/// Reads the scene of a folder, and says what could not be looked into.
pub fn discover(tree: &dyn Tree, profile: &Profile, ask: &Ask) -> (Scene, Vec<Unread>) {
    let mut notes = Vec::new();
    let config = ask.config();
    let checkout = git::checkout(tree, &ask.cwd);
    let project = project::root(tree, &ask.cwd, &ask.home, &config, checkout.as_ref());
    let root = checkout.as_ref().map(|c| c.main.as_path());
    let settings = Settings::read(
        tree,
        &ask.home,
        &config,
        &ask.cwd,
        root.filter(|root| profile.root_local_settings && *root != ask.home),
        &ask.managed,
    );
    for file in &settings.files {
        if let Some(problem) = &file.problem {
            notes.push(Unread::new(&file.path, problem.as_str()));
        }
    }
    let key = checkout.as_ref().map_or(ask.cwd.as_path(), |c| c.main.as_path());
    let state = host_state(tree, ask, key, &mut notes);
    let memory_on = match ask.disable_auto_memory.as_deref().map(str::to_ascii_lowercase).as_deref()
    {
        Some("1" | "true" | "yes" | "on") => false,
        Some("0" | "false") => true,
        _ => settings.auto_memory,
    };
    let memory = memory_on.then(|| {
        settings
            .memory_folder
            .clone()
            .unwrap_or_else(|| config.join("projects").join(slug(key)).join(profile.memory.folder))
    });
    if let Some(memory) = &memory {
        tree.will_list_sized(memory);
    }
    for surface in profile.start.iter().filter(|surface| surface.shape == Shape::Rules) {
        match surface.place {
            Place::Managed => {}
            Place::User => tree.will_read(&config.join(surface.name)),
            Place::Folder => tree.will_read(&ask.cwd.join(surface.name)),
        }
    }
    let tracked = checkout.as_ref().map_or(Tracked::NoGit, |c| tracked(tree, c, &mut notes));
    let mut ignored_below = false;
    let below = if ask.look_below {
        let names = profile.touch.iter().map(|s| s.name.split('/').next().unwrap_or(s.name));
        let below = nested(&ask.cwd, &names.collect::<Vec<_>>(), checkout.as_ref());
        if below.stopped {
            let why = format!("folders below it were searched up to the first {}", below.entered);
            notes.push(Unread::new(&ask.cwd, why));
        }
        ignored_below = below.ignored > 0;
        notes.extend(below.unread);
        below.folders
    } else {
        Vec::new()
    };
    let scene = Scene {
        outside_approved: state.projects.outside_approved,
        near: state.projects.near,
        skill_use: state.skill_use,
        model: ask.model.clone(),
        off_switch: ask.off_switch,
        listing_budget: ask
            .listing_budget
            .as_deref()
            .and_then(|b| b.parse().ok())
            .filter(|b| *b > 0),
        cwd: ask.cwd.clone(),
        home: ask.home.clone(),
        config,
        managed: ask.managed.clone(),
        project,
        git: checkout,
        memory,
        settings,
        tracked,
        nested: below,
        ignored_below,
        sealed: false,
    };
    (scene, notes)
}

/// What the host's own state file says.
#[derive(Default)]
struct HostState {
    projects: ProjectsOfHost,
    skill_use: FxHashMap<String, u64>,
}

/// Reads the host's own state file: approvals, and how often skills were used.
fn host_state(tree: &dyn Tree, ask: &Ask, key: &Utf8Path, notes: &mut Vec<Unread>) -> HostState {
    let path = match &ask.config_dir {
        Some(_) => ask.config().join(".claude.json"),
        None => ask.home.join(".claude.json"),
    };
    let bytes = match tree.read(&path) {
        Ok(bytes) => bytes,
        Err(Unreadable::Missing) => return HostState::default(),
        Err(why) => {
            notes.push(Unread::new(path, format!("{why}, so approvals are not known")));
            return HostState::default();
        }
    };
    match projects_of_host(&bytes, key) {
        Ok(projects) => HostState { projects, skill_use: skill_use(&bytes, ask.now_ms) },
        Err(_) => {
            notes.push(Unread::new(path, "it does not parse, so approvals are not known"));
            HostState::default()
        }
    }
}

/// Returns the host's score of each skill: its uses, halved every week down to a tenth.
///
/// Source: lists that both clients cut; scaled by a thousand.
fn skill_use(bytes: &[u8], now_ms: i64) -> FxHashMap<String, u64> {
    #[derive(serde::Deserialize)]
    struct State {
        #[serde(default, rename = "skillUsage")]
        skills: FxHashMap<String, Use>,
    }
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Use {
        #[serde(default)]
        usage_count: f64,
        #[serde(default)]
        last_used_at: f64,
    }
    const WEEK_MS: f64 = 7.0 * 24.0 * 3600.0 * 1000.0;
    let state = serde_json::from_slice::<State>(bytes);
    #[expect(clippy::cast_precision_loss, reason = "a time, to the millisecond")]
    let score = |u: &Use| {
        let weeks = ((now_ms as f64 - u.last_used_at) / WEEK_MS).max(0.0);
        u.usage_count.max(0.0) * 0.5f64.powf(weeks).max(0.1) * 1000.0
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let all = state.map(|s| s.skills.iter().map(|(n, u)| (n.clone(), score(u) as u64)).collect());
    all.unwrap_or_default()
}

pub(super) fn tracked(tree: &dyn Tree, checkout: &Checkout, notes: &mut Vec<Unread>) -> Tracked {
    let unknown = |path: Utf8PathBuf, why: String, notes: &mut Vec<Unread>| {
        let said = format!("{why}, so every file here counts as git's");
        notes.push(Unread::new(path, said));
        Tracked::Unknown(why)
    };
    let Some(folder) = git::git_folder(tree, checkout) else {
        let path = checkout.root.join(".git");
        return unknown(path, "it leads to no git folder".to_owned(), notes);
    };
    let index = folder.join("index");
    let bytes = match tree.read(&index) {
        Ok(bytes) => bytes,
        // A new checkout has no index: nothing is tracked yet.
        Err(Unreadable::Missing) => return Tracked::Names(rustc_hash::FxHashSet::default()),
        Err(why) => return unknown(index, why.to_string(), notes),
    };
    // Instruction files can have any name: keep what a host could load.
    match Tracked::from_index(&bytes, |name| !is_source_of_a_program(name)) {
        Tracked::Unknown(why) => unknown(index, why, notes),
        known => known,
    }
}

/// Names that are most of a large repository and that no import follows.
fn is_source_of_a_program(name: &[u8]) -> bool {
    let name = Utf8Path::new(std::str::from_utf8(name).unwrap_or_default());
    matches!(name.extension(), Some("png" | "jpg" | "svg" | "snap" | "lockb" | "woff2" | "map"))
}
