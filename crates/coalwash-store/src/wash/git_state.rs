//! Whether git has a file, and has it as it is.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::git::checkout;

use crate::disk::DiskTree;
use crate::load::{GitError, git};

/// What git knows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitState {
    /// No checkout has it.
    Untracked,
    /// The last commit has it as it is.
    Clean,
    /// It differs from the last commit, or is new in the index.
    Uncommitted,
}

/// Asks git about some files, each in the checkout that it lies in.
///
/// # Errors
/// When git can't be run or doesn't answer.
pub fn git_states(paths: &[&Utf8Path]) -> Result<Vec<GitState>, GitError> {
    let tree = DiskTree::default();
    let root_of = |path: &&Utf8Path| {
        let folder = path.parent().unwrap_or(Utf8Path::new("/"));
        checkout(&tree, folder).map(|checkout| checkout.root)
    };
    let roots: Vec<Option<Utf8PathBuf>> = paths.iter().map(root_of).collect();
    let mut out = vec![GitState::Untracked; paths.len()];
    let mut asked: Vec<&Utf8PathBuf> = Vec::new();
    for root in roots.iter().flatten() {
        if asked.contains(&root) {
            continue;
        }
        asked.push(root);
        let mine = |at: &usize| roots[*at].as_ref() == Some(root);
        let here: Vec<usize> = (0..paths.len()).filter(mine).collect();
        let names: Vec<&str> = here
            .iter()
            .filter_map(|at| paths[*at].strip_prefix(root).ok()?.as_str().into())
            .collect();
        let told = told(root, &names)?;
        for (at, name) in here.into_iter().zip(names) {
            out[at] = told.of(name);
        }
    }
    Ok(out)
}

/// An answer of `git status`: two letters and a path each.
struct Told(Vec<(String, String)>);

impl Told {
    /// What isn't named is as the last commit has it.
    fn of(&self, name: &str) -> GitState {
        let about = |path: &str| match path.strip_suffix('/') {
            Some(folder) => Utf8Path::new(name).starts_with(folder),
            None => path == name,
        };
        match self.0.iter().find(|(_, path)| about(path)) {
            None => GitState::Clean,
            Some((letters, _)) if letters == "??" || letters == "!!" => GitState::Untracked,
            Some(_) => GitState::Uncommitted,
        }
    }
}

fn told(root: &Utf8Path, names: &[&str]) -> Result<Told, GitError> {
    let args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
    let output = git(root)
        .arg("--literal-pathspecs")
        .args(args)
        .args(["--ignored=traditional", "--ignore-submodules=all", "--"])
        .args(names)
        .output()
        .map_err(|source| GitError::NoGit { source })?;
    if !output.status.success() {
        return Err(GitError::Failed { what: "status".to_owned() });
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |line: &str| {
        let (letters, path) = line.split_at_checked(2)?;
        Some((letters.to_owned(), path.strip_prefix(' ')?.to_owned()))
    };
    Ok(Told(text.split('\0').filter_map(line).collect()))
}
