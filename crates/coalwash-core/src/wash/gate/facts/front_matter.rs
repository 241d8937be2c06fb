//! The values of front matter, each bound to its key.

use std::ops::Range;

use super::{Container, read::Reader};
use crate::wash::gate::lexicon::{hash_of, mixed};

impl Reader<'_, '_, '_, '_> {
    /// Reads the front matter, if the text has any.
    pub(super) fn front_matter(&mut self) {
        let text = self.text;
        let Some((inner, _)) = front_matter(text) else { return };
        let (begin, end) = (inner.start, inner.end);
        let mut at = begin;
        let mut key = 0;
        for line in text[begin..end].split_inclusive('\n') {
            let here = at;
            at += line.len();
            let trimmed = line.trim();
            if trimmed.is_empty() {
                continue;
            }
            let lead = line.len() - line.trim_start().len();
            let (name, value, offset) = match trimmed.split_once(':') {
                Some((name, value))
                    if lead == 0
                        && !trimmed.starts_with(['-', '#'])
                        && (value.is_empty() || value.starts_with([' ', '\t'])) =>
                {
                    key = hash_of(name.trim_end());
                    (key, value.trim(), lead)
                }
                _ => (mixed(key, 1), trimmed, lead),
            };
            let value = value
                .strip_prefix(['"', '\''])
                .and_then(|value| value.strip_suffix(['"', '\'']))
                .unwrap_or(value);
            let strict = mixed(name, hash_of(value));
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a key is told from another by half its hash"
            )]
            {
                self.next_group = key as u32;
            }
            self.line(Container::FrontMatter, strict, here + offset..here + line.trim_end().len());
        }
        self.next_group = 0;
    }
}

/// Returns the bytes of the lines of front matter, and where the body behind it begins.
fn front_matter(text: &str) -> Option<(Range<usize>, usize)> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut lines = text[start..].split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == "---")?;
    let begin = start + first.len();
    let mut end = begin;
    for line in lines {
        if line.trim_end() == "---" {
            return Some((begin..end, end + line.len()));
        }
        end += line.len();
    }
    None
}

/// Returns where the Markdown of `text` begins, behind byte order marks and front matter.
pub(in crate::wash) fn body(text: &str) -> usize {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    front_matter(text).map_or(start, |(_, body)| body)
}
