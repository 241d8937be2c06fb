//! What the gate says of a rewrite.

use serde::Serialize;

/// The most characters of a finding's text.
pub const MOST_CHARS: usize = 160;

/// What happened to a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
    /// Bytes of the old text, where it has them.
    pub old: Option<Span>,
    /// Bytes of the new text, where it has them.
    pub new: Option<Span>,
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
        self.findings.iter().all(|finding| !finding.class.blocks())
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
