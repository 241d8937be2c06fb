//! The whole of the gate: two texts in, findings out.

use rustc_hash::{FxHashMap, FxHashSet};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{
    align::{Alignment, How, Pair, absorb, align, alike, twins_of_lines},
    canon::{Canon, chained},
    changes::{self, Hunk, classify},
    encoding,
    facts::{Container, Facts},
    lexicon::{Role, hash_of},
    places::Places,
    proofs::{Voice, exchanged, reordered, rotated, voiced},
    report::{Class, Finding, Report, from_to, short},
    side::Side,
    token::{Kind, Token},
};

/// The most bytes of one text: a larger one is `too-large`, and nothing is said of it.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The most differences inside one clause that are told one by one.
const MOST_HUNKS: usize = 8;

/// The most words for which the difference of two clauses is worked out.
const MOST_WORDS: usize = 4_000;

/// Returns what became of the facts of `old` in `new`.
///
/// Several old texts are a merge: every fact of any of them has to be in the new one.
pub fn compare(old: &[&str], new: &str) -> Report {
    if let Some((at, text)) =
        old.iter().chain([&new]).enumerate().find(|(_, text)| text.len() > MOST_BYTES)
    {
        let which = if at < old.len() { "old" } else { "new" };
        let text = format!(
            "the {which} text has {} bytes; the gate reads at most {MOST_BYTES}",
            text.len()
        );
        return Report {
            findings: vec![Finding { class: Class::TooLarge, text, old: None, new: None }],
            facts: 0,
            kept: 0,
        };
    }
    if old == [new] {
        let mut canon = Canon::of(&std::iter::once(new));
        let facts = Facts::of(new, &mut canon).clauses.len();
        return Report { findings: Vec::new(), facts, kept: facts };
    }
    let mut canon = Canon::of(&old.iter().copied().chain([new]));
    let mut before = Side::read(old, &mut canon);
    let mut after = Side::read(&[new], &mut canon);
    let mut alignment = align(&before.facts, &after.facts);
    twins_of_lines(&before, &after, &mut canon, &mut alignment);
    before.read_lines(&alignment.of_old);
    after.read_lines(&alignment.of_new);
    Places::renamed_headings(&before.facts, &after.facts, &mut alignment);
    alike(&before, &after, &mut alignment);
    absorb(&before.facts, &after.facts, &mut alignment);

    let mut gate = Gate {
        before: &before,
        after: &after,
        alignment: &alignment,
        canon: &canon,
        findings: Vec::new(),
        swaps: FxHashMap::default(),
    };
    for pair in &alignment.pairs {
        gate.pair(pair);
    }
    gate.swapped();
    gate.dropped();
    let mut findings = gate.findings;
    Places::of(&before, &after, &alignment, canon.lexicon()).check(&mut findings);
    findings.extend(encoding::introduced(old, new));
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| {
            (finding.old.is_none(), finding.old.clone(), finding.new.clone(), finding.class)
        };
        key(a).cmp(&key(b))
    });
    findings.dedup();
    let facts = before.facts.clauses.len();
    let lost: FxHashSet<(usize, usize)> = findings
        .iter()
        .filter(|finding| finding.class.blocks())
        .filter_map(|finding| finding.old.as_ref())
        .map(|span| (span.text, span.start))
        .collect();
    Report { kept: facts.saturating_sub(lost.len()), findings, facts }
}

struct Gate<'a, 't> {
    before: &'a Side<'t>,
    after: &'a Side<'t>,
    alignment: &'a Alignment,
    canon: &'a Canon<'static>,
    findings: Vec<Finding>,
    /// Findings of one value in place of another, by both.
    swaps: FxHashMap<(u64, u64), Vec<usize>>,
}

impl<'t> Gate<'_, 't> {
    fn pair(&mut self, pair: &Pair) {
        if pair.how == How::Strict {
            return;
        }
        let (old, new) = (tokens(self.before, &pair.old), tokens(self.after, &pair.new));
        let lexicon = self.canon.lexicon();
        let voice = voice();
        let strict = |token: &Token| token.strict;
        let loose = |token: &Token| token.loose;
        if old.len() < MOST_WORDS && new.len() < MOST_WORDS {
            if rotated(&old, &new, lexicon, strict) {
                return;
            }
            if pair.how == How::Loose
                && let Some((x, y)) = exchanged(&old, &new, lexicon)
            {
                return self.add(Class::TermChanged, pair, &old[x], &new[y]);
            }
            let (seen_old, seen_new) = (seen(&old), seen(&new));
            if pair.how == How::Loose
                || rotated(&seen_old, &seen_new, lexicon, loose)
                || voiced(&old, &new, &voice)
                || reordered(&old, &new)
            {
                self.reworded(pair, &old, &new);
                return;
            }
        }
        self.changed(pair, &seen(&old), &seen(&new));
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

    fn changed(&mut self, pair: &Pair, old: &[&Token], new: &[&Token]) {
        let names =
            |tokens: &[&Token]| tokens.iter().map(|token| token.loose).collect::<Vec<u64>>();
        let (a, b) = (names(old), names(new));
        let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let tail =
            a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
        let (inner_a, inner_b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
        let mut hunks: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> = Vec::new();
        if inner_a.len() > MOST_WORDS
            || inner_b.len() > MOST_WORDS
            || inner_a.is_empty()
            || inner_b.is_empty()
        {
            hunks.push((head..a.len() - tail, head..b.len() - tail));
        } else {
            for op in capture_diff_slices(Algorithm::Myers, inner_a, inner_b) {
                if matches!(op, DiffOp::Equal { .. }) {
                    continue;
                }
                let (x, y) = (op.old_range(), op.new_range());
                let (x, y) = (x.start + head..x.end + head, y.start + head..y.end + head);
                match hunks.last_mut() {
                    Some(last) if last.0.end == x.start && last.1.end == y.start => {
                        last.0.end = x.end;
                        last.1.end = y.end;
                    }
                    _ => hunks.push((x, y)),
                }
            }
        }
        if hunks.len() > MOST_HUNKS {
            hunks = vec![(
                hunks[0].0.start..hunks[hunks.len() - 1].0.end,
                hunks[0].1.start..hunks[hunks.len() - 1].1.end,
            )];
        }
        for (x, y) in hunks {
            self.hunk(pair, old, new, x, y);
        }
    }

    fn hunk(
        &mut self,
        pair: &Pair,
        old: &[&Token],
        new: &[&Token],
        x: std::ops::Range<usize>,
        y: std::ops::Range<usize>,
    ) {
        let (part_old, part_new) = (&old[x.clone()], &new[y.clone()]);
        let old_words = words(self.before, &pair.old, part_old);
        let new_words = words(self.after, &pair.new, part_new);
        let text = self.before.text(pair.old[0]);
        let around = part_old
            .first()
            .map_or((None, None), |first| (text[..first.start as usize].chars().next_back(), None));
        let hunk = Hunk { old: part_old, new: part_new, old_words, new_words, around };
        let container = self.before.facts.block(pair.old[0]).container;
        let mut class = classify(&hunk, self.canon.lexicon());
        // Damage to a letter shows in the whole word.
        let chunk =
            |side: &Side<'t>, clause: u32, tokens: &[&Token]| match (tokens.first(), tokens.last())
            {
                (Some(first), Some(last)) => {
                    side.chunk(clause, first.start, last.end.max(first.start))
                }
                _ => "",
            };
        let chunks =
            (chunk(self.before, pair.old[0], part_old), chunk(self.after, pair.new[0], part_new));
        // Letters taken apart may make other words, of which some carry nothing.
        let apart = || {
            let whole = [self.before.words(pair.old[0]), self.after.words(pair.new[0])];
            (encoding::undecomposed(whole[1])? == whole[0]).then_some(Class::EncodingDecomposed)
        };
        let damage = changes::encoding(chunks.0, chunks.1).or_else(apart);
        class = damage.unwrap_or(class);
        if container == Container::Table
            && !part_old.is_empty()
            && part_new.iter().all(|token| token.kind == Kind::Cell)
        {
            let whole_cell = x.start > 0
                && old[x.start - 1].kind == Kind::Cell
                && old.get(x.end).is_none_or(|next| next.kind == Kind::Cell);
            if whole_cell {
                class = Class::DroppedCell;
            }
        }
        if container == Container::FrontMatter
            && !matches!(
                class,
                Class::EncodingInvisible
                    | Class::EncodingLookAlike
                    | Class::EncodingTypographic
                    | Class::EncodingDecomposed
            )
        {
            class = if part_new.is_empty() {
                Class::DroppedFrontMatter
            } else {
                Class::FrontMatterChanged
            };
        }
        let at = self.findings.len();
        // A unit is read with its number, a number with its unit.
        let number = |tokens: &[&Token], at: usize| at > 0 && tokens[at - 1].kind == Kind::Number;
        let (from_old, from_new) = match class {
            Class::UnitChanged => {
                (usize::from(number(old, x.start)), usize::from(number(new, y.start)))
            }
            _ => (0, 0),
        };
        let unit = |tokens: &[&Token], range: &std::ops::Range<usize>| {
            usize::from(
                tokens[range.clone()].last().is_some_and(|token| token.kind == Kind::Number)
                    && tokens.get(range.end).is_some_and(|token| token.role == Role::Unit),
            )
        };
        let (to_old, to_new) = (unit(old, &x), unit(new, &y));
        let (x, y) = (x.start - from_old..x.end + to_old, y.start - from_new..y.end + to_new);
        self.add(class, pair, &old[x], &new[y]);
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
        if !part_old.is_empty()
            && !part_new.is_empty()
            && part_old.len() <= 12
            && part_new.len() <= 12
        {
            self.swaps.entry((hash(part_old), hash(part_new))).or_default().push(at);
        }
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
        self.findings.push(Finding {
            class,
            text,
            old: of(self.before, &pair.old, old),
            new: of(self.after, &pair.new, new),
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
                if !matches!(
                    finding.class,
                    Class::EncodingInvisible
                        | Class::EncodingLookAlike
                        | Class::EncodingTypographic
                        | Class::EncodingDecomposed
                        | Class::EncodingDamaged
                ) {
                    finding.class = Class::ValueSwapped;
                }
            }
        }
    }

    fn dropped(&mut self) {
        let facts = &self.before.facts;
        let copies: FxHashMap<u32, u32> = self.alignment.copies.iter().copied().collect();
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
            let copy = copies.get(&clause).is_some_and(|twin| {
                let twin = facts.block(*twin);
                let ordered =
                    item.is_some_and(|item| item.ordered && kept_lists.contains(&item.list));
                let headed = heading_of.get(&clause).is_some_and(|heading| under[*heading]);
                twin.container == block.container
                    && !ordered
                    && !headed
                    && (block.container != Container::Code || self.whole_fence_gone(clause))
            });
            if copy {
                let twin = facts.block(copies[&clause]);
                if twin.heading == block.heading || self.same_heading(twin.heading, block.heading) {
                    continue;
                }
            }
            let class = if copy { Class::CopyRemoved } else { class };
            // Clauses of one block that are gone together are one finding.
            if let Some((first, last, at)) = run
                && last + 1 == clause
                && facts.clauses[last as usize].block == facts.clauses[clause as usize].block
                && (self.findings[at].class == class
                    || (self.findings[at].class == Class::DroppedItem
                        && class == Class::DroppedSentence))
            {
                self.findings[at].text = short(self.before.passage(first, clause));
                if let Some(span) = &mut self.findings[at].old {
                    span.end = facts.clauses[clause as usize].span.end as usize;
                }
                run = Some((first, clause, at));
                continue;
            }
            run = Some((clause, clause, self.findings.len()));
            self.findings.push(Finding {
                class,
                text: short(self.before.words(clause)),
                old: Some(self.before.span(clause, &facts.clauses[clause as usize].span)),
                new: None,
            });
        }
    }

    fn same_heading(&self, one: Option<u32>, other: Option<u32>) -> bool {
        let facts = &self.before.facts;
        let text = |heading: Option<u32>| {
            heading
                .and_then(|heading| facts.headings[heading as usize].clause)
                .map(|clause| facts.clauses[clause as usize].strict)
        };
        text(one) == text(other)
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

fn voice() -> Voice {
    Voice {
        by: ["by", "von", "vom", "por"].map(hash_of).to_vec(),
        be: [
            "is", "are", "was", "were", "be", "been", "being", "wird", "werden", "wurde", "wurden",
            "es", "son", "fue", "fueron",
        ]
        .map(hash_of)
        .to_vec(),
    }
}
