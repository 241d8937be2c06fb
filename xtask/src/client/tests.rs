use std::process::Command;

use camino::Utf8PathBuf;

use super::Client;
use crate::trees::Tree;

/// A client that is a script.
fn script(body: &str) -> (tempfile::TempDir, Client) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::try_from(folder.path().join("claude")).unwrap();
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo '9.9.9 (Claude Code)' && exit\n{body}\n"
    );
    // Another process writes it: this one may be forking, and a program that any process holds open
    // for writing can't be run.
    let done = Command::new("sh")
        .args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh", path.as_str(), &text])
        .status()
        .unwrap();
    assert!(done.success());
    let client = Client::at(&path, "9.9.9").unwrap();
    (folder, client)
}

fn tree() -> Tree {
    Tree {
        seed: 0,
        items: Vec::new(),
        cwd: "home".into(),
        touches: Vec::new(),
        env: Vec::new(),
        features: Vec::new(),
    }
}

#[test]
fn another_version_is_refused() {
    let (folder, client) = script("");
    let path = Utf8PathBuf::try_from(folder.path().join("claude")).unwrap();
    let error = Client::at(&path, "9.9.8").unwrap_err().to_string();
    assert_eq!(error, format!("`{path}` is version 9.9.9, not 9.9.8"));
    assert_eq!(client.version(), "9.9.9");
}

#[test]
fn what_the_client_says_when_it_fails_is_shown() {
    let (_folder, client) = script("echo out; echo broken >&2; exit 3");
    let error = client.ask_anew(&tree()).unwrap_err().to_string();
    assert_eq!(error, "the client failed: broken (out)");
}

#[test]
fn a_client_that_sends_nothing_is_an_error() {
    let session = "{\"session_id\":\"s\"}";
    let (_folder, client) = script(&format!(
        "mkdir -p ~/.claude/projects/p; : > ~/.claude/projects/p/s.jsonl; echo '{session}'"
    ));
    let error = client.ask_anew(&tree()).unwrap_err().to_string();
    assert_eq!(error, "the client sent no request");
}

#[test]
fn the_client_sees_a_bare_environment() {
    let (_folder, client) = script("env | cut -d= -f1 | sort | tr '\\n' ' ' >&2; exit 1");
    let error = client.ask_anew(&tree()).unwrap_err().to_string();
    let wanted = "the client failed: ANTHROPIC_API_KEY ANTHROPIC_BASE_URL \
                  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_AUTOUPDATER \
                  DISABLE_ERROR_REPORTING DISABLE_TELEMETRY HOME LANG PATH PWD TERM";
    assert_eq!(error.replace("_ ", "").replace("OLDPWD ", "").replace("SHLVL ", ""), wanted);
}

#[test]
fn the_table_of_memory_files_is_read() {
    let (folder, client) = script(
        "cat <<'X'\n### Other\n\n| Type | Path |\n|--|--|\n| a | b |\n\n### Memory Files\n\n\
         | Type | Path | Tokens |\n|------|------|--------|\n| Project | /w/CLAUDE.md | 1.2k |\n\
         | AutoMem | /w/a | b.md | 3 |\n\n### Skills\n\n| Skill | Source | Tokens |\nX",
    );
    let rows = client.table(&tree(), folder.path().to_str().unwrap()).unwrap();
    let row = |class: &str, path: &str| (class.to_owned(), path.to_owned());
    assert_eq!(rows, [row("Project", "/w/CLAUDE.md"), row("AutoMem", "/w/a | b.md")]);
}
