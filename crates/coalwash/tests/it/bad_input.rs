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
    let host = answers(&home);
    let not_measured = host["not_measured"].to_string();
    assert!(not_measured.contains("braces.md"), "{not_measured}");
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
