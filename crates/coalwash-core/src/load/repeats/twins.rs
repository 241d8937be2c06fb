//! Which paragraphs and items of a document are certain repeats of earlier ones.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

use super::document::{Document, Rest, Section};

/// The certain repeats of a document.
#[derive(Debug, Default)]
pub(crate) struct Twins {
    /// For each unit the earlier one that it repeats. That one is never a repeat itself.
    pub(crate) units: Vec<Option<usize>>,
    /// Sections of which nothing but the heading would be left, with an earlier one of the same
    /// heading under the same headings.
    pub(crate) headings: Vec<(usize, usize)>,
}

impl Twins {
    /// Finds them.
    ///
    /// A section isn't emptied under a heading that stays: what holds there as well would be lost.
    pub(crate) fn of(document: &Document<'_>) -> Self {
        let mut units = vec![None; document.units.len()];
        let mut kept = FxHashMap::default();
        for (at, unit) in document.units.iter().enumerate().filter(|(_, unit)| unit.plain) {
            match kept.entry((&*unit.key, unit.shape, &*unit.scope)) {
                Entry::Occupied(twin) => units[at] = Some(*twin.get()),
                Entry::Vacant(place) => _ = place.insert(at),
            }
        }
        let mut twins = Self { units, headings: Vec::new() };
        twins.spare_headings(&document.sections);
        twins
    }

    fn spare_headings(&mut self, sections: &[Section]) {
        let mut first: FxHashMap<u64, usize> = FxHashMap::default();
        for (at, section) in sections.iter().enumerate() {
            first.entry(section.path).or_insert(at);
        }
        // Where the sections begin that stay: what is below a heading comes behind it.
        let mut next_kept = usize::MAX;
        let mut gone = Vec::new();
        for (at, section) in sections.iter().enumerate().rev() {
            let units = &mut self.units[section.units.clone()];
            let below = next_kept < section.end;
            let some = units.iter().any(Option::is_some) || gone_below(&gone, sections, section);
            let emptied =
                some && !below && section.rest < Rest::Content && units.iter().all(Option::is_some);
            let earlier = first.get(&section.path).copied().filter(|first| *first < at);
            match earlier {
                _ if !emptied || section.level == 0 => next_kept = section.heading.start,
                Some(earlier) if section.rest == Rest::Nothing => gone.push((at, earlier)),
                _ => {
                    units.fill(None);
                    next_kept = section.heading.start;
                }
            }
        }
        gone.reverse();
        self.headings = gone;
    }
}

/// Returns whether the section right behind this one is below it and goes.
fn gone_below(gone: &[(usize, usize)], sections: &[Section], above: &Section) -> bool {
    gone.last().is_some_and(|(at, _)| {
        let below = &sections[*at];
        below.heading.start >= above.heading.end && below.heading.start < above.end
    })
}
