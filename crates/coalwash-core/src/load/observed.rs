//! What the host recorded having sent, held against the load map.
//!
//! The map says what a session *would* load; a record says what one *did* load. They differ when a
//! file changed in between, or when the map is wrong; both are said.

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::map::{Entry, LoadMap};
use crate::transcripts::Piece;
use crate::transcripts::claude_code::{Body, Record, SentFile};
use crate::transcripts::split::{lines, pieces_of};

/// The instruction files that one session was sent at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// When, as the host wrote it.
    pub timestamp: String,
    /// Version of the client.
    pub version: Option<String>,
    /// Folder the session ran in.
    pub cwd: Option<String>,
    /// Path and text of each file, in the order in which they were sent.
    pub files: Vec<(Utf8PathBuf, String)>,
}

/// Finds the last full list of instruction files in a transcript or in a part of one.
///
/// A resumed session records only what changed, which says nothing about the rest; such records
/// are passed over. `None` where the part holds no list.
pub fn last_observation(bytes: &[u8]) -> Option<Observation> {
    let lines: Vec<_> = lines(bytes)
        // Parsing every record would cost a hundred times as much as this look.
        .filter(|line| memmem::find(line.bytes, b"\"instructions\"").is_some())
        .collect();
    lines.iter().rev().find_map(|line| pieces_of(line).into_iter().rev().find_map(of_piece))
}

fn of_piece(piece: Piece<'_>) -> Option<Observation> {
    let Piece::Record { json, .. } = piece else { return None };
    let record = Record::parse(&json).ok()?;
    if record.is_sidechain || json.contains("\"changed\":true") {
        return None;
    }
    let Body::Instructions(files) = record.body() else { return None };
    Some(Observation {
        timestamp: record.timestamp.as_deref().unwrap_or_default().to_owned(),
        version: record.version.as_deref().map(str::to_owned),
        cwd: record.cwd.as_deref().map(str::to_owned),
        files: files.into_iter().map(owned).collect(),
    })
}

fn owned(file: SentFile<'_>) -> (Utf8PathBuf, String) {
    (Utf8PathBuf::from(file.path.into_owned()), file.content.into_owned())
}

/// How a record differs from the map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Files that are the same, to the character.
    pub same: usize,
    /// Files that were sent and that the map doesn't expect.
    pub unexpected: Vec<Utf8PathBuf>,
    /// Files that the map expects and that weren't sent.
    pub missing: Vec<Utf8PathBuf>,
    /// Files of which another text was sent.
    pub changed: Vec<Utf8PathBuf>,
    /// Whether the files that both have came in another order.
    pub reordered: bool,
}

impl Comparison {
    /// Holds a record against a map.
    pub fn of(map: &LoadMap, observation: &Observation) -> Self {
        let expected: Vec<&Entry> = map.always().filter(|e| e.name.is_none()).collect();
        let sent: FxHashMap<&Utf8Path, &str> =
            observation.files.iter().map(|(p, t)| (p.as_path(), t.as_str())).collect();
        let mut out = Self::default();
        for entry in &expected {
            match sent.get(entry.path.as_path()) {
                Some(text) if entry.sent.as_deref() == Some(*text) => out.same += 1,
                Some(_) => out.changed.push(entry.path.clone()),
                None => out.missing.push(entry.path.clone()),
            }
        }
        let known: FxHashMap<&Utf8Path, usize> =
            expected.iter().enumerate().map(|(i, e)| (e.path.as_path(), i)).collect();
        let order =
            observation.files.iter().filter_map(|(path, _)| match known.get(path.as_path()) {
                Some(place) => Some(*place),
                None => {
                    out.unexpected.push(path.clone());
                    None
                }
            });
        let order: Vec<usize> = order.collect();
        out.reordered = !order.is_sorted();
        out
    }

    /// Returns whether the record and the map are the same.
    pub fn is_same(&self) -> bool {
        self.unexpected.is_empty() && self.missing.is_empty() && self.changed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(files: &str, extra: &str) -> String {
        format!(
            "{{\"parentUuid\":null,\"isSidechain\":false,\"attachment\":{{\"type\":\"instructions\",\"files\":[{files}]{extra}}},\"type\":\"attachment\",\"uuid\":\"u\",\"timestamp\":\"2026-11-30T14:02:00.000Z\",\"cwd\":\"/p\",\"version\":\"2.1.332\"}}\n"
        )
    }

    #[test]
    fn the_last_full_list_counts() {
        let one = record(r#"{"path":"/p/CLAUDE.md","type":"Project","content":"old"}"#, "");
        let two = record(r#"{"path":"/p/CLAUDE.md","type":"Project","content":"new\ud83d"}"#, "");
        let part =
            record(r#"{"path":"/p/x.md","type":"Project","content":"x"}"#, ",\"changed\":true");
        let said = "{\"type\":\"user\",\"message\":{\"content\":\"\\\"instructions\\\"\"}}\n";
        let torn = "{\"type\":\"attach";
        let text = [&one, &two, &part, said, torn].map(|s| s as &str).concat();
        let found = last_observation(text.as_bytes()).unwrap();
        assert_eq!(found.files, [("/p/CLAUDE.md".into(), "new\u{fffd}".to_owned())]);
        assert_eq!(found.timestamp, "2026-11-30T14:02:00.000Z");
    }

    #[test]
    fn a_transcript_without_a_list_says_nothing() {
        assert_eq!(last_observation(b"{\"type\":\"user\"}\n"), None);
    }
}
