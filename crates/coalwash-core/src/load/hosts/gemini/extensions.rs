//! The user's extensions, which may bring context files, skills and agents.

use camino::Utf8PathBuf;
use serde_json::Value;

use super::settings::NAME;
use crate::load::scene::Scene;
use crate::load::tree::{Tree, resolved};

/// An extension that is on.
#[derive(Clone, Debug)]
pub(super) struct Extension {
    pub(super) folder: Utf8PathBuf,
    /// Its context files.
    pub(super) files: Vec<Utf8PathBuf>,
}

/// Returns the extensions that are on in the session's folder, by the names of their folders.
pub(super) fn of(tree: &dyn Tree, scene: &Scene) -> Vec<Extension> {
    let top = scene.config.join("extensions");
    let rules = tree.read(&top.join("extension-enablement.json")).ok();
    let rules = rules.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let mut names: Vec<String> =
        tree.list(&top).unwrap_or_default().into_iter().filter_map(|child| child.name).collect();
    names.sort();
    let mut out = Vec::new();
    for name in names {
        let folder = top.join(name);
        let Ok(bytes) = tree.read(&folder.join("gemini-extension.json")) else { continue };
        let Ok(json) = serde_json::from_slice::<Value>(&bytes) else { continue };
        let text = |key: &str| json.get(key).and_then(Value::as_str);
        let (Some(name), Some(_)) = (text("name"), text("version")) else { continue };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if name.is_empty() || !name.chars().all(plain) || !is_on(rules.as_ref(), name, scene) {
            continue;
        }
        let names: Vec<String> = match json.get("contextFileName") {
            Some(Value::String(name)) if !name.is_empty() => vec![name.clone()],
            Some(Value::Array(items)) => {
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
            }
            _ => vec![NAME.to_owned()],
        };
        let inside =
            |name: &&String| !name.starts_with('/') && !name.split('/').any(|part| part == "..");
        let files = names.iter().filter(inside).map(|name| resolved(&folder, name)).collect();
        out.push(Extension { folder, files });
    }
    out
}

/// Returns whether an extension is on here: the last rule that names the folder decides.
fn is_on(rules: Option<&Value>, name: &str, scene: &Scene) -> bool {
    let rules = rules.and_then(|rules| rules.get(name)?.get("overrides")?.as_array());
    let mut on = true;
    for rule in rules.into_iter().flatten().filter_map(Value::as_str) {
        let (off, path) = match rule.strip_prefix('!') {
            Some(path) => (true, path),
            None => (false, rule),
        };
        let here = format!("{}/", scene.cwd);
        let holds = match path.strip_suffix('*') {
            Some(above) => here.starts_with(above),
            None => here.trim_end_matches('/') == path.trim_end_matches('/'),
        };
        if holds {
            on = !off;
        }
    }
    on
}
