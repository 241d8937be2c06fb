//! What `check` hands to other programs: SARIF, annotations, a comment.

use std::collections::BTreeSet;

use coalwash_core::load::check::Rule;
use serde_json::Value;

use crate::check::branch;
use crate::home::{TestHome, git, path};
use crate::schema::against;

/// Names with everything in them that means something to a format.
pub(crate) const ODD: [&str; 4] = [
    "odd/a b #1, 100% (x): \u{fc}\u{4e2d}.md",
    "odd/`tick` |pipe| <b> @team [x](y) *s* _u_.md",
    "odd/%41%zz?q=1&r.md",
    "odd/quote\"s and 'more'.md",
];

/// A repository with something wrong of every kind.
fn failing() -> TestHome {
    let mut home = TestHome::new();
    home.env("PATH", &path());
    let long = "- a line that is long enough to be worth some bytes here\n".repeat(800);
    home.file(
        "coalwash.jsonc",
        "{ \"budget\": { \"always\": 700 }, \"files\": { \"docs/*.md\": 5 } }\n",
    )
    .file(
        "CLAUDE.md",
        "# Shop\n\n@docs/old.md and @docs/api.md. and x@docs/api.md\n\n@docs/ @pic.png @../out.md\n\
             \n@one.md @deep0.md @twice.md @nul.md @late.md\n\n100% of `a|b` <img src=x> @team: \
             @docs/gone<b>|`x`.md\n",
    )
    .file("docs/api.md", "# API\n\nSome words more than five tokens, to be over.\n")
    .file("pic.png", "png")
    .file("one.md", "@two.md\n")
    .file("two.md", "@one.md\n")
    .file("twice.md", "The same text, in two files of two names, loaded twice.\n")
    .file("nul.md", "@a\0b.md\n")
    .file("late.md", b"caf\xe9\n")
    .file(".claude/rules/again.md", "The same text, in two files of two names, loaded twice.\n")
    .file(".claude/rules/sql.md", "---\npaths: \"db/**/*.sql\"\n---\nUse joins.\n")
    .file(".claude/rules/dead.md", "---\npaths: [src/**\n---\nNever.\n")
    .file(".claude/rules/all.md", "---\npaths:\n  - **/*.rs\n---\nAlways.\n")
    .file(".claude/rules/rule.txt", "not read\n")
    .link(".claude/rules/out.md", "../../../outside.md")
    .link("docs/linked.md", "../../outside.md")
    .link("GEMINI.md", "nowhere")
    .file("../outside.md", "outside\n")
    .file("AGENTS.md", format!("# Shop\n\n{long}\n## Releases\n\nlast\n"))
    .file("CONTEXT.md", "in the shadow of AGENTS.md\n")
    .file("Claude.md", "wrong case\n")
    .file(".claude/agents/none.md", "---\nname: none\n---\nNo description.\n")
    .file("sub/CLAUDE.md", "@../CLAUDE.md\n")
    .file(".cursorrules", "not read\n")
    .file("src/query.sql", "select 1;\n");
    for n in 0..8 {
        home.file(&format!("deep{n}.md"), format!("@deep{}.md\n", n + 1));
    }
    for (n, name) in ODD.iter().enumerate() {
        home.file(&format!(".claude/{name}"), "odd\n");
        home.file(&format!(".claude/rules/{name}"), format!("@gone{n}.md and 100%\n"));
    }
    let project = home.project();
    git(&home, &project, &["init", "-q", "-b", "main"]);
    git(&home, &project, &["add", "-A"]);
    git(&home, &project, &["commit", "-q", "-m", "one"]);
    home
}

pub(crate) fn schema() -> Value {
    serde_json::from_str(include_str!("data/sarif-2.1.0.schema.json")).unwrap()
}

/// Decodes a percent-encoded path.
pub(crate) fn decoded(uri: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = uri.bytes();
    while let Some(byte) = bytes.next() {
        let mut digit = || char::from(bytes.next().unwrap()).to_digit(16).unwrap();
        out.push(match byte {
            b'%' => u8::try_from(digit() * 16 + digit()).unwrap(),
            byte => byte,
        });
    }
    String::from_utf8(out).unwrap()
}

/// Files of a repository that has only what others can't have beside it.
fn fragile() -> TestHome {
    let mut home = TestHome::new();
    home.env("PATH", &path());
    home.file("coalwash.jsonc", "{}")
        .file("AGENTS.md", "# Shop\n")
        .file(".claude/AGENTS.override.md", "x\n")
        .file("AGENTS.override.md", "");
    home
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().unwrap()
}

fn sarif(home: &TestHome, args: &[&str]) -> Value {
    let mut all = vec!["check", "--format", "sarif"];
    all.extend(args);
    let log = home.run(&all).json();
    assert_eq!(against(&schema(), &log), Vec::<String>::new());
    log
}

#[test]
fn sarif_of_every_finding_is_what_the_schema_says() {
    let home = failing();
    let (one, two) = (sarif(&home, &[]), sarif(&fragile(), &[]));
    let all: Vec<&Value> = results(&one).iter().chain(results(&two)).collect();
    let found: BTreeSet<&str> = all.iter().map(|it| it["ruleId"].as_str().unwrap()).collect();
    let missing: Vec<&str> =
        Rule::ALL.iter().map(|rule| rule.code()).filter(|code| !found.contains(code)).collect();
    // No link out of a repository gets as far as being a rule: it is `link-outside`.
    assert_eq!(missing, ["rule-outside"]);
    let root = home.project();
    for result in results(&one) {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.starts_with('/') && !uri.contains([' ', '#', '?', ':']), "{uri}");
        let path = root.join(decoded(uri));
        assert!(path.symlink_metadata().is_ok(), "{uri} names no file");
        assert!(result.get("baselineState").is_none(), "there is no base");
    }
    for name in ODD {
        let name = format!(".claude/rules/{name}");
        let places = results(&one).iter().map(|it| &it["locations"][0]["physicalLocation"]);
        let mut uris = places.map(|it| it["artifactLocation"]["uri"].as_str().unwrap());
        assert!(uris.any(|uri| decoded(uri) == name), "{name}");
    }
}

#[test]
fn sarif_has_what_github_asks_for() {
    let log = sarif(&failing(), &[]);
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
        for key in ["shortDescription", "fullDescription", "help"] {
            let text = rule[key]["text"].as_str().unwrap();
            assert!((1..=1024).contains(&text.len()), "{key} of {rule}");
        }
    }
    // Fingerprints tell all results apart, and are those of the same findings in other lines.
    let fingerprints = |log: &Value| -> Vec<String> {
        let all = results(log).iter().map(|it| &it["partialFingerprints"]);
        all.map(|it| it["primaryLocationLineHash"].as_str().unwrap().to_owned()).collect()
    };
    let own = fingerprints(&log);
    assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len());
    let moved = failing();
    let text = std::fs::read_to_string(moved.path("CLAUDE.md")).unwrap();
    moved.file("CLAUDE.md", format!("\n\n{text}"));
    assert_eq!(fingerprints(&sarif(&moved, &[])), own);
}

#[test]
fn sarif_of_nothing_of_a_base_and_of_what_could_not_be_done() {
    let home = TestHome::new();
    home.file("CLAUDE.md", "# Shop\n").file("coalwash.jsonc", "{\"budget\": {\"always\": 100}}");
    let log = sarif(&home, &[]);
    assert_eq!(results(&log), [Value::Null; 0]);
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
    // A budget that can't be judged is no success.
    home.file("CLAUDE.md", "x\n").link("CLAUDE.local.md", "nowhere");
    let log = sarif(&home, &[]);
    let run = &log["runs"][0]["invocations"][0];
    assert_eq!(run["executionSuccessful"], false);
    let said = run["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap();
    assert!(said.starts_with("Claude Code could not be measured, so its budget"), "{said}");
    // An empty list would close all alerts.
    home.file("coalwash.jsonc", "{ \"budgets\": 1 }");
    let log = sarif(&home, &[]);
    assert!(log["runs"][0].get("results").is_none());
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
    let log = sarif(&branch(), &["--base", "main"]);
    let states: BTreeSet<&str> =
        results(&log).iter().map(|it| it["baselineState"].as_str().unwrap()).collect();
    assert_eq!(states, ["new", "unchanged"].into());
}

#[test]
fn what_the_schema_forbids_is_seen() {
    let good = sarif(&branch(), &[]);
    for (place, value, at) in [
        ("/version", Value::from("2.0.0"), "/version"),
        ("/runs/0/results/0/message", serde_json::json!({}), "/runs/0/results/0/message"),
        ("/runs/0/results/0/level", Value::from("fatal"), "/runs/0/results/0/level"),
        ("/runs/0/results/0/ruleIndex", Value::from(-2), "/runs/0/results/0/ruleIndex"),
        (
            "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
            Value::from("a b"),
            "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
        ),
        (
            "/runs/0/tool",
            serde_json::json!({"driver": {"name": "x", "odd": 1}}),
            "/runs/0/tool/driver",
        ),
    ] {
        let mut log = good.clone();
        *log.pointer_mut(place).unwrap() = value;
        let said = against(&schema(), &log);
        assert!(said.len() == 1 && said[0].starts_with(at), "{place}: {said:?}");
    }
}

type Properties = Vec<(String, String)>;

/// What GitHub's runner reads of a line: the level, the properties and the message.
///
/// Source: `ActionCommand.cs` of actions/runner, read 2026-11-30: a command begins with `::`, its
/// properties are separated by commas, and `%25`, `%0D`, `%0A`, in properties `%3A` and `%2C`, too,
/// are taken back.
fn command(line: &str) -> Option<(&str, Properties, String)> {
    let (head, message) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (level, rest) = head.split_once(' ').unwrap_or((head, ""));
    let back = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n");
    let property = |part: &str| {
        let (key, value) = part.split_once('=').unwrap();
        let value = back(value).replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
        (key.to_owned(), value)
    };
    let properties = rest.split(',').filter(|part| !part.is_empty()).map(property).collect();
    Some((level, properties, back(message).replace("%25", "%")))
}

#[test]
fn annotations_are_read_by_the_runner_as_they_were_meant() {
    let home = failing();
    let run = home.run(&["check", "--format", "github"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let (last, commands) = lines.split_last().unwrap();
    assert!(last.starts_with("Failed: ") && command(last).is_none());
    let commands: Vec<_> = commands.iter().map(|line| command(line).unwrap()).collect();
    let levels: Vec<&str> = commands.iter().map(|(level, ..)| *level).collect();
    let mut sorted = levels.clone();
    sorted.dedup();
    assert_eq!(sorted, ["error", "warning", "notice"], "the most serious first");
    // GitHub shows ten: what says why the check failed is among them.
    let first: Vec<_> =
        commands.iter().take(10).map(|it| it.1.last().unwrap().1.as_str()).collect();
    for title in ["budget-unjudged (coalwash)", "budget-over (coalwash)"] {
        assert!(first.contains(&title), "{first:?}");
    }
    for (_, properties, message) in &commands {
        assert!(message.len() > 5);
        if let Some((_, file)) = properties.iter().find(|(key, _)| key == "file") {
            assert!(home.path(file).symlink_metadata().is_ok(), "{file} names no file");
        }
    }
    let files: BTreeSet<&str> = commands
        .iter()
        .flat_map(|it| &it.1)
        .filter(|(key, _)| key == "file")
        .map(|(_, file)| file.as_str())
        .collect();
    for name in ODD {
        assert!(files.contains(&*format!(".claude/rules/{name}")), "{name}");
    }
}

#[test]
fn no_name_of_a_file_is_a_command() {
    let home = TestHome::new();
    home.file("CLAUDE.md", "x\n").file("coalwash.jsonc", "{\"budget\": {\"always\": 100}}");
    home.link(".claude/rules/a\n::add-mask::x\r::stop-commands::y ##[group]z.md", "nowhere");
    let run = home.run(&["check", "--format", "github"]);
    assert_eq!(run.code, 2);
    let levels: Vec<_> = run
        .stdout
        .split(['\n', '\r'])
        .filter_map(|line| command(line).map(|(level, ..)| level.to_owned()))
        .collect();
    assert_eq!(levels, ["error", "error"], "{}", run.stdout);
    let last = run.stdout.lines().last().unwrap();
    assert!(last.starts_with("Failed: ") && !last.contains("##["), "{last}");
}

#[test]
fn annotations_and_the_comment_as_a_person_reads_them() {
    let home = failing();
    insta::assert_snapshot!(home.run(&["check", "--format", "github"]).all());
    insta::assert_snapshot!(home.run(&["check", "--format", "markdown"]).all());
}
