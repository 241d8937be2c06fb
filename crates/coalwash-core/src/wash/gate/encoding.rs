//! Damage to bytes that a reader may not see: line endings, invisible and look-alike characters,
//! letters taken apart, UTF-8 read as something else.

use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;

use super::report::{Class, Finding, Span, short};

/// Returns whether a reader can't see `c`: default-ignorable characters and other spaces.
///
/// Source: Unicode 16, `Default_Ignorable_Code_Point`, without the variation selectors that make
/// emoji, and the space separators but U+0020 and U+3000.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}' | '\u{115f}'..='\u{1160}' | '\u{3164}' | '\u{ffa0}'
    ) || matches!(
        c,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{2028}' | '\u{2029}'
    )
}

/// Returns the plain sign for a typographic one.
pub(super) fn straight(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2026}' => '.',
        c => c,
    }
}

/// Returns the ASCII letter or sign that `c` looks like.
///
/// Source: the letters of Unicode's confusables table that stand for one ASCII letter and occur on
/// keyboards of Cyrillic and Greek, and its hyphens.
pub(super) fn look_alike(c: char) -> char {
    const PAIRS: [(&str, &str); 2] = [
        ("аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅԌ", "aeopcyxijshdqwABEKMHOPCTYXIJSG"),
        ("ονρυικατχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovpuikatxABEZHIKMNOPTYX"),
    ];
    if c.is_ascii() {
        return c;
    }
    for (from, to) in PAIRS {
        if let Some(at) = from.chars().position(|other| other == c) {
            return to.chars().nth(at).unwrap_or(c);
        }
    }
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => straight(c),
    }
}

/// Returns `text` with its letters composed, where it holds any that are not; sara am too.
pub(super) fn undecomposed(text: &str) -> Option<String> {
    let apart = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{e4d}' | '\u{1100}'..='\u{11ff}' | '\u{3099}' | '\u{309a}' | '\u{1ab0}'..='\u{1aff}');
    if text.is_ascii() || !text.contains(apart) {
        return None;
    }
    Some(text.nfc().collect::<String>().replace("\u{e4d}\u{e32}", "\u{e33}"))
}

/// Returns what `text` was before its UTF-8 was read as Windows-1252, if it was.
pub(super) fn repaired(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let bytes: Option<Vec<u8>> = text.chars().map(windows_1252).collect();
    String::from_utf8(bytes?).ok().filter(|repaired| repaired != text)
}

/// Returns the byte of a character of Windows-1252.
fn windows_1252(c: char) -> Option<u8> {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    if let Some(at) = HIGH.iter().position(|high| *high == c) {
        return u8::try_from(0x80 + at).ok();
    }
    u8::try_from(u32::from(c)).ok()
}

/// Returns the damage that only `new` has.
pub(super) fn introduced(old: &[&str], new: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    line_endings(old, new, &mut findings);
    if new.is_ascii() {
        return findings;
    }
    // What both texts begin and end with has the same characters.
    let (head, tail) = match old {
        [old] => common_ends(old, new),
        _ => (0, 0),
    };
    let trimmed: Vec<&str> =
        old.iter().map(|text| &text[head.min(text.len())..text.len() - tail]).collect();
    let (old, whole) = (&trimmed[..], new);
    let new = &new[head..new.len() - tail];
    let at = |start: usize, len: usize| {
        Some(Span { text: 0, start: head + start, end: head + start + len })
    };
    // More of an invisible character than before.
    let mut after: FxHashMap<char, Vec<usize>> = FxHashMap::default();
    let mut previous = ' ';
    for (at, c) in new.char_indices() {
        // Between emoji a joiner is a letter.
        let joins = c == '\u{200d}'
            && (is_emoji(previous) || previous == '\u{fe0f}')
            && new[at + 3..].starts_with(is_emoji);
        if is_watched(c) && !joins {
            after.entry(c).or_default().push(at);
        }
        previous = c;
    }
    let mut before: FxHashMap<char, usize> = FxHashMap::default();
    if !after.is_empty() {
        for c in old.iter().flat_map(|text| text.chars()).filter(|c| is_watched(*c)) {
            *before.entry(c).or_default() += 1;
        }
    }
    let known = |c: &char| before.get(c).copied().unwrap_or(0);
    let mut more: Vec<(char, Vec<usize>)> =
        after.into_iter().filter(|(c, places)| places.len() > known(c)).collect();
    more.sort_by_key(|(_, places)| places[0]);
    for (c, places) in more {
        let place = places.get(known(&c)).or(places.last()).copied().unwrap_or(0);
        let class = match c {
            '\u{fffd}' => Class::EncodingDamaged,
            c if is_invisible(c) => Class::EncodingInvisible,
            _ => Class::EncodingDecomposed,
        };
        let word = word_at(whole, head + place);
        let text = short(&format!("U+{:04X} in `{word}`", u32::from(c)).replace(c, ""));
        findings.push(Finding { new: at(place, c.len_utf8()), ..Finding::new(class, text) });
    }
    let sara = |text: &str| text.matches("\u{e4d}\u{e32}").count();
    if sara(new) > old.iter().map(|text| sara(text)).sum()
        && let Some(place) = new.find("\u{e4d}\u{e32}")
        && !findings.iter().any(|finding| finding.class == Class::EncodingDecomposed)
    {
        let text = short(word_at(whole, head + place));
        findings
            .push(Finding { new: at(place, 6), ..Finding::new(Class::EncodingDecomposed, text) });
    }
    findings
}

/// Bytes that are compared at once.
const RUN: usize = 64;

/// Returns how many bytes two texts share at their ends, in whole characters.
fn common_ends(one: &str, other: &str) -> (usize, usize) {
    let (a, b) = (one.as_bytes(), other.as_bytes());
    let runs = a.chunks_exact(RUN).zip(b.chunks_exact(RUN));
    let mut head = RUN * runs.take_while(|(a, b)| a == b).count();
    head += a[head..].iter().zip(&b[head..]).take_while(|(a, b)| a == b).count();
    while !one.is_char_boundary(head) || !other.is_char_boundary(head) {
        head -= 1;
    }
    let (a, b) = (&a[head..], &b[head..]);
    let runs = a.rchunks_exact(RUN).zip(b.rchunks_exact(RUN));
    let mut tail = RUN * runs.take_while(|(a, b)| a == b).count();
    let rest = a[..a.len() - tail].iter().rev().zip(b[..b.len() - tail].iter().rev());
    tail += rest.take_while(|(a, b)| a == b).count();
    while !one.is_char_boundary(one.len() - tail) || !other.is_char_boundary(other.len() - tail) {
        tail -= 1;
    }
    (head, tail)
}

/// Characters of which a rewrite may not bring more.
fn is_watched(c: char) -> bool {
    !c.is_ascii()
        && (is_invisible(c)
            || matches!(c, '\u{fffd}' | '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}' | '\u{1100}'..='\u{115e}' | '\u{1161}'..='\u{11ff}'))
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}')
}

/// Bytes around a place in which its word is looked for.
const WORD_BYTES: usize = 1_024;

fn word_at(text: &str, at: usize) -> &str {
    let first = text.floor_char_boundary(at.saturating_sub(WORD_BYTES));
    let last = text.ceil_char_boundary((at + WORD_BYTES).min(text.len()));
    let start = text[first..at]
        .char_indices()
        .rev()
        .find(|(_, c)| c.is_whitespace())
        .map_or(first, |(len, c)| first + len + c.len_utf8());
    let end = text[at..last]
        .char_indices()
        .skip(1)
        .find(|(_, c)| c.is_ascii_whitespace())
        .map_or(last, |(len, _)| at + len);
    &text[start..end]
}

/// Mixed line endings that the old text didn't have block; a whole file in the other kind is told.
fn line_endings(old: &[&str], new: &str, findings: &mut Vec<Finding>) {
    let count = |text: &str| {
        let all = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let returns = memchr::memmem::find_iter(text.as_bytes(), b"\r\n").count();
        (returns, all - returns)
    };
    if !new.contains('\r') && !old.iter().any(|text| text.contains('\r')) {
        return;
    }
    let (old_crlf, old_lf) = old
        .iter()
        .map(|text| count(text))
        .fold((0, 0), |sum, found| (sum.0 + found.0, sum.1 + found.1));
    let (crlf, lf) = count(new);
    let was_mixed = old_crlf > 0 && old_lf > 0;
    let class = if crlf > 0 && lf > 0 && !was_mixed {
        Class::EncodingLineEndings
    } else if (old_crlf > 0 && crlf == 0 && lf > 0) || (old_crlf == 0 && old_lf > 0 && crlf > 0) {
        Class::LineEndingsConverted
    } else {
        return;
    };
    let place = if old_crlf == 0 { new.find("\r\n").unwrap_or(0) } else { 0 };
    let line = new[..place].rfind('\n').map_or(0, |at| at + 1);
    let text = format!("{crlf} of {} line ends are CRLF: {}", crlf + lf, new[line..place].trim());
    findings.push(Finding {
        new: Some(Span { text: 0, start: line, end: place }),
        ..Finding::new(class, short(&text))
    });
}
