use proptest::prelude::*;
use serde_json::json;

use super::edit::{self, EditError};
use super::*;

fn file(layer: Layer, bytes: &[u8]) -> File {
    let path =
        Utf8PathBuf::from(format!("/{}", serde_json::to_value(layer).unwrap().as_str().unwrap()));
    let parsed = read(&path, layer, bytes);
    File { path, layer, parsed }
}

/// Merges the Node engine's two files, either of which may be missing.
fn merged(project: Option<&str>, user: Option<&str>) -> Config {
    let project = project.map(|text| file(Layer::NodeRepository, text.as_bytes()));
    let user = user.map(|text| file(Layer::NodeUser, text.as_bytes()));
    Config::of(&project.into_iter().chain(user).collect::<Vec<_>>())
}

#[test]
fn a_repository_can_only_make_things_stricter() {
    // The repository's file, the user's file, the key, and what is in force.
    type Row = (Option<&'static str>, Option<&'static str>, &'static str, Value);
    let rows: [Row; 36] = [
        (Some(r#"{"writeGuard":"off"}"#), None, "writeGuard", json!("on")),
        (Some(r#"{"updateMode":"auto"}"#), None, "updateMode", json!("off")),
        (Some(r#"{"coalwashMode":"off"}"#), None, "coalwashMode", json!("off")),
        (
            Some(r#"{"coalwashMode":"AUTO"}"#),
            Some(r#"{"coalwashMode":"off"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (
            Some(r#"{"coalwashMode":"nope"}"#),
            Some(r#"{"coalwashMode":"off"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (
            Some(r#"{"coalwashMode":" auto "}"#),
            Some(r#"{"coalwashMode":"off"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (
            Some(r#"{"coalwashMode":null}"#),
            Some(r#"{"coalwashMode":"off"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (
            Some(r#"{"coalwashMode":0}"#),
            Some(r#"{"coalwashMode":"off"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (
            Some(r#"{"coalwashMode":{}}"#),
            Some(r#"{"coalwashMode":"off"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (
            Some(r#"{"coalwashMode":[]}"#),
            Some(r#"{"coalwashMode":"off"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (Some(r#"{"coalwashMode":"MANUAL"}"#), None, "coalwashMode", json!("manual")),
        (
            Some(r#"{"coalwashMode":"auto"}"#),
            Some(r#"{"coalwashMode":"OFF"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (
            Some(r#"{"coalwashMode":"off"}"#),
            Some(r#"{"coalwashMode":"auto"}"#),
            "coalwashMode",
            json!("off"),
        ),
        (
            Some(r#"{"writeGuard":"on"}"#),
            Some(r#"{"writeGuard":"off"}"#),
            "writeGuard",
            json!("on"),
        ),
        (
            Some(r#"{"writeGuard":"off"}"#),
            Some(r#"{"writeGuard":"snapshot-only"}"#),
            "writeGuard",
            json!("snapshot-only"),
        ),
        (Some(r#"{"localOnly":false}"#), Some(r#"{"localOnly":true}"#), "localOnly", json!(true)),
        (Some(r#"{"localOnly":true}"#), None, "localOnly", json!(true)),
        (None, Some(r#"{"localOnly":"true"}"#), "localOnly", json!(true)),
        (None, Some(r#"{"writeGuard":"sometimes"}"#), "writeGuard", json!("on")),
        (Some(r#"{"coalwashMode":"auto"}"#), Some("{"), "coalwashMode", json!("off")),
        (Some(r#"{"updateMode":"auto"}"#), Some("{"), "updateMode", json!("off")),
        (Some(r#"{"writeGuard":"off"}"#), Some("{"), "writeGuard", json!("on")),
        (Some(r#"{"localOnly":false}"#), Some("{"), "localOnly", json!(true)),
        (Some(r#"{"estate":{"deleteCold":true}}"#), None, "estate.deleteCold", json!(false)),
        (
            Some(r#"{"estate":{"deleteCold":true}}"#),
            Some(r#"{"estate":{"deleteCold":false}}"#),
            "estate.deleteCold",
            json!(false),
        ),
        (None, Some(r#"{"estate":{"deleteCold":true}}"#), "estate.deleteCold", json!(true)),
        (
            Some(r#"{"estate":{"deleteCold":false}}"#),
            Some(r#"{"estate":{"deleteCold":true}}"#),
            "estate.deleteCold",
            json!(false),
        ),
        (
            Some(r#"{"estate":{"deleteCold":"no"}}"#),
            Some(r#"{"estate":{"deleteCold":true}}"#),
            "estate.deleteCold",
            json!(true),
        ),
        (Some(r#"{"scanEverything":true}"#), None, "scanEverything", json!(false)),
        (
            Some(r#"{"scanEverything":true}"#),
            Some(r#"{"scanEverything":false}"#),
            "scanEverything",
            json!(false),
        ),
        (
            Some(r#"{"estate":{"archiveDir":"/tmp/x"}}"#),
            Some(r#"{"estate":{"archiveDir":"/a"}}"#),
            "estate.archiveDir",
            json!("/a"),
        ),
        (Some(r#"{"estate":{"archiveDir":"/tmp/x"}}"#), None, "estate.archiveDir", json!("")),
        (
            Some(r#"{"estate":{"compressAfterDays":3}}"#),
            Some(r#"{"estate":{"purgeAfterDays":9}}"#),
            "estate.purgeAfterDays",
            json!(9),
        ),
        (
            Some(r#"{"estate":7}"#),
            Some(r#"{"estate":{"purgeAfterDays":9}}"#),
            "estate.purgeAfterDays",
            json!(9),
        ),
        (Some(r#"{"updateCheckDays":0}"#), None, "updateCheckDays", json!(14)),
        (Some(r#"{"language":"xx"}"#), Some(r#"{"language":"th"}"#), "language", json!("th")),
    ];
    for (project, user, key, wanted) in rows {
        let config = merged(project, user);
        assert_eq!(config.get(key), Some(wanted), "{project:?} over {user:?}: {key}");
    }
}

#[test]
fn a_value_out_of_range_is_the_default() {
    for (text, key, wanted) in [
        (r#"{"updateCheckDays":366}"#, "updateCheckDays", json!(14)),
        (r#"{"fatMultiple":1.5}"#, "fatMultiple", json!(2.0)),
        (r#"{"exercisePerBand":{"obese":"full"}}"#, "exercisePerBand.obese", json!("quick")),
        (r#"{"exercisePerBand":{"full":"quick"}}"#, "exercisePerBand.full", json!("quick")),
        (r#"{"retier":{"targetTokens":6251}}"#, "retier.targetTokens", json!(4125)),
        (r#"{"retier":{"armPct":4,"disarmPct":20}}"#, "retier.armPct", json!(20)),
        (r#"{"retier":{"armPct":4,"disarmPct":20}}"#, "retier.disarmPct", json!(20)),
        (r#"{"__proto__":{"language":"th"}}"#, "language", json!("auto")),
        (r#"{"forceMode":"off","language":"th"}"#, "language", json!("th")),
    ] {
        assert_eq!(merged(None, Some(text)).get(key), Some(wanted), "{text}");
    }
    assert_eq!(merged(None, Some(r#"{"forceMode":"off"}"#)).get("forceMode"), None);
}

#[test]
fn a_number_is_what_it_says_however_it_is_written() {
    for (written, wanted) in [
        ("1e3", Ok(1_000)),
        ("5000.0", Ok(5_000)),
        ("9007199254740991", Ok((1 << 53) - 1)),
        ("9007199254740992", Err("9007199254740992")),
        ("9007199254740992.0", Err("9007199254740992.0")),
        ("99999999999999999999", Err("99999999999999999999")),
        ("1e400", Err("1e400")),
        ("-1e400", Err("-1e400")),
        ("-0.0", Err("-0.0")),
        ("5.5", Err("5.5")),
        ("null", Err("null")),
    ] {
        let text = format!(r#"{{"budget": {{"always": {written}}}}}"#);
        let parsed = file(Layer::Repository, text.as_bytes()).parsed;
        match wanted {
            Ok(tokens) => {
                let config = Config::of(&[file(Layer::Repository, text.as_bytes())]);
                assert_eq!(config.whole("budget.always"), Some(tokens), "{written}");
                assert_eq!(parsed.problems.len(), 0, "{written}");
            }
            Err(shown) => {
                let what = format!("`budget.always` is `{shown}`, and has to be a whole number");
                assert!(parsed.problems[0].what.starts_with(&what), "{:?}", parsed.problems);
            }
        }
    }
}

#[test]
fn a_switch_that_turns_hooks_off_counts_in_any_file_that_can_be_read() {
    let files = [
        file(Layer::Repository, b"{ broken"),
        file(Layer::NodeRepository, br#"{"coalwashMode":"auto","language":"ja"}"#),
        file(Layer::NodeRepository, br#"{"coalwashMode":"off","language":"th"}"#),
    ];
    let config = Config::of(&files);
    assert_eq!(config.get("coalwashMode"), Some(json!("off")));
    assert_eq!(config.get("language"), Some(json!("ja")), "the first that can be read");
    assert_eq!(config.problems.len(), 1);
    assert_eq!(config.problems[0].trouble, Trouble::File);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let rows: [(&str, &[u8]); 22] = [
        ("folder-like", b""),
        ("truncated", b"{\"budget\": {"),
        ("a list", b"[1]"),
        ("typo", b"{\n  \"budgets\": {}\n}"),
        ("typo below", b"{\"context\": {\"alway\": {}}}"),
        ("zero", b"{\"budget\": {\"always\": 0}}"),
        ("negative", b"{\"budget\": {\"always\": -5}}"),
        ("part", b"{\"budget\": {\"always\": 1.5}}"),
        ("text", b"{\"budget\": {\"always\": \"8000\"}}"),
        ("huge", b"{\"budget\": {\"always\": 9007199254740992}}"),
        ("no object", b"{\"budget\": 8000}"),
        ("no host", b"{\"budget\": {\"hosts\": {\"cursor\": 5}}}"),
        ("twice", b"{\"language\": \"th\",\n \"language\": \"ja\"}"),
        ("ratio", b"{\"context\": {\"ratio\": {\"bytes_per_token\": 0.99}}}"),
        ("safety", b"{\"writeGuard\": \"maybe\"}"),
        ("reach", b"{\"estate\": {\"archiveDir\": \"/x\"}}"),
        ("single quotes", b"{'a': 1}"),
        ("not UTF-8", b"{\"a\": \"\xff\"}"),
        ("half of UTF-16", b"\xff\xfe{"),
        ("deep", b"{\"a\":{\"a\":{\"a\":{}}}}"),
        ("retired", b"{\"forceMode\": \"off\", \"__proto__\": 1}"),
        ("fine", b"{ // why\n \"budget\": { \"always\": 10500, }, \"files\": {\"*.md\": 1} }"),
    ];
    let mut out = String::new();
    for (name, bytes) in rows {
        for problem in file(Layer::Repository, bytes).parsed.problems {
            let Problem { origin, what, fix, trouble } = problem;
            let Origin { line, column, .. } = origin;
            out.push_str(&format!("{name}: {line}:{column}: {what} [{trouble:?}] {fix}\n"));
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn files_of_any_encoding_are_read() {
    let text = "{\"coalwashMode\":\"off\"} // ü";
    let utf16 = |mark: &[u8], of: fn(u16) -> [u8; 2]| {
        mark.iter().copied().chain(text.encode_utf16().flat_map(of)).collect::<Vec<u8>>()
    };
    let files = [
        text.as_bytes().to_vec(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        utf16(b"\xff\xfe", u16::to_le_bytes),
        utf16(b"\xfe\xff", u16::to_be_bytes),
        utf16(b"", u16::to_le_bytes),
    ];
    for bytes in files {
        let config = Config::of(&[file(Layer::NodeUser, &bytes)]);
        assert_eq!(config.get("coalwashMode"), Some(json!("off")), "{bytes:?}");
    }
    let text = r#"{"estate":{"archiveDir":"https://x/\\"}}"#;
    let config = merged(None, Some(text));
    assert_eq!(config.get("estate.archiveDir"), Some(json!("https://x/\\")));
}

#[test]
fn a_final_comma_is_ours_and_not_the_node_engines() {
    let text = b"{\"language\": \"th\",}";
    assert!(file(Layer::Repository, text).parsed.readable);
    assert!(!file(Layer::NodeRepository, text).parsed.readable);
}

#[test]
fn setting_a_value_leaves_every_other_byte() {
    let before = "// ours\r\n{\r\n  // why\r\n  \"budget\": { \"always\": 10500 }, // all\r\n  \"files\": {},\r\n}\r\n";
    let set = |text: &str, name: &str, typed: &str| {
        let value = edit::typed(name, typed)?;
        edit::set(text, Layer::Repository, name, &value)
    };
    let after = set(before, "budget.always", "9000").unwrap();
    assert_eq!(after, before.replace("10500", "9000"));
    let after = set(&after, "files.docs/a.b.md", "20").unwrap();
    assert!(after.contains("\"docs/a.b.md\": 20") && after.starts_with("// ours\r\n{\r\n  // why"));
    let made = set("", "budget.hosts.codex", "9000").unwrap();
    let config = Config::of(&[file(Layer::Repository, made.as_bytes())]);
    assert_eq!(config.whole("budget.hosts.codex"), Some(9000), "{made}");
    let wrong = [
        set("{", "budget.always", "1"),
        set("{}", "budget.alway", "1"),
        set("{}", "budget.hosts.cursor", "1"),
        set("{}", "budget.always", "many"),
        set("{\"budget\": 3}", "budget.always", "1"),
    ];
    let said: Vec<_> = wrong.into_iter().map(|it| it.unwrap_err().to_string()).collect();
    insta::assert_snapshot!(said.join("\n"));
    assert!(matches!(edit::typed("localOnly", "yes"), Err(EditError::Value { .. })));
}

#[test]
fn the_schema_lists_every_key() {
    let text = serde_json::to_string_pretty(&schema::schema()).unwrap() + "\n";
    insta::assert_snapshot!(text);
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>) {
        let parsed = file(Layer::Repository, &bytes).parsed;
        prop_assert!(parsed.readable || !parsed.problems.is_empty());
    }

    #[test]
    fn a_value_that_was_set_is_read_back(
        index in 0..keys::KEYS.len(), number in 1u64..400, text in "[a-z\\\\\"/]{0,8}",
    ) {
        let key = &keys::KEYS[index];
        let value = match key.kind {
            Kind::Word(words) => json!(words[usize::try_from(number).unwrap() % words.len()]),
            Kind::Switch => json!(number % 2 == 0),
            Kind::Whole(least, most) => json!((least + number).min(most)),
            Kind::Number(least, _) => json!(least),
            Kind::Text => json!(text),
            Kind::Texts => json!([text]),
        };
        let name = match key.name {
            "budget.hosts.*" => "budget.hosts.codex".to_owned(),
            name => name.replace('*', "a.md"),
        };
        let made = edit::set("{ // c\n}", Layer::User, &name, &value).unwrap();
        let parsed = file(Layer::User, made.as_bytes()).parsed;
        prop_assert!(parsed.problems.is_empty(), "{made}: {:?}", parsed.problems);
        match key.kind {
            // `1.0` is read as `1`.
            Kind::Number(..) => prop_assert_eq!(parsed.set[0].value.as_f64(), value.as_f64()),
            _ => prop_assert_eq!(&parsed.set[0].value, &value, "{}", made),
        }
        prop_assert!(made.contains("// c"));
    }
}
