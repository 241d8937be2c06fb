//! Random homes and projects for Codex CLI.
//!
//! A tree is one chain of folders from the root down to the session's folder, with a home that
//! stands beside it, in it or is a part of it. Nothing is in a tree that the client refuses to start
//! with, and no text but the configuration holds the root: a text that is cut at a byte would be
//! cut elsewhere in another place.

use crate::trees::{Builder, HOME, Kind, Random, Tree};

mod config;
mod files;
mod skills;

/// Names of files that may mark the root of a project. They are odd enough to stand in no folder
/// above a tree.
pub(super) const MARKERS: &[&str] = &[".cw-root", "cw-mark.toml", "cw-top/here"];

/// Names of folders in the chain.
const FOLDERS: &[&str] = &["work", "proj", "src", "api", "a b", "é", "x.y", "docs", "AGENTS"];

/// The folders of a tree and what was decided for all of it.
#[derive(Debug)]
struct Plan {
    /// The chain from the outermost folder to the session's, below the root. The first is the root.
    chain: Vec<String>,
    /// The client's own folder, below the root.
    client: String,
    /// Names of files beside `AGENTS.md`, as the configuration has them.
    fallbacks: Vec<&'static str>,
    /// Names that mark the root of a project, if the configuration has them.
    markers: Option<Vec<&'static str>>,
    /// Whether the configuration trusts some folder.
    trusting: bool,
    /// What makes the list of skills too long, if anything does.
    squeeze: Option<Squeeze>,
}

/// What makes the list of skills too long.
///
/// The client counts the folders of skills too, by the length of their absolute paths, as soon as
/// these are long together. A tree that is squeezed has so few of them that it doesn't come to
/// that, and none of the client's own skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Squeeze {
    /// A small limit.
    Few,
    /// Many long descriptions.
    Many,
}

impl Plan {
    /// Returns the session's folder.
    fn cwd(&self) -> &str {
        self.chain.last().map_or("", String::as_str)
    }
}

/// Returns the tree of a seed: the same for ever.
pub(super) fn generate(seed: u64) -> Tree {
    let mut b = Builder::new(seed);
    // The other hosts' trees have the same seeds.
    b.random = Random::new(seed ^ 0x636f_6465_7800_0000);
    let plan = plan(&mut b);
    session(&mut b, &plan);
    git(&mut b, &plan);
    config::put(&mut b, &plan);
    files::global(&mut b, &plan);
    files::project(&mut b, &plan);
    if plan.squeeze.is_some() || b.maybe(55, "skills") {
        skills::put(&mut b, &plan);
    }
    b.finish()
}

/// Decides about the folders.
fn plan(b: &mut Builder) -> Plan {
    let mut chain = vec![String::new()];
    let base =
        b.random.weighted(&[(70, "plain"), (14, "home"), (6, "is home"), (6, "root"), (4, "own")]);
    let client = client(b);
    match base {
        "home" => {
            b.has("project in home");
            chain.push(HOME.to_owned());
            grow(b, &mut chain, 1);
        }
        "is home" => {
            b.has("session in home");
            chain.push(HOME.to_owned());
        }
        "root" => b.has("session above home"),
        "own" if client == "home/.codex" => {
            b.has("session in the client's folder");
            chain.extend([HOME.to_owned(), client.clone()]);
        }
        _ => grow(b, &mut chain, 1),
    }
    let fallbacks = if b.maybe(35, "fallback names") { fallbacks(b) } else { Vec::new() };
    let markers = b.maybe(25, "root markers").then(|| markers(b));
    let trusting = b.maybe(35, "a trusted folder");
    let squeeze =
        b.random.weighted(&[(86, None), (9, Some(Squeeze::Few)), (5, Some(Squeeze::Many))]);
    Plan { chain, client, fallbacks, markers, trusting, squeeze }
}

/// Adds one to four folders to a chain.
fn grow(b: &mut Builder, chain: &mut Vec<String>, least: usize) {
    for _ in 0..least + b.random.below(4) {
        let above = chain.last().cloned().unwrap_or_default();
        let name = *b.random.pick(FOLDERS);
        chain.push(if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") });
    }
}

/// Chooses the client's own folder, and names it in the environment.
fn client(b: &mut Builder) -> String {
    let choice =
        b.random.weighted(&[(72, ""), (8, "beside"), (6, "empty"), (8, "dot"), (6, "link")]);
    let mut set = |value: &str| b.env.push(("CODEX_HOME".to_owned(), value.to_owned()));
    match choice {
        "beside" => {
            set("{root}/own");
            b.has("`CODEX_HOME`");
            "own".to_owned()
        }
        "empty" => {
            set("");
            b.has("an empty `CODEX_HOME`");
            "home/.codex".to_owned()
        }
        "dot" => {
            set("{root}/work/.codex");
            b.has("`CODEX_HOME` in a project");
            "work/.codex".to_owned()
        }
        "link" => {
            set("{root}/linked");
            b.has("`CODEX_HOME` is a link");
            b.link("linked", "own");
            "own".to_owned()
        }
        _ => "home/.codex".to_owned(),
    }
}

fn fallbacks(b: &mut Builder) -> Vec<&'static str> {
    const NAMES: &[&str] = &[
        "CLAUDE.md",
        "B.md",
        "A.md",
        " B.md ",
        "",
        ".",
        "..",
        "cw/A.md",
        "../A.md",
        "/A.md",
        "*.md",
        "AGENTS.md",
        "AGENTS.override.md",
        "agents.md",
        "É.md",
        ".rules",
        "~/A.md",
    ];
    (0..=b.random.below(4)).map(|_| *b.random.pick(NAMES)).collect()
}

fn markers(b: &mut Builder) -> Vec<&'static str> {
    const NAMES: &[&str] =
        &[".git", ".cw-root", "cw-mark.toml", "cw-top/here", "../.cw-root", "", ".", " .cw-root"];
    (0..b.random.below(4)).map(|_| *b.random.pick(NAMES)).collect()
}

/// Puts repositories and markers into the chain.
fn git(b: &mut Builder, plan: &Plan) {
    let repositories = b.random.weighted(&[(15, 0), (65, 1), (20, 2)]);
    for _ in 0..repositories {
        let path = below(b.random.pick::<String>(&plan.chain), ".git");
        repository(b, &path);
    }
    if let Some(markers) = &plan.markers {
        for marker in markers.iter().filter(|it| MARKERS.contains(it)) {
            if b.random.chance(80) {
                let path = below(b.random.pick::<String>(&plan.chain), marker);
                let kind = if b.random.chance(30) { Kind::Dir } else { Kind::File(Vec::new()) };
                b.put(&path, kind);
            }
        }
    }
}

/// Puts one of the things that may stand at `.git`.
fn repository(b: &mut Builder, path: &str) {
    const HEAD: &str = "ref: refs/heads/main\n";
    let choice = b.random.weighted(&[
        (50, "repository"),
        (12, "empty"),
        (6, "without HEAD"),
        (5, "garbage"),
        (5, "empty file"),
        (10, "worktree"),
        (5, "broken link"),
        (3, "link loop"),
        (4, "link"),
    ]);
    match choice {
        "repository" => {
            b.has("a repository");
            b.file(&format!("{path}/HEAD"), HEAD);
        }
        "empty" => {
            b.has("an empty `.git`");
            b.put(path, Kind::Dir);
        }
        "without HEAD" => {
            b.has("a `.git` without HEAD");
            b.file(&format!("{path}/config"), "[core]\n");
        }
        "garbage" => {
            b.has("a `.git` of garbage");
            b.file(path, "garbage\n");
        }
        "empty file" => {
            b.has("a `.git` that is an empty file");
            b.file(path, "");
        }
        "worktree" if !b.is_taken("main/.git/HEAD") => {
            b.has("a linked worktree");
            if b.file(path, "gitdir: {root}/main/.git/worktrees/w\n") {
                b.file("main/.git/HEAD", HEAD);
                b.file("main/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
                b.file("main/.git/worktrees/w/commondir", "../..\n");
                b.file("main/.git/worktrees/w/gitdir", format!("{{root}}/{path}\n"));
            }
        }
        "broken link" => {
            b.has("a `.git` that is a broken link");
            b.link(path, "nowhere");
        }
        "link loop" => {
            b.has("a `.git` that is a link loop");
            b.link(path, ".git");
        }
        _ => {
            b.has("a `.git` that is a link");
            if b.link(path, "{root}/elsewhere") {
                b.file("elsewhere/HEAD", HEAD);
            }
        }
    }
}

/// Puts the folders that have to be there, and now and then goes to the session's by a link.
fn session(b: &mut Builder, plan: &Plan) {
    b.put(&plan.client, Kind::Dir);
    for folder in plan.chain.iter().filter(|it| !it.is_empty()) {
        b.put(folder, Kind::Dir);
    }
    let cwd = plan.cwd();
    b.cwd = if cwd.is_empty() { ".".to_owned() } else { cwd.to_owned() };
    if b.maybe(8, "session by a link") {
        let to = if cwd.is_empty() { "{root}".to_owned() } else { format!("{{root}}/{cwd}") };
        if b.link("way/in", to) {
            b.cwd = "way/in".to_owned();
        }
    }
}

/// Joins a folder of the chain and a path.
fn below(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}
