//! Where in a file the lines of what is sent of it stand.

use super::lines::{is_js_space, line_of};

/// Turns lines of a text that is sent into lines of the file it comes from.
///
/// They differ by front matter, comments and white space that the host takes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentLines {
    /// A line of the text from which on lines follow each other, and its line in the file; both
    /// from 1 and ascending. Empty where nothing was taken out.
    marks: Box<[(usize, usize)]>,
}

impl SentLines {
    /// Makes the value from marks: a line of the text, and its line in the file.
    pub fn new(marks: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut kept: Vec<(usize, usize)> = Vec::new();
        for (sent, file) in marks {
            let last = kept.last().copied().unwrap_or((1, 1));
            // A line that begins in one place and goes on in another is known by its beginning.
            if sent.checked_sub(last.0) != file.checked_sub(last.1)
                && (sent > last.0 || kept.is_empty())
            {
                kept.push((sent, file));
            }
        }
        Self { marks: kept.into() }
    }

    /// Returns the line in the file of a line that is sent, both from 1.
    pub fn in_file(&self, sent: usize) -> usize {
        let upto = self.marks.partition_point(|mark| mark.0 <= sent);
        let mark = upto.checked_sub(1).map(|at| self.marks[at]);
        let (from, to) = mark.unwrap_or((1, 1));
        to + sent.saturating_sub(from)
    }

    /// Returns the lines of `sent` once the white space at its start is taken off.
    #[must_use]
    pub fn without_start(&self, sent: &str) -> Self {
        let lead = sent.len() - sent.trim_start_matches(is_js_space).len();
        let gone = line_of(sent, lead) - 1;
        if gone == 0 {
            return self.clone();
        }
        let first = (1, self.in_file(gone + 1));
        let rest = self.marks.iter().filter(|mark| mark.0 > gone + 1);
        Self::new(std::iter::once(first).chain(rest.map(|(sent, file)| (sent - gone, *file))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_behind_a_gap_are_those_of_the_file() {
        let lines = SentLines::new([(1, 4), (2, 5), (3, 9), (4, 10)]);
        assert_eq!([1, 2, 3, 4, 9].map(|n| lines.in_file(n)), [4, 5, 9, 10, 15]);
        assert_eq!(SentLines::default().in_file(7), 7);
        let trimmed = lines.without_start("\n \nthree\nfour");
        assert_eq!([1, 2].map(|n| trimmed.in_file(n)), [9, 10]);
        assert_eq!(SentLines::new([(1, 1), (2, 2)]), SentLines::default());
    }
}
