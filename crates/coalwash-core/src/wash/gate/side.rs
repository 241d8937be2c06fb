//! One side of a comparison: its texts and their facts as one.

use std::ops::Range;

use super::{
    align::{has_namesakes, heading_paths},
    canon::Canon,
    chunks::Parts,
    facts::{Container, Facts, Twin, body},
    lexicon::{Role, hash_of},
    report::Span,
    token::{Kind, Token},
};

/// The old texts, or the new one.
pub(super) struct Side<'t> {
    pub(super) facts: Facts,
    texts: Vec<&'t str>,
    /// The first clause of each text.
    firsts: Vec<u32>,
    /// Sections that were left out, as the other side has them, too.
    shared: Vec<Range<usize>>,
}

impl<'t> Side<'t> {
    /// Reads the facts of `texts`, whole.
    pub(super) fn read(texts: &[&'t str], canon: &mut Canon<'_, '_>) -> Self {
        let mut facts = Facts::default();
        let mut firsts = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            firsts.push(len(facts.clauses.len()));
            let body = std::iter::once(body(text)..text.len()).collect::<Vec<_>>();
            let of_text = Facts::of(text, &body, None, canon);
            if at == 0 { facts = of_text } else { facts.append(of_text) }
        }
        Self { facts, texts: texts.to_vec(), firsts, shared: Vec::new() }
    }

    /// Reads the facts of `parts` of one text; `twin` is the other side, where it was read.
    pub(super) fn read_parts(
        text: &'t str,
        parts: Parts,
        twin: Option<&Side<'_>>,
        canon: &mut Canon<'_, '_>,
    ) -> Self {
        let twin = twin.map(|side| Twin { text: side.text(0), facts: &side.facts });
        let facts = Facts::of(text, &parts.read, twin, canon);
        Self { facts, texts: vec![text], firsts: vec![0], shared: parts.shared }
    }

    /// Returns whether a section was left out where two have one title below the same headings.
    pub(super) fn has_namesakes(&self) -> bool {
        !self.shared.is_empty() && has_namesakes(&heading_paths(&self.facts))
    }

    /// Returns the facts of each section that was left out.
    pub(super) fn shared(&self, canon: &mut Canon<'_, '_>) -> Vec<Facts> {
        let text = self.texts.first().copied().unwrap_or("");
        self.shared.iter().map(|range| Facts::of_section(text, range.clone(), canon)).collect()
    }

    fn text_of(&self, clause: u32) -> usize {
        self.firsts.partition_point(|first| *first <= clause).saturating_sub(1)
    }

    /// Returns the whole text in which a clause stands.
    pub(super) fn text(&self, clause: u32) -> &'t str {
        self.texts.get(self.text_of(clause)).copied().unwrap_or("")
    }

    /// Returns the bytes `span` of the text in which `clause` stands.
    pub(super) fn slice(&self, clause: u32, span: &Range<u32>) -> &'t str {
        self.text(clause).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Returns the words of a clause, with the stop, bracket or quotation mark behind it.
    pub(super) fn words(&self, clause: u32) -> &'t str {
        self.passage(clause, clause)
    }

    /// Returns the words from one clause to another of the same text.
    pub(super) fn passage(&self, first: u32, last: u32) -> &'t str {
        let text = self.text(first);
        let start = self.facts.clauses[first as usize].span.start as usize;
        let mut end = (self.facts.clauses[last as usize].span.end as usize).max(start);
        let closes = |c: char| {
            matches!(
                c,
                ')' | ']'
                    | '}'
                    | '"'
                    | '\''
                    | '”'
                    | '’'
                    | '»'
                    | '」'
                    | '）'
                    | '】'
                    | '.'
                    | '!'
                    | '?'
                    | ';'
                    | '。'
                    | '！'
                    | '？'
                    | '；'
                    | '*'
                    | '_'
                    | '`'
                    | '…'
            )
        };
        while let Some(c) =
            text.get(end..).and_then(|rest| rest.chars().next()).filter(|c| closes(*c))
        {
            end += c.len_utf8();
        }
        let opens = |c: char| {
            matches!(c, '(' | '[' | '"' | '“' | '‘' | '«' | '「' | '（' | '【' | '*' | '`')
        };
        let mut begin = start;
        while let Some(c) =
            text.get(..begin).and_then(|before| before.chars().next_back()).filter(|c| opens(*c))
        {
            begin -= c.len_utf8();
        }
        text.get(begin..end).unwrap_or("")
    }

    /// Returns the text around `words`, a part of the text of `clause`, up to white space.
    pub(super) fn chunk(&self, clause: u32, start: u32, end: u32) -> &'t str {
        let text = self.text(clause);
        let (start, end) = (start as usize, end as usize);
        let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else { return "" };
        let lead = before
            .chars()
            .rev()
            .take(60)
            .take_while(|c| !c.is_whitespace() && *c != '|')
            .map(char::len_utf8)
            .sum::<usize>();
        let tail = after
            .chars()
            .take(60)
            .take_while(|c| !c.is_whitespace() && *c != '|')
            .map(char::len_utf8)
            .sum::<usize>();
        text.get(start - lead..end + tail).unwrap_or("")
    }

    pub(super) fn span(&self, clause: u32, span: &Range<u32>) -> Span {
        Span { text: self.text_of(clause), start: span.start as usize, end: span.end as usize }
    }

    /// Reads the tokens of every line that has no pair.
    pub(super) fn read_lines(&mut self, pairs: &[Option<u32>]) {
        for (clause, pair) in (0..).zip(pairs) {
            if pair.is_none() {
                self.read_line(clause);
            }
        }
    }

    /// Reads the tokens of a line whose tokens were not needed until now.
    fn read_line(&mut self, clause: u32) {
        let found = &self.facts.clauses[clause as usize];
        let container = self.facts.blocks[found.block as usize].container;
        if !found.tokens.is_empty()
            || !matches!(
                container,
                Container::Code | Container::FrontMatter | Container::Definition | Container::Quote
            )
        {
            return;
        }
        let start = found.span.start;
        let line = self.slice(clause, &found.span.clone());
        let first = len(self.facts.tokens.len());
        code_tokens(line, start, &mut self.facts.tokens);
        let tokens = first..len(self.facts.tokens.len());
        let seen = tokens.end - tokens.start;
        let found = &mut self.facts.clauses[clause as usize];
        (found.tokens, found.seen) = (tokens, seen);
    }
}

fn len(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Splits a line of code into words and signs.
fn code_tokens(line: &str, offset: u32, out: &mut Vec<Token>) {
    let mut at = 0;
    let bytes = line.as_bytes();
    while at < line.len() {
        let rest = &line[at..];
        let Some(c) = rest.chars().next() else { break };
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let word = |c: char| {
            c.is_alphanumeric()
                || matches!(
                    c,
                    '_' | '-' | '.' | '/' | ':' | '@' | '~' | '%' | '\u{300}'..='\u{36f}'
                )
        };
        let size =
            if word(c) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
        let piece = &rest[..size];
        let alone = piece.chars().all(|c| !c.is_alphanumeric());
        let kind = if alone {
            Kind::Symbol
        } else if piece.starts_with('-') && piece.len() > 1 && !bytes[at + 1].is_ascii_digit() {
            Kind::Flag
        } else if piece.contains("://") {
            Kind::Url
        } else if piece.contains('/') {
            Kind::Path
        } else if piece.trim_start_matches('-').chars().all(|c| c.is_ascii_digit() || c == '.') {
            if piece.matches('.').count() > 1 { Kind::Version } else { Kind::Number }
        } else {
            Kind::Code
        };
        let hash = hash_of(piece);
        out.push(Token {
            strict: hash,
            loose: hash,
            start: offset + len(at),
            end: offset + len(at + size),
            kind,
            role: Role::Content,
            apart: false,
            struck: false,
        });
        at += size;
    }
}
