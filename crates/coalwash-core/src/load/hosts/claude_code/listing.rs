//! The lists of skills, commands and agents that Claude Code puts into every session.
//!
//! Source: requests of both clients; 40 budgets against a simulation of the cut.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};
use std::cmp::{Ordering, Reverse};
use std::collections::hash_map::Entry as Slot;
use unicode_width::UnicodeWidthChar as _;

use super::markdown::{self, Dialect};
use crate::load::hosts::ListingRules;
use crate::load::map::{Entry, Kind, Owner, SkipReason, Tier};
use crate::load::pattern::PathScope;
use crate::load::rule;
use crate::load::tree::{Node, Unreadable};
use crate::load::walk::{Walk, decoded};
use crate::text::front_matter;
use crate::text::lines::{is_js_space, js_trim, utf16_len, utf16_prefix};

/// Folders of one tree of commands or agents that are entered.
const MOST_FOLDERS: usize = 5_000;

/// A file that wants to be in a list.
#[derive(Debug)]
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

/// A skill or command that is listed.
#[derive(Debug)]
struct Listed {
    file: Found,
    /// Its description; empty where only the name is listed.
    text: String,
    tier: Tier,
    paths: Vec<String>,
}

/// Adds the lists, and the bodies that wait to be called.
pub(in crate::load) fn add(walk: &mut Walk<'_>) {
    let mut entries = skills_and_commands(walk);
    entries.extend(agents(walk));
    walk.entries.append(&mut entries);
}

fn skills_and_commands(walk: &mut Walk<'_>) -> Vec<Entry> {
    let user = walk.scene.config.clone();
    let levels = project_levels(walk);
    let mut found = skills_of(walk, &user);
    for level in &levels {
        found.extend(skills_of(walk, level));
    }
    let mut commands = commands_of(walk, &user);
    for level in &levels {
        commands.extend(commands_of(walk, level));
    }
    commands.sort_by(|a, b| collated(&a.name, &b.name));
    found.extend(commands);

    let mut seen_files = FxHashSet::default();
    let mut names = FxHashSet::default();
    let once = walk.profile.dialect == Dialect::V2_1_332;
    let mut lines: Vec<Listed> = Vec::new();
    for file in found {
        if !seen_files.insert(file.real.clone()) {
            continue;
        }
        let hidden = file.keys.get("disable-model-invocation").is_some_and(is_true);
        let mode = walk.scene.settings.skills.get(&file.name).map(String::as_str);
        if hidden {
            let fix = "remove `disable-model-invocation` if the model should know it";
            walk.skip_file(&file.path, SkipReason::NotListed, fix);
            continue;
        }
        if matches!(mode, Some("off" | "user-invocable-only")) {
            let fix = "change `skillOverrides` in your settings if the model should know it";
            walk.skip_file(&file.path, SkipReason::SwitchedOff, fix);
            continue;
        }
        let scope = rule::scope(&file.keys);
        let (tier, paths) = match scope {
            PathScope::Only(_) if file.kind == Kind::Skill => {
                let paths = rule::paths(&file.keys).into_iter().map(str::to_owned).collect();
                (Tier::OnPath, paths)
            }
            _ => (Tier::Always, Vec::new()),
        };
        if once && tier == Tier::Always && !names.insert(file.name.clone()) {
            walk.skip_file(&file.path, SkipReason::NameTaken, "give it another name");
            continue;
        }
        let text = if mode == Some("name-only") {
            String::new()
        } else {
            let set = walk.scene.settings.description_units;
            described(&file, set.unwrap_or(walk.profile.listing.most_units), walk.profile.dialect)
        };
        lines.push(Listed { file, text, tier, paths });
    }
    let kept = within_budget(walk, &lines);
    let mut out = Vec::new();
    for (i, listed) in lines.into_iter().enumerate() {
        let Listed { file, text, tier, paths } = listed;
        let short = tier == Tier::Always && !kept[i] && !text.is_empty();
        let shown = shown_name(&file, walk.profile.dialect);
        let line = if text.is_empty() || short {
            format!("- {}", file.name)
        } else {
            format!("- {shown}: {text}")
        };
        let reason = match tier {
            Tier::OnPath => "listed once a file that its `paths` name is opened",
            _ if short => "its name; the list is over the host's budget",
            _ => "its name and description",
        };
        push(&mut out, &file, line, tier, paths, reason);
    }
    out
}

/// Adds the line in the list, and the body that waits to be called.
fn push(
    out: &mut Vec<Entry>,
    file: &Found,
    line: String,
    tier: Tier,
    paths: Vec<String>,
    reason: &'static str,
) {
    let entry = |tier, sent, reason: &'static str, paths| Entry {
        reason: reason.into(),
        disk_bytes: file.disk_bytes,
        sent: Some(sent),
        paths,
        name: Some(file.name.clone()),
        ..Entry::new(file.path.clone(), file.real.clone(), file.kind, tier, file.owner)
    };
    out.push(entry(tier, line, reason, paths));
    if !js_trim(&file.body).is_empty() {
        let body = js_trim(&file.body).to_owned();
        out.push(entry(Tier::OnInvoke, body, "once it is called", Vec::new()));
    }
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
            found(walk, name, path, Kind::Command)
        })
        .collect()
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

fn described(file: &Found, most_units: usize, dialect: Dialect) -> String {
    let mut text = scalar(&file.keys, "description").unwrap_or_else(|| first_line(file));
    match file.keys.get("when_to_use") {
        Some(Value::String(when)) if !when.is_empty() => text = format!("{text} - {when}"),
        Some(Value::Array(items)) => {
            let items: Vec<_> = items.iter().filter_map(Value::as_str).collect();
            text = format!("{text} - {}", items.join(","));
        }
        _ => {}
    }
    if dialect == Dialect::V2_1_332 {
        text = plain(&text);
    }
    if utf16_len(&text) > most_units {
        text = format!("{}…", cut_by_units(&text, most_units - 1));
    }
    text
}

/// Cuts as the host does, which sends half of a character as U+FFFD.
fn cut_by_units(text: &str, units: usize) -> String {
    let kept = utf16_prefix(text, units);
    let half = if utf16_len(kept) < units { "\u{fffd}" } else { "" };
    format!("{kept}{half}")
}

/// Makes a description one line without markup, as the newer host does.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last_was_break = false;
    for c in text.chars() {
        let is_break = matches!(c, '\n' | '\r');
        match c {
            _ if is_break && last_was_break => {}
            _ if is_break => out.push(' '),
            c if c.is_control() || c == '\u{2028}' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
        last_was_break = is_break;
    }
    out
}

fn first_line(file: &Found) -> String {
    const MOST: usize = 100;
    let line = file.body.split('\n').map(js_trim).find(|line| !line.is_empty());
    let Some(line) = line else {
        let name = if file.kind == Kind::Skill { "Skill" } else { "Custom command" };
        return name.to_owned();
    };
    let text = line.trim_start_matches('#');
    let heading = text.len() < line.len() && text.starts_with(is_js_space);
    let line = if heading { text.trim_start_matches(is_js_space) } else { line };
    if utf16_len(line) > MOST {
        format!("{}...", utf16_prefix(line, MOST - 3))
    } else {
        line.to_owned()
    }
}

/// Returns the name, with the one in the front matter behind it where that is another plain word.
fn shown_name(file: &Found, dialect: Dialect) -> String {
    let own = match file.keys.get("name") {
        Some(Value::String(name)) => name,
        _ => return file.name.clone(),
    };
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    let differs = *own != file.name && !own.is_empty() && own.chars().all(word);
    if dialect == Dialect::V2_1_332 && file.kind == Kind::Skill && differs {
        format!("{} ({own})", file.name)
    } else {
        file.name.clone()
    }
}

/// Returns which descriptions stay when the list is over the host's budget.
fn within_budget(walk: &Walk<'_>, lines: &[Listed]) -> Vec<bool> {
    let budget = budget(walk);
    let always: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].tier == Tier::Always).collect();
    let name_width = |i: usize| 2 + width(&lines[i].file.name);
    let full_width = |i: usize| {
        let Listed { file, text, .. } = &lines[i];
        if text.is_empty() {
            name_width(i)
        } else {
            4 + width(&shown_name(file, walk.profile.dialect)) + width(text)
        }
    };
    let ListingRules { built_in, commands, .. } = &walk.profile.listing;
    let fixed: usize =
        built_in + always.len() + always.iter().map(|i| name_width(*i)).sum::<usize>();
    let mut left = budget.saturating_sub(fixed);
    // The host's own commands stand behind all others; without a line of ours, they only take room.
    let own = always
        .iter()
        .map(|i| (lines[*i].file.name.as_str(), full_width(*i) - name_width(*i), Some(*i)));
    let mut by_use: Vec<_> =
        own.chain(commands.iter().map(|(name, more)| (*name, *more, None))).collect();
    by_use.sort_by_key(|(name, ..)| Reverse(walk.scene.skill_use.get(*name).copied().unwrap_or(0)));
    let mut kept = vec![true; lines.len()];
    for (_, more, line) in by_use {
        let fits = more <= left;
        if fits {
            left -= more;
        }
        if let Some(line) = line {
            kept[line] = fits;
        }
    }
    kept
}

/// Returns the characters that the list may have.
fn budget(walk: &Walk<'_>) -> usize {
    if let Some(budget) = walk.scene.listing_budget {
        return budget;
    }
    let share = walk.scene.settings.listing_share_millionths.unwrap_or(10_000);
    let model = super::model_of(walk.profile, walk.scene);
    let characters = model.window_tokens * model.characters_per_token * share / 1_000_000;
    usize::try_from(characters).unwrap_or(usize::MAX)
}

/// Returns the columns that `text` takes on a terminal, which is how the host counts.
fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn agents(walk: &mut Walk<'_>) -> Vec<Entry> {
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
        push(&mut out, &file, line, Tier::Always, Vec::new(), "its name and description");
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

/// Orders names as the host's `localeCompare` does, for ASCII.
///
/// # Limitations
/// Letters outside ASCII are ordered by their code, behind all others.
fn collated(a: &str, b: &str) -> Ordering {
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

    #[test]
    fn tools_are_listed_as_the_host_lists_them() {
        let of = |yaml: &str| tools(&front_matter::parse(yaml).unwrap());
        assert_eq!(of("name: a"), "All tools");
        assert_eq!(of("tools: \"*\""), "All tools");
        assert_eq!(of("tools: Read, Bash(git:*)"), "Read, Bash(git:*)");
        assert_eq!(of("disallowedTools: [Write, Edit]"), "All tools except Write, Edit");
        assert_eq!(of("tools: [Read, Write]\ndisallowedTools: Write"), "Read");
    }

    #[test]
    fn descriptions_become_one_line() {
        assert_eq!(plain("a\r\n\nb<c>\td"), "a b&lt;c&gt; d");
    }
}
