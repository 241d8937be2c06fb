//! What a single line can start: the shapes of block structure, read at a line's first byte.
//!
//! Each function takes the whole text and the position of a line start.

use memchr::memchr;

use super::chars::is_js_space;

/// Where in the text a line number was last known, to count on from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineCursor {
    pub(super) pos: usize,
    pub(super) line: usize,
}

impl LineCursor {
    /// Moves forward to `to` and returns its line.
    pub(super) fn advance(&mut self, text: &str, to: usize) -> usize {
        if let Some(passed) = text.as_bytes().get(self.pos..to) {
            self.line += memchr::memchr_iter(b'\n', passed).count();
            self.pos = to;
        }
        self.line
    }
}

/// Returns the position of the next line end, or of the end of the text.
pub(super) fn line_end(bytes: &[u8], from: usize) -> usize {
    memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |i| from + i)
}

/// Returns the start of the next line, or the end of the text.
pub(super) fn next_line(bytes: &[u8], from: usize) -> usize {
    memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |i| from + i + 1)
}

/// Returns the end of the line ends at `from`.
pub(super) fn skip_newlines(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take_while(|b| **b == b'\n').count()
}

/// Returns how many of the bytes from `from` on are spaces.
pub(super) fn spaces(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().take_while(|b| **b == b' ').count()
}

/// Returns the end of the blank lines at `from`, which is `from` if there are none.
pub(super) fn blank_end(bytes: &[u8], from: usize) -> usize {
    let mut end = from;
    while end < bytes.len() {
        let text = end + bytes[end..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        match bytes.get(text) {
            None => return text,
            Some(b'\n') => end = text + 1,
            Some(_) => break,
        }
    }
    end
}

/// Appends a line that goes on with the paragraph before it at every level of lists in between.
///
/// An indent keeps it in all of them, and a form feed behind that marks it; see [`is_lazy`]. The
/// form feed is white space to the host, so it changes nothing about imports.
pub(super) fn push_lazy(text: &mut String, line: &str) {
    text.extend(std::iter::repeat_n(' ', 64));
    text.push('\u{C}');
    text.push_str(line.trim_start_matches([' ', '\t']));
}

/// Whether the line was appended by [`push_lazy`].
pub(super) fn is_lazy(bytes: &[u8], from: usize) -> bool {
    let indent = spaces(bytes, from);
    indent >= 4 && bytes.get(from + indent) == Some(&0xC)
}

/// Returns the end of the blanks at `from`, and of the mark of a lazy line behind them.
pub(super) fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    let blanks = bytes[from..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    from + blanks + usize::from(is_lazy(bytes, from))
}

/// Whether the line is indented as far as code is.
pub(super) fn is_indented_code(bytes: &[u8], from: usize) -> bool {
    let indent = spaces(bytes, from);
    indent >= 4 || bytes.get(from + indent) == Some(&b'\t')
}

/// Returns the end of the indented code at `from`, with the blank lines behind it.
pub(super) fn indented_code_end(bytes: &[u8], from: usize) -> usize {
    let mut end = from;
    while end < bytes.len() && is_indented_code(bytes, end) && !is_lazy(bytes, end) {
        end = blank_end(bytes, next_line(bytes, end));
    }
    end
}

/// Whether `rest`, behind the indent of its line, begins with a code fence of any length.
pub(super) fn is_fence(rest: &[u8]) -> bool {
    rest.starts_with(b"```") || rest.starts_with(b"~~~")
}

/// Returns the end of the fenced code whose fence is at `at`: in front of the line end behind its
/// closing fence, or the end of the text.
pub(super) fn fenced_code_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mark = *bytes.get(at)?;
    if !is_fence(&bytes[at..]) {
        return None;
    }
    let len = run(bytes, at);
    let mut end = line_end(bytes, at);
    if mark == b'`' && bytes[at + len..end].contains(&b'`') {
        return None;
    }
    while end < bytes.len() {
        let line = end + 1;
        end = line_end(bytes, line);
        let indent = spaces(bytes, line);
        let fence = line + indent;
        let marks = bytes[fence..end].iter().take_while(|b| **b == mark).count();
        if indent <= 3 && marks >= len {
            let close = bytes[fence..end].iter().take_while(|b| matches!(b, b'`' | b'~')).count();
            if bytes[fence + close..end].iter().all(|b| *b == b' ') {
                return Some(end);
            }
        }
    }
    Some(end)
}

/// Returns the number of `#` at `at` if they open a heading.
pub(super) fn heading_marks(text: &str, at: usize) -> Option<usize> {
    let marks = text.as_bytes()[at..].iter().take_while(|b| **b == b'#').count();
    let next = text.get(at + marks..)?.chars().next();
    ((1..=6).contains(&marks) && next.is_none_or(is_js_space)).then_some(marks)
}

/// Whether the line at `at` is three or more of one of `-`, `_`, `*` and nothing but blanks
/// between. A tab is a blank unless `only_spaces`.
pub(super) fn is_rule(bytes: &[u8], at: usize, only_spaces: bool) -> bool {
    let Some(mark @ (b'-' | b'_' | b'*')) = bytes.get(at) else { return false };
    let line = &bytes[at..line_end(bytes, at)];
    let blank = |b: u8| b == b' ' || (b == b'\t' && !only_spaces);
    line.iter().all(|b| b == mark || blank(*b)) && line.iter().filter(|b| *b == mark).count() >= 3
}

/// Whether the line is `===` or `---` under a heading's text.
pub(super) fn is_underline(bytes: &[u8], from: usize) -> bool {
    let indent = spaces(bytes, from);
    let Some(mark @ (b'=' | b'-')) = bytes.get(from + indent) else { return false };
    let line = &bytes[from + indent..line_end(bytes, from)];
    let marks = line.iter().take_while(|b| *b == mark).count();
    indent <= 3 && line[marks..].iter().all(|b| *b == b' ')
}

/// Returns the length of the bullet at `at` (`-`, `12.`), whatever follows it.
pub(super) fn bullet(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'*' | b'+' | b'-' => Some(1),
        b'0'..=b'9' => {
            let digits = bytes[at..].iter().take(10).take_while(|b| b.is_ascii_digit()).count();
            let closed = matches!(bytes.get(at + digits), Some(b'.' | b')'));
            (digits <= 9 && closed).then_some(digits + 1)
        }
        _ => None,
    }
}

/// Returns the bullet at `at` if it is followed by a blank or the end of its line.
pub(super) fn item_bullet(bytes: &[u8], at: usize) -> Option<usize> {
    let len = bullet(bytes, at)?;
    matches!(bytes.get(at + len), None | Some(b' ' | b'\t' | b'\n')).then_some(len)
}

/// Returns how often the byte at `at` is repeated.
pub(super) fn run(bytes: &[u8], at: usize) -> usize {
    let Some(first) = bytes.get(at) else { return 0 };
    bytes[at..].iter().take_while(|b| *b == first).count()
}
