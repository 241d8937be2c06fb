//! `cargo xtask`: development tasks.

use std::{io::Write as _, ops::Range, process::ExitCode};

use anyhow::{Context as _, Result, ensure};
use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};
use xtask::{
    client::{self, Client},
    record::{self, Golden},
    trees::Tree,
};

/// Development tasks of coalwash
#[derive(Parser, Debug)]
#[command(bin_name = "cargo xtask")]
struct Args {
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
    },
    /// Count what the trees of some seeds hold
    Features {
        /// Seeds of the trees: the first one and the one after the last, as 0..320
        #[arg(long, value_parser = seeds, default_value = "0..320")]
        seeds: Range<u64>,
    },
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let parts = text
        .split_once("..")
        .and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)));
    parts.map(|(first, end)| first..end).ok_or_else(|| "not a range like 0..320".to_owned())
}

fn main() -> ExitCode {
    match run(Args::parse().task) {
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
        Task::Install { version } => {
            Client::install(&client::cache_folder(&version)?, &version)?;
            say(&format!("Installed Claude Code {version}"));
            Ok(())
        }
        Task::Show { seed, folder } => {
            let tree = Tree::generate(seed);
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

/// Prints a line for the reader; where that can't be done, nobody is there to read it.
fn say(line: &str) {
    drop(writeln!(std::io::stderr().lock(), "{line}"));
}
