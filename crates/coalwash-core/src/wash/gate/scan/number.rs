//! Numbers, with what is glued to them, dates and versions.

use std::ops::Range;

use super::{Kind, hash_of, mixed, symbol};

type Part = (Kind, u64, Range<usize>);

/// What a point between digits does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    /// It begins the decimals.
    Decimals,
    /// Before three digits it groups, as a comma does elsewhere.
    Group,
}

/// The most numbers that one range, ratio or time joins: more are a name.
const MOST_JOINED: usize = 16;

/// Reads a number with what is glued to it, a date or a version; `None` where it is something else.
pub(super) fn number(piece: &str, points: Points) -> Option<Vec<Part>> {
    joined(piece, points, MOST_JOINED)
}

/// Reads a number and those that are joined to it, at most `most`.
fn joined(piece: &str, points: Points, most: usize) -> Option<Vec<Part>> {
    let digits: String;
    let text = if piece.is_ascii() {
        piece
    } else {
        // Digits of other scripts count as ours where every one of them takes one character.
        digits = piece.chars().map(|c| ascii_digit(c).unwrap_or(c)).collect();
        &digits
    };
    // Byte offsets must be those of the piece: a longer digit keeps the whole as one part.
    let whole = text.len() != piece.len();
    let mut parts = Vec::new();
    let mut at = 0;
    let bytes = text.as_bytes();
    let mut lead = text.char_indices().peekable();
    while let Some((pos, c)) = lead.peek().copied() {
        if matches!(c, '<' | '>' | '≤' | '≥' | '~' | '≈' | '=' | '$' | '€' | '£' | '¥' | '±' | '×')
        {
            lead.next();
            at = pos + c.len_utf8();
        } else {
            break;
        }
    }
    if at > 0 {
        parts.push((Kind::Symbol, hash_of(symbol(&text[..at])), 0..at));
    }
    let signed = matches!(bytes.get(at), Some(b'-' | b'+')) || text[at..].starts_with('−');
    let begin = at;
    let minus = text[at..].starts_with(['-', '−']);
    if signed {
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
    let bare = at;
    if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
        let version = bytes.get(at) == Some(&b'v') && !signed && at == 0;
        if version && is_version(&text[1..], 1) {
            return Some(vec![(Kind::Version, hash_of(text), 0..piece.len())]);
        }
        return None;
    }
    let rest = &text[bare..];
    if let Some(date) = date(rest) {
        parts.push((Kind::Date, date, begin..piece.len()));
        return (!whole).then_some(parts);
    }
    if is_version(rest, 2) {
        parts.push((Kind::Version, hash_of(rest), begin..piece.len()));
        return (!whole).then_some(parts);
    }
    let mut end = bare;
    let mut value = String::new();
    if minus {
        value.push('-');
    } else if signed {
        value.push('+');
    }
    while let Some(b) = bytes.get(end) {
        let digit_next = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        match b {
            b'0'..=b'9' => value.push(*b as char),
            b',' | b'_' if grouped(&bytes[end + 1..]) => {}
            // `1.260` in a language that groups with points.
            b'.' if points == Points::Group && grouped(&bytes[end + 1..]) => {}
            b'.' if digit_next => value.push('.'),
            _ => break,
        }
        end += 1;
    }
    let suffix = &text[end..];
    let glued: usize = suffix.bytes().take_while(u8::is_ascii_alphabetic).count();
    let after = &suffix[glued..];
    let number = hash_of(&value);
    if suffix.is_empty() {
        parts.push((Kind::Number, number, begin..piece.len()));
    } else if suffix == "%" {
        parts.push((Kind::Number, number, begin..end));
        parts.push((Kind::Word, hash_of("percent"), end..piece.len()));
    } else if after.is_empty() || matches!(after, "+" | "%") {
        parts.push((Kind::Number, number, begin..end));
        parts.push((Kind::Word, hash_of(&suffix[..glued].to_lowercase()), end..end + glued));
        if !after.is_empty() {
            parts.push((Kind::Symbol, hash_of(after), end + glued..piece.len()));
        }
        if glued == 0 {
            parts.remove(parts.len() - 2);
        }
    } else if glued == 0
        && suffix.chars().count() > 0
        && suffix.starts_with(['-', '–', '/', '~', '…', ':', '×'])
    {
        // A range, ratio or time.
        let sign = suffix.chars().next()?;
        let rest = &suffix[sign.len_utf8()..];
        if most == 1 || !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let rest = joined(rest, points, most - 1)?;
        parts.push((Kind::Number, number, begin..end));
        let mark = if matches!(sign, '-' | '–' | '~' | '…') {
            "to"
        } else {
            &suffix[..sign.len_utf8()]
        };
        let kind = if mark == "to" { Kind::Word } else { Kind::Symbol };
        parts.push((kind, hash_of(mark), end..end + sign.len_utf8()));
        let offset = end + sign.len_utf8();
        parts.extend(
            rest.into_iter()
                .map(|(kind, hash, at)| (kind, hash, at.start + offset..at.end + offset)),
        );
    } else {
        return None;
    }
    if whole {
        let hash = parts.iter().fold(0, |hash, part| mixed(hash, part.1));
        let only = if parts.len() == 1 { parts[0].1 } else { hash };
        return Some(vec![(Kind::Number, only, 0..piece.len())]);
    }
    Some(parts)
}

/// Returns whether three digits follow, and then no fourth.
pub(super) fn grouped(bytes: &[u8]) -> bool {
    bytes.len() >= 3
        && bytes[..3].iter().all(u8::is_ascii_digit)
        && !bytes.get(3).is_some_and(u8::is_ascii_digit)
}

fn ascii_digit(c: char) -> Option<char> {
    let base = match c {
        '\u{e50}'..='\u{e59}' => 0xe50,
        '\u{ff10}'..='\u{ff19}' => 0xff10,
        '\u{660}'..='\u{669}' => 0x660,
        '\u{966}'..='\u{96f}' => 0x966,
        _ => return None,
    };
    char::from_digit(u32::from(c) - base, 10)
}

/// Returns whether `text` is a version with at least `dots` dots.
fn is_version(text: &str, dots: usize) -> bool {
    let core = text.split_once(['-', '+']).map_or(text, |(core, _)| core);
    let tail = text.split_once('-').map_or("x", |(_, tail)| tail);
    let parts = core.split('.');
    core.matches('.').count() >= dots
        && parts.clone().enumerate().all(|(n, part)| {
            !part.is_empty()
                && (part.bytes().all(|b| b.is_ascii_digit())
                    || (n > 0 && matches!(part, "x" | "*")))
        })
        && tail.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-' || b == b'+')
        && !tail.is_empty()
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Returns the month of a name or its first three letters.
pub(in crate::wash::gate) fn month(word: &str) -> Option<u32> {
    let at = MONTHS
        .iter()
        .position(|name| *name == word || (word.len() == 3 && name.starts_with(word)))?;
    u32::try_from(at + 1).ok()
}

/// Returns the identity of a day.
pub(in crate::wash::gate) fn day(year: u32, month: u32, day: u32) -> u64 {
    mixed(hash_of("date"), u64::from(year * 10_000 + month * 100 + day))
}

/// Reads `2026-06-15` and `15-Jun-2026`.
fn date(text: &str) -> Option<u64> {
    let mut parts = text.split('-');
    let (one, two, three) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    if one.len() == 4 && two.len() == 2 && three.len() == 2 {
        return Some(day(one.parse().ok()?, two.parse().ok()?, three.parse().ok()?));
    }
    if one.len() <= 2 && three.len() == 4 && two.len() == 3 {
        return Some(day(
            three.parse().ok()?,
            month(&two.to_ascii_lowercase())?,
            one.parse().ok()?,
        ));
    }
    None
}
