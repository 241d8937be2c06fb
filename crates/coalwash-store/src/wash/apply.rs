//! Carrying out a plan: staged, cleared, prepared, done.
//!
//! Each stage is a value that only the one before it gives: [`Staged`] has read every file,
//! [`Cleared`] has nothing in it that nobody approved, [`Prepared`] has its originals and its journal
//! on the disk. What is dropped before it is prepared has written nothing.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::wash::gate::is_pinned;
use coalwash_core::wash::{Passages, Plan, Review, review};

use super::contents::Contents;
use super::journal::{Begin, Held, Process, Record, Step, VERSION};
use super::lock::Locked;
use super::run::{Run, RunError, RunRecord, Runs};
use super::stage::{StageError, Staged, StagedAction, Text, stage};
use super::step::{OnDisk, Trouble};
use crate::disk::Disk;

/// Why a plan was not carried out.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum ApplyError {
    /// A file isn't as the plan needs it.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// Nothing was touched yet.
    #[error("could not prepare the run: {source}")]
    Prepare { source: io::Error },
    /// Something else wrote the file; all of the run was taken back.
    #[error("`{path}` was changed by something else while it was written")]
    Foreign { path: Utf8PathBuf, handed_over: Vec<Utf8PathBuf> },
    /// The disk refused; all of the run was taken back.
    #[error("could not write `{path}`: {source}")]
    Disk { path: Utf8PathBuf, source: io::Error, handed_over: Vec<Utf8PathBuf> },
    /// It could not be taken back either.
    #[error("could not take back run {run}: {source}")]
    Stuck { run: u64, source: io::Error },
    /// A run was interrupted, and its files may be half of it.
    #[error("run {run} was interrupted ({origin})")]
    Torn { run: u64, origin: String },
    /// A run can't be read.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// In which state a failure left the user's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// Nothing was written.
    Untouched,
    /// Everything is as it was.
    Restored,
    /// A run has to be taken back first.
    NeedRecovery,
}

impl ApplyError {
    /// Says in which state the user's files are.
    pub fn files(&self) -> Files {
        match self {
            Self::Foreign { .. } | Self::Disk { .. } => Files::Restored,
            Self::Stuck { .. } | Self::Torn { .. } => Files::NeedRecovery,
            Self::Stage(_) | Self::Prepare { .. } | Self::Run(_) => Files::Untouched,
        }
    }
}

/// Carries out plans, and knows the runs that did.
#[derive(Clone, Debug)]
pub struct Engine<D: Disk> {
    pub(super) disk: D,
    /// The physical folder of ours that holds the runs and the locks.
    pub(super) data: Utf8PathBuf,
}

/// What a run is, besides its plan.
#[derive(Clone, Debug, Default)]
pub struct Meta {
    /// When it begins, in milliseconds since 1970.
    pub now_ms: i64,
    /// Who runs it.
    pub process: Process,
    /// A number that no other process guesses, for the names of temporary files.
    pub token: u64,
    /// The run that it takes back.
    pub undoes: Option<u64>,
}

/// A plan with nothing in it that nobody approved.
pub struct Cleared<D: Disk> {
    staged: Staged<D>,
}

/// A run that is on the disk, with its originals; nothing of the user's is touched yet.
#[must_use = "a run that is prepared has to be committed"]
pub struct Prepared<'a, D: Disk> {
    run: Run<'a, D>,
    begin: Begin,
    files: Vec<Opened<D>>,
    _locked: &'a Locked,
}

/// The old texts of an action, each with its path, and the new one.
pub type Texts<'a> = (Vec<(&'a Utf8Path, String)>, Option<String>);

/// The folder of a step's file, held open since it was read, and the new text.
type Opened<D> = (<D as Disk>::Folder, Option<Text>);

/// A run that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Its number.
    pub run: u64,
    /// Files into which another program wrote while they were replaced; the bytes are kept in the
    /// folder of the run.
    pub late: Vec<Utf8PathBuf>,
}

impl<D: Disk> Engine<D> {
    /// Returns an engine whose data lies in the physical folder `data`.
    pub fn new(disk: D, data: Utf8PathBuf) -> Self {
        Self { disk, data }
    }

    /// Returns the folder of our data.
    pub fn data(&self) -> &Utf8Path {
        &self.data
    }

    pub(super) fn runs(&self) -> Runs<'_, D> {
        Runs { disk: &self.disk, data: &self.data }
    }

    /// Reads the files of a plan. Nothing is written, and no lock is needed.
    ///
    /// # Errors
    /// When a file lies outside `roots`, is no plain file, or isn't the one that the plan is for.
    pub fn stage(&self, plan: Plan, roots: &[Utf8PathBuf]) -> Result<Staged<D>, StageError> {
        stage(&self.disk, plan, roots)
    }

    /// Writes the originals and the journal of a run, and waits until they are on the disk.
    ///
    /// # Errors
    /// Nothing of the user's was touched.
    pub fn prepare<'a>(
        &'a self,
        locked: &'a Locked,
        cleared: Cleared<D>,
        meta: &Meta,
    ) -> Result<Prepared<'a, D>, ApplyError> {
        self.refuse_while_torn(locked)?;
        let failed = |source| ApplyError::Prepare { source };
        let run = self.runs().claim().map_err(failed)?;
        let written = write(&run, cleared.staged, locked, meta);
        match written {
            Ok((begin, files)) => Ok(Prepared { run, begin, files, _locked: locked }),
            Err(source) => {
                // It means nothing without a journal; what can't be removed now, later can.
                drop(run.discard());
                Err(failed(source))
            }
        }
    }

    /// Returns the unfinished run that touches a folder of these, unless its process holds a lock
    /// that this one doesn't.
    pub(super) fn torn(&self, locked: &Locked) -> Result<Option<(u64, RunRecord)>, ApplyError> {
        let list = self.runs().list().map_err(|source| ApplyError::Prepare { source })?;
        for (number, _) in list.into_iter().filter(|(_, is_open)| *is_open) {
            let run = match self.runs().run(number, true) {
                Ok(run) => run,
                // It ended meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(RunError::Io { run: number, source }.into()),
            };
            // Without a journal nothing was touched, or its process is about to begin elsewhere.
            let Some(record) = run.record()? else { continue };
            if record.begin.stores.iter().any(|store| locked.holds(store)) {
                return Ok(Some((number, record)));
            }
        }
        Ok(None)
    }

    fn refuse_while_torn(&self, locked: &Locked) -> Result<(), ApplyError> {
        match self.torn(locked)? {
            Some((run, record)) => Err(ApplyError::Torn { run, origin: record.begin.origin }),
            None => Ok(()),
        }
    }
}

impl<D: Disk> StagedAction<D> {
    /// Returns the texts that the action replaces, and what takes their place.
    fn texts(&self) -> Texts<'_> {
        let text = |text: &Text| String::from_utf8_lossy(&text.bytes).into_owned();
        let olds =
            self.files.iter().filter_map(|file| Some((&*file.path, text(file.before.as_ref()?))));
        let new = self.files.iter().find_map(|file| file.after.as_ref()).map(text);
        (olds.collect(), new)
    }
}

impl<D: Disk> Staged<D> {
    /// Judges every action by the gate. `keeps` says which passages of a file may not change.
    pub fn reviews(&self, keeps: &dyn Fn(&Utf8Path, &str) -> Passages) -> Vec<Review> {
        let judged = |staged: &StagedAction<D>| {
            let paths = staged.action.change.paths();
            let path = paths.first().copied().unwrap_or(Utf8Path::new(""));
            let (old_texts, new) = staged.texts();
            let olds: Vec<(&str, Passages)> =
                old_texts.iter().map(|(path, text)| (&**text, keeps(path, text))).collect();
            let going = staged.files.iter().filter(|file| file.after.is_none());
            let going: Vec<&Utf8Path> = going.map(|file| &*file.path).collect();
            let kept = |path: &Utf8Path, text: &str| {
                going.contains(&path) && !keeps(path, text).is_empty()
            };
            let kept_goes = old_texts.iter().filter(|(path, text)| kept(path, text));
            Review {
                kept_goes: kept_goes.map(|(path, _)| (*path).to_owned()).collect(),
                ..review(path, &olds, new.as_deref(), &staged.action.approvals)
            }
        };
        self.actions.iter().map(judged).collect()
    }

    /// Returns the old texts and the new one of each action, in the order of [`Self::reviews`].
    pub fn texts(&self) -> Vec<Texts<'_>> {
        self.actions.iter().map(StagedAction::texts).collect()
    }

    /// Returns whether every file is as the plan wants it.
    pub fn changes_nothing(&self) -> bool {
        self.files().all(|(_, before, after)| before == after)
    }

    /// Returns the files whose own front matter says that nobody may change them.
    pub fn pinned(&self) -> Vec<&Utf8Path> {
        let files = self.actions.iter().flat_map(|staged| &staged.files);
        let pinned = files.filter(|file| {
            let text = file.before.as_ref().map(|text| String::from_utf8_lossy(&text.bytes));
            text.is_some_and(|text| is_pinned(&text))
        });
        pinned.map(|file| &*file.path).collect()
    }

    /// Returns the files that are no UTF-8, which a rewrite would damage.
    pub fn not_text(&self) -> Vec<&Utf8Path> {
        let files = self.actions.iter().flat_map(|staged| &staged.files);
        let damaged = files.filter(|file| {
            file.after.is_some()
                && file.before.as_ref().is_some_and(|text| {
                    text.bytes.contains(&0) || std::str::from_utf8(&text.bytes).is_err()
                })
        });
        damaged.map(|file| &*file.path).collect()
    }

    /// Returns every file with what it holds and would hold, for a screen.
    pub fn files(&self) -> impl Iterator<Item = (&Utf8Path, Option<&[u8]>, Option<&[u8]>)> {
        self.actions.iter().flat_map(|staged| &staged.files).map(|file| {
            (
                &*file.path,
                file.before.as_ref().map(|text| &*text.bytes),
                file.after.as_ref().map(|text| &*text.bytes),
            )
        })
    }

    /// Clears the plan, if all of these say that nothing is left to approve and no file is pinned.
    ///
    /// # Errors
    /// The plan itself, to be shown.
    pub fn cleared(self, reviews: &[Review]) -> Result<Cleared<D>, Self> {
        let judged = self.actions.len() == reviews.len()
            && reviews.iter().all(|it| it.unapproved.is_empty() && it.kept_goes.is_empty());
        match judged && self.pinned().is_empty() && self.not_text().is_empty() {
            true => Ok(Cleared { staged: self }),
            false => Err(self),
        }
    }

    /// Clears a plan for our own configuration, which holds no facts.
    ///
    /// # Errors
    /// The plan itself, where it touches anything else.
    pub fn settings(self) -> Result<Cleared<D>, Self> {
        let is_ours = |path: &Utf8Path| {
            let ours = ["coalwash.jsonc", "config.jsonc", "coalwash.json", ".coalwash.json"];
            path.file_name().is_some_and(|name| ours.contains(&name))
        };
        let all_ours = self.files().all(|(path, _, _)| is_ours(path));
        match all_ours {
            true => Ok(Cleared { staged: self }),
            false => Err(self),
        }
    }

    /// Clears a plan that puts back what stood there before: nothing is lost by it that its own run
    /// doesn't hold.
    pub(super) fn restoring(self) -> Cleared<D> {
        Cleared { staged: self }
    }
}

impl<D: Disk> Cleared<D> {
    /// Returns the files that will change.
    pub fn paths(&self) -> impl Iterator<Item = &Utf8Path> {
        self.staged.files().map(|(path, _, _)| path)
    }

    /// Returns every file with what it holds and would hold.
    pub fn files(&self) -> impl Iterator<Item = (&Utf8Path, Option<&[u8]>, Option<&[u8]>)> {
        self.staged.files()
    }
}

/// Writes the texts and the journal of a run.
fn write<D: Disk>(
    run: &Run<'_, D>,
    staged: Staged<D>,
    locked: &Locked,
    meta: &Meta,
) -> io::Result<(Begin, Vec<Opened<D>>)> {
    let mut contents = Contents::default();
    let mut held = |text: &Text| -> io::Result<Held> {
        let (hash, copy) = contents.add(&text.bytes)?;
        Ok(Held { hash, attributes: text.attributes.clone(), copy })
    };
    let mut steps = Vec::new();
    let mut opened = Vec::new();
    let actions = staged.actions.into_iter();
    let files = actions.flat_map(|staged| {
        let reason = staged.action.reason;
        staged.files.into_iter().map(move |file| (file, reason.clone()))
    });
    // What goes, goes last.
    let (kept, removed): (Vec<_>, Vec<_>) = files.partition(|(file, _)| file.after.is_some());
    for (file, reason) in kept.into_iter().chain(removed) {
        let before = file.before.as_ref().map(&mut held).transpose()?;
        let after = file.after.as_ref().map(&mut held).transpose()?;
        let temp = format!(".coalwash-{:016x}-{}", meta.token, steps.len());
        steps.push(Step { path: file.path, temp, before, after, reason });
        opened.push((file.at, file.after));
    }
    let begin = Begin {
        version: VERSION,
        run: run.number,
        origin: staged.origin,
        at_ms: meta.now_ms,
        process: meta.process.clone(),
        stores: locked.stores().to_vec(),
        undoes: meta.undoes,
        steps,
    };
    contents.write(run.disk, &run.folder)?;
    run.begin(&begin)?;
    Ok((begin, opened))
}

impl<D: Disk> Prepared<'_, D> {
    /// Does it: all of it, or nothing.
    ///
    /// # Errors
    /// Everything is as it was, but for [`ApplyError::Stuck`], after which the run has to be
    /// recovered.
    pub fn commit(self, receipt: serde_json::Value) -> Result<Done, ApplyError> {
        let done = self.perform(receipt);
        match done {
            Ok(done) => Ok(done),
            Err((number, trouble)) => Err(self.give_up(number, trouble)),
        }
    }

    fn perform(&self, receipt: serde_json::Value) -> Result<Done, (usize, Trouble)> {
        let disk = self.run.disk;
        let run = &self.run.folder;
        let steps = self.begin.steps.iter().zip(&self.files).enumerate();
        let all: Vec<OnDisk<'_, D>> =
            steps.map(|(number, (step, (at, _)))| OnDisk { disk, number, step, at, run }).collect();
        let io = |number| move |error| (number, Trouble::Io(error));
        for (one, (_, text)) in all.iter().zip(&self.files) {
            if let Some(text) = text {
                one.write_beside(&text.bytes, &text.attributes).map_err(io(one.number))?;
            }
        }
        for one in &all {
            one.perform().map_err(|trouble| (one.number, trouble))?;
        }
        let mut found = Vec::new();
        for one in &all {
            found.extend(one.retire().map_err(io(one.number))?);
        }
        let mut synced: Vec<&Utf8Path> = Vec::new();
        for one in &all {
            let folder = one.step.path.parent().unwrap_or(Utf8Path::new("/"));
            if !synced.contains(&folder) {
                disk.sync_folder(one.at).map_err(io(one.number))?;
                synced.push(folder);
            }
        }
        for one in &all {
            found.extend(one.late_writes().map_err(io(one.number))?);
        }
        let last = all.len().saturating_sub(1);
        for it in &found {
            self.run.note(&Record::Found(it.clone())).map_err(io(last))?;
        }
        self.run.decide(&Record::Commit { receipt }).map_err(io(last))?;
        // It is decided; a folder that keeps its name is found and finished later.
        drop(self.run.close());
        let late = found.iter().map(|it| self.begin.steps[it.step].path.clone()).collect();
        Ok(Done { run: self.run.number, late })
    }

    fn give_up(self, number: usize, trouble: Trouble) -> ApplyError {
        let path = self.begin.steps.get(number).map(|step| step.path.clone()).unwrap_or_default();
        let why = match &trouble {
            Trouble::Foreign => format!("`{path}` was changed by something else"),
            Trouble::Io(error) => format!("`{path}`: {error}"),
        };
        let folders = |step: usize| Ok(self.files[step].0.clone());
        match self.run.take_back(&self.begin, &why, &folders) {
            Err(source) => ApplyError::Stuck { run: self.run.number, source },
            Ok(steps) => {
                let handed_over =
                    steps.into_iter().map(|step| self.begin.steps[step].path.clone()).collect();
                match trouble {
                    Trouble::Foreign => ApplyError::Foreign { path, handed_over },
                    Trouble::Io(source) => ApplyError::Disk { path, source, handed_over },
                }
            }
        }
    }
}
