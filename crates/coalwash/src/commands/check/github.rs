//! A check as annotations of a GitHub workflow.

use camino::Utf8Path;
use coalwash_core::config::Problem;
use coalwash_core::load::check::{Finding, Severity};

use super::{Checked, text};
use crate::ui::number;

/// Returns one line for each finding and each budget, and the summary.
pub(super) fn text(checked: &Checked) -> String {
    let mut out = String::new();
    for finding in checked.report.findings.iter().filter(|it| it.is_new) {
        out.push_str(&annotation(finding));
    }
    for host in checked.report.over() {
        let said = format!(
            "{} loads {} tokens into every session, {} over the budget",
            host.name,
            number(host.tokens.0),
            number(host.over_by())
        );
        out.push_str(&format!("::error title=budget-over::{}\n", data(&said)));
    }
    out.push_str(&text::summary(checked));
    out.push('\n');
    out
}

fn annotation(finding: &Finding) -> String {
    let level = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    format!(
        "::{level} file={},line={},col={},title={}::{}\n",
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
        "::error file={},line={},title=config::{}\n",
        property(path.as_str()),
        origin.line.max(1),
        data(&format!("{}; {}", problem.what, problem.fix))
    )
}

/// Escapes a message, which ends at the line's end.
pub(in crate::commands) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a value in front of the message.
pub(in crate::commands) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_ends_a_command() {
        assert_eq!(property("a,b:c%\nd"), "a%2Cb%3Ac%25%0Ad");
        assert_eq!(data("a,b:c\n::error::x"), "a,b:c%0A::error::x");
    }
}
