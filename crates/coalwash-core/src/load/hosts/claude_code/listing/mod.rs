//! The lists of skills, commands and agents that Claude Code puts into every session.
//!
//! Source: requests of both clients; 40 budgets against a simulation of the cut.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};
use std::cmp::Ordering;

use super::markdown::{self, Dialect};
use crate::load::map::{Entry, Kind, Owner, SkipReason, Tier};
use crate::load::tree::{Node, Unreadable};
use crate::load::walk::{Walk, decoded};
use crate::text::front_matter;
use crate::text::lines::js_trim;

mod agents;
mod line;
mod skills;
mod touched;

pub(in crate::load) use touched::Touched;

/// Folders of one tree of commands or agents that are entered.
const MOST_FOLDERS: usize = 5_000;

/// A file that wants to be in a list.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) path: Utf8PathBuf,
    pub(super) real: Utf8PathBuf,
    kind: Kind,
    pub(super) owner: Owner,
    pub(super) disk_bytes: u64,
    pub(super) keys: Map<String, Value>,
    pub(super) body: String,
}

impl Found {
    /// Returns an entry that sends `text` for this file.
    fn entry(&self, tier: Tier, text: String) -> Entry {
        Entry {
            disk_bytes: self.disk_bytes,
            sent: Some(text),
            name: Some(self.name.clone()),
            ..Entry::new(self.path.clone(), self.real.clone(), self.kind, tier, self.owner)
        }
    }

    /// Returns the entry of what follows the front matter, which waits to be called.
    fn body_entry(&self) -> Option<Entry> {
        let body = js_trim(&self.body);
        (!body.is_empty()).then(|| Entry {
            reason: "once it is called".into(),
            ..self.entry(Tier::OnInvoke, body.to_owned())
        })
    }
}

/// Adds the lists, and the bodies that wait to be called.
pub(in crate::load) fn add(walk: &mut Walk<'_>) {
    let mut entries = skills::entries(walk);
    entries.extend(agents::agents(walk));
    walk.entries.append(&mut entries);
}

/// Returns the `.claude` folders whose skills are listed, nearest first.
pub(super) fn project_levels(walk: &Walk<'_>) -> Vec<Utf8PathBuf> {
    let scene = walk.scene;
    let root = scene.git.as_ref().map(|git| git.root.as_path());
    let mut out = Vec::new();
    for folder in scene.cwd.ancestors() {
        // The home's own folder is the user's, wherever the configuration lies.
        if folder == scene.home || root.is_none() && folder.parent().is_none() {
            break;
        }
        let claude = folder.join(".claude");
        if claude != scene.config {
            out.push(claude);
        }
        if root == Some(folder) {
            break;
        }
    }
    out
}

fn skills_of(walk: &mut Walk<'_>, level: &Utf8Path) -> Vec<Found> {
    let folder = level.join("skills");
    let mut out = Vec::new();
    for child in walk.listed(&folder) {
        let Some(name) = child.name else {
            let path = folder.join(&child.shown);
            walk.skip_file(&path, SkipReason::NameNotUtf8, "rename it");
            continue;
        };
        if !matches!(child.node, Node::Folder | Node::Link) {
            continue;
        }
        let path = folder.join(&name).join("SKILL.md");
        if refused(walk, &name) {
            walk.skip_file(&path, SkipReason::NotListable, "take the `<` out of its name");
            continue;
        }
        out.extend(found(walk, name, path, Kind::Skill));
    }
    out.sort_by(|a, b| collated(&a.name, &b.name));
    out
}

fn commands_of(walk: &mut Walk<'_>, level: &Utf8Path) -> Vec<Found> {
    let folder = level.join("commands");
    let mut files = Vec::new();
    markdown_files(walk, &folder, &mut files, &mut FxHashSet::default());
    let name_of = |path: &Utf8Path| {
        let relative = path.strip_prefix(&folder).unwrap_or(path).as_str();
        let name = relative.strip_suffix(".md").unwrap_or(relative).replace('/', ":");
        name.strip_suffix(":SKILL").map(str::to_owned).unwrap_or(name)
    };
    files
        .into_iter()
        .filter_map(|path| {
            let name = name_of(&path);
            if refused(walk, &name) {
                walk.skip_file(&path, SkipReason::NotListable, "take the `<` out of its name");
                return None;
            }
            found(walk, name, path, Kind::Command)
        })
        .collect()
}

/// Returns whether the newer host takes no skill or command of this name.
fn refused(walk: &Walk<'_>, name: &str) -> bool {
    walk.profile.dialect == Dialect::V2_1_332 && name.contains('<')
}

/// Collects `*.md` below a folder, links followed, each folder once.
fn markdown_files(
    walk: &mut Walk<'_>,
    folder: &Utf8Path,
    out: &mut Vec<Utf8PathBuf>,
    entered: &mut FxHashSet<Utf8PathBuf>,
) {
    let Ok(real) = walk.tree.real(folder) else { return };
    if real.node != Node::Folder || entered.len() >= MOST_FOLDERS || !entered.insert(real.path) {
        return;
    }
    for child in walk.listed(folder) {
        let Some(name) = child.name else {
            walk.skip_file(&folder.join(&child.shown), SkipReason::NameNotUtf8, "rename it");
            continue;
        };
        let path = folder.join(&name);
        let node = match child.node {
            Node::Link => walk.tree.real(&path).map_or(Node::Link, |real| real.node),
            node => node,
        };
        match node {
            Node::Folder => markdown_files(walk, &path, out, entered),
            Node::File | Node::Special if name.ends_with(".md") => out.push(path),
            _ => {}
        }
    }
}

pub(super) fn found(
    walk: &mut Walk<'_>,
    name: String,
    path: Utf8PathBuf,
    kind: Kind,
) -> Option<Found> {
    let real = match walk.tree.real(&path) {
        Ok(real) if real.node == Node::File => real,
        Ok(real) if real.node == Node::Special => {
            walk.unreadable(&path, &Unreadable::Special, None);
            return None;
        }
        Ok(_) | Err(Unreadable::Missing) => return None,
        Err(why) => {
            walk.unreadable(&path, &why, None);
            return None;
        }
    };
    let bytes = match walk.tree.read(&real.path) {
        Ok(bytes) => bytes,
        Err(why) => {
            walk.unreadable(&path, &why, None);
            return None;
        }
    };
    let text = decoded(bytes);
    let dialect = walk.profile.dialect;
    let (keys, body) = match markdown::front_matter(&text, dialect) {
        Some((yaml, body)) => {
            (front_matter::parse(&text[yaml]).unwrap_or_default(), text[body..].to_owned())
        }
        None => (Map::new(), text),
    };
    let owner = walk.owner_of(&real.path);
    Some(Found { name, path, real: real.path, kind, owner, disk_bytes: real.bytes, keys, body })
}

fn is_true(value: &Value) -> bool {
    value.as_bool() == Some(true) || value.as_str() == Some("true")
}

/// Returns a scalar of the front matter as text, trimmed; empty ones and collections are absent.
pub(super) fn scalar(keys: &Map<String, Value>, key: &str) -> Option<String> {
    let text = match keys.get(key)? {
        Value::String(text) => js_trim(text).to_owned(),
        Value::Number(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
        _ => return None,
    };
    Some(text).filter(|t| !t.is_empty())
}

/// Orders names as the host's `localeCompare` does, for ASCII.
///
/// # Limitations
/// Letters outside ASCII are ordered by their code, behind all others.
pub(in crate::load) fn collated(a: &str, b: &str) -> Ordering {
    const MARKS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
    let rank = |c: char| match c {
        ' ' => 0,
        c if MARKS.contains(c) => 1 + MARKS.find(c).unwrap_or(0),
        '0'..='9' => 100 + usize::from(c as u8),
        c if c.is_ascii_alphabetic() => 200 + usize::from(c.to_ascii_lowercase() as u8),
        c => 1_000 + u32::from(c) as usize,
    };
    let folded = a.chars().map(rank).cmp(b.chars().map(rank));
    // Lower case first where nothing else differs.
    folded.then_with(|| b.cmp(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ordered_as_the_host_orders_them() {
        let mut names = ["UPPER", "same", "s.dot", ".hid", "s-arg", "Sp ace", "s-1536", "Same"];
        names.sort_by(|a, b| collated(a, b));
        assert_eq!(names, [".hid", "s-1536", "s-arg", "s.dot", "same", "Same", "Sp ace", "UPPER"]);
    }
}
