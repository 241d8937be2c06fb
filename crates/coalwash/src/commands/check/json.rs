//! A check for scripts: `coalwash.check/1`.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::{NotInForce, Problem};
use coalwash_core::load::check::{
    Budget, Finding, HostReport, Outcome, RatioReport, Section, Severity, Standing, Way,
};
use coalwash_core::text::{Estimate, Tokens};
use serde::Serialize;

use super::Checked;

const SCHEMA: &str = "coalwash.check/1";

#[derive(Serialize)]
pub(super) struct Json<'a> {
    schema: &'static str,
    root: &'a Utf8Path,
    outcome: &'static str,
    exit: u8,
    base: Option<&'a str>,
    hosts: Vec<Host<'a>>,
    findings: Vec<JsonFinding<'a>>,
    ignored: usize,
    ratio: Option<&'a RatioReport>,
    /// What is wrong with the configuration; nothing was checked then.
    config_problems: &'a [Problem],
    /// Files of settings that have no say.
    config_not_in_force: &'a [NotInForce],
}

#[derive(Serialize)]
struct Host<'a> {
    host: &'static str,
    profile: &'static str,
    verdict: Standing,
    why: Option<&'a str>,
    tokens: Tokens,
    tokens_before: Option<Tokens>,
    budget_tokens: Option<u64>,
    budget_origin: Option<&'a Budget>,
    over_by: u64,
    calibration: Estimate,
    disk_bytes: u64,
    sent_bytes: u64,
    on_path: usize,
    files: Vec<File>,
    largest_sections: &'a [Section],
    ways: &'a [Way],
}

#[derive(Serialize)]
struct File {
    path: Utf8PathBuf,
    tokens: Tokens,
    tokens_before: Option<Tokens>,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'static str,
    severity: Severity,
    path: Utf8PathBuf,
    line: usize,
    column: usize,
    what: &'a str,
    fix: &'a str,
    hosts: &'a [&'static str],
    new: bool,
}

/// Returns the whole answer.
pub(super) fn value(checked: &Checked) -> Json<'_> {
    let Checked { root, report, base, outcome, .. } = checked;
    let (outcome, exit) = match outcome {
        Outcome::Passed => ("passed", 0),
        Outcome::Failed => ("failed", 1),
        Outcome::Unjudged => ("unjudged", 2),
    };
    Json {
        schema: SCHEMA,
        root,
        outcome,
        exit,
        base: base.as_deref(),
        hosts: report.hosts.iter().map(|it| host(root, it)).collect(),
        findings: report.findings.iter().map(|it| finding(root, it)).collect(),
        ignored: report.ignored,
        ratio: Some(&report.ratio),
        config_problems: &[],
        config_not_in_force: &checked.not_in_force,
    }
}

/// Returns the answer where the configuration is wrong.
pub(super) fn config_wrong<'a>(root: &'a Utf8Path, problems: &'a [Problem]) -> Json<'a> {
    Json {
        schema: SCHEMA,
        root,
        outcome: "config-wrong",
        exit: 2,
        base: None,
        hosts: Vec::new(),
        findings: Vec::new(),
        ignored: 0,
        ratio: None,
        config_problems: problems,
        config_not_in_force: &[],
    }
}

fn host<'a>(root: &Utf8Path, it: &'a HostReport) -> Host<'a> {
    Host {
        host: it.host,
        profile: it.profile,
        verdict: it.standing,
        why: it.unmeasured.as_deref(),
        tokens: it.tokens,
        tokens_before: it.before,
        budget_tokens: it.budget.as_ref().map(|budget| budget.tokens),
        budget_origin: it.budget.as_ref(),
        over_by: it.over_by(),
        calibration: it.calibration,
        disk_bytes: it.disk_bytes,
        sent_bytes: it.sent_bytes,
        on_path: it.on_path,
        files: it
            .shares
            .iter()
            .map(|share| File {
                path: root.join(&share.path),
                tokens: share.tokens,
                tokens_before: share.before,
            })
            .collect(),
        largest_sections: &it.sections,
        ways: &it.ways,
    }
}

fn finding<'a>(root: &Utf8Path, it: &'a Finding) -> JsonFinding<'a> {
    JsonFinding {
        rule: it.rule.code(),
        severity: it.severity(),
        path: root.join(&it.path),
        line: it.line,
        column: it.column,
        what: &it.what,
        fix: &it.fix,
        hosts: &it.hosts,
        new: it.is_new,
    }
}
