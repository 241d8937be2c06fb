//! Inline structure: which parts of a paragraph are running text.
//!
//! Code spans, tags, links, escapes and emphasis split running text into stretches; an import is
//! looked for in each stretch by itself, and nowhere else. [`stretches`] reports them in order.

use std::collections::{HashMap, HashSet};

use memchr::{memchr, memchr3};

use super::chars::{is_js_space, is_punctuation};
use super::definition::{label_end, normal_label};
use super::emphasis::Delimiters;
use super::html;
use super::lines::LineCursor;

/// The number of links and emphases inside each other whose content is read.
const MAX_DEPTH: usize = 100;

/// Calls `found` with every stretch of running text in `text` and its line.
///
/// `fuel` is how many bytes may be read again, for a link or tag that turns out to be none or for
/// the content of one; what comes after that is spent is taken as running text.
pub(super) fn stretches(
    text: &str,
    line: usize,
    labels: &HashSet<String>,
    fuel: &mut usize,
    found: &mut dyn FnMut(&str, usize),
) {
    Inline { labels, fuel, found }.read(text, line, 0);
}

/// A construct that isn't running text.
enum Span {
    /// Nothing in it is read.
    Opaque { end: usize },
    /// The part between is read by itself.
    Nested { from: usize, to: usize, end: usize, is_link: bool },
}

struct Inline<'a> {
    labels: &'a HashSet<String>,
    fuel: &'a mut usize,
    found: &'a mut dyn FnMut(&str, usize),
}

impl Inline<'_> {
    fn read(&mut self, text: &str, line: usize, depth: usize) {
        let bytes = text.as_bytes();
        let mut lines = LineCursor { pos: 0, line };
        let mut ticks = None;
        let mut delimiters = None;
        // Where the current stretch starts, and the character before `pos` as far as emphasis
        // asks for it: none behind a span.
        let (mut start, mut before, mut pos) = (0, None, 0);
        while pos < bytes.len() {
            let span = match bytes[pos] {
                b'\\' => {
                    let escaped = bytes.get(pos + 1).is_some_and(u8::is_ascii_punctuation);
                    escaped.then_some(Span::Opaque { end: pos + 2 })
                }
                b'<' => html::inline_tag_end(text, pos, self.fuel)
                    .or_else(|| autolink_end(text, pos))
                    .map(|end| Span::Opaque { end }),
                b'!' | b'[' => self.link(text, pos),
                b'*' | b'_' => {
                    let all = delimiters
                        .get_or_insert_with(|| Delimiters::of(text, &mask(text, self.labels)));
                    all.emphasis(text, pos, before, self.fuel).map(|e| Span::Nested {
                        from: pos + e.marks,
                        to: e.end - e.marks,
                        end: e.end,
                        is_link: false,
                    })
                }
                b'`' => {
                    let run = super::lines::run(bytes, pos);
                    let closing = ticks.get_or_insert_with(|| tick_runs(bytes));
                    let close = next_run(closing, run, pos + run);
                    close.map(|close| Span::Opaque { end: close + run })
                }
                _ => None,
            };
            let Some(span) = span else {
                let end = plain_end(text, pos);
                // The host keeps the older character when the text ends with `_`.
                match text[..end].chars().next_back() {
                    Some('_') => {}
                    last => before = last,
                }
                pos = end;
                continue;
            };
            if start < pos {
                (self.found)(&text[start..pos], lines.advance(text, start));
            }
            let end = match span {
                Span::Opaque { end } => end,
                Span::Nested { from, to, end, is_link } => {
                    let inner = text.get(from..to).unwrap_or_default();
                    if memchr(b'@', inner.as_bytes()).is_some() {
                        let line = lines.advance(text, from);
                        self.nested(inner, line, depth, is_link);
                    }
                    end
                }
            };
            (start, before, pos) = (end, None, end);
        }
        if start < bytes.len() {
            (self.found)(&text[start..], lines.advance(text, start));
        }
    }

    fn nested(&mut self, text: &str, line: usize, depth: usize, is_link: bool) {
        if depth >= MAX_DEPTH || *self.fuel < text.len() {
            return;
        }
        *self.fuel -= text.len();
        if is_link && memchr(b'\\', text.as_bytes()).is_some() {
            let unescaped = text.replace("\\[", "[").replace("\\]", "]");
            self.read(&unescaped, line, depth + 1);
        } else {
            self.read(text, line, depth + 1);
        }
    }

    /// Returns the link or image at `pos`.
    fn link(&mut self, text: &str, pos: usize) -> Option<Span> {
        let bytes = text.as_bytes();
        let image = bytes[pos] == b'!';
        let open = pos + usize::from(image);
        if bytes.get(open) != Some(&b'[') || *self.fuel == 0 {
            return None;
        }
        let mut read = open;
        let end = self.link_end(text, open, &mut read);
        let Some((close, end)) = end else {
            *self.fuel = self.fuel.saturating_sub(read - open);
            return None;
        };
        if image {
            return Some(Span::Opaque { end });
        }
        Some(Span::Nested { from: open + 1, to: close, end, is_link: true })
    }

    /// Returns the end of the text and of the link whose `[` is at `open`. `read` is set to where
    /// the search ended.
    fn link_end(&self, text: &str, open: usize, read: &mut usize) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        let close = link_text_end(text, open + 1, read);
        if let Some(close) = close
            && bytes.get(close + 1) == Some(&b'(')
            && let Some(end) = target_end(text, close + 1, read)
        {
            return Some((close, end));
        }
        let defined = |label: &str| self.labels.contains(&normal_label(label));
        if let Some(close) = close
            && bytes.get(close + 1) == Some(&b'[')
            && let Some(end) = label_end(text, close + 2)
        {
            let label = &text[close + 2..end];
            return defined(label).then_some((close, end + 1));
        }
        let close = label_end(text, open + 1)?;
        *read = (*read).max(close);
        let end = if text[close + 1..].starts_with("[]") { close + 3 } else { close + 1 };
        defined(&text[open + 1..close]).then_some((close, end))
    }
}

/// Returns the position of the `]` of a link's text, which may hold brackets one level deep.
fn link_text_end(text: &str, from: usize, read: &mut usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut pos = from;
    let mut nested = false;
    while let Some(b) = bytes.get(pos) {
        *read = pos;
        match b {
            b'\\' => pos += 1,
            b'[' if nested => return None,
            b'[' => nested = true,
            b']' if nested => nested = false,
            b']' => return Some(pos),
            b'`' if !nested => match memchr(b'`', &bytes[pos + 1..]) {
                Some(i) => pos += i + 1,
                None => {
                    *read = text.len();
                    return None;
                }
            },
            _ => {}
        }
        pos += 1;
    }
    None
}

/// Returns the end of the `(target "title")` at `open`.
fn target_end(text: &str, open: usize, read: &mut usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let space =
        |from: usize| text[from..].find(|c| !is_js_space(c)).map_or(text.len(), |i| from + i);
    let start = space(open + 1);
    if bytes.get(start) == Some(&b'<')
        && let Some(end) = angle_end(bytes, start)
        && let Some(close) = titled_end(text, end, read)
    {
        return Some(close);
    }
    let stop = |c: char| is_js_space(c) || c < ' ';
    let end = text[start..].find(stop).map_or(text.len(), |i| start + i);
    *read = (*read).max(end);
    // The longest target is tried first; a shorter one must end at a `)`.
    let (target, close) = match titled_end(text, end, read) {
        Some(close) => (end, close),
        None => {
            let paren = start + text[start..end].rfind(')')?;
            (paren, paren + 1)
        }
    };
    balanced_end(&bytes[start..target]).map_or(Some(close), |i| Some(start + i + 1))
}

/// Returns the end of a `<target>`.
fn angle_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut pos = at + 1;
    loop {
        match bytes.get(pos)? {
            b'\\' => pos += 1,
            b'>' => return (pos > at + 1).then_some(pos + 1),
            b'\n' | b'<' => return None,
            _ => {}
        }
        pos += 1;
    }
}

/// Returns the end of the link whose target ends at `from`, with the title if there is one.
fn titled_end(text: &str, from: usize, read: &mut usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let space =
        |from: usize| text[from..].find(|c| !is_js_space(c)).map_or(text.len(), |i| from + i);
    let title = space(from);
    match bytes.get(title)? {
        b')' => Some(title + 1),
        quote @ (b'"' | b'\'' | b'(') if title > from => {
            let close = if *quote == b'(' { b')' } else { *quote };
            let mut escaped = Vec::new();
            let mut pos = title + 1;
            while let Some(b) = bytes.get(pos) {
                *read = (*read).max(pos);
                if *b == close {
                    escaped.push(pos);
                    break;
                }
                if *b == b'\\' && bytes.get(pos + 1) == Some(&close) {
                    pos += 1;
                    escaped.push(pos);
                }
                pos += 1;
            }
            escaped.into_iter().rev().find_map(|end| {
                let end = space(end + 1);
                (bytes.get(end) == Some(&b')')).then_some(end + 1)
            })
        }
        _ => None,
    }
}

/// Returns the position of the first `)` in a target that closes nothing.
fn balanced_end(target: &[u8]) -> Option<usize> {
    let (mut level, mut pos) = (0_usize, 0);
    while let Some(b) = target.get(pos) {
        match b {
            b'\\' => pos += 1,
            b'(' => level += 1,
            b')' if level == 0 => return Some(pos),
            b')' => level -= 1,
            _ => {}
        }
        pos += 1;
    }
    None
}

/// Returns the end of the `<scheme:…>` or `<name@host>` at `at`.
fn autolink_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let from = at + 1;
    let name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-');
    if bytes.get(from).is_some_and(u8::is_ascii_alphabetic) {
        let scheme = bytes[from..].iter().take(33).take_while(|b| name(b)).count();
        if (2..=32).contains(&scheme) && bytes.get(from + scheme) == Some(&b':') {
            let stop = |c: char| is_js_space(c) || c < ' ' || c == '<' || c == '>';
            let end = from + text[from..].find(stop)?;
            return (bytes[end] == b'>').then_some(end + 1);
        }
    }
    let local = |b: &u8| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(b);
    let host = from + bytes[from..].iter().take_while(|b| local(b)).count() + 1;
    if host == from + 1 || bytes.get(host - 1) != Some(&b'@') {
        return None;
    }
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    let end = host + bytes[host..].iter().take_while(|b| part(b)).count();
    let parts = text.get(host..end)?.split('.');
    let is_part = |p: &str| (1..=63).contains(&p.len()) && !p.starts_with('-') && !p.ends_with('-');
    let valid = parts.clone().count() > 1 && parts.clone().all(is_part);
    (valid && bytes.get(end) == Some(&b'>')).then_some(end + 1)
}

/// Returns the end of the text at `pos`, which isn't a span there.
fn plain_end(text: &str, pos: usize) -> usize {
    let bytes = text.as_bytes();
    let end = match bytes[pos] {
        b'`' => pos + super::lines::run(bytes, pos),
        _ => pos + text[pos..].chars().next().map_or(1, char::len_utf8),
    };
    let special = |b: &u8| matches!(b, b'\\' | b'<' | b'!' | b'[' | b'`' | b'*' | b'_');
    bytes[end..].iter().position(special).map_or(bytes.len(), |i| end + i)
}

/// Returns where the runs of backticks start, by their length.
fn tick_runs(bytes: &[u8]) -> HashMap<usize, Vec<usize>> {
    let mut runs = HashMap::<usize, Vec<usize>>::new();
    let mut pos = 0;
    while let Some(i) = memchr(b'`', &bytes[pos..]) {
        let len = super::lines::run(bytes, pos + i);
        runs.entry(len).or_default().push(pos + i);
        pos += i + len;
    }
    runs
}

fn next_run(runs: &HashMap<usize, Vec<usize>>, len: usize, from: usize) -> Option<usize> {
    let starts = runs.get(&len)?;
    starts.get(starts.partition_point(|start| *start < from)).copied()
}

/// Returns `text` with letters in place of what emphasis doesn't see: escapes, code, tags, links.
fn mask(text: &str, labels: &HashSet<String>) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    if !labels.is_empty() {
        mask_references(text, labels, &mut bytes);
    }
    let mut pos = 0;
    while let Some(i) = memchr(b'\\', &bytes[pos..]) {
        pos += i + 1;
        if bytes.get(pos).is_some_and(u8::is_ascii_punctuation) {
            bytes[pos - 1..=pos].fill(b'+');
            pos += 1;
        }
    }
    let mut pos = 0;
    while let Some(i) = memchr3(b'[', b'`', b'<', &bytes[pos..]) {
        let at = pos + i;
        let end = match bytes[at] {
            b'`' => memchr(b'`', &bytes[at + 1..]).map(|i| at + i + 2),
            b'<' => match memchr3(b'<', b'>', b'>', &bytes[at + 1..]) {
                Some(i) if bytes[at + 1 + i] == b'>' => Some(at + i + 2),
                _ => None,
            },
            _ => masked_link_end(&bytes, at),
        };
        match end {
            Some(end) => {
                cover(&mut bytes[at..end]);
                pos = end;
            }
            None => pos = at + 1,
        }
    }
    bytes
}

fn mask_references(text: &str, labels: &HashSet<String>, bytes: &mut [u8]) {
    let mut pos = 0;
    let mut read = 0;
    while let Some(i) = memchr(b'[', &text.as_bytes()[pos..]) {
        let open = pos + i;
        let full = link_text_end(text, open + 1, &mut read)
            .filter(|close| text.as_bytes().get(close + 1) == Some(&b'['))
            .and_then(|close| Some((close + 1, label_end(text, close + 2)?)));
        let short = || {
            let close = label_end(text, open + 1)?;
            let empty = text[close + 1..].starts_with("[]");
            let end = if empty { close + 2 } else { close };
            let is_target = text.as_bytes().get(end + 1) == Some(&b'(');
            match (empty, is_target) {
                (_, false) => Some((if empty { close + 1 } else { open }, end)),
                (true, true) => Some((open, close)),
                (false, true) => None,
            }
        };
        let Some((label, end)) = full.or_else(short) else {
            pos = open + 1;
            continue;
        };
        if labels.contains(&text[label + 1..end]) {
            let start = open - usize::from(open > 0 && text.as_bytes()[open - 1] == b'!');
            cover(&mut bytes[start..=end]);
        }
        pos = end + 1;
    }
}

fn masked_link_end(bytes: &[u8], at: usize) -> Option<usize> {
    let close = at + 1 + bytes[at + 1..].iter().position(|b| matches!(b, b'[' | b']'))?;
    if bytes[close] != b']' || bytes.get(close + 1) != Some(&b'(') {
        return None;
    }
    let (mut pos, mut nested) = (close + 2, false);
    loop {
        match bytes.get(pos)? {
            b'\\' => pos += 1,
            b'(' if nested => return None,
            b'(' => nested = true,
            b')' if nested => nested = false,
            b')' => return Some(pos + 1),
            _ => {}
        }
        pos += 1;
    }
}

/// Makes a masked part: brackets around letters.
fn cover(part: &mut [u8]) {
    part.fill(b'a');
    if let [first, .., last] = part {
        (*first, *last) = (b'[', b']');
    }
}

/// Whether emphasis can touch `c`: it is white space or punctuation, but no mark itself.
pub(super) fn is_edge(c: char) -> bool {
    !matches!(c, '*' | '_') && (is_js_space(c) || is_punctuation(c))
}
