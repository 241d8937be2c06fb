//! Sizes and repeats of a set of files, counted as the Node engine counts them.

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::load::map::{Entry, Kind, Tier};

/// UTF-16 units from which on a line counts as a repeat.
///
/// Source: `CoalWash` 1.x.
const SUBSTANCE: usize = 24;
/// Blank lines in a row that cost nothing.
///
/// Source: `CoalWash` 1.x.
const BLANKS: usize = 2;

/// What a set of files comes to. Tokens are estimates of the Node engine's formula.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measure {
    /// Files, those that wait included.
    pub files: usize,
    /// Their bytes on disk.
    pub total_bytes: u64,
    /// Their tokens.
    pub total_tokens_est: u64,
    /// What is in every session.
    pub always_loaded: AlwaysLoaded,
    /// The index of the memory.
    pub index: Index,
    /// Exact repeats.
    pub mech_fat: Fat,
    /// Not measured by this build.
    pub gzip_ratio: Option<f64>,
    /// That tokens are estimates.
    pub est: bool,
}

/// What is in every session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AlwaysLoaded {
    /// Files.
    pub files: usize,
    /// Bytes on disk.
    pub bytes: u64,
    /// Tokens of the text as sent.
    pub tokens_est: u64,
}

/// The index of the memory, before the host cuts it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Index {
    /// Bytes on disk.
    pub bytes: u64,
    /// Lines.
    pub lines: usize,
}

/// Tokens that say again what the same file says already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fat {
    /// Both together.
    pub tokens_est: u64,
    /// Of lines that stand twice.
    pub dup_tokens: u64,
    /// Of blank lines.
    pub blank_tokens: u64,
}

impl Measure {
    /// Measures the files among the entries; lines of lists are none.
    pub fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let mut out = Self { est: true, ..Self::default() };
        for entry in entries.filter(|entry| entry.name.is_none()) {
            out.files += 1;
            out.total_bytes += entry.disk_bytes;
            let by_bytes = (entry.disk_bytes + 2) / 4;
            let text = entry.sent.as_deref().filter(|_| entry.tier == Tier::Always);
            let tokens = text.map_or(by_bytes, tokens);
            out.total_tokens_est += tokens;
            if entry.tier != Tier::Always {
                continue;
            }
            out.always_loaded.files += 1;
            out.always_loaded.bytes += entry.disk_bytes;
            out.always_loaded.tokens_est += tokens;
            if let Some(text) = text {
                let fat = certain_fat(text);
                out.mech_fat.dup_tokens += fat.dup_tokens;
                out.mech_fat.blank_tokens += fat.blank_tokens;
                out.mech_fat.tokens_est += fat.tokens_est;
            }
            if entry.kind == Kind::Memory {
                let lines = |text: &str| text.matches('\n').count() + 1;
                out.index = Index {
                    bytes: entry.disk_bytes,
                    lines: entry.cut.as_ref().map_or(text.map_or(0, lines), |cut| cut.lines),
                };
            }
        }
        out
    }
}

/// Returns the tokens of a text: a quarter of its ASCII units, two thirds of the others.
fn tokens(text: &str) -> u64 {
    if text.is_ascii() {
        return (text.len() as u64 * 3 + 6) / 12;
    }
    let count = |is: fn(u8) -> bool| text.bytes().filter(|byte| is(*byte)).count() as u64;
    let ascii = count(|byte| byte.is_ascii());
    // A character is one unit, and two if it takes four bytes.
    let others = count(|byte| byte >= 0xc0) + count(|byte| byte >= 0xf0);
    // round(ascii / 4 + others / 1.5), in twelfths.
    (ascii * 3 + others * 8 + 6) / 12
}

/// Returns the repeats within one text: each further copy of a line, and blank lines beyond two.
pub fn certain_fat(text: &str) -> Fat {
    let mut seen = FxHashSet::default();
    let (mut run, mut out) = (0, Fat::default());
    for raw in text.split('\n') {
        let line = crate::text::lines::js_trim(raw);
        if line.is_empty() {
            run += 1;
            out.blank_tokens += u64::from(run > BLANKS);
            continue;
        }
        run = 0;
        // There are never more units than bytes.
        let long = line.len() >= SUBSTANCE
            && (line.is_ascii() || line.chars().map(char::len_utf16).sum::<usize>() >= SUBSTANCE);
        if long && !seen.insert(line) {
            out.dup_tokens += tokens(raw);
        }
    }
    out.tokens_est = out.dup_tokens + out.blank_tokens;
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_counted_as_the_node_engine_does() {
        let line = "a line of twenty-four or more";
        for (text, dup, blank) in [
            ("", 0, 0),
            ("a\n\n\n", 0, 1),
            ("a\n\n\nb", 0, 0),
            ("a\n\n \n\t\nb", 0, 1),
            ("short\nshort", 0, 0),
            (
                &format!("{line}\n  {line}\r\n{line}"),
                tokens(&format!("  {line}\r")) + tokens(line),
                0,
            ),
            (&format!("{line}\n{}", line.to_uppercase()), 0, 0),
        ] {
            let fat = certain_fat(text);
            assert_eq!((fat.dup_tokens, fat.blank_tokens), (dup, blank), "{text:?}");
            assert_eq!(fat.tokens_est, dup + blank);
        }
    }

    #[test]
    fn tokens_are_rounded_once() {
        for (text, expected) in
            [("", 0), ("ab", 1), ("a", 0), ("é", 1), ("😀", 1), ("éé€", 2), ("abcde", 1)]
        {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }
}
