//! OpenCode.
//!
//! One file of the user; the files of one name on the way from the session's folder up to the root;
//! what the globs of `instructions` name. Sent as they are. Measured on the real client, headless,
//! against a loopback stand-in for the model; see ARCHITECTURE.md, "OpenCode".

mod config;
mod glob;
mod part;
mod skills;
mod substitute;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::files::{Collect, Host, Looked, is_no_way, lossy};
use crate::load::Opening;
use crate::load::map::{Kind, LoadMap, SkipReason, Tier};
use crate::load::measure;
use crate::load::scene::Scene;
use crate::load::tree::{Node, Tree, Unreadable, resolved};
use crate::text::Estimator;

use config::Config;
use glob::Hidden;

/// The version whose rules these are.
pub const HOST: Host = Host { id: "opencode", name: "OpenCode", version: "1.18.33" };

/// Tokens of a window, where the model isn't known: the host works with models of any maker.
pub const WINDOW_TOKENS: u64 = 200_000;

/// Names of the project's files; the first that is anywhere on the way is taken for all of it.
const NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

/// What the environment says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// `OPENCODE_CONFIG_DIR`.
    pub config_dir: Option<String>,
    /// `OPENCODE_CONFIG`.
    pub config_file: Option<String>,
    /// `OPENCODE_CONFIG_CONTENT`.
    pub config_content: Option<String>,
    /// `OPENCODE_DISABLE_CLAUDE_CODE` or `…_PROMPT`.
    pub no_claude_files: bool,
    /// `OPENCODE_DISABLE_CLAUDE_CODE` or `…_SKILLS`.
    pub no_claude_skills: bool,
    /// `OPENCODE_DISABLE_EXTERNAL_SKILLS`.
    pub no_external_skills: bool,
    /// `OPENCODE_DISABLE_PROJECT_CONFIG`.
    pub no_project: bool,
    /// The variables, which `{env:NAME}` in settings stands for.
    pub variables: BTreeMap<String, String>,
}

/// Works out what a session in the scene's folder loads.
///
/// `scene.config` is `$XDG_CONFIG_HOME/opencode`, `scene.managed` the system's folder.
pub fn load_map(
    scene: &Scene,
    switches: &Switches,
    tree: &dyn Tree,
    estimator: &dyn Estimator,
) -> LoadMap {
    let mut walk = Walk::new(scene, switches, tree);
    walk.start();
    skills::add(&mut walk.out, &walk.config, switches);
    skills::agents(&mut walk.out, &walk.config);
    for folder in &scene.nested {
        walk.nested(folder, None);
    }
    walk.out.done(estimator)
}

/// Works out what files add that one session opens one after another.
pub fn openings(
    scene: &Scene,
    switches: &Switches,
    tree: &dyn Tree,
    estimator: &dyn Estimator,
    files: &[Utf8PathBuf],
) -> Vec<Opening> {
    let mut walk = Walk::new(scene, switches, tree);
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
    config: Config,
    switches: &'a Switches,
    /// Paths that were listed.
    seen: FxHashSet<Utf8PathBuf>,
}

impl<'a> Walk<'a> {
    fn new(scene: &'a Scene, switches: &'a Switches, tree: &'a dyn Tree) -> Self {
        let out = Collect::new(HOST, scene, tree);
        let config = config::read(scene, switches, tree);
        Self { out, config, switches, seen: FxHashSet::default() }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let no_claude = self.switches.no_claude_files;
        NAMES.into_iter().filter(move |name| !(no_claude && *name == "CLAUDE.md"))
    }

    fn exists(&self, path: &Utf8Path) -> bool {
        self.out.tree.real(path).is_ok()
    }

    fn start(&mut self) {
        for why in self.config.refuses.clone() {
            self.out.not_measured.push(format!("anything: OpenCode does not start, since {why}"));
        }
        self.out.not_measured.extend(self.config.not_measured.clone());
        self.global();
        if !self.switches.no_project {
            self.project();
        }
        self.instructions();
        let cwd = self.out.scene.cwd.clone();
        self.out.wrong_case(&cwd, &NAMES);
    }

    /// The user's file: the first that exists, whatever is in it.
    fn global(&mut self) {
        let scene = self.out.scene;
        let folder = self.config.own_folder.clone();
        let mut candidates = vec![folder.join("AGENTS.md")];
        if !self.switches.no_claude_files {
            candidates.push(scene.home.join(".claude/CLAUDE.md"));
        }
        for path in &candidates {
            self.out.no_file(path);
        }
        if let Some(path) = candidates.into_iter().find(|path| self.exists(path)) {
            self.file(&path, "your instructions for all projects", Tier::Always);
        }
    }

    /// The files of one name from the session's folder up.
    fn project(&mut self) {
        let folders = self.config.folders.clone();
        let names: Vec<&str> = self.names().collect();
        for path in folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))) {
            self.out.no_file(&path);
        }
        // At a link that is no way the host's search for a name ends, and finds nothing at all.
        let on_the_way = |name: &&&str| {
            let paths = || folders.iter().map(|folder| folder.join(name));
            paths().any(|path| self.exists(&path))
                && !paths().any(|path| is_no_way(self.out.tree, &path))
        };
        let Some(name) = names.iter().find(on_the_way).copied() else { return };
        for folder in &folders {
            let path = folder.join(name);
            let reason = match *folder == self.out.scene.cwd {
                true => "instructions of this folder",
                false => "instructions of a folder above",
            };
            self.file(&path, reason, Tier::Always);
            for other in names.iter().skip_while(|own| **own != name).skip(1) {
                let path = folder.join(other);
                if self.out.is_file(&path) {
                    let fix = format!("move it to `{name}`; one name is read on the whole way");
                    self.out.skip(&path, SkipReason::Shadowed, &fix);
                }
            }
        }
    }

    /// The files that the settings name.
    fn instructions(&mut self) {
        let scene = self.out.scene;
        for text in self.config.instructions.clone() {
            if text.starts_with("http://") || text.starts_with("https://") {
                self.out.not_measured.push(format!("`{text}`, which the host fetches"));
                continue;
            }
            let text = match text.strip_prefix("~/") {
                Some(rest) => scene.home.join(rest).into_string(),
                None => text,
            };
            let (bases, pattern, hidden) = match text.rsplit_once('/') {
                // Only the last part of an absolute one is a glob, and no wild card stands for what
                // is hidden.
                Some((folder, last)) if text.starts_with('/') => {
                    (vec![resolved(Utf8Path::new("/"), folder)], last, Hidden::Named)
                }
                _ if self.switches.no_project => {
                    (vec![self.config.own_folder.clone()], text.as_str(), Hidden::Matched)
                }
                _ => (self.config.folders.clone(), text.as_str(), Hidden::Matched),
            };
            for base in bases {
                for path in glob::files(self.out.tree, &base, pattern, hidden) {
                    self.file(&path, "named by `instructions` in your settings", Tier::Always);
                }
            }
        }
    }

    /// Lists a file by its path, once.
    fn file(&mut self, path: &Utf8Path, reason: &'static str, tier: Tier) {
        if self.seen.contains(path) {
            return;
        }
        match self.out.look(path) {
            Looked::File(real, bytes) => {
                self.seen.insert(path.to_owned());
                let text = lossy(&bytes);
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
                if text.is_empty() {
                    return self.out.skip(path, SkipReason::Empty, "delete it, or write something");
                }
                let kind = Kind::Instructions;
                let entry = self.out.entry(path, &real, kind, tier, reason, text);
                self.out.entries.push(entry);
            }
            Looked::NoFile | Looked::Failed(Unreadable::Loop) => self.out.no_file(path),
            Looked::Failed(why) => self.out.failed(path, &why),
        }
    }

    /// The file of one folder below, which a session gets once it reads one there.
    fn nested(&mut self, folder: &Utf8Path, read: Option<&Utf8Path>) {
        let path = self.names().map(|name| folder.join(name)).find(|path| self.exists(path));
        let Some(path) = path.filter(|path| read != Some(path) && !self.seen.contains(path)) else {
            return;
        };
        let before = self.out.entries.len();
        self.file(&path, "", Tier::OnPath);
        let relative = folder.strip_prefix(&self.out.scene.cwd).unwrap_or(folder).to_owned();
        for entry in &mut self.out.entries[before..] {
            entry.reason = format!("once a file in `{relative}` is read").into();
        }
    }

    /// Loads what reading a file adds: of its folder first, then of those above, up to the session's.
    fn touch(&mut self, file: &Utf8Path) {
        if !self.out.tree.real(file).is_ok_and(|real| real.node == Node::File)
            || is_binary(file, &self.out.tree.read_start(file, SAMPLE_BYTES).unwrap_or_default())
        {
            return;
        }
        let cwd = self.out.scene.cwd.clone();
        // The host goes by the text of the path: `/w/s2` counts as below `/w/s`.
        let below = |at: &&Utf8Path| at.as_str().starts_with(cwd.as_str()) && **at != *cwd;
        for folder in file.ancestors().skip(1).take_while(below) {
            self.nested(folder, Some(file));
        }
    }
}

/// Bytes by which the host tells a binary file.
///
/// Source: the client's program.
const SAMPLE_BYTES: usize = 4096;

/// Endings of names by which the host knows a binary file.
///
/// Source: the client's program.
const BINARY: [&str; 28] = [
    "zip", "tar", "gz", "exe", "dll", "so", "class", "jar", "war", "7z", "doc", "docx", "xls",
    "xlsx", "ppt", "pptx", "odt", "ods", "odp", "bin", "dat", "obj", "o", "a", "lib", "wasm",
    "pyc", "pyo",
];

/// Returns whether the host refuses to read a file as binary.
fn is_binary(path: &Utf8Path, start: &[u8]) -> bool {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    let control = start.iter().filter(|b| **b < 9 || (14..32).contains(*b)).count();
    // Three of ten.
    BINARY.contains(&ending.as_str()) || start.contains(&0) || control * 10 > start.len() * 3
}
