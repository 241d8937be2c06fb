//! The instruction files of every folder.

use super::{
    HOME, Kind,
    builder::{Builder, join, parent, relative},
    frame::Frame,
    markdown::{self, Scope},
    rules,
};

/// How often a folder has each of its instruction files, in percent.
struct Odds {
    claude: usize,
    dot_claude: usize,
    local: usize,
    agents: usize,
    dot_agents: usize,
    rules: usize,
}

const HERE: Odds =
    Odds { claude: 75, dot_claude: 30, local: 40, agents: 40, dot_agents: 20, rules: 65 };
const ABOVE: Odds =
    Odds { claude: 35, dot_claude: 12, local: 18, agents: 25, dot_agents: 10, rules: 18 };
const BELOW: Odds =
    Odds { claude: 45, dot_claude: 15, local: 25, agents: 42, dot_agents: 12, rules: 28 };

pub(crate) fn put(b: &mut Builder, frame: &Frame) {
    user(b, frame);
    folder(b, frame, &frame.cwd, &HERE, frame.agents_only);
    for sub in &frame.subs {
        if b.random.chance(85) {
            let agents_only = frame.agents_only && b.random.chance(60);
            folder(b, frame, sub, &BELOW, agents_only);
            b.has("memory files in a sub-folder");
        }
    }
    for level in frame.levels.iter().rev().skip(1) {
        folder(b, frame, level, &ABOVE, frame.agents_only);
        if b.is_taken(&join(level, "CLAUDE.md")) {
            b.has("CLAUDE.md above the session");
            if frame.git_root.as_ref().is_some_and(|root| parent(root).starts_with(level.as_str()))
            {
                b.has("CLAUDE.md above the repository");
            }
        }
    }
    misnamed(b, frame);
}

fn user(b: &mut Builder, frame: &Frame) {
    let config = &frame.config;
    if b.maybe(70, "user CLAUDE.md") {
        file(b, frame, &format!("{config}/CLAUDE.md"));
    }
    if b.maybe(45, "user rules") {
        rules::put(b, frame, config, 3);
    }
    if b.maybe(13, "files of the user that never load") {
        file(b, frame, &format!("{config}/CLAUDE.local.md"));
        file(b, frame, &format!("{config}/AGENTS.md"));
    }
    if *config != format!("{HOME}/.claude") && b.random.chance(60) {
        file(b, frame, &format!("{HOME}/.claude/CLAUDE.md"));
    }
}

fn folder(b: &mut Builder, frame: &Frame, at: &str, odds: &Odds, agents_only: bool) {
    let dot = join(at, ".claude");
    if dot != frame.config && b.random.chance(3) {
        linked_folder(b, frame, &dot);
    }
    if agents_only {
        if b.maybe(15, "CLAUDE.md without text") {
            let blank =
                *b.random.pick(&["<!-- nothing -->\n", "---\na: b\n---\n", "\u{feff} \u{a0}\n"]);
            b.file(&join(at, "CLAUDE.md"), blank);
        }
    } else {
        let all = [
            (odds.claude, "CLAUDE.md", "project CLAUDE.md"),
            (odds.dot_claude, ".claude/CLAUDE.md", ".claude/CLAUDE.md"),
            (odds.local, "CLAUDE.local.md", "CLAUDE.local.md"),
        ];
        for (percent, name, feature) in all {
            if b.maybe(percent, feature) {
                file(b, frame, &join(at, name));
            }
        }
    }
    if b.maybe(odds.rules, "project rules") {
        let most = if at == frame.cwd { 5 } else { 3 };
        rules::put(b, frame, &dot, most);
    }
    if b.maybe(odds.agents, "AGENTS.md") {
        agents(b, frame, at, "AGENTS.md");
    }
    if b.maybe(odds.dot_agents, ".claude/AGENTS.md") {
        agents(b, frame, at, ".claude/AGENTS.md");
    }
}

/// Links a `.claude` folder to one outside or inside the session's folder.
fn linked_folder(b: &mut Builder, frame: &Frame, dot: &str) {
    if b.is_taken(dot) || !b.room(3) {
        return;
    }
    b.has("linked .claude");
    let to =
        if b.random.chance(60) { "out/claude".to_owned() } else { format!("{}/dots", frame.cwd) };
    if b.link(dot, relative(parent(dot), &to)) {
        file(b, frame, &format!("{to}/CLAUDE.md"));
        let mark = b.mark();
        b.file(&format!("{to}/rules/linked.md"), format!("rule {mark}\n"));
    }
}

fn agents(b: &mut Builder, frame: &Frame, at: &str, name: &str) {
    let path = join(at, name);
    if b.random.chance(10) && !b.is_taken(&path) && b.room(2) {
        // The same words in two files: the second is dropped.
        let mark = b.mark();
        let twin = join(at, if b.random.chance(50) { "CLAUDE.md" } else { "src/AGENTS.md" });
        if !b.is_taken(&twin) && !frame.agents_only {
            b.has("two files with one text");
            b.file(&path, format!("same {mark}\n"));
            b.file(&twin, format!("\nsame {mark}\n\n"));
            return;
        }
    }
    file(b, frame, &path);
}

/// Puts an instruction file, or something odd in its place.
fn file(b: &mut Builder, frame: &Frame, path: &str) {
    if b.is_taken(path) || !b.room(2) {
        return;
    }
    let folder = parent(path);
    let inside = join(&frame.cwd, "docs");
    match b.random.weighted(&[(80, 0), (3, 1), (3, 2), (3, 3), (3, 4), (4, 5), (4, 6)]) {
        1 => {
            b.has("file without text");
            let text = *b.random.pick(&["", " \n\t\n", "\u{feff}", "<!-- c -->\n"]);
            b.file(path, text);
        }
        2 => {
            b.has("folder in place of a file");
            b.put(path, Kind::Dir);
        }
        3 => {
            b.has("dangling link");
            b.link(path, "gone.md");
        }
        4 => {
            b.has("looping link");
            let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
            b.link(path, name);
        }
        kind @ (5 | 6) => {
            let (to, feature) = if kind == 5 {
                (format!("{inside}/real{}.md", b.random.below(90)), "file linked inside")
            } else {
                (format!("out/real{}.md", b.random.below(90)), "file linked outside")
            };
            b.has(feature);
            let text = markdown::text(b, frame, &to, Scope::Shared, 1);
            b.file(&to, text);
            b.link(path, relative(folder, &to));
        }
        _ => {
            // The file first, so that what it imports can't take its place.
            b.file(path, "");
            let text = markdown::text(b, frame, path, Scope::Shared, 0);
            b.rewrite(path, text);
        }
    }
}

fn misnamed(b: &mut Builder, frame: &Frame) {
    const NAMES: &[&str] = &[
        "claude.md",
        "Claude.md",
        "CLAUDE.MD",
        "agents.md",
        "AGENTS.override.md",
        "AGENTS.local.md",
        ".claude/CLAUDE.local.md",
        "CLAUDE.md.bak",
        "GEMINI.md",
    ];
    if b.maybe(25, "misnamed file") {
        let name = *b.random.pick(NAMES);
        let mark = b.mark();
        b.file(&join(&frame.cwd, name), format!("never {mark}\n"));
    }
}
