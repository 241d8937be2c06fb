//! Random trees that were laid out for the real clients, and what those sent.
//!
//! Each line of `goldens/claude-code-VERSION.jsonl` is a seed and an answer; the tree is made again
//! from the seed.

use camino::Utf8Path;
use coalwash_core::load::hosts::Profile;
use coalwash_core::load::hosts::claude_code::table;
use xtask::answer::FX;
use xtask::compare::{differs, ours_on_disk};
use xtask::record::{Golden, parse};

pub(crate) const GOLDENS: [(&str, &str); 2] = [
    ("2.1.332", include_str!("../../../../goldens/claude-code-2.1.332.jsonl")),
    ("2.1.197", include_str!("../../../../goldens/claude-code-2.1.197.jsonl")),
];

/// A recorded answer, and the tree in memory that it answers for.
pub(crate) struct Case {
    pub(crate) golden: Golden,
    pub(crate) case: xtask::compare::Case,
}

/// Returns all recorded cases of a version.
pub(crate) fn cases(recorded: &str) -> Vec<Case> {
    let goldens = parse(recorded).unwrap();
    goldens
        .into_iter()
        .map(|golden| {
            let case = xtask::compare::Case::of(&golden.tree().unwrap()).unwrap();
            Case { golden, case }
        })
        .collect()
}

/// Holds one profile against all recorded trees of its version.
pub(crate) fn wrong_seeds(profile: &Profile, cases: &[Case]) -> Vec<String> {
    cases
        .iter()
        .filter_map(|case| {
            let how = differs(&case.case.ours(profile), &case.golden.answer, FX)?;
            Some(format!("seed {}: {how}", case.golden.seed))
        })
        .collect()
}

#[test]
fn every_recorded_tree_is_answered_as_the_client_did() {
    for (version, recorded) in GOLDENS {
        let cases = cases(recorded);
        let wrong = wrong_seeds(&table::profile(Some(version)), &cases);
        assert!(
            wrong.is_empty(),
            "{version}: {} of {}\n{}",
            wrong.len(),
            cases.len(),
            wrong.join("\n")
        );
    }
}

#[test]
fn trees_on_a_real_disk_are_answered_alike() {
    for (version, recorded) in GOLDENS {
        let profile = table::profile(Some(version));
        for golden in parse(recorded).unwrap().into_iter().step_by(8) {
            let generated = golden.tree().unwrap();
            let folder = tempfile::Builder::new().prefix("tree").tempdir().unwrap();
            let real = folder.path().canonicalize().unwrap();
            let root = Utf8Path::from_path(&real).unwrap();
            generated.lay_out(&real).unwrap();
            let found = ours_on_disk(&profile, &generated, root.as_str()).unwrap();
            let how = differs(&found, &golden.answer, root.as_str());
            assert_eq!(how, None, "{version}, seed {}", golden.seed);
        }
    }
}
