//! What the gate says of a rewrite.

use serde::{Deserialize, Serialize};

/// The most characters of a finding's text.
pub const MOST_CHARS: usize = 160;

/// What happened to a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it; `Class::says` has the words")]
pub enum Class {
    DroppedSentence,
    DroppedItem,
    DroppedRow,
    DroppedCell,
    DroppedHeading,
    DroppedComment,
    DroppedQuote,
    DroppedCode,
    DroppedImport,
    DroppedFrontMatter,
    DroppedCheckbox,
    DroppedLink,
    DroppedNumber,
    DroppedDate,
    DroppedVersion,
    DroppedPath,
    DroppedWords,
    NumberChanged,
    PrecisionLost,
    UnitChanged,
    SignChanged,
    VersionChanged,
    DateChanged,
    PathChanged,
    FlagChanged,
    CodeChanged,
    UrlChanged,
    FrontMatterChanged,
    CheckboxChanged,
    TermChanged,
    TermAdded,
    Opposite,
    ValueSwapped,
    NegationLost,
    NegationAdded,
    Weaker,
    Stronger,
    BoundChanged,
    ExceptionLost,
    ScopeChanged,
    OrderChanged,
    StepOrder,
    MovedIntoCode,
    MovedIntoComment,
    MovedIntoQuote,
    MovedIntoStruck,
    MovedOutOf,
    MovedSection,
    MovedParent,
    FenceInfo,
    EncodingInvisible,
    EncodingDecomposed,
    EncodingDamaged,
    EncodingLookAlike,
    EncodingTypographic,
    EncodingLineEndings,
    TooLarge,
    Reworded,
    CopyRemoved,
    SectionMoved,
    LineEndingsConverted,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 61] = [
        Self::DroppedSentence,
        Self::DroppedItem,
        Self::DroppedRow,
        Self::DroppedCell,
        Self::DroppedHeading,
        Self::DroppedComment,
        Self::DroppedQuote,
        Self::DroppedCode,
        Self::DroppedImport,
        Self::DroppedFrontMatter,
        Self::DroppedCheckbox,
        Self::DroppedLink,
        Self::DroppedNumber,
        Self::DroppedDate,
        Self::DroppedVersion,
        Self::DroppedPath,
        Self::DroppedWords,
        Self::NumberChanged,
        Self::PrecisionLost,
        Self::UnitChanged,
        Self::SignChanged,
        Self::VersionChanged,
        Self::DateChanged,
        Self::PathChanged,
        Self::FlagChanged,
        Self::CodeChanged,
        Self::UrlChanged,
        Self::FrontMatterChanged,
        Self::CheckboxChanged,
        Self::TermChanged,
        Self::TermAdded,
        Self::Opposite,
        Self::ValueSwapped,
        Self::NegationLost,
        Self::NegationAdded,
        Self::Weaker,
        Self::Stronger,
        Self::BoundChanged,
        Self::ExceptionLost,
        Self::ScopeChanged,
        Self::OrderChanged,
        Self::StepOrder,
        Self::MovedIntoCode,
        Self::MovedIntoComment,
        Self::MovedIntoQuote,
        Self::MovedIntoStruck,
        Self::MovedOutOf,
        Self::MovedSection,
        Self::MovedParent,
        Self::FenceInfo,
        Self::EncodingInvisible,
        Self::EncodingDecomposed,
        Self::EncodingDamaged,
        Self::EncodingLookAlike,
        Self::EncodingTypographic,
        Self::EncodingLineEndings,
        Self::TooLarge,
        Self::Reworded,
        Self::CopyRemoved,
        Self::SectionMoved,
        Self::LineEndingsConverted,
    ];

    /// Returns its id, as JSON has it.
    pub fn id(self) -> String {
        // A unit variant is written as a string.
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(id)) => id,
            _ => format!("{self:?}"),
        }
    }

    /// Returns the word that a person reads.
    pub fn word(self) -> &'static str {
        match self {
            Self::DroppedSentence
            | Self::DroppedItem
            | Self::DroppedRow
            | Self::DroppedCell
            | Self::DroppedHeading
            | Self::DroppedComment
            | Self::DroppedQuote
            | Self::DroppedCode
            | Self::DroppedImport
            | Self::DroppedFrontMatter
            | Self::DroppedCheckbox
            | Self::DroppedLink
            | Self::DroppedNumber
            | Self::DroppedDate
            | Self::DroppedVersion
            | Self::DroppedPath
            | Self::DroppedWords
            | Self::NegationLost
            | Self::ExceptionLost => "gone",
            Self::TermAdded | Self::NegationAdded => "added",
            Self::ValueSwapped => "swapped",
            Self::Weaker => "weaker",
            Self::Stronger => "stronger",
            Self::MovedIntoCode
            | Self::MovedIntoComment
            | Self::MovedIntoQuote
            | Self::MovedIntoStruck
            | Self::MovedOutOf
            | Self::MovedSection
            | Self::MovedParent
            | Self::SectionMoved => "moved",
            Self::OrderChanged | Self::StepOrder => "order",
            class if class.is_damage() => "damaged",
            Self::TooLarge => "too large",
            Self::Reworded => "reworded",
            Self::CopyRemoved => "copy",
            Self::LineEndingsConverted => "converted",
            _ => "changed",
        }
    }

    /// Returns whether the characters of a text were damaged, whatever they say.
    pub fn is_damage(self) -> bool {
        matches!(
            self,
            Self::EncodingInvisible
                | Self::EncodingDecomposed
                | Self::EncodingDamaged
                | Self::EncodingLookAlike
                | Self::EncodingTypographic
                | Self::EncodingLineEndings
        )
    }

    /// Returns whether a finding of this class fails the gate.
    pub fn blocks(self) -> bool {
        !matches!(
            self,
            Self::Reworded | Self::CopyRemoved | Self::SectionMoved | Self::LineEndingsConverted
        )
    }
}

/// One thing that a rewrite did to a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What happened.
    pub class: Class,
    /// The smallest words that differ, at most [`MOST_CHARS`] characters.
    pub text: String,
    /// Where: the clause around them, or the places between which it moved; may be empty.
    pub note: String,
    /// It touches a passage that no rewrite may change, so it blocks whatever its class.
    pub pinned: bool,
    /// Bytes of the old text, where it has them.
    pub old: Option<Span>,
    /// Bytes of the new text, where it has them.
    pub new: Option<Span>,
}

impl Finding {
    /// Returns a finding outside all pinned passages.
    pub(super) fn new(class: Class, text: String) -> Self {
        Self { class, text, note: String::new(), pinned: false, old: None, new: None }
    }

    /// Returns whether it fails the gate.
    pub fn blocks(&self) -> bool {
        self.class.blocks() || self.pinned
    }
}

/// Bytes of one of the texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Which text: 0 but in a merge of several.
    pub text: usize,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// What the gate found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order of the old text; what only the new one has comes last.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Returns whether no finding blocks.
    pub fn passes(&self) -> bool {
        !self.findings.iter().any(Finding::blocks)
    }
}

/// Returns `text` on one line in at most [`MOST_CHARS`] characters.
pub(super) fn short(text: &str) -> String {
    shortened(text, MOST_CHARS)
}

fn shortened(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut len = 0;
    // What lies beyond the cut is never looked at.
    for word in text.split_whitespace() {
        let space = if out.is_empty() { None } else { Some(' ') };
        for c in space.into_iter().chain(word.chars()) {
            if len == most {
                out.pop();
                out.push('…');
                return out;
            }
            out.push(c);
            len += 1;
        }
    }
    out
}

/// Returns `old → new`, each in its half of the room.
pub(super) fn from_to(old: &str, new: &str) -> String {
    let half = (MOST_CHARS - 3) / 2;
    let (a, b) = (shortened(old, MOST_CHARS), shortened(new, MOST_CHARS));
    let (a_len, b_len) = (a.chars().count(), b.chars().count());
    let room = MOST_CHARS - 3;
    let (a, b) = if a_len + b_len <= room {
        (a, b)
    } else if a_len <= half {
        (a, shortened(new, room - a_len))
    } else if b_len <= half {
        (shortened(old, room - b_len), b)
    } else {
        (shortened(old, half), shortened(new, half))
    };
    match (a.is_empty(), b.is_empty()) {
        (false, false) => format!("{a} → {b}"),
        (false, true) => a,
        _ => format!("+ {b}"),
    }
}
