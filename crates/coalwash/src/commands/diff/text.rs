//! A comparison for people.

use coalwash_core::text::escaped;
use coalwash_core::wash::gate::Class;

use super::{Compared, Diffed, Told};
use crate::cli::DiffArgs;
use crate::ui::{Line, Mark, Ui, number, plural, wrapped};

/// Columns of the word that says what happened, and of the lines.
const WORD: usize = 11;
const PLACE: usize = 10;

/// Returns the screen.
pub(super) fn lines(diffed: &Diffed, args: &DiffArgs, ui: &Ui) -> Vec<Line> {
    let mut out = Vec::new();
    for file in &diffed.files {
        out.push(head(file));
        let shown = |told: &&Told| args.all || told.fails(diffed.strict);
        for told in file.findings.iter().filter(shown) {
            out.extend(finding(told, diffed.strict, ui.width));
        }
    }
    for (name, why) in &diffed.unread {
        let text = format!("{}: not compared: {}", escaped(name), escaped(why));
        out.push(Line::marked(Mark::Warn, text));
    }
    out.extend(asides(diffed, args.all).into_iter().map(Line::plain));
    let mark = if diffed.passes() { None } else { Some(Mark::Bad) };
    let last = summary(diffed);
    out.push(mark.map_or_else(|| Line::plain(last.clone()), |mark| Line::marked(mark, &last)));
    if let Some(hint) = next(diffed) {
        out.push(Line::hint(hint));
    }
    out
}

fn head(file: &Compared) -> Line {
    let kept = file.kept();
    let name = if file.old.len() > 1 {
        format!("{} → {}", file.old.join(" + "), file.new)
    } else if file.old.first() == Some(&file.new) {
        file.new.clone()
    } else {
        format!("{} → {}", file.old.first().map_or("", String::as_str), file.new)
    };
    let facts = plural(file.facts(), "fact", "facts");
    let said = if kept == file.facts() {
        format!("{facts}, all found again")
    } else {
        format!("{facts}, {} found again as they were", number(kept as u64))
    };
    Line::marked(Mark::Strong, format!("{}: {said}", escaped(&name)))
}

pub(super) fn finding(told: &Told, strict: bool, width: usize) -> Vec<Line> {
    let place = match (told.old, told.new) {
        (Some(old), Some(new)) if old.line == new.line => old.line.to_string(),
        (Some(old), Some(new)) => format!("{}→{}", old.line, new.line),
        (Some(old), None) => old.line.to_string(),
        (None, Some(new)) => format!("→{}", new.line),
        (None, None) => String::new(),
    };
    let found = &told.finding;
    let mut text = escaped(&found.text).into_owned();
    if matches!(found.class, Class::MovedSection | Class::SectionMoved) && !found.note.is_empty() {
        text.push_str(&format!("  {}", escaped(&found.note)));
    } else if !found.note.is_empty() && found.note != found.text && found.text.len() < 48 {
        text.push_str(&format!("  in: {}", escaped(&found.note)));
    }
    if found.pinned {
        text.push_str("  (a passage to keep)");
    }
    if told.approved {
        text.push_str("  (approved)");
    }
    let word = found.class.word();
    let line = format!("  {word:<WORD$}{place:<PLACE$}{text}");
    let bad = told.fails(strict);
    let lines = wrapped(&line, width, WORD + PLACE + 2).into_iter();
    lines.map(|line| if bad { Line::marked(Mark::Bad, line) } else { Line::plain(line) }).collect()
}

/// What is told in one line: rewordings, copies, what was approved, what nothing needed.
fn asides(diffed: &Diffed, all: bool) -> Vec<String> {
    let count = |wanted: &dyn Fn(&Told) -> bool| {
        diffed.files.iter().flat_map(|file| &file.findings).filter(|told| wanted(told)).count()
    };
    let mut out = Vec::new();
    let more = if all { "" } else { " (--all)" };
    let quiet = |told: &Told| !told.fails(diffed.strict) && !told.approved;
    let reworded = count(&|told| quiet(told) && told.finding.class == Class::Reworded);
    if reworded > 0 {
        let what = plural(reworded, "passage", "passages");
        out.push(format!("{what} reworded with the same values and force{more}"));
    }
    let others = count(&|told| quiet(told) && told.finding.class != Class::Reworded);
    if others > 0 {
        let what = plural(others, "harmless change", "harmless changes");
        out.push(format!("{what} of place or of copies{more}"));
    }
    let approved = count(&|told| told.approved && told.finding.blocks());
    if approved > 0 {
        out.push(format!("{} approved{more}", plural(approved, "change", "changes")));
    }
    for (approval, left) in &diffed.unused {
        let times = if *left > 1 { format!(" ({left} times)") } else { String::new() };
        out.push(format!(
            "approval not needed{times}: {}: {} {}",
            escaped(&approval.file),
            approval.class.id(),
            escaped(&approval.text)
        ));
    }
    for entry in &diffed.not_kept {
        out.push(format!("`keep` names a heading that isn't there: {}", escaped(entry)));
    }
    out
}

/// Returns the closing line; it says no more than was looked at.
pub(super) fn summary(diffed: &Diffed) -> String {
    let failing = diffed.failing();
    let unread = match diffed.unread.len() {
        0 => String::new(),
        count => format!("; {} not compared", plural(count, "file", "files")),
    };
    if failing > 0 {
        let what = plural(failing, "fact", "facts");
        return format!("{what} lost, changed or moved{unread}.");
    }
    match diffed.files.len() {
        0 if unread.is_empty() => "No file that agents load has changed.".to_owned(),
        0 => format!("Nothing compared{unread}."),
        count => {
            let files = plural(count, "file", "files");
            format!("No fact lost, changed or moved that the gate can see, in {files}{unread}.")
        }
    }
}

/// Returns what to do where the changes are meant.
fn next(diffed: &Diffed) -> Option<String> {
    if diffed.failing() == 0 {
        return None;
    }
    if !diffed.by_trailer {
        return Some("Meant? `coalwash diff --json` has what `--approve FILE` reads.".to_owned());
    }
    let trailers: Vec<String> =
        diffed.files.iter().filter_map(|file| trailer(file, diffed)).collect();
    Some(format!("Meant? Commit trailer: {}", trailers.join(" and ")))
}

/// Returns the trailer that accepts what fails in a file.
pub(super) fn trailer(file: &Compared, diffed: &Diffed) -> Option<String> {
    let mut lines: Vec<usize> = file
        .failing(diffed.strict)
        .filter_map(|told| told.old.or(told.new).map(|place| place.line))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let name = file.old.first()?;
    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
    (!lines.is_empty()).then(|| format!("Coalwash-Ok: {name}:{}", lines.join(",")))
}
