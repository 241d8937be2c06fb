//! The list of skills and commands at the start of a session.

use rustc_hash::FxHashSet;

use super::super::markdown::Dialect;
use super::line::{Listed, described, within_budget};
use super::touched::Touched;
use super::{Found, collated, commands_of, is_true, project_levels, skills_of};
use crate::load::map::{Entry, Kind, SkipReason, Tier};
use crate::load::pattern::PathScope;
use crate::load::rule;
use crate::load::walk::Walk;

/// Why a skill isn't in a list though its file is there.
const FIX_NAME: &str = "give it another name";

/// The skills and commands that a session knows when it starts.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What is listed at the start.
    pub(super) always: Vec<Listed>,
    /// Skills that wait for a file.
    pub(super) waiting: Vec<Listed>,
    /// All names but those of what waits, listed or not.
    pub(super) names: FxHashSet<String>,
}

/// Returns the lines of the list, those of what waits for a file, and the bodies that wait to be
/// called.
pub(super) fn entries(walk: &mut Walk<'_>) -> Vec<Entry> {
    let known = known(walk);
    let kept = within_budget(walk, &known.always, Some(&walk.profile.listing));
    let dialect = walk.profile.dialect;
    let mut out = Vec::new();
    let mut push = |listed: &Listed, whole: bool| {
        out.push(listed.entry(whole, dialect));
        out.extend(listed.file.body_entry());
    };
    for (listed, kept) in known.always.iter().zip(kept) {
        push(listed, kept);
    }
    for listed in &known.waiting {
        push(listed, true);
    }
    let mut below = Touched::of(known);
    for folder in &walk.scene.nested {
        below.discover(walk, folder);
    }
    for listed in below.nested_lines(walk) {
        push(&listed, true);
    }
    out
}

/// Reads the skills and commands of the user and of the project.
pub(super) fn known(walk: &mut Walk<'_>) -> Known {
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

    let mut out = Known::default();
    let mut seen_files = FxHashSet::default();
    let mut listed = FxHashSet::default();
    let once = walk.profile.dialect == Dialect::V2_1_332;
    let mut waiting: Vec<(Found, Vec<String>)> = Vec::new();
    for file in found {
        if !seen_files.insert(file.real.clone()) {
            continue;
        }
        if let PathScope::Only(patterns) = rule::scope(&file.keys)
            && file.kind == Kind::Skill
        {
            // Of those that wait, the host keeps the last of a name.
            if let Some(old) = waiting.iter().position(|(old, _)| old.name == file.name) {
                let (old, _) = waiting.remove(old);
                walk.skip_file(&old.path, SkipReason::NameTaken, FIX_NAME);
            }
            waiting.push((file, patterns));
            continue;
        }
        out.names.insert(file.name.clone());
        if is_kept_back(walk, &file, &file.name) {
            continue;
        }
        if once && !listed.insert(file.name.clone()) {
            walk.skip_file(&file.path, SkipReason::NameTaken, FIX_NAME);
            continue;
        }
        let name = file.name.clone();
        let text = text_of(walk, &file, &name, "");
        out.always.push(Listed {
            file,
            name,
            text,
            tier: Tier::Always,
            paths: Vec::new(),
            patterns: Vec::new(),
            reason: "its name and description".into(),
        });
    }
    for (file, patterns) in waiting {
        if is_kept_back(walk, &file, &file.name) {
            continue;
        }
        if out.names.contains(&file.name) || walk.profile.listing.names.contains(&&*file.name) {
            walk.skip_file(&file.path, SkipReason::NameTaken, FIX_NAME);
            continue;
        }
        let paths = rule::paths(&file.keys).into_iter().map(str::to_owned).collect();
        let name = file.name.clone();
        let text = text_of(walk, &file, &name, "");
        out.waiting.push(Listed {
            file,
            name,
            text,
            tier: Tier::OnPath,
            paths,
            patterns,
            reason: "listed once a file that its `paths` name is opened".into(),
        });
    }
    out
}

/// Returns whether a file or a setting asks not to list it, and notes which.
pub(super) fn is_kept_back(walk: &mut Walk<'_>, file: &Found, name: &str) -> bool {
    if file.keys.get("disable-model-invocation").is_some_and(is_true) {
        let fix = "remove `disable-model-invocation` if the model should know it";
        walk.skip_file(&file.path, SkipReason::NotListed, fix);
        return true;
    }
    if matches!(mode(walk, file, name), Some("off" | "user-invocable-only")) {
        let fix = "change `skillOverrides` in your settings if the model should know it";
        walk.skip_file(&file.path, SkipReason::SwitchedOff, fix);
        return true;
    }
    false
}

/// Returns what the settings say of a skill: under the name it is listed by, else under its own.
fn mode<'a>(walk: &Walk<'a>, file: &Found, name: &str) -> Option<&'a str> {
    let modes = &walk.scene.settings.skills;
    modes.get(name).or_else(|| modes.get(&file.name)).map(String::as_str)
}

/// Returns the description of a skill or command as it is listed; empty for a mere name.
pub(super) fn text_of(walk: &Walk<'_>, file: &Found, name: &str, suffix: &str) -> String {
    if mode(walk, file, name) == Some("name-only") {
        return String::new();
    }
    let set = walk.scene.settings.description_units;
    described(file, suffix, set.unwrap_or(walk.profile.listing.most_units), walk.profile.dialect)
}
