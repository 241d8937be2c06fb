//! What a session sent, read from its requests and from the events it printed.
//!
//! The client names the files it added to a result of `read` in its events, so these are known. At
//! start there is no such list: there the text is cut at the lines that name a file below the root,
//! which no text of a tree holds. Either way every text has to be that of the file on disk as the
//! client decodes it, or nothing is answered.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::answer::{Answer, Sent, portable};

/// The line before the text of a file begins with it.
const HEAD: &str = "Instructions from: ";
/// What stands before the list of skills.
const SKILLS: &str = "\nSkills provide specialized instructions and workflows for specific tasks.\n\
                      Use the skill tool to load a skill when a task matches its description.\n";
/// What is listed when there are no skills.
const NO_SKILLS: &str = "No skills are currently available.";
/// What stands before the list of agents.
const AGENTS: &str = "\nAvailable agent types and the tools they have access to:\n";
/// The beginnings of the lines of the client's own agents.
const OWN_AGENTS: &[&str] = &["explore: Fast agent", "general: General-purpose agent"];
/// The place of a skill of the client's own.
const BUILT_IN: &str = "<location>&lt;built-in&gt;</location>";

/// What an answer is read from.
pub(super) struct Source<'a> {
    /// The absolute root of the tree.
    pub(super) root: &'a str,
    /// The bodies of the message requests, in order.
    pub(super) bodies: &'a [Value],
    /// The events the client printed.
    pub(super) events: &'a [Value],
    /// Returns the bytes of a file.
    pub(super) on_disk: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// Reads the answer of a session with this many touches.
///
/// # Errors
/// When something is missing or unexpected.
pub(super) fn answer(source: &Source<'_>, version: &str, touches: usize) -> Result<Answer> {
    // The request for a title has no tools.
    let has_tools = |body: &&Value| body["tools"].as_array().is_some_and(|it| !it.is_empty());
    let bodies: Vec<_> = source.bodies.iter().filter(has_tools).collect();
    ensure!(bodies.len() == touches + 1, "{} requests instead of {}", bodies.len(), touches + 1);
    let mut answer = Answer { version: version.to_owned(), ..Answer::default() };
    let (files, skills) = system(bodies[0], source.root)?;
    for body in &bodies[1..] {
        let (now, listed) = system(body, source.root)?;
        let paths = |files: &[Raw]| files.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
        ensure!(
            now == files && listed == skills,
            "what is sent at start changed within the session: {:?} and {:?}",
            paths(&files),
            paths(&now)
        );
    }
    for (path, text) in files {
        check(source, &path, &text)?;
        answer.start.push(Sent::new(source.root, &path, "", &text));
    }
    let last = bodies.last().context("the client sent no request")?;
    answer.skills = skills.iter().map(|it| portable(source.root, it)).collect();
    answer.agents = agents(last)?.iter().map(|it| portable(source.root, it)).collect();
    answer.touches = touched(source, last, touches)?;
    Ok(answer)
}

/// A path and the text that was sent for it.
type Raw = (String, String);

/// Returns the files and the entries of the list of skills in the system prompt.
fn system(body: &Value, root: &str) -> Result<(Vec<Raw>, Vec<String>)> {
    let blocks = body["system"].as_array().context("a request has no system prompt")?;
    ensure!(blocks.len() == 1, "{} system prompts", blocks.len());
    let text = blocks[0]["text"].as_str().context("a system prompt has no text")?;
    let (_, text) = text.split_once("\n<env>\n").context("a system prompt has no environment")?;
    let (_, text) = text.split_once("\n</env>").context("an environment has no end")?;
    let (text, skills) = match text.rsplit_once(SKILLS) {
        Some((before, list)) => (before, skills(list)?),
        None => (text, Vec::new()),
    };
    Ok((sections(text, root)?, skills))
}

/// Cuts a text at the lines that name a file below the root.
fn sections(text: &str, root: &str) -> Result<Vec<Raw>> {
    let head = format!("\n{HEAD}{root}/");
    let mut parts = text.split(&head);
    let before = parts.next().unwrap_or_default();
    ensure!(before.is_empty(), "unexpected text before the first file: {before:?}");
    let file = |part: &str| -> Result<Raw> {
        let (path, text) = part.split_once('\n').context("a file has no text")?;
        Ok((format!("{root}/{path}"), text.to_owned()))
    };
    parts.map(file).collect()
}

/// Returns the entries of the list of skills, without the client's own.
fn skills(list: &str) -> Result<Vec<String>> {
    if list == NO_SKILLS {
        return Ok(Vec::new());
    }
    let list = list.strip_prefix("<available_skills>\n");
    let list = list.and_then(|it| it.strip_suffix("\n</available_skills>"));
    let list = list.context("the list of skills has another frame")?;
    let list = list.strip_prefix("  <skill>\n").and_then(|it| it.strip_suffix("\n  </skill>"));
    let list = list.context("the list of skills has another form")?;
    let all = list.split("\n  </skill>\n  <skill>\n");
    Ok(all.filter(|it| !it.contains(BUILT_IN)).map(str::to_owned).collect())
}

/// Returns the lines of the list of agents, without the client's own.
fn agents(body: &Value) -> Result<Vec<String>> {
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    // Without a permission for any agent there is no such tool.
    let Some(task) = tools.iter().find(|tool| tool["name"] == "task") else {
        return Ok(Vec::new());
    };
    let text = task["description"].as_str().context("the tool `task` has no description")?;
    let (_, list) = text.rsplit_once(AGENTS).context("the tool `task` lists no agents")?;
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let list = list.strip_prefix("- ").context("the list of agents has another form")?;
    let is_own = |line: &&str| OWN_AGENTS.iter().any(|own| line.starts_with(own));
    Ok(list.split("\n- ").filter(|line| !is_own(line)).map(str::to_owned).collect())
}

/// Returns the files that were added to the result of each touch.
fn touched(source: &Source<'_>, body: &Value, touches: usize) -> Result<Vec<Vec<Sent>>> {
    let results = results(body)?;
    let reads: Vec<_> = source.events.iter().filter(|event| event["type"] == "tool_use").collect();
    ensure!(
        results.len() == touches && reads.len() == touches,
        "{} results and {} events of {touches} reads",
        results.len(),
        reads.len()
    );
    results.iter().zip(reads).map(|(text, event)| added(source, text, event)).collect()
}

/// Returns the files that were added to one result: those the event names, and no others.
fn added(source: &Source<'_>, text: &str, event: &Value) -> Result<Vec<Sent>> {
    ensure!(event["part"]["tool"] == "read", "another tool than `read` was used");
    let named = event["part"]["state"]["metadata"]["loaded"].as_array();
    let mut files = Vec::new();
    let mut entries = Vec::new();
    for path in named.map(Vec::as_slice).unwrap_or_default() {
        let path = path.as_str().context("an added file has no path")?;
        let body = decoded(source, path)?;
        entries.push(format!("{HEAD}{path}\n{body}"));
        files.push(Sent::new(source.root, path, "", &body));
    }
    let tail = format!("\n\n<system-reminder>\n{}\n</system-reminder>", entries.join("\n\n"));
    let rest = if files.is_empty() { Some(text) } else { text.strip_suffix(&tail) };
    let rest = rest.context("a result and the event of its tool differ in what was added")?;
    ensure!(
        !rest.contains(&format!("{HEAD}{}/", source.root)),
        "a result holds more files than the event of its tool"
    );
    Ok(files)
}

/// Returns the texts of all tool results.
fn results(body: &Value) -> Result<Vec<String>> {
    let messages = body["messages"].as_array().context("a request has no messages")?;
    let blocks = messages.iter().filter_map(|it| it["content"].as_array()).flatten();
    let text = |block: &Value| -> Result<String> {
        match &block["content"] {
            Value::String(text) => Ok(text.clone()),
            Value::Array(parts) => {
                let texts = parts.iter().map(|part| part["text"].as_str());
                texts.collect::<Option<String>>().context("a result holds more than text")
            }
            _ => Ok(String::new()),
        }
    };
    blocks.filter(|block| block["type"] == "tool_result").map(text).collect()
}

fn check(source: &Source<'_>, path: &str, text: &str) -> Result<()> {
    ensure!(decoded(source, path)? == text, "`{path}` was sent with another text than it has");
    Ok(())
}

/// Returns the text of a file as the client decodes it.
fn decoded(source: &Source<'_>, path: &str) -> Result<String> {
    let bytes =
        (source.on_disk)(path).with_context(|| format!("`{path}` was sent but isn't there"))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}
