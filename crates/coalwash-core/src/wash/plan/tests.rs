use super::*;

fn action(change: Change) -> Action {
    Action { change, reason: "because".to_owned(), approvals: Vec::new() }
}

fn all_five() -> Plan {
    let mut rewrite = action(Change::Rewrite {
        file: Target::holding("/p/a.md", b"old"),
        content: "new".to_owned(),
    });
    rewrite.approvals.push(Approval {
        file: "/p/a.md".to_owned(),
        class: Class::Weaker,
        text: "must → should".to_owned(),
        count: 2,
    });
    Plan::new(
        "apply",
        vec![
            rewrite,
            action(Change::Create { path: "/p/b.md".into(), content: "b".to_owned() }),
            action(Change::Delete { file: Target::holding("/p/c.md", b"c") }),
            action(Change::Merge {
                file: Target::holding("/p/d.md", b"d"),
                content: "d e".to_owned(),
                sources: vec![Target::holding("/p/e.md", b"e")],
            }),
            action(Change::Move { file: Target::holding("/p/f.md", b"f"), to: "/p/g.md".into() }),
        ],
    )
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let plan = all_five();
    assert_eq!(Plan::read(&plan.to_json()), Ok(plan));
}

#[test]
fn what_is_no_plan_is_refused_with_its_place() {
    let hash = ContentHash::of(b"");
    let one = |action: &str| {
        let action = action.replace("HASH", &hash.to_string());
        format!(r#"{{"schema":"{SCHEMA}","origin":"t","actions":[{action}]}}"#)
    };
    let rows: &[(&str, &str)] = &[
        ("7", "it has no `schema`"),
        ("{\"schema\":", "line 1 column 10"),
        (r#"{"schema":"coalwash.plan/2","origin":"t","actions":[]}"#, "this build reads"),
        (r#"{"schema":7}"#, "`schema` is `7`"),
    ];
    for (json, expected) in rows {
        let said = Plan::read(json).unwrap_err().to_string();
        assert!(said.contains(expected), "{json}: {said}");
    }
    let rows: &[(&str, &str)] = &[
        ("", "no action"),
        (r#"{"action":"paint","path":"/a"}"#, "unknown variant `paint`"),
        (
            r#"{"action":"rewrite","path":"/a","expected":"HASH","content":"","more":1}"#,
            "unknown field `more`",
        ),
        (r#"{"action":"rewrite","path":"/a","content":""}"#, "action 1: it needs `expected`"),
        (r#"{"action":"rewrite","path":"/a","expected":"HASH"}"#, "action 1: it needs `content`"),
        (r#"{"action":"rewrite","path":"/a","expected":"12","content":""}"#, "is no hash"),
        (
            r#"{"action":"create","path":"/a","expected":"HASH","content":""}"#,
            "`expected` means nothing",
        ),
        (
            r#"{"action":"delete","path":"/a","expected":"HASH","content":""}"#,
            "`content` means nothing",
        ),
        (r#"{"action":"delete","path":"/a","expected":"HASH","to":"/b"}"#, "`to` means nothing"),
        (r#"{"action":"move","path":"/a","expected":"HASH"}"#, "it needs `to`"),
        (r#"{"action":"merge","path":"/a","content":""}"#, "it needs `sources`"),
        (r#"{"action":"create","path":"a","content":""}"#, "is not absolute"),
        (r#"{"action":"create","path":"/a/../b","content":""}"#, "has `..`"),
        (r#"{"action":"create","path":"/a/./b","content":""}"#, "has `..` or `.`"),
        (r#"{"action":"create","path":"/a/","content":""}"#, "names a folder"),
        (r#"{"action":"create","path":"/","content":""}"#, "names a folder"),
        (r#"{"action":"create","path":"/a\u0000b","content":""}"#, "has a NUL"),
        (
            r#"{"action":"create","path":"/A.md","content":""},{"action":"create","path":"/a.md","content":""}"#,
            "action 2: `/a.md` has an action already",
        ),
    ];
    for (action, expected) in rows {
        let said = Plan::read(&one(action)).unwrap_err().to_string();
        assert!(said.contains(expected), "{action}: {said}");
    }
    let large = "x".repeat(MOST_BYTES + 1);
    let plan = Plan::new("t", vec![action(Change::Create { path: "/a".into(), content: large })]);
    let said = Plan::read(&plan.to_json()).unwrap_err().to_string();
    assert!(said.contains("the content is larger than"), "{said}");
}

#[test]
fn a_plan_of_the_node_engine_is_read() {
    let json = r#"{"roots":["/p"],"sessionId":"s","origin":"wizard-cut","projectRoot":"/","approvedDrops":["number-drop:5"],
      "actions":[{"type":"rewrite","path":"/p/a.md","content":"n","expectedOrig":"o","scope":"global"},
                 {"type":"delete","path":"/p/b.md"}]}"#;
    let plan = Plan::read(json).unwrap();
    let Change::Merge { file, content, sources } = &plan.actions[0].change else { panic!() };
    assert_eq!(*file, Target::holding("/p/a.md", b"o"));
    assert_eq!((&**content, sources.len(), plan.notes.len()), ("n", 1, 1));
    assert_eq!(plan.origin, "wizard-cut");
    let json = r#"{"roots":["/p"],"actions":[{"type":"create","path":"/p/a.md","content":"a"},
      {"type":"create","path":"/p/b.md","content":"b"},{"type":"delete","path":"/p/c.md"}]}"#;
    let plan = Plan::read(json).unwrap();
    assert_eq!(plan.actions.len(), 3);
    assert_eq!(plan.origin, "program-cut");
    for (json, expected) in [
        (r#"{"roots":[],"actions":[],"more":1}"#, "unknown field `more`"),
        (r#"{"roots":[],"actions":[]}"#, "no action"),
        (r#"{"roots":[],"actions":[{"type":"rewrite","path":"/a"}]}"#, "it needs `content`"),
        (r#"{"roots":[],"actions":[{"type":"move","path":"/a"}]}"#, "unknown variant"),
        (r#"{"roots":[],"actions":[{"type":"create","path":"a","content":""}]}"#, "not absolute"),
    ] {
        let said = Plan::read(json).unwrap_err().to_string();
        assert!(said.contains(expected), "{json}: {said}");
    }
}
