//! The whole of the gate: two texts in, findings out.

use std::{cell::Cell, ops::Range, sync::LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    align::{Alignment, How, Pair, absorb, align, alike, heading_paths, twins_of_lines},
    canon::{Canon, Memo, chained},
    changes::{self, Hunk, classify},
    chunks::{Parts, parts},
    diff::{BUDGET, differences},
    encoding,
    facts::{Container, Facts, body},
    lexicon::{Lexicon, Role, hash_of},
    places::Places,
    proofs::{Voice, exchanged, reordered, rotated, voiced},
    report::{Class, Finding, Report, from_to, short},
    rungs::{Rung, on},
    side::Side,
    token::{Kind, Token},
};

/// The most bytes of one text: a larger one is `too-large`, and nothing is said of it.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The most words for which the difference of two clauses is worked out.
const MOST_WORDS: usize = 4_000;

/// Bytes of the old texts that are searched for what damaged words were; a word that is damaged beyond
/// that is another word.
const MOST_SEARCHED: usize = 16 * MOST_BYTES;

/// The most words of a value that may trade places with another.
const MOST_SWAPPED: usize = 12;

/// Returns what became of the facts of `old` in `new`.
///
/// Several old texts are a merge: every fact of any of them has to be in the new one.
pub fn compare(old: &[&str], new: &str) -> Report {
    Gate::default().compare(old, new)
}

/// The gate for many pairs of texts: what it learns of words it keeps.
#[derive(Debug, Default)]
pub struct Gate {
    memo: Memo,
}

impl Gate {
    /// Returns what became of the facts of `old` in `new`, as [`compare`] does.
    pub fn compare(&mut self, old: &[&str], new: &str) -> Report {
        compared(old, new, true, &mut self.memo)
    }
}

/// Compares with or without leaving out what both texts share.
pub(super) fn compared(old: &[&str], new: &str, trim: bool, memo: &mut Memo) -> Report {
    if let Some((at, text)) =
        old.iter().chain([&new]).enumerate().find(|(_, text)| text.len() > MOST_BYTES)
    {
        let which = if at < old.len() { "old" } else { "new" };
        let text = format!(
            "the {which} text has {} bytes; the gate reads at most {MOST_BYTES}",
            text.len()
        );
        return Report { findings: vec![Finding::new(Class::TooLarge, text)] };
    }
    if old == [new] {
        return Report::default();
    }
    let mut canon = Canon::of(&old.iter().copied().chain([new]), memo);
    let (before, after) = match old {
        [old] if trim => {
            let (one, other) = parts(old, new, (body(old), body(new)));
            let before = Side::read_parts(old, one, None, &mut canon);
            let after = Side::read_parts(new, other, Some(&before), &mut canon);
            // Where two sections have one title, it matters which of them is which.
            match before.has_namesakes() || after.has_namesakes() {
                true => {
                    let whole = |text: &str| Parts::whole(body(text)..text.len());
                    let before = Side::read_parts(old, whole(old), None, &mut canon);
                    let after = Side::read_parts(new, whole(new), Some(&before), &mut canon);
                    (before, after)
                }
                false => (before, after),
            }
        }
        _ => (Side::read(old, &mut canon), Side::read(&[new], &mut canon)),
    };
    let mut findings = found(before, after, &mut canon);
    if on(Rung::Introduced) {
        findings.extend(encoding::introduced(old, new));
    }
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| {
            (finding.old.is_none(), finding.old.clone(), finding.new.clone(), finding.class)
        };
        key(a).cmp(&key(b))
    });
    findings.dedup();
    Report { findings }
}

/// Returns the facts of a text: the bytes of each, in order.
pub fn facts(text: &str) -> Vec<Range<usize>> {
    let mut memo = Memo::default();
    let mut canon = Canon::of(&std::iter::once(text), &mut memo);
    let clauses = Side::read(&[text], &mut canon).facts.clauses;
    clauses.iter().map(|clause| clause.span.start as usize..clause.span.end as usize).collect()
}

/// Counts the facts of some texts, each as often as it differs from all others by more than layout
/// and filler.
pub fn distinct_facts(texts: &[&str]) -> usize {
    let mut memo = Memo::default();
    let mut canon = Canon::of(&texts.iter().copied(), &mut memo);
    let clauses = Side::read(texts, &mut canon).facts.clauses;
    clauses.iter().map(|clause| clause.strict).collect::<FxHashSet<_>>().len()
}

fn found(
    mut before: Side<'_>,
    mut after: Side<'_>,
    canon: &mut Canon<'static, '_>,
) -> Vec<Finding> {
    let mut alignment = align(&before.facts, &after.facts);
    if on(Rung::Lines) {
        twins_of_lines(&before, &after, canon, &mut alignment);
    }
    before.read_lines(&alignment.of_old);
    after.read_lines(&alignment.of_new);
    if on(Rung::Renamed) {
        Places::renamed_headings(&before.facts, &after.facts, &mut alignment);
    }
    if on(Rung::Alike) {
        alike(&before, &after, &mut alignment);
    }
    if on(Rung::Absorbed) {
        absorb(&before.facts, &after.facts, &mut alignment);
    }

    let copies = match on(Rung::Copies) {
        true => copies(&before, &alignment, canon),
        false => Copies::default(),
    };
    let mut gate = Comparison {
        before: &before,
        after: &after,
        alignment: &alignment,
        lexicon: canon.lexicon(),
        copies: &copies,
        findings: Vec::new(),
        budget: BUDGET,
        searches: Cell::new(MOST_SEARCHED),
        swaps: FxHashMap::default(),
    };
    for pair in &alignment.pairs {
        gate.pair(pair);
    }
    if on(Rung::Swapped) {
        gate.swapped();
    }
    gate.dropped();
    let mut findings = gate.findings;
    Places::of(&before, &after, &alignment, canon.lexicon()).check(&mut findings);
    findings
}

/// Where a clause that is gone still stands: under a heading of the same words, or elsewhere.
type Copies = FxHashMap<u32, bool>;

/// Returns which old clauses without a pair have an equal one that was kept.
fn copies(before: &Side<'_>, alignment: &Alignment, canon: &mut Canon<'_, '_>) -> Copies {
    let mut gone: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for (clause, pair) in (0..).zip(&alignment.of_old) {
        if pair.is_none() {
            gone.entry(before.facts.clauses[clause as usize].strict).or_default().push(clause);
        }
    }
    let mut copies = Copies::default();
    if gone.is_empty() {
        return copies;
    }
    let paths = heading_paths(&before.facts);
    let place = |facts: &Facts, clause: u32| {
        let block = facts.block(clause);
        if block.container == Container::Heading {
            // A heading's place is every heading above it.
            return (block.container, block.heading.map(|heading| paths[heading as usize]));
        }
        let heading = block.heading.and_then(|heading| facts.headings[heading as usize].clause);
        (block.container, heading.map(|clause| facts.clauses[clause as usize].strict))
    };
    // The places in which what is gone still stands, each once.
    let mut kept: FxHashMap<u64, FxHashSet<(Container, Option<u64>)>> = FxHashMap::default();
    let mut twin = |facts: &Facts, clause: u32| {
        let strict = facts.clauses[clause as usize].strict;
        if gone.contains_key(&strict) {
            kept.entry(strict).or_default().insert(place(facts, clause));
        }
    };
    for pair in alignment.pairs.iter().filter(|pair| pair.how == How::Strict) {
        pair.old.iter().for_each(|clause| twin(&before.facts, *clause));
    }
    for facts in before.shared(canon) {
        // Their headings were read.
        (0..)
            .zip(&facts.clauses)
            .filter(|(clause, _)| facts.block(*clause).container != Container::Heading)
            .for_each(|(clause, _)| twin(&facts, clause));
    }
    for (strict, clauses) in gone {
        let Some(kept) = kept.get(&strict) else { continue };
        for clause in clauses {
            let here = place(&before.facts, clause);
            if kept.contains(&here) {
                copies.insert(clause, true);
            } else if kept.iter().any(|there| there.0 == here.0) {
                copies.insert(clause, false);
            }
        }
    }
    copies
}

struct Comparison<'a, 't> {
    before: &'a Side<'t>,
    after: &'a Side<'t>,
    alignment: &'a Alignment,
    lexicon: &'static Lexicon,
    copies: &'a Copies,
    findings: Vec<Finding>,
    budget: usize,
    /// Bytes that may still be searched for what damaged words were.
    searches: Cell<usize>,
    /// Findings of one value in place of another, by both.
    swaps: FxHashMap<(u64, u64), Vec<usize>>,
}

impl<'t> Comparison<'_, 't> {
    fn pair(&mut self, pair: &Pair) {
        if pair.how == How::Strict {
            return;
        }
        let (old, new) = (tokens(self.before, &pair.old), tokens(self.after, &pair.new));
        let lexicon = self.lexicon;
        let strict = |token: &Token| token.strict;
        let loose = |token: &Token| token.loose;
        if old.len() < MOST_WORDS && new.len() < MOST_WORDS {
            if on(Rung::Rotated) && rotated(&old, &new, lexicon, strict) {
                return;
            }
            if pair.how == How::Loose
                && let Some((x, y)) = exchanged(&old, &new, lexicon)
            {
                return self.add(Class::TermChanged, pair, &old[x], &new[y]);
            }
            let (seen_old, seen_new) = (seen(&old), seen(&new));
            if pair.how == How::Loose
                || (on(Rung::Rotated) && rotated(&seen_old, &seen_new, lexicon, loose))
                || (on(Rung::Voiced) && voiced(&old, &new, voice()))
                || (on(Rung::Reordered) && reordered(&old, &new))
            {
                return self.reworded(pair, &old, &new);
            }
        }
        let (seen_old, seen_new) = (seen(&old), seen(&new));
        if !self.changed(pair, &seen_old, &seen_new) {
            self.reworded(pair, &old, &new);
        }
    }

    /// Tells the smallest run of words that differs.
    fn reworded(&mut self, pair: &Pair, old: &[&Token], new: &[&Token]) {
        let head = old.iter().zip(new).take_while(|(a, b)| a.strict == b.strict).count();
        let tail = old[head..]
            .iter()
            .rev()
            .zip(new[head..].iter().rev())
            .take_while(|(a, b)| a.strict == b.strict)
            .count();
        let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
        self.add(Class::Reworded, pair, old, new);
    }

    /// Tells what differs; returns whether anything does.
    fn changed(&mut self, pair: &Pair, old: &[&Token], new: &[&Token]) -> bool {
        let names =
            |tokens: &[&Token]| tokens.iter().map(|token| token.loose).collect::<Vec<u64>>();
        let (found, order) = differences(&names(old), &names(new), &mut self.budget);
        let any = !found.is_empty();
        for (x, y) in found {
            if order {
                self.add(Class::OrderChanged, pair, &old[x], &new[y]);
            } else {
                self.hunk(pair, old, new, x, y);
            }
        }
        any
    }

    fn hunk(
        &mut self,
        pair: &Pair,
        old: &[&Token],
        new: &[&Token],
        x: Range<usize>,
        y: Range<usize>,
    ) {
        let (part_old, part_new) = (&old[x.clone()], &new[y.clone()]);
        // Damage to a letter shows in the whole word.
        let chunks =
            (chunk(self.before, &pair.old, part_old), chunk(self.after, &pair.new, part_new));
        let damage = self.damage(pair, chunks).filter(|_| on(Rung::Damage));
        let class = damage.unwrap_or_else(|| self.class(pair, old, x.clone(), part_new));
        let at = self.findings.len();
        // A unit is read with its number, a number with its unit.
        let is_unit = class == Class::UnitChanged;
        self.add(class, pair, &old[with_unit(old, x, is_unit)], &new[with_unit(new, y, is_unit)]);
        if damage.is_some()
            && let Some(finding) = self.findings.last_mut()
        {
            finding.text = from_to(chunks.0, chunks.1);
        }
        let hash = |tokens: &[&Token]| {
            tokens
                .iter()
                .filter(|token| token.kind != Kind::Cell)
                .fold(7, |hash, token| chained(hash, token.loose))
        };
        let short = |tokens: &[&Token]| (1..=MOST_SWAPPED).contains(&tokens.len());
        if short(part_old) && short(part_new) {
            self.swaps.entry((hash(part_old), hash(part_new))).or_default().push(at);
        }
    }

    /// Returns how the letters of the same words were damaged.
    fn damage(&self, pair: &Pair, chunks: (&str, &str)) -> Option<Class> {
        // Letters taken apart may make other words, of which some carry nothing.
        let apart = || {
            let whole = [self.before.words(pair.old[0]), self.after.words(pair.new[0])];
            (encoding::undecomposed(whole[1])? == whole[0]).then_some(Class::EncodingDecomposed)
        };
        let misread = || {
            let repaired = encoding::repaired(chunks.1)?;
            let text = self.before.text(pair.old[0]);
            let left = self.searches.get().checked_sub(text.len())?;
            self.searches.set(left);
            text.contains(&repaired).then_some(Class::EncodingDamaged)
        };
        changes::encoding(chunks.0, chunks.1).or_else(apart).or_else(misread)
    }

    /// Returns the name of the change of the old tokens `x` to `new`.
    fn class(&self, pair: &Pair, old: &[&Token], x: Range<usize>, new: &[&Token]) -> Class {
        let part = &old[x.clone()];
        let before = part.first().and_then(|first| {
            self.before.text(pair.old[0])[..first.start as usize].chars().next_back()
        });
        match self.before.facts.block(pair.old[0]).container {
            Container::FrontMatter if new.is_empty() => return Class::DroppedFrontMatter,
            Container::FrontMatter => return Class::FrontMatterChanged,
            Container::Table if new.iter().all(|token| token.kind == Kind::Cell) => {
                let is_cell =
                    |token: Option<&&Token>| token.is_none_or(|token| token.kind == Kind::Cell);
                if x.start > 0 && is_cell(old.get(x.start - 1)) && is_cell(old.get(x.end)) {
                    return Class::DroppedCell;
                }
            }
            _ => {}
        }
        let old_words = words(self.before, &pair.old, part);
        let new_words = words(self.after, &pair.new, new);
        classify(&Hunk { old: part, new, old_words, new_words, before }, self.lexicon)
    }

    fn add(&mut self, class: Class, pair: &Pair, old: &[&Token], new: &[&Token]) {
        let old_words = words(self.before, &pair.old, old);
        let new_words = words(self.after, &pair.new, new);
        let mut text = from_to(old_words, new_words);
        if text.is_empty() || text == "+ " {
            text = from_to(self.before.words(pair.old[0]), self.after.words(pair.new[0]));
        }
        let of = |side: &Side<'_>, clauses: &[u32], tokens: &[&Token]| {
            let whole = side.facts.clauses[clauses[0] as usize].span.clone();
            let span = match (tokens.first(), tokens.last()) {
                (Some(first), Some(last)) => first.start..last.end.max(first.start),
                _ => whole,
            };
            Some(side.span(clauses[0], &span))
        };
        let note = self.before.passage(pair.old[0], pair.old[pair.old.len() - 1]);
        self.findings.push(Finding {
            note: short(note),
            old: of(self.before, &pair.old, old),
            new: of(self.after, &pair.new, new),
            ..Finding::new(class, text)
        });
    }

    /// Two values of which each stands where the other stood.
    fn swapped(&mut self) {
        for ((old, new), findings) in &self.swaps {
            if old == new || !self.swaps.contains_key(&(*new, *old)) {
                continue;
            }
            for finding in findings {
                let finding = &mut self.findings[*finding];
                if !finding.class.is_damage() {
                    finding.class = Class::ValueSwapped;
                }
            }
        }
    }

    fn dropped(&mut self) {
        let facts = &self.before.facts;
        let mut under: Vec<bool> = vec![false; facts.headings.len()];
        for (clause, pair) in self.alignment.of_old.iter().enumerate() {
            if pair.is_some()
                && let Some(heading) = facts.blocks[facts.clauses[clause].block as usize].heading
            {
                under[heading as usize] = true;
            }
        }
        // A step that is gone from a list of which others are left.
        let kept_lists: FxHashSet<u32> = facts
            .items
            .iter()
            .filter(|item| {
                item.first.is_some_and(|clause| self.alignment.of_old[clause as usize].is_some())
            })
            .map(|item| item.list)
            .collect();
        let mut run: Option<(u32, u32, usize)> = None;
        let mut fences = FxHashMap::default();
        let heading_of: FxHashMap<u32, usize> = facts
            .headings
            .iter()
            .enumerate()
            .filter_map(|(at, heading)| Some((heading.clause?, at)))
            .collect();
        for clause in 0..u32::try_from(facts.clauses.len()).unwrap_or(u32::MAX) {
            if self.alignment.of_old[clause as usize].is_some() {
                continue;
            }
            let block = facts.block(clause);
            let item = block.item.map(|item| &facts.items[item as usize]);
            let class = match block.container {
                Container::Heading => Class::DroppedHeading,
                Container::Code => Class::DroppedCode,
                Container::Comment => Class::DroppedComment,
                Container::Quote => Class::DroppedQuote,
                Container::Table | Container::TableHead => Class::DroppedRow,
                Container::FrontMatter => Class::DroppedFrontMatter,
                Container::Definition => Class::DroppedLink,
                Container::Prose => match facts.tokens(clause) {
                    [token] if token.kind == Kind::Import => Class::DroppedImport,
                    _ if item.is_some_and(|item| item.first == Some(clause)) => Class::DroppedItem,
                    _ => Class::DroppedSentence,
                },
            };
            let copy = self.copies.get(&clause).filter(|same| {
                let step = item.is_some_and(|item| item.ordered && kept_lists.contains(&item.list));
                let headed = heading_of.get(&clause).is_some_and(|heading| under[*heading]);
                let code = block.container == Container::Code;
                !step
                    && (!headed || **same)
                    && (!code
                        || *fences
                            .entry(block.group)
                            .or_insert_with(|| self.whole_fence_gone(clause)))
            });
            if copy == Some(&true) {
                continue;
            }
            let copy = copy.is_some();
            let class = if copy { Class::CopyRemoved } else { class };
            // Clauses of one block that are gone together are one finding.
            if let Some((first, last, at)) = run
                && last + 1 == clause
                && facts.clauses[last as usize].block == facts.clauses[clause as usize].block
                && (self.findings[at].class == class
                    || (self.findings[at].class == Class::DroppedItem
                        && class == Class::DroppedSentence))
            {
                run = Some((first, clause, at));
                continue;
            }
            self.end_run(run.replace((clause, clause, self.findings.len())));
            self.findings.push(Finding {
                old: Some(self.before.span(clause, &facts.clauses[clause as usize].span)),
                ..Finding::new(class, short(self.before.words(clause)))
            });
        }
        self.end_run(run);
    }

    /// Tells the whole of clauses that are gone together: the first, the last and their finding.
    fn end_run(&mut self, run: Option<(u32, u32, usize)>) {
        let Some((first, last, at)) = run.filter(|(first, last, _)| first < last) else { return };
        self.findings[at].text = short(self.before.passage(first, last));
        if let Some(span) = &mut self.findings[at].old {
            span.end = self.before.facts.clauses[last as usize].span.end as usize;
        }
    }

    /// Returns whether no line of the fence of this line is left.
    fn whole_fence_gone(&self, clause: u32) -> bool {
        let facts = &self.before.facts;
        let group = facts.block(clause).group;
        let same = |clause: &u32| {
            let block = facts.block(*clause);
            block.container == Container::Code && block.group == group
        };
        let after =
            (clause..u32::try_from(facts.clauses.len()).unwrap_or(u32::MAX)).take_while(same);
        let before = (0..clause).rev().take_while(same);
        before.chain(after).all(|clause| self.alignment.of_old[clause as usize].is_none())
    }
}

fn tokens<'s>(side: &'s Side<'_>, clauses: &[u32]) -> Vec<&'s Token> {
    clauses.iter().flat_map(|clause| side.facts.tokens(*clause)).collect()
}

fn seen<'s>(tokens: &[&'s Token]) -> Vec<&'s Token> {
    tokens.iter().copied().filter(|token| token.loose != 0).collect()
}

/// Returns the text from the first to the last of `tokens`.
fn words<'t>(side: &Side<'t>, clauses: &[u32], tokens: &[&Token]) -> &'t str {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return "" };
    let (start, end) = (first.start.min(last.start), last.end.max(first.end));
    side.slice(clauses[0], &(start..end))
}

/// Returns the text around `tokens` up to white space.
fn chunk<'t>(side: &Side<'t>, clauses: &[u32], tokens: &[&Token]) -> &'t str {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => side.chunk(clauses[0], first.start, last.end.max(first.start)),
        _ => "",
    }
}

/// Returns the range with the unit behind a number, and with the number before a unit.
fn with_unit(tokens: &[&Token], range: Range<usize>, is_unit: bool) -> Range<usize> {
    let number = |at: usize| tokens.get(at).is_some_and(|token| token.kind == Kind::Number);
    let before = is_unit && range.start > 0 && number(range.start - 1);
    let behind = !range.is_empty()
        && number(range.end - 1)
        && tokens.get(range.end).is_some_and(|token| token.role == Role::Unit);
    range.start - usize::from(before)..range.end + usize::from(behind)
}

/// Returns the words that make a passive, of the languages that have one with *by*.
fn voice() -> &'static Voice {
    const BY: [&str; 5] = ["by", "von", "vom", "durch", "por"];
    const BE: [&str; 14] = [
        "is", "are", "was", "were", "be", "been", "being", "wird", "werden", "wurde", "wurden",
        "es", "son", "fue",
    ];
    static VOICE: LazyLock<Voice> =
        LazyLock::new(|| Voice { by: BY.map(hash_of).to_vec(), be: BE.map(hash_of).to_vec() });
    &VOICE
}
