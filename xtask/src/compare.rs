//! Holds what coalwash works out against what a client was seen to send.
//!
//! The tests compare recorded answers with it, and `cargo xtask live` fresh ones.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::{
    load::{Entry, Kind, MemTree, Tier, Tree as Files, hosts::Profile, load_map, openings},
    text::FamilyFactor,
};
use coalwash_store::{
    disk::DiskTree,
    load::{Ask, discover},
};

use crate::{
    answer::{Answer, FX, Sent, portable},
    trees::{HOME, Node, Tree},
};

/// What a session loads: at its start, and by each touch.
#[derive(Debug)]
pub struct Ours {
    /// The files of the start, in order.
    pub start: Vec<Entry>,
    /// The lines of the lists of skills, commands and agents.
    pub lists: Vec<Entry>,
    /// The files that each touch adds, in order.
    pub touches: Vec<Vec<Entry>>,
    /// The lines of the list of skills that each touch adds.
    pub touch_lists: Vec<Vec<Entry>>,
}

/// A tree in memory, and the question that the client is asked in it.
#[derive(Debug)]
pub struct Case {
    /// The files, below [`FX`].
    pub tree: MemTree,
    /// The question.
    pub ask: Ask,
    /// The files that are read one after another.
    pub touches: Vec<Utf8PathBuf>,
}

impl Case {
    /// Returns the case of a generated tree.
    ///
    /// # Errors
    /// When the tree has no folder to start in, or sets a variable that [`Ask`] doesn't know.
    pub fn of(generated: &Tree) -> Result<Self> {
        let mut tree = MemTree::default();
        for (path, node) in generated.materialised(FX) {
            match node {
                Node::File(bytes) => tree.file(&path, bytes),
                Node::Dir => tree.folder(&path),
                Node::Link(target) => tree.link(&path, &target),
            };
        }
        let (ask, touches) = question(generated, FX, &tree)?;
        Ok(Self { tree, ask, touches })
    }

    /// Works out what the session loads.
    pub fn ours(&self, profile: &Profile) -> Ours {
        ours(&self.tree, profile, &self.ask, &self.touches)
    }
}

/// Works out what a session loads in a generated tree that was laid out at `root`.
///
/// # Errors
/// As [`Case::of`].
pub fn ours_on_disk(profile: &Profile, generated: &Tree, root: &str) -> Result<Ours> {
    let tree = DiskTree::default();
    let (ask, touches) = question(generated, root, &tree)?;
    Ok(ours(&tree, profile, &ask, &touches))
}

/// Works out what a session in `ask.cwd` loads, and what opening `files` one by one adds.
pub fn ours(tree: &dyn Files, profile: &Profile, ask: &Ask, files: &[Utf8PathBuf]) -> Ours {
    let (scene, _) = discover(tree, profile, ask);
    let map = load_map(profile, &scene, tree, &FamilyFactor::CLAUDE);
    let (lists, start) =
        map.entries.into_iter().filter(|e| e.tier == Tier::Always).partition(|e| e.name.is_some());
    let openings = openings(profile, &scene, tree, &FamilyFactor::CLAUDE, files);
    let parts = openings.into_iter().map(|opening| {
        opening.entries.into_iter().partition::<Vec<_>, _>(|entry| entry.name.is_none())
    });
    let (touches, touch_lists) = parts.unzip();
    Ours { start, lists, touches, touch_lists }
}

/// Returns the question for a tree below `root` whose home is `root/home`.
pub fn ask(root: &Utf8Path, cwd: &Utf8Path) -> Ask {
    Ask {
        cwd: cwd.to_owned(),
        home: root.join(HOME),
        managed: root.join("no-organisation"),
        ..Ask::default()
    }
}

/// Returns the question that the client was asked in a tree below `root`, and the files it read.
fn question(generated: &Tree, root: &str, tree: &dyn Files) -> Result<(Ask, Vec<Utf8PathBuf>)> {
    let cwd = generated.cwd_at(root);
    let real = tree.real(cwd.as_str().into()).map(|real| real.path);
    let mut out = ask(root.into(), &real.ok().with_context(|| format!("no folder `{cwd}`"))?);
    for (key, value) in generated.env_at(root) {
        match key.as_str() {
            "CLAUDE_CONFIG_DIR" => out.config_dir = Some(value),
            "SLASH_COMMAND_TOOL_CHAR_BUDGET" => out.listing_budget = Some(value),
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY" => out.disable_auto_memory = Some(value),
            other => bail!("{other} is not asked for"),
        }
    }
    Ok((out, generated.touches_at(root).into_iter().map(Utf8PathBuf::from).collect()))
}

/// Says how our answer differs from the client's, or nothing. Paths of ours are below `root`.
pub fn differs(ours: &Ours, theirs: &Answer, root: &str) -> Option<String> {
    if let Some(how) = files_differ(&ours.start, &theirs.start, root) {
        return Some(format!("start: {how}"));
    }
    if ours.touches.len() != theirs.touches.len() {
        return Some(format!(
            "touches: client {}, ours {}",
            theirs.touches.len(),
            ours.touches.len()
        ));
    }
    for (number, (ours, theirs)) in ours.touches.iter().zip(&theirs.touches).enumerate() {
        if let Some(how) = files_differ(ours, theirs, root) {
            return Some(format!("touch {}: {how}", number + 1));
        }
    }
    let lines = |agents: bool| {
        let is_agent = |e: &&Entry| (e.kind == Kind::Agent) == agents;
        let own = ours.lists.iter().filter(is_agent);
        own.filter_map(|e| e.sent.as_deref()).map(|line| portable(root, line)).collect::<Vec<_>>()
    };
    if lines(false) != theirs.skills {
        return Some(format!("skills: client {:?}\n  ours {:?}", theirs.skills, lines(false)));
    }
    if lines(true) != theirs.agents {
        return Some(format!("agents: client {:?}\n  ours {:?}", theirs.agents, lines(true)));
    }
    touched_skills_differ(&ours.touch_lists, theirs, root)
}

/// Says how the lines that touches list differ, or nothing.
///
/// 2.1.197 lists what it finds in a folder in the same turn or in the next, by chance, so what one
/// of its turns lacks may come in the next, or may be missing at the end.
fn touched_skills_differ(ours: &[Vec<Entry>], theirs: &Answer, root: &str) -> Option<String> {
    let by_chance = theirs.version == "2.1.197";
    let none = Vec::new();
    let mut late: Vec<String> = Vec::new();
    for (at, list) in ours.iter().enumerate() {
        let wanted = theirs.touch_skills.get(at).unwrap_or(&none);
        let line = |e: &Entry| e.sent.as_deref().map(|line| portable(root, line));
        let (may_be_late, mut own): (Vec<_>, Vec<_>) = list
            .iter()
            .filter_map(|e| Some((by_chance && e.paths.is_empty(), line(e)?)))
            .partition(|(late, line)| *late && !wanted.contains(line));
        let mut came: Vec<String> = own.drain(..).map(|(_, line)| line).collect();
        let was_late = std::mem::take(&mut late);
        late.extend(may_be_late.into_iter().map(|(_, line)| line));
        let mut wanted = wanted.clone();
        if by_chance {
            came.extend(was_late);
            came.sort();
            wanted.sort();
        }
        if came != wanted {
            return Some(format!("skills of touch {}: client {wanted:#?}, ours {came:#?}", at + 1));
        }
    }
    None
}

fn files_differ(ours: &[Entry], theirs: &[Sent], root: &str) -> Option<String> {
    let ours = portable_entries(ours, root);
    let paths: Vec<Utf8PathBuf> = theirs.iter().map(|s| s.path.as_str().into()).collect();
    if let Some(how) = order_differs(&ours, &paths) {
        return Some(how);
    }
    for sent in theirs {
        let Some(entry) = ours.iter().find(|e| e.path == sent.path) else {
            return Some(format!("client only {}", sent.path));
        };
        let text = entry.sent.as_deref().unwrap_or_default();
        let again = Sent::new(root, &sent.path, &sent.class, text);
        if again.hash != sent.hash || again.chars != sent.chars {
            return Some(format!(
                "{}: {} chars, client {}: {text:?}",
                sent.path, again.chars, sent.chars
            ));
        }
    }
    None
}

/// Says how the rows of the client's own table differ from what it sent and from what we work out,
/// or nothing. A row is a class and a path below `root`.
///
/// They are compared as sets: the table has an `AGENTS.md` in another place than the request, which
/// is what the order is judged by.
pub fn rows_differ(
    ours: &Ours,
    theirs: &Answer,
    rows: &[(String, String)],
    root: &str,
) -> Option<String> {
    let sorted = |mut rows: Vec<(String, String)>| {
        rows.sort();
        rows
    };
    let table = rows.iter().map(|(class, path)| (class.clone(), portable(root, path)));
    let table = sorted(table.collect());
    let sent = theirs.start.iter().map(|it| (it.class.clone(), it.path.clone()));
    let sent = sorted(sent.collect());
    if table != sent {
        return Some(format!("table: {table:?}, sent {sent:?}"));
    }
    let mut table: Vec<String> = table.into_iter().map(|(_, path)| path).collect();
    let own = portable_entries(&ours.start, root).into_iter();
    let mut own: Vec<String> = own.map(|entry| entry.path.into_string()).collect();
    table.sort();
    own.sort();
    (table != own).then(|| format!("table: {table:?}, ours {own:?}"))
}

fn portable_entries(entries: &[Entry], root: &str) -> Vec<Entry> {
    let mut out = entries.to_vec();
    for entry in &mut out {
        entry.path = Utf8PathBuf::from(portable(root, entry.path.as_str()));
        if let Some(from) = &mut entry.from {
            from.path = Utf8PathBuf::from(portable(root, from.path.as_str()));
        }
    }
    out
}

/// Says how two lists of paths differ, or nothing.
///
/// Rules of one folder are compared as a set, since the host takes them in the order in which the
/// system lists them; what a rule imports must still come behind it.
pub fn order_differs(ours: &[Entry], theirs: &[Utf8PathBuf]) -> Option<String> {
    let by_path: BTreeMap<&Utf8Path, &Entry> = ours.iter().map(|e| (e.path.as_path(), e)).collect();
    let mine: Vec<&Utf8Path> = ours.iter().map(|e| e.path.as_path()).collect();
    let other: Vec<&Utf8Path> = theirs.iter().map(Utf8PathBuf::as_path).collect();
    let mut missing: Vec<_> = other.iter().filter(|p| !by_path.contains_key(**p)).collect();
    let mut extra: Vec<_> = mine.iter().filter(|p| !other.contains(p)).collect();
    missing.sort();
    extra.sort();
    if !missing.is_empty() || !extra.is_empty() || mine.len() != other.len() {
        return Some(format!("client only {missing:?}, ours only {extra:?}"));
    }
    // Where `AGENTS.md` stands among the rules, with what it imports, depends on which rule is a
    // link out of its folder.
    let is_fallback = |p: &Utf8Path| {
        let mut at = p;
        for _ in 0..by_path.len() {
            let Some(entry) = by_path.get(at).filter(|entry| entry.group.is_none()) else { break };
            match &entry.from {
                Some(from) => at = &from.path,
                None => return at.file_name() == Some("AGENTS.md"),
            }
        }
        false
    };
    let groups = |list: &[&Utf8Path]| {
        let own = list.iter().filter(|p| !is_fallback(p));
        let mut out: Vec<Utf8PathBuf> =
            own.map(|p| by_path[*p].group.as_deref().unwrap_or(p).to_owned()).collect();
        out.dedup();
        out
    };
    let single = |list: &[&Utf8Path]| -> Vec<Utf8PathBuf> {
        list.iter().filter(|p| by_path[**p].group.is_none()).map(|p| (*p).to_owned()).collect()
    };
    if groups(&mine) != groups(&other) || single(&mine) != single(&other) {
        return Some(format!("order: client {other:?}, ours {mine:?}"));
    }
    for (at, path) in other.iter().enumerate() {
        if let Some(from) = &by_path[*path].from
            && let Some(parent) = other.iter().position(|p| *p == from.path)
            && parent > at
            && by_path.get(from.path.as_path()).is_some_and(|e| e.group.is_none())
        {
            return Some(format!("{path} comes before {} that imports it", from.path));
        }
    }
    None
}
