//! A check for people.

use coalwash_core::load::check::{Finding, HostReport, Outcome, Severity, Standing};
use coalwash_core::text::{Estimate, Tokens, escaped};

use super::Checked;
use crate::settings::not_in_force;
use crate::ui::{Line, Mark, Names, Ui, escaped_head, number, pad, plural, wrapped};

/// Files and sections that are named.
const MOST: usize = 5;

/// Returns the lines of the screen.
pub(super) fn lines(checked: &Checked, all: bool, ui: &Ui) -> Vec<Line> {
    let Checked { report, outcome, .. } = checked;
    let mut shown: Vec<&Finding> = report.findings.iter().filter(|it| all || it.is_new).collect();
    let room = if ui.by_agent && !all { 6 } else { usize::MAX };
    if shown.len() > room {
        shown.sort_by_key(|it| it.severity());
    }
    let mut out = Vec::new();
    for finding in shown.iter().take(room) {
        let mark = match finding.severity() {
            Severity::Error => Mark::Bad,
            Severity::Warning => Mark::Warn,
        };
        for (i, line) in wrapped(&said(finding), ui.width, 4).into_iter().enumerate() {
            out.push(if i == 0 { Line::marked(mark, line) } else { Line::plain(line) });
        }
    }
    if shown.len() > room {
        out.push(Line::plain(format!("… {} more (--all)", shown.len() - room)));
    }
    let older = report.findings.len() - shown.len();
    if older > 0 {
        let older = plural(older, "older problem", "older problems");
        out.push(Line::plain(format!("{older} not shown (--all).")));
    }
    let gap = |out: &mut Vec<Line>| {
        if !out.is_empty() && !ui.by_agent {
            out.push(Line::plain(""));
        }
    };
    let quiet = *outcome == Outcome::Passed && checked.base.is_none();
    if !quiet && !report.hosts.is_empty() {
        gap(&mut out);
        out.extend(budget(checked));
        for host in report.hosts.iter().filter(|host| host.standing == Standing::Over) {
            out.extend(over(host, ui));
        }
        gap(&mut out);
    }
    if let Some(note) = &checked.note {
        out.extend(
            wrapped(&format!("Untracked files are counted, too: {note}."), ui.width, 4)
                .into_iter()
                .map(Line::plain),
        );
    }
    let names = Names { root: &checked.root, home: None, memory: None };
    for it in &checked.not_in_force {
        let line = not_in_force(it, &names);
        out.extend(wrapped(&line, ui.width, 4).into_iter().map(Line::plain));
    }
    let last = summary(checked);
    let mark = if *outcome == Outcome::Passed { Mark::Strong } else { Mark::Bad };
    for line in wrapped(&last, ui.width, 4) {
        out.push(Line::marked(mark, line));
    }
    if report.hosts.is_empty() && report.findings.is_empty() && checked.by_index {
        out.push(Line::hint(
            "Files that git does not have are not checked; add them: git add FILE",
        ));
    } else if *outcome == Outcome::Passed && report.hosts.iter().all(|host| host.budget.is_none()) {
        out.push(Line::hint("No budget is declared: coalwash check --init"));
    }
    out
}

/// Returns a finding in one line.
fn said(finding: &Finding) -> String {
    let severity = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    format!(
        "{}:{}:{}: {severity}: {}; {} [{}]",
        escaped(finding.path.as_str()),
        finding.line,
        finding.column,
        escaped(&finding.what),
        escaped(&finding.fix),
        finding.rule.code()
    )
}

/// Returns how every host stands.
fn budget(checked: &Checked) -> Vec<Line> {
    let hosts = &checked.report.hosts;
    let width = hosts.iter().map(|host| host.name.len()).max().unwrap_or(0);
    let mut out = vec![Line::plain("Tokens in every session")];
    for host in hosts {
        let of = host
            .budget
            .as_ref()
            .map_or(String::new(), |budget| format!(" of {}", number(budget.tokens)));
        let added = match host.before {
            None => String::new(),
            Some(before) if before == host.tokens => "   this branch adds 0".to_owned(),
            Some(before) if before < host.tokens => {
                format!("   this branch adds {}", number(host.tokens.0 - before.0))
            }
            Some(before) => {
                format!("   this branch takes {} away", number(before.0 - host.tokens.0))
            }
        };
        let line = format!(
            "  {}  {:>7}{}  {}{added}",
            pad(host.name, width),
            number(host.tokens.0),
            pad(&of, 10),
            pad(&standing(host), 10)
        );
        out.push(Line::plain(line.trim_end()));
    }
    out
}

fn standing(host: &HostReport) -> String {
    match host.standing {
        Standing::Within => "ok".to_owned(),
        Standing::Over => format!("{} over", number(host.over_by())),
        Standing::Undeclared => "no budget".to_owned(),
        Standing::Unmeasured => "could not be measured".to_owned(),
        Standing::Unjudged => "could not be measured, so not passed".to_owned(),
    }
}

/// Returns what a host that is over was added, its largest sections, and the ways back.
fn over(host: &HostReport, ui: &Ui) -> Vec<Line> {
    let mut out = Vec::new();
    let mut list = |title: String, rows: Vec<String>| {
        if rows.is_empty() {
            return;
        }
        if !ui.by_agent {
            out.push(Line::plain(""));
        }
        out.push(Line::plain(title));
        for row in rows {
            out.extend(wrapped(&row, ui.width, 12).into_iter().map(Line::plain));
        }
    };
    let name = host.name;
    let mut added: Vec<(u64, String)> = host
        .shares
        .iter()
        .filter_map(|share| {
            let more = share.tokens.0.checked_sub(share.before?.0).filter(|more| *more > 0)?;
            Some((more, escaped(share.path.as_str()).into_owned()))
        })
        .collect();
    added.sort_by_key(|(more, _)| std::cmp::Reverse(*more));
    let most = if ui.by_agent { 2 } else { MOST };
    let rows =
        added.iter().take(most).map(|(n, p)| format!("  {:>8}  {p}", format!("+{}", number(*n))));
    list(format!("Added here ({name})"), rows.collect());
    let rows = host.sections.iter().take(most).map(|section| {
        let heading = escaped_head(&section.heading, 40);
        let path = escaped(section.path.as_str());
        format!("  {:>8}  {path}:{} \"{heading}\"", number(section.tokens.0), section.line)
    });
    list(format!("Largest sections ({name})"), rows.collect());
    let rows = host.ways.iter().take(most).map(|way| {
        let (saves, after) = (number(way.saves.0), number(way.after.0));
        format!("  {:>8}  {}, leaves {after}", format!("-{saves}"), escaped(&way.what))
    });
    list("Ways back under, best first".to_owned(), rows.collect());
    if !out.is_empty() {
        out.push(Line::plain("  Raising the budget belongs in a change of its own."));
    }
    out
}

/// Returns the last line.
pub(super) fn summary(checked: &Checked) -> String {
    let Checked { report, limits, outcome, .. } = checked;
    let count = |severity: Severity| {
        report.findings.iter().filter(|it| it.is_new && it.severity() == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let ignored = match report.ignored {
        0 => String::new(),
        n => format!(", {n} left out by `check.ignore`"),
    };
    match outcome {
        Outcome::Passed => {
            let hosts: Vec<String> = report.hosts.iter().map(figure).collect();
            let hosts = match hosts.is_empty() {
                true => "no agent loads anything here".to_owned(),
                false => hosts.join(", "),
            };
            let problems = plural(errors + warnings, "problem", "problems");
            format!("Passed: {hosts}; {problems}{ignored}.{}", rough(report.hosts.first()))
        }
        Outcome::Failed | Outcome::Unjudged => {
            let over = report.over().count();
            let unjudged = report.hosts.iter().filter(|h| h.standing == Standing::Unjudged).count();
            let mut parts = Vec::new();
            if errors > 0 {
                parts.push(plural(errors, "error", "errors"));
            }
            if over > 0 {
                parts.push(plural(over, "budget over", "budgets over"));
            }
            if unjudged > 0 {
                parts.push(plural(
                    unjudged,
                    "budget that can't be judged",
                    "budgets that can't be judged",
                ));
            }
            if warnings > 0 && limits.fail_on_warning {
                parts.push(plural(warnings, "warning", "warnings"));
            }
            let more = match warnings {
                n if n > 0 && !limits.fail_on_warning => {
                    format!("; {}", plural(n, "warning", "warnings"))
                }
                _ => String::new(),
            };
            let why = report.hosts.iter().find_map(|host| {
                let why = host.unmeasured.as_ref()?;
                (host.standing == Standing::Unjudged).then(|| format!(" {}: {why}.", host.name))
            });
            format!("Failed: {}{more}{ignored}.{}", parts.join(", "), why.unwrap_or_default())
        }
    }
}

fn figure(host: &HostReport) -> String {
    let Tokens(tokens) = host.tokens;
    match (&host.budget, host.standing) {
        (_, Standing::Unmeasured | Standing::Unjudged) => {
            format!("{} could not be measured", host.name)
        }
        (Some(budget), _) => {
            format!("{} {} of {}", host.name, number(tokens), of_tokens(budget.tokens))
        }
        (None, _) => format!("{} {}", host.name, of_tokens(tokens)),
    }
}

/// Says how well the figures are known, where they are.
fn rough(host: Option<&HostReport>) -> &'static str {
    match host.map(|host| host.calibration) {
        Some(Estimate::Estimated) => " Tokens are rough, ±25%.",
        _ => "",
    }
}

fn of_tokens(count: u64) -> String {
    format!("{} {}", number(count), if count == 1 { "token" } else { "tokens" })
}
