//! Fresh trees: what a real client says of them today, and what coalwash works out.
//!
//! The goldens hold the answers of old seeds, so code can be made to fit them. Here the seeds are
//! new in every run; the first one is printed, so that a run can be repeated.

use std::{fmt, ops::Range};

use anyhow::{Result, bail};
use camino::Utf8Path;

use crate::{
    client::{self, Client},
    hosts::{HOSTS, Host},
    jobs,
    npm::Package,
};

mod claude_code;
mod others;

/// The most of a difference that is printed. The rest is seen by repeating the seed.
const MOST_CHARS: usize = 2_000;

/// The id of the host that has versions.
const CLAUDE_CODE: &str = "claude-code";

/// A client to ask.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Claude Code in one version.
    ClaudeCode(String),
    /// Another host.
    Other(&'static Host),
}

/// What to ask a client.
#[derive(Clone, Debug)]
pub struct Round {
    /// The seeds of the trees.
    pub seeds: Range<u64>,
    /// In how many of them, from the first on, Claude Code's own table is compared too.
    pub tables: u64,
    /// Sessions at a time.
    pub jobs: u8,
}

/// What came of one tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tables {
    /// The client's own table wasn't looked at.
    #[default]
    Without,
    /// It was, and is equal too.
    With,
}

/// How the answers about one tree compare: equal, or how they differ.
type Compared = std::result::Result<Tables, String>;

/// How a round ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The client and its version.
    pub client: String,
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
        write!(f, " ({})", self.client)
    }
}

impl Outcome {
    /// Says whether every tree got the same answer.
    pub fn is_clean(&self) -> bool {
        self.different == 0 && self.failed == 0
    }
}

impl Subject {
    /// Returns the clients of some hosts: Claude Code in all of these versions, the others in the
    /// one they are known in. No host named means all.
    ///
    /// # Errors
    /// When there is no such host.
    pub fn of(hosts: &[String], versions: &[String]) -> Result<Vec<Self>> {
        let all = std::iter::once(CLAUDE_CODE).chain(HOSTS.iter().map(|host| host.id));
        let all: Vec<&str> = all.collect();
        if let Some(id) = hosts.iter().find(|id| !all.contains(&id.as_str())) {
            bail!("no host `{id}`: {}", all.join(", "));
        }
        let ids: Vec<&str> = match hosts {
            [] => all,
            some => some.iter().map(String::as_str).collect(),
        };
        let mut out = Vec::new();
        for id in ids {
            if id == CLAUDE_CODE {
                out.extend(versions.iter().cloned().map(Self::ClaudeCode));
            } else {
                out.push(Self::Other(Host::find(id)?));
            }
        }
        Ok(out)
    }

    /// Returns where npm has it.
    pub fn package(&self) -> Package<'_> {
        match self {
            Self::ClaudeCode(version) => client::package(version),
            Self::Other(host) => host.package(),
        }
    }

    /// Asks the client at a path about fresh trees; `say` gets a line for each that isn't equal.
    ///
    /// # Errors
    /// When the client is another version, or a worker ends early.
    pub fn ask(
        &self,
        program: &Utf8Path,
        round: &Round,
        say: &(dyn Fn(&str) + Sync),
    ) -> Result<Outcome> {
        match self {
            Self::ClaudeCode(version) => {
                let client = Client::at(program, version)?;
                let one = |seed| {
                    let with_table = seed - round.seeds.start < round.tables;
                    claude_code::compare(&client, seed, with_table)
                };
                self.all(round, &one, say)
            }
            Self::Other(host) => self.all(round, &|seed| others::compare(host, program, seed), say),
        }
    }

    fn all(
        &self,
        round: &Round,
        one: &(dyn Fn(u64) -> Result<Compared> + Sync),
        say: &(dyn Fn(&str) + Sync),
    ) -> Result<Outcome> {
        let title = self.package().title();
        let asked = |seed| {
            // A busy machine can make a session too slow: only what happens twice is told.
            let compared = one(seed).or_else(|_| one(seed));
            match &compared {
                Ok(Ok(_)) => {}
                Ok(Err(how)) => {
                    let how: String = how.chars().take(MOST_CHARS).collect();
                    say(&format!("Different: {title}, seed {seed}: {how}"));
                }
                Err(error) => say(&format!("Not answered: {title}, seed {seed}: {error:#}")),
            }
            compared
        };
        let seeds: Vec<u64> = round.seeds.clone().collect();
        let mut outcome = Outcome::default();
        for compared in jobs::each(&seeds, round.jobs, &asked)? {
            match compared {
                Ok(Ok(tables)) => {
                    outcome.equal += 1;
                    outcome.tables += usize::from(tables == Tables::With);
                }
                Ok(Err(_)) => outcome.different += 1,
                Err(_) => outcome.failed += 1,
            }
        }
        outcome.client = title;
        Ok(outcome)
    }
}

/// Returns the first seed for a number of days since 1970. Recorded seeds are below all of these.
pub fn first_seed(days: u64) -> u64 {
    days * 1_000
}

#[cfg(test)]
mod tests;
