//! Fresh trees: what a real client says of them today, and what coalwash works out.
//!
//! The goldens hold the answers of old seeds, so code can be made to fit them. Here the seeds are
//! new in every run; the first one is printed, so that a run can be repeated.

use std::{
    env, fmt,
    ops::Range,
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context as _, Result};
use coalwash_core::load::hosts::{
    Profile,
    claude_code::{markdown::Dialect, table},
};

use crate::{
    answer::FX,
    client::{self, Client},
    compare::{Case, differs, ours_on_disk, rows_differ},
    trees::{Kind, Tree},
};

/// The most of a difference that is printed. The rest is seen by repeating the seed.
const MOST_CHARS: usize = 2_000;

/// What to ask one version of the client.
#[derive(Clone, Debug)]
pub struct Round {
    /// The seeds of the trees.
    pub seeds: Range<u64>,
    /// In how many of them, from the first on, the client's own table is compared too.
    pub tables: u64,
    /// Sessions at a time.
    pub jobs: u8,
}

/// How a round ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The version of the client.
    pub version: String,
    /// How many trees got the same answer.
    pub equal: usize,
    /// How many got another one.
    pub different: usize,
    /// In how many the client itself failed.
    pub failed: usize,
    /// In how many of the equal ones the client's own table was compared.
    pub tables: usize,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = self.equal + self.different + self.failed;
        write!(f, "{asked} trees asked, {} equal, {} different", self.equal, self.different)?;
        if self.failed > 0 {
            write!(f, ", {} not answered", self.failed)?;
        }
        if self.tables > 0 {
            write!(f, ", {} with the client's own table", self.tables)?;
        }
        write!(f, " (Claude Code {})", self.version)
    }
}

impl Outcome {
    /// Says whether every tree got the same answer.
    pub fn is_clean(&self) -> bool {
        self.different == 0 && self.failed == 0
    }
}

/// Returns the first seed for a number of days since 1970. Recorded seeds are below all of these.
pub fn first_seed(days: u64) -> u64 {
    days * 1_000
}

/// Returns the client of a version: the one that the environment names, the one in the cache
/// folder, or a new one from npm. The inner error says why there is none on this machine.
///
/// # Errors
/// When the environment names a client and that one can't be used.
#[expect(clippy::disallowed_methods, reason = "a task names its client in the environment")]
pub fn client(version: &str) -> Result<Result<Client>> {
    let found = Client::find(version);
    if found.is_ok() || env::var_os(client::key(version)).is_some() {
        return found.map(Ok);
    }
    Ok(client::cache_folder(version).and_then(|folder| Client::install(&folder, version)))
}

/// Asks a client about fresh trees; `say` gets a line for each that isn't equal.
///
/// # Errors
/// When a worker ends early.
pub fn ask(client: &Client, round: &Round, say: &(dyn Fn(&str) + Sync)) -> Result<Outcome> {
    let version = client.version();
    let profile = table::profile(Some(version));
    let queue = Mutex::new(round.seeds.clone());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut outcome = Outcome::default();
        while let Some(seed) = next() {
            let with_table = seed - round.seeds.start < round.tables && has_true_table(seed);
            // A busy machine can make a session too slow: only what happens twice is told.
            let ask = || one(client, &profile, seed, with_table);
            match ask().or_else(|_| ask()) {
                Ok(None) => {
                    outcome.equal += 1;
                    outcome.tables += usize::from(with_table);
                }
                Ok(Some(how)) => {
                    outcome.different += 1;
                    let how: String = how.chars().take(MOST_CHARS).collect();
                    say(&format!("Different: Claude Code {version}, seed {seed}: {how}"));
                }
                Err(error) => {
                    outcome.failed += 1;
                    say(&format!("Not answered: Claude Code {version}, seed {seed}: {error:#}"));
                }
            }
        }
        outcome
    };
    let parts: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..round.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut all = Outcome { version: version.to_owned(), ..Outcome::default() };
    for part in parts {
        let part = part.ok().context("a worker ended early")?;
        all.equal += part.equal;
        all.different += part.different;
        all.failed += part.failed;
        all.tables += part.tables;
    }
    Ok(all)
}

/// Returns whether the client's own table tells the truth in the tree of this seed. Where only the
/// organisation's files may be sent, it lists the others too.
fn has_true_table(seed: u64) -> bool {
    const MODE: &[u8] = b"\"managed-only\"";
    !Tree::generate(seed).items.iter().any(|item| {
        matches!(&item.kind, Kind::File(text) if text.windows(MODE.len()).any(|it| it == MODE))
    })
}

/// Asks about one tree, and says how the answers differ.
///
/// Ours is worked out three times: in memory, on the disk before the client comes, and on the disk
/// as the client leaves it.
fn one(client: &Client, profile: &Profile, seed: u64, with_table: bool) -> Result<Option<String>> {
    let tree = Tree::generate(seed);
    let folder = tempfile::Builder::new().prefix("cw").tempdir().context("no temporary folder")?;
    let real = folder.path().canonicalize().context("no temporary folder")?;
    let root = real.to_str().context("the temporary folder has to be valid UTF-8")?;
    tree.lay_out(&real)?;
    let before = ours_on_disk(profile, &tree, root)?;
    let answer = client.ask(&tree, &real)?;
    let after = ours_on_disk(profile, &tree, root)?;
    let ours = [
        ("in memory", Case::of(&tree)?.ours(profile), FX),
        ("on disk", before, root),
        ("on disk afterwards", after, root),
    ];
    for (place, ours, root) in &ours {
        if let Some(how) = differs(ours, &answer, root) {
            // Of two agents of one name the older client keeps the one that the system lists last.
            let by_order = *place == "in memory" && how.starts_with("agents:");
            if by_order && profile.dialect == Dialect::V2_1_197 {
                continue;
            }
            return Ok(Some(format!("{place}: {how}")));
        }
    }
    if with_table {
        let rows = client.table(&tree, root).context("asked for its table")?;
        return Ok(rows_differ(&ours[1].1, &answer, &rows, root));
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
