//! A lock among our own processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::time::Duration;

use camino::Utf8Path;

/// How long is slept between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// A lock that was asked for.
#[derive(Debug)]
pub(crate) enum Waited {
    /// It is held until the value goes, or the process does.
    Held(File),
    /// Another process held it all the time.
    Busy,
}

/// Takes the lock that is the file at `path`, and waits about `wait` for others.
///
/// The file and its folder are made where they are missing, no folder above. The file stays: to delete it
/// would give two processes two locks.
///
/// # Errors
/// When the file can't be made, or is a link.
#[expect(clippy::disallowed_methods, reason = "this is `store::disk`")]
pub(crate) fn lock_file(path: &Utf8Path, wait: Duration) -> io::Result<Waited> {
    if let Some(folder) = path.parent()
        && let Err(error) = std::fs::create_dir(folder)
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(error);
    }
    let mut open = OpenOptions::new();
    open.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        open.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = open.open(path)?;
    let tries = wait.as_millis() / PAUSE.as_millis();
    for _ in 0..=tries {
        match file.try_lock() {
            Ok(()) => return Ok(Waited::Held(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(Waited::Busy)
}
