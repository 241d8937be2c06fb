//! The skills that a session comes to know when it opens files.
//!
//! Two kinds are listed then: skills whose `paths` match the file, and skills of `.claude/skills` of
//! every folder between the working one and the file, whatever their own `paths` say.
//!
//! Source: requests of both clients; 14 trees of skills, 45 touches.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::markdown::Dialect;
use super::line::{Listed, within_budget};
use super::skills::{Known, is_kept_back, known, text_of};
use super::{Found, collated, skills_of};
use crate::load::map::{Entry, Tier};
use crate::load::pattern::Patterns;
use crate::load::tree::Node;
use crate::load::walk::Walk;

/// What a session knows, as it opens one file after another.
#[derive(Debug, Default)]
pub(in crate::load) struct Touched {
    /// Names of the start.
    names: FxHashSet<String>,
    /// Skills that wait for a file.
    waiting: Vec<Listed>,
    /// Skills that waited, and whose file came.
    active: Vec<Listed>,
    /// Skills of folders below the working one, ordered by folder.
    nested: Vec<Nested>,
    /// Folders whose skills are known.
    folders: FxHashSet<Utf8PathBuf>,
    /// What was listed: the names, and the descriptions.
    sent: FxHashMap<String, String>,
}

/// A skill of a folder below the working one.
#[derive(Debug)]
struct Nested {
    /// Its folder, relative to the working one.
    folder: Utf8PathBuf,
    file: Found,
}

impl Touched {
    /// Makes the state of a session that has opened nothing.
    pub(in crate::load) fn new(walk: &mut Walk<'_>) -> Self {
        Self::of(known(walk))
    }

    pub(super) fn of(known: Known) -> Self {
        Self { names: known.names, waiting: known.waiting, ..Self::default() }
    }

    /// Returns what opening `file` lists.
    ///
    /// # Limitations
    /// What a folder holds is listed in the same turn, as the newer host does. The older one lists
    /// it in the same turn or in the next, by chance.
    pub(in crate::load) fn touch(&mut self, walk: &mut Walk<'_>, file: &Utf8Path) -> Vec<Entry> {
        if !walk.is_touched(file) {
            return Vec::new();
        }
        for folder in walk.folders_to(file) {
            self.discover(walk, &folder);
        }
        let woken = self.wake(walk, file);
        // Where nothing was read, the folders' skills are known and wait for the next turn.
        let exists = walk.tree.real(file).is_ok_and(|real| real.node == Node::File);
        if !woken && !exists {
            return Vec::new();
        }
        let mut lines = self.active.clone();
        lines.extend(self.nested_lines(walk));
        let by_digest = walk.profile.dialect == Dialect::V2_1_332;
        lines.retain(|line| match self.sent.insert(line.name.clone(), line.text.clone()) {
            Some(before) => by_digest && before != line.text,
            None => true,
        });
        lines.sort_by(|a, b| collated(&a.file.name, &b.file.name));
        let kept = within_budget(walk, &lines, None);
        lines.iter().zip(kept).map(|(line, kept)| line.entry(kept, walk.profile.dialect)).collect()
    }

    /// Comes to know the skills of a folder below the working one.
    pub(super) fn discover(&mut self, walk: &mut Walk<'_>, folder: &Utf8Path) {
        let claude = folder.join(".claude");
        // Those of the user are known from the start.
        if claude == walk.scene.config || !self.folders.insert(folder.to_owned()) {
            return;
        }
        let relative = folder.strip_prefix(&walk.scene.cwd).unwrap_or(folder).to_owned();
        let found = skills_of(walk, &claude);
        self.nested.extend(found.into_iter().map(|file| Nested { folder: relative.clone(), file }));
        self.nested.sort_by(|a, b| a.folder.cmp(&b.folder));
    }

    /// Wakes the skills whose `paths` match; returns whether any did.
    fn wake(&mut self, walk: &Walk<'_>, file: &Utf8Path) -> bool {
        let Ok(relative) = file.strip_prefix(&walk.scene.cwd) else { return false };
        let matches = |skill: &mut Listed| {
            Patterns::new(skill.patterns.iter().map(String::as_str)).matches(relative.as_str())
        };
        let before = self.active.len();
        self.active.extend(self.waiting.extract_if(.., matches));
        self.active.len() > before
    }

    /// Returns the lines of the skills of folders below the working one.
    ///
    /// A name that something else has, too, is listed with its folder before it.
    pub(super) fn nested_lines(&self, walk: &mut Walk<'_>) -> Vec<Listed> {
        let mut count: FxHashMap<&str, usize> = FxHashMap::default();
        for it in &self.nested {
            *count.entry(&it.file.name).or_default() += 1;
        }
        let mut out = Vec::new();
        for Nested { folder, file } in &self.nested {
            let bare = &file.name;
            let unscoped = self.names.contains(bare)
                || walk.profile.listing.names.contains(&&**bare)
                || self.active.iter().any(|skill| skill.name == *bare);
            let name = match unscoped || count[&**bare] > 1 {
                true => format!("{folder}:{bare}"),
                false => bare.clone(),
            };
            if is_kept_back(walk, file, &name) {
                continue;
            }
            let suffix = match unscoped {
                true => format!(
                    " (scoped to {folder}/ — use this instead of the unscoped \"{bare}\" skill \
                     when the files being changed are under {folder}/)"
                ),
                false => format!(
                    " (from {folder}/.claude/skills — applies when working on files under {folder}/)"
                ),
            };
            let text = text_of(walk, file, &name, &suffix);
            out.push(Listed {
                file: file.clone(),
                name,
                text,
                tier: Tier::OnPath,
                paths: Vec::new(),
                patterns: Vec::new(),
                reason: format!("listed once a file in `{folder}` is opened").into(),
            });
        }
        out
    }
}
