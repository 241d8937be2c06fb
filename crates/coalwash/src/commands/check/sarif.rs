//! A check as SARIF 2.1.0, for code scanning.

use camino::Utf8Path;
use coalwash_core::config::Problem;
use coalwash_core::load::check::{Finding, HostReport, Rule, Severity};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{Checked, over_budget, unjudged};

/// Where the format is defined.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Returns the log of one run.
///
/// A budget that can't be judged makes the run unsuccessful: no result doesn't say that all is well.
pub(super) fn value(checked: &Checked) -> Value {
    let mut fingerprints = Fingerprints::default();
    let has_base = checked.base.is_some();
    let findings = checked.report.findings.iter();
    let mut results: Vec<Value> =
        findings.map(|it| result(it, has_base, &mut fingerprints)).collect();
    results.extend(checked.report.over().map(|host| over(host, has_base, &mut fingerprints)));
    let notes: Vec<Value> = checked
        .report
        .hosts
        .iter()
        .filter_map(unjudged)
        .map(|said| json!({"level": "error", "message": {"text": said}}))
        .collect();
    let config = checked.not_in_force.iter().map(|it| {
        let path = it.path.strip_prefix(&checked.root).unwrap_or(&it.path);
        let text = format!("{path} {}", it.why);
        json!({"level": "note", "message": {"text": text}, "locations": [place(path, 1, 1)]})
    });
    let mut out = log(&rules());
    out["runs"][0]["invocations"] = json!([{
        "executionSuccessful": notes.is_empty(),
        "toolExecutionNotifications": notes,
        "toolConfigurationNotifications": config.collect::<Vec<Value>>(),
    }]);
    out["runs"][0]["results"] = results.into();
    out
}

/// Returns the log of a run that the configuration stopped. It has no list of results, since an
/// empty one would say that nothing is wrong any more.
pub(super) fn config_wrong(root: &Utf8Path, problems: &[Problem]) -> Value {
    let notes: Vec<Value> = problems
        .iter()
        .map(|problem| {
            let origin = &problem.origin;
            let path = origin.path.strip_prefix(root).unwrap_or(&origin.path);
            json!({
                "level": "error",
                "message": {"text": format!("{}; {}", problem.what, problem.fix)},
                "locations": [place(path, origin.line.max(1), origin.column.max(1))],
            })
        })
        .collect();
    let mut out = log(&rules());
    out["runs"][0]["invocations"] = json!([{
        "executionSuccessful": false,
        "toolConfigurationNotifications": notes,
    }]);
    out
}

fn rules() -> Vec<Value> {
    Rule::ALL
        .iter()
        .map(|rule| {
            json!({
                "id": rule.code(),
                "shortDescription": {"text": rule.words()},
                "fullDescription": {"text": rule.why()},
                // GitHub asks for it.
                "help": {"text": rule.why()},
                "defaultConfiguration": {"level": level(rule.severity())},
            })
        })
        .collect()
}

/// Returns the log of one run with these rules, without results.
pub(in crate::commands) fn log(rules: &[Value]) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "coalwash",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn index(rule: Rule) -> usize {
    Rule::ALL.iter().position(|it| *it == rule).unwrap_or(0)
}

fn result(finding: &Finding, has_base: bool, fingerprints: &mut Fingerprints) -> Value {
    let mut out = json!({
        "ruleId": finding.rule.code(),
        "ruleIndex": index(finding.rule),
        "level": level(finding.severity()),
        "message": {"text": format!("{}; {}", finding.what, finding.fix)},
        "locations": [place(&finding.path, finding.line, finding.column)],
        "partialFingerprints": fingerprints.of(&finding.fingerprint()),
    });
    if has_base {
        out["baselineState"] = if finding.is_new { "new" } else { "unchanged" }.into();
    }
    out
}

fn over(host: &HostReport, has_base: bool, fingerprints: &mut Fingerprints) -> Value {
    let path = host.shares.first().map_or(Utf8Path::new("coalwash.jsonc"), |share| &share.path);
    let mut out = json!({
        "ruleId": Rule::BudgetOver.code(),
        "ruleIndex": index(Rule::BudgetOver),
        "level": "error",
        "message": {"text": over_budget(host)},
        "locations": [place(path, 1, 1)],
        "partialFingerprints": fingerprints.of(&format!("budget-over:{}", host.host)),
    });
    if has_base {
        out["baselineState"] = "new".into();
    }
    out
}

/// Tells results that would have one fingerprint apart, by their order.
#[derive(Default)]
pub(in crate::commands) struct Fingerprints(FxHashMap<String, usize>);

impl Fingerprints {
    /// Returns the fingerprint, also under the only name that GitHub reads.
    pub(in crate::commands) fn of(&mut self, fingerprint: &str) -> Value {
        let count = self.0.entry(fingerprint.to_owned()).or_default();
        *count += 1;
        let fingerprint = format!("{fingerprint}:{count}");
        json!({"coalwash/v1": fingerprint, "primaryLocationLineHash": fingerprint})
    }
}

/// Returns a place in a file of the repository.
pub(in crate::commands) fn place(path: &Utf8Path, line: usize, column: usize) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(path), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": line, "startColumn": column},
    }})
}

/// Returns a relative path as a URI.
fn uri(path: &Utf8Path) -> String {
    let mut out = String::new();
    for byte in path.as_str().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
