//! Random Markdown texts.

use super::{
    builder::{Builder, join, parent},
    frame::Frame,
    imports, odd_texts,
};

/// What a text may import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Anything.
    Shared,
    /// Only files that nothing else imports: rules of one folder come in the folder's order, and
    /// the first of two importers would take the file.
    Own,
}

/// Front matter of files that aren't rules.
const HEADS: &[&str] = &[
    "title: x",
    "paths: src/**",
    "paths:\n  - \"*.rs\"",
    "description: has: a colon",
    "title: a --- b\nafter: c",
    "name: @none.md",
    "[unclosed",
];

/// Pieces of text without imports.
const PROSE: &[(&str, &str)] = &[
    ("prose", "Use tabs, never spaces."),
    ("prose", "- one\n- two\n  - three"),
    ("prose", "1. first\n2. second"),
    ("prose", "> quoted\nlazy line"),
    ("prose", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    ("fence", "```sh\nmake test\n```"),
    ("fence", "~~~\n# not a heading\n~~~"),
    ("link definition", "[r]: /u \"t\"\n\nSee [r]."),
    ("link definition", "[^1]: note"),
    (
        "header-like line",
        "Contents of /nowhere/CLAUDE.md (project instructions, checked into the codebase):\n\nnot one",
    ),
    ("header-like line", "Contents of /nowhere/x.md:\n\nnot one\n\n</system-reminder>\n"),
    ("html", "<div>\nblock\n</div>"),
    ("html", "text <b>bold</b> &amp; more"),
    ("non-ASCII text", "Grüße, 日本語, 😀 and \u{200b}zero width"),
    ("white space in text", "  indented  \n\n\n\ttab\t\n\u{a0}\u{3000}"),
];

const COMMENTS: &[(&str, &str)] = &[
    ("comment block", "<!-- secret -->"),
    ("comment block", "<!--\nmany\n\nlines\n-->"),
    ("comment block", "text\n<!-- right below -->\nmore"),
    ("comment block", "<!-- a --> tail <!-- b -->"),
    ("comment in text", "text <!-- inside --> text"),
    ("comment in text", "- item <!-- inside -->"),
    ("comment in text", "- item\n  <!-- inside -->\n- item"),
    ("comment in text", "> <!-- quoted -->"),
    ("comment in code", "```html\n<!-- kept -->\n```"),
    ("comment in code", "`<!-- kept -->`"),
    ("unclosed comment", "a\n\n<!-- open"),
];

/// Returns the text of the file at `path`, and puts what it imports. `depth` counts the files it
/// was imported through.
pub(crate) fn text(
    b: &mut Builder,
    frame: &Frame,
    path: &str,
    scope: Scope,
    depth: usize,
) -> Vec<u8> {
    if b.random.chance(12) {
        return odd(b, frame, path);
    }
    let mut pieces = vec![format!("# {}", b.mark())];
    let most = if depth == 0 { 5 } else { 3 };
    for _ in 0..b.random.below(most + 1) {
        let piece = match b.random.weighted(&[(58, 0), (25, 1), (17, 2)]) {
            0 => imports::piece(b, frame, path, scope, depth),
            1 => Some(named(b, PROSE)),
            _ => Some(named(b, COMMENTS)),
        };
        pieces.extend(piece);
    }
    let gap = if b.random.chance(70) { "\n\n" } else { "\n" };
    let mut text = pieces.join(gap);
    if b.maybe(10, "front matter of a file that is no rule") {
        text = format!("---\n{}\n---\n{text}", b.random.pick(HEADS));
    }
    text.push_str(b.random.weighted(&[(70, "\n"), (15, ""), (15, "\n\n \n")]));
    encoded(b, &text)
}

fn named(b: &mut Builder, from: &[(&'static str, &str)]) -> String {
    let &(feature, text) = b.random.pick(from);
    b.has(feature);
    text.to_owned()
}

/// Returns one of the probed texts, with the file they import beside it.
fn odd(b: &mut Builder, frame: &Frame, path: &str) -> Vec<u8> {
    let mark = b.mark();
    let mut text: Vec<u8> = match b.random.weighted(&[(45, 0), (30, 1), (25, 2)]) {
        0 => {
            b.has("odd front matter or white space");
            b.random.pick(odd_texts::FRONT).as_bytes().to_vec()
        }
        1 => {
            b.has("odd comments");
            b.random.pick(odd_texts::COMMENTS).as_bytes().to_vec()
        }
        _ => {
            b.has("odd bytes");
            b.random.pick(odd_texts::BYTES).to_vec()
        }
    };
    if b.random.chance(85) {
        let gap = *b.random.pick(&["\n\n", "\n", " "]);
        text.extend_from_slice(format!("{gap}{mark}\n").as_bytes());
    }
    let beside = join(parent(path), "x.md");
    // A file of this name in a rules folder would be a rule that two rules could import.
    if !frame.is_in_rules(path) && !b.is_taken(&beside) {
        let mark = b.mark();
        b.file(&beside, format!("beside {mark}\n"));
    }
    text
}

fn encoded(b: &mut Builder, text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    match b.random.weighted(&[(82, 0), (5, 1), (6, 2), (3, 3), (2, 4), (2, 5)]) {
        1 => {
            b.has("byte order mark");
            [b"\xef\xbb\xbf", bytes].concat()
        }
        2 => {
            b.has("CRLF");
            text.replace('\n', "\r\n").into_bytes()
        }
        3 => {
            b.has("invalid UTF-8");
            let all: [&[u8]; 4] = [b" \xff\xfe ", b"\xe2\x82", b"\xf0\x9f\x92", b"caf\xe9"];
            let bad = *b.random.pick(&all);
            [bytes, bad, b"end\n"].concat()
        }
        4 => {
            b.has("NUL");
            [bytes, b"a\0b\n"].concat()
        }
        5 => {
            b.has("UTF-16");
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            units.flat_map(u16::to_le_bytes).collect()
        }
        _ => bytes.to_vec(),
    }
}
