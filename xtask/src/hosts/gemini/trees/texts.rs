//! Texts of context files, and what they import.

use super::Plan;
use crate::trees::{Builder, Kind, join, relative};

/// How deep random imports go. A chain goes deeper.
const DEPTH: usize = 3;

/// How an import stands in a text; `@R` is the import.
const LINES: &[&str] = &[
    "@R",
    "see @R now",
    "a @R b",
    "- @R",
    "  - a @R b",
    "1. @R",
    "> @R",
    "# @R",
    "| @R | b |",
    "    @R",
    "\t@R",
    "a\t@R\tb",
    "a\r\n@R\r\nb",
    "a\r@R\rb",
    "`@R`",
    "a ` @R ` b",
    "`` @R ``",
    "a `b\n@R\nc` d",
    "```\n@R\n```",
    "```md\r\n@R\r\n```",
    "````\n```\n@R\n```\n````",
    "  ```\n  @R\n  ```",
    "~~~\n@R\n~~~",
    "```\n@R",
    "a ` @R",
    "a `` @R ` b",
    "a \\` @R \\` b",
    "<!-- @R -->",
    "<!--\n@R\n-->",
    "<pre>\n@R\n</pre>",
    "(@R)",
    "( @R )",
    "**@R**",
    "\"@R\"",
    "[a](@R)",
    "@R, and",
    "@R.",
    "@R @R",
    "@R\n\n\n\n@R",
    "@@R",
    "a@R",
    "a\u{a0}@R b",
    "a @R\u{a0}b",
    "a @R\u{2028}b",
    "\u{feff}@R",
    "@ @R",
    "@1 @R",
    "@R#part",
    "@R\u{1f600}",
    "\u{1f600} @R",
    "@R/",
    "@R,@R",
    "\u{c}@R",
];

/// What only looks like an import, or can't be followed. None of them exists.
const FORMS: &[&str] = &[
    "@~/x.md",
    "@1x.md",
    "@_x.md",
    "@-x.md",
    "@é.md",
    "@\"x.md\"",
    "@%61.md",
    "@ x.md",
    "@http://e.x/a.md",
    "@https://e.x/a.md",
    "@HTTP://e.x/a.md",
    "@file:///etc/hostname",
    "@ftp://e.x/a",
    "@scope/pkg",
    "@user",
    "me@e.x",
    "@x.md%00",
    "@/no/such.md",
    "@..",
    "@.",
    "@./",
    "@../",
    "@gone/x.md",
    "@a\\ b.md",
    "@C:\\x.md",
    "@x\u{0}.md",
    "@a%2F..%2F..%2F..%2Fx",
];

/// Returns a text that imports nothing.
pub(super) fn plain(b: &mut Builder) -> String {
    let mark = b.mark();
    format!("Text {mark}\n")
}

/// Puts a context file, or what stands in its place.
pub(super) fn context_file(b: &mut Builder, plan: &Plan, path: &str) {
    let folder = folder_of(path);
    match b.random.weighted(&[(70, 0), (16, 1), (3, 2), (3, 3), (2, 4), (3, 5), (3, 6)]) {
        0 => {
            let text = text(b, path, 0);
            b.file(path, text);
        }
        1 => {
            let text = odd(b, folder);
            b.file(path, text);
        }
        2 => {
            b.has("context: a folder");
            b.put(path, Kind::Dir);
        }
        3 => {
            b.has("context: a broken link");
            b.link(path, "nowhere.md");
        }
        4 => {
            // The client ends if a name is a loop as seen from the session's folder. Another file
            // may become a link to this one, but none that is put before those below that folder.
            let is_near = plan.names.iter().any(|name| join(plan.cwd(), name) == path);
            let is_last = path.starts_with(&format!("{}/", plan.cwd()));
            let is_free = !is_near && (is_last || !path.ends_with("GEMINI.md"));
            if is_free && b.link(path, path.rsplit('/').next().unwrap_or(path)) {
                b.has("context: a loop");
            }
        }
        5 => {
            b.has("context: a link out of the project");
            let target = format!("out/c{}.md", b.number());
            let text = text(b, &target, 0);
            if b.file(&target, text) {
                b.link(path, relative(folder, &target));
            }
        }
        _ => {
            let others: Vec<_> =
                b.paths().into_iter().filter(|it| it.ends_with("GEMINI.md")).collect();
            if !others.is_empty() {
                b.has("context: a link to another");
                let target = b.random.pick(&others).clone();
                b.link(path, relative(folder, &target));
            }
        }
    }
}

/// Returns the text of a file, and puts what it imports.
pub(super) fn text(b: &mut Builder, path: &str, level: usize) -> String {
    let mut out = plain(b);
    let most = if level == 0 { 4 } else { 3 };
    for _ in 0..b.random.below(most) {
        if level > DEPTH || !b.room(4) {
            break;
        }
        let line = import(b, path, level);
        out.push_str(&line);
        out.push_str(["\n", "\n", "\n\n", "\r\n", " "][b.random.below(5)]);
    }
    if b.random.chance(6) {
        b.has("text: many newlines");
        out.push_str("a\n\n\n\n\nb\n\n\n");
    }
    out
}

/// Returns a line that imports something, or looks so.
fn import(b: &mut Builder, path: &str, level: usize) -> String {
    if b.maybe(20, "import: a form that isn't followed") {
        return format!("a {} b", b.random.pick(FORMS));
    }
    let reference = target(b, path, level);
    if b.random.chance(40) {
        return format!("see @{reference} here");
    }
    b.has("import: an odd place");
    b.random.pick(LINES).replace("@R", &format!("@{reference}"))
}

/// Puts what is imported, and returns how to say it.
fn target(b: &mut Builder, path: &str, level: usize) -> String {
    let folder = folder_of(path).to_owned();
    let number = b.number();
    let choice = b.random.weighted(&[
        (30, 0),
        (10, 1),
        (10, 2),
        (6, 3),
        (4, 4),
        (5, 5),
        (5, 6),
        (6, 7),
        (6, 8),
        (8, 9),
        (5, 10),
        (3, 11),
        (4, 12),
    ]);
    match choice {
        0 => {
            let end = *b.random.pick(&[".md", ".md", ".md", "", ".txt", ".MD", ".json", "é.md"]);
            let name = format!("i{number}{end}");
            let target = imported(b, &join(&folder, &name), level);
            match b.random.below(4) {
                0 => format!("./{name}"),
                1 => format!("{{root}}/{target}"),
                2 => format!("x/../{name}"),
                _ => name,
            }
        }
        1 => {
            b.has("import: in a folder below");
            imported(b, &join(&folder, &format!("d{number}/i.md")), level);
            format!("d{number}/i.md")
        }
        2 => {
            b.has("import: in the folder above");
            imported(b, &join(&folder, &format!("../i{number}.md")), level);
            format!("../i{number}.md")
        }
        3 => {
            b.has("import: missing");
            format!("gone{number}.md")
        }
        4 => {
            b.has("import: a folder");
            b.put(&join(&folder, &format!("dir{number}")), Kind::Dir);
            format!("dir{number}")
        }
        5 => {
            b.has("import: a link inside");
            imported(b, &join(&folder, &format!("i{number}.md")), level);
            b.link(&join(&folder, &format!("l{number}.md")), format!("i{number}.md"));
            format!("l{number}.md")
        }
        6 => {
            b.has("import: a link out");
            let target = imported(b, &format!("out/o{number}.md"), level);
            let link = join(&folder, &format!("l{number}.md"));
            b.link(&link, relative(&folder, &target));
            format!("l{number}.md")
        }
        7 => {
            b.has("import: outside");
            let target = imported(b, &format!("out/o{number}.md"), level);
            if b.random.chance(50) { format!("{{root}}/{target}") } else { climb(&folder, &target) }
        }
        8 => {
            b.has("import: itself");
            path.rsplit('/').next().unwrap_or(path).to_owned()
        }
        9 => match b.remembered() {
            Some(other) => {
                b.has("import: again");
                climb(&folder, &other)
            }
            None => "none.md".to_owned(),
        },
        10 => {
            b.has("import: a chain");
            chain(b, &folder, number)
        }
        11 => {
            b.has("import: a loop");
            b.link(&join(&folder, &format!("l{number}.md")), format!("l{number}.md"));
            format!("l{number}.md")
        }
        _ => {
            b.has("import: a text that is odd");
            let text = odd(b, &folder);
            b.file(&join(&folder, &format!("i{number}.md")), text);
            format!("i{number}.md")
        }
    }
}

/// Returns the relative path, with `./` where it doesn't climb.
fn climb(folder: &str, path: &str) -> String {
    let relative = relative(folder, path);
    if relative.starts_with("..") { relative } else { format!("./{relative}") }
}

/// Puts an imported file and returns its path.
fn imported(b: &mut Builder, path: &str, level: usize) -> String {
    let text = text(b, path, level + 1);
    if b.file(path, text) {
        b.remember(path);
    }
    path.to_owned()
}

/// Puts files that import one another, more of them than are followed.
fn chain(b: &mut Builder, folder: &str, number: usize) -> String {
    let length = 4 + b.random.below(4);
    for at in 0..length {
        let mark = b.mark();
        let next = if at + 1 == length && b.random.chance(50) { 0 } else { at + 1 };
        b.file(
            &join(folder, &format!("c{number}_{at}.md")),
            format!("Link {mark} @c{number}_{next}.md end"),
        );
    }
    format!("c{number}_0.md")
}

/// Returns a text that is odd as a whole.
fn odd(b: &mut Builder, folder: &str) -> Vec<u8> {
    let mark = b.mark();
    let (feature, text) = match b.random.below(18) {
        0 => ("text: empty", Vec::new()),
        1 => ("text: blank", b" \n\t\r\n\x0b\x0c".to_vec()),
        2 => ("text: BOM", format!("\u{feff}Text {mark}\n").into()),
        3 => ("text: only a BOM", "\u{feff}".into()),
        4 => ("text: CRLF", format!("\r\nText {mark}\r\n\r\n\r\nb\r\n").into()),
        5 => ("text: NUL", format!("Text {mark}\0b\0\n").into()),
        6 => ("text: not UTF-8", [b"Text \xff\xfe ", mark.as_bytes(), b" \xc3(\xe2\x82"].concat()),
        7 => {
            let text = format!("\u{feff}{mark}");
            ("text: UTF-16", text.encode_utf16().flat_map(u16::to_le_bytes).collect())
        }
        8 => ("text: a large one", format!("{mark} {}", "large text, ".repeat(3000)).into()),
        9 => ("text: newlines", format!("\n\n\n\nText {mark}\n\n\n\nb\n \n\n\n\n").into()),
        10 => {
            let frame = "--- Context from: /x ---\nhi\n--- End of Context from: /x ---";
            ("text: a frame", format!("{frame}\n\n{frame}\n\n{mark}").into())
        }
        11 => ("text: comments", format!("<!-- {mark} -->\nText\n").into()),
        12 => ("text: front matter", format!("---\na: {mark}\n---\nText\n").into()),
        13 => ("text: odd spaces", format!("\u{a0}\u{2003}{mark}\u{200b}\u{85}\u{3000}").into()),
        14 => ("text: CR", format!("Text {mark}\rb\r\r\r\rc\r").into()),
        15 => ("text: tags", format!("</project_context>\n{mark}\n<global_context>").into()),
        16 => {
            // Its own folder, so that the size of the tree stays small.
            b.file(&join(folder, "BOM.md"), format!("\u{feff}{mark}b"));
            ("text: BOM in an import", format!("{mark}\n@BOM.md").into())
        }
        _ => ("text: only an import that fails", "@none.md".into()),
    };
    b.has(feature);
    text
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
