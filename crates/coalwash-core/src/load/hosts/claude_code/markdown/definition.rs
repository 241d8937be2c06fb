//! Link definitions, `[label]: target "title"`, and labels.
//!
//! A definition is no running text, so an `@path` in one is no import. This takes in what looks like
//! a footnote (`[^1]: @x.md`).

use super::chars::{is_blank, is_js_space};
use super::lines::*;

/// Returns the label and the end of the link definition at `at`, with the line ends behind it.
pub(super) fn definition(text: &str, at: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let close = label_end(text, at + 1)?;
    if bytes.get(close + 1) != Some(&b':') {
        return None;
    }
    let mut target = close + 2 + spaces(bytes, close + 2);
    if bytes.get(target) == Some(&b'\n') {
        target = skip_blanks(bytes, target + 1);
    }
    let label = &text[at + 1..close];
    if bytes.get(target) == Some(&b'<') {
        let end = line_end(bytes, target);
        let line = text.get(target..end)?;
        let line = line.split(['\u{2028}', '\u{2029}']).next()?;
        let mut closes = line.match_indices('>');
        return closes
            .find_map(|(i, _)| definition_end(text, target + i + 1))
            .map(|end| (label, end));
    }
    let rest = text.get(target..)?;
    let len = rest.find(is_js_space).unwrap_or(rest.len());
    if len == 0 {
        return None;
    }
    definition_end(text, target + len).map(|end| (label, end))
}

/// Returns the end of a definition whose target ends at `from`: with its title, if one stands
/// there and nothing else does, or else without.
fn definition_end(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let closed = |at: usize| {
        let end = at + spaces(bytes, at);
        matches!(bytes.get(end), None | Some(b'\n')).then(|| skip_newlines(bytes, end))
    };
    let mut title = from + spaces(bytes, from);
    if bytes.get(title) == Some(&b'\n') {
        title = skip_blanks(bytes, title + 1);
    } else if title == from {
        return closed(from);
    }
    let with_title = match bytes.get(title) {
        Some(quote @ (b'"' | b'\'' | b'(')) => {
            title_ends(text, title, *quote).into_iter().find_map(closed)
        }
        _ => None,
    };
    with_title.or_else(|| closed(from))
}

/// Returns where a title that opens at `at` may end, the likeliest first.
fn title_ends(text: &str, at: usize, quote: u8) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut ends = Vec::new();
    let mut pos = at + 1;
    while let Some(b) = bytes.get(pos) {
        match (quote, b) {
            (b'"', b'\\') if bytes.get(pos + 1) == Some(&b'"') => {
                ends.push(pos + 2);
                pos += 1;
            }
            (b'"', b'"') | (b'\'', b'\'') | (b'(', b')') => {
                ends.push(pos + 1);
                break;
            }
            (b'(', b'(') => break,
            (b'\'', b'\n') if bytes.get(pos + 1) == Some(&b'\n') => break,
            _ => {}
        }
        pos += 1;
    }
    ends.reverse();
    ends
}

/// Returns a label as the host compares it.
pub(super) fn normal_label(label: &str) -> String {
    let mut normal = String::with_capacity(label.len());
    let mut space = false;
    for c in label.chars() {
        let is_space = is_js_space(c);
        if !is_space {
            normal.extend(c.to_lowercase());
        } else if !space {
            normal.push(' ');
        }
        space = is_space;
    }
    normal
}

/// Returns the position of the `]` of a label whose text starts at `from`.
pub(super) fn label_end(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut pos = from;
    let close = loop {
        match bytes.get(pos)? {
            b'\\' => pos += 2,
            b'[' => return None,
            b']' => break pos,
            _ => pos += 1,
        }
    };
    let label = text.get(from..close)?;
    (!is_blank(label)).then_some(close)
}
