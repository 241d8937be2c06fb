//! Passages that someone wants kept, whoever rewrites the file.
//!
//! A keep remembers the words, not the lines: it holds wherever they stand in the file, and a rewrite
//! that the gate finds to touch them is refused. Words that are no longer there hold nothing, and are
//! named.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

/// The schema of a file of keeps. An older reader of a newer file leaves it alone.
pub const SCHEMA: &str = "coalwash.keeps/1";

/// A file of keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keeps {
    /// [`SCHEMA`].
    pub schema: String,
    /// In the order in which they were added.
    pub keeps: Vec<Keep>,
}

/// One passage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// Its number in the file; no other gets it again.
    pub id: u64,
    /// The file.
    pub file: Utf8PathBuf,
    /// The words; all of the file without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When it was added, in milliseconds since 1970.
    #[serde(default)]
    pub at_ms: i64,
    /// Whether the user still has to decide about it. It is kept until then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending_user: bool,
    /// What other versions wrote, and this one doesn't know.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

impl Default for Keeps {
    fn default() -> Self {
        Self { schema: SCHEMA.to_owned(), keeps: Vec::new() }
    }
}

impl Keeps {
    /// Reads a file of keeps.
    ///
    /// # Errors
    /// What is wrong and where.
    pub fn read(json: &str) -> Result<Self, String> {
        let keeps: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        match keeps.schema == SCHEMA {
            true => Ok(keeps),
            false => Err(format!("`schema` is `{}`; this build reads `{SCHEMA}`", keeps.schema)),
        }
    }

    /// Returns it as the text of a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("keeps are plain data") + "\n"
    }

    /// Adds a keep under the next number, unless the same passage is kept already; returns its number.
    pub fn add(&mut self, keep: Keep) -> u64 {
        let same = |it: &&mut Keep| it.file == keep.file && it.anchor == keep.anchor;
        if let Some(old) = self.keeps.iter_mut().find(same) {
            if !keep.reason.is_empty() {
                old.reason = keep.reason;
            }
            old.pending_user |= keep.pending_user;
            return old.id;
        }
        let id = self.keeps.iter().map(|keep| keep.id).max().unwrap_or(0) + 1;
        self.keeps.push(Keep { id, ..keep });
        id
    }

    /// Returns the passages of a file that are kept, and the keeps of it whose words aren't there.
    pub fn passages(&self, file: &Utf8Path, text: &str) -> (Vec<Range<usize>>, Vec<&Keep>) {
        let (mut out, mut missing) = (Vec::new(), Vec::new());
        for keep in self.keeps.iter().filter(|keep| keep.file == file) {
            match keep.anchor.as_deref() {
                None => out.push(0..text.len() + 1),
                Some(anchor) => match find(text, anchor) {
                    Some(range) => out.push(range),
                    None => missing.push(keep),
                },
            }
        }
        (out, missing)
    }
}

/// Returns where words stand in a text, whatever white space is between them.
fn find(text: &str, words: &str) -> Option<Range<usize>> {
    if let Some(at) = text.find(words) {
        return Some(at..at + words.len());
    }
    let words: Vec<&str> = words.split_whitespace().collect();
    let first = words.first()?;
    let rest_after = |start: usize| {
        let mut at = start + first.len();
        for word in &words[1..] {
            let rest = &text[at..];
            let next = rest.trim_start();
            if next.len() == rest.len() || !next.starts_with(word) {
                return None;
            }
            at = text.len() - next.len() + word.len();
        }
        Some(start..at)
    };
    text.match_indices(first).find_map(|(start, _)| rest_after(start))
}

/// Returns the text of lines `first` to `last`, from 1, without white space around it.
pub fn lines_of(text: &str, first: usize, last: usize) -> Option<&str> {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    if first == 0 || first > last || last > starts.len() {
        return None;
    }
    let end = starts.get(last).copied().unwrap_or(text.len());
    let passage = text[starts[first - 1]..end].trim();
    (!passage.is_empty()).then_some(passage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(file: &str, anchor: Option<&str>) -> Keep {
        Keep {
            id: 0,
            file: file.into(),
            anchor: anchor.map(str::to_owned),
            reason: String::new(),
            at_ms: 1,
            pending_user: false,
            more: serde_json::Map::new(),
        }
    }

    #[test]
    fn words_are_found_however_they_are_wrapped() {
        let text = "a\n- never push\n  to main\n\nb";
        for (words, expected) in [
            ("never push\n  to main", Some(4..24)),
            ("never push to main", Some(4..24)),
            ("never  push", Some(4..14)),
            ("push never", None),
            ("neverpush", None),
            ("", Some(0..0)),
        ] {
            assert_eq!(find(text, words), expected, "{words}");
        }
    }

    #[test]
    fn keeps_have_numbers_and_are_added_once() {
        let mut keeps = Keeps::default();
        assert_eq!(keeps.add(keep("/a", Some("x"))), 1);
        assert_eq!(keeps.add(keep("/a", Some("y"))), 2);
        let again = Keep { reason: "because".into(), pending_user: true, ..keep("/a", Some("x")) };
        assert_eq!(keeps.add(again), 1);
        assert_eq!((&*keeps.keeps[0].reason, keeps.keeps[0].pending_user), ("because", true));
        keeps.keeps.remove(0);
        assert_eq!(keeps.add(keep("/b", None)), 3);
        let (passages, missing) = keeps.passages("/a".into(), "so y is");
        assert_eq!((passages.len(), missing.len()), (1, 0));
        let (passages, missing) = keeps.passages("/a".into(), "gone");
        assert_eq!((passages.len(), missing.len()), (0, 1));
        let all = keeps.passages("/b".into(), "abc").0;
        assert_eq!((all.len(), all[0].clone()), (1, 0..4));
    }

    #[test]
    fn what_others_wrote_stays() {
        let json = r#"{"schema":"coalwash.keeps/1","keeps":[{"id":4,"file":"/a","new":[1]}]}"#;
        let keeps = Keeps::read(json).unwrap();
        assert!(keeps.to_json().contains("\"new\""));
        for (json, expected) in [
            (r#"{"schema":"coalwash.keeps/2","keeps":[]}"#, "this build reads"),
            ("[]", "invalid"),
            (r#"{"schema":"coalwash.keeps/1","keeps":[{"id":1}]}"#, "missing field `file`"),
        ] {
            assert!(Keeps::read(json).unwrap_err().contains(expected), "{json}");
        }
    }

    #[test]
    fn lines_are_taken_without_the_space_around_them() {
        let text = "a\n\n b \nc";
        assert_eq!(lines_of(text, 1, 1), Some("a"));
        assert_eq!(lines_of(text, 2, 3), Some("b"));
        assert_eq!(lines_of(text, 3, 4), Some("b \nc"));
        for (first, last) in [(2, 2), (0, 1), (4, 3), (5, 5)] {
            assert_eq!(lines_of(text, first, last), None, "{first} {last}");
        }
    }
}
