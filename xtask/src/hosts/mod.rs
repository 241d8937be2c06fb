//! The other hosts: random trees for each, and what its real client sends in them.
//!
//! Every host has one file here that makes trees from seeds, runs the client of one version against
//! a stand-in for the model's API on a loopback port, and reads from the requests which of our own
//! texts reached the model. [`Answer`] says it in the same words for all hosts.

use std::path::Path;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use crate::{answer::Answer, trees::Tree};

pub mod codex;
pub mod gemini;
pub mod opencode;
pub mod task;

/// A host whose client can be asked.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Its id, as in JSON.
    pub id: &'static str,
    /// The version that is asked.
    pub version: &'static str,
    /// The package of npm that holds it, without a version.
    pub package: &'static str,
    /// Returns the program in a folder into which npm installed the package.
    pub program: fn(&Utf8Path) -> Utf8PathBuf,
    /// Makes the tree of a seed: the same for ever.
    pub generate: fn(u64) -> Tree,
    /// Runs one session in a tree that was laid out at a root, and returns what reached the model.
    pub ask: fn(&Utf8Path, &Tree, &Path) -> Result<Answer>,
}

/// All of them.
pub const HOSTS: [Host; 3] = [codex::HOST, gemini::HOST, opencode::HOST];
