//! Large folders that are read on threads of their own, before the walk comes to them.
//!
//! Looking at a small file costs the kernel more than us, and one folder's files don't wait for
//! another's. What was read ahead is handed out once; whoever asks again reads the disk.

use std::sync::Mutex;
use std::thread::JoinHandle;

use camino::Utf8Path;
use coalwash_core::load::tree::{Child, Unreadable};
use rustc_hash::FxHashMap;

use super::tree::listed_sized;

/// Bytes of a folder itself from which on a thread is worth its start: some hundred names on ext4.
const LARGE_FOLDER: u64 = 16 * 1024;

/// Files of a folder that are read ahead, and bytes of one of them: what is more is read when it is
/// asked for, so that no more than 64 MiB are held.
const MOST_FILES: usize = 1_024;
const MOST_BYTES: u64 = 64 * 1024;

/// A folder's children with the sizes of its files.
pub(super) type SizedList = Result<Vec<(Child, Option<u64>)>, Unreadable>;
/// Regular files of a folder by name.
type Files = FxHashMap<String, Vec<u8>>;

/// What is being read ahead, by the text of the folder's path.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    lists: Mutex<FxHashMap<String, JoinHandle<SizedList>>>,
    folders: Mutex<FxHashMap<String, Folder>>,
}

#[derive(Debug)]
enum Folder {
    Reading(JoinHandle<Files>),
    Read(Files),
}

impl Ahead {
    /// Begins to list a folder with sizes, if it is large.
    pub(super) fn list(&self, folder: &Utf8Path) {
        if let Some(thread) = begun(folder, listed_sized)
            && let Ok(mut lists) = self.lists.lock()
        {
            lists.insert(folder.as_str().to_owned(), thread);
        }
    }

    /// Returns the list of a folder, if it was begun.
    pub(super) fn listed(&self, folder: &Utf8Path) -> Option<SizedList> {
        let thread = self.lists.lock().ok()?.remove(folder.as_str())?;
        thread.join().ok()
    }

    /// Begins to read the regular files of a folder, if it is large.
    pub(super) fn read(&self, folder: &Utf8Path) {
        if let Some(thread) = begun(folder, files)
            && let Ok(mut folders) = self.folders.lock()
        {
            folders.insert(folder.as_str().to_owned(), Folder::Reading(thread));
        }
    }

    /// Returns the size of a file that was read, and is a regular one under this very name.
    pub(super) fn bytes(&self, path: &Utf8Path) -> Option<u64> {
        self.with(path, |files, name| files.get(name).map(|bytes| bytes.len() as u64))
    }

    /// Hands out a file that was read.
    pub(super) fn take(&self, path: &Utf8Path) -> Option<Vec<u8>> {
        self.with(path, |files, name| files.remove(name))
    }

    fn with<T>(
        &self,
        path: &Utf8Path,
        look: impl FnOnce(&mut Files, &str) -> Option<T>,
    ) -> Option<T> {
        let mut folders = self.folders.lock().ok()?;
        if folders.is_empty() {
            return None;
        }
        let (folder, name) = (path.parent()?, path.file_name()?);
        let (folder, state) = folders.remove_entry(folder.as_str())?;
        let mut files = match state {
            Folder::Reading(thread) => thread.join().unwrap_or_default(),
            Folder::Read(files) => files,
        };
        let found = look(&mut files, name);
        folders.insert(folder, Folder::Read(files));
        found
    }
}

/// Starts work on a folder, if the folder is large and a thread can be had.
fn begun<T: Send + 'static>(folder: &Utf8Path, work: fn(&Utf8Path) -> T) -> Option<JoinHandle<T>> {
    if std::fs::metadata(folder).map_or(0, |meta| meta.len()) < LARGE_FOLDER {
        return None;
    }
    let folder = folder.to_owned();
    std::thread::Builder::new().spawn(move || work(&folder)).ok()
}

/// On other systems nothing is read ahead.
#[cfg(not(unix))]
fn files(_folder: &Utf8Path) -> Files {
    Files::default()
}

/// Reads the small regular files of a folder; links, and what can't be read, are left to be asked
/// for.
#[cfg(unix)]
fn files(folder: &Utf8Path) -> Files {
    use rustix::fs::{Mode, OFlags, openat};
    use std::io::Read as _;
    let mut out = Files::default();
    let Ok(listing) = std::fs::read_dir(folder) else { return out };
    let directory = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(here) = rustix::fs::open(folder.as_std_path(), directory, Mode::empty()) else {
        return out;
    };
    for entry in listing.flatten() {
        if out.len() >= MOST_FILES || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(name) = entry.file_name().into_string() else { continue };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(handle) = openat(&here, name.as_str(), flags, Mode::empty()) else { continue };
        let mut file = std::fs::File::from(handle);
        let Some(size) = file.metadata().ok().filter(|m| m.is_file()).map(|m| m.len()) else {
            continue;
        };
        let Some(size) = usize::try_from(size).ok().filter(|_| (1..=MOST_BYTES).contains(&size))
        else {
            continue;
        };
        let mut bytes = vec![0; size];
        // Shorter by now: the file is being written, so it is read again when it is asked for.
        if file.read(&mut bytes).is_ok_and(|read| read == size) {
            out.insert(name, bytes);
        }
    }
    out
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests build trees")]
mod tests {
    use camino::Utf8PathBuf;
    use coalwash_core::load::tree::Tree as _;

    use super::super::DiskTree;

    /// A folder large enough to be read ahead, with everything that is left to be asked for.
    fn large() -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        let folder = root.join("rules");
        std::fs::create_dir(&folder).unwrap();
        for number in 0..1_500 {
            let name = format!("a-rule-with-a-rather-long-name-{number:05}.md");
            std::fs::write(folder.join(name), format!("rule {number}\n")).unwrap();
        }
        std::fs::write(folder.join("empty.md"), "").unwrap();
        std::fs::write(folder.join("large.md"), "x".repeat(100_000)).unwrap();
        std::fs::create_dir(folder.join("folder.md")).unwrap();
        std::fs::write(root.join("elsewhere"), "linked").unwrap();
        std::os::unix::fs::symlink("../elsewhere", folder.join("link.md")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.join("broken.md")).unwrap();
        (temp, folder)
    }

    #[test]
    fn a_folder_that_is_read_ahead_is_answered_as_one_that_is_not() {
        let (_temp, folder) = large();
        let (plain, ahead) = (DiskTree::default(), DiskTree::default());
        ahead.will_read(&folder);
        ahead.will_list_sized(&folder);
        let sorted = |tree: &DiskTree| {
            let mut list = tree.list_sized(&folder).unwrap();
            list.sort_by(|a, b| a.0.name.cmp(&b.0.name));
            list
        };
        assert_eq!(sorted(&ahead), sorted(&plain));
        for round in ["handed out", "read again"] {
            for (child, _) in sorted(&plain) {
                let path = folder.join(child.name.unwrap());
                assert_eq!(ahead.real(&path), plain.real(&path), "{round}: {path}");
                assert_eq!(ahead.read(&path), plain.read(&path), "{round}: {path}");
            }
        }
    }

    #[test]
    fn what_is_handed_out_once_is_read_from_the_disk_the_next_time() {
        let (_temp, folder) = large();
        let tree = DiskTree::default();
        tree.will_read(&folder);
        let path = folder.join("a-rule-with-a-rather-long-name-00000.md");
        assert_eq!(tree.read(&path).unwrap(), b"rule 0\n");
        std::fs::write(&path, "changed").unwrap();
        assert_eq!(tree.read(&path).unwrap(), b"changed");
    }
}
