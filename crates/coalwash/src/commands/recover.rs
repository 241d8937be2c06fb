//! `coalwash recover`: takes back a run that was interrupted.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::text::escaped;
use coalwash_core::wash::line_changes;
use coalwash_store::disk::RealDisk;
use coalwash_store::wash::node::{Around, FromNode, Scope, git_has, recover_from_node};

use crate::cli::{Global, RecoverArgs};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::receipt::Receipt;
use crate::ui::{Line, Mark, Ui, escaped_head, plural};
use crate::writer::Writer;

/// Lines of one file that are shown.
const MOST_LINES: usize = 6;

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &RecoverArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let writer = Writer::of(env, &folder)?;
    if args.from_node {
        return from_node(env, &writer, args, ui);
    }
    let (engine, held) = writer.lock(&writer.roots)?;
    let torn = engine.interrupted(&held.locked).map_err(|error| writer.not_applied(&error))?;
    let Some(begin) = torn else {
        ui.screen(&[Line::plain("Nothing to recover: no run was interrupted.")])?;
        return Ok(Exit::Ok);
    };
    if !args.undo {
        return Err(writer.torn(&begin).into());
    }
    let names = writer.names();
    let all = engine.recover(&held.locked).map_err(|error| writer.not_applied(&error))?;
    let mut out = Vec::new();
    for one in &all {
        let files = plural(one.begin.steps.len(), "file", "files");
        let (run, origin) = (one.begin.run, &one.begin.origin);
        out.push(Line::marked(
            Mark::Strong,
            match one.was_done {
                true => format!("Run {run} ({origin}) was done already: {files}"),
                false => format!("Took back run {run} ({origin}): {files}"),
            },
        ));
        for path in &one.handed_over {
            let text =
                format!("  left as it is: {} was changed by something else since", names.of(path));
            out.push(Line::marked(Mark::Warn, text));
        }
    }
    ui.screen(&out)?;
    Ok(Exit::Ok)
}

/// Shows, or takes back, what a run of the Node engine left.
///
/// Its journal lies inside the project, so a repository can ship one: what it asks for is shown first.
fn from_node(
    env: &Env,
    writer: &Writer<'_>,
    args: &RecoverArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let real = |path: &Utf8Path| path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let home = env.home.as_deref().map(real).unwrap_or_default();
    let settings: Vec<Utf8PathBuf> =
        env.user_folders().claude.iter().map(|folder| real(folder)).collect();
    let scope = Scope { project: &writer.root, tracked: &git_has };
    let around = Around { home: &home, settings: &settings };
    let names = writer.names();
    let back = match recover_from_node(&RealDisk, scope, around, env.now_ms) {
        FromNode::Nothing => {
            return said(ui, "Nothing to recover: no run of CoalWash 1.x is unfinished.");
        }
        FromNode::NotBegun => {
            return said(ui, "Nothing to recover: the run stopped before it changed a file.");
        }
        FromNode::AsBefore => {
            return said(ui, "Nothing to recover: every file is as it was before that run.");
        }
        FromNode::Refused(why) => {
            let all: Vec<String> =
                why.iter().map(|it| format!("{}: {}", names.of(&it.path), it.why)).collect();
            let next = "look at the files by hand; nothing of the journal is done by itself";
            return Err(Failure::refused(all.join("; "), next).into());
        }
        FromNode::Back(back) => back,
    };
    let engine = writer.reader();
    let staged = back.staged(&engine, &writer.root).map_err(|error| writer.staged_not(&error))?;
    let mut out = Vec::new();
    let word = if args.undo { "Took back" } else { "Would take back" };
    let head = format!("{word} a run of CoalWash 1.x, as its journal in the project says:");
    out.push(Line::marked(Mark::Strong, head));
    for (path, before, after) in staged.files() {
        let what = match (before, after) {
            (None, _) => "comes back",
            (_, None) => "goes (it was made by that run)",
            _ => "gets its old text",
        };
        out.push(Line::plain(format!("  {}  {what}", names.of(path))));
        let text =
            |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
        for change in line_changes(&text(before), &text(after)).into_iter().take(MOST_LINES) {
            let sign = if change.is_new { '+' } else { '-' };
            let text = escaped_head(change.text, ui.width.saturating_sub(14));
            out.push(Line::plain(format!("    {sign} {:<5} {text}", change.line)));
        }
    }
    for it in &back.refused {
        let line = format!("  left alone: {}: {}", names.of(&it.path), escaped(&it.why));
        out.push(Line::marked(Mark::Warn, line));
    }
    if !args.undo {
        out.push(Line::hint("Nothing was written. Do it: coalwash recover --from-node --undo"));
        ui.screen(&out)?;
        return Ok(Exit::Ok);
    }
    let cleared = back.cleared(&engine, &writer.root).map_err(|error| writer.staged_not(&error))?;
    let receipt = Receipt::of(cleared.files());
    writer.carry_out(cleared, None, receipt, ui)?;
    out.push(Line::hint("Take it back: coalwash undo"));
    ui.screen(&out)?;
    Ok(Exit::Ok)
}

fn said(ui: &mut Ui, what: &str) -> anyhow::Result<Exit> {
    ui.screen(&[Line::plain(what)])?;
    Ok(Exit::Ok)
}
