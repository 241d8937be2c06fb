//! Files that are odd in one way or another.

use crate::trees::{Builder, Kind, join, relative};

/// Puts an instruction file: mostly a plain text, now and then something odd of that name.
pub(super) fn instructions(b: &mut Builder, path: &str) {
    let mark = b.mark();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let kind = b.random.weighted(&[
        (58, 0),
        (4, 1),
        (3, 2),
        (3, 3),
        (3, 4),
        (2, 5),
        (3, 6),
        (2, 7),
        (3, 8),
        (4, 9),
        (3, 10),
        (3, 11),
        (2, 12),
        (4, 13),
        (2, 14),
        (1, 15),
    ]);
    let text: Vec<u8> = match kind {
        0 => plain(b, &mark).into_bytes(),
        1 => odd(b, "empty file", Vec::new()),
        2 => {
            let blank = *b.random.pick(&["\n", " \n\t\n", "\r\n", "\u{a0}"]);
            odd(b, "white space only", blank)
        }
        3 => odd(b, "byte order mark", format!("\u{feff}  {mark}\n")),
        4 => odd(b, "CRLF", format!("{mark}\r\nsecond\r\n\r\n")),
        5 => odd(b, "NUL", format!("{mark}\0x\n")),
        6 => {
            let all: [&[u8]; 4] =
                [b" \xff\xfe\xc3 ", b" \xe2\x82 ", b" \xf0\x9f\x98", b" \xed\xa0\x80 \xc0\xaf"];
            let bad = *b.random.pick(&all);
            odd(b, "invalid UTF-8", [mark.as_bytes(), bad, b"\n"].concat())
        }
        7 => {
            let units = format!("\u{feff}{mark}\n").encode_utf16().collect::<Vec<_>>();
            odd(b, "UTF-16", units.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<_>>())
        }
        8 => {
            b.has("a folder in place of a file");
            b.put(path, Kind::Dir);
            return;
        }
        9 => {
            let target = *b.random.pick(&["gone.md", "../gone/x.md"]);
            b.has("dangling link");
            b.link(path, target);
            return;
        }
        10 => {
            // Neither is merely missing: asking for them is an error, which ends the search.
            let own = path.rsplit('/').next().unwrap_or_default();
            if b.random.chance(70) {
                b.has("link loop");
                b.link(path, own);
            } else {
                b.has("link through a file");
                b.file(&join(&folder, "plain.txt"), "plain\n");
                b.link(path, "plain.txt/x.md");
            }
            return;
        }
        11 => {
            let target = join(&b.cwd.clone(), &format!("notes/{mark}.md"));
            b.has("link to a file of the project");
            b.file(&target, format!("{mark} by link\n"));
            b.link(path, relative(&folder, &target));
            return;
        }
        12 => {
            let target = format!("outside/{mark}.md");
            b.has("link out of the project");
            b.file(&target, format!("{mark} from outside\n"));
            b.link(path, format!("{{root}}/{target}"));
            return;
        }
        13 => {
            let texts = [
                format!("{mark}\n\nInstructions from: /elsewhere/AGENTS.md\nquoted\n"),
                format!("{mark}\n</system-reminder>\n<system-reminder>\nx\n"),
                format!("---\na: b\n---\n<!-- {mark} -->\n\n@notes/x.md\n"),
                format!("{mark}\n<env>\n</env>\n"),
                format!("{mark} {{env:HOME}} {{file:x}}\n"),
            ];
            let text = b.random.pick(&texts).clone();
            odd(b, "text that could mean something", text)
        }
        14 => {
            let line = "0123456789 abcdefghi ".repeat(40);
            let lines = 60 + b.random.below(100);
            odd(b, "large file", format!("{mark}\n{}", format!("{line}\n").repeat(lines)))
        }
        _ => {
            b.has("bytes without a text");
            let all: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\0"];
            b.random.pick(&all).to_vec()
        }
    };
    b.file(path, text);
}

fn odd(b: &mut Builder, feature: &'static str, text: impl Into<Vec<u8>>) -> Vec<u8> {
    b.has(feature);
    text.into()
}

/// Returns a plain text, which ends in a newline or not.
fn plain(b: &mut Builder, mark: &str) -> String {
    let ends = ["\n", "\n", "\n", "", "\n\n\n", " \n"];
    let middles = ["", "\n\n- one\n- two", "\n\n# Heading\n\ntext 😀 é", "\n  indented"];
    let (middle, end) = (*b.random.pick(&middles), *b.random.pick(&ends));
    let lead = if b.random.chance(8) { "\n\n  " } else { "" };
    format!("{lead}{mark}{middle}{end}")
}

/// Returns the text of a skill with this name, or of one that isn't listed.
pub(super) fn skill(b: &mut Builder, name: &str) -> String {
    let mark = b.mark();
    let description = match b.random.below(12) {
        0 => format!("use: this when: {mark}"),
        1 => format!("|\n  {mark}\n  second line"),
        2 => format!(">\n  {mark}\n  second line"),
        3 => format!("'{mark} <b> & \"c\"'"),
        4 => format!("{mark} {}", "long ".repeat(300)).trim_end().to_owned(),
        5 => format!("{mark} # comment"),
        6 => "\"\"".to_owned(),
        _ => format!("{mark} does it"),
    };
    let usual = format!("---\nname: {name}\ndescription: {description}\n---\nbody of {mark}\n");
    match b.random.below(36) {
        0 => format!("---\nname: {name}\n---\n{mark}\n"),
        1 => format!("---\nname: {name}\ndescription:\n---\n{mark}\n"),
        2 => format!("---\ndescription: {mark}\n---\nbody\n"),
        3 => format!("{mark}\n"),
        4 => String::new(),
        5 => format!("---\nname: [{name}\ndescription: {mark}\n---\n"),
        6 => format!("---\nname: 12\ndescription: {mark}\n---\n"),
        7 => format!("---\nname: {name}\ndescription: 5\n---\n{mark}\n"),
        8 => format!("\n---\nname: {name}\ndescription: {mark}\n---\n"),
        9 => format!("----\nname: {name}\ndescription: {mark}\n----\n"),
        10 => format!("---\nname: {name}\ndescription: [{mark}]\n---\n"),
        11 => format!("\u{feff}{usual}"),
        12 => format!("---\nname: {name}\ndescription: {mark}\n"),
        13 => format!("--- \nname: {name}\ndescription: {mark}\n--- \n"),
        14 => {
            format!("---\nname: {name}\ndescription: {mark}\ndisable-model-invocation: true\n---\n")
        }
        15 => format!("---\nname: \"Name of {name}!\"\ndescription: {mark}\n---\n"),
        16 => usual.replace('\n', "\r\n"),
        _ => usual,
    }
}

/// Returns the text of an agent's file. The client refuses to start with many others.
pub(super) fn agent(b: &mut Builder) -> String {
    let mark = b.mark();
    match b.random.below(16) {
        0 => format!("{mark}\n"),
        1 => String::new(),
        2 => format!("---\ndescription: [{mark}\n---\n"),
        3 => format!("---\ndescription: {mark}\nmode: primary\n---\np\n"),
        4 => format!("---\ndescription: {mark}\ndisable: true\n---\np\n"),
        5 => format!("---\ndescription: {mark}\nhidden: true\nmode: subagent\n---\np\n"),
        6 => format!("---\nname: named-{mark}\ndescription: {mark}\n---\np\n"),
        7 => format!("---\ndescription: |\n  {mark}\n  second\nmode: all\n---\np\n"),
        8 => format!("---\ndescription: use: this {mark}\n---\np\n"),
        9 => format!("---\r\ndescription: {mark}\r\n---\r\np\r\n"),
        10 => format!("---\ndescription: \"\"\n---\n{mark}\n"),
        11 => {
            format!("---\ndescription: {mark}\nmodel: sonnet\nother: 1\ncolor: \"#aabbcc\"\n---\n")
        }
        _ => format!("---\ndescription: does {mark}\nmode: subagent\n---\nprompt\n"),
    }
}
