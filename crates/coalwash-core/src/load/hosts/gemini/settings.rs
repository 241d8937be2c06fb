//! The settings of Gemini CLI that change what is loaded.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::config::jsonc;
use crate::load::scene::Scene;
use crate::load::tree::{Tree, Unreadable, resolved};

/// The name that is always looked for.
pub(super) const NAME: &str = "GEMINI.md";

/// Whether the user trusts the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Yes,
    No,
    /// The host would ask.
    Unknown,
}

/// What keeps the model from reading files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ignoring {
    /// Whether `.gitignore` does.
    pub(super) git: bool,
    /// Whether `.geminiignore` does.
    pub(super) gemini: bool,
    /// Further files of that kind.
    pub(super) own: Vec<String>,
}

impl Default for Ignoring {
    fn default() -> Self {
        Self { git: true, gemini: true, own: Vec::new() }
    }
}

/// What is in force.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Names of the files that are looked for.
    pub(super) names: Vec<String>,
    /// What marks the root of a project.
    pub(super) markers: Vec<String>,
    /// Folders that load like the session's own.
    pub(super) include: Vec<Utf8PathBuf>,
    /// Whether imported files stand behind each other.
    pub(super) flat: bool,
    pub(super) trust: Trust,
    pub(super) skills: bool,
    pub(super) agents: bool,
    /// Names of skills that are switched off, in lower case.
    pub(super) disabled: Vec<String>,
    pub(super) ignoring: Ignoring,
    /// Why the host doesn't start.
    pub(super) refuses: Vec<String>,
}

/// Reads the settings in force in the scene's folder.
pub(super) fn read(scene: &Scene, trusted: Option<bool>, tree: &dyn Tree) -> Settings {
    let mut out = Settings {
        names: Vec::new(),
        markers: vec![".git".to_owned()],
        include: Vec::new(),
        flat: false,
        trust: Trust::Unknown,
        skills: true,
        agents: true,
        disabled: Vec::new(),
        ignoring: Ignoring::default(),
        refuses: Vec::new(),
    };
    let user = layer(tree, &scene.config.join("settings.json"), &mut out.refuses);
    out.trust = match trusted {
        Some(true) => Trust::Yes,
        Some(false) => Trust::No,
        None => trust(scene, tree, user.as_ref()),
    };
    let own = scene.cwd.join(".gemini/settings.json");
    let is_home = scene.cwd == scene.home;
    let workspace = (!is_home).then(|| layer(tree, &own, &mut out.refuses)).flatten();
    let workspace = workspace.filter(|_| out.trust != Trust::No);
    let system = layer(tree, &scene.managed.join("settings.json"), &mut out.refuses);
    let layers: Vec<&Value> = [&user, &workspace, &system].into_iter().flatten().collect();
    // What stands in a later layer replaces what stands in an earlier one.
    let get = |path: &[&str]| {
        layers.iter().rev().find_map(|layer| {
            path.iter().try_fold(*layer, |at, key| at.get(key)).filter(|value| !value.is_null())
        })
    };
    let names = match get(&["context", "fileName"]) {
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(items)) => {
            if items.iter().any(|item| !item.is_string()) {
                out.refuses.push("`context.fileName` holds something that is no text".to_owned());
            }
            items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        }
        Some(_) => {
            out.refuses.push("`context.fileName` is no text".to_owned());
            Vec::new()
        }
        None => Vec::new(),
    };
    for name in names.iter().map(String::as_str).chain([NAME]) {
        let name = normalised(name.trim());
        if !name.is_empty() && !out.names.contains(&name) {
            out.names.push(name);
        }
    }
    match get(&["context", "memoryBoundaryMarkers"]) {
        Some(Value::Array(items)) => {
            out.markers = items.iter().filter_map(|i| i.as_str().map(str::to_owned)).collect();
        }
        Some(_) => out.markers.clear(),
        None => {}
    }
    // These lists are joined.
    for layer in &layers {
        let context = layer.get("context");
        let include = match context.and_then(|context| context.get("includeDirectories")) {
            Some(Value::String(folder)) => vec![folder.clone()],
            Some(Value::Array(items)) => {
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        };
        for folder in include {
            let path = match folder.strip_prefix("~/") {
                Some(rest) => resolved(&scene.home, rest),
                None => resolved(&scene.cwd, &folder),
            };
            match tree.real(&path) {
                Ok(real) => out.include.push(real.path),
                Err(_) => out.refuses.push(format!("the included folder `{folder}` is missing")),
            }
        }
        let disabled = layer.get("skills").and_then(|skills| skills.get("disabled"));
        for name in disabled.and_then(Value::as_array).into_iter().flatten() {
            out.disabled.extend(name.as_str().map(str::to_lowercase));
        }
    }
    let filtering = |key| get(&["context", "fileFiltering", key]);
    let is_on = |key| filtering(key).and_then(Value::as_bool) != Some(false);
    let own = filtering("customIgnoreFilePaths").and_then(Value::as_array);
    let own = own.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned));
    out.ignoring = Ignoring {
        git: is_on("respectGitIgnore"),
        gemini: is_on("respectGeminiIgnore"),
        own: own.collect(),
    };
    out.flat = get(&["context", "importFormat"]).and_then(Value::as_str) == Some("flat");
    out.skills = get(&["skills", "enabled"]).and_then(Value::as_bool) != Some(false);
    out.agents = get(&["experimental", "enableAgents"]).and_then(Value::as_bool) != Some(false);
    out
}

/// Returns a path without `.`, doubled slashes and what `..` takes back.
fn normalised(name: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." if out.last().is_some_and(|last| *last != "..") => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out.join("/")
}

fn layer(tree: &dyn Tree, path: &Utf8Path, refuses: &mut Vec<String>) -> Option<Value> {
    let bytes = match tree.read(path) {
        Ok(bytes) => bytes,
        Err(Unreadable::Missing) => return None,
        Err(why) => {
            refuses.push(format!("`{path}` can't be read: {why}"));
            return None;
        }
    };
    let parsed = String::from_utf8(bytes).ok().and_then(|text| jsonc(&text));
    match parsed {
        Some(Value::Object(map)) => Some(Value::Object(map)),
        _ => {
            refuses.push(format!("`{path}` is no JSON object"));
            None
        }
    }
}

/// Works out whether the user trusts the session's folder: by the rule of the longest path.
fn trust(scene: &Scene, tree: &dyn Tree, user: Option<&Value>) -> Trust {
    let enabled =
        user.and_then(|u| u.get("security")?.get("folderTrust")?.get("enabled")?.as_bool());
    if enabled == Some(false) {
        return Trust::Yes;
    }
    let Ok(bytes) = tree.read(&scene.config.join("trustedFolders.json")) else {
        return Trust::Unknown;
    };
    let rules = String::from_utf8(bytes).ok().and_then(|text| jsonc(&text));
    let Some(Value::Object(rules)) = rules else { return Trust::Unknown };
    let mut best: Option<(usize, Trust)> = None;
    for (path, level) in &rules {
        let path = Utf8Path::new(path);
        let (folder, trust) = match level.as_str() {
            Some("TRUST_FOLDER") => (path, Trust::Yes),
            Some("TRUST_PARENT") => (path.parent().unwrap_or(path), Trust::Yes),
            Some("DO_NOT_TRUST") => (path, Trust::No),
            _ => continue,
        };
        if scene.cwd.starts_with(folder)
            && best.is_none_or(|(length, _)| path.as_str().len() > length)
        {
            best = Some((path.as_str().len(), trust));
        }
    }
    best.map_or(Trust::Unknown, |(_, trust)| trust)
}
