//! Changing files from the command line: `quick`, `apply`, `log`, `undo`, `recover`, `keep`.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use coalwash_core::wash::{Action, Change, Plan, Target};

use crate::home::{TestHome, git, path, said};

/// A paragraph that is worth cutting.
const LONG: &str = "Every port is listed in the file of ports, in the folder of its service.";

fn twice(first: &str) -> String {
    format!("# {first}\n\n{LONG}\n\nSomething else stands between.\n\n{LONG}\n")
}

/// A project in git with a file of its team's, one of the user's own, and memory.
fn shop() -> TestHome {
    let mut home = TestHome::new();
    home.env("PATH", &path());
    home.file("CLAUDE.md", twice("Shop"))
        .file(".gitignore", "CLAUDE.local.md\n")
        .file("CLAUDE.local.md", twice("Mine"))
        .file(&format!("{}/memory/MEMORY.md", home.host_folder()), twice("Memory"))
        .file("~/.claude/CLAUDE.md", twice("All projects"));
    git(&home, &home.project(), &["init", "-q"]);
    git(&home, &home.project(), &["add", "-A"]);
    git(&home, &home.project(), &["commit", "-qm", "one"]);
    home
}

fn read(home: &TestHome, name: &str) -> String {
    std::fs::read_to_string(home.path(name)).unwrap()
}

/// Every file of the user's with its content, mode and time, but for what is our own.
fn user_files(home: &TestHome) -> Vec<String> {
    let mut out: Vec<String> = home
        .snapshot()
        .into_iter()
        .filter(|line| !line.contains("/.local") && !line.contains("is_dir: true"))
        .collect();
    for name in ["CLAUDE.md", "CLAUDE.local.md", "~/.claude/CLAUDE.md"] {
        out.push(std::fs::read_to_string(home.path(name)).unwrap_or_default());
    }
    out
}

#[test]
fn exact_repeats_go_and_come_back() {
    let home = shop();
    let before = user_files(&home);
    let mut out = said(&home.run(&["quick", "-n"]));
    assert_eq!(user_files(&home), before);
    assert!(!home.path("~/.local").exists(), "nothing is written where nothing is done");
    for args in [
        &["quick"][..],
        &["quick"],
        &["log"],
        &["log", "1"],
        &["undo", "-n"],
        &["undo"],
        &["log"],
        &["undo"],
        &["undo", "1"],
        &["undo", "9"],
        &["log", "9"],
        &["log", "CLAUDE.md"],
    ] {
        out += &format!("\n$ {}\n{}", args.join(" "), said(&home.run(args)));
        if args == ["undo"] && user_files(&home) != before {
            // The second one takes the first one back.
            assert!(!read(&home, "CLAUDE.md").ends_with(&format!("{LONG}\n")), "{out}");
        }
    }
    insta::assert_snapshot!(out);
    assert_eq!(read(&home, "~/.claude/CLAUDE.md"), twice("All projects"), "not without --user");
}

#[test]
fn an_undo_brings_back_every_byte_the_mode_and_the_time() {
    let home = shop();
    home.mode("CLAUDE.local.md", 0o640).written("CLAUDE.local.md", 3_600_000);
    let before = user_files(&home);
    assert_eq!(home.run(&["quick"]).code, 0);
    let mode = std::fs::metadata(home.path("CLAUDE.local.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    assert_ne!(user_files(&home), before);
    assert_eq!(home.run(&["undo"]).code, 0);
    assert_eq!(user_files(&home), before);
}

#[test]
fn whose_files_are_cut() {
    for (args, expected) in [
        (&["quick"][..], &["CLAUDE.md", "CLAUDE.local.md", "MEMORY.md"][..]),
        (&["quick", "--mine"], &["CLAUDE.local.md", "MEMORY.md"]),
        (&["quick", "--mine", "--user"], &["CLAUDE.local.md", "MEMORY.md", "~/.claude/CLAUDE.md"]),
    ] {
        let home = shop();
        assert_eq!(home.run(args).code, 0);
        let memory = format!("{}/memory/MEMORY.md", home.host_folder());
        for name in ["CLAUDE.md", "CLAUDE.local.md", "MEMORY.md", "~/.claude/CLAUDE.md"] {
            let file = if name == "MEMORY.md" { &*memory } else { name };
            let is_cut = !read(&home, file).ends_with(&format!("{LONG}\n"));
            assert_eq!(is_cut, expected.contains(&name), "{args:?} {name}");
        }
    }
}

#[test]
fn what_quick_leaves_alone() {
    let home = shop();
    let kept = format!("{}/memory", home.host_folder());
    let pinned = format!("---\npinned: true\n---\n{}", twice("Pinned"));
    home.file(".claude/rules/pinned.md", &pinned)
        .file(".claude/rules/kept.md", twice("Kept"))
        .file(".claude/skills/s/SKILL.md", format!("---\nname: s\n---\n{}", twice("S")))
        .file(".claude/agents/a.md", format!("---\nname: a\ndescription: b\n---\n{}", twice("A")))
        .file(".claude/rules/latin.md", b"# \xe9\n\nx\n")
        .file(
            ".claude/rules/short.md",
            "# S\n\nNo port is open to all of us.\n\nx\n\nNo port is open to all of us.   \n",
        )
        .file("../outside.md", twice("Out"))
        .link(".claude/rules/link.md", "../../../outside.md")
        .file(&format!("{kept}/topic.md"), twice("Topic"))
        .file("coalwash.jsonc", "{ \"keep\": [\".claude/rules/kept.md\"] }");
    std::fs::hard_link(home.path("CLAUDE.local.md"), home.path("~/second-name.md")).unwrap();
    let before = home.snapshot();
    let shown = home.run(&["quick", "--mine", "-n", "--all"]);
    assert_eq!(home.snapshot(), before);
    let texts = |home: &TestHome| {
        ["pinned", "kept", "link", "short"].map(|it| read(home, &format!(".claude/rules/{it}.md")))
    };
    let before = texts(&home);
    let run = home.run(&["quick", "--mine"]);
    assert_eq!(texts(&home), before, "{}", run.all());
    for name in [".claude/skills/s/SKILL.md", ".claude/agents/a.md"] {
        assert!(read(&home, name).ends_with(&format!("{LONG}\n")), "{name}");
    }
    assert!(!read(&home, &format!("{kept}/topic.md")).ends_with(&format!("{LONG}\n")));
    assert_eq!(read(&home, "CLAUDE.local.md"), twice("Mine"), "it has a second name");
    insta::assert_snapshot!(format!("{}\n{}", said(&shown), said(&run)));
}

#[test]
fn a_file_of_the_teams_is_not_changed_over_someones_work() {
    let home = shop();
    home.file("CLAUDE.md", format!("{}\nNot committed.\n", twice("Shop")));
    let before = user_files(&home);
    let mut out = said(&home.run(&["quick"]));
    assert_eq!(user_files(&home), before);
    git(&home, &home.project(), &["add", "-A"]);
    out += &said(&home.run(&["quick"]));
    out += &said(&home.run(&["quick", "--allow-dirty"]));
    insta::assert_snapshot!(out);
}

#[test]
fn line_ends_and_marks_stay() {
    for (text, expected) in [
        (
            format!("\u{feff}{}", twice("A")),
            format!("\u{feff}# A\n\n{LONG}\n\nSomething else stands between.\n"),
        ),
        (
            twice("A").replace('\n', "\r\n"),
            format!("# A\r\n\r\n{LONG}\r\n\r\nSomething else stands between.\r\n"),
        ),
        (
            format!("{}\nA hard break  \nhere.", twice("A")),
            format!("# A\n\n{LONG}\n\nSomething else stands between.\n\nA hard break  \nhere."),
        ),
    ] {
        let home = shop();
        home.file("CLAUDE.local.md", &text);
        assert_eq!(home.run(&["quick", "--mine"]).code, 0);
        assert_eq!(read(&home, "CLAUDE.local.md"), expected);
    }
}

/// Each way to name a file that may not be changed, and each draft that may not take its place.
#[test]
fn what_apply_refuses() {
    let home = shop();
    home.file("draft.md", "# Shop\n")
        .file("a.md", "Use port 5432. Never push to main.\n")
        .file("same.md", "Use port 5432. Never push to main.\n")
        .file("weaker.md", "Use port 5432. Avoid pushing to main.\n")
        .file("pinned.md", "---\npinned: true\n---\nx\n")
        .file("latin.md", b"\xe9\n")
        .file("latin-draft.md", b"\xe9\n")
        .file("large.md", vec![b'x'; 9 << 20])
        .folder("folder")
        .folder("../other")
        .file("../other/b.md", "x\n")
        .pipe("pipe.md")
        .link("link.md", "a.md")
        .link("through", "../other")
        .file("hard.md", "x\n")
        .file("notes.md", "x\n");
    std::fs::hard_link(home.path("hard.md"), home.path("hard2.md")).unwrap();
    let before = user_files(&home);
    let mut out = String::new();
    for (file, draft) in [
        ("a.md", "weaker.md"),
        ("a.md", "same.md"),
        ("a.md", "missing.md"),
        ("a.md", "latin-draft.md"),
        ("a.md", "large.md"),
        ("pinned.md", "draft.md"),
        ("latin.md", "draft.md"),
        ("folder", "draft.md"),
        ("pipe.md", "draft.md"),
        ("link.md", "draft.md"),
        ("hard.md", "draft.md"),
        ("through/b.md", "draft.md"),
        ("../other/b.md", "draft.md"),
        ("NOTES.md", "draft.md"),
        ("no/folder.md", "draft.md"),
    ] {
        let run = home.run(&["apply", file, "--from", draft]);
        out += &format!("$ apply {file} --from {draft}\n{}\n\n", said(&run));
        assert_eq!(user_files(&home), before, "{file}");
    }
    insta::assert_snapshot!(out);
}

#[test]
fn what_is_approved_is_written() {
    let home = shop();
    home.file("a.md", "Use port 5432. Never push to main.\n")
        .file("draft.md", "Use port 5433. Never push to main.\n");
    let apply = |more: &[&str]| {
        let mut args = vec!["apply", "a.md", "--from", "draft.md"];
        args.extend(more);
        home.run(&args)
    };
    let found = apply(&["--json", "-n"]).json_of_exit(3);
    let finding = &found["files"][0]["unapproved"][0];
    let approvals = serde_json::json!({
        "schema": "coalwash.approvals/1",
        "approvals": [
            {"file": "a.md", "class": finding["class"], "text": finding["text"]},
            {"file": "a.md", "class": "weaker", "text": "must → should"},
        ],
    });
    home.file("ok.json", approvals.to_string());
    let mut out = said(&apply(&[]));
    out += &said(&apply(&["--approve", "ok.json"]));
    assert_eq!(read(&home, "a.md"), "Use port 5433. Never push to main.\n");
    out += &said(&home.run(&["log", "1"]));
    insta::assert_snapshot!(out);
}

/// A plan with all five actions, as a file.
fn plan(home: &TestHome) -> Plan {
    let at = |name: &str| home.path(name).to_str().unwrap().to_owned();
    let held = |name: &str| Target::holding(at(name), &std::fs::read(home.path(name)).unwrap());
    let action = |change| Action { change, reason: "test".to_owned(), approvals: Vec::new() };
    Plan::new(
        "by hand",
        vec![
            action(Change::Rewrite {
                file: held("a.md"),
                content: "- Run the tests first.\n- Use port 5432.\n".to_owned(),
            }),
            action(Change::Create { path: at("b.md").into(), content: "New here.\n".to_owned() }),
            action(Change::Delete { file: held("c.md") }),
            action(Change::Merge {
                file: held("d.md"),
                content: "Never push to main.\n\nAsk before a deploy.\n".to_owned(),
                sources: vec![held("e.md")],
            }),
            action(Change::Move { file: held("f.md"), to: at("g.md").into() }),
        ],
    )
}

fn with_plan() -> TestHome {
    let home = TestHome::new();
    home.file("a.md", "- Use port 5432.\n- Run the tests first.\n")
        .file("c.md", "\n")
        .file("d.md", "Never push to main.\n")
        .file("e.md", "Ask before a deploy.\n")
        .file("f.md", "The train leaves on Tuesday.\n")
        .written("f.md", 7_200_000);
    home.file("plan.json", plan(&home).to_json());
    home
}

/// The files that the plan is about: name, content, mode, time.
fn planned(home: &TestHome) -> Vec<(String, String, u32, i64)> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(home.project()).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        out.push((name, text, meta.mode(), meta.mtime_nsec() + meta.mtime() * 1_000_000_000));
    }
    out.sort();
    out
}

#[test]
fn a_plan_with_all_actions_is_carried_out_and_taken_back() {
    let home = with_plan();
    let before = planned(&home);
    let mut out = said(&home.run(&["apply", "plan.json", "-n"]));
    assert_eq!(planned(&home), before);
    out += &said(&home.run(&["apply", "plan.json"]));
    let names: Vec<String> = planned(&home).into_iter().map(|it| it.0).collect();
    assert_eq!(names, ["a.md", "b.md", "d.md", "g.md", "plan.json"]);
    out += &said(&home.run(&["apply", "plan.json"]));
    out += &said(&home.run(&["log", "1"]));
    out += &said(&home.run(&["undo"]));
    assert_eq!(planned(&home), before);
    insta::assert_snapshot!(out);
}

/// A process that ends at any moment leaves something that `recover` puts right.
#[test]
fn a_killed_process_leaves_before_or_after() {
    let done = with_plan();
    assert_eq!(done.run(&["apply", "plan.json"]).code, 0);
    let texts = |home: &TestHome| -> Vec<(String, String)> {
        planned(home).into_iter().map(|it| (it.0, it.1)).collect()
    };
    let (mut taken_back, mut stayed) = (0, 0);
    for number in 0..20 {
        let mut home = with_plan();
        let before = planned(&home);
        let mut after = texts(&done);
        // The plan itself names another folder.
        after.retain(|it| it.0 != "plan.json");
        home.env("COALWASH_TEST_STOP", &(number * 2).to_string());
        let killed = home.run(&["apply", "plan.json"]);
        home.env("COALWASH_TEST_STOP", "1000000");
        if killed.code == 0 {
            stayed += 1;
            continue;
        }
        assert_eq!(killed.code, -1, "{number}: {}", killed.all());
        let torn = planned(&home);
        let run = home.run(&["recover", "--undo"]);
        assert_eq!(run.code, 0, "{number}: {}", run.all());
        let mut now = texts(&home);
        now.retain(|it| it.0 != "plan.json");
        match now == after {
            true => stayed += 1,
            false => {
                assert_eq!(planned(&home), before, "{number}: {torn:?}");
                taken_back += 1;
            }
        }
        assert_eq!(home.run(&["recover", "--undo"]).code, 0);
    }
    assert!(taken_back >= 10, "{taken_back} {stayed}");
}

#[test]
fn a_torn_run_stops_the_next_one_until_it_is_taken_back() {
    let mut home = with_plan();
    let before = planned(&home);
    home.env("COALWASH_TEST_STOP", "22");
    assert_eq!(home.run(&["apply", "plan.json"]).code, -1);
    home.env("COALWASH_TEST_STOP", "1000000");
    let mut out = String::new();
    for args in [
        &["apply", "plan.json"][..],
        &["log"],
        &["recover"],
        &["recover", "--undo"],
        &["recover"],
        &["log"],
    ] {
        out += &format!("\n$ {}\n{}", args.join(" "), said(&home.run(args)));
    }
    assert_eq!(planned(&home), before);
    insta::assert_snapshot!(out);
}

#[test]
fn a_file_that_changed_again_is_not_taken_back_over() {
    let home = shop();
    assert_eq!(home.run(&["quick", "--mine"]).code, 0);
    let cut = read(&home, "CLAUDE.local.md");
    home.file("CLAUDE.local.md", format!("# First\n\n{cut}"));
    let mut out = String::new();
    for args in [
        &["undo"][..],
        &["undo", "--merge", "-n"],
        &["undo", "--line", "CLAUDE.local.md:7", "-n"],
        &["undo", "--line", "CLAUDE.local.md:3"],
        &["undo", "--line", "7"],
        &["undo", "--except", "CLAUDE.local.md"],
        &["undo", "1", "--except", "none.md"],
    ] {
        out += &format!("\n$ {}\n{}", args.join(" "), said(&home.run(args)));
    }
    insta::assert_snapshot!(out);
    assert_eq!(read(&home, "CLAUDE.local.md"), format!("# First\n\n{cut}"));
}

/// Journals and texts that something else has changed or cut off.
#[test]
fn a_damaged_run_is_named_and_nothing_is_written() {
    for (name, damage) in
        [("journal", 0_usize), ("journal", 40), ("contents.zst", 0), ("contents.zst", 30)]
    {
        for cut_off in [true, false] {
            let home = shop();
            assert_eq!(home.run(&["quick", "--mine"]).code, 0);
            let file = home.path(&format!("~/.local/share/coalwash/runs/1/{name}"));
            let mut bytes = std::fs::read(&file).unwrap();
            match cut_off {
                true => bytes.truncate(damage),
                false => bytes[damage + 5] ^= 0x55,
            }
            std::fs::write(&file, bytes).unwrap();
            let before = user_files(&home);
            let run = home.run(&["undo", "1"]);
            assert_ne!(run.code, 0, "{name} {damage} {cut_off}: {}", run.all());
            assert!(run.stderr.contains("files: untouched"), "{}", run.all());
            assert_eq!(user_files(&home), before);
            let log = home.run(&["log"]);
            assert_eq!(log.code, 0, "{}", log.all());
        }
    }
}

#[test]
fn another_process_and_the_node_engine_are_waited_for() {
    let home = shop();
    let own = home.path("~/.local/share/coalwash/stores");
    assert_eq!(home.run(&["quick", "--mine"]).code, 0);
    assert_eq!(home.run(&["undo"]).code, 0);
    let before = user_files(&home);
    let mut locks = Vec::new();
    for entry in std::fs::read_dir(&own).unwrap() {
        let lock = entry.unwrap().path().join("lock");
        let file = std::fs::File::options().read(true).write(true).open(&lock).unwrap();
        file.lock().unwrap();
        let holder = r#"{"process":{"host":"h","boot":"b","pid":4121},"since_ms":1796050797000}"#;
        std::fs::write(&lock, holder).unwrap();
        locks.push((lock, file));
    }
    let busy = home.run(&["quick", "--mine"]);
    assert_eq!(user_files(&home), before);
    // The system gives the lock, and yet it is of another machine.
    for (_, file) in &locks {
        file.unlock().unwrap();
    }
    let elsewhere = home.run(&["quick", "--mine"]);
    assert_eq!((busy.code, elsewhere.code), (4, 4), "{}", elsewhere.all());
    for (lock, _) in &locks {
        std::fs::write(lock, "").unwrap();
    }
    home.file(".claude/coalwash/.coalwash.lock", r#"{"sessionId":"s","pid":1,"at":1,"token":"t"}"#);
    let node = home.run(&["quick", "--mine"]);
    assert_eq!((node.code, user_files(&home).len()), (4, before.len() + 1), "{}", node.all());
    std::fs::remove_file(home.path(".claude/coalwash/.coalwash.lock")).unwrap();
    assert_eq!(home.run(&["quick", "--mine"]).code, 0);
    assert!(!home.path(".claude/coalwash/.coalwash.lock").exists(), "it was taken and given back");
    insta::assert_snapshot!([busy, elsewhere, node].map(|run| said(&run)).join("\n"));
}

#[test]
fn what_someone_keeps_is_not_cut() {
    let home = shop();
    home.file("a.md", "Use port 5432.\n\nNever push to main.\n")
        .file("draft.md", "Use port 5432.\n");
    let mut out = String::new();
    for args in [
        &["keep"][..],
        &["keep", "add", "a.md:3", "--reason", "it burned us once", "--ask"],
        &["keep", "add", "a.md:9"],
        &["keep", "add", "missing.md"],
        &["keep"],
        &["apply", "a.md", "--from", "draft.md"],
        &["keep", "answer", "k1"],
        &["keep", "rm", "k7"],
        &["keep", "rm", "k1"],
        &["keep"],
    ] {
        out += &format!("\n$ {}\n{}", args.join(" "), said(&home.run(args)));
    }
    insta::assert_snapshot!(out);
    // One that can't be read may be about anything, so nothing is rewritten.
    let stores = home.path("~/.local/share/coalwash/stores");
    let store = std::fs::read_dir(stores).unwrap().next().unwrap().unwrap().path();
    std::fs::write(store.join("keeps.json"), "{").unwrap();
    let run = home.run(&["apply", "a.md", "--from", "draft.md"]);
    assert_eq!(run.code, 3, "{}", run.all());
    assert!(run.stderr.contains("keeps.json"), "{}", run.all());
}

/// A repository can name any folder as its memory; that makes it nobody's to write.
#[test]
fn memory_outside_the_hosts_own_folder_is_not_written() {
    let home = shop();
    let notes = home.path("~/notes");
    home.file("~/notes/MEMORY.md", twice("Notes"))
        .file(".claude/settings.json", format!("{{\"autoMemoryDirectory\": {notes:?}}}"));
    assert_eq!(home.run(&["quick", "--mine", "--user"]).code, 0);
    assert_eq!(read(&home, "~/notes/MEMORY.md"), twice("Notes"));
}

#[test]
fn a_home_is_no_project() {
    let home = TestHome::new();
    home.file("~/CLAUDE.md", twice("Home")).file("~/draft.md", twice("Home"));
    let run = home.run_in(&home.home(), &["quick"]);
    assert_eq!(read(&home, "~/CLAUDE.md"), twice("Home"), "{}", run.all());
    home.file("~/draft.md", "# Home\n");
    let run = home.run_in(&home.home(), &["apply", "CLAUDE.md", "--from", "draft.md"]);
    assert_eq!(run.code, 3, "{}", run.all());
    assert_eq!(read(&home, "~/CLAUDE.md"), twice("Home"));
}
