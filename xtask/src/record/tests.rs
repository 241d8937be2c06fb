use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Golden, merge, parse, read};
use crate::{
    answer::{Answer, Sent},
    trees::{BY_HAND, BY_HAND_COUNT, Node, Tree},
};

fn folder() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../goldens")
}

fn goldens() -> Vec<Golden> {
    ["2.1.332", "2.1.197"]
        .iter()
        .flat_map(|version| read(&folder().join(format!("claude-code-{version}.jsonl"))).unwrap())
        .collect()
}

/// Resolves the links of a path in a tree.
fn resolved(nodes: &BTreeMap<String, Node>, path: &str) -> Option<String> {
    let mut left: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut at = String::new();
    for _ in 0..200 {
        let Some(part) = left.pop() else { return Some(at) };
        match part.as_str() {
            "" | "." => {}
            ".." => at.truncate(at.rfind('/')?),
            _ => {
                let next = format!("{at}/{part}");
                if let Some(Node::Link(target)) = nodes.get(&next) {
                    left.extend(target.split('/').rev().map(str::to_owned));
                    at = if target.starts_with('/') { String::new() } else { at };
                } else {
                    at = next;
                }
            }
        }
    }
    None
}

#[test]
fn goldens_belong_to_the_trees_of_their_seeds() {
    let goldens = goldens();
    let mut seeds = BTreeMap::<u64, u32>::new();
    for golden in &goldens {
        *seeds.entry(golden.seed).or_default() += 1;
    }
    assert!(seeds.values().all(|versions| *versions == 2), "{seeds:?}");
    let mut wanted = (0..320).chain(BY_HAND..BY_HAND + BY_HAND_COUNT);
    assert_eq!(wanted.find(|seed| !seeds.contains_key(seed)), None);
    for golden in goldens {
        let tree = golden.tree().unwrap();
        assert_eq!(golden.answer.touches.len(), tree.touches.len(), "seed {}", golden.seed);
        let nodes: BTreeMap<_, _> = tree.materialised("/fx").into_iter().collect();
        let touched = golden.answer.touches.iter().flatten();
        for sent in golden.answer.start.iter().chain(touched) {
            let real = resolved(&nodes, &sent.path).unwrap_or_default();
            let is_file = matches!(nodes.get(&real), Some(Node::File(_)));
            assert!(is_file, "seed {}: the tree has no `{}`", golden.seed, sent.path);
        }
    }
}

#[test]
fn merging_keeps_other_seeds_and_sorts() {
    let golden = |seed, text: &str| Golden {
        seed,
        tree: Tree::generate(seed).hash(),
        answer: Answer {
            version: "1".into(),
            start: vec![Sent::new("/r", "/r/x", "User", text)],
            ..Answer::default()
        },
    };
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::try_from(folder.path().join("g.jsonl")).unwrap();
    merge(&path, &[golden(7, "a"), golden(5, "b")]).unwrap();
    merge(&path, &[golden(7, "c"), golden(6, "d")]).unwrap();
    assert_eq!(read(&path).unwrap(), [golden(5, "b"), golden(6, "d"), golden(7, "c")]);
}

#[test]
fn a_bad_line_is_named() {
    let error = parse("\n{\"seed\":1}\n").unwrap_err();
    assert_eq!(error.to_string(), "line 2 is no golden");
}

#[test]
fn a_golden_of_another_generator_is_refused() {
    let golden = Golden { seed: 1, tree: "0".into(), answer: Answer::default() };
    assert_eq!(
        golden.tree().unwrap_err().to_string(),
        "the generator has changed since seed 1 was recorded: record the goldens again"
    );
}
