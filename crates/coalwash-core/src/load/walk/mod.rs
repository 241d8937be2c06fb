//! Follows a host's table through a file system: what is loaded at the start, and by a touch.

mod file;
mod memory;
mod rules;
mod skips;
mod touch;

use std::borrow::Cow;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::hosts::claude_code::markdown;
use super::hosts::claude_code::settings::InstructionFiles;
use super::hosts::{Class, Place, Profile, Shape, Surface};
use super::map::{Entry, Kind, Origin, Owner, SkipReason, Skipped, Tier};
use super::never;
use super::scene::Scene;
use super::tree::{Node, Tree, below};
use crate::text::lines::js_trim;

use file::Ask;
pub(in crate::load) use file::decoded;
use rules::RuleSource;
use touch::Waiting;

/// What one walk found.
#[derive(Debug)]
pub(in crate::load) struct Walk<'a> {
    pub(in crate::load) profile: &'a Profile,
    pub(in crate::load) scene: &'a Scene,
    pub(in crate::load) tree: &'a dyn Tree,
    pub(in crate::load) entries: Vec<Entry>,
    pub(in crate::load) skipped: Vec<Skipped>,
    /// Imports of files that were loaded before.
    pub(in crate::load) again: Vec<(Origin, Utf8PathBuf)>,
    /// Rules that wait for a file, in the order in which a touch asks them.
    pub(in crate::load) waiting: Vec<Waiting>,
    /// Physical paths that were loaded.
    seen: FxHashSet<Utf8PathBuf>,
    /// Whether the host's fallback names are in use.
    fallback: bool,
    /// Whether a file with one of the host's own names was loaded.
    own_names_in_use: bool,
    /// Whether the host will make an index of its memory at its next start.
    pub(in crate::load) will_write_memory: bool,
    /// What the start has sent, by the names it was sent under; filled by the first touch.
    sent_at_start: FxHashSet<Utf8PathBuf>,
    /// What touches have sent, by the same.
    sent_by_touch: FxHashSet<Utf8PathBuf>,
    /// Fallbacks that touches have sent.
    sent_by_hook: FxHashSet<Utf8PathBuf>,
    /// Files that were touched, as they were named.
    read_by_touch: FxHashSet<Utf8PathBuf>,
}

impl std::fmt::Debug for dyn Tree + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tree")
    }
}

impl<'a> Walk<'a> {
    /// Makes a walk that has found nothing yet.
    pub(in crate::load) fn new(profile: &'a Profile, scene: &'a Scene, tree: &'a dyn Tree) -> Self {
        Self {
            profile,
            scene,
            tree,
            entries: Vec::new(),
            skipped: Vec::new(),
            again: Vec::new(),
            waiting: Vec::new(),
            seen: FxHashSet::default(),
            fallback: false,
            own_names_in_use: false,
            will_write_memory: false,
            sent_at_start: FxHashSet::default(),
            sent_by_touch: FxHashSet::default(),
            sent_by_hook: FxHashSet::default(),
            read_by_touch: FxHashSet::default(),
        }
    }

    /// Loads what every session loads.
    pub(in crate::load) fn start(&mut self) {
        self.read_start();
        never::find(self);
    }

    /// Decides whether the fallback names are read: always, never, or where no file with one of the
    /// host's own names is loaded, in a rule folder too.
    fn choose_fallback(&mut self) {
        self.fallback = match self.mode() {
            InstructionFiles::Both => true,
            InstructionFiles::Either => !self.own_names_in_use,
            InstructionFiles::ClaudeOnly | InstructionFiles::ManagedOnly => false,
        };
    }

    /// Returns whether a file of this name and kind switches the fallbacks off.
    pub(super) fn is_own_name(&self, path: &Utf8Path, class: Class) -> bool {
        let name = path.file_name().unwrap_or_default();
        let mut own = self.profile.start.iter().filter(|s| s.shape == Shape::File);
        matches!(class, Class::Project | Class::Local)
            && own.any(|s| s.place == Place::Folder && s.name.ends_with(name))
    }

    /// Returns which instruction files are read; a host without fallbacks has no choice.
    pub(super) fn mode(&self) -> InstructionFiles {
        match self.profile.start.iter().any(|s| s.shape == Shape::Fallback) {
            true => self.scene.settings.instruction_files,
            false => InstructionFiles::ClaudeOnly,
        }
    }

    fn read_start(&mut self) {
        let folders = self.scene.folders();
        let only_managed = self.mode() == InstructionFiles::ManagedOnly;
        if let Some(text) = &self.scene.settings.managed_text {
            self.managed_text(js_trim(text));
        }
        for place in [Place::Managed, Place::User, Place::Folder] {
            let folders = match place {
                Place::Managed => vec![self.scene.managed.clone()],
                Place::User => vec![self.scene.config.clone()],
                Place::Folder => folders.clone(),
            };
            if place != Place::Managed && only_managed {
                // Rules that wait are still asked by a touch.
                let kept = (self.entries.len(), self.seen.clone());
                self.place(place, &folders);
                self.entries.truncate(kept.0);
                self.seen = kept.1;
                continue;
            }
            self.place(place, &folders);
        }
        self.memory();
    }

    fn place(&mut self, place: Place, folders: &[Utf8PathBuf]) {
        let profile = self.profile;
        let first = self.entries.len();
        let surfaces = |fallback: bool| {
            let of_place = profile.start.iter().filter(move |s| s.place == place);
            of_place.filter(move |s| (s.shape == Shape::Fallback) == fallback)
        };
        for folder in folders {
            for surface in surfaces(false) {
                self.surface(surface, folder, Tier::Always, &Cow::Borrowed(""));
            }
        }
        if place == Place::Folder {
            self.choose_fallback();
        }
        let with_fallbacks: &[_] = if self.fallback { folders } else { &[] };
        for folder in with_fallbacks {
            let end = self.entries.len();
            for surface in surfaces(true) {
                self.surface(surface, folder, Tier::Always, &Cow::Borrowed(""));
            }
            // The host reads these later and puts them in: behind what stands in the folder or
            // above it.
            let found = self.entries.split_off(end);
            let stands_above = |e: &Entry| folder.starts_with(holder(&e.path));
            let behind = self.entries[first..]
                .iter()
                .take_while(|e| e.from.is_some() || stands_above(e))
                .count();
            self.entries.splice(first + behind..first + behind, found);
        }
    }

    /// Loads one surface of one folder.
    #[expect(clippy::ptr_arg, reason = "most reasons are constants and are shared")]
    fn surface(
        &mut self,
        surface: &Surface,
        folder: &Utf8Path,
        tier: Tier,
        reason: &Cow<'static, str>,
    ) {
        let path = folder.join(surface.name);
        let shared = surface.class == Class::Project;
        if shared && surface.place == Place::Folder && self.scene.shadowed_by_worktree(folder) {
            if surface.shape == Shape::File && self.tree.real(&path).is_ok() {
                let fix = "nothing to do: the worktree's own copy is loaded instead";
                self.skip_file(&path, SkipReason::Shadowed, fix);
            }
            if surface.shape != Shape::Rules || !self.profile.shadowed_rules_wait {
                return;
            }
            // Only the rules that wait are kept.
            let (kept, seen) = (self.entries.len(), self.seen.clone());
            self.rules_of(surface, folder, &path, tier, reason);
            self.entries.truncate(kept);
            self.seen = seen;
            return;
        }
        if surface.shape == Shape::Fallback && !self.fallback {
            return;
        }
        let at_start = Cow::Borrowed(self.start_reason(surface, folder));
        let reason = if reason.is_empty() { &at_start } else { reason };
        match surface.shape {
            Shape::File | Shape::Fallback => self.file(&Ask {
                path: &path,
                class: surface.class,
                kind: Kind::Instructions,
                tier,
                reason,
                from: None,
                hops: 0,
                base: None,
                group: None,
                no_copy: surface.shape == Shape::Fallback,
            }),
            Shape::Rules => self.rules_of(surface, folder, &path, tier, reason),
        }
    }

    /// Loads one rule folder.
    #[expect(clippy::ptr_arg, reason = "most reasons are constants and are shared")]
    fn rules_of(
        &mut self,
        surface: &Surface,
        folder: &Utf8Path,
        path: &Utf8Path,
        tier: Tier,
        reason: &Cow<'static, str>,
    ) {
        // Patterns of personal and managed rules are relative to the working folder.
        let base = if surface.place == Place::Folder { folder } else { &self.scene.cwd };
        let base = base.to_owned();
        let class = surface.class;
        let group: Arc<Utf8Path> = path.into();
        let source = RuleSource { group: &group, class, base: &base, tier, reason };
        self.rules(path, &source, &mut FxHashSet::default());
    }

    pub(in crate::load) fn start_reason(
        &self,
        surface: &Surface,
        folder: &Utf8Path,
    ) -> &'static str {
        let rule = surface.shape == Shape::Rules;
        match (surface.class, rule) {
            (Class::Managed, _) => "your organisation's instructions",
            (Class::User, true) => "a rule of yours without `paths`",
            (Class::User, false) => "your instructions for all projects",
            (_, true) => "a rule without `paths`",
            (Class::Local, _) => "your instructions for this folder",
            _ if folder == self.scene.cwd => "instructions of this folder",
            _ => "instructions of a folder above",
        }
    }

    /// Returns whether a surface yields text, whatever else was loaded.
    pub(super) fn has_text(&self, surface: &Surface, folder: &Utf8Path) -> bool {
        let path = folder.join(surface.name);
        if surface.class == Class::Project && self.scene.shadowed_by_worktree(folder)
            || self.scene.settings.excludes(&path)
        {
            return false;
        }
        self.tree.read(&path).is_ok_and(|bytes| {
            !js_trim(&markdown::read(decoded(bytes), self.profile.dialect).sent).is_empty()
        })
    }

    /// Returns whether a path lies below the working folder.
    pub(super) fn inside(&self, path: &Utf8Path) -> bool {
        below(path, &self.scene.cwd).is_some()
    }

    pub(in crate::load) fn is_file(&self, path: &Utf8Path) -> bool {
        self.tree.real(path).is_ok_and(|real| real.node == Node::File)
    }

    pub(in crate::load) fn was_loaded(&self, real: &Utf8Path) -> bool {
        self.seen.contains(real)
    }

    /// Returns whose the skill, command or agent at `real` is.
    pub(in crate::load) fn owner_of(&self, real: &Utf8Path) -> Owner {
        let personal = below(real, &self.scene.config).is_some();
        self.owner(if personal { Class::User } else { Class::Project }, real)
    }

    pub(super) fn owner(&self, class: Class, real: &Utf8Path) -> Owner {
        if class == Class::Managed {
            return Owner::Managed;
        }
        let in_config = below(real, &self.scene.config).is_some();
        match below(real, &self.scene.project) {
            Some(_) if in_config => Owner::Personal,
            Some(relative) => match self.scene.tracked.has(relative) {
                Some(true) => Owner::Git,
                Some(false) => Owner::Personal,
                // Not knowing must never make a team's file look like one's own.
                None => Owner::Git,
            },
            None if class == Class::Project && !in_config => Owner::Inherited,
            None => Owner::Personal,
        }
    }
}

/// Returns the folder that a file holds for: the one above `.claude`, or the one it stands in.
///
/// The host looks for the first `.claude` of the path only, so below a `.claude` that is part of
/// the way to the project a second one is a folder like any other.
fn holder(path: &Utf8Path) -> &Utf8Path {
    let folder = path.parent().unwrap_or(Utf8Path::new("/"));
    let first = folder.ancestors().filter(|a| a.file_name() == Some(".claude")).last();
    match first {
        Some(claude) if folder == claude || folder.starts_with(claude.join("rules")) => {
            claude.parent().unwrap_or(folder)
        }
        _ => folder,
    }
}
