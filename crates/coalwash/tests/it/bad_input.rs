//! Files and folders that no one expects: no panic, no silence, the right exit.

use std::os::unix::ffi::OsStrExt as _;

use serde_json::Value;

use crate::home::TestHome;

/// Runs every reading command and returns the JSON of `context`.
fn answers(home: &TestHome) -> Value {
    for args in [&[][..], &["context"], &["context", "--all"], &["--all"], &["context", "a/b.rs"]] {
        let run = home.run(args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
        for c in run.stdout.chars() {
            let safe = c == '\n' || !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}');
            assert!(safe, "{args:?} prints {c:?}");
        }
    }
    home.run(&["context", "--json"]).json()["hosts"][0].clone()
}

/// Returns `code name` of everything that is passed over.
fn skipped(host: &Value) -> Vec<String> {
    let name = |s: &Value| {
        let path = s["path"].as_str().map(|p| p.rsplit('/').next().unwrap_or_default().to_owned());
        path.or_else(|| s["text"].as_str().map(str::to_owned)).unwrap_or_default()
    };
    let mut out: Vec<String> = host["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| format!("{} {}", s["reason"].as_str().unwrap(), name(s)))
        .collect();
    out.sort();
    out
}

#[test]
fn what_stands_in_place_of_a_file_is_named() {
    let home = TestHome::new();
    home.folder(".git")
        .pipe("CLAUDE.md")
        .folder("CLAUDE.local.md")
        .link(".claude/CLAUDE.md", "nowhere")
        .link(".claude/rules/loop.md", "loop.md")
        .link(".claude/rules/self", "../rules")
        .link(".claude/rules/zero.md", "/dev/zero")
        .file(".claude/rules/empty.md", "")
        .file(".claude/rules/blank.md", " \n\t\n")
        .file(".claude/rules/note.txt", "x")
        .file("claude.md", "wrong case");
    assert_eq!(
        skipped(&answers(&home)),
        [
            "empty blank.md",
            "empty empty.md",
            "folder-for-file CLAUDE.local.md",
            "link-broken CLAUDE.md",
            "link-loop loop.md",
            "rule-extension note.txt",
            "special-file CLAUDE.md",
            "special-file zero.md",
            "wrong-case claude.md",
        ]
    );
}

#[test]
fn names_that_could_fool_a_screen_are_escaped() {
    let home = TestHome::new();
    home.folder(".git").folder(".claude/rules");
    for name in ["a\nb.md", "c\u{1b}[31m.md", "d\u{202e}.md"] {
        home.file(&format!(".claude/rules/{name}"), "x\n\n@none.md\n");
    }
    let raw = std::ffi::OsStr::from_bytes(b"n\xff.md");
    std::fs::write(home.path(".claude/rules").join(raw), "x").unwrap();
    let host = answers(&home);
    assert!(skipped(&host).contains(&"name-not-utf8 n\\xff.md".to_owned()));
    assert_eq!(host["entries"].as_array().unwrap().len(), 3);
}

#[test]
fn encodings_are_read_as_the_host_reads_them() {
    let home = TestHome::new();
    let utf16: Vec<u8> = "\u{feff}hello".encode_utf16().flat_map(u16::to_le_bytes).collect();
    home.folder(".git")
        .file(".claude/rules/a.md", b"\xef\xbb\xbfbom\r\ncrlf\r\n")
        .file(".claude/rules/b.md", b"bad \xff\xfe bytes \x00 nul")
        .file(".claude/rules/c.md", utf16);
    let host = answers(&home);
    assert_eq!(skipped(&host), ["utf-16 c.md"]);
    let entries = host["entries"].as_array().unwrap();
    let chars = |name: &str| {
        let entry = entries.iter().find(|e| e["path"].as_str().unwrap().ends_with(name)).unwrap();
        entry["sent_chars"].as_u64().unwrap()
    };
    assert_eq!((chars("a.md"), chars("b.md")), (9, 18));
}

#[test]
fn front_matter_bombs_are_named() {
    let home = TestHome::new();
    let laughs: String =
        (1..30).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}]\n", n - 1)).collect();
    home.folder(".git")
        .file(
            ".claude/rules/braces.md",
            format!("---\npaths: \"{}\"\n---\nx\n", "{a,b}".repeat(60)),
        )
        .file(".claude/rules/laughs.md", format!("---\na0: &a0 x\n{laughs}paths: *a29\n---\nx\n"))
        .file(".claude/rules/deep.md", format!("---\npaths: {}\n---\nx\n", "[".repeat(50_000)))
        .file(
            ".claude/rules/long.md",
            format!("---\npaths: \"{}\"\n---\nx\n", "a/".repeat(400_000)),
        );
    let skipped = skipped(&answers(&home));
    assert!(skipped.contains(&"paths-bomb braces.md".to_owned()), "{skipped:?}");
}

#[test]
fn a_rule_that_can_never_match_is_never_loaded() {
    let home = TestHome::new();
    home.folder(".git").file(".claude/rules/dead.md", "---\npaths: [src/**\n---\nx\n");
    let host = answers(&home);
    assert_eq!(skipped(&host), ["paths-dead dead.md"]);
    assert_eq!(host["entries"].as_array().unwrap().len(), 0);
}

/// Ignore files come with a repository; they were once read without a look at what they are.
#[test]
fn ignore_files_of_a_repository_cannot_hang_or_fill_memory() {
    for make in [
        |home: &TestHome| {
            home.pipe(".gitignore");
        },
        |home: &TestHome| {
            home.pipe("sub/.gitignore");
        },
        |home: &TestHome| {
            home.pipe(".git/info/exclude");
        },
        |home: &TestHome| {
            home.link(".gitignore", "/dev/zero");
        },
        |home: &TestHome| {
            home.file(".gitignore", "**/a*b*c/\n".repeat(300_000));
        },
    ] {
        let home = TestHome::new();
        home.folder(".git").file("sub/CLAUDE.md", "sub\n");
        make(&home);
        let notes = answers(&home)["not_measured"].to_string();
        assert!(notes.contains("what it ignores was searched too"), "{notes}");
    }
}

/// A version once went from a record to the screen as it was.
#[test]
fn a_version_that_is_none_is_not_printed() {
    let home = TestHome::new();
    home.file("CLAUDE.md", "x\n").file(
        &format!("{}/s.jsonl", home.host_folder()),
        format!(
            "{{\"type\":\"user\",\"cwd\":\"{}\",\"version\":\"9.9\\u001b[31m\\n9\"}}\n",
            home.project().display()
        ),
    );
    assert!(answers(&home)["version"].is_null());
    let run = home.run(&["-C", "/no\u{1b}[31m"]);
    assert_eq!(run.code, 2);
    assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
}

#[test]
fn the_newest_version_of_a_session_counts() {
    let home = TestHome::new();
    let record = |version: &str| {
        let cwd = home.project();
        format!("{{\"type\":\"user\",\"cwd\":\"{}\",\"version\":\"{version}\"}}\n", cwd.display())
    };
    let text = [record("2.1.197"), record("2.1.332")].concat();
    home.file(&format!("{}/s.jsonl", home.host_folder()), text).file("CLAUDE.md", "x\n");
    assert_eq!(answers(&home)["version"], "2.1.332");
}

/// What could not be read was once reported as clean.
#[test]
fn nothing_unread_is_reported_as_clean() {
    type Make = fn(&TestHome);
    let cases: [(&str, Make); 8] = [
        ("index", |home| {
            home.pipe(".git/index");
        }),
        (".git", |home| {
            home.file(".git", "gitdir: nowhere\n");
        }),
        (".claude.json", |home| {
            home.file("~/.claude.json", "{\"projects\": ");
        }),
        ("CLAUDE.md", |home| {
            home.pipe("CLAUDE.md");
        }),
        ("SKILL.md", |home| {
            home.pipe(".claude/skills/s/SKILL.md");
        }),
        ("a.md", |home| {
            home.pipe(".claude/agents/a.md");
        }),
        ("MEMORY.md", |home| {
            home.pipe(&format!("{}/memory/MEMORY.md", home.host_folder()));
        }),
        ("big.md", |home| {
            home.file("CLAUDE.md", "Say the same thing twice.\n\n".repeat(400_000));
        }),
    ];
    for (name, make) in cases {
        let home = TestHome::new();
        make(&home);
        answers(&home);
        let overview = home.run(&[]).stdout;
        let name = if name == "big.md" { "too large to look for repeats" } else { name };
        assert!(overview.contains(name), "{name}:\n{overview}");
        assert!(
            !overview.contains("All good") && !overview.contains("sample"),
            "{name}:\n{overview}"
        );
    }
}

#[test]
fn folders_that_could_not_be_searched_are_named() {
    let home = TestHome::new();
    let raw = std::ffi::OsStr::from_bytes(b"bad\xff");
    home.folder(".git").file("CLAUDE.md", "x\n");
    std::fs::create_dir_all(home.project().join(raw)).unwrap();
    let notes = answers(&home)["not_measured"].to_string();
    assert!(notes.contains("bad\\\\xff"), "{notes}");
}

/// Resolving each level from the root again made this cubic.
#[test]
fn a_very_deep_rule_folder_is_read() {
    let home = TestHome::new();
    home.folder(".git");
    let deep = format!(".claude/rules/{}x.md", "d/".repeat(700));
    home.file(&deep, "deep\n");
    assert_eq!(answers(&home)["entries"].as_array().unwrap().len(), 1);
}

#[test]
fn a_home_that_is_no_folder_is_refused_by_name() {
    for bad in ["/nonexistent", "/dev/null", "relative"] {
        let mut home = TestHome::new();
        home.env("HOME", bad);
        let run = home.run(&["context"]);
        assert_eq!(run.code, 2, "{bad}");
        assert!(run.stderr.contains("`HOME`"), "{}", run.stderr);
    }
}

#[test]
fn damaged_files_of_the_host_and_of_git_are_said() {
    let home = TestHome::new();
    home.file(".git/index", b"DIRC\0\0\0\x02\0\0\xff\xff")
        .file("CLAUDE.md", "x\n")
        .file("~/.claude.json", "{\"projects\":")
        .file("~/.claude/settings.json", "{\n\"permissions\": {\"allow\": [1]}}\n")
        .file(".claude/settings.json", "{\n\n// comment\n}\n");
    home.file(&format!("{}/torn.jsonl", home.host_folder()), "{\"type\":\"att\0\0");
    let host = answers(&home);
    let notes = host["not_measured"].to_string();
    for part in ["index", "permissions", "line 3"] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    assert_eq!(host["entries"][0]["owner"], "git", "not knowing must not make it one's own");
    let overview = home.run(&[]).stdout;
    assert!(overview.contains("settings.json"), "{overview}");
}

#[test]
fn a_pipe_in_place_of_any_file_of_the_host_never_hangs() {
    let home = TestHome::new();
    home.folder(".git")
        .pipe(".git/index")
        .pipe("~/.claude/settings.json")
        .pipe("~/.claude.json")
        .pipe(".claude/rules/r.md")
        .pipe(".claude/skills/s/SKILL.md")
        .pipe(".claude/agents/a.md")
        .pipe(&format!("{}/s.jsonl", home.host_folder()))
        .pipe(&format!("{}/memory/MEMORY.md", home.host_folder()));
    let host = answers(&home);
    assert!(skipped(&host).contains(&"special-file r.md".to_owned()));
}

#[test]
fn an_unreadable_file_is_named() {
    let home = TestHome::new();
    home.folder(".git").file("CLAUDE.md", "x\n").mode("CLAUDE.md", 0o000);
    let root = rustix::process::geteuid().is_root();
    let host = answers(&home);
    // The superuser reads everything, so there is nothing to say.
    let expected: &[&str] = if root { &[] } else { &["denied CLAUDE.md"] };
    assert_eq!(skipped(&host), expected);
}

#[test]
fn a_folder_whose_path_is_not_utf8_is_refused_by_name() {
    let home = TestHome::new();
    let raw = home.home().join(std::ffi::OsStr::from_bytes(b"b\xffd"));
    std::fs::create_dir_all(&raw).unwrap();
    let run = home.run_in(&raw, &["context"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("b\\xffd") && run.stderr.contains("files: untouched"),
        "{}",
        run.all()
    );
}

#[test]
fn hostile_markdown_is_read() {
    let home = TestHome::new();
    home.folder(".git")
        .file(".claude/rules/a.md", "- ".repeat(20_000) + "@x.md")
        .file(".claude/rules/b.md", "[".repeat(200_000) + "@x.md")
        .file(".claude/rules/c.md", "> ".repeat(20_000) + "<!-- ")
        .file(".claude/rules/d.md", "@a.md ".repeat(20_000));
    assert_eq!(answers(&home)["entries"].as_array().unwrap().len(), 4);
}

#[test]
fn what_is_no_file_is_named_for_every_host() {
    let home = TestHome::new();
    home.folder(".git").pipe("GEMINI.md").pipe("AGENTS.md").folder("CLAUDE.md");
    home.link("CONTEXT.md", "nowhere.md").link("opencode.jsonc", "nowhere.jsonc");
    for (host, wanted) in [
        ("claude-code", &[("CLAUDE.md", "folder-for-file")][..]),
        ("codex", &[("AGENTS.md", "special-file")]),
        ("gemini-cli", &[("GEMINI.md", "special-file")]),
        (
            "opencode",
            &[
                ("AGENTS.md", "special-file"),
                ("CLAUDE.md", "folder-for-file"),
                ("CONTEXT.md", "link-broken"),
            ],
        ),
    ] {
        let json = home.run(&["context", "--json", "--host", host]).json();
        let skipped = json["hosts"][0]["skipped"].as_array().unwrap();
        for (name, reason) in wanted {
            let named = |it: &&serde_json::Value| it["path"].as_str().unwrap().ends_with(name);
            let found: Vec<_> = skipped.iter().filter(named).map(|it| &it["reason"]).collect();
            assert_eq!(found, [reason], "{host} {name}");
        }
    }
}
