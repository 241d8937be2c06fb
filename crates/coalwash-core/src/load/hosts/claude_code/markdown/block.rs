//! Block structure: which lines form a heading, a list, code, a quote.
//!
//! [`Lexer::lex`] cuts a text into [`Token`]s that follow each other without gaps. What stands in a
//! list item or a quote is cut again, as a text of its own with the indent or the `>` removed; that
//! keeps lines whole, so a line number is the first line of the text plus the line ends passed.
//!
//! The work is linear: every text is passed once per level, levels end at [`MAX_DEPTH`], and what
//! has to be read a second time (the lazy lines of a quote) is paid for from a budget. What lies
//! deeper, or comes when the budget is spent, is kept as text without imports.

use std::collections::HashSet;

use memchr::{memchr, memmem};

use super::Dialect;
use super::definition::{definition, normal_label};
use super::html;
use super::lines::*;
use super::list::Item;

/// The number of lists and quotes inside each other whose content is read.
const MAX_DEPTH: usize = 64;

/// What a stretch of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Code,
    Heading,
    Rule,
    Quote,
    List,
    Html,
    Definition,
    Paragraph,
    /// A line of a list item that isn't anything else. The host reads it twice: as it is written,
    /// and as running text.
    Text,
}

/// A stretch of the text, from one token to the next.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The running text in it: behind the marks of a heading, above its underline.
    text: (usize, usize),
    /// What the host has for the raw text, where that isn't what stands in the file.
    bent: Option<String>,
    pub(super) line: usize,
    /// What to read for imports in the content of a list or quote.
    inner: Vec<Passage>,
    /// What the last item of a list, or a quote, ends with; see [`Token::open_end`].
    inner_end: Option<Kind>,
}

impl Token {
    fn new(kind: Kind, start: usize, end: usize, line: usize) -> Self {
        Self {
            kind,
            start,
            end,
            text: (start, end),
            bent: None,
            line,
            inner: Vec::new(),
            inner_end: None,
        }
    }

    /// Returns the text of the token as the host puts it back together.
    pub(super) fn raw<'a>(&'a self, text: &'a str) -> &'a str {
        self.bent.as_deref().unwrap_or(text.get(self.start..self.end).unwrap_or_default())
    }

    /// Appends a line end, which the host does for a single blank at the end of a text too.
    fn push_newline(&mut self, text: &str, at: usize) {
        if self.bent.is_none() && self.end == at && text.as_bytes().get(at) == Some(&b'\n') {
            self.end = at + 1;
            return;
        }
        let raw = self.raw(text).to_owned() + "\n";
        self.bent = Some(raw);
    }

    /// Lets the token reach to `end`: a lazy line, or one that only looked like something else.
    fn grow(&mut self, end: usize) {
        self.end = end;
        self.text.1 = end;
    }

    /// Reads a text as one list or quote, which `kind` says.
    pub(super) fn read(lexer: &mut Lexer, piece: Piece<'_>, kind: Kind) -> Self {
        let token = match kind {
            Kind::List => lexer.list(piece, 0, piece.line),
            _ => Some(lexer.quote(piece, 0, piece.line)),
        };
        token.unwrap_or_else(|| Self::new(kind, 0, 0, piece.line))
    }

    /// Places the token in another text, where its raw text is `raw`.
    pub(super) fn moved(&mut self, start: usize, end: usize, raw: String) {
        (self.start, self.end, self.text) = (start, end, (start, end));
        self.bent = Some(raw);
    }

    /// Returns the kind of what the token ends with, if it may go on in a line without its marks.
    pub(super) fn open_end(&self) -> Option<Kind> {
        match self.kind {
            Kind::Paragraph | Kind::Text | Kind::Definition => Some(self.kind),
            Kind::List | Kind::Quote => self.inner_end,
            _ => None,
        }
    }

    fn takes_lines(&self) -> bool {
        matches!(self.kind, Kind::Paragraph | Kind::Text)
    }
}

/// A text in which imports may stand, in the order in which the host follows them.
#[derive(Debug)]
pub(super) struct Passage {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) line: usize,
}

/// A text, or the rest of one, to be cut into tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) from: usize,
    pub(super) line: usize,
    /// Whether running text forms paragraphs. In a list item it does so only behind a nested list.
    pub(super) paragraphs: bool,
    /// Whether a paragraph at the start goes on with the last one.
    pub(super) lazy: bool,
    pub(super) depth: usize,
}

impl<'a> Piece<'a> {
    /// Returns a piece that is a whole document.
    pub(super) fn document(text: &'a str, line: usize) -> Self {
        Self { text, from: 0, line, paragraphs: true, lazy: false, depth: 0 }
    }
}

/// Cuts texts into tokens, and collects the labels of the link definitions it meets.
#[derive(Debug)]
pub(super) struct Lexer {
    pub(super) dialect: Dialect,
    pub(super) labels: HashSet<String>,
    /// How many bytes of nested text may still be read.
    fuel: usize,
    /// Whether it matters what lists and quotes end with.
    ends: bool,
}

impl Lexer {
    pub(super) fn new(dialect: Dialect, text: &str) -> Self {
        let fuel = text.len().saturating_mul(64).saturating_add(1 << 20);
        Self { dialect, labels: HashSet::new(), fuel, ends: false }
    }

    /// Appends the tokens of `piece` to `tokens`.
    pub(super) fn lex(&mut self, piece: Piece<'_>, tokens: &mut Vec<Token>) {
        let (text, bytes) = (piece.text, piece.text.as_bytes());
        let mut lines = LineCursor { pos: piece.from, line: piece.line };
        let (mut paragraphs, mut lazy) = (piece.paragraphs, piece.lazy);
        let mut no_underline = 0;
        let mut pos = piece.from;
        while pos < bytes.len() {
            let line = lines.advance(text, pos);
            let blank = blank_end(bytes, pos);
            if blank > pos {
                match tokens.last_mut() {
                    Some(last) if blank - pos == 1 => last.push_newline(text, pos),
                    _ => tokens.push(Token::new(Kind::Blank, pos, blank, line)),
                }
                pos = blank;
                continue;
            }
            if is_indented_code(bytes, pos) && !is_lazy(bytes, pos) {
                let end = indented_code_end(bytes, pos);
                match tokens.last_mut() {
                    Some(last) if last.takes_lines() => last.grow(end),
                    _ => tokens.push(Token::new(Kind::Code, pos, end, line)),
                }
                pos = end;
                continue;
            }
            if let Some(token) = self.marked(piece, pos, line) {
                pos = token.end;
                paragraphs |= token.kind == Kind::List;
                match tokens.last_mut() {
                    Some(last) if token.kind == Kind::Definition && last.takes_lines() => {
                        last.grow(token.end);
                    }
                    _ => self.push(token, text, tokens),
                }
                continue;
            }
            if let Some((text_end, end)) = underlined(text, pos, &mut no_underline) {
                let mut token = Token::new(Kind::Heading, pos, end, line);
                token.text.1 = text_end;
                tokens.push(token);
                pos = end;
                continue;
            }
            let kind = if paragraphs { Kind::Paragraph } else { Kind::Text };
            let end = if paragraphs { paragraph_end(text, pos) } else { line_end(bytes, pos) };
            let joins = !paragraphs || std::mem::take(&mut lazy);
            match tokens.last_mut() {
                Some(last) if joins && last.kind == kind => last.grow(end),
                _ => tokens.push(Token::new(kind, pos, end, line)),
            }
            pos = end;
        }
    }

    /// Returns what to read for imports in `tokens`, in the host's order.
    pub(super) fn passages(text: &str, tokens: Vec<Token>) -> Vec<Passage> {
        let mut passages = Vec::new();
        for mut token in tokens {
            let (start, end) = token.text;
            let part = text.get(start..end).unwrap_or_default();
            match token.kind {
                Kind::List | Kind::Quote => passages.append(&mut token.inner),
                Kind::Paragraph | Kind::Text | Kind::Heading | Kind::Html
                    if memchr(b'@', part.as_bytes()).is_some() =>
                {
                    let passage =
                        Passage { kind: token.kind, text: part.to_owned(), line: token.line };
                    passages.push(passage);
                }
                _ => {}
            }
        }
        passages
    }

    /// Whether it matters what lists and quotes end with.
    pub(super) fn ends(&self) -> bool {
        self.ends
    }

    /// Lets `read` read so that [`Token::open_end`] is known, which takes longer.
    pub(super) fn reading_ends(&mut self, read: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.ends, true);
        read(self);
        self.ends = before;
    }

    /// Reads a text inside a list item or a quote, if it is worth it and within the limits.
    pub(super) fn nested(&mut self, piece: Piece<'_>, tokens: &mut Vec<Token>) {
        let len = piece.text.len().saturating_sub(piece.from);
        if piece.depth <= MAX_DEPTH && self.spend(len) {
            self.lex(piece, tokens);
        }
    }

    /// Takes `bytes` from the budget for nested text, if it has as many.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        let left = self.fuel.checked_sub(bytes);
        self.fuel = left.unwrap_or_default();
        left.is_some()
    }

    /// Returns the token that the first characters of the line at `pos` announce.
    fn marked(&mut self, piece: Piece<'_>, pos: usize, line: usize) -> Option<Token> {
        let (text, bytes) = (piece.text, piece.text.as_bytes());
        let lazy = is_lazy(bytes, pos);
        let at = pos + spaces(bytes, pos) + usize::from(lazy);
        let token = |kind, end| Some(Token::new(kind, pos, end, line));
        match bytes.get(at)? {
            b'[' => token(Kind::Definition, definition(text, at)?.1),
            _ if lazy => None,
            b'`' | b'~' => token(Kind::Code, fenced_code_end(bytes, at)?),
            b'#' => {
                let marks = heading_marks(text, at)?;
                let text_end = line_end(bytes, at);
                if has_line_separator(text.get(at..text_end)?) {
                    return None;
                }
                let mut token =
                    Token::new(Kind::Heading, pos, skip_newlines(bytes, text_end), line);
                token.text = ((at + marks).min(text_end), text_end);
                Some(token)
            }
            b'-' | b'_' | b'*' if is_rule(bytes, at, false) => {
                token(Kind::Rule, skip_newlines(bytes, line_end(bytes, at)))
            }
            b'-' | b'*' | b'+' | b'0'..=b'9' => self.list(piece, pos, line),
            b'>' => Some(self.quote(piece, pos, line)),
            b'<' => token(Kind::Html, html::block_end(text, at)?),
            _ => None,
        }
    }

    fn push(&mut self, token: Token, text: &str, tokens: &mut Vec<Token>) {
        if token.kind == Kind::Definition {
            let at =
                token.start + memchr(b'[', &text.as_bytes()[token.start..]).unwrap_or_default();
            let label = definition(text, at).map(|(label, _)| normal_label(label));
            if let Some(label) = label {
                self.labels.insert(label);
            }
            if self.dialect == Dialect::V2_1_197 {
                return;
            }
        }
        tokens.push(token);
    }

    fn list(&mut self, piece: Piece<'_>, pos: usize, line: usize) -> Option<Token> {
        let text = piece.text;
        let part = text.get(pos..)?;
        let wanted = (self.ends || matters(part)) && piece.depth < MAX_DEPTH;
        let list = super::list::scan(text, pos, wanted)?;
        let mut token = Token::new(Kind::List, pos, list.end, line);
        (token.inner, token.inner_end) = self.items(list.items, line, piece.depth);
        Some(token)
    }

    /// Reads the content of the items of a list for imports and link definitions.
    fn items(
        &mut self,
        items: Vec<Item>,
        line: usize,
        depth: usize,
    ) -> (Vec<Passage>, Option<Kind>) {
        let (mut passages, mut end) = (Vec::new(), None);
        for item in items {
            let content = Piece {
                text: &item.text,
                from: 0,
                line: line + item.line,
                paragraphs: false,
                lazy: false,
                depth: depth + 1,
            };
            end = None;
            if self.ends || matters(&item.text) {
                let mut tokens = Vec::new();
                self.nested(content, &mut tokens);
                end = tokens.last().and_then(Token::open_end);
                passages.append(&mut Self::passages(&item.text, tokens));
            }
        }
        (passages, end)
    }

    fn quote(&mut self, piece: Piece<'_>, pos: usize, line: usize) -> Token {
        let quote = super::quote::read(self, piece, pos, line);
        let mut token = Token::new(Kind::Quote, pos, quote.end, line);
        token.bent = quote.bent;
        token.inner = quote.passages;
        token.inner_end = quote.inner_end;
        token
    }
}

/// Whether there can be an import or a link definition in `text`.
pub(super) fn matters(text: &str) -> bool {
    memchr(b'@', text.as_bytes()).is_some() || memmem::find(text.as_bytes(), b"]:").is_some()
}

/// Returns the end of the paragraph at `from`, in front of the line end.
pub(super) fn paragraph_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = line_end(bytes, from);
    while end < bytes.len() {
        let line = end + 1;
        if interrupts(text, line) {
            break;
        }
        end = line_end(bytes, line);
    }
    end
}

/// Whether the line at `from` can't be part of a paragraph before it.
fn interrupts(text: &str, from: usize) -> bool {
    let bytes = text.as_bytes();
    let Some(first) = bytes.get(from) else { return true };
    if first.is_ascii_alphabetic() || !first.is_ascii() {
        return false;
    }
    let indent = spaces(bytes, from);
    let at = from + indent;
    let rest = &bytes[at..];
    match rest.first() {
        Some(b'\n') => return true,
        Some(b'<') if indent == 0 => return html::interrupts_paragraph(rest),
        _ if indent > 3 => return false,
        _ => {}
    }
    match rest.first() {
        Some(b'-' | b'_' | b'*') if is_rule(bytes, at, false) => true,
        Some(b'-' | b'*' | b'+') => rest.get(1) == Some(&b' '),
        Some(b'1') => matches!(rest, [_, b'.' | b')', b' ', ..]),
        Some(b'#') => heading_marks(text, at).is_some(),
        Some(b'>') => true,
        Some(b'`' | b'~') if is_fence(rest) => {
            let end = line_end(rest, 0);
            let info = &rest[run(rest, 0).min(end)..end];
            end < rest.len() && (rest[0] == b'~' || !info.contains(&b'`'))
        }
        _ => false,
    }
}

/// Returns the end of a heading's text and of the heading, if the lines at `from` are underlined.
///
/// `none_before` is where an earlier search ended in vain, so that one document isn't searched
/// from each of its lines.
fn underlined(text: &str, from: usize, none_before: &mut usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if from < *none_before {
        return None;
    }
    let mut line = from;
    loop {
        let end = line_end(bytes, line);
        let stops = ends_underlined(text, line);
        if stops || end == bytes.len() || has_line_separator(text.get(line..end)?) {
            *none_before = if stops { line } else { end };
            return None;
        }
        if is_underline(bytes, end + 1) {
            return Some((end, skip_newlines(bytes, line_end(bytes, end + 1))));
        }
        line = end + 1;
    }
}

/// Whether the line at `from` can't be in the text of an underlined heading.
fn ends_underlined(text: &str, from: usize) -> bool {
    let bytes = text.as_bytes();
    match bytes.get(from) {
        Some(b) if b.is_ascii_alphabetic() => return false,
        None => return false,
        _ => {}
    }
    let indent = spaces(bytes, from);
    let rest = &bytes[from + indent..];
    let blank = || {
        let end = line_end(bytes, from);
        end < bytes.len() && text.get(from..end).is_some_and(super::chars::is_blank)
    };
    is_indented_code(bytes, from)
        || matches!(rest.first(), Some(b'>' | b'#'))
        || is_fence(rest)
        || html::fills_line(rest)
        || bullet(bytes, from).is_some_and(|len| bytes.get(from + len) == Some(&b' '))
        || blank()
}

/// Whether `text` holds a character at which the host's `.` stops besides the line end.
fn has_line_separator(text: &str) -> bool {
    memmem::find(text.as_bytes(), "\u{2028}".as_bytes()).is_some()
        || memmem::find(text.as_bytes(), "\u{2029}".as_bytes()).is_some()
}
