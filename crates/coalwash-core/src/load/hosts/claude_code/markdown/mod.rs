//! How Claude Code reads an instruction file: what it sends of the text, and which files the text
//! imports.
//!
//! Before a memory, a rule or an imported file goes into a session, the host takes off the front
//! matter and drops HTML comments that are blocks of their own; and it follows `@path` where that
//! stands in running text. What running text is, it decides by Markdown in the way of its own
//! parser, which departs from CommonMark in many places: code spans in list items are running text,
//! link definitions aren't, and a comment takes the rest of its line with it. So these modules
//! aren't a Markdown parser for any other use; they are held to the recorded answers of the host
//! (`cases.jsonl`), not to a specification.
//!
//! | module | holds |
//! |---|---|
//! | `block`, `list`, `quote`, `definition`, `lines`, `html` | which lines form what |
//! | `inline`, `emphasis` | which parts of a paragraph are running text |
//! | `chars` | character classes |
//!
//! Pure: no IO, no panics. The cost is linear in the text; one without `@` and `<!--` is only
//! searched for them.
//!
//! One known difference: the host loses count by a character behind a backslash in front of an emoji
//! or another symbol above U+FFFF, and pairs `*` and `_` there in other ways.
//!
//! **Not promised:** that an import exists, may be read or is followed. Paths are as written.

mod block;
mod chars;
mod definition;
mod emphasis;
mod html;
mod inline;
mod lines;
mod list;
mod quote;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};

use crate::text::SentLines;
use crate::text::lines::line_of;

use block::{Kind, Lexer, Passage, Piece, Token};
use chars::{is_blank, is_js_space};

/// Which of the host's readings applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// As version 2.1.197 reads. It drops link definitions from a file with a comment, and sends a
    /// file that mentions `<!--` with its line ends as LF.
    V2_1_197,
    /// As version 2.1.332 reads. It takes front matter behind a byte order mark, and leaves a file
    /// alone from which it removes no comment.
    V2_1_332,
}

/// What the host makes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What is sent of the text, before white space around it is trimmed.
    pub sent: String,
    /// The imports, each once, in the order in which the host looks for them.
    pub imports: Vec<Import>,
    /// What looks like an import to a reader and isn't one to the host.
    pub suspects: Vec<Suspect>,
    /// Where in the input the lines of `sent` stand.
    pub lines: SentLines,
    /// Where in the input the text between the fences of the front matter stands.
    pub front_matter: Option<Range<usize>>,
}

/// An `@path` that the host looks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Import {
    /// The path as the host resolves it: without a `#fragment`, with `\ ` as a blank. Punctuation
    /// behind a name is part of the name.
    pub path: String,
    /// The line in the input, from 1.
    pub line: usize,
    /// The import as written, with the `@`.
    pub written: String,
}

/// An `@path` in running text or HTML that the host passes over, because something other than white
/// space stands before the `@` (`(@x.md)`, `"@x.md"`) or because it is in an HTML block.
///
/// # Limitations
///
/// `a@b.md` may as well be an address. Whether there is such a file is for the caller to ask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Suspect {
    /// The path without punctuation, quotes and brackets behind it.
    pub path: String,
    /// The line in the input, from 1.
    pub line: usize,
    /// The part as written, with the `@`.
    pub written: String,
}

/// Returns what the host makes of `text`.
///
/// A text without front matter and comments is passed through without a copy.
pub fn read(text: String, dialect: Dialect) -> Reading {
    let (yaml, start) = match front_matter(&text, dialect) {
        Some((yaml, start)) => (Some(yaml), start),
        None => (None, 0),
    };
    let body = &text[start..];
    let comments = memmem::find(body.as_bytes(), b"<!--").is_some();
    let mut finds = Finds::default();
    let mut sent = None;
    if comments || memchr(b'@', body.as_bytes()).is_some() {
        let unix = unix_lines(body);
        let mut lexer = Lexer::new(dialect, &unix);
        let mut tokens = Vec::new();
        lexer.lex(Piece::document(&unix, 1 + count_lines(&text[..start])), &mut tokens);
        if comments {
            sent = without_comments(&unix, &tokens, dialect);
        }
        finds.read(&Lexer::passages(&unix, tokens), &lexer.labels, unix.len());
    }
    let (sent, lines) = match sent {
        Some(sent) => sent,
        None if start == 0 => (text, SentLines::default()),
        None => (text[start..].to_owned(), SentLines::new([(1, line_of(&text, start))])),
    };
    let Finds { imports, suspects, .. } = finds;
    Reading { sent, imports, suspects, lines, front_matter: yaml }
}

/// Returns where the front matter's text stands and where the body starts, or `None` if the file
/// starts with neither.
///
/// The closing `---` may stand anywhere, even within a line, and the white space behind it goes
/// with it.
pub fn front_matter(text: &str, dialect: Dialect) -> Option<(Range<usize>, usize)> {
    let mark = match dialect {
        Dialect::V2_1_332 if text.starts_with("\u{FEFF}---") => '\u{FEFF}'.len_utf8(),
        _ => 0,
    };
    let rest = text[mark..].strip_prefix("---")?;
    let blank = rest.len() - rest.trim_start_matches(is_js_space).len();
    let yaml = mark + 3 + rest[..blank].rfind('\n')? + 1;
    let close = yaml + memmem::find(&text.as_bytes()[yaml..], b"---")?;
    let body = text[close + 3..].trim_start_matches(is_js_space);
    Some((yaml..close, text.len() - body.len()))
}

/// Returns the text without its comments, or `None` if the host sends it as it is.
fn without_comments(text: &str, tokens: &[Token], dialect: Dialect) -> Option<(String, SentLines)> {
    let mut marks = Vec::new();
    let mut line = 1;
    let mut sent = String::with_capacity(text.len());
    let mut changed = dialect == Dialect::V2_1_197;
    for token in tokens {
        let raw = token.raw(text);
        if token.kind == Kind::Html && is_comment(raw) {
            changed = true;
            let (rest, places) = strip_comments(raw, token.line);
            if !is_blank(&rest) {
                marks.extend(places.iter().map(|(at, to)| (line + count_lines(&rest[..*at]), *to)));
                line += count_lines(&rest);
                sent.push_str(&rest);
            }
        } else {
            marks.push((line, token.line));
            line += count_lines(raw);
            sent.push_str(raw);
        }
    }
    changed.then(|| (sent, SentLines::new(marks)))
}

/// Whether HTML is taken for a comment, by how it starts.
fn is_comment(html: &str) -> bool {
    html.trim_start_matches(is_js_space).starts_with("<!--") && html.contains("-->")
}

/// Returns `html` without comments, and at which positions in it which lines go on.
fn strip_comments(html: &str, line: usize) -> (String, Vec<(usize, usize)>) {
    let (mut rest, mut marks) = (String::new(), vec![(0, line)]);
    let (mut pos, mut line) = (0, line);
    while let Some(open) = memmem::find(&html.as_bytes()[pos..], b"<!--").map(|i| pos + i) {
        let Some(close) = memmem::find(&html.as_bytes()[open + 4..], b"-->") else { break };
        let end = open + 4 + close + 3;
        rest.push_str(&html[pos..open]);
        line += count_lines(&html[pos..end]);
        marks.push((rest.len(), line));
        pos = end;
    }
    rest.push_str(&html[pos..]);
    (rest, marks)
}

/// The imports and suspects found so far.
#[derive(Default)]
struct Finds {
    imports: Vec<Import>,
    suspects: Vec<Suspect>,
    /// Paths of imports and of suspects, of which only the first of each is kept: the host takes a
    /// file once.
    imported: HashSet<String>,
    suspected: HashSet<String>,
}

impl Finds {
    fn read(&mut self, passages: &[Passage], labels: &HashSet<String>, len: usize) {
        let mut fuel = len.saturating_mul(64).saturating_add(1 << 20);
        for passage in passages {
            let (text, line) = (passage.text.as_str(), passage.line);
            if passage.kind == Kind::Html {
                if is_comment(text) {
                    let (rest, marks) = strip_comments(text, line);
                    self.stretch(&rest, &marks, true);
                } else {
                    self.html(text, line);
                }
                continue;
            }
            if passage.kind == Kind::Text {
                self.stretch(text, &[(0, line)], false);
            }
            let found = &mut |text: &str, line: usize| self.stretch(text, &[(0, line)], true);
            inline::stretches(text, line, labels, &mut fuel, found);
        }
        let imports: HashSet<_> = self.imports.iter().map(|i| i.written.as_str()).collect();
        self.suspects.retain(|s| !imports.contains(s.written.as_str()));
    }

    /// Reads one stretch of running text, of which `marks` say which line goes on where.
    fn stretch(&mut self, text: &str, marks: &[(usize, usize)], suspects: bool) {
        let bytes = text.as_bytes();
        let mut lines = block_lines(text, marks);
        let mut pos = 0;
        while let Some(at) = memchr(b'@', &bytes[pos..]).map(|i| pos + i) {
            let free = text[..at].chars().next_back().is_none_or(is_js_space);
            let end = if free { path_end(text, at + 1) } else { suspect_end(text, at + 1) };
            pos = end;
            let written = &text[at..end];
            if free {
                if let Some(path) = import_path(&written[1..]) {
                    self.import(path, lines(at), written);
                }
            } else if suspects {
                self.suspect(lines(at), written);
            }
        }
    }

    /// Reads an HTML block, in which the host sees no imports.
    fn html(&mut self, text: &str, line: usize) {
        let marks = [(0, line)];
        let mut lines = block_lines(text, &marks);
        for at in memchr_iter(b'@', text.as_bytes()) {
            let free = text[..at].chars().next_back().is_none_or(|c| is_js_space(c) || c == '>');
            if free {
                self.suspect(lines(at), &text[at..suspect_end(text, at + 1)]);
            }
        }
    }

    fn suspect(&mut self, line: usize, written: &str) {
        if let Some(path) = suspect_path(&written[1..])
            && self.suspected.insert(path.clone())
        {
            self.suspects.push(Suspect { path, line, written: written.to_owned() });
        }
    }

    fn import(&mut self, path: String, line: usize, written: &str) {
        if self.imported.insert(path.clone()) {
            self.imports.push(Import { path, line, written: written.to_owned() });
        }
    }
}

/// Returns a function from ascending positions in `text` to their lines.
fn block_lines<'a>(text: &'a str, marks: &'a [(usize, usize)]) -> impl FnMut(usize) -> usize + 'a {
    let mut marks = marks.iter().copied().peekable();
    let mut cursor = lines::LineCursor { pos: 0, line: 1 };
    move |at| {
        while let Some((pos, line)) = marks.next_if(|(pos, _)| *pos <= at) {
            cursor = lines::LineCursor { pos, line };
        }
        cursor.advance(text, at)
    }
}

/// Returns the end of the path that starts at `from`: white space or a backslash, unless the two
/// are a blank written as `\ `.
fn path_end(text: &str, from: usize) -> usize {
    let mut rest = text[from..].char_indices();
    while let Some((i, c)) = rest.next() {
        if is_js_space(c) || (c == '\\' && !text[from + i + 1..].starts_with(' ')) {
            return from + i;
        }
        if c == '\\' {
            rest.next();
        }
    }
    text.len()
}

/// Returns the end of what may be meant as a path from `from` on. It ends at the next `@`, so that no
/// text is part of two.
fn suspect_end(text: &str, from: usize) -> usize {
    let ends = |c: char| is_js_space(c) || matches!(c, '\\' | '@' | '<');
    text[from..].find(ends).map_or(text.len(), |i| from + i)
}

/// Returns the path the host makes of what stands behind an `@`, or `None` if it is no path to it.
fn import_path(written: &str) -> Option<String> {
    let name = written.split('#').next().unwrap_or_default();
    let path = name.replace("\\ ", " ");
    let first = path.chars().next()?;
    let is_path = path.starts_with("./")
        || path.starts_with("~/")
        || (first == '/' && path != "/")
        || first.is_ascii_alphanumeric()
        || matches!(first, '.' | '_' | '-');
    is_path.then(|| path.trim_matches(is_js_space).to_owned())
}

/// Returns the path that was likely meant, without what belongs to the sentence.
fn suspect_path(written: &str) -> Option<String> {
    let closing = |c: char| {
        c.is_ascii_punctuation() && !matches!(c, '/' | '\\') || "’”»…。，、）".contains(c)
    };
    import_path(written.trim_end_matches(closing)).filter(|path| !path.is_empty())
}

/// Returns `text` with all line ends as LF, as the host reads it.
fn unix_lines(text: &str) -> Cow<'_, str> {
    if memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Returns how many lines end in `text`, by LF, CRLF or CR.
fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let lone = memchr_iter(b'\r', bytes).filter(|i| bytes.get(i + 1) != Some(&b'\n')).count();
    memchr_iter(b'\n', bytes).count() + lone
}
