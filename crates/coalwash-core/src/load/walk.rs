//! Follows a host's table through a file system: what is loaded at the start, and by a touch.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::hosts::claude_code::markdown::{self, Reading};
use super::hosts::claude_code::memory;
use super::hosts::claude_code::settings::InstructionFiles;
use super::hosts::{Class, Place, Profile, Shape, Surface};
use super::map::{Entry, Kind, Origin, Owner, SkipReason, Skipped, Tier};
use super::pattern::{PathScope, Patterns};
use super::scene::Scene;
use super::tree::{Child, Node, Real, Tree, Unreadable, resolved};
use super::{never, rule};
use crate::text::lines::js_trim;
use crate::text::{Tokens, front_matter};

/// Folders of one rule tree that are entered; real ones have a handful.
const MOST_RULE_FOLDERS: usize = 20_000;

/// What one walk found.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) profile: &'a Profile,
    pub(super) scene: &'a Scene,
    pub(super) tree: &'a dyn Tree,
    pub(super) entries: Vec<Entry>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) not_measured: Vec<String>,
    /// Rules that wait for a file, in the order in which a touch asks them.
    pub(super) waiting: Vec<Waiting>,
    /// Physical paths that were loaded.
    seen: FxHashSet<Utf8PathBuf>,
    /// Whether the host's fallback names are in use.
    fallback: bool,
}

impl std::fmt::Debug for dyn Tree + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tree")
    }
}

/// A rule that waits for a file.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) entry: Entry,
    /// Folder that its patterns are relative to.
    base: Utf8PathBuf,
    class: Class,
}

impl Waiting {
    /// Returns whether touching `file` loads the rule.
    fn waits_for(&self, file: &Utf8Path) -> bool {
        file.strip_prefix(&self.base).is_ok_and(|relative| {
            !relative.as_str().is_empty()
                && Patterns::new(self.entry.patterns.iter().map(String::as_str))
                    .matches(relative.as_str())
        })
    }
}

/// One file to load.
struct Ask<'s> {
    path: &'s Utf8Path,
    class: Class,
    kind: Kind,
    tier: Tier,
    reason: &'s str,
    from: Option<Origin>,
    /// Hops from the file that the host looked for by name.
    hops: usize,
    /// For rules: the folder that patterns are relative to.
    base: Option<&'s Utf8Path>,
}

impl<'a> Walk<'a> {
    /// Makes a walk that has found nothing yet.
    pub(super) fn new(profile: &'a Profile, scene: &'a Scene, tree: &'a dyn Tree) -> Self {
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
        }
    }

    /// Loads what every session loads.
    pub(super) fn start(&mut self) {
        self.fallback = self.uses_fallback();
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
        never::find(self);
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
            }),
            Shape::Rules => {
                // Patterns of personal and managed rules are relative to the working folder.
                let base = if surface.place == Place::Folder { folder } else { &self.scene.cwd };
                let mut entered = FxHashSet::default();
                let base = base.to_owned();
                self.rules(&path, surface.class, &base, tier, reason, &mut entered);
            }
        }
    }

    fn start_reason(&self, surface: &Surface, folder: &Utf8Path) -> &'static str {
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

    /// Loads the rules of a folder, in the order in which the system lists them.
    fn rules(
        &mut self,
        folder: &Utf8Path,
        class: Class,
        base: &Utf8Path,
        tier: Tier,
        reason: &str,
        entered: &mut FxHashSet<Utf8PathBuf>,
    ) {
        let real = match self.tree.real(folder) {
            Ok(real) if real.node == Node::Folder => real.path,
            Ok(_) | Err(Unreadable::Missing) => return,
            Err(why) => return self.unreadable(folder, &why, None),
        };
        if entered.len() >= MOST_RULE_FOLDERS || !entered.insert(real.clone()) {
            return;
        }
        let children = match self.tree.list(folder) {
            Ok(children) => children,
            Err(why) => return self.unreadable(folder, &why, None),
        };
        for Child { name, shown, node } in children {
            let Some(name) = name else {
                let path = folder.join(&shown);
                let fix = "rename it: the host cannot open it either";
                self.skip_file(&path, SkipReason::NameNotUtf8, fix);
                continue;
            };
            let path = folder.join(&name);
            let node = if node == Node::Link {
                match self.tree.real(&path) {
                    Ok(real) => real.node,
                    Err(why) => {
                        self.unreadable(&path, &why, None);
                        continue;
                    }
                }
            } else {
                node
            };
            let is_rule = name.ends_with(self.profile.rules.extension);
            match node {
                Node::Folder => self.rules(&path, class, base, tier, reason, entered),
                Node::File if is_rule => self.rule(&path, class, base, tier, reason),
                Node::File if never::looks_like_a_rule(&name) => {
                    let fix = format!("rename it to end in `{}`", self.profile.rules.extension);
                    self.skip_file(&path, SkipReason::RuleExtension, &fix);
                }
                Node::Special if is_rule => {
                    self.unreadable(&path, &Unreadable::Special, None);
                }
                _ => {}
            }
        }
    }

    fn rule(&mut self, path: &Utf8Path, class: Class, base: &Utf8Path, tier: Tier, reason: &str) {
        if self.excluded(path, class, self.profile.excludes_by_link) {
            return;
        }
        let real = match self.tree.real(path) {
            Ok(real) => real,
            Err(why) => return self.unreadable(path, &why, None),
        };
        let linked_out = real.path != path
            && !matches!(class, Class::User | Class::Managed)
            && !self.inside(&real.path);
        if linked_out && !self.profile.rules.links_outside {
            let may = self.scene.outside_approved && tier == Tier::Always;
            if !may || self.waits(&real.path) {
                let fix = "approve outside files when the host asks, or copy the file";
                return self.skip_file(path, SkipReason::RuleOutside, fix);
            }
        }
        let real = real.path;
        self.file(&Ask {
            path: &real,
            class,
            kind: Kind::Rule,
            tier,
            reason,
            from: None,
            hops: 0,
            base: Some(base),
        });
    }

    /// Returns whether the rule at `path` waits for a file.
    fn waits(&self, path: &Utf8Path) -> bool {
        self.tree.read(path).is_ok_and(|bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            scope_of(&text, self.profile.dialect) != PathScope::Everywhere
        })
    }

    /// Loads one file and what it imports.
    fn file(&mut self, ask: &Ask<'_>) {
        if self.excluded(ask.path, ask.class, false) {
            return;
        }
        let real = match self.tree.real(ask.path) {
            Ok(real) => real,
            Err(Unreadable::Missing) if self.tree.node(ask.path).is_err() => return,
            Err(why) => return self.unreadable(ask.path, &why, ask.from.clone()),
        };
        match real.node {
            Node::File => {}
            Node::Folder => {
                return self.unreadable(ask.path, &Unreadable::Folder, ask.from.clone());
            }
            _ => return self.unreadable(ask.path, &Unreadable::Special, ask.from.clone()),
        }
        if self.seen.contains(&real.path) {
            return;
        }
        let bytes = match self.tree.read(&real.path) {
            Ok(bytes) => bytes,
            Err(why) => return self.unreadable(ask.path, &why, ask.from.clone()),
        };
        self.text(ask, &real, bytes);
    }

    /// Takes in the text of one file and follows its imports.
    fn text(&mut self, ask: &Ask<'_>, real: &Real, bytes: Vec<u8>) {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            self.skip_file(ask.path, SkipReason::Utf16, "save it as UTF-8");
        }
        let disk_bytes = bytes.len() as u64;
        let text = decoded(bytes);
        let scope = match ask.base {
            Some(_) => scope_of(&text, self.profile.dialect),
            None => PathScope::Everywhere,
        };
        let Reading { sent, imports, suspects, .. } = markdown::read(text, self.profile.dialect);
        // What a touch loads is sent untrimmed.
        let trimmed = js_trim(&sent);
        if trimmed.is_empty() {
            self.seen.insert(real.path.clone());
            let fix = "delete it, or write something the host does not take out";
            return self.skip_file(ask.path, SkipReason::Empty, fix);
        }
        let sent = if ask.tier == Tier::Always && trimmed.len() != sent.len() {
            trimmed.to_owned()
        } else {
            sent
        };
        let entry = Entry {
            path: ask.path.to_owned(),
            kind: ask.kind,
            tier: ask.tier,
            owner: self.owner(ask.class, &real.path),
            reason: ask.reason.to_owned(),
            from: ask.from.clone(),
            disk_bytes,
            sent: Some(sent),
            patterns: Vec::new(),
            tokens: Tokens(0),
            name: None,
            cut: None,
            real: real.path.clone(),
            first_line: 1,
        };
        match scope {
            PathScope::Everywhere => {
                self.seen.insert(real.path.clone());
                self.entries.push(entry);
            }
            PathScope::Only(patterns) => self.wait(ask, entry, patterns),
            PathScope::Bomb => {
                self.not_measured.push(format!(
                    "`{}`: its `paths` come to more patterns than any host can hold",
                    ask.path
                ));
                return;
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

    fn wait(&mut self, ask: &Ask<'_>, mut entry: Entry, patterns: Vec<String>) {
        entry.tier = Tier::OnPath;
        // The words of the file, not what they come to, are what a person recognises.
        entry.reason = "once a file that its `paths` name is opened".to_owned();
        entry.patterns = patterns;
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
            Err(_) => return self.missing_import(folder, path, written, from),
        };
        if self.seen.contains(&real.path) {
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
            return skip(self, SkipReason::ImportExtension, "rename it to end in `.md`");
        }
        if !matches!(ask.class, Class::User) {
            let by_name = self.inside(&target);
            let by_link = rules.through_links || self.inside(&real.path);
            let may = self.scene.outside_approved && ask.tier == Tier::Always;
            if !(by_name && by_link || may) {
                let fix = "approve it when the host asks, or move it into the folder you start in";
                return skip(self, SkipReason::ImportOutside, fix);
            }
        }
        if ask.hops >= rules.hops {
            let fix = format!("import it from a file at most {} hops away", rules.hops - 1);
            return skip(self, SkipReason::ImportTooDeep, &fix);
        }
        let reason = "imported";
        self.file(&Ask {
            path: &target,
            class: ask.class,
            kind: Kind::Import,
            tier: ask.tier,
            reason,
            from: Some(from),
            hops: ask.hops + 1,
            base: ask.base,
        });
    }

    /// Says what is wrong with an import that leads nowhere, unless it is plainly no path.
    fn missing_import(&mut self, folder: &Utf8Path, path: &str, written: &str, from: Origin) {
        let shorter = path.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '/');
        if shorter.len() < path.len() && self.is_file(&self.target(folder, shorter)) {
            let fix = format!("write `@{shorter}`");
            return self.skip_text(written, from, SkipReason::ImportPunctuation, fix);
        }
        if never::looks_like_a_path(shorter, &self.profile.import.extensions) {
            let fix = "correct the path, or put it in backticks if no file is meant".to_owned();
            self.skip_text(written, from, SkipReason::ImportMissing, fix);
        }
    }

    fn target(&self, folder: &Utf8Path, path: &str) -> Utf8PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => resolved(&self.scene.home, rest.trim_start_matches('/')),
            None => resolved(folder, path),
        }
    }

    /// Loads the index of the host's memory, and lists the rest of it.
    fn memory(&mut self) {
        let Some(folder) = self.scene.memory.clone() else { return };
        let rules = &self.profile.memory;
        let path = folder.join(rules.index);
        match self.tree.real(&path) {
            Ok(real) if real.node == Node::File => match self.tree.read(&path) {
                Ok(bytes) => self.memory_index(&path, &real, bytes),
                Err(why) => self.unreadable(&path, &why, None),
            },
            Ok(_) => self.unreadable(&path, &Unreadable::Folder, None),
            Err(Unreadable::Missing) if self.tree.node(&path).is_err() => {}
            Err(why) => self.unreadable(&path, &why, None),
        }
        for child in self.tree.list(&folder).unwrap_or_default() {
            let Some(name) = child.name.filter(|n| n.ends_with(".md") && n != rules.index) else {
                continue;
            };
            let path = folder.join(&name);
            let Ok(real) = self.tree.real(&path) else { continue };
            if real.node != Node::File {
                continue;
            }
            self.entries.push(Entry {
                path,
                kind: Kind::Memory,
                tier: Tier::OnRead,
                owner: Owner::Personal,
                reason: "when the agent opens it".to_owned(),
                from: None,
                disk_bytes: real.bytes,
                sent: None,
                patterns: Vec::new(),
                tokens: Tokens(0),
                name: None,
                cut: None,
                real: real.path,
                first_line: 1,
            });
        }
    }

    fn memory_index(&mut self, path: &Utf8Path, real: &Real, bytes: Vec<u8>) {
        let disk_bytes = bytes.len() as u64;
        let Reading { sent, .. } = markdown::read(decoded(bytes), self.profile.dialect);
        let text = js_trim(&sent);
        if text.is_empty() {
            return self.skip_file(path, SkipReason::Empty, "nothing to do");
        }
        let sent = memory::sent(text, &self.profile.memory, self.profile.dialect);
        self.seen.insert(real.path.clone());
        self.entries.push(Entry {
            path: path.to_owned(),
            kind: Kind::Memory,
            tier: Tier::Always,
            owner: Owner::Personal,
            reason: "the host's memory of this project".to_owned(),
            from: None,
            disk_bytes,
            sent: Some(sent.text),
            patterns: Vec::new(),
            tokens: Tokens(0),
            name: None,
            cut: sent.cut,
            real: real.path.clone(),
            first_line: 1,
        });
    }

    fn managed_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let path = self.scene.managed.join("managed-settings.json");
        self.entries.push(Entry {
            real: path.clone(),
            first_line: 1,
            path,
            kind: Kind::Instructions,
            tier: Tier::Always,
            owner: Owner::Managed,
            reason: "`claudeMd` in your organisation's settings".to_owned(),
            from: None,
            disk_bytes: text.len() as u64,
            sent: Some(text.to_owned()),
            patterns: Vec::new(),
            tokens: Tokens(0),
            name: None,
            cut: None,
        });
    }

    /// Loads what touching `file` loads, and returns it in the host's order.
    ///
    /// Call after [`Walk::start`].
    pub(super) fn touch(&mut self, file: &Utf8Path) -> Vec<Entry> {
        let below = file.starts_with(&self.scene.cwd) && file != self.scene.cwd;
        let really = self.tree.real(file).is_ok_and(|r| !r.path.starts_with(&self.scene.cwd));
        if !below || really {
            return Vec::new();
        }
        if self.profile.touch_repeats {
            self.seen.clear();
        }
        if let Ok(real) = self.tree.real(file) {
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
        for folder in &folders {
            self.nested_folder(folder, true);
        }
        self.waiting = at_start;
        self.entries.split_off(first)
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

    fn wake(&mut self, waiting: &[Waiting], file: &Utf8Path) {
        for rule in waiting.iter().filter(|w| w.waits_for(file)) {
            if self.seen.insert(rule.entry.real.clone()) {
                self.entries.push(rule.entry.clone());
            }
        }
    }

    /// Loads the instructions of a folder below the working one, as a touch there does.
    ///
    /// `fallbacks` asks for the names that the host reads after all others.
    pub(super) fn nested_folder(&mut self, folder: &Utf8Path, fallbacks: bool) {
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

    /// Returns whether the host's fallback names are read at all.
    fn uses_fallback(&self) -> bool {
        if !self.profile.start.iter().any(|s| s.shape == Shape::Fallback) {
            return false;
        }
        match self.scene.settings.instruction_files {
            InstructionFiles::Both => true,
            InstructionFiles::ClaudeOnly | InstructionFiles::ManagedOnly => false,
            InstructionFiles::Either => {
                let user = self.tree.real(&self.scene.config.join("CLAUDE.md")).ok();
                let own = self
                    .profile
                    .start
                    .iter()
                    .filter(|s| s.place == Place::Folder && s.shape == Shape::File);
                let own: Vec<_> = own.collect();
                !self.scene.folders().iter().any(|folder| {
                    own.iter().any(|s| {
                        let path = folder.join(s.name);
                        let is_user = user.is_some() && self.tree.real(&path).ok() == user;
                        !is_user && self.has_text(s, folder)
                    })
                })
            }
        }
    }

    /// Returns whether a surface yields text, whatever else was loaded.
    fn has_text(&self, surface: &Surface, folder: &Utf8Path) -> bool {
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

    fn excluded(&mut self, path: &Utf8Path, class: Class, also_target: bool) -> bool {
        if class == Class::Managed || self.scene.settings.excludes.is_empty() {
            return false;
        }
        let target = also_target.then(|| self.tree.real(path).ok()).flatten();
        let hit = self.scene.settings.excludes(path)
            || target.is_some_and(|real| self.scene.settings.excludes(&real.path));
        if hit && self.tree.node(path).is_ok() {
            let fix = "take it out of `claudeMdExcludes` if it should load";
            self.skip_file(path, SkipReason::Excluded, fix);
        }
        hit
    }

    /// Returns whether a path lies below the working folder.
    fn inside(&self, path: &Utf8Path) -> bool {
        path.starts_with(&self.scene.cwd)
    }

    pub(super) fn is_file(&self, path: &Utf8Path) -> bool {
        self.tree.real(path).is_ok_and(|real| real.node == Node::File)
    }

    pub(super) fn was_loaded(&self, real: &Utf8Path) -> bool {
        self.seen.contains(real)
    }

    /// Returns whose the skill, command or agent at `real` is.
    pub(super) fn owner_of(&self, real: &Utf8Path) -> Owner {
        let personal = real.starts_with(&self.scene.config);
        self.owner(if personal { Class::User } else { Class::Project }, real)
    }

    fn owner(&self, class: Class, real: &Utf8Path) -> Owner {
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

    pub(super) fn skip_file(&mut self, path: &Utf8Path, reason: SkipReason, fix: &str) {
        self.skipped.push(Skipped {
            path: Some(path.to_owned()),
            text: None,
            from: None,
            reason,
            fix: fix.to_owned(),
        });
    }

    fn skip_text(&mut self, text: &str, from: Origin, reason: SkipReason, fix: String) {
        self.skipped.push(Skipped {
            path: None,
            text: Some(text.to_owned()),
            from: Some(from),
            reason,
            fix,
        });
    }

    /// Records that something could not be read, and why.
    pub(super) fn unreadable(&mut self, path: &Utf8Path, why: &Unreadable, from: Option<Origin>) {
        let (reason, fix) = match why {
            Unreadable::Missing => (SkipReason::LinkBroken, "repair or remove the link".to_owned()),
            Unreadable::Loop => (SkipReason::LinkLoop, "repair or remove the link".to_owned()),
            Unreadable::Denied => (SkipReason::Denied, "make it readable".to_owned()),
            Unreadable::Folder => (SkipReason::FolderForFile, "rename the folder".to_owned()),
            Unreadable::Special => {
                (SkipReason::SpecialFile, "put a regular file in its place".to_owned())
            }
            Unreadable::NotUtf8 => (SkipReason::NameNotUtf8, "rename it".to_owned()),
            Unreadable::Io(what) => (SkipReason::ReadFailed, what.clone()),
        };
        self.skipped.push(Skipped { path: Some(path.to_owned()), text: None, from, reason, fix });
    }
}

/// Decodes as the hosts do: UTF-8, what isn't becomes U+FFFD.
pub(super) fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Works out when the rule with this text is loaded.
fn scope_of(text: &str, dialect: markdown::Dialect) -> PathScope {
    let yaml = markdown::front_matter(text, dialect).map(|(yaml, _)| &text[yaml]);
    yaml.and_then(front_matter::parse).map_or(PathScope::Everywhere, |map| rule::scope(&map))
}

/// Returns whether an import of this name is followed, by its extension.
fn follows(extensions: &[&str], path: &Utf8Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    match name.rfind('.') {
        None | Some(0) => true,
        Some(dot) => extensions.contains(&name[dot + 1..].to_ascii_lowercase().as_str()),
    }
}
