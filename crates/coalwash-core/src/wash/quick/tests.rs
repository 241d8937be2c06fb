use insta::assert_snapshot;

use super::*;
use crate::text::FamilyFactor;

mod properties;

/// Long enough to be worth a change.
const RULE: &str =
    "Always run the whole test suite before you push, and wait until the last job is green.";

fn cut_of(text: &str) -> Option<Cut> {
    cut(text, &[], &FamilyFactor::CLAUDE)
}

/// Returns what went and what is left, with `R` for the rule and line ends that can be seen.
fn shown(text: &str) -> String {
    let text = text.replace('®', RULE);
    let Some(cut) = cut_of(&text) else { return "nothing".to_owned() };
    assert_eq!(cut_of(&cut.text), None, "cut again: {:?}", cut.text);
    let mut out = Vec::new();
    for removed in &cut.removed {
        let (lines, same) = (&removed.lines, &removed.same_as);
        out.push(format!(
            "{}-{} = {}-{} {}",
            lines.start(),
            lines.end(),
            same.start(),
            same.end(),
            removed.first_line.replace(RULE, "®")
        ));
    }
    out.push(format!("left: {}", cut.text.replace(RULE, "®").escape_debug()));
    out.join("\n")
}

#[test]
fn a_paragraph_goes_with_the_blank_line_behind_it() {
    assert_snapshot!(shown("# A\n\n®\n\nx\n\n®\n\ny\n"), @r"
    7-7 = 3-3 ®
    left: # A\n\n®\n\nx\n\ny\n
    ");
    assert_snapshot!(shown("# A\n\n®\n\nx\n\n®\n"), @r"
    7-7 = 3-3 ®
    left: # A\n\n®\n\nx\n
    ");
    assert_snapshot!(shown("®\n\nx\n\n®\n\n®\n\n\ny\n\n®\n\n\n"), @r"
    5-5 = 1-1 ®
    7-7 = 1-1 ®
    12-12 = 1-1 ®
    left: ®\n\nx\n\n\ny\n\n\n
    ");
    assert_snapshot!(shown("# A\n®\n# B\nx\n\n®\n## C\ny\n"), @r"
    6-6 = 2-2 ®
    left: # A\n®\n# B\nx\n\n## C\ny\n
    ");
}

#[test]
fn an_item_goes_with_all_that_is_in_it() {
    assert_snapshot!(shown("- ®\n- x\n- ®\n- y\n"), @r"
    3-3 = 1-1 - ®
    left: - ®\n- x\n- y\n
    ");
    assert_snapshot!(shown("- ®\n\n  more\n  - x\n- y\n- ®\n\n  more\n  - x\n"), @r"
    6-9 = 1-4 - ®
    left: - ®\n\n  more\n  - x\n- y\n
    ");
    assert_snapshot!(shown("- ®\n\n- x\n\n- ®\n\n- y\n"), @r"
    5-5 = 1-1 - ®
    left: - ®\n\n- x\n\n- y\n
    ");
    assert_snapshot!(shown("- ®\n  - x\n- y\n- ®\n  - z\n"), @"nothing");
    assert_snapshot!(shown("- x\n  - ®\n  - ®\n"), @"nothing");
    assert_snapshot!(shown("- ®\n- x\n\ntext\n\n* ®\n* y\n+ ®\n"), @r"
    6-6 = 1-1 * ®
    8-8 = 1-1 + ®
    left: - ®\n- x\n\ntext\n\n* y\n
    ");
}

#[test]
fn line_ends_and_marks_stay() {
    assert_snapshot!(shown("\u{feff}# A\r\n\r\n®\r\n\r\nx\r\n\r\n®\r\n\r\ny\r\n"), @r"
    7-7 = 3-3 ®
    left: \u{feff}# A\r\n\r\n®\r\n\r\nx\r\n\r\ny\r\n
    ");
    assert_snapshot!(shown("®\r\n\nx\n\r\n®\n\r\ny\r\n"), @r"
    5-5 = 1-1 ®
    left: ®\r\n\nx\n\r\ny\r\n
    ");
    assert_snapshot!(shown("®\r\rx\r\r®\r\ry"), @r"
    5-5 = 1-1 ®
    left: ®\r\rx\r\ry
    ");
    assert_snapshot!(shown("®\n\nx\n\n®"), @r"
    5-5 = 1-1 ®
    left: ®\n\nx
    ");
    assert_snapshot!(shown("®\n\nx  \ny\n\n®\n\nz"), @r"
    6-6 = 1-1 ®
    left: ®\n\nx  \ny\n\nz
    ");
}

#[test]
fn structure_that_means_something_stays() {
    for text in [
        "```\n®\n```\n\n```\n®\n```\n",
        "    ®\n\nx\n\n    ®\n",
        "| ® |\n|---|\n| ® |\n| ® |\n",
        "1. ®\n2. x\n3. ®\n",
        "> ®\n\nx\n\n> ®\n",
        "<div>\n®\n</div>\n\n<div>\n®\n</div>\n",
        "<!-- ® -->\n\nx\n\n<!-- ® -->\n",
        "---\na: ®\nb: ®\n---\n\nx\n",
        "---\n\n®\n\n® \n\n--- \n\n®\n",
        "## Staging\n\nx\n\n®\n\n## Production\n\ny\n\n®\n",
        "## Api\n\n®\n\n## Web\n\n®\n",
        "---\npinned: true\n---\n\n®\n\nx\n\n®\n",
        "Short.\n\nShort.\n\nShort.\n",
        "[^1]: ®\n\nx[^1] y[^2]\n\n[^2]: ®\n",
    ] {
        assert_eq!(shown(text), "nothing", "{text:?}");
    }
}
