//! `coalwash`: what loads here, what it costs, what needs attention.

use camino::Utf8Path;
use coalwash_core::load::{Entry, Kind, SkipReason};
use coalwash_core::text::escaped;
use serde::Serialize;

use super::all;
use super::context::{drift_headlines, files, kilo_window, skipped};
use crate::cli::Global;
use crate::env::Env;
use crate::exit::Exit;
use crate::look::{Check, Depth, Look, Recorded, look};
use crate::sample::Sample;
use crate::ui::{
    AGENT_LINES, Line, Mark, Names, Ui, ends, escaped_head, kilo, pad, plural, share, wrapped,
};
use crate::when::When;

/// Problems that are named one by one; the rest is counted.
const MOST_PROBLEMS: usize = 5;

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    everything: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    if everything {
        return all::run(env, global, ui);
    }
    let folder = env.folder(global.project.as_deref())?;
    let found = look(env, &folder, Depth::Overview)?;
    let map = &found.map;
    let nothing_here = map.entries.is_empty() && map.skipped.is_empty() && found.unread.is_empty();
    // What loads everywhere makes no folder a project; memory of it does.
    let config = &found.scene.config;
    let own = |e: &Entry| e.kind == Kind::Memory || !e.real().starts_with(config);
    let marked = found.scene.git.is_some() || found.scene.project != folder;
    let here = |path: &Utf8Path| {
        path.starts_with(&folder)
            || found.scene.memory.as_ref().is_some_and(|m| path.starts_with(m))
    };
    let passed_over = map.skipped.iter().filter_map(|s| s.path.as_deref()).any(here);
    let is_project = marked || map.entries.iter().any(own) || passed_over;
    if !global.json && nothing_here && !found.scene.config.is_dir() {
        return sample(env, ui, "No agent has left anything here, so this is the built-in sample:");
    }
    if !is_project && global.project.is_none() && all::has_projects(&found.scene.config) {
        return all::run(env, global, ui);
    }
    show(env, global, &found, ui)
}

/// Runs `coalwash demo`.
pub(crate) fn demo(env: &Env, global: &Global, ui: &mut Ui) -> anyhow::Result<Exit> {
    let sample = Sample::make(env.now_ms)?;
    let env = sample.env(env);
    let found = look(&env, sample.project(), Depth::Overview)?;
    if global.json {
        ui.json(&json(&found))?;
    } else {
        ui.screen(&screen(&found, &env, ui))?;
    }
    Ok(Exit::Ok)
}

fn sample(env: &Env, ui: &mut Ui, why: &str) -> anyhow::Result<Exit> {
    let sample = Sample::make(env.now_ms)?;
    let env = sample.env(env);
    let found = look(&env, sample.project(), Depth::Overview)?;
    let mut lines = vec![Line::plain(why), Line::plain("")];
    lines.extend(screen(&found, &env, ui));
    ui.screen(&lines)?;
    Ok(Exit::Ok)
}

fn show(env: &Env, global: &Global, found: &Look, ui: &mut Ui) -> anyhow::Result<Exit> {
    if global.json {
        ui.json(&json(found))?;
    } else {
        ui.screen(&screen(found, env, ui))?;
    }
    Ok(Exit::Ok)
}

fn screen(found: &Look, env: &Env, ui: &Ui) -> Vec<Line> {
    let names = found.names(env);
    let when = When::new(env.now_ms, env.zone.clone());
    let mut out = drift_headlines(found, &names, &when);
    let drift = out.len().min(4);
    let title = found.scene.project.file_name().unwrap_or("/");
    let title = escaped_head(title, 40);
    out.push(Line::marked(
        Mark::Strong,
        ends(&title, &names.home_path(&found.scene.project), ui.width.min(76)),
    ));
    let gap = |out: &mut Vec<Line>| {
        if !ui.by_agent {
            out.push(Line::plain(""));
        }
    };
    gap(&mut out);
    let tokens = found.tokens();
    out.push(Line::plain("Loaded into every session"));
    out.push(Line::plain(format!(
        "  {}  {} {}   {} of a {} window",
        pad(found.profile.name, 12),
        kilo(tokens),
        if tokens.0 == 1 { "token" } else { "tokens" },
        share(tokens.0, found.window_tokens),
        kilo_window(found.window_tokens),
    )));
    gap(&mut out);

    let problems = problems(found, &names);
    let entries = found.map.always().count();
    match (problems.is_empty(), entries) {
        (true, 0) => out.push(Line::plain("Nothing of yours is loaded here.")),
        (true, _) if drift > 0 => {}
        (true, _) => out.push(Line::plain(
            "All good: every import loads, nothing is cut off, nothing repeats.",
        )),
        (false, _) => {
            out.push(Line::marked(Mark::Warn, "Needs attention"));
            // Title, figures and the last lines take eight of an agent's lines.
            let most = if ui.by_agent { AGENT_LINES - 8 - drift } else { MOST_PROBLEMS };
            for (i, problem) in problems.iter().take(most).enumerate() {
                let line = format!("  {}  {problem}", i + 1);
                out.extend(wrapped(&line, ui.width, 5).into_iter().map(Line::plain));
            }
            let left = problems.len().saturating_sub(most);
            if left > 0 {
                out.push(Line::plain(format!("     … {left} more (coalwash context --all)")));
            }
            gap(&mut out);
        }
    }
    out.extend(wrapped(&checked(found, &names, &when), ui.width, 2).into_iter().map(Line::plain));
    out.push(Line::hint("Nothing was written.  Details: coalwash context"));
    out
}

/// Says whether the host's records agree.
fn checked(found: &Look, names: &Names<'_>, when: &When) -> String {
    let name = found.profile.name;
    match &found.check {
        Check::Recorded(recorded) => {
            let Recorded { at_ms, comparison, drift, .. } = &**recorded;
            let at = at_ms.map_or("once".to_owned(), |ms| when.words(ms));
            if comparison.is_same() {
                let order = if comparison.reordered { ", in another order" } else { "" };
                return format!(
                    "Checked against what {name} sent {at}: same {}{order}.",
                    files(comparison.same)
                );
            }
            let mut changed = drift.explained.iter().map(|(path, _)| names.of(path));
            let since = match (changed.next(), drift.explained.len()) {
                (Some(path), 1) => format!("; {path} changed since"),
                (Some(path), n) => {
                    format!("; {path} and {} changed since", plural(n - 1, "other", "others"))
                }
                (None, _) => String::new(),
            };
            format!(
                "Checked against what {name} sent {at}: {} the same{since}.",
                files(comparison.same)
            )
        }
        Check::Nothing(why) => format!("Not checked against what was sent: {why}."),
    }
}

/// Lists what needs attention, worst first.
pub(crate) fn problems(found: &Look, names: &Names<'_>) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(found.unread.iter().map(|u| format!("{}  {}", names.of(&u.path), escaped(&u.why))));
    for entry in found.map.always() {
        if let Some(cut) = &entry.cut {
            out.push(format!(
                "{}  {} of {} lines are never loaded, from \"{}\" on",
                entry.path.file_name().unwrap_or_default(),
                cut.lost_lines,
                cut.lines,
                escaped_head(&cut.first_lost, 36),
            ));
        }
    }
    let worth_a_line = |s: &&coalwash_core::load::Skipped| worth(s.reason);
    out.extend(found.map.skipped.iter().filter(worth_a_line).map(|s| skipped(s, names)));
    for double in &found.map.doubles {
        out.push(format!(
            "{}  is loaded twice, also as {}: {} tokens more",
            names.of(&double.again),
            names.of(&double.first),
            kilo(double.tokens),
        ));
    }
    let repeats = found.repeats.certain_tokens();
    if repeats.0 > 0 {
        let count = found.repeats.all.iter().filter(|r| r.certain).count();
        let first = found.repeats.all.iter().find(|r| r.certain);
        let place = first.map_or(String::new(), |r| {
            format!(", the first at {}:{}", names.of(&r.at.path), r.at.line)
        });
        let passages = plural(count, "passage", "passages");
        out.push(format!("{} tokens are exact repeats: {passages}{place}", kilo(repeats)));
    }
    out
}

/// Returns whether a skipped thing is worth a line on the overview; the rest is in `context`.
fn worth(reason: SkipReason) -> bool {
    !matches!(
        reason,
        SkipReason::Excluded
            | SkipReason::SwitchedOff
            | SkipReason::NotListed
            | SkipReason::Shadowed
            | SkipReason::Empty
            | SkipReason::NameTaken
            | SkipReason::ImportGlued
    )
}

#[derive(Serialize)]
struct Overview<'a> {
    schema: &'static str,
    project: &'a Utf8Path,
    cwd: &'a Utf8Path,
    hosts: Vec<HostOverview<'a>>,
}

#[derive(Serialize)]
struct HostOverview<'a> {
    host: &'static str,
    profile: &'static str,
    version: Option<&'a str>,
    always_tokens: coalwash_core::text::Tokens,
    window_tokens: u64,
    files: usize,
    repeats_certain_tokens: coalwash_core::text::Tokens,
    skipped: usize,
    problems: Vec<String>,
    observed_same: Option<bool>,
}

fn json(found: &Look) -> Overview<'_> {
    let absolute = problems(found, &Names::absolute());
    let is_file = |e: &&Entry| !matches!(e.kind, Kind::Skill | Kind::Command | Kind::Agent);
    Overview {
        schema: "coalwash.overview/1",
        project: &found.scene.project,
        cwd: &found.scene.cwd,
        hosts: vec![HostOverview {
            host: found.map.host,
            profile: found.map.profile,
            version: found.version.known(),
            always_tokens: found.tokens(),
            window_tokens: found.window_tokens,
            files: found.map.always().filter(is_file).count(),
            repeats_certain_tokens: found.repeats.certain_tokens(),
            skipped: found.map.skipped.len(),
            problems: absolute,
            observed_same: match &found.check {
                Check::Recorded(recorded) => Some(recorded.comparison.is_same()),
                Check::Nothing(_) => None,
            },
        }],
    }
}
