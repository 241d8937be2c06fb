//! Markdown to clauses: the events of the parser, with where they stand.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use rustc_hash::FxHashMap;

use super::{Container, Fence, Item, count, read::Reader, span};
use crate::wash::gate::{
    lexicon::{hash_of, mixed},
    token::Kind,
};

/// What is open of a text that is being read.
#[derive(Default)]
pub(super) struct Inline {
    /// Definitions of links that no link has used, by their label.
    definitions: FxHashMap<String, (String, Range<usize>)>,
    links: Vec<(LinkType, String)>,
    /// How many links are open whose text is their destination.
    silent: u32,
    code: bool,
    html: Option<Range<usize>>,
    pub(super) table: super::table::Open,
}

impl Reader<'_, '_, '_, '_> {
    /// Reads `range` of the text as Markdown.
    pub(super) fn markdown(&mut self, range: Range<usize>) {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_WIKILINKS;
        let base = range.start;
        let parser = Parser::new_ext(&self.text[range], options);
        let outer = std::mem::take(&mut self.inline);
        self.inline.definitions = parser
            .reference_definitions()
            .iter()
            .map(|(name, found)| {
                let at = found.span.start + base..found.span.end + base;
                (label(name), (found.dest.to_string(), at))
            })
            .collect();
        for (event, at) in parser.into_offset_iter() {
            let at = at.start + base..at.end + base;
            match event {
                Event::Start(tag) => self.start(tag, at),
                Event::End(tag) => self.end(tag, &at),
                event => self.within(event, at),
            }
        }
        self.close();
        let mut unused: Vec<(String, (String, Range<usize>))> =
            self.inline.definitions.drain().collect();
        unused.sort_by_key(|(_, (_, at))| at.start);
        for (name, (dest, at)) in unused {
            self.line(Container::Definition, mixed(hash_of(&name), hash_of(&dest)), at);
        }
        self.inline = outer;
    }

    fn start(&mut self, tag: Tag<'_>, at: Range<usize>) {
        let structure = self.forced.is_none();
        match tag {
            Tag::Heading { level, .. } => {
                self.close();
                if structure {
                    self.start_heading(level as u8);
                } else {
                    self.open = self.forced;
                }
            }
            Tag::BlockQuote(_) => {
                self.close();
                self.quotes += 1;
            }
            Tag::List(first) => {
                self.close();
                self.lists.push((self.next_list, first.is_some()));
                self.next_list += 1;
            }
            Tag::Item => {
                self.close();
                if structure {
                    let (list, ordered) = self.lists.last().copied().unwrap_or_default();
                    let parent = self.items.last().copied();
                    self.items.push(count(self.facts.items.len()));
                    self.facts.items.push(Item {
                        parent,
                        list,
                        ordered,
                        checked: None,
                        first: None,
                    });
                }
            }
            Tag::CodeBlock(kind) => {
                self.close();
                self.next_group = count(self.facts.fences.len());
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.trim().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.facts.fences.push(Fence { info, span: span(&at) });
                self.inline.code = true;
            }
            Tag::HtmlBlock => {
                self.close();
                self.inline.html = Some(at.start..at.start);
            }
            Tag::Table(_) => {
                self.close();
                self.next_group += 1;
                self.inline.table = super::table::Open::default();
            }
            Tag::TableHead | Tag::TableRow => {
                self.close();
                self.start_row(at.start);
            }
            Tag::TableCell => self.start_cell(at.start, structure),
            Tag::Link { link_type, dest_url, id, .. }
            | Tag::Image { link_type, dest_url, id, .. } => {
                if !id.is_empty() && !self.inline.definitions.is_empty() {
                    self.inline.definitions.remove(&label(&id));
                }
                self.begin(Container::Prose);
                if matches!(link_type, LinkType::Autolink | LinkType::Email) {
                    self.inline.silent += 1;
                }
                self.inline.links.push((link_type, dest_url.to_string()));
            }
            Tag::Strikethrough
                if self.content.struck.last().is_none_or(|last| last.end < at.end) =>
            {
                self.content.struck.push(at);
            }
            Tag::Paragraph | Tag::FootnoteDefinition(_) => self.close(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, at: &Range<usize>) {
        let structure = self.forced.is_none();
        match tag {
            TagEnd::Heading(_) => {
                let first = count(self.facts.clauses.len());
                let heads = self.open == Some(Container::Heading);
                self.close();
                if heads
                    && first < count(self.facts.clauses.len())
                    && let Some(heading) = self.heading
                {
                    self.facts.headings[heading as usize].clause = Some(first);
                }
            }
            TagEnd::BlockQuote(_) => {
                self.close();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::List(_) => {
                self.close();
                self.lists.pop();
            }
            TagEnd::Item => {
                self.close();
                if structure {
                    self.items.pop();
                }
            }
            TagEnd::CodeBlock => self.inline.code = false,
            TagEnd::HtmlBlock => {
                if let Some(range) = self.inline.html.take() {
                    self.html(range);
                }
            }
            TagEnd::TableCell if structure => self.end_cell(),
            TagEnd::TableHead if structure => self.end_row(Container::TableHead, at.end),
            TagEnd::TableRow if structure => self.end_row(Container::Table, at.end),
            TagEnd::Link | TagEnd::Image => {
                if let Some((kind, dest)) = self.inline.links.pop() {
                    if matches!(kind, LinkType::Autolink | LinkType::Email) {
                        self.inline.silent = self.inline.silent.saturating_sub(1);
                    }
                    let wiki = matches!(kind, LinkType::WikiLink { .. });
                    let kind = if wiki { Kind::WikiLink } else { Kind::Url };
                    self.content.atom(kind, hash_of(&dest), at, !wiki);
                }
            }
            TagEnd::TableCell | TagEnd::Table | TagEnd::Paragraph | TagEnd::FootnoteDefinition => {
                self.close();
            }
            _ => {}
        }
    }

    fn within(&mut self, event: Event<'_>, at: Range<usize>) {
        match event {
            Event::Text(_) if self.inline.code => self.code(at),
            Event::Text(text) => {
                self.begin(Container::Prose);
                let named = self.inline.links.last().is_some_and(|(kind, dest)| {
                    matches!(kind, LinkType::WikiLink { .. }) && *dest == *text
                });
                if self.inline.silent == 0 && !named {
                    self.piece(&text, &at);
                }
            }
            Event::Code(code) => {
                self.begin(Container::Prose);
                self.content.atom(Kind::Code, hash_of(code.trim()), &at, false);
            }
            Event::Html(_) => match &mut self.inline.html {
                Some(range) => range.end = range.end.max(at.end),
                None => self.html(at),
            },
            Event::InlineHtml(tag) => {
                self.begin(Container::Prose);
                self.inline_html(&tag, &at);
            }
            Event::FootnoteReference(name) => {
                self.begin(Container::Prose);
                self.content.atom(Kind::Name, hash_of(&name), &at, false);
            }
            Event::TaskListMarker(done) => {
                if let Some(item) = self.items.last() {
                    self.facts.items[*item as usize].checked = Some(done);
                }
            }
            Event::SoftBreak => self.piece(" ", &at),
            Event::HardBreak => self.content.end(),
            Event::Rule => self.close(),
            _ => {}
        }
    }
}

/// Returns a link's label as links find it: case and white space don't count.
fn label(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
