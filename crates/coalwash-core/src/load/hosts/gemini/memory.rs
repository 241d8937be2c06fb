//! The memory of Gemini CLI, which has a folder for each folder that sessions begin in.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::{Part, Walk};
use crate::load::map::{Kind, Tier};
use crate::load::tree::{Node, Tree, resolved};

/// Loads the memory of the session's folder.
pub(super) fn add(walk: &mut Walk<'_>) {
    let scene = walk.out.scene;
    let Some(id) = id(walk.out.tree, &scene.config, &scene.cwd) else { return };
    let folder = scene.config.join("tmp").join(id).join("memory");
    let part =
        Part { kind: Kind::Memory, reason: "its memory of this folder".into(), in_system: true };
    let index = folder.join("MEMORY.md");
    // Whatever stands there takes the place of the older names.
    let names = match walk.out.tree.real(&index) {
        Ok(_) => vec![index],
        Err(_) => walk.settings.names.iter().map(|name| resolved(&folder, name)).collect(),
    };
    for path in names {
        walk.file(&path, &part, Tier::Always);
    }
}

/// Returns the name of the memory's folder; `None` where the session would get a new one.
fn id(tree: &dyn Tree, config: &Utf8Path, cwd: &Utf8Path) -> Option<String> {
    let list = tree.read(&config.join("projects.json")).ok();
    let list = list.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let projects = list.as_ref().and_then(|list| list.get("projects")).and_then(Value::as_object);
    let holders = [config.join("tmp"), config.join("history")];
    let owner = |folder: &Utf8PathBuf| {
        let bytes = tree.read(&folder.join(".project_root")).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    let elsewhere = |id: &str| {
        holders.iter().any(|top| owner(&top.join(id)).is_some_and(|root| root != cwd.as_str()))
    };
    let known = projects.and_then(|map| map.get(cwd.as_str())).and_then(Value::as_str);
    if let Some(id) = known.filter(|id| !elsewhere(id)) {
        return Some(id.to_owned());
    }
    for top in &holders {
        for child in tree.list(top).unwrap_or_default() {
            let Some(name) = child.name.filter(|_| child.node != Node::File) else { continue };
            if owner(&top.join(&name)).is_some_and(|root| root == cwd.as_str()) {
                return Some(name);
            }
        }
    }
    let slug = slug(cwd.file_name().unwrap_or_default());
    let taken = |id: &str| {
        let by_list = projects.is_some_and(|map| map.values().any(|it| it.as_str() == Some(id)));
        by_list || elsewhere(id)
    };
    let mut candidates =
        std::iter::once(slug.clone()).chain((1..1_000).map(|n| format!("{slug}-{n}")));
    candidates.find(|id| !taken(id))
}

/// Returns a folder's name in lower case, with `-` for all that is neither a letter nor a digit.
fn slug(name: &str) -> String {
    let mut out = String::new();
    for c in name.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            _ if out.ends_with('-') => {}
            _ => out.push('-'),
        }
    }
    match out.trim_matches('-') {
        "" => "project".to_owned(),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn slugs_are_those_of_the_host() {
        for (name, slug) in [("My Proj_x.é", "my-proj-x"), ("--é--", "project"), ("p", "p")] {
            assert_eq!(super::slug(name), slug);
        }
    }
}
