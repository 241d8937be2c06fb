//! Golden answers: a file of JSON lines, one per tree.

use std::{collections::BTreeMap, fs, ops::Range};

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use crate::{answer::Answer, client::Client, jobs, trees::Tree};

/// One line of a file of goldens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Golden {
    /// The seed of the tree.
    pub seed: u64,
    /// [`Tree::hash`] when the answer was recorded. Another hash means another generator.
    pub tree: String,
    /// What the client sent.
    pub answer: Answer,
}

impl Golden {
    /// Asks a client about the tree of a seed.
    ///
    /// # Errors
    /// As [`Client::ask_anew`]; the message names the seed.
    pub fn record(client: &Client, seed: u64) -> Result<Self> {
        let tree = Tree::generate(seed);
        let answer = client.ask_anew(&tree).with_context(|| format!("seed {seed}"))?;
        Ok(Self { seed, tree: tree.hash(), answer })
    }

    /// Returns the tree of the answer.
    ///
    /// # Errors
    /// When the generator makes another tree from the seed by now.
    pub fn tree(&self) -> Result<Tree> {
        let tree = Tree::generate(self.seed);
        ensure!(
            tree.hash() == self.tree,
            "the generator has changed since seed {} was recorded: record the goldens again",
            self.seed
        );
        Ok(tree)
    }
}

/// How many answers are kept at once.
const CHUNK: usize = 20;

/// Records the answers about the trees of some seeds, keeps them after every 20, and fails if one
/// failed.
///
/// # Errors
/// When an answer can't be had or kept.
pub fn all(
    title: &str,
    seeds: &Range<u64>,
    out: &Utf8Path,
    jobs: u8,
    ask: &(dyn Fn(u64) -> Result<Golden> + Sync),
    say: &dyn Fn(&str),
) -> Result<()> {
    let seeds: Vec<u64> = seeds.clone().collect();
    let mut failed = 0;
    for some in seeds.chunks(CHUNK) {
        let mut goldens = Vec::new();
        for result in jobs::each(some, jobs, ask)? {
            match result {
                Ok(golden) => goldens.push(golden),
                Err(error) => {
                    failed += 1;
                    say(&format!("failed: {error:#}"));
                }
            }
        }
        merge(out, &goldens)?;
    }
    ensure!(failed == 0, "{failed} of {} trees could not be recorded", seeds.len());
    say(&format!("Recorded {} trees with {title}: {out}", seeds.len()));
    Ok(())
}

/// Reads a file of goldens.
///
/// # Errors
/// When it can't be read, or a line isn't a golden.
pub fn read(path: &Utf8Path) -> Result<Vec<Golden>> {
    let text = fs::read_to_string(path).with_context(|| format!("could not read `{path}`"))?;
    parse(&text).with_context(|| format!("`{path}`"))
}

/// Reads the text of a file of goldens.
///
/// # Errors
/// When a line isn't a golden; the message names its number.
pub fn parse(text: &str) -> Result<Vec<Golden>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} is no golden", at + 1))
        })
        .collect()
}

/// Puts goldens into a file, sorted by seed. Those of other seeds stay.
///
/// # Errors
/// When the file can't be read or written, or a line of it isn't a golden.
#[expect(clippy::disallowed_methods, reason = "goldens are files of this repository")]
pub fn merge(path: &Utf8Path, new: &[Golden]) -> Result<()> {
    let old = if path.exists() { read(path)? } else { Vec::new() };
    let all: BTreeMap<u64, &Golden> = old.iter().chain(new).map(|it| (it.seed, it)).collect();
    let mut text = String::new();
    for golden in all.values() {
        text.push_str(&serde_json::to_string(golden).context("a golden is plain data")?);
        text.push('\n');
    }
    fs::write(path, text).with_context(|| format!("could not write `{path}`"))
}

#[cfg(test)]
mod tests;
