//! The lines of a text: which of them may go, and what is left without some.

use pulldown_cmark::{Event, Parser, Tag};
use std::ops::Range;

use crate::load::repeats::DIALECT;

/// Blank lines in a row that stay.
///
/// Source: `CoalWash` 1.x.
const BLANKS: usize = 2;

/// A text as lines. They end with LF, CRLF or CR, which are part of them.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) text: &'a str,
    pub(super) lines: Vec<Line>,
    /// Where the Markdown begins.
    pub(super) body: usize,
}

/// One line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) at: Range<usize>,
    /// It says what it says by every byte: front matter, code or HTML.
    pub(super) verbatim: bool,
    /// It may not go.
    pub(super) kept: bool,
    /// It is part of an HTML block.
    pub(super) html: bool,
    /// White space at its end means something.
    end_counts: bool,
}

impl<'a> Layout<'a> {
    pub(super) fn read(text: &'a str, body: usize) -> Self {
        let mut layout = Self { text, lines: split(text), body };
        layout.mark(0..body, |line| line.verbatim = true);
        for (event, at) in Parser::new_ext(&text[body..], DIALECT).into_offset_iter() {
            let at = body + at.start..body + at.end;
            match event {
                Event::Start(Tag::CodeBlock(_)) => layout.mark(at, |line| line.verbatim = true),
                Event::Start(Tag::HtmlBlock) => layout.mark(at, |line| {
                    line.verbatim = true;
                    line.html = true;
                }),
                Event::Code(_)
                | Event::InlineHtml(_)
                | Event::HardBreak
                | Event::Start(Tag::Link { .. } | Tag::Image { .. }) => layout.mark_ends(&at),
                _ => {}
            }
        }
        layout
    }

    /// Returns the line of a byte.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.at.end <= at).min(self.lines.len().saturating_sub(1))
    }

    /// Returns the lines of these bytes.
    pub(super) fn lines_of(&self, at: &Range<usize>) -> Range<usize> {
        if at.is_empty() {
            return 0..0;
        }
        self.line_of(at.start)..self.line_of(at.end - 1) + 1
    }

    /// Returns a line without its end.
    pub(super) fn content(&self, line: usize) -> &'a str {
        self.text[self.lines[line].at.clone()].trim_end_matches(['\n', '\r'])
    }

    /// Returns a line without its end and the white space there that means nothing.
    pub(super) fn trimmed(&self, line: usize) -> &'a str {
        let content = self.content(line);
        let trimmed = content.trim_end_matches([' ', '\t']);
        let Line { verbatim, kept, end_counts, .. } = self.lines[line];
        // A backslash at the end of a line breaks it; one before a blank doesn't.
        if verbatim || kept || end_counts || trimmed.ends_with('\\') { content } else { trimmed }
    }

    /// Returns whether a line may go where there are enough of its kind.
    pub(super) fn is_blank(&self, line: usize) -> bool {
        !self.lines[line].verbatim && !self.lines[line].kept && self.trimmed(line).is_empty()
    }

    /// Keeps the lines of these bytes as they are.
    pub(super) fn keep(&mut self, at: &Range<usize>) {
        let end = at.end.min(self.text.len());
        self.mark(at.start.min(end)..end, |line| line.kept = true);
    }

    /// Returns whether none of these lines is kept.
    pub(super) fn may_go(&self, mut lines: Range<usize>) -> bool {
        lines.all(|line| !self.lines[line].kept)
    }

    /// Returns these lines without the blank ones at their end.
    pub(super) fn without_blanks(&self, lines: Range<usize>) -> Range<usize> {
        let last = lines.clone().rev().find(|line| !self.is_blank(*line));
        lines.start..last.map_or(lines.start, |last| last + 1)
    }

    fn mark(&mut self, at: Range<usize>, mut set: impl FnMut(&mut Line)) {
        for line in self.lines_of(&at) {
            set(&mut self.lines[line]);
        }
    }

    /// Marks the lines that end within these bytes.
    fn mark_ends(&mut self, at: &Range<usize>) {
        for line in self.lines_of(at) {
            let line = &mut self.lines[line];
            line.end_counts |= line.at.end <= at.end;
        }
    }
}

/// What is left of a text.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) text: String,
    /// For each of its lines the one of the old text.
    pub(super) from: Vec<usize>,
    /// Where each begins.
    pub(super) starts: Vec<usize>,
}

impl Layout<'_> {
    /// Returns the text without the lines that are marked, blank lines beyond two in a row and white
    /// space at the end of lines.
    pub(super) fn without(&self, gone: &[bool]) -> Left {
        let mut from = Vec::with_capacity(self.lines.len());
        let mut at = 0;
        while at < self.lines.len() {
            let loose = |line: &usize| gone[*line] || self.is_blank(*line);
            let end = (at..self.lines.len()).find(|line| !loose(line)).unwrap_or(self.lines.len());
            from.extend(self.blanks(gone, at..end));
            from.extend((end < self.lines.len()).then_some(end));
            at = end + 1;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut starts = Vec::with_capacity(from.len());
        for line in &from {
            starts.push(text.len());
            text.push_str(self.trimmed(*line));
            text.push_str(self.ending(*line));
        }
        // A text without a line end at its end stays one.
        if let (Some(last), Some(kept)) = (self.lines.len().checked_sub(1), from.last())
            && self.ending(last).is_empty()
            && *kept < last
        {
            text.truncate(text.len() - self.ending(*kept).len());
        }
        Left { text, from, starts }
    }

    /// Returns which blank lines stay of lines that are blank or go: the longest run of them, or the
    /// last at the end of the text.
    fn blanks(&self, gone: &[bool], lines: Range<usize>) -> Range<usize> {
        let mut best = lines.start..lines.start;
        let mut run = best.clone();
        for line in lines.clone() {
            if gone[line] {
                run = line + 1..line + 1;
            } else {
                run.end = line + 1;
                if run.len() > best.len() {
                    best = run.clone();
                }
            }
        }
        let best = if lines.end == self.lines.len() { run } else { best };
        best.start..best.end.min(best.start + BLANKS)
    }

    fn ending(&self, line: usize) -> &str {
        &self.text[self.lines[line].at.start + self.content(line).len()..self.lines[line].at.end]
    }
}

fn split(text: &str) -> Vec<Line> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
            continue;
        }
        lines.push(start..at + 1);
        start = at + 1;
    }
    if start < text.len() {
        lines.push(start..text.len());
    }
    let line = |at| Line { at, verbatim: false, kept: false, html: false, end_counts: false };
    lines.into_iter().map(line).collect()
}
