//! Which of our texts are in the requests of a session.
//!
//! The client frames every file with its path. A frame counts from its head to the first foot of
//! the same path behind which the part ends or the next frame begins, so a text may quote frames of
//! other paths. What doesn't fit is an error.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::stub::results;
use crate::answer::{Answer, Sent, portable};

const HEAD: &str = "--- Context from: ";
const INDEX: &str = "--- Private Project Memory Index (private, not committed to repo) ---\n";
const INDEX_END: &str = "\n--- End Private Project Memory Index ---";
const FOUND: &str = "\n\n--- Newly Discovered Project Context ---\n";
const FOUND_END: &str = "\n--- End Project Context ---";
/// The client's own agents. A later one of such a name is ignored.
const OWN_AGENTS: &[&str] = &["codebase_investigator", "cli_help", "generalist"];

/// Reads what a session sent from the bodies of its requests.
pub(super) fn answer(
    version: &str,
    root: &str,
    bodies: &[Value],
    touches: usize,
) -> Result<Answer> {
    let body = bodies.last().context("the client sent no request")?;
    let system = all_text(&body["systemInstruction"]["parts"])?;
    let first = body["contents"][0]["parts"][0]["text"]
        .as_str()
        .context("the first content has no text")?;
    let mut answer = Answer { version: version.to_owned(), ..Answer::default() };
    answer.start = system_files(&system, root)?;
    answer.start.extend(session_files(first, root)?);
    let results = results(body);
    ensure!(results.len() == touches, "the client read {} of {touches} files", results.len());
    for result in results {
        answer.touches.push(touched(&result["response"], root)?);
    }
    answer.skills = entries(&system, "available_skills", "skill", |entry| {
        let place = between(entry, "    <location>", "</location>\n")?;
        Ok(place.starts_with(&format!("{root}/")))
    })?;
    answer.agents = entries(&system, "available_subagents", "subagent", |entry| {
        let name = between(entry, "    <name>", "</name>\n")?;
        Ok(!OWN_AGENTS.contains(&name))
    })?;
    for line in answer.skills.iter_mut().chain(&mut answer.agents) {
        *line = portable(root, line);
    }
    answer.skills.sort_unstable();
    Ok(answer)
}

fn all_text(parts: &Value) -> Result<String> {
    let parts = parts.as_array().context("there is no system instruction")?;
    parts.iter().map(|part| part["text"].as_str().context("a part isn't a text")).collect()
}

/// Returns the files in the system instruction: the global ones, then the memory.
fn system_files(system: &str, root: &str) -> Result<Vec<Sent>> {
    const OPEN: &str = "\n<loaded_context>\n";
    let Some((_, rest)) = system.split_once(OPEN) else {
        ensure!(!system.contains(&frame(root)), "a file stands outside of the loaded context");
        return Ok(Vec::new());
    };
    let rest = rest.strip_suffix("\n</loaded_context>").context("the context doesn't end")?;
    if rest.starts_with(HEAD) {
        return framed(rest, root, "global");
    }
    let (global, memory) = match rest.strip_prefix("<global_context>\n") {
        Some(rest) => {
            let (global, memory) = rest
                .rsplit_once("\n</global_context>\n<user_project_memory>\n")
                .context("the global part doesn't end")?;
            (framed(global, root, "global")?, memory)
        }
        None => {
            let memory = rest.strip_prefix("<user_project_memory>\n");
            (Vec::new(), memory.context("the context has neither part")?)
        }
    };
    let memory = memory
        .strip_prefix(INDEX)
        .and_then(|it| it.strip_suffix("\n</user_project_memory>"))
        .and_then(|it| it.strip_suffix(INDEX_END))
        .context("the memory has another frame")?;
    Ok([global, framed(memory, root, "memory")?].concat())
}

/// Returns the files in the first content: those of extensions, then those of the project.
fn session_files(first: &str, root: &str) -> Result<Vec<Sent>> {
    let session = first
        .strip_prefix("<session_context>\n")
        .and_then(|it| it.strip_suffix("\n</session_context>"))
        .context("the first content isn't the session's")?;
    let Some((_, rest)) = session.split_once("\n\n\n<loaded_context>\n") else {
        ensure!(!session.contains(&frame(root)), "a file stands outside of the loaded context");
        return Ok(Vec::new());
    };
    let mut rest = rest.strip_suffix("\n</loaded_context>").context("the context doesn't end")?;
    let mut files = Vec::new();
    if let Some(more) = rest.strip_prefix("<extension_context>\n") {
        let (part, after) = match more.split_once("\n</extension_context>\n<project_context>\n") {
            Some((part, _)) => (part, &more[part.len() + "\n</extension_context>\n".len()..]),
            None => (more.strip_suffix("\n</extension_context>").context("no end")?, ""),
        };
        files.extend(framed(part, root, "extension")?);
        rest = after;
    }
    if !rest.is_empty() {
        let part = rest
            .strip_prefix("<project_context>\n")
            .and_then(|it| it.strip_suffix("\n</project_context>"))
            .context("the project part has another frame")?;
        files.extend(framed(part, root, "project")?);
    }
    Ok(files)
}

/// Returns the files one tool result brought.
fn touched(response: &Value, root: &str) -> Result<Vec<Sent>> {
    if let Some(error) = response.get("error") {
        let error = error.as_str().context("an error of a tool isn't a text")?;
        ensure!(!error.contains(FOUND), "a failed tool brought a file");
        return Ok(Vec::new());
    }
    let output = response["output"].as_str().context("a result has no output")?;
    let Some((_, found)) = output.split_once(FOUND) else {
        ensure!(!output.contains(&frame(root)), "a file stands outside of the found context");
        return Ok(Vec::new());
    };
    framed(found.strip_suffix(FOUND_END).context("the found context doesn't end")?, root, "")
}

/// Returns how the frame of a file of the tree begins.
fn frame(root: &str) -> String {
    format!("{HEAD}{root}/")
}

/// Takes a run of frames apart.
fn framed(part: &str, root: &str, class: &str) -> Result<Vec<Sent>> {
    let mut files = Vec::new();
    let mut rest = part;
    loop {
        let (path, text) = rest
            .strip_prefix(HEAD)
            .and_then(|it| it.split_once(" ---\n"))
            .with_context(|| format!("no frame begins here: {}", shown(rest)))?;
        ensure!(path.starts_with(&format!("{root}/")), "the client loaded `{path}`");
        let foot = format!("\n--- End of Context from: {path} ---");
        let next = format!("\n\n{}", frame(root));
        let end = text.match_indices(&foot).find_map(|(at, _)| {
            let after = &text[at + foot.len()..];
            (after.is_empty() || after.starts_with(&next)).then_some((at, after))
        });
        let Some((at, after)) = end else { bail!("the frame of `{path}` doesn't end") };
        files.push(Sent::new(root, path, class, &text[..at]));
        let Some(after) = after.strip_prefix("\n\n") else { return Ok(files) };
        rest = after;
    }
}

/// Returns the entries of a list that `is_ours` accepts, each as it was sent.
fn entries(
    system: &str,
    list: &str,
    tag: &str,
    is_ours: impl Fn(&str) -> Result<bool>,
) -> Result<Vec<String>> {
    let Some((_, rest)) = system.split_once(&format!("\n<{list}>\n")) else {
        return Ok(Vec::new());
    };
    let (rest, _) = rest
        .split_once(&format!("\n</{list}>\n"))
        .with_context(|| format!("the list {list} doesn't end"))?;
    let (open, close) = (format!("  <{tag}>\n"), format!("\n  </{tag}>"));
    let mut ours = Vec::new();
    for entry in rest.split(&format!("{close}\n{open}")) {
        let entry = entry.strip_prefix(&open).unwrap_or(entry);
        let entry = entry.strip_suffix(&close).unwrap_or(entry);
        if is_ours(entry)? {
            ours.push(format!("{open}{entry}{close}"));
        }
    }
    Ok(ours)
}

/// Returns what stands between two marks: the last of the first kind and the one after it.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Result<&'a str> {
    let from = text.rfind(open).with_context(|| format!("no `{}`", open.trim()))? + open.len();
    let end = text[from..].find(close.trim_end()).context("a line of a list doesn't end")?;
    Ok(&text[from..from + end])
}

fn shown(text: &str) -> String {
    text.chars().take(120).collect()
}
