//! What `check` can find.

use serde::{Serialize, Serializer};

use crate::load::map::SkipReason;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that was meant to load doesn't, or a limit is broken.
    Error,
    /// Something that is likely not meant.
    Warning,
}

macro_rules! rules {
    ($($name:ident = $code:literal, $severity:ident, $words:literal, $why:literal;)*) => {
        /// A rule; its code is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the words say it")]
        pub enum Rule {
            $($name,)*
        }

        impl Rule {
            /// All rules, in the order of the reference.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the stable code.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// Returns how serious it is.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity),* }
            }

            /// Returns what it says, in a few words.
            pub const fn words(self) -> &'static str {
                match self { $(Self::$name => $words),* }
            }

            /// Returns why that is worth a finding, in a sentence or two.
            pub const fn why(self) -> &'static str {
                match self { $(Self::$name => $why),* }
            }
        }
    };
}

rules! {
    BudgetOver = "budget-over", Error, "over the budget",
        "The files of this repository put more into every session than `budget` allows.";
    FileOver = "file-over", Error, "larger than its limit",
        "A file has more tokens than `files` allows it.";
    ImportMissing = "import-missing", Error, "the import names no file",
        "The host drops the import without a word.";
    ImportPunctuation = "import-punctuation", Error, "the punctuation is part of the name",
        "The host reads the full stop or comma behind an `@path` as part of it, so nothing loads.";
    ImportGlued = "import-glued", Warning, "no space before the `@`",
        "The host takes an `@path` that is glued to a word, quote or bracket for text.";
    ImportFolder = "import-folder", Error, "the import names a folder",
        "The host imports files only.";
    ImportExtension = "import-extension", Error, "this extension is not followed",
        "The host does not import files of this kind.";
    ImportTooDeep = "import-too-deep", Error, "too many imports in a row",
        "The host stops after a number of hops; what lies behind is never loaded.";
    ImportCycle = "import-cycle", Warning, "the imports lead in a circle",
        "A file imports, by way of others, itself. Each is loaded once; one import is of no use.";
    ImportOutside = "import-outside", Warning, "outside the repository",
        "Whether it loads depends on each user's approval and disk, so sessions differ.";
    ImportAncestor = "import-ancestor", Warning, "imports what a folder above loads anyway",
        "A session below loads the folders above it by itself; where it starts below, the import \
         leads out of its folder and asks each user for approval.";
    ImportNul = "import-nul", Error, "an `@path` with a NUL character",
        "The host drops the whole file.";
    RuleNeverMatches = "rule-never-matches", Warning, "its `paths` match no file here",
        "The rule waits for a file that is not in the repository.";
    RuleNeverLoads = "rule-never-loads", Error, "it can never load",
        "The `paths` are such that no file can match, or the file is none that the host reads.";
    RuleAlwaysLoads = "rule-always-loads", Warning, "it has `paths` and loads into every session",
        "The front matter says `paths`, but the host reads it as everything, or not at all.";
    RuleOutside = "rule-outside", Warning, "a link out of the project",
        "Whether it loads depends on each user's approval and disk, so sessions differ.";
    CutOff = "cut-off", Error, "the host drops the rest",
        "The text is longer than the host sends; what lies behind the limit never arrives.";
    NeverRead = "never-read", Warning, "no host reads the file",
        "The name looks as if a host read it, and none does.";
    WrongCase = "wrong-case", Error, "names are case-sensitive",
        "The host looks for another spelling, so the file never loads.";
    Shadowed = "shadowed", Warning, "another file takes its place",
        "The host reads only one of several names, and this is not the one.";
    AgentsMdFragile = "agents-md-fragile", Warning, "anyone's `CLAUDE.local.md` switches it off",
        "Claude Code reads `AGENTS.md` only where it finds no `CLAUDE.md` and no `CLAUDE.local.md`.";
    Unreadable = "unreadable", Error, "it could not be read",
        "What can't be read can't be checked, and the host can't load it either.";
    LinkOutside = "link-outside", Warning, "a link out of the repository",
        "What it leads to differs from machine to machine, so it was not looked at.";
    Encoding = "encoding", Error, "the host reads it as noise",
        "The file is not UTF-8.";
    Unlistable = "unlistable", Error, "it can't be listed",
        "A skill, command or agent file without what a list needs, or with a name that is taken.";
    LoadedTwice = "loaded-twice", Warning, "loaded twice under two names",
        "Two files of the same text are loaded into every session.";
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.code())
    }
}

impl Rule {
    /// Returns the rule of a code.
    pub fn of(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.code() == code)
    }

    /// Returns the rule for something that the host passes over; `None` where that is as it should
    /// be.
    pub fn of_skipped(reason: SkipReason) -> Option<Self> {
        Some(match reason {
            SkipReason::ImportMissing => Self::ImportMissing,
            SkipReason::ImportPunctuation => Self::ImportPunctuation,
            SkipReason::ImportGlued => Self::ImportGlued,
            SkipReason::ImportFolder => Self::ImportFolder,
            SkipReason::ImportExtension => Self::ImportExtension,
            SkipReason::ImportTooDeep => Self::ImportTooDeep,
            SkipReason::ImportOutside => Self::ImportOutside,
            SkipReason::ImportNul => Self::ImportNul,
            SkipReason::RuleOutside => Self::RuleOutside,
            SkipReason::RuleExtension
            | SkipReason::RuleFrontMatter
            | SkipReason::PathsBomb
            | SkipReason::PathsDead => Self::RuleNeverLoads,
            SkipReason::NeverRead => Self::NeverRead,
            SkipReason::WrongCase => Self::WrongCase,
            SkipReason::Shadowed => Self::Shadowed,
            SkipReason::LinkOutside => Self::LinkOutside,
            SkipReason::LinkBroken
            | SkipReason::LinkLoop
            | SkipReason::FolderForFile
            | SkipReason::SpecialFile
            | SkipReason::Denied
            | SkipReason::NameNotUtf8
            | SkipReason::ReadFailed => Self::Unreadable,
            SkipReason::Utf16 => Self::Encoding,
            SkipReason::OverLimit => Self::CutOff,
            SkipReason::NotListable | SkipReason::NameTaken => Self::Unlistable,
            SkipReason::Excluded
            | SkipReason::SwitchedOff
            | SkipReason::NotListed
            | SkipReason::Empty => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_one_of_a_kind_and_found_again() {
        for rule in Rule::ALL {
            assert_eq!(Rule::of(rule.code()), Some(*rule));
        }
    }
}
