//! What the gate says of each action of a plan, and what of it someone has approved.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

use super::gate::{self, Approval, Approvals, Finding, Report};

/// One action, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The file that stays, is made or goes.
    pub path: Utf8PathBuf,
    /// Everything that the gate found.
    pub report: Report,
    /// What of it nobody has approved: all that blocks, and every rewording.
    pub unapproved: Vec<Finding>,
    /// Approvals that fit nothing.
    pub unused: Vec<Approval>,
    /// Files with passages to keep that would go, or get another name. Nobody can approve it.
    pub kept_goes: Vec<Utf8PathBuf>,
    /// Different facts in the old texts.
    pub facts_before: usize,
    /// Different facts in the new one.
    pub facts_after: usize,
}

/// The passages of a text that no rewrite may change.
pub type Passages = Vec<Range<usize>>;

/// Judges one action: `olds` are the texts that it replaces, each with its kept passages, and `new`
/// is what takes their place.
///
/// A file that is only made is always faithful, and one that is moved as it is. What is deleted has
/// nothing in its place, so each of its facts needs an approval.
pub fn review(
    path: &Utf8Path,
    olds: &[(&str, Passages)],
    new: Option<&str>,
    approvals: &[Approval],
) -> Review {
    let texts: Vec<&str> = olds.iter().map(|(text, _)| *text).collect();
    let mut report = match texts.is_empty() {
        true => Report::default(),
        false => gate::compare(&texts, new.unwrap_or_default()),
    };
    for (number, (_, passages)) in olds.iter().enumerate() {
        report.pin(number, passages);
    }
    let mut given = Approvals::of(approvals.to_vec());
    let needs = |finding: &&Finding| finding.blocks() || finding.class == gate::Class::Reworded;
    let unapproved: Vec<Finding> = report
        .findings
        .iter()
        .filter(needs)
        // What is kept, is kept: nobody can approve its loss in passing.
        .filter(|finding| finding.pinned || !given.take(path.as_str(), finding))
        .cloned()
        .collect();
    let unused =
        given.unused().map(|(approval, left)| Approval { count: left, ..approval.clone() });
    Review {
        path: path.to_owned(),
        unused: unused.collect(),
        kept_goes: Vec::new(),
        facts_before: gate::distinct_facts(&texts),
        facts_after: new.map_or(0, |new| gate::distinct_facts(&[new])),
        report,
        unapproved,
    }
}
