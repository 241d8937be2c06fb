//! Which clause of the new text is which of the old one.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    canon::{Canon, chained},
    encoding::undecomposed,
    facts::{Container, Facts},
    lexicon::{hash_of, mixed},
    side::Side,
    token::{Kind, Token},
};

/// How alike two clauses must be to count as one: twice what they share over what both have.
const ALIKE: f32 = 0.5;

/// The same where they stand between the same neighbours.
const ALIKE_IN_PLACE: f32 = 0.2;

/// The same where they stand in places that say the same.
const ALIKE_HERE: f32 = 0.3;

/// Clauses looked at for each that has no twin.
const MOST_CANDIDATES: usize = 8;

/// A word that more clauses than this share tells none of them apart.
const MOST_POSTINGS: usize = 24;

/// How much longer a text is at most with its letters taken apart: three letters for a syllable of
/// Korean, which take as many bytes each as the syllable.
const MOST_APART: usize = 4;

/// Clauses of the old text that became clauses of the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old: Vec<u32>,
    pub(super) new: Vec<u32>,
    pub(super) how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Nothing but layout and filler differs.
    Strict,
    /// Values, claims and content words are equal.
    Loose,
    /// More differs.
    Alike,
}

#[derive(Debug, Default)]
pub(super) struct Alignment {
    pub(super) pairs: Vec<Pair>,
    /// The pair of each old clause.
    pub(super) of_old: Vec<Option<u32>>,
    pub(super) of_new: Vec<Option<u32>>,
}

impl Alignment {
    pub(super) fn new_of(&self, old: u32) -> Option<u32> {
        let pair = self.of_old[old as usize]?;
        self.pairs[pair as usize].new.first().copied()
    }

    fn add(&mut self, old: &[u32], new: &[u32], how: How) {
        let pair = u32::try_from(self.pairs.len()).unwrap_or(u32::MAX);
        for clause in old {
            self.of_old[*clause as usize] = Some(pair);
        }
        for clause in new {
            self.of_new[*clause as usize] = Some(pair);
        }
        self.pairs.push(Pair { old: old.to_vec(), new: new.to_vec(), how });
    }

    fn is_free_old(&self, clause: u32) -> bool {
        self.of_old[clause as usize].is_none()
    }

    fn is_free_new(&self, clause: u32) -> bool {
        self.of_new[clause as usize].is_none()
    }
}

/// Returns which clauses belong together.
pub(super) fn align(old: &Facts, new: &Facts) -> Alignment {
    let mut alignment = Alignment {
        of_old: vec![None; old.clauses.len()],
        of_new: vec![None; new.clauses.len()],
        ..Alignment::default()
    };
    let places = (places(old), places(new));
    equal(old, new, &places, How::Strict, &mut alignment);
    // What shares most of its words would be found all the same, not as fast.
    equal(old, new, &places, How::Loose, &mut alignment);
    alignment
}

/// Returns what each heading and those above it say.
pub(super) fn heading_paths(facts: &Facts) -> Vec<u64> {
    let mut paths: Vec<u64> = Vec::with_capacity(facts.headings.len());
    for heading in &facts.headings {
        let above = heading.parent.map_or(0, |parent| paths[parent as usize]);
        let text = heading.clause.map_or(0, |clause| facts.clauses[clause as usize].strict);
        paths.push(mixed(above, text));
    }
    paths
}

/// Returns whether two headings have one title below the same headings.
pub(super) fn has_namesakes(paths: &[u64]) -> bool {
    let mut seen = FxHashSet::default();
    !paths.iter().all(|path| seen.insert(*path))
}

/// A place in words that both texts share, from narrow to wide: the container, parent item and
/// headings in a section of the same facts, those in any section of this title, the nearest heading.
type Place = [u64; 3];

/// Returns the place of each clause.
fn places(facts: &Facts) -> Vec<Place> {
    let paths = heading_paths(facts);
    let text =
        |clause: Option<u32>| clause.map_or(0, |clause| facts.clauses[clause as usize].strict);
    let mut places: Vec<Place> = facts
        .clauses
        .iter()
        .map(|clause| {
            let block = &facts.blocks[clause.block as usize];
            let nearest =
                block.heading.map_or(0, |heading| text(facts.headings[heading as usize].clause));
            let path = block.heading.map_or(0, |heading| paths[heading as usize]);
            let item = block.item.map(|item| &facts.items[item as usize]);
            let parent = item
                .and_then(|item| item.parent)
                .map_or(0, |parent| text(facts.items[parent as usize].first));
            let kind = block.container as u64;
            // A line of code stands in a fence of one language, a task is done or not.
            let checked = item.and_then(|item| item.checked).map_or(0, |done| 1 + u64::from(done));
            let info = match facts.fences.get(block.group as usize) {
                Some(fence) if block.container == Container::Code => hash_of(&fence.info),
                _ => checked,
            };
            let exact = mixed(mixed(path, parent), mixed(kind, info));
            [exact, exact, mixed(nearest, kind)]
        })
        .collect();
    if has_namesakes(&paths) {
        // Of sections of one title those that say the same belong together.
        let mut says = vec![0_u64; facts.headings.len()];
        for (clause, place) in facts.clauses.iter().zip(&places) {
            if let Some(heading) = facts.blocks[clause.block as usize].heading {
                let says = &mut says[heading as usize];
                *says = says.wrapping_add(mixed(clause.strict, place[1]));
            }
        }
        for (clause, place) in facts.clauses.iter().zip(&mut places) {
            if let Some(heading) = facts.blocks[clause.block as usize].heading {
                place[0] = mixed(place[1], says[heading as usize]);
            }
        }
        for (heading, says) in facts.headings.iter().zip(says) {
            if let Some(clause) = heading.clause {
                places[clause as usize][0] = mixed(places[clause as usize][1], says);
            }
        }
    }
    places
}

/// Pairs what is equal, in the same place first, then under the same heading, then anywhere.
fn equal(
    old: &Facts,
    new: &Facts,
    places: &(Vec<Place>, Vec<Place>),
    how: How,
    alignment: &mut Alignment,
) {
    let key = |facts: &Facts, clause: u32| {
        let clause = &facts.clauses[clause as usize];
        match how {
            How::Strict => Some(clause.strict),
            _ => (clause.seen > 0).then_some(clause.loose),
        }
    };
    let count = |facts: &Facts| u32::try_from(facts.clauses.len()).unwrap_or(u32::MAX);
    let none = usize::MAX;
    // For each pass, the free new clauses by what must be equal.
    for pass in 0..4 {
        let place = |places: &[Place], clause: u32| match pass {
            3 => 0,
            _ => places[clause as usize][pass],
        };
        let mut waiting: FxHashMap<(u64, u64), (usize, usize)> = FxHashMap::default();
        let mut next = vec![none; new.clauses.len()];
        for clause in 0..count(new) {
            if !alignment.is_free_new(clause) {
                continue;
            }
            let Some(key) = key(new, clause) else { continue };
            match waiting.entry((key, place(&places.1, clause))) {
                Entry::Occupied(mut found) => {
                    next[found.get().1] = clause as usize;
                    found.get_mut().1 = clause as usize;
                }
                Entry::Vacant(free) => {
                    free.insert((clause as usize, clause as usize));
                }
            }
        }
        if waiting.is_empty() {
            break;
        }
        for clause in 0..count(old) {
            if !alignment.is_free_old(clause) {
                continue;
            }
            let Some(key) = key(old, clause) else { continue };
            let Entry::Occupied(mut found) = waiting.entry((key, place(&places.0, clause))) else {
                continue;
            };
            let first = found.get().0;
            if next[first] == none {
                found.remove();
            } else {
                found.get_mut().0 = next[first];
            }
            let first = u32::try_from(first).unwrap_or(u32::MAX);
            if how == How::Loose && !compatible(old, clause, new, first) {
                continue;
            }
            alignment.add(&[clause], &[first], how);
        }
    }
}

/// Headings are other headings only, rows other rows.
fn compatible(old: &Facts, a: u32, new: &Facts, b: u32) -> bool {
    let (a, b) = (old.block(a), new.block(b));
    let kind = |container: Container| match container {
        Container::Heading => 1,
        Container::Table | Container::TableHead => 2,
        Container::Code => 3,
        Container::FrontMatter => 4,
        Container::Definition => 5,
        _ => 0,
    };
    let keyed = a.container == Container::FrontMatter;
    kind(a.container) == kind(b.container) && (!keyed || a.group == b.group)
}

/// Pairs what is left by what it shares; the tokens of every free clause must have been read.
pub(super) fn alike(before: &Side<'_>, after: &Side<'_>, alignment: &mut Alignment) {
    let (old, new) = (&before.facts, &after.facts);
    let count = |facts: &Facts| u32::try_from(facts.clauses.len()).unwrap_or(u32::MAX);
    let free_old: Vec<u32> =
        (0..count(old)).filter(|clause| alignment.is_free_old(*clause)).collect();
    let free_new: Vec<u32> =
        (0..count(new)).filter(|clause| alignment.is_free_new(*clause)).collect();
    if free_old.is_empty() || free_new.is_empty() {
        return;
    }
    let bag = |facts: &Facts, clause: u32| {
        let mut bag: Vec<u64> = facts
            .tokens(clause)
            .iter()
            .map(|token| token.loose)
            .filter(|loose| *loose != 0)
            .collect();
        bag.sort_unstable();
        bag
    };
    let bags: Vec<Vec<u64>> = free_new.iter().map(|clause| bag(new, *clause)).collect();
    let mut index: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for (at, bag) in bags.iter().enumerate() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let mut last = None;
        for word in bag {
            if last.replace(word) != Some(word) {
                let postings = index.entry(*word).or_default();
                if postings.len() <= MOST_POSTINGS {
                    postings.push(at);
                }
            }
        }
    }
    let at_new: FxHashMap<u32, u32> =
        free_new.iter().zip(0..).map(|(clause, at)| (*clause, at)).collect();
    let places = (places(old), places(new));
    let mut scored: Vec<(f32, u32, u32)> = Vec::new();
    let mut hits: FxHashMap<u32, u32> = FxHashMap::default();
    for clause in &free_old {
        let mine = bag(old, *clause);
        hits.clear();
        let mut last = None;
        for word in mine.iter().take(256) {
            if last.replace(word) == Some(word) {
                continue;
            }
            if let Some(postings) =
                index.get(word).filter(|postings| postings.len() <= MOST_POSTINGS)
            {
                for at in postings {
                    *hits.entry(*at).or_default() += 1;
                }
            }
        }
        // What stands between the same neighbours may be it, whatever it says now.
        let near: FxHashSet<u32> = neighbours(old, *clause, new, alignment)
            .into_iter()
            .filter_map(|clause| at_new.get(&clause).copied())
            .collect();
        let mut best: Vec<(u32, u32)> = hits.iter().map(|(at, hits)| (*hits, *at)).collect();
        best.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        best.truncate(MOST_CANDIDATES);
        for at in
            best.iter().map(|(_, at)| *at).chain(near.iter().copied()).collect::<FxHashSet<u32>>()
        {
            let other = free_new[at as usize];
            if !compatible(old, *clause, new, other) {
                continue;
            }
            let theirs = &bags[at as usize];
            // What can't be alike for its length isn't read: one long clause may be a candidate of
            // all others.
            let few = mine.len().min(theirs.len());
            let is_table = old.block(*clause).container == Container::Table;
            let mut score = 0.0;
            if dice(few, &mine, theirs) >= ALIKE_IN_PLACE || (is_table && few * 64 >= theirs.len())
            {
                score = dice(shared(&mine, theirs), &mine, theirs);
                if is_table {
                    score = 0.2 * score + cells_alike(old.tokens(*clause), new.tokens(other));
                }
            }
            let in_place = near.contains(&at);
            let here = places.0[*clause as usize][1..] == places.1[other as usize][1..];
            if in_place
                && score < ALIKE_IN_PLACE
                && mine.len() < 6
                && ends_alike(before.words(*clause), after.words(other))
            {
                score = ALIKE_IN_PLACE;
            }
            // The same letters, taken apart, which makes them longer.
            let (own, apart) = (before.words(*clause), after.words(other));
            if score < ALIKE
                && apart.len() <= own.len() * MOST_APART
                && undecomposed(apart).as_deref() == Some(own)
            {
                score = ALIKE;
            }
            if score >= ALIKE
                || (in_place && score >= ALIKE_IN_PLACE)
                || (here && score >= ALIKE_HERE)
            {
                let bonus = if in_place { 0.3 } else { 0.0 } + if here { 0.1 } else { 0.0 };
                scored.push((score + bonus, *clause, other));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    for (_, a, b) in scored {
        if alignment.is_free_old(a) && alignment.is_free_new(b) {
            alignment.add(&[a], &[b], How::Alike);
        }
    }
}

/// Returns how many cells of two rows are equal, of 1, and somewhat more where the first ones are.
fn cells_alike(old: &[Token], new: &[Token]) -> f32 {
    let cells = |row: &[Token]| -> Vec<u64> {
        row.split(|token| token.kind == Kind::Cell)
            .skip(1)
            .map(|cell| cell.iter().fold(1, |hash, token| chained(hash, token.loose)))
            .collect()
    };
    let (old, new) = (cells(old), cells(new));
    let equal = old.iter().zip(&new).filter(|(a, b)| a == b).count();
    let key = if old.first() == new.first() { 0.1 } else { 0.0 };
    #[expect(clippy::cast_precision_loss, reason = "rows have few cells")]
    let share = equal as f32 / old.len().max(new.len()).max(1) as f32;
    share + key
}

/// Returns whether most of two texts is the same from their ends on.
fn ends_alike(one: &str, other: &str) -> bool {
    let head = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&one.as_bytes()[head..], &other.as_bytes()[head..]);
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (head + tail) * 10 > one.len().max(other.len()) * 6
}

/// Returns the new clauses beside the twins of the clauses beside `clause`.
fn neighbours(old: &Facts, clause: u32, new: &Facts, alignment: &Alignment) -> Vec<u32> {
    let last = u32::try_from(new.clauses.len()).unwrap_or(u32::MAX);
    let mut found = Vec::new();
    // Beside it in its section: what stands in other sections may have been left out.
    let heading = old.block(clause).heading;
    let section = |facts: &Facts, clause: u32| {
        let block = facts.block(clause);
        (block.heading, block.container == Container::FrontMatter)
    };
    let same = |other: &u32| section(old, *other) == section(old, clause);
    let before = clause.checked_sub(1).filter(same);
    // The first of a section stands behind its heading.
    let (before, first) = match (before, heading) {
        (Some(before), _) => (Some(before), false),
        (None, Some(heading)) => (old.headings[heading as usize].clause, true),
        (None, None) => (None, true),
    };
    if first && heading.is_none() && last > 0 && new.block(0).heading.is_none() {
        found.push(0);
    } else if first && let Some(title) = before.and_then(|title| alignment.new_of(title)) {
        let behind = new.block(title).clauses.end;
        let own = |heading: u32| new.headings[heading as usize].clause == Some(title);
        if behind < last && new.block(behind).heading.is_some_and(own) {
            found.push(behind);
        }
    } else if let Some(before) = before
        && let Some(before) = alignment.new_of(before)
        && before + 1 < last
        && section(new, before + 1) == section(new, before)
    {
        found.push(before + 1);
    }
    if let Some(after) =
        Some(clause + 1).filter(|after| (*after as usize) < old.clauses.len() && same(after))
        && let Some(after) = alignment.new_of(after)
        && let Some(before) = after.checked_sub(1)
        && section(new, before) == section(new, after)
    {
        found.push(before);
    }
    found
}

/// Returns twice what two bags share, of what both hold.
#[expect(clippy::cast_precision_loss, reason = "clauses have few words")]
fn dice(shared: usize, a: &[u64], b: &[u64]) -> f32 {
    2.0 * shared as f32 / (a.len() + b.len()).max(1) as f32
}

/// Returns how many of two sorted bags both hold.
fn shared(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    count
}

/// Joins a free clause to its neighbour's pair where the other side holds its words already.
pub(super) fn absorb(old: &Facts, new: &Facts, alignment: &mut Alignment) {
    for swap in [false, true] {
        let (mine, theirs) = if swap { (new, old) } else { (old, new) };
        // For each pair that was looked at, how often the other side holds a word more than this one.
        let mut spares: FxHashMap<u32, FxHashMap<u64, i64>> = FxHashMap::default();
        for clause in 0..u32::try_from(mine.clauses.len()).unwrap_or(u32::MAX) {
            let of = |alignment: &Alignment, clause: u32| {
                if swap {
                    alignment.of_new[clause as usize]
                } else {
                    alignment.of_old[clause as usize]
                }
            };
            if of(alignment, clause).is_some() {
                continue;
            }
            let said: Vec<u64> = words(mine, &[clause]).collect();
            if said.len() < 2 {
                continue;
            }
            for beside in [clause.checked_sub(1), Some(clause + 1)].into_iter().flatten() {
                if beside as usize >= mine.clauses.len()
                    || !compatible(mine, clause, mine, beside)
                    || mine.block(beside).heading != mine.block(clause).heading
                {
                    continue;
                }
                let Some(pair) = of(alignment, beside) else { continue };
                let found = &mut alignment.pairs[pair as usize];
                if found.how != How::Alike {
                    continue;
                }
                let (own, other) =
                    if swap { (&mut found.new, &found.old) } else { (&mut found.old, &found.new) };
                let spare = spares.entry(pair).or_insert_with(|| {
                    let mut spare = FxHashMap::default();
                    words(theirs, other).for_each(|word| *spare.entry(word).or_default() += 1);
                    words(mine, own).for_each(|word| *spare.entry(word).or_default() -= 1);
                    spare
                });
                // What is taken is given back where it isn't enough.
                let mut take = |word: &u64| {
                    let left = spare.entry(*word).or_default();
                    *left -= 1;
                    *left >= 0
                };
                let shared = said.iter().filter(|word| take(word)).count();
                if shared * 3 >= said.len() * 2 {
                    own.insert(own.partition_point(|other| *other < clause), clause);
                    let slot = if swap { &mut alignment.of_new } else { &mut alignment.of_old };
                    slot[clause as usize] = Some(pair);
                    break;
                }
                for word in &said {
                    *spare.entry(*word).or_default() += 1;
                }
            }
        }
    }
}

/// Returns the words of some clauses that the loose comparison sees.
fn words<'f>(facts: &'f Facts, clauses: &'f [u32]) -> impl Iterator<Item = u64> + 'f {
    let tokens = clauses.iter().flat_map(|clause| facts.tokens(*clause));
    tokens.map(|token| token.loose).filter(|loose| *loose != 0)
}

/// Pairs lines of code with the prose they were, and prose with the lines of code it was.
pub(super) fn twins_of_lines(
    old: &Side<'_>,
    new: &Side<'_>,
    canon: &mut Canon<'_, '_>,
    alignment: &mut Alignment,
) {
    for swap in [false, true] {
        let (lines, prose) = if swap { (old, new) } else { (new, old) };
        let free = |alignment: &Alignment, of_lines: bool, clause: u32| {
            if of_lines == swap {
                alignment.is_free_old(clause)
            } else {
                alignment.is_free_new(clause)
            }
        };
        let total = |side: &Side<'_>| u32::try_from(side.facts.clauses.len()).unwrap_or(u32::MAX);
        // By what they say: the clauses, and how many of the first ones are taken.
        let mut by_hash: FxHashMap<u64, (usize, Vec<u32>)> = FxHashMap::default();
        for clause in 0..total(prose) {
            if free(alignment, false, clause) && prose.facts.clauses[clause as usize].seen > 0 {
                let says = prose.facts.clauses[clause as usize].strict;
                by_hash.entry(says).or_default().1.push(clause);
            }
        }
        if by_hash.is_empty() {
            continue;
        }
        for clause in 0..total(lines) {
            if !free(alignment, true, clause)
                || lines.facts.block(clause).container != Container::Code
            {
                continue;
            }
            let span = &lines.facts.clauses[clause as usize].span;
            let read =
                Facts::of_prose(lines.text(clause), span.start as usize..span.end as usize, canon);
            let twins: Vec<u32> = read
                .clauses
                .iter()
                .filter_map(|part| {
                    let (taken, twins) = by_hash.get_mut(&part.strict)?;
                    let is_free = |twin: &u32| free(alignment, false, *twin);
                    *taken +=
                        twins[*taken..].iter().position(is_free).unwrap_or(twins.len() - *taken);
                    twins.get(*taken).copied()
                })
                .collect();
            if twins.is_empty() || twins.len() < read.clauses.len() {
                continue;
            }
            if swap {
                alignment.add(&[clause], &twins, How::Strict);
            } else {
                alignment.add(&twins, &[clause], How::Strict);
            }
        }
    }
}

impl Alignment {
    /// Pairs two headings whose sections are the same.
    pub(super) fn pair_headings(&mut self, old: u32, new: u32) {
        if self.is_free_old(old) && self.is_free_new(new) {
            self.add(&[old], &[new], How::Alike);
        }
    }
}
