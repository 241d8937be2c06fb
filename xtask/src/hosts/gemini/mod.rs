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

use anyhow::{Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};

use super::Host;
use crate::{
    answer::Answer,
    session::{Outside, Session},
};

mod reading;
mod stub;
#[cfg(test)]
mod tests;
mod trees;

/// The host.
pub const HOST: Host = Host {
    id: "gemini-cli",
    name: "Gemini CLI",
    version: VERSION,
    package: "@google/gemini-cli",
    program,
    generate: trees::generate,
    outside: Outside {
        above: &[&[".git", ".env", ".gemini", "GEMINI.md"], trees::MARKERS],
        machine: &["/etc/gemini-cli"],
    },
    session,
};

const VERSION: &str = "0.61.0";

/// A model whose system instruction lists agents as elements.
const MODEL: &str = "gemini-3-flash-preview";

/// What the client says when it refuses to start: broken configuration, untrusted folder.
const REFUSED: &[i32] = &[52, 55];

fn program(folder: &Utf8Path) -> Utf8PathBuf {
    folder.join("node_modules/@google/gemini-cli/bundle/gemini.js")
}

/// Runs one session, and returns what reached the model.
fn session(session: &Session<'_>) -> Result<Answer> {
    let (tree, root) = (session.tree, session.root);
    let stub = stub::start(tree.touches_at(root))?;
    // With a key of Vertex AI the client needs no settings file to take another address.
    let mut command = session.command();
    command
        .args(["-p", "hello", "-m", MODEL])
        .env("GOOGLE_GENAI_USE_VERTEXAI", "true")
        .env("GOOGLE_API_KEY", "dummy")
        .env("GOOGLE_VERTEX_BASE_URL", stub.url())
        .env("GEMINI_CLI_NO_RELAUNCH", "1")
        .env("GEMINI_TELEMETRY_ENABLED", "false");
    let ran = session.run(&mut command)?;
    let (bodies, touches) = (stub.bodies(), tree.touches.len());
    if ran.status.code().is_some_and(|code| REFUSED.contains(&code)) {
        ensure!(bodies.is_empty(), "the client refused to start after a request");
        let touches = vec![Vec::new(); touches];
        return Ok(Answer { version: VERSION.to_owned(), touches, ..Answer::default() });
    }
    ran.output()?;
    ensure!(bodies.len() == touches + 1, "the client sent {} requests", bodies.len());
    reading::answer(VERSION, root, &bodies, touches)
}
