//! `cargo xtask`: development tasks.

use std::{io::Write as _, ops::Range, process::ExitCode};

use anyhow::{Context as _, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, Parser, Subcommand};
use xtask::{
    client::{self, Client},
    deny,
    hosts::task,
    live::{self, Round},
    record::{self, Golden},
    trees::Tree,
};

/// Development tasks of coalwash
#[derive(Parser, Debug)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Ask a real Claude Code about random trees and keep its answers
    Record {
        /// Version of the client, as 2.1.332
        #[arg(long)]
        version: String,
        /// Seeds of the trees: the first one and the one after the last, as 0..320
        #[arg(long, value_parser = seeds)]
        seeds: Range<u64>,
        /// Program of the client (default: `COALWASH_CLAUDE_<version>` or the installed one)
        #[arg(long)]
        client: Option<Utf8PathBuf>,
        /// File of JSON lines to add the answers to; those of the same seeds are replaced
        #[arg(long)]
        out: Utf8PathBuf,
        /// Sessions at a time
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
        jobs: u8,
    },
    /// Ask the real client of another host about random trees and keep its answers
    HostRecord {
        /// Id of the host, as gemini-cli
        #[arg(long)]
        host: String,
        /// Seeds of the trees: the first one and the one after the last, as 0..60
        #[arg(long, value_parser = seeds)]
        seeds: Range<u64>,
        /// Program of the client
        #[arg(long)]
        program: Utf8PathBuf,
        /// File of JSON lines to add the answers to; those of the same seeds are replaced
        #[arg(long)]
        out: Utf8PathBuf,
        /// Sessions at a time
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
        jobs: u8,
    },
    /// Ask a real Claude Code about fresh trees and compare with what coalwash works out
    ///
    /// A client that isn't here is installed with npm. Where that can't be done, nothing is asked
    /// and the task says so.
    Live {
        #[command(flatten)]
        fresh: Fresh,
        /// Trees for each version
        #[arg(long, default_value_t = 25)]
        trees: u64,
        /// Trees for each version in which the client's own table of memory files is compared too
        #[arg(long, default_value_t = 2)]
        tables: u64,
        /// Fail where the client can't be had
        #[arg(long)]
        require: bool,
    },
    /// The full counts of what `live` samples: 300 trees and 10 tables for each version
    Soak {
        #[command(flatten)]
        fresh: Fresh,
    },
    /// Check licences, banned crates and sources of all dependencies against `deny.toml`, offline
    Deny,
    /// Install a version of Claude Code into the cache folder with npm
    Install {
        /// Version of the client, as 2.1.332
        #[arg(long)]
        version: String,
    },
    /// Write the tree of a seed into a folder
    Show {
        /// Seed of the tree
        seed: u64,
        /// Folder to write to, made if it is missing
        folder: Utf8PathBuf,
        /// Id of a host other than Claude Code, as gemini-cli
        #[arg(long)]
        host: Option<String>,
    },
    /// Count what the trees of some seeds hold
    Features {
        /// Seeds of the trees: the first one and the one after the last, as 0..320
        #[arg(long, value_parser = seeds, default_value = "0..320")]
        seeds: Range<u64>,
    },
}

/// Whom to ask about which trees.
#[derive(Args, Debug)]
struct Fresh {
    /// Versions of the client
    #[arg(long, value_delimiter = ',', default_value = "2.1.332,2.1.197")]
    versions: Vec<String>,
    /// First seed (default: by today's date)
    #[arg(long, value_name = "SEED")]
    from: Option<u64>,
    /// Sessions at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    jobs: u8,
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let parts = text
        .split_once("..")
        .and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)));
    parts.map(|(first, end)| first..end).ok_or_else(|| "not a range like 0..320".to_owned())
}

fn main() -> ExitCode {
    match run(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Record { version, seeds, client, out, jobs } => {
            let client = match client {
                Some(program) => Client::at(&program, &version)?,
                None => Client::find(&version)?,
            };
            record_all(&client, &seeds, &out, jobs)
        }
        Task::HostRecord { host, seeds, program, out, jobs } => {
            task::record(task::host(&host)?, &program, seeds, &out, jobs, &say)
        }
        Task::Live { fresh, trees, tables, require } => {
            ask_live(&fresh, trees, tables, if require { Missing::Fails } else { Missing::IsSaid })
        }
        Task::Soak { fresh } => ask_live(&fresh, 300, 10, Missing::Fails),
        Task::Deny => {
            let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let report = deny::check(&root)?;
            for line in &report.notes {
                say(line);
            }
            for line in &report.problems {
                say(&format!("denied: {line}"));
            }
            say(&report.to_string());
            ensure!(report.problems.is_empty(), "`deny.toml` doesn't allow these dependencies");
            Ok(())
        }
        Task::Install { version } => {
            Client::install(&client::cache_folder(&version)?, &version)?;
            say(&format!("Installed Claude Code {version}"));
            Ok(())
        }
        Task::Show { seed, folder, host } => {
            let tree = match host {
                Some(id) => (task::host(&id)?.generate)(seed),
                None => Tree::generate(seed),
            };
            let folder = std::path::absolute(&folder).context("no such folder")?;
            tree.lay_out(&folder)?;
            let root = folder.to_str().context("the folder has to be valid UTF-8")?;
            say(&format!("cwd: {}", tree.cwd_at(root)));
            for touch in tree.touches_at(root) {
                say(&format!("touch: {touch}"));
            }
            for (key, value) in tree.env_at(root) {
                say(&format!("env: {key}={value}"));
            }
            say(&format!("features: {}", tree.features.join(", ")));
            Ok(())
        }
        Task::Features { seeds } => {
            let mut counts = std::collections::BTreeMap::<_, u32>::new();
            for seed in seeds.clone() {
                for feature in Tree::generate(seed).features {
                    *counts.entry(feature).or_default() += 1;
                }
            }
            let mut counts: Vec<_> = counts.into_iter().collect();
            counts.sort_by_key(|&(feature, count)| (count, feature));
            let lines = counts.iter().map(|(feature, count)| format!("{count:5} {feature}\n"));
            let text: String = lines.collect();
            std::io::stdout().write_all(text.as_bytes()).context("could not print")
        }
    }
}

/// Records every seed, keeps what was recorded after every 20 of them, and fails if one failed.
fn record_all(client: &Client, seeds: &Range<u64>, out: &Utf8PathBuf, jobs: u8) -> Result<()> {
    let all: Vec<u64> = seeds.clone().collect();
    let mut failed = 0;
    for some in all.chunks(20) {
        let queue = std::sync::Mutex::new(some.iter());
        let next =
            || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next().copied();
        let work = || -> Vec<Result<Golden>> {
            std::iter::from_fn(next).map(|seed| Golden::record(client, seed)).collect()
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
        });
        let missing = some.len() - results.len();
        ensure!(missing == 0, "a worker ended early");
        let mut goldens = Vec::new();
        for result in results {
            match result {
                Ok(golden) => goldens.push(golden),
                Err(error) => {
                    failed += 1;
                    say(&format!("failed: {error:#}"));
                }
            }
        }
        record::merge(out, &goldens)?;
    }
    ensure!(failed == 0, "{failed} of {} trees could not be recorded", all.len());
    say(&format!("Recorded {} trees with Claude Code {}: {out}", all.len(), client.version()));
    Ok(())
}

/// What to do where a client can't be had.
#[derive(Clone, Copy)]
enum Missing {
    Fails,
    IsSaid,
}

/// Asks every version about fresh trees, and fails if an answer differs from ours.
fn ask_live(fresh: &Fresh, trees: u64, tables: u64, missing: Missing) -> Result<()> {
    let from = match fresh.from {
        Some(from) => from,
        None => live::first_seed(days_since_1970()?),
    };
    let round = Round { seeds: from..from + trees, tables, jobs: fresh.jobs };
    say(&format!("Seeds {from}..{} (again: `--from {from}`)", from + trees));
    let (mut wrong, mut absent) = (0, 0);
    for version in &fresh.versions {
        match live::client(version)? {
            Ok(client) => {
                let outcome = live::ask(&client, &round, &say)?;
                say(&outcome.to_string());
                wrong += outcome.different + outcome.failed;
            }
            Err(error) => {
                // npm says a page; its first line names the cause.
                let why = format!("{error:#}");
                let why = why.lines().next().unwrap_or_default();
                say(&format!("Not run: Claude Code {version}: {why}"));
                absent += 1;
            }
        }
    }
    ensure!(wrong == 0, "coalwash works out something else for {wrong} of the trees");
    ensure!(absent == 0 || matches!(missing, Missing::IsSaid), "not every version was asked");
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a task may ask for the date")]
fn days_since_1970() -> Result<u64> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Ok(now.context("the clock is before 1970")?.as_secs() / 86_400)
}

/// Prints a line for the reader; where that can't be done, nobody is there to read it.
fn say(line: &str) {
    drop(writeln!(std::io::stderr().lock(), "{line}"));
}
