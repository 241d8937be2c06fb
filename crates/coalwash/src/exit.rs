//! How the process ends.

use std::process::ExitCode;

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

/// An error with the state of the user's files and the one next command.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Failure {
    /// What went wrong, one lowercase sentence that names the object.
    pub(crate) what: String,
    /// The next command or act, if there is one.
    pub(crate) next: Option<String>,
    /// The exit code.
    pub(crate) exit: Exit,
}

impl Failure {
    /// Wrong usage.
    pub(crate) fn usage(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what: what.into(), next: Some(next.into()), exit: Exit::Usage }
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
        Self { what: what.into(), next: Some(next.into()), exit: Exit::Refused }
    }

    /// Something could not be read.
    pub(crate) fn io(what: impl Into<String>) -> Self {
        Self { what: what.into(), next: None, exit: Exit::Io }
    }
}
