//! `coalwash quick`: cuts exact repeats from memory files, and nothing else.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::repeats::Repeats;
use coalwash_core::load::{Entry, Kind, Origin, Owner, Tier};
use coalwash_core::text::{Tokens, escaped};
use coalwash_core::wash::quick::{Cut, Removed, cut};
use coalwash_core::wash::{Action, Change, Plan, Target};
use coalwash_store::disk::read_file;
use coalwash_store::wash::StageError;
use serde::Serialize;

use super::apply::late;
use crate::cli::{Global, Host, QuickArgs};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::look::{Depth, ESTIMATOR, Look, look, others};
use crate::receipt::Receipt;
use crate::ui::{Line, Mark, Ui, ends, escaped_head, kilo, number, plural, wrapped};
use crate::writer::Writer;

/// Repeats of one file that are shown.
const MOST_REPEATS: usize = 3;
/// Pairs that are shown.
const MOST_SIMILAR: usize = 8;
/// Bytes of a file that are read; repeats aren't looked for in larger ones.
const MOST_BYTES: u64 = coalwash_core::load::repeats::MOST_BYTES as u64;

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &QuickArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let writer = Writer::of(env, &folder)?.with_keeps()?;
    if !args.dry_run {
        writer.refuse_torn(ui)?;
    }
    let first = look(env, &folder, Depth::List, global.host.unwrap_or(Host::ClaudeCode))?;
    let others = match global.host {
        Some(_) => Vec::new(),
        None => others(env, &folder, Depth::List)?,
    };
    let looks: Vec<&Look> = std::iter::once(&first).chain(&others).collect();
    let found = Found::of(&looks, &writer, args);
    let similar = if args.similar { similar(&looks) } else { Vec::new() };
    let shown = Shown { found: &found, first: &first, similar: &similar, args, writer: &writer };
    if found.files.is_empty() {
        match global.json {
            true => ui.json(&shown.json(None))?,
            false => ui.screen(&shown.nothing(ui))?,
        }
        return Ok(Exit::Ok);
    }
    let staged = writer.stage(found.plan())?;
    let refusal = match args.allow_dirty {
        true => None,
        false => writer.refuse_uncommitted(&staged).err(),
    };
    let reviews = staged.reviews(&|path, text| writer.kept(path, text));
    let receipt = Receipt::of(staged.files()).with_facts(&reviews);
    let cleared = staged.cleared(&reviews).map_err(|_| {
        let what = "the gate found a loss in what quick would cut; that is a bug";
        Failure::refused(what, "coalwash quick -n --json, and report it")
    })?;
    if args.dry_run {
        match global.json {
            true => ui.json(&shown.json(None))?,
            false => ui.screen(&shown.dry_run(receipt, refusal.as_ref(), ui))?,
        }
        return Ok(refusal.map_or(Exit::Ok, |refusal| refusal.exit));
    }
    if let Some(refusal) = refusal {
        return Err(refusal.into());
    }
    let done = writer.carry_out(cleared, None, receipt, ui)?;
    if global.json {
        ui.json(&shown.json(Some(done.run)))?;
        return Ok(Exit::Ok);
    }
    let mut out = shown.after(ui);
    out.extend(late(&done.late, &writer.names()));
    ui.screen(&out)?;
    Ok(Exit::Ok)
}

/// A file that loses repeats.
struct CutFile {
    path: Utf8PathBuf,
    bytes: Vec<u8>,
    cut: Cut,
    kind: Kind,
    owner: Owner,
    /// Whether it is loaded into every session.
    always: bool,
}

impl CutFile {
    fn action(&self) -> Action {
        let file = Target::holding(self.path.clone(), &self.bytes);
        let content = self.cut.text.clone();
        let change = Change::Rewrite { file, content };
        Action { change, reason: "exact repeats".to_owned(), approvals: Vec::new() }
    }
}

/// What quick would do here.
#[derive(Default)]
struct Found {
    files: Vec<CutFile>,
    /// How many files were looked into.
    looked_into: usize,
    /// Files that were left alone, and why.
    left: BTreeMap<Utf8PathBuf, String>,
}

impl Found {
    fn of(looks: &[&Look], writer: &Writer<'_>, args: &QuickArgs) -> Self {
        let mut out = Self::default();
        let mut seen: Vec<&Utf8Path> = Vec::new();
        let all = || looks.iter().flat_map(|look| &look.map.entries);
        for entry in all().filter(|entry| is_washable(entry)) {
            if seen.contains(&entry.real()) {
                continue;
            }
            seen.push(entry.real());
            match left_alone(entry, writer, args) {
                Some(Why::NotOurs) => {}
                Some(Why::Said(why)) => {
                    out.left.insert(entry.path.clone(), why);
                }
                None => {
                    let real = entry.real();
                    let is_always = |it: &&Entry| it.real() == real && it.tier == Tier::Always;
                    let always = all().any(|it| is_always(&it));
                    out.look_into(entry, always, writer);
                }
            }
        }
        out.files.sort_by_key(|file| std::cmp::Reverse(file.cut.saved));
        out
    }

    fn look_into(&mut self, entry: &Entry, always: bool, writer: &Writer<'_>) {
        let path = entry.real();
        let mut left = |why: String| {
            self.left.insert(path.to_owned(), why);
        };
        let bytes = match read_file(path, MOST_BYTES + 1) {
            Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
                return left(format!("it is larger than {} MiB", MOST_BYTES >> 20));
            }
            Ok(bytes) => bytes,
            Err(why) => return left(why.to_string()),
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return left("it is not UTF-8".to_owned());
        };
        let kept = writer.kept(path, text);
        let Some(cut) = cut(text, &kept, &ESTIMATOR) else {
            self.looked_into += 1;
            return;
        };
        let (path, kind, owner) = (path.to_owned(), entry.kind, entry.owner);
        let file = CutFile { path, bytes, cut, kind, owner, always };
        // One file that can't be replaced doesn't keep the others from being washed.
        match writer.reader().stage(Plan::new("quick", vec![file.action()]), &writer.roots) {
            Ok(_) => {
                self.looked_into += 1;
                self.files.push(file);
            }
            Err(StageError::HardLink { .. }) => left("it has other names: hard links".to_owned()),
            Err(error) => left(error.to_string()),
        }
    }

    fn plan(&self) -> Plan {
        Plan::new("quick", self.files.iter().map(CutFile::action).collect())
    }

    /// What a session is spared.
    fn saved(&self) -> Tokens {
        self.files.iter().filter(|file| file.always).map(|file| file.cut.saved).sum()
    }
}

/// Why a file that could be washed isn't.
enum Why {
    /// It is no business of this command, here or with these switches.
    NotOurs,
    /// It is worth a word.
    Said(String),
}

/// Memory, instruction files and rules; never skills, commands, agents, settings.
fn is_washable(entry: &Entry) -> bool {
    let is_markdown = || entry.real().extension().is_some_and(|it| it.eq_ignore_ascii_case("md"));
    match entry.kind {
        Kind::Memory | Kind::Instructions | Kind::Rule => true,
        Kind::Import => is_markdown(),
        Kind::Skill | Kind::Command | Kind::Agent => false,
    }
}

fn left_alone(entry: &Entry, writer: &Writer<'_>, args: &QuickArgs) -> Option<Why> {
    let real = entry.real();
    let is_in =
        |folder: &Option<Utf8PathBuf>| folder.as_ref().is_some_and(|it| real.starts_with(it));
    if matches!(entry.owner, Owner::Managed | Owner::Inherited) {
        return Some(Why::NotOurs);
    }
    if !writer.roots.iter().any(|root| real.starts_with(root)) {
        // Memory that a settings file puts elsewhere: a repository can name any folder there.
        let why = match entry.kind {
            Kind::Memory => "it lies outside the agent's own folder",
            _ if real.starts_with(&writer.root) => "a home is no project",
            _ => return Some(Why::NotOurs),
        };
        return Some(Why::Said(why.to_owned()));
    }
    let in_project = real.starts_with(&writer.root) || is_in(&writer.memory);
    if !in_project && !args.user {
        return Some(Why::NotOurs);
    }
    if args.mine && entry.owner == Owner::Git {
        return Some(Why::NotOurs);
    }
    if entry.target.is_some() {
        return Some(Why::Said("it is a link".to_owned()));
    }
    None
}

/// Likely repeats: never cut.
fn similar(looks: &[&Look]) -> Vec<(Origin, Origin, String)> {
    let mut out = Vec::new();
    for look in looks {
        for repeat in Repeats::of(&look.map.entries, &ESTIMATOR).all {
            let pair = (repeat.at, repeat.same_as, repeat.text);
            if !repeat.certain && !out.contains(&pair) {
                out.push(pair);
            }
        }
    }
    out
}

struct Shown<'a> {
    found: &'a Found,
    first: &'a Look,
    similar: &'a [(Origin, Origin, String)],
    args: &'a QuickArgs,
    writer: &'a Writer<'a>,
}

impl Shown<'_> {
    /// What every session costs now and afterwards.
    fn tokens(&self) -> (Tokens, Tokens) {
        let before = self.first.tokens();
        (before, Tokens(before.0.saturating_sub(self.found.saved().0)))
    }

    fn nothing(&self, ui: &Ui) -> Vec<Line> {
        let what = match (self.found.looked_into, self.args.user) {
            (0, true) => "Nothing to cut: no file here may be changed.".to_owned(),
            (0, false) => {
                "Nothing to cut: no file here may be changed (--user: also your own).".to_owned()
            }
            (some, _) => {
                let files = plural(some, "file", "files");
                format!("Nothing to cut: no exact repeats of 20 tokens or more in {files}.")
            }
        };
        let mut out = vec![Line::plain(what)];
        out.extend(self.left(ui));
        out.extend(self.pairs(ui));
        out
    }

    fn dry_run(&self, receipt: Receipt, refusal: Option<&Failure>, ui: &Ui) -> Vec<Line> {
        let files = plural(self.found.files.len(), "file", "files");
        let (before, after) = self.tokens();
        let session = match before == after {
            true => format!("{} tokens, none of them in every session", kilo(self.saved())),
            false if kilo(before) == kilo(after) => {
                format!("{} of {} tokens in every session", kilo(self.found.saved()), kilo(before))
            }
            false => format!("{} -> {} tokens in every session", kilo(before), kilo(after)),
        };
        let head = format!("Would cut exact repeats from {files}: {session}");
        let mut out = vec![Line::marked(Mark::Strong, head), Line::plain("")];
        let room = ui.room(self.args.all).saturating_sub(9);
        let mut lines = Vec::new();
        for file in &self.found.files {
            lines.extend(self.file_lines(file, ui));
        }
        let hidden = lines.len().saturating_sub(room);
        out.extend(lines.into_iter().take(room).map(Line::plain));
        if hidden > 0 {
            let more = plural(hidden, "more line", "more lines");
            out.push(Line::plain(format!("    ... {more} (--all)")));
        }
        out.push(Line::plain(""));
        out.push(Line::plain(format!("{}. None dropped, changed or moved.", receipt.facts())));
        out.extend(self.left(ui));
        out.extend(self.pairs(ui));
        out.extend(refusal.into_iter().flat_map(|refusal| refusal.as_a_warning(ui.width)));
        let git = self.found.files.iter().any(|file| file.owner == Owner::Git);
        let mine = if git && !self.args.mine { "    Only yours: add --mine" } else { "" };
        let how = self.switches();
        out.push(Line::hint(format!("Nothing was written. Do it: coalwash quick{how}{mine}")));
        out
    }

    fn after(&self, ui: &Ui) -> Vec<Line> {
        let (before, after) = self.tokens();
        let head = match before == after {
            true => format!("Cut {} tokens, none of them in every session", kilo(self.saved())),
            false => format!(
                "Cut {} tokens from every session ({} -> {})",
                kilo(self.found.saved()),
                kilo(before),
                kilo(after)
            ),
        };
        let files = plural(self.found.files.len(), "file", "files");
        let text = format!("{files}, no fact lost.");
        let mut out = vec![Line::marked(Mark::Strong, head), Line::plain(text)];
        out.extend(self.left(ui));
        out.push(Line::hint("Take it back: coalwash undo"));
        out
    }

    fn saved(&self) -> Tokens {
        self.found.files.iter().map(|file| file.cut.saved).sum()
    }

    fn switches(&self) -> String {
        let all = [
            (self.args.mine, " --mine"),
            (self.args.user, " --user"),
            (self.args.allow_dirty, " --allow-dirty"),
        ];
        all.into_iter().filter(|(on, _)| *on).map(|(_, text)| text).collect()
    }

    fn file_lines(&self, file: &CutFile, ui: &Ui) -> Vec<String> {
        let name = self.writer.names().of(&file.path);
        let whose = whose(file, self.writer);
        let head = format!("  {name} ({whose})");
        let mut out = vec![ends(&head, &format!("-{}", number(file.cut.saved.0)), ui.width)];
        let most = if self.args.all { usize::MAX } else { MOST_REPEATS };
        for removed in file.cut.removed.iter().take(most) {
            out.push(repeat_line(removed, ui.width));
        }
        let hidden = file.cut.removed.len().saturating_sub(most);
        if hidden > 0 {
            let more = plural(hidden, "more, an exact repeat", "more, all exact repeats");
            out.push(format!("      ... {more} (--all)"));
        }
        if file.cut.removed.is_empty() {
            out.push("    blank lines and blanks at the end of lines".to_owned());
        }
        out
    }

    fn left(&self, ui: &Ui) -> Vec<Line> {
        let names = self.writer.names();
        let each = self.found.left.iter();
        let lines = each.flat_map(|(path, why)| {
            wrapped(&format!("Left alone: {} ({})", names.of(path), escaped(why)), ui.width, 2)
        });
        lines.map(Line::plain).collect()
    }

    fn pairs(&self, ui: &Ui) -> Vec<Line> {
        if !self.args.similar {
            return Vec::new();
        }
        let names = self.writer.names();
        let head = match self.similar.len() {
            0 => "Nothing else is said twice.".to_owned(),
            count => {
                format!("Said twice, never cut by itself ({}):", plural(count, "pair", "pairs"))
            }
        };
        let mut out = vec![Line::plain(head)];
        let most = if self.args.all { usize::MAX } else { MOST_SIMILAR };
        for (at, same, text) in self.similar.iter().take(most) {
            let place = |origin: &Origin| format!("{}:{}", names.of(&origin.path), origin.line);
            let places = format!("  {}  {}", place(at), place(same));
            let room = ui.width.saturating_sub(places.chars().count() + 2);
            out.push(Line::plain(format!("{places}  {}", escaped_head(text.trim(), room.max(20)))));
        }
        let hidden = self.similar.len().saturating_sub(most);
        if hidden > 0 {
            out.push(Line::plain(format!("  ... {} more (--all)", number(hidden as u64))));
        }
        out
    }

    fn json(&self, run: Option<u64>) -> Json<'_> {
        let (before, after) = self.tokens();
        let files = self.found.files.iter().map(|file| JsonFile {
            path: &file.path,
            owner: file.owner,
            saved_tokens: file.cut.saved.0,
            removed: file.cut.removed.iter().map(JsonRemoved::of).collect(),
        });
        let left = self.found.left.iter().map(|(path, why)| JsonLeft { path, why });
        Json {
            schema: "coalwash.quick/1",
            applied: run.is_some(),
            run,
            tokens_before: before.0,
            tokens_after: after.0,
            files: files.collect(),
            left_alone: left.collect(),
            similar: self
                .similar
                .iter()
                .map(|(at, same_as, text)| JsonPair { at, same_as, text })
                .collect(),
        }
    }
}

/// Says whose a file is.
fn whose(file: &CutFile, writer: &Writer<'_>) -> &'static str {
    match (file.owner, file.kind) {
        (Owner::Git, _) => "in git, your team's",
        (_, Kind::Memory) => "yours, this project",
        _ if !file.path.starts_with(&writer.root) => "yours, all projects",
        _ => "yours, not in git",
    }
}

fn repeat_line(removed: &Removed, width: usize) -> String {
    let lines = |range: &std::ops::RangeInclusive<usize>| match range.start() == range.end() {
        true => range.start().to_string(),
        false => format!("{}-{}", range.start(), range.end()),
    };
    let word = if removed.same_as.start() == removed.same_as.end() { "line" } else { "lines" };
    let same = format!("same as {word} {}", lines(&removed.same_as));
    let place = format!("    - {:<7} ", lines(&removed.lines));
    let room = width.saturating_sub(place.len() + same.len() + 2);
    ends(&format!("{place}{}", escaped_head(&removed.first_line, room)), &same, width)
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    applied: bool,
    run: Option<u64>,
    tokens_before: u64,
    tokens_after: u64,
    files: Vec<JsonFile<'a>>,
    left_alone: Vec<JsonLeft<'a>>,
    similar: Vec<JsonPair<'a>>,
}

#[derive(Serialize)]
struct JsonFile<'a> {
    path: &'a Utf8Path,
    owner: Owner,
    saved_tokens: u64,
    removed: Vec<JsonRemoved<'a>>,
}

/// A repeat that goes: lines of the old text, from 1, first and last.
#[derive(Serialize)]
struct JsonRemoved<'a> {
    lines: [usize; 2],
    same_as: [usize; 2],
    tokens: u64,
    text: &'a str,
}

impl<'a> JsonRemoved<'a> {
    fn of(removed: &'a Removed) -> Self {
        Self {
            lines: [*removed.lines.start(), *removed.lines.end()],
            same_as: [*removed.same_as.start(), *removed.same_as.end()],
            tokens: removed.tokens.0,
            text: &removed.first_line,
        }
    }
}

#[derive(Serialize)]
struct JsonLeft<'a> {
    path: &'a Utf8Path,
    why: &'a str,
}

#[derive(Serialize)]
struct JsonPair<'a> {
    at: &'a Origin,
    same_as: &'a Origin,
    text: &'a str,
}
