//! Every read of the environment, the clock and the terminal.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::hosts::opencode::Switches;
use coalwash_core::text::escape::escaped_bytes;
use coalwash_store::config::UserFolders;
use coalwash_store::disk::stop_before;
use coalwash_store::wash::Process;
use jiff::tz::TimeZone;
use std::io::IsTerminal as _;

use crate::exit::Failure;

/// What the environment says, read once.
#[derive(Clone, Debug)]
pub(crate) struct Env {
    /// `HOME`, if it is set and absolute.
    pub(crate) home: Option<Utf8PathBuf>,
    /// The folder the process was started in; `None` where it is gone or isn't UTF-8.
    pub(crate) cwd: Option<Utf8PathBuf>,
    /// The folder of our own configuration: `$COALWASH_HOME`, else `$XDG_CONFIG_HOME/coalwash`, else
    /// `~/.config/coalwash`.
    pub(crate) own_config: Option<Utf8PathBuf>,
    /// The folder of our own data: `$COALWASH_HOME`, else `$XDG_DATA_HOME/coalwash`, else
    /// `~/.local/share/coalwash`.
    pub(crate) own_data: Option<Utf8PathBuf>,
    /// Claude Code's own variables.
    pub(crate) claude: ClaudeEnv,
    /// The other hosts' own variables.
    pub(crate) others: OthersEnv,
    /// `COALWASH_NOW`: a fixed clock for tests, in milliseconds since 1970.
    pub(crate) now_ms: i64,
    /// Whether an agent runs this process, so that every line is paid for.
    pub(crate) by_agent: bool,
    /// Whether someone sits at a terminal who can answer.
    pub(crate) is_attended: bool,
    /// `PATH`, to find which client is installed.
    pub(crate) path: String,
    /// The folder of an organisation's files for Claude Code.
    pub(crate) managed: Utf8PathBuf,
    /// The zone that times are said in.
    pub(crate) zone: TimeZone,
    /// Columns of the screen.
    pub(crate) width: usize,
    /// Whether colour is wanted.
    pub(crate) colour: bool,
}

/// The variables that change what Claude Code loads.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaudeEnv {
    /// `CLAUDE_CONFIG_DIR`.
    pub(crate) config_dir: Option<String>,
    /// `CLAUDE_CODE_DISABLE_AUTO_MEMORY`.
    pub(crate) disable_auto_memory: Option<String>,
    /// `SLASH_COMMAND_TOOL_CHAR_BUDGET`.
    pub(crate) listing_budget: Option<String>,
    /// `ANTHROPIC_MODEL`.
    pub(crate) model: Option<String>,
    /// The variable that switches all instructions off, where one is set.
    pub(crate) off_switch: Option<&'static str>,
}

/// The variables that change what the other hosts load.
#[derive(Clone, Debug)]
pub(crate) struct OthersEnv {
    /// `CODEX_HOME`.
    pub(crate) codex_home: Option<String>,
    /// `GEMINI_CLI_HOME`.
    pub(crate) gemini_home: Option<String>,
    /// What `GEMINI_CLI_TRUST_WORKSPACE` and `GEMINI_RESTRICTED_MODE` say.
    pub(crate) gemini_trusted: Option<bool>,
    /// `XDG_CONFIG_HOME`, if it is absolute.
    pub(crate) xdg_config: Option<Utf8PathBuf>,
    /// OpenCode's.
    pub(crate) opencode: Switches,
    /// The folder of the system's settings.
    pub(crate) system: Utf8PathBuf,
}

impl Default for OthersEnv {
    fn default() -> Self {
        Self {
            codex_home: None,
            gemini_home: None,
            gemini_trusted: None,
            xdg_config: None,
            opencode: Switches::default(),
            system: Utf8PathBuf::from("/etc"),
        }
    }
}

impl OthersEnv {
    fn read() -> Self {
        let on = |name: &str| {
            text(name)
                .is_some_and(|value| matches!(value.as_str(), "1" | "true" | "yes" | "on" | "y"))
        };
        let no_claude = on("OPENCODE_DISABLE_CLAUDE_CODE");
        let project = text("OPENCODE_DISABLE_PROJECT_CONFIG");
        Self {
            codex_home: text("CODEX_HOME"),
            gemini_home: text("GEMINI_CLI_HOME"),
            gemini_trusted: match text("GEMINI_RESTRICTED_MODE").as_deref() {
                Some("true") => Some(false),
                _ => text("GEMINI_CLI_TRUST_WORKSPACE").map(|value| value == "true"),
            },
            xdg_config: text("XDG_CONFIG_HOME").map(Utf8PathBuf::from).filter(|p| p.is_absolute()),
            opencode: Switches {
                config_dir: text("OPENCODE_CONFIG_DIR"),
                config_file: text("OPENCODE_CONFIG"),
                config_content: text("OPENCODE_CONFIG_CONTENT"),
                no_claude_files: no_claude || on("OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"),
                no_claude_skills: no_claude || on("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS"),
                no_external_skills: on("OPENCODE_DISABLE_EXTERNAL_SKILLS"),
                no_project: project.is_some_and(|v| v == "1" || v.eq_ignore_ascii_case("true")),
                variables: std::env::vars_os()
                    .filter_map(|(key, value)| {
                        Some((key.into_string().ok()?, value.into_string().ok()?))
                    })
                    .collect(),
            },
            ..Self::default()
        }
    }
}

/// Variables with which Claude Code loads no instructions at all.
///
/// Source: requests of both clients with each of them.
const OFF_SWITCHES: [&str; 2] = ["CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_SIMPLE"];

/// Returns this process as others can recognise it, and a number that nobody guesses.
pub(crate) fn process() -> (Process, u64) {
    use std::hash::{BuildHasher as _, RandomState};
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let process = Process { host, boot: boot.trim().to_owned(), pid: std::process::id() };
    (process, RandomState::new().hash_one(0))
}

/// Where an organisation puts files for Claude Code.
///
/// Source: measured on Linux; macOS and Windows by the host's documentation, unverified.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else if cfg!(windows) {
    "C:\\Program Files\\ClaudeCode"
} else {
    "/etc/claude-code"
};

/// Set by the agents when they run a command.
///
/// Source: hook environments in `fixtures/`; Codex, Gemini CLI and OpenCode by their
/// documentation, read 2026-11-30.
const AGENT_MARKS: [&str; 5] =
    ["CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE"];

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
mod read {
    pub(super) fn var(name: &str) -> Option<std::ffi::OsString> {
        std::env::var_os(name).filter(|v| !v.is_empty())
    }

    pub(super) fn now_ms() -> i64 {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        i64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
    }
}

fn text(name: &str) -> Option<String> {
    read::var(name).and_then(|v| v.into_string().ok())
}

impl Env {
    /// Reads the environment of this process.
    pub(crate) fn read() -> Self {
        let absolute = |v: String| Some(Utf8PathBuf::from(v)).filter(|p| p.is_absolute());
        if let Some(number) = text("COALWASH_TEST_STOP").and_then(|it| it.parse().ok()) {
            stop_before(number);
        }
        let terminal = std::io::stdout().is_terminal();
        let by_agent = AGENT_MARKS.iter().any(|m| read::var(m).is_some());
        let columns = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width = text("COLUMNS").and_then(|c| c.parse().ok()).or_else(columns).unwrap_or(80);
        let home = text("HOME").and_then(absolute);
        let config = text("XDG_CONFIG_HOME").and_then(absolute);
        let config = config.or_else(|| home.as_ref().map(|home| home.join(".config")));
        let own = text("COALWASH_HOME").and_then(absolute);
        let own_config = own.clone().or_else(|| config.map(|config| config.join("coalwash")));
        let data = text("XDG_DATA_HOME").and_then(absolute);
        let data = data.or_else(|| home.as_ref().map(|home| home.join(".local/share")));
        let own_data = own.or_else(|| data.map(|data| data.join("coalwash")));
        Self {
            home,
            own_config,
            own_data,
            cwd: std::env::current_dir().ok().and_then(|d| Utf8PathBuf::from_path_buf(d).ok()),
            claude: ClaudeEnv {
                config_dir: text("CLAUDE_CONFIG_DIR"),
                disable_auto_memory: text("CLAUDE_CODE_DISABLE_AUTO_MEMORY"),
                listing_budget: text("SLASH_COMMAND_TOOL_CHAR_BUDGET"),
                model: text("ANTHROPIC_MODEL"),
                off_switch: OFF_SWITCHES.into_iter().find(|name| text(name).is_some()),
            },
            others: OthersEnv::read(),
            now_ms: text("COALWASH_NOW").and_then(|n| n.parse().ok()).unwrap_or_else(read::now_ms),
            path: text("PATH").unwrap_or_default(),
            managed: Utf8PathBuf::from(MANAGED),
            zone: TimeZone::system(),
            by_agent,
            is_attended: terminal && std::io::stdin().is_terminal() && !by_agent,
            width: width.clamp(40, 120),
            colour: terminal
                && read::var("NO_COLOR").is_none()
                && text("TERM").is_some_and(|t| t != "dumb"),
        }
    }

    /// Returns an environment in which nothing is set.
    pub(crate) fn bare(now_ms: i64) -> Self {
        Self {
            home: None,
            own_config: None,
            own_data: None,
            cwd: None,
            claude: ClaudeEnv::default(),
            others: OthersEnv::default(),
            now_ms,
            by_agent: false,
            is_attended: false,
            path: String::new(),
            managed: Utf8PathBuf::from(MANAGED),
            zone: TimeZone::UTC,
            width: 80,
            colour: false,
        }
    }

    /// Returns where the user's own configuration lies.
    pub(crate) fn user_folders(&self) -> UserFolders {
        let claude = match &self.claude.config_dir {
            Some(dir) => Some(Utf8PathBuf::from(dir)).filter(|dir| dir.is_absolute()),
            None => self.home.as_ref().map(|home| home.join(".claude")),
        };
        UserFolders { own: self.own_config.clone(), claude }
    }

    /// Returns the folder that a command looks at: `-C DIR`, else the current one.
    pub(crate) fn folder(&self, dir: Option<&Utf8Path>) -> Result<Utf8PathBuf, Failure> {
        if dir.is_none()
            && let Ok(cwd) = std::env::current_dir()
            && cwd.to_str().is_none()
        {
            let shown = escaped_bytes(cwd.as_os_str().as_encoded_bytes());
            return Err(Failure::usage(
                format!("the path of this folder is not UTF-8: `{shown}`"),
                "coding agents cannot name it either; rename it, or use `-C DIR`",
            ));
        }
        let cwd = self.cwd.clone();
        let folder = match dir {
            Some(dir) if dir.is_absolute() => dir.to_owned(),
            // The system resolves it, from wherever the process stands.
            Some(dir) => dir.to_owned(),
            None => cwd.ok_or_else(no_cwd)?,
        };
        let real = folder.as_std_path().canonicalize().map_err(|e| {
            Failure::usage(
                format!("cannot open the folder `{folder}`: {e}"),
                "name one with `-C DIR`",
            )
        })?;
        if !real.is_dir() {
            return Err(Failure::usage(
                format!("`{folder}` is not a folder"),
                "name the folder of a project with `-C DIR`",
            ));
        }
        Utf8PathBuf::from_path_buf(real).map_err(|p| {
            let shown = escaped_bytes(p.as_os_str().as_encoded_bytes());
            Failure::usage(
                format!("the path of this folder is not UTF-8: `{shown}`"),
                "coding agents cannot name it either; rename it, or use `-C DIR`",
            )
        })
    }
}

fn no_cwd() -> Failure {
    Failure::usage(
        "the current folder was deleted or cannot be read",
        "go to a folder, or use `-C DIR`",
    )
}
