//! Skills, commands and agents, of which only names and descriptions reach the model at start.

use super::{
    builder::{Builder, join, parent},
    frame::Frame,
};

/// Front matter and body of skills and commands; `{}` stands for a word of its own.
const SKILLS: &[(&str, &str)] = &[
    ("skill with a description", "---\nname: {n}\ndescription: {} does it\n---\nbody\n"),
    ("skill with a description", "---\ndescription: \"{} & <b>\"\n---\nbody\n"),
    ("skill with when_to_use", "---\ndescription: {}\nwhen_to_use: for {} things\n---\nbody\n"),
    ("skill with paths", "---\ndescription: {}\npaths: src/**\n---\nbody\n"),
    ("skill with paths", "---\ndescription: {}\npaths: \"**\"\n---\nbody\n"),
    (
        "skill hidden from the model",
        "---\ndescription: {}\ndisable-model-invocation: true\n---\nbody\n",
    ),
    (
        "skill hidden from the model",
        "---\ndescription: {}\ndisable-model-invocation: \"true\"\n---\nb\n",
    ),
    ("skill with odd front matter", "# {} heading\n\nmore\n"),
    ("skill with odd front matter", "---\ndescription: a: b {}\n---\nbody\n"),
    ("skill with odd front matter", "---\ndescription: [x, {}]\n---\n\n  ## first {}\nmore\n"),
    ("skill with odd front matter", "---\ndescription: |\n  one {}\n  two\n---\nbody\n"),
    ("skill with odd front matter", "---\ndescription:\n---\n"),
    ("skill with odd front matter", "---\r\ndescription: {} crlf\r\n---\r\nbody\r\n"),
    ("skill with odd front matter", "\n---\ndescription: {}\n---\nbody\n"),
    ("skill with odd front matter", "---\ndescription: 12\nuser-invocable: false\n---\n{}\n"),
    ("skill with another name", "---\nname: other-{}\ndescription: {}\n---\nbody\n"),
    ("skill with another name", "---\nname: has space\ndescription: {}\n---\nbody\n"),
    ("long description", "{long}"),
    ("long description", "---\ndescription: {}{long}\n---\nbody\n"),
];

const AGENTS: &[(&str, &str)] = &[
    ("agent", "---\nname: {n}\ndescription: {} helper\n---\nbody\n"),
    (
        "agent",
        "---\nname: {n}\ndescription: {} helper\ntools: Read, Grep\nmodel: haiku\n---\nbody\n",
    ),
    ("agent with odd tools", "---\nname: {n}\ndescription: {}\ntools: []\n---\nbody\n"),
    (
        "agent with odd tools",
        "---\nname: {n}\ndescription: {}\ndisallowedTools: Write, Edit\n---\nb\n",
    ),
    (
        "agent with odd tools",
        "---\nname: {n}\ndescription: {}\ntools:\n  - Bash(git:*)\n  - Nope\n---\n",
    ),
    ("agent that is no agent", "---\nname: {n}\n---\n{}\n"),
    ("agent that is no agent", "---\ndescription: {}\n---\nbody\n"),
    ("agent that is no agent", "{} only text\n"),
    (
        "agent with an odd description",
        "---\nname: {n}\ndescription: |\n  one {}\n  two <b>\n---\nbody\n",
    ),
    ("agent with an odd description", "---\nname: {n}\ndescription: \"{}\\\\nmore\"\n---\nbody\n"),
];

pub(crate) fn put(b: &mut Builder, frame: &Frame) {
    if !b.random.chance(72) {
        return;
    }
    let user = frame.config.clone();
    let project = join(&frame.cwd, ".claude");
    let above = join(parent(&frame.cwd), ".claude");
    let below = join(frame.subs.first().unwrap_or(&frame.cwd), ".claude");
    for (percent, dot) in [(60, &user), (60, &project), (12, &above), (10, &below)] {
        if !b.random.chance(percent) {
            continue;
        }
        for _ in 0..b.random.below(3) {
            let name = *b.random.pick(&["alpha", "Beta", "g.a-m_ma", ".hid", "zwei wort"]);
            let text = text(b, SKILLS, name);
            b.file(&format!("{dot}/skills/{name}/SKILL.md"), text);
        }
        if b.maybe(35, "command") {
            let name = *b.random.pick(&["alpha", "cmd", "sub/deep", "README"]);
            let text = text(b, SKILLS, "cmd");
            b.file(&format!("{dot}/commands/{name}.md"), text);
        }
        if b.random.chance(55) {
            let name = *b.random.pick(&["helper", "Explore", "zed"]);
            let text = text(b, AGENTS, name);
            let inner = *b.random.pick(&["", "", "in/"]);
            b.file(&format!("{dot}/agents/{inner}{name}.md"), text);
        }
    }
    if b.maybe(20, "one name in user and project") {
        for dot in [&user, &project] {
            let mark = b.mark();
            b.file(
                &format!("{dot}/skills/same/SKILL.md"),
                format!("---\ndescription: {mark}\n---\n"),
            );
            let mark = b.mark();
            let agent = format!("---\nname: same\ndescription: {mark}\n---\nbody\n");
            b.file(&format!("{dot}/agents/same.md"), agent);
        }
    }
}

fn text(b: &mut Builder, from: &[(&'static str, &str)], name: &str) -> String {
    let &(feature, form) = b.random.pick(from);
    b.has(feature);
    let long = format!("{} ", b.mark()).repeat(10 + b.random.below(120));
    let mark = b.mark();
    form.replace("{n}", name).replace("{long}", long.trim()).replace("{}", &mark)
}
