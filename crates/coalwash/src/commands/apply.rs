//! `coalwash apply`: carries out a plan, or puts a draft in the place of a file.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::text::escaped;
use coalwash_core::wash::gate::{Approval, Approvals, Class};
use coalwash_core::wash::{Action, Change, Plan, Review, Target, line_changes};
use coalwash_store::disk::{RealDisk, read_file};
use coalwash_store::wash::Staged;
use serde::Serialize;

use super::diff::lines_of;
use crate::cli::{ApplyArgs, Global};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::receipt::Receipt;
use crate::ui::{Line, Mark, Names, Ui, plural, wrapped};
use crate::writer::Writer;

/// Bytes of a plan that are read.
const MOST_PLAN_BYTES: u64 = 256 << 20;

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &ApplyArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let writer = Writer::of(env, &folder)?.with_keeps()?;
    if !args.dry_run {
        writer.refuse_torn(ui)?;
    }
    let mut plan = plan(&folder, args, &writer)?;
    let given = approvals(&folder, args)?;
    approve(&mut plan, &given, &writer.names());
    let notes = std::mem::take(&mut plan.notes);
    let staged = writer.stage(plan)?;
    if staged.changes_nothing() {
        let what = "Nothing to do: the files are like that already. Nothing was written.";
        match global.json {
            true => ui.json(&nothing())?,
            false => ui.screen(&[Line::plain(what)])?,
        }
        return Ok(Exit::Ok);
    }
    let reviews = staged.reviews(&|path, text| writer.kept(path, text));
    let receipt = Receipt::of(staged.files()).with_facts(&reviews);
    let screen = Screen { writer: &writer, staged: &staged, reviews: &reviews, notes, receipt };
    if let Some(refusal) = screen.refusal() {
        if !global.json {
            ui.screen(&screen.findings(ui))?;
        } else if args.dry_run {
            ui.json(&screen.json(None))?;
            return Ok(Exit::Refused);
        }
        return Err(refusal.into());
    }
    let dirty = match args.allow_dirty {
        true => None,
        false => writer.refuse_uncommitted(&staged).err(),
    };
    if args.dry_run {
        match global.json {
            true => ui.json(&screen.json(None))?,
            false => ui.screen(&screen.dry_run(args, dirty.as_ref(), ui))?,
        }
        return Ok(dirty.map_or(Exit::Ok, |dirty| dirty.exit));
    }
    if let Some(dirty) = dirty {
        return Err(dirty.into());
    }
    let notes = screen.notes;
    let files = staged.files().count();
    let cleared = staged
        .cleared(&reviews)
        .map_err(|_| Failure::refused("the plan is not cleared", "coalwash apply -n"))?;
    let done = writer.carry_out(cleared, None, receipt, ui)?;
    screen_after(
        global,
        ui,
        &writer,
        &Applied {
            run: done.run,
            late: &done.late,
            files,
            receipt,
            reviews: &reviews,
            notes: &notes,
        },
    )?;
    Ok(Exit::Ok)
}

/// Returns the plan that was asked for.
fn plan(folder: &Utf8Path, args: &ApplyArgs, writer: &Writer<'_>) -> Result<Plan, Failure> {
    let path = normal(&folder.join(&args.file));
    let Some(draft) = &args.from else {
        let text = text(folder, &args.file, MOST_PLAN_BYTES)?;
        return Plan::read(&text).map_err(|error| {
            let what = format!("`{}` is no plan: {error}", args.file);
            Failure::usage(what, "to put a text in its place: coalwash apply FILE --from DRAFT")
        });
    };
    let path = writer.named(&path, &args.file);
    let content = text(folder, draft, MOST_PLAN_BYTES)?;
    // What stands there now is what the draft was made from, as far as anyone can tell.
    let exists = path.as_std_path().symlink_metadata().is_ok();
    let change = match exists {
        true => Change::Rewrite { file: Target { path, expected: None }, content },
        false => Change::Create { path, content },
    };
    let reason = format!("draft {draft}");
    let plan = Plan::new("apply", vec![Action { change, reason, approvals: Vec::new() }]);
    plan.checked().map_err(|error| Failure::refused(error.to_string(), "name another file"))
}

/// Returns a path without `.` and `..`, by its words alone.
pub(crate) fn normal(path: &Utf8Path) -> Utf8PathBuf {
    coalwash_core::load::tree::resolved(Utf8Path::new("/"), path.as_str())
}

/// Reads a file by the name that someone gave it.
fn text(folder: &Utf8Path, name: &Utf8Path, most: u64) -> Result<String, Failure> {
    let wrong = |why: String| {
        Failure::usage(
            format!("could not read `{}`: {why}", escaped(name.as_str())),
            "look at the name",
        )
    };
    let bytes = read_file(&folder.join(name), most + 1).map_err(|why| wrong(why.to_string()))?;
    if bytes.len() as u64 > most {
        return Err(wrong(format!("it is larger than {} MiB", most >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))
}

fn approvals(folder: &Utf8Path, args: &ApplyArgs) -> Result<Vec<Approval>, Failure> {
    let Some(path) = &args.approve else { return Ok(Vec::new()) };
    let next = "write one with the findings of `coalwash apply --json -n`";
    let text = text(folder, path, MOST_PLAN_BYTES)?;
    let read = Approvals::read(&text).map_err(|error| {
        Failure::usage(format!("`{path}` is no file of approvals: {error}"), next)
    })?;
    Ok(read.unused().map(|(approval, left)| Approval { count: left, ..approval.clone() }).collect())
}

/// Gives each action the approvals of its files, and notes those of other files.
fn approve(plan: &mut Plan, given: &[Approval], names: &Names<'_>) {
    let paths = plan.actions.iter().flat_map(|action| action.change.paths());
    let known: Vec<String> = paths.flat_map(|path| [path.to_string(), names.of(path)]).collect();
    let others = given.iter().filter(|approval| !known.contains(&approval.file));
    let notes: Vec<String> = others
        .map(|it| format!("approval of a file that doesn't change: {}: {}", it.file, it.text))
        .collect();
    plan.notes.extend(notes);
    for action in &mut plan.actions {
        let paths = action.change.paths().into_iter().map(Utf8Path::to_owned).collect::<Vec<_>>();
        let Some(first) = paths.first() else { continue };
        let is_of = |approval: &&Approval| {
            paths.iter().any(|path| approval.file == *path || approval.file == names.of(path))
        };
        let mine = given.iter().filter(is_of);
        action.approvals.extend(mine.map(|it| Approval { file: first.to_string(), ..it.clone() }));
    }
}

struct Screen<'a> {
    writer: &'a Writer<'a>,
    staged: &'a Staged<RealDisk>,
    reviews: &'a [Review],
    notes: Vec<String>,
    receipt: Receipt,
}

impl Screen<'_> {
    /// Says why the plan can't be carried out as it is.
    fn refusal(&self) -> Option<Failure> {
        let names = self.writer.names();
        if let Some(path) = self.staged.pinned().first() {
            let what = format!(
                "`{}` is pinned: its front matter says that nobody changes it",
                names.of(path)
            );
            return Some(Failure::refused(what, "take `pinned` out of its front matter first"));
        }
        if let Some(path) = self.staged.not_text().first() {
            let what =
                format!("`{}` is not UTF-8 text, and a rewrite would damage it", names.of(path));
            return Some(Failure::refused(what, "save it as UTF-8 first"));
        }
        if let Some(path) = self.reviews.iter().flat_map(|review| &review.kept_goes).next() {
            let what = format!("`{}` has a passage to keep, so it stays there", names.of(path));
            return Some(Failure::refused(what, "take it out of `keep` first"));
        }
        let open: Vec<&Review> =
            self.reviews.iter().filter(|review| !review.unapproved.is_empty()).collect();
        let first = open.first()?;
        let count: usize = open.iter().map(|review| review.unapproved.len()).sum();
        let kept = open.iter().flat_map(|review| &review.unapproved).any(|finding| finding.pinned);
        let many = plural(count, "thing", "things");
        let what = match open.len() {
            1 => format!("{} would lose or change {many}", names.of(&first.path)),
            files => format!("{files} files would lose or change {many}"),
        };
        let next = match (kept, count) {
            (true, _) => "put back what is kept",
            (_, 1) => "put it back, or approve it: `--approve FILE` (`--json -n` has the finding)",
            _ => "put them back, or approve them: `--approve FILE` (`--json -n` has them)",
        };
        Some(Failure::refused(what, next))
    }

    fn findings(&self, ui: &Ui) -> Vec<Line> {
        let names = self.writer.names();
        let mut out = Vec::new();
        for (review, (olds, new)) in self.reviews.iter().zip(&self.staged.texts()) {
            if review.unapproved.is_empty() {
                continue;
            }
            let facts = plural(review.facts_before, "fact", "facts");
            let head =
                format!("{}: {facts} before, {} after", names.of(&review.path), review.facts_after);
            out.push(Line::marked(Mark::Strong, head));
            let new = new.as_deref().unwrap_or_default();
            out.extend(lines_of(&review.unapproved, olds, new, ui.width));
        }
        out.extend(self.asides(ui));
        out
    }

    fn asides(&self, ui: &Ui) -> Vec<Line> {
        let unused = self.reviews.iter().flat_map(|review| &review.unused).map(|approval| {
            let class = approval.class.id();
            format!("approval not needed: {class}: {}", escaped(&approval.text))
        });
        let all = self.notes.iter().map(|note| escaped(note).into_owned()).chain(unused);
        all.flat_map(|line| wrapped(&line, ui.width, 2)).map(Line::plain).collect()
    }

    fn dry_run(&self, args: &ApplyArgs, dirty: Option<&Failure>, ui: &Ui) -> Vec<Line> {
        let names = self.writer.names();
        let count = self.staged.files().count();
        let head =
            format!("Would change {}: {}", plural(count, "file", "files"), self.receipt.words());
        let mut out = vec![Line::marked(Mark::Strong, head)];
        let mut lines = Vec::new();
        for (path, before, after) in self.staged.files() {
            lines.push(format!("  {}{}", names.of(path), kind(before, after)));
            let text = |bytes: Option<&[u8]>| {
                String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
            };
            let (before, after) = (text(before), text(after));
            for change in line_changes(&before, &after) {
                let sign = if change.is_new { '+' } else { '-' };
                let line = format!("    {sign} {:<5} {}", change.line, escaped(change.text));
                lines.extend(wrapped(line.trim_end(), ui.width, 12));
            }
        }
        let room = ui.room(false).saturating_sub(6);
        let hidden = lines.len().saturating_sub(room);
        out.extend(lines.into_iter().take(room).map(Line::plain));
        if hidden > 0 {
            out.push(Line::plain(format!("    ... {}", plural(hidden, "more line", "more lines"))));
        }
        out.extend(self.asides(ui));
        out.push(Line::plain(format!("{}. Nothing was written.", self.receipt.facts())));
        out.extend(dirty.into_iter().flat_map(|dirty| dirty.as_a_warning(ui.width)));
        out.push(Line::hint(format!("Do it: coalwash apply {}{}", args.file, switches(args))));
        out
    }

    fn json(&self, run: Option<u64>) -> Json {
        let files = self.reviews.iter().map(JsonFile::of);
        Json {
            schema: "coalwash.apply/1",
            applied: run.is_some(),
            run,
            tokens_before: self.receipt.tokens_before,
            tokens_after: self.receipt.tokens_after,
            files: files.collect(),
            notes: self.notes.clone(),
        }
    }
}

/// The answer where the files are as they should be.
fn nothing() -> Json {
    Json {
        schema: "coalwash.apply/1",
        applied: false,
        run: None,
        tokens_before: 0,
        tokens_after: 0,
        files: Vec::new(),
        notes: Vec::new(),
    }
}

/// Returns what else was on the command line, but for the dry run.
fn switches(args: &ApplyArgs) -> String {
    let mut out = String::new();
    for (name, value) in [("--from", &args.from), ("--approve", &args.approve)] {
        out.extend(value.iter().map(|value| format!(" {name} {value}")));
    }
    if args.allow_dirty {
        out.push_str(" --allow-dirty");
    }
    out
}

fn kind(before: Option<&[u8]>, after: Option<&[u8]>) -> &'static str {
    match (before, after) {
        (None, _) => " (new)",
        (_, None) => " (goes)",
        _ => "",
    }
}

#[derive(Serialize)]
struct Json {
    schema: &'static str,
    applied: bool,
    run: Option<u64>,
    tokens_before: u64,
    tokens_after: u64,
    files: Vec<JsonFile>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct JsonFile {
    path: Utf8PathBuf,
    facts_before: usize,
    facts_after: usize,
    unapproved: Vec<JsonFinding>,
}

#[derive(Serialize)]
struct JsonFinding {
    class: Class,
    pinned: bool,
    text: String,
    note: String,
}

impl JsonFile {
    fn of(review: &Review) -> Self {
        let findings = review.unapproved.iter().map(|finding| JsonFinding {
            class: finding.class,
            pinned: finding.pinned,
            text: finding.text.clone(),
            note: finding.note.clone(),
        });
        Self {
            path: review.path.clone(),
            facts_before: review.facts_before,
            facts_after: review.facts_after,
            unapproved: findings.collect(),
        }
    }
}

/// What was done.
struct Applied<'a> {
    run: u64,
    late: &'a [Utf8PathBuf],
    files: usize,
    receipt: Receipt,
    reviews: &'a [Review],
    notes: &'a [String],
}

fn screen_after(
    global: &Global,
    ui: &mut Ui,
    writer: &Writer<'_>,
    done: &Applied<'_>,
) -> anyhow::Result<()> {
    if global.json {
        let files = done.reviews.iter().map(JsonFile::of);
        return ui.json(&Json {
            schema: "coalwash.apply/1",
            applied: true,
            run: Some(done.run),
            tokens_before: done.receipt.tokens_before,
            tokens_after: done.receipt.tokens_after,
            files: files.collect(),
            notes: done.notes.to_vec(),
        });
    }
    let files = plural(done.files, "file", "files");
    let head = format!("Changed {files}: {}", done.receipt.words());
    let mut out = vec![Line::marked(Mark::Strong, head)];
    out.push(Line::plain(format!("{}.", done.receipt.facts())));
    out.extend(late(done.late, &writer.names()));
    out.push(Line::hint("Take it back: coalwash undo"));
    ui.screen(&out)
}

/// Says that another program wrote into files while they were replaced.
pub(crate) fn late(paths: &[Utf8PathBuf], names: &Names<'_>) -> Option<Line> {
    let all: Vec<String> = paths.iter().map(|path| names.of(path)).collect();
    (!all.is_empty()).then(|| {
        let all = all.join(", ");
        let text = format!(
            "Another program wrote into {all} meanwhile; what it wrote is kept: coalwash log"
        );
        Line::marked(Mark::Warn, text)
    })
}
