//! What is open while a text is read, and how it becomes clauses.

use std::ops::Range;

use super::{
    Block, Clause, Container, Content, Facts, Heading, Twin, count, events::Inline, line_hash, span,
};
use crate::wash::gate::{canon::Canon, scan::Found};

pub(super) struct Reader<'t, 'c, 'l, 'm> {
    pub(super) text: &'t str,
    pub(super) canon: &'c mut Canon<'l, 'm>,
    pub(super) facts: Facts,
    /// The other text, which was read before.
    twin: Option<Twin<'t>>,
    pub(super) open: Option<Container>,
    /// What the open block holds.
    pub(super) content: Content,
    pub(super) found: Vec<Found>,
    /// Every clause has this container, and structure is not looked at.
    pub(super) forced: Option<Container>,
    pub(super) quotes: u32,
    pub(super) heading: Option<u32>,
    pub(super) items: Vec<u32>,
    pub(super) lists: Vec<(u32, bool)>,
    pub(super) next_list: u32,
    pub(super) next_group: u32,
    /// What is open of the Markdown that is being read.
    pub(super) inline: Inline,
    /// How many comments are open.
    pub(super) depth: u8,
}

impl<'t, 'c, 'l, 'm> Reader<'t, 'c, 'l, 'm> {
    pub(super) fn new(text: &'t str, twin: Option<Twin<'t>>, canon: &'c mut Canon<'l, 'm>) -> Self {
        Self {
            text,
            canon,
            facts: Facts::default(),
            twin,
            open: None,
            content: Content::default(),
            found: Vec::new(),
            forced: None,
            quotes: 0,
            heading: None,
            items: Vec::new(),
            lists: Vec::new(),
            next_list: 0,
            next_group: 0,
            inline: Inline::default(),
            depth: 0,
        }
    }

    /// Adds a clause of a whole line, whose tokens are read only where they are asked for.
    pub(super) fn line(&mut self, container: Container, strict: u64, at: Range<usize>) {
        let tokens = count(self.facts.tokens.len());
        self.whole(container, tokens..tokens, (strict, 0), at);
    }

    /// Adds a clause that is a block of its own, of these tokens and with these names.
    pub(super) fn whole(
        &mut self,
        container: Container,
        tokens: Range<u32>,
        (strict, loose): (u64, u64),
        at: Range<usize>,
    ) {
        let block = count(self.facts.blocks.len());
        let clause = count(self.facts.clauses.len());
        let seen = tokens.end - tokens.start;
        self.facts.clauses.push(Clause { tokens, strict, loose, seen, span: span(&at), block });
        self.block(container, self.heading, clause..clause + 1);
    }

    fn block(&mut self, container: Container, heading: Option<u32>, clauses: Range<u32>) {
        let item = self.items.last().copied();
        self.facts.blocks.push(Block { container, heading, item, group: self.next_group, clauses });
    }

    pub(super) fn start_heading(&mut self, level: u8) {
        if self.quotes > 0 || !self.items.is_empty() {
            // It heads nothing outside its quote or item.
            self.open = Some(if self.quotes > 0 { Container::Quote } else { Container::Prose });
            return;
        }
        let mut parent = self.heading;
        while let Some(above) = parent {
            if self.facts.headings[above as usize].level < level {
                break;
            }
            parent = self.facts.headings[above as usize].parent;
        }
        self.heading = Some(count(self.facts.headings.len()));
        self.facts.headings.push(Heading { level, parent, clause: None });
        self.open = Some(Container::Heading);
    }

    /// Opens a block where none is open.
    pub(super) fn begin(&mut self, container: Container) {
        if self.open.is_none() {
            self.open = Some(match self.forced {
                Some(forced) => forced,
                None if self.quotes > 0 => Container::Quote,
                None => container,
            });
        }
    }

    pub(super) fn piece(&mut self, text: &str, at: &Range<usize>) {
        if self.open.is_some() {
            self.content.piece(text, at);
        }
    }

    /// Closes the open block: what it holds becomes clauses.
    pub(super) fn close(&mut self) {
        let Some(container) = self.open.take() else { return };
        let first = count(self.facts.clauses.len());
        self.facts.read(self.text, &self.content, self.twin, self.canon, &mut self.found);
        self.content.clear();
        let last = count(self.facts.clauses.len());
        if first == last {
            return;
        }
        if let Some(item) = self.items.last()
            && self.facts.items[*item as usize].first.is_none()
        {
            self.facts.items[*item as usize].first = Some(first);
        }
        // A heading stands below the one above it.
        let above = |heading: u32| self.facts.headings[heading as usize].parent;
        let heading = match container {
            Container::Heading => self.heading.and_then(above),
            _ => self.heading,
        };
        self.block(container, heading, first..last);
    }

    pub(super) fn code(&mut self, at: Range<usize>) {
        let mut here = at.start;
        let container = if self.quotes > 0 { Container::Quote } else { Container::Code };
        for line in self.text[at].split_inclusive('\n') {
            let trimmed = line.trim();
            if !trimmed.is_empty() {
                let lead = line.len() - line.trim_start().len();
                self.line(container, line_hash(trimmed), here + lead..here + lead + trimmed.len());
            }
            here += line.len();
        }
    }
}
