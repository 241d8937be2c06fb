//! Holds what we work out against what a client was seen to send.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::hosts::Profile;
use coalwash_core::load::{Entry, Tier, Tree, load_map, openings};
use coalwash_core::text::FamilyFactor;
use coalwash_store::load::{Ask, discover};

/// What a session loads: at its start, and by each touch.
#[derive(Debug)]
pub(crate) struct Ours {
    pub(crate) start: Vec<Entry>,
    pub(crate) lists: Vec<Entry>,
    pub(crate) touches: Vec<Vec<Entry>>,
}

/// Works out what a session in `ask.cwd` loads, and what opening `files` one by one adds.
pub(crate) fn ours(tree: &dyn Tree, profile: &Profile, ask: &Ask, files: &[Utf8PathBuf]) -> Ours {
    let (scene, _) = discover(tree, profile, ask);
    let map = load_map(profile, &scene, tree, &FamilyFactor::CLAUDE);
    let (lists, start) =
        map.entries.into_iter().filter(|e| e.tier == Tier::Always).partition(|e| e.name.is_some());
    let touches = openings(profile, &scene, tree, &FamilyFactor::CLAUDE, files);
    Ours { start, lists, touches }
}

/// The question for a tree below `root` whose home is `root/home`.
pub(crate) fn ask(root: &Utf8Path, cwd: &Utf8Path) -> Ask {
    Ask {
        cwd: cwd.to_owned(),
        home: root.join("home"),
        managed: root.join("no-organisation"),
        ..Ask::default()
    }
}

/// Says how two lists of paths differ, or nothing.
///
/// Rules of one folder are compared as a set, since the host takes them in the order in which the
/// system lists them; what a rule imports must still come behind it.
pub(crate) fn order_differs(ours: &[Entry], theirs: &[Utf8PathBuf]) -> Option<String> {
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
    // Where `AGENTS.md` stands among the rules depends on which rule is a link out of its folder.
    let is_fallback =
        |p: &Utf8Path| p.file_name() == Some("AGENTS.md") && by_path[p].group.is_none();
    let groups = |list: &[&Utf8Path]| {
        let own = list.iter().filter(|p| !is_fallback(p));
        let mut out: Vec<Utf8PathBuf> =
            own.map(|p| by_path[*p].group.clone().unwrap_or_else(|| (*p).to_owned())).collect();
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
