//! The recorded answers of the host, and what holds for any text.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

const DIALECTS: [(Dialect, &str); 2] =
    [(Dialect::V2_1_197, "2.1.197"), (Dialect::V2_1_332, "2.1.332")];

/// Recorded cases whose answer isn't reproduced, as dialect and text. There are none.
const DISAGREEMENTS: [(&str, &str); 0] = [];

/// One line of `cases.jsonl`: a text that was given to the real host, the files that existed beside
/// it, and per version which of them were loaded, in order, and what was sent of the text.
///
/// `imports` and `sent` are one value where the versions agree; no `sent` means the text itself.
/// The outer white space of what was sent isn't compared: the host trims it.
#[test]
fn the_host_reads_its_recorded_cases_alike() {
    let mut wrong = Vec::new();
    for line in include_str!("cases.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        for (dialect, version) in DIALECTS {
            let reading = read(text.to_owned(), dialect);
            let files = strings(&case["files"]);
            let imports = match &case["imports"] {
                Value::Object(per_version) => strings(&per_version[version]),
                both => strings(both),
            };
            let sent = match &case["sent"] {
                Value::Null => text.trim_matches(is_js_space),
                Value::Object(per_version) => per_version[version].as_str().unwrap(),
                both => both.as_str().unwrap(),
            };
            let mut loaded = Vec::new();
            for path in reading.imports.iter().filter_map(|import| beside(&import.path)) {
                if files.contains(&path) && !loaded.contains(&path) {
                    loaded.push(path);
                }
            }
            let known = DISAGREEMENTS.contains(&(version, text));
            let agrees = loaded == imports
                && reading.sent.trim_matches(is_js_space) == sent.trim_end_matches('\n');
            if agrees == known {
                wrong.push(format!(
                    "{version} {text:?}: loaded {loaded:?}, sent {:?}",
                    reading.sent
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|s| s.as_str().unwrap().to_owned()).collect()
}

/// Returns a relative path without its detours, as the recorder resolved it.
fn beside(path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) && !path.starts_with("~x") {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

fn found(text: &str) -> Vec<String> {
    let reading = read(text.to_owned(), Dialect::V2_1_332);
    let imports = reading.imports.iter().map(|i| format!("{}: {}", i.line, i.path));
    let suspects = reading.suspects.iter().map(|s| format!("{}? {}", s.line, s.path));
    imports.chain(suspects).collect()
}

#[test]
fn lines_are_those_of_the_input() {
    assert_eq!(found("---\na: b\n---\n\n\n@x.md"), ["6: x.md"]);
    assert_eq!(found("---\r\na: b\r\n---\r\nB\r\n@x.md\r\n\r\n@y.md"), ["5: x.md", "7: y.md"]);
    assert_eq!(found("a\n\n- b\n  - c\n\n    d\n    @x.md\n- @y.md"), ["7: x.md", "8: y.md"]);
    assert_eq!(
        found("> a\n> - b\n>   @x.md\nlazy @y.md\n\n@z.md"),
        ["3: x.md", "4: y.md", "6: z.md"]
    );
    assert_eq!(found("- a\n  > b\n  > > c\n  > > @x.md\n- d\n\n  @y.md"), ["4: x.md", "7: y.md"]);
    assert_eq!(found("a *b\nc [d\n@x.md](u)*\n@y.md"), ["3: x.md", "4: y.md"]);
    assert_eq!(found("<!-- a\nb --> @x.md\n<!-- c --> @y.md"), ["2: x.md", "3: y.md"]);
    for (dialect, _) in DIALECTS {
        let text = "> - a\n2) b\n> - c\nd\n> - e\n\n@x.md".to_owned();
        assert_eq!(read(text, dialect).imports[0].line, 7);
    }
}

/// The host adds a line end for a blank at the end of a quoted list, which is no line of the file.
#[test]
fn a_lazy_line_behind_a_quoted_list_keeps_its_line() {
    for (text, line) in [
        ("> - - \n===@x.md", 2),
        ("> - - \r\n===@x.md", 2),
        ("> - - \r===@x.md", 2),
        ("> - a \n===@x.md", 2),
        ("> - a \n---@x.md\n@y.md", 2),
        ("> - a \nb\n> - c \n===@x.md", 4),
        ("> > - a \n===@x.md", 2),
        ("- > - - \n  ===@x.md", 2),
        ("> - - \nb\n\n@x.md", 4),
        ("> - <!-- \n  b\n  --> @x.md", 3),
    ] {
        for (dialect, version) in DIALECTS {
            let reading = read(text.to_owned(), dialect);
            let mut lines = reading
                .imports
                .iter()
                .map(|i| (i.path.as_str(), i.line))
                .chain(reading.suspects.iter().map(|s| (s.path.as_str(), s.line)));
            let found = lines.find(|(path, _)| *path == "x.md");
            assert_eq!(found, Some(("x.md", line)), "{version}: {text:?}");
        }
    }
}

#[test]
fn what_only_looks_like_an_import_is_a_suspect() {
    assert_eq!(found("see (@x.md), \"@y.md\"."), ["1? x.md", "1? y.md"]);
    assert_eq!(found("a@x.md"), ["1? x.md"]);
    assert_eq!(found("<div>\n@x.md</div>"), ["2? x.md"]);
    assert_eq!(found("<b>@x.md</b> and `@y.md`, \\@z.md, ![@i.md](u)"), ["1: x.md"]);
    assert_eq!(found("see @x.md, and @y.md#part"), ["1: x.md,", "1: y.md"]);
    assert_eq!(found("- **@x.md** (@y.md)"), ["1: x.md", "1? y.md"]);
    assert_eq!(found("```\n(@x.md)\n```"), [""; 0]);
}

#[test]
fn an_import_keeps_how_it_was_written() {
    let reading = read("@docs/my\\ file.md#part".to_owned(), Dialect::V2_1_332);
    let import = &reading.imports[0];
    assert_eq!(
        (import.path.as_str(), import.written.as_str()),
        ("docs/my file.md", "@docs/my\\ file.md#part")
    );
}

#[test]
fn front_matter_ends_at_the_first_dashes() {
    let check = |text: &str, dialect| {
        front_matter(text, dialect)
            .map(|(yaml, body)| (text[yaml].to_owned(), text[body..].to_owned()))
    };
    let found = |yaml: &str, body: &str| Some((yaml.to_owned(), body.to_owned()));
    for (dialect, _) in DIALECTS {
        assert_eq!(check("---\na: b\n---\n\nB", dialect), found("a: b\n", "B"));
        assert_eq!(check("---\na: x --- y\n---\nB", dialect), found("a: x ", "y\n---\nB"));
        assert_eq!(check("---\na: b\nB", dialect), None);
        assert_eq!(check("----\na: b\n---\nB", dialect), None);
    }
    let marked = "\u{FEFF}---\na: b\n---\nB";
    assert_eq!(check(marked, Dialect::V2_1_332), found("a: b\n", "B"));
    assert_eq!(check(marked, Dialect::V2_1_197), None);
}

#[test]
fn a_text_without_anything_to_do_keeps_its_buffer() {
    let text = "# Title\n\nprose\r\n".to_owned();
    let buffer = text.as_ptr();
    assert_eq!(read(text, Dialect::V2_1_197).sent.as_ptr(), buffer);
}

/// Texts that make a careless reader exponential or run out of stack. That the cost is linear is
/// measured in `benches/load.rs`.
#[test]
fn hostile_texts_are_read() {
    let bytes = 1 << 14;
    let parts = [
        "[",
        "![",
        "]",
        "(",
        "*",
        "_",
        "`",
        "<",
        ">",
        "> ",
        "> > a\nb\n",
        "- ",
        "1. ",
        "\\",
        "*a ",
        "**a* ",
        "_a ",
        "a*b",
        "[a](",
        "[a](b",
        "[a][",
        "[`",
        "<!--",
        "<!-- -->\n",
        "<a ",
        "<a b='",
        "<a b=\"c' d='",
        "<?",
        "<![CDATA[",
        "<!a ",
        "</a",
        "<a@",
        "[a]: b \"",
        "[a]: <b> <",
        "[a]: b\n",
        "\n",
        " ",
        "\t",
        "a\n***\n",
        "- a\n",
        "- a\n\n",
        "> - a\nb\n",
        "> - a\n2) b\n",
        "> a\nb\n",
        "> [a]:\n",
        "  - a\n",
        "`a``",
        "```\n",
        "<div>\n\n",
        "<div\n",
        "\u{2028}\n",
        "@",
        "@a",
        " @a",
        "(@a",
        "x@y.md ",
        "@\\ ",
        "- [a]: b\n",
        "# a #\n",
        "[a [b] c](d) ",
        "***a** b",
        "__a*b__",
        "a\r",
        "é",
        "😀_a",
    ];
    for part in parts {
        for (dialect, version) in DIALECTS {
            for around in
                [("", " @x.md"), ("@x.md ", ""), ("- ", "@x.md]:"), ("> ", "\n@x.md <!--")]
            {
                let text = format!("{}{}{}", around.0, part.repeat(bytes / part.len()), around.1);
                let reading = read(text, dialect);
                assert!(reading.sent.len() <= 2 * bytes + 64, "{part:?} {version}");
            }
        }
    }
    for (open, close) in
        [("[", "](u)"), ("*", "*"), ("> ", ""), ("- ", ""), ("<!-- ", "-->"), ("> - ", "\na")]
    {
        let depth = bytes / 8;
        let text = format!("{}@x.md {}", open.repeat(depth), close.repeat(depth));
        let reading = read(text.clone(), Dialect::V2_1_332);
        assert!(reading.sent.len() <= text.len(), "{open:?}");
    }
}

/// Pieces that meet each other's rules more often than random characters do.
fn document() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "@x.md",
        " @y.md",
        "@",
        "a",
        "é",
        "😀",
        " ",
        "  ",
        "    ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "- ",
        "1. ",
        "> ",
        ">",
        "#",
        "# ",
        "===",
        "---",
        "***",
        "*",
        "_",
        "**",
        "`",
        "```",
        "~~~",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<b ",
        "<?",
        "<![CDATA[",
        "[",
        "]",
        "(",
        ")",
        "](u)",
        "[r]: /u",
        "![",
        "\\",
        "\\ ",
        "\"",
        "'",
        "\u{2028}",
        "\u{A0}",
        "\u{C}",
        "\u{FEFF}",
        "<a@b.c>",
        "<http:",
        ">",
        "&amp;",
        "|",
        "---\n",
    ]);
    let pieces = prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => pieces, 1 => any::<String>()]
}

proptest! {
    #[test]
    fn any_text_is_read(text in document()) {
        for (dialect, _) in DIALECTS {
            let lines = 1 + count_lines(&text);
            let len = text.len();
            let reading = read(text.clone(), dialect);
            prop_assert!(reading.sent.len() <= 2 * len + 1);
            for line in reading.imports.iter().map(|i| i.line).chain(reading.suspects.iter().map(|s| s.line)) {
                prop_assert!((1..=lines).contains(&line), "line {} of {}", line, lines);
            }
            let unix = unix_lines(&text);
            for import in &reading.imports {
                let line = unix.split('\n').nth(import.line - 1).unwrap();
                // A backslash in front of punctuation is gone from what was written.
                let name = import.written[1..].find(|c: char| !c.is_alphanumeric());
                let start = &import.written[..1 + name.unwrap_or_default()];
                prop_assert!(line.contains(start), "{:?} in {:?}", import, text);
            }
            for import in &reading.imports {
                prop_assert!(import.written.starts_with('@') && !import.path.is_empty());
            }
            if let Some(yaml) = reading.front_matter {
                prop_assert!(text.get(yaml).is_some());
            }
            if !text.contains("<!--") && front_matter(&text, dialect).is_none() {
                prop_assert_eq!(&reading.sent, &text);
            }
        }
    }
}
