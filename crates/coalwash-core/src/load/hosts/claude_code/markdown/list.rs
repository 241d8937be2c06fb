//! Lists: which lines belong to an item, and what its content is.

use super::chars::{is_blank, is_js_space};
use super::lines::*;

/// A list, as far as the host takes its lines together.
#[derive(Debug)]
pub(super) struct List {
    /// The end without the blanks behind the last item.
    pub(super) end: usize,
    pub(super) items: Vec<Item>,
}

/// The content of an item, without bullet and indent.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) text: String,
    /// The number of lines before the item in the list.
    pub(super) line: usize,
}

/// Returns the list that starts at `pos`, with the content of its items if it is `wanted`.
pub(super) fn scan(text: &str, pos: usize, wanted: bool) -> Option<List> {
    let bytes = text.as_bytes();
    let at = pos + spaces(bytes, pos);
    let first = bullet(bytes, at)?;
    // A bullet with one blank and nothing else isn't the start of a list.
    let head = bytes.get(at + first..line_end(bytes, at))?;
    if !(head.is_empty() || (matches!(head[0], b' ' | b'\t') && head.len() > 1)) {
        return None;
    }
    let same = |at: usize| {
        let len = item_bullet(bytes, at)?;
        let ordered = len > 1;
        let last = bytes[at + len - 1];
        (ordered == (first > 1) && last == bytes[pos + spaces(bytes, pos) + first - 1])
            .then_some(len)
    };
    let mut list = List { end: pos, items: Vec::new() };
    let mut lines = LineCursor { pos, line: 0 };
    let mut item = pos;
    while item < bytes.len() {
        let indent = spaces(bytes, item);
        let Some(len) = same(item + indent).filter(|_| indent <= 3) else { break };
        if is_rule(bytes, item + indent, false) {
            break;
        }
        let line = lines.advance(text, item);
        let mut content = wanted.then(String::new);
        item = scan_item(text, item, indent + len, content.as_mut());
        list.items.extend(content.map(|text| Item { text, line }));
    }
    if item == pos {
        return None;
    }
    list.end = pos + text.get(pos..item)?.trim_end_matches(is_js_space).len();
    if let Some(last) = list.items.last_mut() {
        let len = last.text.trim_end_matches(is_js_space).len();
        last.text.truncate(len);
    }
    Some(list)
}

/// Returns the end of the item at `pos` whose bullet ends after `marker` bytes.
fn scan_item(text: &str, pos: usize, marker: usize, mut content: Option<&mut String>) -> usize {
    let bytes = text.as_bytes();
    let head = text.get(pos + marker..line_end(bytes, pos)).unwrap_or_default();
    let mut next = next_line(bytes, pos);
    let mut blank = is_blank(head);
    let mut indent = marker + 1;
    // The host sees a tab in front of the text as three blanks, and not as part of the indent.
    let tabs = head.bytes().take_while(|b| *b == b'\t').count();
    let mut last = Last::Head { line: head, tabs };
    if blank {
        if blank_line(text, next) {
            return next_line(bytes, next);
        }
    } else {
        let pad = head.bytes().take_while(|b| *b == b' ').count();
        let pad = if pad > 4 { 1 } else { pad };
        indent = marker + pad;
        if let Some(content) = content.as_deref_mut() {
            content.extend(std::iter::repeat_n(' ', tabs * 3));
            content.push_str(&head[pad + tabs..]);
        }
    }
    let slack = 3.min(indent - 1);
    while next < bytes.len() {
        let end = line_end(bytes, next);
        let line = &text[next..end];
        if interrupts_item(line, slack) {
            break;
        }
        let line_blank = is_blank(line);
        let belongs = line_blank || column(line).is_some_and(|column| column >= indent);
        if !belongs && (blank || last.ends_lazy_lines(slack)) {
            break;
        }
        if let Some(content) = content.as_deref_mut() {
            content.push('\n');
            if belongs {
                push_dedented(content, line, indent);
            } else {
                content.push_str(line);
            }
        }
        last = Last::Line { line, indent };
        blank |= line_blank;
        next = (end + 1).min(bytes.len());
    }
    next
}

/// The line before the one that is looked at, as the host remembers it.
enum Last<'a> {
    /// What stands behind the bullet.
    Head { line: &'a str, tabs: usize },
    /// A later line, of which the host cuts the indent even if there is text in its place.
    Line { line: &'a str, indent: usize },
}

impl Last<'_> {
    /// Whether a line that isn't indented can't go on with this one.
    fn ends_lazy_lines(&self, slack: usize) -> bool {
        let mut seen = String::new();
        match self {
            Self::Head { line, tabs } => {
                seen.extend(std::iter::repeat_n(' ', tabs * 3));
                seen.push_str(&line[*tabs..]);
            }
            Self::Line { line, indent } => push_dedented(&mut seen, line, *indent),
        }
        column(&seen).is_some_and(|column| column >= 4)
            || starts_block(seen.as_bytes(), spaces(seen.as_bytes(), 0), slack)
    }
}

/// Whether `line` ends the item before it, whatever its indent is, or starts the next.
fn interrupts_item(line: &str, slack: usize) -> bool {
    let bytes = line.as_bytes();
    let indent = spaces(bytes, 0);
    if indent > slack {
        return false;
    }
    let rest = &bytes[indent..];
    let tag = || {
        rest.starts_with(b"<!--")
            || (rest.len() > 2
                && rest[0] == b'<'
                && rest[1].is_ascii_alphabetic()
                && rest[2..].contains(&b'>'))
    };
    starts_block(bytes, indent, slack) || item_bullet(bytes, indent).is_some() || tag()
}

/// Whether a fence, a heading or a rule starts behind the `indent` of the line.
fn starts_block(line: &[u8], indent: usize, slack: usize) -> bool {
    let rest = &line[indent..];
    indent <= slack
        && (is_fence(rest) || rest.first() == Some(&b'#') || is_rule(line, indent, true))
}

/// Returns the column of the first character that isn't blank, with tabs of four columns.
fn column(line: &str) -> Option<usize> {
    let mut column = 0;
    for b in line.bytes() {
        match b {
            b' ' => column += 1,
            b'\t' => column += 4,
            _ => return Some(column),
        }
    }
    None
}

fn blank_line(text: &str, from: usize) -> bool {
    let bytes = text.as_bytes();
    bytes[from..line_end(bytes, from)].iter().all(|b| matches!(b, b' ' | b'\t'))
}

/// Appends `line` with tabs as four blanks and without its first `indent` columns.
fn push_dedented(content: &mut String, line: &str, indent: usize) {
    let mut left = indent;
    for (i, c) in line.char_indices() {
        let width = if c == '\t' { 4 } else { c.len_utf16() };
        if left >= width {
            left -= width;
            continue;
        }
        let rest = &line[i..];
        if left > 0 && c == '\t' {
            content.extend(std::iter::repeat_n(' ', 4 - left));
            content.push_str(&rest[1..].replace('\t', "    "));
        } else {
            content.push_str(&rest.replace('\t', "    "));
        }
        return;
    }
}
