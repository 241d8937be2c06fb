//! The smallest things that the gate compares.

use super::lexicon::Role;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Word,
    Number,
    Date,
    Version,
    /// A file path, or a name with a file's ending.
    Path,
    /// `@path`, which a host may load.
    Import,
    Flag,
    /// A name that no dictionary has: `snake_case`, `p95`, `#123`.
    Name,
    /// A code span, or a piece of a line of code.
    Code,
    /// A link's destination, or a URL in the text.
    Url,
    /// `[[page]]`.
    WikiLink,
    Html,
    Symbol,
    /// Where a cell of a table begins.
    Cell,
}

impl Kind {
    /// Returns whether it is a value: what a reader would copy, character by character.
    pub(super) fn is_value(self) -> bool {
        !matches!(self, Self::Word | Self::Symbol | Self::Html | Self::Cell)
    }
}

/// How a clause holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Claim {
    /// From 4, a must, to 2, a may.
    Obligation(u8),
    /// 4 forbids, 3 advises against.
    Prohibition(u8),
    Negation,
    /// From 5, always, to 1, rarely.
    Frequency(u8),
    /// From 5, all, to 1, few.
    Quantity(u8),
    Bound,
    Precision,
    Only,
    Exception,
    Condition,
    Order,
    Choice,
    Certainty(u8),
}

impl Claim {
    /// Returns the claim that a section `[claim KIND KEY]` holds.
    pub(super) fn named(kind: &str, key: &str) -> Option<Self> {
        let level = || key.parse::<u8>().ok();
        Some(match kind {
            "obligation" => Self::Obligation(level()?),
            "prohibition" => Self::Prohibition(level()?),
            "negation" => Self::Negation,
            "frequency" => Self::Frequency(level()?),
            "quantity" => Self::Quantity(match key {
                "all" | "both" => 5,
                "any" => 4,
                "most" => 3,
                "many" | "either" => 2,
                "some" | "few" => 1,
                _ => return None,
            }),
            "bound" => Self::Bound,
            "precision" => Self::Precision,
            "scope" => Self::Only,
            "exception" => Self::Exception,
            "condition" => Self::Condition,
            "order" => Self::Order,
            "choice" => Self::Choice,
            "certainty" => Self::Certainty(level()?),
            _ => return None,
        })
    }
}

/// One token, with where it stands in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What the strict comparison sees: layout and filler are gone.
    pub(super) strict: u64,
    /// What the loose comparison sees: 0 where it sees nothing.
    pub(super) loose: u64,
    /// Byte span in the text.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: Kind,
    pub(super) role: Role,
    /// A comma, colon, dash or bracket stands before it.
    pub(super) apart: bool,
    /// It stands in struck text.
    pub(super) struck: bool,
}
