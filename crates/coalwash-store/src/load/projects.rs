//! The projects that a host has left records of.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::{Unread, Unreadable};
use coalwash_core::text::escape::escaped_bytes;
use coalwash_core::transcripts::claude_code::Record;
use coalwash_core::transcripts::{Piece, pieces};

use crate::disk::unreadable;
use crate::transcripts::newest_first;

/// Bytes of a transcript that are read to learn where it ran.
const HEAD_BYTES: u64 = 64 * 1024;

/// A folder that a host keeps for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProject {
    /// The host's folder.
    pub folder: Utf8PathBuf,
    /// The working folder that its newest session names; `None` where none does.
    pub cwd: Option<Utf8PathBuf>,
    /// Whether that folder is still there.
    pub exists: bool,
    /// Whether the host keeps memory there.
    pub has_memory: bool,
}

/// Lists the folders below `<config>/projects`, by name.
///
/// Their names can't be turned back into paths, so the newest session is asked.
///
/// What can't be listed is added to `unread`.
pub fn known_projects(config: &Utf8Path, unread: &mut Vec<Unread>) -> Vec<KnownProject> {
    let top = config.join("projects");
    let listing = match std::fs::read_dir(&top) {
        Ok(listing) => listing,
        Err(e) => {
            let why = unreadable(&e);
            if why != Unreadable::Missing {
                unread.push(Unread::new(top, format!("{why}, so projects are not known")));
            }
            return Vec::new();
        }
    };
    let folders = listing.flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
    let mut folders: Vec<_> = folders
        .filter_map(|e| match Utf8PathBuf::from_path_buf(e.path()) {
            Ok(path) => Some(path),
            Err(path) => {
                let path = escaped_bytes(path.as_os_str().as_encoded_bytes());
                unread.push(Unread::new(path, "its name is not UTF-8"));
                None
            }
        })
        .collect();
    folders.sort();
    let mut known = |folder: Utf8PathBuf| {
        let files = newest_first(&folder, unread);
        let cwd = files.into_iter().take(3).find_map(|(_, file)| cwd_of(&file));
        KnownProject {
            exists: cwd.as_ref().is_some_and(|cwd| cwd.is_dir()),
            has_memory: folder.join("memory/MEMORY.md").is_file(),
            cwd,
            folder,
        }
    };
    folders.into_iter().map(&mut known).collect()
}

fn cwd_of(file: &Utf8Path) -> Option<Utf8PathBuf> {
    let bytes = crate::disk::read_file(file, HEAD_BYTES).ok()?;
    pieces(&bytes).find_map(|piece| {
        let Piece::Record { json, .. } = piece else { return None };
        let cwd = Record::parse(&json).ok()?.cwd?.into_owned();
        Some(Utf8PathBuf::from(cwd)).filter(|p| p.is_absolute())
    })
}
