//! A home and a project in a temporary folder, and runs of the binary in them.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use coalwash_core::load::slug::slug;
use tempfile::TempDir;

/// The clock of every run: Monday, 30 November 2026, 15:00 UTC.
pub(crate) const NOW_MS: i64 = 1_796_050_800_000;

/// A private home with one project, `~/work/shop`.
pub(crate) struct TestHome {
    _folder: TempDir,
    root: PathBuf,
    env: Vec<(String, String)>,
}

/// What one run printed, with the temporary folder taken out of it.
#[must_use]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("home").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let out = Self { _folder: folder, root, env: Vec::new() };
        std::fs::create_dir_all(out.project()).unwrap();
        out
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("u")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("work/shop")
    }

    /// Sets a variable for all runs.
    pub(crate) fn env(&mut self, key: &str, value: &str) -> &mut Self {
        self.env.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Returns a path: `~/…` in the home, anything else in the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(rest) => self.home().join(rest),
            None => self.project().join(name),
        }
    }

    /// Writes a file and the folders above it.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn folder(&self, name: &str) -> &Self {
        std::fs::create_dir_all(self.path(name)).unwrap();
        self
    }

    pub(crate) fn link(&self, name: &str, target: &str) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    pub(crate) fn pipe(&self, name: &str) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let done = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(done.success());
        self
    }

    pub(crate) fn mode(&self, name: &str, mode: u32) -> &Self {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(self.path(name), mode).unwrap();
        self
    }

    /// Returns the host's folder of the project.
    pub(crate) fn host_folder(&self) -> String {
        let path = self.project();
        format!("~/.claude/projects/{}", slug(path.to_str().unwrap().into()))
    }

    /// Records a session that was sent these files at 14:02.
    pub(crate) fn session(&self, files: &[(&str, &str)]) -> &Self {
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| {
                serde_json::json!({"path": self.path(name), "type": "Project", "content": text})
            })
            .collect();
        let record = serde_json::json!({
            "type": "attachment",
            "cwd": self.project(),
            "version": "2.1.332",
            "timestamp": "2026-11-30T14:02:00.000Z",
            "attachment": {"type": "instructions", "files": files},
        });
        let name = format!("{}/7f3a.jsonl", self.host_folder());
        self.file(&name, format!("{record}\n"))
    }

    /// Sets when a file was written, as milliseconds from the clock of the runs.
    pub(crate) fn written(&self, name: &str, ms_ago: u64) -> &Self {
        let now = u64::try_from(NOW_MS).unwrap();
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_millis(now - ms_ago);
        let file = std::fs::File::options().append(true).open(self.path(name)).unwrap();
        file.set_modified(at).unwrap();
        self
    }

    /// Runs the binary in the project.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_in(&self.project(), args)
    }

    /// Runs the binary in a folder, with nothing in its environment but what the test set.
    pub(crate) fn run_in(&self, folder: &Path, args: &[&str]) -> Run {
        let output = self.command(args).current_dir(folder).output().unwrap();
        self.cleaned(&output)
    }

    pub(crate) fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_coalwash"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/nothing")
            .env("TZ", "UTC")
            .env("COLUMNS", "80")
            .env("COALWASH_NOW", NOW_MS.to_string())
            .envs(self.env.iter().map(|(k, v)| (k, v)))
            .stdin(std::process::Stdio::null());
        command
    }

    fn cleaned(&self, output: &Output) -> Run {
        let root = self.root.to_str().unwrap();
        let clean = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
            let slug = slug(root.into());
            text.replace(root, "/tmp/T").replace(&slug, "-tmp-T")
        };
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: clean(&output.stdout),
            stderr: clean(&output.stderr),
        }
    }

    /// Returns every path below the root with its kind, size, mode and time, to see that nothing
    /// was written.
    pub(crate) fn snapshot(&self) -> Vec<String> {
        fn walk(folder: &Path, out: &mut Vec<String>) {
            let Ok(listing) = std::fs::read_dir(folder) else { return };
            for entry in listing.flatten() {
                let meta = entry.path().symlink_metadata().unwrap();
                out.push(format!(
                    "{:?} {:?} {} {:?} {:?}",
                    entry.path(),
                    meta.file_type(),
                    meta.len(),
                    meta.permissions(),
                    meta.modified().unwrap()
                ));
                if meta.is_dir() {
                    walk(&entry.path(), out);
                }
            }
        }
        let mut out = Vec::new();
        walk(&self.root, &mut out);
        out.sort();
        out
    }
}

impl Run {
    /// Returns all of it as one text, for a snapshot.
    pub(crate) fn all(&self) -> String {
        let mut out = format!("exit {}\n", self.code);
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                out.push_str(&format!("--- {name}\n{text}"));
            }
        }
        out
    }

    /// Returns standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{}", self.all()))
    }

    /// Returns the JSON of a run that ended with this code.
    pub(crate) fn json_of_exit(&self, code: i32) -> serde_json::Value {
        assert_eq!(self.code, code, "{}", self.all());
        self.json()
    }
}

/// Runs git in the project, with no configuration but what is needed for a commit.
pub(crate) fn git(home: &TestHome, folder: &Path, args: &[&str]) {
    let done = std::process::Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t.test",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", path())
        .env("HOME", home.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(done.success(), "git {args:?}");
}

pub(crate) fn path() -> String {
    std::env::var("PATH").unwrap()
}

/// Returns what a run printed and how it ended, for a snapshot.
pub(crate) fn said(run: &Run) -> String {
    format!("{}{}exit {}", run.stdout, run.stderr, run.code)
}
