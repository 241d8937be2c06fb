//! Whether a clause still stands where it holds: its container, heading, parent item and order.

use rustc_hash::FxHashMap;

use super::{
    align::{Alignment, How, heading_paths},
    facts::{Container, Facts},
    lexicon::{Lexicon, Role},
    report::{Class, Finding, from_to, short},
    rungs::{Rung, on},
    side::Side,
    token::Claim,
};

/// An old clause and the new one that it became.
type Twins = (u32, u32);

/// The places of both texts.
pub(super) struct Places<'a, 't> {
    before: &'a Side<'t>,
    after: &'a Side<'t>,
    alignment: &'a Alignment,
    lexicon: &'a Lexicon,
    /// What the headings of each text and those above them say.
    paths: (Vec<u64>, Vec<u64>),
    /// The new heading of each old one.
    heading_of: Vec<Option<u32>>,
    /// Whether a new heading was a heading before.
    known: Vec<bool>,
}

/// Returns the heading of which this clause is the text.
fn headings(facts: &Facts) -> FxHashMap<u32, u32> {
    (0..).zip(&facts.headings).filter_map(|(at, heading)| Some((heading.clause?, at))).collect()
}

impl<'a, 't> Places<'a, 't> {
    /// Pairs headings of other words under which the same clauses stand.
    pub(super) fn renamed_headings(old: &Facts, new: &Facts, alignment: &mut Alignment) {
        let (old_at, new_at) = (headings(old), headings(new));
        let free_old = |at: u32| {
            old.headings[at as usize]
                .clause
                .is_some_and(|clause| alignment.of_old[clause as usize].is_none())
        };
        let free_new = |at: u32| {
            new.headings[at as usize]
                .clause
                .is_some_and(|clause| alignment.of_new[clause as usize].is_none())
        };
        if !old_at.values().any(|at| free_old(*at)) || !new_at.values().any(|at| free_new(*at)) {
            return;
        }
        let mut votes: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for pair in &alignment.pairs {
            if let (Some(a), Some(b)) =
                (old.block(pair.old[0]).heading, new.block(pair.new[0]).heading)
                && free_old(a)
                && free_new(b)
            {
                *votes.entry((a, b)).or_default() += 1;
            }
        }
        let mut votes: Vec<(u32, u32, u32)> =
            votes.into_iter().map(|((a, b), votes)| (votes, a, b)).collect();
        votes.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        for (_, a, b) in votes {
            if let (Some(a), Some(b)) =
                (old.headings[a as usize].clause, new.headings[b as usize].clause)
            {
                alignment.pair_headings(a, b);
            }
        }
    }

    pub(super) fn of(
        before: &'a Side<'t>,
        after: &'a Side<'t>,
        alignment: &'a Alignment,
        lexicon: &'a Lexicon,
    ) -> Self {
        let new_at = headings(&after.facts);
        let mut heading_of = vec![None; before.facts.headings.len()];
        let mut known = vec![false; after.facts.headings.len()];
        // A heading that stood twice may be left once.
        let mut left: FxHashMap<u64, u32> = FxHashMap::default();
        for clause in before.facts.headings.iter().filter_map(|heading| heading.clause) {
            if let Some(new) = alignment.new_of(clause) {
                left.entry(before.facts.clauses[clause as usize].strict).or_insert(new);
            }
        }
        for (at, heading) in before.facts.headings.iter().enumerate() {
            let Some(clause) = heading.clause else { continue };
            let twin = alignment
                .new_of(clause)
                .or_else(|| left.get(&before.facts.clauses[clause as usize].strict).copied());
            heading_of[at] = twin.and_then(|clause| new_at.get(&clause).copied());
            if let Some(new) = heading_of[at] {
                known[new as usize] = true;
            }
        }
        let paths = (heading_paths(&before.facts), heading_paths(&after.facts));
        Self { before, after, alignment, lexicon, paths, heading_of, known }
    }

    /// Adds what moved.
    pub(super) fn check(&self, findings: &mut Vec<Finding>) {
        let mut moved = vec![false; self.before.facts.clauses.len()];
        let mut order: Vec<Twins> =
            self.alignment.pairs.iter().map(|pair| (pair.old[0], pair.new[0])).collect();
        order.sort_unstable();
        // Clauses of one block that moved the same way are one finding.
        let mut run: Option<(Class, u32, u32, u32)> = None;
        let facts = &self.before.facts;
        for (old, new) in order {
            if on(Rung::Checkboxes) {
                self.checkbox(old, new, findings);
            }
            let class = self.moved(old, new).filter(|_| on(Rung::Moved));
            moved[old as usize] = class.is_some();
            run = match (run, class) {
                (Some((before, first, last, at)), Some(class))
                    if before == class
                        && last + 1 == old
                        && facts.clauses[last as usize].block
                            == facts.clauses[old as usize].block =>
                {
                    Some((class, first, old, at))
                }
                (before, class) => {
                    if let Some((class, first, last, at)) = before {
                        findings.push(self.run(class, first, last, at));
                    }
                    class.map(|class| (class, old, old, new))
                }
            };
        }
        if let Some((class, first, last, at)) = run {
            findings.push(self.run(class, first, last, at));
        }
        if on(Rung::Steps) {
            self.steps(&moved, findings);
        }
        if on(Rung::Fences) {
            self.fences(&moved, findings);
        }
        if on(Rung::Sequels) {
            self.sequels(findings);
        }
    }

    fn finding(&self, class: Class, old: u32, new: u32, text: String) -> Finding {
        Finding {
            old: Some(self.before.span(old, &self.before.facts.clauses[old as usize].span)),
            new: Some(self.after.span(new, &self.after.facts.clauses[new as usize].span)),
            ..Finding::new(class, text)
        }
    }

    fn run(&self, class: Class, first: u32, last: u32, new: u32) -> Finding {
        let mut finding = self.finding(class, first, new, short(self.before.passage(first, last)));
        if matches!(class, Class::MovedSection | Class::SectionMoved) {
            let title = |side: &Side<'_>, clause: u32| {
                let heading = side.facts.block(clause).heading?;
                let clause = side.facts.headings[heading as usize].clause?;
                Some(format!("“{}”", short(side.words(clause))))
            };
            let start = || "the text's start".to_owned();
            let from = title(self.before, first).unwrap_or_else(start);
            let to = title(self.after, new).unwrap_or_else(start);
            finding.note = short(&format!("out of {from} into {to}"));
        }
        if let Some(span) = &mut finding.old {
            span.end = self.before.facts.clauses[last as usize].span.end as usize;
        }
        finding
    }

    fn moved(&self, old: u32, new: u32) -> Option<Class> {
        let (a, b) = (self.before.facts.block(old), self.after.facts.block(new));
        if a.container != b.container {
            return match (a.container, b.container) {
                (_, Container::Code) => Some(Class::MovedIntoCode),
                (_, Container::Comment) => Some(Class::MovedIntoComment),
                (_, Container::Quote) => Some(Class::MovedIntoQuote),
                (Container::Code | Container::Comment | Container::Quote, _) => {
                    Some(Class::MovedOutOf)
                }
                (Container::Heading, _) => Some(Class::DroppedHeading),
                (_, Container::Heading) => None,
                _ => Some(Class::MovedSection),
            };
        }
        if matches!(a.container, Container::FrontMatter | Container::Definition) {
            return None;
        }
        if self.other_section(a.heading, b.heading) {
            // A section that moves whole keeps what it says, unless where it stands says more.
            let whole = a.container == Container::Heading
                && !self.scopes(&self.before.facts, a.heading)
                && !self.scopes(&self.after.facts, b.heading);
            return Some(if whole { Class::SectionMoved } else { Class::MovedSection });
        }
        self.other_parent(old, new).then_some(Class::MovedParent)
    }

    fn other_section(&self, old: Option<u32>, new: Option<u32>) -> bool {
        // Headings of the same words are the same place, whichever of several it is.
        if let (Some(old), Some(new)) = (old, new)
            && self.paths.0[old as usize] == self.paths.1[new as usize]
        {
            return false;
        }
        let expected = match old {
            None => None,
            Some(heading) => match self.heading_of[heading as usize] {
                // The heading is gone, which is a finding of its own.
                None => return false,
                found => found,
            },
        };
        if expected == new {
            return false;
        }
        // A heading that is new divides the section it stands in.
        let mut above = new;
        while let Some(heading) = above.filter(|heading| !self.known[*heading as usize]) {
            if self.scopes(&self.after.facts, Some(heading)) {
                return true;
            }
            above = self.after.facts.headings[heading as usize].parent;
        }
        above != expected
    }

    /// Returns whether a heading, or one above it, says where or whether what stands below holds.
    fn scopes(&self, facts: &Facts, heading: Option<u32>) -> bool {
        let mut above = heading;
        while let Some(at) = above {
            let heading = &facts.headings[at as usize];
            // The title of a document names what it is about.
            if let Some(clause) = heading.clause.filter(|_| heading.level > 1)
                && facts.tokens(clause).iter().any(|token| {
                    self.lexicon.scopes(token.loose)
                        || matches!(
                            token.role,
                            Role::Claim(
                                Claim::Only
                                    | Claim::Condition
                                    | Claim::Negation
                                    | Claim::Prohibition(_)
                                    | Claim::Exception
                                    | Claim::Obligation(2)
                            )
                        )
                })
            {
                return true;
            }
            above = heading.parent;
        }
        false
    }

    /// The pair of the first clause of the item above an item's first clause, or of a later clause's
    /// own item.
    fn other_parent(&self, old: u32, new: u32) -> bool {
        let (a, b) = (&self.before.facts, &self.after.facts);
        let first = |facts: &Facts, item: Option<u32>| {
            item.and_then(|item| facts.items[item as usize].first)
        };
        let parent = |facts: &Facts, item: Option<u32>| {
            first(facts, item.and_then(|item| facts.items[item as usize].parent))
        };
        let (old_item, new_item) = (a.block(old).item, b.block(new).item);
        let pair_old = |clause: u32| self.alignment.of_old[clause as usize];
        let pair_new =
            |clause: Option<u32>| clause.and_then(|clause| self.alignment.of_new[clause as usize]);
        let opens_old = first(a, old_item).is_none_or(|first| first == old);
        let opens_new = first(b, new_item).is_none_or(|first| first == new);
        if opens_old {
            let above = parent(a, old_item);
            // Items of the same words are the same place, whichever of several it is.
            let strict = |facts: &Facts, clause: Option<u32>| {
                clause.map(|clause| facts.clauses[clause as usize].strict)
            };
            if opens_new && above.is_some() && strict(a, above) == strict(b, parent(b, new_item)) {
                return false;
            }
            let expected = match above {
                None => None,
                // What stood above it is gone, which is a finding of its own.
                Some(above) => match pair_old(above) {
                    None => return false,
                    pair => pair,
                },
            };
            let here = parent(b, new_item);
            if opens_new {
                expected != pair_new(here) || (above.is_none() && here.is_some())
            } else {
                // It joined another item's text.
                let own = pair_new(first(b, new_item));
                let above = pair_new(here);
                !(own == expected || above == expected)
            }
        } else {
            // A later sentence of an item may become an item beside or below it.
            let Some(own) = first(a, old_item).and_then(pair_old) else { return false };
            let above = parent(a, old_item).and_then(pair_old);
            let mut item = new_item;
            let mut depth = 0;
            while let Some(at) = item {
                if pair_new(b.items[at as usize].first) == Some(own) {
                    return false;
                }
                item = b.items[at as usize].parent;
                depth += 1;
            }
            let here = pair_new(parent(b, new_item));
            !(here == above && depth <= 1
                || (above.is_none() && new_item.is_none())
                || (above.is_some() && here == above))
        }
    }

    fn checkbox(&self, old: u32, new: u32, findings: &mut Vec<Finding>) {
        let of = |facts: &Facts, clause: u32| {
            let item = &facts.items[facts.block(clause).item? as usize];
            (item.first == Some(clause)).then_some(item.checked).flatten()
        };
        let (a, b) = (of(&self.before.facts, old), of(&self.after.facts, new));
        let class = match (a, b) {
            (Some(_), None) => Class::DroppedCheckbox,
            (Some(a), Some(b)) if a != b => Class::CheckboxChanged,
            (None, Some(_)) => Class::CheckboxChanged,
            _ => return,
        };
        let mark = |checked: Option<bool>| match checked {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        let words = self.before.words(old);
        let text = from_to(
            &format!("{}{words}", mark(a)),
            &format!("{}{}", mark(b), short(words).chars().take(24).collect::<String>()),
        );
        findings.push(self.finding(class, old, new, text));
    }

    /// The steps of an ordered list keep their order.
    fn steps(&self, moved: &[bool], findings: &mut Vec<Finding>) {
        // By list, and by the heading below which the steps stand now: two sections of one title may
        // have traded places.
        let mut lists: FxHashMap<(u32, Option<u32>), Vec<Twins>> = FxHashMap::default();
        for item in self.before.facts.items.iter().filter(|item| item.ordered) {
            if let Some(clause) = item.first
                && !moved[clause as usize]
                && let Some(new) = self.alignment.new_of(clause)
            {
                let heading = self.after.facts.block(new).heading;
                lists.entry((item.list, heading)).or_default().push((clause, new));
            }
        }
        let mut lists: Vec<_> = lists.into_iter().collect();
        lists.sort_unstable_by_key(|(list, _)| *list);
        for (_, steps) in lists {
            for (old, new) in out_of_order(&steps) {
                findings.push(self.finding(
                    Class::StepOrder,
                    old,
                    new,
                    short(self.before.words(old)),
                ));
            }
        }
    }

    /// The lines of a fence keep their order, their fence and its language.
    fn fences(&self, moved: &[bool], findings: &mut Vec<Finding>) {
        let mut lines: FxHashMap<u32, Vec<Twins>> = FxHashMap::default();
        for pair in &self.alignment.pairs {
            let (old, new) = (pair.old[0], pair.new[0]);
            let (a, b) = (self.before.facts.block(old), self.after.facts.block(new));
            if a.container == Container::Code && b.container == Container::Code {
                lines.entry(a.group).or_default().push((old, new));
            }
        }
        let mut lines: Vec<(u32, Vec<Twins>)> = lines.into_iter().collect();
        lines.sort_unstable_by_key(|(fence, _)| *fence);
        let most = |lines: &[Twins]| {
            let mut votes: FxHashMap<u32, usize> = FxHashMap::default();
            for (_, new) in lines {
                *votes.entry(self.after.facts.block(*new).group).or_default() += 1;
            }
            votes
                .into_iter()
                .max_by_key(|(fence, votes)| (*votes, std::cmp::Reverse(*fence)))
                .map(|(fence, _)| fence)
        };
        let home: FxHashMap<u32, u32> =
            lines.iter().filter_map(|(fence, lines)| Some((*fence, most(lines)?))).collect();
        let taken: FxHashMap<u32, u32> = home.iter().map(|(old, new)| (*new, *old)).collect();
        for (fence, mut lines) in lines {
            let Some(new_fence) = home.get(&fence).copied() else { continue };
            lines.sort_unstable();
            for (old, new) in &lines {
                let here = self.after.facts.block(*new).group;
                if here != new_fence
                    && !self.is_namesake(*old, *new)
                    && taken.get(&here).is_some_and(|from| *from != fence)
                    && !moved[*old as usize]
                {
                    findings.push(self.finding(
                        Class::MovedSection,
                        *old,
                        *new,
                        short(self.before.words(*old)),
                    ));
                }
            }
            lines.retain(|(_, new)| self.after.facts.block(*new).group == new_fence);
            for (old, new) in out_of_order(&lines) {
                findings.push(self.finding(
                    Class::StepOrder,
                    old,
                    new,
                    short(self.before.words(old)),
                ));
            }
            let (a, b) = (
                &self.before.facts.fences[fence as usize].info,
                &self.after.facts.fences[new_fence as usize].info,
            );
            if a != b
                && let Some((old, new)) = lines.first()
            {
                let quoted = |info: &str| {
                    if info.is_empty() { "no language".to_owned() } else { info.to_owned() }
                };
                let mut finding =
                    self.finding(Class::FenceInfo, *old, *new, from_to(&quoted(a), &quoted(b)));
                finding.old =
                    Some(self.before.span(*old, &self.before.facts.fences[fence as usize].span));
                findings.push(finding);
            }
        }
    }

    /// Returns whether two clauses stand in two sections of one title.
    fn is_namesake(&self, old: u32, new: u32) -> bool {
        let (a, b) = (self.before.facts.block(old).heading, self.after.facts.block(new).heading);
        let (Some(a), Some(b)) = (a, b) else { return false };
        self.heading_of[a as usize] != Some(b)
            && self.paths.0[a as usize] == self.paths.1[b as usize]
    }

    /// What begins with *then* follows what it followed.
    fn sequels(&self, findings: &mut Vec<Finding>) {
        let a = &self.before.facts;
        for pair in self.alignment.pairs.iter().filter(|pair| pair.how != How::Alike) {
            let (old, new) = (pair.old[0], pair.new[0]);
            let Some(before) = old.checked_sub(1) else { continue };
            if a.block(old).container != Container::Prose || !opens_as_sequel(a, old) {
                continue;
            }
            if a.block(before).heading != a.block(old).heading
                || a.block(before).container == Container::Heading
            {
                continue;
            }
            let Some(expected) = self.alignment.of_old[before as usize] else { continue };
            let here = (new as usize).checked_sub(1).and_then(|at| self.alignment.of_new[at]);
            if here != Some(expected) {
                findings.push(self.finding(
                    Class::OrderChanged,
                    old,
                    new,
                    short(self.before.words(old)),
                ));
            }
        }
    }
}

/// Returns whether a clause begins with a word such as *then* or *finally*.
fn opens_as_sequel(facts: &Facts, clause: u32) -> bool {
    const WORDS: [&str; 9] = [
        "then",
        "next",
        "finally",
        "afterwards",
        "otherwise",
        "danach",
        "dann",
        "luego",
        "después",
    ];
    facts
        .tokens(clause)
        .first()
        .is_some_and(|token| WORDS.iter().any(|word| super::lexicon::hash_of(word) == token.strict))
}

/// Returns the fewest pairs without which the new places rise with the old ones.
fn out_of_order(pairs: &[Twins]) -> Vec<Twins> {
    if pairs.windows(2).all(|pair| pair[0].1 < pair[1].1) {
        return Vec::new();
    }
    // The longest rising run, by patience sorting.
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, new)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|top| pairs[*top].1 < *new);
        before.push(pile.checked_sub(1).map(|pile| piles[pile]));
        if pile == piles.len() {
            piles.push(at);
        } else {
            piles[pile] = at;
        }
    }
    let mut keep = vec![false; pairs.len()];
    let mut at = piles.last().copied();
    while let Some(here) = at {
        keep[here] = true;
        at = before[here];
    }
    pairs.iter().zip(keep).filter(|(_, keep)| !keep).map(|(pair, _)| *pair).collect()
}
