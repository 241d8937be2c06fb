//! The settings of OpenCode that change what is loaded, and the folders that it reads.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::super::files::is_no_way;
use super::{Switches, substitute};
use crate::config::jsonc_with_final_commas;
use crate::load::pattern::glob_matches;
use crate::load::scene::Scene;
use crate::load::tree::{Node, Tree, Unreadable, resolved};

/// What is in force.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    /// The folder of the user's `AGENTS.md`.
    pub(super) own_folder: Utf8PathBuf,
    /// The session's folder and those above it, up to the root.
    pub(super) folders: Vec<Utf8PathBuf>,
    /// The folders with agents and skills, in their order.
    pub(super) homes: Vec<Utf8PathBuf>,
    /// Globs of further files.
    pub(super) instructions: Vec<String>,
    /// Folders of further skills.
    pub(super) skill_paths: Vec<String>,
    /// Agents that the settings define, in the order in which they come into force.
    pub(super) agents: Vec<Defined>,
    /// What the settings say of skills.
    pub(super) skills: Permission,
    /// What they say of agents.
    pub(super) tasks: Permission,
    /// Why the host doesn't start.
    pub(super) refuses: Vec<String>,
    /// What can't be known.
    pub(super) not_measured: Vec<String>,
    variables: BTreeMap<String, String>,
    home: Utf8PathBuf,
}

/// What settings say of a tool and what it may be used for.
#[derive(Clone, Debug, Default)]
pub(super) struct Permission {
    /// Whether `tools` switches the tool off.
    off: bool,
    /// Names or patterns, and `deny`, `ask` or `allow`.
    rules: Vec<(String, String)>,
    /// Whether one word was said for all.
    is_word: bool,
}

impl Permission {
    /// Returns whether the model isn't told of something; the last rule that fits counts. Where there
    /// are rules, it doesn't matter that `tools` switches the tool off.
    pub(super) fn denies(&self, name: &str) -> bool {
        let fits = |pattern: &str| glob_matches(&format!("/{pattern}"), &format!("/{name}"));
        let last = self.rules.iter().rev().find(|(pattern, _)| fits(pattern));
        match last {
            Some((_, rule)) => rule == "deny",
            None => self.off && self.rules.is_empty(),
        }
    }

    /// Takes what one layer says. Lists are united, where one word takes the place of all.
    fn take(&mut self, settings: &Value, tool: &str) {
        self.off |= settings.get("tools").and_then(|it| it.get(tool)) == Some(&Value::Bool(false));
        match settings.get("permission").and_then(|permission| permission.get(tool)) {
            Some(Value::String(word)) => {
                (self.rules, self.is_word) = (vec![("*".to_owned(), word.clone())], true);
            }
            Some(Value::Object(rules)) => {
                if std::mem::take(&mut self.is_word) {
                    self.rules.clear();
                }
                for (pattern, rule) in rules {
                    let Some(rule) = rule.as_str().map(str::to_owned) else { continue };
                    match self.rules.iter_mut().find(|(own, _)| own == pattern) {
                        Some((_, own)) => *own = rule,
                        None => self.rules.push((pattern.clone(), rule)),
                    }
                }
            }
            _ => {}
        }
    }
}

/// An agent that settings define.
#[derive(Clone, Debug)]
pub(super) struct Defined {
    pub(super) name: String,
    /// What they say of it.
    pub(super) keys: serde_json::Map<String, Value>,
    /// The file of settings, or [`CONTENT`].
    pub(super) file: Utf8PathBuf,
    /// How many of the `homes` have been read before it.
    pub(super) after: usize,
}

/// The variable that may hold settings, in the place of a path.
pub(super) const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

const FILES: [&str; 2] = ["opencode.json", "opencode.jsonc"];

/// Reads the settings in force in the scene's folder.
pub(super) fn read(scene: &Scene, switches: &Switches, tree: &dyn Tree) -> Config {
    let mut out = Config {
        variables: switches.variables.clone(),
        home: scene.home.clone(),
        ..Config::default()
    };
    let extra = switches.config_dir.as_deref().map(|dir| resolved(&scene.cwd, dir));
    out.own_folder = extra.clone().unwrap_or_else(|| scene.config.clone());
    let root = root(tree, &scene.cwd);
    let top = root.clone().unwrap_or_else(|| "/".into());
    out.folders = scene
        .cwd
        .ancestors()
        .take_while(|folder| folder.starts_with(&top))
        .map(Utf8Path::to_owned)
        .collect();
    let up: Vec<Utf8PathBuf> = match switches.no_project {
        true => Vec::new(),
        false => out.folders.clone(),
    };
    let mut homes = vec![scene.config.clone()];
    homes.extend(up.iter().map(|folder| folder.join(".opencode")));
    homes.push(scene.home.join(".opencode"));
    homes.extend(extra);
    for home in homes {
        if !out.homes.contains(&home) {
            out.homes.push(home);
        }
    }
    // Within the user's folder a later list takes the place of an earlier one.
    let mut global: Option<Vec<String>> = None;
    for name in ["config.json", FILES[0], FILES[1]] {
        if let Some(value) = out.layer(tree, &scene.config.join(name)) {
            global = texts(&value, "instructions").or(global);
            out.take_rest(&value, &scene.config.join(name), 0);
        }
    }
    out.add(global.unwrap_or_default());
    if let Some(file) = &switches.config_file {
        out.take(tree, &resolved(&scene.cwd, file), 0);
    }
    for folder in up.iter().rev() {
        for name in FILES {
            out.take(tree, &folder.join(name), 0);
        }
    }
    for (number, home) in out.homes.clone().into_iter().enumerate().skip(1) {
        for name in FILES {
            out.take(tree, &home.join(name), number);
        }
    }
    if let Some(content) = switches.config_content.as_ref().filter(|it| !it.is_empty()) {
        let all = out.homes.len();
        match out.parsed(tree, content, CONTENT, &scene.cwd) {
            Ok(value) => out.take_value(&value, Utf8Path::new(CONTENT), all),
            Err(why) => out.refuses.push(why),
        }
    }
    for name in FILES {
        let all = out.homes.len();
        out.take(tree, &scene.managed.join(name), all);
    }
    out
}

impl Config {
    fn layer(&mut self, tree: &dyn Tree, path: &Utf8Path) -> Option<Value> {
        let bytes = match tree.read(path) {
            Ok(bytes) => bytes,
            Err(Unreadable::Missing) => return None,
            Err(why) => {
                self.refuses.push(format!("`{path}` can't be read: {why}"));
                return None;
            }
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let text = text.trim_start_matches('\u{feff}');
        if text.is_empty() {
            return None;
        }
        let folder = path.parent().unwrap_or(path);
        let parsed = self.parsed(tree, text, path.as_str(), folder);
        parsed.map_err(|why| self.refuses.push(why)).ok()
    }

    /// Reads settings, in which paths are relative to `folder`; else says what is wrong with them.
    fn parsed(
        &self,
        tree: &dyn Tree,
        text: &str,
        name: &str,
        folder: &Utf8Path,
    ) -> Result<Value, String> {
        let text = substitute::marks(text, folder, &self.variables, &self.home, tree)
            .map_err(|missing| format!("`{name}` refers to `{missing}`, which can't be read"))?;
        match jsonc_with_final_commas(&text) {
            Some(Value::Object(map)) => Ok(Value::Object(map)),
            _ => Err(format!("`{name}` is no JSON object")),
        }
    }

    fn take(&mut self, tree: &dyn Tree, path: &Utf8Path, after: usize) {
        if let Some(value) = self.layer(tree, path) {
            self.take_value(&value, path, after);
        }
    }

    fn take_value(&mut self, value: &Value, file: &Utf8Path, after: usize) {
        self.add(texts(value, "instructions").unwrap_or_default());
        self.take_rest(value, file, after);
    }

    fn add(&mut self, instructions: Vec<String>) {
        for text in instructions {
            if !self.instructions.contains(&text) {
                self.instructions.push(text);
            }
        }
    }

    fn take_rest(&mut self, value: &Value, file: &Utf8Path, after: usize) {
        if let Some(paths) = value.get("skills").and_then(|skills| texts(skills, "paths")) {
            self.skill_paths = paths;
        }
        for key in ["agent", "agents"] {
            for (name, agent) in value.get(key).and_then(Value::as_object).into_iter().flatten() {
                let keys = agent.as_object().cloned().unwrap_or_default();
                let file = file.to_owned();
                self.agents.push(Defined { name: name.clone(), keys, file, after });
            }
        }
        self.skills.take(value, "skill");
        self.tasks.take(value, "task");
        if value
            .get("instructions")
            .is_some_and(|it| texts(value, "instructions").is_none() && !it.is_null())
        {
            self.refuses.push("`instructions` is no list of texts".to_owned());
        }
    }
}

fn texts(value: &Value, key: &str) -> Option<Vec<String>> {
    let items = value.get(key)?.as_array()?;
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Returns the root of the repository as git would say it from the nearest folder with a `.git`.
fn root(tree: &dyn Tree, cwd: &Utf8Path) -> Option<Utf8PathBuf> {
    // The host looks for it in all folders up to `/`, whatever it has found by then.
    if cwd.ancestors().any(|folder| is_no_way(tree, &folder.join(".git"))) {
        return None;
    }
    let has = |folder: &&Utf8Path| tree.real(&folder.join(".git")).is_ok();
    let nearest = cwd.ancestors().find(has)?;
    for folder in nearest.ancestors() {
        let path = folder.join(".git");
        let Ok(real) = tree.real(&path) else { continue };
        let is_repository = |at: &Utf8Path| {
            ["HEAD", "objects", "refs"].iter().all(|name| tree.real(&at.join(name)).is_ok())
        };
        match real.node {
            // git looks further up past a folder that is no repository.
            Node::Folder if is_repository(&real.path) => return Some(folder.to_owned()),
            Node::Folder => {}
            _ => {
                let text = tree.read_start(&path, 16 * 1024).ok()?;
                let text = String::from_utf8(text).ok()?;
                let to = resolved(folder, text.lines().next()?.strip_prefix("gitdir:")?.trim());
                return tree.real(&to.join("HEAD")).is_ok().then(|| folder.to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Measured with the client: agents `aa`, `ab`, `ba`, and these layers.
    #[test]
    fn the_last_rule_that_fits_counts() {
        let agents = |layers: &[Value]| {
            let mut permission = Permission::default();
            layers.iter().for_each(|layer| permission.take(layer, "task"));
            let told = ["aa", "ab", "ba"].into_iter().filter(|name| !permission.denies(name));
            told.collect::<Vec<_>>().join(" ")
        };
        let rules = |task: Value| json!({"permission": {"task": task}});
        let off = json!({"tools": {"task": false}});
        assert_eq!(agents(&[]), "aa ab ba");
        assert_eq!(agents(&[rules(json!("deny"))]), "");
        let layers = [rules(json!("deny")), rules(json!({"a*": "deny", "ab": "allow"}))];
        assert_eq!(agents(&layers), "ab ba");
        // A rule stays where it stood first.
        let layers = [rules(json!({"a*": "allow", "ab": "deny"})), rules(json!({"a*": "deny"}))];
        assert_eq!(agents(&layers), "ba");
        assert_eq!(agents(&[rules(json!({"*": "deny", "ba": "ask"}))]), "ba");
        assert_eq!(agents(&[rules(json!({"a*": "deny"})), rules(json!("allow"))]), "aa ab ba");
        assert_eq!(agents(std::slice::from_ref(&off)), "");
        assert_eq!(agents(&[off, rules(json!("allow"))]), "aa ab ba");
    }
}
