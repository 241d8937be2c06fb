//! Random trees that were laid out for the real clients of the other hosts, and what those sent.

use xtask::hosts::{HOSTS, compare};
use xtask::record::parse;

const GOLDENS: [(&str, &str); 3] = [
    ("codex", include_str!("../../../../goldens/codex-0.171.0.jsonl")),
    ("gemini-cli", include_str!("../../../../goldens/gemini-cli-0.61.0.jsonl")),
    ("opencode", include_str!("../../../../goldens/opencode-1.18.33.jsonl")),
];

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
            if let Some(how) = compare::differs(id, &ours, &golden.answer) {
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
