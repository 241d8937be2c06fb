//! `coalwash gate --batch`: many pairs of texts, one answer a line.

use std::io::{BufRead as _, BufReader, Write as _};

use camino::Utf8Path;
use coalwash_core::wash::gate::{Class, Gate};
use serde::{Deserialize, Serialize};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// One case: two texts, and a name for them.
#[derive(Deserialize)]
struct Case<'a> {
    id: String,
    #[serde(borrow)]
    orig: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    next: std::borrow::Cow<'a, str>,
}

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    pass: bool,
    findings: Vec<Told<'a>>,
}

#[derive(Serialize)]
struct Told<'a> {
    class: Class,
    text: &'a str,
}

/// Answers every case of `cases`, in order.
pub(crate) fn batch(cases: &Utf8Path, ui: &mut Ui) -> anyhow::Result<Exit> {
    let wrong = |what: String| Failure::usage(what, "coalwash gate --help");
    let file = std::fs::File::open(cases)
        .map_err(|error| wrong(format!("could not read the cases: {cases}: {error}")))?;
    let mut gate = Gate::default();
    let mut out = Vec::new();
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| wrong(format!("{cases}:{}: {error}", at + 1)))?;
        if line.trim().is_empty() {
            continue;
        }
        let case: Case<'_> = serde_json::from_str(&line)
            .map_err(|error| wrong(format!("{cases}:{}: not a case: {error}", at + 1)))?;
        let report = gate.compare(&[&case.orig], &case.next);
        let findings =
            report.findings.iter().map(|found| Told { class: found.class, text: &found.text });
        let answer = Answer { id: &case.id, pass: report.passes(), findings: findings.collect() };
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        if out.len() > 1 << 16 {
            ui.data(&out)?;
            out.clear();
        }
    }
    ui.data(&out)?;
    Ok(Exit::Ok)
}
