//! A check as annotations of a GitHub workflow.

use camino::Utf8Path;
use coalwash_core::config::Problem;
use coalwash_core::load::check::{Finding, Rule, Severity};
use coalwash_core::text::escaped;

use super::{Checked, over_budget, text, unjudged};
use crate::ui::number;

/// Annotations of one level that GitHub shows of a step. The log has all.
///
/// Source: <https://docs.github.com/en/rest/checks/runs>, read 2026-11-30.
const MOST_SHOWN: usize = 10;

/// Returns one line for each budget and each finding, the most serious first, and the summary.
pub(super) fn text(checked: &Checked) -> String {
    let budget =
        |rule: &str, said: String| format!("::error title={rule} (coalwash)::{}\n", data(&said));
    let unjudged = checked.report.hosts.iter().filter_map(unjudged);
    let mut out: String = unjudged.map(|said| budget("budget-unjudged", said)).collect();
    for host in checked.report.over() {
        let way = host.ways.first().map_or(String::new(), |way| {
            format!("; to get under: {} (-{})", way.what, number(way.saves.0))
        });
        let said = format!("{}{way}", over_budget(host));
        out.push_str(&budget(Rule::BudgetOver.code(), said));
    }
    let budgets = out.lines().count();
    let findings = checked.new_findings();
    let errors = findings.iter().filter(|it| it.severity() == Severity::Error).count();
    out.extend(findings.iter().map(|finding| annotation(finding)));
    if budgets + errors > MOST_SHOWN || findings.len() - errors > MOST_SHOWN {
        let said = format!("GitHub shows {MOST_SHOWN} errors and {MOST_SHOWN} warnings of a step");
        out.push_str(&format!("::notice title=coalwash::{said}; the log has all\n"));
    }
    for it in &checked.not_in_force {
        let path = it.path.strip_prefix(&checked.root).unwrap_or(&it.path);
        out.push_str(&format!(
            "::notice file={},title=config (coalwash)::{}\n",
            property(path.as_str()),
            data(&format!("{path} {}", it.why))
        ));
    }
    // Not a command, whatever names are in it: they begin with `::`, or have `##[` anywhere.
    out.push_str(&escaped(&text::summary(checked)).replace("##[", "## ["));
    out.push('\n');
    out
}

fn annotation(finding: &Finding) -> String {
    let level = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    format!(
        "::{level} file={},line={},col={},title={} (coalwash)::{}\n",
        property(finding.path.as_str()),
        finding.line,
        finding.column,
        finding.rule.code(),
        data(&format!("{}; {}", finding.what, finding.fix))
    )
}

/// Returns the line for a problem of the configuration.
pub(super) fn config_wrong(root: &Utf8Path, problem: &Problem) -> String {
    let origin = &problem.origin;
    let path = origin.path.strip_prefix(root).unwrap_or(&origin.path);
    format!(
        "::error file={},line={},col={},title=config (coalwash)::{}\n",
        property(path.as_str()),
        origin.line.max(1),
        origin.column.max(1),
        data(&format!("{}; {}", problem.what, problem.fix))
    )
}

/// Escapes a message, which ends at the line's end.
pub(in crate::commands) fn data(text: &str) -> String {
    escaped(text).replace('%', "%25")
}

/// Escapes a value in front of the message. It has to stay the name of the file.
pub(in crate::commands) fn property(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    text.replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_ends_a_command() {
        assert_eq!(property("a,b:c%\nd"), "a%2Cb%3Ac%25%0Ad");
        assert_eq!(data("a,b:c%\n::error::x"), "a,b:c%25\\n::error::x");
    }
}
