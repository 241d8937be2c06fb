//! Gemini CLI.
//!
//! Files of some names: the user's, those of extensions, those of every folder from the root of the
//! project down to the session, and its memory; imports are put in their place. Measured on the real
//! client, headless, against a loopback stand-in for the model; see ARCHITECTURE.md, "Gemini CLI".

mod extensions;
mod imports;
mod memory;
mod settings;
mod skills;
mod unread;

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::files::{Collect, Host, Looked, folders, lossy};
use crate::load::Opening;
use crate::load::map::{Entry, Kind, LoadMap, SkipReason, Tier};
use crate::load::measure;
use crate::load::scene::Scene;
use crate::load::tree::{Node, Real, Tree, resolved};
use crate::text::Estimator;
use crate::text::lines::js_trim;

use extensions::Extension;
use imports::Reader;
use settings::{Settings, Trust};

/// The version whose rules these are.
pub const HOST: Host = Host { id: "gemini-cli", name: "Gemini CLI", version: "0.61.0" };

/// Tokens of the window of its models.
///
/// Source: Google's documentation of the Gemini 2.5 and 3 models, read 2026-11-30.
pub const WINDOW_TOKENS: u64 = 1_048_576;

/// The folder of the host's files in a home or a project.
const DOT: &str = ".gemini";

/// One of the host's parts, in the order in which a file counts once.
struct Part {
    kind: Kind,
    reason: Cow<'static, str>,
    /// Whether the text stands in the system instruction, where line breaks are run together.
    in_system: bool,
}

/// Works out what a session in the scene's folder loads.
///
/// `scene.home` is `$GEMINI_CLI_HOME` or the home, `scene.config` its `.gemini`; `trusted` is what the
/// environment says of the folder.
pub fn load_map(
    scene: &Scene,
    trusted: Option<bool>,
    tree: &dyn Tree,
    estimator: &dyn Estimator,
) -> LoadMap {
    let mut walk = Walk::new(scene, trusted, tree);
    walk.start();
    skills::add(&mut walk.out, &walk.settings, &walk.extensions);
    skills::agents(&mut walk.out, &walk.settings, &walk.extensions);
    for folder in &scene.nested {
        walk.nested(folder);
    }
    walk.out.done(estimator)
}

/// Works out what files add that one session opens one after another.
pub fn openings(
    scene: &Scene,
    trusted: Option<bool>,
    tree: &dyn Tree,
    estimator: &dyn Estimator,
    files: &[Utf8PathBuf],
) -> Vec<Opening> {
    let mut walk = Walk::new(scene, trusted, tree);
    walk.start();
    let open = |file: &Utf8PathBuf| {
        walk.out.skipped.clear();
        walk.out.entries.clear();
        walk.touch(file);
        let mut entries = std::mem::take(&mut walk.out.entries);
        measure(&mut entries, estimator);
        Opening { entries, skipped: std::mem::take(&mut walk.out.skipped) }
    };
    files.iter().map(open).collect()
}

struct Walk<'a> {
    out: Collect<'a>,
    settings: Settings,
    extensions: Vec<Extension>,
    /// Physical paths that were loaded, and the name that each counts under.
    seen: FxHashMap<Utf8PathBuf, Utf8PathBuf>,
}

impl<'a> Walk<'a> {
    fn new(scene: &'a Scene, trusted: Option<bool>, tree: &'a dyn Tree) -> Self {
        let out = Collect::new(HOST, scene, tree);
        let settings = settings::read(scene, trusted, tree);
        let extensions = extensions::of(tree, scene);
        Self { out, settings, extensions, seen: FxHashMap::default() }
    }

    fn start(&mut self) {
        let why = self.settings.refuses.clone();
        for why in why {
            self.out.not_measured.push(format!("anything: Gemini CLI does not start, since {why}"));
        }
        self.global();
        self.extensions();
        match self.settings.trust {
            Trust::No => {
                let what = "the project's own files, since you do not trust this folder";
                self.out.not_measured.push(what.to_owned());
                self.untrusted();
            }
            Trust::Yes => self.project(),
            Trust::Unknown => {
                self.out.not_measured.push("whether you trust this folder".to_owned());
                self.project();
            }
        }
        memory::add(self);
        let folder = self.out.scene.cwd.clone();
        let names: Vec<&str> = self.settings.names.iter().map(String::as_str).collect();
        self.out.wrong_case(&folder, &names);
        for name in names {
            let path = folder.join(DOT).join(name);
            let scene = self.out.scene;
            if folder.join(DOT) != scene.config && self.out.is_file(&path) {
                let fix = format!("move it one folder up, to `{name}`");
                self.out.skip(&path, SkipReason::NeverRead, &fix);
            }
        }
    }

    fn global(&mut self) {
        let part = Part {
            kind: Kind::Instructions,
            reason: "your instructions for all projects".into(),
            in_system: true,
        };
        for name in self.settings.names.clone() {
            let path = resolved(&self.out.scene.config, &name);
            self.file(&path, &part, Tier::Always);
        }
    }

    /// The context files of extensions, sorted by path.
    fn extensions(&mut self) {
        let mut paths: Vec<Utf8PathBuf> =
            self.extensions.iter().flat_map(|extension| extension.files.clone()).collect();
        paths.sort();
        paths.dedup();
        let part =
            Part { kind: Kind::Instructions, reason: "of an extension".into(), in_system: false };
        for path in paths {
            self.file(&path, &part, Tier::Always);
        }
    }

    /// The files of the project, sorted by path; of two names of one file the outer one stays.
    fn project(&mut self) {
        let mut found: Vec<(Utf8PathBuf, Real)> = Vec::new();
        let mut own = FxHashSet::default();
        for top in self.workspaces() {
            for folder in self.folders_of(&top) {
                for name in self.settings.names.clone() {
                    let path = resolved(&folder, &name);
                    match self.out.tree.real(&path) {
                        Ok(real) if real.node == Node::File => {
                            if own.insert(real.path.clone()) && self.counts(&path, &real) {
                                found.push((path, real));
                            }
                        }
                        _ => self.out.no_file(&path),
                    }
                }
            }
        }
        let units = |path: &Utf8Path| path.as_str().encode_utf16().collect::<Vec<_>>();
        found.sort_by_key(|(path, _)| units(path));
        for (path, real) in found {
            let here = path.parent() == Some(&self.out.scene.cwd);
            let reason =
                if here { "instructions of this folder" } else { "instructions of a folder above" };
            let part = Part { kind: Kind::Instructions, reason: reason.into(), in_system: false };
            self.text(&path, &real, &part, Tier::Always);
        }
    }

    fn untrusted(&mut self) {
        for folder in self.folders_of(&self.out.scene.cwd.clone()) {
            for name in self.settings.names.clone() {
                let path = resolved(&folder, &name);
                if self.out.is_file(&path) {
                    let fix = "trust the folder when the host asks";
                    self.out.skip(&path, SkipReason::SwitchedOff, fix);
                }
            }
        }
    }

    /// The session's folder, as the host takes its name, and those that the settings add.
    fn workspaces(&self) -> Vec<Utf8PathBuf> {
        let mut out = vec![decoded(&self.out.scene.cwd)];
        out.extend(self.settings.include.iter().cloned());
        out
    }

    /// Returns the folders whose files are read for a workspace, outermost first.
    fn folders_of(&self, workspace: &Utf8Path) -> Vec<Utf8PathBuf> {
        let root = self.root(workspace).unwrap_or_else(|| workspace.to_owned());
        self.folders_between(&root, workspace)
    }

    /// Returns the folders from one down to another; going up stops before the host's own folder.
    fn folders_between(&self, root: &Utf8Path, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let own = &self.out.scene.config;
        let mut all = folders(root, folder);
        if let Some(at) = all.iter().position(|folder| folder == own) {
            all.drain(..=at);
        }
        all
    }

    /// Returns the nearest folder with a marker.
    fn root(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        let usable =
            |marker: &&String| !marker.starts_with('/') && !marker.split('/').any(|p| p == "..");
        let markers: Vec<_> = self.settings.markers.iter().filter(usable).collect();
        let has = |at: &&Utf8Path| {
            markers.iter().any(|marker| self.out.tree.real(&at.join(marker)).is_ok())
        };
        folder.ancestors().find(has).map(Utf8Path::to_owned)
    }

    /// Returns whether a file is sent under this name: under the first one it has, but then as often
    /// as it is listed. A name like `../X.md` may be the user's and the project's.
    fn counts(&mut self, path: &Utf8Path, real: &Real) -> bool {
        *self.seen.entry(real.path.clone()).or_insert_with(|| path.to_owned()) == path
    }

    /// Loads a file by name; one that waits only if it wasn't loaded before.
    fn file(&mut self, path: &Utf8Path, part: &Part, tier: Tier) {
        match self.out.tree.real(path) {
            Ok(real) if real.node == Node::File => {
                let again = tier == Tier::OnPath && self.seen.contains_key(&real.path);
                if !again && self.counts(path, &real) {
                    self.text(path, &real, part, tier);
                }
            }
            _ => self.out.no_file(path),
        }
    }

    /// Takes in the text of a file with what it imports.
    fn text(&mut self, path: &Utf8Path, real: &Real, part: &Part, tier: Tier) {
        let bytes = match self.out.look(path) {
            Looked::File(_, bytes) => bytes,
            Looked::NoFile => return,
            Looked::Failed(why) => return self.out.failed(path, &why),
        };
        let folder = path.parent().unwrap_or(path).to_owned();
        let base = self.root(&folder).unwrap_or(folder);
        let flat = self.settings.flat && tier == Tier::Always;
        let mut reader = Reader::new(self.out.tree, &base);
        let text = lossy(&bytes);
        let text = if flat { reader.flat(path, &text) } else { reader.whole(path, &text) };
        let (failed, inlined, too_large) = (reader.failed, reader.inlined, reader.too_large);
        for it in failed {
            self.out.skip_text(&it.written, it.from, it.reason, &it.fix);
        }
        if too_large {
            self.out
                .not_measured
                .push(format!("what `{path}` imports: it is too much to work out"));
        }
        let text = js_trim(&text);
        if text.is_empty() {
            return self.out.skip(path, SkipReason::Empty, "delete it, or write something");
        }
        let text = if part.in_system { joined_breaks(text) } else { text.to_owned() };
        let reason = match inlined {
            0 => part.reason.clone(),
            1 => format!("{}, with a file it imports", part.reason).into(),
            n => format!("{}, with {n} files it imports", part.reason).into(),
        };
        let entry = self.out.entry(path, real, part.kind, tier, reason, text);
        self.out.entries.push(entry);
    }

    /// The files of a folder below, which a session gets once it opens one there.
    fn nested(&mut self, folder: &Utf8Path) {
        let relative = folder.strip_prefix(&self.out.scene.cwd).unwrap_or(folder);
        let part = Part {
            kind: Kind::Instructions,
            reason: format!("once a file in `{relative}` is opened").into(),
            in_system: false,
        };
        for name in self.settings.names.clone() {
            self.file(&resolved(folder, &name), &part, Tier::OnPath);
        }
    }

    /// Loads what opening a file adds: of all folders from the root down, what wasn't loaded yet.
    fn touch(&mut self, file: &Utf8Path) {
        let Ok(real) = self.out.tree.real(file) else { return };
        let inside = |top: &Utf8PathBuf| real.path.starts_with(top);
        let Some(workspace) = self.workspaces().into_iter().find(inside) else { return };
        if self.settings.trust == Trust::No {
            return;
        }
        if let Some(fix) = unread::why(self, &workspace, file, &real) {
            return self.out.skip(file, SkipReason::Excluded, fix);
        }
        let folder = match real.node {
            Node::Folder => real.path.clone(),
            _ => real.path.parent().unwrap_or(&real.path).to_owned(),
        };
        let root = self.root(&workspace).unwrap_or(workspace);
        for at in self.folders_between(&root, &folder) {
            self.nested(&at);
        }
    }
}

/// Returns a path as the host takes it: with the marks of an address decoded, and a backslash for a
/// slash. One that can't be decoded stays.
fn decoded(path: &Utf8Path) -> Utf8PathBuf {
    let text = path.as_str().replace('\\', "/");
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [first, rest @ ..] = bytes {
        let hex = rest.get(..2).filter(|_| *first == b'%');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        let value = hex
            .filter(|hex| hex.chars().all(|c| c.is_ascii_hexdigit()))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match value {
            Some(value) => {
                out.push(value);
                bytes = &rest[2..];
            }
            // The host decodes all or nothing.
            None if *first == b'%' => return text.into(),
            None => {
                out.push(*first);
                bytes = rest;
            }
        }
    }
    String::from_utf8(out).map_or_else(|_| text.into(), Utf8PathBuf::from)
}

/// Runs of three and more line breaks become two, as everywhere in the system instruction.
fn joined_breaks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut breaks = 0;
    for c in text.chars() {
        breaks = if c == '\n' { breaks + 1 } else { 0 };
        if breaks <= 2 {
            out.push(c);
        }
    }
    out
}

/// Makes an entry of a line of a list and of the body behind it.
fn listed(
    out: &Collect<'_>,
    path: &Utf8Path,
    real: &Real,
    kind: Kind,
    name: &str,
    line: &str,
) -> Entry {
    let reason = "its name and description";
    let entry = out.entry(path, real, kind, Tier::Always, reason, joined_breaks(line));
    Entry { name: Some(name.to_owned()), ..entry }
}

#[cfg(test)]
mod tests;
