use camino::Utf8Path;

use super::{judge, licence::allowed};

const RULES: &str = r#"
[licenses]
allow = ["MIT", "Apache-2.0 WITH LLVM-exception"]
[bans]
multiple-versions = "warn"
deny = [{ crate = "chrono", reason = "jiff" }]
[sources]
allow-registry = ["https://registry.test/index"]
allow-git = ["https://git.test/a"]
"#;

fn found(packages: &str) -> Vec<String> {
    let metadata = format!(r#"{{"packages":[{packages}],"workspace_members":["own"]}}"#);
    let report = judge(RULES, metadata.as_bytes()).unwrap();
    report.problems.into_iter().chain(report.notes).collect()
}

fn package(id: &str, name: &str, version: &str, licence: &str, source: &str) -> String {
    format!(
        r#"{{"id":"{id}","name":"{name}","version":"{version}","license":{licence},"source":{source}}}"#
    )
}

#[test]
fn an_expression_is_met_or_not() {
    let allow = ["MIT".to_owned(), "Apache-2.0 WITH LLVM-exception".to_owned()];
    for (expression, expected) in [
        ("MIT", Some(true)),
        ("GPL-3.0", Some(false)),
        ("GPL-3.0 OR MIT", Some(true)),
        ("GPL-3.0/MIT", Some(true)),
        ("GPL-3.0 AND MIT", Some(false)),
        ("(GPL-3.0 OR MIT) AND MIT", Some(true)),
        ("MIT OR GPL-3.0 AND BSD", Some(true)),
        ("Apache-2.0", Some(false)),
        ("Apache-2.0 WITH LLVM-exception", Some(true)),
        ("", None),
        ("MIT OR", None),
        ("(MIT", None),
        ("MIT MIT", None),
    ] {
        assert_eq!(allowed(expression, &allow), expected, "{expression}");
    }
}

#[test]
fn licences_bans_sources_and_twins_are_named() {
    let registry = r#""registry+https://registry.test/index""#;
    let all = [
        package("own", "mine", "0.1.0", r#""MIT""#, "null"),
        package("a", "copyleft", "1.0.0", r#""GPL-3.0""#, registry),
        package("b", "silent", "1.0.0", "null", registry),
        package("c", "chrono", "0.4.0", r#""MIT""#, registry),
        package("d", "elsewhere", "1.0.0", r#""MIT""#, r#""registry+https://other.test/index""#),
        package("e", "from-git", "1.0.0", r#""MIT""#, r#""git+https://git.test/b?rev=1#1""#),
        package("f", "from-git-too", "1.0.0", r#""MIT""#, r#""git+https://git.test/a?rev=1#1""#),
        package("g", "near", "1.0.0", r#""MIT""#, "null"),
        package("h", "twin", "1.0.0", r#""MIT""#, registry),
        package("i", "twin", "2.0.0", r#""MIT""#, registry),
    ];
    let wanted = [
        "copyleft 1.0.0: GPL-3.0",
        "silent 1.0.0: no licence",
        "chrono 0.4.0: banned (jiff)",
        "elsewhere 1.0.0: from registry+https://other.test/index",
        "from-git 1.0.0: from git+https://git.test/b?rev=1#1",
        "near 1.0.0: from a folder outside the workspace",
        "twin: 2 versions: 1.0.0, 2.0.0",
    ];
    assert_eq!(found(&all.join(",")), wanted);
}

#[test]
fn the_file_of_this_repository_can_be_read() {
    let file = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../deny.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let report = judge(&text, br#"{"packages":[],"workspace_members":[]}"#).unwrap();
    assert_eq!(report.to_string(), "0 packages checked, 0 denied, 0 noted");
}
