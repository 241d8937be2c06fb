//! Raw tokens to clauses: phrases are joined, filler goes, words get the names they are compared by.

use std::{borrow::Cow, ops::Range};

use rustc_hash::FxHashMap;

use super::{
    facts::{Clause, Facts},
    lexicon::{Entry, Language, Lexicon, Role, hash_of, mixed},
    rungs::{Rung, on},
    scan::{Found, Raw, Scanner, day, month},
    token::{Claim, Kind, Token},
};

/// Marks what stands in struck text.
pub(super) const STRUCK: u64 = 0x5eed_57ac_b10c_0ff0;

/// Multiplier of the hash of a sequence; odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the hash of a sequence to which `next` is added.
pub(super) fn chained(sequence: u64, next: u64) -> u64 {
    sequence.wrapping_mul(STEP).wrapping_add(next)
}

/// What is known of the words of the texts that are compared.
pub(super) struct Canon<'l, 'm> {
    latin: &'l Lexicon,
    /// The language of most of the texts, and that of the clause at hand.
    language: Language,
    current: Language,
    scanner: Scanner<'l>,
    /// Characters of Chinese are read as Japanese.
    kana: bool,
    /// Words that were seen.
    known: &'m mut FxHashMap<u64, Known>,
}

/// What was learned of words, by their hash and language.
#[derive(Debug, Default)]
pub(super) struct Memo {
    known: FxHashMap<u64, Known>,
}

/// Words that a memo holds before it is emptied.
const MOST_KNOWN: usize = 1 << 18;

/// What a word is.
#[derive(Clone, Copy, Debug)]
enum Known {
    Content(u64),
    Listed(Role, u64),
    /// As what stands beside it decides; else a word of the text of this name.
    Depends(u64),
}

impl<'m> Canon<'static, 'm> {
    /// Returns what fits these texts.
    pub(super) fn of<'t>(
        texts: &(impl Iterator<Item = &'t str> + Clone),
        memo: &'m mut Memo,
    ) -> Self {
        let language = latin_language(texts);
        let kana = texts.clone().any(has_kana);
        let han = Lexicon::of(if kana { Language::Japanese } else { Language::Chinese });
        if memo.known.len() > MOST_KNOWN {
            memo.known.clear();
        }
        Self {
            latin: Lexicon::of(language),
            language,
            current: language,
            scanner: Scanner::new(han, language),
            kana,
            known: &mut memo.known,
        }
    }
}

impl<'l> Canon<'l, '_> {
    pub(super) fn scan(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        self.scanner.scan(text, range, out);
    }

    pub(super) fn reset(&mut self) {
        self.scanner.reset();
    }

    pub(super) fn lexicon(&self) -> &'l Lexicon {
        self.latin
    }

    /// Adds the clauses of one block.
    pub(super) fn clauses(
        &mut self,
        text: &str,
        found: &[Found],
        struck: &[Range<usize>],
        block: u32,
        facts: &mut Facts,
    ) {
        let literal = quoted(text, found);
        for part in found.split(|found| matches!(found, Found::End)) {
            if part.is_empty() {
                continue;
            }
            let first = facts.tokens.len();
            self.tokens(text, part, struck, &literal, &mut facts.tokens);
            let tokens = &facts.tokens[first..];
            let (Some(start), Some(end)) = (tokens.first(), tokens.last()) else { continue };
            let seen = tokens.iter().filter(|token| token.loose != 0);
            let narrow = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
            facts.clauses.push(Clause {
                tokens: narrow(first)..narrow(facts.tokens.len()),
                strict: tokens.iter().fold(1, |hash, token| chained(hash, token.strict)),
                loose: seen.clone().fold(0, |hash, token| chained(hash, token.loose)),
                seen: narrow(seen.count()),
                span: start.start..end.end.max(start.end),
                block,
            });
        }
    }

    /// Adds the tokens of `found` and returns the hashes of their sequence.
    ///
    /// Words inside the ranges `literal` count as they stand: a quotation has no filler.
    pub(super) fn tokens(
        &mut self,
        text: &str,
        found: &[Found],
        struck: &[Range<usize>],
        literal: &[Range<usize>],
        out: &mut Vec<Token>,
    ) -> (u64, u64) {
        let first = out.len();
        self.current = self.language_of(found);
        let raw = |at: usize| match found.get(at) {
            Some(Found::Token(raw)) => Some(raw),
            _ => None,
        };
        let mut at = 0;
        let mut apart = false;
        while at < found.len() {
            let Some(token) = raw(at) else {
                at += 1;
                continue;
            };
            apart |= token.apart;
            let before =
                at.checked_sub(1).and_then(raw).is_some_and(|raw| raw.kind == Kind::Number);
            let inside = |ranges: &[Range<usize>]| {
                // They stand in order, none inside another.
                let after = ranges.partition_point(|range| range.start <= token.at.start);
                after.checked_sub(1).is_some_and(|at| token.at.end <= ranges[at].end)
            };
            let (len, role, strict, loose, kind) = match token.kind {
                Kind::Word
                    if raw(at + 1).is_some_and(|next| next.kind == Kind::Number)
                        && let Some((len, date)) = written_day(text, &raw, at) =>
                {
                    (len, Role::Content, date, date, Kind::Date)
                }
                Kind::Word if !literal.is_empty() && inside(literal) => {
                    (1, Role::Content, token.hash, token.hash, Kind::Word)
                }
                Kind::Word => {
                    let (len, role, strict, loose) = self.word(text, &raw, at, before);
                    let case = match text.get(token.at.clone()) {
                        Some(unit) if before => unit_case(unit),
                        _ => 0,
                    };
                    let cased = |hash: u64| if case == 0 { hash } else { mixed(hash, case) };
                    (len, role, cased(strict), cased(loose), Kind::Word)
                }
                Kind::Number => match written_day(text, &raw, at) {
                    Some((len, date)) => (len, Role::Content, date, date, Kind::Date),
                    None => (1, Role::Content, token.hash, token.hash, Kind::Number),
                },
                Kind::Symbol => {
                    let (role, loose) = sign(text.get(token.at.clone()).unwrap_or(""), token.hash);
                    (1, role, token.hash, loose, Kind::Symbol)
                }
                kind => (1, Role::Content, token.hash, token.hash, kind),
            };
            let last = raw(at + len - 1).unwrap_or(token);
            at += len;
            if role == Role::Filler {
                continue;
            }
            let is_struck = inside(struck);
            let mask = if is_struck { STRUCK } else { 0 };
            let salt = match kind {
                Kind::Code => 0xc0de,
                Kind::Url | Kind::WikiLink => 0x112c,
                Kind::Html => 0x4731,
                _ => 0,
            };
            let salted = |hash: u64| if salt == 0 { hash } else { mixed(hash, salt) };
            let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            out.push(Token {
                strict: salted(strict) ^ mask,
                loose: if loose == 0 { 0 } else { salted(loose) ^ mask },
                start: narrow(token.at.start),
                end: narrow(last.at.end),
                kind,
                role,
                apart: std::mem::take(&mut apart),
                struck: is_struck,
            });
        }
        let tokens = &out[first..];
        (
            tokens.iter().fold(1, |hash, token| chained(hash, token.strict)),
            tokens
                .iter()
                .filter(|token| token.loose != 0)
                .fold(0, |hash, token| chained(hash, token.loose)),
        )
    }

    fn word<'r>(
        &mut self,
        text: &str,
        raw: &impl Fn(usize) -> Option<&'r Raw>,
        at: usize,
        before: bool,
    ) -> (usize, Role, u64, u64) {
        let Some(token) = raw(at) else { return (1, Role::Content, 0, 0) };
        let key = token.hash ^ (self.current as u64) << 3 ^ u64::from(self.kana) << 6;
        let known = self.known.get(&key).copied();
        match known {
            Some(Known::Content(loose)) => return (1, Role::Content, token.hash, loose),
            Some(Known::Listed(role, loose)) => return (1, role, token.hash, loose),
            Some(Known::Depends(_)) | None => {}
        }
        let slice = text.get(token.at.clone()).unwrap_or("");
        // Emphasis may begin inside a word.
        let marks = ['*', '_', '~', '\\'];
        let slice = match slice.contains(marks) {
            true => Cow::Owned(slice.replace(marks, "")),
            false => Cow::Borrowed(slice),
        };
        let slice = &*slice;
        let lexicon = self.lexicon_of(slice);
        let number = |at: usize| raw(at).is_some_and(|raw| raw.kind == Kind::Number);
        // A range is not a list: `10-20`, `10 to 20`.
        if number(at + 1)
            && (before || !slice.starts_with(char::is_alphabetic))
            && token.hash == hash_of("to")
        {
            return (1, Role::Content, token.hash, token.hash);
        }
        let mut depends = known.is_some();
        if !slice.is_ascii() {
            if let Some(entry) = self.scanner.listed(slice, before, number(at + 1)) {
                let loose = if entry.loose == 0 && entry.role == Role::Content {
                    token.hash
                } else {
                    entry.loose
                };
                return (1, entry.role, token.hash, loose);
            }
            // Beside a number it may be listed.
            depends = depends || self.scanner.listed(slice, true, true).is_some();
        }
        for (lexicon, own) in [(lexicon, true), (Lexicon::of(Language::English), false)] {
            depends = depends || lexicon.depends(token.hash);
            let next = raw(at + 1).map_or(0, |raw| raw.hash);
            for phrase in lexicon.phrases(token.hash, next) {
                let len = phrase.rest.len() + 1;
                let fits = phrase.rest.iter().enumerate().all(|(n, word)| {
                    raw(at + n + 1).is_some_and(|raw| {
                        raw.kind == Kind::Word
                            && raw.hash == *word
                            && (!raw.apart || lexicon.after_comma(*word))
                    })
                });
                if fits
                    && on(Rung::Phrases)
                    && phrase.entry.counts(before, number(at + len))
                    && (own || matches!(phrase.entry.role, Role::Claim(_)))
                {
                    let strict =
                        phrase.rest.iter().fold(token.hash, |hash, word| mixed(hash, *word));
                    return (len, phrase.entry.role, strict, named(&phrase.entry, strict));
                }
            }
            if let Some(entry) = lexicon.word(token.hash, before, number(at + 1))
                && (own || matches!(entry.role, Role::Claim(_) | Role::Unit))
            {
                let loose = named(&entry, token.hash);
                if !depends {
                    self.known.insert(key, Known::Listed(entry.role, loose));
                }
                return (1, entry.role, token.hash, loose);
            }
            if self.current == Language::English {
                break;
            }
        }
        // The first word of a contraction is not what stands in the text.
        if raw(at + 1).is_some_and(|next| next.at == token.at) {
            return (1, Role::Content, token.hash, token.hash);
        }
        if let Some(Known::Depends(loose)) = known {
            return (1, Role::Content, token.hash, loose);
        }
        let lower = slice.to_lowercase().replace('\u{2019}', "'");
        // It was written in a way that hides what it is, as `&eacute;`.
        if token.hash != hash_of(&lower) && token.hash != hash_of(slice) {
            return (1, Role::Content, token.hash, token.hash);
        }
        let loose = lexicon.loose(&lower, self.current);
        // Nor is the second.
        if hash_of(&lower) == token.hash {
            let known = if depends { Known::Depends(loose) } else { Known::Content(loose) };
            self.known.insert(key, known);
        }
        (1, Role::Content, token.hash, loose)
    }

    /// Returns the language of a clause: English where it holds more listed words of English.
    fn language_of(&self, found: &[Found]) -> Language {
        if self.language == Language::English {
            return Language::English;
        }
        let (own, english) = (Lexicon::of(self.language), Lexicon::of(Language::English));
        let counts = |lexicon: &Lexicon, raw: &Raw| lexicon.word(raw.hash, false, false).is_some();
        let (mut ours, mut theirs) = (0, 0);
        for found in found {
            if let Found::Token(raw) = found
                && raw.kind == Kind::Word
            {
                ours += usize::from(counts(own, raw));
                theirs += usize::from(counts(english, raw));
            }
        }
        if theirs > ours { Language::English } else { self.language }
    }

    fn lexicon_of(&self, word: &str) -> &'static Lexicon {
        match word.chars().next() {
            Some('\u{ac00}'..='\u{d7af}') => Lexicon::of(Language::Korean),
            _ => Lexicon::of(self.current),
        }
    }
}

fn named(entry: &Entry, strict: u64) -> u64 {
    match entry.role {
        Role::Content if entry.loose == 0 => strict,
        _ => entry.loose,
    }
}

/// Returns the parts of a block that stand between quotation marks.
pub(super) fn quoted(text: &str, found: &[Found]) -> Vec<Range<usize>> {
    if !on(Rung::Quoted) {
        return Vec::new();
    }
    let tokens = || {
        found
            .iter()
            .filter_map(|found| if let Found::Token(raw) = found { Some(raw) } else { None })
    };
    let (Some(first), Some(last)) = (tokens().next(), tokens().next_back()) else {
        return Vec::new();
    };
    let start = text[..first.at.start].trim_end_matches(['"', '“', '„', '(']).len();
    let end = last.at.end.max(start);
    let after = text[end..]
        .find(|c| !matches!(c, '"' | '”' | '“' | '.' | ',' | ')'))
        .map_or(text.len(), |len| end + len);
    let Some(block) = text.get(start..after) else { return Vec::new() };
    if memchr::memchr2(b'"', 0xe2, block.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut ranges = Vec::new();
    let mut codes = tokens().filter(|raw| raw.kind == Kind::Code).peekable();
    let mut open: Option<(usize, char)> = None;
    for at in memchr::memchr2_iter(b'"', 0xe2, block.as_bytes()) {
        let c = block[at..].chars().next().unwrap_or(' ');
        if !matches!(c, '"' | '“' | '”' | '„') {
            continue;
        }
        let at = start + at;
        while codes.next_if(|raw| raw.at.end <= at).is_some() {}
        if codes.peek().is_some_and(|raw| raw.at.start <= at) {
            continue;
        }
        match (open, c) {
            (Some((from, '"')), '"')
            | (Some((from, '“')), '”')
            | (Some((from, '„')), '“' | '”') => {
                ranges.push(from..at);
                open = None;
            }
            (None, '"' | '“' | '„') => open = Some((at + c.len_utf8(), c)),
            _ => {}
        }
    }
    ranges
}

/// Reads `15 June 2026` and `June 15, 2026` from the number or month on.
fn written_day<'r>(
    text: &str,
    raw: &impl Fn(usize) -> Option<&'r Raw>,
    at: usize,
) -> Option<(usize, u64)> {
    let slice = |at: usize| raw(at).and_then(|raw| text.get(raw.at.clone()));
    let number = |at: usize| {
        slice(at)
            .filter(|_| raw(at).is_some_and(|raw| raw.kind == Kind::Number))?
            .parse::<u32>()
            .ok()
    };
    let word = |at: usize| slice(at).filter(|_| raw(at).is_some_and(|raw| raw.kind == Kind::Word));
    let (date, name) = match number(at) {
        Some(date) => (date, word(at + 1)?),
        None => (number(at + 1)?, word(at)?),
    };
    let month = month(&name.to_lowercase())?;
    let date = Some(date).filter(|date| (1..=31).contains(date))?;
    let year = number(at + 2).filter(|year| (1000..=9999).contains(year))?;
    Some((3, day(year, month, date)))
}

/// Returns what the case of a unit's letters says beyond the letters: 0 where it says nothing.
///
/// `Mb` are bits and `MB` bytes, `mW` is a thousandth and `MW` a million; `mb` and `kB` are what
/// people write for `MB` and `KB`.
fn unit_case(unit: &str) -> u64 {
    match unit.as_bytes() {
        [b'k' | b'K' | b'B' | b'V' | b'W' | b'A' | b'F' | b'C'] => 0,
        [one @ b'A'..=b'Z'] => u64::from(*one),
        [b'A'..=b'Z', .., b'b'] if unit.len() <= 3 => 1,
        [b'm', rest @ ..] if unit.len() <= 3 && rest.iter().any(u8::is_ascii_uppercase) => 2,
        _ => 0,
    }
}

/// Returns what a sign is, and the name by which it equals the words for it.
fn sign(text: &str, hash: u64) -> (Role, u64) {
    match text {
        "≤" | "<=" => (Role::Claim(Claim::Bound), hash_of("claim bound <=")),
        "≥" | ">=" => (Role::Claim(Claim::Bound), hash_of("claim bound >=")),
        "<" => (Role::Claim(Claim::Bound), hash_of("claim bound <")),
        ">" => (Role::Claim(Claim::Bound), hash_of("claim bound >")),
        "~" | "≈" => (Role::Claim(Claim::Precision), hash_of("claim precision about")),
        "&" => (Role::Function, 0),
        "≠" | "!=" => (Role::Claim(Claim::Negation), hash),
        _ => (Role::Content, hash),
    }
}

/// Returns the language of the words in Latin script.
fn latin_language<'t>(texts: &(impl Iterator<Item = &'t str> + Clone)) -> Language {
    // Letters with umlauts and accents begin with this byte; a text that has none is taken as English.
    if texts.clone().all(|text| memchr::memchr(0xc3, text.as_bytes()).is_none()) {
        return Language::English;
    }
    let (mut english, mut german, mut spanish) = (0_u32, 0_u32, 0_u32);
    for text in texts.clone() {
        let head = &text.as_bytes()[..text.len().min(LANGUAGE_BYTES)];
        for word in head.split(|b| *b == b' ').filter(|word| (2..=5).contains(&word.len())) {
            match word {
                b"the" | b"and" | b"of" | b"to" | b"in" => english += 1,
                b"und" | b"der" | b"die" | b"nicht" | b"das" => german += 1,
                b"el" | b"los" | b"de" | b"que" | b"las" | b"para" => spanish += 1,
                _ => {}
            }
        }
    }
    if german > spanish && german > english {
        Language::German
    } else if spanish > english {
        Language::Spanish
    } else {
        Language::English
    }
}

/// Bytes of each text that are looked at to tell its language.
const LANGUAGE_BYTES: usize = 64 * 1024;

/// Returns whether `text` holds kana, which Chinese doesn't.
fn has_kana(text: &str) -> bool {
    // U+3040 to U+30FF begin with the bytes E3 81, E3 82 or E3 83.
    memchr::memchr_iter(0xe3, text.as_bytes())
        .any(|at| text.as_bytes().get(at + 1).is_some_and(|b| (0x81..=0x83).contains(b)))
}
