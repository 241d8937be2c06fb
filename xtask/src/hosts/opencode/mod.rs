//! OpenCode: its client and what it sends.
//!
//! All that is loaded at start stands in the one text of the system prompt, below the client's own
//! words: the instruction files, each behind a line that names it, then the list of skills. Agents
//! are listed in the description of the tool `task`. Files of sub-folders stand in the results of
//! the tool `read`. The client gathers them again for every request.
//!
//! The settings that lead the client to the stand-in are in a managed configuration, which the
//! client is told to find in a folder of ours. So the tree may use every other layer. They also
//! allow reading outside the project and reading one file again and again, which a user would be
//! asked about.

use std::fs;

use anyhow::{Context as _, Result};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::Host;
use crate::{
    answer::Answer,
    session::{Outside, Session},
    stub::{Reader, Stub},
};

mod read;
#[cfg(test)]
mod tests;
mod texts;
mod trees;

/// The host.
pub const HOST: Host = Host {
    id: "opencode",
    name: "OpenCode",
    version: VERSION,
    package: "opencode-ai",
    program,
    generate: trees::generate,
    outside: Outside { above: &[STRAYS], machine: &[] },
    session,
};

const VERSION: &str = "1.18.33";

/// The tool that reads a file.
const READER: Reader = Reader { tool: "read", key: "filePath" };

/// What would be loaded into every session if it stood in a folder above the tree.
const STRAYS: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "CONTEXT.md",
    "opencode.json",
    "opencode.jsonc",
    ".opencode",
    ".claude",
    ".agents",
    ".git",
];

/// Switches the client understands. They keep it from asking anything of the network.
const QUIET: &[(&str, &str)] = &[
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_SHARE", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9/"),
    ("NPM_CONFIG_OFFLINE", "true"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
];

/// Returns the program of an installed package: there are two, of which npm takes the second for
/// old processors.
fn program(folder: &Utf8Path) -> Utf8PathBuf {
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let os = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let path =
        |kind: &str| folder.join(format!("node_modules/opencode-{os}-{arch}{kind}/bin/opencode"));
    let baseline = path("-baseline");
    if path("").is_file() || !baseline.is_file() { path("") } else { baseline }
}

/// Runs one session, and returns what reached the model.
fn session(session: &Session<'_>) -> Result<Answer> {
    let (tree, root) = (session.tree, session.root);
    let stub = Stub::start_for(tree.touches_at(root), READER)?;
    let printed = printed(session, &stub.url())?;
    let source = read::Source {
        root,
        bodies: &stub.bodies(),
        events: &printed,
        on_disk: &|path| fs::read(path).ok(),
    };
    read::answer(&source, VERSION, tree.touches.len())
}

/// Runs the client and returns the events it printed.
#[expect(clippy::disallowed_methods, reason = "its settings go to a throw-away folder")]
fn printed(session: &Session<'_>, url: &str) -> Result<Vec<Value>> {
    let scratch = tempfile::tempdir().context("no temporary folder")?;
    let managed = scratch.path().join("managed");
    let settings = json!({
        "$schema": "https://opencode.ai/config.json",
        "provider": {"anthropic": {"options": {"baseURL": format!("{url}/v1"), "apiKey": "dummy"}}},
        "permission": {"external_directory": "allow", "doom_loop": "allow"},
        "share": "disabled",
        "autoupdate": false,
    });
    fs::create_dir_all(&managed).context("no temporary folder")?;
    fs::write(managed.join("opencode.json"), settings.to_string()).context("no temporary file")?;
    let mut command = session.command();
    command
        .args(["run", "-m", "anthropic/claude-sonnet-4-5", "--format", "json", "hello"])
        .env("TMPDIR", scratch.path())
        .envs(QUIET.iter().copied())
        .env("OPENCODE_TEST_MANAGED_CONFIG_DIR", &managed);
    let text = session.run(&mut command)?.output()?;
    text.lines()
        .map(|line| serde_json::from_str(line).context("the client printed a line that isn't JSON"))
        .collect()
}
