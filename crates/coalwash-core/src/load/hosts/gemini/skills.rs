//! The lists of skills and agents of Gemini CLI.

use camino::{Utf8Path, Utf8PathBuf};

use super::super::files::{Collect, lossy};
use super::extensions::Extension;
use super::settings::{Settings, Trust};
use super::{DOT, listed};
use crate::load::map::{Entry, Kind, SkipReason, Tier};
use crate::load::tree::Node;
use crate::text::front_matter;

/// A skill or agent that is listed.
struct Found {
    name: String,
    description: String,
    path: Utf8PathBuf,
    body: String,
}

/// Adds the lines of the list of skills.
pub(super) fn add(out: &mut Collect<'_>, settings: &Settings, extensions: &[Extension]) {
    if !settings.skills {
        return;
    }
    let scene = out.scene;
    let mut folders: Vec<_> = extensions.iter().map(|it| it.folder.join("skills")).collect();
    folders.extend([scene.config.join("skills"), scene.home.join(".agents/skills")]);
    if settings.trust != Trust::No {
        folders.push(scene.cwd.join(DOT).join("skills"));
        folders.push(scene.cwd.join(".agents/skills"));
    }
    let mut all: Vec<Found> = Vec::new();
    for folder in folders {
        for path in files(out, &folder) {
            let Some(found) = skill(out, &path) else {
                let fix = "give it a `name` and a `description` in its front matter";
                out.skip(&path, SkipReason::NotListable, fix);
                continue;
            };
            // A later one of the same name takes the place of an earlier one.
            match all.iter_mut().find(|old| old.name == found.name) {
                Some(old) => {
                    let old = std::mem::replace(old, found);
                    out.skip(&old.path, SkipReason::NameTaken, "give it another name");
                }
                None => all.push(found),
            }
        }
    }
    for Found { name, description, path, body } in all {
        if settings.disabled.contains(&name.to_lowercase()) {
            let fix = "change `skills.disabled` in your settings if the model should know it";
            out.skip(&path, SkipReason::SwitchedOff, fix);
            continue;
        }
        let line = format!(
            "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
             <location>{path}</location>\n  </skill>"
        );
        push(out, &path, Kind::Skill, &name, &line, &body);
    }
}

/// Adds the lines of the list of agents: the user's; a project's need an approval of their text.
pub(super) fn agents(out: &mut Collect<'_>, settings: &Settings, extensions: &[Extension]) {
    if !settings.agents {
        return;
    }
    let own = out.scene.cwd.join(DOT).join("agents");
    if own != out.scene.config.join("agents") && out.is_folder(&own) {
        out.not_measured.push("agents of the project that you acknowledged".to_owned());
    }
    let mut folders = vec![out.scene.config.join("agents")];
    folders.extend(extensions.iter().map(|it| it.folder.join("agents")));
    let mut seen: Vec<String> = BUILT_IN_AGENTS.map(str::to_owned).to_vec();
    for folder in folders {
        let mut names: Vec<String> = out
            .tree
            .list(&folder)
            .unwrap_or_default()
            .into_iter()
            .filter(|child| child.node == Node::File)
            .filter_map(|child| child.name)
            .filter(|name| name.ends_with(".md") && !name.starts_with('_'))
            .collect();
        names.sort();
        for name in names {
            let path = folder.join(&name);
            let Some(found) = agent(out, &path) else {
                let fix = "give it a plain `name` and a `description`, and no keys of other hosts";
                out.skip(&path, SkipReason::NotListable, fix);
                continue;
            };
            if seen.contains(&found.name) {
                out.skip(&path, SkipReason::NameTaken, "give it another name");
                continue;
            }
            seen.push(found.name.clone());
            let line = format!(
                "  <subagent>\n    <name>{}</name>\n    <description>{}</description>\n  </subagent>",
                found.name, found.description
            );
            push(out, &path, Kind::Agent, &found.name, &line, &found.body);
        }
    }
}

/// Agents that the host brings along, whose names are taken.
///
/// Source: requests of the real client.
const BUILT_IN_AGENTS: [&str; 3] = ["codebase_investigator", "cli_help", "generalist"];

/// Keys that an agent's front matter may have; any other makes the host refuse the file.
///
/// Source: the host's documentation of its agents, read 2026-11-30, and requests of the real client.
const AGENT_KEYS: [&str; 14] = [
    "name",
    "description",
    "kind",
    "display_name",
    "displayName",
    "tools",
    "model",
    "temperature",
    "max_turns",
    "timeout_mins",
    "mcp_servers",
    "auth",
    "agent_card_url",
    "agent_card_json",
];

/// Reads an agent, strictly.
fn agent(out: &Collect<'_>, path: &Utf8Path) -> Option<Found> {
    let text = lossy(&out.tree.read(path).ok()?);
    let (yaml, _) = front(&text)?;
    let keys = front_matter::parse(yaml)?;
    let known = keys.keys().all(|key| AGENT_KEYS.contains(&key.as_str()));
    let found = skill(out, path)?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    (known && found.name.chars().all(plain)).then_some(found)
}

fn push(out: &mut Collect<'_>, path: &Utf8Path, kind: Kind, name: &str, line: &str, body: &str) {
    let Ok(real) = out.tree.real(path) else { return };
    let entry = listed(out, path, &real, kind, name, line);
    out.entries.push(entry);
    let body = body.trim().to_owned();
    if !body.is_empty() {
        let entry = out.entry(path, &real, kind, Tier::OnInvoke, "once it is called", body);
        out.entries.push(Entry { name: Some(name.to_owned()), ..entry });
    }
}

/// Returns the skills of a folder: one in it, and one in each folder in it, by name from the last on.
fn files(out: &Collect<'_>, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut names: Vec<String> = out
        .tree
        .list(folder)
        .unwrap_or_default()
        .into_iter()
        .filter(|child| matches!(child.node, Node::Folder | Node::Link))
        .filter_map(|child| child.name)
        .filter(|name| !name.starts_with('.') && name != "node_modules")
        .collect();
    names.sort();
    names.reverse();
    let own = std::iter::once(folder.join("SKILL.md"));
    let below = names.iter().map(|name| folder.join(name).join("SKILL.md"));
    own.chain(below).filter(|path| out.is_file(path)).collect()
}

fn skill(out: &Collect<'_>, path: &Utf8Path) -> Option<Found> {
    let text = lossy(&out.tree.read(path).ok()?);
    let (yaml, body) = front(&text)?;
    let map = front_matter::parse(yaml);
    let text_of = |key: &str| {
        map.as_ref()
            .and_then(|map| map.get(key))
            .and_then(|value| value.as_str())
            .map(str::to_owned)
    };
    let (name, description) = match (text_of("name"), text_of("description")) {
        (Some(name), Some(description)) => (name, description),
        _ => (by_line(yaml, "name")?, by_line(yaml, "description")?),
    };
    let name = name.replace([':', '\\', '/', '<', '>', '*', '?', '"', '|'], "-");
    Some(Found { name, description, path: path.to_owned(), body: body.to_owned() })
}

/// Returns the YAML and what stands behind it.
fn front(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let end = rest.find("\n---")?;
    let body = rest[end + 4..].split_once('\n').map_or("", |(_, body)| body);
    Some((rest[..end].trim_end_matches('\r'), body))
}

/// Reads `key: value` without YAML: the last such line, with the indented lines behind it.
fn by_line(yaml: &str, key: &str) -> Option<String> {
    let mut found: Option<String> = None;
    let mut open = false;
    for line in yaml.lines() {
        if let Some(value) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) {
            found = Some(value.trim().to_owned());
            open = true;
        } else if open && line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            if let Some(found) = &mut found {
                found.push(' ');
                found.push_str(line.trim());
            }
        } else {
            open = false;
        }
    }
    found
}
