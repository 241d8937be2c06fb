//! The list of skills that Codex puts into every session.
//!
//! Source: requests of the real client; 107 forms of front matter.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::super::files::{Collect, folders};
use super::config::{By, Config};
use crate::load::map::{Entry, Kind, SkipReason, Tier};
use crate::load::tree::{Node, Real};
use crate::text::front_matter;

/// Levels below a folder of skills that are looked into.
const MOST_LEVELS: usize = 6;
/// Folders of one tree that are entered.
const MOST_FOLDERS: usize = 2_000;
/// Characters of a description; a longer one keeps 1,021 and three full stops.
const MOST_CHARACTERS: usize = 1_024;
/// Characters of a name.
const MOST_NAME: usize = 64;

/// Bytes of the frame of the list, without the lines that say which folder `r0` and so on are.
///
/// Measured: a request of the client.
const FRAME_BYTES: usize = 310;
/// Tokens of the frame of a list without such lines, by which the limit is not lowered.
///
/// Measured as above: 451 bytes.
const FREE_TOKENS: u64 = 113;

/// Whose a folder of skills is, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    Admin,
    Repository,
    User,
}

/// A skill that is listed.
#[derive(Debug)]
struct Skill {
    scope: Scope,
    name: String,
    description: String,
    path: Utf8PathBuf,
    real: Real,
    root: usize,
    body: String,
}

/// Adds the lines of the list and the bodies that wait to be called.
pub(super) fn add(out: &mut Collect<'_>, config: &Config) {
    if !config.lists_skills {
        return;
    }
    let roots = roots(out, config);
    let mut skills = Vec::new();
    let mut seen_folders = FxHashSet::default();
    for (index, (scope, root)) in roots.iter().enumerate() {
        if let Ok(real) = out.tree.real(root)
            && real.node == Node::Folder
        {
            search(out, config, (index, *scope), &real.path, &mut seen_folders, &mut skills);
        }
    }
    // Of one name those come first whose physical paths do, whatever they are shown as.
    skills.sort_by(|a, b| (a.scope, &a.name, &a.real.path).cmp(&(b.scope, &b.name, &b.real.path)));
    // Only folders that give a line are numbered.
    let mut used: Vec<usize> = skills.iter().map(|skill| skill.root).collect();
    used.sort_unstable();
    used.dedup();
    if config.bundled && !skills.is_empty() {
        out.not_measured.push("where Codex shortens its list of skills for its own".to_owned());
    }
    let mut table: Vec<Utf8PathBuf> =
        used.iter().map(|index| real_root(out, &roots[*index].1)).collect();
    if config.bundled {
        table.push(out.scene.config.join("skills/.system"));
    }
    let line =
        |skill: &Skill, place: &str| (format!("- {}:", skill.name), format!("(file: {place})"));
    let short = skills.iter().map(|skill| {
        let number = used.iter().position(|root| *root == skill.root).unwrap_or(0);
        let number = number + usize::from(config.bundled && skill.root > system_place(&roots));
        let root = real_root(out, &roots[skill.root].1);
        let below = skill.path.strip_prefix(root).unwrap_or(&skill.path);
        line(skill, &format!("r{number}/{below}"))
    });
    let short =
        List::fitted(&short.collect::<Vec<_>>(), &skills, config.list_tokens, table_tokens(&table));
    let whole = skills.iter().map(|skill| line(skill, skill.path.as_str()));
    let whole = List::fitted(&whole.collect::<Vec<_>>(), &skills, config.list_tokens, 0);
    let list = if short.rank() < whole.rank() { short } else { whole };
    for (skill, line) in skills.iter().zip(list.lines) {
        let Some(line) = line else {
            out.skip(&skill.path, SkipReason::OverLimit, "shorten the list of skills");
            continue;
        };
        let kind = Kind::Skill;
        let listed = "its name and description";
        let entry = out.entry(&skill.path, &skill.real, kind, Tier::Always, listed, line);
        out.entries.push(Entry { name: Some(skill.name.clone()), ..entry });
        let body = skill.body.trim().to_owned();
        if !body.is_empty() {
            let tier = Tier::OnInvoke;
            let entry = out.entry(&skill.path, &skill.real, kind, tier, "once it is called", body);
            out.entries.push(Entry { name: Some(skill.name.clone()), ..entry });
        }
    }
}

/// Returns by how much the table of folders lowers the limit of the list.
fn table_tokens(roots: &[Utf8PathBuf]) -> u64 {
    let line = |(number, root): (usize, &Utf8PathBuf)| format!("- `r{number}` = `{root}`\n").len();
    let bytes = FRAME_BYTES + roots.iter().enumerate().map(line).sum::<usize>();
    (bytes as u64).div_ceil(4).saturating_sub(FREE_TOKENS)
}

/// Returns how many folders come before the host's own.
fn system_place(roots: &[(Scope, Utf8PathBuf)]) -> usize {
    roots.iter().rposition(|(scope, _)| *scope == Scope::User).unwrap_or(0)
}

fn real_root(out: &Collect<'_>, root: &Utf8Path) -> Utf8PathBuf {
    out.tree.real(root).map_or_else(|_| root.to_owned(), |real| real.path)
}

/// Returns the folders that are searched, in the order in which they are numbered.
fn roots(out: &Collect<'_>, config: &Config) -> Vec<(Scope, Utf8PathBuf)> {
    let scene = out.scene;
    let mut all = Vec::new();
    let mut up = folders(&config.config_root, &scene.cwd);
    up.reverse();
    for folder in up {
        // The user's own folder comes after those of projects, also where it is one of them.
        if real_root(out, &folder.join(".codex")) != real_root(out, &scene.config) {
            all.push((Scope::Repository, folder.join(".codex/skills")));
        }
    }
    all.push((Scope::User, scene.config.join("skills")));
    all.push((Scope::User, scene.home.join(".agents/skills")));
    all.push((Scope::Admin, scene.managed.join("skills")));
    let root = super::skills_root(out, &config.markers);
    for folder in folders(&root, &scene.cwd) {
        all.push((Scope::Repository, folder.join(".agents/skills")));
    }
    let mut seen = FxHashSet::default();
    all.retain(|(_, root)| seen.insert(real_root(out, root)));
    all
}

/// Finds the skills below a folder, nearest first, each folder once.
fn search(
    out: &mut Collect<'_>,
    config: &Config,
    root: (usize, Scope),
    top: &Utf8Path,
    seen: &mut FxHashSet<Utf8PathBuf>,
    skills: &mut Vec<Skill>,
) {
    let mut level = vec![top.to_owned()];
    seen.insert(top.to_owned());
    let mut entered = 0;
    for depth in 0..=MOST_LEVELS {
        let mut next: Vec<Utf8PathBuf> = Vec::new();
        for folder in level {
            entered += 1;
            if entered > MOST_FOLDERS {
                return;
            }
            let file = folder.join("SKILL.md");
            if out.tree.node(&file) == Ok(Node::File)
                && let Ok(real) = out.tree.real(&file)
            {
                skills.extend(skill(out, config, root, file, real));
            }
            if depth == MOST_LEVELS {
                continue;
            }
            let mut names: Vec<String> = out
                .tree
                .list(&folder)
                .unwrap_or_default()
                .into_iter()
                .filter(|child| matches!(child.node, Node::Folder | Node::Link))
                .filter_map(|child| child.name)
                .filter(|name| !name.starts_with('.'))
                .collect();
            names.sort();
            for name in names {
                let path = folder.join(name);
                if let Ok(real) = out.tree.real(&path)
                    && real.node == Node::Folder
                    && seen.insert(real.path)
                {
                    next.push(path);
                }
            }
        }
        level = next;
    }
}

/// Reads one skill; `None` where the host doesn't list it.
fn skill(
    out: &mut Collect<'_>,
    config: &Config,
    (root, scope): (usize, Scope),
    path: Utf8PathBuf,
    real: Real,
) -> Option<Skill> {
    let fix = "give it a `name` and a `description` in its front matter";
    let bytes = match out.tree.read(&real.path) {
        Ok(bytes) => bytes,
        Err(why) => {
            out.failed(&path, &why);
            return None;
        }
    };
    let text = String::from_utf8(bytes).ok();
    let parsed = text.as_deref().and_then(|text| {
        let (yaml, body) = front(text)?;
        Some((fields(yaml).or_else(|| fields(&repaired(yaml)))?, body))
    });
    let Some((fields, body)) = parsed else {
        out.skip(&path, SkipReason::NotListable, fix);
        return None;
    };
    // Where a link leads is what names it.
    let folder = real.path.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    let name = fields.name.filter(|name| !name.is_empty()).unwrap_or_else(|| folder.to_owned());
    let description = fields.description.filter(|text| !text.is_empty());
    let (Some(mut description), true) = (description, name.chars().count() <= MOST_NAME) else {
        out.skip(&path, SkipReason::NotListable, fix);
        return None;
    };
    if description.chars().count() > MOST_CHARACTERS {
        description = description.chars().take(MOST_CHARACTERS - 3).collect::<String>() + "...";
    }
    let name = match plugin(out, &real.path) {
        Some(plugin) => format!("{plugin}:{name}"),
        None => name,
    };
    if is_hidden(out, &path) {
        let fix = "change `agents/openai.yaml` beside it if the model should know it";
        out.skip(&path, SkipReason::NotListed, fix);
        return None;
    }
    let by = |by: &By| match by {
        By::Name(own) => *own == name,
        By::Path(own) => out.tree.real(own).is_ok_and(|own| own.path == real.path),
    };
    if config.switched.iter().rev().find(|(it, _)| by(it)).is_some_and(|(_, on)| !on) {
        let fix = "change `[[skills.config]]` in your settings if the model should know it";
        out.skip(&path, SkipReason::SwitchedOff, fix);
        return None;
    }
    Some(Skill { scope, name, description, path, real, root, body: body.to_owned() })
}

/// Returns the YAML and what stands behind it.
fn front(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim() != "---" {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim() == "---" {
            let yaml = &rest[..at];
            return (!yaml.trim().is_empty()).then_some((yaml, &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// What a list needs of the front matter.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fields {
    name: Option<String>,
    description: Option<String>,
}

/// Reads the front matter as the host does: scalars by their source text; `None` is no YAML, a key
/// that stands twice, or `metadata` that is no map.
fn fields(yaml: &str) -> Option<Fields> {
    if yaml.len() > front_matter::MOST_BYTES {
        return None;
    }
    let mut out = Fields::default();
    let mut keys: FxHashSet<String> = FxHashSet::default();
    let (mut depth, mut key) = (0usize, None::<String>);
    for event in Parser::new_from_str(yaml) {
        let (event, _) = event.ok()?;
        match event {
            Event::Scalar(text, style, ..) if depth == 1 => match key.take() {
                None => {
                    if !keys.insert(text.to_string()) {
                        return None;
                    }
                    key = Some(text.into_owned());
                }
                Some(key) => {
                    let null = style == ScalarStyle::Plain
                        && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let value = (!null).then_some(joined);
                    match key.as_str() {
                        "name" => out.name = value,
                        "description" => out.description = value,
                        "metadata" if value.is_some() => return None,
                        _ => {}
                    }
                }
            },
            Event::Alias(_) if depth == 1 => {
                key = None;
            }
            Event::MappingStart(..) => {
                if depth == 1 && matches!(key.as_deref(), Some("name" | "description")) {
                    return None;
                }
                depth += 1;
            }
            Event::SequenceStart(..) => {
                if depth == 0
                    || depth == 1
                        && matches!(key.as_deref(), Some("name" | "description" | "metadata"))
                {
                    return None;
                }
                depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth -= 1;
                if depth == 1 {
                    key = None;
                }
            }
            Event::Scalar(..) if depth == 0 => return None,
            _ => {}
        }
    }
    Some(out)
}

/// Puts values in quotes that no YAML reader takes, as the host does once.
fn repaired(yaml: &str) -> String {
    let mut out = String::with_capacity(yaml.len());
    for line in yaml.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let value = bare.find(':').map(|at| at + 1).filter(|at| {
            bare[*at..].starts_with([' ', '\t']) && !bare.trim_start().starts_with('#')
        });
        let Some((at, value)) = value.map(|at| (at, bare[at..].trim())) else {
            out.push_str(line);
            continue;
        };
        let odd = value.starts_with(['@', '`'])
            || value.starts_with(['[', '{']) && fields(&format!("a: {value}\n")).is_none()
            || !value.starts_with(['"', '\'', '|', '>', '#'])
                && value.match_indices(':').any(|(i, _)| value[i + 1..].starts_with([' ', '\t']));
        if !odd || value.is_empty() {
            out.push_str(line);
            continue;
        }
        let text = value.find(" #").map_or(value, |at| value[..at].trim_end());
        out.push_str(&bare[..at]);
        out.push_str(&format!(" '{}'", text.replace('\'', "''")));
        out.push_str(&line[bare.len()..]);
    }
    out
}

/// Returns the name of the plugin that a skill lies in.
fn plugin(out: &Collect<'_>, path: &Utf8Path) -> Option<String> {
    for folder in path.ancestors().skip(1) {
        for name in [".codex-plugin", ".claude-plugin"] {
            let Ok(bytes) = out.tree.read(&folder.join(name).join("plugin.json")) else { continue };
            let Ok(json) = serde_json::from_slice::<serde_json::Value>(&bytes) else { continue };
            let own = json.get("name").and_then(|name| name.as_str());
            let own = own.filter(|name| !name.is_empty()).map(str::to_owned);
            return own.or_else(|| folder.file_name().map(str::to_owned));
        }
    }
    None
}

/// Returns whether the file beside a skill keeps it off the list.
fn is_hidden(out: &Collect<'_>, path: &Utf8Path) -> bool {
    let beside = path.parent().map(|folder| folder.join("agents/openai.yaml"));
    let Some(bytes) = beside.and_then(|path| out.tree.read(&path).ok()) else { return false };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    let Some(map) = front_matter::parse(&text) else { return false };
    let Some(policy) = map.get("policy") else { return false };
    let off = policy.get("allow_implicit_invocation").and_then(serde_json::Value::as_bool);
    let products = policy.get("products").and_then(|list| list.as_array());
    let elsewhere = products.is_some_and(|list| {
        !list.is_empty() && !list.iter().any(|item| item.as_str() == Some("codex"))
    });
    off == Some(false) || elsewhere
}

/// The lines of the list as they fit.
struct List {
    /// One for each skill, or `None` where not even its name fits.
    lines: Vec<Option<String>>,
    /// Characters that descriptions lost.
    lost: usize,
    tokens: u64,
}

impl List {
    /// Fits the lines, each with what stands before and behind its description, into a limit that a
    /// table of folders lowers.
    ///
    /// A line costs a token for each four bytes, its end included. Where not all fits, descriptions
    /// get one character after another in turn; where not even names do, those that fit stay.
    fn fitted(lines: &[(String, String)], skills: &[Skill], limit: u64, table_tokens: u64) -> Self {
        let whole = |(line, skill): (&(String, String), &Skill)| with(line, &skill.description);
        let mut list = Self { lines: Vec::new(), lost: 0, tokens: table_tokens };
        let cut: Vec<usize> = match limit.checked_sub(table_tokens) {
            None => return Self { lines: lines.iter().map(|_| None).collect(), ..list },
            Some(room) => {
                let all = || lines.iter().zip(skills);
                let bare: Vec<u64> = lines.iter().map(|line| tokens(&with(line, ""))).collect();
                if all().map(|it| tokens(&whole(it))).sum::<u64>() <= room {
                    skills.iter().map(|skill| skill.description.len()).collect()
                } else if bare.iter().sum::<u64>() > room {
                    let mut left = room;
                    for (line, tokens) in lines.iter().zip(bare) {
                        let fits = tokens <= left;
                        left -= if fits { tokens } else { 0 };
                        list.lines.push(fits.then(|| with(line, "")));
                    }
                    list.lost = skills.iter().map(|skill| skill.description.chars().count()).sum();
                    list.tokens += room - left;
                    return list;
                } else {
                    shares(lines, skills, room)
                }
            }
        };
        for ((line, skill), end) in lines.iter().zip(skills).zip(cut) {
            let line = with(line, &skill.description[..end]);
            list.lost += skill.description[end..].chars().count();
            list.tokens += tokens(&line);
            list.lines.push(Some(line));
        }
        list
    }

    /// Says how good a list is; less is better. The host takes the better one.
    fn rank(&self) -> (usize, usize, u64) {
        let missing = self.lines.iter().filter(|line| line.is_none()).count();
        (missing, self.lost, self.tokens)
    }
}

fn with((head, tail): &(String, String), description: &str) -> String {
    match description {
        "" => format!("{head} {tail}"),
        text => format!("{head} {text} {tail}"),
    }
}

fn tokens(line: &str) -> u64 {
    (line.len() as u64 + 1).div_ceil(4)
}

/// Returns how many bytes of each description stay where all names fit but not all descriptions.
fn shares(lines: &[(String, String)], skills: &[Skill], room: u64) -> Vec<usize> {
    let cost = |i: usize, end: usize| tokens(&with(&lines[i], &skills[i].description[..end]));
    let mut kept = vec![0; skills.len()];
    let mut total: u64 = (0..skills.len()).map(|i| cost(i, 0)).sum();
    loop {
        let mut grew = false;
        for (i, skill) in skills.iter().enumerate() {
            let Some(next) = skill.description[kept[i]..].chars().next() else { continue };
            let longer = kept[i] + next.len_utf8();
            let after = total - cost(i, kept[i]) + cost(i, longer);
            if after <= room {
                (kept[i], total, grew) = (longer, after, true);
            }
        }
        if !grew {
            return kept;
        }
    }
}

#[cfg(test)]
mod tests;
