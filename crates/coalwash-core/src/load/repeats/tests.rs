use super::*;
use crate::load::hosts::claude_code::table;
use crate::load::map::{Kind, Owner};
use crate::load::{MemTree, Scene, load_map};
use crate::text::FamilyFactor;

fn entry(path: &str, text: &str) -> Entry {
    let kind = Kind::Instructions;
    let entry = Entry::new(path.into(), path.into(), kind, Tier::Always, Owner::Git);
    Entry { sent: Some(text.to_owned()), ..entry }
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let entries: Vec<_> = files.iter().map(|(p, t)| entry(p, t)).collect();
    Repeats::of(&entries, &FamilyFactor::CLAUDE)
        .all
        .iter()
        .map(|r| {
            let kind = if r.certain { "certain" } else { "likely" };
            format!(
                "{}:{}-{} = {}:{} {kind}",
                r.at.path, r.at.line, r.last_line, r.same_as.path, r.same_as.line
            )
        })
        .collect()
}

const RULE: &str = "Always run the whole test suite first.";

#[test]
fn the_same_paragraph_in_one_document_is_certain() {
    let text = format!("{RULE}\n\nOther words that stand alone here.\n\n  {RULE}  \n");
    assert_eq!(found(&[("a", &text)]), ["a:5-5 = a:1 certain"]);
}

#[test]
fn the_same_bullet_is_certain_with_all_that_is_in_it() {
    let text = format!(
        "- {RULE}\n  - and the linters\n- other things go here, too\n- {RULE}\n  - and the linters\n"
    );
    assert_eq!(found(&[("a", &text)]), ["a:4-5 = a:1 certain"]);
}

#[test]
fn the_third_copy_names_the_first() {
    let text = format!("{RULE}\n\n{RULE}\n\n{RULE}\n");
    assert_eq!(found(&[("a", &text)]), ["a:3-3 = a:1 certain", "a:5-5 = a:1 certain"]);
}

#[test]
fn a_copy_in_another_file_is_likely() {
    assert_eq!(found(&[("a", RULE), ("b", RULE)]), ["b:1-1 = a:1 likely"]);
}

#[test]
fn structure_that_means_something_is_never_certain() {
    for (name, text) in [
        ("numbered", format!("1. {RULE}\n2. x\n3. {RULE}\n")),
        ("quote", format!("> {RULE}\n\ntext\n\n> {RULE}\n")),
        ("limiting heading", format!("## Staging\n\n{RULE}\n\n## Production\n\n{RULE}\n")),
        ("version heading", format!("## v1\n\n{RULE}\n\n## v2\n\n{RULE}\n")),
    ] {
        let found = found(&[("a", &text)]);
        assert!(found.iter().all(|f| f.ends_with("likely")), "{name}: {found:?}");
        assert!(!found.is_empty(), "{name}");
    }
}

#[test]
fn fences_tables_and_html_are_not_looked_into() {
    for text in [
        format!("```\n{RULE}\n```\n\n```\n{RULE}\n```\n"),
        format!("| {RULE} |\n| --- |\n| {RULE} |\n"),
        format!("<div>\n{RULE}\n</div>\n\n<div>\n{RULE}\n</div>\n"),
    ] {
        assert_eq!(found(&[("a", &text)]), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn headings_that_limit_nothing_do_not_matter() {
    let text = format!("## Style\n\n{RULE}\n\n## More style\n\n{RULE}\n\nIn short words.\n");
    assert_eq!(found(&[("a", &text)]), ["a:7-7 = a:3 certain"]);
}

#[test]
fn what_a_heading_has_is_not_taken_from_it() {
    for (name, text, expected) in [
        ("alone", format!("## Api\n\n{RULE}\n\n## Web\n\n{RULE}\n"), "likely"),
        ("with a rule", format!("## Api\n\n{RULE}\n\n## Web\n\n{RULE}\n\n---\n"), "likely"),
        ("and more", format!("## Api\n\n{RULE}\n\n## Web\n\n{RULE}\n\nx\n"), "certain"),
        ("and code", format!("## Api\n\n{RULE}\n\n## Web\n\n```\nx\n```\n\n{RULE}\n"), "certain"),
        ("and a link", format!("## Api\n\n{RULE}\n\n## Web\n\n{RULE}\n\n[a]: /b\n"), "certain"),
        ("and more below", format!("## Api\n\n{RULE}\n\n## Web\n\n{RULE}\n\n### B\n"), "certain"),
        ("twice", format!("## Api\n\n{RULE}\n\n## Api\n\n{RULE}\n"), "certain"),
        ("twice, apart", format!("# A\n## Api\n{RULE}\n# B\n## Api\n{RULE}\n"), "likely"),
        ("a level apart", format!("## Api\n\n{RULE}\n\n# Api\n\n{RULE}\n"), "likely"),
        ("twice, whole", format!("# A\n\n## B\n\n{RULE}\n\n# A\n\n## B\n\n{RULE}\n"), "certain"),
        ("a comment", format!("## A\n{RULE}\n## A\n<!-- x -->\n\n{RULE}\n"), "likely"),
    ] {
        let found = found(&[("a", &text)]);
        assert!(found.len() == 1 && found[0].ends_with(expected), "{name}: {found:?}");
    }
}

#[test]
fn what_introduces_something_else_is_not_certain() {
    let intro = "Run all of these before a push";
    for (name, text, expected) in [
        ("colon", format!("{intro}:\n\n- a\n\ntext\n\n{intro}:\n\n- b\n"), "likely"),
        ("bold colon", format!("**{intro}:**\n\n- a\n\ntext\n\n**{intro}:**\n\n- b\n"), "likely"),
        ("item", format!("- {intro}:\n- a\n- {intro}:\n- b\n"), "likely"),
        ("code", format!("{intro}.\n\n```\na\n```\n\n{intro}.\n\n```\nb\n```\n"), "likely"),
        ("table", format!("{intro}.\n\nx\n\n{intro}.\n\n| a |\n|---|\n"), "likely"),
        ("a stop", format!("{intro}.\n\n- a\n\ntext\n\n{intro}.\n\n- b\n"), "certain"),
        ("all of it", format!("- {intro}:\n  - a\n- b\n- {intro}:\n  - a\n"), "certain"),
    ] {
        let found = found(&[("a", &text)]);
        assert!(found.len() == 1 && found[0].ends_with(expected), "{name}: {found:?}");
    }
}

#[test]
fn items_of_equal_lines_in_another_shape_are_no_twins() {
    for (name, a, b, expected) in [
        ("equal", "\n  - x\n    - y", "\n   - x\n     - y", "certain"),
        ("nested", "\n  - x\n    - y", "\n  - x\n  - y", "likely"),
        ("code", "\n\n      x", "\n\n  x", "likely"),
    ] {
        let text = format!("- {RULE}{a}\n- z\n- {RULE}{b}\n");
        let found = found(&[("a", &text)]);
        assert!(found.len() == 1 && found[0].ends_with(expected), "{name}: {found:?}");
    }
}

#[test]
fn short_texts_are_no_repeats() {
    assert_eq!(found(&[("a", "Run the tests.\n\nRun the tests.\n")]), Vec::<String>::new());
}

#[test]
fn lines_are_those_of_the_file_whatever_the_host_takes_out() {
    let twice = "Deploys happen on Fridays and never on Mondays.";
    let text = format!(
        "---\na: b\n---\n\n# One\n\n{twice}\n\n<!-- a\ncomment\nof three lines -->\n\nfiller\n\n{twice}\n"
    );
    let mut tree = MemTree::default();
    tree.file("/p/CLAUDE.md", text.as_str());
    let scene = Scene { cwd: "/p".into(), ..Scene::default() };
    let map = load_map(&table::profile(None), &scene, &tree, &FamilyFactor::CLAUDE);
    let found = Repeats::of(&map.entries, &FamilyFactor::CLAUDE).all;
    let wanted = text.lines().enumerate().filter(|(_, line)| *line == twice);
    let wanted: Vec<_> = wanted.map(|(at, _)| at + 1).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(vec![found[0].same_as.line, found[0].at.line], wanted);
}
