//! `coalwash undo`: takes back a run, as a run of its own.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_store::wash::{End, RunError, StageError, UndoAsk, UndoError};
use serde::Serialize;

use super::apply::{late, normal};
use crate::cli::{Global, UndoArgs};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::receipt::Receipt;
use crate::ui::{Line, Mark, Ui};
use crate::when::When;
use crate::writer::Writer;

#[derive(Serialize)]
struct Json {
    schema: &'static str,
    undone: u64,
    run: Option<u64>,
    files: Vec<Utf8PathBuf>,
}

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &UndoArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let writer = Writer::of(env, &folder)?;
    if !args.dry_run {
        writer.refuse_torn(ui)?;
    }
    let engine = writer.reader();
    let id = match args.id {
        Some(id) => id,
        None => last(&writer)?,
    };
    let path = |path: &Utf8Path| writer.named(&normal(&folder.join(path)), path);
    let line = args.line.as_deref().map(|text| line(text, &writer, id, &path)).transpose()?;
    let except = args.except.iter().map(|it| path(it)).collect();
    let ask = UndoAsk { except, merge: args.merge, line };
    let (record, _) = engine.run(id).map_err(|error| failure(&error, &writer, args))?;
    let cleared =
        engine.undoing(id, &ask, &writer.roots).map_err(|error| failure(&error, &writer, args))?;
    let files: Vec<Utf8PathBuf> = cleared.paths().map(Utf8Path::to_owned).collect();
    let names = writer.names();
    let shown: Vec<String> = files.iter().map(|path| names.of(path)).collect();
    let when = When::new(env.now_ms, env.zone.clone()).words(record.begin.at_ms);
    let what = format!("run {id} ({}, {when})", record.begin.origin);
    let part = match &ask.line {
        Some((_, line)) => format!("the change at line {line} of "),
        None if !ask.except.is_empty() => "a part of ".to_owned(),
        None => String::new(),
    };
    let mut out = Vec::new();
    let json = |run| Json { schema: "coalwash.undo/1", undone: id, run, files: files.clone() };
    if args.dry_run {
        if global.json {
            ui.json(&json(None))?;
            return Ok(Exit::Ok);
        }
        out.push(Line::marked(Mark::Strong, format!("Would take back {part}{what}:")));
        out.push(Line::plain(format!("  {}", shown.join("   "))));
        let switches = switches(args);
        out.push(Line::hint(format!("Nothing was written. Do it: coalwash undo {id}{switches}")));
        ui.screen(&out)?;
        return Ok(Exit::Ok);
    }
    let receipt = Receipt::of(cleared.files());
    let done = writer.carry_out(cleared, Some(id), receipt, ui)?;
    if global.json {
        ui.json(&json(Some(done.run)))?;
        return Ok(Exit::Ok);
    }
    let whole = ask.line.is_none() && !ask.merge;
    let how = match whole {
        true => "These are as they were, to the byte:",
        false => "What else was changed since is still there:",
    };
    out.push(Line::marked(Mark::Strong, format!("Took back {part}{what}.")));
    out.push(Line::plain(how));
    out.push(Line::plain(format!("  {}", shown.join("   "))));
    out.extend(late(&done.late, &names));
    out.push(Line::hint("Changed your mind? coalwash undo"));
    ui.screen(&out)?;
    Ok(Exit::Ok)
}

/// Returns the last run here that is done.
fn last(writer: &Writer<'_>) -> Result<u64, Failure> {
    let history = writer.reader().history(Some(&writer.roots));
    let (runs, damaged) =
        history.map_err(|error| Failure::io(format!("could not list the runs: {error}")))?;
    let done = runs.iter().find(|run| matches!(run.end, Some(End::Committed(_))));
    match (done, damaged.first()) {
        (Some(run), _) => Ok(run.begin.run),
        (None, Some(error)) => Err(Failure::io(error.to_string())),
        (None, None) => {
            let next = Some("coalwash log".to_owned());
            Err(Failure::new(Exit::No, "nothing here was changed by coalwash", next))
        }
    }
}

/// Reads `N` or `FILE:N`; without a file the run has to have only one.
fn line(
    text: &str,
    writer: &Writer<'_>,
    id: u64,
    path: &dyn Fn(&Utf8Path) -> Utf8PathBuf,
) -> Result<(Utf8PathBuf, usize), Failure> {
    let wrong = || {
        let what = format!("`--line {text}` names no line");
        Failure::usage(what, "coalwash undo ID --line 41, or `--line FILE:41`")
    };
    let (file, number) = match text.rsplit_once(':') {
        Some((file, number)) => (Some(path(Utf8Path::new(file))), number),
        None => (None, text),
    };
    let number: usize = number.parse().map_err(|_| wrong())?;
    if let Some(file) = file {
        return Ok((file, number));
    }
    let (_, files) = writer
        .reader()
        .run(id)
        .map_err(|error| Failure::refused(error.to_string(), "coalwash log"))?;
    match &files[..] {
        [one] => Ok((one.path.clone(), number)),
        _ => {
            let what = format!("run {id} changed several files");
            Err(Failure::usage(what, "name the file, too: `--line FILE:N`"))
        }
    }
}

/// Returns what else was on the command line, but for the dry run.
fn switches(args: &UndoArgs) -> String {
    let mut out: String = args.except.iter().map(|path| format!(" --except {path}")).collect();
    out.extend(args.line.iter().map(|line| format!(" --line {line}")));
    if args.merge {
        out.push_str(" --merge");
    }
    out
}

fn failure(error: &UndoError, writer: &Writer<'_>, args: &UndoArgs) -> Failure {
    let names = writer.names();
    match error {
        UndoError::Changed { run, paths } => {
            let all: Vec<String> = paths.iter().map(|path| names.of(path)).collect();
            let what = format!("{} was changed again after run {run}", all.join(", "));
            let except: Vec<String> = all.iter().map(|path| format!(" --except {path}")).collect();
            let next = format!(
                "only the others: coalwash undo {run}{}\n       keep both changes: coalwash undo {run} --merge",
                except.concat()
            );
            Failure::refused(what, next)
        }
        UndoError::Conflict { run, paths } => {
            let all: Vec<String> = paths.iter().map(|path| names.of(path)).collect();
            let what = format!("{} was changed at the same place after run {run}", all.join(", "));
            Failure::refused(what, format!("look at what the run changed: coalwash log {run}"))
        }
        UndoError::NothingDone { run } if args.except.is_empty() => {
            let what = format!("there is nothing to take back of run {run}");
            Failure::new(Exit::No, what, Some("coalwash log".to_owned()))
        }
        UndoError::Stage(error @ StageError::Outside { path }) => {
            let next = "go to the project of the run, or name it: coalwash -C DIR undo";
            Failure::refused(writer.shown(&error.to_string(), path), next)
        }
        UndoError::Stage(error) => {
            let path = error.path();
            let id = args.id.map(|id| format!(" {id}")).unwrap_or_default();
            let next = format!("leave it out: coalwash undo{id} --except {}", names.of(path));
            Failure::refused(writer.shown(&error.to_string(), path), next)
        }
        UndoError::Io { .. } | UndoError::Damaged { .. } => Failure::io(error.to_string()),
        UndoError::Run(RunError::None { .. }) => {
            Failure::new(Exit::No, error.to_string(), Some("coalwash log".to_owned()))
        }
        UndoError::NoSuch { run, .. } => {
            let paths = args.except.iter().map(|path| path.as_str());
            let named: Vec<&str> = paths.chain(args.line.as_deref()).collect();
            let what = format!("run {run} changed nothing at {}", named.join(" or "));
            Failure::refused(what, format!("look at what it changed: coalwash log {run}"))
        }
        error => Failure::refused(error.to_string(), "coalwash log"),
    }
}
