//! The files that are merged, and what stands in their places.

use super::{Plan, below};
use crate::trees::{Builder, Kind};

const OVERRIDE: &str = "AGENTS.override.md";
const NAME: &str = "AGENTS.md";

/// Names that are never read, unless the configuration says so.
const DECOYS: &[&str] = &[
    "agents.md",
    "Agents.md",
    "AGENTS.MD",
    "AGENTS.local.md",
    "CLAUDE.md",
    "A.md",
    "B.md",
    ".codex/AGENTS.md",
    ".agents/AGENTS.md",
    "sub/AGENTS.md",
    "instructions.md",
    "GEMINI.md",
];

/// Puts the files of the client's own folder.
pub(super) fn global(b: &mut Builder, plan: &Plan) {
    if b.maybe(65, "a global file") {
        thing(b, &below(&plan.client, NAME));
    }
    if b.maybe(25, "a global override") {
        thing(b, &below(&plan.client, OVERRIDE));
    }
    if b.random.chance(10) {
        let decoy = *b.random.pick(DECOYS);
        thing(b, &below(&plan.client, decoy));
    }
}

/// Puts the files of the folders of the chain.
pub(super) fn project(b: &mut Builder, plan: &Plan) {
    let cwd = plan.cwd().to_owned();
    for folder in &plan.chain {
        let likely = if *folder == cwd { 85 } else { 65 };
        if b.random.chance(likely) {
            thing(b, &below(folder, NAME));
        }
        if b.maybe(15, "a project override") {
            thing(b, &below(folder, OVERRIDE));
        }
        for name in &plan.fallbacks {
            let name = name.trim();
            let is_name = !name.is_empty() && !name.contains('/') && !name.starts_with("..");
            if is_name && name != "." && b.maybe(50, "a fallback file") {
                thing(b, &below(folder, name));
            }
        }
        if b.maybe(20, "a file that isn't read") {
            let decoy = *b.random.pick(DECOYS);
            thing(b, &below(folder, decoy));
        }
    }
}

/// Puts a file or what may stand in its place.
fn thing(b: &mut Builder, path: &str) {
    let name = path.rsplit('/').next().unwrap_or(path).to_owned();
    match b.random.below(100) {
        0..80 => {
            let text = text(b);
            b.file(path, text);
        }
        80..86 => {
            b.has("a link to a file");
            let text = text(b);
            let target = format!("outside/f{}.md", b.number());
            if b.link(path, format!("{{root}}/{target}")) {
                b.file(&target, text);
            }
        }
        86..89 => {
            b.has("a link to a file beside it");
            let text = text(b);
            let beside = format!("t{}.md", b.number());
            let target = match path.rsplit_once('/') {
                Some((folder, _)) => format!("{folder}/{beside}"),
                None => beside.clone(),
            };
            if b.link(path, beside) {
                b.file(&target, text);
            }
        }
        89..93 => {
            b.has("a folder of that name");
            if b.random.chance(50) {
                let text = text(b);
                b.file(&format!("{path}/AGENTS.md"), text);
            } else {
                b.put(path, Kind::Dir);
            }
        }
        93..96 => {
            b.has("a broken link");
            b.link(path, "nowhere");
        }
        96..98 => {
            b.has("a link to a folder");
            b.link(path, ".");
        }
        _ => {
            b.has("a link loop");
            b.link(path, name);
        }
    }
}

/// Makes a text with a word of its own.
fn text(b: &mut Builder) -> Vec<u8> {
    let mark = b.mark();
    let kind = b.random.weighted(&[
        (34, "plain"),
        (10, "multi-byte"),
        (8, "space around it"),
        (5, "empty"),
        (6, "white space"),
        (4, "BOM"),
        (5, "CRLF"),
        (3, "NUL"),
        (7, "invalid UTF-8"),
        (3, "UTF-16"),
        (9, "Markdown"),
        (4, "odd white space"),
        (1, "huge"),
        (3, "long"),
    ]);
    b.has(kind);
    let text = match kind {
        "multi-byte" => format!("aé€😀 {mark} 日本語テキスト {mark}é\n"),
        "space around it" => format!("\n\n  {mark} first\n\tsecond  \n\n \n"),
        "empty" => String::new(),
        "white space" => {
            let all =
                [" \n\t\r\n", "\n", "\u{a0}\u{3000}\u{2028}\n", "          ", "\u{85}\u{b}\u{c}"];
            (*b.random.pick(&all)).to_owned()
        }
        "BOM" => {
            let all =
                [format!("\u{feff}{mark}\n"), "\u{feff}".to_owned(), format!(" \u{feff} {mark}")];
            b.random.pick(&all).clone()
        }
        "CRLF" => format!("{mark}\r\nline\r\n\r\nend\r\n"),
        "NUL" => {
            let all = [
                format!("a\0b {mark}\0\n"),
                "\0".to_owned(),
                format!("\u{1b}[0m{mark}\u{7}\u{1f}"),
            ];
            b.random.pick(&all).clone()
        }
        "invalid UTF-8" => {
            let odd: &[&[u8]] = &[
                b"\xff",
                b"\xe2\x82",
                b"\xf0\x9f\x98",
                b"\xc3",
                b"\xed\xa0\x80",
                b"\xf8\x88\x80\x80\x80",
                b"\xc0\xaf",
                b"\xe2\x82b\xf0\x9f",
                b"\x80\x80",
                b"\xf4\x90\x80\x80",
            ];
            let (first, last) = (*b.random.pick(odd), *b.random.pick(odd));
            return [first, b"x ", mark.as_bytes(), b"\n", last].concat();
        }
        "UTF-16" => {
            let units = format!("\u{feff}{mark} é\n").encode_utf16().collect::<Vec<_>>();
            return units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        }
        "Markdown" => {
            let all = [
                "---\nname: x\n---\nBody\n",
                "@sub/AGENTS.md and @~/x.md\n",
                "a\n\n<!-- hidden -->\n\nb\n",
                "</INSTRUCTIONS>\n\nafter\n",
                "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nx\n",
                "--- project-doc ---\nx\n",
                "<environment_context>\n</environment_context>\n",
                "```\n@x.md\n```\n",
                "{\"a\": \"\\u0041\"}\n",
            ];
            format!("{mark}\n{}", b.random.pick(&all))
        }
        "odd white space" => {
            format!("\u{a0}\u{3000}\u{85}\u{200b}{mark}\u{200b}\u{2028}\u{2003}\n")
        }
        "huge" => format!("{mark}\n{}", "0123456789 é€😀\n".repeat(1_700)),
        "long" => format!(
            "{mark}\n{}",
            "A line of sixty bytes or so, with an é and a € in it.\n".repeat(20)
        ),
        _ => format!("# Notes\n\n- {mark} rule one\n- rule two\n"),
    };
    text.into_bytes()
}
