//! Taking back a run that is done, as a run of its own.

use std::io;

use camino::Utf8PathBuf;
use coalwash_core::wash::{Action, Change, ContentHash, Target, merged, without_change};

use super::apply::{Cleared, Engine};
use super::contents;
use super::journal::{Begin, End, Held, Step};
use super::run::{Run, RunError, RunRecord};
use super::stage::{StageError, Staged, StagedAction, StagedFile, Text};
use super::step::folder_of;
use crate::disk::{Disk, Kind};

/// What of a run is taken back, and how.
#[derive(Clone, Debug, Default)]
pub struct UndoAsk {
    /// Files that are left as they are.
    pub except: Vec<Utf8PathBuf>,
    /// Keep what was changed since, where the two changes don't touch the same lines.
    pub merge: bool,
    /// Only the change around this line of the text before the run, in this file.
    pub line: Option<(Utf8PathBuf, usize)>,
}

/// Returns the origin of a run that takes back all of another one.
pub fn whole_undo(run: u64) -> String {
    format!("undo of run {run}")
}

/// Why a run was not taken back. Nothing was written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum UndoError {
    /// No such run, or one that can't be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It never changed anything, or was taken back at once.
    #[error("run {run} changed nothing")]
    NothingDone { run: u64 },
    /// Its texts were removed because they were old.
    #[error("the originals of run {run} are no longer kept")]
    NotKept { run: u64 },
    /// Its texts aren't what they were.
    #[error("the originals of run {run} can't be read: {source}")]
    Damaged { run: u64, source: io::Error },
    /// The files hold something else now.
    #[error("{} changed again after run {run}", names(paths))]
    Changed { run: u64, paths: Vec<Utf8PathBuf> },
    /// Both changes touch the same lines, or lines side by side.
    #[error("{} was changed at the same place after run {run}", names(paths))]
    Conflict { run: u64, paths: Vec<Utf8PathBuf> },
    /// The run has no such file, or changed nothing there.
    #[error("run {run} changed nothing {what}")]
    NoSuch { run: u64, what: String },
    /// A file isn't as it has to be.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The disk refused.
    #[error("could not read `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: io::Error },
}

fn names(paths: &[Utf8PathBuf]) -> String {
    let all: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    all.join(", ")
}

/// A file of a run with its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFile {
    /// Its path.
    pub path: Utf8PathBuf,
    /// What it held; `None` where there was no file.
    pub before: Option<Vec<u8>>,
    /// What it held afterwards.
    pub after: Option<Vec<u8>>,
}

impl<D: Disk> Engine<D> {
    /// Lists the runs that touched one of these physical folders, the newest first; all without any.
    ///
    /// A run that can't be read is in the second list.
    ///
    /// # Errors
    /// When the folder of the runs can't be listed.
    pub fn history(
        &self,
        stores: Option<&[Utf8PathBuf]>,
    ) -> io::Result<(Vec<RunRecord>, Vec<RunError>)> {
        let (mut out, mut damaged) = (Vec::new(), Vec::new());
        for (number, is_open) in self.runs().list()?.into_iter().rev() {
            match self.record(number, is_open) {
                Ok(Some(record)) => {
                    let touches = |wanted: &[Utf8PathBuf]| {
                        record.begin.stores.iter().any(|store| wanted.contains(store))
                    };
                    if stores.is_none_or(touches) {
                        out.push(record);
                    }
                }
                Ok(None) => {}
                Err(error) => damaged.push(error),
            }
        }
        Ok((out, damaged))
    }

    /// Returns what a run that has ended did, without its texts.
    ///
    /// # Errors
    /// When there is no such run, or its journal can't be read.
    pub fn record_of(&self, run: u64) -> Result<RunRecord, RunError> {
        Ok(self.ended(run)?.1)
    }

    fn record(&self, run: u64, is_open: bool) -> Result<Option<RunRecord>, RunError> {
        self.runs().existing(run, is_open)?.record()
    }

    /// Opens a run that has ended.
    fn ended(&self, run: u64) -> Result<(Run<'_, D>, RunRecord), RunError> {
        let list = self.runs().list().map_err(|source| RunError::Io { run, source })?;
        if !list.contains(&(run, false)) {
            return Err(RunError::None { run });
        }
        let opened = self.runs().existing(run, false)?;
        let record = opened.record()?.ok_or(RunError::None { run })?;
        Ok((opened, record))
    }

    /// Returns what a run did, with the texts of its files.
    ///
    /// # Errors
    /// When there is no such run, or its texts are no longer kept.
    pub fn run(&self, run: u64) -> Result<(RunRecord, Vec<RunFile>), UndoError> {
        let (opened, record) = self.ended(run)?;
        let mut files = Vec::new();
        for step in &record.begin.steps {
            files.push(RunFile {
                path: step.path.clone(),
                before: text(&self.disk, &opened, step.before.as_ref())?,
                after: text(&self.disk, &opened, step.after.as_ref())?,
            });
        }
        Ok((record, files))
    }

    /// Makes ready to take a run back: every file has to hold what the run left.
    ///
    /// `roots` are the physical folders that may be changed.
    ///
    /// # Errors
    /// When a file holds something else by now and `ask` doesn't say what to do then, or the run
    /// can't be taken back at all.
    pub fn undoing(
        &self,
        run: u64,
        ask: &UndoAsk,
        roots: &[Utf8PathBuf],
    ) -> Result<Cleared<D>, UndoError> {
        let (opened, record) = self.ended(run)?;
        let begin = &record.begin;
        if !matches!(record.end, Some(End::Committed(_))) {
            return Err(UndoError::NothingDone { run });
        }
        check_names(begin, run, ask)?;
        let wanted = |step: &&Step| {
            !ask.except.contains(&step.path)
                && ask.line.as_ref().is_none_or(|(path, _)| *path == step.path)
        };
        let steps: Vec<&Step> = begin.steps.iter().filter(wanted).collect();
        for step in &steps {
            if !roots.iter().any(|root| step.path.starts_with(root)) {
                return Err(StageError::Outside { path: step.path.clone() }.into());
            }
        }
        let (mut files, mut changed, mut conflicts) = (Vec::new(), Vec::new(), Vec::new());
        for step in steps {
            let back = Back { disk: &self.disk, run: &opened, step };
            match back.staged(ask)? {
                Turned::Ready(file) => files.push(file),
                Turned::AsBefore => {}
                Turned::Changed => changed.push(step.path.clone()),
                Turned::Conflict => conflicts.push(step.path.clone()),
            }
        }
        if !changed.is_empty() {
            return Err(UndoError::Changed { run, paths: changed });
        }
        if !conflicts.is_empty() {
            return Err(UndoError::Conflict { run, paths: conflicts });
        }
        if files.is_empty() {
            return Err(UndoError::NothingDone { run });
        }
        let actions =
            files.into_iter().map(|file| StagedAction { action: action(&file), files: vec![file] });
        let origin = match ask.line.is_none() && ask.except.is_empty() {
            true => whole_undo(run),
            false => format!("undo of a part of run {run}"),
        };
        Ok(Staged { origin, actions: actions.collect() }.restoring())
    }
}

/// Checks that what was named is in the run.
fn check_names(begin: &Begin, run: u64, ask: &UndoAsk) -> Result<(), UndoError> {
    let named = ask.except.iter().chain(ask.line.iter().map(|(path, _)| path));
    for path in named {
        if !begin.steps.iter().any(|step| step.path == *path) {
            return Err(UndoError::NoSuch { run, what: format!("in `{path}`") });
        }
    }
    Ok(())
}

/// Says what is done to a file, for the form of it: the files themselves are read already.
fn action<D: Disk>(file: &StagedFile<D>) -> Action {
    let target = Target { path: file.path.clone(), expected: None };
    let change = match &file.after {
        Some(_) => Change::Rewrite { file: target, content: String::new() },
        None => Change::Delete { file: target },
    };
    Action { change, reason: String::new(), approvals: Vec::new() }
}

fn text<D: Disk>(
    disk: &D,
    run: &Run<'_, D>,
    held: Option<&Held>,
) -> Result<Option<Vec<u8>>, UndoError> {
    let Some(held) = held else { return Ok(None) };
    match contents::read(disk, &run.folder, held.copy, held.hash) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(UndoError::NotKept { run: run.number })
        }
        Err(source) => Err(UndoError::Damaged { run: run.number, source }),
    }
}

/// One step that is to be taken back.
struct Back<'a, D: Disk> {
    disk: &'a D,
    run: &'a Run<'a, D>,
    step: &'a Step,
}

/// What a file is to a run that is taken back.
enum Turned<D: Disk> {
    Ready(StagedFile<D>),
    AsBefore,
    Changed,
    Conflict,
}

impl<D: Disk> Back<'_, D> {
    fn staged(&self, ask: &UndoAsk) -> Result<Turned<D>, UndoError> {
        let Step { path, before, after, .. } = self.step;
        let failed = |source| UndoError::Io { path: path.clone(), source };
        let at = folder_of(self.disk, path).map_err(failed)?;
        let name = path.file_name().unwrap_or_default();
        let now = match self.disk.stat(&at, name).map_err(failed)? {
            None => None,
            Some(stat) if stat.kind == Kind::Link => {
                return Err(StageError::Link { path: path.clone() }.into());
            }
            Some(stat) if stat.kind != Kind::File => {
                return Err(StageError::NotAFile { path: path.clone() }.into());
            }
            Some(_) => Some(Text {
                bytes: self.disk.read(&at, name, contents::MOST_BYTES + 1).map_err(failed)?,
                attributes: self.disk.attributes(&at, name).map_err(failed)?,
            }),
        };
        let is = |held: &Option<Held>| match (&now, held) {
            (None, None) => true,
            (Some(now), Some(held)) => ContentHash::of(&now.bytes) == held.hash,
            _ => false,
        };
        let bytes = text(self.disk, self.run, before.as_ref())?;
        let whole = before
            .as_ref()
            .zip(bytes)
            .map(|(held, bytes)| Text { bytes, attributes: held.attributes.clone() });
        let turned = |after| {
            let (path, before) = (path.clone(), now.clone());
            Turned::Ready(StagedFile { path, at: at.clone(), before, after })
        };
        let Some((_, line)) = &ask.line else {
            return Ok(match (is(after), is(before)) {
                (true, _) => turned(whole),
                (false, true) => Turned::AsBefore,
                (false, false) if ask.merge => match self.merged(now.as_ref(), whole.as_ref())? {
                    Some(text) => turned(Some(text)),
                    None => Turned::Conflict,
                },
                (false, false) => Turned::Changed,
            });
        };
        let (Some(now), Some(whole)) = (&now, &whole) else { return Ok(Turned::Changed) };
        let ran = text(self.disk, self.run, after.as_ref())?.unwrap_or_default();
        let Some(wanted) = without_change(&whole.bytes, &ran, *line) else {
            let run = self.run.number;
            return Err(UndoError::NoSuch { run, what: format!("at line {line} of `{path}`") });
        };
        let attributes = now.attributes.written_now();
        Ok(match merged(&ran, &now.bytes, &wanted) {
            Some(bytes) => turned(Some(Text { bytes, attributes })),
            None => Turned::Conflict,
        })
    }

    /// Keeps what was changed since the run, and takes back what the run did.
    fn merged(&self, now: Option<&Text>, whole: Option<&Text>) -> Result<Option<Text>, UndoError> {
        let (Some(now), Some(whole)) = (now, whole) else { return Ok(None) };
        let ran = text(self.disk, self.run, self.step.after.as_ref())?.unwrap_or_default();
        let bytes = merged(&ran, &now.bytes, &whole.bytes);
        let attributes = now.attributes.written_now();
        Ok(bytes.map(|bytes| Text { bytes, attributes }))
    }
}
