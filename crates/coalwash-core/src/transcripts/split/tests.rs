use super::*;
use proptest::prelude::*;

fn show(bytes: &[u8]) -> Vec<String> {
    pieces(bytes)
        .map(|p| match p {
            Piece::Record { line, at, json } => format!("{line} {at:?} {json}"),
            Piece::Damaged { line, at, why } => format!("{line} {at:?} {why:?}"),
        })
        .collect()
}

#[test]
fn whole_lines_are_records() {
    assert_eq!(
        show(b"{\"a\":1}\n\n{\"b\":2}\n"),
        ["1 0..7 {\"a\":1}", "3 9..16 {\"b\":2}"],
        "an empty line is white space"
    );
}

#[test]
fn bom_and_crlf_are_no_damage() {
    assert_eq!(
        show(b"\xef\xbb\xbf{\"a\":1}\r\n{\"b\":2}\r\n"),
        ["1 3..10 {\"a\":1}", "2 12..19 {\"b\":2}"]
    );
}

#[test]
fn a_torn_end_is_told_from_a_torn_middle() {
    assert_eq!(show(b"{\"a\":1}\n{\"b\":\"x"), ["1 0..7 {\"a\":1}", "2 8..15 TornEnd"]);
    assert_eq!(show(b"{\"b\":\"x\n{\"a\":1}\n"), ["1 0..7 Torn", "2 8..15 {\"a\":1}"]);
}

#[test]
fn glued_records_are_both_found() {
    assert_eq!(show(b"{\"a\":1}{\"b\":2}\n"), ["1 0..7 {\"a\":1}", "1 7..14 {\"b\":2}"]);
}

#[test]
fn a_record_glued_to_a_torn_one_is_found() {
    assert_eq!(
        show(b"{\"a\":\"half {\"type\":\"user\"}\n"),
        ["1 0..11 Torn", "1 11..26 {\"type\":\"user\"}"]
    );
}

#[test]
fn nul_bytes_are_named_and_what_follows_is_read() {
    assert_eq!(show(b"\0\0\0{\"a\":1}\n\0\0"), ["1 0..3 Nul", "1 3..10 {\"a\":1}", "2 11..13 Nul"]);
    assert_eq!(show(b"{\"a\":\"x\0\0\0\n"), ["1 0..7 Torn", "1 7..10 Nul"]);
}

#[test]
fn text_that_never_was_a_record_is_named() {
    assert_eq!(show(b"Segmentation fault\n{\"a\":1}\n"), ["1 0..18 NotJson", "2 19..26 {\"a\":1}"]);
    assert_eq!(show(b"17\n"), ["1 0..2 NotJson"], "a record is an object");
}

#[test]
fn lone_surrogates_become_readable() {
    let cut = br#"{"t":"\ud83d","u":"\ude00x","pair":"\ud83d\ude00","esc":"\\ud83d"}"#;
    let Some(Piece::Record { json, .. }) = pieces(cut).next() else { panic!("no record") };
    let v: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(v["t"], "\u{fffd}");
    assert_eq!(v["u"], "\u{fffd}x");
    assert_eq!(v["pair"], "😀");
    assert_eq!(v["esc"], "\\ud83d");
}

#[test]
fn invalid_utf8_is_replaced_and_the_place_stays_true() {
    assert_eq!(
        show(b"{\"a\":\"\xff\xfe\"}{\"b\":2}\n"),
        ["1 0..10 {\"a\":\"\u{fffd}\u{fffd}\"}", "1 10..17 {\"b\":2}"]
    );
}

proptest! {
    #[test]
    fn any_bytes_are_accounted_for(parts in proptest::collection::vec(prop_oneof![
        Just(b"{\"type\":\"user\",\"t\":\"x\"}".to_vec()),
        Just(b"\n".to_vec()), Just(b"\r\n".to_vec()), Just(b"\0".to_vec()),
        Just(b"{\"type\":\"us".to_vec()), Just(b"\xff".to_vec()), Just(b"\\ud83d".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..6),
    ], 0..24)) {
        let bytes = parts.concat();
        let mut covered = vec![false; bytes.len()];
        let mut last = 0;
        for piece in pieces(&bytes) {
            let at = match piece {
                Piece::Record { at, json, .. } => {
                    prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
                    at
                }
                Piece::Damaged { at, .. } => at,
            };
            prop_assert!(at.start >= last && !at.is_empty());
            last = at.end;
            covered[at].fill(true);
        }
        let bom = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        for (i, c) in covered.iter().enumerate().skip(bom) {
            prop_assert!(*c || bytes[i].is_ascii_whitespace(), "byte {i} is passed over in silence");
        }
    }
}
