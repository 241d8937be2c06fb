//! `coalwash keep`: passages that no one may cut.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::text::escaped;
use coalwash_core::wash::{Keep, lines_of};
use coalwash_store::disk::read_file;
use serde::Serialize;

use super::apply::normal;
use crate::cli::{Global, KeepAct, KeepArgs};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::ui::{Line, Mark, Ui, escaped_head, pad, plural};
use crate::writer::{Writer, physical};

/// Bytes of a file of which a passage is kept.
const MOST_BYTES: u64 = 8 << 20;

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &KeepArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let writer = Writer::of(env, &folder)?.with_keeps()?;
    match &args.act {
        None | Some(KeepAct::List) => list(&writer, global, ui),
        Some(KeepAct::Add { place, reason, ask }) => {
            let keep = passage(&writer, &folder, place, reason.as_deref(), *ask)?;
            let name = writer.names().of(&keep.file);
            let store = writer.store_of(&keep.file)?;
            let what = match &keep.anchor {
                None => format!("all of {name}"),
                Some(anchor) => {
                    let line = anchor.lines().next().unwrap_or_default();
                    format!("in {name}: {}", escaped_head(line, 48))
                }
            };
            let id = writer.change_keeps(&store, |keeps| keeps.add(keep))?;
            ui.screen(&[
                Line::plain(format!("Kept (k{id}), {what}")),
                Line::hint(format!("Let it go: coalwash keep rm k{id}")),
            ])?;
            Ok(Exit::Ok)
        }
        Some(KeepAct::Rm { id }) => {
            let (store, number) = find(&writer, id)?;
            writer.change_keeps(&store, |keeps| keeps.keeps.retain(|keep| keep.id != number))?;
            ui.screen(&[Line::plain(format!("Let go: k{number}"))])?;
            Ok(Exit::Ok)
        }
        Some(KeepAct::Answer { id }) => {
            let (store, number) = find(&writer, id)?;
            writer.change_keeps(&store, |keeps| {
                let keep = keeps.keeps.iter_mut().find(|keep| keep.id == number);
                keep.into_iter().for_each(|keep| keep.pending_user = false);
            })?;
            ui.screen(&[Line::plain(format!("Answered: k{number} is kept"))])?;
            Ok(Exit::Ok)
        }
    }
}

/// Reads `FILE`, `FILE:N` or `FILE:N-M`.
fn passage(
    writer: &Writer<'_>,
    folder: &Utf8Path,
    place: &str,
    reason: Option<&str>,
    ask: bool,
) -> Result<Keep, Failure> {
    let numbers = |lines: &str| -> Option<(usize, usize)> {
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    let split = place.rsplit_once(':').and_then(|(file, lines)| Some((file, numbers(lines)?)));
    let (file, lines) = match split {
        Some((file, lines)) => (file, Some(lines)),
        None => (place, None),
    };
    let path = writer.named(&normal(&folder.join(file)), Utf8Path::new(file));
    let path = physical(&path);
    let wrong = |what: String| Failure::usage(what, "coalwash keep add FILE:41, or FILE:41-44");
    let bytes = read_file(&path, MOST_BYTES)
        .map_err(|why| wrong(format!("could not read `{file}`: {why}")))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong(format!("`{file}` is not UTF-8")))?;
    let anchor = match lines {
        None => None,
        Some((first, last)) => {
            let passage = lines_of(&text, first, last);
            let passage = passage
                .ok_or_else(|| wrong(format!("`{file}` has nothing in line {first} to {last}")))?;
            Some(passage.to_owned())
        }
    };
    Ok(Keep {
        id: 0,
        file: path,
        anchor,
        reason: reason.unwrap_or_default().to_owned(),
        at_ms: writer.env.now_ms,
        pending_user: ask,
        more: serde_json::Map::new(),
    })
}

/// Returns the folder and the number of a keep.
fn find(writer: &Writer<'_>, id: &str) -> Result<(Utf8PathBuf, u64), Failure> {
    let number: Option<u64> = id.trim_start_matches('k').parse().ok();
    let all = writer.keeps()?;
    let found: Vec<&(Utf8PathBuf, Keep)> =
        all.iter().filter(|(_, keep)| Some(keep.id) == number).collect();
    match found[..] {
        [(store, keep)] => Ok((store.clone(), keep.id)),
        [] => {
            let next = Some("coalwash keep".to_owned());
            Err(Failure::new(Exit::No, format!("nothing is kept as `{id}`"), next))
        }
        _ => {
            let what = format!("`{id}` is the number of several keeps");
            Err(Failure::usage(what, "go to the folder of the file, or use `-C DIR`"))
        }
    }
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    keeps: Vec<&'a Keep>,
    team: Vec<String>,
}

fn list(writer: &Writer<'_>, global: &Global, ui: &mut Ui) -> anyhow::Result<Exit> {
    let all = writer.keeps()?;
    let team = writer.config.texts("keep");
    if global.json {
        let keeps = all.iter().map(|(_, keep)| keep).collect();
        ui.json(&Json { schema: "coalwash.keep/1", keeps, team })?;
        return Ok(Exit::Ok);
    }
    let names = writer.names();
    let count = all.len() + team.len();
    let head = match count {
        0 => "Nothing is kept here.".to_owned(),
        count => format!("{} that no one may cut:", plural(count, "passage", "passages")),
    };
    let mut out = vec![Line::marked(Mark::Strong, head)];
    for (_, keep) in &all {
        let words = keep.anchor.as_deref().and_then(|it| it.lines().next());
        let words = words.map_or_else(|| "all of it".to_owned(), |it| escaped_head(it, 40));
        let mut line =
            format!("  {}  {}  {words}", pad(&format!("k{}", keep.id), 4), names.of(&keep.file));
        if !keep.reason.is_empty() {
            line.push_str(&format!("  ({})", escaped_head(&keep.reason, 30)));
        }
        out.push(Line::plain(line));
        if keep.pending_user {
            let text = format!(
                "        waits for you: coalwash keep answer k{0}, or keep rm k{0}",
                keep.id
            );
            out.push(Line::marked(Mark::Warn, text));
        }
    }
    for entry in &team {
        out.push(Line::plain(format!("  team  {}", escaped(entry))));
    }
    out.push(Line::hint("Add one: coalwash keep add FILE:41"));
    ui.screen(&out)?;
    Ok(Exit::Ok)
}
