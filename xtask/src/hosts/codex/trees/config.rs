//! `config.toml`: of the user and of projects.

use super::{MARKERS, Plan, Squeeze, below};
use crate::trees::Builder;

/// Puts the configurations.
pub(super) fn put(b: &mut Builder, plan: &Plan) {
    let user = user(b, plan);
    let place = below(&plan.client, "config.toml");
    if !user.is_empty() {
        let text = match b.random.below(20) {
            0 => format!("\u{feff}{user}"),
            1 => user.replace('\n', "\r\n"),
            _ => user,
        };
        if b.maybe(5, "a linked configuration") {
            if b.link(&place, "{root}/outside/config.toml") {
                b.file("outside/config.toml", text);
            }
        } else {
            b.file(&place, text);
        }
    }
    for folder in &plan.chain {
        let path = below(folder, ".codex/config.toml");
        if path != place && b.maybe(14, "a configuration of a project") {
            // Where a folder may be trusted, the client refuses to start with a bad one.
            let text = if !plan.trusting && b.maybe(20, "a bad configuration of a project") {
                "x = [\n".to_owned()
            } else {
                project(b)
            };
            b.file(&path, text);
        }
    }
}

/// Makes the text of the user's configuration.
fn user(b: &mut Builder, plan: &Plan) -> String {
    let mut keys = Vec::new();
    if b.maybe(40, "a limit") {
        keys.push(limit(b));
    }
    if !plan.fallbacks.is_empty() {
        keys.push(format!("project_doc_fallback_filenames = {}\n", list(&plan.fallbacks)));
    }
    if let Some(markers) = &plan.markers {
        keys.push(format!("project_root_markers = {}\n", list(markers)));
    }
    if b.maybe(6, "unknown keys") {
        keys.push("cw_unknown = 1\n".to_owned());
    }
    if b.random.chance(50) {
        keys.reverse();
    }
    let mut text = keys.concat();
    text.push_str(&trust(b, plan));
    text.push_str(&skills(b, plan));
    if b.maybe(5, "an old profile") {
        text.push_str("[profiles.old]\nproject_doc_max_bytes = 1\n");
    }
    text
}

/// Makes the text of a project's configuration.
fn project(b: &mut Builder) -> String {
    let mut text = String::new();
    if b.random.chance(70) {
        text.push_str(&limit(b));
    }
    if b.random.chance(40) {
        text.push_str("project_doc_fallback_filenames = [\"A.md\", \"CLAUDE.md\"]\n");
    }
    if b.random.chance(30) {
        let marker = *b.random.pick(MARKERS);
        text.push_str(&format!("project_root_markers = {}\n", list(&[marker])));
    }
    if b.random.chance(15) {
        text.push_str("[[skills.config]]\nname = \"alpha\"\nenabled = false\n");
    }
    text
}

/// Makes a limit that often cuts something.
fn limit(b: &mut Builder) -> String {
    let number = match b.random.below(10) {
        0 => "0".to_owned(),
        1 => "9223372036854775807".to_owned(),
        2 => "0x20".to_owned(),
        3 => "1_000".to_owned(),
        _ => (1 + b.random.below(160)).to_string(),
    };
    format!("project_doc_max_bytes = {number}\n")
}

/// Says which folders are trusted and which aren't. A folder is named once, as a key of a table
/// has to be.
fn trust(b: &mut Builder, plan: &Plan) -> String {
    let mut named = Vec::<String>::new();
    let mut text = String::new();
    let distrusting = b.maybe(14, "an untrusted folder");
    for (wanted, level) in [(plan.trusting, "trusted"), (distrusting, "untrusted")] {
        if !wanted {
            continue;
        }
        for _ in 0..=b.random.below(2) {
            let folder = b.random.pick(&plan.chain).clone();
            let path = match b.random.below(12) {
                0 => below(&folder, "sub"),
                1 => "main".to_owned(),
                2 => format!("{folder}/"),
                3 | 4 => plan.cwd().to_owned(),
                _ => folder,
            };
            let path =
                if path.is_empty() { "{root}".to_owned() } else { format!("{{root}}/{path}") };
            if !named.contains(&path) {
                text.push_str(&format!("[projects.\"{path}\"]\ntrust_level = \"{level}\"\n"));
                named.push(path);
            }
        }
    }
    text
}

/// Says which skills are off.
fn skills(b: &mut Builder, plan: &Plan) -> String {
    let mut text = String::new();
    let without = plan.squeeze.is_some() || b.maybe(60, "without the client's own skills");
    let few = plan.squeeze == Some(Squeeze::Few);
    let none = b.maybe(3, "no list of skills");
    if few || none {
        text.push_str("[skills]\n");
    }
    if few {
        b.has("few tokens for skills");
        text.push_str(&format!("max_context_tokens = {}\n", 5 + b.random.below(120)));
    }
    if none {
        text.push_str("include_instructions = false\n");
    }
    if without {
        text.push_str("[skills.bundled]\nenabled = false\n");
    }
    if b.maybe(15, "a skill switched off") {
        for _ in 0..=b.random.below(2) {
            let by = b.random.pick(&[
                "name = \"alpha\"",
                "name = \" beta \"",
                "name = \"imagegen\"",
                "path = \"{root}/home/.agents/skills/alpha/SKILL.md\"",
                "path = \"{root}/home/.agents/skills/beta\"",
                "path = \"skills/alpha/SKILL.md\"",
            ]);
            let enabled = b.random.chance(20);
            text.push_str(&format!("[[skills.config]]\n{by}\nenabled = {enabled}\n"));
        }
    }
    text
}

/// Writes a list of texts as TOML.
fn list(items: &[&str]) -> String {
    let items: Vec<_> = items.iter().map(|item| format!("\"{item}\"")).collect();
    format!("[{}]", items.join(", "))
}
