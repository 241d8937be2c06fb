//! The load map: what a host loads, worked out from its own rules.
//!
//! [`load_map`] answers for a folder, [`openings`] for files in it. Both only follow the host's
//! table ([`hosts`]) through a [`Tree`].

pub mod check;
pub mod git;
pub mod hosts;
pub mod map;
pub mod memory;
mod never;
pub mod observed;
pub mod pattern;
pub mod project;
pub mod repeats;
pub mod rule;
pub mod scene;
pub mod slug;
pub mod tree;
pub mod verdict;
mod walk;

pub use map::{
    Cut, Double, Entry, Kind, LoadMap, Origin, Owner, RoleMemory, SkipReason, Skipped, Tier,
    Totals, Unread,
};
pub use scene::{Checkout, Scene};
pub use tree::{MemTree, Node, Real, Tree, Unreadable};

use rustc_hash::FxHashMap;

use crate::text::{Estimator, Tokens};
use hosts::{Profile, claude_code};
use walk::Walk;

/// What no file tells: said on every answer.
const NOT_ON_DISK: [&str; 4] = [
    "the system prompt",
    "the host's own tools, skills and agents",
    "MCP servers' tools and instructions",
    "switches on the command line",
];

/// Works out what a session in the scene's folder loads, and what it costs.
pub fn load_map(
    profile: &Profile,
    scene: &Scene,
    tree: &dyn Tree,
    estimator: &dyn Estimator,
) -> LoadMap {
    let mut walk = Walk::new(profile, scene, tree);
    walk.start();
    let unknown_style = claude_code::style::add(&mut walk);
    claude_code::listing::add(&mut walk);
    for folder in &scene.nested {
        walk.nested_folder(folder, false);
        walk.nested_folder(folder, true);
    }
    let waiting = std::mem::take(&mut walk.waiting);
    for rule in waiting {
        if rule.entry.patterns.iter().all(|p| pattern::is_dead(p)) {
            let fix = "write them as in `.gitignore`, in quotes";
            walk.skip_file(&rule.entry.path, SkipReason::PathsDead, fix);
        } else {
            walk.entries.push(rule.entry);
        }
    }
    let role_memories = role_memories(&walk, estimator);
    let mut not_measured: Vec<String> = NOT_ON_DISK.iter().map(|s| (*s).to_owned()).collect();
    not_measured.extend(unknown_style);
    not_measured.extend(scene.off_switch.map(|name| format!("`{name}`, which is set here")));
    not_measured.extend(unread_settings(scene));
    if scene.ignored_below {
        not_measured.push("instruction files in folders that git ignores".to_owned());
    }
    if walk.will_write_memory {
        not_measured.push(format!("the `{}` that the host will write", profile.memory.index));
    }
    let plugins = scene.config.join("plugins/installed_plugins.json");
    if walk.is_file(&plugins) {
        not_measured.push("skills, commands and agents of plugins".to_owned());
    }
    let Walk { mut entries, skipped, again, .. } = walk;
    // What every session pays first, in the host's order; the rest behind it.
    entries.sort_by_key(|e| e.tier != Tier::Always);
    measure(&mut entries, estimator);
    let doubles = doubles(&entries);
    LoadMap {
        host: profile.host,
        profile: profile.version,
        entries,
        skipped,
        not_measured,
        doubles,
        role_memories,
        again,
    }
}

/// What opening one file adds to a session.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// What is loaded, in the host's order.
    pub entries: Vec<Entry>,
    /// What looks as if it were, and isn't.
    pub skipped: Vec<Skipped>,
}

/// Works out what files add that one session opens one after another, when it has loaded what
/// every session loads.
pub fn openings(
    profile: &Profile,
    scene: &Scene,
    tree: &dyn Tree,
    estimator: &dyn Estimator,
    files: &[camino::Utf8PathBuf],
) -> Vec<Opening> {
    let mut walk = Walk::new(profile, scene, tree);
    walk.start();
    let mut skills = claude_code::listing::Touched::new(&mut walk);
    files
        .iter()
        .map(|file| {
            walk.skipped.clear();
            let mut entries = walk.touch(file);
            entries.extend(skills.touch(&mut walk, file));
            measure(&mut entries, estimator);
            Opening { entries, skipped: std::mem::take(&mut walk.skipped) }
        })
        .collect()
}

fn measure(entries: &mut [Entry], estimator: &dyn Estimator) {
    for entry in entries {
        entry.tokens = match &entry.sent {
            Some(text) => estimator.tokens(text),
            None => estimator.tokens_of_bytes(entry.disk_bytes),
        };
    }
}

/// Finds files that are loaded under two names: copies, hard links, a worktree's twin.
fn doubles(entries: &[Entry]) -> Vec<Double> {
    let mut first: FxHashMap<&str, &Entry> = FxHashMap::default();
    let mut out = Vec::new();
    for entry in entries.iter().filter(|e| e.tier == Tier::Always && e.name.is_none()) {
        let Some(text) = &entry.sent else { continue };
        match first.get(text.as_str()) {
            Some(twin) => out.push(Double {
                first: twin.path.clone(),
                again: entry.path.clone(),
                tokens: entry.tokens,
            }),
            None => {
                first.insert(text, entry);
            }
        }
    }
    out
}

/// Lists the memory folders of single roles; links aren't followed.
fn role_memories(walk: &Walk<'_>, estimator: &dyn Estimator) -> Vec<RoleMemory> {
    let scene = walk.scene;
    let mut out = Vec::new();
    for base in [scene.config.clone(), scene.project.join(".claude")] {
        let folder = base.join("agent-memory");
        if base == scene.config && !out.is_empty() {
            break;
        }
        let mut roles = walk.tree.list(&folder).unwrap_or_default();
        roles.sort_by(|a, b| a.name.cmp(&b.name));
        for role in roles.into_iter().filter(|r| r.node == Node::Folder) {
            let Some(name) = role.name else { continue };
            let folder = folder.join(&name);
            let mut memory = RoleMemory {
                role: name,
                folder: folder.clone(),
                index: None,
                memories: Vec::new(),
                index_bytes: 0,
                files: 0,
                disk_bytes: 0,
                index_tokens: Tokens(0),
            };
            for child in walk.tree.list(&folder).unwrap_or_default() {
                let Some(name) = child.name.filter(|n| n.ends_with(".md")) else { continue };
                let path = folder.join(&name);
                let Ok(real) = walk.tree.real(&path) else { continue };
                if child.node != Node::File {
                    continue;
                }
                memory.files += 1;
                memory.disk_bytes += real.bytes;
                if name == walk.profile.memory.index {
                    memory.index_tokens = estimator.tokens_of_bytes(real.bytes);
                    memory.index_bytes = real.bytes;
                    memory.index = Some(path);
                } else {
                    memory.memories.push((path, real.bytes));
                }
            }
            memory.memories.sort();
            if memory.files > 0 {
                out.push(memory);
            }
        }
    }
    out
}

/// Says which settings the host itself ignores, since that changes what is loaded.
fn unread_settings(scene: &Scene) -> Vec<String> {
    let globs = scene.settings.excludes.iter().filter(|g| !pattern::glob_is_understood(g));
    let globs = globs.map(|g| format!("the glob `{g}` in `claudeMdExcludes`"));
    globs.collect()
}

impl LoadMap {
    /// Adds up what the map holds.
    pub fn totals(&self) -> Totals {
        let mut out = Totals::default();
        for entry in &self.entries {
            let chars = entry.sent.as_ref().map_or(0, |text| text.chars().count() as u64);
            match entry.tier {
                Tier::Always => {
                    out.always_tokens += entry.tokens;
                    out.always_chars += chars;
                    out.always_entries += 1;
                    match entry.owner {
                        Owner::Git => out.git_tokens += entry.tokens,
                        Owner::Personal => out.personal_tokens += entry.tokens,
                        Owner::Managed => out.managed_tokens += entry.tokens,
                        Owner::Inherited => out.inherited_tokens += entry.tokens,
                    }
                }
                Tier::OnPath => out.on_path_tokens += entry.tokens,
                Tier::OnInvoke => out.on_invoke_tokens += entry.tokens,
                Tier::OnRead => out.on_read_tokens += entry.tokens,
            }
        }
        out.role_memory_tokens = self.role_memories.iter().map(|r| r.index_tokens).sum();
        out
    }
}
