//! Whether a text without some of its lines is still the same text.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;

use super::layout::{Layout, Left};
use crate::load::hosts::claude_code::markdown::{Dialect, read};
use crate::load::repeats::DIALECT;
use crate::wash::gate::{Class, Gate};

/// Where in the old text something else changed than the lines that went; empty where nothing did.
pub(super) type Changed = Vec<Range<usize>>;

/// Returns what changed but for the lines that went.
pub(super) fn changed(old: &Layout<'_>, gone: &[bool], new: &Left, gate: &mut Gate) -> Changed {
    let blocks = blocks(old, gone, new);
    if !blocks.is_empty() {
        return blocks;
    }
    let sent = sent(old, gone, &new.text);
    if !sent.is_empty() {
        return sent;
    }
    lost(old.text, &new.text, gate)
}

/// Returns where the gate finds more than copies that went.
pub(super) fn lost(old: &str, new: &str, gate: &mut Gate) -> Changed {
    let report = gate.compare(&[old], new);
    let bad = report.findings.into_iter().filter(|found| found.class != Class::CopyRemoved);
    bad.map(|found| found.old.map_or(0..old.len(), |span| span.start..span.end)).collect()
}

/// A step of a Markdown parser.
#[derive(Debug, PartialEq)]
enum Step<'a> {
    Event(Event<'a>),
    /// The edge of a paragraph in an item, which is there or not by the blank lines around.
    Space,
}

/// Returns where the blocks of the two texts differ.
fn blocks(old: &Layout<'_>, gone: &[bool], new: &Left) -> Changed {
    // How many lines before each one stay and say something.
    let mut stay = vec![0];
    for (line, gone) in gone.iter().enumerate() {
        stay.push(stay[line] + usize::from(!gone && !old.is_blank(line)));
    }
    let mut before = steps(&old.text[old.body..], old.body);
    before.retain(|(step, at)| match step {
        Step::Event(Event::Start(Tag::List(_)) | Event::End(TagEnd::List(_))) => {
            let lines = old.lines_of(at);
            stay[lines.end] > stay[lines.start]
        }
        _ => !gone.get(old.line_of(at.start)).is_some_and(|gone| *gone),
    });
    let after = steps(&new.text[old.body..], old.body);
    let mut changed = Vec::new();
    let (mut a, mut b) = (before.iter().peekable(), after.iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (None, None) => return changed,
            (Some((one, _)), Some((other, _))) if one == other => {
                a.next();
                b.next();
            }
            // A list that lost an item may hold the others closer together.
            (Some((Step::Space, _)), _) => _ = a.next(),
            (at, _) => {
                let end = old.text.len();
                changed.push(at.map_or(end..end, |(_, at)| at.clone()));
                // The texts are in step again at the next heading.
                let heading = |(step, _): &&(Step<'_>, _)| {
                    matches!(step, Step::Event(Event::Start(Tag::Heading { .. })))
                };
                a.next();
                while a.next_if(|step| !heading(step)).is_some() {}
                let Some((_, at)) = a.peek() else { return changed };
                let line = new.from.binary_search(&old.line_of(at.start)).unwrap_or_default();
                let start = new.starts[line];
                while b.next_if(|(_, at)| at.start < start).is_some() {}
            }
        }
    }
}

/// Returns what a parser makes of a text that begins at this byte of a file.
fn steps(text: &str, body: usize) -> Vec<(Step<'_>, Range<usize>)> {
    let (mut items, mut code) = (0usize, false);
    let mut steps = Vec::new();
    for (event, at) in Parser::new_ext(text, DIALECT).into_offset_iter() {
        let step = match event {
            Event::Text(t) if !code => match t.trim_end_matches([' ', '\t']) {
                "" => continue,
                trimmed if trimmed.len() == t.len() => Step::Event(Event::Text(t)),
                trimmed => Step::Event(Event::Text(trimmed.to_owned().into())),
            },
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) if items > 0 => {
                Step::Space
            }
            event => {
                match event {
                    Event::Start(Tag::Item) => items += 1,
                    Event::End(TagEnd::Item) => items -= 1,
                    Event::Start(Tag::CodeBlock(_)) => code = true,
                    Event::End(TagEnd::CodeBlock) => code = false,
                    _ => {}
                }
                Step::Event(event)
            }
        };
        steps.push((step, body + at.start..body + at.end));
    }
    steps
}

/// Returns where what the host sends and imports differs by more than the lines that went.
fn sent(old: &Layout<'_>, gone: &[bool], new: &str) -> Changed {
    let text = old.text;
    let raw = old.body == 0 && memchr::memmem::find(text.as_bytes(), b"<!--").is_none();
    if raw && memchr::memchr(b'@', text.as_bytes()).is_none() {
        return Vec::new();
    }
    for dialect in [Dialect::V2_1_197, Dialect::V2_1_332] {
        let (before, after) = (read(text.to_owned(), dialect), read(new.to_owned(), dialect));
        let mut left = lines(&after.sent).map(|(_, line)| line);
        for (at, line) in lines(&before.sent) {
            let at = before.lines.in_file(at).saturating_sub(1);
            if gone.get(at).is_some_and(|gone| *gone) || left.next() == Some(line) {
                continue;
            }
            return vec![old.lines.get(at).map_or(0..text.len(), |line| line.at.clone())];
        }
        let imports =
            before.imports.iter().map(|i| &i.path).ne(after.imports.iter().map(|i| &i.path));
        if left.next().is_some() || imports {
            return std::iter::once(0..text.len()).collect();
        }
    }
    Vec::new()
}

/// Returns the lines that say something, each with its number, from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let ended = |c: char| matches!(c, '\n' | '\r');
    let mut number = 1;
    let mut after_cr = false;
    text.split_inclusive(ended).filter_map(move |line| {
        let (content, end) = line.split_at(line.trim_end_matches(ended).len());
        let at = number;
        // The second half of CRLF ends no line of its own.
        number += usize::from(!(end.is_empty() || end == "\n" && content.is_empty() && after_cr));
        after_cr = end == "\r";
        let content = content.trim_end_matches([' ', '\t']);
        (!content.is_empty()).then_some((at, content))
    })
}
