//! The lists of skills and agents of OpenCode.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::super::claude_code::listing::collated;
use super::super::files::{Collect, is_no_way, lossy};
use super::Switches;
use super::config::{CONTENT, Config};
use crate::load::map::{Entry, Kind, Owner, SkipReason, Tier};
use crate::load::tree::{Node, Real, resolved};
use crate::text::front_matter;

/// Folders of one tree that are entered.
const MOST_FOLDERS: usize = 5_000;

/// Adds the lines of the list of skills.
pub(super) fn add(out: &mut Collect<'_>, config: &Config, switches: &Switches) {
    let scene = out.scene;
    let mut paths = Vec::new();
    let dots: &[&str] = match (switches.no_external_skills, switches.no_claude_skills) {
        (true, _) => &[],
        (false, true) => &[".agents"],
        (false, false) => &[".claude", ".agents"],
    };
    let project: &[Utf8PathBuf] = {
        let mut all = config.folders.iter().flat_map(|folder| dots.iter().map(|d| folder.join(d)));
        if all.any(|path| is_no_way(out.tree, &path)) { &[] } else { &config.folders }
    };
    for dot in dots {
        for folder in std::iter::once(&scene.home).chain(project) {
            find(out, &folder.join(dot).join("skills"), true, "SKILL.md", &mut paths);
        }
    }
    for home in &config.homes {
        for name in ["skill", "skills"] {
            find(out, &home.join(name), false, "SKILL.md", &mut paths);
        }
    }
    for path in &config.skill_paths {
        let folder = match path.strip_prefix("~/") {
            Some(rest) => scene.home.join(rest),
            None => resolved(&scene.cwd, path),
        };
        find(out, &folder, false, "SKILL.md", &mut paths);
    }
    let mut found: Vec<(String, String, Utf8PathBuf, String)> = Vec::new();
    for path in paths {
        let (keys, body) = read(out, &path).unwrap_or_default();
        let (Some(name), Some(description)) = (text(&keys, "name"), text(&keys, "description"))
        else {
            let fix = "give it a `name` and a `description` in its front matter";
            out.skip(&path, SkipReason::NotListable, fix);
            continue;
        };
        if found.iter().any(|(own, ..)| *own == name) {
            out.skip(&path, SkipReason::NameTaken, "give it another name");
            continue;
        }
        if config.skills.denies(&name) {
            let fix = "change `permission.skill` in your settings if the model should know it";
            out.skip(&path, SkipReason::SwitchedOff, fix);
            continue;
        }
        found.push((name, description, path, body));
    }
    found.sort_by(|a, b| collated(&a.0, &b.0));
    for (name, description, path, body) in found {
        let shown = path.as_str().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let line = format!(
            "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
             <location>{shown}</location>\n  </skill>"
        );
        push(out, &path, Kind::Skill, &name, line, &body);
    }
}

/// Adds the lines of the list of agents.
pub(super) fn agents(out: &mut Collect<'_>, config: &Config) {
    /// What the host says of an agent without a description.
    const MANUAL: &str = "This subagent should only be called manually by the user.";
    let mut found: BTreeMap<String, Agent> = BTreeMap::new();
    let defined = |found: &mut BTreeMap<String, Agent>, after: usize| {
        for agent in config.agents.iter().filter(|agent| agent.after == after) {
            let own = found.entry(agent.name.clone()).or_default();
            own.keys.extend(agent.keys.clone());
            own.path.clone_from(&agent.file);
        }
    };
    for (number, home) in config.homes.iter().enumerate() {
        defined(&mut found, number);
        for folder in ["agent", "agents"].map(|name| home.join(name)) {
            let mut paths = Vec::new();
            find(out, &folder, true, ".md", &mut paths);
            for path in paths {
                // What can't be parsed is an agent that nothing is said of.
                let (keys, body) = read(out, &path).unwrap_or_default();
                let own = path.strip_prefix(&folder).unwrap_or(&path).as_str();
                let own = own.strip_suffix(".md").unwrap_or(own).to_owned();
                let agent = found.entry(text(&keys, "name").unwrap_or(own)).or_default();
                agent.keys.extend(keys);
                (agent.path, agent.body) = (path, body);
            }
        }
    }
    defined(&mut found, config.homes.len());
    let mut found: Vec<(String, Agent)> = found.into_iter().collect();
    found.sort_by(|a, b| collated(&a.0, &b.0));
    for (name, agent) in found {
        let primary = text(&agent.keys, "mode").is_some_and(|mode| mode == "primary");
        if primary || agent.keys.get("disable") == Some(&Value::Bool(true)) {
            continue;
        }
        if config.tasks.denies(&name) {
            let fix = "change `permission.task` in your settings if the model should know it";
            out.skip(&agent.path, SkipReason::SwitchedOff, fix);
            continue;
        }
        let description = text(&agent.keys, "description");
        let line = format!("- {name}: {}", description.as_deref().unwrap_or(MANUAL));
        push(out, &agent.path, Kind::Agent, &name, line, &agent.body);
    }
}

/// An agent, from all that define it.
#[derive(Default)]
struct Agent {
    keys: Keys,
    path: Utf8PathBuf,
    body: String,
}

fn push(out: &mut Collect<'_>, path: &Utf8Path, kind: Kind, name: &str, line: String, body: &str) {
    // What a variable holds is no file.
    let nowhere = || Real { path: path.to_owned(), node: Node::File, bytes: 0 };
    let real = match out.tree.real(path) {
        Err(_) if path == CONTENT => nowhere(),
        Err(_) => return,
        Ok(real) => real,
    };
    let owner = if path == CONTENT { Owner::Personal } else { out.owner(&real.path) };
    let named = |entry: Entry| Entry { name: Some(name.to_owned()), owner, ..entry };
    let entry = out.entry(path, &real, kind, Tier::Always, "its name and description", line);
    out.entries.push(named(entry));
    let body = body.trim().to_owned();
    if !body.is_empty() {
        let entry = out.entry(path, &real, kind, Tier::OnInvoke, "once it is called", body);
        out.entries.push(named(entry));
    }
}

/// Finds files whose names end so below a folder, links followed.
fn find(
    out: &Collect<'_>,
    folder: &Utf8Path,
    hidden: bool,
    ending: &str,
    paths: &mut Vec<Utf8PathBuf>,
) {
    let mut todo = vec![folder.to_owned()];
    let mut entered = rustc_hash::FxHashSet::default();
    while let Some(at) = todo.pop() {
        let Ok(real) = out.tree.real(&at) else { continue };
        if real.node != Node::Folder || entered.len() >= MOST_FOLDERS || !entered.insert(real.path)
        {
            continue;
        }
        let mut children = out.tree.list(&at).unwrap_or_default();
        children.sort_by(|a, b| b.name.cmp(&a.name));
        for child in children {
            let Some(name) = child.name else { continue };
            let path = at.join(&name);
            let node = match child.node {
                Node::Link => out.tree.real(&path).map_or(Node::Link, |real| real.node),
                node => node,
            };
            let ends = if ending == "SKILL.md" { name == ending } else { name.ends_with(ending) };
            match node {
                Node::Folder if hidden || !name.starts_with('.') => todo.push(path),
                Node::File if ends && !paths.contains(&path) => paths.push(path),
                _ => {}
            }
        }
    }
}

type Keys = serde_json::Map<String, Value>;

/// Reads the front matter and what stands behind it.
fn read(out: &Collect<'_>, path: &Utf8Path) -> Option<(Keys, String)> {
    let text = lossy(&out.tree.read(path).ok()?);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let Some(rest) = text.strip_prefix("---").filter(|rest| !rest.starts_with('-')) else {
        return Some((Keys::new(), text.to_owned()));
    };
    let rest = rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let (yaml, body) = match rest.find("\n---") {
        Some(end) => (&rest[..end], rest[end + 4..].split_once('\n').map_or("", |(_, b)| b)),
        None => (rest, ""),
    };
    let keys = front_matter::parse_strictly(yaml)
        .or_else(|| front_matter::parse_strictly(&with_colons_as_blocks(yaml)))?;
    Some((keys, body.to_owned()))
}

/// Rewrites what the host tries again: a value with a colon becomes a block of text.
fn with_colons_as_blocks(yaml: &str) -> String {
    let line = |line: &str| match line.split_once(':') {
        Some((key, value))
            if !key.is_empty()
                && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && value.contains(':')
                && !value.trim_start().starts_with(['"', '\'', '|', '>']) =>
        {
            format!("{key}: |-\n  {}\n", value.trim())
        }
        _ => format!("{line}\n"),
    };
    yaml.lines().map(line).collect()
}

fn text(keys: &Keys, key: &str) -> Option<String> {
    keys.get(key).and_then(Value::as_str).map(str::to_owned)
}
