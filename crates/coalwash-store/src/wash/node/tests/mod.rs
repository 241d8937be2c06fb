//! Stores of the Node engine, written from its documented formats.

#![expect(clippy::disallowed_methods, reason = "tests build trees")]

mod recover;
mod runs;
mod stores;
mod sweep;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use super::NodeStore;
use crate::disk::RealDisk;

/// A project with stores, and a folder beside it that nothing may reach.
pub(super) struct Project {
    _temp: TempDir,
    pub(super) root: Utf8PathBuf,
}

impl Project {
    pub(super) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        let root = top.join("p");
        std::fs::create_dir(&root).unwrap();
        Self { _temp: temp, root }
    }

    /// The folder that holds the project and what lies outside.
    pub(super) fn top(&self) -> &Utf8Path {
        self.root.parent().unwrap()
    }

    /// Writes a file of the project.
    pub(super) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Writes a file of the stores; `{P}` in it is the project.
    pub(super) fn store(&self, name: &str, text: &str) -> &Self {
        let text = text.replace("{P}", self.root.as_str());
        self.file(&format!(".claude/coalwash/{name}"), text)
    }

    /// Puts a link into the project.
    pub(super) fn link(&self, name: &str, target: &str) -> &Self {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    pub(super) fn opened(&self) -> NodeStore<'static, RealDisk> {
        NodeStore::open(&RealDisk, &self.root).unwrap()
    }

    /// Takes the temporary folder out of a text.
    pub(super) fn plain(&self, text: impl std::fmt::Display) -> String {
        text.to_string().replace(self.root.as_str(), "{P}").replace(self.top().as_str(), "{T}")
    }
}

/// When a file was written, in milliseconds since 1970.
pub(super) fn modified_ms(path: &Utf8Path) -> i64 {
    crate::disk::modified_ms(path).unwrap()
}
