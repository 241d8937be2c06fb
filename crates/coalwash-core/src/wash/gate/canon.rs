//! Raw tokens to clauses: phrases are joined, filler goes, words get the names they are compared by.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{
    facts::{Clause, Facts},
    lexicon::{Entry, Language, Lexicon, Role, hash_of, mixed},
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

/// Returns the hash of two sequences, the second of `len` tokens, one after the other.
pub(super) fn joined(first: u64, second: u64, len: u32) -> u64 {
    first.wrapping_mul(STEP.wrapping_pow(len)).wrapping_add(second)
}

/// What is known of the words of the texts that are compared.
pub(super) struct Canon<'l> {
    latin: &'l Lexicon,
    language: Language,
    scanner: Scanner<'l>,
    /// Loose names of words that were seen.
    names: FxHashMap<u64, u64>,
}

impl Canon<'static> {
    /// Returns what fits these texts.
    pub(super) fn of<'t>(texts: &(impl Iterator<Item = &'t str> + Clone)) -> Self {
        let language = latin_language(texts);
        let kana = texts.clone().any(has_kana);
        let han = Lexicon::of(if kana { Language::Japanese } else { Language::Chinese });
        let latin = Lexicon::of(language);
        Self { latin, language, scanner: Scanner::new(han, language), names: FxHashMap::default() }
    }
}

impl Canon<'_> {
    pub(super) fn scan(&mut self, text: &str, range: Range<usize>, out: &mut Vec<Found>) {
        self.scanner.scan(text, range, out);
    }

    pub(super) fn reset(&mut self) {
        self.scanner.reset();
    }

    pub(super) fn passed(&mut self) {
        self.scanner.reset();
    }

    pub(super) fn lexicon(&self) -> &Lexicon {
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
                ranges
                    .iter()
                    .any(|range| range.start <= token.at.start && token.at.end <= range.end)
            };
            let (len, role, strict, loose, kind) = match token.kind {
                Kind::Word if !literal.is_empty() && inside(literal) => {
                    (1, Role::Content, token.hash, token.hash, Kind::Word)
                }
                Kind::Word => {
                    let (len, role, strict, loose) = self.word(text, &raw, at, before);
                    (len, role, strict, loose, Kind::Word)
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
        let slice = text.get(token.at.clone()).unwrap_or("");
        let lexicon = self.lexicon_of(slice);
        let number = |at: usize| raw(at).is_some_and(|raw| raw.kind == Kind::Number);
        // A range is not a list: `10-20`, `10 to 20`.
        if token.hash == hash_of("to")
            && number(at + 1)
            && (before || !slice.starts_with(char::is_alphabetic))
        {
            return (1, Role::Content, token.hash, token.hash);
        }
        if let Some(entry) = self.scanner.listed(slice, before, number(at + 1)) {
            let loose = if entry.loose == 0 && entry.role == Role::Content {
                token.hash
            } else {
                entry.loose
            };
            return (1, entry.role, token.hash, loose);
        }
        for (lexicon, own) in [(lexicon, true), (Lexicon::of(Language::English), false)] {
            for phrase in lexicon.phrases(token.hash) {
                let len = phrase.rest.len() + 1;
                let fits = phrase.rest.iter().enumerate().all(|(n, word)| {
                    raw(at + n + 1).is_some_and(|raw| {
                        raw.kind == Kind::Word && raw.hash == *word && !raw.apart
                    })
                });
                if fits
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
                return (1, entry.role, token.hash, named(&entry, token.hash));
            }
            if self.language == Language::English {
                break;
            }
        }
        let language = self.language;
        let loose = *self.names.entry(token.hash).or_insert_with(|| {
            lexicon.loose(&slice.to_lowercase().replace('\u{2019}', "'"), language)
        });
        // A contraction's two words share a span: the second has no name of its own there.
        let shared = at > 0 && raw(at - 1).is_some_and(|before| before.at == token.at);
        (1, Role::Content, token.hash, if shared { token.hash } else { loose })
    }

    fn lexicon_of(&self, word: &str) -> &'static Lexicon {
        match word.chars().next() {
            Some('\u{ac00}'..='\u{d7af}') => Lexicon::of(Language::Korean),
            _ => Lexicon::of(self.language),
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
    for (at, c) in block.char_indices() {
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
    let date = number(at).filter(|day| (1..=31).contains(day))?;
    let name = slice(at + 1).filter(|_| raw(at + 1).is_some_and(|raw| raw.kind == Kind::Word))?;
    let month = month(&name.to_lowercase())?;
    let year = number(at + 2).filter(|year| (1000..=9999).contains(year))?;
    Some((3, day(year, month, date)))
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
    if texts.clone().all(str::is_ascii) {
        return Language::English;
    }
    let count = |words: &[&str]| -> usize {
        texts
            .clone()
            .map(|text| {
                words
                    .iter()
                    .map(|word| memchr::memmem::find_iter(text.as_bytes(), word.as_bytes()).count())
                    .sum::<usize>()
            })
            .sum()
    };
    let german = count(&[" und ", " der ", " die ", " nicht ", " für "]);
    let spanish = count(&[" el ", " los ", " de ", " que ", " las ", " para "]);
    let english = count(&[" the ", " and ", " of ", " to ", " in "]);
    if german > spanish && german > english {
        Language::German
    } else if spanish > english {
        Language::Spanish
    } else {
        Language::English
    }
}

/// Returns whether `text` holds kana, which Chinese doesn't.
fn has_kana(text: &str) -> bool {
    // U+3040 to U+30FF begin with the bytes E3 81, E3 82 or E3 83.
    memchr::memchr_iter(0xe3, text.as_bytes())
        .any(|at| text.as_bytes().get(at + 1).is_some_and(|b| (0x81..=0x83).contains(b)))
}
