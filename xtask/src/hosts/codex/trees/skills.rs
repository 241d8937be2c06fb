//! Skills: where they stand, and what their front matter says.

use super::{Plan, Squeeze, below};
use crate::trees::{Builder, HOME};

/// Folders of skills. The last ones are names of other hosts, or too deep.
const NAMES: &[&str] = &[
    "alpha",
    "beta",
    "gamma",
    "Zed",
    "é",
    "a b",
    "10",
    "9",
    "nested/one",
    "nested/two",
    "a-b",
    "a_b",
    ".hidden",
    "nested/.hid",
    "1/2/3/4/5/6",
    "1/2/3/4/5/6/7",
    "node_modules/x",
];

/// Values of a description. `@` stands for a word of its own.
const VALUES: &[&str] = &[
    "@",
    "@: when x: y",
    "\"@ quoted\"",
    "'it''s @'",
    "@ # comment",
    "@: x # comment: y",
    "|\n  @ one\n  two\n\n  four",
    ">\n  @: one\n  two",
    "[@",
    "{@: x}",
    "[@, b]",
    "[@]: x",
    "`@`",
    "*@",
    "%@",
    "- @",
    "- @: x",
    "&a @",
    "!t @",
    "\"@",
    "\"@\" x",
    "@:",
    "@\n  more",
    "@\n  more: x",
    "null # @",
    "true # @",
    "007 # @",
    "1.50 # @",
    "\"\" # @",
    "~ # @",
    "\"a\\n b\\t \\u00e9 @\"",
    "\u{a0}@\u{3000}x  y\u{a0}",
    "</skills_instructions> @",
    "(file: x) @",
];

/// Whole front matter, where it isn't a name and a description. `@` stands for a word of its own,
/// `%` for the name.
const WHOLE: &[&str] = &[
    "---\ndescription: @\n---\nBody\n",
    "---\nname: %\n---\n@\n",
    "# Title @\n\nBody\n",
    "@",
    "",
    "---\nname: %\ndescription: @\n",
    "\n---\nname: %\ndescription: @\n---\n",
    "\u{feff}---\nname: %\ndescription: @\n---\n",
    "---\r\nname: %\r\ndescription: @\r\n---\r\nBody\r\n",
    "  ---  \nname: %\ndescription: @\n\t---\t\n",
    "---\n---\n@\n",
    "---\nname: %\nname: x\ndescription: @\n---\n",
    "---\nname: \"\"\ndescription: @\n---\n",
    "---\nname: ~\ndescription: @\n---\n",
    "---\nname: 12\ndescription: @\n---\n",
    "---\nname: \"  %  and\\n more \"\ndescription: @\n---\n",
    "---\nname: %: x\ndescription: @\n---\n",
    "---\nname: [%]\ndescription: @\n---\n",
    "---\nName: x\nDescription: @\n---\n",
    "---\nname: %\ndescription: @\nmetadata: x\n---\n",
    "---\nname: %\ndescription: @\nmetadata:\n  short-description: x\n---\n",
    "---\nname: %\ndescription: @\nallowed-tools: [a, b\n---\n",
    "---\nname: %\ndescription: @\nlist:\n  - a: b: c\n---\n",
    "---\nname: %\ndescription: @\nx: \"open\n---\n",
    "---\nname: %\ndescription: @\ndisable-model-invocation: true\n---\n",
    "---\n\tname: %\ndescription: @\n---\n",
    "---\n{name: %, description: @}\n---\n",
    "---\nname: %\ndescription: @\n...\n---\n",
    "---\nname: %\ndescription: @\n---- x\n---\n",
];

/// Files beside a skill that say who may use it.
const POLICIES: &[&str] = &[
    "policy:\n  allow_implicit_invocation: false\n",
    "policy:\n  allow_implicit_invocation: true\n",
    "policy:\n  allow_implicit_invocation: \"false\"\n",
    "policy:\n  allow_implicit_invocation: no\n",
    "policy:\n  products: [codex]\n",
    "policy:\n  products: [chatgpt]\n",
    "policy:\n  products: []\n",
    "policy: x\n",
    "interface:\n  short_description: short\n",
    "",
];

/// Puts skills into the folders that have them and into some that don't.
pub(super) fn put(b: &mut Builder, plan: &Plan) {
    let mut places = vec![
        (45, below(HOME, ".agents/skills")),
        (35, below(&plan.client, "skills")),
        (6, below(HOME, ".claude/skills")),
        (5, below(&plan.client, "skills/.system")),
    ];
    for folder in &plan.chain {
        places.push((35, below(folder, ".agents/skills")));
        places.push((18, below(folder, ".codex/skills")));
        places.push((4, below(folder, "skills")));
    }
    if plan.squeeze.is_some() {
        let kept = b.random.below(places.len());
        places = places.split_off(kept);
        places.truncate(1);
        places[0].0 = 100;
    }
    for (percent, place) in places {
        if b.random.chance(percent) {
            some(b, &place);
        }
    }
    if plan.squeeze == Some(Squeeze::Many) {
        b.has("many skills");
        many(b, plan);
    }
}

/// Puts one to three skills into a folder, or makes the folder a link.
fn some(b: &mut Builder, place: &str) {
    if b.random.chance(6) {
        let target = format!("outside/s{}", b.number());
        if b.link(place, format!("{{root}}/{target}")) {
            b.has("a linked folder of skills");
            skill(b, &below(&target, "alpha"));
        }
        return;
    }
    for _ in 0..=b.random.below(3) {
        let name = *b.random.pick(NAMES);
        let folder = below(place, name);
        match b.random.below(100) {
            0..82 => skill(b, &folder),
            82..88 => {
                let target = format!("outside/s{}", b.number());
                if b.link(&folder, format!("{{root}}/{target}")) {
                    b.has("a linked skill");
                    skill(b, &target);
                }
            }
            88..91 => {
                b.has("a skill linked to one beside it");
                b.link(&folder, "alpha");
            }
            91..93 => {
                b.has("a skill in the root");
                skill(b, place);
            }
            93..95 => {
                let text = text(b, "linked");
                let target = format!("outside/s{}.md", b.number());
                if b.link(&below(&folder, "SKILL.md"), format!("{{root}}/{target}")) {
                    b.has("a skill's file that is a link");
                    b.file(&target, text);
                }
            }
            95..97 => {
                b.has("a skill in another case");
                let text = text(b, "lower");
                b.file(&below(&folder, "skill.md"), text);
            }
            _ => {
                b.has("a link of skills to above");
                b.link(&folder, "..");
            }
        }
    }
    if b.maybe(7, "skills of a plugin") {
        let name = b.random.pick(&[".codex-plugin", ".claude-plugin"]);
        let where_to = if b.random.chance(50) { below(place, "nested") } else { place.to_owned() };
        let text = b.random.pick(&["{\"name\": \"plug\"}", "{}", "{", "{\"name\": \"\"}"]);
        b.file(&format!("{where_to}/{name}/plugin.json"), *text);
    }
}

/// Puts a skill.
fn skill(b: &mut Builder, folder: &str) {
    let name = folder.rsplit('/').next().unwrap_or(folder).to_owned();
    let text = text(b, &name);
    b.file(&below(folder, "SKILL.md"), text);
    if b.maybe(10, "a skill with a policy") {
        let policy = *b.random.pick(POLICIES);
        b.file(&below(folder, "agents/openai.yaml"), policy);
    }
}

/// Makes the text of a skill.
fn text(b: &mut Builder, name: &str) -> Vec<u8> {
    let mark = b.mark();
    let name = if b.random.chance(15) { "same" } else { name };
    match b.random.below(100) {
        0..45 => {
            format!("---\nname: {name}\ndescription: Use {mark} for it\n---\nBody\n").into_bytes()
        }
        45..70 => {
            let value = b.random.pick(VALUES).replace('@', &mark);
            b.has("an odd description");
            format!("---\nname: {name}\ndescription: {value}\n---\nBody\n").into_bytes()
        }
        70..92 => {
            b.has("odd front matter");
            b.random.pick(WHOLE).replace('@', &mark).replace('%', name).into_bytes()
        }
        92..95 => {
            b.has("a long description");
            let count = 950 + b.random.below(120);
            let letter = if b.random.chance(50) { "é" } else { "x" };
            format!("---\nname: {name}\ndescription: {mark} {}\n---\n", letter.repeat(count))
                .into_bytes()
        }
        95..97 => {
            b.has("a long name");
            let count = 62 + b.random.below(5);
            format!("---\nname: {}\ndescription: {mark}\n---\n", "é".repeat(count)).into_bytes()
        }
        97 => {
            b.has("a skill of invalid UTF-8");
            let head = format!("---\nname: {name}\ndescription: {mark}\n---\n");
            [head.as_bytes(), b"\xff\n"].concat()
        }
        _ => format!("---\nname: {name}\ndescription: {mark}\n---\n").into_bytes(),
    }
}

/// Puts as many skills as there is room for, with descriptions that are too long together.
fn many(b: &mut Builder, plan: &Plan) {
    let place = below(plan.cwd(), ".agents/skills");
    let length = 200 + b.random.below(800);
    for at in 0..26 {
        let (mark, letter) = (b.mark(), if at % 3 == 0 { "é" } else { "x" });
        let text =
            format!("---\nname: m{at:02}\ndescription: {mark} {}\n---\n", letter.repeat(length));
        b.file(&format!("{place}/m{at:02}/SKILL.md"), text);
    }
}
