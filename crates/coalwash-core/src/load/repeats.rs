//! What stands twice in the text of every session.
//!
//! A repeat is *certain* when a structure says so: the same prose paragraph or bullet in the same
//! document, outside fences, tables, numbered lists, quotes and HTML, and not under two headings of
//! which one limits where its text holds. Everything else that stands twice, across files too, is
//! *likely*: shown, never cut without a person.

use camino::Utf8PathBuf;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use super::map::{Entry, Origin, Tier};
use crate::text::lines::{js_trim, line_of, utf16_len};
use crate::text::{Estimator, Tokens};

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
        let mut places: Vec<Place> = Vec::new();
        // The first and the last place of each text; the places are chained.
        let mut seen: FxHashMap<Cow<'_, str>, (u32, u32)> = FxHashMap::default();
        for (file, (entry, text)) in files.iter().enumerate() {
            if text.len() > MOST_BYTES {
                out.not_searched.push(entry.path.clone());
                continue;
            }
            for unit in units(text) {
                let place = Place::new(file, &unit);
                let number = u32::try_from(places.len()).unwrap_or(NONE);
                let Some((first, last)) = seen.get_mut(&unit.key) else {
                    seen.insert(unit.key, (number, number));
                    places.push(place);
                    continue;
                };
                let twin = chain(&places, *first).find(|old| old.is_twin_of(&place));
                let certain = twin.is_some();
                let same = twin.unwrap_or(&places[*first as usize]);
                out.all.push(Repeat {
                    at: place.origin(&files),
                    last_line: place.last_line(&files),
                    same_as: same.origin(&files),
                    tokens: estimator.tokens(&text[unit.at.clone()]),
                    certain,
                    text: text[unit.at].lines().next().unwrap_or_default().to_owned(),
                });
                if !certain {
                    places[*last as usize].next = number;
                    *last = number;
                    places.push(place);
                }
            }
        }
        out
    }
}

/// No further place.
const NONE: u32 = u32::MAX;

/// Where a unit stands. Small, since there is one for every paragraph.
#[derive(Debug)]
struct Place {
    /// Its file, by number.
    file: u32,
    /// Its bytes in the text that is sent.
    start: u32,
    end: u32,
    /// The next place of the same text.
    next: u32,
    plain: bool,
    under: Rc<[String]>,
}

fn chain(places: &[Place], first: u32) -> impl Iterator<Item = &Place> {
    std::iter::successors(places.get(first as usize), |place| places.get(place.next as usize))
}

impl Place {
    fn new(file: usize, unit: &Unit<'_>) -> Self {
        // Texts are shorter than `MOST_BYTES`, and there are fewer files than numbers.
        let small = |n: usize| u32::try_from(n).unwrap_or(NONE);
        let (start, end) = (small(unit.at.start), small(unit.at.end));
        let under = Rc::clone(&unit.under);
        Self { file: small(file), start, end, next: NONE, plain: unit.plain, under }
    }

    fn is_twin_of(&self, other: &Self) -> bool {
        let alike = self.file == other.file && self.plain && other.plain;
        alike && !limits(&self.under, &other.under)
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

/// A paragraph or a list item.
#[derive(Clone, Debug)]
struct Unit<'a> {
    at: Range<usize>,
    /// Its lines, trimmed.
    key: Cow<'a, str>,
    /// Whether it stands in plain prose or a bullet list.
    plain: bool,
    /// The headings it stands under, outermost first.
    under: Rc<[String]>,
}

/// Cuts a document into paragraphs and the items of its lists.
fn units(text: &str) -> Vec<Unit<'_>> {
    let mut out = Vec::new();
    let mut above: Vec<(HeadingLevel, String)> = Vec::new();
    // The same headings as a value that all units under them share.
    let mut under: Rc<[String]> = Rc::new([]);
    let mut heading: Option<(HeadingLevel, String)> = None;
    // One mark per open container: whether what is in it is plain.
    let mut containers: Vec<bool> = Vec::new();
    // A repeated item is one unit with all that is in it.
    let mut items = 0usize;
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    for (event, at) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new())),
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, title)) = heading.take() {
                    above.retain(|(higher, _)| *higher < level);
                    above.push((level, title.trim().to_lowercase()));
                    under = above.iter().map(|(_, title)| title.clone()).collect();
                }
            }
            Event::Text(t) | Event::Code(t) => {
                if let Some((_, title)) = &mut heading {
                    title.push_str(&t);
                }
            }
            Event::Start(Tag::Paragraph) if items == 0 => {
                push(&mut out, text, at, containers.iter().all(|plain| *plain), &under);
            }
            Event::Start(Tag::List(first)) => containers.push(first.is_none()),
            Event::Start(
                Tag::BlockQuote(_) | Tag::Table(_) | Tag::FootnoteDefinition(_) | Tag::HtmlBlock,
            ) => containers.push(false),
            Event::Start(Tag::Item) => {
                if items == 0 {
                    push(&mut out, text, at, containers.iter().all(|plain| *plain), &under);
                }
                items += 1;
            }
            Event::End(TagEnd::Item) => items = items.saturating_sub(1),
            Event::End(
                TagEnd::List(_)
                | TagEnd::BlockQuote(_)
                | TagEnd::Table
                | TagEnd::FootnoteDefinition
                | TagEnd::HtmlBlock,
            ) => {
                containers.pop();
            }
            _ => {}
        }
    }
    out
}

fn push<'a>(
    out: &mut Vec<Unit<'a>>,
    text: &'a str,
    at: Range<usize>,
    plain: bool,
    under: &Rc<[String]>,
) {
    let trimmed = text[at.clone()].trim_end();
    let key = if trimmed.contains('\n') {
        let lines: Vec<&str> = trimmed.lines().map(js_trim).collect();
        Cow::Owned(without_marker(&lines.join("\n")).to_owned())
    } else {
        Cow::Borrowed(without_marker(js_trim(trimmed)))
    };
    // Something fenced or tagged inside an item is no prose.
    let plain = plain && !key.contains("```") && !key.contains("~~~") && !key.contains('<');
    if utf16_len(&key) >= LEAST_UNITS {
        let at = at.start..at.start + trimmed.len();
        out.push(Unit { at, key, plain, under: Rc::clone(under) });
    }
}

/// Returns the text of a list item without its bullet or number; other texts stay.
fn without_marker(text: &str) -> &str {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = if digits.len() < text.len() { &['.', ')'] } else { &['-', '*', '+'] };
    match digits.strip_prefix(marks) {
        Some(rest) if rest.starts_with([' ', '\t']) => js_trim(rest),
        _ => text,
    }
}

/// Words that make a heading limit where its text holds.
///
/// Ours: conditions, places, times and states in the headings of 70 public instruction files.
/// A heading with a digit (a version, a step) counts too.
const LIMITING: &[&str] = &[
    "after",
    "android",
    "avoid",
    "before",
    "bug",
    "bugs",
    "ci",
    "deprecated",
    "dev",
    "development",
    "don't",
    "done",
    "example",
    "examples",
    "except",
    "exceptions",
    "experimental",
    "first",
    "for",
    "if",
    "in",
    "ios",
    "legacy",
    "linux",
    "local",
    "locally",
    "macos",
    "never",
    "new",
    "not",
    "old",
    "on",
    "only",
    "phase",
    "planned",
    "prod",
    "production",
    "rejected",
    "remote",
    "stage",
    "staging",
    "step",
    "steps",
    "test",
    "testing",
    "tests",
    "todo",
    "unless",
    "until",
    "when",
    "while",
    "windows",
    "without",
    "wrong",
];

/// Returns whether two places differ by a heading that limits where its text holds.
fn limits(a: &[String], b: &[String]) -> bool {
    let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    a[shared..].iter().chain(&b[shared..]).any(|title| {
        let mut words = title.split(|c: char| !c.is_alphanumeric() && c != '\'');
        words.any(|w| LIMITING.contains(&w) || w.chars().any(|c| c.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests;
