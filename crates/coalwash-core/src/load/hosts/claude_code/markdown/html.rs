//! HTML in Markdown: where a block of it ends, and where one tag in running text does.
//!
//! All functions take a text and the byte position of a `<`, and scan forward only.

use memchr::{memchr, memmem};

use super::chars::is_js_space;

/// The elements that open a block by their name alone.
const BLOCK_ELEMENTS: [&str; 62] = [
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "meta",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
];

/// Elements whose text is not markup. They end at their closing tag, not at a blank line.
const RAW_ELEMENTS: [&str; 4] = ["script", "pre", "style", "textarea"];

/// Returns the end of the HTML block whose first `<` is at `at`, with the line ends behind it, or
/// `None` if no block starts there.
pub(super) fn block_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let rest = bytes.get(at..)?;
    if rest.first() != Some(&b'<') {
        return None;
    }
    if let Some(name) = raw_element(rest) {
        let after = at + 1 + name.len();
        let next = text.get(after..).and_then(|rest| rest.chars().next());
        if next.is_some_and(|c| c == '>' || is_js_space(c)) {
            return Some(closing_tag_end(text, after, name));
        }
    }
    if rest.starts_with(b"<!--") {
        let body = comment_end(text, at).unwrap_or(text.len());
        return Some(skip_newlines(bytes, line_end(bytes, body)));
    }
    let until = |from: usize, end: &str| match memmem::find(&bytes[from..], end.as_bytes()) {
        Some(i) => skip_newlines(bytes, from + i + end.len()),
        None => text.len(),
    };
    if rest.starts_with(b"<?") {
        return Some(until(at + 2, "?>"));
    }
    if rest.starts_with(b"<!") && rest.get(2).is_some_and(u8::is_ascii_alphabetic) {
        return Some(until(at + 3, ">"));
    }
    if rest.get(..9).is_some_and(|r| r.eq_ignore_ascii_case(b"<![CDATA[")) {
        return Some(until(at + 9, "]]>"));
    }
    if let Some(len) = block_element_len(rest, true) {
        // A line end right behind the name belongs to the opening, not to a blank line.
        let opening = at + len + usize::from(rest.get(len) == Some(&b'\n'));
        return Some(blank_line_end(bytes, opening));
    }
    lone_tag_end(text, at).map(|end| blank_line_end(bytes, end))
}

/// Whether an HTML block that can follow a paragraph without a blank line starts at `at`.
pub(super) fn opens_block(line: &str, at: usize) -> bool {
    line.as_bytes().get(at) == Some(&b'<')
        && lone_tag_end(line, at)
            .is_none_or(|_| block_element_len(&line.as_bytes()[at..], true).is_some())
        && block_end(line, at).is_some()
}

/// Whether a line starting with `rest` ends the paragraph before it. The names are compared with
/// case here, unlike where a block starts.
pub(super) fn interrupts_paragraph(rest: &[u8]) -> bool {
    if rest.first() != Some(&b'<') {
        return false;
    }
    rest.starts_with(b"<!--")
        || RAW_ELEMENTS.iter().any(|name| rest[1..].starts_with(name.as_bytes()))
        || block_element_len(rest, false).is_some()
}

/// Whether `rest` begins with a `<…>` that fills its line, which ends a heading by underline.
pub(super) fn fills_line(rest: &[u8]) -> bool {
    let Some((b'<', inner)) = rest.split_first() else { return false };
    let Some(i) = inner.iter().position(|b| matches!(b, b'>' | b'\n')) else { return false };
    i > 0 && inner[i] == b'>' && inner.get(i + 1) == Some(&b'\n')
}

/// Returns the end of the comment at `at` (`<!-->` and `<!--->` are whole ones), or `None` if it
/// is never closed.
pub(super) fn comment_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at + 4..)?;
    if rest.starts_with(b">") {
        return Some(at + 5);
    }
    if rest.starts_with(b"->") {
        return Some(at + 6);
    }
    memmem::find(rest, b"-->").map(|i| at + 4 + i + 3)
}

/// Returns the end of the tag, comment or declaration at `at` in running text.
///
/// What is scanned in vain is taken from `fuel`, and nothing is a tag once that is used up: many
/// openings that never close must not each read the whole text.
pub(super) fn inline_tag_end(text: &str, at: usize, fuel: &mut usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let rest = bytes.get(at..)?;
    if *fuel == 0 {
        return None;
    }
    let found = if rest.starts_with(b"<!--") {
        comment_end(text, at).ok_or(text.len())
    } else if rest.starts_with(b"<?") {
        memmem::find(&rest[2..], b"?>").map(|i| at + 4 + i).ok_or(text.len())
    } else if rest.starts_with(b"<![CDATA[") {
        memmem::find(&rest[9..], b"]]>").map(|i| at + 12 + i).ok_or(text.len())
    } else if rest.starts_with(b"<!") {
        declaration_end(text, at)
    } else if rest.starts_with(b"</") {
        close_tag_end(text, at, true)
    } else {
        open_tag_end(text, at, true)
    };
    match found {
        Ok(end) => Some(end),
        Err(read) => {
            *fuel = fuel.saturating_sub(read.saturating_sub(at));
            None
        }
    }
}

fn declaration_end(text: &str, at: usize) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let name = at + 2 + bytes[at + 2..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
    if name == at + 2 || skip_space(text, name, true) == name {
        return Err(name);
    }
    memchr(b'>', &bytes[name..]).map(|i| name + i + 1).ok_or(text.len())
}

fn close_tag_end(text: &str, at: usize, inline: bool) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    if !bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic) {
        return Err(at + 2);
    }
    let name =
        bytes[at + 2..].iter().take_while(|b| is_name(**b) || (inline && **b == b':')).count();
    let end = skip_space(text, at + 2 + name, true);
    if bytes.get(end) == Some(&b'>') { Ok(end + 1) } else { Err(end) }
}

/// Reads `<name attr=value … >`. In a block the white space is only the space character, and a
/// quoted value stays in its line.
fn open_tag_end(text: &str, at: usize, inline: bool) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    if !bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
        return Err(at + 1);
    }
    let mut pos = at + 1 + bytes[at + 1..].iter().take_while(|b| is_name(**b)).count();
    loop {
        let name = skip_space(text, pos, inline);
        match bytes.get(name) {
            Some(b'>') => return Ok(name + 1),
            Some(b'/') if bytes.get(name + 1) == Some(&b'>') => return Ok(name + 2),
            Some(b) if name > pos && (b.is_ascii_alphabetic() || matches!(b, b':' | b'_')) => {}
            _ => return Err(name),
        }
        let is_attribute = |b: &u8| is_name(*b) || matches!(b, b'.' | b':');
        pos = name + bytes[name..].iter().take_while(|b| is_attribute(b)).count();
        let equals = skip_space(text, pos, inline);
        if bytes.get(equals) != Some(&b'=') {
            continue;
        }
        let value = skip_space(text, equals + 1, inline);
        pos = match bytes.get(value) {
            Some(quote @ (b'"' | b'\'')) => match memchr(*quote, &bytes[value + 1..]) {
                Some(i) if inline || !bytes[value..value + 1 + i].contains(&b'\n') => value + i + 2,
                Some(i) => return Err(value + i + 1),
                None => return Err(text.len()),
            },
            _ => {
                let stops = |c: char| is_js_space(c) || "\"'=<>`".contains(c);
                let end = text[value..].find(stops).map_or(text.len(), |i| value + i);
                if end == value {
                    return Err(value);
                }
                end
            }
        };
    }
}

/// Returns the end of the tag at `at` if it is complete, alone on its line and of an element that
/// isn't raw text.
fn lone_tag_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let closing = bytes.get(at + 1) == Some(&b'/');
    let name = at + 1 + usize::from(closing);
    let is_raw = |raw: &&str| {
        bytes.get(name..name + raw.len()).is_some_and(|n| n.eq_ignore_ascii_case(raw.as_bytes()))
    };
    if RAW_ELEMENTS.iter().any(is_raw) {
        return None;
    }
    let end = if closing { close_tag_end(text, at, false) } else { open_tag_end(text, at, false) };
    let end = end.ok()?;
    let next = bytes[end..].iter().find(|b| !matches!(b, b' ' | b'\t'));
    matches!(next, None | Some(b'\n')).then_some(end)
}

/// Returns the length of `<name` or `</name` if it opens a block by its name.
fn block_element_len(rest: &[u8], any_case: bool) -> Option<usize> {
    let slash = usize::from(rest.get(1) == Some(&b'/'));
    let name = rest.get(1 + slash..)?;
    let len = name.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let (name, after) = name.split_at(len);
    let ends = matches!(after.first(), Some(b' ' | b'\n' | b'>')) || after.starts_with(b"/>");
    let known = ends
        && BLOCK_ELEMENTS
            .iter()
            .map(|element| element.as_bytes())
            .any(|element| element == name || (any_case && element.eq_ignore_ascii_case(name)));
    known.then_some(1 + slash + len)
}

fn raw_element(rest: &[u8]) -> Option<&'static str> {
    RAW_ELEMENTS.into_iter().find(|name| {
        rest.get(1..1 + name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Returns the end of the lines behind `</name>`, or of the text if there is none.
fn closing_tag_end(text: &str, from: usize, name: &str) -> usize {
    let bytes = text.as_bytes();
    let mut pos = from;
    while let Some(i) = memmem::find(&bytes[pos..], b"</") {
        let tag = pos + i + 2;
        let end = tag + name.len();
        let closes = bytes.get(tag..end).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()));
        if closes && bytes.get(end) == Some(&b'>') {
            return skip_newlines(bytes, line_end(bytes, end));
        }
        pos = tag;
    }
    text.len()
}

/// Returns the position behind the first blank lines at or after `from`.
fn blank_line_end(bytes: &[u8], from: usize) -> usize {
    let mut pos = from;
    while let Some(i) = memchr(b'\n', &bytes[pos..]) {
        let mut end = pos + i + 1;
        let first = end;
        loop {
            let blank = bytes[end..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            if bytes.get(end + blank) != Some(&b'\n') {
                break;
            }
            end += blank + 1;
        }
        if end > first {
            return end;
        }
        pos = first;
    }
    bytes.len()
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}

fn skip_space(text: &str, from: usize, any: bool) -> usize {
    let Some(rest) = text.get(from..) else { return from };
    let other = |c: char| if any { !is_js_space(c) } else { c != ' ' };
    rest.find(other).map_or(text.len(), |i| from + i)
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |i| from + i)
}

fn skip_newlines(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take_while(|b| **b == b'\n').count()
}
