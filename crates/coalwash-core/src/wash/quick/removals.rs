//! What of a text is a certain repeat, as lines.

use rustc_hash::FxHashMap;
use std::{cmp::Reverse, ops::Range};

use super::layout::Layout;
use crate::load::repeats::{Document, Section, Twins, hashed};

/// The least bytes of a section that goes as a whole: fewer are no repeat, but a coincidence.
///
/// Source: the substance line of `CoalWash` 1.x.
const LEAST_BYTES: usize = 24;

/// Lines that go together or not at all.
pub(super) type Group = Vec<Part>;

/// Lines in a row that go, and the earlier ones that say the same. Both are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) lines: Range<usize>,
    pub(super) same_as: Range<usize>,
}

impl Part {
    /// Returns the part in the text whose lines these were.
    pub(super) fn moved(&self, from: &[usize]) -> Self {
        let back = |lines: &Range<usize>| from[lines.start]..from[lines.end - 1] + 1;
        Self { lines: back(&self.lines), same_as: back(&self.same_as) }
    }
}

/// Returns everything that may go, in order.
pub(super) fn groups(layout: &Layout<'_>) -> Vec<Group> {
    let body = layout.body;
    let document = Document::read(&layout.text[body..]);
    let twins = Twins::of(&document);
    let lines_of = |at: &Range<usize>| layout.lines_of(&(body + at.start..body + at.end));
    let unit_part = |unit: usize| {
        let twin = &document.units[twins.units[unit]?].at;
        Some(Part { lines: lines_of(&document.units[unit].at), same_as: lines_of(twin) })
    };
    let mut sections = same_sections(layout, &document.sections);
    for (at, first) in &twins.headings {
        let (section, first) = (&document.sections[*at], &document.sections[*first]);
        let heading = lines_of(&section.heading);
        let all = layout.without_blanks(heading.start..lines_of(&(0..section.end)).end);
        let part = Part { lines: heading, same_as: lines_of(&first.heading) };
        let units = section.units.clone().filter_map(unit_part);
        sections.push((all, std::iter::once(part).chain(units).collect()));
    }
    // The outermost go as one; a whole section before its parts.
    sections.sort_by_key(|(all, parts)| (all.start, Reverse(all.end), parts.len()));
    let mut groups: Vec<(Range<usize>, Group)> = Vec::new();
    for (all, parts) in sections {
        match groups.last_mut() {
            Some((outer, _)) if all == *outer => {}
            Some((outer, group)) if all.end <= outer.end => {
                let new = |part: &Part| group.iter().all(|old| old.lines.end <= part.lines.start);
                let parts: Group = parts.into_iter().filter(new).collect();
                group.extend(parts);
            }
            _ => groups.push((all, parts)),
        }
    }
    let mut out: Vec<Group> = Vec::new();
    let mut section = groups.iter().map(|(all, _)| all).peekable();
    for part in (0..document.units.len()).filter_map(unit_part) {
        while section.next_if(|all| all.end <= part.lines.start).is_some() {}
        if section.peek().is_none_or(|all| part.lines.end <= all.start) {
            out.push(vec![part]);
        }
    }
    out.extend(groups.into_iter().map(|(_, group)| group));
    out.retain(|group| group.iter().all(|part| layout.may_go(part.lines.clone())));
    out.sort_by_key(|group| group.first().map(|part| part.lines.start));
    out
}

/// Returns the sections that repeat an earlier one under the same headings to the last line, and
/// each as one part.
fn same_sections(layout: &Layout<'_>, sections: &[Section]) -> Vec<(Range<usize>, Group)> {
    let lines: Vec<u64> = (0..layout.lines.len()).map(|line| hashed(&said(layout, line))).collect();
    let mut first: FxHashMap<(u64, u64), Range<usize>> = FxHashMap::default();
    let mut same = Vec::new();
    for section in sections.iter().filter(|section| section.level > 0) {
        let at = layout.body + section.heading.start..layout.body + section.end;
        let at = layout.without_blanks(layout.lines_of(&at));
        let key = at.clone().fold(0, |key, line| hashed(&(key, lines[line])));
        let Some(first) = first.get(&(section.path, key)) else {
            first.insert((section.path, key), at);
            continue;
        };
        let equal = first.len() == at.len()
            && first.clone().zip(at.clone()).all(|(a, b)| said(layout, a) == said(layout, b));
        // A tag or comment may belong to one that stands elsewhere.
        let tags = at.clone().any(|line| layout.lines[line].html);
        let bytes: usize = at.clone().map(|line| said(layout, line).1.len()).sum();
        if equal && !tags && bytes >= LEAST_BYTES {
            let part = Part { lines: at.clone(), same_as: first.clone() };
            same.push((at, vec![part]));
        }
    }
    same
}

/// Returns what a line says, and whether it says it by every byte.
fn said<'a>(layout: &Layout<'a>, line: usize) -> (bool, &'a str) {
    let verbatim = layout.lines[line].verbatim;
    (verbatim, if verbatim { layout.content(line) } else { layout.trimmed(line) })
}
