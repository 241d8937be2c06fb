//! The list of agents.

use std::collections::hash_map::Entry as Slot;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use super::super::markdown::Dialect;
use super::{Found, collated, found, markdown_files, project_levels};
use crate::load::map::{Entry, Kind, SkipReason, Tier};
use crate::load::walk::Walk;

/// Returns the lines of the list, and the bodies that wait to be called.
pub(super) fn agents(walk: &mut Walk<'_>) -> Vec<Entry> {
    let mut levels = project_levels(walk);
    levels.push(walk.scene.config.clone());
    let mut by_name: FxHashMap<String, (Found, String)> = FxHashMap::default();
    for level in levels {
        let mut files = Vec::new();
        let folder = level.join("agents");
        markdown_files(walk, &folder, &mut files, &mut FxHashSet::default());
        // The older host takes them as the system lists them.
        if walk.profile.dialect == Dialect::V2_1_332 {
            files.sort();
        }
        let mut here: FxHashMap<String, (Found, String)> = FxHashMap::default();
        for path in files {
            let Some(mut file) = found(walk, String::new(), path, Kind::Agent) else { continue };
            let name = file.keys.get("name").and_then(Value::as_str).map(str::to_owned);
            let description = file.keys.get("description").and_then(Value::as_str);
            let usable = name.filter(|n| {
                let refused = n.contains(':') && walk.profile.dialect == Dialect::V2_1_332;
                !n.is_empty() && !refused
            });
            let (Some(name), Some(description)) = (usable, description) else {
                if !file.keys.is_empty() {
                    let fix = "give it a `name` and a `description` in its front matter";
                    walk.skip_file(&file.path, SkipReason::NotListable, fix);
                }
                continue;
            };
            let text = description.replace("\\n", "\n");
            let line = format!("- {name}: {text} (Tools: {})", tools(&file.keys));
            file.name.clone_from(&name);
            // Of two in one folder the host keeps the last.
            if let Some((old, _)) = here.insert(name, (file, line)) {
                walk.skip_file(&old.path, SkipReason::NameTaken, "give it another name");
            }
        }
        for (name, item) in here {
            match by_name.entry(name) {
                Slot::Occupied(_) => {
                    walk.skip_file(&item.0.path, SkipReason::NameTaken, "give it another name");
                }
                Slot::Vacant(slot) => {
                    slot.insert(item);
                }
            }
        }
    }
    let mut all: Vec<_> = by_name.into_values().collect();
    all.sort_by(|(a, _), (b, _)| collated(&a.name, &b.name));
    let mut out = Vec::new();
    for (file, line) in all {
        out.push(Entry {
            reason: "its name and description".into(),
            ..file.entry(Tier::Always, line)
        });
        out.extend(file.body_entry());
    }
    out
}

fn tools(keys: &Map<String, Value>) -> String {
    let names = |key: &str| -> Vec<String> {
        match keys.get(key) {
            Some(Value::String(text)) => split_tools(text),
            Some(Value::Array(items)) => {
                items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    };
    let (mut allowed, refused) = (names("tools"), names("disallowedTools"));
    if allowed.is_empty() || allowed == ["*"] {
        return match refused.is_empty() {
            true => "All tools".to_owned(),
            false => format!("All tools except {}", refused.join(", ")),
        };
    }
    allowed.retain(|tool| !refused.contains(tool));
    allowed.join(", ")
}

/// Splits at commas outside brackets, so that `Bash(a, b)` stays whole.
fn split_tools(text: &str) -> Vec<String> {
    let mut depth = 0i32;
    let parts = text.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth <= 0
    });
    parts.map(str::trim).filter(|p| !p.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::front_matter;

    #[test]
    fn tools_are_listed_as_the_host_lists_them() {
        let of = |yaml: &str| tools(&front_matter::parse(yaml).unwrap());
        assert_eq!(of("name: a"), "All tools");
        assert_eq!(of("tools: \"*\""), "All tools");
        assert_eq!(of("tools: Read, Bash(git:*)"), "Read, Bash(git:*)");
        assert_eq!(of("disallowedTools: [Write, Edit]"), "All tools except Write, Edit");
        assert_eq!(of("tools: [Read, Write]\ndisallowedTools: Write"), "Read");
    }
}
