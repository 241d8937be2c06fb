//! Lines, and the white space that JavaScript's `trim` knows.

/// Returns whether `c` is white space to JavaScript's `trim` and `\s`.
///
/// It differs from Rust's [`char::is_whitespace`] twice: U+FEFF counts and U+0085 doesn't.
///
/// Source: ECMA-262, *WhiteSpace* and *LineTerminator*.
pub fn is_js_space(c: char) -> bool {
    matches!(c, '\u{9}'..='\u{d}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}')
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// Returns `text` without the white space around it, as JavaScript's `trim` does.
pub fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// Returns the 1-based line on which byte `at` of `text` stands.
pub fn line_of(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at.min(text.len())]).count() + 1
}

/// Returns the length of `text` in UTF-16 units, which is what hosts written in JavaScript count.
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Returns the longest prefix of `text` of at most `units` UTF-16 units.
///
/// A character outside the basic plane that would be cut in half stays out.
pub fn utf16_prefix(text: &str, units: usize) -> &str {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        seen += c.len_utf16();
        if seen > units {
            return &text[..at];
        }
    }
    text
}

/// Returns the start of a text in at most `most` characters, with `…` where it was cut.
pub fn head(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trim_is_the_one_of_javascript() {
        assert_eq!(js_trim("\u{feff}\u{a0} a\u{85} \r\n"), "a\u{85}");
        assert_eq!(js_trim(" \t\u{2028}"), "");
    }

    #[test]
    fn a_surrogate_pair_is_never_split() {
        assert_eq!(utf16_prefix("a😀b", 2), "a");
        assert_eq!(utf16_prefix("a😀b", 3), "a😀");
        assert_eq!(utf16_len("a😀b"), 4);
    }
}
