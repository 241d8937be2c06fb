//! What stands twice in the text of every session.
//!
//! A repeat is *certain* when a structure says so: the same prose paragraph or bullet in the same
//! document, outside fences, tables, numbered lists, quotes and HTML, and not under two headings of
//! which one limits where its text holds. Everything else that stands twice, across files too, is
//! *likely*: shown, never cut without a person.

use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::hash_map::Entry as Slot;

use super::map::{Entry, Origin, Tier};
use crate::text::lines::line_of;
use crate::text::{Estimator, Tokens};

mod document;
mod scope;
mod twins;

pub(crate) use document::{DIALECT, Document, Section, Unit, hashed};
pub(crate) use twins::Twins;

/// UTF-16 units below which a text is too short to be called a repeat.
///
/// Source: the substance line of `CoalWash` 1.x.
const LEAST_UNITS: usize = 24;

/// Bytes of a file beyond which repeats aren't looked for.
pub const MOST_BYTES: usize = 8 * 1024 * 1024;

/// One text that stands twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Repeat {
    /// The copy.
    pub at: Origin,
    /// Its last line.
    pub last_line: usize,
    /// The text it repeats.
    pub same_as: Origin,
    /// What the copy costs.
    pub tokens: Tokens,
    /// Whether it can go without a person.
    pub certain: bool,
    /// The first line of it.
    pub text: String,
}

/// Everything that stands twice in one load map.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Repeats {
    /// In the order of loading.
    pub all: Vec<Repeat>,
    /// Files too large to look into.
    pub not_searched: Vec<Utf8PathBuf>,
}

impl Repeats {
    /// Returns the tokens of the certain repeats.
    pub fn certain_tokens(&self) -> Tokens {
        self.all.iter().filter(|r| r.certain).map(|r| r.tokens).sum()
    }

    /// Returns the tokens of the likely repeats.
    pub fn likely_tokens(&self) -> Tokens {
        self.all.iter().filter(|r| !r.certain).map(|r| r.tokens).sum()
    }

    /// Finds the repeats in the files of every session.
    ///
    /// Lines are those of the text that is sent; [`Entry::lines`] moves them to the file.
    pub fn of(entries: &[Entry], estimator: &dyn Estimator) -> Self {
        let mut out = Self::default();
        let files: Vec<(&Entry, &str)> = entries
            .iter()
            .filter(|e| e.tier == Tier::Always && e.name.is_none())
            .filter_map(|e| Some((e, e.sent.as_deref()?)))
            .collect();
        // Where each text stands first.
        let mut first: FxHashMap<Cow<'_, str>, Place> = FxHashMap::default();
        for (file, (entry, text)) in files.iter().enumerate() {
            if text.len() > MOST_BYTES {
                out.not_searched.push(entry.path.clone());
                continue;
            }
            let document = Document::read(text);
            let twins = Twins::of(&document).units;
            let places: Vec<Place> = document.units.iter().map(|u| Place::new(file, u)).collect();
            for ((unit, twin), place) in document.units.into_iter().zip(twins).zip(&places) {
                let same = match (twin, first.entry(unit.key)) {
                    (Some(twin), _) => &places[twin],
                    (None, Slot::Occupied(first)) => &*first.into_mut(),
                    (None, Slot::Vacant(slot)) => {
                        slot.insert(place.clone());
                        continue;
                    }
                };
                out.all.push(Repeat {
                    at: place.origin(&files),
                    last_line: place.last_line(&files),
                    same_as: same.origin(&files),
                    tokens: estimator.tokens(&text[unit.at.clone()]),
                    certain: twin.is_some(),
                    text: text[unit.at].lines().next().unwrap_or_default().to_owned(),
                });
            }
        }
        out
    }
}

/// Where a unit stands. Small, since there is one for every paragraph.
#[derive(Clone, Debug)]
struct Place {
    /// Its file, by number.
    file: u32,
    /// Its bytes in the text that is sent.
    start: u32,
    end: u32,
}

impl Place {
    fn new(file: usize, unit: &Unit<'_>) -> Self {
        // Texts are shorter than `MOST_BYTES`, and there are fewer files than numbers.
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { file: small(file), start: small(unit.at.start), end: small(unit.at.end) }
    }

    fn origin(&self, files: &[(&Entry, &str)]) -> Origin {
        let (entry, text) = files[self.file as usize];
        let line = entry.lines.in_file(line_of(text, self.start as usize));
        Origin { path: entry.path.clone(), line }
    }

    fn last_line(&self, files: &[(&Entry, &str)]) -> usize {
        let (entry, text) = files[self.file as usize];
        let last = self.end.saturating_sub(1).max(self.start);
        entry.lines.in_file(line_of(text, last as usize))
    }
}

#[cfg(test)]
mod tests;
