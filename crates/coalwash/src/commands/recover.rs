//! `coalwash recover`: takes back a run that was interrupted.

use crate::cli::{Global, RecoverArgs};
use crate::env::Env;
use crate::exit::Exit;
use crate::ui::{Line, Mark, Ui, plural};
use crate::writer::Writer;

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &RecoverArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let writer = Writer::of(env, &folder)?;
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
