//! Changes of lines: two of them together, or all but one.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Returns the text in which both changes of `base` are made, or `None` where they touch the same
/// lines.
pub fn merged(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    if ours == base {
        return Some(theirs.to_vec());
    }
    if theirs == base || ours == theirs {
        return Some(ours.to_vec());
    }
    diffy::merge_bytes(base, ours, theirs).ok()
}

/// Returns `new` with only the change taken back that touched line `line` of `old`, or stood right
/// behind it; `None` where that line is the same in both.
pub fn without_change(old: &[u8], new: &[u8], line: usize) -> Option<Vec<u8>> {
    let (old, new) = (lines(old), lines(new));
    let at = line.checked_sub(1)?;
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let touches = |op: &DiffOp| {
        let range = op.old_range();
        !matches!(op, DiffOp::Equal { .. })
            && (range.contains(&at) || range.is_empty() && range.start == at + 1)
    };
    let chosen = ops.iter().position(touches)?;
    let mut out = Vec::new();
    for (number, op) in ops.iter().enumerate() {
        let kept = match number == chosen {
            true => &old[op.old_range()],
            false => &new[op.new_range()],
        };
        kept.iter().for_each(|line| out.extend_from_slice(line));
    }
    Some(out)
}

/// One line that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange<'t> {
    /// Whether it is of the new text.
    pub is_new: bool,
    /// Its number in its text, from 1.
    pub line: usize,
    /// The line without its end.
    pub text: &'t str,
}

/// Returns the lines that differ, in order.
pub fn line_changes<'t>(old: &'t str, new: &'t str) -> Vec<LineChange<'t>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut out = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let gone =
            op.old_range().map(|at| LineChange { is_new: false, line: at + 1, text: old[at] });
        let come =
            op.new_range().map(|at| LineChange { is_new: true, line: at + 1, text: new[at] });
        out.extend(gone.chain(come));
    }
    out
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(done: Option<Vec<u8>>) -> String {
        done.map_or_else(|| "-".to_owned(), |text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn two_changes_are_made_together_unless_they_touch() {
        let base = b"a\nb\nc\nd\ne\n";
        let cases: &[(&[u8], &[u8], &str)] = &[
            (b"A\nb\nc\nd\ne\n", b"a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"),
            (b"a\nb\nc\nd\ne\nf\n", b"a\nc\nd\ne\n", "a\nc\nd\ne\nf\n"),
            (b"a\nB\nc\nd\ne\n", b"a\nX\nc\nd\ne\n", "-"),
            (b"a\nb\nc\nd\ne\n", b"x\n", "x\n"),
            (b"x\n", b"x\n", "x\n"),
        ];
        for (ours, theirs, expected) in cases {
            assert_eq!(said(merged(base, ours, theirs)), *expected);
        }
    }

    #[test]
    fn one_change_is_taken_back_by_its_old_line() {
        let old = b"a\nb\nc\nd\ne\n";
        let new = b"a\nc\nD\ne\n";
        assert_eq!(said(without_change(old, new, 2)), "a\nb\nc\nD\ne\n");
        assert_eq!(said(without_change(old, new, 4)), "a\nc\nd\ne\n");
        assert_eq!(said(without_change(old, new, 3)), "-");
        assert_eq!(said(without_change(old, new, 0)), "-");
        assert_eq!(said(without_change(old, new, 9)), "-");
        assert_eq!(said(without_change(b"a\nb\n", b"a\nx\nb\n", 1)), "a\nb\n");
    }
}
