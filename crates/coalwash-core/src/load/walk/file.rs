//! One file: its text, its place in the list, its imports.

use std::borrow::Cow;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::touch::Waiting;
use super::{Walk, never};
use crate::load::hosts::Class;
use crate::load::hosts::claude_code::markdown::{self, Reading};
use crate::load::hosts::claude_code::memory;
use crate::load::map::{Entry, Kind, Origin, SkipReason, Tier};
use crate::load::pattern::PathScope;
use crate::load::rule;
use crate::load::tree::{Node, Real, Unreadable, resolved};
use crate::text::front_matter;
use crate::text::lines::js_trim;

/// One file to load.
pub(super) struct Ask<'s> {
    pub(super) path: &'s Utf8Path,
    pub(super) class: Class,
    pub(super) kind: Kind,
    pub(super) tier: Tier,
    pub(super) reason: &'s Cow<'static, str>,
    pub(super) from: Option<Origin>,
    /// Hops from the file that the host looked for by name.
    pub(super) hops: usize,
    /// For rules: the folder that patterns are relative to.
    pub(super) base: Option<&'s Utf8Path>,
    /// For rules and what they import: the rule folder.
    pub(super) group: Option<&'s Arc<Utf8Path>>,
    /// Whether a text that was loaded already is left out.
    pub(super) no_copy: bool,
}

impl Walk<'_> {
    /// Loads one file and what it imports.
    pub(super) fn file(&mut self, ask: &Ask<'_>) {
        if self.excluded(ask.path, ask.class) {
            return;
        }
        let real = match self.tree.real(ask.path) {
            Ok(real) => real,
            Err(Unreadable::Missing) if self.tree.node(ask.path).is_err() => return,
            Err(why) => return self.unreadable(ask.path, &why, ask.from.clone()),
        };
        self.resolved_file(ask, &real);
    }

    /// Loads one file whose physical path is known.
    pub(super) fn resolved_file(&mut self, ask: &Ask<'_>, real: &Real) {
        if self.excluded(ask.path, ask.class) {
            return;
        }
        match real.node {
            Node::File => {}
            Node::Folder => {
                return self.unreadable(ask.path, &Unreadable::Folder, ask.from.clone());
            }
            _ => return self.unreadable(ask.path, &Unreadable::Special, ask.from.clone()),
        }
        if self.seen.contains(&real.path) {
            // An import may have brought it in before; its name is in use all the same.
            self.own_names_in_use |= self.uses_own_name(ask)
                && self.entries.iter().any(|e| e.from.is_some() && e.real() == real.path);
            return;
        }
        let bytes = match self.tree.read(&real.path) {
            Ok(bytes) => bytes,
            Err(why) => return self.unreadable(ask.path, &why, ask.from.clone()),
        };
        self.text(ask, real, bytes);
    }

    fn uses_own_name(&self, ask: &Ask<'_>) -> bool {
        ask.hops == 0 && self.is_own_name(ask.path, ask.class)
    }

    /// Takes in the text of one file and follows its imports.
    fn text(&mut self, ask: &Ask<'_>, real: &Real, bytes: Vec<u8>) {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            self.skip_file(ask.path, SkipReason::Utf16, "save it as UTF-8");
        }
        let disk_bytes = bytes.len() as u64;
        let text = decoded(bytes);
        let (scope, paths) = match ask.base {
            Some(_) => scope_of(&text, self.profile.dialect),
            None => (PathScope::Everywhere, Vec::new()),
        };
        let front = markdown::front_matter(&text, self.profile.dialect);
        if ask.base.is_some()
            && front.as_ref().is_some_and(|f| f.0.len() > front_matter::MOST_BYTES)
        {
            return self.skip_file(ask.path, SkipReason::RuleFrontMatter, "shorten it");
        }
        let Reading { sent, imports, suspects, lines, .. } =
            markdown::read(text, self.profile.dialect);
        // What a touch loads is sent untrimmed.
        let trimmed = js_trim(&sent);
        if trimmed.is_empty() {
            self.seen.insert(real.path.clone());
            let fix = "delete it, or write something the host does not take out";
            return self.skip_file(ask.path, SkipReason::Empty, fix);
        }
        if ask.no_copy
            && self.entries.iter().any(|e| e.sent.as_deref().map(js_trim) == Some(trimmed))
        {
            self.seen.insert(real.path.clone());
            return;
        }
        if imports.iter().any(|import| import.path.contains('\0')) {
            self.seen.insert(real.path.clone());
            let fix = "take the NUL character out";
            return self.skip_file(ask.path, SkipReason::ImportNul, fix);
        }
        let at_start = ask.tier == Tier::Always && scope == PathScope::Everywhere;
        let lines = if at_start { lines.without_start(&sent) } else { lines };
        let sent = if at_start && trimmed.len() != sent.len() {
            trimmed.to_owned()
        } else if !at_start && self.profile.dialect == markdown::Dialect::V2_1_332 {
            memory::without_reminders(sent, if ask.no_copy { "&lt;" } else { "<\\" })
        } else {
            sent
        };
        let (path, target) = (ask.path.to_owned(), real.path.clone());
        let owner = self.owner(ask.class, &target);
        let entry = Entry {
            reason: ask.reason.clone(),
            from: ask.from.clone(),
            disk_bytes,
            sent: Some(sent),
            lines,
            group: ask.group.cloned(),
            ..Entry::new(path, target, ask.kind, ask.tier, owner)
        };
        match scope {
            PathScope::Everywhere => {
                self.seen.insert(real.path.clone());
                self.own_names_in_use |= self.uses_own_name(ask);
                self.entries.push(entry);
            }
            PathScope::Only(patterns) => self.wait(ask, Entry { paths, patterns, ..entry }),
            PathScope::Bomb => {
                let fix = "write them with fewer braces";
                return self.skip_file(ask.path, SkipReason::PathsBomb, fix);
            }
        }
        let folder = real.path.parent().unwrap_or(Utf8Path::new("/"));
        for import in &imports {
            let from = Origin { path: ask.path.to_owned(), line: import.line };
            self.import(ask, folder, &import.path, &import.written, from);
        }
        for suspect in &suspects {
            let from = Origin { path: ask.path.to_owned(), line: suspect.line };
            let target = self.target(folder, &suspect.path);
            if self.is_file(&target) && !self.seen.contains(&target) {
                let fix = format!("put a space before it: ` @{}`", suspect.path);
                self.skip_text(&suspect.written, from, SkipReason::ImportGlued, fix);
            }
        }
    }

    fn wait(&mut self, ask: &Ask<'_>, mut entry: Entry) {
        // Approval of what lies outside holds for the start only.
        let outside = |walk: &Self| !walk.inside(&entry.path) || !walk.inside(entry.real());
        if entry.from.is_some() && ask.class != Class::User && outside(self) {
            let fix = "copy it into this folder, or take its `paths` out";
            return self.skip_file(&entry.path, SkipReason::ImportOutside, fix);
        }
        entry.tier = Tier::OnPath;
        entry.reason = "once a file that its `paths` name is opened".into();
        // Waiting rules come behind all others of their folder.
        entry.group = ask.group.map(|group| group.join("paths").into());
        let base = ask.base.unwrap_or(&self.scene.cwd).to_owned();
        self.waiting.push(Waiting { entry, base, class: ask.class });
    }

    fn import(
        &mut self,
        ask: &Ask<'_>,
        folder: &Utf8Path,
        path: &str,
        written: &str,
        from: Origin,
    ) {
        let target = self.target(folder, path);
        let real = match self.tree.real(&target) {
            Ok(real) => real,
            Err(Unreadable::Missing) if self.scene.sealed && !self.inside(&target) => {
                let fix = "copy it into the repository".to_owned();
                return self.skip_text(written, from, SkipReason::ImportOutside, fix);
            }
            Err(Unreadable::Missing) => return self.missing_import(folder, path, written, from),
            Err(why) => return self.unreadable(&target, &why, Some(from)),
        };
        if self.seen.contains(&real.path) {
            self.again.push((from, real.path));
            return;
        }
        let skip = |walk: &mut Self, reason, fix: &str| {
            walk.skip_text(written, from.clone(), reason, fix.to_owned());
        };
        match real.node {
            Node::Folder => {
                // `@src` in prose is a word more often than a wish.
                if path.contains('/') {
                    skip(self, SkipReason::ImportFolder, "name one file in it");
                }
                return;
            }
            Node::File => {}
            _ => return skip(self, SkipReason::SpecialFile, "name a regular file"),
        }
        let rules = &self.profile.import;
        if !follows(&rules.extensions, &target) {
            return skip(self, SkipReason::ImportExtension, "rename it to `.md`");
        }
        if !matches!(ask.class, Class::User) {
            let by_name = self.inside(&target);
            let by_link = rules.through_links || self.inside(&real.path);
            let may = self.scene.outside_approved && (ask.tier == Tier::Always || ask.no_copy);
            if !(by_name && by_link || may) {
                let fix = "approve it when the host asks, or move it in";
                return skip(self, SkipReason::ImportOutside, fix);
            }
        }
        if ask.hops >= rules.hops {
            let fix = format!("import it from a file at most {} hops away", rules.hops - 1);
            return skip(self, SkipReason::ImportTooDeep, &fix);
        }
        let imported = Ask {
            path: &target,
            class: ask.class,
            kind: Kind::Import,
            tier: ask.tier,
            reason: &Cow::Borrowed("imported"),
            from: Some(from),
            hops: ask.hops + 1,
            base: ask.base,
            group: ask.group,
            no_copy: ask.no_copy,
        };
        self.resolved_file(&imported, &real);
    }

    /// Says what is wrong with an import that leads nowhere, unless it is plainly no path.
    fn missing_import(&mut self, folder: &Utf8Path, path: &str, written: &str, from: Origin) {
        let shorter = path.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '/');
        if shorter.len() < path.len() && self.is_file(&self.target(folder, shorter)) {
            let fix = format!("write `@{shorter}`");
            return self.skip_text(written, from, SkipReason::ImportPunctuation, fix);
        }
        if never::looks_like_a_path(shorter, &self.profile.import.extensions) {
            let fix = "correct it, or put it in backticks".to_owned();
            self.skip_text(written, from, SkipReason::ImportMissing, fix);
        }
    }

    /// Returns the file that an import names. Only relative ones may end in a slash.
    fn target(&self, folder: &Utf8Path, path: &str) -> Utf8PathBuf {
        if path.ends_with('/') && (path.starts_with('/') || path.starts_with("~/")) {
            return Utf8PathBuf::from(path).join(".");
        }
        match path.strip_prefix("~/") {
            Some(rest) => resolved(&self.scene.home, rest.trim_start_matches('/')),
            None => resolved(folder, path),
        }
    }
}

/// Decodes as the hosts do: UTF-8, what isn't becomes U+FFFD.
pub(in crate::load) fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Works out when the rule with this text is loaded, and returns its `paths` as written.
pub(super) fn scope_of(text: &str, dialect: markdown::Dialect) -> (PathScope, Vec<String>) {
    let yaml = markdown::front_matter(text, dialect).map(|(yaml, _)| &text[yaml]);
    match yaml.and_then(front_matter::parse) {
        None => (PathScope::Everywhere, Vec::new()),
        Some(map) => {
            let paths = rule::paths(&map).into_iter().map(str::to_owned).collect();
            (rule::scope(&map), paths)
        }
    }
}

/// Returns whether an import of this name is followed, by its extension.
fn follows(extensions: &[&str], path: &Utf8Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    match name.rfind('.') {
        None | Some(0) => true,
        Some(dot) => extensions.contains(&name[dot + 1..].to_ascii_lowercase().as_str()),
    }
}
