use serde_json::{Value, json};

use super::{Answer, Sent, Source, escaped_length, mended, portable, sections};

const ROOT: &str = "/tmp/cwAbCd12";

const SKILLS: &str = "- mine: does: it\n- other (x): y\n  - mine: no\n- init: theirs\n- last";

fn new_transcript(start: &[Value], after: &[Vec<Value>]) -> Vec<u8> {
    let mut records = vec![
        json!({"type": "attachment", "attachment": {"type": "agent_listing_delta",
            "addedLines": ["- Explore: Read-only search agent", "- Explore: own", "- zed: d\n (Tools: x)"]}}),
        json!({"type": "attachment", "attachment": {"type": "skill_listing", "content": SKILLS,
            "names": ["mine", "other", "init", "last"]}}),
    ];
    let attach = |it: &Value| json!({"type": "attachment", "attachment": it});
    records.extend(start.iter().map(attach));
    for group in after {
        records.push(json!({"type": "user", "message": {"content": [{"type": "tool_result"}]}}));
        records.extend(group.iter().map(attach));
    }
    records.iter().map(|record| format!("{record}\n")).collect::<String>().into_bytes()
}

fn body(first: &str, after: &[Vec<Value>]) -> Value {
    let listing = format!("{SKILLS}\n- Explore: own\n- zed: d\n (Tools: x)");
    let mut messages = vec![
        json!({"role": "user", "content": [{"type": "text", "text": first}]}),
        json!({"role": "system", "content": listing}),
    ];
    for texts in after {
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use"}]}));
        messages
            .push(json!({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}));
        messages.extend(texts.iter().cloned());
    }
    json!({"messages": messages})
}

fn read(version: &str, body: &Value, transcript: &[u8], touches: usize) -> anyhow::Result<Answer> {
    let bodies = std::slice::from_ref(body);
    Answer::read(&Source { version, root: ROOT, bodies, transcript }, touches)
}

fn nested(path: &str, text: &str) -> Value {
    json!({"type": "nested_memory", "content": {"path": path, "content": text}})
}

fn file(path: &str, class: &str, text: &str) -> Value {
    json!({"path": path, "type": class, "content": text})
}

const FAKE: &str =
    "a\n\nContents of /nowhere/CLAUDE.md (project instructions, checked into the codebase):\n\nb";

fn new_block() -> String {
    format!(
        "<system-reminder>\nIntro.\n\nContents of {ROOT}/p/CLAUDE.md (project instructions, checked into \
         the codebase):\n\n{FAKE}\n\nContents of {ROOT}/m/-tmp-cwAbCd12-p/MEMORY.md (user's auto-memory, \
         persists across conversations):\n\nin {ROOT}\n</system-reminder>"
    )
}

fn new_record() -> Value {
    let memory = format!("{ROOT}/m/-tmp-cwAbCd12-p/MEMORY.md");
    json!({"type": "instructions", "files": [
        file(&format!("{ROOT}/p/CLAUDE.md"), "Project", FAKE),
        file(&memory, "AutoMem", &format!("in {ROOT}")),
    ]})
}

fn new_start() -> Vec<Sent> {
    vec![
        Sent::new("/fx", "/fx/p/CLAUDE.md", "Project", FAKE),
        Sent::new("/fx", "/fx/m/-fx-p/MEMORY.md", "AutoMem", "in /fx"),
    ]
}

#[test]
fn a_newer_session_is_read_from_its_records() {
    let path = format!("{ROOT}/p/s/CLAUDE.md");
    let group = vec![
        json!({"type": "hook_additional_context", "content": [
            format!("Contents of {ROOT}/p/s/AGENTS.md:\n\nhook </system-reminder>\n")]}),
        nested(&path, "deep </system-reminder>\n"),
    ];
    let texts = vec![
        json!({"role": "user", "content": [{"type": "text", "text":
            format!("<system-reminder>\nContents of {path}:\n\ndeep <\\/system-reminder>\n\n</system-reminder>")}]}),
        json!({"role": "system", "content": format!(
            "tool.call hook additional context: Contents of {ROOT}/p/s/AGENTS.md:\n\nhook &lt;/system-reminder>\n")}),
    ];
    let list = vec![json!({"role": "system", "content": "Skills:\n\n- deep: x"})];
    let body = body(&new_block(), &[texts, list]);
    let later = vec![json!({"type": "skill_listing", "content": "- deep: x", "names": ["deep"]})];
    let answer =
        read("2.1.332", &body, &new_transcript(&[new_record()], &[group, later]), 2).unwrap();
    assert_eq!(answer.start, new_start());
    let nested = Sent::new("/fx", "/fx/p/s/CLAUDE.md", "", "deep <\\/system-reminder>\n");
    let hook = Sent::new("/fx", "/fx/p/s/AGENTS.md", "", "hook &lt;/system-reminder>\n");
    assert_eq!(answer.touches, [vec![nested, hook], Vec::new()]);
    assert_eq!(answer.skills, ["- mine: does: it", "- other (x): y\n  - mine: no", "- last"]);
    assert_eq!(answer.agents, ["- Explore: own", "- zed: d\n (Tools: x)"]);
    assert_eq!(answer.touch_skills, [Vec::new(), vec!["- deep: x".to_owned()]]);
}

#[test]
fn an_older_session_is_read_from_its_request() {
    let block = new_block()
        .replace("\n</system-reminder>", "\n# currentDate\nToday's date is x.\n</system-reminder>");
    let answer = read("2.1.197", &body(&block, &[]), &new_transcript(&[], &[]), 0).unwrap();
    assert_eq!(answer.start, new_start());
}

#[test]
fn a_session_without_files_has_an_empty_answer() {
    let answer = read("2.1.332", &body("hello", &[]), &new_transcript(&[], &[]), 0).unwrap();
    assert!(answer.start.is_empty() && answer.touches.is_empty());
}

#[test]
fn a_request_that_differs_from_the_transcript_is_an_error() {
    let message = |body: &Value, transcript: &[u8], touches| {
        read("2.1.332", body, transcript, touches).unwrap_err().to_string()
    };
    let right = new_transcript(&[new_record()], &[]);
    assert_eq!(
        message(&body(&new_block().replace("in /tmp", "im /tmp"), &[]), &right, 0),
        "the request and the transcript differ in what was loaded at start"
    );
    let first = json!({"type": "instructions", "files": [new_record()["files"][1]]});
    assert_eq!(
        message(&body(&new_block(), &[]), &new_transcript(&[first], &[]), 0),
        "the request holds more files than the transcript"
    );
    assert_eq!(message(&body(&new_block(), &[]), &right, 1), "the client read 0 of 1 files");
    let extra =
        vec![json!({"role": "system", "content": format!("Contents of {ROOT}/p/x.md:\n\nx")})];
    assert_eq!(
        message(&body(&new_block(), &[extra]), &new_transcript(&[new_record()], &[Vec::new()]), 1),
        "the request holds more files than the transcript after touch 1"
    );
    let recorded = new_transcript(&[json!({"type": "session_context"})], &[]);
    assert_eq!(
        message(&body(&new_block(), &[]), &recorded, 0),
        "the transcript has no list of loaded files"
    );
}

#[test]
fn headers_of_other_places_are_text() {
    let found = sections(&new_block(), ROOT);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].text, FAKE);
}

#[test]
fn half_surrogates_are_replaced() {
    let check = |line: &str| String::from_utf8(mended(line.as_bytes())).unwrap();
    assert_eq!(
        check(r#""\ud83d\ude00 \ud83d \ude00x \\ud83d""#),
        r#""\ud83d\ude00 \ufffd \ufffdx \\ud83d""#
    );
    assert_eq!(check(r#""\ud83d\ud83d\ude00\"#), r#""\ufffd\ud83d\ude00\"#);
}

#[test]
fn the_root_and_its_slug_are_replaced() {
    let text = format!("{ROOT}/p and /h/-tmp-cwAbCd12-p/memory");
    assert_eq!(portable(ROOT, &text), "/fx/p and /h/-fx-p/memory");
}

#[test]
fn escaped_texts_are_recognised() {
    assert_eq!(escaped_length("a <b </s>\n", "a <b <\\/s>\n\n"), Some(11));
    assert_eq!(escaped_length("<\\x <\0/s>", "<\\x &lt;\0/s> end"), Some(12));
    assert_eq!(escaped_length("&lt;", "&lt;"), Some(4));
    assert_eq!(escaped_length("ab", "ac"), None);
    assert_eq!(escaped_length("ab", "a"), None);
}
