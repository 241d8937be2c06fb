//! Each class of finding, by examples: an old text, a new one, and all that the gate says.

use insta::assert_snapshot;

use super::told;
use crate::wash::gate::{
    Class,
    rungs::{Rung, without},
};

/// Writes what is said of each pair: texts as `old => new`, in which ` / ` is a line's end.
fn said(cases: &str) -> String {
    let mut out = String::new();
    for case in cases.lines().map(str::trim).filter(|case| !case.is_empty()) {
        let (old, new) = case.split_once(" =>").unwrap();
        let text = |text: &str| text.trim().replace(" / ", "\n").replace("\\n", "\n");
        let told = told(&text(old), &text(new));
        out.push_str(&format!("{case}\n"));
        for line in if told.is_empty() { "silent" } else { &told }.lines() {
            out.push_str(&format!("    {line}\n"));
        }
    }
    out
}

#[test]
fn layout_and_filler() {
    assert_snapshot!(said(include_str!("cases/faithful.txt")));
}

#[test]
fn values() {
    assert_snapshot!(said(include_str!("cases/values.txt")));
}

#[test]
fn claims_and_terms() {
    assert_snapshot!(said(include_str!("cases/claims.txt")));
}

#[test]
fn places() {
    assert_snapshot!(said(include_str!("cases/places.txt")));
}

/// What is said of damage to characters.
fn damaged() -> String {
    let damage = |old: &str, new: &str| told(old, new);
    [
        damage("a café b", "a cafe\u{301} b"),
        damage("ทำงาน", "ท\u{e4d}\u{e32}งาน"),
        damage("a b", "a\u{a0}b"),
        damage("a b", "\u{feff}a b"),
        damage("ab cd", "a\u{200b}b cd"),
        damage("run it", "run \u{202e}it"),
        damage("wait — now", "wait â€” now"),
        damage("use `a` x", "use `а` x"),
        damage("use `--a` x", "use `—a` x"),
        damage("say `\"a\"`", "say `“a”`"),
        damage("a\nb\nc\n", "a\r\nb\nc\n"),
        damage("a\nb\n", "a\r\nb\r\n"),
        damage("family here", "family 👨\u{200d}👩\u{200d}👧 here"),
        damage("a b", "a \u{fffd}b"),
    ]
    .join("\n--\n")
}

#[test]
fn encodings() {
    assert_snapshot!(damaged());
}

/// All that is said of all examples.
fn everything() -> String {
    let files = [
        include_str!("cases/faithful.txt"),
        include_str!("cases/values.txt"),
        include_str!("cases/claims.txt"),
        include_str!("cases/places.txt"),
    ];
    files.map(said).join("") + &damaged()
}

#[test]
fn no_rung_can_go_unnoticed() {
    let all = everything();
    let idle: Vec<Rung> =
        Rung::ALL.into_iter().filter(|rung| without(*rung, everything) == all).collect();
    assert!(idle.is_empty(), "no example needs {idle:?}");
}

#[test]
fn no_class_can_go_unnoticed() {
    let all = everything();
    let missing: Vec<String> = Class::ALL
        .into_iter()
        // A text of 16 MiB is in a test of its own.
        .filter(|class| *class != Class::TooLarge)
        .map(Class::id)
        .filter(|id| !all.contains(&format!("{id} | ")))
        .collect();
    assert!(missing.is_empty(), "no example has {missing:?}");
}
