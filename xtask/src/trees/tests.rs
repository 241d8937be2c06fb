use std::collections::BTreeMap;

use super::{Kind, Node, Random, Tree, builder::relative, slug};

/// Trees whose hashes must not change: a new hash means that every golden is out of date.
const KNOWN: &[(u64, &str)] =
    &[(0, "0ddb2c8bb88d36d0"), (1, "534ac1a2b387c3df"), (319, "e7fd1d6a46019916")];

/// The most items of a tree.
const MOST: usize = 60;

#[test]
fn a_seed_gives_the_same_tree_for_ever() {
    let hashes: Vec<_> =
        KNOWN.iter().map(|&(seed, _)| (seed, Tree::generate(seed).hash())).collect();
    let known: Vec<_> = KNOWN.iter().map(|&(seed, hash)| (seed, hash.to_owned())).collect();
    assert_eq!(hashes, known, "the generator has changed: record the goldens again");
}

#[test]
fn random_numbers_are_those_of_the_paper() {
    let mut random = Random::new(1_234_567);
    let first = [random.next_u64(), random.next_u64(), random.next_u64()];
    assert_eq!(
        first,
        [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
    );
}

#[test]
fn every_feature_is_in_one_tree_of_twenty() {
    let mut counts = BTreeMap::<_, usize>::new();
    for seed in 0..400 {
        for feature in Tree::generate(seed).features {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < 20).collect();
    assert!(rare.is_empty(), "too rare in 400 trees: {rare:?}");
    assert!(counts.len() > 130, "only {} features", counts.len());
}

#[test]
fn trees_are_small_and_can_be_laid_out() {
    for tree in (0..200).map(Tree::generate) {
        assert!(tree.items.len() <= MOST, "seed {}: {} items", tree.seed, tree.items.len());
        let nodes: BTreeMap<_, _> = tree.materialised("/fx").into_iter().collect();
        for path in nodes.keys().filter(|path| *path != "/fx") {
            let folder = path.rsplit_once('/').unwrap().0;
            assert_eq!(nodes.get(folder), Some(&Node::Dir), "seed {}: above {path}", tree.seed);
            assert!(path.len() < 150, "seed {}: slugs of long paths end in a hash", tree.seed);
        }
        assert_eq!(nodes.get(&tree.cwd_at("/fx")), Some(&Node::Dir), "seed {}", tree.seed);
        assert!(tree.touches.len() <= 3, "seed {}", tree.seed);
    }
}

#[test]
fn every_text_has_words_of_its_own() {
    for tree in (0..100).map(Tree::generate) {
        let mut seen = BTreeMap::<String, &str>::new();
        for item in &tree.items {
            let Kind::File(bytes) = &item.kind else { continue };
            let text = String::from_utf8_lossy(bytes).replace('\0', "");
            let Some(at) = text.find(&format!("mark{}k", tree.seed)) else { continue };
            let word = text[at..].split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
            let same = text.trim().starts_with("same ");
            if let Some(other) = seen.insert(word.to_owned(), &item.path) {
                assert!(same, "seed {}: `{other}` and `{}` share {word}", tree.seed, item.path);
            }
        }
    }
}

#[test]
fn topic_files_stand_beside_a_memory_file() {
    for tree in (0..400).map(Tree::generate) {
        for item in tree.items.iter().filter(|item| item.path.ends_with("/memory/topic.md")) {
            let index = item.path.replace("topic.md", "MEMORY.md");
            let is_file = |it: &super::Item| it.path == index && matches!(it.kind, Kind::File(_));
            assert!(tree.items.iter().any(is_file), "seed {}: {}", tree.seed, item.path);
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_laid_out_is_what_is_materialised() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::generate(3);
    let root = folder.path().join("r");
    tree.lay_out(&root).unwrap();
    for (path, node) in tree.materialised(root.to_str().unwrap()) {
        let found = std::fs::symlink_metadata(&path).unwrap();
        match node {
            Node::Dir => assert!(found.is_dir(), "{path}"),
            Node::File(bytes) => assert_eq!(std::fs::read(&path).unwrap(), bytes, "{path}"),
            Node::Link(to) => {
                assert_eq!(std::fs::read_link(&path).unwrap().to_str(), Some(to.as_str()));
            }
        }
    }
}

#[test]
fn placeholders_are_replaced() {
    let tree = Tree {
        seed: 0,
        items: vec![
            super::Item {
                path: "a/{slug:w/p q}/M".into(),
                kind: Kind::File(b"\xff{root}/x".into()),
            },
            super::Item { path: "l".into(), kind: Kind::Link("{root}/a".into()) },
        ],
        cwd: "w".into(),
        touches: vec!["w/x".into()],
        env: vec![("K".into(), "{root}/c".into())],
        features: Vec::new(),
    };
    assert_eq!(
        tree.materialised("/r"),
        [
            ("/r".to_owned(), Node::Dir),
            ("/r/a".to_owned(), Node::Dir),
            ("/r/a/-r-w-p-q".to_owned(), Node::Dir),
            ("/r/a/-r-w-p-q/M".to_owned(), Node::File(b"\xff/r/x".into())),
            ("/r/l".to_owned(), Node::Link("/r/a".into())),
        ]
    );
    assert_eq!(tree.env_at("/r"), [("K".to_owned(), "/r/c".to_owned())]);
}

#[test]
fn slugs() {
    assert_eq!(slug("/tmp/a.b_c d"), "-tmp-a-b-c-d");
    assert_eq!(slug("/é😀"), "----");
    let long = slug(&format!("/{}", "x".repeat(250)));
    assert_eq!(long.len(), "-".len() + 200 + long[201..].len());
    assert!(long.starts_with(&format!("-{}-", "x".repeat(199))), "{long}");
}

#[test]
fn relative_paths() {
    assert_eq!(relative("a/b", "a/b/c"), "c");
    assert_eq!(relative("a/b", "a/x/c"), "../x/c");
    assert_eq!(relative("", "c"), "c");
    assert_eq!(relative("w/p/.claude", "out/rules"), "../../../out/rules");
}
