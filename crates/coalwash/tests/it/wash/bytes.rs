//! What `quick` and `undo` keep of a file besides the lines that go: every other byte, and what the
//! system knows of it.

use std::os::unix::fs::PermissionsExt as _;

use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::io::Errno;

use super::{MONEY, files};
use crate::home::TestHome;

/// Washes a `CLAUDE.md` that holds `before`, expects `after`, and takes it back.
fn washes(before: &str, after: &str) {
    let home = TestHome::new();
    home.file("CLAUDE.md", before);
    let was = files(&home);
    let run = home.run(&["quick"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let is = std::fs::read(home.path("CLAUDE.md")).unwrap();
    assert_eq!(String::from_utf8(is).unwrap(), after, "{before:?}");
    let again = home.run(&["quick"]);
    assert!(again.stdout.starts_with("Nothing to cut"), "{}", again.all());
    assert_eq!(home.run(&["undo"]).code, 0);
    assert_eq!(files(&home), was);
}

#[test]
fn line_endings_marks_and_the_last_line_stay_as_they_are() {
    let money = MONEY.trim_end();
    for end in ["\n", "\r\n"] {
        for mark in ["", "\u{feff}"] {
            for last in ["", end] {
                let before = ["# Shop", "", money, "", "Use pnpm.", "", money, "", "Ports: 5433."];
                let after = ["# Shop", "", money, "", "Use pnpm.", "", "Ports: 5433."];
                let whole = |lines: &[&str]| format!("{mark}{}{last}", lines.join(end));
                washes(&whole(&before), &whole(&after));
            }
        }
    }
}

#[test]
fn a_repeat_at_the_end_takes_no_line_end_with_it_that_was_not_there() {
    let money = MONEY.trim_end();
    washes(
        &format!("# S\n\n{money}\n\nUse pnpm.\n\n{money}"),
        &format!("# S\n\n{money}\n\nUse pnpm."),
    );
    // One line that ends otherwise than the rest.
    washes(
        &format!("# S\n\n{money}\r\n\nUse pnpm.\r\n\n{money}\n\nPorts.\r\n"),
        &format!("# S\n\n{money}\r\n\nUse pnpm.\r\n\nPorts.\r\n"),
    );
}

#[test]
fn a_hard_break_stays() {
    let before =
        format!("# S\n\nOne line,  \nand another.\nA third\\\nand fourth.\n\n{MONEY}\n{MONEY}");
    let after = format!("# S\n\nOne line,  \nand another.\nA third\\\nand fourth.\n\n{MONEY}");
    washes(&before, &after);
}

#[test]
fn modes_stay_and_come_back() {
    for mode in [0o640, 0o600, 0o444, 0o755, 0o2644] {
        let home = TestHome::new();
        home.file("CLAUDE.md", format!("# S\n\n{MONEY}\n{MONEY}")).mode("CLAUDE.md", mode);
        let was = files(&home);
        let of = || home.path("CLAUDE.md").metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(home.run(&["quick"]).code, 0);
        assert_eq!(of(), mode);
        assert_eq!(home.run(&["undo"]).code, 0);
        assert_eq!(files(&home), was);
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is said")]
fn extended_attributes_stay_and_come_back() {
    let home = TestHome::new();
    home.file("CLAUDE.md", format!("# S\n\n{MONEY}\n{MONEY}"));
    let path = home.path("CLAUDE.md");
    match setxattr(&path, "user.note", b"mine", XattrFlags::empty()) {
        Err(Errno::OPNOTSUPP) => {
            eprintln!("skipped: this file system has no extended attributes");
            return;
        }
        done => done.unwrap(),
    }
    let note = || {
        let mut value = [0; 16];
        let length = getxattr(&path, "user.note", &mut value[..]).unwrap();
        value[..length].to_vec()
    };
    assert_eq!(home.run(&["quick"]).code, 0);
    assert_eq!(note(), b"mine");
    assert_eq!(home.run(&["undo"]).code, 0);
    assert_eq!(note(), b"mine");
}
