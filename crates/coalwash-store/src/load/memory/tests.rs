#![expect(clippy::disallowed_methods, reason = "tests build trees")]

use coalwash_core::load::Checkout;

use super::*;
use crate::disk::DiskTree;

/// A temporary root with a home and projects in it.
struct Place {
    _temp: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl Place {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        Self { _temp: temp, root }
    }

    fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn folder(&self, path: &str) -> &Self {
        std::fs::create_dir_all(self.root.join(path)).unwrap();
        self
    }

    /// Lays a session that began in `cwd` into the folder of the project `of`.
    fn session(&self, of: &str, name: &str, cwd: &str) -> &Self {
        let cwd = self.root.join(cwd);
        let lines = format!(
            "{{\"type\":\"summary\"}}\n{{\"type\":\"user\",\"cwd\":\"{cwd}\"}}\n{{\"type\":\"user\",\"cwd\":\"/elsewhere\"}}\n"
        );
        self.file(&format!("{}/{name}.jsonl", self.host(of)), &lines)
    }

    fn memory(&self, of: &str) -> &Self {
        self.file(&format!("{}/memory/a.md", self.host(of)), "x")
    }

    fn host(&self, of: &str) -> String {
        format!("h/.claude/projects/{}", slug(&self.root.join(of)))
    }

    fn scene(&self, cwd: &str) -> Scene {
        let cwd = self.root.join(cwd);
        let config = self.root.join("h/.claude");
        let git = git::checkout(&DiskTree::default(), &cwd);
        let key = git.as_ref().map_or(&cwd, |git: &Checkout| &git.main);
        Scene {
            memory: Some(config.join("projects").join(slug(key)).join("memory")),
            config,
            git,
            cwd,
            ..Scene::default()
        }
    }

    fn used(&self, cwd: &str) -> (Vec<String>, MemoryUse) {
        self.used_in(&self.scene(cwd))
    }

    /// Returns the problems as `reason project (worktree of) line`, with paths from the root.
    fn used_in(&self, scene: &Scene) -> (Vec<String>, MemoryUse) {
        let all = memory_use(&DiskTree::default(), scene, true);
        let short = |path: &Utf8PathBuf| path.strip_prefix(&self.root).unwrap().to_string();
        let shown = all.problems.iter().map(|it| {
            let project = it.project.as_ref().map_or("?".to_owned(), short);
            let of =
                it.worktree_of.as_ref().map_or(String::new(), |of| format!(" of {}", short(of)));
            let line = it.seen_in.as_ref().map_or(0, |at| at.line);
            format!("{:?} {project}{of} {line}", it.reason)
        });
        (shown.collect(), all)
    }
}

#[test]
fn two_projects_of_one_folder_share_its_memory() {
    let place = Place::new();
    place.folder("w/a-b").folder("w/a.b").folder("w/a b/.git").folder("w/a/b").folder("w/a/.git");
    place.session("w/a-b", "1", "w/a-b").session("w/a-b", "2", "w/a.b");
    place.session("w/a-b", "3", "w/a b").session("w/a-b", "4", "w/a_b");
    assert_eq!(place.used("w/a-b").0, ["MemoryShared w/a.b 2", "MemoryShared w/a b 2"]);
    // Of `w/a/b` the memory lies with the checkout `w/a`.
    place.session("w/a-b", "5", "w/a/b").session("w/a/b", "1", "w/a/b");
    let (shown, all) = place.used("w/a-b");
    assert_eq!((shown, all.sessions, all.asked), (vec!["MemoryShared w/a.b 2".to_owned()], 5, 4));
    assert_eq!(place.used("w/a/b").0, Vec::<String>::new());
    // A folder from the settings is shared on purpose.
    let scene = Scene { memory: Some(place.root.join("notes")), ..place.scene("w/a-b") };
    assert_eq!(place.used_in(&scene).0, Vec::<String>::new());
    assert_eq!(place.used_in(&Scene { memory: None, ..scene }).0, Vec::<String>::new());
}

#[test]
fn the_list_of_projects_is_believed_as_sessions_are() {
    let place = Place::new();
    place.folder("w/a-b").folder("w/a.b").memory("w/a-b").memory("w/a-b/old");
    let near = ["w/a.b", "w/a_b", "w/a-b/old"].map(|path| place.root.join(path)).into();
    let scene = Scene { near, ..place.scene("w/a-b") };
    let wanted = ["MemoryShared w/a.b 0", "MemoryLeftBehind w/a-b/old 0"];
    assert_eq!(place.used_in(&scene).0, wanted);
}

#[test]
fn a_link_to_the_project_is_the_project() {
    let place = Place::new();
    place.folder("w/a-b");
    std::os::unix::fs::symlink("a-b", place.root.join("w/a.b")).unwrap();
    place.session("w/a-b", "1", "w/a.b");
    assert_eq!(place.used("w/a-b").0, Vec::<String>::new());
}

#[test]
fn few_sessions_are_asked_and_the_count_is_told() {
    let place = Place::new();
    place.folder("w/p").folder("w/.p");
    for n in 10..50 {
        place.session("w/p", &n.to_string(), "w/p");
    }
    place.file(&format!("{}/51.jsonl", place.host("w/p")), "{\"type\":\"user\"");
    let (shown, all) = place.used("w/p");
    assert_eq!((shown.len(), all.sessions, all.asked), (0, 41, MOST_SESSIONS));
}

#[test]
fn memory_of_what_is_gone_below_a_project_is_found() {
    let place = Place::new();
    place.folder("w/p/.git").folder("w/p/here").folder("w/p-2");
    let worktree = "w/p/.claude/worktrees/x";
    for (of, began) in [
        ("w/p/gone", "w/p/gone"),
        (worktree, worktree),
        ("w/p/here", "w/p/here"),
        // The name begins alike, and its session says otherwise.
        ("w/p/other", "w/p-other"),
        ("w/p-2", "w/p-2"),
        ("w/p-3", "w/p-3"),
    ] {
        place.memory(of).session(of, "1", began);
    }
    let near = ["w/p/gone", worktree, "w/p/here", "w/p/other", "w/p/silent", "w/p/none"];
    let near = near.map(|path| place.root.join(path)).into();
    let scene = Scene { near, ..place.scene("w/p") };
    place.folder("w/p/silent").memory("w/p/silent");
    place.session("w/p/none", "1", "w/p/none");
    let wanted = [&format!("MemoryLeftBehind {worktree} of w/p 2"), "MemoryLeftBehind w/p/gone 2"];
    assert_eq!(place.used_in(&scene).0, wanted);
    // Git still lists a worktree beside that was removed by hand.
    let gone = place.root.join("w/feature");
    place.file("w/p/.git/worktrees/f/gitdir", &format!("{gone}/.git\n"));
    place.memory("w/feature").session("w/feature", "1", "w/feature/sub");
    let (shown, _) = place.used_in(&scene);
    assert!(shown.contains(&"MemoryLeftBehind w/feature of w/p 0".to_owned()), "{shown:?}");
    place.folder("w/feature");
    assert_eq!(place.used_in(&scene).0, wanted, "it is there");
}
