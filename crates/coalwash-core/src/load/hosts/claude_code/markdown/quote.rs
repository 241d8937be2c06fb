//! Block quotes, and the lazy lines behind them.
//!
//! A quote is read in runs: lines with a `>`, then lines without, and so on. What the lines without
//! belong to depends on what the run before them ended with. Where that is a list, the host puts the
//! text of the quote back together from parts that don't quite fit; what follows the quote and what
//! is sent then differ from the file by some characters, and so they do here.

use super::Dialect;
use super::block::{Kind, Lexer, Passage, Piece, Token, matters, paragraph_end};
use super::chars::is_blank;
use super::html;
use super::lines::*;

/// A quote, as far as the host takes it.
#[derive(Debug)]
pub(super) struct Quote {
    pub(super) end: usize,
    pub(super) bent: Option<String>,
    pub(super) passages: Vec<Passage>,
    /// See [`Token::open_end`].
    pub(super) inner_end: Option<Kind>,
}

/// Reads the quote that starts at `pos` of `piece`.
pub(super) fn read(lexer: &mut Lexer, piece: Piece<'_>, pos: usize, line: usize) -> Quote {
    let source = piece.text;
    if lexer.dialect == Dialect::V2_1_332 {
        return read_strict(lexer, piece, pos, line);
    }
    let end = extent(source, pos);
    let region = source[pos..end].trim_end_matches('\n');
    if region.split('\n').all(|line| mark(line).is_some()) {
        let end = pos + region.len();
        if !matters(region) {
            return Quote { end, bent: None, passages: Vec::new(), inner_end: None };
        }
        let mut text = String::with_capacity(region.len());
        push_unquoted(&mut text, region);
        let mut tokens = Vec::new();
        lexer.nested(inner(&text, 0, line, false, piece.depth), &mut tokens);
        return Quote {
            end,
            bent: None,
            passages: Lexer::passages(&text, tokens),
            inner_end: None,
        };
    }
    let (raw, passages) = read_lazy(lexer, region, line, piece.depth);
    if region.starts_with(&raw) {
        return Quote { end: pos + raw.len(), bent: None, passages, inner_end: None };
    }
    let end = pos + prefix_of_units(&source[pos..], raw.encode_utf16().count());
    Quote { end, bent: Some(raw), passages, inner_end: None }
}

/// Reads a quote as version 2.1.332 does, which is as CommonMark has it: a line without `>` belongs
/// to the quote if the quote ends in a paragraph, however deep, and the line starts nothing itself.
fn read_strict(lexer: &mut Lexer, piece: Piece<'_>, pos: usize, line: usize) -> Quote {
    let source = piece.text;
    let (mut text, mut tokens, mut end) = (String::new(), Vec::<Token>::new(), pos);
    loop {
        let start = end;
        end = lines_while(source, end, |line| mark(line).is_some());
        append_line(&mut text);
        push_unquoted(&mut text, source[start..end].trim_end_matches('\n'));
        if end == source.len() {
            break;
        }
        // The next line can only be lazy if it isn't blank and starts no block.
        let more = lines_while(source, end, |line| !starts_block(line));
        if more == end {
            break;
        }
        if open_end(lexer, &text, &mut tokens, line, piece.depth).is_none() {
            break;
        }
        for line in source[end..more].lines() {
            append_line(&mut text);
            push_lazy(&mut text, line);
        }
        end = more;
        if end == source.len() || mark(&source[end..]).is_none() {
            break;
        }
    }
    let (mut passages, mut inner_end) = (Vec::new(), None);
    if lexer.ends() || matters(&text) {
        relex(lexer, &text, &mut tokens, line, piece.depth);
        inner_end = tokens.last().and_then(Token::open_end).filter(|_| !ends_blank(&text));
        passages = Lexer::passages(&text, tokens);
    }
    let line_end = usize::from(source[pos..end].ends_with('\n'));
    Quote { end: end - line_end, bent: None, passages, inner_end }
}

fn append_line(text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
}

/// Returns the end of the lines from `from` on for which `holds`.
fn lines_while(source: &str, from: usize, holds: impl Fn(&str) -> bool) -> usize {
    let mut pos = from;
    while pos < source.len() {
        let end = line_end(source.as_bytes(), pos);
        if !holds(&source[pos..end]) {
            break;
        }
        pos = (end + 1).min(source.len());
    }
    pos
}

/// Whether a line without `>` ends the quote before it: a blank line, or one that starts a block.
fn starts_block(line: &str) -> bool {
    let bytes = line.as_bytes();
    let indent = spaces(bytes, 0);
    if is_blank(line) {
        return true;
    }
    if is_indented_code(bytes, 0) {
        return false;
    }
    mark(line).is_some()
        || is_rule(bytes, indent, false)
        || heading_marks(line, indent).is_some()
        || item_bullet(bytes, indent).is_some()
        || fenced_code_end(bytes, indent).is_some()
        || html::opens_block(line, indent)
}

/// Reads the last token again, with what was appended to the text.
fn relex(lexer: &mut Lexer, text: &str, tokens: &mut Vec<Token>, line: usize, depth: usize) {
    let last = tokens.pop();
    let (from, line) = last.map_or((0, line), |last| (last.start, last.line));
    lexer.nested(inner(text, from, line, false, depth), tokens);
}

/// Returns what the text ends with, if that is something a lazy line can go on with.
fn open_end(
    lexer: &mut Lexer,
    text: &str,
    tokens: &mut Vec<Token>,
    line: usize,
    depth: usize,
) -> Option<Kind> {
    if ends_blank(text) {
        return None;
    }
    let text = text.trim_end_matches([' ', '\t']);
    lexer.reading_ends(|lexer| relex(lexer, text, tokens, line, depth));
    tokens.last().and_then(Token::open_end)
}

fn ends_blank(text: &str) -> bool {
    is_blank(text.rsplit('\n').next().unwrap_or_default())
}

/// Reads a quote some of whose lines have no `>`. Returns the host's idea of its raw text, and what
/// to read in it.
fn read_lazy(lexer: &mut Lexer, region: &str, line: usize, depth: usize) -> (String, Vec<Passage>) {
    let (mut raw, mut text, mut tokens) = (String::new(), String::new(), Vec::<Token>::new());
    let mut added = Vec::new();
    let mut source = region.to_owned();
    let (mut at, mut line) = (0, line);
    loop {
        let end = run_end(&source, at);
        let run = &source[at..end];
        if !raw.is_empty() {
            raw.push('\n');
        }
        raw.push_str(run);
        if !text.is_empty() {
            text.push('\n');
        }
        let from = text.len();
        push_unquoted(&mut text, run);
        let run_lines = run.matches('\n').count();
        lexer.nested(inner(&text, from, line, true, depth), &mut tokens);
        line += run_lines;
        if end == source.len() {
            break;
        }
        let last = match tokens.last() {
            Some(last) if last.kind == Kind::Code => break,
            Some(last) if matches!(last.kind, Kind::Quote | Kind::List) => last,
            _ => {
                at = end + 1;
                line += 1;
                continue;
            }
        };
        let old = last.raw(&text).to_owned();
        let (kind, start, first_line) = (last.kind, last.start, last.line);
        let joined = format!("{old}{}", &source[end..]);
        if !lexer.spend(joined.len()) {
            break;
        }
        let joint = first_line + old.matches('\n').count();
        if let Some(lines) = joint.checked_sub(line).filter(|lines| *lines > 0) {
            added.push((joint, lines));
        }
        tokens.pop();
        let again = inner(&joined, 0, first_line, false, depth);
        let mut token = Token::read(lexer, again, kind);
        let new = token.raw(&joined).to_owned();
        let cut = suffix_of_units(&raw, old.encode_utf16().count());
        raw.truncate(cut);
        raw.push_str(&new);
        text.truncate(start);
        text.push_str(&new);
        token.moved(start, text.len(), new.clone());
        tokens.push(token);
        if kind == Kind::Quote {
            break;
        }
        line = first_line + new.matches('\n').count();
        at = prefix_of_units(&joined, new.encode_utf16().count());
        source = joined;
    }
    let mut passages = Lexer::passages(&text, tokens);
    for (line, lines) in added.into_iter().rev() {
        passages.iter_mut().for_each(|passage| without_lines(passage, line, lines));
    }
    (raw, passages)
}

/// Takes back `lines` line ends in front of `line`, which the host added and the file doesn't have.
fn without_lines(passage: &mut Passage, line: usize, lines: usize) {
    if passage.line >= line {
        passage.line -= lines;
        return;
    }
    let mut ends = passage.text.match_indices('\n').map(|(at, _)| at);
    let behind = line - passage.line;
    if let Some(first) = ends.nth(behind.saturating_sub(lines))
        && passage.text[first..].starts_with(&"\n".repeat(lines))
    {
        passage.text.replace_range(first..first + lines, "");
    }
}

fn inner(text: &str, from: usize, line: usize, lazy: bool, depth: usize) -> Piece<'_> {
    Piece { text, from, line, paragraphs: true, lazy, depth: depth + 1 }
}

/// Returns the end of the quote at `from`: of its lines with `>` and the paragraphs they start.
fn extent(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut pos = from;
    while pos < bytes.len() {
        let Some(mark) = mark(&text[pos..line_end(bytes, pos)]) else { break };
        let mut content = pos + mark;
        content += usize::from(bytes.get(content) == Some(&b' '));
        let empty = matches!(bytes.get(content), None | Some(b'\n'));
        let end = if empty { content } else { paragraph_end(text, content) };
        pos = (end + 1).min(bytes.len());
    }
    pos
}

/// Returns the end of the run at `from`: lines without a `>`, then lines with one.
fn run_end(source: &str, from: usize) -> usize {
    let (mut pos, mut quoted) = (from, false);
    loop {
        let end = line_end(source.as_bytes(), pos);
        if mark(&source[pos..end]).is_some() {
            quoted = true;
        } else if quoted {
            return pos - 1;
        }
        if end == source.len() {
            return end;
        }
        pos = end + 1;
    }
}

/// Returns the length of the mark at the start of a line of a quote, or `None` if it has none.
fn mark(line: &str) -> Option<usize> {
    let indent = spaces(line.as_bytes(), 0);
    (indent <= 3 && line.as_bytes().get(indent) == Some(&b'>')).then_some(indent + 1)
}

/// Appends the lines of `run` without their marks.
fn push_unquoted(text: &mut String, run: &str) {
    for (i, line) in run.split('\n').enumerate() {
        if i > 0 {
            text.push('\n');
        }
        if let Some(mark) = mark(line) {
            let content = &line[mark..];
            text.push_str(content.strip_prefix([' ', '\t']).unwrap_or(content));
        } else if i > 0 && is_underline(line.as_bytes(), 0) {
            // A lazy `===` doesn't make a heading of the quoted line above.
            text.push_str("    ");
            text.push_str(line.trim_start_matches(' '));
        } else {
            text.push_str(line);
        }
    }
}

/// Returns the length in bytes of the first `units` UTF-16 units of `text`.
fn prefix_of_units(text: &str, units: usize) -> usize {
    let mut left = units;
    for (i, c) in text.char_indices() {
        if left < c.len_utf16() {
            return i;
        }
        left -= c.len_utf16();
    }
    text.len()
}

/// Returns where the last `units` UTF-16 units of `text` start.
fn suffix_of_units(text: &str, units: usize) -> usize {
    let mut left = units;
    for (i, c) in text.char_indices().rev() {
        if left < c.len_utf16() {
            return i + c.len_utf8();
        }
        left -= c.len_utf16();
    }
    0
}
