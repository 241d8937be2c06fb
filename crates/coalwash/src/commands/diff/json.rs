//! A comparison for scripts.

use coalwash_core::wash::gate::{Approval, Class};
use serde::Serialize;

use super::{Compared, Diffed, Place, Told};

const SCHEMA: &str = "coalwash.diff/1";

#[derive(Serialize)]
pub(super) struct Json<'a> {
    schema: &'static str,
    pass: bool,
    strict: bool,
    base: Option<&'a str>,
    files: Vec<File<'a>>,
    unread: Vec<Unread<'a>>,
    unused_approvals: Vec<&'a Approval>,
    keep_not_found: &'a [String],
}

#[derive(Serialize)]
struct File<'a> {
    old: &'a [String],
    new: &'a str,
    pass: bool,
    facts: usize,
    kept: usize,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    class: Class,
    blocking: bool,
    approved: bool,
    pinned: bool,
    text: &'a str,
    note: &'a str,
    old: Option<At<'a>>,
    new: Option<At<'a>>,
}

/// A place: line and column from 1, in characters; `start` and `end` in bytes from 0.
#[derive(Serialize)]
struct At<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct Unread<'a> {
    file: &'a str,
    why: &'a str,
}

/// Returns the value of `--json`.
pub(super) fn value(diffed: &Diffed) -> Json<'_> {
    Json {
        schema: SCHEMA,
        pass: diffed.passes(),
        strict: diffed.strict,
        base: diffed.base.as_deref(),
        files: diffed.files.iter().map(|file| of_file(file, diffed.strict)).collect(),
        unread: diffed.unread.iter().map(|(file, why)| Unread { file, why }).collect(),
        unused_approvals: diffed.unused.iter().map(|(approval, _)| approval).collect(),
        keep_not_found: &diffed.not_kept,
    }
}

fn of_file(file: &Compared, strict: bool) -> File<'_> {
    File {
        old: &file.old,
        new: &file.new,
        pass: file.failing(strict).next().is_none(),
        facts: file.facts(),
        kept: file.kept(),
        findings: file.findings.iter().map(|told| of_finding(told, file, strict)).collect(),
    }
}

fn of_finding<'a>(told: &'a Told, file: &'a Compared, strict: bool) -> Finding<'a> {
    let finding = &told.finding;
    let at =
        |place: Option<Place>, span: Option<&coalwash_core::wash::gate::Span>, name: &'a str| {
            let (place, span) = (place?, span?);
            Some(At {
                file: name,
                line: place.line,
                column: place.column,
                start: span.start,
                end: span.end,
            })
        };
    let old_name = told.old.and_then(|place| file.old.get(place.text)).map_or("", String::as_str);
    Finding {
        class: finding.class,
        blocking: finding.blocks() || strict,
        approved: told.approved,
        pinned: finding.pinned,
        text: &finding.text,
        note: &finding.note,
        old: at(told.old, finding.old.as_ref(), old_name),
        new: at(told.new, finding.new.as_ref(), &file.new),
    }
}
