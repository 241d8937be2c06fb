//! A check as the comment of a pull request; empty where there is nothing to say.

use coalwash_core::load::check::{Finding, HostReport, Severity, Share, Standing};
use coalwash_core::text::escaped;

use super::Checked;
use crate::ui::{number, plural};

/// Rows of a table, and findings.
const MOST: usize = 20;

/// Returns the comment.
pub(super) fn text(checked: &Checked) -> String {
    let mut parts: Vec<String> = checked.report.hosts.iter().filter_map(host).collect();
    parts.extend(findings(checked));
    if parts.is_empty() {
        return String::new();
    }
    let version = env!("CARGO_PKG_VERSION");
    parts.push(format!("<sub>coalwash {version} · files in this repository only</sub>"));
    parts.join("\n\n") + "\n"
}

/// Returns the part about one host; `None` where the branch changes nothing and nothing is over.
fn host(host: &HostReport) -> Option<String> {
    let change = host.before.map(|before| signed(before.0, host.tokens.0));
    let over = host.standing == Standing::Over;
    let unjudged = host.standing == Standing::Unjudged;
    let changed: Vec<&Share> =
        host.shares.iter().filter(|share| share.before != Some(share.tokens)).collect();
    let moved = host.before.is_some_and(|before| before != host.tokens);
    if !over && !unjudged && (host.before.is_none() || !moved && changed.is_empty()) {
        return None;
    }
    let budget = match &host.budget {
        Some(budget) => format!(", budget {}", number(budget.tokens)),
        None => String::new(),
    };
    let mut out = match (&host.before, &change) {
        (Some(before), Some(change)) => format!(
            "**Agent context: {change} tokens in every {} session** ({} → {}{budget})",
            host.name,
            number(before.0),
            number(host.tokens.0),
        ),
        _ => format!(
            "**Agent context: {} tokens in every {} session**{}",
            number(host.tokens.0),
            host.name,
            host.budget
                .as_ref()
                .map_or(String::new(), |b| format!(" (budget {})", number(b.tokens)))
        ),
    };
    if over {
        out.push_str(&format!("\n\n{} tokens over the budget.", number(host.over_by())));
    }
    if let Some(why) = host.unmeasured.as_ref().filter(|_| unjudged) {
        out.push_str(&format!("\n\nCould not be measured, so not passed: {}.", cell(why)));
    }
    let rows: Vec<&Share> =
        if host.before.is_some() { changed } else { host.shares.iter().collect() };
    if !rows.is_empty() {
        out.push_str("\n\n| file | tokens | change |\n|---|--:|--:|");
        for share in rows.iter().take(MOST) {
            let from = share.from.as_ref().map_or(String::new(), |(path, line)| {
                format!(" (imported by {}:{line})", cell(path.as_str()))
            });
            let change = share.before.map_or(String::new(), |it| signed(it.0, share.tokens.0));
            out.push_str(&format!(
                "\n| {}{from} | {} | {change} |",
                cell(share.path.as_str()),
                number(share.tokens.0)
            ));
        }
        if rows.len() > MOST {
            out.push_str(&format!("\n| {} more | | |", rows.len() - MOST));
        }
    }
    if let Some(way) = host.ways.first().filter(|_| over) {
        let what = cell(&way.what);
        out.push_str(&format!("\n\nTo get under: {what} (-{}).", number(way.saves.0)));
    }
    Some(out)
}

fn findings(checked: &Checked) -> Option<String> {
    let new: Vec<&Finding> = checked.report.findings.iter().filter(|it| it.is_new).collect();
    if new.is_empty() {
        return None;
    }
    let mut out = format!("**{}**\n", plural(new.len(), "problem", "problems"));
    for finding in new.iter().take(MOST) {
        let severity = match finding.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        out.push_str(&format!(
            "\n- {}:{} {severity}: {}; {} `{}`",
            cell(finding.path.as_str()),
            finding.line,
            cell(&finding.what),
            cell(&finding.fix),
            finding.rule.code()
        ));
    }
    if new.len() > MOST {
        out.push_str(&format!("\n- {} more", new.len() - MOST));
    }
    Some(out)
}

/// Returns the difference with its sign.
fn signed(before: u64, after: u64) -> String {
    match after.checked_sub(before) {
        Some(0) => "0".to_owned(),
        Some(more) => format!("+{}", number(more)),
        None => format!("-{}", number(before - after)),
    }
}

/// Returns foreign text so that it can't be markup: no cell, tag, link or mention ends or begins in it.
/// What stands between backticks stays code.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    let pairs = text.matches('`').count() / 2 * 2;
    let mut ticks = 0;
    for c in escaped(text).chars() {
        match c {
            '`' => {
                ticks += 1;
                if ticks <= pairs {
                    code = !code;
                    out.push(c);
                } else {
                    out.push_str("\\`");
                }
            }
            '|' => out.push_str("\\|"),
            '<' if !code => out.push_str("&lt;"),
            '&' if !code => out.push_str("&amp;"),
            '[' | ']' | '*' | '_' | '#' | '~' | '!' if !code => {
                out.push('\\');
                out.push(c);
            }
            // No one is to be notified.
            '@' if !code => out.push_str("@\u{200b}"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_no_markup() {
        assert_eq!(cell("a|b <img> @team [x](y)"), "a\\|b &lt;img> @\u{200b}team \\[x\\](y)");
        assert_eq!(cell("`@docs/a.md` b"), "`@docs/a.md` b");
        assert_eq!(cell("a`b"), "a\\`b");
    }
}
