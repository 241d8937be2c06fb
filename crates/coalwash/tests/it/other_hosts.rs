//! Random trees that were laid out for the real clients of the other hosts, and what those sent.

use xtask::hosts::{HOSTS, compare};
use xtask::record::parse;

const GOLDENS: [(&str, &str); 3] = [
    ("codex", include_str!("../../../../goldens/codex-0.171.0.jsonl")),
    ("gemini-cli", include_str!("../../../../goldens/gemini-cli-0.61.0.jsonl")),
    ("opencode", include_str!("../../../../goldens/opencode-1.18.33.jsonl")),
];

/// Trees that are answered otherwise, and why; ARCHITECTURE.md names them.
const DIFFERENT: [(&str, &[u64], &str); 1] = [(
    "gemini-cli",
    &[129, 133, 157, 181, 212, 288, 297, 324],
    "a file that an ignore file names can't be read, so it adds nothing",
)];

#[test]
fn every_recorded_tree_is_answered_as_the_client_did() {
    let mut report = String::new();
    for (id, recorded) in GOLDENS {
        let host = HOSTS.iter().find(|host| host.id == id).unwrap();
        let goldens = parse(recorded).unwrap();
        assert!(goldens.len() >= 50, "{id}");
        let mut wrong = Vec::new();
        for golden in &goldens {
            let tree = (host.generate)(golden.seed);
            assert_eq!(tree.hash(), golden.tree, "{id}: the generator has changed");
            let ours = compare::ours(id, &tree).unwrap();
            let how = compare::differs(id, &ours, &golden.answer);
            if DIFFERENT.iter().any(|(host, seeds, _)| *host == id && seeds.contains(&golden.seed))
            {
                assert!(how.is_some(), "{id} {}: equal by now", golden.seed);
                continue;
            }
            if let Some(how) = how {
                wrong.push(format!("seed {}: {how}", golden.seed));
            }
        }
        if !wrong.is_empty() {
            report.push_str(&format!(
                "{id}: {} of {}\n{}\n",
                wrong.len(),
                goldens.len(),
                wrong.join("\n")
            ));
        }
    }
    assert!(report.is_empty(), "{report}");
}
