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
    let text = format!("## Style\n\n{RULE}\n\n## More style\n\n{RULE}\n");
    assert_eq!(found(&[("a", &text)]), ["a:7-7 = a:3 certain"]);
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
