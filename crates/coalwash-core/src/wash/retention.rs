//! How long the bins of the Node engine (`CoalWash` 1.x) keep what was cut.
//!
//! Everything for two days; then one event a day for two weeks; then one a week until the horizon.
//! What was cut at one time is one event, and stays or goes as one. A cap on the size takes the
//! oldest first, and never what is younger than two days.
//!
//! Pure: it says what would go. Our own originals are kept by another rule.
//!
//! Source: spec of the Node engine, v1.1.0. One thing is ours: a time that is no whole number is a
//! doubt, and what is in doubt stays.

use std::collections::{BTreeMap, BTreeSet};

mod certificate;
#[cfg(test)]
mod tests;

pub use certificate::certificate;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Weeks are counted from 1 January 1970, so they begin on a Thursday.
const WEEK_MS: i64 = 7 * DAY_MS;

/// For how long everything stays.
const ALL_MS: i64 = 48 * HOUR_MS;
/// Until when one event a day stays.
const DAILY_MS: i64 = 14 * DAY_MS;

/// One thing in a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aged {
    /// When it was cut, in milliseconds since 1970; `None` where that isn't known.
    pub at_ms: Option<i64>,
    /// How much room it takes.
    pub bytes: u64,
}

/// How long a bin keeps things, and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Nothing older stays.
    pub horizon_days: u32,
    /// How large it may be; `None` is as large as it gets.
    pub budget_bytes: Option<u64>,
}

/// Why something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It is older than anything that stays.
    Horizon,
    /// A newer event of its day or week stays.
    Density,
    /// The bin is too large.
    SizeCap,
}

impl Rule {
    /// Returns the word that stands in certificates.
    pub fn word(self) -> &'static str {
        match self {
            Self::Horizon => "horizon",
            Self::Density => "density",
            Self::SizeCap => "size-cap",
        }
    }
}

/// A bin that stays larger than it may be, since all that is left is too young.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapConflict {
    /// What it may have.
    pub budget_bytes: u64,
    /// What it has.
    pub kept_bytes: u64,
}

/// What stays and what goes, by place in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ladder {
    /// What stays, in order.
    pub keep: Vec<usize>,
    /// What goes, in order, and why.
    pub destroy: Vec<(usize, Rule)>,
    /// Set where the cap could not be kept.
    pub cap_conflict: Option<CapConflict>,
}

/// Says what of a bin stays at the time `now_ms`.
pub fn ladder(items: &[Aged], now_ms: i64, terms: Terms) -> Ladder {
    let horizon_ms = i64::from(terms.horizon_days) * DAY_MS;
    let mut goes: BTreeMap<usize, Rule> = BTreeMap::new();
    let (mut daily, mut weekly) = (Vec::new(), Vec::new());
    for (item, at, age) in dated(items, now_ms) {
        if age > horizon_ms {
            goes.insert(item, Rule::Horizon);
        } else if age > DAILY_MS {
            weekly.push((item, at));
        } else if age > ALL_MS {
            daily.push((item, at));
        }
    }
    for (list, slot_ms) in [(daily, DAY_MS), (weekly, WEEK_MS)] {
        let mut newest: BTreeMap<i64, i64> = BTreeMap::new();
        for (_, at) in &list {
            let kept = newest.entry(at.div_euclid(slot_ms)).or_insert(*at);
            *kept = (*kept).max(*at);
        }
        let older = list.iter().filter(|(_, at)| newest[&at.div_euclid(slot_ms)] != *at);
        goes.extend(older.map(|(item, _)| (*item, Rule::Density)));
    }
    let cap_conflict = terms.budget_bytes.and_then(|budget| cap(items, now_ms, budget, &mut goes));
    Ladder {
        keep: (0..items.len()).filter(|item| !goes.contains_key(item)).collect(),
        destroy: goes.into_iter().collect(),
        cap_conflict,
    }
}

/// Returns what has a time that can be believed, with its age. The rest is never judged.
fn dated(items: &[Aged], now_ms: i64) -> impl Iterator<Item = (usize, i64, i64)> {
    items.iter().enumerate().filter_map(move |(item, aged)| {
        let at = aged.at_ms.filter(|at| *at <= now_ms)?;
        Some((item, at, now_ms.saturating_sub(at)))
    })
}

/// Lets the oldest go until the rest fits.
fn cap(
    items: &[Aged],
    now_ms: i64,
    budget_bytes: u64,
    goes: &mut BTreeMap<usize, Rule>,
) -> Option<CapConflict> {
    let kept = (0..items.len()).filter(|item| !goes.contains_key(item));
    let mut kept_bytes = kept.fold(0_u64, |sum, item| sum.saturating_add(items[item].bytes));
    let mut oldest_first: Vec<(i64, i64, usize)> = dated(items, now_ms)
        .filter(|(item, ..)| !goes.contains_key(item) && items[*item].bytes > 0)
        .map(|(item, at, age)| (at, age, item))
        .collect();
    oldest_first.sort_unstable();
    // The newest stays whatever happens.
    oldest_first.pop();
    oldest_first.retain(|(_, age, _)| *age > ALL_MS);
    let mut in_week: BTreeMap<i64, usize> = BTreeMap::new();
    for (at, ..) in &oldest_first {
        *in_week.entry(at.div_euclid(WEEK_MS)).or_default() += 1;
    }
    let mut gone = BTreeSet::new();
    for spares_weeks in [true, false] {
        for (at, _, item) in &oldest_first {
            let left = in_week.entry(at.div_euclid(WEEK_MS)).or_default();
            if kept_bytes <= budget_bytes || (spares_weeks && *left <= 1) || gone.contains(item) {
                continue;
            }
            *left -= 1;
            gone.insert(*item);
            kept_bytes = kept_bytes.saturating_sub(items[*item].bytes);
        }
    }
    goes.extend(gone.into_iter().map(|item| (item, Rule::SizeCap)));
    (kept_bytes > budget_bytes).then_some(CapConflict { budget_bytes, kept_bytes })
}
