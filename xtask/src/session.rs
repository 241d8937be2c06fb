//! One headless session of a client, as it is the same for every host: a bare environment, the tree
//! as its world, output that is kept, and an end that comes in any case.

use std::{
    fs,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};

use crate::trees::{HOME, Tree};

/// How long one session may take. One takes about a second, of OpenCode about four.
const PATIENCE: Duration = Duration::from_secs(90);

/// What would have a say in a session though it isn't in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    /// Names in the folders above the tree.
    pub above: &'static [&'static [&'static str]],
    /// Paths on the machine.
    pub machine: &'static [&'static str],
}

/// A client that is going to run in a tree.
#[derive(Clone, Debug)]
pub struct Session<'a> {
    /// The client's program.
    pub program: &'a Utf8Path,
    /// The tree.
    pub tree: &'a Tree,
    /// Where the tree was laid out: an absolute path.
    pub root: &'a str,
}

/// How a session ended.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// The exit status.
    pub(crate) status: ExitStatus,
    out: String,
    err: String,
}

impl Session<'_> {
    /// Refuses to ask where something outside of the tree would have a say.
    ///
    /// # Errors
    /// When something of that kind is there, or the root could mean something in a text.
    pub(crate) fn check(&self, outside: &Outside) -> Result<()> {
        let root = self.root;
        ensure!(
            root.chars().all(|c| c.is_ascii_alphanumeric() || c == '/'),
            "`{root}` has characters that could mean something in a text"
        );
        let names = || outside.above.iter().copied().flatten();
        let above = Utf8Path::new(root).ancestors().skip(1);
        let above = above.flat_map(|folder| names().map(move |name| folder.join(name)));
        let machine = outside.machine.iter().map(Utf8PathBuf::from);
        for path in above.chain(machine) {
            ensure!(!path.exists(), "the client would take notice of `{path}`");
        }
        Ok(())
    }

    /// Returns the folder that is the user's home.
    fn home(&self) -> String {
        format!("{}/{HOME}", self.root)
    }

    /// Returns a command of the client that sees nothing of this machine's environment.
    pub(crate) fn command(&self) -> Command {
        bare(self.program, Path::new(&self.home()))
    }

    /// Runs a command in the folder and with the variables of the tree.
    ///
    /// # Errors
    /// When it can't be run or takes too long.
    #[expect(clippy::disallowed_methods, reason = "its output goes to a throw-away folder")]
    pub(crate) fn run(&self, command: &mut Command) -> Result<Ran> {
        let logs = tempfile::tempdir().context("no temporary folder")?;
        let (out, err) = (logs.path().join("out"), logs.path().join("err"));
        let home = self.home();
        fs::create_dir_all(&home).with_context(|| format!("could not make `{home}`"))?;
        let mut child = command
            .envs(self.tree.env_at(self.root))
            .current_dir(self.tree.cwd_at(self.root))
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out).context("no temporary file")?)
            .stderr(fs::File::create(&err).context("no temporary file")?)
            .process_group(0)
            .spawn()
            .with_context(|| format!("could not run `{}`", self.program))?;
        let status = wait(&mut child)?;
        let read = |path: &Path| -> Result<String> {
            let bytes = fs::read(path).context("could not read what the client printed")?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(Ran { status, out: read(&out)?, err: read(&err)? })
    }
}

impl Ran {
    /// Returns what the client printed.
    ///
    /// # Errors
    /// When it failed; the message has what it said of that.
    pub(crate) fn output(self) -> Result<String> {
        if self.status.success() {
            return Ok(self.out);
        }
        let last: String = self.out.lines().last().unwrap_or_default().chars().take(300).collect();
        let last = if last.is_empty() { last } else { format!(" ({last})") };
        bail!("the client failed: {}{last}", self.err.trim())
    }
}

/// Returns a command with an environment that says where home is and nothing else. A script is run
/// by node.
pub(crate) fn bare(program: &Utf8Path, home: &Path) -> Command {
    let mut command = if program.extension() == Some("js") {
        let mut node = Command::new("node");
        node.arg(program);
        node
    } else {
        Command::new(program)
    };
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .env("TERM", "xterm")
        .env("LANG", "C.UTF-8");
    command
}

/// Waits for the client. Takes it down with all it started when it is too slow.
fn wait(child: &mut Child) -> Result<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("lost the client")? {
            return Ok(status);
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
