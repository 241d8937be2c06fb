//! What the open block holds, and the block of the other text that holds the same.

use std::ops::Range;

use super::{Clause, Facts, count, span};
use crate::wash::gate::{
    canon::{Canon, chained},
    lexicon::{hash_of, mixed},
    scan::{Found, Raw},
    token::{Kind, Token},
};

/// The text of a block, without its markup, and what stands between its words.
#[derive(Default)]
pub(super) struct Content {
    text: String,
    /// Where each piece of the text begins, and where it stands in the document.
    pieces: Vec<(usize, usize)>,
    marks: Vec<Mark>,
    pub(super) struck: Vec<Range<usize>>,
    /// The bytes of the document from the first piece or mark to the last.
    source: Option<Range<usize>>,
}

/// What parts the text of a block, behind this many of its bytes and pieces.
struct Mark {
    text: usize,
    pieces: usize,
    what: What,
}

enum What {
    /// One token: a code span, the destination of a link, a tag.
    Atom(Raw),
    /// The same, but only once in a row.
    Once(Raw),
    /// A line that ends by force.
    End,
    /// A comment, which is read by itself.
    Comment,
}

impl Content {
    pub(super) fn piece(&mut self, text: &str, at: &Range<usize>) {
        self.pieces.push((self.text.len(), at.start));
        self.text.push_str(text);
        self.reach(at);
    }

    pub(super) fn atom(&mut self, kind: Kind, hash: u64, at: &Range<usize>, once: bool) {
        let raw = Raw { kind, hash, at: at.clone(), apart: false };
        self.mark(if once { What::Once(raw) } else { What::Atom(raw) });
        self.reach(at);
    }

    pub(super) fn end(&mut self) {
        self.mark(What::End);
    }

    pub(super) fn comment(&mut self) {
        self.mark(What::Comment);
    }

    fn mark(&mut self, what: What) {
        self.marks.push(Mark { text: self.text.len(), pieces: self.pieces.len(), what });
    }

    fn reach(&mut self, at: &Range<usize>) {
        let source = self.source.get_or_insert_with(|| at.clone());
        (source.start, source.end) = (source.start.min(at.start), source.end.max(at.end));
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
        self.marks.clear();
        self.struck.clear();
        self.source = None;
    }

    /// Scans the text, from mark to mark.
    pub(super) fn scan(&self, canon: &mut Canon<'_, '_>, out: &mut Vec<Found>) {
        canon.reset();
        let mut from = (0, 0);
        for mark in &self.marks {
            self.scan_part(from, (mark.text, mark.pieces), canon, out);
            from = (mark.text, mark.pieces);
            match &mark.what {
                What::Once(raw) if matches!(out.last(), Some(Found::Token(last)) if last.kind == raw.kind && last.hash == raw.hash) =>
                    {}
                What::Atom(raw) | What::Once(raw) => {
                    canon.reset();
                    out.push(Found::Token(raw.clone()));
                }
                What::End => out.push(Found::End),
                What::Comment => canon.reset(),
            }
        }
        self.scan_part(from, (self.text.len(), self.pieces.len()), canon, out);
        canon.reset();
    }

    fn scan_part(
        &self,
        from: (usize, usize),
        to: (usize, usize),
        canon: &mut Canon<'_, '_>,
        out: &mut Vec<Found>,
    ) {
        if from.0 == to.0 {
            return;
        }
        let first = out.len();
        canon.scan(&self.text[..to.0], from.0..to.0, out);
        // Bytes of the text become bytes of the document.
        let pieces = &self.pieces[from.1..to.1];
        let mut piece = 0;
        for found in &mut out[first..] {
            let Found::Token(raw) = found else { continue };
            while piece + 1 < pieces.len() && pieces[piece + 1].0 <= raw.at.start {
                piece += 1;
            }
            let mut last = piece;
            while last + 1 < pieces.len() && pieces[last + 1].0 < raw.at.end {
                last += 1;
            }
            let start = raw.at.start - pieces[piece].0 + pieces[piece].1;
            let end = raw.at.end - pieces[last].0 + pieces[last].1;
            raw.at = start..end.max(start);
        }
    }
}

/// A text that was read, for another one to take clauses from.
#[derive(Clone, Copy)]
pub(in crate::wash::gate) struct Twin<'t> {
    pub(in crate::wash::gate) text: &'t str,
    pub(in crate::wash::gate) facts: &'t Facts,
}

/// A block that was read.
#[derive(Clone, Debug)]
pub(super) struct Source {
    block: u32,
    /// Bytes of the text: blocks whose bytes are equal have equal clauses.
    span: Range<u32>,
}

impl Facts {
    /// Adds the clauses of a block: those of its twin, where the other text has one.
    pub(super) fn read(
        &mut self,
        text: &str,
        content: &Content,
        twin: Option<Twin<'_>>,
        canon: &mut Canon<'_, '_>,
        found: &mut Vec<Found>,
    ) {
        let Some(source) = &content.source else { return };
        let block = count(self.blocks.len());
        let key = content.key(source.start, &text[source.clone()]);
        if let Some(twin) = twin
            && let Some(other) = twin.facts.sources.get(&key)
            && twin.text[other.span.start as usize..other.span.end as usize] == text[source.clone()]
        {
            let by = count(source.start).wrapping_sub(other.span.start);
            return self.copy(twin.facts, other.block, by);
        }
        let clauses = self.clauses.len();
        content.scan(canon, found);
        canon.clauses(text, found, &content.struck, block, self);
        found.clear();
        // The second text is read last, and a block of no clauses is none.
        if twin.is_none() && clauses < self.clauses.len() {
            self.sources.insert(key, Source { block, span: span(source) });
        }
    }

    /// Adds the clauses of a block of other facts, `by` bytes further on, as those of the next block.
    fn copy(&mut self, other: &Self, block: u32, by: u32) {
        let block = &other.blocks[block as usize];
        let moved = |at: &Range<u32>, by: u32| at.start.wrapping_add(by)..at.end.wrapping_add(by);
        for clause in &other.clauses[block.clauses.start as usize..block.clauses.end as usize] {
            let tokens = &other.tokens[clause.tokens.start as usize..clause.tokens.end as usize];
            let first = count(self.tokens.len());
            self.tokens.extend(tokens.iter().map(|token| Token {
                start: token.start.wrapping_add(by),
                end: token.end.wrapping_add(by),
                ..*token
            }));
            self.clauses.push(Clause {
                tokens: first..count(self.tokens.len()),
                span: moved(&clause.span, by),
                block: count(self.blocks.len()),
                ..*clause
            });
        }
    }
}

impl Content {
    /// Returns the hash of all that the clauses follow from: the bytes and how Markdown reads them.
    fn key(&self, start: usize, source: &str) -> u64 {
        let place = |at: usize| at.wrapping_sub(start) as u64;
        let mut key = chained(hash_of(source), self.text.len() as u64);
        for (text, at) in &self.pieces {
            key = chained(chained(key, *text as u64), place(*at));
        }
        for Mark { text, pieces, what } in &self.marks {
            key = chained(chained(key, *text as u64), *pieces as u64);
            key = chained(
                key,
                match what {
                    What::Atom(raw) | What::Once(raw) => {
                        let at = mixed(place(raw.at.start), place(raw.at.end));
                        let once = u64::from(matches!(what, What::Once(_)));
                        chained(mixed(raw.hash, at) ^ raw.kind as u64, once)
                    }
                    What::End => 1,
                    What::Comment => 2,
                },
            );
        }
        self.struck
            .iter()
            .fold(key, |key, at| chained(chained(key, place(at.start)), place(at.end)))
    }
}
