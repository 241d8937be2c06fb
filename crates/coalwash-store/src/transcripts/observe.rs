//! Finds what the host last recorded having sent in a folder.

use std::io::{Read as _, Seek as _, SeekFrom};

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::observed::{Observation, last_observation};
use coalwash_core::load::slug::slug;
use coalwash_core::transcripts::claude_code::Record;
use coalwash_core::transcripts::{Piece, pieces};

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
    /// Sessions that could not be read.
    pub unreadable: usize,
}

/// Looks into the newest sessions that ran in `cwd`; reads at most five MB.
pub fn observe(config: &Utf8Path, cwd: &Utf8Path) -> Observed {
    let mut out = Observed::default();
    let folder = config.join("projects").join(slug(cwd));
    for (_, file) in newest_first(&folder).into_iter().take(MOST_SESSIONS) {
        let Ok(parts) = head_and_tail(&file) else {
            out.unreadable += 1;
            continue;
        };
        out.sessions += 1;
        // Different folders can share a name: only sessions of this one count.
        let Some((at, version)) = parts.iter().find_map(|part| first_cwd(part)) else { continue };
        if at != cwd {
            continue;
        }
        if out.version.is_none() {
            out.version = version;
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
pub fn newest_first(folder: &Utf8Path) -> Vec<(i64, Utf8PathBuf)> {
    let Ok(listing) = std::fs::read_dir(folder) else { return Vec::new() };
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
fn head_and_tail(file: &Utf8Path) -> std::io::Result<Vec<Vec<u8>>> {
    let mut handle = std::fs::File::open(file)?;
    let size = handle.metadata()?.len();
    let mut head = Vec::new();
    (&mut handle).take(HEAD_BYTES).read_to_end(&mut head)?;
    if size <= HEAD_BYTES {
        return Ok(vec![head]);
    }
    let end = memchr::memrchr(b'\n', &head).map_or(0, |at| at + 1);
    head.truncate(end);
    let start = (size - TAIL_BYTES.min(size)).max(HEAD_BYTES);
    handle.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    handle.take(TAIL_BYTES).read_to_end(&mut tail)?;
    let begin = memchr::memchr(b'\n', &tail).map_or(tail.len(), |at| at + 1);
    tail.drain(..begin);
    Ok(vec![head, tail])
}

fn first_cwd(bytes: &[u8]) -> Option<(String, Option<String>)> {
    pieces(bytes).find_map(|piece| {
        let Piece::Record { json, .. } = piece else { return None };
        let record = Record::parse(&json).ok()?;
        let version = record.version.as_deref().map(str::to_owned);
        Some((record.cwd?.into_owned(), version))
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
