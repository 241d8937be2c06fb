//! What holds for every text.

use proptest::prelude::*;

use super::{RULE, cut_of};
use crate::load::hosts::claude_code::markdown::{Dialect, read};
use crate::text::lines::js_trim;
use crate::wash::gate::{Class, compare};
use crate::wash::quick::LEAST_TOKENS;

/// Returns the lines that say something, without the white space at their end.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.split(['\n', '\r']).map(|line| line.trim_end_matches([' ', '\t']));
    lines.filter(|line| !said(line).is_empty()).collect()
}

/// Returns the lines of `old` that are no longer there, or `None` if anything else differs.
fn gone<'a>(old: &'a str, new: &str) -> Option<Vec<&'a str>> {
    let new = lines(new);
    let mut left = new.iter().peekable();
    let gone = lines(old).into_iter().filter(|line| left.next_if(|new| *new == line).is_none());
    let gone = gone.collect();
    left.next().is_none().then_some(gone)
}

/// Returns the lines, without the white space at their end, and what ends each.
fn ended(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let len = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let end = if rest[len..].starts_with("\r\n") { 2 } else { (rest.len() - len).min(1) };
        lines.push((rest[..len].trim_end_matches([' ', '\t']), &rest[len..len + end]));
        rest = &rest[len + end..];
    }
    lines
}

/// Cuts a text, and looks at everything that is promised of the result.
fn check(old: &str) -> Result<usize, TestCaseError> {
    let Some(cut) = cut_of(old) else { return Ok(0) };
    let new = &cut.text;
    prop_assert_eq!(cut_of(new), None, "{:?} again: {:?}", old, new);
    prop_assert!(cut_of(old).as_ref() == Some(&cut));
    let removed: u64 = cut.removed.iter().map(|removed| removed.tokens.0).sum();
    prop_assert!(cut.saved.0.max(removed) >= LEAST_TOKENS.0);
    // Each line is one of the old text, line end included, but for white space.
    let (before, after) = (ended(old), ended(new));
    let ends = |text: &str| text.ends_with(['\n', '\r']);
    let mut before = before.into_iter();
    for (at, line) in after.iter().enumerate() {
        let last = at + 1 == after.len();
        let same = |old: &(&str, &str)| old.0 == line.0 && (last || old.1 == line.1);
        prop_assert!(before.any(|old| same(&old)), "{line:?} of {new:?}, from {old:?}");
    }
    prop_assert_eq!(ends(old), ends(new), "{:?} {:?}", old, new);
    // Nothing is lost: neither of the text, nor of what a host sends or imports.
    let left = lines(new);
    let shown = |line: &str| format!("{line:?} of {old:?}, cut to {new:?}");
    let Some(lost) = gone(old, new) else { return Err(TestCaseError::fail(shown("order"))) };
    for line in lost {
        prop_assert!(left.iter().any(|left| said(left) == said(line)), "{}", shown(line));
    }
    for dialect in [Dialect::V2_1_197, Dialect::V2_1_332] {
        let (before, after) = (read(old.to_owned(), dialect), read(new.clone(), dialect));
        let Some(lost) = gone(&before.sent, &after.sent) else {
            return Err(TestCaseError::fail(shown("sent")));
        };
        let left = lines(&after.sent);
        for line in lost {
            prop_assert!(left.iter().any(|left| said(left) == said(line)), "sent {}", shown(line));
        }
        let paths = |reading: &crate::load::hosts::claude_code::markdown::Reading| {
            reading.imports.iter().map(|import| import.path.clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(paths(&before), paths(&after), "{:?} {:?}", old, new);
    }
    let report = compare(&[old], new);
    let bad: Vec<_> = report.findings.iter().filter(|f| f.class != Class::CopyRemoved).collect();
    prop_assert!(bad.is_empty(), "{bad:?}: {old:?}, cut to {new:?}");
    Ok(cut.removed.len())
}

/// Returns a line without its indentation and bullet: a repeat may have others.
fn said(line: &str) -> &str {
    let line = js_trim(line);
    ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim()
}

/// Text that Markdown parsers find hard, with much that stands twice.
fn markup() -> impl Strategy<Value = String> {
    let rule = |lead: &str, end: &str| format!("{lead}{RULE}{end}");
    let pieces = [
        rule("", "\n"),
        rule("", "\n\n"),
        rule("\n", "\n\n"),
        rule("\n\n\n\n", "  \n"),
        rule("- ", "\n"),
        rule("- ", "\n  - x\n"),
        rule("\n* ", "\n\n"),
        rule("  - ", "\n"),
        rule("  ", "\n"),
        rule("    ", "\n"),
        rule("> ", "\n"),
        rule("1. ", "\n"),
        rule("| ", " |\n"),
        rule("[^1]: ", "\n"),
        rule("", "\r\n\r\n"),
        rule("", "\r\r"),
        rule("", ""),
        rule("@a.md ", "\n\n"),
        rule("<!-- c --> ", "\n\n"),
        rule("`", "`\n\n"),
        rule("", ":\n\n"),
    ];
    let short = [
        "# a\n",
        "## b\n",
        "## b\n\n",
        "- x\n",
        "  - y\n",
        "-\n",
        "1. z\n",
        "```\n",
        "~~~ sh\n",
        "    code\n",
        "> q\n",
        "<!-- c\n",
        "-->\n",
        "<!-- d -->\n",
        "<div>\n",
        "</div>\n",
        "|---|\n",
        "---\n",
        "---\n",
        "===\n",
        "\n",
        "\n",
        "\n\n\n\n",
        "word word\n",
        "[a]: http://x.y\n",
        "[a]\n",
        "**b** `c`\n",
        "  ```\n",
        "- ```\n",
        "\t- t\n",
        "text  \n",
        "text \\ \n",
        "x[^1]\n",
        "\r\n",
        "\r",
        " \t \n",
        "@docs/a.md\n",
        "`",
        "é 日本語です。\n",
        "\u{feff}",
    ];
    let pieces = pieces.into_iter().chain(short.map(str::to_owned)).collect::<Vec<_>>();
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn markup_keeps_what_is_promised(text in markup()) {
        check(&text)?;
    }

    #[test]
    fn front_matter_stays(front in "---\n(a: [a-z -]{0,9}\n){0,3}(--- ?\n)?", text in markup()) {
        check(&format!("{front}{text}"))?;
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check(&text)?;
    }
}
