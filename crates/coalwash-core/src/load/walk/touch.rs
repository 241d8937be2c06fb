//! What opening a file loads.

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};

use super::Walk;
use crate::load::hosts::claude_code::settings::InstructionFiles;
use crate::load::hosts::{Class, Shape};
use crate::load::map::{Entry, Tier};
use crate::load::pattern::{Patterns, is_broken};
use crate::load::tree::Node;

/// A rule that waits for a file.
#[derive(Clone, Debug)]
pub(in crate::load) struct Waiting {
    pub(in crate::load) entry: Entry,
    /// Folder that its patterns are relative to.
    pub(super) base: Utf8PathBuf,
    pub(super) class: Class,
}

impl Waiting {
    /// Returns whether touching `file` loads the rule, and whether asking breaks the older host.
    fn waits_for(&self, file: &Utf8Path) -> (bool, bool) {
        let Ok(relative) = file.strip_prefix(&self.base) else { return (false, false) };
        if relative.as_str().is_empty() {
            return (false, false);
        }
        let patterns = || self.entry.patterns.iter().map(String::as_str);
        (Patterns::new(patterns()).matches(relative.as_str()), patterns().any(is_broken))
    }
}

impl Walk<'_> {
    /// Loads what touching `file` loads, and returns it in the host's order.
    ///
    /// Call after [`Walk::start`].
    pub(in crate::load) fn touch(&mut self, file: &Utf8Path) -> Vec<Entry> {
        let below = file.starts_with(&self.scene.cwd) && file != self.scene.cwd;
        let really = self.tree.real(file).is_ok_and(|r| !r.path.starts_with(&self.scene.cwd));
        if !below || really {
            return Vec::new();
        }
        let real = self.tree.real(file);
        let exists = real.as_ref().is_ok_and(|real| real.node == Node::File);
        if !exists && self.profile.touch_needs_file {
            return Vec::new();
        }
        // Within one touch a file is known by its physical path; against what was sent before, by
        // the name it was sent under.
        let seen_at_start = std::mem::take(&mut self.seen);
        if !self.profile.touch_repeats && self.sent_by_touch.is_empty() {
            let sent = self.entries.iter().filter(|e| e.tier == Tier::Always);
            self.sent_by_touch = sent.map(|e| e.path.clone()).collect();
        }
        let first = self.entries.len();
        let at_start = std::mem::take(&mut self.waiting);
        let folders = self.folders_to(file);
        // Where a pattern breaks the older host, the step it stands in and all behind it are lost.
        let whole = self.steps_of_touch(&at_start, &folders, file);
        // A hook of the host's reads these names, and it runs only behind a tool that succeeded.
        for folder in folders.iter().filter(|_| exists && whole) {
            self.nested_folder(folder, true);
        }
        self.waiting = at_start;
        self.seen = seen_at_start;
        let mut found = self.entries.split_off(first);
        // The file itself is the result of the tool, not a second copy; what it imports counts.
        if let Ok(real) = real {
            found.retain(|entry| entry.real() != real.path);
        }
        found.retain(|entry| self.sent_by_touch.insert(entry.path.clone()));
        found
    }

    /// Returns the folders between the working folder and `file`, outermost first.
    fn folders_to(&self, file: &Utf8Path) -> Vec<Utf8PathBuf> {
        let above = file.ancestors().skip(1);
        let mut out: Vec<_> = above
            .take_while(|a| a.starts_with(&self.scene.cwd) && *a != self.scene.cwd)
            .map(Utf8Path::to_owned)
            .collect();
        out.reverse();
        out
    }

    /// Goes through the steps of a touch; returns false where one broke.
    fn steps_of_touch(
        &mut self,
        at_start: &[Waiting],
        folders: &[Utf8PathBuf],
        file: &Utf8Path,
    ) -> bool {
        let of_class = |class: Class| at_start.iter().filter(move |w| w.class == class).cloned();
        for class in [Class::Managed, Class::User] {
            if !self.wake(&of_class(class).collect::<Vec<_>>(), file) {
                return false;
            }
        }
        for folder in folders {
            let kept = self.entries.len();
            self.nested_folder(folder, false);
            let nested = std::mem::take(&mut self.waiting);
            if !self.wake(&nested, file) {
                self.entries.truncate(kept);
                return false;
            }
        }
        let shared: Vec<_> = of_class(Class::Project).chain(of_class(Class::Local)).collect();
        shared.chunk_by(|a, b| a.base == b.base).all(|level| self.wake(level, file))
    }

    /// Loads the rules that wait for `file`, all or, where one breaks the older host, none.
    fn wake(&mut self, waiting: &[Waiting], file: &Utf8Path) -> bool {
        let asked: Vec<_> = waiting.iter().map(|w| (w, w.waits_for(file))).collect();
        if self.profile.broken_pattern_stops && asked.iter().any(|(_, (_, broken))| *broken) {
            return false;
        }
        for (rule, _) in asked.iter().filter(|(_, (loads, _))| *loads) {
            if self.seen.insert(rule.entry.real().to_owned()) {
                self.entries.push(rule.entry.clone());
            }
        }
        true
    }

    /// Loads the instructions of a folder below the working one, as a touch there does.
    ///
    /// `fallbacks` asks for the names that the host reads after all others.
    pub(in crate::load) fn nested_folder(&mut self, folder: &Utf8Path, fallbacks: bool) {
        let relative = folder.strip_prefix(&self.scene.cwd).unwrap_or(folder);
        let reason = Cow::Owned(format!("once a file in `{relative}` is opened"));
        let profile = self.profile;
        if fallbacks
            && self.mode() == InstructionFiles::Either
            && profile.touch.iter().any(|s| s.shape == Shape::File && self.has_text(s, folder))
        {
            return;
        }
        for surface in &profile.touch {
            if (surface.shape == Shape::Fallback) == fallbacks {
                self.surface(surface, folder, Tier::OnPath, &reason);
            }
        }
    }
}
