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

use std::{
    fs,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::Host;
use crate::{
    answer::Answer,
    client,
    stub::{Reader, Stub},
    trees::{HOME, Tree},
};

mod read;
#[cfg(test)]
mod tests;
mod texts;
mod trees;

/// The host.
pub const HOST: Host = Host {
    id: "opencode",
    version: VERSION,
    package: "opencode-ai",
    program,
    generate: trees::generate,
    ask,
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

fn ask(program: &Utf8Path, tree: &Tree, root: &Path) -> Result<Answer> {
    let root = root.canonicalize().context("the folder of the tree isn't there")?;
    let root = root.to_str().context("the root folder has to be valid UTF-8")?;
    ensure!(
        root.chars().all(|c| c.is_ascii_alphanumeric() || c == '/'),
        "`{root}` has characters that could mean something in a text"
    );
    for folder in Utf8Path::new(root).ancestors().skip(1) {
        for name in STRAYS {
            let path = folder.join(name);
            ensure!(!path.exists(), "the client would load `{path}` into every session");
        }
    }
    check_version(program)?;
    let stub = Stub::start_for(tree.touches_at(root), READER)?;
    let printed = session(program, tree, root, &stub.url())?;
    let source = read::Source {
        root,
        bodies: &stub.bodies(),
        events: &printed,
        on_disk: &|path| fs::read(path).ok(),
    };
    read::answer(&source, VERSION, tree.touches.len())
}

fn check_version(program: &Utf8Path) -> Result<()> {
    let scratch = tempfile::tempdir().context("no temporary folder")?;
    let output = bare(program, scratch.path(), scratch.path())
        .arg("--version")
        .output()
        .with_context(|| format!("could not run `{program}`"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(said.trim() == VERSION, "`{program}` is version {}, not {VERSION}", said.trim());
    Ok(())
}

/// Runs one session and returns the events it printed.
#[expect(clippy::disallowed_methods, reason = "its output goes to a throw-away folder")]
fn session(program: &Utf8Path, tree: &Tree, root: &str, url: &str) -> Result<Vec<Value>> {
    let scratch = tempfile::tempdir().context("no temporary folder")?;
    let (out, err) = (scratch.path().join("out"), scratch.path().join("err"));
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
    let home = format!("{root}/{HOME}");
    fs::create_dir_all(&home).with_context(|| format!("could not make `{home}`"))?;
    let mut child = bare(program, Path::new(&home), scratch.path())
        .args(["run", "-m", "anthropic/claude-sonnet-4-5", "--format", "json", "hello"])
        .env("OPENCODE_TEST_MANAGED_CONFIG_DIR", &managed)
        .envs(tree.env_at(root))
        .current_dir(tree.cwd_at(root))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out).context("no temporary file")?)
        .stderr(fs::File::create(&err).context("no temporary file")?)
        .process_group(0)
        .spawn()
        .with_context(|| format!("could not run `{program}`"))?;
    let succeeded = client::wait(&mut child)?;
    let read =
        |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let text = read(&out).context("could not read what the client printed")?;
    if !succeeded {
        bail!("the client failed: {}{}", read(&err)?.trim(), client::last_line(&text));
    }
    text.lines()
        .map(|line| serde_json::from_str(line).context("the client printed a line that isn't JSON"))
        .collect()
}

/// Returns a command with an environment that says where home is and nothing else.
fn bare(program: &Utf8Path, home: &Path, scratch: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .env("TMPDIR", scratch)
        .env("TERM", "xterm")
        .env("LANG", "C.UTF-8")
        .envs(QUIET.iter().copied());
    command
}
