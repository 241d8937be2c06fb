//! `coalwash context`: every file that is loaded, in order, with tokens.

mod json;
mod screen;

pub(crate) use screen::{drift_headlines, files, kilo_window, skipped};

use camino::Utf8PathBuf;
use coalwash_core::load::tree::resolved;

use crate::cli::{ContextArgs, Global};
use crate::env::Env;
use crate::exit::Exit;
use crate::look::{self, Depth};
use crate::ui::{Names, Ui};
use crate::when::When;

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &ContextArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    if let Some(file) = &args.file {
        let file = absolute(env, &folder, file);
        let (profile, scene, entries) = look::opening(env, &folder, &file)?;
        if global.json {
            ui.json(&json::opening(&profile, &file, &entries))?;
        } else {
            let names = Names {
                root: &scene.project,
                home: env.home.as_deref(),
                memory: scene.memory.as_deref(),
            };
            ui.screen(&screen::opening(&names, &scene, &file, &entries))?;
        }
        return Ok(Exit::Ok);
    }
    let depth = if global.json { Depth::Whole } else { Depth::List };
    let look = look::look(env, &folder, depth)?;
    if global.json {
        ui.json(&json::context(&look))?;
        return Ok(Exit::Ok);
    }
    let when = When::new(env.now_ms, env.zone.clone());
    let names = look.names(env);
    let lines = if args.observed {
        screen::observed(&look, &names, &when)
    } else {
        screen::context(&look, &names, &when, ui, args.all)
    };
    ui.screen(&lines)?;
    Ok(Exit::Ok)
}

/// Returns the file that was typed: from where the shell stands, or from `-C DIR`.
fn absolute(env: &Env, folder: &camino::Utf8Path, file: &camino::Utf8Path) -> Utf8PathBuf {
    let here = env.cwd.as_deref().filter(|cwd| cwd.starts_with(folder)).unwrap_or(folder);
    resolved(here, file.as_str())
}
