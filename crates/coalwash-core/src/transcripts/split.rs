//! Finds the records in the bytes of a JSON-lines file, whatever happened to them.
//!
//! A crash tears a line, two writers glue two records together, a full disk leaves NUL bytes, an
//! editor adds a BOM or CRLF. [`pieces`] yields every whole record with its place, and every
//! stretch that is none with the reason; no byte but white space is passed over.
//!
//! Cost is linear in the size of the file: at most `RESYNCS` restarts are tried per line.

use std::borrow::Cow;
use std::ops::Range;

/// How often a damaged line is searched for a further record start.
const RESYNCS: usize = 8;

/// How a host begins a record; where a torn record is followed by a whole one on the same line,
/// the whole one starts like this.
const STARTS: [&[u8]; 5] =
    [b"{\"type\":", b"{\"parentUuid\":", b"{\"timestamp\":", b"{\"sessionId\":", b"{\"id\":"];

/// A stretch of a transcript.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// One whole JSON value.
    Record {
        /// 1-based line.
        line: usize,
        /// Where the value stands in the file.
        at: Range<usize>,
        /// The value, ready for a JSON parser: UTF-8, no lone surrogates.
        json: Cow<'a, str>,
    },
    /// Bytes that are no record.
    Damaged {
        /// 1-based line.
        line: usize,
        /// Where the bytes stand in the file.
        at: Range<usize>,
        /// What is wrong with them.
        why: Damage,
    },
}

/// What is wrong with a stretch that is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Damage {
    /// The last line has no end: a record that is still being written, or was cut by a crash.
    TornEnd,
    /// A record that breaks off inside the file.
    Torn,
    /// NUL bytes, as a crash of the machine leaves them.
    Nul,
    /// Text that never was a record.
    NotJson,
}

/// Returns the stretches of `bytes`, in order.
pub fn pieces(bytes: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    lines(bytes).flat_map(|line| pieces_of(&line))
}

/// One line of a file, without its end.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// 1-based number.
    pub number: usize,
    /// Where it starts in the file.
    pub start: usize,
    /// Its bytes, without LF or CRLF.
    pub bytes: &'a [u8],
    /// Whether an LF ends it.
    pub ended: bool,
}

/// Returns the lines of `bytes`; a BOM in front of the first is left out.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut number = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|r| !r.is_empty())?;
        let end = memchr::memchr(b'\n', rest);
        let raw = &rest[..end.unwrap_or(rest.len())];
        number += 1;
        let line = Line {
            number,
            start: at,
            bytes: raw.strip_suffix(b"\r").unwrap_or(raw),
            ended: end.is_some(),
        };
        at += raw.len() + 1;
        Some(line)
    })
}

/// Returns the stretches of one line.
pub fn pieces_of<'a>(line: &Line<'a>) -> Vec<Piece<'a>> {
    let mut out = Vec::new();
    let bytes = line.bytes;
    let mut at = 0;
    let mut resyncs = 0;
    while let Some(skip) = bytes[at..].iter().position(|b| !b.is_ascii_whitespace()) {
        at += skip;
        if bytes[at] == 0 {
            let end = bytes[at..].iter().position(|b| *b != 0).map_or(bytes.len(), |n| at + n);
            out.push(damaged(line, at..end, Damage::Nul));
            at = end;
            continue;
        }
        match whole_value(&bytes[at..]) {
            Some((len, json)) if bytes[at] == b'{' => {
                let at_file = line.start + at..line.start + at + len;
                out.push(Piece::Record { line: line.number, at: at_file, json });
                at += len;
            }
            _ => {
                let end = if resyncs < RESYNCS { next_start(bytes, at + 1) } else { bytes.len() };
                resyncs += 1;
                let nul = memchr::memchr(0, &bytes[at..end]).map_or(end, |n| at + n);
                let why = if bytes[at] != b'{' {
                    Damage::NotJson
                } else if nul == bytes.len() && !line.ended {
                    Damage::TornEnd
                } else {
                    Damage::Torn
                };
                out.push(damaged(line, at..nul, why));
                at = nul;
            }
        }
    }
    out
}

fn damaged<'a>(line: &Line<'_>, at: Range<usize>, why: Damage) -> Piece<'a> {
    Piece::Damaged { line: line.number, at: line.start + at.start..line.start + at.end, why }
}

fn next_start(bytes: &[u8], from: usize) -> usize {
    STARTS
        .iter()
        .filter_map(|s| memchr::memmem::find(&bytes[from..], s))
        .min()
        .map_or(bytes.len(), |n| from + n)
}

/// Returns the length and the repaired text of the JSON value that `bytes` starts with.
fn whole_value(bytes: &[u8]) -> Option<(usize, Cow<'_, str>)> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The value may end before the first bad byte.
        Err(e) => {
            let good = std::str::from_utf8(&bytes[..e.valid_up_to()]).ok()?;
            if let Some(len) = value_len(good) {
                return Some((len, unpaired_fixed(&good[..len])));
            }
            return repaired_value(bytes);
        }
    };
    let len = value_len(text)?;
    Some((len, unpaired_fixed(&text[..len])))
}

/// Like [`whole_value`] for bytes with invalid UTF-8 inside the value.
fn repaired_value(bytes: &[u8]) -> Option<(usize, Cow<'_, str>)> {
    let text = String::from_utf8_lossy(bytes);
    let len = value_len(&text)?;
    // Count back how many bytes of the file the repaired value stands for.
    let mut repaired = 0;
    let mut raw = 0;
    for chunk in bytes.utf8_chunks() {
        let take = chunk.valid().len().min(len - repaired);
        repaired += take;
        raw += take;
        if repaired >= len {
            break;
        }
        if !chunk.invalid().is_empty() {
            repaired += '\u{fffd}'.len_utf8();
            raw += chunk.invalid().len();
        }
    }
    Some((raw, Cow::Owned(unpaired_fixed(&text[..len]).into_owned())))
}

/// Returns the length of the JSON value that `text` starts with, or `None` if there is none.
///
/// Lone surrogates are no error here: `IgnoredAny` doesn't decode strings.
fn value_len(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    // `end_of_value`: what follows may be damaged, that is the next stretch's business.
    match values.next() {
        Some(Ok(_)) => Some(values.byte_offset()),
        _ => None,
    }
}

/// Replaces `\ud83d` and the like without their other half by `\ufffd`, which is as long.
///
/// Hosts cut text between the two halves of a pair; a strict parser refuses the whole record.
fn unpaired_fixed(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(n) = memchr::memchr(b'\\', &bytes[at..]) {
        at += n;
        match escape_at(bytes, at) {
            Some(0xd800..=0xdbff) if matches!(escape_at(bytes, at + 6), Some(0xdc00..=0xdfff)) => {
                at += 12;
            }
            Some(0xd800..=0xdfff) => {
                out.get_or_insert_with(|| bytes.to_vec())[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            _ => at += 2,
        }
        if at >= bytes.len() {
            break;
        }
    }
    match out {
        None => Cow::Borrowed(json),
        Some(fixed) => Cow::Owned(String::from_utf8_lossy(&fixed).into_owned()),
    }
}

fn escape_at(bytes: &[u8], at: usize) -> Option<u32> {
    let hex = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

#[cfg(test)]
mod tests;
