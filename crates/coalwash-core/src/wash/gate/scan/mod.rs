//! Running text to raw tokens: words, numbers, dates, versions, paths, flags, symbols.

mod class;
mod number;

use std::ops::Range;

use super::{
    lexicon::{Entry, Language, Lexicon, hash_of, mixed},
    token::Kind,
};
use class::{Class, chunk_end, class, cluster, is_hangul, spaceless_end};
use number::{Points, grouped, number};
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
const NO_END: [&str; 38] = [
    "e.g.", "i.e.", "vs.", "cf.", "approx.", "incl.", "excl.", "esp.", "no.", "dr.", "mr.", "mrs.",
    "fig.", "z.b.", "d.h.", "u.a.", "i.d.r.", "m.a.w.", "bzw.", "bspw.", "vgl.", "ggf.", "evtl.",
    "sog.", "lt.", "nr.", "ca.", "inkl.", "exkl.", "p.ej.", "p.", "ej.", "aprox.", "núm.", "pág.",
    "ud.", "uds.", "sr.",
];

/// File endings that make a bare `name.ending` a path.
const ENDINGS: [&str; 40] = [
    "md", "mdx", "mdc", "rs", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "json", "jsonc",
    "jsonl", "yaml", "yml", "toml", "ini", "cfg", "lock", "txt", "csv", "tsv", "sql", "sh", "ps1",
    "go", "java", "kt", "swift", "c", "h", "cpp", "hpp", "css", "html", "xml", "log", "env",
    "proto",
];

/// The most bytes of a listed word of Korean.
const MOST_LISTED: usize = 96;

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

    /// Text between white space: pieces between its commas and semicolons.
    fn chunk(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let bytes = &text.as_bytes()[range.clone()];
        let whole = bytes.starts_with(b"-")
            || bytes.starts_with(b"@")
            || !bytes.iter().any(|b| matches!(b, b',' | b';'))
            || memchr::memmem::find(bytes, b"://").is_some();
        if whole {
            return self.trimmed(text, range, out);
        }
        let mut start = 0;
        for cut in memchr::memchr2_iter(b',', b';', bytes) {
            let digit = cut > 0 && bytes[cut - 1].is_ascii_digit();
            // What stands at the ends is trimmed; what groups digits is part of a number.
            if cut == start || cut + 1 == bytes.len() || (digit && grouped(&bytes[cut + 1..])) {
                continue;
            }
            self.trimmed(text, range.start + start..range.start + cut, out);
            self.apart = true;
            start = cut + 1;
        }
        self.trimmed(text, range.start + start..range.end, out);
    }

    /// Text without the brackets and stops around it.
    fn trimmed(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
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
        let mut brackets: Option<[usize; 3]> = None;
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
                close @ (b')' | b']' | b'}') => {
                    // One that opens inside belongs to the piece, as in `call()`.
                    let kind = usize::from(close == b']') + 2 * usize::from(close == b'}');
                    let open = brackets.get_or_insert_with(|| unmatched(&bytes[start..end]));
                    let spare = open[kind] > 0;
                    if spare {
                        open[kind] -= 1;
                    }
                    comma |= spare;
                    spare
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
                if NO_END.contains(&self.lower.as_str()) || is_initial(text, start..end) {
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
        let url = memchr::memchr(b':', bytes)
            .is_some_and(|at| bytes[at..].starts_with(b"://") || piece.starts_with("mailto:"));
        if url || piece.starts_with("www.") {
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
        let points = match self.language {
            Language::German | Language::Spanish => Points::Group,
            _ => Points::Decimals,
        };
        if let Some(parts) = number(piece, points) {
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
        if is_path(piece) {
            let hash = hash_of(piece);
            return self.push(Kind::Path, hash, range, out);
        }
        if bytes.iter().all(|b| b.is_ascii_alphabetic() || *b == b'-' || *b == b'\'' || *b >= 0x80)
            && first != b'-'
        {
            return self.word(text, range, out);
        }
        // `read/write`, `and/or`: words of their own.
        if bytes.iter().all(|b| b.is_ascii_alphabetic() || b"/-'".contains(b))
            && !piece.starts_with(['-', '/'])
            && !piece.ends_with('/')
        {
            let mut start = range.start;
            for part in piece.split('/') {
                if !part.is_empty() {
                    self.word(text, start..start + part.len(), out);
                    self.apart = true;
                }
                start += part.len() + 1;
            }
            self.apart = false;
            return;
        }
        let hash = hash_of(piece);
        self.push(Kind::Name, hash, range, out);
    }

    fn word(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let piece = &text[range.clone()];
        let bytes = piece.as_bytes();
        if bytes.iter().all(u8::is_ascii_lowercase) && piece != "cannot" {
            return self.push(Kind::Word, hash_of(piece), range, out);
        }
        // A capital inside makes it a name: `camelCase`, not `CI` and not `Word`.
        let inner = bytes
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        // Units have one, too: `kB`, `mW`.
        if inner && piece.len() > 3 {
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
        let hash = hash_of(&self.lower);
        self.push(Kind::Word, hash, range, out);
    }

    /// A word of Korean: listed words from its start on, what is left, a listed ending.
    fn hangul(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        let lexicon = Lexicon::of(Language::Korean);
        let is_whole = |rest: &str| rest.len() <= MOST_LISTED && lexicon.whole(hash_of(rest));
        let mut at = range.start;
        let mut before = after_number(out);
        while at < range.end {
            let rest = &text[at..range.end];
            if is_whole(rest) {
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
            Some(len) if !is_whole(rest) => range.end - len,
            _ => range.end,
        };
        for part in [at..cut, cut..range.end].into_iter().filter(|part| !part.is_empty()) {
            self.push(Kind::Word, hash_of(&text[part.clone()]), part, out);
        }
    }
}

/// Returns how many round, square and curly brackets close that don't open in `bytes`.
fn unmatched(bytes: &[u8]) -> [usize; 3] {
    let mut spare = [0_usize; 3];
    let mut open = [0_usize; 3];
    for b in bytes {
        match b {
            b'(' => open[0] += 1,
            b'[' => open[1] += 1,
            b'{' => open[2] += 1,
            b')' | b']' | b'}' => {
                let kind = usize::from(*b == b']') + 2 * usize::from(*b == b'}');
                match open[kind].checked_sub(1) {
                    Some(left) => open[kind] = left,
                    None => spare[kind] += 1,
                }
            }
            _ => {}
        }
    }
    spare
}

/// Returns whether the letter and stop at `at` stand beside others of that kind, as in `z. B.`.
fn is_initial(text: &str, at: Range<usize>) -> bool {
    let letter = |part: &str| {
        let part = part.trim_matches(['(', ')', ',', ':']);
        let mut chars = part.chars();
        chars.next().is_some_and(char::is_alphabetic) && chars.as_str() == "."
    };
    text[at.clone()].chars().count() == 1
        && text[at.start..].starts_with(char::is_alphabetic)
        && (text[at.end..].split_whitespace().nth(1).is_some_and(letter)
            || text[..at.start].split_whitespace().next_back().is_some_and(letter))
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
