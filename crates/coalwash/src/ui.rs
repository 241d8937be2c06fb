//! All output: what goes to the screen, and how figures, paths and lists look there.

use std::io::Write as _;

use camino::Utf8Path;
use coalwash_core::load::tree::below;
use coalwash_core::text::{Tokens, escaped};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::env::Env;
use crate::exit::{Exit, Failure, UNTOUCHED};

/// Lines of a screen unless everything is asked for.
pub(crate) const SCREEN_LINES: usize = 24;
/// Lines of a screen that an agent pays for.
pub(crate) const AGENT_LINES: usize = 12;

/// Where a command prints.
#[derive(Debug)]
pub(crate) struct Ui {
    /// Columns.
    pub(crate) width: usize,
    /// Whether an agent reads along: no bars, no hints.
    pub(crate) by_agent: bool,
    colour: bool,
    quiet: bool,
    broken_pipe: bool,
}

impl Ui {
    /// Makes the output of one run.
    pub(crate) fn new(env: &Env, colour: Option<bool>, quiet: bool) -> Self {
        Self {
            // An agent pays by the line, not by the column.
            width: if env.by_agent { 240 } else { env.width },
            by_agent: env.by_agent,
            colour: colour.unwrap_or(env.colour) && !env.by_agent,
            quiet,
            broken_pipe: false,
        }
    }

    /// Prints the lines of a screen.
    ///
    /// # Errors
    /// When standard output can't be written; a closed pipe is the reader's choice, not an error.
    pub(crate) fn screen(&mut self, lines: &[Line]) -> anyhow::Result<()> {
        let mut out = String::new();
        for line in lines.iter().filter(|l| !(l.hint && (self.quiet || self.by_agent))) {
            match line.mark.filter(|_| self.colour) {
                Some(Mark::Strong) => out.push_str(&format!("\x1b[1m{}\x1b[0m", line.text)),
                Some(Mark::Warn) => out.push_str(&format!("\x1b[33m{}\x1b[0m", line.text)),
                Some(Mark::Bad) => out.push_str(&format!("\x1b[31m{}\x1b[0m", line.text)),
                None => out.push_str(&line.text),
            }
            out.push('\n');
        }
        self.data(out.as_bytes())
    }

    /// Prints `bytes` as they are.
    ///
    /// # Errors
    /// When standard output can't be written; a closed pipe is the reader's choice, not an error.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.broken_pipe {
            return Ok(());
        }
        let mut out = std::io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => {
                self.broken_pipe = true;
                Ok(())
            }
            Err(e) => Err(Failure::io(format!("writing to standard output failed: {e}")).into()),
            Ok(()) => Ok(()),
        }
    }

    /// Prints a value as JSON, indented, with a final newline.
    ///
    /// # Errors
    /// As [`Ui::data`].
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        let out = std::io::BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
        let mut out = Tolerant { out, broken_pipe: false };
        serde_json::to_writer_pretty(&mut out, value)?;
        out.write_all(b"\n")?;
        out.flush()?;
        self.broken_pipe = out.broken_pipe;
        Ok(())
    }

    /// Prints a line beside the data.
    pub(crate) fn note(&self, text: &str) {
        // Nowhere is left to report to when standard error is closed.
        drop(writeln!(std::io::stderr().lock(), "{text}"));
    }

    /// Prints an error with the state of the files and the next command, and returns its code.
    pub(crate) fn failure(&self, error: &anyhow::Error) -> Exit {
        let what = format!("{error:#}");
        let failure = error.downcast_ref::<Failure>();
        let files = failure.map_or(UNTOUCHED, |failure| &failure.files);
        let mut text = format!("error: {}\nfiles: {files}\n", escaped(&what));
        if let Some(next) = failure.and_then(|failure| failure.next.as_ref()) {
            text.push_str(&format!("next:  {next}\n"));
        }
        let exit = failure.map_or(Exit::Io, |failure| failure.exit);
        let mut err = std::io::stderr().lock();
        // Nowhere is left to report to when standard error is closed.
        drop(err.write_all(text.as_bytes()));
        exit
    }

    /// Asks a question on a terminal; what isn't a clear no is a yes.
    ///
    /// # Errors
    /// When the terminal can't be written or read.
    pub(crate) fn ask_yes(&mut self, question: &str) -> anyhow::Result<bool> {
        self.data(format!("{question} [Y/n] ").as_bytes())?;
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer);
        read.map_err(|error| Failure::io(format!("could not read the answer: {error}")))?;
        // The end of the input is no answer.
        let answer = answer.strip_suffix('\n').map(|line| line.trim().to_lowercase());
        Ok(answer.is_some_and(|answer| !answer.starts_with('n')))
    }

    /// Returns how many lines a screen may have.
    pub(crate) fn room(&self, all: bool) -> usize {
        match (all, self.by_agent) {
            (true, _) => usize::MAX,
            (false, true) => AGENT_LINES,
            (false, false) => SCREEN_LINES,
        }
    }
}

/// A writer for which a reader that left is no error.
struct Tolerant<W> {
    out: W,
    broken_pipe: bool,
}

impl<W: std::io::Write> Tolerant<W> {
    fn tolerate<T>(&mut self, done: std::io::Result<T>, otherwise: T) -> std::io::Result<T> {
        match done {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => {
                self.broken_pipe = true;
                Ok(otherwise)
            }
            done => done,
        }
    }
}

impl<W: std::io::Write> std::io::Write for Tolerant<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.broken_pipe {
            return Ok(bytes.len());
        }
        let done = self.out.write(bytes);
        self.tolerate(done, bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.broken_pipe {
            return Ok(());
        }
        let done = self.out.flush();
        self.tolerate(done, ())
    }
}

/// How a line stands out where there is colour; its words say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The answer.
    Strong,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

/// One line of a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its words.
    pub(crate) text: String,
    mark: Option<Mark>,
    hint: bool,
}

impl Line {
    /// A plain line.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), mark: None, hint: false }
    }

    /// A line that stands out.
    pub(crate) fn marked(mark: Mark, text: impl Into<String>) -> Self {
        Self { text: text.into(), mark: Some(mark), hint: false }
    }

    /// The same line further to the right.
    pub(crate) fn indented(self, columns: usize) -> Self {
        Self { text: format!("{}{}", " ".repeat(columns), self.text), ..self }
    }

    /// A line that only says what to type next; agents and `-q` don't see it.
    pub(crate) fn hint(text: impl Into<String>) -> Self {
        Self { text: text.into(), mark: None, hint: true }
    }
}

/// Returns `n` with commas between thousands.
pub(crate) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(d);
    }
    out
}

/// Returns tokens for prose: `18.6k`, or the number below a thousand.
pub(crate) fn kilo(tokens: Tokens) -> String {
    match tokens.0 {
        n @ ..1_000 => n.to_string(),
        n @ 1_000..999_950 => format!("{}.{}k", (n + 50) / 1_000, (n + 50) % 1_000 / 100),
        n => format!("{}.{}M", (n + 50_000) / 1_000_000, (n + 50_000) % 1_000_000 / 100_000),
    }
}

/// Returns `count` and the word for it.
pub(crate) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", number(count as u64), if count == 1 { one } else { many })
}

/// Returns `part` of `whole` in percent, rounded half up.
pub(crate) fn percent(part: u64, whole: u64) -> u64 {
    (part * 200 + whole).checked_div(2 * whole).unwrap_or(0)
}

/// Returns a share for prose: with one decimal below ten percent.
pub(crate) fn share(part: u64, whole: u64) -> String {
    let tenths = (part * 2_000 + whole).checked_div(2 * whole).unwrap_or(0);
    match tenths {
        0 if part > 0 => "under 0.1%".to_owned(),
        0..100 if !tenths.is_multiple_of(10) => format!("{}.{}%", tenths / 10, tenths % 10),
        _ => format!("{}%", (tenths + 5) / 10),
    }
}

/// Returns a bar of `part` of `whole`, one column for two percent, to an eighth of a column.
pub(crate) fn bar(part: u64, whole: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = part.saturating_mul(400).checked_div(whole).unwrap_or(0);
    let eighths = if part > 0 { eighths.max(1) } else { 0 };
    let full = usize::try_from(eighths / 8).unwrap_or(50).min(50);
    let rest = usize::try_from(eighths % 8).unwrap_or(0);
    format!("{}{}", "█".repeat(full), EIGHTHS[rest])
}

/// Returns `text` in at least `columns` columns.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Returns `left` and `right` at the two ends of a line of `columns`.
pub(crate) fn ends(left: &str, right: &str, columns: usize) -> String {
    let gap = columns.saturating_sub(left.width() + right.width()).max(2);
    format!("{left}{}{right}", " ".repeat(gap))
}

/// Returns the end of `text` in at most `columns`, behind `…` where it was cut.
pub(crate) fn tail(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut kept = 1;
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| {
            kept += c.width().unwrap_or(0);
            kept <= columns
        })
        .last()
        .map_or(text.len(), |(at, _)| at);
    format!("…{}", &text[start..])
}

/// Returns the start of `text` in at most `columns`, with `…` where it was cut.
pub(crate) fn head(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut kept = 1;
    let kept: String = text
        .chars()
        .take_while(|c| {
            kept += c.width().unwrap_or(0);
            kept <= columns
        })
        .collect();
    format!("{kept}…")
}

/// Returns the start of foreign text, safe to print, in at most `columns`.
pub(crate) fn escaped_head(text: &str, columns: usize) -> String {
    head(&escaped(text), columns)
}

/// Breaks `text` at blanks into lines of at most `columns`; later lines are indented.
pub(crate) fn wrapped(text: &str, columns: usize, indent: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let start = text.len() - text.trim_start().len();
    let mut line = text[..start].to_owned();
    let mut fresh = true;
    for word in text[start..].split(' ') {
        if !fresh && line.width() + 1 + word.width() > columns {
            out.push(std::mem::replace(&mut line, " ".repeat(indent)));
            fresh = true;
        }
        if !fresh {
            line.push(' ');
        }
        line.push_str(word);
        fresh = false;
    }
    out.push(line);
    out
}

/// How paths look: from the project's root or `~`, safe to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    /// The project.
    pub(crate) root: &'a Utf8Path,
    /// The user's home.
    pub(crate) home: Option<&'a Utf8Path>,
    /// The host's memory of this project, whose files go by their own names.
    pub(crate) memory: Option<&'a Utf8Path>,
}

impl Names<'_> {
    /// Shows whole paths, as JSON needs them.
    pub(crate) fn absolute() -> Names<'static> {
        Names { root: Utf8Path::new(""), home: None, memory: None }
    }

    /// Returns `path` for the screen.
    pub(crate) fn of(&self, path: &Utf8Path) -> String {
        if let Some(inside) = self.memory.and_then(|memory| below(path, memory)) {
            return escaped(inside).into_owned();
        }
        if self.root.as_str().is_empty() {
            return escaped(path.as_str()).into_owned();
        }
        if let Some(inside) = below(path, self.root) {
            return escaped(if inside.is_empty() { "." } else { inside }).into_owned();
        }
        if let Some(above) = self.root.parent()
            && let Some(beside) = below(path, above)
            && self.home.is_none_or(|h| above.starts_with(h) && above != h)
        {
            return format!("../{}", escaped(beside));
        }
        self.home_path(path)
    }

    /// Returns `path` from `~`, or whole.
    pub(crate) fn home_path(&self, path: &Utf8Path) -> String {
        let home = self.home.filter(|h| h.parent().is_some());
        match home.and_then(|h| path.strip_prefix(h).ok()) {
            Some(below) if below.as_str().is_empty() => "~".to_owned(),
            Some(below) => format!("~/{}", escaped(below.as_str())),
            None => escaped(path.as_str()).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(number(999), "999");
        assert_eq!(kilo(Tokens(999)), "999");
        assert_eq!(kilo(Tokens(18_580)), "18.6k");
        assert_eq!(kilo(Tokens(999_949)), "999.9k");
        assert_eq!(kilo(Tokens(999_950)), "1.0M");
        assert_eq!(percent(1, 3), 33);
        assert_eq!(percent(1, 0), 0);
        assert_eq!(share(1, 3), "33%");
        assert_eq!(share(31, 1_000), "3.1%");
        assert_eq!(share(1, 100_000), "under 0.1%");
        assert_eq!(share(0, 100), "0%");
        assert_eq!(plural(1, "file", "files"), "1 file");
    }

    #[test]
    fn bars_are_drawn_to_an_eighth() {
        assert_eq!(bar(33, 100), "████████████████▌");
        assert_eq!(bar(0, 100), "");
        assert_eq!(bar(1, 1_000_000), "▏", "something is never drawn as nothing");
    }

    #[test]
    fn long_and_wide_names_stay_in_their_column() {
        assert_eq!(tail("a/very/long/path.md", 10), "…g/path.md");
        assert_eq!(head("日本語テキスト", 7), "日本語…");
        assert_eq!(tail("日本語", 4), "…語");
        assert_eq!(pad("日本", 6), "日本  ");
    }

    #[test]
    fn long_lines_are_broken_at_blanks() {
        assert_eq!(wrapped("  one two three", 9, 4), ["  one two", "    three"]);
        assert_eq!(wrapped("a  b", 80, 2), ["a  b"], "blanks that align stay");
        assert_eq!(wrapped("unbreakable", 4, 2), ["unbreakable"]);
    }

    #[test]
    fn paths_start_at_the_project_or_home() {
        let names = Names {
            root: "/home/u/work/p".into(),
            home: Some("/home/u".into()),
            memory: Some("/home/u/m".into()),
        };
        assert_eq!(names.of("/home/u/work/p/a.md".into()), "a.md");
        assert_eq!(names.of("/home/u/work/CLAUDE.md".into()), "../CLAUDE.md");
        assert_eq!(names.of("/home/u/x.md".into()), "~/x.md");
        assert_eq!(names.of("/home/u/m/MEMORY.md".into()), "MEMORY.md");
        assert_eq!(names.of("/etc/x\n.md".into()), "/etc/x\\n.md");
    }
}
