//! The lists of skills and agents.

use anyhow::{Context as _, Result};
use serde_json::Value;

/// Skills and commands the clients bring along, of both versions.
const BUILT_IN_SKILLS: &[&str] = &[
    "claude-api",
    "code-review",
    "dataviz",
    "deep-research",
    "fewer-permission-prompts",
    "init",
    "keybindings-help",
    "loop",
    "plugin-authoring",
    "review",
    "run",
    "security-review",
    "simplify",
    "update-config",
    "verify",
    "workflow-authoring",
];

/// Agents the clients bring along, and how their lines go on: an own agent may have the name.
const BUILT_IN_AGENTS: &[(&str, &str)] = &[
    ("claude", "Catch-all for"),
    ("Explore", "Read-only search agent"),
    ("general-purpose", "General-purpose agent"),
    ("Plan", "Software architect"),
    ("statusline-setup", "Use this agent to configure"),
];

/// Returns the own lines of the skill list at start.
pub(super) fn skills(group: &[Value]) -> Result<Vec<String>> {
    let record = group.iter().find(|it| it["type"] == "skill_listing");
    let all = lines(record.context("the transcript has no list of skills")?)?;
    Ok(all.into_iter().filter(|(name, _)| !is_built_in(name)).map(|(_, line)| line).collect())
}

/// Returns the lines of the lists of skills after a touch, which are all own.
pub(super) fn later_skills(group: &[Value]) -> Result<Vec<String>> {
    let lists = group.iter().filter(|it| it["type"] == "skill_listing");
    let all = lists.map(lines).collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().flatten().map(|(_, line)| line).collect())
}

/// Returns the names and lines of one list of skills.
fn lines(record: &Value) -> Result<Vec<(String, String)>> {
    let content = record["content"].as_str().context("a list of skills has no content")?;
    let names = strings(&record["names"]);
    let mut starts = Vec::new();
    let mut from = 0;
    for name in &names {
        let at = entry(content, from, name)
            .with_context(|| format!("the list of skills has no line for `{name}`"))?;
        starts.push(at);
        from = at + 1;
    }
    let ends = starts.iter().skip(1).map(|at| at - 1).chain([content.len()]);
    let entries = starts.iter().zip(ends).map(|(&from, to)| content[from..to].to_owned());
    Ok(names.iter().cloned().zip(entries).collect())
}

/// Returns where the entry of a skill begins, at or after `from`.
fn entry(content: &str, from: usize, name: &str) -> Option<usize> {
    let start = format!("- {name}");
    let mut at = from;
    loop {
        at += content.get(at..)?.find(&start)?;
        let after = &content[at + start.len()..];
        let begins = at == 0 || content.as_bytes()[at - 1] == b'\n';
        let ends = after.is_empty() || [":", "\n", " ("].iter().any(|it| after.starts_with(it));
        if begins && ends {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns the own lines of the agent list at start.
pub(super) fn agents(group: &[Value]) -> Result<Vec<String>> {
    let record = group.iter().find(|it| it["type"] == "agent_listing_delta");
    let record = record.context("the transcript has no list of agents")?;
    let is_own = |line: &String| {
        !BUILT_IN_AGENTS.iter().any(|(name, text)| line.starts_with(&format!("- {name}: {text}")))
    };
    Ok(strings(&record["addedLines"]).into_iter().filter(is_own).collect())
}

fn is_built_in(name: &str) -> bool {
    BUILT_IN_SKILLS.contains(&name)
}

fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}
