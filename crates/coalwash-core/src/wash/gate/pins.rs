//! Passages that no rewrite may change: files that say `pinned`, and sections that a project keeps.

use std::ops::Range;

use super::{
    facts::body,
    report::{Finding, Report},
};

/// Values of `pinned:` that don't pin.
///
/// Source: the Node engine 1.1.0, whose every other value, an empty one too, pins.
const NOT_PINNED: [&str; 3] = ["false", "no", "off"];

/// Returns whether the front matter of `text` says that the file is pinned.
pub fn is_pinned(text: &str) -> bool {
    let front = &text[..body(text)];
    front.split(['\n', '\r']).any(|line| {
        let Some((key, value)) = line.split_once(':') else { return false };
        if key.starts_with(char::is_whitespace) {
            return false;
        }
        let quotes = |c: char| matches!(c, '"' | '\'') || c.is_whitespace() || c == '\u{feff}';
        if !key.trim_matches(quotes).eq_ignore_ascii_case("pinned") {
            return false;
        }
        let value = value.split(" #").next().unwrap_or(value).trim_matches(quotes);
        !NOT_PINNED.contains(&value.to_lowercase().as_str())
    })
}

/// Returns the passages of a file that no rewrite may change: all of it where it says so itself, and
/// what entries of `keep` name as `PATH` or `PATH#HEADING`.
///
/// The second list has the entries of this file whose heading isn't there.
pub fn kept(path: &str, text: &str, keep: &[String]) -> (Vec<Range<usize>>, Vec<String>) {
    let whole = 0..text.len() + 1;
    let (mut passages, mut missing) = (Vec::new(), Vec::new());
    if is_pinned(text) {
        passages.push(whole.clone());
    }
    for entry in keep {
        let (file, heading) = entry.split_once('#').unwrap_or((entry, ""));
        if file != path {
            continue;
        }
        if heading.is_empty() {
            passages.push(whole.clone());
        } else if let Some(range) = section(text, heading) {
            passages.push(range);
        } else {
            missing.push(entry.clone());
        }
    }
    (passages, missing)
}

/// Returns the bytes of the section under a heading of these words, up to the next heading of its
/// level or above; `None` where the text has no such heading.
pub(super) fn section(text: &str, words: &str) -> Option<Range<usize>> {
    let wanted = plain(words.trim_start_matches('#'));
    let mut found: Option<(usize, usize)> = None;
    for (level, title, at) in headings(text) {
        match found {
            Some((start, own)) if level <= own => return Some(start..at),
            Some(_) => {}
            None if plain(title) == wanted => found = Some((at, level)),
            None => {}
        }
    }
    found.map(|(start, _)| start..text.len())
}

/// Returns the level, words and start of each heading.
fn headings(text: &str) -> Vec<(usize, &str, usize)> {
    use pulldown_cmark::{Event, Parser, Tag};
    let start = body(text);
    Parser::new(&text[start..])
        .into_offset_iter()
        .filter_map(|(event, at)| match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let at = at.start + start..at.end + start;
                let title = text[at.clone()].lines().next().unwrap_or("");
                Some((level as usize, title.trim_matches(['#', ' ']), at.start))
            }
            _ => None,
        })
        .collect()
}

fn plain(title: &str) -> String {
    let kept = title.chars().filter(|c| !matches!(c, '*' | '_' | '`' | '#'));
    kept.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl Report {
    /// Marks what touches one of these passages of the old text with this number.
    pub fn pin(&mut self, text: usize, passages: &[Range<usize>]) {
        let touches = |finding: &Finding| {
            finding.old.as_ref().is_some_and(|span| {
                span.text == text
                    && passages
                        .iter()
                        .any(|range| span.start < range.end && range.start <= span.end)
            })
        };
        for finding in &mut self.findings {
            finding.pinned |= touches(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pins() {
        for value in [
            "true",
            "True",
            "yes",
            "\"true\"",
            "'true'",
            "true # note",
            "maybe",
            "0",
            "1",
            "[]",
            "",
            "n",
        ] {
            assert!(is_pinned(&format!("---\na: 1\npinned: {value}\n---\nx")), "{value}");
        }
        for value in ["false", "False", "no", "off", "\"false\"", "false # so"] {
            assert!(!is_pinned(&format!("---\npinned: {value}\n---\nx")), "{value}");
        }
        assert!(is_pinned("---\nPINNED: true\n---\n"));
        assert!(is_pinned("\u{feff}---\npinned:true\n---\n"));
        for text in [
            "pinned: true",
            "---\nunpinned: true\n---\n",
            "---\na:\n  pinned: true\n---\n",
            "---\n# pinned: true\n---\n",
            "---\na: 1\n---\npinned: true\n",
            "---\n- pinned: true\n---\n",
        ] {
            assert!(!is_pinned(text), "{text}");
        }
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let text = "# T\n\n## A\n\nx\n\n### B\n\ny\n\n## `C` d\n\nz\n";
        let of = |words: &str| section(text, words).map(|range| &text[range]);
        assert_eq!(of("A"), Some("## A\n\nx\n\n### B\n\ny\n\n"));
        assert_eq!(of("b"), Some("### B\n\ny\n\n"));
        assert_eq!(of("C D"), Some("## `C` d\n\nz\n"));
        assert_eq!(of("E"), None);
    }

    #[test]
    fn a_rewording_blocks_where_it_is_pinned() {
        let old = "## A\n\nIt is very fast.\n\n## B\n\nIt is quite slow.\n";
        let new = "## A\n\nIt is fast.\n\n## B\n\nIt is slow.\n";
        let mut report = super::super::compare(&[old], new);
        assert!(report.passes());
        report.pin(0, &section(old, "B").into_iter().collect::<Vec<_>>());
        assert!(!report.passes());
        assert_eq!(report.findings.iter().filter(|finding| finding.pinned).count(), 1);
    }
}
