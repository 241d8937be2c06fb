//! `coalwash check --base`: what git is asked, and what happens when it doesn't answer.

use std::path::PathBuf;

use crate::check::branch;
use crate::home::{TestHome, git, path, said};

/// Puts a `git` in front of the real one that runs these lines first; `$last` is its last argument
/// but flags.
fn in_front_of_git(home: &TestHome, lines: &str) -> String {
    let real = path()
        .split(':')
        .map(|folder| PathBuf::from(folder).join("git"))
        .find(|path| path.is_file())
        .unwrap();
    let script = format!("#!/bin/sh\n{lines}\nexec {} \"$@\"\n", real.display());
    home.file("~/front/git", script).mode("~/front/git", 0o755);
    format!("{}:{}", home.path("~/front").display(), path())
}

#[test]
fn without_git_a_base_is_an_error() {
    let mut home = branch();
    home.env("PATH", "/nothing");
    assert_eq!(
        said(&home.run(&["check", "--base", "main"])),
        "error: `git` could not be run: No such file or directory (os error 2)\n\
         files: untouched\nnext:  install git, or leave `--base` out\nexit 2"
    );
}

#[test]
fn git_that_ends_in_between_is_an_error_and_not_a_smaller_base() {
    for (what, lines) in [
        ("at once", "case \"$*\" in *cat-file*) exit 1;; esac"),
        ("in an answer", "case \"$*\" in *cat-file*) read id; echo \"$id blob 9\"; exit 0;; esac"),
        ("with nonsense", "case \"$*\" in *cat-file*) read id; echo \"fatal: $id\"; exit 0;; esac"),
    ] {
        let mut home = branch();
        let front = in_front_of_git(&home, lines);
        home.env("PATH", &front);
        let run = home.run(&["check", "--base", "main"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{what}");
        let first = run.stderr.lines().next().unwrap();
        assert!(
            first.starts_with("error: git stopped while it was asked for `CLAUDE.md` of "),
            "{what}: {first}"
        );
        assert!(run.stderr.ends_with("next:  see what `git fsck` says\n"), "{}", run.stderr);
    }
}

#[test]
fn a_git_that_can_t_tell_the_difference_is_asked_for_the_whole_list() {
    let mut home = branch();
    let good = said(&home.run(&["check", "--base", "main", "--json"]));
    for lines in [
        "case \"$*\" in *diff-index*) exit 129;; esac",
        "case \"$*\" in *diff-index*) echo nonsense; exit 0;; esac",
    ] {
        let front = in_front_of_git(&home, lines);
        home.env("PATH", &front);
        assert_eq!(said(&home.run(&["check", "--base", "main", "--json"])), good);
    }
    let front = in_front_of_git(&home, "case \"$*\" in *diff-index*|*ls-tree*) exit 1;; esac");
    home.env("PATH", &front);
    let run = home.run(&["check", "--base", "main"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: git can't list the files of "), "{}", run.stderr);
}

#[test]
fn a_partial_clone_fetches_nothing() {
    let home = branch();
    let project = home.project();
    git(&home, &project, &["commit", "-q", "-m", "two"]);
    git(&home, &project, &["config", "uploadpack.allowFilter", "true"]);
    let clone = home.path("~/clone");
    let url = format!("file://{}", project.display());
    let target = clone.to_str().unwrap();
    git(&home, &home.home(), &["clone", "-q", "--filter=blob:none", &url, target]);
    let run = home.run_in(&clone, &["check", "--base", "origin/main"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.starts_with("error: git does not have what `CLAUDE.md` held in "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.ends_with("next:  fetch all of it: clone it without `--filter`\n"));
    // What the branch left as it was lies on the disk.
    git(&home, &clone, &["checkout", "-q", "origin/main", "--", "CLAUDE.md"]);
    let run = home.run_in(&clone, &["check", "--base", "origin/main"]);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn a_variable_that_names_another_repository_is_not_followed() {
    let mut home = branch();
    let good = said(&home.run(&["check", "--base", "main", "--json"]));
    let other = TestHome::new();
    other.file("CLAUDE.md", "of another one\n");
    git(&other, &other.project(), &["init", "-q", "-b", "main"]);
    let folder = other.path(".git");
    home.env("GIT_DIR", folder.to_str().unwrap());
    home.env("GIT_INDEX_FILE", "/nothing").env("GIT_WORK_TREE", "/nothing");
    assert_eq!(said(&home.run(&["check", "--base", "main", "--json"])), good);
}
