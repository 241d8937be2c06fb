//! `coalwash completions` and `coalwash man`.

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::Exit;
use crate::ui::Ui;

/// Prints the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs, ui: &mut Ui) -> anyhow::Result<Exit> {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "coalwash", &mut out);
    ui.data(&out)?;
    Ok(Exit::Ok)
}

/// Prints the manual page.
pub(crate) fn man(ui: &mut Ui) -> anyhow::Result<Exit> {
    let mut out = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut out)?;
    ui.data(&out)?;
    Ok(Exit::Ok)
}
