//! What others run of this repository: the action's script and the hook of pre-commit.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::check::branch;
use crate::home::{TestHome, git, path};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A clean clone of the branch that breaks the budget.
fn cloned() -> (TestHome, PathBuf) {
    let home = branch();
    git(&home, &home.project(), &["commit", "-q", "-m", "two"]);
    let clone = home.path("~/clone");
    let url = home.project();
    git(&home, &home.home(), &["clone", "-q", url.to_str().unwrap(), clone.to_str().unwrap()]);
    (home, clone)
}

/// A `gh` that keeps the pull request's comments in a folder, one file each, and writes down what it
/// was asked.
const GH: &str = r#"#!/usr/bin/env bash
set -eu
printf '%s\n' "$*" >>"$STORE/calls"
[ ! -e "$STORE/refuse" ] || { echo "gh: Resource not accessible by integration (HTTP 403)" >&2; exit 1; }
case "$*" in
  "api --paginate repos/o/r/issues/7/comments --jq "*)
    for file in "$STORE"/*.comment; do
      [ ! -e "$file" ] || head -n 1 "$file" | grep -q '^<!-- coalwash check -->$' || continue
      [ ! -e "$file" ] || basename "$file" .comment
    done ;;
  "api --silent --method POST repos/o/r/issues/7/comments --field body=@-") cat >"$STORE/41.comment" ;;
  "api --silent --method PATCH repos/o/r/issues/comments/41 --field body=@-") cat >"$STORE/41.comment" ;;
  "api --silent --method DELETE repos/o/r/issues/comments/41") rm "$STORE/41.comment" ;;
  *) echo "gh: unknown: $*" >&2; exit 1 ;;
esac
"#;

/// Runs the action's script as `action.yml` does.
fn action(home: &TestHome, clone: &Path, env: &[(&str, &str)]) -> Output {
    home.file("~/bin/gh", GH).mode("~/bin/gh", 0o755).folder("~/store");
    Command::new("bash")
        .arg(repository().join("action.sh"))
        .arg(env!("CARGO_BIN_EXE_coalwash"))
        .current_dir(clone)
        .env_clear()
        .env("PATH", format!("{}:{}", home.path("~/bin").display(), path()))
        .env("HOME", home.home())
        .env("STORE", home.path("~/store"))
        .env("BASE", "origin/main")
        .env("COMMENT", "true")
        .env("GITHUB_STEP_SUMMARY", home.path("~/summary.md"))
        .env("GITHUB_REPOSITORY", "o/r")
        .envs(env.iter().copied())
        .output()
        .unwrap()
}

fn methods(home: &TestHome) -> Vec<String> {
    let calls = std::fs::read_to_string(home.path("~/store/calls")).unwrap_or_default();
    let method = |line: &str| line.split("--method ").nth(1)?.split(' ').next().map(str::to_owned);
    calls.lines().filter_map(method).collect()
}

#[test]
fn the_action_keeps_one_comment_and_fails_with_the_check() {
    let (home, clone) = cloned();
    let pull = [("PULL_REQUEST", "7"), ("GH_TOKEN", "x")];
    let output = action(&home, &clone, &pull);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.starts_with("::error title=budget-over (coalwash)::"), "{said}");
    assert!(said.ends_with("\nFailed: 1 error, 1 budget over; 1 warning.\n"), "{said}");
    let read = |name: &str| std::fs::read_to_string(home.path(name)).unwrap();
    let summary = read("~/summary.md");
    assert!(summary.starts_with("**Agent context: +"), "{summary}");
    assert_eq!(read("~/store/41.comment"), format!("<!-- coalwash check -->\n{summary}"));
    assert_eq!(methods(&home), ["POST"]);
    // The next push edits it.
    std::fs::write(clone.join("CLAUDE.md"), "# Shop\n\nRead this and that.\n").unwrap();
    let output = action(&home, &clone, &pull);
    assert_eq!(output.status.code(), Some(0));
    assert!(read("~/store/41.comment").contains("(11 → "), "{}", read("~/store/41.comment"));
    assert_eq!(methods(&home), ["POST", "PATCH"]);
    // Nothing that loads is changed any more.
    git(&home, &clone, &["checkout", "-qf", "origin/main"]);
    let output = action(&home, &clone, &pull);
    assert_eq!(output.status.code(), Some(0));
    assert!(!home.path("~/store/41.comment").exists());
    assert_eq!(methods(&home), ["POST", "PATCH", "DELETE"]);
    // And there is nothing to delete.
    assert_eq!(action(&home, &clone, &pull).status.code(), Some(0));
    assert_eq!(methods(&home).len(), 3);
}

#[test]
fn the_action_fails_with_the_rewrite_until_a_trailer_accepts_it() {
    let (home, clone) = cloned();
    let env = [("PULL_REQUEST", "7"), ("GH_TOKEN", "x"), ("DIFF", "true")];
    std::fs::write(clone.join("CLAUDE.md"), "# Shop\n\nRead that.\n").unwrap();
    git(&home, &clone, &["add", "-A"]);
    let output = action(&home, &clone, &env);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("::error file=CLAUDE.md,line="), "{said}");
    let comment = std::fs::read_to_string(home.path("~/store/41.comment")).unwrap();
    assert!(comment.contains("lost, changed or moved in `CLAUDE.md`**"), "{comment}");
    git(&home, &clone, &["commit", "-q", "-m", "two\n\nCoalwash-Ok: CLAUDE.md"]);
    let output = action(&home, &clone, &env);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_action_touches_no_comment_where_it_may_not_or_has_no_answer() {
    let (home, clone) = cloned();
    let pull = [("PULL_REQUEST", "7"), ("GH_TOKEN", "x")];
    // No pull request, no token, no wish.
    for env in [&[][..], &pull[..1], &pull[1..], &[pull[0], pull[1], ("COMMENT", "false")]] {
        assert_eq!(action(&home, &clone, env).status.code(), Some(1));
        assert!(!home.path("~/store/calls").exists(), "{env:?}");
    }
    // A fork's token may not write; the answer is that of the check all the same.
    home.file("~/store/refuse", "");
    let output = action(&home, &clone, &pull);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.starts_with("No comment was written: it needs `permissions: "), "{said}");
    std::fs::remove_file(home.path("~/store/refuse")).unwrap();
    // A base that isn't here is no empty answer: the comment stays.
    home.file("~/store/41.comment", "<!-- coalwash check -->\nold\n");
    let output = action(&home, &clone, &[pull[0], pull[1], ("BASE", "nowhere")]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("git knows no revision `nowhere` here"), "{said}");
    assert!(home.path("~/store/41.comment").exists());
    // A wrong configuration is said.
    std::fs::write(clone.join("coalwash.jsonc"), "{ \"budgets\": 1 }").unwrap();
    let output = action(&home, &clone, &pull);
    assert_eq!(output.status.code(), Some(2));
    let comment = std::fs::read_to_string(home.path("~/store/41.comment")).unwrap();
    assert!(comment.contains("**The configuration of coalwash is wrong**"), "{comment}");
    // Without a base everything counts.
    let output = action(&home, &home.project(), &[("BASE", "")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("`@docs/old.md` loads nothing"));
}

#[test]
fn action_yml_runs_the_script_with_what_it_asks_for() {
    let action = std::fs::read_to_string(repository().join("action.yml")).unwrap();
    let script = std::fs::read_to_string(repository().join("action.sh")).unwrap();
    assert!(action.contains("run: bash \"$GITHUB_ACTION_PATH/action.sh\" \"$RUNNER_TEMP/"));
    for name in ["BASE", "COMMENT", "DIFF", "PULL_REQUEST", "GH_TOKEN"] {
        assert!(action.contains(&format!("        {name}: ${{{{ ")), "{name}");
        assert!(script.contains(&format!("${{{name}:-")), "{name} may be unset");
    }
    // The folder that is built is one with a package.
    let package = action.split("$GITHUB_ACTION_PATH/").nth(1).unwrap().split('"').next().unwrap();
    let manifest = std::fs::read_to_string(repository().join(package).join("Cargo.toml")).unwrap();
    assert!(manifest.starts_with("[package]"), "{package}");
}

/// Returns the value of a key of the only hook.
fn hook(key: &str) -> String {
    let hooks = std::fs::read_to_string(repository().join(".pre-commit-hooks.yaml")).unwrap();
    let mut lines = hooks.lines().map(|line| line.trim_start_matches(['-', ' ']));
    lines.find_map(|line| line.strip_prefix(&format!("{key}: "))).unwrap().to_owned()
}

/// Lays out what pre-commit has of this repository, and returns the hook's command line there.
///
/// Source: pre-commit's `languages/unsupported_script.py`, read 2026-11-30: the first word of `entry`
/// is a file of the hook's repository; it is run in the user's.
fn hook_command(home: &TestHome, clone: &Path) -> Command {
    assert_eq!((&*hook("language"), &*hook("pass_filenames")), ("script", "false"));
    // No list of names has all that can be imported, and none has what is deleted.
    assert_eq!(hook("always_run"), "true");
    let entry = hook("entry");
    let mut words = entry.split(' ');
    let script = words.next().unwrap();
    let text = std::fs::read(repository().join(script)).unwrap();
    home.file(&format!("~/cache/{script}"), text).mode(&format!("~/cache/{script}"), 0o755);
    let mut command = Command::new(home.path(&format!("~/cache/{script}")));
    command.args(words).current_dir(clone).env_clear().env("HOME", home.home());
    command.env("PATH", format!("{}:{}", home.path("~/bin").display(), path()));
    command
}

#[test]
fn the_hook_of_pre_commit_builds_once_and_fails_with_the_check() {
    let (home, clone) = cloned();
    // Stands in for a build: it puts the binary where cargo does.
    let cargo = format!(
        "#!/bin/sh\necho \"$*\" >>\"$HOME/built\"\nfor last; do :; done\n\
         mkdir -p \"$last/release\" && ln -s {} \"$last/release/coalwash\"\n",
        env!("CARGO_BIN_EXE_coalwash")
    );
    home.file("~/bin/cargo", cargo).mode("~/bin/cargo", 0o755);
    for _ in 0..2 {
        let output = hook_command(&home, &clone).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("[import-punctuation]"), "{said}");
    }
    let built = std::fs::read_to_string(home.path("~/built")).unwrap();
    let cache = home.path("~/cache");
    assert_eq!(
        built,
        format!(
            "build --release --locked --quiet --package coalwash --manifest-path {0}/Cargo.toml \
             --target-dir {0}/target\n",
            cache.display()
        )
    );
    git(&home, &clone, &["checkout", "-q", "origin/main"]);
    std::fs::write(clone.join("CLAUDE.md"), "# Shop\n").unwrap();
    let output = hook_command(&home, &clone).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    // What was deleted breaks the import.
    std::fs::write(clone.join("CLAUDE.md"), "# Shop\n\n@docs/api.md\n").unwrap();
    let output = hook_command(&home, &clone).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_hook_that_can_t_be_built_fails() {
    let (home, clone) = cloned();
    home.file("~/bin/cargo", "#!/bin/sh\nexit 101\n").mode("~/bin/cargo", 0o755);
    let output = hook_command(&home, &clone).output().unwrap();
    assert_eq!(output.status.code(), Some(101));
}
