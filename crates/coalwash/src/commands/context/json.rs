//! `coalwash context --json`: the contract that scripts rely on.

use camino::Utf8Path;
use coalwash_core::load::memory::MemoryProblem;
use coalwash_core::load::{
    Cut, Double, Entry, Kind, Origin, Owner, RoleMemory, SkipReason, Skipped, Tier, Totals, Unread,
};
use coalwash_core::text::{Estimate, Estimator as _, Tokens};
use coalwash_store::disk::read_file;
use serde::Serialize;

use crate::look::{Check, ESTIMATOR, FileState, Look, Opened, Recorded, Version};

const SCHEMA: &str = "coalwash.context/1";

#[derive(Serialize)]
pub(super) struct Context<'a> {
    schema: &'static str,
    hosts: Vec<Host<'a>>,
}

#[derive(Serialize)]
struct Host<'a> {
    host: &'static str,
    profile: &'static str,
    /// The installed version and where it was read.
    version: Option<&'a str>,
    version_from: &'a str,
    window_tokens: u64,
    entries: Entries<'a>,
    skipped: Vec<SkippedJson<'a>>,
    not_measured: Vec<String>,
    observed: Option<Observed<'a>>,
    /// Why `observed` is null.
    not_observed: Option<&'static str>,
    repeats: &'a coalwash_core::load::repeats::Repeats,
    doubles: &'a [Double],
    role_memories: &'a [RoleMemory],
    /// What is wrong with the host's memory; null where there is none, or it is not looked at.
    memory: Option<MemoryJson<'a>>,
    totals: TotalsJson,
}

#[derive(Serialize)]
struct MemoryJson<'a> {
    folder: Option<&'a Utf8Path>,
    /// Sessions in the host's folder, and how many were asked whether another project has it too.
    sessions: usize,
    sessions_asked: usize,
    problems: &'a [MemoryProblem],
}

#[derive(Serialize)]
struct TotalsJson {
    #[serde(flatten)]
    sums: Totals,
    repeats_certain_tokens: Tokens,
    repeats_likely_tokens: Tokens,
    tokens_source: Estimate,
    tokens_band_percent: u8,
}

/// Entries that are made while they are written: there may be very many.
struct Entries<'a>(&'a [Entry]);

impl Serialize for Entries<'_> {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().enumerate().map(|(i, e)| entry(i + 1, e)))
    }
}

#[derive(Serialize)]
struct EntryJson<'a> {
    order: usize,
    path: &'a Utf8Path,
    kind: Kind,
    tier: Tier,
    owner: Owner,
    reason: &'a str,
    from: &'a Option<Origin>,
    disk_bytes: u64,
    /// Unicode scalars of the text as it is sent; null for a file that can't be read.
    sent_chars: Option<usize>,
    tokens: Tokens,
    tokens_source: Estimate,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    paths: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<&'a Cut>,
}

#[derive(Serialize)]
struct SkippedJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a Utf8Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    from: &'a Option<Origin>,
    reason: SkipReason,
    fix: &'a str,
}

#[derive(Serialize)]
struct Observed<'a> {
    timestamp: &'a str,
    version: Option<&'a str>,
    same: usize,
    unexpected: &'a [camino::Utf8PathBuf],
    missing: &'a [camino::Utf8PathBuf],
    changed: &'a [camino::Utf8PathBuf],
    reordered: bool,
}

/// Returns the answer for a folder.
pub(super) fn context<'a>(looks: impl Iterator<Item = &'a Look>) -> Context<'a> {
    Context { schema: SCHEMA, hosts: looks.map(host).collect() }
}

fn host(look: &Look) -> Host<'_> {
    let (observed, not_observed) = match &look.check {
        Check::Recorded(recorded) => {
            let Recorded { observation, comparison, .. } = &**recorded;
            let observed = Observed {
                timestamp: &observation.timestamp,
                version: observation.version.as_deref(),
                same: comparison.same,
                unexpected: &comparison.unexpected,
                missing: &comparison.missing,
                changed: &comparison.changed,
                reordered: comparison.reordered,
            };
            (Some(observed), None)
        }
        Check::Nothing(why) => (None, Some(*why)),
    };
    Host {
        host: look.map.host,
        profile: look.map.profile,
        version: look.version.known(),
        version_from: match &look.version {
            Version::Installed(found) => found.from.as_str(),
            Version::Recorded(_) => "the newest session",
            Version::Unknown => "nothing says; the newest known is assumed",
        },
        window_tokens: look.window_tokens,
        entries: Entries(&look.map.entries),
        skipped: look.map.skipped.iter().map(skipped).collect(),
        not_measured: not_measured(&look.map.not_measured, &look.unread),
        observed,
        not_observed,
        repeats: &look.repeats,
        doubles: &look.map.doubles,
        role_memories: &look.map.role_memories,
        memory: look.memory.as_ref().map(|memory| MemoryJson {
            folder: look.scene.memory.as_deref(),
            sessions: memory.sessions,
            sessions_asked: memory.asked,
            problems: &memory.problems,
        }),
        totals: TotalsJson {
            sums: look.map.totals(),
            repeats_certain_tokens: look.repeats.certain_tokens(),
            repeats_likely_tokens: look.repeats.likely_tokens(),
            tokens_source: ESTIMATOR.source(),
            tokens_band_percent: ESTIMATOR.band_percent(),
        },
    }
}

#[derive(Serialize)]
pub(super) struct OpeningJson<'a> {
    schema: &'static str,
    hosts: Vec<OpeningHost<'a>>,
}

#[derive(Serialize)]
struct OpeningHost<'a> {
    host: &'static str,
    profile: &'static str,
    file: &'a Utf8Path,
    file_state: FileState,
    entries: Entries<'a>,
    skipped: Vec<SkippedJson<'a>>,
    not_measured: Vec<String>,
    totals: OpeningTotals,
}

#[derive(Serialize)]
struct OpeningTotals {
    tokens: Tokens,
    tokens_source: Estimate,
    tokens_band_percent: u8,
}

/// Returns the answer for one file.
pub(super) fn opening<'a>(opened: &'a Opened, file: &'a Utf8Path) -> OpeningJson<'a> {
    let entries = &opened.opening.entries;
    let host = OpeningHost {
        host: opened.host.id,
        profile: opened.host.version,
        file,
        file_state: opened.state,
        entries: Entries(entries),
        skipped: opened.opening.skipped.iter().map(skipped).collect(),
        not_measured: not_measured(&[], &opened.unread),
        totals: OpeningTotals {
            tokens: entries.iter().map(|e| e.tokens).sum(),
            tokens_source: ESTIMATOR.source(),
            tokens_band_percent: ESTIMATOR.band_percent(),
        },
    };
    OpeningJson { schema: SCHEMA, hosts: vec![host] }
}

fn not_measured(always: &[String], unread: &[Unread]) -> Vec<String> {
    let unread = unread.iter().map(|u| format!("`{}`: {}", u.path, u.why));
    always.iter().cloned().chain(unread).collect()
}

fn entry(order: usize, entry: &Entry) -> EntryJson<'_> {
    EntryJson {
        order,
        path: &entry.path,
        kind: entry.kind,
        tier: entry.tier,
        owner: entry.owner,
        reason: &entry.reason,
        from: &entry.from,
        disk_bytes: entry.disk_bytes,
        sent_chars: match &entry.sent {
            Some(text) => Some(text.chars().count()),
            // Only looked at so far: what the agent opens, it reads whole.
            None => read_file(&entry.path, u64::MAX)
                .ok()
                .map(|bytes| String::from_utf8_lossy(&bytes).chars().count()),
        },
        tokens: entry.tokens,
        tokens_source: ESTIMATOR.source(),
        name: entry.name.as_deref(),
        paths: &entry.paths,
        cut: entry.cut.as_deref(),
    }
}

fn skipped(skipped: &Skipped) -> SkippedJson<'_> {
    SkippedJson {
        path: skipped.path.as_deref(),
        text: skipped.text.as_deref(),
        from: &skipped.from,
        reason: skipped.reason,
        fix: &skipped.fix,
    }
}
