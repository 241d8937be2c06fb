//! A comparison as SARIF 2.1.0, for code scanning.

use coalwash_core::wash::gate::Class;
use serde_json::{Value, json};

use super::{Compared, Diffed, Told};
use crate::commands::check::sarif::{log, place};

/// Returns the log of one run.
pub(super) fn value(diffed: &Diffed) -> Value {
    let rules: Vec<Value> = Class::ALL
        .iter()
        .map(|class| {
            let level = if class.blocks() { "error" } else { "note" };
            json!({
                "id": class.id(),
                "shortDescription": {"text": format!("A rewrite: {}", class.id().replace('-', " "))},
                "defaultConfiguration": {"level": level},
            })
        })
        .collect();
    let results: Vec<Value> = diffed
        .files
        .iter()
        .flat_map(|file| file.findings.iter().map(move |told| result(told, file, diffed.strict)))
        .collect();
    let mut out = log(&rules, &results);
    if !diffed.unread.is_empty() {
        let notes: Vec<Value> = diffed
            .unread
            .iter()
            .map(|(name, why)| {
                json!({
                    "level": "error",
                    "message": {"text": format!("not compared: {why}")},
                    "locations": [place(name.as_str().into(), 1, 1)],
                })
            })
            .collect();
        out["runs"][0]["invocations"] = json!([{
            "executionSuccessful": false,
            "toolExecutionNotifications": notes,
        }]);
    }
    out
}

fn result(told: &Told, file: &Compared, strict: bool) -> Value {
    let finding = &told.finding;
    let at = told.new.or(told.old);
    let (line, column) = at.map_or((1, 1), |place| (place.line, place.column));
    let index = Class::ALL.iter().position(|class| *class == finding.class).unwrap_or(0);
    let mut out = json!({
        "ruleId": finding.class.id(),
        "ruleIndex": index,
        "level": if finding.blocks() || strict { "error" } else { "note" },
        "message": {"text": format!("{}: {}", finding.class.word(), finding.text)},
        "locations": [place(file.new.as_str().into(), line, column)],
        "partialFingerprints": {"coalwash/1": format!("{}:{}", finding.class.id(), finding.text)},
    });
    if told.approved {
        out["suppressions"] = json!([{"kind": "external", "status": "accepted"}]);
    }
    out
}
