//! What holds for every text.

use proptest::prelude::*;

use super::{
    compare,
    model::{Block, doc, layout},
    whole,
};
use crate::wash::gate::{
    Gate, Memo, Report, canon::Canon, chunks::Parts, facts::body, lexicon::Role,
    report::MOST_CHARS, side::Side, token::Token,
};

/// Returns the tokens of a text, in order.
fn tokens(text: &str) -> Vec<Token> {
    let mut memo = Memo::default();
    let mut canon = Canon::of(&std::iter::once(text), &mut memo);
    Side::read(&[text], &mut canon).facts.tokens
}

/// Reads `text` as it is read alone, and as it is read after `other`.
fn alone_and_after(other: &str, text: &str) -> [String; 2] {
    let mut memo = Memo::default();
    let mut canon = Canon::of(&[other, text].into_iter(), &mut memo);
    let whole = |text: &str| Parts::whole(body(text)..text.len());
    let other = Side::read_parts(other, whole(other), None, &mut canon);
    [None, Some(&other)].map(|twin| {
        let facts = Side::read_parts(text, whole(text), twin, &mut canon).facts;
        format!("{:?} {:?} {:?}", facts.blocks, facts.clauses, facts.tokens)
    })
}

/// Returns the bytes of the fact that holds the byte `at`.
fn whole_clause(text: &str, at: usize) -> std::ops::Range<usize> {
    let facts = crate::wash::gate::facts(text);
    facts.into_iter().find(|fact| fact.contains(&at)).unwrap_or(at..at)
}

fn check_spans(report: &Report, old: &str, new: &str) {
    for found in &report.findings {
        for (text, span) in [(old, &found.old), (new, &found.new)] {
            if let Some(span) = span {
                assert!(
                    text.get(span.start..span.end).is_some(),
                    "{found:?} of {text:?} ({})",
                    text.len()
                );
            }
        }
        assert!(found.text.chars().count() <= MOST_CHARS, "{found:?}");
    }
}

/// Text that Markdown parsers find hard.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "# a\n",
        "## b\n",
        "- x\n",
        "  - y\n",
        "1. z\n",
        "```\n",
        "~~~ sh\n",
        "    code\n",
        "> q\n",
        "<!-- c\n",
        "-->\n",
        "<div>\n",
        "</div>\n",
        "| a | b |\n",
        "|---|---|\n",
        "| 1 | 2 |\n",
        "---\n",
        "===\n",
        "\n",
        "\n",
        "word word\n",
        "[a]: http://x.y\n",
        "[a]\n",
        "**b** `c`\n",
        "  ```\n",
        "- ```\n",
        "\t- t\n",
        "text  \n",
        "[ ] - [x] d\n",
        "é “q” — 日本語です。\n",
        "~~s~~ 5 MB\n",
        "\r\n",
        "@docs/a.md\n",
        "$1,000 -5 % v1.2\n",
        "never must\n",
        "Please\n",
        "e, <!-- f, --> g <!-- --> h\n",
        "[l](u \"t\") &quot;m&quot; (\n",
        "\"n\" don't <br> etc. i.\n",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_block_of_filler_is_no_place_to_hide() {
    let old = "Please\n\nKeep 5 backups.\n\nPlease\n";
    let new = "Please\n\nKeep 6 backups.\n\nPlease\n";
    assert_eq!(compare(&[old], new).findings.len(), 1);
    let [alone, after] = alone_and_after(old, new);
    assert_eq!(alone, after);
}

#[test]
fn a_long_clause_is_no_place_to_hide() {
    // Beyond what proofs look at, and with what the loose comparison does not see.
    let long = |word: &str| format!("{} it is {word}fast", "one two ".repeat(4_000));
    let report = compare(&[&long("very ")], &long(""));
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    assert!(report.passes());
    assert!(!compare(&[&long("never ")], &long("")).passes());
}

#[test]
fn words_that_were_read_before_change_nothing() {
    // `台` and `天` are units behind a number and words elsewhere.
    let mut gate = Gate::default();
    assert_eq!(gate.compare(&["台"], "3台が"), compare(&["台"], "3台が"));
    assert_eq!(gate.compare(&["3台が"], "台"), compare(&["3台が"], "台"));
    // A word of which a part is emphasised is the same word.
    for (old, new) in
        [("ทำการ", "ถ**ทำ**การ"), ("is tested", "is **test**ing"), ("cafés", "caf&eacute;")]
    {
        gate.compare(&[new], old);
        assert_eq!(gate.compare(&[old], new), compare(&[old], new));
    }
    let (old, new) = ("4天起\n## 地\n\n两天1", "4天\n## 地\n\n两天1");
    assert_eq!(compare(&[old], new), whole(old, new));
}

#[test]
fn a_return_alone_ends_a_line() {
    // A separator of lines doesn't.
    for (old, new) in [("\r```\n# ", "\r```\n# P"), ("\u{2028}", "\n")] {
        assert_eq!(compare(&[old], new), whole(old, new));
    }
}

#[test]
fn a_fence_is_closed_by_no_code() {
    for indent in ["    ", "\t", "  ", "   \t"] {
        let fence = format!("```\n{indent}```\n");
        let old = "## A\n\none\n\n## B\n\ntwo\n";
        assert_eq!(compare(&[old], &format!("{fence}{old}")), whole(old, &format!("{fence}{old}")));
    }
}

#[test]
fn long_words_are_read() {
    // They once took a call of a function for each number, and a look at all that follows for each letter.
    let chain = |last: u8| format!("{}{last}", "2024-05-".repeat(50_000));
    assert!(compare(&[&chain(6)], &chain(6)).findings.is_empty());
    assert!(!compare(&[&chain(6)], &chain(7)).passes());
    let word = "한국어".repeat(50_000);
    assert!(!compare(&[&word], &format!("{word}를 읽다")).findings.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_itself(text in any::<String>()) {
        prop_assert_eq!(whole(&text, &text).findings, vec![]);
    }

    #[test]
    fn markup_is_itself(text in markup()) {
        prop_assert_eq!(whole(&text, &text).findings, vec![]);
    }

    #[test]
    fn any_two_texts_have_an_answer(old in markup(), new in markup()) {
        let report = compare(&[&old], &new);
        check_spans(&report, &old, &new);
        prop_assert_eq!(&report, &compare(&[&old], &new));
    }

    #[test]
    fn what_is_left_out_changes_nothing(old in markup(), cut in 0..200_usize, piece in markup()) {
        // Mostly the same text: what is left out is what both share.
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let at = if lines.is_empty() { 0 } else { cut % lines.len() };
        let new = [lines[..at].concat(), piece, lines[(at + 1).min(lines.len())..].concat()].concat();
        prop_assert_eq!(compare(&[&old], &new), whole(&old, &new));
    }

    #[test]
    fn what_was_read_before_changes_nothing(other in markup(), text in markup()) {
        let [alone, after] = alone_and_after(&other, &text);
        prop_assert_eq!(alone, after);
    }

    #[test]
    fn what_is_left_out_of_documents_changes_nothing(doc in doc(), mut other in doc(), layout in layout(), at in 0..8_usize) {
        // Some sections of one document among those of another.
        let at = at.min(other.sections.len());
        other.sections.splice(at..at, doc.sections.clone());
        let (old, new) = (doc.write(&layout), other.write(&layout));
        prop_assert_eq!(compare(&[&old], &new), whole(&old, &new));
        let (left, right) = (compare(&[&new], &old), whole(&new, &old));
        prop_assert!(left == right, "{left:?}\n{right:?}\n--- old\n{new}\n--- new\n{old}");
    }

    #[test]
    fn layout_is_invisible(doc in doc(), one in layout(), other in layout()) {
        let (old, new) = (doc.write(&one), doc.write(&other));
        let report = compare(&[&old], &new);
        prop_assert!(report.findings.is_empty(), "{:?}\n--- old\n{}\n--- new\n{}", report.findings, old, new);
    }

    #[test]
    fn sections_and_bullets_have_no_order(mut doc in doc(), layout in layout()) {
        doc.sections.iter_mut().for_each(|section| section.level = 2);
        let old = doc.write(&layout);
        doc.sections.reverse();
        for section in &mut doc.sections {
            for block in &mut section.blocks {
                if let Block::Bullets(items) = block {
                    items.reverse();
                }
            }
        }
        let new = doc.write(&layout);
        let report = compare(&[&old], &new);
        prop_assert!(report.findings.is_empty(), "{:?}\n--- old\n{}\n--- new\n{}", report.findings, old, new);
    }

    #[test]
    fn no_two_cells_trade_places_in_silence(doc in doc(), layout in layout(), pick in any::<prop::sample::Index>(), ends in any::<[prop::sample::Index; 4]>()) {
        let mut other = doc.clone();
        let mut tables: Vec<&mut Vec<Vec<String>>> = other
            .sections
            .iter_mut()
            .flat_map(|section| &mut section.blocks)
            .filter_map(|block| if let Block::Table(_, rows) = block { Some(rows) } else { None })
            .collect();
        // A document without a table has no cells to exchange.
        if tables.is_empty() {
            return Ok(());
        }
        let at = pick.index(tables.len());
        let rows = &mut tables[at];
        let before = rows.clone();
        let (a, b) = (ends[0].index(rows.len()), ends[1].index(rows.len()));
        let (c, d) = (ends[2].index(rows[a].len()), ends[3].index(rows[b].len()));
        if rows[a][c] == rows[b][d] {
            return Ok(());
        }
        let cell = rows[a][c].clone();
        rows[a][c] = std::mem::replace(&mut rows[b][d], cell);
        // Rows have no order.
        let sorted = |rows: &Vec<Vec<String>>| {
            let mut rows = rows.clone();
            rows.sort();
            rows
        };
        if sorted(&before) == sorted(rows) {
            return Ok(());
        }
        let (old, new) = (doc.write(&layout), other.write(&layout));
        prop_assert!(!compare(&[&old], &new).passes(), "{old}\n=>\n{new}");
    }

    #[test]
    fn no_word_goes_in_silence(doc in doc(), layout in layout(), at in any::<prop::sample::Index>()) {
        let old = doc.write(&layout);
        let tokens = tokens(&old);
        prop_assume!(!tokens.is_empty());
        let token = tokens[at.index(tokens.len())];
        let (start, end) = (token.start as usize, token.end as usize);
        prop_assume!(start < end && end <= old.len());
        let new = format!("{}{}", &old[..start], &old[end..]);
        let report = compare(&[&old], &new);
        // Where the same stands twice, one of the two may go.
        let span = &whole_clause(&old, start);
        if report.findings.is_empty() && old.matches(&old[span.clone()]).count() > 1 {
            return Ok(());
        }
        prop_assert!(!report.findings.is_empty(), "`{}` went in silence from\n{}", &old[start..end], old);
        if token.kind.is_value() || matches!(token.role, Role::Claim(_)) {
            prop_assert!(!report.passes(), "`{}` gone from\n{}", &old[start..end], old);
        }
    }

    #[test]
    fn no_word_gives_place_to_another(doc in doc(), layout in layout(), at in any::<prop::sample::Index>(), word in "[b-df-hj-np-tv-z]{3}[aeiou][b-df-hj-np-tv-z]{3}") {
        let old = doc.write(&layout);
        let words: Vec<Token> = tokens(&old).into_iter().filter(|token| token.loose != 0 && token.start < token.end).collect();
        prop_assume!(!words.is_empty());
        let token = words[at.index(words.len())];
        let new = format!("{}{word}{}", &old[..token.start as usize], &old[token.end as usize..]);
        prop_assert!(!compare(&[&old], &new).passes(), "{new}");
    }
}
