//! `coalwash check`: one answer everywhere, and the right exit.

use std::path::Path;

use serde_json::Value;

use crate::home::{TestHome, git, path, said};

/// A repository with a commit on `main`, and a branch that puts more into every session.
pub(crate) fn branch() -> TestHome {
    let mut home = TestHome::new();
    home.env("PATH", &path());
    home.file("CLAUDE.md", "# Shop\n\n@docs/old.md\n\nRead this.\n")
        .file("AGENTS.md", "# Shop\n\nBuild with make.\n")
        .file("src/api/handler.rs", "code\n")
        .file("coalwash.jsonc", "{ \"budget\": { \"always\": 700 } }\n");
    let project = home.project();
    git(&home, &project, &["init", "-q", "-b", "main"]);
    git(&home, &project, &["add", "-A"]);
    git(&home, &project, &["commit", "-q", "-m", "one"]);
    git(&home, &project, &["checkout", "-q", "-b", "topic"]);
    let examples = "The handlers in src/api take a request and give an answer.\n".repeat(40);
    home.file(
        "CLAUDE.md",
        format!("# Shop\n\n@docs/old.md\n\nRead this, and @docs/api.md.\n\n## API examples\n\n{examples}"),
    )
    .file("docs/api.md", "# API\n")
    .file(".claude/rules/sql.md", "---\npaths: \"db/**/*.sql\"\n---\nUse joins.\n")
    .file("src/query.sql", "select 1;\n");
    git(&home, &project, &["add", "-A"]);
    home
}

#[test]
fn a_branch_that_breaks_the_budget_fails_with_ways_back() {
    let home = branch();
    insta::assert_snapshot!(said(&home.run(&["check", "--base", "main"])));
    insta::assert_snapshot!(said(&home.run(&["check", "--base", "main", "--format", "github"])));
    insta::assert_snapshot!(said(&home.run(&["check", "--base", "main", "--format", "markdown"])));
    let alone = home.run(&["check"]);
    assert_eq!(alone.code, 1);
    assert!(alone.stdout.contains("`@docs/old.md` loads nothing"), "{}", alone.stdout);
}

#[test]
fn a_branch_that_changes_nothing_that_loads_says_nothing() {
    let home = branch();
    git(&home, &home.project(), &["stash", "-q"]);
    let run = home.run(&["check", "--base", "main", "--format", "markdown"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "an old problem fails no branch");
    insta::assert_snapshot!(said(&home.run(&["check", "--base", "main"])));
}

#[test]
fn what_passes_is_one_line() {
    let home = TestHome::new();
    home.file("CLAUDE.md", "# Shop\n\nRead this.\n")
        .file("coalwash.jsonc", "{\"budget\":{\"always\":100}}");
    let run = home.run(&["check"]);
    assert_eq!(
        said(&run),
        "Passed: Claude Code 6 of 100 tokens, OpenCode 6 of 100 tokens; 0 problems.\n    Tokens are rough, ±25%.\nexit 0"
    );
}

#[test]
fn json_has_the_promised_shape() {
    let home = branch();
    let json = home.run(&["check", "--base", "main", "--json"]).json_of_exit(1);
    assert_eq!(json["schema"], "coalwash.check/1");
    assert_eq!((&json["outcome"], &json["exit"]), (&"failed".into(), &1.into()));
    let claude = &json["hosts"][0];
    assert_eq!((&claude["host"], &claude["verdict"]), (&"claude-code".into(), &"over".into()));
    assert_eq!(claude["budget_tokens"], 700);
    let over = claude["tokens"].as_u64().unwrap() - 700;
    assert_eq!(claude["over_by"], over);
    assert!(claude["tokens_before"].as_u64().unwrap() < 700);
    let finding = &json["findings"][0];
    assert!(finding["path"].as_str().unwrap().starts_with('/'));
    for key in ["rule", "severity", "line", "column", "what", "fix", "hosts", "new"] {
        assert!(!finding[key].is_null(), "{key}");
    }
}

#[test]
fn sarif_names_rules_places_and_levels() {
    let home = branch();
    let log = home.run(&["check", "--format", "sarif"]).json_of_exit(1);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 3);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
        let place = &result["locations"][0]["physicalLocation"];
        assert!(!place["artifactLocation"]["uri"].as_str().unwrap().starts_with('/'));
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(result["message"]["text"].as_str().unwrap().len() > 5);
    }
    let ids: Vec<&str> = results.iter().map(|it| it["ruleId"].as_str().unwrap()).collect();
    assert!(ids.contains(&"budget-over") && ids.contains(&"import-punctuation"));
}

#[test]
fn the_same_tree_gets_the_same_answer_under_any_home() {
    let home = branch();
    let mut answers = Vec::new();
    for other in 0..2 {
        if other == 1 {
            home.file("~/.claude/CLAUDE.md", "mine\n")
                .file("~/.claude/settings.json", "{\"claudeMdExcludes\":[\"**\"]}")
                .file("~/.claude.json", "{}")
                .file("~/.codex/config.toml", "project_doc_max_bytes = 1\n")
                .file("~/.gemini/settings.json", "{\"context\":{\"fileName\":\"X.md\"}}")
                .file("~/.config/opencode/AGENTS.md", "mine\n")
                .file(
                    "~/.config/coalwash/config.jsonc",
                    "{\"budget\":{\"always\":1}, \"nonsense\": 1}",
                )
                .file("../CLAUDE.md", "above\n")
                .file("CLAUDE.local.md", "mine and not in git\n")
                .session(&[("CLAUDE.md", "another text")]);
        }
        for args in [
            &["check"][..],
            &["check", "--json"],
            &["check", "--base", "main", "--format", "sarif"],
        ] {
            let mut command = home.command(args);
            command.current_dir(home.project());
            if other == 1 {
                command
                    .env("COALWASH_NOW", "1")
                    .env("USER", "someone-else")
                    .env("CLAUDE_CONFIG_DIR", home.path("~/.claude"))
                    .env("ANTHROPIC_MODEL", "haiku")
                    .env("CLAUDE_CODE_SIMPLE", "1");
            }
            let output = command.output().unwrap();
            answers.push((output.status.code(), output.stdout, output.stderr));
        }
    }
    let (one, two) = answers.split_at(3);
    assert_eq!(one, two);
}

/// Nothing outside the repository is opened, by name or by link.
#[cfg(target_os = "linux")]
#[test]
fn nothing_outside_the_repository_is_opened() {
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    let home = branch();
    home.file("~/.claude/CLAUDE.md", "mine\n")
        .file("~/.claude/settings.json", "{}")
        .file("~/.claude/rules/r.md", "mine\n")
        .file("~/.config/coalwash/config.jsonc", "{}")
        .file("~/.codex/AGENTS.md", "mine\n")
        .file("~/.gemini/GEMINI.md", "mine\n")
        .file("~/.config/opencode/AGENTS.md", "mine\n")
        .file("../CLAUDE.md", "above\n")
        .file("../.claude/rules/r.md", "above\n")
        .link("linked.md", "../CLAUDE.md")
        .link(".claude/rules/out.md", "../../../.claude/rules/r.md");
    home.file("CLAUDE.md", "@../CLAUDE.md @linked.md @~/.claude/CLAUDE.md\n");
    git(&home, &home.project(), &["add", "-A"]);
    let watch = inotify::init(CreateFlags::NONBLOCK).unwrap();
    let folders = [
        "~/.claude",
        "~/.claude/rules",
        "~/.config/coalwash",
        "~/.codex",
        "~/.gemini",
        "~/.config/opencode",
        "..",
        "../.claude/rules",
    ];
    for folder in folders {
        inotify::add_watch(&watch, home.path(folder), WatchFlags::OPEN | WatchFlags::ACCESS)
            .unwrap();
    }
    let run = home.run(&["check"]);
    assert_eq!(run.code, 2, "what was not looked at is not judged");
    assert!(
        run.stdout.contains("[import-outside]") && run.stdout.contains("[link-outside]"),
        "{}",
        run.stdout
    );
    let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
    let mut events = inotify::Reader::new(&watch, &mut buffer);
    let mut opened = Vec::new();
    while let Ok(event) = events.next() {
        let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
        // The repository's own folder stands in one of them.
        if name.as_deref() != Some("shop") {
            opened.push(name);
        }
    }
    assert_eq!(opened, Vec::<Option<String>>::new());
}

#[test]
fn what_git_does_not_have_is_not_counted() {
    let home = branch();
    let before = home.run(&["check", "--json"]).stdout;
    home.file(".claude/rules/mine.md", "not in git\n").file("GEMINI.md", "not in git\n");
    assert_eq!(home.run(&["check", "--json"]).stdout, before);
}

#[test]
fn a_base_that_cannot_be_had_is_said() {
    let home = branch();
    let mut out = said(&home.run(&["check", "--base", "nowhere"]));
    let project = home.project();
    git(&home, &project, &["commit", "-q", "-m", "two"]);
    git(&home, &project, &["checkout", "-q", "main"]);
    home.file("more.md", "x\n");
    git(&home, &project, &["add", "-A"]);
    git(&home, &project, &["commit", "-q", "-m", "three"]);
    let shallow = home.path("~/shallow");
    let url = format!("file://{}", project.display());
    let target = shallow.to_str().unwrap();
    git(&home, &home.home(), &["clone", "-q", "--depth", "1", "--no-single-branch", &url, target]);
    out.push_str("\n== shallow\n");
    out.push_str(&said(&home.run_in(&shallow, &["check", "--base", "origin/topic"])));
    out.push('\n');
    out.push_str(&said(&home.run_in(&shallow, &["check", "--base", "main~1"])));
    let bare = TestHome::new();
    bare.file("CLAUDE.md", "x\n");
    out.push_str("\n== no name\n");
    out.push_str(&said(&bare.run(&["check", "--base", ""])));
    out.push_str("\n== no git\n");
    out.push_str(&said(&bare.run(&["check", "--base", "main"])));
    insta::assert_snapshot!(out);
}

#[test]
fn worktrees_and_submodules_are_checked_as_they_are() {
    let home = branch();
    let project = home.project();
    git(&home, &project, &["commit", "-q", "-m", "two"]);
    let tree = home.path("~/tree");
    git(&home, &project, &["worktree", "add", "-q", tree.to_str().unwrap(), "main"]);
    let run = home.run_in(&tree, &["check", "--base", "main"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    let other = TestHome::new();
    other.file("CLAUDE.md", "of the submodule\n");
    git(&other, &other.project(), &["init", "-q", "-b", "main"]);
    git(&other, &other.project(), &["add", "-A"]);
    git(&other, &other.project(), &["commit", "-q", "-m", "one"]);
    let url = other.project();
    git(&home, &project, &["submodule", "--quiet", "add", url.to_str().unwrap(), "sub"]);
    let json = home.run(&["check", "--base", "main", "--json"]).json_of_exit(1);
    assert!(!json.to_string().contains("of the submodule"));
}

#[test]
fn bad_configuration_stops_the_check_before_it_begins() {
    let rows: [(&str, &[u8]); 8] = [
        ("truncated", b"{ \"budget\": {"),
        ("typo", b"{ \"budgets\": { \"always\": 1 } }"),
        ("zero", b"{ \"budget\": { \"always\": 0 } }"),
        ("negative", b"{ \"budget\": { \"always\": -1 } }"),
        ("text", b"{ \"budget\": { \"always\": \"8000\" } }"),
        ("huge", b"{ \"budget\": { \"always\": 99999999999999999999 } }"),
        ("utf-16 half", b"\xff\xfe{"),
        ("large", &[b' '; (1 << 20) + 1]),
    ];
    let mut out = String::new();
    for (name, bytes) in rows {
        let home = TestHome::new();
        home.file("CLAUDE.md", "# P\n").file("coalwash.jsonc", bytes);
        let run = home.run(&["check"]);
        assert_eq!(run.code, 2, "{name}");
        out.push_str(&format!("== {name}\n{}\n", said(&run)));
        for format in ["json", "sarif", "github", "markdown"] {
            let run = home.run(&["check", "--format", format]);
            assert_eq!(run.code, 2, "{name} {format}");
            assert!(!run.stdout.is_empty(), "{name} {format}");
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn a_budget_that_cannot_be_judged_is_not_met() {
    let home = TestHome::new();
    home.link("CLAUDE.md", "nowhere").file("coalwash.jsonc", "{\"budget\":{\"always\":100}}");
    insta::assert_snapshot!(said(&home.run(&["check"])));
    home.file("coalwash.jsonc", "{}");
    let run = home.run(&["check"]);
    assert_eq!(run.code, 1, "what can't be read is an error even without a budget");
}

#[test]
fn init_declares_a_budget_that_holds_today() {
    let home = branch();
    let refused = home.run(&["check", "--init"]);
    assert_eq!(refused.code, 3);
    std::fs::remove_file(home.path("coalwash.jsonc")).unwrap();
    let run = home.run(&["check", "--init"]);
    insta::assert_snapshot!(format!(
        "{}\n{}\n{}",
        said(&refused),
        said(&run),
        std::fs::read_to_string(home.path("coalwash.jsonc")).unwrap()
    ));
    assert_eq!(home.run(&["config", "get", "budget.always"]).stdout, "8000\n");
}

#[test]
fn the_reference_of_rules_is_made_from_the_code() {
    use coalwash_core::load::check::{Rule, Severity};
    let mut text = String::from(
        "# What `coalwash check` finds\n\nErrors fail; warnings fail with `check.fail_on`: `warning`. \
         Leave one out with `check.ignore`:\n`\"RULE\"`, or `\"RULE:GLOB\"` from the root of the \
         repository. This page is made from the code.\n\n| rule | severity | what it says | why |\n\
         | --- | --- | --- | --- |\n",
    );
    for rule in Rule::ALL {
        let severity = match rule.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        text.push_str(&format!(
            "| `{}` | {severity} | {} | {} |\n",
            rule.code(),
            rule.words(),
            rule.why()
        ));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/check-rules.md");
    if std::env::var_os("COALWASH_UPDATE_DOCS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), text);
}

#[test]
fn an_agent_pays_for_few_lines() {
    let mut home = branch();
    home.env("CLAUDECODE", "1");
    let run = home.run(&["check", "--base", "main"]);
    assert!(run.stdout.lines().count() <= 24, "{}", run.stdout);
    drop::<Value>(home.run(&["check", "--json"]).json_of_exit(1));
}
