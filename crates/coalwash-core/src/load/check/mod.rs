//! What a repository puts into every session, held against what it declares.
//!
//! The answer depends on the files of the repository and on nothing else: no home, no clock, no
//! record of a session. So it is the same on every machine.

mod findings;
mod limits;
mod rules;
mod sections;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde::Serialize;

pub use findings::Finding;
pub use limits::{Budget, FileLimit, Ignore, Limits, Ratio, names};
pub use rules::{Rule, Severity};
pub use sections::{Section, Way};

use super::map::{Entry, LoadMap, Tier};
use super::tree::{Tree, below};
use crate::text::{Estimate, Estimator, FamilyFactor, Tokens};

/// One host's load map of the repository.
#[derive(Debug)]
pub struct HostMap {
    /// The host's name as people write it.
    pub name: &'static str,
    /// What it loads.
    pub map: LoadMap,
    /// Whether a file that anyone may make switches `AGENTS.md` off.
    pub fragile: bool,
}

/// What is checked.
pub struct Input<'a> {
    /// The root of the repository.
    pub root: &'a Utf8Path,
    /// Its files, with nothing outside to be seen.
    pub tree: &'a dyn Tree,
    /// The names of all files, relative to the root.
    pub files: &'a [String],
    /// The load maps.
    pub hosts: &'a [HostMap],
    /// What is declared.
    pub limits: &'a Limits,
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("root", &self.root).finish_non_exhaustive()
    }
}

/// How a host stands with its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// At or below the budget.
    Within,
    /// Above it.
    Over,
    /// No budget is declared.
    Undeclared,
    /// No budget is declared, and something could not be read.
    Unmeasured,
    /// A budget is declared, and something could not be read, so it can't be judged.
    Unjudged,
}

/// One file and what it puts into every session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The file, from the root.
    pub path: Utf8PathBuf,
    /// The place that imports it, from the root.
    pub from: Option<(Utf8PathBuf, usize)>,
    /// Its tokens; of a listed skill those of its line.
    pub tokens: Tokens,
    /// The same at the base, where there is one.
    pub before: Option<Tokens>,
}

/// What was found out about one host.
#[derive(Clone, Debug, Serialize)]
pub struct HostReport {
    /// The host's id.
    pub host: &'static str,
    /// Its name.
    #[serde(skip)]
    pub name: &'static str,
    /// The version of the table that was used.
    pub profile: &'static str,
    /// How it stands.
    pub standing: Standing,
    /// Why it could not be measured.
    pub unmeasured: Option<String>,
    /// Tokens in every session.
    pub tokens: Tokens,
    /// The same at the base, where there is one.
    pub before: Option<Tokens>,
    /// The budget, if one is declared.
    pub budget: Option<Budget>,
    /// How well the tokens are known.
    pub calibration: Estimate,
    /// Bytes of the files on disk.
    pub disk_bytes: u64,
    /// Bytes of the text that is sent.
    pub sent_bytes: u64,
    /// Rules and skills that wait for a file.
    pub on_path: usize,
    /// Every file, largest first.
    pub shares: Vec<Share>,
    /// The largest sections, largest first; only of a host that is over.
    pub sections: Vec<Section>,
    /// How to get under the budget, best first; only of a host that is over.
    pub ways: Vec<Way>,
}

impl HostReport {
    /// Returns whether this branch made it worse; without a base, whatever is over counts.
    pub fn is_worse(&self) -> bool {
        self.before.is_none_or(|before| self.tokens > before)
    }

    /// Returns the tokens above the budget.
    pub fn over_by(&self) -> u64 {
        self.budget.as_ref().map_or(0, |budget| self.tokens.0.saturating_sub(budget.tokens))
    }
}

/// The whole answer.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The hosts that the repository has files for, or a budget.
    pub hosts: Vec<HostReport>,
    /// What is wrong, by place.
    pub findings: Vec<Finding>,
    /// How many findings the configuration leaves out.
    pub ignored: usize,
    /// How tokens were counted.
    pub ratio: RatioReport,
}

/// How tokens were counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatioReport {
    /// Bytes of one token, where they are declared.
    pub bytes_per_token: Option<f64>,
    /// The built-in factor and its version, where nothing is declared.
    pub built_in: Option<&'static str>,
}

/// The version of the factor that counts tokens where no ratio is declared. It changes with the
/// factor, so that a budget that is broken by a new release can be told from one that a change broke.
pub const FACTOR: &str = "ascii/2.99+utf16/1.5 (1)";

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing that fails.
    Passed,
    /// Findings that fail, or a budget that is over.
    Failed,
    /// A budget that can't be judged.
    Unjudged,
}

impl Report {
    /// Checks a repository; `base` is what it was before the branch.
    pub fn of(input: &Input<'_>, base: Option<&Input<'_>>) -> Self {
        let factor = FamilyFactor::CLAUDE;
        let estimator: &dyn Estimator = match &input.limits.ratio {
            Some(ratio) => ratio,
            None => &factor,
        };
        let mut all = findings::of(input, estimator);
        if let Some(base) = base {
            findings::mark_old(&mut all, findings::of(base, estimator));
        }
        let before = all.len();
        all.retain(|finding| {
            !input.limits.ignore.iter().any(|it| it.covers(finding.rule, finding.path.as_str()))
        });
        let ignored = before - all.len();
        let mut hosts = Vec::new();
        for host in input.hosts {
            let before =
                base.and_then(|base| base.hosts.iter().find(|old| old.map.host == host.map.host));
            let report = host_report(input, host, base.map(|base| (base, before)), estimator);
            let declared = input.limits.hosts.iter().any(|(id, _)| *id == host.map.host);
            let has_files = !report.shares.is_empty() || report.unmeasured.is_some();
            if has_files || declared || report.before.is_some_and(|before| before.0 > 0) {
                hosts.push(report);
            }
        }
        let ratio = RatioReport {
            bytes_per_token: input.limits.ratio.as_ref().map(|ratio| ratio.bytes_per_token),
            built_in: input.limits.ratio.is_none().then_some(FACTOR),
        };
        Self { hosts, findings: all, ignored, ratio }
    }

    /// Returns the findings that make the check fail.
    pub fn failing<'a>(&'a self, limits: &'a Limits) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().filter(|it| it.is_new && limits.fails(it.severity()))
    }

    /// Returns the hosts whose budget makes the check fail.
    pub fn over(&self) -> impl Iterator<Item = &HostReport> {
        self.hosts.iter().filter(|host| host.standing == Standing::Over && host.is_worse())
    }

    /// Says how the check ended.
    pub fn outcome(&self, limits: &Limits) -> Outcome {
        if self.hosts.iter().any(|host| host.standing == Standing::Unjudged) {
            Outcome::Unjudged
        } else if self.over().next().is_some() || self.failing(limits).next().is_some() {
            Outcome::Failed
        } else {
            Outcome::Passed
        }
    }
}

fn always(map: &LoadMap) -> impl Iterator<Item = &Entry> {
    map.entries.iter().filter(|entry| entry.tier == Tier::Always)
}

/// Returns a path from the root.
fn relative(root: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    below(path, root).map_or_else(|| path.to_owned(), Utf8PathBuf::from)
}

fn host_report(
    input: &Input<'_>,
    host: &HostMap,
    base: Option<(&Input<'_>, Option<&HostMap>)>,
    estimator: &dyn Estimator,
) -> HostReport {
    let sent = |entry: &Entry| entry.sent.as_deref().map_or(0, |text| text.len() as u64);
    let sum = |map: &LoadMap| -> (Tokens, u64) {
        let bytes = always(map).map(sent).sum();
        // A ratio is of all bytes, rounded once; a factor of characters is of each text.
        let tokens = match &input.limits.ratio {
            Some(ratio) => ratio.tokens_of_bytes(bytes),
            None => shares_tokens(map, estimator),
        };
        (tokens, bytes)
    };
    let (tokens, sent_bytes) = sum(&host.map);
    let old: FxHashMap<String, Tokens> = match base {
        Some((base, Some(old))) => by_path(base.root, &old.map, estimator),
        _ => FxHashMap::default(),
    };
    let own = by_path(input.root, &host.map, estimator);
    // The first entry of each file says what pulled it in.
    let mut pulled: FxHashMap<String, &Entry> = FxHashMap::default();
    for entry in always(&host.map) {
        pulled.entry(relative(input.root, &entry.path).into_string()).or_insert(entry);
    }
    let mut shares: Vec<Share> = own
        .iter()
        .map(|(path, tokens)| Share {
            from: pulled
                .get(path)
                .and_then(|entry| entry.from.as_ref())
                .map(|from| (relative(input.root, &from.path), from.line)),
            path: path.into(),
            tokens: *tokens,
            before: base.map(|_| old.get(path).copied().unwrap_or_default()),
        })
        .collect();
    shares.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.path.cmp(&b.path)));
    let unmeasured = host.map.skipped.iter().find_map(|skipped| {
        let rule = Rule::of_skipped(skipped.reason)?;
        let unread = matches!(rule, Rule::Unreadable | Rule::LinkOutside);
        let path = skipped.path.as_ref().filter(|_| unread)?;
        Some(format!("{}: {}", relative(input.root, path), skipped.reason.words()))
    });
    let budget = input.limits.budget(host.map.host).cloned();
    let standing = match (&budget, &unmeasured) {
        (None, None) => Standing::Undeclared,
        (None, Some(_)) => Standing::Unmeasured,
        (Some(_), Some(_)) => Standing::Unjudged,
        (Some(budget), None) if tokens.0 > budget.tokens => Standing::Over,
        (Some(_), None) => Standing::Within,
    };
    let (mut all_sections, mut ways) = (Vec::new(), Vec::new());
    if standing == Standing::Over {
        all_sections = sections::largest(input, &host.map, estimator);
        ways = sections::ways(input, &host.map, &all_sections, tokens, estimator);
    }
    HostReport {
        host: host.map.host,
        name: host.name,
        profile: host.map.profile,
        standing,
        unmeasured,
        tokens,
        before: base.map(|(_, old)| old.map_or(Tokens(0), |old| sum(&old.map).0)),
        budget,
        calibration: match &input.limits.ratio {
            Some(ratio) => ratio.calibration(host.map.host),
            None => Estimate::Estimated,
        },
        disk_bytes: always(&host.map).filter(|e| e.name.is_none()).map(|e| e.disk_bytes).sum(),
        sent_bytes,
        on_path: host.map.entries.iter().filter(|entry| entry.tier == Tier::OnPath).count(),
        shares,
        sections: all_sections,
        ways,
    }
}

fn shares_tokens(map: &LoadMap, estimator: &dyn Estimator) -> Tokens {
    always(map).filter_map(|entry| entry.sent.as_deref()).map(|text| estimator.tokens(text)).sum()
}

fn by_path(root: &Utf8Path, map: &LoadMap, estimator: &dyn Estimator) -> FxHashMap<String, Tokens> {
    let mut out: FxHashMap<String, Tokens> = FxHashMap::default();
    for entry in always(map) {
        let tokens = entry.sent.as_deref().map_or(Tokens(0), |text| estimator.tokens(text));
        *out.entry(relative(root, &entry.path).into_string()).or_default() += tokens;
    }
    out
}

#[cfg(test)]
mod tests;
