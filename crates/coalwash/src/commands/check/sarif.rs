//! A check as SARIF 2.1.0, for code scanning.

use camino::Utf8Path;
use coalwash_core::config::Problem;
use coalwash_core::load::check::{Finding, HostReport, Rule, Severity};
use serde_json::{Value, json};

use super::Checked;
use crate::ui::number;

/// Where the format is defined.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Returns the log of one run.
pub(super) fn value(checked: &Checked) -> Value {
    let mut results: Vec<Value> = checked.report.findings.iter().map(result).collect();
    results.extend(checked.report.over().map(over));
    log(&rules(), &results)
}

/// Returns the log of a run that the configuration stopped.
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
    let mut out = log(&rules(), &[]);
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
                "defaultConfiguration": {"level": level(rule.severity())},
            })
        })
        .collect()
}

/// Returns the log of one run with these rules and results.
pub(in crate::commands) fn log(rules: &[Value], results: &[Value]) -> Value {
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
            "results": results,
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

fn result(finding: &Finding) -> Value {
    json!({
        "ruleId": finding.rule.code(),
        "ruleIndex": index(finding.rule),
        "level": level(finding.severity()),
        "message": {"text": format!("{}; {}", finding.what, finding.fix)},
        "locations": [place(&finding.path, finding.line, finding.column)],
        "partialFingerprints": {"coalwash/1": finding.fingerprint()},
        "baselineState": if finding.is_new { "new" } else { "unchanged" },
    })
}

fn over(host: &HostReport) -> Value {
    let text = format!(
        "{} loads {} tokens into every session, {} over the budget",
        host.name,
        number(host.tokens.0),
        number(host.over_by())
    );
    let path = host.shares.first().map_or(Utf8Path::new("coalwash.jsonc"), |share| &share.path);
    json!({
        "ruleId": Rule::BudgetOver.code(),
        "ruleIndex": index(Rule::BudgetOver),
        "level": "error",
        "message": {"text": text},
        "locations": [place(path, 1, 1)],
        "partialFingerprints": {"coalwash/1": format!("budget-over:{}", host.host)},
    })
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
