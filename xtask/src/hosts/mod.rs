//! The other hosts: random trees for each, and what its real client sends in them.
//!
//! Every host has one folder here that makes trees from seeds, says how its client is started
//! against a stand-in for the model's API on a loopback port, and reads from the requests which of
//! our own texts reached the model. [`Answer`] says it in the same words for all hosts. What a
//! session is, whatever the host, is in [`Session`].

use std::path::Path;

use anyhow::{Context as _, Result};
use camino::{Utf8Path, Utf8PathBuf};

use crate::{
    answer::Answer,
    npm::Package,
    record::Golden,
    session::{Outside, Session},
    trees::Tree,
};

pub mod codex;
pub mod compare;
pub mod gemini;
pub mod opencode;

/// A host whose client can be asked.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Its id, as in JSON.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// The version that is asked.
    pub version: &'static str,
    /// The package of npm that holds it, without a version.
    pub package: &'static str,
    /// Returns the program in a folder into which npm installed the package.
    pub program: fn(&Utf8Path) -> Utf8PathBuf,
    /// Makes the tree of a seed: the same for ever.
    pub generate: fn(u64) -> Tree,
    /// What must not be there when it is asked.
    pub outside: Outside,
    /// Runs one session, and returns what reached the model.
    pub session: fn(&Session<'_>) -> Result<Answer>,
}

/// All of them.
pub const HOSTS: [Host; 3] = [codex::HOST, gemini::HOST, opencode::HOST];

impl Host {
    /// Returns the host of an id.
    ///
    /// # Errors
    /// When there is none; the message names all.
    pub fn find(id: &str) -> Result<&'static Self> {
        let known = HOSTS.iter().map(|host| host.id).collect::<Vec<_>>().join(", ");
        HOSTS.iter().find(|host| host.id == id).with_context(|| format!("no host `{id}`: {known}"))
    }

    /// Returns its package.
    pub fn package(&self) -> Package<'static> {
        Package {
            client: self.name,
            key: self.id.to_ascii_uppercase().replace('-', "_"),
            name: self.package,
            version: self.version,
            folder: format!("{}-{}", self.id, self.version),
            program: self.program,
            install: format!("--host {}", self.id),
        }
    }

    /// Runs one session in a tree that was laid out at `root`, and returns what reached the model.
    ///
    /// The client writes into the tree. It sees no environment but what is set for it.
    ///
    /// # Errors
    /// When the client fails, takes too long or sends something that isn't understood; or when
    /// something outside of the tree would have a say.
    pub fn ask(&self, program: &Utf8Path, tree: &Tree, root: &Path) -> Result<Answer> {
        let root = root.canonicalize().context("the folder of the tree isn't there")?;
        let root = root.to_str().context("the root folder has to be valid UTF-8")?;
        let session = Session { program, tree, root };
        session.check(&self.outside)?;
        (self.session)(&session)
    }

    /// Lays the tree of a seed out in a new folder and asks about it.
    ///
    /// # Errors
    /// When the folder can't be made, or as [`Host::ask`]; the message names the seed.
    pub fn golden(&self, program: &Utf8Path, seed: u64) -> Result<Golden> {
        let tree = (self.generate)(seed);
        let ask = || self.ask(program, &tree, tree.lay_out_anew()?.path());
        let answer = ask().with_context(|| format!("seed {seed}"))?;
        Ok(Golden { seed, tree: tree.hash(), answer })
    }
}
