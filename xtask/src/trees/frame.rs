//! Where the project, its repository and the session are.

use super::{
    HOME, Kind, Tree,
    builder::{Builder, join, parent},
    listing, memory, settings, surfaces,
};

/// The folders the rest of a tree is hung on. All are below the root.
pub(crate) struct Frame {
    /// The folder the session starts in.
    pub(crate) cwd: String,
    /// The folder that holds the nearest `.git`.
    pub(crate) git_root: Option<String>,
    /// The folder whose name the auto-memory has.
    pub(crate) memory_root: String,
    /// The main folder of the project.
    pub(crate) project: String,
    /// The host's folder for the user: `home/.claude` or what `CLAUDE_CONFIG_DIR` names.
    pub(crate) config: String,
    /// The folders from the root, which is empty, down to the session's.
    pub(crate) levels: Vec<String>,
    /// The folders below the session's folder that hold files to read.
    pub(crate) subs: Vec<String>,
    /// No folder from the root down to the session's has a `CLAUDE.md` that says something.
    pub(crate) agents_only: bool,
}

impl Frame {
    /// Returns true for a path in a rules folder.
    pub(crate) fn is_in_rules(&self, path: &str) -> bool {
        path.contains("/rules/") || path.starts_with(&format!("{}/docs/rules", self.cwd))
    }
}

/// Source files that `paths` patterns are made for.
const SOURCES: &[&str] =
    &["x.rs", "src/x.rs", "src/y.ts", "src/deep/x.rs", "a/b/c.rs", "lib/src/x.rs", "README"];

pub(crate) fn generate(seed: u64) -> Tree {
    let mut b = Builder::new(seed);
    let mut frame = place(&mut b);
    sources(&mut b, &mut frame);
    settings::put(&mut b, &frame);
    memory::put(&mut b, &frame);
    listing::put(&mut b, &frame);
    surfaces::put(&mut b, &frame);
    touches(&mut b, &frame);
    b.finish()
}

fn place(b: &mut Builder) -> Frame {
    let base = b.random.weighted(&[(57, "w"), (14, "w/v"), (22, "home/w"), (7, HOME)]);
    if base.starts_with(HOME) {
        b.has("home above the session");
    }
    let name = b.random.weighted(&[(80, "p"), (7, "p.q"), (7, "p q"), (6, "P_q")]);
    if name.len() > 1 {
        b.has("project name with odd characters");
    }
    let mut project = format!("{base}/{name}");
    if base == HOME {
        b.has("home is the project");
        HOME.clone_into(&mut project);
    }
    let (cwd, git_root, memory_root) = repository(b, base, &project);
    let config = match b.random.weighted(&[(88, 0), (6, 1), (4, 2), (2, 3)]) {
        0 => format!("{HOME}/.claude"),
        1 => "cfg".to_owned(),
        2 => format!("{HOME}/cfg"),
        _ => format!("{cwd}/.claude"),
    };
    if config != format!("{HOME}/.claude") {
        b.has("config folder elsewhere");
        let slash = if b.random.chance(20) { "/" } else { "" };
        b.env.push(("CLAUDE_CONFIG_DIR".to_owned(), format!("{{root}}/{config}{slash}")));
    }
    let mut levels = vec![String::new()];
    levels.extend(cwd.match_indices('/').map(|(at, _)| cwd[..at].to_owned()));
    levels.push(cwd.clone());
    b.cwd.clone_from(&cwd);
    let agents_only = b.maybe(24, "no CLAUDE.md above");
    Frame { cwd, git_root, memory_root, project, config, levels, subs: Vec::new(), agents_only }
}

/// Returns the session's folder, the nearest folder with `.git` and the auto-memory's folder.
fn repository(b: &mut Builder, base: &str, project: &str) -> (String, Option<String>, String) {
    let sub = b.random.weighted(&[(60, "s"), (40, "s/a")]);
    let below = format!("{project}/{sub}");
    let own = |path: &str| Some(path.to_owned());
    match b.random.weighted(&[(17, 0), (28, 1), (22, 2), (14, 3), (9, 4), (10, 5)]) {
        0 => {
            b.has("no repository");
            let cwd = if b.random.chance(50) { project.to_owned() } else { below };
            b.put(&cwd, Kind::Dir);
            (cwd.clone(), None, cwd)
        }
        1 => {
            b.has("repository root is the session's folder");
            git_folder(b, project);
            (project.to_owned(), own(project), project.to_owned())
        }
        2 => {
            b.has("repository root above the session");
            git_folder(b, project);
            (below, own(project), project.to_owned())
        }
        kind @ (3 | 4) => {
            let inside = ["wt", ".claude/worktrees/w1", "s/wt"];
            let tree = if kind == 3 {
                b.has("worktree inside the main folder");
                format!("{project}/{}", b.random.pick(&inside))
            } else {
                b.has("worktree beside the main folder");
                format!("{base}/wt")
            };
            git_folder(b, project);
            let linked = worktree(b, project, &tree);
            let cwd = if b.random.chance(70) { tree.clone() } else { format!("{tree}/s") };
            let memory = if linked { project.to_owned() } else { tree.clone() };
            (cwd, Some(tree), memory)
        }
        _ => {
            b.has("odd .git");
            if b.random.chance(50) {
                git_folder(b, project);
            }
            let at = if b.random.chance(50) { below.clone() } else { project.to_owned() };
            let counts = match b.random.below(4) {
                0 => b.file(&format!("{at}/.git"), ""),
                1 => b.file(&format!("{at}/.git"), "gitdir: ../nowhere\n"),
                2 => b.put(&format!("{at}/.git"), Kind::Dir),
                _ => {
                    b.link(&format!("{at}/.git"), "gone");
                    false
                }
            };
            let outer = b.is_taken(&format!("{project}/.git/HEAD")).then(|| project.to_owned());
            let root = if counts { Some(at) } else { outer };
            let memory = root.clone().unwrap_or_else(|| below.clone());
            (below, root, memory)
        }
    }
}

fn git_folder(b: &mut Builder, project: &str) {
    b.file(&format!("{project}/.git/HEAD"), "ref: refs/heads/main\n");
}

/// Makes a linked worktree by hand, and says whether the client will follow it to the main folder.
fn worktree(b: &mut Builder, main: &str, tree: &str) -> bool {
    let inner = format!("{main}/.git/worktrees/x");
    let to = if b.random.chance(70) {
        format!("{{root}}/{inner}")
    } else {
        super::builder::relative(tree, &inner)
    };
    b.file(&format!("{tree}/.git"), format!("gitdir: {to}\n"));
    b.file(&format!("{inner}/HEAD"), "ref: refs/heads/x\n");
    let broken = b.random.weighted(&[(85, 0), (8, 1), (7, 2)]);
    if broken != 1 {
        b.file(&format!("{inner}/commondir"), "../..\n");
    }
    let back = if broken == 2 {
        "{root}/elsewhere/.git".to_owned()
    } else {
        format!("{{root}}/{tree}/.git")
    };
    b.file(&format!("{inner}/gitdir"), format!("{back}\n"));
    broken == 0
}

fn sources(b: &mut Builder, frame: &mut Frame) {
    let first = b.random.below(SOURCES.len());
    let count = 3 + b.random.below(3);
    for step in 0..count {
        let source = SOURCES[(first + step * 2) % SOURCES.len()];
        let path = format!("{}/{source}", frame.cwd);
        let mark = b.mark();
        b.file(&path, format!("fn {mark}() {{}}\n"));
        let mut folder = parent(source);
        while !folder.is_empty() {
            let sub = format!("{}/{folder}", frame.cwd);
            if !frame.subs.contains(&sub) {
                frame.subs.push(sub);
            }
            folder = parent(folder);
        }
    }
    frame.subs.sort();
}

fn touches(b: &mut Builder, frame: &Frame) {
    let count = b.random.weighted(&[(12, 0), (33, 1), (30, 2), (25, 3)]);
    b.has(["no touch", "one touch", "two touches", "three touches"][count]);
    let all = b.paths();
    let below = format!("{}/", frame.cwd);
    let is_source =
        |path: &&String| path.strip_prefix(&below).is_some_and(|rest| SOURCES.contains(&rest));
    let sources: Vec<String> = all.iter().filter(is_source).cloned().collect();
    let nested: Vec<String> = all
        .iter()
        .filter(|path| path.starts_with(&below) && path.ends_with(".md"))
        .cloned()
        .collect();
    for _ in 0..count {
        let touch = match b.random.weighted(&[(72, 0), (7, 1), (6, 2), (6, 3), (5, 4), (4, 5)]) {
            1 if !nested.is_empty() => {
                b.has("touch of a memory file");
                b.random.pick(&nested).clone()
            }
            2 => {
                b.has("touch of a missing file");
                format!("{}/none.rs", frame.subs.last().unwrap_or(&frame.cwd))
            }
            3 => {
                b.has("touch outside the session's folder");
                let path = join(&frame.cwd, "../beside.rs");
                b.file(&path, "fn beside() {}\n");
                path
            }
            4 => {
                b.has("touch through a link");
                let link = format!("{}/ln", frame.cwd);
                b.link(&link, "src");
                format!("{link}/x.rs")
            }
            5 => {
                b.has("touch through a link to outside");
                let link = format!("{}/od", frame.cwd);
                b.link(&link, "{root}/out");
                b.file("out/x.rs", "fn out() {}\n");
                format!("{link}/x.rs")
            }
            _ => {
                let deep: Vec<String> = sources
                    .iter()
                    .filter(|path| path[below.len()..].contains('/'))
                    .cloned()
                    .collect();
                let from = if deep.is_empty() || b.random.chance(20) { &sources } else { &deep };
                b.random.pick(from).clone()
            }
        };
        b.touches.push(touch);
    }
}
