//! A check as the comment of a pull request; empty where there is nothing to say.

use coalwash_core::load::check::{HostReport, Severity, Share, Standing};
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

/// Returns the comment where the configuration stopped the check.
pub(super) fn config_wrong(problems: &[String]) -> String {
    let list: String = problems.iter().map(|it| format!("- {}\n", inline(it))).collect();
    format!("**The configuration of coalwash is wrong**\n\n{list}")
}

/// Returns the part about one host; `None` where the branch changes nothing and nothing is over.
fn host(host: &HostReport) -> Option<String> {
    let over = host.standing == Standing::Over;
    let unjudged = host.standing == Standing::Unjudged;
    let changed: Vec<&Share> =
        host.shares.iter().filter(|share| share.before != Some(share.tokens)).collect();
    let moved = host.before.is_some_and(|before| before != host.tokens);
    if !over && !unjudged && (host.before.is_none() || !moved && changed.is_empty()) {
        return None;
    }
    let mut out = headline(host, unjudged);
    if over {
        out.push_str(&format!("\n\n{} tokens over the budget.", number(host.over_by())));
    }
    if let Some(why) = host.unmeasured.as_ref().filter(|_| unjudged) {
        out.push_str(&format!("\n\nNot all could be measured, so not passed: {}.", inline(why)));
    }
    let has_base = host.before.is_some();
    let rows: Vec<&Share> = if has_base { changed } else { host.shares.iter().collect() };
    if !rows.is_empty() {
        out.push_str("\n\n");
        out.push_str(&table(&rows, has_base));
    }
    if let Some(way) = host.ways.first().filter(|_| over) {
        let what = inline(&way.what);
        out.push_str(&format!("\n\nTo get under: {what} (-{}).", number(way.saves.0)));
    }
    Some(out)
}

/// Says how much it is, and how much it was.
fn headline(host: &HostReport, unjudged: bool) -> String {
    let budget = host.budget.as_ref().map(|budget| format!("budget {}", number(budget.tokens)));
    let tokens = number(host.tokens.0);
    let at_least = if unjudged { "at least " } else { "" };
    match host.before {
        Some(before) => {
            let change = signed(before.0, host.tokens.0);
            let budget = budget.map_or(String::new(), |budget| format!(", {budget}"));
            format!(
                "**Agent context: {change} tokens in every {} session** ({} → {at_least}{tokens}{budget})",
                host.name,
                number(before.0),
            )
        }
        None => {
            let budget = budget.map_or(String::new(), |budget| format!(" ({budget})"));
            let name = host.name;
            format!("**Agent context: {at_least}{tokens} tokens in every {name} session**{budget}")
        }
    }
}

/// Returns the files, with what changed where there is something to compare with.
fn table(rows: &[&Share], has_base: bool) -> String {
    let mut out = match has_base {
        true => "| file | tokens | change |\n|---|--:|--:|".to_owned(),
        false => "| file | tokens |\n|---|--:|".to_owned(),
    };
    for share in rows.iter().take(MOST) {
        let from = share.from.as_ref().map_or(String::new(), |(path, line)| {
            format!(" (imported by {}:{line})", cell(path.as_str()))
        });
        let change =
            share.before.map_or(String::new(), |it| format!(" {} |", signed(it.0, share.tokens.0)));
        let (path, tokens) = (cell(share.path.as_str()), number(share.tokens.0));
        out.push_str(&format!("\n| {path}{from} | {tokens} |{change}"));
    }
    if rows.len() > MOST {
        out.push_str(&format!("\n| {} more | |", rows.len() - MOST));
        out.push_str(if has_base { " |" } else { "" });
    }
    out
}

fn findings(checked: &Checked) -> Option<String> {
    let new = checked.new_findings();
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
            "\n- {}:{} {severity}: {} `{}`",
            inline(finding.path.as_str()),
            finding.line,
            inline(&format!("{}; {}", finding.what, finding.fix)),
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

/// Returns foreign text for a cell of a table.
fn cell(text: &str) -> String {
    inline(text).replace('|', "\\|")
}

/// Returns foreign text so that it can't be markup: no block, tag, link, mention or reference begins
/// or ends in it. What stands between single backticks stays code.
fn inline(text: &str) -> String {
    let text = escaped(text);
    let mut out = String::new();
    let mut rest = &*text;
    while let Some(at) = rest.find('`') {
        plain(&rest[..at], &mut out);
        rest = &rest[at..];
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let after = &rest[ticks..];
        match closing(after).filter(|_| ticks == 1) {
            Some(end) => {
                // Longer than any run of them inside, which is what ends code.
                let fence = "`".repeat(longest_run(&after[..end]) + 1);
                let gap = if fence.len() > 1 { " " } else { "" };
                out.push_str(&format!("{fence}{gap}{}{gap}{fence}", &after[..end]));
                rest = &after[end + 1..];
            }
            None => {
                out.push_str(&"\\`".repeat(ticks));
                rest = after;
            }
        }
    }
    plain(rest, &mut out);
    // What begins a block at the start of a line, also behind spaces.
    if out.starts_with(' ') {
        out.replace_range(..1, "&#32;");
    }
    let number = out.trim_start_matches(|c: char| c.is_ascii_digit());
    match number.chars().next() {
        Some('.' | ')') if number.len() < out.len() => {
            let at = out.len() - number.len();
            out.insert(at, '\\');
        }
        Some('+' | '-' | '=') if number.len() == out.len() => out.insert(0, '\\'),
        _ => {}
    }
    out
}

/// Returns where a single backtick stands.
fn closing(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_tick = |at: usize| bytes.get(at) == Some(&b'`');
    (0..bytes.len()).find(|&at| is_tick(at) && !is_tick(at + 1) && (at == 0 || !is_tick(at - 1)))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Adds text that is not code.
fn plain(text: &str, out: &mut String) {
    // What breaks a name without being seen: no one is to be notified, no issue referred to, and no
    // address becomes a link.
    const BREAK: char = '\u{200b}';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '[' | ']' | '*' | '_' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            '#' => {
                out.push_str("\\#");
                if chars.peek().is_some_and(char::is_ascii_digit) {
                    out.push(BREAK);
                }
            }
            '@' => {
                out.push(c);
                out.push(BREAK);
            }
            '.' if out.to_lowercase().ends_with("www") => {
                out.push(BREAK);
                out.push(c);
            }
            ':' if chars.peek() == Some(&'/') => {
                out.push(c);
                out.push(BREAK);
            }
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_no_markup() {
        assert_eq!(cell("a|b <img> @team [x](y)"), "a\\|b &lt;img&gt; @\u{200b}team \\[x\\](y)");
        assert_eq!(inline("a\\*b* c & d"), "a\\\\\\*b\\* c &amp; d");
        assert_eq!(inline("see #12 or #x"), "see \\#\u{200b}12 or \\#x");
        assert_eq!(inline("WWW.x.test http://x"), "WWW\u{200b}.x.test http:\u{200b}//x");
    }

    #[test]
    fn foreign_text_begins_no_block() {
        for (text, out) in [
            ("- a", "\\- a"),
            ("+ a", "\\+ a"),
            ("12. a", "12\\. a"),
            ("1) a", "1\\) a"),
            ("> a", "&gt; a"),
            ("12 a", "12 a"),
            (" - a", "&#32;- a"),
            ("a - b. c", "a - b. c"),
        ] {
            assert_eq!(inline(text), out);
        }
    }

    #[test]
    fn code_stays_code_and_ends_where_it_seems_to() {
        assert_eq!(inline("`@docs/a|b.md` b"), "`@docs/a|b.md` b");
        assert_eq!(cell("`@docs/a|b.md` b"), "`@docs/a\\|b.md` b");
        assert_eq!(inline("a`b"), "a\\`b");
        assert_eq!(inline("``` <b> `"), "\\`\\`\\` &lt;b&gt; \\`");
        assert_eq!(inline("`a `` b` <i>"), "``` a `` b ``` &lt;i&gt;");
    }

    #[test]
    fn no_text_is_read_as_a_tag_by_a_markdown_parser() {
        use pulldown_cmark::{Event, Parser, Tag};
        let parts =
            ["`", "``", "<b>", "x", " ", "\\", "*", "[a](b)", "@t", "&lt;", "- ", "1. ", "#"];
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..8 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(parts[usize::try_from(seed >> 33).unwrap() % parts.len()]);
            }
            let line = format!("- {}:1 error", inline(&text));
            let mut lists = 0;
            for event in Parser::new(&line) {
                match event {
                    Event::Start(Tag::List(_)) => lists += 1,
                    Event::Start(Tag::Item | Tag::Paragraph) | Event::End(_) => {}
                    Event::Text(_) | Event::Code(_) => {}
                    other => panic!("{text:?} -> {line:?}: {other:?}"),
                }
            }
            assert_eq!(lists, 1, "{text:?} -> {line:?}");
        }
    }
}
