//! `check --init`: declares the budget that fits today.

use camino::Utf8Path;
use coalwash_core::config::MISNAMED;
use coalwash_core::load::check::Limits;

use super::{ConfigFiles, check};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::ui::{Line, Ui, number};
use crate::writer::Writer;

/// The least budget that is offered: below it every change would be a breach.
///
/// Source: the offer of Portulan 0.4.
const LEAST: u64 = 8_000;

/// Writes `coalwash.jsonc` with a budget that today's files keep.
pub(super) fn run(
    env: &Env,
    root: &Utf8Path,
    files: &ConfigFiles,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    if let Some(file) = files.first() {
        let what = format!("`{}` is there already", file.path);
        let is_misnamed = file.path.file_name().is_some_and(|name| MISNAMED.contains(&name));
        let next = match is_misnamed {
            true => "rename it to `coalwash.jsonc`",
            false => "coalwash config set budget.always TOKENS",
        };
        return Err(Failure::refused(what, next).into());
    }
    let checked = check(root, Limits::default(), None)?;
    let most = checked.report.hosts.iter().map(|host| host.tokens.0).max().unwrap_or(0);
    let budget = most.max(LEAST);
    let text = format!(
        "{{\n  // Tokens that the files in this repository may put into every session of one agent.\n  \
         \"budget\": {{ \"always\": {budget} }}\n}}\n"
    );
    let path = root.join("coalwash.jsonc");
    Writer::of(env, root)?.write_settings("check --init", &path, None, &text, ui)?;
    let mut lines = vec![Line::plain(format!(
        "Wrote coalwash.jsonc: a budget of {} tokens in every session (today {}).",
        number(budget),
        number(most)
    ))];
    lines.push(Line::hint("Check it: coalwash check"));
    ui.screen(&lines)?;
    Ok(Exit::Ok)
}
