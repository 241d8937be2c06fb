//! Memory, extensions, skills and agents.

use serde_json::json;

use super::{FOLDERS, Plan, texts};
use crate::trees::{Builder, Kind, join};

/// Front matter of skills: `N` is the name, `D` the description.
const SKILLS: &[&str] = &[
    "---\nname: N\ndescription: D\n---\nBody",
    "---\nname: N\ndescription: D\n---\nBody",
    "---\nname: N\ndescription: D\n---\nBody",
    "---\nname: \"N\"\ndescription: 'D''s'\nlicense: MIT\n---\n",
    "---\nname: N\ndescription: |\n  D\n  more\n---\n",
    "---\nname: N\ndescription: >\n  D\n  more\n---\n",
    "---\nname: N\ndescription: use when: D: now\n  and more\nother: 1\n---\n",
    "---\nname: N # c\ndescription: D # c\n---\n",
    "---\nname: N\ndescription:\n---\n",
    "---\nname: N\ndescription: [D\n---\n",
    "---\nname: N:a/b*\ndescription: D <b> & \"q\"\n---\n",
    "---\r\nname: N\r\ndescription: D\r\n---\r\nBody",
    "---\nname: N\ndescription: D\n----\n",
    "---\nname: N\ndescription: D\n---",
    "---\nname: N\nname: N-b\ndescription: D\n---\n",
    "---\nname: N\ndescription: D\ndisable-model-invocation: true\n---\n",
    "---\nname: N\ndescription: \"D\\n\\n\\n\\nmore\"\n---\n",
    "---\nname: N\ndescription: 7 # D\n---\n",
    "---\nname: N\n---\nNo description, D",
    "---\ndescription: D\n---\n",
    "# N\n\nD\n",
    "\n---\nname: N\ndescription: D\n---\n",
    "\u{feff}---\nname: N\ndescription: D\n---\n",
    "---\nname: N\ndescription: D\n",
];

/// Front matter of agents: `N` is the name, `D` the description.
const AGENTS: &[&str] = &[
    "---\nname: N\ndescription: D\n---\nPrompt",
    "---\nname: N\ndescription: D\n---\nPrompt",
    "---\nname: N\ndescription: |\n  D\n  more\n---\n",
    "---\nname: N\ndescription: D\nkind: local\nmax_turns: 3\n---\nPrompt",
    "---\nname: N\ndescription: D\nunknown: 1\n---\n",
    "---\nname: N Spaced\ndescription: D\n---\n",
    "---\nname: generalist\ndescription: D\n---\n",
    "---\nname: N\n---\nD",
    "no front matter, D",
];

/// Puts the project's memory, in a folder named by the session's.
pub(super) fn memory(b: &mut Builder, plan: &Plan) {
    if !b.maybe(40, "memory") {
        return;
    }
    let cwd = plan.cwd().to_owned();
    let slug = slug(cwd.rsplit('/').next().unwrap_or(&cwd));
    let tmp = format!("{}/tmp", plan.own);
    let mut name = slug.clone();
    match b.random.weighted(&[(60, 0), (8, 1), (10, 2), (8, 3), (6, 4), (4, 5)]) {
        1 => {
            b.has("memory: the folder is marked");
            b.file(&format!("{tmp}/{name}/.project_root"), format!("{{root}}/{cwd}"));
        }
        2 => {
            b.has("memory: the name is taken");
            b.file(&format!("{tmp}/{name}/.project_root"), "/elsewhere");
            index(b, &format!("{tmp}/{name}/memory"));
            name = format!("{slug}-1");
        }
        3 => {
            b.has("memory: a name in the registry");
            let registry = json!({"projects": {format!("{{root}}/{cwd}"): "weird"}});
            b.file(&format!("{}/projects.json", plan.own), registry.to_string());
            index(b, &format!("{tmp}/{name}/memory"));
            name = "weird".to_owned();
        }
        4 => {
            b.has("memory: found by its mark");
            b.file(&format!("{}/history/zz/.project_root", plan.own), format!("{{root}}/{cwd}\n"));
            name = "zz".to_owned();
        }
        5 => {
            b.has("memory: a broken registry");
            b.file(&format!("{}/projects.json", plan.own), "{nope");
        }
        _ => {}
    }
    index(b, &format!("{tmp}/{name}/memory"));
}

fn index(b: &mut Builder, folder: &str) {
    let path = format!("{folder}/MEMORY.md");
    if b.random.chance(85) {
        let text = texts::text(b, &path, 0);
        match b.random.weighted(&[(90, 0), (5, 1), (5, 2)]) {
            0 => b.file(&path, text),
            1 => b.file(&path, " \n"),
            _ => b.put(&path, Kind::Dir),
        };
    }
    if b.maybe(25, "memory: an older name") {
        let text = texts::text(b, &format!("{folder}/GEMINI.md"), 1);
        b.file(&format!("{folder}/GEMINI.md"), text);
    }
    if b.random.chance(30) {
        let text = texts::plain(b);
        b.file(&format!("{folder}/topic.md"), text);
    }
}

/// Returns the client's name for the folder of a project that is called so.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "project".to_owned() } else { slug.to_owned() }
}

/// Puts extensions with context files, skills and agents.
pub(super) fn extensions(b: &mut Builder, plan: &Plan) {
    if !b.maybe(18, "extensions") {
        return;
    }
    for name in ["zeta", "alpha", "B9"] {
        if !b.random.chance(55) {
            continue;
        }
        let folder = format!("{}/extensions/{name}", plan.own);
        let config = match b.random.below(10) {
            0 => json!({"name": name, "version": "1", "contextFileName": "C.md"}),
            1 => json!({"name": name, "version": "1",
                "contextFileName": ["z.md", "d/A.md", "GEMINI.md", "none.md", "../GEMINI.md"]}),
            2 => json!({"name": name}),
            3 => json!({"name": name, "version": "1", "contextFileName": []}),
            4 => json!({"name": name, "version": "1", "contextFileName": ""}),
            5 => json!({"name": format!("{name} x"), "version": "1"}),
            _ => json!({"name": format!("{name}-x"), "version": "1"}),
        };
        let config = config.to_string();
        let commented = b.random.chance(6);
        let config = if commented { format!("{config} // c") } else { config };
        b.file(&format!("{folder}/gemini-extension.json"), config);
        for file in ["GEMINI.md", "C.md", "z.md", "d/A.md"] {
            if b.random.chance(60) {
                let path = format!("{folder}/{file}");
                let text = texts::text(b, &path, 1);
                b.file(&path, text);
            }
        }
        if b.maybe(30, "extensions: a skill") {
            own_skill(b, &format!("{folder}/skills/e"));
        }
        if b.maybe(20, "extensions: an agent") {
            agent(b, &format!("{folder}/agents/e.md"));
        }
    }
    if b.maybe(20, "extensions: one is off") {
        let rules = json!({"alpha-x": {"overrides": ["!{root}/*"]}}).to_string();
        b.file(&format!("{}/extensions/extension-enablement.json", plan.own), rules);
    }
}

/// Puts skills in every place, those that aren't read too.
pub(super) fn skills(b: &mut Builder, plan: &Plan) {
    if !b.maybe(35, "skills") {
        return;
    }
    let cwd = plan.cwd().to_owned();
    let above = b.random.pick(&plan.folders).clone();
    let places = [
        (60, format!("{}/skills", plan.own)),
        (30, format!("{}/.agents/skills", plan.home)),
        (60, join(&cwd, ".gemini/skills")),
        (30, join(&cwd, ".agents/skills")),
        (10, join(&above, ".gemini/skills")),
        (8, join(&cwd, ".claude/skills")),
    ];
    for (percent, place) in places {
        if !b.random.chance(percent) {
            continue;
        }
        if b.maybe(8, "skills: a linked folder") {
            let number = b.number();
            own_skill(b, &format!("out/sk{number}"));
            b.link(&format!("{place}/linked"), format!("{{root}}/out/sk{number}"));
            continue;
        }
        if b.maybe(45, "skills: a name in several places") {
            shared_skill(b, &format!("{place}/shared"));
        }
        for _ in 0..=b.random.below(3) {
            let folder = *b.random.pick(&["alpha", "Beta", "zeta", "1", ".hid", "node_modules"]);
            own_skill(b, &format!("{place}/{folder}"));
        }
        if b.maybe(10, "skills: one without a folder") {
            own_skill(b, &place);
        }
        if b.maybe(8, "skills: one too deep") {
            own_skill(b, &format!("{place}/x/y"));
        }
    }
}

/// Puts a skill of a name that others have too, but for those of the same place: which of them wins
/// is a matter of time.
fn shared_skill(b: &mut Builder, folder: &str) {
    skill(b, folder, "sk1");
}

/// Puts a skill of a name of its own.
fn own_skill(b: &mut Builder, folder: &str) {
    let name = format!("sk{}", b.number());
    skill(b, folder, &name);
}

fn skill(b: &mut Builder, folder: &str, name: &str) {
    let mark = b.mark();
    let text = b.random.pick(SKILLS).replace('N', name).replace('D', &format!("Does {mark}"));
    b.file(&format!("{folder}/SKILL.md"), text);
}

/// Puts agents. The project's aren't known until somebody agrees to them.
pub(super) fn agents(b: &mut Builder, plan: &Plan) {
    if !b.maybe(30, "agents") {
        return;
    }
    let cwd = plan.cwd().to_owned();
    for name in ["one", "Two", "_three", "a/four", "five.txt"] {
        if b.random.chance(60) {
            agent(b, &format!("{}/agents/{name}.md", plan.own));
        }
    }
    if b.maybe(40, "agents: the project's") {
        agent(b, &join(&cwd, ".gemini/agents/p.md"));
    }
    if b.maybe(10, "commands") {
        let text = texts::plain(b);
        let command = format!("description = \"{}\"\nprompt = \"x\"\n", text.trim());
        b.file(&format!("{}/commands/{}.toml", plan.own, FOLDERS[0]), command);
    }
}

fn agent(b: &mut Builder, path: &str) {
    let number = b.number();
    let mark = b.mark();
    let text = b.random.pick(AGENTS).replace('N', &format!("ag{number}"));
    b.file(path, text.replace('D', &format!("Does {mark}")));
}
