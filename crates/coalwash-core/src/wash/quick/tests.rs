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

#[test]
fn what_would_become_something_else_stays() {
    // Two lists would be one.
    assert_snapshot!(shown("®\n\n- x\n\n®\n\n- y\n"), @"nothing");
    // A paragraph would be a heading.
    assert_snapshot!(shown("- ®\n\nx\n- ®\n---\ny\n"), @"nothing");
    assert_snapshot!(shown("- ®\n\nx\n- ®\n-\n"), @"nothing");
    // Code would be part of an item.
    assert_snapshot!(shown("®\n\n- x\n\n®\n\n    y\n"), @"nothing");
    assert_snapshot!(shown("®\n\n- x\n\n®\n\n  y\n"), @"nothing");
    // A paragraph would be part of a footnote.
    assert_snapshot!(shown("®\n\nx[^1]\n\n[^1]: z\n\n®\n\n    y\n"), @"nothing");
    // What can go goes all the same.
    assert_snapshot!(shown("®\n\n- x\n\n®\n\n- y\n\nz\n\n®\n\n## B\n\nq\n\n®\n"), @r"
    11-11 = 1-1 ®
    17-17 = 1-1 ®
    left: ®\n\n- x\n\n®\n\n- y\n\nz\n\n## B\n\nq\n
    ");
}

#[test]
fn a_section_that_stands_twice_goes_with_its_heading() {
    assert_snapshot!(shown("# A\n\n## B\n\n®\n\n- x\n\n## C\n\ny\n\n## B\n\n®\n\n- x\n\n## D\n\nz\n"), @r"
    13-17 = 3-7 ## B
    left: # A\n\n## B\n\n®\n\n- x\n\n## C\n\ny\n\n## D\n\nz\n
    ");
    // With code, a table, steps and sections below.
    assert_snapshot!(
        shown("## B\n\n® So:\n\n```\na\n\n\nb\n```\n\n1. x\n2. y\n\n### C\n\n|a|\n|-|\n\n## D\n\nz\n\n## B\n\n® So:\n\n```\na\n\n\nb\n```\n\n1. x\n2. y\n\n### C\n\n|a|\n|-|\n"),
        @r"
    24-41 = 1-18 ## B
    left: ## B\n\n® So:\n\n```\na\n\n\nb\n```\n\n1. x\n2. y\n\n### C\n\n|a|\n|-|\n\n## D\n\nz\n
    "
    );
    // Part of an earlier one.
    assert_snapshot!(shown("# A\n\n## B\n\n®\n\nx\n\n## C\n\ny\n\n## B\n\n®\n\n## D\n\nz\n"), @r"
    13-13 = 3-3 ## B
    15-15 = 5-5 ®
    left: # A\n\n## B\n\n®\n\nx\n\n## C\n\ny\n\n## D\n\nz\n
    ");
    assert_snapshot!(shown("# A\n\n® 1\n\nx\n\n## B\n\n® 2\n\n## C\n\ny\n\n# A\n\n® 1\n\n## B\n\n® 2\n"), @r"
    15-15 = 1-1 # A
    17-17 = 3-3 ® 1
    19-21 = 7-9 ## B
    left: # A\n\n® 1\n\nx\n\n## B\n\n® 2\n\n## C\n\ny\n
    ");
    // Under other headings, with other code, with a tag that may belong elsewhere.
    assert_snapshot!(shown("# A\n\n## B\n\n®\n\n# C\n\n## B\n\n®\n"), @"nothing");
    assert_snapshot!(shown("## B\n\n```\n®\n\n\na\n```\n\n## B\n\n```\n®\n\na\n```\n"), @"nothing");
    assert_snapshot!(shown("## B\n\n<details>\n\n®\n\n## B\n\n<details>\n\n®\n\n## C\n\n</details>\n"), @r"
    11-11 = 5-5 ®
    left: ## B\n\n<details>\n\n®\n\n## B\n\n<details>\n\n## C\n\n</details>\n
    ");
    assert_snapshot!(shown("B\n=\n\n®\n\n- x\n\nC\n=\n\ny\n\nB\n=\n\n®\n\n- x\n"), @r"
    13-18 = 1-6 B
    left: B\n=\n\n®\n\n- x\n\nC\n=\n\ny\n
    ");
}

#[test]
fn white_space_goes_where_it_means_nothing() {
    let much = format!("x\n{}\ny{}\n\nz  \nq\t\n", "\n".repeat(40), " \t".repeat(60));
    assert_snapshot!(shown(&much), @r"left: x\n\n\ny\n\nz  \nq\n");
    let crlf = format!("x{}\r\n{}y  \r\n  \r\n", " ".repeat(80), " \r\n".repeat(9));
    assert_snapshot!(shown(&crlf), @r"left: x\r\n\r\n\r\ny\r\n\r\n");
    for text in [
        format!("```\nx{}\n{}y\n```\n", " ".repeat(99), "\n".repeat(99)),
        format!("    x{}\n{}    y\n", " ".repeat(99), "\n".repeat(99)),
        format!("<pre>\nx{}\n{}y\n</pre>\n", " ".repeat(99), "\n".repeat(99)),
        format!("<!--\nx{}\n{}y\n-->\n", " ".repeat(99), "\n".repeat(99)),
        format!("---\nx: y{}\n{}z: q\n---\n\na\n", " ".repeat(99), "\n".repeat(99)),
        format!("x{}\ny\n", " ".repeat(99)),
        format!("`x{}\ny`\n", " ".repeat(99)),
        format!("x\\{}\ny\n", " ".repeat(99)),
        format!("x\n{}y \n", "\n".repeat(30)),
    ] {
        assert_eq!(shown(&text), "nothing", "{text:?}");
    }
}

#[test]
fn other_scripts_and_markup_stay() {
    assert_snapshot!(shown("推送前必须运行全部测试，并等待最后一个任务变为绿色，然后再合并到主分支。\n\n无关。\n\n推送前必须运行全部测试，并等待最后一个任务变为绿色，然后再合并到主分支。\n"), @r"
    5-5 = 1-1 推送前必须运行全部测试，并等待最后一个任务变为绿色，然后再合并到主分支。
    left: 推送前必须运行全部测试，并等待最后一个任务变为绿色，然后再合并到主分支。\n\n无关。\n
    ");
    assert_snapshot!(shown("---\nname: x\n---\n\n®\n\n<!-- a\n\n\n\nb -->\n\n| a |\n|---|\n\n®\n\n> q\n\n```\n®\n```\n"), @r"
    16-16 = 5-5 ®
    left: ---\nname: x\n---\n\n®\n\n<!-- a\n\n\n\nb -->\n\n| a |\n|---|\n\n> q\n\n```\n®\n```\n
    ");
    assert_snapshot!(shown("---\nname: x --- y\n---\n®\n\n®\n\nx\n"), @r"
    6-6 = 4-4 ®
    left: ---\nname: x --- y\n---\n®\n\nx\n
    ");
    assert_snapshot!(shown("@a.md ®\n\nsee @b.md and\n\n@a.md ®\n"), @r"
    5-5 = 1-1 @a.md ®
    left: @a.md ®\n\nsee @b.md and\n
    ");
    assert_snapshot!(shown("®\n<!-- note -->\nx\n\n®\n<!-- note -->\ny\n\n®\n"), @r"
    5-5 = 1-1 ®
    9-9 = 1-1 ®
    left: ®\n<!-- note -->\nx\n\n<!-- note -->\ny\n
    ");
}
