//! Rows of tables: a row is a clause, its cells bound to the headers above them.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{Container, count, read::Reader, span};
use crate::wash::gate::{
    canon,
    lexicon::{Role, mixed},
    token::{Kind, Token},
};

/// The open table.
#[derive(Default)]
pub(super) struct Open {
    /// What each header says.
    headers: Vec<u64>,
    names: FxHashSet<u64>,
    /// What each cell of the open row says, strictly and loosely.
    row: Vec<(u64, u64)>,
    in_head: bool,
    tokens: u32,
    start: usize,
}

impl Reader<'_, '_, '_, '_> {
    pub(super) fn start_row(&mut self, at: usize) {
        let tokens = count(self.facts.tokens.len());
        let table = &mut self.inline.table;
        table.in_head = table.headers.is_empty();
        table.row.clear();
        table.tokens = tokens;
        table.start = at;
    }

    pub(super) fn start_cell(&mut self, at: usize, structure: bool) {
        self.begin(Container::Table);
        if structure {
            let column = self.inline.table.row.len();
            let header = self.inline.table.header(column);
            self.cell_mark(header, at);
        }
    }

    pub(super) fn end_cell(&mut self) {
        let (strict, loose) = self.cell_tokens();
        let table = &mut self.inline.table;
        if table.in_head {
            // Of two columns of one name it matters which is which.
            let twin = !table.names.insert(strict);
            let header = if twin { mixed(strict, table.row.len() as u64) } else { strict };
            table.headers.push(header);
            table.row.push((strict, loose));
        } else {
            let header = table.header(table.row.len());
            table.row.push((mixed(header, strict), mixed(header, loose)));
        }
    }

    pub(super) fn end_row(&mut self, container: Container, end: usize) {
        let table = &mut self.inline.table;
        table.in_head = false;
        let (row, tokens, start) = (std::mem::take(&mut table.row), table.tokens, table.start);
        self.row(&row, tokens, container, start..end.max(start));
    }

    fn cell_mark(&mut self, header: u64, at: usize) {
        let mark = mixed(header, 0x5ce1);
        let at = span(&(at..at));
        self.facts.tokens.push(Token {
            strict: mark,
            loose: mark,
            start: at.start,
            end: at.end,
            kind: Kind::Cell,
            role: Role::Content,
            apart: true,
            struck: false,
        });
    }

    /// Adds the tokens of the open cell and returns what they are, strictly and loosely.
    fn cell_tokens(&mut self) -> (u64, u64) {
        self.open = None;
        self.content.scan(self.canon, &mut self.found);
        let literal = canon::quoted(self.text, &self.found);
        let found = self.canon.tokens(
            self.text,
            &self.found,
            &self.content.struck,
            &literal,
            &mut self.facts.tokens,
        );
        self.found.clear();
        self.content.clear();
        found
    }

    fn row(&mut self, cells: &[(u64, u64)], tokens: u32, container: Container, at: Range<usize>) {
        let sum =
            |side: fn(&(u64, u64)) -> u64| cells.iter().map(side).fold(0_u64, u64::wrapping_add);
        let (strict, loose) = (sum(|cell| cell.0), sum(|cell| cell.1));
        let end = count(self.facts.tokens.len());
        let salt = if container == Container::TableHead { 0x4ead } else { 0x0801 };
        let container = if self.quotes > 0 { Container::Quote } else { container };
        let at = at.start..at.start + self.text[at].trim_end().len();
        self.whole(container, tokens..end, (mixed(strict, salt), mixed(loose, salt)), at);
    }
}

impl Open {
    /// Returns what the header above a column says; the column's number where there is none.
    fn header(&self, column: usize) -> u64 {
        match self.headers.get(column) {
            Some(header) if !self.in_head => *header,
            _ => column as u64,
        }
    }
}
