//! The lines of `death.log`, in which a bin certifies what went.

use super::{Aged, CapConflict, DAY_MS, Rule};
use crate::text::escaped;

/// Returns the line of something that went. `now_ms` is when, `original` where it had been cut from.
pub fn certificate(
    now_ms: i64,
    id: &str,
    aged: Aged,
    rule: Rule,
    original: Option<&str>,
) -> String {
    let age_ms = aged.at_ms.map_or(0, |at| now_ms.saturating_sub(at));
    let days = age_ms.saturating_add(DAY_MS / 2).div_euclid(DAY_MS);
    // Names of a store may be anyone's, and one line is one certificate.
    let original = original.filter(|path| !path.is_empty()).map_or("-".into(), escaped);
    format!(
        "{} destroyed {} (age {days}d, rule {}) original {original}\n",
        iso(now_ms),
        escaped(id),
        rule.word()
    )
}

impl CapConflict {
    /// Returns the line that `death.log` gets.
    pub fn logged(&self, now_ms: i64) -> String {
        format!(
            "{} cap-conflict kept {}B > budget {}B — the 48h keep-all floor (+ newest/doubt \
             protections) exceeds the cap; bin over budget this run, nothing young destroyed\n",
            iso(now_ms),
            self.kept_bytes,
            self.budget_bytes
        )
    }

    /// Returns the line that a run reports.
    pub fn reported(&self, bin: &str) -> String {
        format!(
            "retention: {bin} over budget ({}B kept > {}B budget) — the 48h keep-all floor holds and \
             byte pressure may not break it; the bin exceeds its cap until items age past the floor",
            self.kept_bytes, self.budget_bytes
        )
    }
}

/// Returns a time as `2026-11-30T15:00:00.000Z`.
fn iso(ms: i64) -> String {
    let (days, rest) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    // Years that begin in March have their odd day at the end; 400 of them are 146,097 days.
    let days = days.saturating_add(719_468);
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + later;
    let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
    let (seconds, millis) = (rest / 1_000 % 60, rest % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_have_the_form_of_the_node_engine() {
        let aged = Aged { at_ms: Some(1_796_050_800_000 - 31 * DAY_MS), bytes: 3 };
        assert_eq!(
            certificate(1_796_050_800_000, "5-a", aged, Rule::Horizon, Some("/p/a.md")),
            "2026-11-30T15:00:00.000Z destroyed 5-a (age 31d, rule horizon) original /p/a.md\n"
        );
        let hostile =
            certificate(0, "5-a", Aged::default(), Rule::SizeCap, Some("a\n2026 destroyed"));
        assert_eq!(hostile.lines().count(), 1);
        assert!(hostile.ends_with("(age 0d, rule size-cap) original a\\n2026 destroyed\n"));
        let none = certificate(0, "5-a", Aged::default(), Rule::Density, None);
        assert!(none.ends_with("rule density) original -\n"));
        let conflict = CapConflict { budget_bytes: 150, kept_bytes: 200 };
        assert!(
            conflict
                .logged(0)
                .starts_with("1970-01-01T00:00:00.000Z cap-conflict kept 200B > budget 150B")
        );
        assert!(
            conflict
                .reported("fat-bin")
                .starts_with("retention: fat-bin over budget (200B kept > 150B budget)")
        );
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (ms, wanted) in [
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(iso(ms), wanted);
        }
        assert!(!iso(i64::MAX).is_empty() && !iso(i64::MIN).is_empty());
    }
}
