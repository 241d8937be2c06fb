//! Many pairs of texts, one answer a line: what a benchmark asks.

use std::borrow::Cow;
use std::io::{BufRead as _, BufReader, Write as _};

use camino::Utf8Path;
use coalwash_core::wash::gate::{Class, Finding, Gate};
use serde::{Deserialize, Serialize};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Bytes of cases that are read at once, and of answers that are gathered before they are written.
const BUFFER_BYTES: usize = 64 * 1024;

/// One case: two texts, and a name for them.
#[derive(Deserialize)]
struct Case<'a> {
    id: String,
    #[serde(borrow)]
    orig: Cow<'a, str>,
    #[serde(borrow)]
    next: Cow<'a, str>,
}

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    pass: bool,
    findings: Vec<Said<'a>>,
}

#[derive(Serialize)]
struct Said<'a> {
    class: Class,
    text: &'a str,
    blocking: bool,
}

/// Answers every case of `cases`, in order.
pub(super) fn run(cases: &Utf8Path, ui: &mut Ui) -> anyhow::Result<Exit> {
    let wrong =
        |what: String| Failure::usage(what, "one JSON object a line, with `id`, `orig` and `next`");
    let file = std::fs::File::open(cases)
        .map_err(|error| wrong(format!("could not read the cases: `{cases}`: {error}")))?;
    let mut gate = Gate::default();
    let mut out = Vec::new();
    let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut line = String::new();
    for at in 1.. {
        line.clear();
        let len =
            file.read_line(&mut line).map_err(|error| wrong(format!("{cases}:{at}: {error}")))?;
        if len == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        let case: Case<'_> = serde_json::from_str(&line)
            .map_err(|error| wrong(format!("{cases}:{at}: not a case: {error}")))?;
        let report = gate.compare(&[&case.orig], &case.next);
        let said = |found: &'_ Finding| (found.class, found.blocks());
        let findings = report.findings.iter().map(|found| {
            let (class, blocking) = said(found);
            Said { class, text: &found.text, blocking }
        });
        let answer = Answer { id: &case.id, pass: report.passes(), findings: findings.collect() };
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        if out.len() > BUFFER_BYTES {
            ui.data(&out)?;
            out.clear();
        }
    }
    ui.data(&out)?;
    Ok(Exit::Ok)
}
