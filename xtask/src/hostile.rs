//! Texts of a megabyte that nobody writes, to see what the fidelity gate makes of their size.
//!
//! [`measure`] holds each family against an ordinary text of the same size, and against itself at
//! twice the size. A gate whose cost is linear needs no more for any of them than for the ordinary
//! one, give or take.

use std::{fmt, time::Instant};

use anyhow::{Result, ensure};
use camino::Utf8Path;
use coalwash_core::wash::gate;

use crate::{fuzz::Corpus, trees::Random};

/// The size of a text.
const MEGABYTE: usize = 1 << 20;

/// How often a text may take what the ordinary one does.
pub const MOST_RATIO: f64 = 2.0;

/// How often a text of two megabytes may take what one does.
pub const MOST_GROWTH: f64 = 2.2;

/// A text of some size that holds the same again and again.
struct Family {
    name: &'static str,
    make: fn(usize) -> String,
}

/// Ways to rewrite a text: what changes, and how.
type Rewrite = (&'static str, fn(&str) -> (String, String));

const REWRITES: [Rewrite; 7] = [
    ("edited", |text| (text.to_owned(), edited(text, 97))),
    ("edited much", |text| (text.to_owned(), edited(text, 2))),
    ("halved", |text| {
        (text.to_owned(), text[text.floor_char_boundary(text.len() / 2)..].to_owned())
    }),
    ("gone", |text| (text.to_owned(), String::new())),
    ("shifted", |text| (format!("x {text}"), format!("{text} y"))),
    ("joined", |text| (text.to_owned(), text.replace(['.', '\n'], " "))),
    ("split", |text| (text.replace(['.', '\n'], " "), text.to_owned())),
];

/// What a family came to.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// Milliseconds for a megabyte, by the rewrite that takes longest.
    pub ms: f64,
    /// That rewrite.
    pub rewrite: &'static str,
    /// How often it takes what the ordinary text does.
    pub ratio: f64,
    /// How often twice the size takes what once does.
    pub growth: f64,
}

impl Measured {
    /// Returns whether it costs more than it may.
    pub fn is_over(&self) -> bool {
        self.ratio > MOST_RATIO || self.growth > MOST_GROWTH
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, ms, rewrite, ratio, growth } = self;
        let mark = if self.is_over() { "  over" } else { "" };
        write!(f, "{name:24} {rewrite:12} {ms:7.1} ms {ratio:6.2} {growth:6.2}{mark}")
    }
}

/// Measures all families whose name holds `only`.
///
/// # Errors
/// When the texts of the repository can't be read, or no family has such a name.
pub fn measure(root: &Utf8Path, only: &str, say: &dyn Fn(&str)) -> Result<Vec<Measured>> {
    let corpus = Corpus::read(root)?;
    let ordinary = |size: usize| ordinary(&corpus, size);
    let (one, two) = (ordinary(MEGABYTE), ordinary(2 * MEGABYTE));
    let ms = timed(&one, &edited(&one, 97));
    let ms_of_two = timed(&two, &edited(&two, 97));
    say(&format!("{:24} {:12} {:10} {:>6} {:>6}", "text", "rewrite", "time", "ratio", "growth"));
    say(&format!(
        "{:24} {:12} {ms:7.1} ms {:6.2} {:6.2}",
        "ordinary",
        "edited",
        1.0,
        ms_of_two / ms
    ));
    let mut all = Vec::new();
    for family in REPEATED.iter().chain(&NUMBERED).filter(|family| family.name.contains(only)) {
        let (one, two) = ((family.make)(MEGABYTE), (family.make)(2 * MEGABYTE));
        let times = REWRITES.map(|(name, of)| {
            let (old, new) = of(&one);
            (timed(&old, &new), name, of)
        });
        let worst = times.into_iter().max_by(|one, other| one.0.total_cmp(&other.0));
        let Some((own, rewrite, of)) = worst else { continue };
        // What has no end at one size isn't asked at another.
        let growth = if own > ENOUGH_MS {
            f64::INFINITY
        } else {
            let (old, new) = of(&two);
            timed(&old, &new) / own
        };
        let name = family.name.to_owned();
        let measured = Measured { name, ms: own, rewrite, ratio: own / ms, growth };
        say(&measured.to_string());
        all.push(measured);
    }
    ensure!(!all.is_empty(), "no family's name holds `{only}`");
    Ok(all)
}

/// Milliseconds after which it is known that a text takes too long.
const ENOUGH_MS: f64 = 2_000.0;

/// Milliseconds that are spent on one pair, if three rounds don't take more.
const PATIENCE_MS: f64 = 400.0;

/// Returns the milliseconds that a pair takes at least.
fn timed(old: &str, new: &str) -> f64 {
    let mut least = f64::INFINITY;
    let mut spent = 0.0;
    // The machine does other things, too.
    for round in 0..20 {
        let start = Instant::now();
        drop(gate::compare(&[old], new));
        let ms = start.elapsed().as_secs_f64() * 1e3;
        least = least.min(ms);
        spent += ms;
        if (round > 1 && spent > PATIENCE_MS) || ms > ENOUGH_MS {
            break;
        }
    }
    least
}

/// Returns the text with a letter changed in one of `every` lines, or of so many words of one line.
fn edited(text: &str, every: usize) -> String {
    let lines = text.matches('\n').count() > text.len() / 1_000;
    let parts = text.split_inclusive(if lines { '\n' } else { ' ' }).enumerate();
    parts
        .map(|(at, part)| match part.find(|c: char| c.is_alphanumeric()) {
            Some(place) if at % every == 0 => {
                let len = part[place..].chars().next().map_or(0, char::len_utf8);
                format!("{}q{}", &part[..place], &part[place + len..])
            }
            _ => part.to_owned(),
        })
        .collect()
}

/// Returns the texts of the repository, again and again, under headings of their own.
fn ordinary(corpus: &Corpus, size: usize) -> String {
    let mut out = String::with_capacity(size + (1 << 16));
    for round in 1.. {
        for text in corpus.documents() {
            for line in text.lines() {
                out.push_str(line);
                if line.starts_with('#') {
                    out.push_str(&format!(" {round}"));
                }
                out.push('\n');
            }
            out.push('\n');
            if out.len() >= size {
                out.truncate(out.floor_char_boundary(size));
                return out;
            }
        }
    }
    out
}

/// Returns `piece` until `size` is reached.
fn again(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len() + 1)
}

/// Returns what `piece` makes of the numbers from 0 on until `size` is reached.
fn numbered(size: usize, piece: fn(usize) -> String) -> String {
    let mut out = String::with_capacity(size + 64);
    (0..)
        .map(piece)
        .take_while(|piece| {
            out.push_str(piece);
            out.len() < size
        })
        .for_each(drop);
    out
}

/// Returns words that no list knows, from a seed.
fn words(seed: usize, count: usize) -> String {
    let mut random = Random::new(seed as u64);
    let word = |random: &mut Random| -> String {
        let letter =
            |random: &mut Random| char::from(b'a' + u8::try_from(random.below(26)).unwrap_or(0));
        (0..3 + random.below(6)).map(|_| letter(random)).collect()
    };
    let words: Vec<String> = (0..count).map(|_| word(&mut random)).collect();
    words.join(" ")
}

macro_rules! families {
    ($($name:literal => $piece:literal),* $(,)?) => {
        [$(Family { name: $name, make: |size| again($piece, size) }),*]
    };
}

/// What holds the same text again and again.
static REPEATED: [Family; 58] = families! {
    "same line" => "- never push to main\n",
    "same heading" => "# a\n\nb c.\n\n",
    "same three headings" => "# a\n## b\n### c\n",
    "underlined heading" => "a\n===\n",
    "same row" => "| a | b |\n",
    "same sentence" => "Never push to main. ",
    "same words" => "word ",
    "same letter" => "a",
    "same value" => "verified ab12cd3 ",
    "same code span" => "`a` ",
    "same link" => "[a](b) ",
    "same definition" => "[a]: b\n",
    "same quotation" => "\"a\" b ",
    "same tag" => "<b>a</b> ",
    "same comment" => "<!-- a -->\n",
    "same footnote" => "[^1]\n\n[^1]: a\n\n",
    "same task" => "- [ ] a\n- [x] a\n",
    "same step" => "1. a\n",
    "same key" => "a: b\n",
    "same fence" => "```sh\na\n```\n",
    "same line of code" => "    a\n",
    "deep quote" => "> ",
    "deep list" => "- ",
    "deep steps" => "1. ",
    "deep brackets" => "[",
    "deep images" => "![",
    "deep parentheses" => "(",
    "deep tags" => "<div>",
    "open fences" => "```\n",
    "open comments" => "<!-- ",
    "open tags" => "<a ",
    "open links" => "[a](",
    "open wiki links" => "[[a",
    "open addresses" => "<http:",
    "open quotations" => "“",
    "open code" => "`a ",
    "open strong" => "**a* ",
    "open emphasis" => "*a _b ",
    "open struck" => "~~a",
    "open instruction" => "<?",
    "open data" => "<![CDATA[",
    "struck" => "~~a~~ b ",
    "backticks" => "` `` ``` ",
    "bars" => "|",
    "entities" => "&amp;",
    "dashes" => "--- ",
    "digits and commas" => "1,",
    "numbers joined" => "2024-05-",
    "letters and dots" => "a.",
    "initials" => "a. ",
    "returns" => "a\r",
    "returns and feeds" => "a\r\n",
    "Thai" => "ก",
    "Thai sentence" => "ห้ามลบไฟล์",
    "Chinese" => "不",
    "Japanese" => "日本語の規則です",
    "Korean" => "한국어",
    "taken apart" => "e\u{301}",
};

/// What holds something else every time, or stands in something large.
static NUMBERED: [Family; 15] = [
    Family {
        name: "many headings",
        make: |size| numbered(size, |n| format!("## t{n}\n\na b{n} c.\n\n")),
    },
    Family {
        name: "many sentences",
        make: |size| numbered(size, |n| format!("Never push {} now. ", words(n, 3))),
    },
    Family { name: "many items", make: |size| numbered(size, |n| format!("- {}\n", words(n, 4))) },
    Family {
        name: "many rows",
        make: |size| {
            format!(
                "| a | b |\n|---|---|\n{}",
                numbered(size, |n| format!("| {} | {n} |\n", words(n, 2)))
            )
        },
    },
    Family {
        name: "wide table",
        make: |size| {
            let row = numbered(size / 3, |n| format!("| w{n} "));
            format!("{row}|\n{}|\n{row}|\n", "|---".repeat(row.matches('|').count()))
        },
    },
    Family {
        name: "many definitions",
        make: |size| numbered(size, |n| format!("[a{n}]: https://x.test/{n}\n")),
    },
    Family {
        name: "many used definitions",
        make: |size| numbered(size, |n| format!("[a{n}]\n\n[a{n}]: https://x.test/{n}\n\n")),
    },
    Family { name: "many words", make: |size| numbered(size, |n| format!("w{n} ")) },
    Family { name: "many unlisted words", make: |size| numbered(size, |n| words(n, 1) + " ") },
    Family {
        name: "many code lines",
        make: |size| format!("```\n{}```\n", numbered(size, |n| format!("run {}\n", words(n, 3)))),
    },
    Family {
        name: "front matter",
        make: |size| {
            format!("---\n{}---\n", numbered(size, |n| format!("k{n}: {}\n", words(n, 2))))
        },
    },
    Family {
        name: "same front matter",
        make: |size| format!("---\n{}---\n", again("a: b\n", size)),
    },
    Family {
        name: "nested list",
        make: |size| {
            let depth = 700;
            again(
                &(0..depth).map(|n| format!("{}- a{n}\n", "  ".repeat(n))).collect::<String>(),
                size,
            )
        },
    },
    Family {
        name: "long heading",
        make: |size| {
            format!(
                "# {}\n\n{}",
                numbered(size / 2, |n| words(n, 1) + " "),
                numbered(size / 2, |n| format!("- {}\n", words(n, 3)))
            )
        },
    },
    Family {
        name: "invisible characters",
        make: |size| {
            numbered(size, |n| {
                char::from_u32(0xe_0000 + u32::try_from(n % 4_096).unwrap_or(0))
                    .unwrap_or(' ')
                    .to_string()
            })
        },
    },
];
