//! Scripts without spaces between words, and Korean.

use crate::wash::gate::{Class, compare};

/// Returns the class and text of each finding.
fn found(old: &str, new: &str) -> Vec<(Class, String)> {
    let report = compare(&[old], new);
    report.findings.into_iter().map(|finding| (finding.class, finding.text)).collect()
}

/// Spaces and the width of signs and digits are layout, with hangul too.
#[test]
fn spacing_and_width_are_layout() {
    const SAME: &[(&str, &str)] = &[
        ("使用 API 密钥：必须保密。", "使用API密钥:必须保密。"),
        ("（默认值：30秒）", "(默认值: 30 秒)"),
        ("キャッシュは３０秒、最大１００件。", "キャッシュは30秒、最大100件。"),
        ("GitHub にプッシュする。", "GitHubにプッシュする。"),
        ("README.md를 30초 안에 읽는다.", "README.md 를 30 초 안에 읽는다."),
        ("값(기본값 10)을 API로 보낸다.", "값 (기본값 10) 을 API 로 보낸다."),
        ("再試行は10〜20回", "再試行は10-20回"),
        ("成功率９０％", "成功率90%"),
        ("ต้องรอ ๓๐ วินาที", "ต้องรอ30วินาที"),
        ("ใช้ API key ก่อน", "ใช้API keyก่อน"),
    ];
    for (old, new) in SAME {
        assert_eq!(found(old, new), [], "{old} / {new}");
        assert_eq!(found(new, old), [], "{new} / {old}");
    }
}

/// A range is not a list.
#[test]
fn a_wave_dash_before_a_number_counts() {
    let report = found("再試行は10〜20回", "再試行は10、20回");
    assert!(report.iter().any(|(class, _)| class.blocks()), "{report:?}");
}
