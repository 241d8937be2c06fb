//! The real client: where it is, and one headless session of it.

use std::{
    env, fs,
    io::Read as _,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::{
    answer::{Answer, Source},
    stub::Stub,
    trees::{HOME, Tree},
};

/// How long one session may take. One takes about a second.
const PATIENCE: Duration = Duration::from_secs(90);

/// An address on which nothing listens.
const NOBODY: &str = "http://127.0.0.1:9";

/// What would be loaded into every session if it stood in a folder above the tree.
const STRAYS: &[&str] = &["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude", ".git"];

/// An installed Claude Code.
#[derive(Clone, Debug)]
pub struct Client {
    program: Utf8PathBuf,
    version: String,
}

impl Client {
    /// Returns the client at a path, which has to say that it is `version`.
    ///
    /// # Errors
    /// When it can't be run, or is another version.
    pub fn at(program: &Utf8Path, version: &str) -> Result<Self> {
        let home = tempfile::tempdir().context("no temporary folder")?;
        let output = bare(program, home.path())
            .arg("--version")
            .output()
            .with_context(|| format!("could not run `{program}`"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let said = said.split_whitespace().next().unwrap_or_default();
        ensure!(said == version, "`{program}` is version {said}, not {version}");
        Ok(Self { program: program.to_owned(), version: version.to_owned() })
    }

    /// Returns the client of a version: what `COALWASH_CLAUDE_2_1_332` (for 2.1.332) names, or what
    /// [`Client::install`] put into the cache folder.
    ///
    /// # Errors
    /// When it is in neither place.
    #[expect(clippy::disallowed_methods, reason = "a task names its client in the environment")]
    pub fn find(version: &str) -> Result<Self> {
        let key = key(version);
        if let Some(program) = env::var_os(&key) {
            let program = Utf8PathBuf::try_from(std::path::PathBuf::from(program))
                .with_context(|| format!("`{key}` isn't valid UTF-8"))?;
            return Self::at(&program, version);
        }
        let program = program_in(&cache_folder(version)?);
        ensure!(
            program.is_file(),
            "Claude Code {version} isn't installed: name its program in `{key}`, or run \
             `cargo xtask install --version {version}`"
        );
        Self::at(&program, version)
    }

    /// Installs a version with npm into `folder`, which is made if it is missing.
    ///
    /// # Errors
    /// When npm is missing or fails. What it has written by then stays.
    #[expect(clippy::disallowed_methods, reason = "it makes a folder of its own")]
    pub fn install(folder: &Utf8Path, version: &str) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("could not make `{folder}`"))?;
        let done = Command::new("npm")
            .args(["i", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"])
            .arg(folder)
            .arg(format!("@anthropic-ai/claude-code@{version}"))
            .stdin(Stdio::null())
            .output()
            .context("could not run `npm`, which installs Claude Code")?;
        ensure!(
            done.status.success(),
            "npm could not install Claude Code {version}: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        );
        let program = program_in(folder);
        ensure!(program.is_file(), "npm installed no program for this machine at `{program}`");
        Self::at(&program, version)
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
        // Letters and digits only: the path must not mean anything in Markdown, in a glob or in
        // the host's slugs.
        let root =
            tempfile::Builder::new().prefix("cw").tempdir().context("no temporary folder")?;
        tree.lay_out(root.path())?;
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
        ensure!(
            root.chars().all(|c| c.is_ascii_alphanumeric() || c == '/'),
            "`{root}` has characters that could mean something in a text"
        );
        check_surroundings(root)?;
        let stub = Stub::start(tree.touches_at(root))?;
        let prompt = ["hello", "--output-format", "stream-json", "--verbose"];
        let output = self.run(tree, root, &prompt, &stub.url())?;
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
        Ok(rows(&self.run(tree, root, &["/context"], NOBODY)?))
    }

    /// Runs the client with a prompt and returns what it printed.
    #[expect(clippy::disallowed_methods, reason = "its output goes to a throw-away folder")]
    fn run(&self, tree: &Tree, root: &str, prompt: &[&str], url: &str) -> Result<String> {
        let logs = tempfile::tempdir().context("no temporary folder")?;
        let (out, err) = (logs.path().join("out"), logs.path().join("err"));
        let home = format!("{root}/{HOME}");
        fs::create_dir_all(&home).with_context(|| format!("could not make `{home}`"))?;
        let mut child = bare(&self.program, Path::new(&home))
            .arg("-p")
            .args(prompt)
            .envs([
                ("ANTHROPIC_API_KEY", "dummy"),
                ("DISABLE_TELEMETRY", "1"),
                ("DISABLE_ERROR_REPORTING", "1"),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ])
            .env("ANTHROPIC_BASE_URL", url)
            .envs(tree.env_at(root))
            .current_dir(tree.cwd_at(root))
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out).context("no temporary file")?)
            .stderr(fs::File::create(&err).context("no temporary file")?)
            .process_group(0)
            .spawn()
            .with_context(|| format!("could not run `{}`", self.program))?;
        let status = wait(&mut child);
        let read = |path: &Path| -> Result<String> {
            let mut bytes = Vec::new();
            fs::File::open(path)?.read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let text = read(&out).context("could not read what the client printed")?;
        match status {
            Ok(true) => Ok(text),
            Ok(false) => bail!("the client failed: {}{}", read(&err)?.trim(), last_line(&text)),
            Err(error) => Err(error),
        }
    }
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

/// Returns a command with an environment that says where home is and nothing else.
fn bare(program: &Utf8Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .env("TERM", "xterm")
        .env("LANG", "C.UTF-8")
        .env("DISABLE_AUTOUPDATER", "1");
    command
}

/// Waits for the client and says whether it succeeded. Takes it down with all it started when it is
/// too slow.
pub(crate) fn wait(child: &mut Child) -> Result<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("lost the client")? {
            return Ok(status.success());
        }
        if start.elapsed() > PATIENCE {
            let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
            if let Some(group) = group {
                rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
                    .context("could not stop the client")?;
            }
            child.wait().context("lost the client")?;
            bail!("the client took more than {} seconds", PATIENCE.as_secs());
        }
        thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn last_line(text: &str) -> String {
    let line: String = text.lines().last().unwrap_or_default().chars().take(300).collect();
    if line.is_empty() { line } else { format!(" ({line})") }
}

/// Refuses to ask where the client would load more than the tree.
fn check_surroundings(root: &str) -> Result<()> {
    for folder in Utf8Path::new(root).ancestors().skip(1) {
        for name in STRAYS {
            let path = folder.join(name);
            ensure!(!path.exists(), "the client would load `{path}` into every session");
        }
    }
    let managed = Utf8Path::new("/etc/claude-code");
    ensure!(!managed.exists(), "the client would load `{managed}` into every session");
    Ok(())
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

/// Returns the environment variable that names the client of a version.
pub fn key(version: &str) -> String {
    format!("COALWASH_CLAUDE_{}", version.replace('.', "_"))
}

/// Returns the folder a version is installed in.
///
/// # Errors
/// When neither `XDG_CACHE_HOME` nor `HOME` is set.
#[expect(clippy::disallowed_methods, reason = "a task keeps its clients in the user's cache")]
pub fn cache_folder(version: &str) -> Result<Utf8PathBuf> {
    let cache = env::var("XDG_CACHE_HOME")
        .ok()
        .filter(|path| path.starts_with('/'))
        .or_else(|| env::var("HOME").ok().map(|home| format!("{home}/.cache")))
        .context("no cache folder: neither `XDG_CACHE_HOME` nor `HOME` is set")?;
    Ok(Utf8PathBuf::from(cache).join("coalwash-xtask").join(version))
}

#[cfg(test)]
mod tests;
