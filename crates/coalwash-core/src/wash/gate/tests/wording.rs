//! Single sentences, shortened faithfully or changed in what they say.

use super::compare;

/// What stands behind the sentence, so that its language can be told.
fn rest(language: &str) -> &'static str {
    match language {
        "de" => "Für die Übersicht und das Ergebnis gilt das nicht.",
        "es" => "Así es el uso de los datos que las pruebas dan para él.",
        "zh" => "这里还有别的内容。",
        "ja" => "ここにはほかのものもあります。",
        "ko" => "여기에는 다른 내용도 있습니다.",
        "th" => "ตรงนี้มีเนื้อหาอื่นอยู่",
        _ => "Here is what the others of them do.",
    }
}

#[test]
fn sentences_are_told_as_they_are_labelled() {
    let (mut language, mut faithful) = ("en", true);
    let mut wrong = Vec::new();
    for line in include_str!("cases/wording.txt").lines() {
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        if let Some(section) = line.strip_prefix('[') {
            let (named, kind) = section.trim_end_matches(']').split_once(' ').unwrap();
            (language, faithful) = (named, kind == "faithful");
            continue;
        }
        let (expected, pair) = line.split_once(" | ").unwrap();
        let (old, new) = pair.split_once(" => ").unwrap();
        let text = |sentence: &str| format!("{sentence}\n\n{}\n", rest(language));
        let report = compare(&[&text(old)], &text(new));
        let told = match (report.passes(), report.findings.is_empty()) {
            (true, true) => "silent",
            (true, false) => "reworded",
            (false, _) => "blocked",
        };
        assert!(faithful || expected == "blocked", "{line}");
        if told != expected {
            wrong.push(format!("{told}, not {line}: {:?}", report.findings));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
