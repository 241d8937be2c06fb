//! Skills and agents.

use super::{Frame, at};
use crate::{
    hosts::opencode::texts,
    trees::{Builder, HOME, Kind},
};

/// Puts skills and agents of the user and of the folders above the session.
pub(super) fn put(b: &mut Builder, frame: &Frame) {
    if b.maybe(4, "link loop in place of a folder with skills") {
        let level = b.random.pick(&frame.levels).clone();
        let name = *b.random.pick(&[".claude", ".agents"]);
        b.link(&at(&level, name), name);
    }
    for _ in 0..b.random.weighted(&[(45, 0), (20, 1), (20, 2), (15, 4)]) {
        skill(b, frame);
    }
    for _ in 0..b.random.weighted(&[(60, 0), (20, 1), (20, 3)]) {
        agent(b, frame);
    }
}

/// Returns a folder of the client's own kind: of the user, of the project or named.
fn own_folder(b: &mut Builder, frame: &Frame) -> String {
    let level = b.random.pick(&frame.levels).clone();
    match b.random.weighted(&[(55, 0), (20, 1), (10, 2), (15, 3)]) {
        0 => at(&level, ".opencode"),
        1 => frame.config.clone(),
        2 => at(HOME, ".opencode"),
        _ => frame.config_dir.clone().unwrap_or_else(|| at(&frame.cwd, ".opencode")),
    }
}

fn skill(b: &mut Builder, frame: &Frame) {
    let level = b.random.pick(&frame.levels).clone();
    let number = b.number();
    let first = *b.random.pick(&["a", "b", "m", "z", "B", "Z"]);
    // Nothing but letters and digits, and one number each: the order is that of any collation.
    let name = format!("{first}skill{number}");
    let within = match b.random.weighted(&[(70, 0), (12, 1), (8, 2), (5, 3), (5, 4)]) {
        0 => format!("{name}/SKILL.md"),
        1 => format!("group/{name}/SKILL.md"),
        2 => format!(".hidden/{name}/SKILL.md"),
        3 => format!("{name}/skill.md"),
        _ => "SKILL.md".to_owned(),
    };
    let folder =
        match b.random.weighted(&[(26, 0), (18, 1), (8, 2), (8, 3), (14, 4), (18, 5), (8, 6)]) {
            0 => at(&level, ".claude/skills"),
            1 => at(&level, ".agents/skills"),
            2 => at(HOME, ".claude/skills"),
            3 => at(HOME, ".agents/skills"),
            4 => at(&own_folder(b, frame), "skill"),
            5 => at(&own_folder(b, frame), "skills"),
            _ => {
                b.has("skill where none is looked for");
                let nowhere = *b.random.pick(&["skills", ".claude/skill", ".codex/skills"]);
                at(&level, nowhere)
            }
        };
    b.has("skill");
    let path = at(&folder, &within);
    match b.random.weighted(&[(88, 0), (4, 1), (4, 2), (4, 3)]) {
        0 => {
            let text = texts::skill(b, &name);
            b.file(&path, text);
        }
        1 => {
            b.has("linked skill file");
            let text = texts::skill(b, &name);
            let target = format!("outside/{name}.md");
            b.file(&target, text);
            b.link(&path, format!("{{root}}/{target}"));
        }
        2 => {
            b.has("linked skill folder");
            let text = texts::skill(b, &name);
            b.file(&format!("outside/{name}/SKILL.md"), text);
            b.link(&at(&folder, &name), format!("{{root}}/outside/{name}"));
        }
        _ => {
            b.has("folder in place of a skill file");
            b.put(&path, Kind::Dir);
        }
    }
}

fn agent(b: &mut Builder, frame: &Frame) {
    let number = b.number();
    let first = *b.random.pick(&["a", "f", "h", "z", "Z"]);
    let name = format!("{first}agent{number}");
    let folder = own_folder(b, frame);
    let within = match b.random.weighted(&[(40, 0), (30, 1), (10, 2), (10, 3), (10, 4)]) {
        0 => format!("agent/{name}.md"),
        1 => format!("agents/{name}.md"),
        2 => format!("agents/{first}group/{name}.md"),
        3 => format!("mode/{name}.md"),
        _ => format!("agents/{name}.txt"),
    };
    b.has("agent");
    if b.maybe(8, "agent of another host") {
        let level = b.random.pick(&frame.levels).clone();
        let mark = b.mark();
        let text = format!("---\nname: {name}\ndescription: {mark}\ntools: Read\n---\n");
        b.file(&at(&level, &format!(".claude/agents/{name}.md")), text);
        return;
    }
    let text = texts::agent(b);
    b.file(&at(&folder, &within), text);
}
