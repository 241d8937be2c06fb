//! Headings that limit where their text holds.

/// Words that make a heading limit where its text holds.
///
/// Ours: conditions, places, times and states in the headings of 70 public instruction files.
/// A heading with a digit (a version, a step) counts too.
const LIMITING: &[&str] = &[
    "after",
    "android",
    "avoid",
    "before",
    "bug",
    "bugs",
    "ci",
    "deprecated",
    "dev",
    "development",
    "don't",
    "done",
    "example",
    "examples",
    "except",
    "exceptions",
    "experimental",
    "first",
    "for",
    "if",
    "in",
    "ios",
    "legacy",
    "linux",
    "local",
    "locally",
    "macos",
    "never",
    "new",
    "not",
    "old",
    "on",
    "only",
    "phase",
    "planned",
    "prod",
    "production",
    "rejected",
    "remote",
    "stage",
    "staging",
    "step",
    "steps",
    "test",
    "testing",
    "tests",
    "todo",
    "unless",
    "until",
    "when",
    "while",
    "windows",
    "without",
    "wrong",
];

/// Returns whether a heading of these words limits where its text holds.
pub(super) fn limits(title: &str) -> bool {
    let mut words = title.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|w| LIMITING.contains(&w) || w.chars().any(|c| c.is_ascii_digit()))
}
