//! Finds what the host last recorded having sent in a folder.

use std::io::{Read as _, Seek as _, SeekFrom};

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::observed::{Observation, last_observation};
use coalwash_core::load::slug::slug;
use coalwash_core::load::{Unread, Unreadable};
use coalwash_core::transcripts::claude_code::Record;
use coalwash_core::transcripts::split::{lines, pieces_of};
use coalwash_core::transcripts::{Piece, pieces};

use crate::disk::{read_file, unreadable};
use crate::load::is_version;

/// Sessions that are looked into, newest first.
const MOST_SESSIONS: usize = 8;
/// Bytes at the start of a session: the list comes behind the list of skills, which it follows
/// after some 22 KB, or more where there are many skills.
const HEAD_BYTES: u64 = 384 * 1024;
/// Bytes at the end of a session: after a compaction the list is written again.
const TAIL_BYTES: u64 = 256 * 1024;

/// What the records of a folder say.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The newest full list of instruction files.
    pub observation: Option<Observation>,
    /// The transcript it stands in.
    pub file: Option<Utf8PathBuf>,
    /// Version of the client in the newest session, whether or not it has a list.
    pub version: Option<String>,
    /// Sessions that were looked into.
    pub sessions: usize,
    /// Sessions and folders of them that could not be read.
    pub unread: Vec<Unread>,
}

/// Looks into the newest sessions that ran in `cwd`; reads at most five MB.
pub fn observe(config: &Utf8Path, cwd: &Utf8Path) -> Observed {
    let mut out = Observed::default();
    let folder = config.join("projects").join(slug(cwd));
    for (_, file) in newest_first(&folder, &mut out.unread).into_iter().take(MOST_SESSIONS) {
        let parts = match head_and_tail(&file) {
            Ok(parts) => parts,
            Err(why) => {
                out.unread.push(Unread::new(file, format!("{why}, so it was not compared with")));
                continue;
            }
        };
        out.sessions += 1;
        // Different folders can share a name: only sessions of this one count.
        let Some(at) = parts.iter().find_map(|part| first_cwd(part)) else { continue };
        if at != cwd {
            continue;
        }
        if out.version.is_none() {
            out.version = parts.iter().rev().find_map(|part| last_version(part));
        }
        let found = parts.iter().rev().find_map(|part| last_observation(part));
        if found.is_some() {
            out.observation = found;
            out.file = Some(file);
            break;
        }
    }
    out
}

/// Returns the transcripts of a folder with their times in milliseconds, newest first.
///
/// A folder that can't be listed is added to `unread`; a missing one is empty.
pub fn newest_first(folder: &Utf8Path, unread: &mut Vec<Unread>) -> Vec<(i64, Utf8PathBuf)> {
    let listing = match std::fs::read_dir(folder) {
        Ok(listing) => listing,
        Err(e) => {
            let why = unreadable(&e);
            if why != Unreadable::Missing {
                unread.push(Unread::new(folder, format!("{why}, so its sessions are not known")));
            }
            return Vec::new();
        }
    };
    let mut out: Vec<_> = listing
        .flatten()
        .filter_map(|entry| {
            let path = Utf8PathBuf::from_path_buf(entry.path()).ok()?;
            let meta = entry.metadata().ok()?;
            let is_it = meta.is_file() && path.extension() == Some("jsonl");
            let since = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            let ms = i64::try_from(since.as_millis()).ok()?;
            is_it.then_some((ms, path))
        })
        .collect();
    out.sort_by(|a, b| b.cmp(a));
    out
}

/// Reads the start of a file and, if it is longer, its end; both cut at whole lines.
fn head_and_tail(file: &Utf8Path) -> Result<Vec<Vec<u8>>, Unreadable> {
    let mut head = read_file(file, HEAD_BYTES)?;
    let mut handle = std::fs::File::open(file).map_err(|e| unreadable(&e))?;
    let size = handle.metadata().map_err(|e| unreadable(&e))?.len();
    if size <= HEAD_BYTES {
        return Ok(vec![head]);
    }
    let end = memchr::memrchr(b'\n', &head).map_or(0, |at| at + 1);
    head.truncate(end);
    let start = (size - TAIL_BYTES.min(size)).max(HEAD_BYTES);
    let mut tail = Vec::new();
    handle
        .seek(SeekFrom::Start(start))
        .and_then(|_| handle.take(TAIL_BYTES).read_to_end(&mut tail))
        .map_err(|e| unreadable(&e))?;
    let begin = memchr::memchr(b'\n', &tail).map_or(tail.len(), |at| at + 1);
    tail.drain(..begin);
    Ok(vec![head, tail])
}

fn first_cwd(bytes: &[u8]) -> Option<String> {
    pieces(bytes).find_map(|piece| {
        let Piece::Record { json, .. } = piece else { return None };
        Some(Record::parse(&json).ok()?.cwd?.into_owned())
    })
}

/// Returns the version in the last record that has one: a session may go on with a newer client.
fn last_version(bytes: &[u8]) -> Option<String> {
    let lines: Vec<_> = lines(bytes).collect();
    lines.iter().rev().find_map(|line| {
        memchr::memmem::find(line.bytes, b"\"version\"")?;
        pieces_of(line).into_iter().rev().find_map(|piece| {
            let Piece::Record { json, .. } = piece else { return None };
            let version = Record::parse(&json).ok()?.version?.into_owned();
            is_version(&version).then_some(version)
        })
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests build trees")]
mod tests {
    use super::*;

    fn instructions(cwd: &str, text: &str) -> String {
        format!(
            r#"{{"type":"attachment","cwd":"{cwd}","version":"2.1.332","timestamp":"t","attachment":{{"type":"instructions","files":[{{"path":"/p/CLAUDE.md","type":"Project","content":"{text}"}}]}}}}"#
        )
    }

    fn sent(home: &Utf8Path) -> Option<String> {
        let found = observe(&home.join(".claude"), "/p/a.b".into());
        found.observation.map(|o| o.files[0].1.clone())
    }

    #[test]
    fn the_newest_session_of_this_folder_counts() {
        let temp = tempfile::tempdir().unwrap();
        let home = Utf8Path::from_path(temp.path()).unwrap();
        assert_eq!(sent(home), None);
        let folder = home.join(".claude/projects/-p-a-b");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("old.jsonl"), instructions("/p/a.b", "old")).unwrap();
        std::fs::write(folder.join("other.jsonl"), instructions("/p/a_b", "not ours")).unwrap();
        assert_eq!(sent(home).as_deref(), Some("old"));

        // A long session that was compacted: the list at the end is the newer one.
        let filler = format!("{{\"type\":\"user\",\"t\":\"{}\"}}\n", "x".repeat(9_000)).repeat(90);
        let new = instructions("/p/a.b", "new");
        let long = format!("{}\n{filler}{new}\n", instructions("/p/a.b", "first"));
        std::fs::write(folder.join("new.jsonl"), long).unwrap();
        let later = std::time::UNIX_EPOCH + std::time::Duration::from_secs(4_000_000_000);
        let file = std::fs::File::options().write(true).open(folder.join("new.jsonl")).unwrap();
        file.set_modified(later).unwrap();
        assert_eq!(sent(home).as_deref(), Some("new"));
    }
}
