//! Claude Code: its client, and one headless session of it.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::{
    answer::{Answer, Source},
    npm::Package,
    session::{Outside, Session},
    stub::Stub,
    trees::{HOME, Tree},
};

/// An address on which nothing listens.
const NOBODY: &str = "http://127.0.0.1:9";

const OUTSIDE: Outside = Outside {
    above: &[&["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude", ".git"]],
    machine: &["/etc/claude-code"],
};

/// An installed Claude Code.
#[derive(Clone, Debug)]
pub struct Client {
    program: Utf8PathBuf,
    version: String,
}

/// Returns the package of a version.
pub fn package(version: &str) -> Package<'_> {
    Package {
        client: "Claude Code",
        key: "CLAUDE".to_owned(),
        name: "@anthropic-ai/claude-code",
        version,
        folder: version.to_owned(),
        program: program_in,
        install: format!("--version {version}"),
    }
}

impl Client {
    /// Returns the client at a path, which has to say that it is `version`.
    ///
    /// # Errors
    /// When it can't be run, or is another version.
    pub fn at(program: &Utf8Path, version: &str) -> Result<Self> {
        package(version).check(program)?;
        Ok(Self { program: program.to_owned(), version: version.to_owned() })
    }

    /// Returns the client of a version: what `COALWASH_CLAUDE_2_1_332` (for 2.1.332) names, or what
    /// was installed into the cache folder.
    ///
    /// # Errors
    /// When it is in neither place.
    pub fn find(version: &str) -> Result<Self> {
        Ok(Self { program: package(version).find()?, version: version.to_owned() })
    }

    /// Returns the version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Lays a tree out in a new folder, runs one session in it and returns what reached the model.
    ///
    /// # Errors
    /// When the folder can't be made, or as [`Client::ask`].
    pub fn ask_anew(&self, tree: &Tree) -> Result<Answer> {
        let root = tree.lay_out_anew()?;
        self.ask(tree, root.path())
    }

    /// Runs one session in a tree that was laid out at `root`, and returns what reached the model.
    ///
    /// The client writes into the tree. It sees no environment but what is set here.
    ///
    /// # Errors
    /// When the client fails, takes too long or sends nothing; when folders above `root` hold files
    /// it would load; or when its requests and its transcript say different things.
    pub fn ask(&self, tree: &Tree, root: &Path) -> Result<Answer> {
        let root = root.canonicalize().context("the folder of the tree isn't there")?;
        let root = root.to_str().context("the root folder has to be valid UTF-8")?;
        let session = Session { program: &self.program, tree, root };
        session.check(&OUTSIDE)?;
        let stub = Stub::start(tree.touches_at(root))?;
        let prompt = ["hello", "--output-format", "stream-json", "--verbose"];
        let output = run(&session, &prompt, &stub.url())?;
        let transcript = transcript(&output, tree, root)?;
        let source = Source {
            version: &self.version,
            root,
            bodies: &stub.bodies(),
            transcript: &transcript,
        };
        Answer::read(&source, tree.touches.len())
    }

    /// Returns the class and the path of every row of the client's own table of memory files, which
    /// it prints without sending a request.
    ///
    /// # Errors
    /// When the client fails or takes too long.
    pub fn table(&self, tree: &Tree, root: &str) -> Result<Vec<(String, String)>> {
        let session = Session { program: &self.program, tree, root };
        Ok(rows(&run(&session, &["/context"], NOBODY)?))
    }
}

/// Runs the client with a prompt and returns what it printed.
fn run(session: &Session<'_>, prompt: &[&str], url: &str) -> Result<String> {
    let mut command = session.command();
    command
        .arg("-p")
        .args(prompt)
        .envs([
            ("ANTHROPIC_API_KEY", "dummy"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ])
        .env("ANTHROPIC_BASE_URL", url);
    session.run(&mut command)?.output()
}

/// Returns the rows below the heading "Memory Files", without its header.
fn rows(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().skip_while(|line| *line != "### Memory Files").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('#'));
    let cells = lines.filter_map(|line| {
        let (class, rest) = line.strip_prefix("| ")?.split_once(" | ")?;
        let (path, _tokens) = rest.strip_suffix(" |")?.rsplit_once(" | ")?;
        Some((class.to_owned(), path.to_owned()))
    });
    cells.skip(1).collect()
}

/// Returns the records of the session, which says its id in what it prints.
fn transcript(output: &str, tree: &Tree, root: &str) -> Result<Vec<u8>> {
    let id = output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|event| event["session_id"].as_str().map(str::to_owned))
        .context("the client named no session")?;
    let env = tree.env_at(root);
    let config = env.iter().find(|(key, _)| key == "CLAUDE_CONFIG_DIR");
    let config =
        config.map_or_else(|| format!("{root}/{HOME}/.claude"), |(_, value)| value.clone());
    let name = format!("{id}.jsonl");
    let projects = Utf8PathBuf::from(config).join("projects");
    let folders = fs::read_dir(&projects).with_context(|| format!("no `{projects}`"))?;
    for folder in folders {
        let path =
            folder.with_context(|| format!("could not read `{projects}`"))?.path().join(&name);
        if path.is_file() {
            return fs::read(&path).context("could not read the transcript");
        }
    }
    bail!("the client wrote no transcript for its session")
}

/// Returns the program of an installed package.
fn program_in(folder: &Utf8Path) -> Utf8PathBuf {
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let os = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    folder.join(format!("node_modules/@anthropic-ai/claude-code-{os}-{arch}/claude"))
}

#[cfg(test)]
mod tests;
