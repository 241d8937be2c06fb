//! A comparison as part of a pull request's comment; empty where there is nothing to say.

use super::{Compared, Diffed, Told, text};
use crate::ui::plural;

/// Findings of one file that are listed.
const MOST: usize = 20;

/// Returns the part.
pub(super) fn text(diffed: &Diffed) -> String {
    let mut parts: Vec<String> =
        diffed.files.iter().filter_map(|file| of_file(file, diffed)).collect();
    for (name, why) in &diffed.unread {
        parts.push(format!("{} was not compared: {}", code(name), plain(why)));
    }
    if parts.is_empty() {
        return String::new();
    }
    parts.join("\n\n") + "\n"
}

fn of_file(file: &Compared, diffed: &Diffed) -> Option<String> {
    let failing: Vec<&Told> = file.failing(diffed.strict).collect();
    if failing.is_empty() {
        return None;
    }
    let facts = plural(file.lost(diffed.strict), "fact", "facts");
    let mut out = format!("**{facts} lost, changed or moved in {}**\n", code(&file.new));
    for told in failing.iter().take(MOST) {
        let line = told.old.or(told.new).map_or(0, |place| place.line);
        let found = &told.finding;
        let keep = if found.pinned { ", a passage to keep" } else { "" };
        out.push_str(&format!(
            "\n- {} (line {line}{keep}): {}",
            found.class.word(),
            plain(&found.text)
        ));
    }
    if failing.len() > MOST {
        out.push_str(&format!("\n- {} more", failing.len() - MOST));
    }
    if let Some(trailer) = text::trailer(file, diffed).filter(|_| diffed.by_trailer) {
        out.push_str(&format!("\n\nMeant? Commit trailer: {}", code(&trailer)));
    }
    Some(out)
}

/// Returns text that Markdown shows as it is: no markup, no mention.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            // A zero-width joiner keeps GitHub from telling whoever has the name.
            '@' => out.push_str("@\u{2060}"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Returns text as a code span.
fn code(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    match clean.contains('`') {
        true => format!("`` {clean} ``"),
        false => format!("`{clean}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_mentions_are_shown_as_they_are() {
        assert_eq!(plain("a | *b* <c> @d `e`"), "a \\| \\*b\\* &lt;c&gt; @\u{2060}d \\`e\\`");
        assert_eq!(code("a`b"), "`` a`b ``");
    }
}
