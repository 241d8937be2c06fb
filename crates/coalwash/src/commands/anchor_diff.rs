//! `coalwash anchor-diff PATH`: what the oldest snapshot of a file had that is gone, in the words of
//! the Node engine.

use coalwash_core::text::escaped;
use coalwash_store::disk::RealDisk;
use coalwash_store::wash::node::{Lineage, NodeStore};
use serde::Serialize;

use super::restore::{project, said};
use crate::cli::{AnchorDiffArgs, Global};
use crate::env::Env;
use crate::exit::Exit;
use crate::ui::Ui;

const SCHEMA: &str = "coalwash.anchor-diff/1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    schema: &'static str,
    file: &'a str,
    snapshot_path: &'a str,
    snapshot_at: i64,
    approved_count: usize,
    candidates: Vec<Missing<'a>>,
    counts: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct Missing<'a> {
    r#type: &'static str,
    value: &'a str,
}

/// Runs the command. It is advice: what can't be compared is said, and is no error.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &AnchorDiffArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let Some(path) = &args.path else {
        ui.note("usage: coalwash anchor-diff <path> [--json]");
        return Ok(Exit::No);
    };
    let folder = env.folder(global.project.as_deref())?;
    let project = project(env, global)?;
    let mut unread = Vec::new();
    let file = folder.join(path).canonicalize_utf8().ok();
    let lineage = match NodeStore::open(&RealDisk, &project) {
        Ok(store) => file.as_ref().and_then(|file| store.lineage(&project, file, &mut unread)),
        Err(why) => {
            unread.push(why);
            None
        }
    };
    let found = file.as_ref().zip(lineage.as_ref());
    match (global.json, found) {
        (true, None) => ui.data(b"null\n")?,
        (true, Some((file, lineage))) => ui.data(&json(file.as_str(), lineage)?)?,
        (false, _) => {
            let name = file.as_ref().and_then(|file| file.file_name()).unwrap_or_default();
            ui.data(format!("{}\n", line(path.as_str(), name, lineage.as_ref())).as_bytes())?;
        }
    }
    for why in &unread {
        ui.note(&format!("not read: {}", escaped(&said(why))));
    }
    Ok(Exit::Ok)
}

/// Returns the line that scripts rely on.
fn line(path: &str, name: &str, lineage: Option<&Lineage>) -> String {
    let (path, name) = (escaped(path), escaped(name));
    let Some(lineage) = lineage else {
        return format!(
            "[CoalWash] {path}: no verified CoalWash snapshot on disk for this file yet — nothing to \
             compare."
        );
    };
    let missing = lineage.diff.candidates.len();
    if missing == 0 {
        return format!(
            "[CoalWash] {path}: clean lineage since its oldest snapshot — 0 candidates."
        );
    }
    let snapshot = escaped(lineage.snapshot.file_name().unwrap_or_default());
    let approved = lineage.approved;
    format!(
        "[CoalWash] {name}: {missing} structured-token candidate(s) missing since an older \
         generation (snapshot {snapshot}) — not in the current file or in {approved} recorded \
         drop(s) since; check the snapshot before re-deriving, never assume lost."
    )
}

fn json(file: &str, lineage: &Lineage) -> anyhow::Result<Vec<u8>> {
    let candidates = lineage.diff.candidates.iter();
    let counts = lineage.diff.counts.iter().map(|(class, anchor, missing)| {
        let counts = serde_json::json!({"anchor": anchor, "candidates": missing});
        (class.name().to_owned(), counts)
    });
    let report = Report {
        schema: SCHEMA,
        file,
        snapshot_path: lineage.snapshot.as_str(),
        snapshot_at: lineage.at_ms,
        approved_count: lineage.approved,
        candidates: candidates
            .map(|it| Missing { r#type: it.class.name(), value: &it.value })
            .collect(),
        counts: counts.collect(),
    };
    let mut out = Vec::new();
    let indent = serde_json::ser::PrettyFormatter::with_indent(b" ");
    report.serialize(&mut serde_json::Serializer::with_formatter(&mut out, indent))?;
    out.push(b'\n');
    Ok(out)
}
