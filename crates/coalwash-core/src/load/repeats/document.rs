//! A Markdown document as paragraphs, items of lists, and sections.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use rustc_hash::FxHasher;
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

use super::{LEAST_UNITS, scope::limits};
use crate::text::lines::{js_trim, utf16_len};

/// The dialect that all who look for repeats read.
pub(crate) const DIALECT: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES);

/// What a document is made of, as far as repeats go.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    /// In order.
    pub(crate) units: Vec<Unit<'a>>,
    /// In order; the first is what stands before all headings.
    pub(crate) sections: Vec<Section>,
}

/// A paragraph or a list item.
#[derive(Clone, Debug)]
pub(crate) struct Unit<'a> {
    pub(crate) at: Range<usize>,
    /// Its lines, trimmed.
    pub(crate) key: Cow<'a, str>,
    /// How the blocks inside an item are nested, which trimmed lines don't tell.
    pub(crate) shape: u64,
    /// Whether it stands in plain prose or a bullet list, and introduces nothing.
    pub(crate) plain: bool,
    /// The headings it stands under up to the last that limits where its text holds. Two units may
    /// be twins only where these are equal.
    pub(crate) scope: Rc<[String]>,
}

/// A heading and what stands under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// The bytes of its heading; empty where it has none.
    pub(crate) heading: Range<usize>,
    /// Where the next heading of its level or above begins.
    pub(crate) end: usize,
    /// From 1; 0 for what stands before all headings.
    pub(crate) level: usize,
    /// Its heading and those above it.
    pub(crate) path: u64,
    /// The units between its heading and the next.
    pub(crate) units: Range<usize>,
    /// What else stands there.
    pub(crate) rest: Rest,
}

/// What a section has besides units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rest {
    /// Nothing but blank lines and rules.
    Nothing,
    /// Comments.
    Comment,
    /// Anything.
    Content,
}

impl<'a> Document<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let root = Section {
            heading: 0..0,
            end: text.len(),
            level: 0,
            path: 0,
            units: 0..0,
            rest: Rest::Nothing,
        };
        let mut reader = Reader {
            text,
            units: Vec::new(),
            sections: vec![root],
            open: Vec::new(),
            above: Vec::new(),
            scope: Rc::new([]),
            heading: None,
            containers: Vec::new(),
            items: 0,
            shaping: false,
            covered: 0,
        };
        for (event, at) in Parser::new_ext(text, DIALECT).into_offset_iter() {
            reader.event(event, at);
        }
        reader.leave(text.len());
        Self { units: reader.units, sections: reader.sections }
    }
}

struct Reader<'a> {
    text: &'a str,
    units: Vec<Unit<'a>>,
    sections: Vec<Section>,
    /// The sections that the next heading may end.
    open: Vec<usize>,
    above: Vec<(HeadingLevel, String)>,
    /// Those up to the last that limits, as a value that all units under them share.
    scope: Rc<[String]>,
    heading: Option<(HeadingLevel, String)>,
    /// One mark per open container: whether what is in it is plain.
    containers: Vec<bool>,
    items: usize,
    /// Whether the open item is the last unit.
    shaping: bool,
    /// Up to where everything was a unit, a rule, a comment or blank.
    covered: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, at: Range<usize>) {
        let top = self.containers.is_empty() && self.items == 0;
        if self.items > 0 && self.shaping {
            self.shape(&event);
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                if top {
                    self.section(level as usize, at);
                }
                self.heading = Some((level, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, title)) = self.heading.take() {
                    self.above.retain(|(higher, _)| *higher < level);
                    self.above.push((level, title.trim().to_lowercase()));
                    let last = self.above.iter().rposition(|(_, title)| limits(title));
                    let scope = &self.above[..last.map_or(0, |last| last + 1)];
                    self.scope = scope.iter().map(|(_, title)| title.clone()).collect();
                }
            }
            Event::Text(t) | Event::Code(t) => {
                if let Some((_, title)) = &mut self.heading {
                    title.push_str(&t);
                }
            }
            Event::Start(Tag::Paragraph) if self.items == 0 => self.unit(at, js_trim),
            Event::Start(Tag::List(first)) => self.containers.push(first.is_none()),
            Event::Start(Tag::Item) => {
                // A repeated item is one unit with all that is in it.
                if self.items == 0 {
                    self.unit(at, without_marker);
                }
                self.items += 1;
            }
            Event::Start(Tag::HtmlBlock) => {
                if top && is_comment(&self.text[at.clone()]) {
                    self.cover(&at);
                    self.here(Rest::Comment);
                }
                self.containers.push(false);
            }
            Event::Start(Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)) => {
                self.containers.push(false);
            }
            Event::Start(Tag::Table(_)) => {
                self.introduced(top, &at);
                self.containers.push(false);
            }
            Event::Start(Tag::CodeBlock(_)) => self.introduced(top, &at),
            Event::Rule if top => self.cover(&at),
            Event::End(TagEnd::Item) => self.items = self.items.saturating_sub(1),
            Event::End(
                TagEnd::List(_)
                | TagEnd::BlockQuote(_)
                | TagEnd::Table
                | TagEnd::FootnoteDefinition
                | TagEnd::HtmlBlock,
            ) => {
                self.containers.pop();
            }
            _ => {}
        }
    }

    /// Takes a unit, of which `bare` makes the text out of its trimmed lines.
    fn unit(&mut self, at: Range<usize>, bare: fn(&str) -> &str) {
        let text = self.text;
        let trimmed = text[at.clone()].trim_end();
        let key = if trimmed.contains('\n') {
            let lines: Vec<&str> = trimmed.lines().map(js_trim).collect();
            Cow::Owned(bare(&lines.join("\n")).to_owned())
        } else {
            Cow::Borrowed(bare(js_trim(trimmed)))
        };
        self.shaping = utf16_len(&key) >= LEAST_UNITS;
        if !self.shaping {
            return;
        }
        // Something fenced or tagged inside an item is no prose.
        let prose = !key.contains("```") && !key.contains("~~~") && !key.contains('<');
        let introduces = key.trim_end_matches(['*', '_']).ends_with([':', '：']);
        let plain = self.containers.iter().all(|plain| *plain) && prose && !introduces;
        let at = at.start..at.start + trimmed.len();
        self.cover(&at);
        self.units.push(Unit { at, key, shape: 0, plain, scope: Rc::clone(&self.scope) });
    }

    /// Notes how the blocks of an item are nested.
    fn shape(&mut self, event: &Event<'_>) {
        let code = match event {
            Event::Start(Tag::List(first)) => 1 + u64::from(first.is_some()),
            Event::Start(Tag::Item) => 3,
            Event::Start(Tag::CodeBlock(_)) => 4,
            Event::Start(Tag::BlockQuote(_)) => 5,
            Event::Start(Tag::Table(_)) => 6,
            Event::Start(Tag::Heading { .. }) => 7,
            Event::Start(Tag::HtmlBlock) => 8,
            Event::Rule => 9,
            Event::End(TagEnd::List(_)) => 10,
            Event::End(TagEnd::Item) if self.items > 1 => 11,
            _ => return,
        };
        if let Some(unit) = self.units.last_mut() {
            unit.shape = hashed(&(unit.shape, code));
        }
    }

    /// Marks a unit right before a table or code as what introduces it.
    fn introduced(&mut self, top: bool, at: &Range<usize>) {
        let text = self.text;
        if let Some(unit) = self.units.last_mut().filter(|_| top)
            && text[unit.at.end..at.start.max(unit.at.end)].trim().is_empty()
        {
            unit.plain = false;
        }
    }

    fn section(&mut self, level: usize, heading: Range<usize>) {
        self.leave(heading.start);
        self.covered = heading.end;
        self.open.retain(|open| {
            let stays = self.sections[*open].level < level;
            if !stays {
                self.sections[*open].end = heading.start;
            }
            stays
        });
        let title = js_trim(&self.text[heading.clone()]);
        let above = self.open.last().map_or(0, |open| self.sections[*open].path);
        self.open.push(self.sections.len());
        let units = self.units.len()..self.units.len();
        let path = hashed(&(above, level, title));
        let end = self.text.len();
        self.sections.push(Section { heading, end, level, path, units, rest: Rest::Nothing });
    }

    /// Ends what stands directly under the last heading.
    fn leave(&mut self, at: usize) {
        self.cover(&(at..at));
        if let Some(section) = self.sections.last_mut() {
            section.units.end = self.units.len();
        }
    }

    fn cover(&mut self, at: &Range<usize>) {
        let gap = self.text.get(self.covered..at.start).unwrap_or_default();
        if !gap.trim().is_empty() {
            self.here(Rest::Content);
        }
        self.covered = self.covered.max(at.end);
    }

    fn here(&mut self, rest: Rest) {
        if let Some(section) = self.sections.last_mut() {
            section.rest = section.rest.max(rest);
        }
    }
}

pub(crate) fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn is_comment(html: &str) -> bool {
    let html = html.trim();
    html.starts_with("<!--") && html.find("-->").is_some_and(|end| end + 3 == html.len())
}

/// Returns the text of a list item without its bullet or number.
fn without_marker(text: &str) -> &str {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = if digits.len() < text.len() { &['.', ')'] } else { &['-', '*', '+'] };
    match digits.strip_prefix(marks) {
        Some(rest) if rest.starts_with([' ', '\t']) => js_trim(rest),
        _ => text,
    }
}
