//! The words that the gate knows, read from one data file per language.
//!
//! A file has sections. `[filler]` may come and go in silence; `[function]` and `[style]` words carry
//! no fact; `[same]` and `[irregular]` name one word by another, `[whole]` words have no endings;
//! `[units]` follow numbers; a phrase goes on over a comma before a `[comma]` word;
//! `[claim KIND KEY]` words say how strongly, how often, how much, when and except when a clause
//! holds; `[antonyms]` are pairs that must never count as one. `[particle KEY]` words carry no fact,
//! but one in the place of another does. `[names]` are words of scripts without spaces that should
//! be read, and quoted, as a whole.
//!
//! Entries are separated by commas; `#` before an entry wants a number before it, `+` a number after
//! it. In Korean an entry counts at the start of a word, with `~` before it at the end of one, and
//! with `=` only as a whole word.

use std::{hash::Hasher, sync::LazyLock};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::token::Claim;

/// A language with a data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Language {
    /// Also every language of the Latin script that has no file of its own.
    English,
    German,
    Spanish,
    Chinese,
    Japanese,
    Korean,
    Thai,
}

pub(super) const FILES: [(Language, &str); 7] = [
    (Language::English, include_str!("words/en.txt")),
    (Language::German, include_str!("words/de.txt")),
    (Language::Spanish, include_str!("words/es.txt")),
    (Language::Chinese, include_str!("words/zh.txt")),
    (Language::Japanese, include_str!("words/ja.txt")),
    (Language::Korean, include_str!("words/ko.txt")),
    (Language::Thai, include_str!("words/th.txt")),
];

/// What a word or phrase is to the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Filler,
    Function,
    Style,
    /// A word of the text itself, named by another one.
    Content,
    Unit,
    Claim(Claim),
}

/// Where an entry counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Anything,
    NumberBefore,
    NumberAfter,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) role: Role,
    /// What the loose comparison sees: 0 is nothing.
    pub(super) loose: u64,
    beside: Beside,
}

impl Entry {
    /// Returns whether the entry counts between tokens of which these are numbers.
    pub(super) fn counts(&self, number_before: bool, number_after: bool) -> bool {
        match self.beside {
            Beside::Anything => true,
            Beside::NumberBefore => number_before,
            Beside::NumberAfter => number_after,
        }
    }
}

/// A phrase: the words after the first, and what it is.
#[derive(Debug)]
pub(super) struct Phrase {
    first: u64,
    pub(super) rest: Box<[u64]>,
    pub(super) entry: Entry,
}

/// The words of one language.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    words: FxHashMap<u64, Vec<Entry>>,
    /// Phrases by their first two words, longest first.
    phrases: FxHashMap<(u64, u64), Vec<Phrase>>,
    /// Words that begin phrases.
    starts: FxHashSet<u64>,
    /// Other names of a stem.
    same: FxHashMap<u64, u64>,
    /// Base forms of irregular words.
    base: FxHashMap<u64, u64>,
    /// For scripts without spaces: entries by their first character, longest first.
    runs: FxHashMap<char, Vec<(&'static str, Entry)>>,
    /// For Korean: endings of words by their last character, longest first.
    ends: FxHashMap<char, Vec<(&'static str, Entry)>>,
    /// What a particle marks.
    particles: FxHashMap<u64, u64>,
    antonyms: FxHashMap<u64, Vec<u64>>,
    /// Words before which a comma is no break in a phrase.
    after_comma: FxHashSet<u64>,
    /// Words that may open a clause which can stand first or last.
    leads: FxHashSet<u64>,
    /// Words of a heading under which things hold in one place only, or no longer.
    scopes: FxHashSet<u64>,
    pub(super) pairs: Vec<(&'static str, &'static str)>,
}

impl Lexicon {
    /// Returns the words of `language`.
    pub(super) fn of(language: Language) -> &'static Self {
        static ENGLISH: LazyLock<Lexicon> = LazyLock::new(|| latin(Language::English));
        static GERMAN: LazyLock<Lexicon> = LazyLock::new(|| latin(Language::German));
        static SPANISH: LazyLock<Lexicon> = LazyLock::new(|| latin(Language::Spanish));
        static OTHERS: LazyLock<[Lexicon; 4]> = LazyLock::new(|| SCRIPTS.map(read));
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
            Language::Spanish => &SPANISH,
            Language::Chinese => &OTHERS[0],
            Language::Japanese => &OTHERS[1],
            Language::Korean => &OTHERS[2],
            Language::Thai => &OTHERS[3],
        }
    }

    /// Returns what the word of this hash is beside numbers or not.
    pub(super) fn word(&self, word: u64, before: bool, after: bool) -> Option<Entry> {
        self.words.get(&word)?.iter().find(|entry| entry.counts(before, after)).copied()
    }

    /// Returns whether what stands beside a word decides what it is.
    pub(super) fn depends(&self, word: u64) -> bool {
        self.starts.contains(&word)
            || self
                .words
                .get(&word)
                .is_some_and(|entries| entries.len() > 1 || entries[0].beside != Beside::Anything)
    }

    /// Returns the phrases that begin with these words, longest first.
    pub(super) fn phrases(&self, first: u64, second: u64) -> &[Phrase] {
        match self.starts.contains(&first) {
            true => self.phrases.get(&(first, second)).map_or(&[], Vec::as_slice),
            false => &[],
        }
    }

    /// Returns the length of the longest entry that `text` begins with, in a script without spaces.
    pub(super) fn run(&self, text: &str, number_before: bool) -> Option<usize> {
        let after = |len: usize| text[len..].trim_start().starts_with(|c: char| c.is_numeric());
        let (word, _) = self.runs.get(&text.chars().next()?)?.iter().find(|(word, entry)| {
            text.starts_with(word)
                && entry.counts(number_before, after(word.len()))
                && !text[word.len()..].starts_with(goes_on)
        })?;
        Some(word.len())
    }

    /// Returns the length of the longest listed ending of `word`, in Korean.
    pub(super) fn ending(&self, word: &str) -> Option<usize> {
        let endings = self.ends.get(&word.chars().next_back()?)?;
        endings.iter().find(|(ending, _)| word.ends_with(ending)).map(|(ending, _)| ending.len())
    }

    /// Returns what exactly this piece of a script without spaces is.
    pub(super) fn piece(&self, piece: &str, before: bool, after: bool) -> Option<Entry> {
        let within = |map: &FxHashMap<char, Vec<(&str, Entry)>>, c: Option<char>| {
            let (_, entry) = map
                .get(&c?)?
                .iter()
                .find(|(word, entry)| *word == piece && entry.counts(before, after))?;
            Some(*entry)
        };
        within(&self.runs, piece.chars().next())
            .or_else(|| within(&self.ends, piece.chars().next_back()))
    }

    /// Returns whether a whole word of this hash is listed.
    pub(super) fn whole(&self, word: u64) -> bool {
        self.words.contains_key(&word)
    }

    /// Returns what a particle of this hash marks.
    pub(super) fn marks(&self, particle: u64) -> Option<u64> {
        self.particles.get(&particle).copied()
    }

    /// Returns the name under which the loose comparison knows a word of the text.
    pub(super) fn loose(&self, word: &str, language: Language) -> u64 {
        let stem = self.stem(word, language);
        self.same.get(&stem).copied().unwrap_or(stem)
    }

    /// Returns the name that a word shares with its own inflections only.
    fn stem(&self, word: &str, language: Language) -> u64 {
        let known = self.base.get(&hash_of(word)).copied();
        known.unwrap_or_else(|| hash_of(&stem(word, language)))
    }

    /// Returns whether a phrase goes on over a comma before the word of this hash.
    pub(super) fn after_comma(&self, word: u64) -> bool {
        self.after_comma.contains(&word)
    }

    /// Returns whether the word of this hash may open a clause which can stand first or last.
    pub(super) fn leads(&self, word: u64) -> bool {
        self.leads.contains(&word)
    }

    /// Returns whether a word, by its loose name, says where or until when something holds.
    pub(super) fn scopes(&self, loose: u64) -> bool {
        self.scopes.contains(&loose)
    }

    /// Returns whether two words, by their loose names, are a listed pair of opposites.
    pub(super) fn opposites(&self, one: u64, other: u64) -> bool {
        self.antonyms.get(&one).is_some_and(|others| others.contains(&other))
    }
}

/// Returns the hash by which a word in lower case is known.
pub(super) fn hash_of(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.write_usize(word.len());
    hasher.finish() | 1
}

/// Returns `one` and `other` as one hash, in this order.
///
/// Sums of such hashes stand for sets, so it may not be linear in either: the hasher of `rustc-hash`
/// is, nearly.
pub(super) fn mixed(one: u64, other: u64) -> u64 {
    scattered(scattered(one).wrapping_add(other)) | 1
}

/// Source: the finalizer of SplitMix64, by Steele, Lea and Flood, 2014.
fn scattered(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

fn spaceless(language: Language) -> bool {
    matches!(language, Language::Chinese | Language::Japanese | Language::Korean | Language::Thai)
}

/// Returns whether `c` belongs to the letter before it, as a mark or as a vowel written behind.
fn goes_on(c: char) -> bool {
    matches!(c, '\u{e30}'..='\u{e3a}' | '\u{e45}' | '\u{e47}'..='\u{e4e}' | '\u{3099}' | '\u{309a}')
}

/// Languages whose script tells them apart from those of the Latin one.
const SCRIPTS: [Language; 4] =
    [Language::Chinese, Language::Japanese, Language::Korean, Language::Thai];

/// Returns the words of a language of the Latin script, with what is known of those of other scripts.
///
/// No word is in two scripts, and a text has words of several.
fn latin(language: Language) -> Lexicon {
    let mut lexicon = read(language);
    for other in SCRIPTS.map(Lexicon::of) {
        for (word, opposites) in &other.antonyms {
            lexicon.antonyms.entry(*word).or_default().extend(opposites);
        }
        lexicon.leads.extend(&other.leads);
        lexicon.scopes.extend(&other.scopes);
        lexicon.particles.extend(&other.particles);
    }
    lexicon
}

fn read(language: Language) -> Lexicon {
    let at = FILES.iter().position(|(named, _)| *named == language).unwrap_or(0);
    let text = FILES[at].1;
    let mut lexicon = Lexicon::default();
    // The sections that name words by others need the words first.
    for pass in [Pass::Whole, Pass::Bases, Pass::Words, Pass::Names, Pass::Named, Pass::Wholes] {
        let mut section = "";
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with("# ") {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name;
                continue;
            }
            let mut parts = section.split(' ');
            match (pass, parts.next().unwrap_or_default()) {
                (Pass::Whole, "whole") => {
                    lexicon.base.extend(entries(line).map(|word| (hash_of(word), hash_of(word))));
                }
                (Pass::Bases, "irregular") => lexicon.read_bases(line, language),
                (Pass::Words, "units") => lexicon.read_units(line, language),
                (Pass::Words, "filler") => lexicon.add_all(line, Role::Filler, 0, language),
                (Pass::Words, "function") => lexicon.add_all(line, Role::Function, 0, language),
                (Pass::Words, "style") => lexicon.add_all(line, Role::Style, 0, language),
                (Pass::Words, "particle") => {
                    lexicon.add_all(line, Role::Function, 0, language);
                    let words = entries(line).map(|word| hash_of(word.trim_start_matches('~')));
                    lexicon.particles.extend(words.map(|word| (word, hash_of(section))));
                }
                (Pass::Words, "claim") => {
                    let (kind, key) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
                    if let Some(claim) = Claim::named(kind, key) {
                        lexicon.add_all(line, Role::Claim(claim), hash_of(section), language);
                    }
                }
                (Pass::Words, "comma") => {
                    lexicon.after_comma.extend(entries(line).map(hash_of));
                }
                (Pass::Words, "lead") => {
                    lexicon.leads.extend(entries(line).map(hash_of));
                }
                (Pass::Names, "same") => lexicon.read_same(line, language),
                (Pass::Named, "scope") => {
                    let names: Vec<u64> =
                        entries(line).map(|word| lexicon.loose(word, language)).collect();
                    lexicon.scopes.extend(names);
                }
                (Pass::Named, "antonyms") => lexicon.read_pair(line, language),
                (Pass::Wholes, "names") => {
                    entries(line).for_each(|word| lexicon.add_name(word, language));
                }
                (Pass::Wholes, "antonyms") if spaceless(language) => {
                    line.split(" / ").for_each(|word| lexicon.add_name(word, language));
                }
                _ => {}
            }
        }
    }
    lexicon.lead_phrases();
    for phrases in lexicon.phrases.values_mut() {
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.rest.len()));
    }
    for runs in lexicon.runs.values_mut().chain(lexicon.ends.values_mut()) {
        runs.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    }
    lexicon
}

#[derive(Clone, Copy)]
enum Pass {
    Whole,
    Bases,
    Words,
    Names,
    /// What goes by the names that words have by then.
    Named,
    /// Words that are read as a whole.
    Wholes,
}

fn entries(line: &'static str) -> impl Iterator<Item = &'static str> {
    line.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

impl Lexicon {
    fn add_all(&mut self, line: &'static str, role: Role, loose: u64, language: Language) {
        for entry in entries(line) {
            self.add(entry, role, loose, language);
        }
    }

    fn add(&mut self, entry: &'static str, role: Role, loose: u64, language: Language) {
        let (beside, word) = match entry.split_at_checked(1) {
            Some(("#", rest)) => (Beside::NumberBefore, rest),
            Some(("+", rest)) => (Beside::NumberAfter, rest),
            _ => (Beside::Anything, entry),
        };
        let entry = Entry { role, loose, beside };
        if spaceless(language) && !word.is_ascii() {
            let (map, word, first) = match word.split_at_checked(1) {
                Some(("~", rest)) => (&mut self.ends, rest, rest.chars().next_back()),
                Some(("=", rest)) => {
                    self.words.entry(hash_of(rest)).or_default().push(entry);
                    return;
                }
                _ => (&mut self.runs, word, word.chars().next()),
            };
            if let Some(first) = first {
                map.entry(first).or_default().push((word, entry));
            }
            return;
        }
        let mut words = word.split(' ').map(|word| hash_of(&word.to_lowercase()));
        let Some(first) = words.next() else { return };
        let rest: Box<[u64]> = words.collect();
        if let Some(second) = rest.first().copied() {
            self.starts.insert(first);
            self.phrases.entry((first, second)).or_default().push(Phrase { first, rest, entry });
        } else if beside == Beside::Anything {
            self.words.entry(first).or_default().push(entry);
        } else {
            self.words.entry(first).or_default().insert(0, entry);
        }
    }

    /// A phrase that begins with a word that may open a clause may too.
    fn lead_phrases(&mut self) {
        for phrase in self.phrases.values().flatten() {
            if self.leads.contains(&phrase.first) {
                let whole =
                    phrase.rest.iter().fold(phrase.first, |whole, word| mixed(whole, *word));
                self.leads.insert(whole);
            }
        }
    }

    /// Adds a word of a script without spaces, where nothing else is known of it.
    fn add_name(&mut self, word: &'static str, language: Language) {
        if spaceless(language)
            && !word.is_ascii()
            && self.piece(word, false, false).is_none()
            && !self.whole(hash_of(word))
        {
            let loose = self.loose(word, language);
            self.add(word, Role::Content, loose, language);
        }
    }

    fn read_bases(&mut self, line: &'static str, language: Language) {
        let Some((base, forms)) = line.split_once('=') else { return };
        let stem = self.stem(base.trim(), language);
        self.base.insert(hash_of(base.trim()), stem);
        for form in entries(forms) {
            self.base.insert(hash_of(form), stem);
        }
    }

    fn read_units(&mut self, line: &'static str, language: Language) {
        let Some((name, forms)) = line.split_once('=') else { return };
        let loose = mixed(hash_of("unit"), hash_of(name.trim()));
        for form in entries(forms) {
            if spaceless(language) && !form.is_ascii() {
                self.add(form, Role::Unit, loose, language);
            } else {
                let entry = Entry { role: Role::Unit, loose, beside: Beside::NumberBefore };
                let form = form.to_lowercase();
                self.words.entry(hash_of(&form)).or_default().insert(0, entry);
                // Behind a number in words it has the same name.
                if form.len() > 2 {
                    self.same.insert(self.stem(&form, language), loose);
                }
            }
        }
    }

    /// A word that says the same as another takes that one's role and name.
    fn read_same(&mut self, line: &'static str, language: Language) {
        let Some((name, others)) = line.split_once(" = ") else { return };
        let name = name.trim();
        let known = if spaceless(language) && !name.is_ascii() {
            let bare = name.trim_start_matches(['~', '=']);
            self.piece(bare, true, true).or_else(|| self.word(hash_of(bare), false, false))
        } else if name.contains(' ') {
            let words = || name.split(' ').map(hash_of);
            let empty = words()
                .all(|word| self.word(word, false, false).is_some_and(|entry| entry.loose == 0));
            empty.then_some(Entry { role: Role::Function, loose: 0, beside: Beside::Anything })
        } else {
            self.word(hash_of(name), false, false)
        };
        let entry = known.unwrap_or(Entry {
            role: Role::Content,
            loose: if name.contains(' ') { hash_of(name) } else { self.loose(name, language) },
            beside: Beside::Anything,
        });
        let own = (known.is_none() && (name.contains(' ') || spaceless(language))).then_some(name);
        for other in entries(others).chain(own) {
            let plain = !other.contains(' ') && (!spaceless(language) || other.is_ascii());
            if plain && entry.role == Role::Content {
                let stem = self.stem(other, language);
                if stem != entry.loose {
                    self.same.insert(stem, entry.loose);
                }
            } else {
                self.add(other, entry.role, entry.loose, language);
            }
        }
    }

    fn read_pair(&mut self, line: &'static str, language: Language) {
        let Some((one, other)) = line.split_once(" / ") else { return };
        self.pairs.push((one, other));
        let [one, other] = [one, other].map(|word| {
            match self.piece(word, false, false).or_else(|| self.word(hash_of(word), false, false))
            {
                Some(entry) if spaceless(language) && entry.loose != 0 => entry.loose,
                _ => self.loose(word, language),
            }
        });
        self.antonyms.entry(one).or_default().push(other);
        self.antonyms.entry(other).or_default().push(one);
    }
}

/// Returns `word`, in lower case, without the endings of its language.
///
/// It joins inflections only: `tests` and `test`, `tried` and `try`, but not `test` and `tester`.
pub(super) fn stem(word: &str, language: Language) -> String {
    if !word.is_ascii() && language == Language::English {
        return word.to_owned();
    }
    let word: String = word.chars().filter(|c| *c != '-').collect();
    match language {
        Language::English => english(&word),
        Language::German => cut(&word, 4, &["ern", "en", "er", "es", "em", "e", "n", "s"]),
        Language::Spanish => cut(&word, 4, &["es", "os", "as", "s", "o", "a", "e"]),
        _ => word,
    }
}

/// Cuts the first of `endings` that leaves at least `least` characters.
fn cut(word: &str, least: usize, endings: &[&str]) -> String {
    for ending in endings {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.chars().count() >= least
        {
            return rest.to_owned();
        }
    }
    word.to_owned()
}

fn english(word: &str) -> String {
    let vowel = |text: &str| text.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let word = word.strip_suffix("'s").unwrap_or(word);
    let mut stem = word;
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() >= 2) {
        return format!("{rest}i");
    } else if let Some(rest) = ["sses", "shes", "ches", "xes", "zes"]
        .iter()
        .find(|ending| word.ends_with(**ending))
        .map(|_| &word[..word.len() - 2])
    {
        stem = rest;
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        stem = &word[..word.len() - 1];
    } else if let Some(rest) = word.strip_suffix("ied").filter(|rest| rest.len() >= 2) {
        return format!("{rest}i");
    } else if let Some(rest) = word
        .strip_suffix("ing")
        .or_else(|| word.strip_suffix("ed"))
        .filter(|rest| rest.len() >= 3 && vowel(rest))
    {
        stem = undoubled(rest);
    }
    let stem = stem.strip_suffix('e').filter(|rest| rest.len() >= 3).unwrap_or(stem);
    match stem.strip_suffix('y').filter(|rest| rest.len() >= 2 && !vowel(&rest[rest.len() - 1..])) {
        Some(rest) => format!("{rest}i"),
        None => stem.to_owned(),
    }
}

/// Returns `word` with a doubled consonant at its end once, as in `stopp`; `ll` and `ss` stay.
fn undoubled(word: &str) -> &str {
    match word.as_bytes() {
        [.., a, b] if a == b && !b"lsaeiou".contains(b) => &word[..word.len() - 1],
        _ => word,
    }
}
