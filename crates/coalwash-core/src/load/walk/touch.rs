//! What opening a file loads.

use camino::{Utf8Path, Utf8PathBuf};

use super::Walk;
use crate::load::hosts::claude_code::settings::InstructionFiles;
use crate::load::hosts::{Class, Shape};
use crate::load::map::{Entry, Tier};
use crate::load::pattern::Patterns;

/// A rule that waits for a file.
#[derive(Clone, Debug)]
pub(in crate::load) struct Waiting {
    pub(in crate::load) entry: Entry,
    /// Folder that its patterns are relative to.
    pub(super) base: Utf8PathBuf,
    pub(super) class: Class,
}

impl Waiting {
    /// Returns whether touching `file` loads the rule.
    pub(super) fn waits_for(&self, file: &Utf8Path) -> bool {
        file.strip_prefix(&self.base).is_ok_and(|relative| {
            !relative.as_str().is_empty()
                && Patterns::new(self.entry.patterns.iter().map(String::as_str))
                    .matches(relative.as_str())
        })
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
        if real.is_err() && self.profile.touch_needs_file {
            return Vec::new();
        }
        // Within one touch a file is known by its physical path, among touches by its name.
        let seen_at_start = self.seen.clone();
        if self.profile.touch_repeats {
            self.seen.clear();
        }
        let exists = real.is_ok();
        if let Ok(real) = real {
            // The file itself is the result of the tool, not a second copy.
            self.seen.insert(real.path);
        }
        let first = self.entries.len();
        let at_start = std::mem::take(&mut self.waiting);
        let (own, shared): (Vec<_>, Vec<_>) =
            at_start.iter().cloned().partition(|w| matches!(w.class, Class::Managed | Class::User));
        self.wake(&own, file);
        let folders = self.folders_to(file);
        for folder in &folders {
            self.nested_folder(folder, false);
            let nested = std::mem::take(&mut self.waiting);
            self.wake(&nested, file);
        }
        self.wake(&shared, file);
        // A hook of the host's reads these names, and it runs only behind a tool that succeeded.
        for folder in folders.iter().filter(|_| exists) {
            self.nested_folder(folder, true);
        }
        self.waiting = at_start;
        self.seen = seen_at_start;
        let mut found = self.entries.split_off(first);
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

    pub(super) fn wake(&mut self, waiting: &[Waiting], file: &Utf8Path) {
        for rule in waiting.iter().filter(|w| w.waits_for(file)) {
            if self.seen.insert(rule.entry.real.clone()) {
                self.entries.push(rule.entry.clone());
            }
        }
    }

    /// Loads the instructions of a folder below the working one, as a touch there does.
    ///
    /// `fallbacks` asks for the names that the host reads after all others.
    pub(in crate::load) fn nested_folder(&mut self, folder: &Utf8Path, fallbacks: bool) {
        let relative = folder.strip_prefix(&self.scene.cwd).unwrap_or(folder);
        let reason = format!("once a file in `{relative}` is opened");
        let profile = self.profile;
        if fallbacks
            && self.scene.settings.instruction_files == InstructionFiles::Either
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
