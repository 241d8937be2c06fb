//! What scripts rely on: JSON, exit codes, and that reading commands only read.

use serde_json::Value;

use crate::home::TestHome;

fn strings(value: &Value, key: &str) -> Vec<String> {
    let items = value.as_array().unwrap().iter();
    items.map(|item| item[key].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn context_json_has_the_promised_shape() {
    let home = TestHome::new();
    home.folder(".git")
        .file("CLAUDE.md", "# P\n\n@docs/a.md\n\n@docs/none.md\n")
        .file("docs/a.md", "ä b\n")
        .file(".claude/rules/r.md", "---\npaths: src/**\n---\nr\n")
        .file(".claude/skills/s/SKILL.md", "---\ndescription: D\n---\nbody\n");
    let json = home.run(&["context", "--json"]).json();
    assert_eq!(json["schema"], "coalwash.context/1");
    assert_eq!(json.as_object().unwrap().keys().next().unwrap(), "schema");
    let host = &json["hosts"][0];
    assert_eq!(
        (host["host"].as_str(), host["profile"].as_str()),
        (Some("claude-code"), Some("2.1.332"))
    );
    let entries = host["entries"].as_array().unwrap();
    assert_eq!(
        strings(&host["entries"], "kind"),
        ["instructions", "import", "skill", "skill", "rule"]
    );
    assert_eq!(
        strings(&host["entries"], "tier"),
        ["always", "always", "always", "on-invoke", "on-path"]
    );
    for (i, entry) in entries.iter().enumerate() {
        assert_eq!(entry["order"], i + 1);
        assert!(entry["path"].as_str().unwrap().starts_with('/'));
        assert!(entry["owner"].is_string() && entry["reason"].is_string());
        assert!(entry["disk_bytes"].is_u64() && entry["tokens"].is_u64());
        assert_eq!(entry["tokens_source"], "estimated");
    }
    assert_eq!(entries[0]["from"], Value::Null);
    assert_eq!(entries[1]["from"]["line"], 3);
    assert_eq!(entries[1]["sent_chars"], 3, "Unicode scalars of the text as sent");
    assert_eq!(entries[1]["disk_bytes"], 5);
    let skipped = &host["skipped"][0];
    assert_eq!(skipped["reason"], "import-missing");
    assert_eq!(skipped["text"], "@docs/none.md");
    assert_eq!(skipped["from"]["line"], 5);
    assert!(host["not_measured"].as_array().unwrap().len() >= 4);
    assert_eq!(host["observed"], Value::Null);
    assert!(host["totals"]["always_tokens"].is_u64());
}

#[test]
fn sent_chars_count_the_hosts_own_warning() {
    let home = TestHome::new();
    let text: String = (1..=201).map(|n| format!("line {n}\n")).collect();
    home.file(&format!("{}/memory/MEMORY.md", home.host_folder()), &text);
    let json = home.run(&["context", "--json"]).json();
    let entry = &json["hosts"][0]["entries"][0];
    let kept: String = (1..=200).map(|n| format!("line {n}\n")).collect();
    assert!(entry["sent_chars"].as_u64().unwrap() > kept.len() as u64 + 100);
    assert_eq!(entry["cut"]["lost_lines"], 1);
    assert_eq!(entry["cut"]["first_lost"], "line 201");
}

#[test]
fn the_folder_option_stands_for_the_working_folder() {
    let home = TestHome::new();
    home.file("CLAUDE.md", "root\n").file("sub/CLAUDE.md", "sub\n").folder(".git");
    let paths = |run: crate::home::Run| strings(&run.json()["hosts"][0]["entries"], "path");
    let inside = paths(home.run_in(&home.path("sub"), &["context", "--json"]));
    let outside = home.run_in(&home.home(), &["context", "--json", "-C", "work/shop/sub"]);
    assert_eq!(inside, paths(outside));
    assert_eq!(inside.len(), 2);
}

#[test]
fn a_file_is_named_from_where_the_shell_stands() {
    let home = TestHome::new();
    home.file("sub/CLAUDE.md", "sub\n").file("sub/x.rs", "").folder(".git");
    let opened =
        |run: crate::home::Run| run.json()["hosts"][0]["entries"].as_array().unwrap().len();
    assert_eq!(opened(home.run(&["context", "--json", "sub/x.rs"])), 1);
    assert_eq!(opened(home.run_in(&home.path("sub"), &["context", "--json", "x.rs"])), 0);
    let from_sub = ["context", "--json", "-C", "..", "sub/x.rs"];
    assert_eq!(opened(home.run_in(&home.path("sub"), &from_sub)), 1, "`-C` holds for FILE too");
    let absolute = home.path("sub/x.rs");
    assert_eq!(opened(home.run(&["context", "--json", absolute.to_str().unwrap()])), 1);
}

#[test]
fn a_file_that_cannot_be_opened_is_said() {
    let home = TestHome::new();
    home.folder(".git")
        .file("sub/CLAUDE.md", "sub\n")
        .pipe("sub/CLAUDE.local.md")
        .file("up.md", "");
    let of = |name: &str| {
        let json = home.run(&["context", "--json", name]).json();
        let host = &json["hosts"][0];
        let skipped = strings(&host["skipped"], "reason").join(" ");
        (host["file_state"].as_str().unwrap().to_owned(), skipped)
    };
    assert_eq!(of("sub/none.rs"), ("missing".to_owned(), "special-file".to_owned()));
    assert_eq!(of("sub"), ("folder".to_owned(), String::new()));
    assert_eq!(of("../x.rs"), ("outside".to_owned(), String::new()));
    assert_eq!(of("up.md"), ("file".to_owned(), String::new()));
}

#[test]
fn the_project_is_the_root_of_the_checkout() {
    let home = TestHome::new();
    home.folder(".git").file("CLAUDE.md", "root\n").file("api/CLAUDE.md", "api\n");
    let json = home.run_in(&home.path("api"), &["--json"]).json();
    assert!(json["project"].as_str().unwrap().ends_with("/work/shop"));
    let list = home.run_in(&home.path("api"), &["context", "--json"]).json();
    assert_eq!(strings(&list["hosts"][0]["entries"], "owner"), ["personal", "personal"]);
}

#[test]
fn problems_in_json_name_whole_paths() {
    let home = TestHome::new();
    home.folder(".git").file("CLAUDE.md", "@docs/none.md\n");
    let json = home.run(&["--json"]).json();
    let problem = json["hosts"][0]["problems"][0].as_str().unwrap().to_owned();
    assert!(problem.starts_with('/'), "{problem}");
}

#[test]
fn what_hosts_call_never_answers_with_a_code_that_blocks() {
    let home = TestHome::new();
    for args in
        [&["hook"][..], &["hook", "--nonsense", "x"], &["statusline"], &["hook", "stop", "-h"]]
    {
        let run = home.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn completions_and_the_manual_page_name_every_command() {
    let home = TestHome::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = home.run(&["completions", shell]);
        assert_eq!(run.code, 0);
        for command in ["context", "demo", "completions"] {
            assert!(run.stdout.contains(command), "{shell}: {command}");
        }
    }
    let man = home.run(&["man"]).stdout;
    assert!(man.starts_with(".ie") && man.contains("coalwash\\-context"), "{man}");
}

/// Every reading command, on a home that nobody may write to.
#[test]
fn reading_commands_write_nothing_and_answer_on_a_read_only_home() {
    let home = TestHome::new();
    home.folder(".git")
        .file("CLAUDE.md", "# P\n\nText.\n")
        .session(&[("CLAUDE.md", "# P\n\nText.")]);
    for folder in ["~/.claude/projects", "~/.claude", ".git", "~/work", "."] {
        home.mode(folder, 0o555);
    }
    let before = home.snapshot();
    for args in [
        &[][..],
        &["--json"],
        &["--all"],
        &["--all", "--json"],
        &["context"],
        &["context", "--json"],
        &["context", "--observed"],
        &["context", "CLAUDE.md"],
        &["gauge"],
        &["gauge", "--json"],
        &["check"],
        &["config"],
        &["demo"],
    ] {
        let run = home.run(args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
        assert!(!run.stdout.is_empty(), "{args:?}");
    }
    assert_eq!(before, home.snapshot());
    for folder in ["~/.claude/projects", "~/.claude", ".git", "~/work", "."] {
        home.mode(folder, 0o755);
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let home = TestHome::new();
    let rules: String = "x\n".repeat(3);
    for n in 0..300 {
        home.file(&format!(".claude/rules/r{n}.md"), format!("{n} {rules}"));
    }
    let mut child = home
        .command(&["context", "--all"])
        .current_dir(home.project())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_variable_that_switches_instructions_off_is_said() {
    let mut home = TestHome::new();
    home.folder(".git").file("CLAUDE.md", "text\n");
    let said = |home: &TestHome| {
        let json = home.run(&["context", "--json"]).json();
        json["hosts"][0]["not_measured"].to_string().contains("CLAUDE_CODE_SIMPLE")
    };
    assert!(!said(&home));
    home.env("CLAUDE_CODE_SIMPLE", "1");
    assert!(said(&home));
}

#[test]
fn descriptions_in_the_list_of_skills_are_cut_where_the_settings_say() {
    let home = TestHome::new();
    let long = "x".repeat(90);
    home.folder(".git")
        .file(".claude/settings.json", r#"{"skillListingMaxDescChars": 40}"#)
        .file(".claude/skills/s/SKILL.md", format!("---\ndescription: {long}\n---\nbody\n"));
    let json = home.run(&["context", "--json"]).json();
    // `- s: `, 39 characters and an ellipsis.
    assert_eq!(json["hosts"][0]["entries"][0]["sent_chars"], 45);
}
