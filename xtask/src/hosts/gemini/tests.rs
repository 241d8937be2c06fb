use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{HOST, reading::answer};
use crate::{
    answer::{Answer, Sent},
    trees::Node,
};

/// Trees whose hashes must not change: a new hash means that every golden is out of date.
const KNOWN: &[(u64, &str)] =
    &[(0, "427df7c6a75a43ab"), (1, "0bc21313302e2c5f"), (59, "7693e9c54e549ab7")];

/// The most items of a tree.
const MOST: usize = 60;

#[test]
fn a_seed_gives_the_same_tree_for_ever() {
    let hashes: Vec<_> =
        KNOWN.iter().map(|&(seed, _)| (seed, (HOST.generate)(seed).hash())).collect();
    let known: Vec<_> = KNOWN.iter().map(|&(seed, hash)| (seed, hash.to_owned())).collect();
    assert_eq!(hashes, known, "the generator has changed: record the goldens again");
}

#[test]
fn trees_are_small_and_can_be_laid_out() {
    for tree in (0..300).map(HOST.generate) {
        let seed = tree.seed;
        assert!(tree.items.len() <= MOST, "seed {seed}: {} items", tree.items.len());
        let nodes: BTreeMap<_, _> = tree.materialised("/fx").into_iter().collect();
        for path in nodes.keys().filter(|path| *path != "/fx") {
            let folder = path.rsplit_once('/').unwrap().0;
            assert_eq!(nodes.get(folder), Some(&Node::Dir), "seed {seed}: above {path}");
        }
        let cwd = tree.cwd_at("/fx");
        let cwd = match cwd.strip_prefix("/fx/lnk") {
            Some(rest) => {
                let Some(Node::Link(target)) = nodes.get("/fx/lnk") else { panic!("seed {seed}") };
                format!("/fx/{target}{rest}")
            }
            None => cwd,
        };
        assert_eq!(nodes.get(&cwd), Some(&Node::Dir), "seed {seed}");
        let touches: BTreeSet<_> = tree.touches.iter().collect();
        assert!(touches.len() == tree.touches.len() && touches.len() <= 3, "seed {seed}");
        let root = tempfile::tempdir().unwrap();
        tree.lay_out(root.path()).unwrap();
    }
}

#[test]
fn every_feature_is_in_one_tree_of_a_hundred() {
    let mut counts = BTreeMap::<_, usize>::new();
    for seed in 0..1000 {
        for feature in (HOST.generate)(seed).features {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < 10).collect();
    assert!(rare.is_empty(), "too rare in 1000 trees: {rare:?}");
    assert!(counts.len() > 100, "only {} features", counts.len());
}

fn frame(path: &str, text: &str) -> String {
    format!("--- Context from: {path} ---\n{text}\n--- End of Context from: {path} ---")
}

/// A request: the end of the system instruction, the context of the first content, the results.
fn body(system: &str, context: &str, results: &[Value]) -> Value {
    let first = format!("<session_context>\nThe folder is /r/p\n\n{context}\n</session_context>",);
    let mut contents = vec![json!({"role": "user", "parts": [{"text": first}, {"text": "hello"}]})];
    for response in results {
        let part = json!({"functionResponse": {"name": "read_file", "response": response}});
        contents.push(json!({"role": "user", "parts": [part]}));
    }
    let system = format!("You are a client.\n\n{system}");
    json!({"systemInstruction": {"parts": [{"text": system}]}, "contents": contents})
}

fn read(body: &Value, touches: usize) -> Result<Answer, String> {
    answer("1", "/r", std::slice::from_ref(body), touches).map_err(|error| format!("{error:#}"))
}

fn sent(class: &str, path: &str, text: &str) -> Sent {
    Sent::new("/r", path, class, text)
}

#[test]
fn files_of_the_system_instruction_are_global_or_memory() {
    let (global, memory) = (frame("/r/h/G.md", "a"), frame("/r/h/MEMORY.md", "b"));
    let index = format!(
        "<user_project_memory>\n--- Private Project Memory Index (private, not committed to repo) \
         ---\n{memory}\n--- End Private Project Memory Index ---\n</user_project_memory>"
    );
    let (g, m) = (sent("global", "/r/h/G.md", "a"), sent("memory", "/r/h/MEMORY.md", "b"));
    let cases = [
        (String::new(), vec![]),
        (format!("# Contextual\n\n<loaded_context>\n{global}\n</loaded_context>"), vec![g.clone()]),
        (format!("---\n\n<loaded_context>\n{index}\n</loaded_context>"), vec![m.clone()]),
        (
            format!(
                "---\n\n<loaded_context>\n<global_context>\n{global}\n</global_context>\n{index}\n\
                 </loaded_context>"
            ),
            vec![g, m],
        ),
    ];
    for (system, wanted) in cases {
        assert_eq!(read(&body(&system, "\n", &[]), 0).unwrap().start, wanted, "{system}");
    }
}

#[test]
fn files_of_the_first_content_are_extensions_or_the_projects() {
    let (one, two) = (frame("/r/h/E.md", "e\n\nf"), frame("/r/p/G.md", "<x>\n</project_context>"));
    let three = frame("/r/p/a/G.md", &frame("/other", "quoted"));
    let project = format!("<project_context>\n{two}\n\n{three}\n</project_context>");
    let extension = format!("<extension_context>\n{one}\n</extension_context>");
    let e = sent("extension", "/r/h/E.md", "e\n\nf");
    let p = [
        sent("project", "/r/p/G.md", "<x>\n</project_context>"),
        sent("project", "/r/p/a/G.md", &frame("/other", "quoted")),
    ];
    let cases = [
        (extension.clone(), vec![e.clone()]),
        (project.clone(), p.to_vec()),
        (format!("{extension}\n{project}"), [vec![e], p.to_vec()].concat()),
    ];
    for (parts, wanted) in cases {
        let context = format!("\n<loaded_context>\n{parts}\n</loaded_context>");
        assert_eq!(read(&body("", &context, &[]), 0).unwrap().start, wanted, "{parts}");
    }
}

#[test]
fn a_touch_brings_what_stands_behind_its_output() {
    let found = |text: &str| {
        let framed = frame("/r/p/s/G.md", text);
        let (open, close) =
            ("--- Newly Discovered Project Context ---", "--- End Project Context ---");
        json!({"output": format!("text\n\n{open}\n{framed}\n{close}")})
    };
    let results =
        [json!({"output": "text"}), json!({"error": "File not found: /r/p/x"}), found("s")];
    let touches = read(&body("", "\n", &results), 3).unwrap().touches;
    assert_eq!(touches, [vec![], vec![], vec![sent("", "/r/p/s/G.md", "s")]]);
    assert!(read(&body("", "\n", &results), 2).is_err(), "one result too many");
}

#[test]
fn lists_are_without_the_clients_own() {
    let skill = |place: &str| {
        format!(
            "  <skill>\n    <name>n</name>\n    <description>a\nb</description>\n    \
             <location>{place}</location>\n  </skill>"
        )
    };
    let agent = |name: &str| {
        format!(
            "  <subagent>\n    <name>{name}</name>\n    <description>d</description>\n  </subagent>"
        )
    };
    let (own, ours) = (skill("/opt/client/SKILL.md"), skill("/r/h/SKILL.md"));
    let system = format!(
        "\n<available_subagents>\n{}\n{}\n</available_subagents>\n\n<available_skills>\n{own}\n\
         {ours}\n{own}\n</available_skills>\n",
        agent("cli_help"),
        agent("mine")
    );
    let answer = read(&body(&system, "\n", &[]), 0).unwrap();
    assert_eq!(answer.skills, [skill("/fx/h/SKILL.md")]);
    assert_eq!(answer.agents, [agent("mine")]);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let context = |part: &str| {
        format!(
            "\n<loaded_context>\n<project_context>\n{part}\n</project_context>\n</loaded_context>"
        )
    };
    let good = frame("/r/p/G.md", "a");
    let cases = [
        (context(&frame("/tmp/G.md", "a")), "the client loaded `/tmp/G.md`"),
        (context("text"), "no frame begins here: text"),
        (context(&format!("{good} more")), "the frame of `/r/p/G.md` doesn't end"),
        (good, "a file stands outside of the loaded context"),
        (context("a").replace("</loaded_context>", ""), "the context doesn't end"),
    ];
    for (context, wanted) in cases {
        assert_eq!(read(&body("", &context, &[]), 0).unwrap_err(), wanted);
    }
}
