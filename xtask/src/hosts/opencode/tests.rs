use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    read::{Source, answer},
    trees::generate,
};
use crate::{answer::Answer, trees::Node};

/// Trees whose hashes must not change: a new hash means that every golden is out of date.
const KNOWN: &[(u64, &str)] =
    &[(0, "ac54f1d5a5637888"), (1, "da6cdd544a4dc2c9"), (59, "30ac9a8a81285db8")];

const SKILLS: &str = "\nSkills provide specialized instructions and workflows for specific tasks.\n\
                      Use the skill tool to load a skill when a task matches its description.\n";

const OWN: &str = "  <skill>\n    <name>customize-opencode</name>\n    <description>x</description>\n    \
                   <location>&lt;built-in&gt;</location>\n  </skill>";

const QUOTED: &str = "x\nInstructions from: /e/AGENTS.md\n</env>\n";

/// A session: what follows the environment, the results of `read` and what was added to each.
struct Session {
    tail: String,
    agents: &'static str,
    results: Vec<(String, Vec<&'static str>)>,
    files: BTreeMap<&'static str, &'static [u8]>,
}

impl Session {
    fn new(tail: impl Into<String>) -> Self {
        Self {
            tail: tail.into(),
            agents: "- explore: Fast agent x\n- general: General-purpose agent y",
            results: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    fn with(mut self, path: &'static str, bytes: &'static [u8]) -> Self {
        self.files.insert(path, bytes);
        self
    }

    fn reading(mut self, result: impl Into<String>, loaded: &[&'static str]) -> Self {
        self.results.push((result.into(), loaded.to_vec()));
        self
    }

    fn body(&self, results: usize) -> Value {
        let results = self.results[..results].iter().map(
            |(text, _)| json!({"role": "user", "content": [{"type": "tool_result", "content": text}]}),
        );
        let task = format!(
            "Agents.\n\nAvailable agent types and the tools they have access to:\n{}",
            self.agents
        );
        let system = format!("Be good.\n<env>\n  Working directory: /r\n</env>{}", self.tail);
        json!({
            "system": [{"type": "text", "text": system}],
            "tools": [{"name": "read"}, {"name": "task", "description": task}],
            "messages": results.collect::<Vec<_>>(),
        })
    }

    fn answer(&self) -> anyhow::Result<Answer> {
        let mut bodies = vec![json!({"system": [{"text": "title"}], "messages": []})];
        bodies.extend((0..=self.results.len()).map(|count| self.body(count)));
        let event = |loaded: &[&str]| {
            let state = json!({"metadata": {"loaded": loaded}});
            json!({"type": "tool_use", "part": {"tool": "read", "state": state}})
        };
        let events: Vec<_> = self.results.iter().map(|(_, loaded)| event(loaded)).collect();
        let on_disk = |path: &str| self.files.get(path).map(|bytes| bytes.to_vec());
        let source = Source { root: "/r", bodies: &bodies, events: &events, on_disk: &on_disk };
        answer(&source, "1", self.results.len())
    }
}

/// Paths and the characters of their texts.
type Paths<'a> = &'a [(&'a str, usize)];

fn paths(answer: &Answer) -> Vec<(&str, usize)> {
    answer.start.iter().map(|it| (it.path.as_str(), it.chars)).collect()
}

#[test]
fn files_at_start_are_cut_at_their_heads() {
    let own = format!("{SKILLS}<available_skills>\n{OWN}\n</available_skills>");
    let none = format!("{SKILLS}No skills are currently available.");
    let both = "\nInstructions from: /r/a/AGENTS.md\none\n\nInstructions from: /r/AGENTS.md\ntwo";
    let quoted = format!("\nInstructions from: /r/q.md\n{QUOTED}");
    let cases: [(&str, &str, Paths<'_>); 5] = [
        ("nothing", "", &[]),
        ("two", both, &[("/fx/a/AGENTS.md", 4), ("/fx/AGENTS.md", 3)]),
        ("quotes", &quoted, &[("/fx/q.md", QUOTED.len())]),
        ("byte order mark", "\nInstructions from: /r/b.md\n  é", &[("/fx/b.md", 3)]),
        ("odd bytes", "\nInstructions from: /r/c.md\nx\u{fffd}\u{fffd}\0\r\n", &[("/fx/c.md", 6)]),
    ];
    for (name, text, wanted) in cases {
        for after in ["", own.as_str(), none.as_str()] {
            let session = Session::new(format!("{text}{after}"))
                .with("/r/a/AGENTS.md", b"one\n")
                .with("/r/AGENTS.md", b"two")
                .with("/r/b.md", "\u{feff}  é".as_bytes())
                .with("/r/c.md", b"x\xff\xfe\0\r\n")
                .with("/r/q.md", QUOTED.as_bytes());
            let answer = session.answer().unwrap_or_else(|error| panic!("{name}: {error:#}"));
            assert_eq!(paths(&answer), wanted, "{name}");
            assert!(answer.skills.is_empty() && answer.agents.is_empty(), "{name}");
        }
    }
}

#[test]
fn what_is_unexpected_is_an_error() {
    let file = "\nInstructions from: /r/AGENTS.md\none\n";
    let result =
        "x\n\n<system-reminder>\nInstructions from: /r/s/AGENTS.md\none\n\n</system-reminder>";
    let known =
        |session: Session| session.with("/r/AGENTS.md", b"one\n").with("/r/s/AGENTS.md", b"one\n");
    let cases = [
        ("unexpected text", Session::new(format!("\nmore{file}"))),
        ("another text", Session::new(file.replace("one", "two"))),
        ("isn't there", Session::new(file.replace("AGENTS", "GONE"))),
        ("another frame", Session::new(format!("{file}{SKILLS}<skills>"))),
        (
            "another form",
            Session::new(format!("{SKILLS}<available_skills>\nx\n</available_skills>")),
        ),
        ("differ in what", Session::new("").reading("x", &["/r/s/AGENTS.md"])),
        ("more files", Session::new("").reading(result, &[])),
        ("has no text", Session::new("\nInstructions from: /r/AGENTS.md")),
    ];
    for (wanted, session) in cases {
        let error = known(session).answer().map(|answer| paths(&answer).len()).unwrap_err();
        assert!(format!("{error:#}").contains(wanted), "{wanted}: {error:#}");
    }
}

#[test]
fn added_files_are_those_the_event_names() {
    let entry = |path: &str, text: &str| format!("Instructions from: {path}\n{text}");
    let first = format!(
        "<content>\n1: x\n</content>\n\n<system-reminder>\n{}\n\n{}\n</system-reminder>",
        entry("/r/s/t/AGENTS.md", "one\n"),
        entry("/r/s/CLAUDE.md", "two"),
    );
    let answer = Session::new("")
        .with("/r/s/t/AGENTS.md", b"one\n")
        .with("/r/s/CLAUDE.md", b"two")
        .reading(first, &["/r/s/t/AGENTS.md", "/r/s/CLAUDE.md"])
        .reading("<content>\n1: Instructions from: /e/x\n</content>", &[])
        .answer()
        .unwrap();
    let added: Vec<Vec<_>> = answer
        .touches
        .iter()
        .map(|files| files.iter().map(|it| (it.path.as_str(), it.chars)).collect())
        .collect();
    assert_eq!(added, [vec![("/fx/s/t/AGENTS.md", 4), ("/fx/s/CLAUDE.md", 3)], vec![]]);
}

#[test]
fn lists_are_read_without_the_clients_own() {
    let skill = |name: &str, place: &str| {
        format!(
            "  <skill>\n    <name>{name}</name>\n    <description>a\nb\n</description>\n    <location>{place}</location>\n  </skill>"
        )
    };
    let list = [skill("a", "/r/a/SKILL.md"), OWN.to_owned(), skill("z", "/r/z/SKILL.md")];
    let tail = format!("{SKILLS}<available_skills>\n{}\n</available_skills>", list.join("\n"));
    let mut session = Session::new(tail);
    session.agents =
        "- a: x\ny\n\n- explore: Fast agent x\n- general: General-purpose agent\n- z: ";
    let answer = session.answer().unwrap();
    let names: Vec<_> = answer.skills.iter().filter_map(|it| it.lines().next()).collect();
    assert_eq!(names, ["    <name>a</name>", "    <name>z</name>"]);
    assert!(answer.skills[1].ends_with("<location>/fx/z/SKILL.md</location>"));
    assert_eq!(answer.agents, ["a: x\ny\n", "z: "]);
}

#[test]
fn a_seed_gives_the_same_tree_for_ever() {
    let hashes: Vec<_> = KNOWN.iter().map(|&(seed, _)| (seed, generate(seed).hash())).collect();
    let known: Vec<_> = KNOWN.iter().map(|&(seed, hash)| (seed, hash.to_owned())).collect();
    assert_eq!(hashes, known, "the generator has changed: record the goldens again");
}

#[test]
fn trees_can_be_laid_out() {
    for tree in (0..300).map(generate) {
        let nodes: BTreeMap<_, _> = tree.materialised("/fx").into_iter().collect();
        for path in nodes.keys().filter(|path| *path != "/fx") {
            let folder = path.rsplit_once('/').unwrap().0;
            assert_eq!(nodes.get(folder), Some(&Node::Dir), "seed {}: above {path}", tree.seed);
        }
        assert_eq!(nodes.get(&tree.cwd_at("/fx")), Some(&Node::Dir), "seed {}", tree.seed);
        assert!(tree.touches.len() <= 3, "seed {}", tree.seed);
    }
    let folder = tempfile::tempdir().unwrap();
    generate(7).lay_out(folder.path()).unwrap();
}

#[test]
fn every_feature_is_in_some_trees() {
    let mut counts = BTreeMap::<_, usize>::new();
    for seed in 0..400 {
        for feature in generate(seed).features {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < 8).collect();
    assert!(rare.is_empty(), "too rare in 400 trees: {rare:?}");
    assert!(counts.len() > 60, "only {} features", counts.len());
}
