//! Changes of a user's files by the real binary: shown, made, taken back, refused, interrupted.

mod apply;
mod bytes;
mod damage;
mod left_alone;
mod plans;
mod quick;
mod undo;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::home::{TestHome, git, path};

/// A line that costs about 20 tokens.
pub(crate) const REFUNDS: &str =
    "- [Refunds](refunds.md): never retry a chargeback, the bank has closed it on its side\n";
pub(crate) const DEPLOY: &str =
    "- [Deploy](deploy.md): the train leaves on Tuesday at 14:00 from the main branch only\n";
/// A paragraph of about 40 tokens.
pub(crate) const MONEY: &str = "Money is kept in integer cents, in every table and in every message. \
    A float is never right, not even for a rate: write 1250 for 12.50 EUR.\n";

/// A file besides its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
    pub(crate) modified: SystemTime,
}

/// Returns every file of the home but coalwash's own and git's.
pub(crate) fn files(home: &TestHome) -> BTreeMap<PathBuf, State> {
    fn walk(folder: &Path, out: &mut BTreeMap<PathBuf, State>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() && !path.ends_with(".local/share/coalwash") && !path.ends_with(".git")
            {
                walk(&path, out);
            } else if meta.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                let (mode, modified) = (meta.permissions().mode(), meta.modified().unwrap());
                out.insert(path, State { bytes, mode, modified });
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(&home.home(), &mut out);
    out
}

/// Returns the content of a file.
pub(crate) fn text(home: &TestHome, name: &str) -> String {
    String::from_utf8(std::fs::read(home.path(name)).unwrap()).unwrap()
}

/// Returns the name of a file of the project's memory.
pub(crate) fn memory(home: &TestHome, name: &str) -> String {
    format!("{}/memory/{name}", home.host_folder())
}

/// A project without git whose memory and instructions say things twice.
pub(crate) fn shop() -> TestHome {
    let mut home = TestHome::new();
    home.env("PATH", &path());
    let notes = format!("# shop\n\n{REFUNDS}{DEPLOY}- [Ports](ports.md): 5433\n{REFUNDS}{DEPLOY}");
    home.file(&memory(&home, "MEMORY.md"), notes);
    home.file("CLAUDE.md", format!("# Shop\n\n{MONEY}\nUse pnpm.\n\n{MONEY}"));
    home
}

/// The same with the instructions in git.
pub(crate) fn committed() -> TestHome {
    let home = shop();
    commit(&home);
    home
}

pub(crate) fn commit(home: &TestHome) {
    let project = home.project();
    git(home, &project, &["init", "-q"]);
    git(home, &project, &["add", "-A"]);
    git(home, &project, &["commit", "-q", "-m", "x"]);
}
