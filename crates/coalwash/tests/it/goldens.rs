//! Random trees that were laid out for the real clients, and what those sent.
//!
//! Each line of `goldens/claude-code-VERSION.jsonl` is a seed and an answer; the tree is made again
//! from the seed.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::hosts::Profile;
use coalwash_core::load::hosts::claude_code::table;
use coalwash_core::load::{Entry, MemTree, Tree as _};
use coalwash_store::disk::DiskTree;
use coalwash_store::load::Ask;
use xtask::answer::{Answer, FX, Sent, portable};
use xtask::record::{Golden, parse};
use xtask::trees::{Node, Tree};

use crate::answers::{Ours, ask, order_differs, ours};

pub(crate) const GOLDENS: [(&str, &str); 2] = [
    ("2.1.332", include_str!("../../../../goldens/claude-code-2.1.332.jsonl")),
    ("2.1.197", include_str!("../../../../goldens/claude-code-2.1.197.jsonl")),
];

/// A tree in memory, and the question that the client was asked in it.
pub(crate) struct Case {
    pub(crate) golden: Golden,
    pub(crate) tree: MemTree,
    pub(crate) ask: Ask,
    pub(crate) touches: Vec<Utf8PathBuf>,
}

/// Returns all recorded cases of a version.
pub(crate) fn cases(recorded: &str) -> Vec<Case> {
    let goldens = parse(recorded).unwrap();
    goldens
        .into_iter()
        .map(|golden| {
            let generated = golden.tree().unwrap();
            let tree = in_memory(&generated);
            let ask = question(
                &generated,
                FX,
                &tree.real(generated.cwd_at(FX).as_str().into()).unwrap().path,
            );
            let touches = generated.touches_at(FX).into_iter().map(Utf8PathBuf::from).collect();
            Case { golden, tree, ask, touches }
        })
        .collect()
}

fn in_memory(generated: &Tree) -> MemTree {
    let mut tree = MemTree::default();
    for (path, node) in generated.materialised(FX) {
        match node {
            Node::File(bytes) => tree.file(&path, bytes),
            Node::Dir => tree.folder(&path),
            Node::Link(target) => tree.link(&path, &target),
        };
    }
    tree
}

fn question(generated: &Tree, root: &str, cwd: &Utf8Path) -> Ask {
    let mut out = ask(root.into(), cwd);
    for (key, value) in generated.env_at(root) {
        match key.as_str() {
            "CLAUDE_CONFIG_DIR" => out.config_dir = Some(value),
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY" => out.disable_auto_memory = Some(value),
            other => panic!("{other} is not asked for"),
        }
    }
    out
}

/// Says how our answer differs from the client's, or nothing.
pub(crate) fn differs(ours: &Ours, theirs: &Answer, root: &str) -> Option<String> {
    if let Some(how) = files_differ(&ours.start, &theirs.start, root) {
        return Some(format!("start: {how}"));
    }
    for (number, (ours, theirs)) in ours.touches.iter().zip(&theirs.touches).enumerate() {
        if let Some(how) = files_differ(ours, theirs, root) {
            return Some(format!("touch {}: {how}", number + 1));
        }
    }
    let lines = |agents: bool| {
        let is_agent = |e: &&Entry| (e.kind == coalwash_core::load::Kind::Agent) == agents;
        let own = ours.lists.iter().filter(is_agent);
        own.filter_map(|e| e.sent.as_deref()).map(|line| portable(root, line)).collect::<Vec<_>>()
    };
    if lines(false) != theirs.skills {
        return Some(format!("skills: client {:?}\n  ours {:?}", theirs.skills, lines(false)));
    }
    if lines(true) != theirs.agents {
        return Some(format!("agents: client {:?}\n  ours {:?}", theirs.agents, lines(true)));
    }
    None
}

fn files_differ(ours: &[Entry], theirs: &[Sent], root: &str) -> Option<String> {
    let mut normalised = ours.to_vec();
    for entry in &mut normalised {
        entry.path = Utf8PathBuf::from(portable(root, entry.path.as_str()));
    }
    let paths: Vec<Utf8PathBuf> = theirs.iter().map(|s| s.path.as_str().into()).collect();
    if let Some(how) = order_differs(&normalised, &paths) {
        return Some(how);
    }
    for sent in theirs {
        let entry = normalised.iter().find(|e| e.path == sent.path)?;
        let text = entry.sent.as_deref().unwrap_or_default();
        let again = Sent::new(root, &sent.path, &sent.class, text);
        if again.hash != sent.hash || again.chars != sent.chars {
            return Some(format!(
                "{}: {} chars, client {}: {text:?}",
                sent.path, again.chars, sent.chars
            ));
        }
    }
    None
}

/// Holds one profile against all recorded trees of its version.
pub(crate) fn wrong_seeds(profile: &Profile, cases: &[Case]) -> Vec<String> {
    cases
        .iter()
        .filter_map(|case| {
            let found = ours(&case.tree, profile, &case.ask, &case.touches);
            let how = differs(&found, &case.golden.answer, FX)?;
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
            let tree = DiskTree::default();
            let cwd = tree.real(generated.cwd_at(root.as_str()).as_str().into()).unwrap().path;
            let ask = question(&generated, root.as_str(), &cwd);
            let touches: Vec<_> =
                generated.touches_at(root.as_str()).into_iter().map(Utf8PathBuf::from).collect();
            let found = ours(&tree, &profile, &ask, &touches);
            let how = differs(&found, &golden.answer, root.as_str());
            assert_eq!(how, None, "{version}, seed {}", golden.seed);
        }
    }
}
