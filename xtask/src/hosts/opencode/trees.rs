//! Random homes and projects for OpenCode.
//!
//! Nothing here depends on what the client leaves to chance. It takes the files that one pattern
//! matches as the file system lists them or as they are found first: so no pattern matches two
//! files but one below the other. Of two skills of one name it takes either: so no two have one.
//! A pattern with a wild card in its first folder is only used in a repository: elsewhere the client
//! tries it up to the root of the file system.

use super::texts;
use crate::trees::{Builder, HOME, Kind, Tree, join};

mod config;
mod listed;
mod place;

/// The folders the rest of a tree is hung on. All are below the root.
struct Frame {
    /// The folder the session starts in.
    cwd: String,
    /// The folder with the repository, in which the client stops.
    git_root: Option<String>,
    /// The folders from the root, which is empty, down to the session's.
    levels: Vec<String>,
    /// The user's folder for OpenCode.
    config: String,
    /// What `OPENCODE_CONFIG_DIR` names.
    config_dir: Option<String>,
    /// The folders below the session's folder that hold files to read.
    subs: Vec<String>,
    /// Files that can be read.
    sources: Vec<String>,
}

impl Frame {
    /// Returns the folders the client looks at, from the outermost down to the session's.
    fn seen(&self) -> &[String] {
        let at =
            self.git_root.as_ref().and_then(|root| self.levels.iter().position(|it| it == root));
        &self.levels[at.unwrap_or(0)..]
    }
}

/// The names of instruction files.
const NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

/// Files that are never loaded.
const NEVER: &[&str] = &[
    "agents.md",
    "Claude.md",
    "CLAUDE.local.md",
    "AGENTS.override.md",
    "AGENTS.txt",
    ".opencode/AGENTS.md",
    ".claude/CLAUDE.md",
    ".agents/AGENTS.md",
];

/// Returns the tree of a seed.
pub(super) fn generate(seed: u64) -> Tree {
    let mut b = Builder::new(seed);
    let mut frame = place::frame(&mut b);
    sources(&mut b, &mut frame);
    global(&mut b, &frame);
    names(&mut b, &frame);
    switches(&mut b);
    config::put(&mut b, &frame);
    listed::put(&mut b, &frame);
    touches(&mut b, &frame);
    b.finish()
}

/// Joins a folder, which may be the root, and a name.
fn at(folder: &str, name: &str) -> String {
    join(folder, name)
}

/// Puts source files below the session's folder, beside it and outside.
fn sources(b: &mut Builder, frame: &mut Frame) {
    let all = ["x.rs", "src/x.rs", "src/deep/y.rs", "lib/z.rs", "a/b/c.rs"];
    let first = b.random.below(all.len());
    for step in 0..2 + b.random.below(2) {
        let source = all[(first + step * 2) % all.len()];
        let mark = b.mark();
        let path = at(&frame.cwd, source);
        b.file(&path, format!("fn {mark}() {{}}\n"));
        frame.sources.push(path);
        for (end, _) in source.match_indices('/') {
            let sub = at(&frame.cwd, &source[..end]);
            if !frame.subs.contains(&sub) {
                frame.subs.push(sub);
            }
        }
    }
    if b.maybe(12, "folder whose name begins with the session's") && frame.cwd != HOME {
        // The client compares texts: `s2` begins with `s`.
        let beside = format!("{}2", frame.cwd);
        frame.sources.push(at(&beside, "d/x.rs"));
        frame.subs.extend([beside.clone(), at(&beside, "d")]);
    }
    if b.maybe(10, "source beside the session") && frame.levels.len() > 2 {
        let above = frame.levels[frame.levels.len() - 2].clone();
        frame.sources.push(at(&above, "beside/x.rs"));
        frame.subs.push(at(&above, "beside"));
    }
    if b.maybe(8, "source outside") {
        frame.sources.push("outside/d/x.rs".to_owned());
        frame.subs.extend(["outside".to_owned(), "outside/d".to_owned()]);
    }
    for source in frame.sources.clone() {
        let text = b.mark();
        b.file(&source, format!("{text}\n"));
    }
    if b.maybe(10, "linked folder below the session") {
        let to = *b.random.pick(&["outside/linked", "w/linked"]);
        let mark = b.mark();
        b.file(&at(to, "x.rs"), format!("{mark}\n"));
        texts::instructions(b, &at(to, "AGENTS.md"));
        if b.link(&at(&frame.cwd, "ln"), format!("{{root}}/{to}")) {
            frame.sources.push(at(&frame.cwd, "ln/x.rs"));
        }
    }
    frame.subs.sort();
    frame.subs.dedup();
}

fn global(b: &mut Builder, frame: &Frame) {
    if b.maybe(45, "global AGENTS.md") {
        texts::instructions(b, &at(&frame.config, "AGENTS.md"));
    }
    if b.maybe(35, "global CLAUDE.md") {
        texts::instructions(b, &at(HOME, ".claude/CLAUDE.md"));
    }
    if let Some(folder) = frame.config_dir.clone()
        && b.maybe(60, "AGENTS.md in OPENCODE_CONFIG_DIR")
    {
        texts::instructions(b, &at(&folder, "AGENTS.md"));
    }
    for name in ["CLAUDE.md", "CONTEXT.md"] {
        if b.maybe(4, "other name in the user's folder") {
            texts::instructions(b, &at(&frame.config, name));
        }
    }
}

/// Puts instruction files of the three names into the folders above and below the session's.
fn names(b: &mut Builder, frame: &Frame) {
    let weights = b.random.weighted(&[
        (40, [60, 8, 4]),
        (18, [0, 60, 15]),
        (10, [0, 0, 70]),
        (12, [30, 30, 30]),
        (12, [12, 45, 10]),
        (8, [0, 0, 0]),
    ]);
    b.has(match weights {
        [0, 0, 0] => "no file at start",
        [0, 0, _] => "CONTEXT.md only",
        [0, ..] => "no AGENTS.md",
        _ => "AGENTS.md at start",
    });
    for folder in frame.levels.clone() {
        for (name, weight) in NAMES.iter().zip(weights) {
            if b.random.chance(weight) {
                texts::instructions(b, &at(&folder, name));
            }
        }
        if b.maybe(8, "two names of one file") {
            let (from, to) = *b.random.pick(&[
                ("CLAUDE.md", "AGENTS.md"),
                ("AGENTS.md", "CLAUDE.md"),
                ("AGENTS.md", "../AGENTS.md"),
            ]);
            b.link(&at(&folder, from), to);
        }
        if b.maybe(8, "file that is never loaded") {
            let name = *b.random.pick(NEVER);
            let mark = b.mark();
            b.file(&at(&folder, name), format!("{mark} never\n"));
        }
    }
    for folder in frame.subs.clone() {
        for (name, weight) in NAMES.iter().zip([40, 22, 12]) {
            if b.random.chance(weight) {
                b.has("file in a sub-folder");
                texts::instructions(b, &at(&folder, name));
            }
        }
    }
}

fn switches(b: &mut Builder) {
    const YES: &[&str] = &["1", "true", "yes", "on", "y"];
    const NO: &[&str] = &["0", "false", "no", "off", "n"];
    let known = [
        (5, "OPENCODE_DISABLE_CLAUDE_CODE"),
        (6, "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"),
        (5, "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS"),
        (5, "OPENCODE_DISABLE_EXTERNAL_SKILLS"),
    ];
    for (weight, key) in known {
        if b.maybe(weight, "switch in the environment") {
            let values = if b.random.chance(75) { YES } else { NO };
            let value = *b.random.pick(values);
            b.env.push((key.to_owned(), value.to_owned()));
        }
    }
    if b.maybe(12, "OPENCODE_DISABLE_PROJECT_CONFIG") {
        let value =
            b.random.weighted(&[(40, "1"), (20, "true"), (10, "TRUE"), (15, "yes"), (15, "0")]);
        b.env.push(("OPENCODE_DISABLE_PROJECT_CONFIG".to_owned(), value.to_owned()));
    }
}

fn touches(b: &mut Builder, frame: &Frame) {
    let count = b.random.weighted(&[(15, 0), (33, 1), (28, 2), (24, 3)]);
    b.has(["no touch", "one touch", "two touches", "three touches"][count]);
    for _ in 0..count {
        let source = b.random.pick(&frame.sources).clone();
        let folder = if frame.subs.is_empty() {
            frame.cwd.clone()
        } else {
            b.random.pick(&frame.subs).clone()
        };
        let touch = match b.random.weighted(&[(76, 0), (9, 1), (4, 2), (4, 3), (4, 4), (3, 5)]) {
            1 => {
                b.has("reading an instruction file");
                let path = at(&folder, "AGENTS.md");
                if b.is_taken(&path) { path } else { source }
            }
            2 => {
                b.has("reading what isn't there");
                at(&folder, "gone.rs")
            }
            3 => {
                b.has("reading a folder");
                b.put(&folder, Kind::Dir);
                folder
            }
            4 => {
                b.has("reading an empty file");
                let path = at(&folder, "empty.rs");
                b.file(&path, "");
                path
            }
            5 => {
                b.has("reading a binary file");
                let path = at(&folder, "data.bin");
                b.file(&path, b"\0\x01\x02\x03".repeat(20));
                path
            }
            _ => source,
        };
        b.touches.push(touch);
    }
}
