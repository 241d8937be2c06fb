//! Stores in every state: listed, read by id, refused by name.

use coalwash_core::load::Unread;
use coalwash_core::wash::node::Bin;

use super::Project;
use crate::disk::RealDisk;
use crate::wash::node::global_keeps;

fn listed(project: &Project) -> String {
    let bins = project.opened().bins();
    let mut out = String::new();
    for item in bins.items {
        let at = item.at_ms.map_or("?".to_owned(), |at| at.to_string());
        let original = item.original.map_or("-".to_owned(), |path| project.plain(path));
        let by = if item.is_listed { "listed" } else { "by name" };
        let name = item.bin.name();
        out += &format!("{name} {} at {at} from {original}, {} bytes, {by}\n", item.id, item.bytes);
    }
    out + &unread(project, &bins.unread)
}

fn unread(project: &Project, unread: &[Unread]) -> String {
    unread.iter().map(|it| project.plain(format!("{}: {}\n", it.path, it.why))).collect()
}

/// What `item` gives for an id, as a text.
fn item(project: &Project, id: &str) -> String {
    match project.opened().item(id) {
        Ok(Some((item, bytes))) => {
            format!("{} {}", item.bin.name(), String::from_utf8_lossy(&bytes))
        }
        Ok(None) => "not found".to_owned(),
        Err(it) => project.plain(format!("{}: {}", it.path, it.why)),
    }
}

fn whole() -> Project {
    let project = Project::new();
    project
        .store(
            "fat-bin/index.json",
            r#"[{"id":"1000-abc","at":1000,"bytes":4,"original":"{P}/a.md","origin":"program-cut"},
                {"id":"2000-gone","at":2000,"bytes":4,"original":"{P}/b.md","origin":"program-cut"},
                {"id":"../../../x","at":1,"bytes":1,"original":null,"origin":"program-cut"}]"#,
        )
        .store("fat-bin/1000-abc", "old\n")
        .store("fat-bin/.gitignore", "*\n")
        .store("fat-bin/death.log", "")
        .store("fat-bin/3000-orphan", "nobody lists me")
        .store("store.old/index.json", r#"[{"id":"1000-abc","at":null,"original":null}]"#)
        .store("store.old/1000-abc", "")
        .file("x", "not in a bin");
    project
}

#[test]
fn bins_list_what_is_there_and_name_what_is_not() {
    insta::assert_snapshot!(listed(&whole()), @"
    fat-bin 1000-abc at 1000 from {P}/a.md, 4 bytes, listed
    fat-bin 3000-orphan at 3000 from -, 15 bytes, by name
    store.old 1000-abc at ? from -, 0 bytes, listed
    {P}/.claude/coalwash/fat-bin/index.json: 1 of its records mean nothing
    {P}/.claude/coalwash/fat-bin/2000-gone: the index lists it, and it is gone
    ");
    let project = Project::new();
    assert_eq!((listed(&project), project.opened().exists()), (String::new(), false));
}

/// B8 and B22: a lost index takes no item with it, only where each came from.
#[test]
fn a_lost_or_damaged_index_is_rebuilt_from_the_names() {
    for text in [None, Some("{\"id\""), Some("null"), Some("[]")] {
        let project = Project::new();
        project.store("fat-bin/1000-abc", "old").store("fat-bin/notes", "x");
        if let Some(text) = text {
            project.store("fat-bin/index.json", text);
        }
        let said = listed(&project);
        assert!(said.starts_with("fat-bin 1000-abc at 1000 from -, 3 bytes, by name\n"), "{said}");
        let damaged = matches!(text, Some("{\"id\"" | "null"));
        assert_eq!(said.contains("known by their names alone"), damaged, "{said}");
        assert_eq!(said.lines().count(), 1 + usize::from(damaged), "{said}");
        assert_eq!(item(&project, "1000-abc"), "fat-bin old");
    }
}

/// B6, B21 and the order of the bins. An empty item is found.
#[test]
fn only_items_are_read_by_id() {
    let project = whole();
    assert_eq!(item(&project, "1000-abc"), "fat-bin old\n");
    assert_eq!(item(&project, "3000-orphan"), "fat-bin nobody lists me");
    let other = ["index.json", ".gitignore", "death.log", "2000-gone", "../../../x", "1000"];
    let odd = ["", ".", "..", "/etc/passwd", "a/b", "a\\b", "..\\x"];
    for id in other.iter().chain(&odd) {
        assert_eq!(item(&project, id), "not found", "{id}");
    }
    std::fs::remove_file(project.root.join(".claude/coalwash/fat-bin/1000-abc")).unwrap();
    assert_eq!(item(&project, "1000-abc"), "store.old ");
}

#[test]
fn no_link_is_followed_wherever_it_stands() {
    let secret = |project: &Project| {
        std::fs::create_dir_all(project.top().join("out/fat-bin")).unwrap();
        std::fs::write(project.top().join("out/fat-bin/1-a"), "secret").unwrap();
        std::fs::write(project.top().join("out/secret"), "secret").unwrap();
    };
    for (at, to, wanted) in [
        (".claude", "../out", "{P}/.claude: it is a link, which is not followed"),
        (
            ".claude/coalwash",
            "../../out",
            "{P}/.claude/coalwash: it is a link, which is not followed",
        ),
    ] {
        let project = Project::new();
        secret(&project);
        project.link(at, to);
        let refused = crate::wash::node::NodeStore::open(&RealDisk, &project.root);
        assert_eq!(unread(&project, &[refused.err().unwrap()]).trim_end(), wanted);
    }
    for at in ["fat-bin", "fat-bin/1-a", "fat-bin/index.json", "keeps.json"] {
        let project = Project::new();
        secret(&project);
        project.store(".gitignore", "*\n");
        let to = if at == "fat-bin" { "out/fat-bin" } else { "out/secret" };
        project.link(&format!(".claude/coalwash/{at}"), project.top().join(to).as_str());
        let opened = project.opened();
        let (bins, keeps) = (opened.bins(), opened.keeps());
        assert_eq!((bins.items.len(), keeps.keeps.len()), (0, 0), "{at}");
        let all = unread(&project, &[bins.unread, keeps.unread].concat());
        let wanted = format!("{{P}}/.claude/coalwash/{at}: it is a link, which is not followed");
        assert!(all.starts_with(&wanted), "{all}");
        assert!(item(&project, "1-a").contains("link") || item(&project, "1-a") == "not found");
    }
}

#[test]
fn what_is_no_file_is_never_opened() {
    let project = Project::new();
    project.store("fat-bin/index.json", r#"[{"id":"1-a","at":1},{"id":"2-b","at":2}]"#);
    project.store("fat-bin/1-a/below", "x");
    let pipe = project.root.join(".claude/coalwash/fat-bin/2-b");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let said = "{P}/.claude/coalwash/fat-bin";
    assert_eq!(listed(&project), format!("{said}/1-a: it is no file\n{said}/2-b: it is no file\n"));
    assert_eq!(item(&project, "2-b"), format!("{said}/2-b: it is no file"));
    assert!(project.opened().bin(Bin::StoreOld).unwrap().is_none());
}

/// K1, K4 and K10: both places, and what can't be read is named.
#[test]
fn keeps_of_the_project_and_of_the_user_are_read() {
    let text =
        r#"{"v":1,"keeps":[{"target":"a.md","pendingUser":true,"mine":1},{"reason":"none"}]}"#;
    let project = Project::new();
    project.store("keeps.json", text).file("home/.coalwash-global-keeps.json", text);
    let settings = project.root.join("home");
    for read in [project.opened().keeps(), global_keeps(&RealDisk, &settings)] {
        assert_eq!(read.keeps.len(), 1);
        assert!(read.keeps[0].pending_user && read.keeps[0].record["mine"] == 1);
        assert_eq!(read.unread[0].why, "1 of its records have no `target`");
    }
    project.store("keeps.json", r#"{"v":2,"keeps":[]}"#);
    assert_eq!(project.opened().keeps().unread[0].why, "a newer version wrote it");
    assert_eq!(global_keeps(&RealDisk, &project.root.join("nowhere")), Default::default());
}
