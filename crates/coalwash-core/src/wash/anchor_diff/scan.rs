//! The patterns of tokens, each a scanner that goes over a text once.
//!
//! Texts are bytes here, so that what was found can be blanked out. A word character is an ASCII
//! letter, digit or `_`; whatever else stands beside one is the end of the word.

use std::ops::Range;

use crate::text::lines::is_js_space;

/// What was found: all of it, and the part that is its value.
pub(super) struct Hit {
    pub(super) all: Range<usize>,
    pub(super) value: Range<usize>,
}

impl Hit {
    fn plain(all: Range<usize>) -> Self {
        Self { value: all.clone(), all }
    }
}

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether exactly one side of `at` is a word character.
pub(super) fn is_edge(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).is_some_and(|before| is_word(text[before]));
    before != text.get(at).is_some_and(|byte| is_word(*byte))
}

/// Returns where the digits that begin at `at` end.
pub(super) fn digits(text: &[u8], at: usize) -> usize {
    text[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(text.len(), |len| at + len)
}

fn has(text: &[u8], at: usize, byte: u8) -> bool {
    text.get(at) == Some(&byte)
}

/// Returns the length of the white space at `at`, if there is some.
fn space(text: &[u8], at: usize) -> Option<usize> {
    let byte = *text.get(at)?;
    if byte.is_ascii() {
        return is_js_space(char::from(byte)).then_some(1);
    }
    // All white space beyond ASCII has two or three bytes.
    (2..=3).find(|len| {
        let char = text.get(at..at + len).and_then(|bytes| std::str::from_utf8(bytes).ok());
        char.and_then(|text| text.chars().next()).is_some_and(is_js_space)
    })
}

/// Returns where the run that begins at `at` meets white space, one of `stops`, or the end.
fn run(text: &[u8], at: usize, stops: &[u8]) -> usize {
    let mut end = at;
    while end < text.len() && !stops.contains(&text[end]) && space(text, end).is_none() {
        end += 1;
    }
    end
}

/// Calls `at` at every byte that `first` allows, and goes on behind what it found.
pub(super) fn each(
    text: &[u8],
    first: impl Fn(u8) -> bool,
    mut find: impl FnMut(usize) -> Option<Hit>,
) -> Vec<Hit> {
    let mut out: Vec<Hit> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match first(text[at]).then(|| find(at)).flatten() {
            Some(hit) => {
                at = hit.all.end;
                out.push(hit);
            }
            None => at += 1,
        }
    }
    out
}

/// `[[x]]`.
pub(super) fn wikilinks(text: &[u8]) -> Vec<Hit> {
    each(
        text,
        |byte| byte == b'[',
        |at| {
            if !has(text, at + 1, b'[') {
                return None;
            }
            let inner = at + 2;
            let end = inner + text[inner..].iter().position(|byte| matches!(byte, b'[' | b']'))?;
            let closes = end > inner && has(text, end, b']') && has(text, end + 1, b']');
            closes.then_some(Hit { all: at..end + 2, value: inner..end })
        },
    )
}

/// `2026-07-08`.
pub(super) fn iso_dates(text: &[u8]) -> Vec<Hit> {
    each(
        text,
        |byte| byte.is_ascii_digit(),
        |at| {
            let date = text.get(at..at + 10)?;
            let fits = date.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
            (fits && is_edge(text, at) && is_edge(text, at + 10)).then(|| Hit::plain(at..at + 10))
        },
    )
}

/// `8-Jul-2026`.
pub(super) fn named_dates(text: &[u8]) -> Vec<Hit> {
    each(
        text,
        |byte| byte.is_ascii_digit(),
        |at| {
            let day = digits(text, at);
            let rest = text.get(day..day + 9)?;
            let fits = day - at <= 2
                && rest[0] == b'-'
                && MONTHS.iter().any(|month| rest[1..4] == month[..])
                && rest[4] == b'-'
                && rest[5..].iter().all(u8::is_ascii_digit);
            (fits && is_edge(text, at) && is_edge(text, day + 9)).then(|| Hit::plain(at..day + 9))
        },
    )
}

/// Returns the number of a month from its name, as two digits.
pub(super) fn month(name: &[u8]) -> Option<usize> {
    MONTHS.iter().position(|month| name == &month[..]).map(|at| at + 1)
}

/// `1.2.3`, `v1.2.3-beta.1`; with `short` also `v1.2`, which needs its `v`.
pub(super) fn versions(text: &[u8], short: bool) -> Vec<Hit> {
    each(
        text,
        |byte| byte == b'v' || byte.is_ascii_digit(),
        |at| {
            let number = at + usize::from(text[at] == b'v');
            let first = digits(text, number);
            if !is_edge(text, at) || first == number || (short && number == at) {
                return None;
            }
            let mut ends = vec![first];
            while let Some(&end) = ends.last()
                && has(text, end, b'.')
                && digits(text, end + 1) > end + 1
            {
                ends.push(digits(text, end + 1));
            }
            let last = *ends.last()?;
            let least = if short { 1 } else { 2 };
            if ends.len() <= least {
                return None;
            }
            let end = suffix(text, last)
                .or_else(|| ends[least..].iter().rev().copied().find(|end| is_edge(text, *end)))?;
            Some(Hit::plain(at..end))
        },
    )
}

/// Returns where the `-beta.1` behind a version ends.
fn suffix(text: &[u8], at: usize) -> Option<usize> {
    let alnum = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphanumeric);
    if !has(text, at, b'-') || !alnum(at + 1) {
        return None;
    }
    let mut end = at + 2;
    while alnum(end) || has(text, end, b'.') || has(text, end, b'-') {
        end += 1;
    }
    (at + 2..=end).rev().find(|end| is_edge(text, *end))
}

/// `](x`.
pub(super) fn link_targets(text: &[u8]) -> Vec<Hit> {
    each(
        text,
        |byte| byte == b']',
        |at| {
            if !has(text, at + 1, b'(') {
                return None;
            }
            let mut from = at + 2;
            while let Some(len) = space(text, from) {
                from += len;
            }
            let inner = from + usize::from(has(text, from, b'<'));
            let end = run(text, inner, b")>");
            // A `<` alone is a target, too.
            let value = if end > inner { inner..end } else { from..inner };
            (!value.is_empty()).then_some(Hit { all: at..value.end, value })
        },
    )
}

/// `<https://x>`.
pub(super) fn autolinks(text: &[u8]) -> Vec<Hit> {
    // Up to here no `>` closes anything.
    let mut open = 0;
    each(
        text,
        |byte| byte == b'<',
        |at| {
            let schemes: [&[u8]; 4] = [b"https:", b"http:", b"ftp:", b"mailto:"];
            let scheme = schemes.iter().find(|scheme| text[at + 1..].starts_with(scheme))?;
            let inner = at + 1 + scheme.len();
            if inner < open {
                return None;
            }
            let end = run(text, inner, b">");
            if end > inner && has(text, end, b'>') {
                return Some(Hit { all: at..end + 1, value: at + 1..end });
            }
            open = end;
            None
        },
    )
}

/// `https://x`.
pub(super) fn bare_links(text: &[u8]) -> Vec<Hit> {
    each(
        text,
        |byte| matches!(byte, b'h' | b'f'),
        |at| {
            let schemes: [&[u8]; 3] = [b"https://", b"http://", b"ftp://"];
            let scheme = schemes.iter().find(|scheme| text[at..].starts_with(scheme))?;
            let end = run(text, at + scheme.len(), b"<>()[]");
            (end > at + scheme.len()).then(|| Hit::plain(at..end))
        },
    )
}

/// What stands between `open` and `close` on one line.
pub(super) fn between(text: &[u8], open: &[u8], close: &[u8]) -> Vec<Hit> {
    // Up to here nothing on the line closes.
    let mut unclosed = 0;
    each(
        text,
        |byte| byte == open[0],
        |at| {
            let inner = at + open.len();
            if at < unclosed || !text[at..].starts_with(open) {
                return None;
            }
            let mut end = inner;
            while end < text.len() && text[end] != b'\n' && !text[end..].starts_with(close) {
                end += 1;
            }
            if end >= text.len() || text[end] == b'\n' {
                unclosed = end;
                return None;
            }
            (end > inner).then_some(Hit { all: at..end + close.len(), value: inner..end })
        },
    )
}
