//! `coalwash diff`: what a rewrite lost, changed, weakened or moved.

mod batch;
mod github;
mod json;
mod markdown;
mod sarif;
mod sides;
mod text;

use std::{collections::BTreeSet, ops::Range};

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::wash::gate::{Approval, Approvals, Finding, Gate, Report, Span, facts, kept};

use crate::cli::{DiffArgs, Format, Global};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::ui::{Line, Ui};
use sides::{Pair, Sides};

/// What was compared.
pub(super) struct Diffed {
    pub(super) files: Vec<Compared>,
    /// What could not be compared, and why.
    pub(super) unread: Vec<(String, String)>,
    /// Approvals that nothing needed, with how often each was left.
    pub(super) unused: Vec<(Approval, u32)>,
    /// Entries of `keep` that name a heading that isn't there.
    pub(super) not_kept: Vec<String>,
    /// The commit that it was held against.
    pub(super) base: Option<String>,
    /// Whether a commit's trailer can accept what fails.
    pub(super) by_trailer: bool,
    pub(super) strict: bool,
}

/// One file, or several that became one.
pub(super) struct Compared {
    /// The names of the old texts.
    pub(super) old: Vec<String>,
    pub(super) new: String,
    /// The facts of each old text: the bytes of each, in order.
    facts: Vec<Vec<Range<usize>>>,
    pub(super) findings: Vec<Told>,
}

/// A finding, with its lines.
pub(super) struct Told {
    pub(super) finding: Finding,
    pub(super) old: Option<Place>,
    pub(super) new: Option<Place>,
    /// Someone has said that it is meant.
    pub(super) approved: bool,
}

/// A place in a text, from 1; columns count characters.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Which of several old texts.
    pub(super) text: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Told {
    /// Returns whether it makes the answer a no.
    pub(super) fn fails(&self, strict: bool) -> bool {
        !self.approved && (strict || self.finding.blocks())
    }
}

impl Compared {
    /// Returns the findings that make the answer a no.
    pub(super) fn failing(&self, strict: bool) -> impl Iterator<Item = &Told> {
        self.findings.iter().filter(move |told| told.fails(strict))
    }

    /// Returns how many facts the old texts hold.
    pub(super) fn facts(&self) -> usize {
        self.facts.iter().map(Vec::len).sum()
    }

    /// Returns how many of the old facts have no finding that blocks.
    pub(super) fn kept(&self) -> usize {
        self.facts() - self.touched(|told| told.finding.blocks()).0
    }

    /// Returns how many facts are lost, changed or moved, and how much is wrong that was no fact.
    pub(super) fn lost(&self, strict: bool) -> usize {
        let (facts, others) = self.touched(|told| told.fails(strict));
        facts + others
    }

    /// Returns how many old facts some findings touch, and how many of these touch none.
    fn touched(&self, wanted: impl Fn(&Told) -> bool) -> (usize, usize) {
        let mut facts: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut others = 0;
        for told in self.findings.iter().filter(|told| wanted(told)) {
            let Some((span, all)) =
                told.finding.old.as_ref().and_then(|span| Some((span, self.facts.get(span.text)?)))
            else {
                others += 1;
                continue;
            };
            let first = all.partition_point(|fact| fact.end <= span.start);
            let last = all.partition_point(|fact| fact.start < span.end.max(span.start + 1));
            facts.extend((first..last).map(|fact| (span.text, fact)));
        }
        (facts.len(), others)
    }
}

impl Diffed {
    /// Returns whether nothing fails and nothing was left unread.
    pub(super) fn passes(&self) -> bool {
        self.unread.is_empty() && self.failing() == 0
    }

    /// Returns how much is lost, changed or moved.
    pub(super) fn failing(&self) -> usize {
        self.files.iter().map(|file| file.lost(self.strict)).sum()
    }
}

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &DiffArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    if let Some(cases) = &args.batch {
        return batch::run(cases, ui);
    }
    let folder = env.folder(global.project.as_deref())?;
    let mut approvals = match &args.approve {
        Some(path) => approvals(&folder.join(path))?,
        None => Approvals::default(),
    };
    let sides = sides::read(&folder, args)?;
    let mut diffed = compare(sides, &mut approvals, args.strict);
    diffed.by_trailer = args.base.is_some();
    let format = if global.json { Format::Json } else { args.format };
    match format {
        Format::Text => ui.screen(&text::lines(&diffed, args, ui))?,
        Format::Json => ui.json(&json::value(&diffed))?,
        Format::Sarif => ui.json(&sarif::value(&diffed))?,
        Format::Github => ui.data(github::text(&diffed).as_bytes())?,
        Format::Markdown => ui.data(markdown::text(&diffed).as_bytes())?,
    }
    Ok(match (diffed.failing() > 0, diffed.unread.is_empty()) {
        (true, _) => Exit::No,
        (false, false) => Exit::Usage,
        (false, true) => Exit::Ok,
    })
}

fn approvals(path: &Utf8Path) -> Result<Approvals, Failure> {
    let next = "write one with the findings of `coalwash diff --json`";
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("could not read `{path}`: {error}"), next))?;
    Approvals::read(&text)
        .map_err(|error| Failure::usage(format!("`{path}` is no file of approvals: {error}"), next))
}

fn compare(sides: Sides, approvals: &mut Approvals, strict: bool) -> Diffed {
    let mut gate = Gate::default();
    let mut not_kept = Vec::new();
    let files = sides
        .pairs
        .iter()
        .map(|pair| {
            let old: Vec<&str> = pair.old.iter().map(|(_, text)| text.as_str()).collect();
            let mut report = gate.compare(&old, &pair.new.1);
            pin(&mut report, pair, &sides.keep, &mut not_kept);
            let facts = old.iter().map(|text| facts(text)).collect();
            let findings = told(report, pair, &sides.accepted, approvals);
            let names = pair.old.iter().map(|(name, _)| name.to_string()).collect();
            Compared { old: names, new: pair.new.0.to_string(), facts, findings }
        })
        .collect();
    let unused = approvals.unused().map(|(approval, left)| (approval.clone(), left)).collect();
    Diffed {
        files,
        unread: sides.unread,
        unused,
        not_kept,
        base: sides.base,
        by_trailer: false,
        strict,
    }
}

/// Marks what touches a pinned file or a section that the project keeps.
fn pin(report: &mut Report, pair: &Pair, keep: &[String], not_kept: &mut Vec<String>) {
    for (at, (name, text)) in pair.old.iter().enumerate() {
        let (passages, missing) = kept(name.as_str(), text, keep);
        not_kept.extend(missing);
        report.pin(at, &passages);
    }
}

fn told(
    report: Report,
    pair: &Pair,
    accepted: &[Accepted],
    approvals: &mut Approvals,
) -> Vec<Told> {
    let old: Vec<Lines<'_>> = pair.old.iter().map(|(_, text)| Lines::of(text)).collect();
    let new = Lines::of(&pair.new.1);
    let name = pair.old.first().map_or(&pair.new.0, |(name, _)| name);
    report
        .findings
        .into_iter()
        .map(|finding| {
            let of = |span: &Span| Some(old.get(span.text)?.place(span));
            let old_place = finding.old.as_ref().and_then(of);
            let new_place = finding.new.as_ref().map(|span| new.place(span));
            let line = old_place.or(new_place).map(|place| place.line);
            let approved = accepted.iter().any(|it| it.covers(name, line))
                || approvals.take(name.as_str(), &finding);
            Told { finding, old: old_place, new: new_place, approved }
        })
        .collect()
}

/// Returns findings about some texts as lines of a screen.
pub(crate) fn lines_of(
    findings: &[Finding],
    olds: &[(&Utf8Path, String)],
    new: &str,
    width: usize,
) -> Vec<Line> {
    let old: Vec<Lines<'_>> = olds.iter().map(|(_, text)| Lines::of(text)).collect();
    let new = Lines::of(new);
    let told = |finding: &Finding| Told {
        old: finding.old.as_ref().and_then(|span| Some(old.get(span.text)?.place(span))),
        new: finding.new.as_ref().map(|span| new.place(span)),
        finding: finding.clone(),
        approved: false,
    };
    findings.iter().flat_map(|finding| text::finding(&told(finding), true, width)).collect()
}

/// What a commit's trailer accepts: a file, whole or by lines.
pub(super) struct Accepted {
    path: Utf8PathBuf,
    lines: Option<Vec<usize>>,
}

impl Accepted {
    /// Reads `PATH` or `PATH:LINE,LINE`.
    pub(super) fn read(value: &str) -> Self {
        let numbers = |lines: &str| -> Option<Vec<usize>> {
            lines.split(',').map(|line| line.trim().parse().ok()).collect()
        };
        match value.rsplit_once(':').and_then(|(path, lines)| Some((path, numbers(lines)?))) {
            Some((path, lines)) => Self { path: path.trim().into(), lines: Some(lines) },
            None => Self { path: value.trim().into(), lines: None },
        }
    }

    fn covers(&self, path: &Utf8Path, line: Option<usize>) -> bool {
        let fits = |lines: &Vec<usize>| line.is_some_and(|line| lines.contains(&line));
        self.path == *path && self.lines.as_ref().is_none_or(fits)
    }
}

/// The starts of a text's lines.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    fn place(&self, span: &Span) -> Place {
        let line = self.starts.partition_point(|start| *start <= span.start).max(1);
        let start = self.starts[line - 1];
        let column = self.text.get(start..span.start).map_or(0, |text| text.chars().count()) + 1;
        Place { text: span.text, line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_accepts_a_file_or_lines_of_it() {
        let all = Accepted::read("CLAUDE.md");
        assert!(all.covers("CLAUDE.md".into(), Some(3)) && !all.covers("a.md".into(), Some(3)));
        let some = Accepted::read("docs/a.md: 88, 31");
        assert!(some.covers("docs/a.md".into(), Some(31)));
        assert!(
            !some.covers("docs/a.md".into(), Some(30)) && !some.covers("docs/a.md".into(), None)
        );
    }
}
