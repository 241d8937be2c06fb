use super::*;

/// Returns all tokens of a text, by class.
fn tokens(text: &str) -> String {
    let all = inventory(text);
    let classes = TokenClass::ALL.into_iter().filter(|class| !all.of(*class).is_empty());
    let said = classes.map(|class| {
        let values: Vec<&str> = all.of(class).iter().map(|value| &**value).collect();
        format!("{}: {}", class.name(), values.join(" | "))
    });
    said.collect::<Vec<_>>().join("; ")
}

/// Rows of the Node engine's tables, by their names there.
#[test]
fn tokens_are_those_of_the_node_engine() {
    for (name, text, wanted) in [
        ("G3", "[[a|x]]", "wikilinks: a"),
        ("G5", "[[a#h|b]] [[ a ]] ![[e]] [[|x]] [[]]", "wikilinks: a#h | a | e | "),
        ("over lines", "[[a\nb]] [[c] [[d]]", "wikilinks: a\nb | d"),
        ("G7", "15-Jun-2026 2026-06-15 5-Jun-2026", "dates: 2026-06-15 | 2026-06-05"),
        ("G9", "15-jun-2026, 15-Jun-26", "numbers: 15 | 2026 | 26"),
        ("G10", "2026-13-45", "dates: 2026-13-45"),
        ("G11", "2026-07-08T12:30:45Z", "numbers: 2026 | 07 | 30"),
        ("G12", "12/25/2026", "numbers: 12/25 | 2026"),
        ("G13", "v3.8.4", "versions: v3.8.4"),
        ("G14", "0.1.0-beta.1 0.1.0-beta.2", "versions: 0.1.0-beta.1 | 0.1.0-beta.2"),
        ("G15", "1.2.3 1.2.3.4", "versions: 1.2.3 | 1.2.3.4"),
        ("G16", "v10.0.26200.1", "versions: v10.0.26200.1"),
        ("G17", "v1.2", "versions: v1.2"),
        ("G18", "1.2", "numbers: 1.2"),
        ("G20", "V1.2.3", "numbers: 2.3"),
        ("G21", "192.168.1.1", "versions: 192.168.1.1"),
        ("G22", "1.2.3-beta.1. end", "versions: 1.2.3-beta.1"),
        ("glued", "1.2.3a 1.2.3-", "versions: 1.2.3; numbers: 1.2"),
        ("G24", "[t](u) <http://u> http://v", "links: u | http://u | http://v"),
        ("G25", "[a](f.md \"title 12\")", "links: f.md; quotes: title 12; numbers: 12"),
        ("G26", "[a](<u r l>)", "links: u"),
        ("G27", "[a](u(v)w)", "links: u(v"),
        ("G28", "https://x/a. ", "links: https://x/a."),
        ("G29", "www.x.com HTTPS://X", ""),
        ("a lone angle", "](<)", "links: <"),
        ("G34", "``a`b``", "codespans: a"),
        ("G36", "\u{201c}one\u{201d} \"one\" \"two\"", "quotes: one | two"),
        ("G38", "x\" y z\" pipe", "quotes:  y z"),
        ("unclosed", "\u{201c}a \u{201c}b\n\u{201c}c\u{201d} `d\n`e`", "codespans: e; quotes: c"),
        ("N2", "5/7 43% ~220k", "numbers: 220k | 43% | 5/7"),
        ("N4", "3-sub", ""),
        ("N6", "44,192 44192", "numbers: 44192"),
        ("N17", "-43% -44,192 x-5.5 a -3.8", "numbers: -44192 | -43% | 5.5 | -3.8"),
        ("N19", "15-20", "numbers: 15 | 20"),
        ("N20", "\u{2212}5%", "numbers: 5%"),
        ("N22", "30s 25KB 3.5M 1e5 0x1F 16px p95 1_000", ""),
        ("N23", "\u{e51}\u{e52}", ""),
        ("N24", "\u{e1b}\u{e35}2026\u{e19}\u{e35}\u{e49} 42\u{e04}\u{e19}", "numbers: 2026 | 42"),
        ("N25", "12,34 44,1923 1.234,56", "numbers: 1.234 | 12 | 34 | 44 | 1923 | 56"),
        ("grouped", "1,234.5% 1,234.5a 1,234,5678", "numbers: 1234.5% | 1234 | 5678"),
        ("N32", "v1.2.3 2026-01-02", "dates: 2026-01-02; versions: v1.2.3"),
    ] {
        assert_eq!(tokens(text), wanted, "{name}: {text}");
    }
}

/// F1 to F24, as far as they are about which keys there are.
#[test]
fn keys_of_front_matter_are_those_of_the_node_engine() {
    for (name, text, wanted) in [
        ("plain", "---\na: 1\nb: 2\n---\nc: 3\n", "a | b"),
        ("F2", "a: 1\n", ""),
        ("F2, unclosed", "---\na: 1\n", ""),
        ("F3", "---\r\na: 1\r\nb: 2\r\n---\r\n", "a | b"),
        ("F4", "---\na.b: 1\n$ref: x\n/p: y\n\u{e9}: z\n---\n", "a.b | $ref | /p | \u{e9}"),
        ("F5", "---\na:b: 1\na:c: 2\na: 4\n---\n", "a:b | a:c | a"),
        ("F6", "---\ndesc: see http://x\n---\n", "desc"),
        ("F7", "---\na:\n  b: 1\n---\n", "a"),
        ("F8", "---\npinned:true\n---\n", ""),
        ("F9", "---\n\"pinned\": true\n---\n", "\"pinned\""),
        ("F10", "---\na:b c: d\n---\n", "a:b c"),
        ("F11", "---\n  a: 1\n  b: 2\n---\n", "a | b"),
        ("F12", "---\n  alpha: 1\npinned: true\n---\n", "alpha | pinned"),
        ("F13", "---\n    alpha: 1\n  beta: 2\n---\n", "alpha"),
        ("F14", "---\n- item: x\n# c: x\nhttps://e.com\n---\n", ""),
        ("F15", "\u{feff}---\na: 1\n---\n", "a"),
        ("F16", "\u{feff}\u{feff}---\na: 1\n---\n", ""),
        ("F18", "---\na\0: 1\n---\n", ""),
        ("F19", "--- \t\na: 1\n--- \n", "a"),
        ("F20", "---\ra: 1\r---\r", ""),
        ("F22", "---\u{1f600}\na: 1\n---\n", ""),
        ("F23", "--- a/file\na: 1\n---\n", ""),
        ("F23, a blank line", "\n---\na: 1\n---\n", ""),
        ("F24", "---\na: 1\n---", "a"),
        ("empty", "---\n---\na: 1\n", ""),
        ("a key of nothing", "---\na:\n---\n", "a"),
        ("a tab", "---\n\ta: 1\nb: 2\n---\n", "b"),
    ] {
        let keys = inventory(text);
        let keys: Vec<&str> = keys.of(TokenClass::FrontMatter).iter().map(|it| &**it).collect();
        assert_eq!(keys.join(" | "), wanted, "{name}");
    }
}

/// D1, D2 and D3.
#[test]
fn what_neither_the_file_nor_a_cut_has_is_a_candidate() {
    let anchor = "v1.2.3 since 2026-01-02, see [[plan]] and `make`. 878 passed.";
    let diff = |current: &str, cuts: &[&str]| {
        let cuts: Vec<String> = cuts.iter().map(|text| (*text).to_owned()).collect();
        let diff = anchor_diff(anchor, current, &cuts);
        let said = diff.candidates.iter().map(|it| format!("{} {}", it.class.name(), it.value));
        (said.collect::<Vec<_>>().join(", "), diff.counts)
    };
    assert_eq!(diff(anchor, &[]).0, "");
    let (said, counts) = diff("see [[plan]]. 878", &["v1.2.3 is old"]);
    assert_eq!(said, "dates 2026-01-02, codespans make");
    assert_eq!(counts[2], (TokenClass::Versions, 1, 0));
    assert_eq!(counts[5], (TokenClass::CodeSpans, 1, 1));
    assert_eq!(diff("", &[]).1.iter().map(|(_, had, lost)| had - lost).sum::<usize>(), 0);
}

/// Texts that take the Node engine seconds. A scanner that starts over at each of these takes minutes.
#[test]
fn no_text_is_slow() {
    for piece in ["\u{201c}", "<http:", "[[a", "](", "1.", "v1.1.1-a_", "1,111", "\"a", "-"] {
        let all = inventory(&piece.repeat(40_000));
        assert!(all.of(TokenClass::Wikilinks).is_empty(), "{piece}");
    }
}
