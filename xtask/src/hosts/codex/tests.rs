use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{HOST, reading::Source, trees::generate};
use crate::trees::{Kind, Node};

/// Trees whose hashes must not change: a new hash means that every golden is out of date.
const KNOWN: &[(u64, &str)] = &[
    (0, "143c5433c111b7e5"),
    (1, "0ed4b7615e988ca5"),
    (2, "5c1276c15f58f966"),
    (319, "d12174e43936b837"),
];

const SKILLS: &str = "\n## Skills\nA skill is a file.\n### Skill roots\n- `r0` = `/cw/home/.agents/skills`\n\
    - `r1` = `/cw/home/.codex/skills/.system`\n- `r2` = `/cw/p/.agents/skills`\n### Available skills\n\
    - theirs: x (file: r1/theirs/SKILL.md)\n- a: (file: x) y (file: r2/a/SKILL.md)\n\
    - root: (file: r0/SKILL.md)\n";

#[test]
fn a_seed_gives_the_same_tree_for_ever() {
    let hashes: Vec<_> = KNOWN.iter().map(|&(seed, _)| (seed, generate(seed).hash())).collect();
    let known: Vec<_> = KNOWN.iter().map(|&(seed, hash)| (seed, hash.to_owned())).collect();
    assert_eq!(hashes, known, "the generator has changed: record the goldens again");
}

#[test]
fn trees_can_be_laid_out_and_hold_no_root_in_what_is_cut() {
    for tree in (0..300).map(generate) {
        let seed = tree.seed;
        assert!(tree.items.len() <= 60, "seed {seed}: {} items", tree.items.len());
        assert!(tree.touches.is_empty(), "seed {seed}");
        let nodes: BTreeMap<_, _> = tree.materialised("/cw").into_iter().collect();
        for path in nodes.keys().filter(|path| *path != "/cw") {
            let folder = path.rsplit_once('/').unwrap().0;
            assert_eq!(nodes.get(folder), Some(&Node::Dir), "seed {seed}: above {path}");
        }
        let cwd = tree.cwd_at("/cw");
        let there =
            matches!(nodes.get(cwd.trim_end_matches("/.")), Some(Node::Dir | Node::Link(_)));
        assert!(there, "seed {seed}: no {cwd}");
        for item in tree.items.iter().filter(|it| it.path.ends_with(".md")) {
            let Kind::File(bytes) = &item.kind else { continue };
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("{root}"), "seed {seed}: {}", item.path);
            assert!(!text.contains("\n\n--- project-doc ---\n\n"), "seed {seed}: {}", item.path);
        }
    }
    let (tree, folder) = (generate(3), tempfile::tempdir().unwrap());
    tree.lay_out(folder.path()).unwrap();
}

#[test]
fn every_feature_is_in_one_tree_of_a_hundred() {
    let mut counts = BTreeMap::<_, usize>::new();
    for seed in 0..1000 {
        for feature in generate(seed).features {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < 10).collect();
    assert!(rare.is_empty(), "too rare in 1000 trees: {rare:?}");
    assert!(counts.len() > 70, "only {} features", counts.len());
}

#[test]
fn parts_and_skills_are_read() {
    let both = "# AGENTS.md instructions for /cw/p\n\n<INSTRUCTIONS>\ng\n\n--- project-doc ---\n\n p\n\n</INSTRUCTIONS>";
    check(
        &[("user", both)],
        &json!({"directory": "/cw/p", "text": "g\n\n--- project-doc ---\n\n p\n"}),
        &Value::Null,
        Ok("global /fx/home/.codex 1, project /fx/p 3"),
    );
    check(
        &[(
            "user",
            "# AGENTS.md instructions for /cw/p\n\n<INSTRUCTIONS>\n</INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
        )],
        &json!({"directory": "/cw/p", "text": "</INSTRUCTIONS>\nx"}),
        &Value::Null,
        Ok("project /fx/p 17"),
    );
    check(
        &[("user", "# AGENTS.md instructions\n\n<INSTRUCTIONS>\ng\n</INSTRUCTIONS>")],
        &json!({"text": "g"}),
        &Value::Null,
        Ok("global /fx/home/.codex 1"),
    );
    check(&[("user", "hello")], &Value::Null, &Value::Null, Ok(""));
    let list = format!("<skills_instructions>{SKILLS}</skills_instructions>");
    check(
        &[("developer", &list)],
        &Value::Null,
        &json!({"body": SKILLS}),
        Ok("\
        [- `r0` = `/fx/home/.agents/skills`] [- `r2` = `/fx/p/.agents/skills`] \
        [- a: (file: x) y (file: r2/a/SKILL.md)] [- root: (file: r0/SKILL.md)]"),
    );
}

#[test]
fn a_list_of_whole_paths_is_read() {
    let lines = "\n## Skills\nA skill is a file.\n### Available skills\n\
                 - theirs: (file: /cw/home/.codex/skills/.system/theirs/SKILL.md)\n\
                 - a: (file: /cw/p/.agents/skills/a/SKILL.md)\n";
    let none = "\n## Skills\nA skill is a file.\n### Available skills\n";
    for (text, expected) in [(lines, "[- a: (file: /fx/p/.agents/skills/a/SKILL.md)]"), (none, "")]
    {
        let list = format!("<skills_instructions>{text}</skills_instructions>");
        check(&[("developer", &list)], &Value::Null, &json!({"body": text}), Ok(expected));
    }
}

#[test]
fn what_is_not_understood_is_an_error() {
    let frame = |inner: &str, place: &str| {
        format!("# AGENTS.md instructions{place}\n\n<INSTRUCTIONS>\n{inner}\n</INSTRUCTIONS>")
    };
    let recorded = |text: &str| json!({"directory": "/cw/p", "text": text});
    let cases = [
        (vec![("user", frame("a", " for /cw/p"))], recorded("b"), "different texts"),
        (vec![("user", frame("a", " for /cw/q"))], recorded("a"), "different folders"),
        (vec![("user", frame("a", " in /cw/p"))], recorded("a"), "another head"),
        (
            vec![("user", "# AGENTS.md instructions for /cw/p\n\na".to_owned())],
            recorded("a"),
            "no beginning",
        ),
        (
            vec![("user", frame("a", " for /cw/p")), ("user", frame("a", " for /cw/p"))],
            recorded("a"),
            "two merged texts",
        ),
        (vec![("user", "hello".to_owned())], recorded("a"), "a text more"),
        (vec![("developer", "x mark7k1 y".to_owned())], Value::Null, "in another place"),
        (
            vec![("user", frame("a\n\n--- project-doc ---\n\nb", ""))],
            json!({"text": "a\n\n--- project-doc ---\n\nb"}),
            "no folder",
        ),
        (
            vec![(
                "user",
                frame("a\n\n--- project-doc ---\n\nb\n\n--- project-doc ---\n\nc", " for /cw/p"),
            )],
            recorded("a\n\n--- project-doc ---\n\nb\n\n--- project-doc ---\n\nc"),
            "two separators",
        ),
    ];
    for (texts, record, said) in &cases {
        let texts: Vec<_> = texts.iter().map(|(role, text)| (*role, text.as_str())).collect();
        check(&texts, record, &Value::Null, Err(said));
    }
}

/// Compares what is read from a request and a record with what is expected of it.
fn check(texts: &[(&str, &str)], merged: &Value, listed: &Value, expected: Result<&str, &str>) {
    let items = texts.iter().map(|(role, text)| {
        json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]})
    });
    let state = json!({"agents_md": merged, "host_skills": listed});
    let source = Source {
        root: "/cw",
        folder: "/cw/home/.codex",
        own_skills: "/cw/home/.codex/skills/.system",
        mark: "mark7k",
        body: &json!({"input": items.collect::<Vec<_>>()}),
        record: &[
            json!({"type": "session_meta", "payload": {"cli_version": HOST.version}}),
            json!({"type": "world_state", "payload": {"full": true, "state": state}}),
        ],
    };
    match (source.answer(HOST.version), expected) {
        (Ok(answer), Ok(expected)) => {
            let start: Vec<_> = answer
                .start
                .iter()
                .map(|it| format!("{} {} {}", it.class, it.path, it.chars))
                .collect();
            let skills: Vec<_> = answer.skills.iter().map(|line| format!("[{line}]")).collect();
            assert_eq!(start.join(", ") + &skills.join(" "), expected);
        }
        (Err(error), Err(expected)) => {
            assert!(error.to_string().contains(expected), "`{error}` isn't `{expected}`");
        }
        (got, expected) => panic!("{got:?} instead of {expected:?}"),
    }
}
