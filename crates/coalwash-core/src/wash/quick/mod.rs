//! What `quick` takes out of a text: certain repeats, blank lines beyond two in a row, and white
//! space at the end of lines.
//!
//! Nothing is added: each line of the result is a line of the old text, in its order, but for white
//! space at its end. Every removal is proved before it is made: read again, the text has the same
//! blocks but for those that went, what a host sends and imports is the same but for those, and
//! [`super::gate`] finds nothing but copies removed. A removal that fails is left out. Cutting the
//! result cuts nothing.
//!
//! Pure: no IO, no clock, no panics. Cost is linear.
//!
//! **Not promised:** that a text holds no repeat afterwards. Likely ones stay, and so does one whose
//! removal would turn what stands around it into something else.

mod faithful;
mod layout;
mod removals;
#[cfg(test)]
mod tests;

use std::ops::{Range, RangeInclusive};

use super::gate::{self, Gate};
use crate::load::hosts::claude_code::markdown::{self, Dialect};
use crate::load::repeats;
use crate::text::{Estimator, Tokens};
use layout::{Layout, Left};
use removals::{Group, Part};

/// The fewest tokens for which a text is changed.
///
/// Ours: a change of white space alone is noise in every review.
pub const LEAST_TOKENS: Tokens = Tokens(20);

/// How often one reading is tried with fewer removals.
const MOST_TRIES: usize = 24;

/// How often what is left is read again.
const MOST_PASSES: usize = 8;

/// What quick would do to one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// What is left.
    pub text: String,
    /// The repeats that went, in order.
    pub removed: Vec<Removed>,
    /// What the whole text costs less.
    pub saved: Tokens,
}

/// A repeat that went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Its lines in the old text, from 1.
    pub lines: RangeInclusive<usize>,
    /// The lines of the old text that say the same, and stay.
    pub same_as: RangeInclusive<usize>,
    /// What it cost.
    pub tokens: Tokens,
    /// Its first line, trimmed.
    pub first_line: String,
}

/// Returns what is to be cut from a text; `None` where that is nothing, or comes to less than
/// [`LEAST_TOKENS`].
///
/// `text` is the whole file, front matter and comments included. Of the passages `kept` no line goes
/// and none is changed. A file that says `pinned`, and one of more than [`repeats::MOST_BYTES`], is
/// left alone, and so is one with both CR and LF as line ends: two lines might meet as CRLF.
pub fn cut(text: &str, kept: &[Range<usize>], estimator: &dyn Estimator) -> Option<Cut> {
    if text.len() > repeats::MOST_BYTES || gate::is_pinned(text) || has_cr_and_lf(text) {
        return None;
    }
    let body = body(text);
    let mut gate = Gate::default();
    let mut old = Layout::read(text, body);
    for passage in kept.iter().chain([&(0..body)]) {
        old.keep(passage);
    }
    let Pass { mut left, mut gone } = pass(&old, &mut gate, estimator)?;
    // What was in the way of a removal may be gone now.
    let mut twice = false;
    for _ in 1..MOST_PASSES {
        let mut layout = Layout::read(&left.text, body);
        for (line, from) in layout.lines.iter_mut().zip(&left.from) {
            line.kept = old.lines[*from].kept;
        }
        let Some(mut next) = pass(&layout, &mut gate, estimator) else { break };
        next.left.from.iter_mut().for_each(|line| *line = left.from[*line]);
        gone = merged(gone, next.gone.into_iter().map(|part| part.moved(&left.from)));
        left = next.left;
        twice = true;
    }
    // Two steps that the gate lets pass may be one that it doesn't.
    if twice && !faithful::lost(text, &left.text, &mut gate).is_empty() {
        return None;
    }
    let removed = gone.iter().map(|part| Removed::new(&old, part, estimator)).collect();
    let saved = Tokens(estimator.tokens(text).0.saturating_sub(estimator.tokens(&left.text).0));
    Some(Cut { text: left.text, removed, saved })
}

/// What one reading of a text comes to.
struct Pass {
    left: Left,
    gone: Vec<Part>,
}

/// Takes out what can be proved to be no loss.
fn pass(old: &Layout<'_>, gate: &mut Gate, estimator: &dyn Estimator) -> Option<Pass> {
    let mut groups = removals::groups(old);
    for _ in 0..MOST_TRIES {
        let mut gone = vec![false; old.lines.len()];
        for part in groups.iter().flatten() {
            gone[part.lines.clone()].fill(true);
        }
        let left = old.without(&gone);
        let parts = groups.iter().flatten().cloned();
        // Each repeat is rounded by itself where it is shown.
        let shown: Tokens = parts.clone().map(|part| tokens(old, &part.lines, estimator)).sum();
        let saved = estimator.tokens(old.text).0.saturating_sub(estimator.tokens(&left.text).0);
        if shown.0.max(saved) < LEAST_TOKENS.0 {
            return None;
        }
        let changed = faithful::changed(old, &gone, &left, gate);
        if changed.is_empty() {
            return Some(Pass { left, gone: parts.collect() });
        }
        if groups.is_empty() {
            return None;
        }
        without_blamed(old, &mut groups, &changed);
    }
    None
}

/// Leaves out the removals that stand nearest to what changed, or half of them where that says
/// nothing.
fn without_blamed(old: &Layout<'_>, groups: &mut Vec<Group>, changed: &[Range<usize>]) {
    let mut parts: Vec<(Range<usize>, usize)> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        parts.extend(group.iter().map(|part| (part.lines.clone(), at)));
    }
    parts.sort_by_key(|(lines, _)| lines.start);
    let mut blamed = vec![false; groups.len()];
    for at in changed.iter().filter(|at| at.len() < old.text.len()) {
        let lines = old.lines_of(&(at.start..at.end.max(at.start + 1).min(old.text.len())));
        let before = parts.partition_point(|(part, _)| part.end <= lines.start);
        let behind = parts.partition_point(|(part, _)| part.start < lines.end);
        let apart = |a: Option<usize>, b: Option<usize>| Some(a?.abs_diff(b?));
        let (last, next) = (before.checked_sub(1).map(|at| &parts[at]), parts.get(behind));
        let to_last = apart(last.map(|(part, _)| part.end), Some(lines.start));
        let to_next = apart(next.map(|(part, _)| part.start), Some(lines.end));
        let near = |one: Option<usize>, other: Option<usize>| {
            one.is_some_and(|one| other.is_none_or(|other| one <= other))
        };
        for (_, group) in parts.get(before..behind).unwrap_or_default() {
            blamed[*group] = true;
        }
        if before >= behind {
            let last = last.filter(|_| near(to_last, to_next));
            let next = next.filter(|_| near(to_next, to_last));
            last.into_iter().chain(next).for_each(|(_, group)| blamed[*group] = true);
        }
    }
    let some = blamed.iter().filter(|blamed| **blamed).count();
    if some == 0 || (some == groups.len() && some > 1) {
        groups.truncate(groups.len() / 2);
    } else {
        let mut blamed = blamed.iter();
        groups.retain(|_| !blamed.next().is_some_and(|blamed| *blamed));
    }
}

/// Puts two lots of removals together, of which the later one may hold lines of the earlier.
fn merged(earlier: Vec<Part>, later: impl Iterator<Item = Part>) -> Vec<Part> {
    let later: Vec<Part> = later.collect();
    let holder = |lines: &Range<usize>| {
        let holds = |part: &&Part| part.lines.start <= lines.start && lines.end <= part.lines.end;
        later.iter().find(holds)
    };
    let mut all: Vec<Part> = Vec::with_capacity(earlier.len() + later.len());
    for mut part in earlier {
        if holder(&part.lines).is_some() {
            continue;
        }
        if let Some(holder) = holder(&part.same_as) {
            part.same_as = holder.same_as.clone();
        }
        all.push(part);
    }
    all.extend(later);
    all.sort_by_key(|part| part.lines.start);
    all
}

impl Removed {
    fn new(old: &Layout<'_>, part: &Part, estimator: &dyn Estimator) -> Self {
        let from_one = |lines: &Range<usize>| lines.start + 1..=lines.end;
        Self {
            lines: from_one(&part.lines),
            same_as: from_one(&part.same_as),
            tokens: tokens(old, &part.lines, estimator),
            first_line: old.content(part.lines.start).trim().to_owned(),
        }
    }
}

/// Returns what these lines cost.
fn tokens(old: &Layout<'_>, lines: &Range<usize>, estimator: &dyn Estimator) -> Tokens {
    let bytes = old.lines[lines.start].at.start..old.lines[lines.end - 1].at.end;
    estimator.tokens(old.text[bytes].trim())
}

/// Returns whether some lines of a text end with CR alone, and some with LF alone.
fn has_cr_and_lf(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut crs = memchr::memchr_iter(b'\r', bytes);
    let mut lfs = memchr::memchr_iter(b'\n', bytes);
    crs.any(|at| bytes.get(at + 1) != Some(&b'\n'))
        && lfs.any(|at| at == 0 || bytes[at - 1] != b'\r')
}

/// Returns where the Markdown of a text begins for all who read it.
fn body(text: &str) -> usize {
    let host = |dialect| markdown::front_matter(text, dialect).map_or(0, |(_, body)| body);
    gate::body(text).max(host(Dialect::V2_1_197)).max(host(Dialect::V2_1_332))
}
