//! The tokens of a text, by class.

use serde::Serialize;

use super::front_matter;
use super::scan::{
    Hit, autolinks, bare_links, between, digits, each, is_edge, iso_dates, link_targets, month,
    named_dates, versions, wikilinks,
};
use crate::text::lines::js_trim;

/// A class of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenClass {
    /// `[[x]]`.
    Wikilinks,
    /// Dates.
    Dates,
    /// Versions.
    Versions,
    /// Targets of links.
    Links,
    /// Keys of the front matter.
    FrontMatter,
    /// Code in a line.
    CodeSpans,
    /// Quoted words.
    Quotes,
    /// Numbers.
    Numbers,
}

impl TokenClass {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 8] = [
        Self::Wikilinks,
        Self::Dates,
        Self::Versions,
        Self::Links,
        Self::FrontMatter,
        Self::CodeSpans,
        Self::Quotes,
        Self::Numbers,
    ];

    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wikilinks => "wikilinks",
            Self::Dates => "dates",
            Self::Versions => "versions",
            Self::Links => "links",
            Self::FrontMatter => "frontmatter",
            Self::CodeSpans => "codespans",
            Self::Quotes => "quotes",
            Self::Numbers => "numbers",
        }
    }
}

/// Different tokens, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    order: Vec<String>,
    known: rustc_hash::FxHashSet<String>,
}

impl Tokens {
    /// Returns them in order.
    pub fn iter(&self) -> std::slice::Iter<'_, String> {
        self.order.iter()
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns whether this is one of them.
    pub fn contains(&self, value: &str) -> bool {
        self.known.contains(value)
    }

    fn add(&mut self, value: String) {
        if self.known.insert(value.clone()) {
            self.order.push(value);
        }
    }
}

/// The tokens of one text.
#[derive(Clone, Debug, Default)]
pub struct Inventory([Tokens; 8]);

impl Inventory {
    /// Returns the tokens of one class.
    pub fn of(&self, class: TokenClass) -> &Tokens {
        &self.0[class as usize]
    }

    fn add(&mut self, class: TokenClass, value: String) {
        self.0[class as usize].add(value);
    }
}

/// Lists the tokens of a text.
pub fn inventory(text: &str) -> Inventory {
    use TokenClass::{CodeSpans, Dates, FrontMatter, Links, Quotes, Versions, Wikilinks};
    let bytes = text.as_bytes();
    let mut out = Inventory::default();
    for hit in wikilinks(bytes) {
        let inner = string(bytes, &hit);
        let target = inner.split('|').next().unwrap_or_default();
        out.add(Wikilinks, js_trim(target).to_owned());
    }
    for hit in iso_dates(bytes) {
        out.add(Dates, string(bytes, &hit));
    }
    for hit in named_dates(bytes) {
        out.add(Dates, iso(&string(bytes, &hit)));
    }
    let mut left = bytes.to_vec();
    for short in [false, true] {
        for hit in blank_out(&mut left, |left| versions(left, short)) {
            out.add(Versions, hit);
        }
    }
    let mut left = bytes.to_vec();
    for find in [link_targets, autolinks, bare_links] {
        for hit in blank_out(&mut left, find) {
            out.add(Links, hit);
        }
    }
    for key in front_matter::keys(text) {
        out.add(FrontMatter, key.to_owned());
    }
    for hit in between(bytes, b"`", b"`") {
        out.add(CodeSpans, string(bytes, &hit));
    }
    let curly = ("\u{201c}".as_bytes(), "\u{201d}".as_bytes());
    for (open, close) in [curly, (b"\"", b"\"")] {
        for hit in between(bytes, open, close) {
            out.add(Quotes, string(bytes, &hit));
        }
    }
    numbers(bytes, &mut out);
    out
}

fn string(text: &[u8], hit: &Hit) -> String {
    String::from_utf8_lossy(&text[hit.value.clone()]).into_owned()
}

/// Returns what `find` finds, and puts blanks in its place.
fn blank_out(text: &mut [u8], find: impl Fn(&[u8]) -> Vec<Hit>) -> Vec<String> {
    let hits = find(text);
    let out = hits.iter().map(|hit| string(text, hit)).collect();
    for hit in hits {
        text[hit.all].fill(b' ');
    }
    out
}

/// Returns `8-Jul-2026` as `2026-07-08`.
fn iso(named: &str) -> String {
    let mut parts = named.split('-');
    let (day, name, year) = (parts.next(), parts.next(), parts.next());
    let month = name.and_then(|name| month(name.as_bytes())).unwrap_or_default();
    format!("{}-{month:02}-{:0>2}", year.unwrap_or_default(), day.unwrap_or_default())
}

/// How a number is written.
#[derive(Clone, Copy)]
enum Form {
    Grouped,
    Thousands,
    Percent,
    Ratio,
    Decimal,
    Integer,
}

fn numbers(text: &[u8], out: &mut Inventory) {
    let mut left = text.to_vec();
    type Find = fn(&[u8]) -> Vec<Hit>;
    let others: [Find; 7] = [
        iso_dates,
        named_dates,
        |text| versions(text, false),
        |text| versions(text, true),
        link_targets,
        autolinks,
        bare_links,
    ];
    for find in others {
        blank_out(&mut left, find);
    }
    use Form::{Decimal, Grouped, Integer, Percent, Ratio, Thousands};
    for form in [Grouped, Thousands, Percent, Ratio, Decimal, Integer] {
        let starts = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-');
        let find = |text: &[u8]| {
            each(text, starts, |at| {
                let all = at..number(text, at, form)?;
                Some(Hit { value: all.clone(), all })
            })
        };
        for value in blank_out(&mut left, find) {
            out.add(TokenClass::Numbers, value.replace(',', ""));
        }
    }
}

/// Returns where a number of this form ends that begins at `at`, with its sign.
fn number(text: &[u8], at: usize, form: Form) -> Option<usize> {
    let signed = matches!(text[at], b'+' | b'-');
    let glued = at.checked_sub(1).is_some_and(|before| {
        let before = text[before];
        before.is_ascii_alphanumeric() || matches!(before, b'_' | b'.')
    });
    let start = at + usize::from(signed);
    let end = digits(text, start);
    if (signed && glued) || end == start || !is_edge(text, start) {
        return None;
    }
    let has = |at: usize, byte: u8| text.get(at) == Some(&byte);
    // Behind `mark` and digits, if they stand there.
    let more = |at: usize, mark: u8| {
        let end = if has(at, mark) { digits(text, at + 1) } else { at };
        (end > at + 1).then_some(end)
    };
    let edge = |at: usize| is_edge(text, at).then_some(at);
    match form {
        Form::Integer => (end - start >= 2).then(|| edge(end))?,
        Form::Decimal => more(end, b'.').and_then(edge),
        Form::Ratio => more(end, b'/').and_then(edge),
        Form::Percent => {
            let end = more(end, b'.').unwrap_or(end);
            has(end, b'%').then_some(end + 1)
        }
        Form::Thousands => {
            let end = more(end, b'.').unwrap_or(end);
            (has(end, b'k') || has(end, b'K')).then(|| edge(end + 1))?
        }
        Form::Grouped => {
            let mut ends = Vec::new();
            let mut last = end;
            while has(last, b',') && last + 4 <= text.len() && digits(text, last + 1) >= last + 4 {
                last += 4;
                ends.push(last);
            }
            let whole = |end: usize| more(end, b'.').and_then(edge).or_else(|| edge(end));
            let end = ends.into_iter().rev().find_map(whole).filter(|_| end - start <= 3)?;
            Some(end + usize::from(has(end, b'%')))
        }
    }
}
