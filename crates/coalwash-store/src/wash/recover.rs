//! Taking back what an interrupted run left.

use std::io;

use camino::Utf8PathBuf;

use super::apply::{ApplyError, Engine};
use super::journal::{Begin, End};
use super::lock::Locked;
use super::run::RunError;
use super::step::folder_of;
use crate::disk::Disk;

/// What was done about an interrupted run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The run.
    pub begin: Begin,
    /// Whether all of it was on the disk already, so that it stays.
    pub was_done: bool,
    /// Files that something else has changed since; they are as they were found, and a copy is kept
    /// in the folder of the run.
    pub handed_over: Vec<Utf8PathBuf>,
}

impl<D: Disk> Engine<D> {
    /// Returns whether there is a run that has not ended, here or anywhere.
    ///
    /// # Errors
    /// When the folder of the runs can't be listed.
    pub fn has_open(&self) -> io::Result<bool> {
        Ok(self.runs().list()?.into_iter().any(|(_, is_open)| is_open))
    }

    /// Returns the interrupted run that touches a folder whose lock is held.
    ///
    /// # Errors
    /// When the runs can't be read.
    pub fn interrupted(&self, locked: &Locked) -> Result<Option<Begin>, ApplyError> {
        Ok(self.torn(locked)?.map(|(_, record)| record.begin))
    }

    /// Ends every interrupted run that touches a folder whose lock is held: one that was decided
    /// stays done, any other is taken back.
    ///
    /// # Errors
    /// When the disk refuses. It can be called again, as often as it takes.
    pub fn recover(&self, locked: &Locked) -> Result<Vec<Recovered>, ApplyError> {
        let mut out = Vec::new();
        while let Some((number, record)) = self.torn(locked)? {
            let run = self
                .runs()
                .run(number, true)
                .map_err(|source| RunError::Io { run: number, source })?;
            let stuck = |source| ApplyError::Stuck { run: number, source };
            let begin = record.begin;
            let (was_done, steps) = match record.end {
                Some(end) => {
                    run.close().map_err(stuck)?;
                    match end {
                        End::Committed(_) => (true, Vec::new()),
                        End::TakenBack { handed_over, .. } => (false, handed_over),
                    }
                }
                None => {
                    let folder = |step: usize| folder_of(&self.disk, &begin.steps[step].path);
                    let why = "it was interrupted";
                    (false, run.take_back(&begin, why, &folder).map_err(stuck)?)
                }
            };
            let handed_over = steps
                .into_iter()
                .filter_map(|step| begin.steps.get(step))
                .map(|it| it.path.clone());
            out.push(Recovered { was_done, handed_over: handed_over.collect(), begin });
        }
        Ok(out)
    }
}
