//! Sections that both texts share, byte for byte, need not be compared.
//!
//! A text is cut before each ATX heading at the start of a line that opens a block, where every
//! Markdown parser begins afresh. A section that stands in both texts under the same headings is left
//! out but for its heading; what the gate says is the same as without (a property test holds it to
//! that).

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lexicon::{hash_of, mixed};

/// One section of a text, or what stands before the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) range: Range<usize>,
    /// Where its heading's line ends; the start where it has none.
    body: usize,
    /// What it says, and under which headings.
    key: u64,
    /// Its heading and those above it; 0 where it has none.
    title: u64,
    /// It can be left out: nothing in it matters to what stands elsewhere.
    closed: bool,
}

/// The parts of a text that have to be read, and those that need not be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) read: Vec<Range<usize>>,
    pub(super) shared: Vec<Range<usize>>,
}

impl Parts {
    /// Returns the parts of a text of which all is read.
    pub(super) fn whole(body: Range<usize>) -> Self {
        Self { read: std::iter::once(body).collect(), shared: Vec::new() }
    }
}

/// Returns which parts of `old` and `new` have to be read. `starts` is where each one's body begins.
pub(super) fn parts(old: &str, new: &str, starts: (usize, usize)) -> (Parts, Parts) {
    let (Some(mut before), Some(mut after)) = (chunks(old, starts.0), chunks(new, starts.1)) else {
        return (Parts::whole(starts.0..old.len()), Parts::whole(starts.1..new.len()));
    };
    let mut count: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    for chunk in before.iter().filter(|chunk| chunk.closed) {
        count.entry(chunk.key).or_default().0 += 1;
    }
    for chunk in after.iter().filter(|chunk| chunk.closed) {
        count.entry(chunk.key).or_default().1 += 1;
    }
    // Twins within one text make it matter which of them is which.
    let shared = |chunk: &Chunk| chunk.closed && count.get(&chunk.key) == Some(&(1, 1));
    // Nor is any left out where two sections have one title.
    if (has_twins(&before) || has_twins(&after)) && before.iter().any(shared) {
        return (Parts::whole(starts.0..old.len()), Parts::whole(starts.1..new.len()));
    }
    let split = |chunks: &mut Vec<Chunk>| {
        let mut parts = Parts::default();
        for chunk in chunks.drain(..) {
            let read = if shared(&chunk) {
                parts.shared.push(chunk.range.clone());
                chunk.range.start..chunk.body
            } else {
                chunk.range
            };
            match parts.read.last_mut() {
                Some(last) if last.end == read.start => last.end = read.end,
                _ if read.is_empty() => {}
                _ => parts.read.push(read),
            }
        }
        parts
    };
    (split(&mut before), split(&mut after))
}

/// Returns whether two sections have one title below the same headings.
fn has_twins(chunks: &[Chunk]) -> bool {
    let mut seen = FxHashSet::default();
    !chunks.iter().filter(|chunk| chunk.title != 0).all(|chunk| seen.insert(chunk.title))
}

/// What a line stands in that a heading doesn't end.
enum Open {
    Nothing,
    Fence { mark: u8, len: usize, indent: usize },
    Comment,
    Html,
}

/// Cuts `text` from `start` on into sections; `None` where that is not safe.
fn chunks(text: &str, start: usize) -> Option<Vec<Chunk>> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut path: Vec<(usize, u64)> = Vec::new();
    let mut open = Open::Nothing;
    let mut begin = start;
    let mut body = start;
    let mut at = start;
    let mut closed = true;
    let mut blank = true;
    let bytes = text.as_bytes();
    // A return alone ends a line for Markdown, too.
    if memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n')) {
        return None;
    }
    let mut above = 0;
    // What headings of other kinds may stand above what follows.
    let mut salt = 0;
    while at < text.len() {
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(text.len(), |len| at + len + 1);
        let line = &bytes[at..end];
        let indent = line.iter().take_while(|b| **b == b' ').count();
        let rest = &line[indent..];
        let first = rest.first().copied().unwrap_or(b'\n');
        let empty = rest.iter().all(u8::is_ascii_whitespace);
        match open {
            Open::Fence { mark, len, indent: opened } => {
                if !empty && indent < opened {
                    // It may have ended with the item it stood in.
                    return None;
                }
                let text = rest.trim_ascii_start();
                let run = text.iter().take_while(|b| **b == mark).count();
                if run >= len && text[run..].iter().all(u8::is_ascii_whitespace) {
                    if first == b'\t' || (indent > 3 && (opened + 1..opened + 4).contains(&indent))
                    {
                        // It ends here or not, by the item it stands in.
                        return None;
                    }
                    // One that is indented like code ends nothing.
                    if indent < opened + 4 {
                        open = Open::Nothing;
                    }
                }
            }
            Open::Comment => {
                if memchr::memmem::find(line, b"-->").is_some() {
                    open = Open::Nothing;
                }
            }
            Open::Html if !empty => {
                // Whether a tag opens a block depends on what stands before it.
                let closed_comment =
                    rest.starts_with(b"<!--") && memchr::memmem::find(rest, b"-->").is_some();
                if is_fence(rest) || (opens_raw(rest) && !closed_comment) {
                    return None;
                }
                // A heading here is one only to some parsers.
                closed &= !matches!(first, b'#' | b'=' | b'-');
            }
            Open::Html | Open::Nothing => {
                open = Open::Nothing;
                match first {
                    b'#' if indent == 0 => {
                        let level = line.iter().take_while(|b| **b == b'#').count();
                        if level <= 6 && line.get(level).is_none_or(u8::is_ascii_whitespace) {
                            let title = path.last().map_or(0, |(_, title)| *title);
                            push(text, begin..at, body, (above, title), closed, &mut chunks);
                            if !closed {
                                salt = mixed(salt, hash_of(text[begin..at].trim_ascii_end()));
                            }
                            while path.last().is_some_and(|(before, _)| *before >= level) {
                                path.pop();
                            }
                            above = path.last().map_or(salt, |(_, hash)| mixed(*hash, salt));
                            path.push((
                                level,
                                mixed(above, hash_of(text[at..end].trim_ascii_end())),
                            ));
                            (begin, body, closed) = (at, end, true);
                        }
                    }
                    b'#' => closed = false,
                    b'`' | b'~' if is_fence(rest) => {
                        let len = rest.iter().take_while(|b| **b == first).count();
                        open = Open::Fence { mark: first, len, indent };
                    }
                    b'<' if rest.starts_with(b"<!--") => {
                        let closed = memchr::memmem::find(rest, b"-->").is_some();
                        open = if closed { Open::Nothing } else { Open::Comment };
                    }
                    b'<' if opens_raw(rest) => return None,
                    b'<' => open = Open::Html,
                    // A definition holds for the whole text.
                    b'[' if memchr::memmem::find(rest, b"]:").is_some() => return None,
                    // A heading may be underlined.
                    b'=' | b'-'
                        if !blank
                            && rest.iter().all(|b| *b == first || b.is_ascii_whitespace()) =>
                    {
                        closed = false
                    }
                    b'-' | b'*' | b'+' | b'0'..=b'9' | b'>' if opens_inside(rest) => return None,
                    b'\t' if !empty => {
                        let inner = rest.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
                        if matches!(rest[inner], b'`' | b'~') {
                            return None;
                        }
                    }
                    _ => {}
                }
            }
        }
        blank = empty;
        at = end;
    }
    let title = path.last().map_or(0, |(_, title)| *title);
    push(text, begin..text.len(), body, (above, title), closed, &mut chunks);
    Some(chunks)
}

fn push(
    text: &str,
    range: Range<usize>,
    body: usize,
    (above, title): (u64, u64),
    closed: bool,
    chunks: &mut Vec<Chunk>,
) {
    if range.is_empty() {
        return;
    }
    let key = mixed(above, hash_of(text[range.clone()].trim_ascii_end()));
    chunks.push(Chunk { body: body.min(range.end), range, key, title, closed });
}

/// Returns whether HTML opens here that a blank line does not close.
fn opens_raw(line: &[u8]) -> bool {
    let Some(name) = line.strip_prefix(b"<") else { return false };
    let name: Vec<u8> = name.iter().take(8).map(u8::to_ascii_lowercase).collect();
    let raw = [&b"!"[..], b"?", b"script", b"pre", b"style", b"textarea"];
    raw.iter().any(|raw| name.starts_with(raw))
}

/// Returns whether a line opens or closes a fence.
fn is_fence(line: &[u8]) -> bool {
    let Some(mark) = line.first().filter(|mark| matches!(mark, b'`' | b'~')) else { return false };
    let run = line.iter().take_while(|b| *b == mark).count();
    run >= 3 && !(*mark == b'`' && line[run..].contains(&b'`'))
}

/// Returns whether a fence, comment or definition opens behind the marker of an item or a quote.
fn opens_inside(line: &[u8]) -> bool {
    let inner = line
        .iter()
        .position(|b| !matches!(b, b'-' | b'*' | b'+' | b'>' | b' ' | b'.' | b')' | b'0'..=b'9'))
        .unwrap_or(line.len());
    let rest = &line[inner..];
    line[0] != b'>' && (rest.starts_with(b"```") || rest.starts_with(b"~~~"))
        || (rest.starts_with(b"[")
            && memchr::memmem::find(rest, b"]: ").is_some()
            && !rest.starts_with(b"[ ]")
            && !rest.starts_with(b"[x]"))
}
