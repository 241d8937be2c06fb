//! What every command that changes a user's files shares: where it may write, the locks, the run.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::Config;
use coalwash_core::load::Unread;
use coalwash_core::load::tree::resolved;
use coalwash_core::wash::gate::kept;
use coalwash_core::wash::{Action, Change, Keep, Keeps, Passages, Plan, Target};
use coalwash_store::disk::{RealDisk, own_folder};
use coalwash_store::wash::node::{Moment, NodeStore, Scope, git_has, global_keeps};
use coalwash_store::wash::{
    ApplyError, Begin, Cleared, Done, Engine, Files, GitState, Holder, KeepsError, LockError,
    Locked, Meta, NodeLock, NodeLockError, Process, StageError, Staged, change_keeps, git_states,
    keeps,
};

use crate::env::{Env, process};
use crate::exit::{Exit, Failure};
use crate::look::memory_folder;
use crate::receipt::Receipt;
use crate::settings;
use crate::ui::{Names, Ui, plural};
use crate::when::When;

/// How long another process of ours is waited for.
const WAIT: Duration = Duration::from_millis(200);

/// The folders that may be changed from one place, and the engine that does it.
pub(crate) struct Writer<'e> {
    pub(crate) env: &'e Env,
    /// The project.
    pub(crate) root: Utf8PathBuf,
    /// The host's memory of it.
    pub(crate) memory: Option<Utf8PathBuf>,
    pub(crate) config: Config,
    /// The user's own keeps, by the folder that they are about.
    own_keeps: Vec<(Utf8PathBuf, Keeps)>,
    /// What was kept with the Node engine.
    node_keeps: Keeps,
    /// The physical folders whose files may be changed, each with a lock of its own.
    pub(crate) roots: Vec<Utf8PathBuf>,
    data: Utf8PathBuf,
    process: Process,
    token: u64,
}

/// The locks of a run.
pub(crate) struct Held {
    pub(crate) locked: Locked,
    _node: Vec<NodeLock>,
}

impl<'e> Writer<'e> {
    /// Finds out what may be changed from a folder. Nothing is written.
    ///
    /// # Errors
    /// When there is no folder for our own data.
    pub(crate) fn of(env: &'e Env, folder: &Utf8Path) -> Result<Self, Failure> {
        let found = settings::read(env, folder);
        let root = found.root;
        let real = |path: &Utf8Path| path.canonicalize_utf8().ok();
        // Nobody's home is a project, nor what lies above it.
        let is_home = env.home.as_deref().and_then(real).is_some_and(|it| it.starts_with(&root));
        let project = (!is_home).then(|| root.clone());
        // A repository can name any folder as its memory; ours to write is only what lies in the
        // host's own.
        let claude = env.user_folders().claude.as_deref().and_then(real);
        let is_hosts = |path: &Utf8PathBuf| claude.as_ref().is_some_and(|it| path.starts_with(it));
        let memory = memory_folder(env, folder)?.as_deref().and_then(real).filter(is_hosts);
        let own = env.own_config.as_deref().and_then(real);
        let users = user_folders(env).into_iter().filter_map(|path| real(&path));
        let roots = project.into_iter().chain(memory.clone()).chain(own).chain(users);
        let data = env.own_data.clone().ok_or_else(|| {
            Failure::usage("`HOME` names no absolute path", "set it, or `XDG_DATA_HOME`")
        })?;
        let (process, token) = process();
        let mut roots: Vec<Utf8PathBuf> = roots.collect();
        roots.dedup();
        let config = found.config;
        let (own_keeps, node_keeps) = (Vec::new(), Keeps::default());
        Ok(Self { env, root, memory, config, own_keeps, node_keeps, roots, data, process, token })
    }

    /// Reads what the user keeps, without which no text is rewritten.
    ///
    /// # Errors
    /// When that can't be read.
    pub(crate) fn with_keeps(mut self) -> Result<Self, Failure> {
        let data = self.reader().data().to_owned();
        for store in &self.roots {
            let read = keeps(&data, store).map_err(|error| keeps_not(&error))?;
            self.own_keeps.push((store.clone(), read));
        }
        self.node_keeps = self.read_node_keeps()?;
        Ok(self)
    }

    /// Reads what was kept with the Node engine, in the project and everywhere, where it says in which
    /// file which words are kept.
    fn read_node_keeps(&self) -> Result<Keeps, Failure> {
        let disk = RealDisk;
        let said = |unread: &Unread| {
            let what = format!("{}: {}", self.names().of(&unread.path), unread.why);
            Failure::refused(what, "correct it, or take it away; until then nothing is changed")
        };
        // A store that a link leads to is nobody's: what a repository ships can't say where one is.
        let store = NodeStore::open(&disk, &self.root).ok();
        let base = self.env.user_folders().claude.and_then(|it| it.canonicalize_utf8().ok());
        let global = base.map(|base| global_keeps(&disk, &base));
        let mut out = Keeps::default();
        for read in store.map(|store| store.keeps()).into_iter().chain(global) {
            // A keep that can't be read may be about any of the files.
            if let Some(unread) = read.unread.first() {
                return Err(said(unread));
            }
            for keep in read.keeps {
                let (Some(anchor), Some(file)) = (keep.anchor, keep.anchor_file) else { continue };
                out.add(Keep {
                    id: 0,
                    file: resolved(&self.root, &file),
                    anchor: Some(anchor),
                    reason: keep.target,
                    at_ms: 0,
                    pending_user: keep.pending_user,
                    more: serde_json::Map::new(),
                });
            }
        }
        Ok(out)
    }

    /// Returns the engine for reading: the folder of our data may be missing.
    pub(crate) fn reader(&self) -> Engine<RealDisk> {
        let data = self.data.canonicalize_utf8().unwrap_or_else(|_| self.data.clone());
        Engine::new(RealDisk, data)
    }

    /// Returns how paths look on a screen about this project.
    pub(crate) fn names(&self) -> Names<'_> {
        let home = self.env.home.as_deref();
        Names { root: &self.root, home, memory: self.memory.as_deref() }
    }

    /// Returns the file that someone names: one of the memory goes by its own name there.
    pub(crate) fn named(&self, path: &Utf8Path, name: &Utf8Path) -> Utf8PathBuf {
        let in_memory = self.memory.as_ref().map(|memory| memory.join(name));
        let exists = |path: &Utf8Path| path.as_std_path().symlink_metadata().is_ok();
        match in_memory.filter(|memory| !exists(path) && exists(memory)) {
            Some(memory) => memory,
            None => path.to_owned(),
        }
    }

    /// Reads the files of a plan.
    pub(crate) fn stage(&self, plan: Plan) -> Result<Staged<RealDisk>, Failure> {
        self.reader().stage(plan, &self.roots).map_err(|error| self.staged_not(&error))
    }

    /// Returns the passages of a file that the project keeps, or the user.
    pub(crate) fn kept(&self, path: &Utf8Path, text: &str) -> Passages {
        let keep = self.config.texts("keep");
        let name = path.strip_prefix(&self.root).map_or(path.as_str(), Utf8Path::as_str);
        let mut out = kept(name, text, &keep).0;
        out.extend(self.own_keeps.iter().flat_map(|(_, keeps)| keeps.passages(path, text).0));
        out.extend(self.node_keeps.passages(path, text).0);
        out
    }

    /// Returns the folder whose lock covers a file.
    pub(crate) fn store_of(&self, path: &Utf8Path) -> Result<Utf8PathBuf, Failure> {
        self.stores(&[path])
            .pop()
            .ok_or_else(|| self.staged_not(&StageError::Outside { path: path.to_owned() }))
    }

    /// Returns the user's own keeps about files that may be changed from here, with their folders.
    pub(crate) fn keeps(&self) -> Result<Vec<(Utf8PathBuf, Keep)>, Failure> {
        let all = self.own_keeps.iter().flat_map(|(store, keeps)| {
            keeps.keeps.iter().map(|keep| (store.clone(), keep.clone()))
        });
        Ok(all.collect())
    }

    /// Changes the user's own keeps about files of one folder.
    pub(crate) fn change_keeps<T>(
        &self,
        store: &Utf8Path,
        change: impl FnOnce(&mut Keeps) -> T,
    ) -> Result<T, Failure> {
        let (engine, held) = self.lock(&[store.to_owned()])?;
        change_keeps(engine.data(), store, &held.locked, change).map_err(|error| keeps_not(&error))
    }

    /// Refuses files that git has and the last commit hasn't as they are.
    pub(crate) fn refuse_uncommitted(&self, staged: &Staged<RealDisk>) -> Result<(), Failure> {
        let paths: Vec<&Utf8Path> = staged.files().map(|(path, _, _)| path).collect();
        let states = git_states(&paths).map_err(|error| {
            Failure::refused(format!("{error}"), "run again with --allow-dirty to go on without it")
        })?;
        let names = self.names();
        let dirty: Vec<String> = paths
            .into_iter()
            .zip(states)
            .filter(|(_, state)| *state == GitState::Uncommitted)
            .map(|(path, _)| names.of(path))
            .collect();
        match &dirty[..] {
            [] => Ok(()),
            [one] => Err(Failure::refused(
                format!("{one} has uncommitted changes"),
                "commit or stash them, or run again with --allow-dirty",
            )),
            many => Err(Failure::refused(
                format!("{} have uncommitted changes", many.join(", ")),
                "commit or stash them, or run again with --allow-dirty",
            )),
        }
    }

    /// Returns the folders whose locks cover these files.
    fn stores(&self, paths: &[&Utf8Path]) -> Vec<Utf8PathBuf> {
        let mut out: Vec<Utf8PathBuf> = paths
            .iter()
            .filter_map(|path| {
                let covers = self.roots.iter().filter(|root| path.starts_with(root));
                covers.max_by_key(|root| root.as_str().len()).cloned()
            })
            .collect();
        out.sort();
        out.dedup();
        out
    }

    /// Takes the locks of these folders, and the Node engine's where it is in use.
    pub(crate) fn lock(&self, stores: &[Utf8PathBuf]) -> Result<(Engine<RealDisk>, Held), Failure> {
        let data = own_folder(&self.data)
            .map_err(|error| Failure::io(format!("could not make `{}`: {error}", self.data)))?;
        let holder = Holder { process: self.process.clone(), since_ms: self.env.now_ms };
        let locked =
            Locked::take(&data, stores, &holder, WAIT).map_err(|error| self.not_locked(&error))?;
        let mut node = Vec::new();
        for path in self.node_locks() {
            let taken = NodeLock::take(&path, &self.process, self.env.now_ms, self.token);
            node.extend(taken.map_err(|error| node_not(&error))?);
        }
        Ok((Engine::new(RealDisk, data), Held { locked, _node: node }))
    }

    /// The locks of the Node engine that cover this project and the user's own files.
    fn node_locks(&self) -> Vec<Utf8PathBuf> {
        let mut out = vec![self.root.join(".claude/coalwash/.coalwash.lock")];
        if let Some(base) = self.env.user_folders().claude
            && (base.join("coal").is_dir() || base.join(".coalwash-global.lock").exists())
        {
            out.extend(base.canonicalize_utf8().map(|base| base.join(".coalwash-global.lock")));
        }
        out
    }

    /// Carries out what was cleared, under the locks, as one run.
    pub(crate) fn carry_out(
        &self,
        cleared: Cleared<RealDisk>,
        undoes: Option<u64>,
        receipt: Receipt,
        ui: &mut Ui,
    ) -> anyhow::Result<Done> {
        let paths: Vec<Utf8PathBuf> = cleared.paths().map(Utf8Path::to_owned).collect();
        let stores = self.stores(&paths.iter().map(|path| &**path).collect::<Vec<_>>());
        let (engine, held) = self.lock(&stores)?;
        self.offer_recovery(&engine, &held, ui)?;
        let now_ms = self.env.now_ms;
        let meta = Meta { now_ms, process: self.process.clone(), token: self.token, undoes };
        let prepared = engine
            .prepare(&held.locked, cleared, &meta)
            .map_err(|error| self.not_applied(&error))?;
        let receipt = serde_json::to_value(receipt)?;
        let done = prepared.commit(receipt).map_err(|error| self.not_applied(&error))?;
        // What can't be swept now is swept by a later run.
        drop(engine.sweep(&held.locked, now_ms));
        if held.locked.stores().contains(&self.root) {
            self.sweep_node_bins(&held);
        }
        Ok(done)
    }

    /// Lets the bins of the Node engine age as that would. Those that git has are left alone.
    fn sweep_node_bins(&self, held: &Held) {
        let disk = RealDisk;
        let Ok(store) = NodeStore::open(&disk, &self.root) else { return };
        let token = format!("coalwash-{:016x}", self.token);
        let moment = Moment { now_ms: self.env.now_ms, memory_bytes: None, token: &token };
        let scope = Scope { project: &self.root, tracked: &git_has };
        drop(store.sweep(&held.locked, scope, moment));
    }

    /// Writes a file of our own configuration: `old` is what it holds, or that there is none.
    pub(crate) fn write_settings(
        &self,
        origin: &str,
        path: &Utf8Path,
        old: Option<&[u8]>,
        new: &str,
        ui: &mut Ui,
    ) -> anyhow::Result<()> {
        let content = new.to_owned();
        let change = match old {
            Some(old) => Change::Rewrite { file: Target::holding(path, old), content },
            None => Change::Create { path: path.to_owned(), content },
        };
        let action = Action { change, reason: String::new(), approvals: Vec::new() };
        let staged = self.stage(Plan::new(origin, vec![action]))?;
        let receipt = Receipt::of(staged.files());
        let cleared = staged.settings().map_err(|_| {
            Failure::refused(format!("`{path}` is no configuration of ours"), "coalwash config")
        })?;
        self.carry_out(cleared, None, receipt, ui)?;
        Ok(())
    }

    /// Where a run that touches these folders was interrupted: asks whether to take it back, or says
    /// how. A look at the names is all where there is none.
    pub(crate) fn refuse_torn(&self, ui: &mut Ui) -> anyhow::Result<()> {
        if !self.reader().has_open().map_err(|error| Failure::io(error.to_string()))? {
            return Ok(());
        }
        let (engine, held) = self.lock(&self.roots)?;
        self.offer_recovery(&engine, &held, ui)
    }

    /// Where a run was interrupted: asks whether to take it back, or says how.
    fn offer_recovery(
        &self,
        engine: &Engine<RealDisk>,
        held: &Held,
        ui: &mut Ui,
    ) -> anyhow::Result<()> {
        let torn = engine.interrupted(&held.locked).map_err(|error| self.not_applied(&error))?;
        let Some(begin) = torn else { return Ok(()) };
        if !self.env.is_attended {
            return Err(self.torn(&begin).into());
        }
        let what = self.torn(&begin).what;
        if !ui.ask_yes(&format!("{what}\nIts originals are safe. Take it back?"))? {
            return Err(self.torn(&begin).into());
        }
        engine.recover(&held.locked).map_err(|error| self.not_applied(&error))?;
        Ok(())
    }

    /// The error that a run was interrupted.
    pub(crate) fn torn(&self, begin: &Begin) -> Failure {
        let when = When::new(self.env.now_ms, self.env.zone.clone()).words(begin.at_ms);
        let what = format!("a run was interrupted ({}, {when})", begin.origin);
        let files = plural(begin.steps.len(), "file", "files");
        Failure::new(Exit::RecoveryNeeded, what, Some("coalwash recover --undo".to_owned()))
            .with_files(format!("some of {files} may be written; all originals are safe"))
    }

    fn not_locked(&self, error: &LockError) -> Failure {
        match error {
            LockError::Busy { holder } => {
                let since = holder.as_ref().map_or_else(String::new, |holder| {
                    let seconds = (self.env.now_ms - holder.since_ms).max(0) / 1000;
                    format!(
                        " (pid {} on {}, since {seconds} s)",
                        holder.process.pid, holder.process.host
                    )
                });
                let what = format!("another coalwash is writing here{since}");
                Failure::new(Exit::Busy, what, Some("wait, or look: coalwash log".to_owned()))
            }
            error => Failure::io(error.to_string()),
        }
    }

    /// Returns a message with a path in it as screens show the path.
    pub(crate) fn shown(&self, message: &str, path: &Utf8Path) -> String {
        let quoted = |name: &str| format!("`{name}`");
        message.replace(&quoted(path.as_str()), &quoted(&self.names().of(path)))
    }

    /// Says why a file of a plan can't be changed.
    pub(crate) fn staged_not(&self, error: &StageError) -> Failure {
        let next = match error {
            StageError::Outside { .. } => {
                "name a file of this project, of its memory, or of your own agent folders"
            }
            StageError::Link { .. } => "name the file that it leads to",
            StageError::HardLink { .. } => {
                "make it a file of its own: copy it, and rename the copy"
            }
            StageError::NotAFile { .. } => "name a file",
            StageError::Missing { .. } => "look at the name",
            StageError::Exists { .. } => "choose another name, or change that file",
            StageError::NoFolder { .. } => "make the folder first",
            StageError::Case { .. } => "choose a name that differs in more than case",
            StageError::Changed { .. } => "read it again and make a new plan",
            StageError::TooLarge { .. } => "make it smaller by hand",
            _ => "make it readable",
        };
        Failure::refused(self.shown(&error.to_string(), error.path()), next)
    }

    /// Says why a run was not carried out, and in which state the files are.
    pub(crate) fn not_applied(&self, error: &ApplyError) -> Failure {
        let what = match error {
            ApplyError::Foreign { path, .. } | ApplyError::Disk { path, .. } => {
                self.shown(&error.to_string(), path)
            }
            error => error.to_string(),
        };
        let handed = |paths: &[Utf8PathBuf]| match paths {
            [] => "as they were; the run was taken back".to_owned(),
            paths => {
                let names = self.names();
                let all: Vec<String> = paths.iter().map(|path| names.of(path)).collect();
                format!("as they were, but for what something else wrote: {}", all.join(", "))
            }
        };
        let again = Some("run it again".to_owned());
        match error {
            ApplyError::Stage(error) => self.staged_not(error),
            ApplyError::Foreign { handed_over, .. } => {
                Failure::new(Exit::RolledBack, what, again).with_files(handed(handed_over))
            }
            ApplyError::Disk { handed_over, .. } => {
                let next = "make room, or make the folder writable, and run it again".to_owned();
                Failure::new(Exit::RolledBack, what, Some(next)).with_files(handed(handed_over))
            }
            error => match error.files() {
                Files::NeedRecovery => {
                    let next = "coalwash recover --undo".to_owned();
                    Failure::new(Exit::RecoveryNeeded, what, Some(next))
                        .with_files("some may be written; all originals are safe")
                }
                _ => Failure::io(what),
            },
        }
    }
}

/// Returns the path of a file in the physical folder that it lies in, the file itself not followed.
pub(crate) fn physical(path: &Utf8Path) -> Utf8PathBuf {
    match (path.parent().and_then(|it| it.canonicalize_utf8().ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn keeps_not(error: &KeepsError) -> Failure {
    let next = "correct it, or take it away; until then nothing is changed";
    Failure::new(Exit::Refused, error.to_string(), Some(next.to_owned()))
}

fn node_not(error: &NodeLockError) -> Failure {
    match error {
        NodeLockError::Busy { .. } => {
            Failure::new(Exit::Busy, error.to_string(), Some("wait for it".to_owned()))
        }
        NodeLockError::NotOne { .. } => Failure::refused(error.to_string(), "take it away"),
        error => Failure::io(error.to_string()),
    }
}

/// The folders of the user in which agents keep files of all projects.
fn user_folders(env: &Env) -> Vec<Utf8PathBuf> {
    let Some(home) = &env.home else { return Vec::new() };
    let named = |set: &Option<String>, name: &str| match set {
        Some(dir) => Utf8PathBuf::from(dir),
        None => home.join(name),
    };
    let config = env.others.xdg_config.clone().unwrap_or_else(|| home.join(".config"));
    let gemini = named(&env.others.gemini_home, "").join(".gemini");
    let codex = named(&env.others.codex_home, ".codex");
    let claude = env.user_folders().claude;
    claude.into_iter().chain([codex, gemini, config.join("opencode")]).collect()
}
