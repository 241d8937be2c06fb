//! How the process ends.

use std::process::ExitCode;

use crate::ui::{Line, Mark, wrapped};

/// The exit code of a command; scripts rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Ok = 0,
    /// The answer is no: findings, no match, over budget, damage found.
    No = 1,
    /// The usage or the configuration is wrong.
    Usage = 2,
    /// A gate, pin, keep, git state or containment refused; nothing was written.
    Refused = 3,
    /// Another process is writing.
    Busy = 4,
    /// A run failed and was taken back.
    RolledBack = 5,
    /// A run is torn and needs `recover`.
    RecoveryNeeded = 6,
    /// A bug.
    Bug = 70,
    /// Reading or writing failed.
    Io = 74,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What most failures leave.
pub(crate) const UNTOUCHED: &str = "untouched";

/// An error with the state of the user's files and the one next command.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Failure {
    /// What went wrong, one lowercase sentence that names the object.
    pub(crate) what: String,
    /// The state of the user's files.
    pub(crate) files: String,
    /// The next command or act, if there is one.
    pub(crate) next: Option<String>,
    /// The exit code.
    pub(crate) exit: Exit,
}

impl Failure {
    /// A failure that left all files as they were.
    pub(crate) fn new(exit: Exit, what: impl Into<String>, next: Option<String>) -> Self {
        Self { what: what.into(), files: UNTOUCHED.to_owned(), next, exit }
    }

    /// The same with another state of the files.
    pub(crate) fn with_files(self, files: impl Into<String>) -> Self {
        Self { files: files.into(), ..self }
    }

    /// Wrong usage.
    pub(crate) fn usage(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what, Some(next.into()))
    }

    /// A command line that can't be read, in the words of the parser.
    pub(crate) fn of_command_line(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let what = text.lines().take_while(|line| !line.is_empty()).map(str::trim);
        let what = what.collect::<Vec<_>>().join(" ");
        let tip = text.lines().find_map(|line| line.trim_start().strip_prefix("tip: "));
        Self::usage(
            what.strip_prefix("error: ").unwrap_or(&what),
            tip.map_or_else(|| "coalwash --help".to_owned(), str::to_owned),
        )
    }

    /// Something was refused, and nothing was written.
    pub(crate) fn refused(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Exit::Refused, what, Some(next.into()))
    }

    /// Returns it as lines of a screen that only shows what would be done.
    pub(crate) fn as_a_warning(&self, width: usize) -> Vec<Line> {
        let next = self.next.as_deref().map(|next| format!("; {next}")).unwrap_or_default();
        let text = format!("As it is, that is refused: {}{next}", self.what);
        wrapped(&text, width, 2).into_iter().map(|line| Line::marked(Mark::Warn, line)).collect()
    }

    /// Something could not be read.
    pub(crate) fn io(what: impl Into<String>) -> Self {
        Self::new(Exit::Io, what, None)
    }
}
