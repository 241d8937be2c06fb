//! Codex CLI: what one headless session of it sends.
//!
//! The client merges everything into one text without the names of files: the global file first,
//! then the files of the project. So [`Answer::start`] has at most two entries:
//!
//! - class `global`: the text of the global part, under the path of the client's own folder
//!   (`CODEX_HOME`, or `.codex` at home);
//! - class `project`: the joined texts of the project part, under the folder the client names in
//!   the head of the text, which is the real path of the session's folder.
//!
//! [`Answer::skills`] has the lines of the skill list as they were sent, without what belongs to
//! the client's own skills: first those that say which folder `r0`, `r1` and so on stand for, then
//! those of the skills.

use std::fs;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::Host;
use crate::{
    answer::Answer,
    session::{Outside, Session},
    trees::{HOME, Tree},
};

mod reading;
mod stub;
#[cfg(test)]
mod tests;
mod trees;

use reading::Source;

/// The host.
pub const HOST: Host = Host {
    id: "codex",
    name: "Codex",
    version: VERSION,
    package: "@openai/codex",
    program,
    generate: trees::generate,
    outside: Outside {
        above: &[&[".git", ".codex-plugin", ".claude-plugin"], trees::MARKERS],
        machine: &["/etc/codex"],
    },
    session,
};

const VERSION: &str = "0.171.0";

/// A model the client doesn't know, so that the list of models it came with has no say.
const MODEL: &str = "gpt-5.2-codex";

fn program(folder: &Utf8Path) -> Utf8PathBuf {
    let arch = if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86_64" };
    let short = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let (os, system) = if cfg!(target_os = "macos") {
        ("darwin", "apple-darwin")
    } else {
        ("linux", "unknown-linux-musl")
    };
    folder.join(format!("node_modules/@openai/codex-{os}-{short}/vendor/{arch}-{system}/bin/codex"))
}

/// Runs one session, and returns what reached the model.
fn session(session: &Session<'_>) -> Result<Answer> {
    let (tree, root) = (session.tree, session.root);
    let stub = stub::start()?;
    let provider = format!(
        "model_providers.stub={{name=\"stub\",base_url=\"{}/v1\",wire_api=\"responses\",\
         env_key=\"STUB_KEY\",request_max_retries=0,stream_max_retries=0}}",
        stub.url()
    );
    let mut command = session.command();
    command
        .args(["exec", "--skip-git-repo-check", "-c"])
        .arg(format!("model=\"{MODEL}\""))
        .args(["-c", "model_provider=\"stub\"", "-c"])
        .arg(provider)
        .arg("hello")
        .env("STUB_KEY", "dummy");
    session.run(&mut command)?.output()?;
    let bodies = stub.bodies();
    let [body] = bodies.as_slice() else {
        bail!("the client sent {} requests instead of one", bodies.len());
    };
    let folder = client_folder(tree, root)?;
    let record = records(&folder.join("sessions"))?;
    let own_skills = folder.join("skills/.system");
    let own_skills = own_skills.canonicalize_utf8().unwrap_or(own_skills);
    let source = Source {
        root,
        folder: folder.as_str(),
        own_skills: own_skills.as_str(),
        mark: &format!("mark{}k", tree.seed),
        body,
        record: &record,
    };
    source.answer(VERSION)
}

/// Returns the client's own folder: the real path of what `CODEX_HOME` names, which may be relative
/// to the session's folder.
fn client_folder(tree: &Tree, root: &str) -> Result<Utf8PathBuf> {
    let env = tree.env_at(root);
    let named = env.iter().find(|(key, value)| key == "CODEX_HOME" && !value.is_empty());
    let path = match named {
        Some((_, value)) => Utf8Path::new(&tree.cwd_at(root)).join(value),
        None => Utf8PathBuf::from(format!("{root}/{HOME}/.codex")),
    };
    path.canonicalize_utf8().with_context(|| format!("no `{path}`"))
}

/// Returns the records of the only session below a folder.
fn records(sessions: &Utf8Path) -> Result<Vec<Value>> {
    let mut folders = vec![sessions.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries =
            folder.read_dir_utf8().with_context(|| format!("could not list `{folder}`"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("could not list `{folder}`"))?;
            let kind = entry.file_type().with_context(|| format!("no `{}`", entry.path()))?;
            if kind.is_dir() {
                folders.push(entry.into_path());
            } else if entry.file_name().ends_with(".jsonl") {
                found.push(entry.into_path());
            }
        }
    }
    let [path] = found.as_slice() else {
        bail!("the client wrote {} records of its session instead of one", found.len());
    };
    let text = fs::read_to_string(path).with_context(|| format!("could not read `{path}`"))?;
    text.lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("`{path}` has a bad line")))
        .collect()
}
