//! Running text to raw tokens: words, numbers, dates, versions, paths, flags, symbols.

mod class;
mod number;

use std::ops::Range;

use super::{
    lexicon::{Entry, Language, Lexicon, hash_of, mixed},
    token::Kind,
};
use class::{Class, chunk_end, class, cluster, is_hangul, spaceless_end};
use number::number;
pub(super) use number::{day, month};

/// A token before phrases are joined.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub(super) kind: Kind,
    /// Identity: for a word, the hash of its lower case.
    pub(super) hash: u64,
    /// Bytes of the scanned text.
    pub(super) at: Range<usize>,
    pub(super) apart: bool,
}

/// What scanning finds, in order.
#[derive(Debug)]
pub(super) enum Found {
    Token(Raw),
    /// A sentence or part of one ends here.
    End,
}

/// Scans text and hands what it finds to `found`.
pub(super) struct Scanner<'l> {
    /// Words in Han characters and kana.
    han: &'l Lexicon,
    language: Language,
    /// A comma or the like was passed since the last token.
    apart: bool,
    lower: String,
}

/// Abbreviations after which a full stop ends no sentence.
const NO_END: [&str; 18] = [
    "e.g.", "i.e.", "vs.", "cf.", "approx.", "no.", "dr.", "mr.", "mrs.", "fig.", "z.b.", "d.h.",
    "bzw.", "ca.", "p.ej.", "ej.", "u.a.", "inkl.",
];

/// File endings that make a bare `name.ending` a path.
const ENDINGS: [&str; 40] = [
    "md", "mdx", "mdc", "rs", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "json", "jsonc",
    "jsonl", "yaml", "yml", "toml", "ini", "cfg", "lock", "txt", "csv", "tsv", "sql", "sh", "ps1",
    "go", "java", "kt", "swift", "c", "h", "cpp", "hpp", "css", "html", "xml", "log", "env",
    "proto",
];

impl<'l> Scanner<'l> {
    pub(super) fn new(han: &'l Lexicon, language: Language) -> Self {
        Self { han, language, apart: false, lower: String::new() }
    }

    /// Returns the words of the script of `text`, if it is one without spaces or hangul.
    fn lexicon_of(&self, text: &str) -> Option<&'l Lexicon> {
        match text.chars().next()? {
            '\u{e00}'..='\u{e7f}' => Some(Lexicon::of(Language::Thai)),
            c if is_hangul(c) => Some(Lexicon::of(Language::Korean)),
            c if c.is_ascii() => None,
            _ => Some(self.han),
        }
    }

    /// Returns what a whole piece of such a script is, where it is listed.
    pub(super) fn listed(&self, piece: &str, before: bool, after: bool) -> Option<Entry> {
        self.lexicon_of(piece)?.piece(piece, before, after)
    }

    /// Forgets what stood before: a new block begins.
    pub(super) fn reset(&mut self) {
        self.apart = false;
    }

    /// Scans the bytes `range` of `text`. `last` says that nothing of the block follows.
    pub(super) fn scan(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let mut at = range.start;
        let bytes = text.as_bytes();
        while at < range.end {
            let c = bytes[at];
            if c < 0x80 {
                if c.is_ascii_whitespace() {
                    at += 1;
                    continue;
                }
                let end = chunk_end(text, at, range.end);
                self.chunk(text, at..end, out);
                at = end;
                continue;
            }
            let c = text[at..].chars().next().unwrap_or(' ');
            match class(c) {
                Class::Space => at += c.len_utf8(),
                Class::Stop => {
                    out.push(Found::End);
                    self.apart = false;
                    at += c.len_utf8();
                }
                Class::Punctuation => {
                    let next = at + c.len_utf8();
                    // `10〜20` is a range as `10-20` is.
                    if matches!(c, '〜' | '～')
                        && text[next..range.end].starts_with(char::is_numeric)
                    {
                        self.push(Kind::Word, hash_of("to"), at..next, out);
                    } else {
                        self.apart = true;
                    }
                    at = next;
                }
                Class::Spaceless => {
                    let end = spaceless_end(text, at, range.end);
                    at = self.run(text, at..end, range.end, out);
                }
                Class::Letter => {
                    let end = chunk_end(text, at, range.end);
                    self.chunk(text, at..end, out);
                    at = end;
                }
                Class::Symbol => {
                    // A sign of a number belongs to it.
                    let end = chunk_end(text, at, range.end);
                    if end > at + c.len_utf8() {
                        self.chunk(text, at..end, out);
                        at = end;
                        continue;
                    }
                    let sign = at..at + c.len_utf8();
                    if c == '％' {
                        self.push(Kind::Word, hash_of("percent"), sign, out);
                    } else {
                        self.push(Kind::Symbol, hash_of(symbol(&text[sign.clone()])), sign, out);
                    }
                    at += c.len_utf8();
                    // Variation selectors belong to the sign before.
                    while text[at..range.end].starts_with(['\u{fe0e}', '\u{fe0f}', '\u{200d}']) {
                        at += 3;
                    }
                }
            }
        }
    }

    fn push(&mut self, kind: Kind, hash: u64, at: Range<usize>, out: &mut Vec<Found>) {
        let apart = std::mem::take(&mut self.apart);
        out.push(Found::Token(Raw { kind, hash, at, apart }));
    }

    /// A run of a script without spaces: listed words, else one character at a time.
    ///
    /// Returns where it ends: a listed word may hold a space, of which nothing is kept.
    fn run(
        &mut self,
        text: &str,
        range: Range<usize>,
        limit: usize,
        out: &mut Vec<Found>,
    ) -> usize {
        let mut at = range.start;
        let mut before = after_number(out);
        while at < range.end {
            let rest = &text[at..range.end];
            let listed =
                self.lexicon_of(rest).and_then(|lexicon| lexicon.run(&text[at..limit], before));
            let len = listed.unwrap_or_else(|| cluster(rest));
            before = false;
            let piece = &text[at..at + len];
            let hash =
                if piece.contains(' ') { hash_of(&piece.replace(' ', "")) } else { hash_of(piece) };
            self.push(Kind::Word, hash, at..at + len, out);
            at += len;
        }
        at
    }

    /// Text between white space, without the brackets and stops around it.
    fn chunk(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let (mut start, mut end) = (range.start, range.end);
        let bytes = text.as_bytes();
        while start < end {
            let next = bytes.get(start + 1).copied().filter(|_| start + 1 < end);
            let skip = match bytes[start] {
                b'(' | b'[' | b'{' | b')' | b']' | b'}' => {
                    self.apart = true;
                    true
                }
                b'"' | b'\'' | b'`' | b'|' | b'\\' => true,
                b',' | b':' => {
                    self.apart = true;
                    true
                }
                b';' => {
                    out.push(Found::End);
                    self.apart = false;
                    true
                }
                b'!' | b'?' => true,
                // A name may begin with a dot or underscore, a glob with an asterisk.
                b'.' => {
                    next.is_none_or(|next| !next.is_ascii_alphanumeric() && !b"./_".contains(&next))
                }
                b'*' => next.is_none_or(|next| !b"./*".contains(&next)),
                b'_' => {
                    next.is_none_or(|next| !next.is_ascii_alphanumeric() || bytes[end - 1] == b'_')
                }
                _ => false,
            };
            if !skip {
                break;
            }
            start += 1;
        }
        let (mut stop, mut comma, mut dotted) = (false, false, false);
        while end > start {
            let skip = match bytes[end - 1] {
                b'.' => {
                    dotted = true;
                    stop = true;
                    true
                }
                b'!' | b'?' | b';' => {
                    stop = true;
                    true
                }
                b',' | b':' => {
                    comma = true;
                    true
                }
                b')' => {
                    let open = bytes[start..end].iter().filter(|b| **b == b'(').count();
                    let close = bytes[start..end].iter().filter(|b| **b == b')').count();
                    comma |= close > open;
                    close > open
                }
                b']' | b'}' => {
                    let (o, c) = if bytes[end - 1] == b']' { (b'[', b']') } else { (b'{', b'}') };
                    let count = |x: u8| bytes[start..end].iter().filter(|b| **b == x).count();
                    comma |= count(c) > count(o);
                    count(c) > count(o)
                }
                b'(' | b'[' | b'{' => {
                    comma = true;
                    true
                }
                b'"' | b'\'' | b'`' | b'|' | b'\\' => true,
                b'*' => end - start < 2 || !b"/*.".contains(&bytes[end - 2]),
                b'_' => true,
                _ => false,
            };
            if !skip {
                break;
            }
            end -= 1;
        }
        if start < end {
            if stop && dotted {
                self.lower.clear();
                self.lower.push_str(&text[start..end]);
                self.lower.make_ascii_lowercase();
                self.lower.push('.');
                if NO_END.contains(&self.lower.as_str()) {
                    let hash = hash_of(self.lower.trim_end_matches('.'));
                    self.push(Kind::Word, hash, start..end, out);
                    self.apart |= comma;
                    return;
                }
                if matches!(self.lower.as_str(), "etc." | "usw.")
                    && text[range.end..].trim_start().starts_with(char::is_lowercase)
                {
                    stop = false;
                }
            }
            self.piece(text, start..end, out);
        }
        if stop {
            out.push(Found::End);
            self.apart = false;
        } else if comma {
            self.apart = true;
        }
    }

    fn piece(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let piece = &text[range.clone()];
        let bytes = piece.as_bytes();
        let first = bytes[0];
        if bytes.iter().all(|b| b.is_ascii_alphabetic() || *b == b'\'' || *b >= 0x80)
            && first != b'\''
            && !piece.starts_with(char::is_numeric)
        {
            return self.word(text, range, out);
        }
        if piece.contains("://") || piece.starts_with("www.") || piece.starts_with("mailto:") {
            let hash = hash_of(piece);
            return self.push(Kind::Url, hash, range, out);
        }
        // A dash that stands alone, or signs only.
        if !piece.chars().any(char::is_alphanumeric) {
            if piece.bytes().all(|b| b == b'-' || b == b'.') {
                self.apart = true;
                return;
            }
            let kind = if piece.starts_with("./")
                || piece.starts_with("../")
                || piece.starts_with("~/")
                || piece == "/"
            {
                Kind::Path
            } else {
                Kind::Symbol
            };
            let hash = hash_of(symbol(piece));
            return self.push(kind, hash, range, out);
        }
        if let Some(parts) = number(piece) {
            for (kind, hash, at) in parts {
                self.push(kind, hash, range.start + at.start..range.start + at.end, out);
            }
            return;
        }
        if first == b'-' && bytes.len() > 1 && (bytes[1] == b'-' || bytes[1].is_ascii_alphabetic())
        {
            let hash = hash_of(piece);
            return self.push(Kind::Flag, hash, range, out);
        }
        if first == b'@'
            && (piece.contains('/') || piece.contains('.') || piece[1..].starts_with('~'))
        {
            let hash = hash_of(piece);
            return self.push(Kind::Import, hash, range, out);
        }
        // `word,word`, `word(word`: two, unless it is a call or a number.
        if let Some(cut) = bytes
            .iter()
            .position(|b| *b == b',' || *b == b';')
            .filter(|cut| *cut > 0 && *cut + 1 < bytes.len())
        {
            self.piece(text, range.start..range.start + cut, out);
            self.apart = true;
            return self.chunk(text, range.start + cut + 1..range.end, out);
        }
        if is_path(piece) {
            let hash = hash_of(piece);
            return self.push(Kind::Path, hash, range, out);
        }
        if bytes.iter().all(|b| b.is_ascii_alphabetic() || *b == b'-' || *b == b'\'' || *b >= 0x80)
            && first != b'-'
        {
            return self.word(text, range, out);
        }
        // `read/write`, `and/or`: two words.
        if bytes.iter().all(|b| b.is_ascii_alphabetic() || b"/-'".contains(b))
            && let Some(cut) = piece.find('/').filter(|cut| *cut > 0 && cut + 1 < bytes.len())
            && first != b'-'
        {
            self.word(text, range.start..range.start + cut, out);
            self.apart = true;
            return self.piece(text, range.start + cut + 1..range.end, out);
        }
        let hash = hash_of(piece);
        self.push(Kind::Name, hash, range, out);
    }

    fn word(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let piece = &text[range.clone()];
        // A capital inside makes it a name: `camelCase`, not `CI` and not `Word`.
        let bytes = piece.as_bytes();
        let inner = bytes
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        if inner {
            let hash = hash_of(piece);
            return self.push(Kind::Name, hash, range, out);
        }
        self.lower.clear();
        if piece.is_ascii() {
            self.lower.push_str(piece);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.extend(
                piece
                    .chars()
                    .flat_map(char::to_lowercase)
                    .map(|c| if c == '\u{2019}' { '\'' } else { c }),
            );
        }
        if piece.starts_with(is_hangul) {
            return self.hangul(text, range, out);
        }
        if self.language != Language::German
            && self.lower.contains('\'')
            && let Some((base, rest)) = contraction(&self.lower)
        {
            let hashes = [hash_of(base), hash_of(rest)];
            self.push(Kind::Word, hashes[0], range.clone(), out);
            return self.push(Kind::Word, hashes[1], range, out);
        }
        if self.lower == "cannot" {
            self.push(Kind::Word, hash_of("can"), range.clone(), out);
            return self.push(Kind::Word, hash_of("not"), range, out);
        }
        let apart = std::mem::take(&mut self.apart);
        let hash = hash_of(&self.lower);
        out.push(Found::Token(Raw { kind: Kind::Word, hash, at: range, apart }));
    }

    /// A word of Korean: listed words from its start on, what is left, a listed ending.
    fn hangul(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let lexicon = Lexicon::of(Language::Korean);
        let mut at = range.start;
        let mut before = after_number(out);
        while at < range.end {
            let rest = &text[at..range.end];
            if lexicon.whole(hash_of(rest)) {
                break;
            }
            let Some(len) = lexicon.run(rest, before) else { break };
            before = false;
            self.push(Kind::Word, hash_of(&rest[..len]), at..at + len, out);
            at += len;
        }
        let rest = &text[at..range.end];
        if rest.is_empty() {
            return;
        }
        let cut = match lexicon.ending(rest) {
            Some(len) if !lexicon.whole(hash_of(rest)) => range.end - len,
            _ => range.end,
        };
        for part in [at..cut, cut..range.end].into_iter().filter(|part| !part.is_empty()) {
            self.push(Kind::Word, hash_of(&text[part.clone()]), part, out);
        }
    }
}

fn after_number(found: &[Found]) -> bool {
    matches!(found.last(), Some(Found::Token(raw)) if raw.kind == Kind::Number)
}

/// Returns the two words that a contraction stands for.
fn contraction(word: &str) -> Option<(&str, &'static str)> {
    if let Some(base) = word.strip_suffix("n't") {
        return Some((
            match base {
                "ca" => "can",
                "wo" => "will",
                "sha" => "shall",
                base => base,
            },
            "not",
        ));
    }
    let (base, end) = word.split_once('\'')?;
    let full = match end {
        "re" => "are",
        "ll" => "will",
        "ve" => "have",
        "s" if matches!(base, "it" | "that" | "there" | "here" | "what" | "who" | "where") => "is",
        _ => return None,
    };
    Some((base, full))
}

/// Returns one spelling for signs that mean the same.
fn symbol(sign: &str) -> &str {
    match sign {
        "<=" => "≤",
        ">=" => "≥",
        "!=" => "≠",
        "->" | "=>" | "-->" | "➔" | "➡" | "⇒" | "⟶" => "→",
        "<-" => "←",
        "≈" => "~",
        "＜" => "<",
        "＞" => ">",
        "＝" => "=",
        "＋" => "+",
        "／" => "/",
        "＆" => "&",
        "―" | "‐" | "‑" | "−" => "-",
        other => other,
    }
}

fn is_path(piece: &str) -> bool {
    if piece.starts_with(['/', '~']) || piece.starts_with("./") || piece.starts_with("../") {
        return true;
    }
    if let Some((_, end)) = piece.rsplit_once('.')
        && ENDINGS.contains(&end.to_ascii_lowercase().as_str())
    {
        return true;
    }
    piece.ends_with('/')
        || (piece.matches('/').count() > 1
            && piece.contains(|c: char| c.is_alphabetic())
            && !piece.starts_with(|c: char| c.is_uppercase()))
}
