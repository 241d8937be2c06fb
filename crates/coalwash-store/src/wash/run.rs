//! Runs on the disk: one folder each, by number.
//!
//! While a run may still have to be taken back its folder is called `N.open`; once it has ended, `N`.
//! So one look at the names tells whether there is anything to recover.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::journal::{Begin, Damage, End, Found, Journal, Record};
use super::step::OnDisk;
use crate::disk::{Attributes, Disk};

/// The name of the journal in the folder of a run.
pub(super) const JOURNAL: &str = "journal";
/// What the folder of an unfinished run is called behind its number.
const OPEN: &str = ".open";

/// All runs.
pub(super) struct Runs<'a, D: Disk> {
    pub(super) disk: &'a D,
    /// The folder of ours that holds the folder `runs`.
    pub(super) data: &'a Utf8Path,
}

/// One run that is on the disk.
pub(super) struct Run<'a, D: Disk> {
    pub(super) disk: &'a D,
    runs: D::Folder,
    pub(super) folder: D::Folder,
    pub(super) number: u64,
    is_open: bool,
}

/// What a run did, from its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// What was planned.
    pub begin: Begin,
    /// How it ended; `None` where it was interrupted.
    pub end: Option<End>,
    /// Bytes of others that it met and kept.
    pub found: Vec<Found>,
    /// Whether its texts are still there, so that it can be taken back.
    pub is_kept: bool,
}

/// Why a run can't be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum RunError {
    /// No such run.
    #[error("there is no run {run}")]
    None { run: u64 },
    /// What stands there was changed by something else, or is of a newer version.
    #[error("run {run} can't be relied on: {why}")]
    Damaged { run: u64, why: String },
    /// The disk refused.
    #[error("could not read run {run}: {source}")]
    Io { run: u64, source: io::Error },
}

impl<'a, D: Disk> Runs<'a, D> {
    fn path(&self) -> Utf8PathBuf {
        self.data.join("runs")
    }

    /// Opens the folder of all runs; `None` where there is none yet.
    fn opened(&self) -> io::Result<Option<D::Folder>> {
        match self.disk.open(&self.path()) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists the runs by number, and whether each is unfinished.
    pub(super) fn list(&self) -> io::Result<Vec<(u64, bool)>> {
        let Some(folder) = self.opened()? else { return Ok(Vec::new()) };
        let mut out: Vec<(u64, bool)> = self
            .disk
            .names(&folder)?
            .iter()
            .filter_map(|name| {
                let (digits, is_open) = match name.strip_suffix(OPEN) {
                    Some(digits) => (digits, true),
                    None => (&**name, false),
                };
                let number: u64 = digits.parse().ok()?;
                // `01` is none of ours, and would be a second run 1.
                (number.to_string() == digits).then_some((number, is_open))
            })
            .collect();
        out.sort_unstable();
        Ok(out)
    }

    /// Opens a run.
    pub(super) fn run(&self, number: u64, is_open: bool) -> io::Result<Run<'a, D>> {
        let runs = self.opened()?.ok_or(io::ErrorKind::NotFound)?;
        let folder = self.disk.open_in(&runs, &name_of(number, is_open))?;
        Ok(Run { disk: self.disk, runs, folder, number, is_open })
    }

    /// Opens a run to read it.
    pub(super) fn existing(&self, run: u64, is_open: bool) -> Result<Run<'a, D>, RunError> {
        self.run(run, is_open).map_err(|source| match source.kind() {
            // Also what the system says of a link that is not followed.
            io::ErrorKind::NotADirectory => {
                RunError::Damaged { run, why: "its folder is a link, or none".to_owned() }
            }
            _ => RunError::Io { run, source },
        })
    }

    /// Makes the folder of a new run, with a number that no other has.
    pub(super) fn claim(&self) -> io::Result<Run<'a, D>> {
        let data = self.disk.open(self.data)?;
        let runs = match self.disk.open_in(&data, "runs") {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match self.disk.make_folder(&data, "runs") {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                        return Err(error);
                    }
                    _ => self.disk.sync_folder(&data)?,
                }
                self.disk.open_in(&data, "runs")?
            }
            other => other?,
        };
        let last = self.list()?.last().map_or(0, |(number, _)| *number);
        for number in last.saturating_add(1)..=u64::MAX {
            let name = name_of(number, true);
            match self.disk.make_folder(&runs, &name) {
                // Another process took it meanwhile,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            }
            // or took it and ended already.
            if self.disk.stat(&runs, &name_of(number, false))?.is_some() {
                self.disk.remove_folder(&runs, &name)?;
                continue;
            }
            let folder = self.disk.open_in(&runs, &name)?;
            return Ok(Run { disk: self.disk, runs, folder, number, is_open: true });
        }
        Err(io::Error::other("no number is left for a run"))
    }
}

fn name_of(number: u64, is_open: bool) -> String {
    format!("{number}{}", if is_open { OPEN } else { "" })
}

impl<D: Disk> Run<'_, D> {
    /// Reads the journal; `None` where the run never began.
    pub(super) fn record(&self) -> Result<Option<RunRecord>, RunError> {
        let run = self.number;
        let bytes = match self.disk.read(&self.folder, JOURNAL, u64::MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(RunError::Io { run, source }),
        };
        let read = Journal::read(&bytes);
        let Journal { begin, found, end } =
            read.map_err(|damage: Damage| RunError::Damaged { run, why: damage.to_string() })?;
        let missing = match (self.is_open, &begin, &end) {
            (false, None, _) => Some("first"),
            (false, _, None) => Some("last"),
            _ => None,
        };
        if let Some(missing) = missing {
            let why = format!("the {missing} record of its journal is missing");
            return Err(RunError::Damaged { run, why });
        }
        let stat = self.disk.stat(&self.folder, super::contents::NAME);
        let is_kept = stat.map_err(|source| RunError::Io { run, source })?.is_some();
        Ok(begin.map(|begin| RunRecord { begin, end, found, is_kept }))
    }

    /// Starts the journal; when this returns, it is on the disk.
    pub(super) fn begin(&self, begin: &Begin) -> io::Result<()> {
        let line = Record::Begin(begin.clone()).line();
        self.disk.create(&self.folder, JOURNAL, &line, &Attributes::private())?;
        self.disk.sync(&self.folder, JOURNAL)?;
        self.disk.sync_folder(&self.folder)?;
        self.disk.sync_folder(&self.runs)
    }

    /// Adds a record.
    pub(super) fn note(&self, record: &Record) -> io::Result<()> {
        self.disk.append(&self.folder, JOURNAL, &record.line())
    }

    /// Adds the record that decides how the run ended; when this returns, it is on the disk.
    pub(super) fn decide(&self, record: &Record) -> io::Result<()> {
        self.note(record)?;
        self.disk.sync(&self.folder, JOURNAL)
    }

    /// Gives the folder the name of a run that has ended.
    pub(super) fn close(&self) -> io::Result<()> {
        if !self.is_open {
            return Ok(());
        }
        let names = (name_of(self.number, true), name_of(self.number, false));
        self.disk.rename_new((&self.runs, &names.0), (&self.runs, &names.1))
    }

    /// Removes a run that never touched anything.
    pub(super) fn discard(&self) -> io::Result<()> {
        for name in self.disk.names(&self.folder)? {
            self.disk.remove(&self.folder, &name)?;
        }
        self.disk.remove_folder(&self.runs, &name_of(self.number, self.is_open))
    }

    /// Takes all steps back, the last one first, and ends the run. `folder` gives the folder of each
    /// step's file.
    ///
    /// Returns the steps that something else had changed; they are left as they are.
    ///
    /// # Errors
    /// When the disk refuses. The run stays open, and can be taken back later.
    pub(super) fn take_back(
        &self,
        begin: &Begin,
        why: &str,
        folder: &dyn Fn(usize) -> io::Result<D::Folder>,
    ) -> io::Result<Vec<usize>> {
        let mut handed_over = Vec::new();
        let mut refused = None;
        for (number, step) in begin.steps.iter().enumerate().rev() {
            let one = || -> io::Result<bool> {
                let at = folder(number)?;
                let (disk, run) = (self.disk, &self.folder);
                let back = OnDisk { disk, number, step, at: &at, run }.take_back()?;
                for found in back.found {
                    self.note(&Record::Found(found))?;
                }
                Ok(back.handed_over)
            };
            match one() {
                Ok(true) => handed_over.push(number),
                Ok(false) => {}
                // The others are still taken back; this one stays in the journal.
                Err(error) => refused = Some(error),
            }
        }
        if let Some(error) = refused {
            return Err(error);
        }
        handed_over.sort_unstable();
        let why = why.to_owned();
        self.decide(&Record::TakenBack { why, handed_over: handed_over.clone() })?;
        self.close()?;
        Ok(handed_over)
    }
}
