//! Takes rows out of the host's table, one after another: each has to be missed.
//!
//! What no recorded tree holds is held by the cases at the end, which were measured by hand.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::hosts::claude_code::{markdown::Dialect, table};
use coalwash_core::load::hosts::{Profile, Shape, Surface};
use coalwash_core::load::{Entry, LoadMap, MemTree, load_map};
use coalwash_core::text::FamilyFactor;
use coalwash_store::load::{Ask, discover};
use xtask::compare::{ask, differs, ours};

use crate::goldens::{self, Case, GOLDENS};

/// A change of one row, and its name.
type Mutation = (String, Profile);

fn mutations(version: &str) -> Vec<Mutation> {
    let right = table::profile(Some(version));
    let mut out: Vec<Mutation> = Vec::new();
    // Places follow each other, and so do fallbacks, whatever the order of the rows.
    let part = |row: &Surface| (row.place, row.shape == Shape::Fallback);
    let places = |rows: &[Surface], i: usize| i > 0 && part(&rows[i]) == part(&rows[i - 1]);
    let mut add = |name: String, change: &dyn Fn(&mut Profile)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        assert!(wrong != right, "{name} changes nothing");
        out.push((name, wrong));
    };
    for (i, row) in right.start.iter().enumerate() {
        let what = format!("{:?} {} ({:?})", row.place, row.name, row.shape);
        add(format!("start without {what}"), &|p| {
            p.start.remove(i);
        });
        if places(&right.start, i) {
            add(format!("start with {what} one place up"), &|p| p.start.swap(i, i - 1));
        }
    }
    for (i, row) in right.touch.iter().enumerate() {
        let what = format!("{:?} {} ({:?})", row.place, row.name, row.shape);
        add(format!("touch without {what}"), &|p| {
            p.touch.remove(i);
        });
        if places(&right.touch, i) {
            add(format!("touch with {what} one place up"), &|p| p.touch.swap(i, i - 1));
        }
    }
    for (i, row) in right.never.iter().enumerate() {
        add(format!("never read without {:?} {}", row.place, row.name), &|p| {
            p.never.remove(i);
        });
    }
    for (i, extension) in right.import.extensions.iter().enumerate() {
        add(format!("imports without .{extension}"), &|p| {
            p.import.extensions.remove(i);
        });
    }
    for (i, (name, _)) in right.listing.commands.iter().enumerate() {
        add(format!("the host's own command /{name} a column shorter"), &|p| {
            p.listing.commands[i].1 -= 1;
        });
        add(format!("the host's own command /{name} a column longer"), &|p| {
            p.listing.commands[i].1 += 1;
        });
    }
    add("imports with .mdx".into(), &|p| p.import.extensions.push("mdx"));
    for (name, field) in NUMBERS {
        add(format!("{name} one less"), &|p| *field(p) -= 1);
        add(format!("{name} one more"), &|p| *field(p) += 1);
    }
    for (name, field) in SWITCHES {
        add(format!("{name} turned around"), &|p| *field(p) = !*field(p));
    }
    add("the other way of reading text".into(), &|p| {
        p.dialect = match p.dialect {
            Dialect::V2_1_332 => Dialect::V2_1_197,
            Dialect::V2_1_197 => Dialect::V2_1_332,
        };
    });
    add("rules that end in .txt".into(), &|p| p.rules.extension = ".txt");
    add("memory in another folder".into(), &|p| p.memory.folder = "memories");
    add("memory with another index".into(), &|p| p.memory.index = "INDEX.md");
    out
}

type Field<T> = (&'static str, fn(&mut Profile) -> &mut T);

const NUMBERS: [Field<usize>; 5] = [
    ("hops of imports", |p| &mut p.import.hops),
    ("lines of memory", |p| &mut p.memory.most_lines),
    ("units of memory", |p| &mut p.memory.most_units),
    ("units of a description", |p| &mut p.listing.most_units),
    ("columns of the host's own skills", |p| &mut p.listing.built_in),
];

const SWITCHES: [Field<bool>; 9] = [
    ("imports through links", |p| &mut p.import.through_links),
    ("rules from outside", |p| &mut p.rules.links_outside),
    ("a memory index that the host writes", |p| &mut p.memory.writes_index),
    ("files that a touch repeats", |p| &mut p.touch_repeats),
    ("a touch that needs a file", |p| &mut p.touch_needs_file),
    ("a broken pattern that ends a touch", |p| &mut p.broken_pattern_stops),
    ("rules in a worktree's shadow that wait", |p| &mut p.shadowed_rules_wait),
    ("links that are excluded", |p| &mut p.excludes_by_link),
    ("local settings of the checkout", |p| &mut p.root_local_settings),
];

#[test]
fn no_row_of_the_table_can_go_unnoticed() {
    let mut list = String::new();
    for (version, recorded) in GOLDENS {
        let mut cases = goldens::cases(recorded);
        // Those by hand hold most rows, so they are asked first.
        cases.reverse();
        let right = table::profile(Some(version));
        assert_eq!(missed_by_hand(&right), None, "{version}");
        for (name, wrong) in mutations(version) {
            let found = first_wrong(&wrong, &cases).or_else(|| missed_by_hand(&wrong));
            let found = found.unwrap_or_else(|| "NOT NOTICED".to_owned());
            list.push_str(&format!("{version}\t{name}\t{found}\n"));
        }
    }
    let missed: Vec<_> = list.lines().filter(|l| l.ends_with("NOT NOTICED")).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    insta::assert_snapshot!(list);
}

/// The names are many and are held by one tree, so they are asked apart.
#[test]
fn no_name_of_the_hosts_own_can_go_unnoticed() {
    for (version, recorded) in GOLDENS {
        let cases = goldens::cases(recorded);
        let right = table::profile(Some(version));
        let holds = |case: &&Case| {
            let tree = case.golden.tree().unwrap();
            let has = |name: &str| {
                let path = format!("p/a/.claude/skills/{name}/SKILL.md");
                tree.items.iter().any(|item| item.path == path)
            };
            right.listing.names.iter().all(|name| has(name))
        };
        let case = cases.iter().find(holds).expect("one tree has a skill of every name");
        let wrong = |profile: &Profile| {
            differs(&case.case.ours(profile), &case.golden.answer, xtask::answer::FX).is_some()
        };
        assert!(!wrong(&right), "{version}");
        for (i, name) in right.listing.names.iter().enumerate() {
            let mut without = right.clone();
            without.listing.names.remove(i);
            assert!(wrong(&without), "{version}: {name} is not missed");
        }
    }
}

fn first_wrong(profile: &Profile, cases: &[Case]) -> Option<String> {
    cases
        .iter()
        .find(|c| differs(&c.case.ours(profile), &c.golden.answer, xtask::answer::FX).is_some())
        .map(|case| format!("seed {}", case.golden.seed))
}

/// Returns what a profile gets wrong of the cases that no recording holds.
fn missed_by_hand(profile: &Profile) -> Option<String> {
    let version = profile.version;
    managed(profile).or_else(|| never_read(profile, version)).or_else(|| index(profile, version))
}

/// A home at `/home`, a project at `/p`, and an organisation at `/org`.
fn asked() -> Ask {
    Ask {
        home: "/home".into(),
        managed: "/org".into(),
        ..ask(Utf8Path::new("/"), Utf8Path::new("/p"))
    }
}

fn map(tree: &MemTree, profile: &Profile) -> LoadMap {
    let (scene, _) = discover(tree, profile, &asked());
    load_map(profile, &scene, tree, &FamilyFactor::CLAUDE)
}

/// The organisation's files come first, at the start and on a touch, and nothing excludes them.
/// Both clients, with files in the organisation's real folder.
fn managed(profile: &Profile) -> Option<String> {
    let mut tree = MemTree::default();
    tree.file("/org/CLAUDE.md", "first")
        .file("/org/.claude/CLAUDE.md", "never")
        .file("/org/.claude/rules/r.md", "second")
        .file("/org/.claude/rules/c.md", "---\npaths: \"src/**\"\n---\nthird")
        .file("/home/.claude/CLAUDE.md", "excluded")
        .file("/home/.claude/settings.json", r#"{"claudeMdExcludes":["/home/**","/org/**"]}"#)
        .file("/p/CLAUDE.md", "the project's")
        .file("/p/src/main.rs", "");
    let found = ours(&tree, profile, &asked(), &[Utf8PathBuf::from("/p/src/main.rs")]);
    let paths = |entries: &[Entry]| entries.iter().map(|e| e.path.to_string()).collect::<Vec<_>>();
    let start =
        paths(&found.start) == ["/org/CLAUDE.md", "/org/.claude/rules/r.md", "/p/CLAUDE.md"];
    let touch = found.touches.len() == 1 && paths(&found.touches[0]) == ["/org/.claude/rules/c.md"];
    (!(start && touch)).then(|| "by hand: the organisation".to_owned())
}

/// Names that the clients were seen to pass over, and that coalwash has to speak of.
fn never_read(profile: &Profile, version: &str) -> Option<String> {
    let mut names = vec![
        "/p/.claude/CLAUDE.local.md",
        "/p/AGENTS.override.md",
        "/p/AGENTS.local.md",
        "/home/.claude/CLAUDE.local.md",
        "/home/.claude/AGENTS.md",
    ];
    if version == "2.1.197" {
        names.push("/p/AGENTS.md");
    }
    let mut tree = MemTree::default();
    tree.file("/p/CLAUDE.md", "text");
    for name in &names {
        tree.file(name, "text");
    }
    let skipped = map(&tree, profile).skipped;
    let missed = names
        .iter()
        .find(|n| !skipped.iter().any(|s| s.path.as_deref().is_some_and(|p| p == **n)))?;
    Some(format!("by hand: {missed} is never read"))
}

/// The newer client writes the index of its memory where it finds only other files.
fn index(profile: &Profile, version: &str) -> Option<String> {
    let mut tree = MemTree::default();
    tree.file("/home/.claude/projects/-p/memory/topic.md", "text").folder("/p");
    let said = map(&tree, profile).not_measured.iter().any(|it| it.contains("MEMORY.md"));
    (said != (version == "2.1.332")).then(|| "by hand: the index that the host writes".to_owned())
}
