use super::*;
use proptest::prelude::*;
use serde_json::Value;

fn scope(values: &[&str]) -> PathScope {
    path_scope(values.iter().copied())
}

/// Every answer of the real client, both versions; `start` is a rule without a condition.
#[test]
fn patterns_match_what_the_client_matched() {
    let text = include_str!("../../../fixtures/claude-code/path-patterns.json");
    let golden: Value = serde_json::from_str(text).unwrap();
    let files: Vec<&str> =
        golden["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    let mut wrong = Vec::new();
    for case in golden["cases"].as_array().unwrap() {
        let list: Vec<&str> =
            case["paths"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
        let expected: Vec<&str> =
            case["touch"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
        let at_start = case["start"].as_bool().unwrap();
        let found: Vec<&str> = match scope(&list) {
            PathScope::Everywhere => {
                if !at_start {
                    wrong.push(format!("{list:?}: not at the start"));
                }
                continue;
            }
            PathScope::Only(patterns) => {
                let patterns = Patterns::new(patterns.iter().map(String::as_str));
                files.iter().copied().filter(|f| patterns.matches(f)).collect()
            }
            PathScope::Bomb => panic!("{list:?} is no bomb"),
        };
        if at_start || found != expected {
            wrong.push(format!(
                "{list:?}\n  client {expected:?} start {at_start}\n  ours   {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} lists differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn braces_multiply_and_commas_split() {
    let only = |p: &[&str]| PathScope::Only(p.iter().map(|s| (*s).to_owned()).collect());
    assert_eq!(
        scope(&["src/{a,b}/*.{x,y}, z"]),
        only(&["src/a/*.x", "src/a/*.y", "src/b/*.x", "src/b/*.y", "z"])
    );
    assert_eq!(scope(&["src/**"]), only(&["src"]));
    assert_eq!(scope(&["{}"]), only(&["{}"]));
    assert_eq!(scope(&[]), PathScope::Everywhere);
    assert_eq!(scope(&["**", "/**"]), PathScope::Everywhere);
}

#[test]
fn a_brace_bomb_is_named_at_once() {
    assert_eq!(scope(&[&"{a,b}".repeat(40)]), PathScope::Bomb);
    assert_eq!(scope(&[&format!("{{{}}}", "a,".repeat(20_000))]), PathScope::Bomb);
    assert_eq!(scope(&[&"{a,".repeat(20_000)]), PathScope::Only(vec!["{a,".repeat(20_000)]));
    assert_eq!(scope(&[&"{".repeat(100_000)]), PathScope::Only(vec!["{".repeat(100_000)]));
}

proptest! {
    #[test]
    fn any_pattern_meets_any_path(pattern in "[ab*/?!#\\\\\\[\\]{}, .é-]{0,24}", path in "[abB/.é]{1,24}") {
        if let PathScope::Only(list) = scope(&[&pattern]) {
            Patterns::new(list.iter().map(String::as_str)).matches(&path);
        }
    }
}

/// Answers of the client for `claudeMdExcludes`, one glob at a time.
#[test]
fn globs_of_settings_name_what_the_client_left_out() {
    let yes = [
        ("**/imp/*.md", "/t/p/imp/i.md"),
        ("/t/p/imp/**", "/t/p/imp/i.md"),
        ("/t/p/*", "/t/p/CLAUDE.md"),
        ("/t/p/**/*.md", "/t/p/CLAUDE.md"),
        ("**", "/t/p/.claude/CLAUDE.md"),
        ("**/*", "/t/p/.claude/CLAUDE.md"),
        ("**/.claude/*", "/h/.claude/CLAUDE.md"),
        ("/**/CLAUDE.md", "/t/CLAUDE.md"),
        ("**/CLAUDE*.md", "/t/p/CLAUDE.local.md"),
        ("**/{i,i2}.md", "/t/p/imp/i2.md"),
        ("**/{ui,{i,i2}}.md", "/t/p/imp/i2.md"),
        ("**/i{,2}.md", "/t/p/i.md"),
        ("**/i?.md", "/t/p/i2.md"),
        ("**/[ab].md", "/t/p/a.md"),
        ("**/[!a].md", "/t/p/a.md"),
        ("!**/ui.md", "/t/p/CLAUDE.md"),
        ("/t/p/s/../CLAUDE.md", "/t/p/CLAUDE.md"),
        ("/t/p//CLAUDE.md", "/t/p/CLAUDE.md"),
        ("/t/p/./CLAUDE.md", "/t/p/CLAUDE.md"),
        ("/t/**/i.md", "/t/p/imp/i.md"),
        ("**/imp/**/*.md", "/t/p/imp/i.md"),
        ("**\\CLAUDE.md", "/t/p/CLAUDE.md"),
        ("**/+(i|i2).md", "/t/p/imp/i2.md"),
        ("**/@(i|i2).md", "/t/p/imp/i.md"),
        ("**/!(i).md", "/t/p/imp/ui.md"),
    ];
    for (glob, path) in yes {
        assert!(glob_matches(glob, path), "{glob} names {path}");
    }
    let no = [
        ("/t/p/imp", "/t/p/imp/i.md"),
        ("/t/p/imp/", "/t/p/imp/i.md"),
        ("**/rules", "/t/p/.claude/rules/a.md"),
        ("**/.claude/*", "/t/p/.claude/rules/a.md"),
        ("CLAUDE.md", "/t/p/CLAUDE.md"),
        ("./CLAUDE.md", "/t/p/CLAUDE.md"),
        ("*", "/t/p/CLAUDE.md"),
        ("*.md", "/t/p/CLAUDE.md"),
        ("**/claude.md", "/t/p/CLAUDE.md"),
        ("**/CLAUDE.MD", "/t/p/CLAUDE.md"),
        ("!**/ui.md", "/h/.claude/ui.md"),
        ("**/[!a].md", "/t/p/b.md"),
        ("**imp**", "/t/p/imp/i.md"),
        ("*/imp/i.md", "/t/imp/i.md"),
        ("/t/*/i.md", "/t/p/imp/i.md"),
        (" **/ui.md", "/h/.claude/ui.md"),
        ("", "/t/p/CLAUDE.md"),
        ("#x", "/t/p/CLAUDE.md"),
        ("**/!(i).md", "/t/p/imp/i.md"),
        ("**/!(CLAUDE).md", "/t/p/CLAUDE.local.md"),
        ("**/@(i|i2).md", "/t/p/imp/ii2.md"),
    ];
    for (glob, path) in no {
        assert!(!glob_matches(glob, path), "{glob} does not name {path}");
    }
}

#[test]
fn patterns_that_can_name_nothing_are_told() {
    for dead in ["[src/**", "./src/*.rs", "../x.rs", "!x.rs", "#x", "[", "x\\"] {
        assert!(is_dead(dead), "{dead}");
    }
    for alive in ["src", "*.rs", "/src", "x[ab]", ".x", "a/**/b"] {
        assert!(!is_dead(alive), "{alive}");
    }
}
