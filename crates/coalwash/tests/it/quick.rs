//! `quick` on the texts that the gate is measured with.

use std::path::PathBuf;

use camino::Utf8PathBuf;
use coalwash_core::load::map::{Entry, Kind, Owner, Tier};
use coalwash_core::load::repeats::Repeats;
use coalwash_core::text::FamilyFactor;
use coalwash_core::wash::{
    gate::{Class, compare, is_pinned},
    quick::{Cut, LEAST_TOKENS, cut},
};

/// A paragraph that stands in none of the texts.
const RULE: &str = "The keeper of the lighthouse at Marrow Point signs every release of the charts \
                    by hand, and nobody else does.";

/// Returns the name and text of every file that isn't pinned.
fn texts() -> Vec<(String, String)> {
    let benches = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../benches/fidelity");
    let mut texts = Vec::new();
    for folder in ["texts", "rewrites"] {
        for file in std::fs::read_dir(benches.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ext| ext == "md") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                let text = std::fs::read_to_string(path).unwrap();
                if !is_pinned(&text) {
                    texts.push((name, text));
                }
            }
        }
    }
    assert!(texts.len() > 100, "{}", texts.len());
    texts.sort();
    texts
}

fn cut_of(text: &str) -> Option<Cut> {
    cut(text, &[], &FamilyFactor::CLAUDE)
}

/// Returns the tokens of the certain repeats, as the verdict counts them.
fn certain(text: &str) -> u64 {
    let path = Utf8PathBuf::from("/p/CLAUDE.md");
    let entry = Entry::new(path.clone(), path, Kind::Instructions, Tier::Always, Owner::Git);
    let entry = Entry { sent: Some(text.to_owned()), ..entry };
    Repeats::of(&[entry], &FamilyFactor::CLAUDE).certain_tokens().0
}

/// Returns where a paragraph can stand by itself: behind a heading and its blank line.
fn places(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let (mut at, mut fence, mut heading) = (0, false, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        fence ^= line.trim_start().starts_with("```");
        if heading && line.trim().is_empty() {
            places.push(at);
        }
        // A heading that limits where its text holds makes a repeat likely, not certain.
        heading = !fence && line.starts_with("## ") && line.is_ascii() && !line.contains("CI");
    }
    places
}

#[test]
fn a_paragraph_put_in_twice_is_taken_out_again() {
    let mut cuts = 0;
    for (name, text) in texts() {
        for pair in places(&text).windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let put = |at: usize| format!("{RULE}\n\n{}", &text[at..b.max(at)]);
            let once = format!("{}{}{}", &text[..a], put(a), &text[b..]);
            let twice = format!("{}{}{RULE}\n\n{}", &text[..a], put(a), &text[b..]);
            if certain(&twice) < certain(&once) + LEAST_TOKENS.0 {
                continue;
            }
            let before = cut_of(&once).map_or(once, |cut| cut.text);
            let after = cut_of(&twice).unwrap_or_else(|| panic!("{name} at {b} stays"));
            assert_eq!(after.text, before, "{name} at {b}");
            cuts += 1;
        }
    }
    assert!(cuts > 150, "{cuts}");
}

#[test]
fn what_the_verdict_counts_goes() {
    for (name, text) in texts() {
        // Everything once more, line ends of another system.
        for text in [text.clone(), format!("{text}\n{text}"), text.replace('\n', "\r\n").repeat(2)]
        {
            let counted = certain(&text);
            let Some(cut) = cut_of(&text) else {
                assert!(counted < LEAST_TOKENS.0, "{name}: {counted} tokens stay");
                continue;
            };
            let left = certain(&cut.text);
            assert!(left < LEAST_TOKENS.0, "{name}: {left} of {counted} tokens stay");
            assert_eq!(cut_of(&cut.text), None, "{name}");
            let report = compare(&[&text], &cut.text);
            let other = report.findings.iter().find(|found| found.class != Class::CopyRemoved);
            assert_eq!(other, None, "{name}");
        }
    }
}
