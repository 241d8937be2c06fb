//! Placeholder.

use std::path::Path;

use anyhow::{Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::Host;
use crate::{answer::Answer, trees::Tree};

/// The host.
pub const HOST: Host =
    Host { id: "opencode", version: "1.18.33", package: "opencode-ai", program, generate, ask };

fn program(folder: &Utf8Path) -> Utf8PathBuf {
    folder.to_owned()
}

fn generate(seed: u64) -> Tree {
    Tree::generate(seed)
}

fn ask(_program: &Utf8Path, _tree: &Tree, _root: &Path) -> Result<Answer> {
    bail!("not written yet")
}
