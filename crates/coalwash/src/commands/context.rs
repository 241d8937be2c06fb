//! `coalwash context`: every file that is loaded, in order, with tokens.

mod json;
mod screen;

pub(crate) use screen::{drift_headlines, files, kilo_window, skipped};

use coalwash_core::load::tree::resolved;

use crate::cli::{ContextArgs, Global, Host};
use crate::env::Env;
use crate::exit::Exit;
use crate::look::{self, Depth};
use crate::ui::Ui;
use crate::when::When;

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &ContextArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let host = global.host.unwrap_or(Host::ClaudeCode);
    if let Some(file) = &args.file {
        // `-C DIR` stands for the working folder, for FILE too.
        let here = match &global.project {
            Some(_) => folder.clone(),
            None => env.cwd.clone().unwrap_or_else(|| folder.clone()),
        };
        let file = resolved(&here, file.as_str());
        let opened = look::opening(env, &folder, &file, host)?;
        if global.json {
            ui.json(&json::opening(&opened, &file))?;
        } else {
            ui.screen(&screen::opening(&opened, env, &file, ui))?;
        }
        return Ok(Exit::Ok);
    }
    let depth = if global.json { Depth::Whole } else { Depth::List };
    let look = look::look(env, &folder, depth, host)?;
    // Of the other hosts those that load something here.
    let others = match (global.host, global.json) {
        (Some(_), _) => Vec::new(),
        (None, true) => look::others(env, &folder, Depth::Whole)?,
        (None, false) => look::others(env, &folder, Depth::Overview)?,
    };
    if global.json {
        ui.json(&json::context(std::iter::once(&look).chain(&others)))?;
        return Ok(Exit::Ok);
    }
    let when = When::new(env.now_ms, env.zone.clone());
    let names = look.names(env);
    let lines = if args.observed {
        screen::observed(&look, &names, &when, ui, args.all)
    } else {
        screen::context(&look, &others, &names, &when, ui, args.all)
    };
    ui.screen(&lines)?;
    Ok(Exit::Ok)
}
