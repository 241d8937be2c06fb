//! The disk of this machine.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Component, Utf8Path};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Timespec, Timestamps, XattrFlags, fchmod,
    fchown, fgetxattr, flistxattr, fsetxattr, fstat, fsync, futimens, linkat, mkdirat, openat,
    renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::ops::{Attributes, Disk, Kind, Stat};

/// Attributes that the system makes by itself, or that say nothing of who may do what.
const NOT_KEPT: [&str; 2] = ["security.selinux", "com.apple.provenance"];

/// Operations that change something until the process ends; no end by default.
static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Ends the process before its operation of this number that changes the disk, as a power cut would.
///
/// For tests of what a killed process leaves.
pub fn stop_before(number: usize) {
    LEFT.store(number, Ordering::Relaxed);
}

/// Counts an operation that is about to change something.
fn acting() {
    if LEFT.load(Ordering::Relaxed) != usize::MAX && LEFT.fetch_sub(1, Ordering::Relaxed) == 0 {
        std::process::abort();
    }
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

/// An open folder.
#[derive(Clone, Debug)]
pub struct Folder(Rc<OwnedFd>);

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// NONBLOCK: to open a pipe that nobody writes to would wait forever.
const FILE: OFlags =
    OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// How a folder on the way is opened: one may be passed through that can't be listed.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ON_THE_WAY: OFlags = FOLDER.union(OFlags::PATH);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ON_THE_WAY: OFlags = FOLDER;

fn opened(at: &Folder, name: &str) -> io::Result<File> {
    Ok(File::from(openat(at, name, FILE | OFlags::RDONLY, Mode::empty())?))
}

#[expect(clippy::useless_conversion, reason = "the types differ between systems")]
impl Disk for RealDisk {
    type Folder = Folder;

    fn open(&self, path: &Utf8Path) -> io::Result<Folder> {
        let names: Vec<&str> = path
            .components()
            .filter_map(|part| match part {
                Utf8Component::Normal(name) => Some(Ok(name)),
                Utf8Component::RootDir => None,
                _ => Some(Err(io::Error::from(io::ErrorKind::InvalidInput))),
            })
            .collect::<io::Result<_>>()?;
        if !path.is_absolute() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let first = if names.is_empty() { FOLDER } else { ON_THE_WAY };
        let mut folder = openat(CWD, "/", first, Mode::empty())?;
        for (at, name) in names.iter().enumerate() {
            let flags = if at + 1 == names.len() { FOLDER } else { ON_THE_WAY };
            folder = openat(&folder, *name, flags, Mode::empty())?;
        }
        Ok(Folder(Rc::new(folder)))
    }

    fn make_folder(&self, at: &Folder, name: &str) -> io::Result<()> {
        acting();
        Ok(mkdirat(at, name, Mode::RWXU)?)
    }

    fn open_in(&self, at: &Folder, name: &str) -> io::Result<Folder> {
        Ok(Folder(Rc::new(openat(at, name, FOLDER, Mode::empty())?)))
    }

    fn names(&self, at: &Folder) -> io::Result<Vec<String>> {
        let mut out = Vec::new();
        for entry in rustix::fs::Dir::read_from(at)? {
            if let Ok(name) = entry?.file_name().to_str()
                && name != "."
                && name != ".."
            {
                out.push(name.to_owned());
            }
        }
        Ok(out)
    }

    fn stat(&self, at: &Folder, name: &str) -> io::Result<Option<Stat>> {
        match statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat_of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn read(&self, at: &Folder, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let file = opened(at, name)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        let mut out = Vec::new();
        file.take(most).read_to_end(&mut out)?;
        Ok(out)
    }

    fn attributes(&self, at: &Folder, name: &str) -> io::Result<Attributes> {
        let file = opened(at, name)?;
        let stat = fstat(&file)?;
        Ok(Attributes {
            mode: Some(u32::from(stat.st_mode) & 0o7777),
            owner: Some((stat.st_uid, stat.st_gid)),
            modified_ns: Some(stat_of(&stat).modified_ns),
            extended: extended(&file)?,
        })
    }

    fn create(
        &self,
        at: &Folder,
        name: &str,
        bytes: &[u8],
        attributes: &Attributes,
    ) -> io::Result<()> {
        acting();
        // Nobody else may look into it before it has the mode it shall have.
        let first = if attributes.mode.is_some() { 0o600 } else { 0o666 };
        let flags = FILE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mut file = File::from(openat(at, name, flags, Mode::from_raw_mode(first))?);
        let done = file.write_all(bytes).and_then(|()| set(&file, attributes));
        if done.is_err() {
            // It has no meaning yet, and the first error is the one that counts.
            return unlinkat(at, name, AtFlags::empty()).map_err(io::Error::from).and(done);
        }
        done
    }

    fn append(&self, at: &Folder, name: &str, bytes: &[u8]) -> io::Result<()> {
        acting();
        let flags = FILE | OFlags::WRONLY | OFlags::APPEND;
        File::from(openat(at, name, flags, Mode::empty())?).write_all(bytes)
    }

    fn sync(&self, at: &Folder, name: &str) -> io::Result<()> {
        acting();
        opened(at, name)?.sync_data()
    }

    fn sync_folder(&self, at: &Folder) -> io::Result<()> {
        acting();
        Ok(fsync(at)?)
    }

    fn exchange(&self, at: &Folder, new: &str, old: &str) -> io::Result<()> {
        acting();
        match renameat_with(at, new, at, old, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            done => return Ok(done?),
        }
        // The old file keeps a name of its own all the time.
        let kept = format!("{new}.old");
        linkat(at, old, at, &*kept, AtFlags::empty())?;
        renameat(at, new, at, old)?;
        Ok(renameat(at, &*kept, at, new)?)
    }

    fn rename_new(&self, from: (&Folder, &str), to: (&Folder, &str)) -> io::Result<()> {
        acting();
        match renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            done => return Ok(done?),
        }
        // A link is refused where the name is taken, as the rename should be.
        linkat(from.0, from.1, to.0, to.1, AtFlags::empty())?;
        Ok(unlinkat(from.0, from.1, AtFlags::empty())?)
    }

    fn remove(&self, at: &Folder, name: &str) -> io::Result<()> {
        acting();
        Ok(unlinkat(at, name, AtFlags::empty())?)
    }

    fn remove_folder(&self, at: &Folder, name: &str) -> io::Result<()> {
        acting();
        Ok(unlinkat(at, name, AtFlags::REMOVEDIR)?)
    }
}

#[expect(clippy::useless_conversion, reason = "the types differ between systems")]
fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    Stat {
        kind,
        links: u64::from(stat.st_nlink),
        bytes: u64::try_from(stat.st_size).unwrap_or(0),
        modified_ns: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
    }
}

/// Returns one number for a time; those beyond the years 1677 to 2262 become the nearest in them.
fn nanoseconds(seconds: impl Into<i64>, more: impl TryInto<i64>) -> i64 {
    seconds.into().saturating_mul(1_000_000_000).saturating_add(more.try_into().unwrap_or(0))
}

/// Returns the extended attributes of a file; none where the file system has none.
fn extended(file: &File) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut names = vec![0; 64 << 10];
    let length = match flistxattr(file, &mut names[..]) {
        Ok(length) => length,
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut out = Vec::new();
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let Ok(text) = std::str::from_utf8(name) else {
            return Err(io::Error::other("an extended attribute has a name that isn't UTF-8"));
        };
        if NOT_KEPT.contains(&text) {
            continue;
        }
        let mut value = vec![0; 64 << 10];
        let length = fgetxattr(file, CString::new(name)?.as_c_str(), &mut value[..])?;
        value.truncate(length);
        out.push((text.to_owned(), value));
    }
    Ok(out)
}

/// Gives a new file what the old one had besides its content, or says that this is not permitted.
fn set(file: &File, attributes: &Attributes) -> io::Result<()> {
    let has = fstat(file)?;
    if let Some((owner, group)) = attributes.owner
        && (owner, group) != (has.st_uid, has.st_gid)
    {
        let owner = rustix::fs::Uid::from_raw(owner);
        let group = rustix::fs::Gid::from_raw(group);
        fchown(file, Some(owner), Some(group))?;
    }
    if let Some(mode) = attributes.mode {
        fchmod(file, Mode::from_raw_mode(mode))?;
    }
    for (name, value) in &attributes.extended {
        fsetxattr(file, &**name, value, XattrFlags::empty())?;
    }
    if let Some(modified) = attributes.modified_ns {
        let time = Timespec {
            tv_sec: modified.div_euclid(1_000_000_000),
            tv_nsec: modified.rem_euclid(1_000_000_000),
        };
        futimens(file, &Timestamps { last_access: time, last_modification: time })?;
    }
    Ok(())
}
