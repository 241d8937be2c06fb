//! Texts that nobody would write: texts of the repository, cut, joined, nested and bent.

use std::ops::Range;

use anyhow::{Context as _, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};

use crate::trees::Random;

/// The most bytes of one text.
const MOST_BYTES: usize = 128 * 1024;

/// The most bytes of most texts: small ones meet more shapes in the same time.
const SMALL_BYTES: usize = 6 * 1024;

/// What Markdown, YAML and Unicode give a meaning to.
const PIECES: [&str; 112] = [
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    "    ",
    "  \n",
    "\\\n",
    " ",
    "\u{a0}",
    "\u{2028}",
    "\0",
    "# ",
    "## ",
    "###### ",
    "\n===\n",
    "\n---\n",
    "---\n",
    "+++\n",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "- [ ] ",
    "- [x] ",
    "> ",
    ">> ",
    "```",
    "```sh\n",
    "\n```\n",
    "~~~\n",
    "\n````\n",
    "`",
    "``",
    "*",
    "**",
    "_",
    "__",
    "***",
    "~~",
    "[",
    "]",
    "(",
    ")",
    "[[",
    "]]",
    "![",
    "](",
    "](<",
    "[a]: b\n",
    "[a]",
    "[^1]",
    "[^1]: n\n",
    "<",
    ">",
    "</",
    "<a ",
    "<b>",
    "</b>",
    "<br>",
    "<div>\n",
    "</div>\n",
    "<pre>\n",
    "<script>",
    "<!--",
    "-->",
    "<!-- c -->",
    "<?",
    "?>",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#0;",
    "https://x.test/a?b=c",
    "<http://x.test>",
    "a@b.test",
    "@docs/a.md",
    "@~/x.md ",
    "| a | b |\n",
    "|---|---|\n",
    "|",
    ":-",
    "key: value\n",
    "key: [a, \"b\"]\n",
    "  - x\n",
    "? ",
    "&a ",
    "*a",
    "!!str ",
    "|-\n",
    "{a: 1}",
    "never ",
    "must not ",
    "unless ",
    "only if ",
    "5 MB",
    "1,000.50",
    "-3 %",
    "v1.2.3",
    "2024-05-06",
    "--flag",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}",
    "e\u{301}",
    "é",
    "日本語です。",
    "กำ",
    "👩‍👩‍👧",
    "“a”",
    "한국어",
];

/// The texts that cases are made of.
#[derive(Debug)]
pub struct Corpus {
    texts: Vec<String>,
    /// How many of them are the benchmark's.
    documents: usize,
}

impl Corpus {
    /// Reads the benchmark's texts, the rewrites by hand and the examples of the gate's own tests.
    ///
    /// # Errors
    /// When a folder of them can't be read, or holds none.
    pub fn read(root: &Utf8Path) -> Result<Self> {
        let mut texts = Vec::new();
        for path in files(&root.join("benches/fidelity/texts"), "md")? {
            texts.push(read(&path)?);
        }
        let documents = texts.len();
        for path in files(&root.join("benches/fidelity/rewrites"), "md")? {
            texts.push(read(&path)?);
        }
        for path in files(&root.join("crates/coalwash-core/src/wash/gate/tests"), "rs")? {
            texts.push(quoted(&read(&path)?));
        }
        ensure!(texts.len() > 100, "only {} texts in `{root}`", texts.len());
        Ok(Self { texts, documents })
    }

    /// Returns the texts as they are.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Returns the benchmark's texts.
    pub fn documents(&self) -> &[String] {
        &self.texts[..self.documents]
    }

    /// Returns a text bent out of shape.
    pub fn text(&self, random: &mut Random) -> String {
        let mut text = self.texts[random.below(self.texts.len())].clone();
        if random.chance(70) {
            let lines = 1 + random.below(30);
            text = text[some_lines(&text, lines, random)].to_owned();
        }
        for _ in 0..random.below(7) {
            text = self.mutated(text, random);
        }
        let most = if random.chance(2) { MOST_BYTES } else { SMALL_BYTES };
        if most == MOST_BYTES && !text.is_empty() {
            // What costs more than it should shows in what is long.
            let part = some(&text, random);
            let piece = if part.is_empty() { text.clone() } else { text[part].to_owned() };
            text.push_str(&piece.repeat(most.saturating_sub(text.len()) / piece.len()));
        }
        text.truncate(text.floor_char_boundary(most));
        text
    }

    /// Returns an old text and a rewrite of it.
    pub fn pair(&self, random: &mut Random) -> (String, String) {
        let old = self.text(random);
        if random.chance(10) {
            let new = self.text(random);
            return (old, new);
        }
        let mut new = old.clone();
        for _ in 0..1 + random.below(4) {
            new = self.mutated(new, random);
        }
        new.truncate(new.floor_char_boundary(MOST_BYTES));
        if random.chance(20) { (new, old) } else { (old, new) }
    }

    fn mutated(&self, mut text: String, random: &mut Random) -> String {
        match random.below(12) {
            0 => {
                let other = &self.texts[random.below(self.texts.len())];
                let lines = 1 + random.below(8);
                let piece = &other[some_lines(other, lines, random)];
                text.insert_str(place(&text, random), piece);
            }
            1 => {
                let part = some(&text, random);
                let times = random.weighted(&[(8, 2), (4, 10), (1, 200)]);
                let piece =
                    text[part.clone()].repeat(times.min(1 + MOST_BYTES / part.len().max(1)));
                text.replace_range(part, &piece);
            }
            2 => text.replace_range(some(&text, random), ""),
            3 | 4 => text = rearranged(&text, random),
            5 => text = nested(&text, random),
            6 => {
                // Another character for one of them.
                let at = place(&text, random);
                let len = text[at..].chars().next().map_or(0, char::len_utf8);
                let other = char::from_u32(match random.below(4) {
                    0 => u32::try_from(random.below(0x80)).unwrap_or(0),
                    1 => u32::try_from(random.below(0x3000)).unwrap_or(0),
                    2 => u32::try_from(0x4e00 + random.below(0x5000)).unwrap_or(0),
                    _ => u32::try_from(random.below(0x11_0000)).unwrap_or(0),
                });
                text.replace_range(at..at + len, &other.unwrap_or('\u{fffd}').to_string());
            }
            7 => {
                let part = some(&text, random);
                let piece = text[part].to_owned();
                text.insert_str(place(&text, random), &piece);
            }
            8 => {
                let from = random.pick(&PIECES);
                let into = random.pick(&PIECES);
                text = text.replacen(from, into, 1 + random.below(20));
            }
            _ => {
                for _ in 0..1 + random.below(4) {
                    let piece = random.pick(&PIECES);
                    let times = random.weighted(&[(20, 1), (3, 7), (1, 300)]);
                    text.insert_str(place(&text, random), &piece.repeat(times));
                }
            }
        }
        text.truncate(text.floor_char_boundary(4 * MOST_BYTES));
        text
    }
}

/// Returns the text with two lines exchanged, its lines reversed, or every line end another.
fn rearranged(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return String::new();
    }
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(8) {
        0 => lines.reverse(),
        1 => {
            let end: &&str = random.pick(&["\r\n", " ", "\n\n", "\r"]);
            return text.replace('\n', end);
        }
        2 => lines.dedup(),
        3 => lines.rotate_left(one),
        _ => lines.swap(one, other),
    }
    lines.concat()
}

/// Returns the text with some of its lines inside something else.
fn nested(text: &str, random: &mut Random) -> String {
    let lines = 1 + random.below(40);
    let part = some_lines(text, lines, random);
    let (head, inner, tail) = (&text[..part.start], &text[part.clone()], &text[part.end..]);
    let wraps = [
        ("```\n", "```\n"),
        ("<!--\n", "-->\n"),
        ("<div>\n\n", "\n</div>\n"),
        ("**", "**"),
        ("~~", "~~"),
        ("[", "](x)"),
        ("---\n", "---\n"),
        ("| ", " |\n"),
    ];
    if random.chance(40) {
        let (open, close) = random.pick(&wraps);
        return format!("{head}{open}{inner}{close}{tail}");
    }
    let lead = random.pick(&["> ", "- ", "  ", "    ", "\t", "1. ", "# ", "- > ", "| "]);
    let lead = lead.repeat(random.weighted(&[(8, 1), (3, 3), (1, 60)]));
    let inner: String = inner.split_inclusive('\n').map(|line| format!("{lead}{line}")).collect();
    format!("{head}{inner}{tail}")
}

/// Returns what stands between quotation marks in a source file, one line each.
fn quoted(source: &str) -> String {
    let inner = source.lines().filter_map(|line| {
        let (start, end) = (line.find('"')?, line.rfind('"')?);
        line.get(start + 1..end).filter(|inner| !inner.is_empty())
    });
    inner.map(|inner| inner.replace("\\n", "\n").replace("\\\"", "\"") + "\n").collect()
}

fn read(path: &Utf8Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("could not read `{path}`"))
}

fn files(folder: &Utf8Path, ending: &str) -> Result<Vec<Utf8PathBuf>> {
    let entries = folder.read_dir_utf8().with_context(|| format!("could not read `{folder}`"))?;
    let mut paths: Vec<Utf8PathBuf> =
        entries.map(|entry| Ok(entry?.into_path())).collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.extension() == Some(ending));
    paths.sort();
    Ok(paths)
}

/// Returns somewhere in a text.
fn place(text: &str, random: &mut Random) -> usize {
    text.floor_char_boundary(random.below(text.len() + 1))
}

/// Returns some part of a text, mostly a short one.
fn some(text: &str, random: &mut Random) -> Range<usize> {
    let start = place(text, random);
    let most = random.weighted(&[(6, 12), (3, 200), (1, text.len() + 1)]);
    start..text.floor_char_boundary(start + random.below(most)).max(start)
}

/// Returns the bytes of about this many lines of a text.
fn some_lines(text: &str, lines: usize, random: &mut Random) -> Range<usize> {
    let start = place(text, random);
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[start..].match_indices('\n').nth(lines - 1).map(|(at, _)| start + at + 1);
    start..end.unwrap_or(text.len())
}
