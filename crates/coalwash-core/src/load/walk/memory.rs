//! The host's own memory, and text from settings.

use camino::Utf8Path;

use super::Walk;
use super::file::decoded;
use crate::load::hosts::claude_code::markdown::{self, Reading};
use crate::load::hosts::claude_code::memory;
use crate::load::map::{Entry, Kind, Owner, SkipReason, Tier};
use crate::load::tree::{Node, Real, Unreadable};
use crate::text::lines::js_trim;

impl Walk<'_> {
    /// Loads the index of the host's memory, and lists the rest of it.
    pub(super) fn memory(&mut self) {
        let Some(folder) = self.scene.memory.clone() else { return };
        let rules = &self.profile.memory;
        let path = folder.join(rules.index);
        match self.tree.real(&path) {
            Ok(real) if real.node == Node::File => match self.tree.read(&path) {
                Ok(bytes) => self.memory_index(&path, &real, bytes),
                Err(why) => self.unreadable(&path, &why, None),
            },
            Ok(real) if real.node == Node::Folder => {
                self.unreadable(&path, &Unreadable::Folder, None);
            }
            Ok(_) => self.unreadable(&path, &Unreadable::Special, None),
            Err(Unreadable::Missing) if self.tree.node(&path).is_err() => {}
            Err(why) => self.unreadable(&path, &why, None),
        }
        let has_index = self.tree.node(&path).is_ok();
        let physical = self.tree.real(&folder).map(|real| real.path);
        for (child, bytes) in self.listed_sized(&folder) {
            let Some(name) = child.name.filter(|n| n.ends_with(".md") && n != rules.index) else {
                continue;
            };
            let path = folder.join(&name);
            let real = match (&physical, bytes) {
                (Ok(physical), Some(bytes)) => {
                    Ok(Real { path: physical.join(&name), node: Node::File, bytes })
                }
                _ => self.tree.real(&path),
            };
            let Some(real) = real.ok().filter(|real| real.node == Node::File) else { continue };
            self.will_write_memory |= rules.writes_index && !has_index;
            let entry = Entry::new(path, real.path, Kind::Memory, Tier::OnRead, Owner::Personal);
            self.entries.push(Entry {
                reason: "when the agent opens it".into(),
                disk_bytes: real.bytes,
                ..entry
            });
        }
    }

    fn memory_index(&mut self, path: &Utf8Path, real: &Real, bytes: Vec<u8>) {
        let disk_bytes = bytes.len() as u64;
        let Reading { sent, lines, .. } = markdown::read(decoded(bytes), self.profile.dialect);
        let text = js_trim(&sent);
        if text.is_empty() {
            return self.skip_file(path, SkipReason::Empty, "nothing to do");
        }
        let lines = lines.without_start(&sent);
        let mut sent = memory::sent(text, &self.profile.memory, self.profile.dialect);
        if let Some(cut) = &mut sent.cut {
            cut.line = cut.line.map(|line| lines.in_file(line));
        }
        self.seen.insert(real.path.clone());
        let (path, real) = (path.to_owned(), real.path.clone());
        let entry = Entry::new(path, real, Kind::Memory, Tier::Always, Owner::Personal);
        self.entries.push(Entry {
            reason: "the host's memory of this project".into(),
            disk_bytes,
            lines,
            sent: Some(sent.text),
            cut: sent.cut.map(Box::new),
            ..entry
        });
    }

    pub(super) fn managed_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let path = self.scene.managed.join("managed-settings.json");
        let (kind, owner) = (Kind::Instructions, Owner::Managed);
        self.entries.push(Entry {
            reason: "`claudeMd` in your organisation's settings".into(),
            disk_bytes: text.len() as u64,
            sent: Some(text.to_owned()),
            ..Entry::new(path.clone(), path, kind, Tier::Always, owner)
        });
    }
}
