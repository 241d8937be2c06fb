//! Gemini CLI: what one headless session of it sends.
//!
//! [`Answer::start`] has the files in the order of the request: class `global` and `memory` from the
//! system instruction, then `extension` and `project` from the first content. A text is what stands
//! between the head and the foot of its frame, imports included. After a touch the class is empty.
//! [`Answer::skills`] and [`Answer::agents`] have the elements of the two lists as they were sent,
//! without the client's own. Skills are sorted: the client lists those of one folder in the order in
//! which it got to know them, mostly from the last name to the first, but not always.
//!
//! Where the client refuses to start, because a settings file is broken or the folder isn't
//! trusted, nothing reaches the model, and the answer is empty.

use std::{
    fs,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};

use super::Host;
use crate::{
    answer::Answer,
    client::wait,
    trees::{HOME, Tree},
};

mod reading;
mod stub;
#[cfg(test)]
mod tests;
mod trees;

/// The host.
pub const HOST: Host = Host {
    id: "gemini-cli",
    version: VERSION,
    package: "@google/gemini-cli",
    program,
    generate: trees::generate,
    ask,
};

const VERSION: &str = "0.61.0";

/// A model whose system instruction lists agents as elements.
const MODEL: &str = "gemini-3-flash-preview";

/// What the client says when it refuses to start: broken configuration, untrusted folder.
const REFUSED: &[i32] = &[52, 55];

/// What would change an answer if it stood in a folder above the tree.
const STRAYS: &[&str] = &[".git", ".env", ".gemini", "GEMINI.md"];

fn program(folder: &Utf8Path) -> Utf8PathBuf {
    folder.join("node_modules/@google/gemini-cli/bundle/gemini.js")
}

/// Runs one session in a tree, and returns what reached the model.
///
/// The client writes into the tree. It sees no environment but what is set here.
fn ask(program: &Utf8Path, tree: &Tree, root: &Path) -> Result<Answer> {
    let root = root.canonicalize().context("the folder of the tree isn't there")?;
    let root = root.to_str().context("the root folder has to be valid UTF-8")?;
    ensure!(
        root.chars().all(|c| c.is_ascii_alphanumeric() || c == '/'),
        "`{root}` has characters that could mean something in a text"
    );
    check_surroundings(root)?;
    let stub = stub::start(tree.touches_at(root))?;
    let started = run(program, tree, root, &stub.url())?;
    let (bodies, touches) = (stub.bodies(), tree.touches.len());
    if !started {
        ensure!(bodies.is_empty(), "the client refused to start after a request");
        let touches = vec![Vec::new(); touches];
        return Ok(Answer { version: VERSION.to_owned(), touches, ..Answer::default() });
    }
    ensure!(bodies.len() == touches + 1, "the client sent {} requests", bodies.len());
    reading::answer(VERSION, root, &bodies, touches)
}

/// Runs the client with a prompt, and says whether it started a session.
#[expect(clippy::disallowed_methods, reason = "its output goes to a throw-away folder")]
fn run(program: &Utf8Path, tree: &Tree, root: &str, url: &str) -> Result<bool> {
    let logs = tempfile::tempdir().context("no temporary folder")?;
    let err = logs.path().join("err");
    let home = format!("{root}/{HOME}");
    fs::create_dir_all(&home).with_context(|| format!("could not make `{home}`"))?;
    // With a key of Vertex AI the client needs no settings file to take another address.
    let mut child = Command::new("node")
        .arg(program)
        .args(["-p", "hello", "-m", MODEL])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", &home)
        .env("TERM", "xterm")
        .env("LANG", "C.UTF-8")
        .env("GOOGLE_GENAI_USE_VERTEXAI", "true")
        .env("GOOGLE_API_KEY", "dummy")
        .env("GOOGLE_VERTEX_BASE_URL", url)
        .env("GEMINI_CLI_NO_RELAUNCH", "1")
        .env("GEMINI_TELEMETRY_ENABLED", "false")
        .envs(tree.env_at(root))
        .current_dir(tree.cwd_at(root))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&err).context("no temporary file")?)
        .process_group(0)
        .spawn()
        .context("could not run `node`, which runs the client")?;
    if wait(&mut child)? {
        return Ok(true);
    }
    let code = child.wait().context("lost the client")?.code();
    if code.is_some_and(|code| REFUSED.contains(&code)) {
        return Ok(false);
    }
    let said = fs::read(&err).context("could not read what the client printed")?;
    bail!("the client failed: {}", String::from_utf8_lossy(&said).trim());
}

/// Refuses to ask where something outside of the tree would have a say.
fn check_surroundings(root: &str) -> Result<()> {
    for folder in Utf8Path::new(root).ancestors().skip(1) {
        for name in STRAYS.iter().chain(trees::MARKERS) {
            let path = folder.join(name);
            ensure!(!path.exists(), "the client would take notice of `{path}`");
        }
    }
    let system = Utf8Path::new("/etc/gemini-cli");
    ensure!(!system.exists(), "the client would take notice of `{system}`");
    Ok(())
}
