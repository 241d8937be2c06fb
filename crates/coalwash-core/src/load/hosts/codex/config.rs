//! The settings of Codex that change what is loaded.

use camino::{Utf8Path, Utf8PathBuf};
use toml::{Table, Value};

use crate::load::scene::Scene;
use crate::load::tree::{Node, Tree, Unreadable, resolved};

/// Bytes of all files of a project together, unless the settings say otherwise.
///
/// Source: the real client.
const MOST_BYTES: u64 = 32_768;

/// What is in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Config {
    /// Bytes of the project's files together.
    pub(super) most_bytes: u64,
    /// Names that are tried behind the host's own.
    pub(super) fallbacks: Vec<String>,
    /// Names that mark the root of a project.
    pub(super) markers: Vec<String>,
    /// Whether the project is marked as one not to trust.
    pub(super) untrusted: bool,
    /// Whether the memory is on.
    pub(super) memories: bool,
    /// Whether skills are listed.
    pub(super) lists_skills: bool,
    /// Whether the host's own skills are listed.
    pub(super) bundled: bool,
    /// Tokens that the list of skills may have.
    pub(super) list_tokens: u64,
    /// Skills that are switched on or off, by name or by path.
    pub(super) switched: Vec<(By, bool)>,
    /// Folder in which the host looks for the project's settings.
    pub(super) config_root: Utf8PathBuf,
    /// Why the host doesn't start.
    pub(super) refuses: Vec<String>,
}

/// How a skill is named in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum By {
    Name(String),
    Path(Utf8PathBuf),
}

/// Reads the settings in force in the scene's folder.
pub(super) fn read(scene: &Scene, tree: &dyn Tree) -> Config {
    let mut out = Config {
        most_bytes: MOST_BYTES,
        markers: vec![".git".to_owned()],
        lists_skills: true,
        bundled: true,
        list_tokens: super::WINDOW_TOKENS / 50,
        config_root: scene.cwd.clone(),
        ..Config::default()
    };
    let system = layer(tree, &scene.managed.join("config.toml"), &mut out.refuses);
    let user = layer(tree, &scene.config.join("config.toml"), &mut out.refuses);
    for table in [&system, &user].into_iter().flatten() {
        out.take(table, scene);
        if let Some(Value::Array(markers)) = table.get("project_root_markers") {
            out.markers = texts(markers);
        }
        if table.contains_key("profile") {
            out.refuses.push("`profile` in `config.toml` is not supported any more".to_owned());
        }
    }
    let trust = |path: &Utf8Path| {
        let of = |table: &Table| {
            let level = table.get("projects")?.get(path.as_str())?.get("trust_level")?;
            level.as_str().map(|level| level == "trusted")
        };
        user.as_ref().and_then(of).or_else(|| system.as_ref().and_then(of))
    };
    let git_root = git_root(scene, tree);
    let own = trust(&scene.cwd).or_else(|| git_root.as_deref().and_then(trust));
    out.untrusted = own == Some(false);
    out.config_root = config_root(scene, tree, &out.markers);
    for folder in super::folders(&out.config_root, &scene.cwd) {
        let path = folder.join(".codex");
        let is_own = tree.real(&path).is_ok_and(|real| real.path == scene.config);
        let trusted = trust(&folder)
            .or_else(|| trust(&out.config_root))
            .or_else(|| git_root.as_deref().and_then(trust));
        if is_own || trusted != Some(true) {
            continue;
        }
        if let Some(table) = layer(tree, &path.join("config.toml"), &mut out.refuses) {
            out.take_project(&table);
        }
    }
    if let Some(table) = layer(tree, &scene.managed.join("managed_config.toml"), &mut out.refuses) {
        out.take(&table, scene);
    }
    out
}

impl Config {
    /// Takes what every layer may set.
    fn take_project(&mut self, table: &Table) {
        match table.get("project_doc_max_bytes") {
            None => {}
            Some(Value::Integer(n)) if *n >= 0 => self.most_bytes = n.unsigned_abs(),
            Some(_) => self.refuses.push("`project_doc_max_bytes` is no size".to_owned()),
        }
        match table.get("project_doc_fallback_filenames") {
            None => {}
            Some(Value::Array(names)) => {
                let names = texts(names).into_iter().map(|name| name.trim().to_owned());
                let usable = |name: &String| {
                    !matches!(name.as_str(), "" | "." | "..") && !name.contains(['/', '\0'])
                };
                self.fallbacks = names.filter(usable).collect();
            }
            Some(_) => {
                self.refuses.push("`project_doc_fallback_filenames` is no list".to_owned());
            }
        }
    }

    /// Takes what the user and the system may set.
    fn take(&mut self, table: &Table, scene: &Scene) {
        self.take_project(table);
        let switch = |table: &str, key: &str, of: &Table| {
            of.get(table).and_then(|t| t.get(key)).and_then(Value::as_bool)
        };
        if let Some(on) = switch("features", "memories", table) {
            self.memories = on;
        }
        if let Some(on) = switch("skills", "include_instructions", table) {
            self.lists_skills = on;
        }
        let whole = |value: &Value| value.as_integer().and_then(|n| u64::try_from(n).ok());
        if let Some(window) = table.get("model_context_window").and_then(whole) {
            self.list_tokens = window / 50;
        } else if table.get("model").and_then(Value::as_str) == Some("gpt-6.2-sol") {
            // Source: the list of skills of the real client with this model.
            self.list_tokens = 10_000;
        }
        let Some(skills) = table.get("skills") else { return };
        if let Some(tokens) = skills.get("max_context_tokens").and_then(whole) {
            self.list_tokens = tokens;
        }
        if let Some(on) = skills.get("bundled").and_then(|b| b.get("enabled")?.as_bool()) {
            self.bundled = on;
        }
        for item in skills.get("config").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| item.get(key).and_then(Value::as_str);
            let by = match (text("name"), text("path")) {
                (Some(name), None) => By::Name(name.trim().to_owned()),
                (None, Some(path)) => By::Path(resolved(&scene.config, path)),
                _ => continue,
            };
            match item.get("enabled").and_then(Value::as_bool) {
                Some(on) => self.switched.push((by, on)),
                None => self.refuses.push("a `[[skills.config]]` has no `enabled`".to_owned()),
            }
        }
    }
}

fn texts(items: &[Value]) -> Vec<String> {
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Reads one file; what keeps the host from starting is said.
fn layer(tree: &dyn Tree, path: &Utf8Path, refuses: &mut Vec<String>) -> Option<Table> {
    let bytes = match tree.read(path) {
        Ok(bytes) => bytes,
        Err(Unreadable::Missing) => return None,
        Err(why) => {
            refuses.push(format!("`{path}` can't be read: {why}"));
            return None;
        }
    };
    let Ok(text) = String::from_utf8(bytes) else {
        refuses.push(format!("`{path}` is not UTF-8"));
        return None;
    };
    match text.trim_start_matches('\u{feff}').parse::<Table>() {
        Ok(table) => Some(table),
        Err(_) => {
            refuses.push(format!("`{path}` does not parse"));
            None
        }
    }
}

/// Returns the folder whose trust counts behind the session's own: the repository's, of a linked
/// worktree the main one.
fn git_root(scene: &Scene, tree: &dyn Tree) -> Option<Utf8PathBuf> {
    let git = scene.git.as_ref()?;
    let dot_git = git.root.join(".git");
    let node = tree.real(&dot_git).ok()?.node;
    if node == Node::Folder {
        return tree.real(&dot_git.join("HEAD")).is_ok().then(|| git.root.clone());
    }
    (git.main != git.root).then(|| git.main.clone())
}

/// Returns the folder from which on the project's settings are looked for: as the root of its files,
/// but a `.git` folder without a `HEAD` marks nothing.
fn config_root(scene: &Scene, tree: &dyn Tree, markers: &[String]) -> Utf8PathBuf {
    let marks = |folder: &Utf8Path, marker: &String| {
        let path = folder.join(marker);
        let Ok(real) = tree.real(&path) else { return false };
        marker != ".git" || real.node != Node::Folder || tree.real(&path.join("HEAD")).is_ok()
    };
    let has = |folder: &&Utf8Path| markers.iter().any(|marker| marks(folder, marker));
    scene.cwd.ancestors().find(has).unwrap_or(&scene.cwd).to_owned()
}
