//! Character classes as the host's JavaScript has them.

/// Whether JavaScript's `\s` and `trim` take `c` for white space.
pub(super) fn is_js_space(c: char) -> bool {
    matches!(c,
        '\u{9}'..='\u{D}' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}'
        | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}')
}

/// Whether `text` is empty or only white space.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_js_space)
}

/// Whether `c` is punctuation or a symbol (Unicode `P` or `S`), which decides what a run of `*` or
/// `_` beside it can open or close.
///
/// # Limitations
///
/// Outside ASCII the blocks that hold nearly all of both classes are listed, not every character.
pub(super) fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    let circled_letter = matches!(c, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F189}');
    let block = matches!(c,
        '\u{A1}'..='\u{AC}' | '\u{AE}'..='\u{BF}' | '\u{D7}' | '\u{F7}' | '\u{2C2}'..='\u{2FF}'
        | '\u{375}'..='\u{387}' | '\u{3F6}' | '\u{482}' | '\u{55A}'..='\u{58F}'
        | '\u{5BE}'..='\u{5F4}' | '\u{606}'..='\u{60F}' | '\u{61B}'..='\u{61F}'
        | '\u{66A}'..='\u{66D}' | '\u{6D4}' | '\u{964}'..='\u{965}' | '\u{E3F}' | '\u{E4F}'
        | '\u{E5A}'..='\u{E5B}' | '\u{1360}'..='\u{1368}' | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205E}' | '\u{207A}'..='\u{208E}' | '\u{20A0}'..='\u{20CF}'
        | '\u{2100}'..='\u{2BFF}' | '\u{2E00}'..='\u{2FFB}' | '\u{3001}'..='\u{3029}'
        | '\u{3030}' | '\u{3036}'..='\u{303F}' | '\u{309B}'..='\u{309C}' | '\u{30A0}'
        | '\u{30FB}' | '\u{3190}'..='\u{33FF}' | '\u{4DC0}'..='\u{4DFF}'
        | '\u{FD3E}'..='\u{FD3F}' | '\u{FE10}'..='\u{FE19}' | '\u{FE30}'..='\u{FE6B}'
        | '\u{FF01}'..='\u{FFEE}' | '\u{FFFC}'..='\u{FFFD}' | '\u{1F000}'..='\u{1FBCA}');
    circled_letter || (block && !c.is_alphanumeric())
}
