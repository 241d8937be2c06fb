use super::*;

#[test]
fn only_a_bare_name_is_one() {
    for name in ["1-a", "f0", "index.json", "..a", "~", "a b"] {
        assert!(is_bare(name), "{name}");
    }
    for name in ["", ".", "..", "../x", "..\\x", "/x", "a/b", "a\\b", "a\0b"] {
        assert!(!is_bare(name), "{name}");
    }
}

#[test]
fn an_index_is_read_as_far_as_it_can_be_believed() {
    let index = super::index(
        br#"[{"id":"5-a","at":5,"original":"/p/a.md","more":[1]}, {"id":"../x","at":5},
            {"id":"6-b","at":null}, {"id":"7-c","at":7.0}, {"id":"8-d","at":"8"},
            {"id":"9-e","at":9.5,"original":7}, {"id":"5-a","at":1}, 7, null, {}, {"id":3},
            {"id":"index.json","at":1}]"#,
    )
    .unwrap();
    let read: Vec<_> =
        index.entries.iter().map(|it| (&*it.id, it.at_ms, it.original.as_deref())).collect();
    assert_eq!(
        read,
        [
            ("5-a", Some(5), Some("/p/a.md")),
            ("6-b", None, None),
            ("7-c", Some(7), None),
            ("8-d", None, None),
            ("9-e", None, None)
        ]
    );
    assert_eq!(index.left_out, 7);
    assert_eq!(index.entries[0].record["more"], serde_json::json!([1]), "what is unknown stays");
    for no_index in ["", "{", "{}", "null", "7", "\u{feff}[]", r#"[{"id":"1-a","at":1e400}]"#] {
        assert!(super::index(no_index.as_bytes()).is_err(), "{no_index}");
    }
}

#[test]
fn items_are_known_by_their_names() {
    assert_eq!(id_time_ms("1796055540903-fru9d8"), Some(1_796_055_540_903));
    assert_eq!(id_time_ms("0-a"), Some(0));
    for name in ["index.json", ".gitignore", "death.log", ".bin.lock", "-a", "5-", "5-abcdefg"] {
        assert_eq!(id_time_ms(name), None, "{name}");
    }
    for name in ["5-A", "5a-b", "5-a/b", "99999999999999999999-a", "+5-a", "5--a", "5-a.tmp"] {
        assert_eq!(id_time_ms(name), None, "{name}");
    }
}

/// K1, K4 and the field of newer documents.
#[test]
fn keeps_are_read_and_what_is_unknown_stays() {
    let read = keeps(
        br#"{"v":1,"keeps":[{"target":"a","reason":"r","date":"2026-01-01","pendingUser":true,"x":1},
            {"target":"b","anchor":"Never push.","anchorFile":"/p/b.md"}, {"target":7}, null, {},
            {"target":"c","anchor":"","pendingUser":"yes"}]}"#,
    )
    .unwrap();
    assert_eq!(read.left_out, 3);
    let short: Vec<_> =
        read.keeps.iter().map(|it| (&*it.target, it.anchor.as_deref(), it.pending_user)).collect();
    assert_eq!(short, [("a", None, true), ("b", Some("Never push."), false), ("c", None, false)]);
    assert_eq!(read.keeps[0].record["x"], 1);
    assert_eq!(read.keeps[1].anchor_file.as_deref(), Some("/p/b.md"));
    for (text, why) in [
        ("", "EOF"),
        ("[]", "no object"),
        (r#"{"v":99,"keeps":[]}"#, "newer"),
        (r#"{"v":"2","keeps":[]}"#, "newer"),
        (r#"{"v":1,"keeps":{}}"#, "no list"),
        (r#"{"v":1}"#, "no list"),
    ] {
        assert!(keeps(text.as_bytes()).unwrap_err().contains(why), "{text}");
    }
    assert_eq!(keeps(br#"{"keeps":[]}"#), Ok(Keeps::default()));
}

#[test]
fn copies_of_the_guard_have_the_names_of_the_node_engine() {
    // h = 5381, then h * 33 + unit for `/`, `a`: 177_620, 5_861_557, which is `3hmt1` in base 36.
    assert_eq!(copy_name("/a"), "a--3hmt1");
    assert!(copy_name("/p/ä b.md").starts_with("--b.md--"));
    assert!(copy_name("/p/\u{1f600}.md").starts_with("--.md--"), "two units are two hyphens");
    let long = copy_name(&format!("/{}.md", "x".repeat(300)));
    assert_eq!(long.find("--"), Some(80));
    assert_eq!(session_name("a/b c"), "a-b-c");
    assert_eq!(session_name(""), "nosession");
    assert_eq!(session_name(&"x".repeat(200)).len(), 120);
}

/// R7, R16 and R17.
#[test]
fn a_journal_is_what_it_claims_and_no_more() {
    let open = journal(
        br#"{"version":1,"snapDir":"/p/.claude/coalwash/snap-1","roots":["/p",3],"status":"applying",
            "steps":[{"i":0,"type":"create","path":"/p/b.md","status":"pending"},
            {"type":"rewrite","path":"/p/a.md"}, 7, {"type":"create"}]}"#,
    )
    .unwrap();
    assert_eq!(open.status, Status::Open);
    assert_eq!((open.roots.len(), open.created), (1, vec!["/p/b.md".to_owned()]));
    for (text, wanted) in [
        (r#"{"status":"committed"}"#, Status::Over),
        (r#"{"status":"rolled-back"}"#, Status::Over),
        (r#"{"status":"rollback-failed"}"#, Status::Open),
        ("{}", Status::Open),
        ("[]", Status::Open),
        (r#"{"status":"whatever","steps":{}}"#, Status::Open),
    ] {
        let read = journal(text.as_bytes()).unwrap();
        assert_eq!((read.status, read.snapshot), (wanted, None), "{text}");
    }
    for text in ["null", "", "{", r#"{"version":99,"status":"committed"}"#, r#"{"version":"1.5"}"#]
    {
        assert!(journal(text.as_bytes()).is_err(), "{text}");
    }
}

/// D5.
#[test]
fn a_manifest_names_copies_of_its_own_folder_only() {
    let read = manifest(
        br#"[{"snap":"f0","original":"/p/a.md"}, {"snap":"../f1","original":"/p/b.md"},
            {"snap":"f2"}, {"original":"/p/c.md"}, 7]"#,
    )
    .unwrap();
    assert_eq!(read.copies, [("f0".to_owned(), "/p/a.md".to_owned())]);
    assert_eq!(read.left_out, 4);
    assert!(manifest(b"{}").is_err());
}
