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
        if !self.is_touched(file) {
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
        if self.sent_at_start.is_empty() {
            let sent = self.entries.iter().filter(|e| e.tier == Tier::Always);
            self.sent_at_start = sent.map(|e| e.path.clone()).collect();
        }
        if !self.profile.touch_repeats && self.sent_by_touch.is_empty() {
            self.sent_by_touch.extend(self.sent_at_start.iter().cloned());
        }
        let first = self.entries.len();
        let at_start = std::mem::take(&mut self.waiting);
        let folders = self.folders_to(file);
        // Where a pattern breaks the older host, the step it stands in and all behind it are lost.
        let whole = self.steps_of_touch(&at_start, &folders, file);
        let own = self.entries.len() - first;
        // A hook of the host's reads these names, and it runs only behind a tool that succeeded. It
        // knows nothing of the steps before it.
        self.seen.clear();
        for folder in folders.iter().filter(|_| exists && whole) {
            self.nested_folder(folder, true);
        }
        self.waiting = at_start;
        self.seen = seen_at_start;
        let mut found = self.entries.split_off(first);
        let by_hook = found.split_off(own);
        // A file that was read is the result of the tool, not a second copy; what it imports counts.
        // It is known by its name: a link to it is another file.
        if real.is_ok() {
            self.read_by_touch.insert(file.to_owned());
        }
        let mut out = found;
        out.retain(|e| !self.read_by_touch.contains(&e.path));
        out.retain(|e| self.sent_by_touch.insert(e.path.clone()));
        // The hook knows what the start and it itself have sent, and nothing of other touches.
        out.extend(by_hook.into_iter().filter(|e| {
            !self.read_by_touch.contains(&e.path)
                && !self.sent_at_start.contains(&e.path)
                && self.sent_by_hook.insert(e.path.clone())
        }));
        out
    }

    /// Returns whether opening `file` can load anything: it lies below the working folder.
    pub(in crate::load) fn is_touched(&self, file: &Utf8Path) -> bool {
        file.starts_with(&self.scene.cwd) && file != self.scene.cwd && self.leads_inside(file)
    }

    /// Returns whether `file` lies below the working folder with all links followed; of a file that
    /// is missing, the folder that would hold it counts.
    fn leads_inside(&self, file: &Utf8Path) -> bool {
        for path in file.ancestors() {
            match self.tree.real(path) {
                Ok(real) => return real.path.starts_with(&self.scene.cwd),
                // A link that leads nowhere.
                Err(_) if self.tree.node(path).is_ok() => return false,
                Err(_) => {}
            }
        }
        true
    }

    /// Returns the folders between the working folder and `file`, outermost first.
    pub(in crate::load) fn folders_to(&self, file: &Utf8Path) -> Vec<Utf8PathBuf> {
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
        for (rule, (loads, _)) in asked {
            // A rule that was asked is read, and isn't asked again by way of another folder.
            if self.seen.insert(rule.entry.real().to_owned()) && loads {
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
