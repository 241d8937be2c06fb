//! Every entry of the data files does what its section says, in a sentence of its language.

use std::collections::{BTreeMap, BTreeSet};

use super::compare;
use crate::wash::gate::{
    Class,
    lexicon::{FILES, Language, Lexicon, hash_of},
};

/// The entries of one language by section.
struct File {
    language: Language,
    /// Lines of each section, the sections in order.
    sections: Vec<(&'static str, Vec<&'static str>)>,
}

/// Returns the files that hold entries.
fn files() -> Vec<File> {
    let read = |(language, text): (Language, &'static str)| {
        let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with("# ") {
                continue;
            }
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => sections.push((name, Vec::new())),
                None => sections.last_mut().unwrap().1.push(line),
            }
        }
        File { language, sections }
    };
    // Words of scripts without spaces, and of Korean, have tests of their own, in `scripts`.
    let latin = [Language::English, Language::German, Language::Spanish];
    let known = |file: &File| latin.contains(&file.language) && !file.sections.is_empty();
    FILES.map(read).into_iter().filter(known).collect()
}

fn entries(line: &'static str) -> impl Iterator<Item = &'static str> {
    line.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

impl File {
    /// Returns the entries of all sections of this name.
    fn of(&self, section: &str) -> Vec<&'static str> {
        let lines = self.sections.iter().filter(|(name, _)| *name == section);
        lines.flat_map(|(_, lines)| lines.iter().flat_map(|line| entries(line))).collect()
    }

    /// Returns the lines `NAME = OTHER, OTHER` of a section.
    fn named(&self, section: &str) -> Vec<(&'static str, Vec<&'static str>)> {
        let lines = self.sections.iter().filter(|(name, _)| *name == section);
        let pair = |line: &&'static str| {
            let (name, others) = line.split_once('=').unwrap_or_else(|| panic!("{line}"));
            (name.trim(), entries(others).collect())
        };
        lines.flat_map(|(_, lines)| lines.iter().map(pair)).collect()
    }

    /// Returns the sections `[claim …]` with their entries.
    fn claims(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let mut claims: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, lines) in &self.sections {
            if let Some(claim) = name.strip_prefix("claim ") {
                claims.push((claim, lines.iter().flat_map(|line| entries(line)).collect()));
            }
        }
        claims
    }

    fn pairs(&self) -> Vec<(&'static str, &'static str)> {
        let lines = self.sections.iter().filter(|(name, _)| *name == "antonyms");
        lines
            .flat_map(|(_, lines)| {
                lines.iter().map(|line| line.split_once(" / ").unwrap_or_else(|| panic!("{line}")))
            })
            .collect()
    }

    /// Returns a text of this language that holds `middle`.
    fn text(&self, middle: &str) -> String {
        let rest = match self.language {
            Language::English => "Here is what the others of them do.",
            Language::German => "Für die Übersicht und das Ergebnis gilt das nicht.",
            Language::Spanish => "Así es el uso de los datos que las pruebas dan para él.",
            Language::Chinese => "这里还有别的内容。",
            Language::Japanese => "ここにはほかのものもあります。",
            Language::Korean => "여기에는 다른 내용도 있습니다.",
            Language::Thai => "ตรงนี้มีเนื้อหาอื่นอยู่",
        };
        format!("Zorbax {middle} quivel plonk brusk.\n\n{rest}\n")
    }

    /// Returns a text in which an entry counts, and the same with nothing in its place.
    fn with(&self, entry: &str) -> String {
        self.text(&written(entry))
    }

    fn without(&self, entry: &str) -> String {
        let numbered = entry.starts_with(['#', '+']);
        self.text(if numbered { "7" } else { "" })
    }

    fn classes(&self, old: &str, new: &str) -> Vec<Class> {
        compare(&[old], new).findings.into_iter().map(|found| found.class).collect()
    }
}

/// Returns an entry as it stands in a text: beside a number, with the stop of an abbreviation.
fn written(entry: &str) -> String {
    let stop = |entry: &str| {
        if entry.contains('.') { format!("{entry}.") } else { entry.to_owned() }
    };
    match entry.split_at_checked(1) {
        Some(("#", rest)) => format!("7 {}", stop(rest)),
        Some(("+", rest)) => format!("{} 7", stop(rest)),
        _ => stop(entry),
    }
}

/// Fails with every line of `wrong`.
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_language_that_has_words_has_the_sections_that_decide() {
    for file in files() {
        for section in ["filler", "function", "style", "same", "units", "antonyms"] {
            assert!(
                file.sections.iter().any(|(name, _)| *name == section),
                "{:?} {section}",
                file.language
            );
        }
        for kind in ["obligation", "prohibition", "negation", "frequency", "quantity", "bound"] {
            assert!(
                file.claims().iter().any(|(name, _)| name.starts_with(kind)),
                "{:?} {kind}",
                file.language
            );
        }
        assert!(file.sections.iter().all(|(name, _)| is_section(name)), "{:?}", file.language);
    }
}

fn is_section(name: &str) -> bool {
    let plain = [
        "filler",
        "function",
        "style",
        "same",
        "units",
        "antonyms",
        "lead",
        "scope",
        "irregular",
        "whole",
    ];
    let kinds = [
        "obligation",
        "prohibition",
        "negation",
        "frequency",
        "quantity",
        "bound",
        "precision",
        "scope",
        "exception",
        "condition",
        "order",
        "choice",
        "certainty",
    ];
    plain.contains(&name)
        || name.strip_prefix("claim ").is_some_and(|claim| {
            let mut parts = claim.split(' ');
            parts.next().is_some_and(|kind| kinds.contains(&kind)) && parts.next().is_some()
        })
}

#[test]
fn filler_comes_and_goes_in_silence() {
    let mut wrong = Vec::new();
    for file in files() {
        for entry in file.of("filler") {
            for (old, new) in [("", entry), (entry, "")] {
                let classes = file.classes(&file.with(old), &file.with(new));
                if !classes.is_empty() {
                    wrong.push(format!("{:?} `{old}` → `{new}`: {classes:?}", file.language));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn words_without_a_fact_are_told_and_pass() {
    let mut wrong = Vec::new();
    for file in files() {
        for entry in file.of("function").into_iter().chain(file.of("style")) {
            let classes = file.classes(&file.with(entry), &file.without(entry));
            if classes != [Class::Reworded] {
                wrong.push(format!("{:?} {entry}: {classes:?}", file.language));
            }
        }
    }
    none(&wrong);
}

#[test]
fn what_is_listed_as_the_same_is_a_rewording() {
    let mut wrong = Vec::new();
    for file in files() {
        for section in ["same", "irregular"] {
            for (name, others) in file.named(section) {
                for other in others {
                    for (old, new) in [(name, other), (other, name)] {
                        let classes = file.classes(&file.with(old), &file.with(new));
                        if classes != [Class::Reworded] {
                            let which = file.language;
                            wrong.push(format!("{which:?} {old} → {new}: {classes:?}"));
                        }
                    }
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn words_that_are_whole_are_not_taken_for_inflections() {
    let mut wrong = Vec::new();
    for file in files() {
        for word in file.of("whole") {
            let mut shorter = word.to_owned();
            shorter.pop();
            if shorter.is_empty() {
                continue;
            }
            if compare(&[&file.with(word)], &file.with(&shorter)).passes() {
                wrong.push(format!("{:?} {word}", file.language));
            }
        }
    }
    none(&wrong);
}

/// Returns what a claim of this kind may be called where it is gone or another.
fn names(kind: &str) -> &'static [Class] {
    match kind.split(' ').next().unwrap_or_default() {
        "obligation" | "frequency" | "certainty" => &[Class::Weaker, Class::Stronger],
        "prohibition" | "negation" => {
            &[Class::NegationLost, Class::NegationAdded, Class::Weaker, Class::Stronger]
        }
        "bound" => &[Class::BoundChanged],
        "quantity" | "precision" | "scope" | "choice" => &[Class::ScopeChanged],
        "exception" => &[Class::ExceptionLost],
        _ => &[Class::OrderChanged, Class::ExceptionLost],
    }
}

#[test]
fn a_claim_that_is_gone_blocks_under_its_name() {
    let mut wrong = Vec::new();
    for file in files() {
        for (claim, entries) in file.claims() {
            for entry in entries {
                let classes = file.classes(&file.with(entry), &file.without(entry));
                let named = classes.len() == 1 && names(claim).contains(&classes[0]);
                if !named {
                    wrong.push(format!("{:?} [{claim}] {entry}: {classes:?}", file.language));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn claims_of_one_key_are_one_and_of_two_are_two() {
    let mut wrong = Vec::new();
    for file in files() {
        let claims = file.claims();
        for (at, (claim, entries)) in claims.iter().enumerate() {
            let first = entries[0];
            for entry in entries {
                let classes = file.classes(&file.with(first), &file.with(entry));
                let one = first.starts_with(['#', '+']) == entry.starts_with(['#', '+']);
                if *entry != first && one && classes != [Class::Reworded] {
                    wrong.push(format!(
                        "{:?} [{claim}] {first} → {entry}: {classes:?}",
                        file.language
                    ));
                }
                for (other, others) in claims[..at].iter().chain(&claims[at + 1..]) {
                    let (old, new) = (file.with(entry), file.with(others[0]));
                    let report = compare(&[&old], &new);
                    if report.passes() {
                        wrong.push(format!(
                            "{:?} [{claim}] {entry} → [{other}] {}: passes",
                            file.language, others[0]
                        ));
                    }
                    let key = |claim: &'static str| {
                        let mut parts = claim.split(' ');
                        (parts.next().unwrap_or_default(), parts.next())
                    };
                    let (mine, theirs) = (key(claim), key(other));
                    let alike = mine.0 == theirs.0 && mine.1 != theirs.1 && mine.0 != "negation";
                    let numbered = |entry: &str| entry.starts_with(['#', '+']);
                    let classes: Vec<Class> =
                        report.findings.iter().map(|found| found.class).collect();
                    let named = classes
                        .iter()
                        .all(|class| names(claim).contains(class) || *class == Class::OrderChanged);
                    if alike && !numbered(entry) && !numbered(others[0]) && !named {
                        wrong.push(format!(
                            "{:?} [{claim}] {entry} → [{other}] {}: {classes:?}",
                            file.language, others[0]
                        ));
                    }
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn opposites_are_told_as_opposites() {
    let mut wrong = Vec::new();
    for file in files() {
        for (one, other) in file.pairs() {
            for (old, new) in [(one, other), (other, one)] {
                let classes = file.classes(&file.with(old), &file.with(new));
                if classes != [Class::Opposite] {
                    wrong.push(format!("{:?} {old} → {new}: {classes:?}", file.language));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn a_unit_is_itself_in_every_spelling_and_no_other() {
    let mut wrong = Vec::new();
    for file in files() {
        let units = file.named("units");
        let with = |form: &str| file.text(&format!("7 {form}"));
        for (at, (_, forms)) in units.iter().enumerate() {
            for form in forms {
                let classes = file.classes(&with(forms[0]), &with(form));
                if classes != [Class::Reworded] && form != &forms[0] {
                    wrong.push(format!("{:?} {} → {form}: {classes:?}", file.language, forms[0]));
                }
                let (_, next) = &units[(at + 1) % units.len()];
                let classes = file.classes(&with(form), &with(next[0]));
                if classes != [Class::UnitChanged] {
                    wrong.push(format!("{:?} {form} → {}: {classes:?}", file.language, next[0]));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn what_opens_a_half_of_a_sentence_may_stand_first_or_last() {
    let mut wrong = Vec::new();
    for file in files() {
        for word in file.of("lead") {
            let first = file.text(&format!("rast.\n\n{word} grelp mudon, fosk birra zelt"));
            let last = file
                .text(&format!("rast.\n\nfosk birra zelt quivel plonk brusk {word} grelp mudon"));
            let last = last.replace("mudon quivel plonk brusk.", "mudon.");
            let classes = file.classes(&first, &last);
            if !classes.is_empty() {
                wrong.push(format!("{:?} {word}: {classes:?}", file.language));
            }
        }
    }
    none(&wrong);
}

#[test]
fn headings_that_limit_what_stands_below_are_known() {
    let mut wrong = Vec::new();
    let moved = |file: &File, word: &str| {
        let (part, rest) = ("### Grelp\n\nFosk birra zelt.\n", file.text("rast"));
        let old = format!("# Quivel\n\n## Mudon\n\n{rest}\n{part}\n## {word}\n\nPlonk brusk.\n");
        let new = format!("# Quivel\n\n## Mudon\n\n{rest}\n## {word}\n\nPlonk brusk.\n\n{part}");
        compare(&[&old], &new)
    };
    for file in files() {
        assert!(moved(&file, "Dorv").passes(), "{:?}", file.language);
        for word in file.of("scope") {
            if moved(&file, word).passes() {
                wrong.push(format!("{:?} {word}", file.language));
            }
        }
    }
    none(&wrong);
}

#[test]
fn no_entry_says_two_things() {
    let mut wrong = Vec::new();
    for file in files() {
        let mut said: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (section, lines) in &file.sections {
            if matches!(*section, "filler" | "function" | "style") || section.starts_with("claim ")
            {
                for entry in lines.iter().flat_map(|line| entries(line)) {
                    said.entry(entry).or_default().insert(section);
                }
            }
        }
        for (name, others) in file.named("same") {
            for other in others {
                said.entry(other).or_default().insert(name);
            }
        }
        for (form, bases) in file
            .named("irregular")
            .into_iter()
            .flat_map(|(base, forms)| forms.into_iter().map(move |form| (form, base)))
        {
            said.entry(form).or_default().insert(bases);
        }
        for (entry, sections) in said {
            if sections.len() > 1 {
                wrong.push(format!("{:?} {entry}: {sections:?}", file.language));
            }
        }
    }
    none(&wrong);
}

#[test]
fn no_word_that_may_go_is_one_of_two_opposites() {
    let mut wrong = Vec::new();
    for file in files() {
        let lexicon = Lexicon::of(file.language);
        for (one, other) in file.pairs() {
            for word in [one, other] {
                if lexicon.word(hash_of(word), false, false).is_some_and(|found| found.loose == 0) {
                    wrong.push(format!("{:?} {word}", file.language));
                }
            }
            if lexicon.loose(one, file.language) == lexicon.loose(other, file.language) {
                wrong.push(format!("{:?} {one} / {other}", file.language));
            }
        }
    }
    none(&wrong);
}
