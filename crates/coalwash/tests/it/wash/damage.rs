//! A folder of runs that is damaged, or isn't what it should be: never guessed at, never followed.

use std::path::PathBuf;

use insta::assert_snapshot;

use super::{files, shop, text};
use crate::home::{TestHome, path};

/// A project with one run, and the folder of the run.
fn washed() -> (TestHome, PathBuf) {
    let home = shop();
    assert_eq!(home.run(&["quick"]).code, 0);
    let run = home.path("~/.local/share/coalwash/runs/1");
    (home, run)
}

/// Runs `log`, `log 1`, `undo` and `recover`: none may change a file of the user's, or break.
fn nothing_is_done(home: &TestHome, what: &str) -> String {
    let before = files(home);
    let mut out = String::new();
    for args in [&["log"][..], &["log", "1"], &["undo", "1"], &["recover", "--undo"]] {
        let run = home.run(args);
        assert!(matches!(run.code, 0 | 1 | 3 | 6 | 74), "{what} {args:?}: {}", run.all());
        assert!(args[0] != "undo" || run.code != 0, "{what}: {}", run.all());
        assert_eq!(files(home), before, "{what} {args:?}: {}", run.all());
        out.push_str(&format!("{args:?}\n{}\n", run.all()));
    }
    out
}

#[test]
fn a_journal_of_which_a_byte_flipped_is_not_believed() {
    let (home, run) = washed();
    let journal = run.join("journal");
    let whole = std::fs::read(&journal).unwrap();
    let places = (0..whole.len()).step_by(whole.len() / 23);
    for at in places.filter(|at| whole[*at] != b'\n') {
        let mut torn = whole.clone();
        torn[at] ^= 1;
        std::fs::write(&journal, torn).unwrap();
        nothing_is_done(&home, &format!("byte {at} of {}", whole.len()));
    }
    let mut torn = whole.clone();
    torn[100] ^= 1;
    std::fs::write(&journal, torn).unwrap();
    assert_snapshot!(nothing_is_done(&home, "byte 100"));
    std::fs::write(&journal, whole).unwrap();
    assert_eq!(home.run(&["undo"]).code, 0, "it was the damage");
}

#[test]
fn a_journal_that_was_cut_off_is_not_believed() {
    let (home, run) = washed();
    let journal = run.join("journal");
    let whole = std::fs::read(&journal).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 11) {
        std::fs::write(&journal, &whole[..length]).unwrap();
        nothing_is_done(&home, &format!("{length} of {} bytes", whole.len()));
    }
    std::fs::write(&journal, "").unwrap();
    assert_snapshot!(nothing_is_done(&home, "empty"));
    std::fs::remove_file(&journal).unwrap();
    assert_snapshot!(nothing_is_done(&home, "none"));
}

#[test]
fn originals_that_are_damaged_are_never_put_back() {
    let (home, run) = washed();
    let contents = run.join("contents.zst");
    let whole = std::fs::read(&contents).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 17) {
        let mut torn = whole.clone();
        torn[at] ^= 1;
        std::fs::write(&contents, torn).unwrap();
        let before = files(&home);
        let run = home.run(&["undo", "1"]);
        // A byte that no text depends on may flip, as one in the head of a frame.
        assert!(run.code == 74 || run.code == 0, "{at}: {}", run.all());
        if run.code == 74 {
            assert_eq!(files(&home), before, "{at}");
        } else {
            assert_eq!(home.run(&["undo"]).code, 0);
            assert_eq!(files(&home), before, "{at}");
        }
    }
    std::fs::write(&contents, &whole[..whole.len() / 2]).unwrap();
    assert_snapshot!(nothing_is_done(&home, "half"));
    std::fs::remove_file(&contents).unwrap();
    assert_snapshot!(nothing_is_done(&home, "none"));
}

#[test]
fn a_run_of_a_newer_version_is_left_alone() {
    let (home, run) = washed();
    let journal = run.join("journal");
    let whole = std::fs::read_to_string(&journal).unwrap();
    let newer: String = whole
        .lines()
        .map(|line| match line.split_once(' ') {
            Some((_, json)) => {
                let json = json.replace("\"version\":1", "\"version\":2");
                let hash = coalwash_core::wash::ContentHash::of(json.as_bytes()).to_string();
                format!("{} {json}\n", &hash[..16])
            }
            None => "\n".to_owned(),
        })
        .collect();
    assert_ne!(newer, whole);
    std::fs::write(&journal, newer).unwrap();
    assert_snapshot!(nothing_is_done(&home, "newer"));
    // Other runs are made all the same, and get another number.
    home.file("CLAUDE.md", "# C\n\n- x\n- x\n").file("draft.md", "# C\n\n- x\n");
    let run = home.run(&["apply", "CLAUDE.md", "--from", "draft.md"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_snapshot!(home.run(&["log"]).all());
    let run = home.run(&["undo"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(text(&home, "CLAUDE.md"), "# C\n\n- x\n- x\n");
}

#[test]
fn a_run_that_is_a_link_is_not_followed() {
    let (home, run) = washed();
    let away = home.path("~/away");
    std::fs::rename(&run, &away).unwrap();
    std::os::unix::fs::symlink(&away, &run).unwrap();
    let before = home.snapshot();
    assert_snapshot!(nothing_is_done(&home, "link"));
    let changed: Vec<_> = home.snapshot().into_iter().filter(|it| !before.contains(it)).collect();
    assert!(changed.iter().all(|it| !it.contains("/away")), "{changed:?}");
}

#[test]
fn names_that_are_no_runs_are_passed_over() {
    let (mut home, run) = washed();
    home.env("PATH", &path());
    for name in ["x", "01", "-1", "1.open.open", "18446744073709551616", ".open", "2 "] {
        std::fs::create_dir(run.with_file_name(name)).unwrap();
    }
    std::fs::write(run.with_file_name("7"), "a file").unwrap();
    assert_snapshot!(home.run(&["log"]).all());
    assert_eq!(home.run(&["undo"]).code, 0);
}
