//! The lock of the Node engine, honoured and taken where it is in use.
//!
//! It is a file with the number of its process in it. Whoever finds one older than half an hour takes
//! it over; we don't while its process lives.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::journal::Process;
use crate::disk::{Attributes, Disk as _, Folder, Kind, RealDisk, replace};

/// How long a lock of the Node engine counts, in milliseconds.
///
/// Source: the Node engine 1.1.0.
const STALE_MS: i64 = 30 * 60 * 1000;

/// Bytes of a lock that are read.
const MOST_BYTES: u64 = 64 << 10;

/// A lock of the Node engine that this process holds. It goes with the value.
#[derive(Debug)]
pub struct NodeLock {
    at: Folder,
    name: String,
    text: Vec<u8>,
}

/// Why it was not taken.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum NodeLockError {
    /// The Node engine is at work.
    #[error("the Node engine is writing here (`{path}`)")]
    Busy { path: Utf8PathBuf },
    /// What stands there is no lock of the Node engine's.
    #[error("`{path}` is no lock of the Node engine, and stands where one would")]
    NotOne { path: Utf8PathBuf },
    /// The disk refused.
    #[error("could not take `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: io::Error },
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    pid: Option<i32>,
}

impl NodeLock {
    /// Takes the lock that is the file at `path`, if its folder exists and no link leads there.
    ///
    /// # Errors
    /// When the Node engine holds it, or the disk refuses.
    pub fn take(
        path: &Utf8Path,
        process: &Process,
        now_ms: i64,
        token: u64,
    ) -> Result<Option<Self>, NodeLockError> {
        let disk = RealDisk;
        let failed = |source| NodeLockError::Io { path: path.to_owned(), source };
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
        // A repository may ship a link there; the Node engine's own folder is none.
        let Ok(at) = disk.open(folder) else { return Ok(None) };
        let token = format!("coalwash-{token:016x}");
        let text = serde_json::json!({
            "sessionId": "coalwash", "pid": process.pid, "at": now_ms, "token": token,
        });
        let text = text.to_string().into_bytes();
        match disk.create(&at, name, &text, &Attributes::private()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let old = held(disk, &at, path, now_ms)?;
                replace(path, Some(&old), &text)
                    .map_err(|error| failed(io::Error::other(error)))?;
            }
            Err(error) => return Err(failed(error)),
        }
        Ok(Some(Self { at, name: name.to_owned(), text }))
    }
}

/// Returns a lock that counts no more, or says who holds it.
fn held(
    disk: RealDisk,
    at: &Folder,
    path: &Utf8Path,
    now_ms: i64,
) -> Result<Vec<u8>, NodeLockError> {
    let owned = || path.to_owned();
    let name = path.file_name().unwrap_or_default();
    let failed = |source| NodeLockError::Io { path: owned(), source };
    let stat = disk.stat(at, name).map_err(failed)?;
    let Some(stat) = stat.filter(|stat| stat.kind == Kind::File && stat.links == 1) else {
        return Err(NodeLockError::NotOne { path: owned() });
    };
    let text = disk.read(at, name, MOST_BYTES).map_err(failed)?;
    let pid = serde_json::from_slice::<Written>(&text).ok().and_then(|it| it.pid);
    let lives = pid.and_then(rustix::process::Pid::from_raw).is_some_and(|pid| {
        // Of another user it may not be signalled, and lives all the same.
        !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
    });
    let age_ms = now_ms.saturating_sub(stat.modified_ns / 1_000_000);
    match lives || age_ms <= STALE_MS {
        true => Err(NodeLockError::Busy { path: owned() }),
        false => Ok(text),
    }
}

impl Drop for NodeLock {
    fn drop(&mut self) {
        let disk = RealDisk;
        // Only our own; whoever took it over keeps it.
        if disk.read(&self.at, &self.name, MOST_BYTES).is_ok_and(|text| text == self.text) {
            drop(disk.remove(&self.at, &self.name));
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay files out")]
mod tests {
    use super::*;

    #[test]
    fn a_lock_of_the_node_engine_is_honoured_while_it_counts() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        let path = folder.join("coalwash/.coalwash.lock");
        let process = Process { pid: std::process::id(), ..Process::default() };
        let now = || {
            let modified = std::fs::metadata(&path).ok()?.modified().ok()?;
            let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_millis()).ok()
        };
        let take = |ms: i64| NodeLock::take(&path, &process, ms, 7);
        assert!(take(0).unwrap().is_none(), "there is no folder of the Node engine's");
        std::fs::create_dir(folder.join("coalwash")).unwrap();
        let held = take(0).unwrap().unwrap();
        assert!(path.exists());
        assert!(matches!(take(i64::MAX / 2), Err(NodeLockError::Busy { .. })), "we live");
        drop(held);
        assert!(!path.exists());
        std::fs::write(&path, r#"{"sessionId":"s","pid":999999999,"at":1,"token":"t"}"#).unwrap();
        let now = now().unwrap();
        assert!(matches!(take(now + STALE_MS), Err(NodeLockError::Busy { .. })));
        let taken = take(now + STALE_MS + 1).unwrap().unwrap();
        std::fs::write(&path, "someone else's").unwrap();
        drop(taken);
        assert!(path.exists(), "a lock that was taken over stays");
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
        assert!(matches!(take(now), Err(NodeLockError::NotOne { .. })));
        std::fs::remove_dir_all(folder.join("coalwash")).unwrap();
        std::fs::create_dir(folder.join("real")).unwrap();
        std::os::unix::fs::symlink("real", folder.join("coalwash")).unwrap();
        assert!(take(now).unwrap().is_none(), "no link is followed");
        assert!(folder.join("real").read_dir_utf8().unwrap().next().is_none());
    }
}
