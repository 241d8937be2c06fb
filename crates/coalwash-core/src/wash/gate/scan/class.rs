//! Kinds of characters, and where runs of them end.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Space,
    Stop,
    Punctuation,
    Letter,
    Spaceless,
    Symbol,
}

pub(super) fn class(c: char) -> Class {
    match c {
        '\u{a0}'
        | '\u{2000}'..='\u{200b}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{3000}'
        | '\u{feff}'
        | '\u{2060}'
        | '\u{ad}' => Class::Space,
        '。' | '！' | '？' | '；' | '｡' => Class::Stop,
        '，' | '、' | '：' | '「' | '」' | '『' | '』' | '（' | '）' | '【' | '】' | '《'
        | '》' | '〈' | '〉' | '・' | '“' | '”' | '‘' | '’' | '«' | '»' | '—' | '–' | '…' | '·'
        | '¿' | '¡' | '„' | '‚' | '‹' | '›' | '［' | '］' | '｛' | '｝' | '〜' | '～' | '•' => {
            Class::Punctuation
        }
        '\u{e00}'..='\u{e4f}'
        | '\u{e5a}'..='\u{eff}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Class::Spaceless,
        c if c.is_alphanumeric() => Class::Letter,
        '\u{300}'..='\u{36f}' => Class::Letter,
        _ => Class::Symbol,
    }
}

pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// Returns whether a word ends where hangul follows, or is followed by, this byte.
///
/// A particle stands directly behind a name or number: `README.md를`, `30초`. A path goes on.
fn parts_hangul(b: u8) -> bool {
    b.is_ascii() && !b"/._-~#&@,:;!?".contains(&b)
}

/// Returns where the text between white space that begins at `at` ends.
pub(super) fn chunk_end(text: &str, at: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut pos = at;
    while pos < end {
        let b = bytes[pos];
        if b < 0x80 {
            if b.is_ascii_whitespace() {
                return pos;
            }
            // Quotation marks and closing brackets stay with what they close.
            if pos > at
                && bytes[pos - 1] >= 0x80
                && parts_hangul(b)
                && !b"\"'`)]}*|\\%".contains(&b)
                && text[at..pos].ends_with(is_hangul)
            {
                return pos;
            }
            pos += 1;
            continue;
        }
        let Some(c) = text[pos..].chars().next() else { return end };
        match class(c) {
            Class::Letter if pos > at && is_hangul(c) && parts_hangul(bytes[pos - 1]) => {
                return pos;
            }
            Class::Letter => {}
            // An apostrophe inside a word.
            Class::Punctuation
                if c == '\u{2019}'
                    && pos > at
                    && text[pos + 3..end].starts_with(char::is_alphabetic) => {}
            // A dash, sign or mark between or before digits.
            Class::Punctuation
                if c == '–'
                    && pos > at
                    && text[pos + 3..end].starts_with(|c: char| c.is_ascii_digit())
                    && bytes[pos - 1].is_ascii_digit() => {}
            Class::Symbol
                if matches!(c, '≤' | '≥' | '≈' | '−' | '±' | '€' | '£' | '¥' | '×')
                    && text[pos + c.len_utf8()..end].starts_with(|c: char| c.is_ascii_digit()) => {}
            _ => return if pos == at { pos + c.len_utf8() } else { pos },
        }
        pos += c.len_utf8();
    }
    end
}

pub(super) fn spaceless_end(text: &str, at: usize, end: usize) -> usize {
    text[at..end]
        .char_indices()
        .find(|(_, c)| class(*c) != Class::Spaceless && !matches!(c, '\u{3099}' | '\u{309a}'))
        .map_or(end, |(pos, _)| at + pos)
}

/// Returns the length of one sign of a script without spaces, or of a run of katakana.
pub(super) fn cluster(text: &str) -> usize {
    let katakana = |c: char| matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}');
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    let goes_on = |c: char| {
        if katakana(first) {
            katakana(c)
        } else {
            matches!(c, '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{e33}' | '\u{3099}' | '\u{309a}')
        }
    };
    chars.find(|(_, c)| !goes_on(*c)).map_or(text.len(), |(at, _)| at)
}
