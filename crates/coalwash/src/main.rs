//! `coalwash`: see everything your coding agents load, and what it costs.

mod cli;
mod commands;
mod env;
mod exit;
mod judge;
mod look;
mod receipt;
mod sample;
mod settings;
mod ui;
mod when;
mod writer;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Cli, Command};
use env::Env;
use exit::{Exit, Failure};
use ui::Ui;

fn main() -> ExitCode {
    // Hosts run these and take a code of 2 for "block": whatever this build makes of them, it is 0.
    let first = std::env::args_os().nth(1);
    if first.is_some_and(|verb| verb == "hook" || verb == "statusline") {
        return Exit::Ok.into();
    }
    match std::panic::catch_unwind(run) {
        Ok(exit) => exit.into(),
        // The panic's own message is on standard error already.
        Err(_) => Exit::Bug.into(),
    }
}

fn run() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() {
                let ui = Ui::new(&Env::read(), None, false);
                return ui.failure(&Failure::of_command_line(&error).into());
            }
            // Help and the version. Nowhere is left to report to when the terminal is gone.
            drop(error.print());
            return Exit::Ok;
        }
    };
    let env = Env::read();
    let mut ui = Ui::new(&env, cli.global.color.wanted(), cli.global.quiet);
    let done = match &cli.command {
        None => commands::overview::run(&env, &cli.global, cli.all, &mut ui),
        Some(Command::Context(args)) => commands::context::run(&env, &cli.global, args, &mut ui),
        Some(Command::Check(args)) => commands::check::run(&env, &cli.global, args, &mut ui),
        Some(Command::Config(args)) => commands::config::run(&env, &cli.global, args, &mut ui),
        Some(Command::Gauge) => commands::gauge::run(&env, &cli.global, &mut ui),
        Some(Command::Diff(args)) => commands::diff::run(&env, &cli.global, args, &mut ui),
        Some(Command::Apply(args)) => commands::apply::run(&env, &cli.global, args, &mut ui),
        Some(Command::Quick(args)) => commands::quick::run(&env, &cli.global, args, &mut ui),
        Some(Command::Log(args)) => commands::log::run(&env, &cli.global, args, &mut ui),
        Some(Command::Undo(args)) => commands::undo::run(&env, &cli.global, args, &mut ui),
        Some(Command::Keep(args)) => commands::keep::run(&env, &cli.global, args, &mut ui),
        Some(Command::Recover(args)) => commands::recover::run(&env, &cli.global, args, &mut ui),
        Some(Command::Bin(args)) => commands::bin::run(&env, &cli.global, args, &mut ui),
        Some(Command::Restore(args)) => commands::restore::run(&env, &cli.global, args, &mut ui),
        Some(Command::AnchorDiff(args)) => {
            commands::anchor_diff::run(&env, &cli.global, args, &mut ui)
        }
        Some(Command::Demo) => commands::overview::demo(&env, &cli.global, &mut ui),
        Some(Command::Completions(args)) => commands::generate::completions(args, &mut ui),
        Some(Command::Man) => commands::generate::man(&mut ui),
    };
    match done {
        Ok(exit) => exit,
        Err(error) => ui.failure(&error),
    }
}
