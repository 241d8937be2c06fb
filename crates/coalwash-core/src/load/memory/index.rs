//! The names in the index of a memory.

use std::borrow::Cow;

use memchr::memmem;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use rustc_hash::FxHashSet;

/// Bytes of the longest name of a file.
const MOST_NAME: usize = 255;
/// Bytes of an index in which a name that is no single word is looked for.
const MOST_SEARCHED: usize = 256 << 10;

/// What an index names.
#[derive(Debug, Default)]
pub(super) struct Index<'t> {
    /// Files that it claims to have, in its order.
    pub(super) entries: Vec<Named<'t>>,
    /// Every word that ends in `.md`, without folders, and the names in double brackets.
    words: FxHashSet<Cow<'t, str>>,
}

/// One file that is named.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named<'t> {
    /// The 1-based line.
    pub(super) line: usize,
    /// The path as it is written, without `#part`.
    pub(super) target: Cow<'t, str>,
}

impl<'t> Index<'t> {
    /// Reads an index.
    ///
    /// An entry is a link, or a bullet that begins with the name of a file. Names in double brackets
    /// are none: the host writes them for files that it may write one day.
    pub(super) fn read(text: &'t str) -> Self {
        let mut out = Self::default();
        let mut lines = Lines { text, at: 0, line: 1 };
        let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_WIKILINKS;
        let (mut starts, mut code) = (false, false);
        for (event, at) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Start(Tag::Link {
                    link_type: LinkType::WikiLink { .. }, dest_url, ..
                }) => {
                    out.words.insert(Cow::Owned(format!("{dest_url}.md")));
                    starts = false;
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    if let Some(target) = target(&dest_url) {
                        let target = Cow::Owned(target);
                        out.entries.push(Named { line: lines.of(at.start), target });
                    }
                    starts = false;
                }
                Event::Start(Tag::CodeBlock(_)) => code = true,
                Event::End(TagEnd::CodeBlock) => code = false,
                Event::Start(Tag::Item) => starts = true,
                Event::Text(words) | Event::Code(words) => {
                    if std::mem::take(&mut starts)
                        && !code
                        && let Some(name) = leading_name(&words)
                    {
                        let target = Cow::Owned(name.to_owned());
                        out.entries.push(Named { line: lines.of(at.start), target });
                    }
                }
                _ => {}
            }
        }
        for entry in &out.entries {
            out.words.insert(Cow::Owned(last(&entry.target).to_owned()));
        }
        out.words.extend(words(text).map(Cow::Borrowed));
        out
    }

    /// Returns whether a file beside the index is named in it, in whatever way.
    ///
    /// In an index of more than 256 KB a name with a blank or bracket in it counts as named.
    pub(super) fn names(&self, name: &str, text: &str) -> bool {
        self.words.contains(name)
            || name.contains(is_edge)
                && (text.len() > MOST_SEARCHED
                    || memmem::find(text.as_bytes(), name.as_bytes()).is_some())
    }
}

/// Counts lines forward.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn of(&mut self, at: usize) -> usize {
        if at < self.at {
            return crate::text::lines::line_of(self.text, at);
        }
        self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..at]).count();
        self.at = at;
        self.line
    }
}

/// Returns the path of a link, or `None` for an address and a part of the same page.
fn target(url: &str) -> Option<String> {
    let path = url.split('#').next().unwrap_or_default();
    let scheme = path.split_once(':').map(|(scheme, _)| scheme);
    let is_address = scheme.is_some_and(|it| {
        it.len() > 1 && it.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    });
    if path.is_empty() || is_address || path.starts_with("//") {
        return None;
    }
    let path = decoded(path.strip_prefix("./").unwrap_or(path));
    (!path.contains('\0')).then_some(path)
}

/// Puts characters in place of `%20` and the like; what isn't UTF-8 then stays as it is.
fn decoded(path: &str) -> String {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|it| *first == b'%' && it.is_ascii());
        let byte = digits.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok());
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(out).unwrap_or_else(|_| path.to_owned())
}

/// Returns the name of a file with which a bullet begins.
///
/// One all in capitals (`README.md`) is as likely a file of the project's.
fn leading_name(words: &str) -> Option<&str> {
    let word = words.trim_start().split(|c: char| c.is_whitespace() || c == ':').next()?;
    let stem = word.strip_suffix(".md")?;
    let is_name = !stem.is_empty() && !stem.contains(['/', '\\', '*', '<', '{', '$']);
    (is_name && stem.contains(char::is_lowercase)).then_some(word)
}

/// Returns the words that end in `.md`, without the folders before them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    memmem::find_iter(text.as_bytes(), b".md").filter_map(move |at| {
        let end = at + 3;
        let goes_on = text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let from = text.floor_char_boundary(at.saturating_sub(MOST_NAME));
        let word = text[from..end].rsplit(is_edge).next()?;
        (!goes_on && word.len() > 3).then_some(word)
    })
}

/// Returns whether a word ends here.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || "()[]{}<>\"'`,;:|*=/\\".contains(c)
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
