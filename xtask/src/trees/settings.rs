//! Settings files and the client's own state file.

use super::{
    HOME,
    builder::{Builder, join},
    frame::Frame,
};

/// Globs for `claudeMdExcludes`, as JSON strings.
const EXCLUDES: &[&str] = &[
    "\"**/CLAUDE.md\"",
    "\"**/CLAUDE.local.md\"",
    "\"**/AGENTS.md\"",
    "\"**/rules/**\"",
    "\"**/rules/*.md\"",
    "\"**/rules\"",
    "\"**/src/**\"",
    "\"**/n*.md\"",
    "\"**/{a,b,c}.md\"",
    "\"**/@(CLAUDE|AGENTS).md\"",
    "\"**/c?.md\"",
    "\"**/[a-c].md\"",
    "\"{root}/**\"",
    "\"{root}/w/**/CLAUDE.md\"",
    "\"{root}/{cwd}/CLAUDE.md\"",
    "\"{root}/{cwd}/./src/../CLAUDE.md\"",
    "\"{root}//{cwd}/CLAUDE.local.md\"",
    "\"{root}/{cwd}/.claude/**\"",
    "\"{root}/{cwd}/.claude/rules/a.md\"",
    "\"{root}/{cwd}\"",
    "\"{root}/home/**\"",
    "\"{root}/out/*\"",
    "\"!**/CLAUDE.md\"",
    "\"**/!(CLAUDE).md\"",
    "\"**/docs/**\"",
    "\"CLAUDE.md\"",
    "\"*.md\"",
    "\"~/.claude/CLAUDE.md\"",
    "\" **/CLAUDE.md\"",
    "\"**/claude.md\"",
    "\"**\\\\CLAUDE.md\"",
    "\"**/MEMORY.md\"",
    "\"\"",
];

/// Values of `claudeMdExcludes` that make the whole file invalid, and one that is harmless.
const BAD: &[&str] =
    &["\"**/CLAUDE.md\"", "[\"**/CLAUDE.md\", 1]", "null", "{\"a\": true}", "[[\"**\"]]", "[]"];

const MODES: &[&str] = &[
    "\"claude-md-or-agents-md\"",
    "\"claude-md-and-agents-md\"",
    "\"claude-md-and-agents-md\"",
    "\"claude-md-and-agents-md\"",
    "\"claude-md\"",
    "\"managed-only\"",
    "\"something\"",
    "7",
];

const PLUGIN: &str = "cc-plugin-agents-md@builtin";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    User,
    Project,
    Local,
}

pub(crate) fn put(b: &mut Builder, frame: &Frame) {
    if b.random.chance(50) {
        file(b, frame, &join(&frame.config, "settings.json"), Layer::User);
    }
    let dot = join(&frame.cwd, ".claude");
    if b.random.chance(30) {
        file(b, frame, &join(&dot, "settings.json"), Layer::Project);
    }
    if b.random.chance(22) {
        file(b, frame, &join(&dot, "settings.local.json"), Layer::Local);
    }
    if let Some(root) = frame.git_root.as_ref().filter(|root| **root != frame.cwd)
        && b.maybe(45, "settings at the repository root")
    {
        let name = *b.random.pick(&["settings.json", "settings.local.json"]);
        let layer = if name == "settings.json" { Layer::Project } else { Layer::Local };
        file(b, frame, &join(root, &format!(".claude/{name}")), layer);
    }
    approvals(b, frame);
    if b.maybe(12, "switch for auto-memory in the environment") {
        let value = *b.random.pick(&["1", "true", "TRUE", "0", "false", "2", ""]);
        b.env.push(("CLAUDE_CODE_DISABLE_AUTO_MEMORY".to_owned(), value.to_owned()));
    }
}

fn file(b: &mut Builder, frame: &Frame, path: &str, layer: Layer) {
    let mut keys = Vec::new();
    if b.random.chance(50) {
        b.has(match layer {
            Layer::User => "excludes of the user",
            Layer::Project => "excludes of the project",
            Layer::Local => "local excludes",
        });
        let count = 1 + b.random.below(2);
        let list: Vec<&str> = (0..count).map(|_| *b.random.pick(EXCLUDES)).collect();
        keys.push(format!(
            "\"claudeMdExcludes\": [{}]",
            list.join(", ").replace("{cwd}", &frame.cwd)
        ));
    } else if b.maybe(18, "invalid excludes") {
        keys.push(format!("\"claudeMdExcludes\": {}", b.random.pick(BAD)));
    }
    if b.maybe(14, "autoMemoryEnabled") {
        let value = b.random.weighted(&[(60, "false"), (25, "true"), (15, "\"false\"")]);
        keys.push(format!("\"autoMemoryEnabled\": {value}"));
    }
    if b.maybe(14, "autoMemoryDirectory") {
        let to =
            *b.random.pick(&["{root}/am", "{root}/am", "~/am", "am", "./am", "", "{root}/none"]);
        keys.push(format!("\"autoMemoryDirectory\": \"{to}\""));
    }
    let percent = if layer == Layer::User { 40 } else { 20 };
    if b.random.chance(percent) {
        b.has(if layer == Layer::User {
            "mode of AGENTS.md"
        } else {
            "mode of AGENTS.md in the project"
        });
        let mode = *b.random.pick(MODES);
        keys.push(format!(
            "\"pluginConfigs\": {{\"{PLUGIN}\": {{\"options\": {{\"instructionFiles\": {mode}}}}}}}"
        ));
    }
    if b.maybe(10, "plugin switched off") {
        keys.push(format!(
            "\"enabledPlugins\": {{\"{PLUGIN}\": {}}}",
            b.random.pick(&["false", "false", "true"])
        ));
    }
    if b.random.chance(20) {
        keys.push("\"unknownKey\": {\"a\": [1]}".to_owned());
    }
    let text = format!("{{{}}}\n", keys.join(", "));
    let text = match b.random.weighted(&[(86, 0), (10, 1), (4, 2)]) {
        1 => {
            b.has("invalid settings file");
            match b.random.below(5) {
                0 => text.replacen('{', "{\"permissions\": 5, ", 1).replace(", }", "}"),
                1 => text.replace("}\n", ",}\n"),
                2 => format!("// comment\n{text}"),
                3 => "[]".to_owned(),
                _ => text[..text.len() / 2].to_owned(),
            }
        }
        2 => format!("\u{feff}{}", text.replace(", ", ",\r\n ")),
        _ => text,
    };
    b.file(path, text);
}

/// Puts the state file, which says for which projects imports from outside are approved.
fn approvals(b: &mut Builder, frame: &Frame) {
    if !b.random.chance(45) {
        return;
    }
    let root = frame.git_root.as_ref().unwrap_or(&frame.cwd);
    let key = match b.random.weighted(&[(60, 0), (14, 1), (8, 2), (8, 3), (10, 4)]) {
        0 => root.clone(),
        1 => frame.cwd.clone(),
        2 => frame.levels[frame.levels.len() - 2].clone(),
        3 => format!("{root}/"),
        _ => frame.project.clone(),
    };
    b.has(if key == *root { "approval" } else { "approval under a wrong key" });
    let value = b.random.weighted(&[(88, "true"), (6, "false"), (6, "\"true\"")]);
    let text = format!(
        "{{\"projects\": {{\"{{root}}/{key}\": {{\"hasClaudeMdExternalIncludesApproved\": {value}}}}}}}\n"
    );
    if frame.config == format!("{HOME}/.claude") {
        b.file(&format!("{HOME}/.claude.json"), text);
    } else {
        if b.random.chance(70) {
            b.file(&format!("{}/.claude.json", frame.config), text.clone());
        }
        if b.random.chance(50) {
            b.file(&format!("{HOME}/.claude.json"), text);
        }
    }
}
