//! Stores of the Node engine: its verbs, and what a hostile repository can't make of them.

use serde_json::json;

use crate::home::{NOW_MS, TestHome, said};

const STORE: &str = ".claude/coalwash";
const DAY_MS: i64 = 86_400_000;

/// A project with stores, as the Node engine leaves them after a run.
fn shop() -> TestHome {
    let home = TestHome::new();
    let file = |name: &str| home.path(name).to_str().unwrap().to_owned();
    let at = NOW_MS - 3 * DAY_MS;
    home.folder(".git").file("memory/a.md", "new line\n");
    let index = json!([{"id": format!("{at}-fru9d8"), "at": at, "bytes": 15,
        "original": file("memory/a.md"), "origin": "program-cut"}]);
    home.file(&format!("{STORE}/fat-bin/index.json"), index.to_string());
    home.file(&format!("{STORE}/fat-bin/{at}-fru9d8"), "old line v1.2.3");
    let index = json!([{"id": "5-gone", "at": at, "bytes": 9, "original": file("memory/gone.md"),
        "origin": "wizard-cut"}, {"id": "6-empty", "at": at, "original": null}]);
    home.file(&format!("{STORE}/store.old/index.json"), index.to_string());
    home.file(&format!("{STORE}/store.old/5-gone"), "Ask first.\n");
    home.file(&format!("{STORE}/store.old/6-empty"), "");
    let manifest = json!([{"snap": "f0", "original": file("memory/a.md")}]);
    home.file(&format!("{STORE}/snap-{at}/manifest.json"), manifest.to_string());
    home.file(&format!("{STORE}/snap-{at}/f0"), "old line v1.2.3\nnew line\nsee [[plan]]\n");
    home.file(&format!("{STORE}/snap-{at}/snap.complete"), at.to_string());
    home
}

/// C1, C2 and C3.
#[test]
fn restore_prints_the_bytes_and_says_where_they_are_from() {
    let home = shop();
    let before = home.snapshot();
    let id = format!("{}-fru9d8", NOW_MS - 3 * DAY_MS);
    let mut out = said(&home.run(&["restore", &id]));
    for id in ["5-gone", "6-empty", "7-none", "../index.json", "index.json", "."] {
        out += &format!("\n--- {id}\n{}", said(&home.run(&["restore", id])));
    }
    out += &said(&home.run(&["restore"]));
    insta::assert_snapshot!(out);
    assert_eq!(home.snapshot(), before, "nothing is written");
}

#[test]
fn anchor_diff_keeps_its_lines() {
    let home = shop();
    let before = home.snapshot();
    let mut out = String::new();
    for args in [
        &["anchor-diff", "memory/a.md"][..],
        &["anchor-diff", "memory/a.md", "--json"],
        &["anchor-diff", "memory/none.md"],
        &["anchor-diff", "memory/none.md", "--json"],
        &["anchor-diff", "/etc/passwd"],
        &["anchor-diff"],
    ] {
        out += &format!("--- {}\n{}\n", args.join(" "), said(&home.run(args)));
    }
    home.file("memory/a.md", "see [[plan]]");
    out += &format!("\n--- clean\n{}", said(&home.run(&["anchor-diff", "memory/a.md"])));
    insta::assert_snapshot!(out);
    std::fs::write(home.path("memory/a.md"), "new line\n").unwrap();
    assert_eq!(home.snapshot().len(), before.len(), "nothing is written");
}

#[test]
fn a_bin_is_listed_shown_and_put_back_only_when_asked() {
    let home = shop();
    home.file(&format!("{STORE}/fat-bin/4-orphan"), "\x1b[31mred\n");
    let before = home.snapshot();
    let mut out = String::new();
    for args in [
        &["bin", "list"][..],
        &["bin", "list", "--json"],
        &["bin", "show", "5"],
        &["bin", "show", "4-orphan"],
        &["bin", "show", "7"],
        &["bin", "show", ""],
        &["bin", "restore", "5-gone", "-n"],
        &["bin", "restore", "5-gone"],
        &["bin", "restore", "6-empty", "-y"],
        &["bin", "restore", "4-orphan", "-y"],
        &["bin", "restore", "17957", "-y"],
    ] {
        out += &format!("--- {}\n{}\n", args.join(" "), said(&home.run(args)));
    }
    assert_eq!(home.snapshot(), before, "nothing is written");
    let store = |home: &TestHome| -> Vec<String> {
        // The time of a folder says that its lock was taken and given back.
        let is_theirs = |line: &String| line.contains(STORE) && !line.contains("is_dir: true");
        home.snapshot().into_iter().filter(is_theirs).collect()
    };
    let kept = store(&home);
    for _ in 0..2 {
        out += &format!("--- -y\n{}\n", said(&home.run(&["bin", "restore", "5", "-y"])));
    }
    assert_eq!(std::fs::read(home.path("memory/gone.md")).unwrap(), b"Ask first.\n");
    assert_eq!(store(&home), kept, "nothing of theirs is changed");
    insta::assert_snapshot!(out);
}

#[test]
fn a_bin_puts_nothing_back_that_git_has_or_outside() {
    for (original, wanted) in [
        ("memory/tracked.md", "git has it"),
        ("~/out.md", "outside the project"),
        ("memory/../../out.md", "no plain absolute path"),
        ("linked/a.md", "it is a link"),
        (".claude/settings.json", "no text"),
        (".git/hooks/pre-commit.md", "belongs to git"),
        ("memory/nowhere/a.md", "its folder is gone"),
        ("folder.md", "it is no file"),
    ] {
        let home = TestHome::new();
        home.file("memory/tracked.md", "x").folder("folder.md").link("linked", "../..");
        crate::home::git(&home, &home.project(), &["init", "-q"]);
        crate::home::git(&home, &home.project(), &["add", "memory"]);
        std::fs::remove_file(home.path("memory/tracked.md")).unwrap();
        let index = json!([{"id": "5-a", "at": 5, "original": home.path(original)}]);
        home.file(&format!("{STORE}/fat-bin/index.json"), index.to_string());
        home.file(&format!("{STORE}/fat-bin/5-a"), "hostile\n");
        let before = home.snapshot();
        let run = home.run(&["bin", "restore", "5-a", "-y"]);
        assert!(run.code == 3 && run.stderr.contains(wanted), "{original}: {}", run.all());
        assert_eq!(home.snapshot(), before, "{original}");
    }
}

/// A repository that ships every file of the stores, well formed, for files that aren't its own.
fn hostile() -> TestHome {
    let home = shop();
    let file = |name: &str| home.path(name).to_str().unwrap().to_owned();
    home.file("CLAUDE.md", "# Shop\n")
        .file("~/.bashrc", "mine\n")
        .file("~/.claude/CLAUDE.md", "mine\n");
    let outside = [file("~/.bashrc"), file("~/.claude/CLAUDE.md"), file("memory/a.md")];
    let manifest: Vec<_> =
        outside.iter().map(|path| json!({"snap": "f0", "original": path})).collect();
    home.file(&format!("{STORE}/snap-7/manifest.json"), json!(manifest).to_string());
    home.file(&format!("{STORE}/snap-7/f0"), "hostile\n")
        .file(&format!("{STORE}/snap-7/snap.complete"), "7");
    let steps = [json!({"i": 0, "type": "create", "path": file("CLAUDE.md"), "status": "done"})];
    let journal = json!({"version": 1, "sessionId": "s", "startedAt": 7, "status": "applying",
        "snapDir": file(&format!("{STORE}/snap-7")), "roots": [file("."), "/"], "steps": steps});
    home.file(&format!("{STORE}/journal.json"), journal.to_string());
    let keeps = json!({"v": 1, "keeps": [{"target": "all", "reason": "r", "date": "2026-01-01"}]});
    home.file(&format!("{STORE}/keeps.json"), keeps.to_string());
    home.file(&format!("{STORE}/writeguard/s-1/CLAUDE.md--1a"), "hostile\n");
    home.file(
        &format!("{STORE}/.coalwash.lock"),
        r#"{"sessionId":"s","pid":1,"at":7,"token":"x"}"#,
    );
    home
}

/// Every command that reads, and those that would write if they were told to.
const READING: [&[&str]; 16] = [
    &[],
    &["--all"],
    &["context"],
    &["context", "CLAUDE.md"],
    &["context", "--json"],
    &["check"],
    &["config"],
    &["gauge"],
    &["gauge", "--json"],
    &["restore", "5-gone"],
    &["anchor-diff", "memory/a.md"],
    &["bin", "list"],
    &["bin", "list", "--json"],
    &["bin", "show", "5-gone"],
    &["bin", "restore", "5-gone", "-n"],
    &["bin", "restore", "5-gone"],
];

#[test]
fn stores_that_a_repository_ships_make_no_command_write() {
    let home = hostile();
    let before = home.snapshot();
    for args in READING {
        let run = home.run(args);
        assert!(run.code < 4, "{args:?}: {}", run.all());
        assert_eq!(home.snapshot(), before, "{args:?}");
    }
    let line = home.run(&["gauge"]).stdout;
    assert!(line.contains("a run was cut short and not recovered"), "{line}");
}

/// The same with a link in the place of each file and folder, out of the project.
#[test]
fn links_in_the_place_of_stores_lead_nowhere() {
    let at = NOW_MS - 3 * DAY_MS;
    let snapshot = format!("snap-{at}");
    let names = [
        "..",
        "",
        "fat-bin",
        "fat-bin/index.json",
        "store.old",
        "store.old/index.json",
        "store.old/5-gone",
        "journal.json",
        "keeps.json",
        "writeguard",
        "writeguard/s-1",
        ".coalwash.lock",
        &snapshot,
        &format!("{snapshot}/manifest.json"),
        &format!("{snapshot}/f0"),
        &format!("{snapshot}/snap.complete"),
    ];
    for name in names {
        let home = hostile();
        let path = match name {
            ".." => home.path(".claude"),
            "" => home.path(STORE),
            _ => home.path(&format!("{STORE}/{name}")),
        };
        let outside = home.path("~/outside");
        std::fs::rename(&path, &outside).unwrap();
        std::os::unix::fs::symlink(&outside, &path).unwrap();
        home.folder("~/.local/share");
        let before = home.snapshot();
        for args in READING {
            let run = home.run(args);
            assert!(run.code < 4, "{name} {args:?}: {}", run.all());
            assert_eq!(home.snapshot(), before, "{name} {args:?}");
        }
        let reads = home.run(&["restore", "5-gone"]);
        let is_behind = matches!(name, ".." | "" | "store.old" | "store.old/5-gone");
        assert_eq!(reads.stdout.is_empty(), is_behind, "{name}: {}", reads.all());
        assert_eq!(reads.stderr.contains("it is a link"), is_behind, "{name}: {}", reads.all());
        // Asked for, a file of the project is made, and nothing behind the link is touched.
        let run = home.run(&["bin", "restore", "5-gone", "-y"]);
        // A lock that someone ships holds as long as one of the Node engine's would.
        assert!(matches!(run.code, 0 | 3 | 4), "{name}: {}", run.all());
        let others = |lines: Vec<String>| -> Vec<String> {
            let mine = ["/memory", ".local", "gone.md", "is_dir: true"];
            lines.into_iter().filter(|line| !mine.iter().any(|it| line.contains(it))).collect()
        };
        assert!(others(home.snapshot()) == others(before), "{name}");
    }
}

/// The Node engine's bins age as they would with it, and only where a run changes the project.
#[test]
fn bins_age_when_a_run_changes_the_project() {
    let home = shop();
    let old = format!("{}-aaaaaa", NOW_MS - 31 * DAY_MS);
    let at = NOW_MS - 31 * DAY_MS;
    let index = serde_json::json!([
        {"id": old, "at": at, "bytes": 4, "original": null, "origin": "program-cut"},
    ]);
    home.file(&format!("{STORE}/fat-bin/index.json"), index.to_string())
        .file(&format!("{STORE}/fat-bin/{old}"), "old\n")
        .file("a.md", "One.\n")
        .file("draft.md", "One.\n\nTwo.\n");
    let blob = home.path(&format!("{STORE}/fat-bin/{old}"));
    assert_eq!(home.run(&["bin", "list"]).code, 0);
    assert_eq!(home.run(&["apply", "a.md", "--from", "draft.md", "--allow-dirty", "-n"]).code, 0);
    assert!(blob.exists());
    let run = home.run(&["apply", "a.md", "--from", "draft.md", "--allow-dirty"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!blob.exists());
    let told = std::fs::read_to_string(home.path(&format!("{STORE}/fat-bin/death.log"))).unwrap();
    assert!(told.contains(&format!("destroyed {old} (age 31d, rule horizon)")), "{told}");
}
