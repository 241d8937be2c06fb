//! Rewrites by hand, as a careful editor shortens a file: what the gate says of each, and that no
//! harm which a reader labelled passes.

use std::path::PathBuf;

use coalwash_core::wash::gate::{Finding, compare};

/// Lines by which a finding may miss the line of its label: sentences wrap.
const NEAR: usize = 1;

struct Row {
    old_line: Option<usize>,
    new_line: Option<usize>,
    verdict: String,
    words: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../benches/fidelity/rewrites")
}

fn rows(name: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.labels.tsv"))).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [old_line, new_line, verdict, words, ..] = fields[..] else {
                panic!("{name}: {line}")
            };
            Row {
                old_line: old_line.parse().ok(),
                new_line: new_line.parse().ok(),
                verdict: verdict.to_owned(),
                words: words.to_owned(),
            }
        })
        .collect()
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[test]
fn no_labelled_harm_passes() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            Some(name.strip_suffix(".labels.tsv")?.to_owned())
        })
        .collect();
    names.sort();
    assert!(names.len() >= 30, "{}", names.len());
    let mut out = String::new();
    let (mut harmful, mut faithful, mut flagged) = (0, 0, 0);
    for name in &names {
        let read = |side: &str| {
            std::fs::read_to_string(folder().join(format!("{name}.{side}.md"))).unwrap()
        };
        let (old, new) = (read("old"), read("new"));
        let report = compare(&[&old], &new);
        let near = |finding: &Finding, row: &Row, by: usize| {
            let close =
                |line: usize, span: (usize, usize)| line + by >= span.0 && line <= span.1 + by;
            let lines = |text: &str, start: usize, end: usize| {
                (line_of(text, start), line_of(text, end.max(start)))
            };
            let by_old = finding
                .old
                .as_ref()
                .zip(row.old_line)
                .is_some_and(|(span, line)| close(line, lines(&old, span.start, span.end)));
            let by_new = finding
                .new
                .as_ref()
                .zip(row.new_line)
                .is_some_and(|(span, line)| close(line, lines(&new, span.start, span.end)));
            by_old || by_new
        };
        let blocking: Vec<&Finding> =
            report.findings.iter().filter(|finding| finding.blocks()).collect();
        for row in rows(name) {
            let found = |by| blocking.iter().any(|finding| near(finding, &row, by));
            match row.verdict.as_str() {
                "faithful" => {
                    faithful += 1;
                    flagged += usize::from(found(0));
                }
                "arguable" => {}
                _ => {
                    harmful += 1;
                    assert!(found(NEAR), "{name}: {} `{}` passes", row.verdict, row.words);
                }
            }
        }
        let verdict = if blocking.is_empty() { "passes" } else { "fails" };
        out.push_str(&format!("{name} {verdict}\n"));
        for finding in &report.findings {
            let mark = if finding.blocks() { ' ' } else { '·' };
            out.push_str(&format!("  {mark} {}: {}\n", finding.class.id(), finding.text));
        }
    }
    out.push_str(&format!(
        "{harmful} harmful places, all found; {flagged} of {faithful} faithful places share a line with a finding that blocks\n"
    ));
    insta::assert_snapshot!(out);
}
