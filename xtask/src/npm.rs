//! Clients as npm has them: where one is on this machine, and how it gets there.

use std::{
    env, fs,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};

use crate::session::bare;

/// One version of a client.
#[derive(Clone, Debug)]
pub struct Package<'a> {
    /// What people call the client.
    pub client: &'a str,
    /// What the client is called in the name of a variable, as in `COALWASH_CLAUDE_2_1_332`.
    pub key: String,
    /// Its name at npm.
    pub name: &'a str,
    /// The version.
    pub version: &'a str,
    /// The name of its folder in the cache.
    pub folder: String,
    /// Returns the program in a folder into which npm installed the package.
    pub program: fn(&Utf8Path) -> Utf8PathBuf,
    /// The arguments of `cargo xtask install` for it.
    pub install: String,
}

impl Package<'_> {
    /// Returns what people call the client, with its version.
    pub fn title(&self) -> String {
        format!("{} {}", self.client, self.version)
    }

    /// Returns the environment variable that names the program of this version.
    pub fn variable(&self) -> String {
        format!("COALWASH_{}_{}", self.key, self.version.replace('.', "_"))
    }

    /// Makes sure that a program is this version of the client.
    ///
    /// # Errors
    /// When it can't be run, or is another version.
    pub fn check(&self, program: &Utf8Path) -> Result<()> {
        let home = tempfile::tempdir().context("no temporary folder")?;
        let output = bare(program, home.path())
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("could not run `{program}`"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let mut words = said.split_whitespace();
        let said = words.find(|it| it.starts_with(|c: char| c.is_ascii_digit()));
        let (said, version) = (said.unwrap_or_default(), self.version);
        ensure!(said == version, "`{program}` is version {said}, not {version}");
        Ok(())
    }

    /// Returns the program: the one that the environment names, or the one in the cache folder.
    ///
    /// # Errors
    /// When it is in neither place, or is another version.
    pub fn find(&self) -> Result<Utf8PathBuf> {
        let named = self.named()?;
        let is_named = named.is_some();
        let program = match named {
            Some(program) => program,
            None => (self.program)(&self.cache_folder()?),
        };
        ensure!(
            is_named || program.is_file(),
            "{} isn't installed: name its program in `{}`, or run `cargo xtask install {}`",
            self.title(),
            self.variable(),
            self.install
        );
        self.check(&program)?;
        Ok(program)
    }

    /// Returns the program, which is installed if it isn't there. The inner error says why there
    /// is none on this machine.
    ///
    /// # Errors
    /// When the environment names a program and that one can't be used.
    pub fn find_or_install(&self) -> Result<Result<Utf8PathBuf>> {
        let found = self.find();
        if found.is_ok() || self.named()?.is_some() {
            return found.map(Ok);
        }
        Ok(self.install())
    }

    /// Installs the package with npm into the cache folder, and returns its program.
    ///
    /// # Errors
    /// When npm is missing or fails. What it has written by then stays.
    #[expect(clippy::disallowed_methods, reason = "it makes a folder of its own")]
    pub fn install(&self) -> Result<Utf8PathBuf> {
        let (folder, title) = (self.cache_folder()?, self.title());
        fs::create_dir_all(&folder).with_context(|| format!("could not make `{folder}`"))?;
        let done = Command::new("npm")
            .args(["i", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"])
            .arg(&folder)
            .arg(format!("{}@{}", self.name, self.version))
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("could not run `npm`, which installs {title}"))?;
        ensure!(
            done.status.success(),
            "npm could not install {title}: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        );
        let program = (self.program)(&folder);
        ensure!(program.is_file(), "npm installed no program for this machine at `{program}`");
        self.check(&program)?;
        Ok(program)
    }

    /// Returns the program that the environment names.
    #[expect(clippy::disallowed_methods, reason = "a task names its client in the environment")]
    fn named(&self) -> Result<Option<Utf8PathBuf>> {
        let key = self.variable();
        let Some(program) = env::var_os(&key) else { return Ok(None) };
        let program = Utf8PathBuf::try_from(std::path::PathBuf::from(program));
        program.map(Some).with_context(|| format!("`{key}` isn't valid UTF-8"))
    }

    /// Returns the folder that the package is installed in.
    #[expect(clippy::disallowed_methods, reason = "a task keeps its clients in the user's cache")]
    fn cache_folder(&self) -> Result<Utf8PathBuf> {
        let cache = env::var("XDG_CACHE_HOME")
            .ok()
            .filter(|path| path.starts_with('/'))
            .or_else(|| env::var("HOME").ok().map(|home| format!("{home}/.cache")))
            .context("no cache folder: neither `XDG_CACHE_HOME` nor `HOME` is set")?;
        Ok(Utf8PathBuf::from(cache).join("coalwash-xtask").join(&self.folder))
    }
}
