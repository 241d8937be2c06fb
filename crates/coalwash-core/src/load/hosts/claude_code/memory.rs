//! What Claude Code sends of its own memory's index.
//!
//! Source: 74 files sent through both clients; the boundaries are in the tests.

use crate::load::map::Cut;
use crate::text::lines::{js_trim, utf16_len, utf16_prefix};

use super::super::MemoryRules;
use super::markdown::Dialect;

/// An index as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The text, with the host's own warning where something was cut off.
    pub(crate) text: String,
    /// What was cut off.
    pub(crate) cut: Option<Cut>,
}

/// Cuts an index that was cleaned of front matter and comments, and trimmed.
pub(crate) fn sent(text: &str, rules: &MemoryRules, dialect: Dialect) -> Sent {
    let lines: Vec<&str> = text.split('\n').collect();
    let units = utf16_len(text);
    let (long, big) = (lines.len() > rules.most_lines, units > rules.most_units);
    let mut out = text.to_owned();
    let mut cut = None;
    if long || big {
        let mut body = if long { lines[..rules.most_lines].join("\n") } else { text.to_owned() };
        let mut within_a_line = false;
        if utf16_len(&body) > rules.most_units {
            let prefix = utf16_prefix(&body, rules.most_units);
            // A line that ends exactly at the limit is whole.
            let end = match body.as_bytes().get(prefix.len()) {
                Some(b'\n') if utf16_len(prefix) == rules.most_units => Some(prefix.len()),
                _ => prefix.rfind('\n'),
            };
            within_a_line = end.is_none_or(|at| at == 0);
            let split = utf16_len(prefix) < rules.most_units;
            body.truncate(end.filter(|at| *at > 0).unwrap_or(prefix.len()));
            if within_a_line && split && dialect == Dialect::V2_1_197 {
                // Half of a character is sent, and arrives as this.
                body.push('\u{fffd}');
            }
        }
        let kept = body.split('\n').count();
        let first_lost = if within_a_line {
            lines[0].get(body.trim_end_matches('\u{fffd}').len()..).unwrap_or_default()
        } else {
            lines[kept]
        };
        let lost = if within_a_line { lines.len() } else { lines.len() - kept };
        cut = Some(Cut {
            lines: lines.len(),
            lost_lines: lost,
            first_lost: first_lost.trim_end_matches('\r').to_owned(),
            lost_bytes: None,
            // Of the text; the walk turns it into one of the file.
            line: Some(if within_a_line { 1 } else { kept + 1 }),
        });
        let what = match (long, big) {
            (true, true) => format!("{} lines and {}", lines.len(), kilobytes(units)),
            (true, false) => format!("{} lines (limit: {})", lines.len(), rules.most_lines),
            _ => format!(
                "{} (limit: {}) — index entries are too long",
                kilobytes(units),
                kilobytes(rules.most_units)
            ),
        };
        let which = match dialect {
            Dialect::V2_1_197 => String::new(),
            Dialect::V2_1_332 if within_a_line => format!(
                ": everything after the first {} characters of line 1 was cut off",
                rules.most_units
            ),
            Dialect::V2_1_332 => format!(
                ": {lost} of {} lines were cut off, starting at line {}{}",
                lines.len(),
                kept + 1,
                quoted(lines[kept])
            ),
        };
        // The host's own words: they are part of what is sent and paid for.
        out = format!(
            "{body}\n\n> WARNING: MEMORY.md is {what}. Only part of it was loaded{which}. Keep index \
             entries to one line under ~200 chars; move detail into topic files."
        );
    }
    if dialect == Dialect::V2_1_332 {
        out = sanitised(&out);
    }
    Sent { text: out, cut }
}

/// Returns the size as the host prints it: binary kilobytes under a decimal name, one decimal.
fn kilobytes(units: usize) -> String {
    const KILO: usize = 1024;
    let (size, name) = if units < KILO * KILO { (KILO, "KB") } else { (KILO * KILO, "MB") };
    let tenths = (units * 10 + size / 2) / size;
    if tenths.is_multiple_of(10) {
        format!("{}{name}", tenths / 10)
    } else {
        format!("{}.{}{name}", tenths / 10, tenths % 10)
    }
}

/// Returns the first lost line as the host quotes it.
fn quoted(line: &str) -> String {
    const MOST: usize = 80;
    let line = js_trim(line);
    if line.is_empty() {
        return String::new();
    }
    if utf16_len(line) <= MOST {
        return format!(" (\"{line}\")");
    }
    let mut cut = utf16_prefix(line, MOST - 1);
    if let Some(space) = cut.rfind([' ', '\t'])
        && utf16_len(&cut[..space]) > 40
    {
        cut = &cut[..space];
    }
    format!(" (\"{cut}…\")")
}

/// Takes out what could pass for the host's own markup.
fn sanitised(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}'], "\n");
    let text: String = text
        .chars()
        .filter(|c| {
            let control = c.is_control() && !matches!(c, '\t' | '\n');
            !(control || matches!(c, '\u{200b}' | '\u{feff}'))
        })
        .collect();
    without_reminders(text, "<\\")
}

/// Makes the host's own markup in a text harmless, as the newer host does: with `open` in place of
/// its `<`, also where control characters stand between its letters.
pub(crate) fn without_reminders(text: String, open: &str) -> String {
    let tags: Vec<usize> =
        text.match_indices('<').map(|(at, _)| at).filter(|at| is_reminder(&text[*at..])).collect();
    if tags.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len() + tags.len() * open.len());
    let mut from = 0;
    for at in tags {
        out.push_str(&text[from..at]);
        out.push_str(open);
        from = at + 1;
    }
    out.push_str(&text[from..]);
    out
}

fn is_reminder(text: &str) -> bool {
    let mut seen = text.chars().filter(|c| !c.is_control()).skip(1).peekable();
    seen.next_if_eq(&'/');
    "system-reminder>".chars().all(|want| seen.next() == Some(want))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, dialect: Dialect) -> Sent {
        let rules = MemoryRules {
            folder: "memory",
            index: "MEMORY.md",
            most_lines: 200,
            most_units: 25_000,
            writes_index: true,
        };
        sent(text, &rules, dialect)
    }

    fn lines(n: usize, width: usize) -> String {
        let all: Vec<_> = (1..=n).map(|i| format!("{i:<width$}")).collect();
        all.join("\n")
    }

    #[test]
    fn two_hundred_lines_are_sent_whole() {
        let text = lines(200, 3);
        assert_eq!(of(&text, Dialect::V2_1_332), Sent { text, cut: None });
    }

    #[test]
    fn the_two_hundred_and_first_line_is_cut_and_quoted() {
        let text = lines(201, 3);
        let new = of(&text, Dialect::V2_1_332);
        let warning = new.text.strip_prefix(&lines(200, 3)).unwrap();
        assert!(warning.starts_with("\n\n> WARNING: MEMORY.md is 201 lines (limit: 200). Only part of it was loaded: 1 of 201 lines were cut off, starting at line 201 (\"201\"). "));
        let cut = new.cut.unwrap();
        assert_eq!((cut.lines, cut.lost_lines, &*cut.first_lost), (201, 1, "201"));
        let old = of(&text, Dialect::V2_1_197);
        assert!(old.text.contains("Only part of it was loaded. Keep"));
    }

    #[test]
    fn characters_are_cut_at_a_line_end() {
        // 100 lines of 249 and a line end: 24,999 units, and the 101st crosses the limit.
        let text = lines(110, 249);
        let new = of(&text, Dialect::V2_1_332);
        assert!(new.text.starts_with(&format!(
            "{}\n\n> WARNING: MEMORY.md is 26.9KB (limit: 24.4KB)",
            lines(100, 249)
        )));
        assert_eq!(new.cut.unwrap().lost_lines, 10);
    }

    #[test]
    fn a_line_end_exactly_at_the_limit_counts() {
        let text = format!("{}\n{}", "x".repeat(25_000), "y");
        assert!(
            of(&text, Dialect::V2_1_332).text.starts_with(&format!("{}\n\n>", "x".repeat(25_000)))
        );
    }

    #[test]
    fn a_single_long_line_is_cut_inside() {
        let new = of(&format!("{}tail", "x".repeat(25_000)), Dialect::V2_1_332);
        assert!(new.text.contains("everything after the first 25000 characters of line 1"));
        assert_eq!(new.cut.unwrap().first_lost, "tail");
        let pair = of(&format!("{}😀", "x".repeat(24_999)), Dialect::V2_1_332);
        assert!(pair.text.starts_with(&format!("{}\n\n", "x".repeat(24_999))));
    }

    #[test]
    fn sizes_are_printed_as_the_host_does() {
        assert_eq!(kilobytes(25_000), "24.4KB");
        assert_eq!(kilobytes(25_600), "25KB");
        assert_eq!(kilobytes(1024 * 1024), "1MB");
    }

    #[test]
    fn the_newer_host_takes_controls_out() {
        assert_eq!(
            of("a\r\nb\u{200b}\0c</system-reminder>", Dialect::V2_1_332).text,
            "a\nbc<\\/system-reminder>"
        );
        assert_eq!(of("a\r\nb", Dialect::V2_1_197).text, "a\r\nb");
    }
}
