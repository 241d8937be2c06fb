//! `coalwash bin`: what was cut by the Node engine, listed, shown and put back.

use camino::Utf8Path;
use coalwash_core::text::escaped;
use coalwash_core::wash::Plan;
use coalwash_core::wash::node::{Bin, id_time_ms};
use coalwash_store::disk::RealDisk;
use coalwash_store::wash::node::{BinItem, Scope, git_has};
use serde::Serialize;

use super::restore::{opened, project, refused, said};
use crate::cli::{BinAct, BinArgs, Global};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::receipt::Receipt;
use crate::ui::{Line, Names, Ui, pad, plural};
use crate::when::When;
use crate::writer::Writer;

const SCHEMA: &str = "coalwash.bin/1";

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    items: Vec<Item<'a>>,
    not_read: Vec<NotRead<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    bin: &'static str,
    id: &'a str,
    at_ms: Option<i64>,
    bytes: u64,
    original: Option<&'a Utf8Path>,
    listed: bool,
}

#[derive(Serialize)]
struct NotRead<'a> {
    path: &'a Utf8Path,
    why: &'a str,
}

/// Runs the command.
pub(crate) fn run(env: &Env, global: &Global, args: &BinArgs, ui: &mut Ui) -> anyhow::Result<Exit> {
    let project = project(env, global)?;
    match &args.act {
        BinAct::List => list(env, global, &project, ui),
        BinAct::Show { id } => show(&project, id, ui),
        BinAct::Restore { id, dry_run, yes } => {
            let how = match (dry_run, yes) {
                (true, _) => How::Show,
                (false, true) => How::Write,
                (false, false) => How::Ask,
            };
            put_back(env, &project, id, how, ui)
        }
    }
}

fn list(env: &Env, global: &Global, project: &Utf8Path, ui: &mut Ui) -> anyhow::Result<Exit> {
    let bins = opened(project)?.bins();
    if global.json {
        let items = bins.items.iter().map(|it| Item {
            bin: it.bin.name(),
            id: &it.id,
            at_ms: it.at_ms,
            bytes: it.bytes,
            original: it.original.as_deref(),
            listed: it.is_listed,
        });
        let not_read = bins.unread.iter().map(|it| NotRead { path: &it.path, why: &it.why });
        ui.json(&Json { schema: SCHEMA, items: items.collect(), not_read: not_read.collect() })?;
        return Ok(Exit::Ok);
    }
    let names = Names { root: project, home: env.home.as_deref(), memory: None };
    let when = When::new(env.now_ms, env.zone.clone());
    let mut lines = Vec::new();
    let longest = bins.items.iter().map(|it| it.id.len()).max().unwrap_or_default();
    for it in &bins.items {
        let at = it.at_ms.map_or("at an unknown time".to_owned(), |at| when.words(at));
        let from =
            it.original.as_deref().map_or("from an unknown file".to_owned(), |path| names.of(path));
        let size = usize::try_from(it.bytes).unwrap_or(usize::MAX);
        lines.push(Line::plain(format!(
            "{}  {}  {from}, {at}, {}",
            pad(it.bin.name(), Bin::StoreOld.name().len()),
            pad(&escaped(&it.id), longest),
            plural(size, "byte", "bytes"),
        )));
    }
    lines.extend(
        bins.unread.iter().map(|it| Line::plain(format!("not read: {}", escaped(&said(it))))),
    );
    match bins.items.is_empty() {
        true => lines.push(Line::plain("Nothing here was cut by CoalWash 1.x")),
        false => lines.push(Line::hint("Look at one: coalwash bin show ID")),
    }
    ui.screen(&lines)?;
    Ok(Exit::Ok)
}

/// Returns the thing whose id begins with this, and its bytes.
fn found(project: &Utf8Path, id: &str) -> Result<(BinItem, Vec<u8>), Failure> {
    let store = opened(project)?;
    let next = "coalwash bin list";
    let bins = store.bins();
    let mut fits: Vec<&str> =
        bins.items.iter().map(|it| &*it.id).filter(|it| it.starts_with(id)).collect();
    fits.dedup();
    let whole = match &*fits {
        // It may be in what could not be read.
        [] => {
            let none = format!("nothing in a bin is called `{id}`");
            let none = Failure { exit: Exit::No, ..Failure::usage(none, next) };
            return Err(bins.unread.first().map_or(none, refused));
        }
        [one] => *one,
        many if many.contains(&id) => id,
        many => return Err(Failure::usage(format!("`{id}` names {} of a bin", many.len()), next)),
    };
    let item = store.item(whole).map_err(|unread| refused(&unread))?;
    item.ok_or_else(|| Failure::io(format!("`{whole}` went while it was looked for")))
}

fn show(project: &Utf8Path, id: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    let (_, bytes) = found(project, id)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<Line> = text.lines().map(|line| Line::plain(escaped(line))).collect();
    ui.screen(&lines)?;
    Ok(Exit::Ok)
}

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// Say what would be written.
    Show,
    /// The same, and refuse to do it.
    Ask,
    /// Do it.
    Write,
}

fn put_back(
    env: &Env,
    project: &Utf8Path,
    id: &str,
    how: How,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let (item, bytes) = found(project, id)?;
    // It stands in a command that someone may copy, so it has to be an id and nothing else.
    let shown = if id_time_ms(&item.id).is_some() { &*item.id } else { "ID" };
    let scope = Scope { project, tracked: &git_has };
    let back = item.put_back(&RealDisk, scope, bytes);
    let back = back.map_err(|unread| {
        Failure::refused(said(&unread), format!("look at it: `coalwash bin show {shown}`"))
    })?;
    let names = Names { root: project, home: env.home.as_deref(), memory: None };
    let path = item.original.as_deref().map(|path| names.of(path)).unwrap_or_default();
    let Some(plan) = back else {
        ui.screen(&[Line::plain(format!("{path} holds just that already"))])?;
        return Ok(Exit::Ok);
    };
    match how {
        How::Show => {
            ui.screen(&[Line::plain(format!("{path} would be written, {} bytes", item.bytes))])?
        }
        How::Ask => {
            // A repository can ship a bin, so its word for where a text belongs is shown first.
            let path = item.original.as_deref().unwrap_or(Utf8Path::new(""));
            let what = format!(
                "`{path}` would be written ({} bytes), where a bin says it was",
                item.bytes
            );
            return Err(Failure::refused(
                what,
                format!("if meant: `coalwash bin restore {shown} -y`"),
            )
            .into());
        }
        How::Write => {
            let run = carry_out(env, project, plan, ui)?;
            ui.screen(&[Line::plain(format!("Put back {path} (run {run})"))])?;
        }
    }
    Ok(Exit::Ok)
}

/// Carries a plan out that only makes files.
fn carry_out(env: &Env, project: &Utf8Path, plan: Plan, ui: &mut Ui) -> anyhow::Result<u64> {
    let writer = Writer::of(env, project)?;
    let staged = writer.stage(plan)?;
    let reviews = staged.reviews(&|_, _| Vec::new());
    let receipt = Receipt::of(staged.files()).with_facts(&reviews);
    let cleared = staged.cleared(&reviews).map_err(|_| {
        Failure::refused("a file that is only made can't be refused", "report this")
    })?;
    Ok(writer.carry_out(cleared, None, receipt, ui)?.run)
}
