//! The command line.

use camino::Utf8PathBuf;
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// See everything your coding agents load, and what it costs
///
/// Without a command it shows what loads into every session in this project, what that costs and
/// what needs attention. It reads; it writes nothing.
#[derive(Debug, Parser)]
#[command(name = "coalwash", version, max_term_width = 80)]
#[command(args_conflicts_with_subcommands = false, disable_help_subcommand = false)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Show every known project, worst first
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) global: Global,
}

/// Options of every command.
#[derive(Args, Debug)]
pub(crate) struct Global {
    /// Look at DIR instead of the current folder
    #[arg(short = 'C', long = "project", value_name = "DIR", global = true)]
    pub(crate) project: Option<Utf8PathBuf>,

    /// Show only this host
    #[arg(long, value_enum, value_name = "HOST", global = true)]
    pub(crate) host: Option<Host>,

    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Leave out hints on what to type next
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// Use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true)]
    pub(crate) color: Colour,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal
    Auto,
    /// Even into a pipe
    Always,
    /// Never
    Never,
}

impl Colour {
    /// Returns what was asked for, or `None` to decide by the terminal.
    pub(crate) fn wanted(self) -> Option<bool> {
        match self {
            Self::Auto => None,
            Self::Always => Some(true),
            Self::Never => Some(false),
        }
    }
}

/// The hosts that this build knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    /// Claude Code
    #[value(alias = "claude")]
    ClaudeCode,
    /// Codex
    Codex,
    /// Gemini CLI
    #[value(alias = "gemini")]
    GeminiCli,
    /// OpenCode
    #[value(name = "opencode")]
    OpenCode,
}

impl Host {
    /// All of them, in the order in which they are shown.
    pub(crate) const ALL: [Self; 4] =
        [Self::ClaudeCode, Self::Codex, Self::GeminiCli, Self::OpenCode];

    /// Returns the id, as in JSON.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::OpenCode => "opencode",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Context(ContextArgs),
    Check(CheckArgs),
    #[command(alias = "gate")]
    Diff(DiffArgs),
    #[command(alias = "wash")]
    Quick(QuickArgs),
    Log(LogArgs),
    Undo(UndoArgs),
    Keep(KeepArgs),
    Config(ConfigArgs),
    /// Show the built-in sample home
    ///
    /// A small home with an agent's files, made in a private temporary folder and deleted at the
    /// end. Your own files and environment are not looked at.
    Demo,
    Completions(CompletionsArgs),
    /// Print the verdict on the memory in the words of the Node engine
    #[command(hide = true)]
    Gauge,
    #[command(hide = true)]
    Apply(ApplyArgs),
    #[command(hide = true)]
    Recover(RecoverArgs),
    Bin(BinArgs),
    #[command(hide = true)]
    Restore(RestoreArgs),
    #[command(hide = true)]
    AnchorDiff(AnchorDiffArgs),
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

/// List, show or put back what CoalWash 1.x cut
#[derive(Args, Debug)]
pub(crate) struct BinArgs {
    #[command(subcommand)]
    pub(crate) act: BinAct,
}

/// What to do with what was cut.
#[derive(Debug, Subcommand)]
pub(crate) enum BinAct {
    /// List all of it
    List,
    /// Show one text
    Show {
        /// The id, or the start of it
        id: String,
    },
    /// Put a deleted file back
    ///
    /// Only where nothing is now: what was cut out of a file is a part of it, and never takes its
    /// place.
    Restore {
        /// The id, or the start of it
        id: String,
        /// Say what would be written and write nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
        /// Write it where the bin says
        #[arg(short, long, conflicts_with = "dry_run")]
        yes: bool,
    },
}

/// Print the bytes of something that CoalWash 1.x cut
#[derive(Args, Debug)]
pub(crate) struct RestoreArgs {
    /// The whole id
    pub(crate) id: Option<String>,
}

/// Say what the oldest snapshot of a file had that is gone
#[derive(Args, Debug)]
pub(crate) struct AnchorDiffArgs {
    /// A file of the project
    pub(crate) path: Option<Utf8PathBuf>,
}

/// List every file your agents load, in order, with tokens
///
/// With FILE: what opening that file adds to a session.
#[derive(Args, Debug)]
pub(crate) struct ContextArgs {
    /// A file of the project
    pub(crate) file: Option<Utf8PathBuf>,

    /// Show everything, not only what fits on a screen
    #[arg(long)]
    pub(crate) all: bool,

    /// Show how the list compares with what the host last recorded having sent
    #[arg(long, conflicts_with = "file")]
    pub(crate) observed: bool,
}

/// Print the completions of a shell
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Fail on broken imports, cut-off files and budgets
///
/// Looks at the files that git has in this repository and at nothing else, so the answer is the same
/// on every machine. Exit 0: passed. 1: failed. 2: the configuration is wrong, or a budget can't be
/// judged.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Fail only on what was made worse since REV
    #[arg(long, value_name = "REV", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) base: Option<String>,

    /// Write a configuration with a budget that today's files keep
    #[arg(long, conflicts_with = "base")]
    pub(crate) init: bool,

    /// How to say it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    /// Show older problems, too
    #[arg(long)]
    pub(crate) all: bool,
}

/// Say what a rewrite lost, changed or weakened
///
/// Compares two texts fact by fact: layout, filler and order that carries nothing are not looked at.
/// With several OLD, NEW has to hold the facts of all. In a repository, with `--base` or `--staged`:
/// every file that agents load. Exit 0: nothing that the gate can see. 1: something is lost. 2: wrong
/// usage, or a file that could not be compared.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// The old text or texts, then the new one; `-` is standard input
    #[arg(value_name = "OLD NEW")]
    pub(crate) paths: Vec<Utf8PathBuf>,

    /// Compare the working tree with what it has in common with REV; PATHS limit it
    #[arg(
        long,
        value_name = "REV",
        conflicts_with = "staged",
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(crate) base: Option<String>,

    /// Compare what is staged with the last commit
    #[arg(long)]
    pub(crate) staged: bool,

    /// Let rewordings fail, too
    #[arg(long)]
    pub(crate) strict: bool,

    /// A file of findings that are meant
    #[arg(long, value_name = "FILE")]
    pub(crate) approve: Option<Utf8PathBuf>,

    /// How to say it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    /// Show rewordings and other harmless changes, too
    #[arg(long)]
    pub(crate) all: bool,

    /// Answer every case of a file, one line each: `id`, `orig`, `next`
    #[arg(long, value_name = "CASES", hide = true, conflicts_with_all = ["base", "staged", "paths"])]
    pub(crate) batch: Option<Utf8PathBuf>,
}

/// Cut exact repeats from memory files; nothing else
///
/// Looks at memory, instruction files and rules of this project. What stands twice, word for word, in
/// one file loses its second copy; blank lines and blanks at the end of lines go with it. A file that
/// git has is only changed if it has no uncommitted change. Take it back with `coalwash undo`.
#[derive(Args, Debug)]
pub(crate) struct QuickArgs {
    /// Show it and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,

    /// Only your own files, none that git has
    #[arg(long)]
    pub(crate) mine: bool,

    /// Your own files for all projects, too
    #[arg(long)]
    pub(crate) user: bool,

    /// Change files that git has with uncommitted changes, too
    #[arg(long)]
    pub(crate) allow_dirty: bool,

    /// Show what is said twice in different places, too; it is never cut
    #[arg(long, requires = "dry_run")]
    pub(crate) similar: bool,

    /// Show everything, not only what fits on a screen
    #[arg(long)]
    pub(crate) all: bool,
}

/// Carry out a plan, or put a draft in the place of a file
///
/// Every rewrite is held against the old text first: what it would lose, change or weaken has to be
/// approved, or nothing is written. What is done can be taken back with `coalwash undo`.
#[derive(Args, Debug)]
pub(crate) struct ApplyArgs {
    /// A file that is to get other text, or a plan
    #[arg(value_name = "FILE")]
    pub(crate) file: Utf8PathBuf,

    /// The other text; without it FILE is a plan
    #[arg(long, value_name = "DRAFT")]
    pub(crate) from: Option<Utf8PathBuf>,

    /// A file of findings that are meant
    #[arg(long, value_name = "FILE")]
    pub(crate) approve: Option<Utf8PathBuf>,

    /// Change files that git has with uncommitted changes, too
    #[arg(long)]
    pub(crate) allow_dirty: bool,

    /// Show it and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// Show every change to memory, and what became of it
///
/// With the number of a run: what it changed. With a file: the runs that changed it.
#[derive(Args, Debug)]
pub(crate) struct LogArgs {
    /// The number of a run, or a file
    #[arg(value_name = "ID|FILE")]
    pub(crate) what: Option<String>,

    /// Show everything, not only what fits on a screen
    #[arg(long)]
    pub(crate) all: bool,
}

/// Take a change back; undo again to redo
///
/// Without ID the last one. A file that was changed again since is named, and nothing is written.
#[derive(Args, Debug)]
pub(crate) struct UndoArgs {
    /// The number of a run, from `coalwash log`
    pub(crate) id: Option<u64>,

    /// Leave this file as it is
    #[arg(long, value_name = "FILE")]
    pub(crate) except: Vec<Utf8PathBuf>,

    /// Take back only the change around this line of the text before
    #[arg(long, value_name = "[FILE:]N", conflicts_with = "merge")]
    pub(crate) line: Option<String>,

    /// Keep what was changed since, too
    #[arg(long)]
    pub(crate) merge: bool,

    /// Show it and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// List passages that no one may cut, or change the list
///
/// Yours alone: they hold on this machine. What the whole team keeps is `keep` in `coalwash.jsonc`.
#[derive(Args, Debug)]
pub(crate) struct KeepArgs {
    #[command(subcommand)]
    pub(crate) act: Option<KeepAct>,
}

/// What to do with the list.
#[derive(Debug, Subcommand)]
pub(crate) enum KeepAct {
    /// Keep a line, some lines, or a whole file
    Add {
        /// The place: `FILE`, `FILE:41` or `FILE:41-44`
        place: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// It is for the user to decide; kept until then
        #[arg(long)]
        ask: bool,
    },
    /// Let a passage go
    Rm {
        /// Its number
        id: String,
    },
    /// List them
    List,
    /// Say that a passage that waits for you is kept
    Answer {
        /// Its number
        id: String,
    },
}

/// Take back a run that was interrupted
#[derive(Args, Debug)]
pub(crate) struct RecoverArgs {
    /// Do it; without it the run is only shown
    #[arg(long)]
    pub(crate) undo: bool,

    /// A run of the Node engine (CoalWash 1.x), by the journal that lies in the project
    #[arg(long)]
    pub(crate) from_node: bool,
}

/// How a check is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For scripts
    Json,
    /// For code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// The comment of a pull request; empty where there is nothing to say
    Markdown,
}

/// Show every key that is set, where, and which value is in force
///
/// Keys are set in `coalwash.jsonc` at the root of the repository and in your own `config.jsonc`. A
/// repository can only make things stricter or quieter.
#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) act: Option<ConfigAct>,
}

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAct {
    /// Say what a key does and which values it takes
    Explain {
        /// The key; all keys without one
        key: Option<String>,
    },
    /// Print the value in force
    Get {
        /// The key
        key: String,
    },
    /// Set a key; comments and everything else stay
    Set {
        /// The key
        key: String,
        /// The value, as JSON or as plain text
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// Set it in your own configuration, not in the repository's
        #[arg(long)]
        user: bool,
        /// Show the change and write nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
    /// Print the JSON Schema of `coalwash.jsonc`
    Schema,
}
