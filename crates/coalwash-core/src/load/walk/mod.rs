//! Follows a host's table through a file system: what is loaded at the start, and by a touch.

mod file;
mod memory;
mod rules;
mod skips;
mod touch;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::hosts::claude_code::markdown;
use super::hosts::claude_code::settings::InstructionFiles;
use super::hosts::{Class, Place, Profile, Shape, Surface};
use super::map::{Entry, Kind, Owner, SkipReason, Skipped, Tier};
use super::never;
use super::scene::Scene;
use super::tree::{Node, Tree};
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
    pub(in crate::load) not_measured: Vec<String>,
    /// Rules that wait for a file, in the order in which a touch asks them.
    pub(in crate::load) waiting: Vec<Waiting>,
    /// Physical paths that were loaded.
    seen: FxHashSet<Utf8PathBuf>,
    /// Whether the host's fallback names are in use.
    fallback: bool,
    /// Paths that touches have sent, by the names they were sent under.
    sent_by_touch: FxHashSet<Utf8PathBuf>,
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
            not_measured: Vec::new(),
            waiting: Vec::new(),
            seen: FxHashSet::default(),
            fallback: false,
            sent_by_touch: FxHashSet::default(),
        }
    }

    /// Loads what every session loads.
    pub(in crate::load) fn start(&mut self) {
        self.fallback = match self.scene.settings.instruction_files {
            InstructionFiles::Both => true,
            InstructionFiles::Either => !self.own_names_are_in_use(),
            InstructionFiles::ClaudeOnly | InstructionFiles::ManagedOnly => false,
        };
        self.read_start();
        never::find(self);
    }

    /// Returns whether a file with one of the host's own names is loaded, in a rule folder too.
    ///
    /// Only then are the names not read that stand in for them.
    fn own_names_are_in_use(&self) -> bool {
        if !self.profile.start.iter().any(|s| s.shape == Shape::Fallback) {
            return true;
        }
        let mut trial = Self::new(self.profile, self.scene, self.tree);
        trial.read_start();
        let own = |name: &str| {
            let surfaces = self.profile.start.iter().filter(|s| s.shape == Shape::File);
            surfaces.filter(|s| s.place == Place::Folder).any(|s| s.name.ends_with(name))
        };
        let config = self.tree.real(&self.scene.config).map(|real| real.path).ok();
        trial.entries.iter().any(|e| {
            let of_user = config.as_ref().is_some_and(|c| e.real.starts_with(c));
            let found = matches!(e.kind, Kind::Instructions | Kind::Rule) && !of_user;
            found && e.owner != Owner::Managed && e.path.file_name().is_some_and(own)
        })
    }

    fn read_start(&mut self) {
        let folders = self.scene.folders();
        let only_managed = self.scene.settings.instruction_files == InstructionFiles::ManagedOnly;
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
        for folder in folders {
            for surface in profile.start.iter().filter(|s| s.place == place) {
                self.surface(surface, folder, Tier::Always, "");
            }
        }
    }

    /// Loads one surface of one folder.
    fn surface(&mut self, surface: &Surface, folder: &Utf8Path, tier: Tier, reason: &str) {
        let path = folder.join(surface.name);
        let shared = surface.class == Class::Project;
        if shared && surface.place == Place::Folder && self.scene.shadowed_by_worktree(folder) {
            if surface.shape == Shape::File && self.tree.real(&path).is_ok() {
                let fix = "nothing to do: the worktree's own copy is loaded instead";
                self.skip_file(&path, SkipReason::Shadowed, fix);
            }
            return;
        }
        if surface.shape == Shape::Fallback && !self.fallback {
            return;
        }
        let reason = if reason.is_empty() { self.start_reason(surface, folder) } else { reason };
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
            Shape::Rules => {
                // Patterns of personal and managed rules are relative to the working folder.
                let base = if surface.place == Place::Folder { folder } else { &self.scene.cwd };
                let source = RuleSource {
                    group: &path,
                    class: surface.class,
                    base: &base.to_owned(),
                    tier,
                    reason,
                };
                self.rules(&path, &source, &mut FxHashSet::default());
            }
        }
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
        path.starts_with(&self.scene.cwd)
    }

    pub(in crate::load) fn is_file(&self, path: &Utf8Path) -> bool {
        self.tree.real(path).is_ok_and(|real| real.node == Node::File)
    }

    pub(in crate::load) fn was_loaded(&self, real: &Utf8Path) -> bool {
        self.seen.contains(real)
    }

    /// Returns whose the skill, command or agent at `real` is.
    pub(in crate::load) fn owner_of(&self, real: &Utf8Path) -> Owner {
        let personal = real.starts_with(&self.scene.config);
        self.owner(if personal { Class::User } else { Class::Project }, real)
    }

    pub(super) fn owner(&self, class: Class, real: &Utf8Path) -> Owner {
        if class == Class::Managed {
            return Owner::Managed;
        }
        match real.strip_prefix(&self.scene.project) {
            Ok(_) if real.starts_with(&self.scene.config) => Owner::Personal,
            Ok(relative) => match self.scene.tracked.has(relative.as_str()) {
                Some(true) => Owner::Git,
                Some(false) => Owner::Personal,
                // Not knowing must never make a team's file look like one's own.
                None => Owner::Git,
            },
            Err(_) if class == Class::Project && !real.starts_with(&self.scene.config) => {
                Owner::Inherited
            }
            Err(_) => Owner::Personal,
        }
    }
}
