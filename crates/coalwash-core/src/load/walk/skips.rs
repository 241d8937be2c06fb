//! What is passed over, and why.

use camino::Utf8Path;

use super::Walk;
use crate::load::hosts::Class;
use crate::load::map::{Origin, SkipReason, Skipped};
use crate::load::tree::{Child, Unreadable};

impl Walk<'_> {
    pub(super) fn excluded(&mut self, path: &Utf8Path, class: Class) -> bool {
        if class == Class::Managed || self.scene.settings.excludes.is_empty() {
            return false;
        }
        let hit = self.scene.settings.excludes(path);
        if hit && self.tree.node(path).is_ok() {
            let fix = "take it out of `claudeMdExcludes` if it should load";
            self.skip_file(path, SkipReason::Excluded, fix);
        }
        hit
    }

    /// Lists a folder that may be missing; one that can't be listed is named.
    pub(in crate::load) fn listed(&mut self, folder: &Utf8Path) -> Vec<Child> {
        let found = self.tree.list(folder);
        self.or_noted(folder, found)
    }

    /// Lists a folder with the sizes of its files.
    pub(super) fn listed_sized(&mut self, folder: &Utf8Path) -> Vec<(Child, Option<u64>)> {
        let found = self.tree.list_sized(folder);
        self.or_noted(folder, found)
    }

    fn or_noted<T>(&mut self, folder: &Utf8Path, found: Result<Vec<T>, Unreadable>) -> Vec<T> {
        match found {
            Ok(children) => children,
            Err(Unreadable::Missing) => Vec::new(),
            Err(why) => {
                self.unreadable(folder, &why, None);
                Vec::new()
            }
        }
    }

    pub(in crate::load) fn skip_file(&mut self, path: &Utf8Path, reason: SkipReason, fix: &str) {
        self.skipped.push(Skipped {
            path: Some(path.to_owned()),
            text: None,
            from: None,
            reason,
            fix: fix.to_owned(),
        });
    }

    pub(super) fn skip_text(&mut self, text: &str, from: Origin, reason: SkipReason, fix: String) {
        self.skipped.push(Skipped {
            path: None,
            text: Some(text.to_owned()),
            from: Some(from),
            reason,
            fix,
        });
    }

    /// Records that something could not be read, and why.
    pub(in crate::load) fn unreadable(
        &mut self,
        path: &Utf8Path,
        why: &Unreadable,
        from: Option<Origin>,
    ) {
        let (reason, fix) = match why {
            Unreadable::Missing => (SkipReason::LinkBroken, "repair or remove the link".to_owned()),
            Unreadable::Loop => (SkipReason::LinkLoop, "repair or remove the link".to_owned()),
            Unreadable::Denied => (SkipReason::Denied, "make it readable".to_owned()),
            Unreadable::Folder => (SkipReason::FolderForFile, "rename the folder".to_owned()),
            Unreadable::Special => {
                (SkipReason::SpecialFile, "put a regular file in its place".to_owned())
            }
            Unreadable::Outside => {
                (SkipReason::LinkOutside, "put the file itself there".to_owned())
            }
            Unreadable::NotUtf8 => (SkipReason::NameNotUtf8, "rename it".to_owned()),
            Unreadable::Io(what) => (SkipReason::ReadFailed, what.clone()),
        };
        self.skipped.push(Skipped { path: Some(path.to_owned()), text: None, from, reason, fix });
    }
}
