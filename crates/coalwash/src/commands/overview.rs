//! `coalwash`: what loads here, what it costs, what needs attention.

use camino::Utf8Path;
use coalwash_core::load::memory::MemoryTrouble;
use coalwash_core::load::{Cut, Entry, Kind, SkipReason};
use coalwash_core::text::escaped;
use coalwash_core::wash::quick::LEAST_TOKENS;
use serde::Serialize;

use super::context::{drift_headlines, files, kilo_window, skipped};
use super::{all, memory, verdict};
use crate::cli::{Global, Host};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::look::{Check, Depth, Look, Recorded, look, others};
use crate::sample::Sample;
use crate::ui::{
    AGENT_LINES, Line, Mark, Names, Ui, ends, escaped_head, kilo, number, pad, plural, share,
    wrapped,
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
    let all = Found::of(env, &folder, global.host)?;
    let found = &all.first;
    let map = &found.map;
    let nothing_here = map.entries.is_empty()
        && map.skipped.is_empty()
        && found.unread.is_empty()
        && all.others.is_empty();
    // What loads everywhere makes no folder a project; memory of it does.
    let config = &found.scene.config;
    let own = |e: &Entry| e.kind == Kind::Memory || !e.real().starts_with(config);
    let marked = found.scene.git.is_some() || found.scene.project != folder;
    let here = |path: &Utf8Path| {
        path.starts_with(&folder)
            || found.scene.memory.as_ref().is_some_and(|m| path.starts_with(m))
    };
    let passed_over = map.skipped.iter().filter_map(|s| s.path.as_deref()).any(here);
    let is_project =
        marked || map.entries.iter().any(own) || passed_over || all.others.iter().any(has_own);
    if !global.json && nothing_here && !found.scene.config.is_dir() {
        return sample(env, ui, "No agent has left anything here, so this is the built-in sample:");
    }
    if !is_project && global.project.is_none() && all::has_projects(&found.scene.config) {
        return all::run(env, global, ui);
    }
    show(env, global, &all, ui)
}

/// What was found for every host.
struct Found {
    /// The host that was asked for, else Claude Code.
    first: Look,
    /// Of the others those that load something.
    others: Vec<Look>,
}

impl Found {
    fn of(env: &Env, folder: &Utf8Path, host: Option<Host>) -> Result<Self, Failure> {
        let first = look(env, folder, Depth::Overview, host.unwrap_or(Host::ClaudeCode))?;
        let others = match host {
            None => others(env, folder, Depth::Overview)?,
            Some(_) => Vec::new(),
        };
        Ok(Self { first, others })
    }

    fn all(&self) -> impl Iterator<Item = &Look> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Lists what needs attention: of the first host all, of the others what no host loads at all, or
    /// only in part.
    fn problems(&self, names: &Names<'_>) -> Vec<String> {
        let mut out = problems(&self.first, names);
        let is_loaded = |path: &Utf8Path| {
            self.all().any(|look| look.map.entries.iter().any(|entry| entry.path == path))
        };
        for other in &self.others {
            let mut own = Vec::new();
            for entry in other.map.always() {
                own.extend(entry.cut.as_ref().map(|cut| cut_off(entry, cut, other, names)));
            }
            own.extend(other.map.skipped.iter().filter(|s| worth(s.reason)).filter_map(|s| {
                let in_vain = s.path.as_deref().is_none_or(|path| !is_loaded(path));
                in_vain.then(|| skipped(s, names))
            }));
            let stops = |it: &String| it.strip_prefix("anything: ").map(str::to_owned);
            own.extend(other.map.not_measured.iter().filter_map(stops));
            let own = own.into_iter().map(|line| format!("{line} ({})", other.host.name));
            out.extend(own);
        }
        out
    }
}

/// Returns whether a host loads a file of the folder's own.
fn has_own(found: &Look) -> bool {
    let scene = &found.scene;
    found.map.entries.iter().any(|entry| entry.real().starts_with(&scene.project))
}

/// Returns what a host cuts off a file.
fn cut_off(entry: &Entry, cut: &Cut, found: &Look, names: &Names<'_>) -> String {
    let from = escaped_head(&cut.first_lost, 36);
    match (cut.lost_bytes, cut.line) {
        (Some(bytes), Some(line)) => format!(
            "{}:{line}  {} cuts the rest of the file, {} bytes, from \"{from}\" on",
            names.of(&entry.path),
            found.host.name,
            number(bytes),
        ),
        _ => format!(
            "{}  {} of {} lines are never loaded, from \"{from}\" on",
            entry.path.file_name().unwrap_or_default(),
            cut.lost_lines,
            cut.lines,
        ),
    }
}

/// Runs `coalwash demo`.
pub(crate) fn demo(env: &Env, global: &Global, ui: &mut Ui) -> anyhow::Result<Exit> {
    let sample = Sample::make(env.now_ms)?;
    let env = sample.env(env);
    let found = Found::of(&env, sample.project(), global.host)?;
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
    let found = Found::of(&env, sample.project(), None)?;
    let mut lines = vec![Line::plain(why), Line::plain("")];
    lines.extend(screen(&found, &env, ui));
    ui.screen(&lines)?;
    Ok(Exit::Ok)
}

fn show(env: &Env, global: &Global, found: &Found, ui: &mut Ui) -> anyhow::Result<Exit> {
    if global.json {
        ui.json(&json(found))?;
    } else {
        ui.screen(&screen(found, env, ui))?;
    }
    Ok(Exit::Ok)
}

fn screen(all: &Found, env: &Env, ui: &Ui) -> Vec<Line> {
    let found = &all.first;
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
    out.push(Line::plain("Loaded into every session"));
    let width = all.all().map(|look| kilo(look.tokens()).len()).max().unwrap_or(0);
    for look in all.all() {
        let tokens = look.tokens();
        out.push(Line::plain(format!(
            "  {}  {:>width$} {}   {} of a {} window",
            pad(look.host.name, 12),
            kilo(tokens),
            if tokens.0 == 1 { "token" } else { "tokens" },
            share(tokens.0, look.window_tokens),
            kilo_window(look.window_tokens),
        )));
    }
    gap(&mut out);

    let problems = all.problems(&names);
    let entries: usize = all.all().map(|look| look.map.always().count()).sum();
    match (problems.is_empty(), entries) {
        (true, 0) => out.push(Line::plain("Nothing of yours is loaded here.")),
        (true, _) if drift > 0 => {}
        (true, _) => out.push(Line::plain(
            "All good: every import loads, nothing is cut off, nothing repeats.",
        )),
        (false, _) => {
            out.push(Line::marked(Mark::Warn, "Needs attention"));
            // Title, figures and the last lines take eight of an agent's lines.
            let most = if ui.by_agent {
                AGENT_LINES.saturating_sub(8 + drift + all.others.len())
            } else {
                MOST_PROBLEMS
            };
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
    let repeats = found.repeats.certain_tokens() >= LEAST_TOKENS;
    let fix = if repeats { "   Repeats: coalwash quick -n" } else { "" };
    out.push(Line::hint(format!("Nothing was written.  Details: coalwash context{fix}")));
    out
}

/// Says whether the host's records agree.
fn checked(found: &Look, names: &Names<'_>, when: &When) -> String {
    let name = found.host.name;
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
    out.extend(verdict::full(found));
    out.extend(memory::lines(found, names, &[MemoryTrouble::MemoryTooLong]));
    let told = |entry: &&Entry| found.memory.is_some() && entry.kind == Kind::Memory;
    for entry in found.map.always().filter(|entry| !told(entry)) {
        out.extend(entry.cut.as_ref().map(|cut| cut_off(entry, cut, found, names)));
    }
    out.extend(memory::lines(found, names, &[MemoryTrouble::MemoryShared]));
    let worth_a_line = |s: &&coalwash_core::load::Skipped| worth(s.reason);
    out.extend(found.map.skipped.iter().filter(worth_a_line).map(|s| skipped(s, names)));
    out.extend(memory::lines(found, names, &[MemoryTrouble::MemoryEntryMissing]));
    for double in &found.map.doubles {
        out.push(format!(
            "{}  is loaded twice, also as {}: {} tokens more",
            names.of(&double.again),
            names.of(&double.first),
            kilo(double.tokens),
        ));
    }
    let last = [MemoryTrouble::MemoryLeftBehind, MemoryTrouble::MemoryFileUnnamed];
    out.extend(memory::lines(found, names, &last));
    let repeats = found.repeats.certain_tokens();
    if repeats.0 > 0 {
        let count = found.repeats.all.iter().filter(|r| r.certain).count();
        let first = found.repeats.all.iter().find(|r| r.certain);
        let place = first.map_or(String::new(), |r| {
            format!(" ({count}, from {}:{} on)", names.of(&r.at.path), r.at.line)
        });
        let repeats = kilo(repeats);
        out.push(match verdict::pays(found) {
            Some(pays) => format!("{repeats} tokens of exact repeats; {pays}{place}"),
            None => format!("{repeats} tokens are exact repeats and can go safely{place}"),
        });
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

fn json(all: &Found) -> Overview<'_> {
    Overview {
        schema: "coalwash.overview/1",
        project: &all.first.scene.project,
        cwd: &all.first.scene.cwd,
        hosts: all.all().map(host_json).collect(),
    }
}

fn host_json(found: &Look) -> HostOverview<'_> {
    let is_file = |e: &&Entry| !matches!(e.kind, Kind::Skill | Kind::Command | Kind::Agent);
    HostOverview {
        host: found.map.host,
        profile: found.map.profile,
        version: found.version.known(),
        always_tokens: found.tokens(),
        window_tokens: found.window_tokens,
        files: found.map.always().filter(is_file).count(),
        repeats_certain_tokens: found.repeats.certain_tokens(),
        skipped: found.map.skipped.len(),
        problems: problems(found, &Names::absolute()),
        observed_same: match &found.check {
            Check::Recorded(recorded) => Some(recorded.comparison.is_same()),
            Check::Nothing(_) => None,
        },
    }
}
