//! What is asked of each case.

use std::{fmt, ops::Range};

use coalwash_core::{
    load::hosts::claude_code::markdown::{self, Dialect},
    text::{escaped, front_matter},
    wash::gate::{self, Gate, MOST_CHARS, Report},
};

use super::Corpus;
use crate::trees::Random;

/// What reads texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Markdown and front matter: the gate's reader, and that of Claude Code's files.
    Parser,
    /// The fidelity gate.
    Gate,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Parser => "parser",
            Self::Gate => "gate",
        })
    }
}

/// Smaller cases that are tried for one that failed.
const MOST_TRIES: usize = 4_000;

/// One text, and for the gate what became of it.
#[derive(Clone, Debug)]
pub struct Case {
    old: String,
    new: String,
}

impl Case {
    /// Makes a case.
    pub fn of(target: Target, corpus: &Corpus, random: &mut Random) -> Self {
        match target {
            Target::Parser => Self { old: corpus.text(random), new: String::new() },
            Target::Gate => {
                let (old, new) = corpus.pair(random);
                Self { old, new }
            }
        }
    }

    /// Returns a text with a word of every tenth line changed, as a case to measure by.
    pub fn ordinary(target: Target, text: &str) -> Self {
        let lines = text.split_inclusive('\n').enumerate();
        let new = match target {
            Target::Parser => String::new(),
            Target::Gate => lines
                .map(
                    |(at, line)| {
                        if at % 10 == 0 { line.replacen('e', "x", 1) } else { line.into() }
                    },
                )
                .collect(),
        };
        Self { old: text.to_owned(), new }
    }

    /// Returns the smallest case found for which `same` holds, by leaving out parts.
    pub fn shrunk(mut self, same: &dyn Fn(&Self) -> bool) -> Self {
        let mut tries = MOST_TRIES;
        let mut size = self.old.len().max(self.new.len()).next_power_of_two();
        while size > 0 && tries > 0 {
            let mut at = 0;
            while at < self.old.len().max(self.new.len()) && tries > 0 {
                let cuts = [(true, true), (true, false), (false, true)];
                let smaller = cuts.iter().find_map(|(old, new)| {
                    let case = Self {
                        old: without(&self.old, at, if *old { size } else { 0 }),
                        new: without(&self.new, at, if *new { size } else { 0 }),
                    };
                    tries = tries.saturating_sub(1);
                    (case.bytes() < self.bytes() && same(&case)).then_some(case)
                });
                match smaller {
                    Some(case) => self = case,
                    None => at += size,
                }
            }
            size /= 2;
        }
        self
    }

    /// Returns how large it is.
    pub fn bytes(&self) -> usize {
        self.old.len() + self.new.len()
    }

    /// Returns it as a case of the benchmark.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({ "id": "fuzz", "orig": self.old, "next": self.new })
    }

    /// Returns its texts on one line, as far as a reader looks.
    pub fn escaped(&self) -> String {
        let head = |text: &str| {
            let head: String = text.chars().take(300).collect();
            let more = if head.len() < text.len() { "…" } else { "" };
            format!("{}{more}", escaped(&head))
        };
        format!("{} => {}", head(&self.old), head(&self.new))
    }
}

/// Returns a text without `size` bytes from `at` on, in whole characters.
fn without(text: &str, at: usize, size: usize) -> String {
    let (start, end) = (text.floor_char_boundary(at), text.floor_char_boundary(at + size));
    format!("{}{}", &text[..start], &text[end..])
}

impl Target {
    /// Returns which promise is broken for a case.
    ///
    /// # Errors
    /// When one is.
    pub fn check(self, case: &Case) -> Result<(), String> {
        match self {
            Self::Parser => parse(&case.old),
            Self::Gate => compare(&case.old, &case.new),
        }
    }
}

fn parse(text: &str) -> Result<(), String> {
    for fact in gate::facts(text) {
        within(text, &fact, "fact")?;
    }
    gate::is_pinned(text);
    let heading = text.lines().next().unwrap_or_default();
    for passage in gate::kept("a.md", text, &[format!("a.md#{heading}")]).0 {
        within(text, &(passage.start..passage.end.min(text.len())), "kept passage")?;
    }
    for dialect in [Dialect::V2_1_197, Dialect::V2_1_332] {
        let reading = markdown::read(text.to_owned(), dialect);
        let lines = text.matches(['\n', '\r']).count() + 1;
        let of_imports = reading.imports.iter().map(|import| import.line);
        let of_suspects = reading.suspects.iter().map(|suspect| suspect.line);
        if of_imports.chain(of_suspects).any(|line| line == 0 || line > lines) {
            return Err("an import stands on no line".to_owned());
        }
        if let Some(yaml) = &reading.front_matter {
            within(text, yaml, "front matter")?;
            front_matter::parse(&text[yaml.clone()]);
            front_matter::parse_strictly(&text[yaml.clone()]);
        }
    }
    Ok(())
}

fn compare(old: &str, new: &str) -> Result<(), String> {
    let report = gate::compare(&[old], new);
    spans(&report, old, new)?;
    // What it learns of words changes no answer.
    let mut gate = Gate::default();
    gate.compare(&[new], old);
    if gate.compare(&[old], new) != report {
        return Err("another answer from a gate that has seen other texts".to_owned());
    }
    // With a second text both are read whole: nothing that they share is left out.
    let mut whole = gate.compare(&[old, ""], new);
    let mut report = report;
    // Of what only the new text has, another one of several may be shown.
    for report in [&mut whole, &mut report] {
        report.findings.retain(|finding| finding.old.is_some() || !finding.class.is_damage());
    }
    if whole != report {
        return Err(format!("another answer of the whole texts\n{report:?}\n{whole:?}"));
    }
    for text in [old, new] {
        let own = gate.compare(&[text, ""], text);
        if let Some(finding) = own.findings.first() {
            return Err(format!("a text is not itself\n{finding:?}"));
        }
    }
    Ok(())
}

fn spans(report: &Report, old: &str, new: &str) -> Result<(), String> {
    for finding in &report.findings {
        for (text, span) in [(old, &finding.old), (new, &finding.new)] {
            if let Some(span) = span {
                within(text, &(span.start..span.end), "finding")?;
            }
        }
        if finding.text.chars().count() > MOST_CHARS || finding.note.chars().count() > MOST_CHARS {
            return Err(format!("a finding is too long\n{finding:?}"));
        }
    }
    Ok(())
}

fn within(text: &str, range: &Range<usize>, what: &str) -> Result<(), String> {
    match text.get(range.clone()) {
        Some(_) => Ok(()),
        None => Err(format!("a {what} is no part of the text\n{range:?} of {}", text.len())),
    }
}
