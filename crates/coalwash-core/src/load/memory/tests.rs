use super::*;
use crate::load::hosts::claude_code::table;
use crate::load::{MemTree, load_map};
use crate::text::FamilyFactor;

const FOLDER: &str = "/h/.claude/projects/-w-p/memory";

/// Returns `reason path:line text; fix` of each problem, and the notes.
fn found(index: &str, topics: &[&str]) -> Vec<String> {
    let mut tree = MemTree::default();
    tree.folder("/w/p").file("/w/p/docs/api.md", "x").file("/h/notes.md", "x");
    tree.file(&format!("{FOLDER}/MEMORY.md"), index);
    for name in topics {
        tree.file(&format!("{FOLDER}/{name}"), "# Topic\n");
    }
    of(&tree)
}

fn of(tree: &MemTree) -> Vec<String> {
    let scene = Scene {
        cwd: "/w/p".into(),
        home: "/h".into(),
        config: "/h/.claude".into(),
        project: "/w/p".into(),
        memory: Some(FOLDER.into()),
        ..Scene::default()
    };
    let map = load_map(&table::profile(None), &scene, tree, &FamilyFactor::CLAUDE);
    let mut unread = Vec::new();
    let all = problems(&map, &scene, tree, &mut unread);
    let shown = all.iter().map(|it| {
        let reason = serde_json::to_value(it.reason).unwrap();
        let line = it.line.map_or(String::new(), |line| format!(":{line}"));
        let text = it.text.as_deref().unwrap_or("-");
        format!("{} {}{line} {text}", reason.as_str().unwrap(), it.path.file_name().unwrap())
    });
    shown.chain(unread.iter().map(|it| it.why.clone())).collect()
}

#[test]
fn what_an_index_names_is_held_against_the_files() {
    let missing = |line, name| format!("memory-entry-missing MEMORY.md:{line} {name}");
    let unnamed = |name| format!("memory-file-unnamed {name} -");
    let none = Vec::<String>::new();
    for (index, topics, wanted) in [
        ("# P\n\n- [A](a.md): words\n- [B](b.md)\n", &["a.md"][..], vec![missing(4, "b.md")]),
        ("- [A](a.md)\n", &["a.md", "b.md"], vec![unnamed("b.md")]),
        // Each name once, by its first line.
        ("- [B](b.md)\n- [B](b.md#part)\n", &[], vec![missing(1, "b.md")]),
        // A name counts in whatever way it is written.
        ("See `a.md`, memory/b.md and **c.md**.\n", &["a.md", "b.md", "c.md"], none.clone()),
        ("- [[a]] and [[b|the b]]\n- [C](./c%20d.md)\n", &["a.md", "b.md", "c d.md"], none.clone()),
        ("- [C](<c d.md>)\n", &["c d.md"], none.clone()),
        ("c d.md\n", &["c d.md"], none.clone()),
        ("[a]: a.md\n\n- [A][a]\n", &["a.md"], none.clone()),
        ("xa.md a.mdx\n", &["a.md"], vec![unnamed("a.md")]),
        // Double brackets may name what is not written yet.
        ("- [[later]]\n", &[], none.clone()),
        // A bullet that begins with a name is an entry; other words, and capitals, are none.
        (
            "- ports.md: 5432\n- `x.md` is it\n",
            &[],
            vec![missing(1, "ports.md"), missing(2, "x.md")],
        ),
        ("- see ports.md\n- README.md is old\n- CLAUDE.md\nports.md: 5432\n", &[], none.clone()),
        // Elsewhere: from the project, from the home, addresses, a part of the page.
        ("[a](docs/api.md) [b](~/notes.md) [c](https://x.test/y.md) [d](#e)\n", &[], none.clone()),
        (
            "[a](docs/none.md) [b](/abs/none.md)\n",
            &[],
            vec![missing(1, "docs/none.md"), missing(1, "/abs/none.md")],
        ),
        // Code is no entry.
        ("```\n- [A](a.md)\n- b.md\n```\n\n`[c](c.md)` x\n", &[], none.clone()),
        (
            "---\nname: x\n---\n\n- [A](A.md)\n",
            &["a.md"],
            vec![missing(5, "A.md"), unnamed("a.md")],
        ),
    ] {
        assert_eq!(found(index, topics), wanted, "{index}");
    }
}

#[test]
fn the_first_line_that_is_not_sent_is_named_by_its_place_in_the_file() {
    let lines: String = (1..=203).map(|n| format!("- line {n}\n")).collect();
    assert_eq!(found(&lines, &[]), ["memory-too-long MEMORY.md:201 - line 201"]);
    // Front matter and a comment stand in the file, and are not sent.
    let behind = format!("---\na: b\n---\n\n<!-- x\ny -->\n{lines}");
    assert_eq!(found(&behind, &[]), ["memory-too-long MEMORY.md:207 - line 201"]);
    let one = format!("\n\n{}tail", "x".repeat(25_000));
    assert_eq!(found(&one, &[]), ["memory-too-long MEMORY.md:3 tail"]);
}

#[test]
fn a_memory_without_an_index_has_none_to_be_wrong() {
    let mut tree = MemTree::default();
    tree.folder("/w/p").file(&format!("{FOLDER}/a.md"), "x");
    assert_eq!(of(&tree), Vec::<String>::new());
    tree.file(&format!("{FOLDER}/MEMORY.md"), "");
    assert_eq!(of(&tree), Vec::<String>::new(), "an empty one is told as skipped");
}

#[test]
fn what_could_not_be_looked_for_is_said() {
    let mut tree = MemTree::default();
    tree.folder("/w/p").link("/w/loop", "/w/loop");
    tree.file(&format!("{FOLDER}/MEMORY.md"), "- [A](/w/loop)\n");
    assert_eq!(of(&tree), ["its links lead in a circle, but the memory names it"]);
    let many: String = (0..2_050).map(|n| format!("[](n{n}.md)")).collect();
    tree.file(&format!("{FOLDER}/MEMORY.md"), many);
    let all = of(&tree);
    assert_eq!(all.len(), MOST_ELSEWHERE + 1);
    assert_eq!(all.last().unwrap(), "names behind the first 2000 were not looked for");
}

proptest::proptest! {
    #[test]
    fn any_index_is_read(text in "[\\[\\]()`#a-c.md\\n -]{0,200}") {
        let all = found(&text, &["a.md"]);
        proptest::prop_assert!(all.len() < 200);
    }
}
