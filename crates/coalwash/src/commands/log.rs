//! `coalwash log`: every change, and what became of it.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::text::{Estimator as _, escaped};
use coalwash_core::wash::gate::{Finding, compare};
use coalwash_core::wash::line_changes;
use coalwash_store::wash::{End, RunFile, RunRecord, UndoError, whole_undo};
use serde::Serialize;

use super::apply::normal;
use super::diff::lines_of;
use crate::cli::{Global, LogArgs};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::look::ESTIMATOR;
use crate::receipt::Receipt;
use crate::ui::{Line, Mark, Names, Ui, escaped_head, number, pad, plural};
use crate::when::When;
use crate::writer::Writer;

/// Columns of what a run was.
const ORIGIN: usize = 34;
/// Files that are asked whether they have what a file that went has said.
const MOST_HEIRS: usize = 20;
/// Lines of one file that are shown.
const MOST_LINES: usize = 5;

/// Runs the command.
pub(crate) fn run(env: &Env, global: &Global, args: &LogArgs, ui: &mut Ui) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let writer = Writer::of(env, &folder)?;
    let when = When::new(env.now_ms, env.zone.clone());
    if let Some(Ok(id)) = args.what.as_deref().map(str::parse::<u64>) {
        let detail = Detail::of(id, &writer)?;
        match global.json {
            true => ui.json(&detail.json())?,
            false => ui.screen(&detail.screen(&writer, &when, args.all, ui))?,
        }
        return Ok(Exit::Ok);
    }
    let history = writer.reader().history(Some(&writer.roots));
    let (mut runs, damaged) =
        history.map_err(|error| Failure::io(format!("could not list the runs: {error}")))?;
    if let Some(file) = &args.what {
        let path = writer.named(&normal(&folder.join(file)), Utf8Path::new(file));
        runs.retain(|run| run.begin.steps.iter().any(|step| step.path == path));
    }
    if global.json {
        let runs = runs.iter().map(JsonRun::of).collect();
        let damaged = damaged.iter().map(ToString::to_string).collect();
        ui.json(&Json { schema: "coalwash.log/1", runs, damaged })?;
        return Ok(Exit::Ok);
    }
    let mut out = Vec::new();
    if runs.is_empty() && damaged.is_empty() {
        let about = args.what.as_ref().map_or_else(|| "here".to_owned(), |it| format!("in {it}"));
        out.push(Line::plain(format!("Nothing was changed by coalwash {about}.")));
    }
    let room = ui.room(args.all).saturating_sub(4);
    for run in runs.iter().take(room) {
        out.push(Line::plain(row(run, &runs, &when)));
    }
    if runs.len() > room {
        out.push(Line::plain(format!("  ... {} more (--all)", number((runs.len() - room) as u64))));
    }
    for error in &damaged {
        out.push(Line::marked(Mark::Warn, format!("Not read: {error}")));
    }
    let can_go_back = |run: &&RunRecord| matches!(run.end, Some(End::Committed(_))) && run.is_kept;
    if let Some(last) = runs.iter().find(can_go_back) {
        let id = last.begin.run;
        let hint = format!("What changed: coalwash log {id}     Take it back: coalwash undo {id}");
        out.push(Line::hint(hint));
    }
    ui.screen(&out)?;
    Ok(Exit::Ok)
}

/// Returns the line of a run.
fn row(run: &RunRecord, all: &[RunRecord], when: &When) -> String {
    let begin = &run.begin;
    let undone_by = all.iter().find(|later| {
        later.begin.undoes == Some(begin.run) && matches!(later.end, Some(End::Committed(_)))
    });
    let mut what = begin.origin.clone();
    if let Some(later) = undone_by {
        let part = if later.begin.origin == whole_undo(begin.run) { "" } else { "partly " };
        what.push_str(&format!(" ({part}taken back by {})", later.begin.run));
    }
    let files = plural(begin.steps.len(), "file", "files");
    let end = match &run.end {
        None => "interrupted: coalwash recover".to_owned(),
        Some(End::TakenBack { handed_over, .. }) if handed_over.is_empty() => {
            "failed, nothing changed".to_owned()
        }
        Some(End::TakenBack { handed_over, .. }) => {
            format!("failed; {} left", plural(handed_over.len(), "file", "files"))
        }
        Some(End::Committed(receipt)) if run.is_kept => tokens(receipt),
        Some(End::Committed(_)) => "originals no longer kept".to_owned(),
    };
    let at = when.stamp(begin.at_ms);
    let what = escaped_head(&what, ORIGIN);
    format!("{:>4}  {}  {}  {files:<8}  {end}", begin.run, pad(&at, 13), pad(&what, ORIGIN))
        .trim_end()
        .to_owned()
}

/// Says what a run did to the size of its files.
fn tokens(receipt: &serde_json::Value) -> String {
    let Some(receipt) = Receipt::read(receipt) else { return String::new() };
    let (before, after) = (receipt.tokens_before, receipt.tokens_after);
    match before.cmp(&after) {
        std::cmp::Ordering::Greater => format!("-{} tokens", number(before - after)),
        std::cmp::Ordering::Less => format!("+{} tokens", number(after - before)),
        std::cmp::Ordering::Equal => "same size".to_owned(),
    }
}

/// What a run did to one file.
struct Judged {
    file: RunFile,
    findings: Vec<Finding>,
    /// The file of the same run that has all that this one said before it went.
    taken_over: Option<Utf8PathBuf>,
}

impl Judged {
    fn of(file: RunFile, all: &[RunFile]) -> Self {
        let judged = |after: &RunFile| match &file.before {
            Some(_) => compare(&[&text(&file.before)], &text(&after.after)).findings,
            None => Vec::new(),
        };
        let others = all.iter().filter(|other| file.after.is_none() && other.after.is_some());
        let took = |other: &&RunFile| judged(other).iter().all(|finding| !finding.blocks());
        let taken_over = others.take(MOST_HEIRS).find(took);
        let findings = judged(taken_over.unwrap_or(&file));
        let taken_over = taken_over.map(|heir| heir.path.clone());
        Self { file, findings, taken_over }
    }
}

fn text(bytes: &Option<Vec<u8>>) -> String {
    String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
}

/// One run with what it did to each file.
struct Detail {
    record: RunRecord,
    files: Vec<Judged>,
    /// Why the texts can't be shown.
    not_kept: Option<String>,
}

impl Detail {
    fn of(id: u64, writer: &Writer<'_>) -> Result<Self, Failure> {
        let engine = writer.reader();
        match engine.run(id) {
            Ok((record, files)) => {
                let judged = files.iter().map(|file| Judged::of(file.clone(), &files));
                Ok(Self { record, files: judged.collect(), not_kept: None })
            }
            Err(error @ (UndoError::NotKept { .. } | UndoError::Damaged { .. })) => {
                let record =
                    engine.record_of(id).map_err(|error| Failure::io(error.to_string()))?;
                Ok(Self { record, files: Vec::new(), not_kept: Some(error.to_string()) })
            }
            Err(error) => {
                let next = Some("coalwash log".to_owned());
                Err(Failure::new(Exit::No, error.to_string(), next))
            }
        }
    }

    fn screen(&self, writer: &Writer<'_>, when: &When, all: bool, ui: &Ui) -> Vec<Line> {
        let begin = &self.record.begin;
        let names = writer.names();
        let head = format!("Run {}: {}, {}", begin.run, begin.origin, when.stamp(begin.at_ms));
        let mut out = vec![Line::marked(Mark::Strong, escaped(&head).into_owned())];
        for judged in &self.files {
            out.extend(file_lines(judged, &names, all, ui));
        }
        for found in &self.record.found {
            let path = begin.steps.get(found.step).map(|step| names.of(&step.path));
            let path = path.unwrap_or_default();
            let text = format!("  another program wrote into {path} meanwhile; its text is kept");
            out.push(Line::marked(Mark::Warn, text));
        }
        if let Some(why) = &self.not_kept {
            out.push(Line::marked(Mark::Warn, why.clone()));
        }
        match &self.record.end {
            Some(End::Committed(_)) if self.not_kept.is_none() => {
                out.push(Line::hint(format!("Take it back: coalwash undo {}", begin.run)));
            }
            Some(End::TakenBack { why, .. }) => {
                out.push(Line::plain(format!("It was taken back at once: {}", escaped(why))));
            }
            _ => {}
        }
        let room = ui.room(all);
        if out.len() > room {
            let hidden = out.len() - room + 1;
            out.truncate(room - 1);
            out.push(Line::plain(format!("  ... {} more lines (--all)", number(hidden as u64))));
        }
        out
    }

    fn json(&self) -> JsonDetail {
        let files = self.files.iter().map(|Judged { file, findings, taken_over }| JsonFile {
            path: file.path.clone(),
            taken_over_by: taken_over.clone(),
            lost: findings.iter().filter(|it| it.blocks()).map(|it| it.text.clone()).collect(),
            other: findings.iter().filter(|it| !it.blocks()).map(|it| it.text.clone()).collect(),
        });
        JsonDetail {
            schema: "coalwash.run/1",
            run: JsonRun::of(&self.record),
            files: files.collect(),
            not_kept: self.not_kept.clone(),
        }
    }
}

/// Returns what a run did to one file.
fn file_lines(judged: &Judged, names: &Names<'_>, all: bool, ui: &Ui) -> Vec<Line> {
    let Judged { file, findings, taken_over } = judged;
    let name = names.of(&file.path);
    let (before, after) = (text(&file.before), text(&file.after));
    let (was, is) = (ESTIMATOR.tokens(&before), ESTIMATOR.tokens(&after));
    let lost = findings.iter().filter(|finding| finding.blocks()).count();
    let size = match (&file.before, &file.after) {
        (None, _) => format!("new, {} tokens", number(is.0)),
        (_, None) => format!("gone, {} tokens", number(was.0)),
        _ if was == is => "same size".to_owned(),
        _ if was > is => format!("-{} tokens", number(was.0 - is.0)),
        _ => format!("+{} tokens", number(is.0 - was.0)),
    };
    let said = match (lost, taken_over) {
        (0, Some(heir)) => format!("all of it is in {}", names.of(heir)),
        (0, None) => "no fact lost".to_owned(),
        (lost, _) => format!("{} lost, changed or moved", plural(lost, "fact", "facts")),
    };
    let said = if file.before.is_none() { String::new() } else { format!(", {said}") };
    let mut out = vec![Line::plain(format!("  {name}  {size}{said}"))];
    let most = if all { usize::MAX } else { MOST_LINES };
    if lost > 0 {
        let blocking: Vec<Finding> =
            findings.iter().filter(|it| it.blocks()).take(most).cloned().collect();
        let path = Utf8Path::new(&name);
        let lines = lines_of(&blocking, &[(path, before)], &after, ui.width.saturating_sub(2));
        out.extend(lines.into_iter().map(|line| line.indented(2)));
        return out;
    }
    if taken_over.is_some() {
        return out;
    }
    let changes = line_changes(&before, &after);
    let shown = changes.iter().filter(|change| !change.text.trim().is_empty());
    for change in shown.clone().take(most) {
        let sign = if change.is_new { '+' } else { '-' };
        let text = escaped_head(change.text.trim(), ui.width.saturating_sub(14));
        out.push(Line::plain(format!("    {sign} {:<5} {text}", change.line)));
    }
    let hidden = shown.count().saturating_sub(most);
    if hidden > 0 {
        let lines = plural(hidden, "line", "lines");
        out.push(Line::plain(format!("      ... {lines} more (--all)")));
    }
    out
}

#[derive(Serialize)]
struct Json {
    schema: &'static str,
    runs: Vec<JsonRun>,
    damaged: Vec<String>,
}

#[derive(Serialize)]
struct JsonRun {
    run: u64,
    origin: String,
    at_ms: i64,
    files: Vec<Utf8PathBuf>,
    undoes: Option<u64>,
    state: &'static str,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
}

impl JsonRun {
    fn of(run: &RunRecord) -> Self {
        let receipt = match &run.end {
            Some(End::Committed(receipt)) => Receipt::read(receipt),
            _ => None,
        };
        Self {
            run: run.begin.run,
            origin: run.begin.origin.clone(),
            at_ms: run.begin.at_ms,
            files: run.begin.steps.iter().map(|step| step.path.clone()).collect(),
            undoes: run.begin.undoes,
            state: match &run.end {
                None => "interrupted",
                Some(End::Committed(_)) => "done",
                Some(End::TakenBack { .. }) => "taken-back",
            },
            tokens_before: receipt.as_ref().map(|it| it.tokens_before),
            tokens_after: receipt.as_ref().map(|it| it.tokens_after),
        }
    }
}

#[derive(Serialize)]
struct JsonDetail {
    schema: &'static str,
    run: JsonRun,
    files: Vec<JsonFile>,
    not_kept: Option<String>,
}

#[derive(Serialize)]
struct JsonFile {
    path: Utf8PathBuf,
    /// The file of the run that has all that this one said.
    #[serde(skip_serializing_if = "Option::is_none")]
    taken_over_by: Option<Utf8PathBuf>,
    lost: Vec<String>,
    other: Vec<String>,
}
