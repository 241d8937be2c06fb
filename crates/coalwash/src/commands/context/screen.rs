//! `coalwash context` for people.

use std::cmp::Reverse;

use camino::Utf8Path;
use coalwash_core::load::{Entry, Kind, Owner, SkipReason, Skipped, Tier};
use coalwash_core::text::{Tokens, escaped};

use crate::commands::{memory, verdict};
use crate::env::Env;
use crate::look::{Check, FileState, Look, Opened, Recorded};
use crate::ui::{
    Line, Mark, Names, Ui, bar, head, number, pad, percent, plural, share, tail, wrapped,
};
use crate::when::When;

/// Columns of a bar; the largest row fills at most these.
const BAR: usize = 18;

/// Files that differ from the record and are named at the top of a screen.
const MOST_DRIFT: usize = 3;

/// Returns the screen of a folder.
pub(super) fn context(
    look: &Look,
    others: &[Look],
    names: &Names<'_>,
    when: &When,
    ui: &Ui,
    all: bool,
) -> Vec<Line> {
    let room = ui.room(all);
    let mut out = vec![headline(look)];
    out.extend(drift_headlines(look, names, when));
    if let Some(verdict) = verdict::line(look) {
        let lines = wrapped(&format!("! {verdict}"), ui.width, 2).into_iter();
        out.extend(lines.map(|line| Line::marked(Mark::Warn, line)));
    }
    let total = look.tokens().0;
    let rows = rows(look, names, all);
    let unread = look.unread.iter().map(|u| format!("{}  {}", names.of(&u.path), u.why));
    let sections = [
        Section::new("Could not be read", unread.map(|u| escaped(&u).into_owned()).collect(), ui),
        Section::new("Only when needed", later(look, names, all), ui),
        Section::new("Never loaded, though it looks as if", never(look, names), ui),
    ];
    let mut foot = footer(look, when, ui.width);
    foot.splice(foot.len() - 1..foot.len() - 1, also(others));
    // The screen is shared out: what is loaded gets at least half of what is left.
    let spare = room.saturating_sub(out.len() + foot.len() + if ui.by_agent { 1 } else { 4 });
    let share = if ui.by_agent { spare / 4 } else { spare / 5 };
    let sections: Vec<_> =
        sections.iter().map(|s| s.lines(if all { usize::MAX } else { share }, ui)).collect();
    let memory = wrong_with_memory(look, names, ui, all);
    let sections: Vec<_> = std::iter::once(memory).chain(sections).collect();
    let taken: usize = sections.iter().map(Vec::len).sum();
    let for_rows = spare.saturating_sub(taken).max(1);

    if !ui.by_agent && !rows.is_empty() {
        out.push(Line::plain(""));
        out.push(Line::plain("  tokens"));
    }
    let most = rows.iter().map(|r| r.tokens.0).max().unwrap_or(0);
    let shown = if all { rows.len() } else { rows.len().min(for_rows) };
    for row in rows.iter().take(shown) {
        out.push(Line::plain(row.line(total, most, ui, all)));
    }
    out.extend(more(rows.len() - shown));
    out.extend(sections.into_iter().flatten());
    if !ui.by_agent {
        out.push(Line::plain(""));
    }
    out.extend(foot);
    out
}

/// Returns what is wrong with the host's memory: the worst, unless all is asked for.
fn wrong_with_memory(look: &Look, names: &Names<'_>, ui: &Ui, all: bool) -> Vec<Line> {
    let mut rows = memory::lines(look, names, &memory::KINDS);
    if all || rows.is_empty() {
        return Section::new("Wrong with the memory", rows, ui).lines(usize::MAX, ui);
    }
    let more = rows.len() - 1;
    let more = if more > 0 { format!(" ({more} more with --all)") } else { String::new() };
    let line = format!("Memory: {}{more}", rows.swap_remove(0));
    let lines = wrapped(&line, ui.width, 2).into_iter().map(Line::plain);
    let gap = (!ui.by_agent).then(|| Line::plain(""));
    gap.into_iter().chain(lines).collect()
}

/// A titled list that shows what fits.
struct Section {
    title: &'static str,
    /// Each row as the lines it takes.
    rows: Vec<Vec<String>>,
}

impl Section {
    fn new(title: &'static str, rows: Vec<String>, ui: &Ui) -> Self {
        // A row of tokens is indented already.
        let indented = |row: String| if row.starts_with(' ') { row } else { format!("  {row}") };
        let lines = |row| wrapped(&indented(row), ui.width, 6);
        Self { title, rows: rows.into_iter().map(lines).collect() }
    }

    /// Returns the section in about `room` lines, title and count included; nothing if it is empty.
    fn lines(&self, room: usize, ui: &Ui) -> Vec<Line> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::new();
        if !ui.by_agent {
            out.push(Line::plain(""));
        }
        out.push(Line::plain(self.title));
        let mut used = 0;
        let mut shown = 0;
        for row in &self.rows {
            if shown > 0 && used + row.len() > room {
                break;
            }
            used += row.len();
            shown += 1;
            out.extend(row.iter().map(Line::plain));
        }
        out.extend(more(self.rows.len() - shown));
        out
    }
}

fn headline(look: &Look) -> Line {
    let version = look.version.known().map_or(String::new(), |version| format!(" {version}"));
    let tokens = look.tokens();
    let text = format!(
        "{}{version}: {} tokens in every session, {} of a {} window",
        look.host.name,
        number(tokens.0),
        share(tokens.0, look.window_tokens),
        kilo_window(look.window_tokens),
    );
    Line::marked(Mark::Strong, text)
}

/// Says which of the host's tables was used, where it isn't the one of the version.
fn table(look: &Look) -> Option<String> {
    let table = look.host.version;
    match look.version.known() {
        Some(version) if version == table => None,
        Some(_) => Some(format!("This build knows version {table}; it was taken.")),
        None => Some(format!("No version was found; {table}, the newest known, was taken.")),
    }
}

/// Returns a window's size without a decimal.
pub(crate) fn kilo_window(tokens: u64) -> String {
    match tokens {
        1_000_000.. => format!("{}M", tokens / 1_000_000),
        _ => format!("{}k", tokens / 1_000),
    }
}

/// One line of the list.
struct Row {
    tokens: Tokens,
    label: String,
}

impl Row {
    fn line(&self, total: u64, most: u64, ui: &Ui, all: bool) -> String {
        let share = match percent(self.tokens.0, total) {
            0 if self.tokens.0 > 0 => "<1".to_owned(),
            share => share.to_string(),
        };
        if ui.by_agent {
            return format!("{:>8}  {share:>2}%  {}", number(self.tokens.0), self.label);
        }
        // Two percent a column, less where one row would need more than there is.
        let whole = total.max((most * 50).div_ceil(BAR as u64 - 1));
        let bar = pad(&bar(self.tokens.0, whole), BAR);
        let room = if all { usize::MAX } else { ui.width.saturating_sub(36).max(20) };
        let label = tail(&self.label, room);
        format!("{:>8}  {bar} {share:>3}%  {label}", number(self.tokens.0))
    }
}

fn rows(look: &Look, names: &Names<'_>, all: bool) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::new();
    let mut lists: Vec<(Kind, usize, Tokens)> = Vec::new();
    for entry in look.map.always() {
        if entry.name.is_some() && !all {
            match lists.iter_mut().find(|(kind, ..)| *kind == entry.kind) {
                Some((_, count, tokens)) => {
                    *count += 1;
                    *tokens += entry.tokens;
                }
                None => lists.push((entry.kind, 1, entry.tokens)),
            }
            continue;
        }
        out.push(Row { tokens: entry.tokens, label: label(entry, look, names) });
    }
    for (kind, count, tokens) in lists {
        let label = match kind {
            Kind::Skill => format!("{} (name and description)", plural(count, "skill", "skills")),
            Kind::Command => {
                format!("{} (name and description)", plural(count, "command", "commands"))
            }
            _ => format!("{} (description)", plural(count, "agent", "agents")),
        };
        out.push(Row { tokens, label });
    }
    if !all {
        out.sort_by_key(|row| Reverse(row.tokens));
    }
    out
}

fn label(entry: &Entry, look: &Look, names: &Names<'_>) -> String {
    if let Some(name) = &entry.name {
        let kind = match entry.kind {
            Kind::Skill => "skill",
            Kind::Command => "command",
            _ => "agent",
        };
        return format!("{kind} {}", escaped(name));
    }
    let path = names.of(&entry.path);
    let whose = match (entry.owner, entry.kind) {
        (Owner::Personal, Kind::Memory) => " (yours, this project)",
        (Owner::Personal, _) if entry.real().starts_with(&look.scene.config) => {
            " (yours, all projects)"
        }
        (Owner::Personal, _) if look.scene.git.is_some() => " (yours, not in git)",
        (Owner::Managed, _) => " (your organisation's)",
        _ => "",
    };
    match &entry.from {
        Some(from) => format!("{path}   from {}:{}", names.of(&from.path), from.line),
        None => format!("{path}{whose}"),
    }
}

/// Lists what waits, largest first.
fn later(look: &Look, names: &Names<'_>, all: bool) -> Vec<String> {
    let mut waiting: Vec<&Entry> = look.map.later().filter(|e| e.tier == Tier::OnPath).collect();
    waiting.sort_by_key(|e| Reverse(e.tokens));
    let room = if all { usize::MAX } else { 34 };
    let width = |count: usize| {
        let widths = waiting.iter().take(count).map(|e| names.of(&e.path).chars().count());
        widths.max().unwrap_or(0).min(room)
    };
    let width = width(if all { waiting.len() } else { 3 });
    let mut out: Vec<String> = waiting
        .iter()
        .map(|e| {
            let path = pad(&tail(&names.of(&e.path), width.max(12)), width);
            format!("{:>8}  {path}   {}", number(e.tokens.0), waits_for(e))
        })
        .collect();
    let topics: Vec<&Entry> = look.map.later().filter(|e| e.tier == Tier::OnRead).collect();
    if !topics.is_empty() {
        let tokens: Tokens = topics.iter().map(|e| e.tokens).sum();
        let files = plural(topics.len(), "memory file", "memory files");
        out.push(format!("{:>8}  {files}   once the agent opens one", number(tokens.0)));
    }
    out
}

fn waits_for(entry: &Entry) -> String {
    match entry.paths.first() {
        Some(first) => {
            let more = if entry.paths.len() > 1 { " and more" } else { "" };
            format!("once a file that matches `{}`{more} is opened", escaped(first))
        }
        None => escaped(&entry.reason).into_owned(),
    }
}

fn never(look: &Look, names: &Names<'_>) -> Vec<String> {
    look.map.skipped.iter().map(|s| skipped(s, names)).collect()
}

/// Returns what is passed over, where, why and what to do, in one line.
pub(crate) fn skipped(skipped: &Skipped, names: &Names<'_>) -> String {
    let place = match (&skipped.from, &skipped.path) {
        (Some(from), _) => format!("{}:{}", names.of(&from.path), from.line),
        (None, Some(path)) => names.of(path),
        _ => String::new(),
    };
    let text = skipped.text.as_deref().map(|t| format!("  `{}`", escaped(&head(t, 40))));
    let text = text.unwrap_or_default();
    let why = match (skipped.reason, skipped.text.as_deref().and_then(|t| t.chars().last())) {
        (SkipReason::ImportPunctuation, Some('.')) => "the full stop is part of the name",
        (SkipReason::ImportPunctuation, Some(',')) => "the comma is part of the name",
        (SkipReason::ImportPunctuation, Some(')')) => "the bracket is part of the name",
        (reason, _) => reason.words(),
    };
    format!("{place}{text}  {why}; {}", escaped(&skipped.fix))
}

fn more(left: usize) -> Option<Line> {
    (left > 0).then(|| Line::plain(format!("          … {} more (--all)", number(left as u64))))
}

fn footer(look: &Look, when: &When, width: usize) -> Vec<Line> {
    let not_measured: Vec<&str> = look.map.not_measured.iter().map(String::as_str).collect();
    let text = format!("Not measured: {}.", not_measured.join(", "));
    let mut out: Vec<Line> = wrapped(&text, width, 2).into_iter().map(Line::plain).collect();
    let mut last = table(look).map_or(String::new(), |table| format!("{table} "));
    last.push_str(&format!("Tokens are rough, ±{}%.", look.band()));
    match &look.check {
        Check::Recorded(recorded) if recorded.comparison.is_same() => {
            let when = recorded.at_ms.map_or("once".to_owned(), |ms| when.words(ms));
            last.push_str(&format!(" Same {} as sent {when}.", files(recorded.comparison.same)));
        }
        Check::Recorded(_) => {
            last.push_str(" Differs from what was sent: coalwash context --observed")
        }
        Check::Nothing(why) => last.push_str(&format!(" Not checked: {why}.")),
    }
    out.extend(wrapped(&last, width, 0).into_iter().map(Line::plain));
    out.push(Line::hint("Nothing was written.  One file: coalwash context FILE"));
    out
}

/// Names the other hosts that load something here.
fn also(others: &[Look]) -> Option<Line> {
    let first = others.first()?;
    let tokens = |look: &Look| format!("{} {}", look.host.name, number(look.tokens().0));
    let all: Vec<String> = others.iter().map(tokens).collect();
    let how = format!("coalwash context --host {}", first.host.id);
    Some(Line::hint(format!("Also here: {} ({how})", all.join(", "))))
}

/// Returns `6 files`.
pub(crate) fn files(count: usize) -> String {
    plural(count, "file", "files")
}

/// Says what the records contradict; nothing when they agree or a later change explains it.
pub(crate) fn drift_headlines(look: &Look, names: &Names<'_>, when: &When) -> Vec<Line> {
    let Check::Recorded(recorded) = &look.check else { return Vec::new() };
    let Recorded { at_ms, drift, .. } = &**recorded;
    let at = at_ms.map_or("once".to_owned(), |ms| when.words(ms));
    let mut out: Vec<Line> = Vec::new();
    for (path, what) in drift.unexplained.iter().take(MOST_DRIFT) {
        let path = names.of(path);
        let text = format!("! {} {at}: {path} was {what}", look.host.name);
        out.push(Line::marked(Mark::Bad, text));
    }
    let left = drift.unexplained.len().saturating_sub(MOST_DRIFT);
    if left > 0 {
        let text = format!("! … and {left} more: coalwash context --observed");
        out.push(Line::marked(Mark::Bad, text));
    }
    out
}

/// Returns the screen of one comparison with what was sent.
pub(super) fn observed(
    look: &Look,
    names: &Names<'_>,
    when: &When,
    ui: &Ui,
    everything: bool,
) -> Vec<Line> {
    let Check::Recorded(recorded) = &look.check else {
        let Check::Nothing(why) = &look.check else { return Vec::new() };
        return vec![Line::plain(format!("Nothing to compare with: {why}."))];
    };
    let Recorded { at_ms, observation, comparison, drift } = &**recorded;
    let at = at_ms.map_or("once".to_owned(), |ms| when.words(ms));
    let version = observation.version.as_deref().unwrap_or("of an unknown version");
    let mut out = vec![Line::marked(
        Mark::Strong,
        format!(
            "{} {version} sent {} {at}; the same now: {}",
            look.host.name,
            files(observation.files.len()),
            if comparison.is_same() { "all".to_owned() } else { comparison.same.to_string() },
        ),
    )];
    let all = drift.unexplained.iter().map(|(path, what)| (path, (*what).to_owned()));
    let explained = drift.explained.iter().map(|(path, written)| {
        let why = match written {
            Some(ms) => format!("written {}, after that session began", when.words(*ms)),
            None => "deleted since".to_owned(),
        };
        (path, why)
    });
    let all: Vec<_> = all.chain(explained).collect();
    if !all.is_empty() {
        out.push(Line::plain(""));
    }
    let room = ui.room(everything).saturating_sub(6);
    for (path, why) in all.iter().take(room) {
        out.push(Line::plain(format!("  {}   {why}", names.of(path))));
    }
    out.extend(more(all.len().saturating_sub(room)));
    if comparison.reordered {
        out.push(Line::plain("  They came in another order."));
    }
    if !ui.by_agent {
        out.push(Line::plain(""));
        out.push(Line::hint("Nothing was written.  The list: coalwash context"));
    }
    out
}

/// Returns the screen of one file.
pub(super) fn opening(opened: &Opened, env: &Env, file: &Utf8Path, ui: &Ui) -> Vec<Line> {
    let scene = &opened.scene;
    let names =
        Names { root: &scene.project, home: env.home.as_deref(), memory: scene.memory.as_deref() };
    let shown = names.of(file);
    let entries = &opened.opening.entries;
    let once = match opened.state {
        FileState::Outside => {
            let text =
                format!("Opening {shown} adds nothing: it is not below the folder of the session.");
            return wrapped(&text, ui.width, 2).into_iter().map(Line::plain).collect();
        }
        FileState::File => "",
        FileState::Missing => " (there is no such file yet)",
        FileState::Folder => " (a folder)",
        FileState::Special => " (no file that can be read)",
    };
    let tokens: Tokens = entries.iter().map(|e| e.tokens).sum();
    let text = match entries.is_empty() {
        true => format!("Opening {shown}{once} adds nothing to a session."),
        false => {
            let tokens = plural(usize::try_from(tokens.0).unwrap_or(0), "token", "tokens");
            format!("Opening {shown}{once} adds {tokens}, once per session:")
        }
    };
    let first = wrapped(&text, ui.width, 2).into_iter();
    let mut out: Vec<Line> = first.map(|line| Line::marked(Mark::Strong, line)).collect();
    let width = entries.iter().map(|e| names.of(&e.path).chars().count()).max().unwrap_or(0);
    let width = width.min(40);
    for entry in entries {
        let path = pad(&names.of(&entry.path), width);
        let why = match (&entry.from, entry.paths.is_empty()) {
            (Some(from), _) => format!("from {}:{}", names.of(&from.path), from.line),
            (None, false) => format!("`paths: {}`", escaped(&entry.paths.join(", "))),
            (None, true) => String::new(),
        };
        let listed = entry.name.as_deref().map(|name| format!("lists skill {}", escaped(name)));
        let why = [listed.unwrap_or_default(), why];
        let why = why.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        let line = format!("{:>8}  {path}   {why}", number(entry.tokens.0));
        out.extend(wrapped(line.trim_end(), ui.width, 10).into_iter().map(Line::plain));
    }
    let unread = opened.unread.iter().map(|u| format!("{}  {}", names.of(&u.path), u.why));
    let not_read: Vec<String> = unread.map(|u| escaped(&u).into_owned()).collect();
    let never = opened.opening.skipped.iter().map(|s| skipped(s, &names)).collect();
    for section in [
        Section::new("Could not be read", not_read, ui),
        Section::new("Never loaded, though it looks as if", never, ui),
    ] {
        out.extend(section.lines(6, ui));
    }
    out
}
