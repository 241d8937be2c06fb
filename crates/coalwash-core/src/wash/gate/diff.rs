//! Where two sequences of words differ.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A part of the old sequence, and what stands in its place.
pub(super) type Difference = (Range<usize>, Range<usize>);

/// The most differences inside one clause that are told one by one.
const MOST: usize = 8;

/// Steps that one comparison of two texts may spend on differences; a clause takes as many as the
/// square of what differs on both sides. Then what differs is told as one.
pub(super) const BUDGET: usize = 20_000_000;

/// Returns what differs between two sequences, and whether it is order alone.
pub(super) fn differences(old: &[u64], new: &[u64], budget: &mut usize) -> (Vec<Difference>, bool) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = rest.take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let whole = (head..old.len() - tail, head..new.len() - tail);
    if a.is_empty() && b.is_empty() {
        return (Vec::new(), false);
    }
    let cost = (a.len() + b.len()).saturating_pow(2);
    if a.is_empty() || b.is_empty() || cost > *budget {
        return (vec![whole], false);
    }
    *budget -= cost;
    let mut found: Vec<Difference> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, a, b) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (x, y) = (op.old_range(), op.new_range());
        let (x, y) = (x.start + head..x.end + head, y.start + head..y.end + head);
        match found.last_mut() {
            Some(last) if last.0.end == x.start && last.1.end == y.start => {
                (last.0.end, last.1.end) = (x.end, y.end);
            }
            _ => found.push((x, y)),
        }
    }
    let changed: usize = found.iter().map(|(x, y)| x.len() + y.len()).sum();
    if a.len() == b.len() {
        // Words that traded places read best one by one.
        let places: Vec<usize> = (0..a.len()).filter(|at| a[*at] != b[*at]).collect();
        if places.len() * 2 <= changed && places.len() <= MOST {
            found.clear();
            for at in places.iter().map(|at| at + head) {
                match found.last_mut() {
                    Some(last) if last.0.end == at => (last.0.end, last.1.end) = (at + 1, at + 1),
                    _ => found.push((at..at + 1, at..at + 1)),
                }
            }
        }
    }
    let sorted = |words: &[u64]| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words
    };
    let traded = found.len() <= MOST
        && found.iter().all(|(x, y)| {
            !x.is_empty()
                && !y.is_empty()
                && found.iter().any(|(other_x, other_y)| {
                    old[x.clone()] == new[other_y.clone()] && old[other_x.clone()] == new[y.clone()]
                })
        });
    if !traded && a.len() == b.len() && sorted(a) == sorted(b) {
        return (vec![whole], true);
    }
    if found.len() > MOST
        && let (Some(first), Some(last)) = (found.first(), found.last())
    {
        found = vec![(first.0.start..last.0.end, first.1.start..last.1.end)];
    }
    (found, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::type_complexity, reason = "what is tested")]
    const CASES: [(&[u64], &[u64], &[(Range<usize>, Range<usize>)], bool); 6] = [
        (&[1, 2, 3], &[1, 4, 3], &[(1..2, 1..2)], false),
        (&[1, 2, 3], &[1, 3], &[(1..2, 1..1)], false),
        (&[1, 5, 2, 3, 7, 4], &[1, 7, 2, 3, 5, 4], &[(1..2, 1..2), (4..5, 4..5)], false),
        (&[9, 1, 2], &[1, 9, 2], &[(0..2, 0..2)], true),
        (&[1, 2], &[1, 2], &[], false),
        (&[1, 2, 3, 4], &[3, 4, 1, 2], &[(0..4, 0..4)], true),
    ];

    #[test]
    fn what_differs_is_found() {
        for (old, new, expected, order) in CASES {
            let mut budget = BUDGET;
            assert_eq!(
                differences(old, new, &mut budget),
                (expected.to_vec(), order),
                "{old:?} {new:?}"
            );
        }
    }

    #[test]
    fn without_budget_all_is_one_difference() {
        assert_eq!(differences(&[1, 2, 3, 9], &[4, 2, 5, 9], &mut 35).0, vec![(0..3, 0..3)]);
    }
}
