//! Makes foreign text safe to print on a screen.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns `text` with everything escaped that could move the cursor, hide or reorder text.
///
/// Control characters, bidirectional marks and overrides, zero-width and tag characters, line and
/// paragraph separators become `\n`, `\t` or `\u{…}`. Everything else stays.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe(c) => {
                write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string never fails");
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Returns `bytes` as text, with what isn't UTF-8 shown as `\xNN`.
pub fn escaped_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(&escaped(chunk.valid()));
        for b in chunk.invalid() {
            write!(out, "\\x{b:02x}").expect("writing to a string never fails");
        }
    }
    out
}

/// Source: Unicode 16, general category Cc and Cf, and the two separators Zl and Zp.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_move_the_cursor_or_reorder_text() {
        assert_eq!(escaped("a\nb\u{1b}[31m\u{202e}x"), "a\\nb\\u{1b}[31m\\u{202e}x");
        assert_eq!(escaped("schön 日本"), "schön 日本");
        assert_eq!(escaped_bytes(b"a\xffb"), "a\\xffb");
    }
}
