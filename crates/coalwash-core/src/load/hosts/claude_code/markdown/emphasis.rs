//! Emphasis: which `*` and `_` pair up.
//!
//! The host looks for the end of each opening run by itself: it passes over the runs behind it and
//! counts how many marks are open. All runs of a text are collected once, so that a search passes
//! over runs and not over characters.

use memchr::memchr2;

use super::chars::{is_js_space, is_punctuation};
use super::inline::is_edge;

/// What a run can do, by the characters beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Opens,
    Closes,
    Either,
    Neither,
}

/// A run of one mark.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: usize,
    len: usize,
    role: Role,
}

/// Emphasis that was found: the bytes of its marks on each side, and its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emphasis {
    pub(super) marks: usize,
    pub(super) end: usize,
}

/// All runs of marks in a text.
#[derive(Debug)]
pub(super) struct Delimiters {
    stars: Vec<Run>,
    underscores: Vec<Run>,
    masked: Vec<u8>,
}

impl Delimiters {
    /// Collects the runs of `text`, of which only `masked` counts.
    pub(super) fn of(text: &str, masked: &[u8]) -> Self {
        let mut all = Self { stars: Vec::new(), underscores: Vec::new(), masked: masked.to_vec() };
        let mut pos = 0;
        while let Some(i) = memchr2(b'*', b'_', &masked[pos..]) {
            let start = pos + i;
            let len = super::lines::run(masked, start);
            let before = class_before(text, masked, start);
            let after = class_after(text, masked, start + len);
            let star = masked[start] == b'*';
            let role = role(before, after, star);
            let runs = if star { &mut all.stars } else { &mut all.underscores };
            runs.push(Run { start, len, role });
            pos = start + len;
        }
        all
    }

    /// Returns the emphasis that opens at `pos`, where `before` is the character in front of it.
    pub(super) fn emphasis(
        &self,
        text: &str,
        pos: usize,
        before: Option<char>,
        fuel: &mut usize,
    ) -> Option<Emphasis> {
        // The host has half a surrogate pair here, which is neither letter nor punctuation.
        let before = before.map(|c| if c.len_utf16() > 1 { '\u{E000}' } else { c });
        let star = text.as_bytes()[pos] == b'*';
        let runs = if star { &self.stars } else { &self.underscores };
        let len = self.open_len(text, pos, runs);
        let next = text[pos + len..].chars().next()?;
        if is_js_space(next) || (!star && before.is_some_and(char::is_alphanumeric)) {
            return None;
        }
        if is_punctuation(next) && before.is_some_and(|c| !is_edge(c)) {
            return None;
        }
        let from = pos + len;
        let skipped = self.orphan(from, star);
        let (mut open, mut middle) = (len, 0);
        let behind = runs.partition_point(|run| run.start < from);
        for run in &runs[behind..] {
            *fuel = fuel.checked_sub(1)?;
            if run.role == Role::Neither || skipped.is_some_and(|end| run.start < end) {
                continue;
            }
            match run.role {
                Role::Opens => {
                    open += run.len;
                    continue;
                }
                Role::Either if !len.is_multiple_of(3) && (len + run.len).is_multiple_of(3) => {
                    middle += run.len;
                    continue;
                }
                _ => {}
            }
            if open > run.len {
                open -= run.len;
                continue;
            }
            // Marks beyond those that were open stay text.
            let closing = run.len.min(open + middle);
            let marks = if len.min(closing) % 2 == 1 { 1 } else { 2 };
            return Some(Emphasis { marks, end: run.start + closing });
        }
        None
    }

    /// Returns how many marks stand at `pos`. The run is looked up where it can be, as a long one
    /// is asked for at each of its marks.
    fn open_len(&self, text: &str, pos: usize, runs: &[Run]) -> usize {
        let index = runs.partition_point(|run| run.start <= pos);
        match index.checked_sub(1).and_then(|i| runs.get(i)) {
            Some(run) if run.start + run.len > pos => run.start + run.len - pos,
            _ => super::lines::run(text.as_bytes(), pos),
        }
    }

    /// Returns the end of the part in which a lone mark doesn't count, as it stands between two
    /// double marks of the other kind: the `*` in `*a __b*c__ d*`.
    fn orphan(&self, from: usize, star: bool) -> Option<usize> {
        let (mark, other) = if star { (b'*', b'_') } else { (b'_', b'*') };
        let next = |from: usize| Some(from + memchr2(b'*', b'_', self.masked.get(from..)?)?);
        let pair = |at: usize| self.masked.get(at..at + 2) == Some(&[other, other]);
        let open = next(from).filter(|at| pair(*at))?;
        let lone = next(open + 2).filter(|at| self.masked[*at] == mark)?;
        next(lone + 1).filter(|at| pair(*at))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Edge,
    Space,
    Punctuation,
    Other,
}

fn role(before: Class, after: Class, star: bool) -> Role {
    match (before, after) {
        (Class::Edge, _) => Role::Neither,
        (Class::Punctuation, Class::Space | Class::Edge) => Role::Closes,
        (Class::Punctuation, Class::Punctuation) => Role::Either,
        (Class::Punctuation | Class::Space, Class::Other) => Role::Opens,
        (Class::Space, Class::Punctuation) => Role::Opens,
        (Class::Space, _) => Role::Neither,
        (Class::Other, Class::Other) if star => Role::Either,
        (Class::Other, Class::Other) => Role::Neither,
        (Class::Other, _) => Role::Closes,
    }
}

fn class(c: Option<char>) -> Class {
    match c {
        None => Class::Edge,
        Some(c) if is_js_space(c) => Class::Space,
        Some(c) if is_punctuation(c) => Class::Punctuation,
        Some(_) => Class::Other,
    }
}

fn class_before(text: &str, masked: &[u8], at: usize) -> Class {
    match at.checked_sub(1).map(|i| masked[i]) {
        Some(b) if b.is_ascii() => class(Some(b.into())),
        Some(_) => class(text[..at].chars().next_back()),
        None => Class::Edge,
    }
}

fn class_after(text: &str, masked: &[u8], at: usize) -> Class {
    match masked.get(at) {
        Some(b) if b.is_ascii() => class(Some((*b).into())),
        Some(_) => class(text[at..].chars().next()),
        None => Class::Edge,
    }
}
