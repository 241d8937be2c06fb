//! HTML blocks, tags in the text, and comments, whose text is Markdown of its own.

use std::ops::Range;

use super::{Container, read::Reader};
use crate::wash::gate::{lexicon::hash_of, token::Kind};

impl Reader<'_, '_, '_, '_> {
    pub(super) fn inline_html(&mut self, tag: &str, at: &Range<usize>) {
        if tag.starts_with("<!--") {
            let (content, open) = (std::mem::take(&mut self.content), self.open.take());
            self.comment(at.clone());
            (self.content, self.open) = (content, open);
            self.content.comment();
        } else if tag.starts_with("<br") {
            self.content.end();
        } else {
            self.content.atom(Kind::Html, hash_of(tag.trim()), at, false);
        }
    }

    /// A comment's text is read as Markdown of its own.
    pub(super) fn comment(&mut self, at: Range<usize>) {
        let text = &self.text[at.clone()];
        let inner = text.strip_prefix("<!--").unwrap_or(text);
        let start = at.start + text.len() - inner.len();
        let inner = inner.trim_end();
        let inner = inner.strip_suffix("-->").unwrap_or(inner);
        let range = start..start + inner.len();
        if self.depth == 0 {
            let forced = self.forced.replace(Container::Comment);
            let quotes = std::mem::take(&mut self.quotes);
            self.depth = 1;
            self.markdown(range);
            self.depth = 0;
            self.quotes = quotes;
            self.forced = forced;
        } else {
            self.begin(Container::Comment);
            let inner = &self.text[range.clone()];
            self.piece(inner, &range);
            self.close();
        }
    }

    /// An HTML block: comments, tags, and the text between them.
    pub(super) fn html(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let rest = &self.text[at..range.end];
            let Some(open) = memchr::memchr(b'<', rest.as_bytes()) else {
                self.html_text(at..range.end);
                break;
            };
            if open > 0 {
                self.html_text(at..at + open);
                at += open;
                continue;
            }
            if let Some(inner) = rest.strip_prefix("<!--") {
                let end = inner.find("-->").map_or(range.end, |end| at + 4 + end + 3);
                self.close();
                self.comment(at..end);
                at = end;
                continue;
            }
            match memchr::memchr(b'>', rest.as_bytes()) {
                Some(end) => {
                    self.begin(Container::Prose);
                    let tag = at..at + end + 1;
                    if self.text[tag.clone()].starts_with("<br") {
                        self.content.end();
                    } else {
                        self.content.atom(
                            Kind::Html,
                            hash_of(&self.text[tag.clone()]),
                            &tag,
                            false,
                        );
                    }
                    at = tag.end;
                }
                None => {
                    self.html_text(at..range.end);
                    break;
                }
            }
        }
        self.close();
    }

    pub(super) fn html_text(&mut self, at: Range<usize>) {
        let text = &self.text[at.clone()];
        if !text.trim().is_empty() {
            self.begin(Container::Prose);
            self.piece(text, &at);
        }
    }
}
