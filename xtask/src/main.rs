//! `cargo xtask`: development tasks.

use std::{io::Write as _, ops::Range, process::ExitCode};

use anyhow::{Context as _, Result, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, Parser, Subcommand};
use xtask::{
    alone,
    client::{self, Client},
    deny,
    fuzz::{self, Target},
    hostile,
    hosts::Host,
    live::{self, Round, Subject},
    record::{self, Golden},
    trees::Tree,
};

/// Development tasks of coalwash
#[derive(Parser, Debug)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
    /// Run by a task that runs itself again without a network
    #[arg(long, global = true, hide = true)]
    alone: bool,
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
        /// Id of the host, as codex
        #[arg(long)]
        host: String,
        /// Seeds of the trees: the first one and the one after the last, as 0..60
        #[arg(long, value_parser = seeds)]
        seeds: Range<u64>,
        /// Program of the client (default: `COALWASH_<host>_<version>` or the installed one)
        #[arg(long)]
        program: Option<Utf8PathBuf>,
        /// File of JSON lines to add the answers to; those of the same seeds are replaced
        #[arg(long)]
        out: Utf8PathBuf,
        /// Sessions at a time
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
        jobs: u8,
    },
    /// Ask the real clients about fresh trees and compare with what coalwash works out
    ///
    /// A client that isn't here is installed with npm. Where that can't be done, it isn't asked
    /// and the task says so.
    Live {
        #[command(flatten)]
        fresh: Fresh,
        /// Trees for each client
        #[arg(long, default_value_t = 25)]
        trees: u64,
        /// Trees for each Claude Code in which its own table of memory files is compared too
        #[arg(long, default_value_t = 2)]
        tables: u64,
        /// Fail where the client can't be had
        #[arg(long)]
        require: bool,
    },
    /// The full counts of what `live` samples: 300 trees and 10 tables for each client
    ///
    /// Before that, what `fuzz` does for ten minutes each.
    Soak {
        #[command(flatten)]
        fresh: Fresh,
        #[command(flatten)]
        bent: Bent,
    },
    /// Give texts bent out of shape to the parsers and the fidelity gate
    Fuzz {
        #[command(flatten)]
        bent: Bent,
    },
    /// Measure what the fidelity gate takes for texts of a megabyte that nobody writes
    Hostile {
        /// Only the families whose name holds this
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Check licences, banned crates and sources of all dependencies against `deny.toml`, offline
    Deny,
    /// Install a client into the cache folder with npm
    Install {
        /// Version of Claude Code, as 2.1.332
        #[arg(long, required_unless_present = "host")]
        version: Option<String>,
        /// Id of another host, as codex
        #[arg(long, conflicts_with = "version")]
        host: Option<String>,
    },
    /// Write the tree of a seed into a folder
    Show {
        /// Id of another host than Claude Code, as codex
        #[arg(long)]
        host: Option<String>,
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

/// Whom to ask about which trees.
#[derive(Args, Debug)]
struct Fresh {
    /// Hosts, as claude-code,codex (default: all)
    #[arg(long, value_delimiter = ',')]
    hosts: Vec<String>,
    /// Versions of Claude Code
    #[arg(long, value_delimiter = ',', default_value = "2.1.332,2.1.197")]
    versions: Vec<String>,
    /// First seed (default: by today's date)
    #[arg(long, value_name = "SEED")]
    from: Option<u64>,
    /// Sessions at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    jobs: u8,
}

/// What is asked about bent texts, and for how long.
#[derive(Args, Debug)]
struct Bent {
    /// What reads them: parser, gate or all
    #[arg(long, default_value = "all", value_parser = targets)]
    target: Targets,
    /// Minutes for each
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Seed of the texts (default: by today's date)
    #[arg(long)]
    seed: Option<u64>,
}

type Targets = &'static [Target];

fn targets(text: &str) -> Result<Targets, String> {
    match text {
        "parser" => Ok(&[Target::Parser]),
        "gate" => Ok(&[Target::Gate]),
        "all" => Ok(&[Target::Parser, Target::Gate]),
        _ => Err("not one of parser, gate and all".to_owned()),
    }
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let parts = text
        .split_once("..")
        .and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)));
    parts.map(|(first, end)| first..end).ok_or_else(|| "not a range like 0..320".to_owned())
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let network = if cli.alone { Network::Loopback } else { Network::Whole };
    if network == Network::Loopback {
        alone::know_no_name();
    }
    match run(cli.task, network) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// What a task can reach.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Network {
    Whole,
    Loopback,
}

fn run(task: Task, network: Network) -> Result<()> {
    match task {
        Task::Record { version, seeds, client, out, jobs } => without_network(network, || {
            let client = match client {
                Some(program) => Client::at(&program, &version)?,
                None => Client::find(&version)?,
            };
            let title = client::package(&version).title();
            record::all(&title, &seeds, &out, jobs, &|seed| Golden::record(&client, seed), &say)
        }),
        Task::HostRecord { host, seeds, program, out, jobs } => without_network(network, || {
            let host = Host::find(&host)?;
            let (package, program) = (host.package(), program.clone());
            let program = program.map_or_else(
                || package.find(),
                |program| package.check(&program).map(|()| program),
            )?;
            let title = package.title();
            record::all(&title, &seeds, &out, jobs, &|seed| host.golden(&program, seed), &say)
        }),
        Task::Live { fresh, trees, tables, require } => {
            let missing = if require { Missing::Fails } else { Missing::IsSaid };
            ask_live(&fresh, trees, tables, missing, network)
        }
        Task::Soak { fresh, bent } => {
            // It runs itself again without a network; the texts are bent once.
            if network == Network::Whole {
                fuzz_all(&bent)?;
            }
            ask_live(&fresh, 300, 10, Missing::Fails, network)
        }
        Task::Fuzz { bent } => fuzz_all(&bent),
        Task::Hostile { only } => {
            let all = hostile::measure(&root(), &only, &say)?;
            let over = all.iter().filter(|measured| measured.is_over()).count();
            ensure!(over == 0, "{over} of {} families take more than they may", all.len());
            Ok(())
        }
        Task::Deny => {
            let report = deny::check(&root())?;
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
        Task::Install { version, host } => {
            let package = match (&version, &host) {
                (_, Some(host)) => Host::find(host)?.package(),
                (Some(version), None) => client::package(version),
                (None, None) => bail!("neither a version nor a host"),
            };
            say(&format!("Installed {}: {}", package.title(), package.install()?));
            Ok(())
        }
        Task::Show { host, seed, folder } => {
            let tree = match host {
                Some(id) => (Host::find(&id)?.generate)(seed),
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

/// Does something that runs clients where they reach nobody: in a new process, and here only if
/// this machine can't do that.
fn without_network(network: Network, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if network == Network::Whole {
        match alone::again("--alone")? {
            Some(succeeded) => {
                ensure!(succeeded, "the task failed; see above");
                return Ok(());
            }
            None => say("Not run: the clients without a network (`unshare -rn` doesn't work here)"),
        }
    }
    work()
}

/// What to do where a client can't be had.
#[derive(Clone, Copy)]
enum Missing {
    Fails,
    IsSaid,
}

/// Asks every client about fresh trees, and fails if an answer differs from ours.
fn ask_live(
    fresh: &Fresh,
    trees: u64,
    tables: u64,
    missing: Missing,
    network: Network,
) -> Result<()> {
    let subjects = Subject::of(&fresh.hosts, &fresh.versions)?;
    let mut present = Vec::new();
    for subject in &subjects {
        let package = subject.package();
        // What could not be installed with a network can't be without one, and was said.
        if network == Network::Loopback {
            present.extend(package.find().ok().map(|program| (subject, program)));
            continue;
        }
        match package.find_or_install()? {
            Ok(program) => present.push((subject, program)),
            Err(error) => {
                // npm says a page; its first line names the cause.
                let why = format!("{error:#}");
                let why = why.lines().next().unwrap_or_default();
                say(&format!("Not run: {}: {why}", package.title()));
            }
        }
    }
    without_network(network, || {
        let from = match fresh.from {
            Some(from) => from,
            None => live::first_seed(days_since_1970()?),
        };
        let round = Round { seeds: from..from + trees, tables, jobs: fresh.jobs };
        say(&format!("Seeds {from}..{} (again: `--from {from}`)", from + trees));
        let mut wrong = 0;
        for (subject, program) in &present {
            let outcome = subject.ask(program, &round, &say)?;
            say(&outcome.to_string());
            wrong += outcome.different + outcome.failed;
        }
        ensure!(wrong == 0, "coalwash works out something else for {wrong} of the trees");
        Ok(())
    })?;
    let absent = subjects.len() - present.len();
    let matters = matches!(missing, Missing::Fails) && network == Network::Whole;
    ensure!(absent == 0 || !matters, "not every client was asked");
    Ok(())
}

/// Returns the folder of the repository.
fn root() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Asks every target about bent texts, and fails if one breaks a promise.
fn fuzz_all(bent: &Bent) -> Result<()> {
    let seed = match bent.seed {
        Some(seed) => seed,
        None => live::first_seed(days_since_1970()?),
    };
    say(&format!("Seed {seed} (again: `--seed {seed}`)"));
    let time = std::time::Duration::from_secs(bent.minutes * 60);
    let mut failures = 0;
    for target in bent.target {
        let outcome = fuzz::fuzz(*target, &root(), seed, time, &say)?;
        say(&outcome.to_string());
        failures += outcome.failures;
    }
    ensure!(failures == 0, "{failures} promises are broken");
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
