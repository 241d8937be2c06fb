//! A comparison as SARIF 2.1.0, for code scanning.

use coalwash_core::wash::gate::Class;
use serde_json::{Value, json};

use super::{Compared, Diffed, Told};
use crate::commands::check::sarif::{Fingerprints, log, place};

/// Returns the log of one run.
pub(super) fn value(diffed: &Diffed) -> Value {
    let rules: Vec<Value> = Class::ALL
        .iter()
        .map(|class| {
            let level = if class.blocks() { "error" } else { "note" };
            let short = format!("A rewrite: {}", class.id().replace('-', " "));
            let (about, help) = if class.blocks() {
                (
                    "The new text lost, changed, weakened or moved what the old one said.",
                    "Put it back, or accept it: `coalwash diff --help`.",
                )
            } else {
                (
                    "The new text says the same in another way; whether it means the same is for a \
                     reader to say.",
                    "Read it. `coalwash diff --strict` lets it fail.",
                )
            };
            // GitHub asks for all three texts.
            json!({
                "id": class.id(),
                "shortDescription": {"text": short},
                "fullDescription": {"text": about},
                "help": {"text": help},
                "defaultConfiguration": {"level": level},
            })
        })
        .collect();
    let mut fingerprints = Fingerprints::default();
    let mut results: Vec<Value> = Vec::new();
    for file in &diffed.files {
        for told in &file.findings {
            results.push(result(told, file, diffed.strict, &mut fingerprints));
        }
    }
    let mut out = log(&rules);
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
        "executionSuccessful": notes.is_empty(),
        "toolExecutionNotifications": notes,
    }]);
    out["runs"][0]["results"] = results.into();
    out
}

fn result(told: &Told, file: &Compared, strict: bool, fingerprints: &mut Fingerprints) -> Value {
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
        "partialFingerprints": fingerprints.of(&format!("{}:{}:{}", finding.class.id(), file.new, finding.text)),
    });
    if told.approved {
        out["suppressions"] = json!([{"kind": "external", "status": "accepted"}]);
    }
    out
}
