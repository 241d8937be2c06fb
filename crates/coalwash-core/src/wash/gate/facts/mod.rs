//! A document as clauses, each with the place in which it stands.

mod content;
mod events;
mod front_matter;
mod html;
mod read;
mod table;

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{canon::Canon, lexicon::hash_of, token::Token};
pub(super) use content::Twin;
use content::{Content, Source};
pub(in crate::wash) use front_matter::body;
use read::Reader;

/// What a clause stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Container {
    Heading,
    Prose,
    Quote,
    Comment,
    Code,
    TableHead,
    Table,
    FrontMatter,
    /// A link's definition that no link uses.
    Definition,
}

/// A clause: the part of a text between stops, a row, a line of code, a value of front matter.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) tokens: Range<u32>,
    /// Equal where nothing but layout and filler differs.
    pub(super) strict: u64,
    /// Equal where values, claims and content words are: 0 where there are none to compare.
    pub(super) loose: u64,
    /// How many tokens the loose comparison sees.
    pub(super) seen: u32,
    /// Bytes of the text.
    pub(super) span: Range<u32>,
    pub(super) block: u32,
}

/// A run of clauses that share a place.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) container: Container,
    /// The nearest heading before it, if there is one.
    pub(super) heading: Option<u32>,
    /// The list item it stands in, if it does.
    pub(super) item: Option<u32>,
    /// The fence, table or front matter key it belongs to.
    pub(super) group: u32,
    pub(super) clauses: Range<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Heading {
    pub(super) level: u8,
    pub(super) parent: Option<u32>,
    /// The first clause of its text; none where it is empty.
    pub(super) clause: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) parent: Option<u32>,
    pub(super) list: u32,
    pub(super) ordered: bool,
    pub(super) checked: Option<bool>,
    pub(super) first: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Fence {
    pub(super) info: String,
    pub(super) span: Range<u32>,
}

/// The facts of one text.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) tokens: Vec<Token>,
    pub(super) clauses: Vec<Clause>,
    pub(super) blocks: Vec<Block>,
    pub(super) headings: Vec<Heading>,
    pub(super) items: Vec<Item>,
    pub(super) fences: Vec<Fence>,
    /// Blocks by what they hold.
    sources: FxHashMap<u64, Source>,
}

impl Facts {
    /// Reads the facts of the front matter of `text` and of `ranges` of its body, in order.
    ///
    /// Blocks that stand in `twin`, too, are not read again.
    pub(super) fn of(
        text: &str,
        ranges: &[Range<usize>],
        twin: Option<Twin<'_>>,
        canon: &mut Canon<'_, '_>,
    ) -> Self {
        let mut reader = Reader::new(text, twin, canon);
        reader.front_matter();
        for range in ranges {
            reader.markdown(range.clone());
        }
        reader.facts
    }

    /// Reads the facts of a section that stands under headings of its own.
    pub(super) fn of_section(text: &str, range: Range<usize>, canon: &mut Canon<'_, '_>) -> Self {
        let mut reader = Reader::new(text, None, canon);
        reader.markdown(range);
        reader.facts
    }

    /// Reads a line of code or a comment as the prose it might have been.
    pub(super) fn of_prose(text: &str, range: Range<usize>, canon: &mut Canon<'_, '_>) -> Self {
        let mut reader = Reader::new(text, None, canon);
        reader.forced = Some(Container::Prose);
        reader.markdown(range);
        reader.facts
    }

    pub(super) fn block(&self, clause: u32) -> &Block {
        &self.blocks[self.clauses[clause as usize].block as usize]
    }

    pub(super) fn tokens(&self, clause: u32) -> &[Token] {
        let at = &self.clauses[clause as usize].tokens;
        &self.tokens[at.start as usize..at.end as usize]
    }
}

/// Bytes of a text as the facts hold them: texts stay below 4 GiB ([`super::MOST_BYTES`]).
fn span(range: &Range<usize>) -> Range<u32> {
    let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    narrow(range.start)..narrow(range.end)
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Returns the identity of a line of code: runs of white space count as one.
pub(super) fn line_hash(line: &str) -> u64 {
    if line.contains("  ") || line.contains('\t') {
        hash_of(&line.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        hash_of(line)
    }
}

impl Facts {
    /// Adds the facts of another text behind these.
    pub(super) fn append(&mut self, other: Self) {
        let [tokens, clauses, blocks, headings, items, fences] = [
            self.tokens.len(),
            self.clauses.len(),
            self.blocks.len(),
            self.headings.len(),
            self.items.len(),
            self.fences.len(),
        ]
        .map(count);
        let lists = self.items.iter().map(|item| item.list + 1).max().unwrap_or(0);
        let groups = self.blocks.iter().map(|block| block.group + 1).max().unwrap_or(0).max(fences);
        self.tokens.extend(other.tokens);
        self.clauses.extend(other.clauses.into_iter().map(|mut clause| {
            clause.tokens = clause.tokens.start + tokens..clause.tokens.end + tokens;
            clause.block += blocks;
            clause
        }));
        self.blocks.extend(other.blocks.into_iter().map(|mut block| {
            block.heading = block.heading.map(|heading| heading + headings);
            block.item = block.item.map(|item| item + items);
            block.group += if block.container == Container::Code { fences } else { groups };
            block.clauses = block.clauses.start + clauses..block.clauses.end + clauses;
            block
        }));
        self.headings.extend(other.headings.into_iter().map(|mut heading| {
            heading.parent = heading.parent.map(|parent| parent + headings);
            heading.clause = heading.clause.map(|clause| clause + clauses);
            heading
        }));
        self.items.extend(other.items.into_iter().map(|mut item| {
            item.parent = item.parent.map(|parent| parent + items);
            item.list += lists;
            item.first = item.first.map(|first| first + clauses);
            item
        }));
        self.fences.extend(other.fences);
    }
}
