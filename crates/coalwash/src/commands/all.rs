//! `coalwash --all`: every known project, worst first.

use std::cmp::Reverse;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::Unread;
use coalwash_core::load::memory::{MemoryProblem, MemoryTrouble};
use coalwash_core::load::slug::slug;
use coalwash_core::text::{Tokens, escaped};
use coalwash_store::load::{KnownProject, known_projects};
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::memory;
use super::overview::problems;
use crate::cli::{Global, Host};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::look::{Depth, Look, look};
use crate::ui::{Line, Mark, Names, Ui, head, kilo, pad, plural, tail, wrapped};

/// Projects that are listed one by one.
const MOST_ROWS: usize = 12;
/// Folders of memory that are named one by one.
const MOST_MEMORY: usize = 2;

#[derive(Serialize)]
struct All {
    schema: &'static str,
    projects: Vec<Row>,
    /// The host's folders of projects that moved or are gone.
    orphaned: Vec<Utf8PathBuf>,
    /// The host's folders of which no session says where it ran.
    unknown: Vec<Utf8PathBuf>,
    /// Memory that no session reads any more.
    memory: Vec<MemoryProblem>,
    /// Memory of which nothing says whose it is.
    memory_unknown: Vec<Utf8PathBuf>,
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
    // Beside the folder, but for one that was set.
    let state = match &env.claude.config_dir {
        Some(_) => config.join(".claude.json"),
        None => home.join(".claude.json"),
    };
    let mut out = All {
        schema: "coalwash.all/1",
        projects: Vec::new(),
        orphaned: Vec::new(),
        unknown: Vec::new(),
        memory: Vec::new(),
        memory_unknown: Vec::new(),
        unread: Vec::new(),
    };
    let mut seen = FxHashSet::default();
    for project in known_projects(&config, &state, &mut out.unread) {
        let KnownProject { folder, cwd, exists, has_memory, left_behind } = project;
        out.memory.extend(left_behind);
        let Some(cwd) = cwd else {
            out.memory_unknown.extend(has_memory.then(|| folder.join("memory")));
            out.unknown.push(folder);
            continue;
        };
        if !exists {
            out.orphaned.push(folder);
            continue;
        }
        let Ok(cwd) = cwd.canonicalize_utf8() else { continue };
        let found = match look(env, &cwd, Depth::Row, host) {
            Ok(found) => found,
            Err(why) => {
                out.unread.push(Unread::new(cwd, why.to_string()));
                continue;
            }
        };
        out.memory.extend(unused(&folder, &cwd, has_memory, &found));
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

/// Returns what is to be said of memory whose project is there and uses another one.
fn unused(
    folder: &Utf8Path,
    cwd: &Utf8Path,
    has_memory: bool,
    found: &Look,
) -> Option<MemoryProblem> {
    let own = folder.join("memory");
    let used = found.scene.memory.as_ref().filter(|used| **used != own)?;
    let is_its = has_memory && folder.file_name() == Some(&slug(cwd));
    let fix = "copy what you need there";
    is_its.then(|| MemoryProblem {
        project: Some(cwd.to_owned()),
        text: Some(used.to_string()),
        ..MemoryProblem::new(MemoryTrouble::MemoryLeftBehind, own, fix)
    })
}

fn screen(found: &All, env: &Env, ui: &Ui) -> Vec<Line> {
    if found.projects.is_empty() {
        let mut out = vec![Line::plain("No project with sessions of an agent was found.")];
        out.extend(rest(found, env, ui));
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
    let rest = rest(found, env, ui);
    let room = ui.room(false).saturating_sub(6 + rest.len()).clamp(1, MOST_ROWS);
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
    out.extend(rest);
    if !ui.by_agent {
        out.push(Line::hint(""));
        let first = names.home_path(&found.projects[0].project);
        out.push(Line::hint(format!("Nothing was written.  One of them: coalwash -C {first}")));
    }
    out
}

fn rest(found: &All, env: &Env, ui: &Ui) -> Vec<Line> {
    let mut out = Vec::new();
    let names = Names { root: Utf8Path::new("/"), home: env.home.as_deref(), memory: None };
    if !found.memory.is_empty() {
        out.push("Memory that no session reads any more".to_owned());
        for problem in found.memory.iter().take(MOST_MEMORY) {
            let line = format!("  {}", memory::line(problem, &names));
            out.extend(wrapped(&line, ui.width, 4));
        }
        let left = found.memory.len().saturating_sub(MOST_MEMORY);
        if left > 0 {
            out.push(format!("  … {left} more (coalwash --all --json)"));
        }
    }
    let folders = |n: usize| plural(n, "folder", "folders");
    if !found.orphaned.is_empty() {
        let n = found.orphaned.len();
        out.push(format!("Sessions of projects that moved or are gone: {}.", folders(n)));
    }
    if !found.memory_unknown.is_empty() {
        let n = found.memory_unknown.len();
        out.push(format!("Memory of which nothing says whose it is: {}.", folders(n)));
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
