//! One step of a run on the disk: doing it, and taking it back.
//!
//! A new text is written beside the old one and trades names with it, so at every moment the name
//! holds one of the two, whole. What was displaced is looked at afterwards: if it isn't what the plan
//! was made for, someone wrote in between, and gets their file back.
//!
//! Taking back goes by what stands there, never by what should: the text from before stays, the text
//! of the run is exchanged again, and anything else is someone's work. It is copied to the run's
//! folder and left where it is.

use std::io;

use camino::Utf8Path;
use coalwash_core::wash::ContentHash;

use super::contents;
use super::journal::{Found, Held, Step};
use crate::disk::{Attributes, Disk, Kind};

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    File(ContentHash),
    /// A folder, a link, a device, or a file that can't be read.
    Unknown,
}

impl Seen {
    fn of(held: Option<&Held>) -> Self {
        held.map_or(Self::Nothing, |held| Self::File(held.hash))
    }
}

/// Why a step could not be done.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Something else wrote the file since it was read.
    Foreign,
    /// The disk refused.
    Io(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A step, the folder of its file and the folder of its run.
pub(super) struct OnDisk<'a, D: Disk> {
    pub(super) disk: &'a D,
    pub(super) number: usize,
    pub(super) step: &'a Step,
    pub(super) at: &'a D::Folder,
    pub(super) run: &'a D::Folder,
}

/// What became of a step that was taken back.
#[derive(Debug, Default)]
pub(super) struct Back {
    /// Something else has changed the file; it was left as it is.
    pub(super) handed_over: bool,
    /// Bytes that were met and kept.
    pub(super) found: Vec<Found>,
}

impl<D: Disk> OnDisk<'_, D> {
    fn name(&self) -> &str {
        self.step.path.file_name().unwrap_or_default()
    }

    fn temp(&self) -> &str {
        &self.step.temp
    }

    /// The name of a text that is put back from the run's copy.
    fn spare(&self) -> String {
        format!("{}.back", self.step.temp)
    }

    /// The name that the displaced file gets in the folder of the run.
    fn displaced(&self) -> String {
        format!("displaced-{}", self.number)
    }

    pub(super) fn seen(&self, at: &D::Folder, name: &str) -> io::Result<Seen> {
        match self.disk.stat(at, name)? {
            None => Ok(Seen::Nothing),
            Some(stat) if stat.kind == Kind::File && stat.bytes <= contents::MOST_BYTES => Ok(self
                .disk
                .read(at, name, contents::MOST_BYTES + 1)
                .map_or(Seen::Unknown, |bytes| Seen::File(ContentHash::of(&bytes)))),
            Some(_) => Ok(Seen::Unknown),
        }
    }

    fn here(&self) -> io::Result<Seen> {
        self.seen(self.at, self.name())
    }

    /// Writes the new text beside the old one, on the disk for certain.
    pub(super) fn write_beside(&self, text: &[u8], attributes: &Attributes) -> io::Result<()> {
        self.disk.create(self.at, self.temp(), text, attributes)?;
        self.disk.sync(self.at, self.temp())
    }

    /// Does the step: the new text gets the name, or the old one loses it.
    pub(super) fn perform(&self) -> Result<(), Trouble> {
        let before = Seen::of(self.step.before.as_ref());
        if self.here()? != before {
            return Err(Trouble::Foreign);
        }
        let taken = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => Trouble::Foreign,
            _ => Trouble::Io(error),
        };
        let (temp, name) = (self.temp(), self.name());
        match (&self.step.before, &self.step.after) {
            (Some(_), Some(_)) => self.disk.exchange(self.at, temp, name)?,
            (None, Some(_)) => {
                self.disk.rename_new((self.at, temp), (self.at, name)).map_err(taken)?;
            }
            (Some(_), None) => self.disk.rename_new((self.at, name), (self.at, temp))?,
            (None, None) => {}
        }
        if self.seen(self.at, temp)? == before { Ok(()) } else { Err(Trouble::Foreign) }
    }

    /// Takes the displaced file out of the user's folder; it goes on existing in that of the run, so
    /// that a program that still has it open writes into something that is kept.
    ///
    /// On another file system it is removed, after a last look.
    pub(super) fn retire(&self) -> io::Result<Vec<Found>> {
        let Some(before) = &self.step.before else { return Ok(Vec::new()) };
        let kept = self.displaced();
        match self.disk.rename_new((self.at, self.temp()), (self.run, &kept)) {
            Ok(()) => Ok(Vec::new()),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                self.drop_unless_foreign(self.temp(), &[before.hash])
            }
            Err(error) => Err(error),
        }
    }

    /// Looks at the displaced file once more: what else was written into it is a find.
    pub(super) fn late_writes(&self) -> io::Result<Option<Found>> {
        let Some(before) = &self.step.before else { return Ok(None) };
        let kept = self.displaced();
        Ok(match self.seen(self.run, &kept)? {
            Seen::Nothing => None,
            Seen::File(hash) if hash == before.hash => None,
            _ => Some(Found { step: self.number, kept_as: kept }),
        })
    }

    /// Takes the step back, however much of it was done. May be interrupted and called again.
    ///
    /// # Errors
    /// When the disk refuses; then nothing of the step is lost, and it can be tried again.
    pub(super) fn take_back(&self) -> io::Result<Back> {
        let mut back = Back::default();
        let (temp, name, kept) = (self.temp(), self.name(), self.displaced());
        let before = Seen::of(self.step.before.as_ref());
        let after = Seen::of(self.step.after.as_ref());
        // The displaced file is the best copy there is: the same inode, with all it had.
        if self.seen(self.at, temp)? == Seen::Nothing
            && self.seen(self.run, &kept)? != Seen::Nothing
            && self.step.before.is_some()
        {
            self.disk.rename_new((self.run, &kept), (self.at, temp))?;
        }
        let aside = self.seen(self.at, temp)?;
        let here = self.here()?;
        if here == before {
            // Never done, or taken back already.
        } else if here == Seen::Nothing {
            // It was to go, or someone deleted it since.
            self.put_back_where_nothing_is(aside)?;
        } else if here != after || aside == after {
            // Something else; or the text of the run, but not from the run, whose own is still aside.
            back.handed_over = true;
            if here != after {
                back.found.extend(self.copy(self.at, name)?);
            }
        } else if self.step.before.is_none() {
            self.disk.rename_new((self.at, name), (self.at, temp))?;
            if self.seen(self.at, temp)? != after {
                // Written to in that moment.
                self.disk.rename_new((self.at, temp), (self.at, name))?;
                back.handed_over = true;
            }
        } else {
            self.exchange_back(aside, &mut back)?;
        }
        // The text of the run and the one from before are both in its copy; anything else is kept.
        let ours: Vec<ContentHash> =
            [&self.step.before, &self.step.after].into_iter().flatten().map(|it| it.hash).collect();
        for name in [temp.to_owned(), self.spare(), format!("{temp}.old")] {
            back.found.extend(self.drop_unless_foreign(&name, &ours)?);
        }
        self.disk.sync_folder(self.at)?;
        Ok(back)
    }

    /// The run's text stands there: the text from before, or what someone wrote just before the run
    /// did, trades names with it again.
    fn exchange_back(&self, aside: Seen, back: &mut Back) -> io::Result<()> {
        let after = Seen::of(self.step.after.as_ref());
        let other = match aside {
            Seen::Nothing | Seen::Unknown => self.write_spare()?,
            Seen::File(_) => self.temp().to_owned(),
        };
        let put_back = self.seen(self.at, &other)?;
        self.disk.exchange(self.at, &other, self.name())?;
        if self.seen(self.at, &other)? != after {
            // Written to in that moment: theirs stays.
            self.disk.exchange(self.at, &other, self.name())?;
            back.handed_over = true;
        } else if put_back != Seen::of(self.step.before.as_ref()) {
            back.handed_over = true;
        }
        Ok(())
    }

    fn put_back_where_nothing_is(&self, aside: Seen) -> io::Result<()> {
        let before = Seen::of(self.step.before.as_ref());
        if self.step.after.is_some() && aside != before || aside == Seen::Nothing {
            let spare = self.write_spare()?;
            return self.disk.rename_new((self.at, &spare), (self.at, self.name()));
        }
        self.disk.rename_new((self.at, self.temp()), (self.at, self.name()))
    }

    /// Writes the text from before beside the file, from the run's copy.
    fn write_spare(&self) -> io::Result<String> {
        let spare = self.spare();
        let Some(before) = &self.step.before else {
            return Err(io::Error::other("there was no file before"));
        };
        if self.seen(self.at, &spare)? != Seen::Nothing {
            // Of an earlier try that was interrupted.
            self.disk.remove(self.at, &spare)?;
        }
        let text = contents::read(self.disk, self.run, before.copy, before.hash)?;
        self.disk.create(self.at, &spare, &text, &before.attributes)?;
        self.disk.sync(self.at, &spare)?;
        Ok(spare)
    }

    /// Removes one of the run's own files, or keeps it where it holds anything else.
    fn drop_unless_foreign(&self, name: &str, ours: &[ContentHash]) -> io::Result<Vec<Found>> {
        match self.seen(self.at, name)? {
            Seen::Nothing => return Ok(Vec::new()),
            Seen::File(hash) if ours.contains(&hash) => {}
            _ => {
                let found = self.copy(self.at, name)?;
                self.disk.remove(self.at, name)?;
                return Ok(found.into_iter().collect());
            }
        }
        self.disk.remove(self.at, name)?;
        Ok(Vec::new())
    }

    /// Copies foreign bytes into the folder of the run. The same bytes are copied once.
    fn copy(&self, at: &D::Folder, name: &str) -> io::Result<Option<Found>> {
        let is_file = self.disk.stat(at, name)?.is_some_and(|stat| stat.kind == Kind::File);
        if !is_file {
            return Ok(None);
        }
        let bytes = self.disk.read(at, name, u64::MAX)?;
        let kept_as =
            format!("found-{}-{}", self.number, &ContentHash::of(&bytes).to_string()[..16]);
        let kept = self.disk.stat(self.run, &kept_as)?;
        if kept.is_some_and(|kept| kept.bytes != bytes.len() as u64) {
            // Of an earlier try that was interrupted.
            self.disk.remove(self.run, &kept_as)?;
        }
        if kept.is_none_or(|kept| kept.bytes != bytes.len() as u64) {
            self.disk.create(self.run, &kept_as, &bytes, &Attributes::private())?;
        }
        self.disk.sync(self.run, &kept_as)?;
        self.disk.sync_folder(self.run)?;
        Ok(Some(Found { step: self.number, kept_as }))
    }
}

/// Opens the folder of a file, following no link.
pub(super) fn folder_of<D: Disk>(disk: &D, path: &Utf8Path) -> io::Result<D::Folder> {
    disk.open(path.parent().unwrap_or(Utf8Path::new("/")))
}
