//! `coalwash --all`: every known project, worst first.

use std::cmp::Reverse;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::Unread;
use coalwash_core::text::{Tokens, escaped};
use coalwash_store::load::{KnownProject, known_projects};
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::overview::problems;
use crate::cli::{Global, Host};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::look::{Depth, look};
use crate::ui::{Line, Mark, Names, Ui, head, kilo, pad, plural, tail};

/// Projects that are listed one by one.
const MOST_ROWS: usize = 12;

#[derive(Serialize)]
struct All {
    schema: &'static str,
    projects: Vec<Row>,
    /// The host's folders of projects that moved or are gone.
    orphaned: Vec<Utf8PathBuf>,
    /// The host's folders of which no session says where it ran.
    unknown: Vec<Utf8PathBuf>,
    unread: Vec<Unread>,
}

#[derive(Serialize)]
struct Row {
    project: Utf8PathBuf,
    always_tokens: Tokens,
    repeats_certain_tokens: Tokens,
    problems: Vec<String>,
    #[serde(skip)]
    worst: Option<String>,
}

/// Returns whether a host keeps a folder for any project.
pub(crate) fn has_projects(config: &Utf8Path) -> bool {
    config.join("projects").read_dir_utf8().is_ok_and(|mut all| all.next().is_some())
}

/// Runs the command.
pub(crate) fn run(env: &Env, global: &Global, ui: &mut Ui) -> anyhow::Result<Exit> {
    let found = gather(env, global.host.unwrap_or(Host::ClaudeCode))?;
    if global.json {
        ui.json(&found)?;
    } else {
        ui.screen(&screen(&found, env, ui))?;
    }
    Ok(Exit::Ok)
}

fn gather(env: &Env, host: Host) -> anyhow::Result<All> {
    let home = env.home.clone().ok_or_else(|| {
        Failure::usage("`HOME` names no absolute path", "set it: agents look for their files there")
    })?;
    let config = match &env.claude.config_dir {
        Some(dir) => env.cwd.clone().unwrap_or_else(|| home.clone()).join(dir),
        None => home.join(".claude"),
    };
    let mut out = All {
        schema: "coalwash.all/1",
        projects: Vec::new(),
        orphaned: Vec::new(),
        unknown: Vec::new(),
        unread: Vec::new(),
    };
    let mut seen = FxHashSet::default();
    for KnownProject { folder, cwd, exists, .. } in known_projects(&config, &mut out.unread) {
        let Some(cwd) = cwd else {
            out.unknown.push(folder);
            continue;
        };
        if !exists {
            out.orphaned.push(folder);
            continue;
        }
        let Ok(cwd) = cwd.canonicalize_utf8() else { continue };
        let found = match look(env, &cwd, Depth::Overview, host) {
            Ok(found) => found,
            Err(why) => {
                out.unread.push(Unread::new(cwd, why.to_string()));
                continue;
            }
        };
        // Sessions in sub-folders belong to the project they lie in.
        if !seen.insert(found.scene.project.clone()) {
            continue;
        }
        out.projects.push(Row {
            always_tokens: found.tokens(),
            repeats_certain_tokens: found.repeats.certain_tokens(),
            problems: problems(&found, &Names::absolute()),
            worst: problems(&found, &found.names(env)).into_iter().next(),
            project: found.scene.project.clone(),
        });
    }
    out.projects.sort_by_key(|row| {
        Reverse((!row.problems.is_empty(), row.always_tokens, row.project.clone()))
    });
    Ok(out)
}

fn screen(found: &All, env: &Env, ui: &Ui) -> Vec<Line> {
    if found.projects.is_empty() {
        let mut out = vec![Line::plain("No project with sessions of an agent was found.")];
        out.extend(rest(found));
        return out;
    }
    let mut out = vec![Line::marked(
        Mark::Strong,
        format!(
            "{} with sessions, worst first",
            plural(found.projects.len(), "project", "projects")
        ),
    )];
    let home = env.home.as_deref();
    let room = ui.room(false).saturating_sub(8).min(MOST_ROWS);
    let names = Names { root: Utf8Path::new("/"), home, memory: None };
    let shown: Vec<_> = found.projects.iter().take(room).collect();
    let label = |row: &Row| tail(&names.home_path(&row.project), 28);
    let width = shown.iter().map(|r| label(r).chars().count()).max().unwrap_or(7).max(7);
    out.push(Line::plain(""));
    out.push(Line::plain(format!("  {}   loads  repeats   worst problem", pad("project", width))));
    for row in &shown {
        let problem = row.worst.as_deref().unwrap_or("-");
        let more = row.problems.len().saturating_sub(1);
        let more = if more > 0 { format!(" (+{more})") } else { String::new() };
        let left = ui.width.saturating_sub(width + 23 + more.len());
        out.push(Line::plain(format!(
            "  {}  {:>6}  {:>7}   {}{more}",
            pad(&label(row), width),
            kilo(row.always_tokens),
            kilo(row.repeats_certain_tokens),
            head(problem, left),
        )));
    }
    let left = &found.projects[shown.len()..];
    if !left.is_empty() {
        let tokens: Tokens = left.iter().map(|r| r.repeats_certain_tokens).sum();
        let bad = left.iter().filter(|r| !r.problems.is_empty()).count();
        out.push(Line::plain(format!(
            "  {}       -  {:>7}   {}",
            pad(&format!("{} more", left.len()), width),
            kilo(tokens),
            if bad > 0 { format!("{bad} with problems") } else { "-".to_owned() },
        )));
    }
    out.extend(rest(found));
    if !ui.by_agent {
        out.push(Line::hint(""));
        let first = names.home_path(&found.projects[0].project);
        out.push(Line::hint(format!("Nothing was written.  One of them: coalwash -C {first}")));
    }
    out
}

fn rest(found: &All) -> Vec<Line> {
    let mut out = Vec::new();
    let folders = |n: usize| plural(n, "folder", "folders");
    if !found.orphaned.is_empty() {
        let n = found.orphaned.len();
        out.push(format!("Sessions of projects that moved or are gone: {}.", folders(n)));
    }
    if !found.unknown.is_empty() {
        let n = found.unknown.len();
        out.push(format!("Sessions that do not say where they ran: {}.", folders(n)));
    }
    let said =
        |u: &Unread| escaped(&format!("Could not be read: {}  {}", u.path, u.why)).into_owned();
    out.extend(found.unread.iter().map(said));
    if !out.is_empty() {
        out.insert(0, String::new());
    }
    out.into_iter().map(Line::plain).collect()
}
