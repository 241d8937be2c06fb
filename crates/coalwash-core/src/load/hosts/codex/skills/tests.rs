use camino::Utf8PathBuf;

use crate::load::{MemTree, Scene, hosts::codex::load_map};
use crate::text::FamilyFactor;

/// Returns what is listed where three folders hold two skills each and the list has so many tokens.
/// The middle one is in a folder with a name of `long` characters, in which the session starts.
fn listed(long: usize, tokens: u64) -> Vec<String> {
    let top = Utf8PathBuf::from("/fx/cw1234567");
    let (home, cwd) = (top.join("home"), top.join("p").join("d".repeat(long)));
    let mut tree = MemTree::default();
    tree.folder(top.join("p/.git").as_str()).file(
        home.join(".codex/config.toml").as_str(),
        format!("[skills]\nmax_context_tokens = {tokens}\n[skills.bundled]\nenabled = false\n"),
    );
    for (place, folder) in [top.join("p"), cwd.clone(), home.clone()].iter().enumerate() {
        for number in 0..2 {
            let begin = if (place + number) % 2 == 0 { "sk" } else { "skill-with-a-longer-name-" };
            let name = format!("{begin}{place}{number}");
            let text = format!("---\nname: {name}\ndescription: some description\n---\nx\n");
            tree.file(folder.join(format!(".agents/skills/{name}/SKILL.md")).as_str(), text);
        }
    }
    let config = home.join(".codex");
    let scene = Scene { cwd, home, config, project: top.join("p"), ..Scene::default() };
    let map = load_map(&scene, &tree, &FamilyFactor::CLAUDE);
    map.always().filter_map(|entry| entry.sent.clone()).collect()
}

/// Measured with the client: lists of these folders and limits.
#[test]
fn the_names_of_folders_take_their_share_of_the_list() {
    const LONG: &str =
        "- skill-with-a-longer-name-01: (file: r1/skill-with-a-longer-name-01/SKILL.md)";
    assert_eq!(
        listed(200, 110)[..4],
        [
            "- sk00: (file: r1/sk00/SKILL.md)",
            "- sk11: (file: r2/sk11/SKILL.md)",
            LONG,
            "- skill-with-a-longer-name-10: (file: r2/skill-with-a-longer-name-10/SKILL.md)",
        ]
    );
    assert_eq!(
        listed(200, 100),
        [
            "- sk00: (file: r1/sk00/SKILL.md)",
            "- sk11: (file: r2/sk11/SKILL.md)",
            LONG,
            "- sk20: (file: r0/sk20/SKILL.md)",
        ]
    );
}

/// Measured as above.
#[test]
fn a_short_line_is_listed_behind_a_long_one_that_does_not_fit() {
    assert_eq!(
        listed(10, 30),
        [
            "- sk00: (file: r1/sk00/SKILL.md)",
            "- sk11: (file: r2/sk11/SKILL.md)",
            "- sk20: (file: r0/sk20/SKILL.md)",
        ]
    );
}

/// Measured as above.
#[test]
fn whole_paths_are_listed_where_more_of_them_fit() {
    assert_eq!(
        listed(200, 80),
        [
            "- sk00: (file: /fx/cw1234567/p/.agents/skills/sk00/SKILL.md)",
            "- skill-with-a-longer-name-01: \
         (file: /fx/cw1234567/p/.agents/skills/skill-with-a-longer-name-01/SKILL.md)",
            "- sk20: (file: /fx/cw1234567/home/.agents/skills/sk20/SKILL.md)",
        ]
    );
    assert_eq!(listed(200, 20), ["- sk00: (file: /fx/cw1234567/p/.agents/skills/sk00/SKILL.md)"]);
    assert!(listed(200, 5).is_empty());
}

/// Measured as above, with each of these at the place of `.git`.
#[test]
fn skills_are_searched_from_a_marker_on_that_cannot_be_followed() {
    for (to, skills, files) in [
        (".git", "alow amid", "low"),
        ("../plain.txt/x", "alow amid", "low"),
        ("gone", "alow", "low"),
        ("../plain.txt", "alow amid", "mid low"),
    ] {
        let mut tree = MemTree::default();
        let config = "[skills.bundled]\nenabled = false\n";
        tree.file("/plain.txt", "x").link("/q/.git", to).file("/home/.codex/config.toml", config);
        for (folder, name) in [("", "top"), ("/q", "mid"), ("/q/r", "low")] {
            let text = format!("---\nname: a{name}\ndescription: d\n---\nx\n");
            tree.file(&format!("{folder}/.agents/skills/a{name}/SKILL.md"), text);
            tree.file(&format!("{folder}/AGENTS.md"), name);
        }
        let (cwd, home, config) = ("/q/r".into(), "/home".into(), "/home/.codex".into());
        let scene = Scene { cwd, home, config, project: "/q".into(), ..Scene::default() };
        let map = load_map(&scene, &tree, &FamilyFactor::CLAUDE);
        let (listed, sent): (Vec<_>, Vec<_>) = map.always().partition(|e| e.name.is_some());
        let names: Vec<_> = listed.iter().filter_map(|e| e.name.as_deref()).collect();
        let texts: Vec<_> = sent.iter().filter_map(|e| e.sent.as_deref()).collect();
        assert_eq!((names.join(" "), texts.join(" ")), (skills.into(), files.into()), "{to}");
    }
}
