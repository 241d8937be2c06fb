//! What a session sent to the model, read from its requests and its transcript.
//!
//! 2.1.332 writes what it loads at start into its transcript as a list of paths, kinds and texts,
//! and every version does so for what it loads on a touch. These lists are taken, and each is
//! checked against the request. What 2.1.197 loads at start is in the request only: there the block
//! is cut at the header lines. A header counts when its note is one the client writes and its path
//! is below the root, so a text that quotes a header of another place can't be mistaken for one.
//!
//! The absolute root becomes `/fx` in paths and texts, and the slug of the root becomes `-fx`, the
//! slug of `/fx`. A slug keeps one character per character, so the slug of every path below the
//! root begins with the root's; only a slug of more than 200 characters would not (it ends in a
//! hash of the whole path), and no tree has paths that long. The text that was replaced is the only
//! one that depends on the machine, so equal trees have equal answers everywhere.
//!
//! Of texts only the length and the hash are kept; no text of the client's own is kept at all.

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::trees::slug;

mod listing;
#[cfg(test)]
mod tests;

/// The root in every answer.
pub const FX: &str = "/fx";

/// The kinds of files at session start, and what the client says of each.
const NOTES: &[(&str, &str)] = &[
    ("Managed", "organization-managed policy instructions"),
    ("User", "user's private global instructions for all projects"),
    ("Project", "project instructions, checked into the codebase"),
    ("Local", "user's private project instructions, not checked in"),
    ("AutoMem", "user's auto-memory, persists across conversations"),
];

/// What reached the model in one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The version of the client.
    pub version: String,
    /// The files sent at session start, in order.
    pub start: Vec<Sent>,
    /// The files sent after each touch, in order; as many lists as there were touches.
    pub touches: Vec<Vec<Sent>>,
    /// Lines of the skill list at start, without the client's own skills. A line may hold newlines.
    pub skills: Vec<String>,
    /// Lines of the agent list at start, without the client's own agents.
    pub agents: Vec<String>,
    /// Lines of the list of skills after each touch; no list at all if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touch_skills: Vec<Vec<String>>,
}

/// One file that reached the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sent {
    /// The path the client named, the root being `/fx`.
    pub path: String,
    /// `Managed`, `User`, `Project`, `Local` or `AutoMem`; empty after a touch.
    pub class: String,
    /// Unicode scalar values of the text.
    pub chars: usize,
    /// The first 16 hex digits of the BLAKE3 hash of the text.
    pub hash: String,
}

/// What an answer is read from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The version of the client.
    pub version: &'a str,
    /// The absolute root of the tree.
    pub root: &'a str,
    /// The bodies of the message requests, in order.
    pub bodies: &'a [Value],
    /// The bytes of the transcript.
    pub transcript: &'a [u8],
}

/// A path and the exact text that was sent for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Raw {
    path: String,
    class: String,
    text: String,
}

impl Sent {
    /// Returns the entry for a text that was sent, after replacing the root and its slug.
    pub fn new(root: &str, path: &str, class: &str, text: &str) -> Self {
        let (path, text) = (portable(root, path), portable(root, text));
        let hash = blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
        Self { path, class: class.to_owned(), chars: text.chars().count(), hash }
    }
}

/// Replaces the root by `/fx`, and the root's slug by the slug of `/fx`.
pub fn portable(root: &str, text: &str) -> String {
    text.replace(root, FX).replace(&slug(root), &slug(FX))
}

impl Answer {
    /// Reads the answer of a session with this many touches.
    ///
    /// # Errors
    /// When something is missing, or the requests and the transcript disagree.
    pub fn read(source: &Source<'_>, touches: usize) -> Result<Self> {
        let body = source.bodies.last().context("the client sent no request")?;
        let groups = attachments(source.transcript, touches)?;
        let mut answer = Self { version: source.version.to_owned(), ..Self::default() };
        let block = first_block(body).context("the first request has no text")?;
        let start = match groups[0].iter().find(|it| it["type"] == "instructions") {
            Some(record) => {
                let files = record_files(record)?;
                check_start(block, &files)?;
                files
            }
            None => {
                let found = sections(block, source.root);
                let recorded = groups[0].iter().any(|it| it["type"] == "session_context");
                ensure!(
                    found.is_empty() || !recorded,
                    "the transcript has no list of loaded files"
                );
                found
            }
        };
        answer.start = sent(source, &start);
        for (touch, group) in groups.iter().enumerate().skip(1) {
            let files = as_sent(body, touch - 1, touched(group)?, source.root)?;
            answer.touches.push(sent(source, &files));
        }
        answer.skills = listing::skills(&groups[0])?;
        answer.agents = listing::agents(&groups[0])?;
        let said = all_text(body);
        for line in answer.skills.iter().chain(&answer.agents) {
            ensure!(
                said.contains(line.as_str()),
                "the request lacks a line of the transcript: {line}"
            );
        }
        let portable_lines = |lines: Vec<String>| -> Vec<String> {
            lines.iter().map(|line| portable(source.root, line)).collect()
        };
        answer.skills = portable_lines(answer.skills);
        answer.agents = portable_lines(answer.agents);
        let later = groups[1..].iter().map(|group| listing::later_skills(group));
        let later: Vec<_> = later.collect::<Result<_>>()?;
        if let Some(line) = later.iter().flatten().find(|line| !said.contains(line.as_str())) {
            bail!("the request lacks a line of the transcript: {line}");
        }
        if later.iter().any(|lines| !lines.is_empty()) {
            answer.touch_skills = later.into_iter().map(portable_lines).collect();
        }
        Ok(answer)
    }
}

fn sent(source: &Source<'_>, files: &[Raw]) -> Vec<Sent> {
    files.iter().map(|it| Sent::new(source.root, &it.path, &it.class, &it.text)).collect()
}

/// Returns the attachments of a transcript: those of the start, then those after each tool result.
fn attachments(transcript: &[u8], touches: usize) -> Result<Vec<Vec<Value>>> {
    let mut groups = vec![Vec::new()];
    for line in transcript.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let line = mended(line);
        let record: Value =
            serde_json::from_slice(&line).context("a line of the transcript isn't JSON")?;
        if let Some(attachment) = record.get("attachment") {
            groups.last_mut().context("there is a first group")?.push(attachment.clone());
        } else if record["type"] == "user" {
            let blocks = record["message"]["content"].as_array().map(Vec::as_slice);
            let results =
                blocks.unwrap_or_default().iter().filter(|it| it["type"] == "tool_result");
            groups.extend(results.map(|_| Vec::new()));
        }
    }
    let done = groups.len() - 1;
    ensure!(done == touches, "the client read {done} of {touches} files");
    Ok(groups)
}

/// Replaces each half of a surrogate pair that stands alone, which JSON of the client may hold and
/// Rust's strings can't.
fn mended(line: &[u8]) -> Vec<u8> {
    let unit = |at: usize| -> Option<u16> {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut out = Vec::with_capacity(line.len());
    let mut at = 0;
    while at < line.len() {
        let taken = match (line[at], unit(at), unit(at + 6)) {
            (b'\\', Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (b'\\', Some(0xd800..=0xdfff), _) => {
                out.extend_from_slice(b"\\ufffd");
                at += 6;
                continue;
            }
            (b'\\', ..) => 2,
            _ => 1,
        };
        let end = (at + taken).min(line.len());
        out.extend_from_slice(&line[at..end]);
        at = end;
    }
    out
}

fn string(value: &Value, what: &str) -> Result<String> {
    value
        .as_str()
        .map(str::to_owned)
        .with_context(|| format!("a record of the transcript has no {what}"))
}

/// Returns the files of an `instructions` record.
fn record_files(record: &Value) -> Result<Vec<Raw>> {
    let files = record["files"].as_array().context("a list of loaded files has no files")?;
    files
        .iter()
        .map(|file| {
            Ok(Raw {
                path: string(&file["path"], "path")?,
                class: string(&file["type"], "type")?,
                text: string(&file["content"], "content")?,
            })
        })
        .collect()
}

/// Returns the files of one touch: nested files and rules first, then those a hook brought.
fn touched(group: &[Value]) -> Result<Vec<Raw>> {
    let mut files = Vec::new();
    for it in group.iter().filter(|it| it["type"] == "nested_memory") {
        files.push(Raw {
            path: string(&it["content"]["path"], "path")?,
            class: String::new(),
            text: string(&it["content"]["content"], "content")?,
        });
    }
    for it in group.iter().filter(|it| it["type"] == "hook_additional_context") {
        for text in it["content"].as_array().context("a hook's record has no content")? {
            let text = string(text, "content")?;
            let parts = text.strip_prefix("Contents of ").and_then(|it| it.split_once(":\n\n"));
            let (path, text) = parts.context("a hook's record has no header")?;
            files.push(Raw { path: path.to_owned(), class: String::new(), text: text.to_owned() });
        }
    }
    Ok(files)
}

/// Checks that the first block holds exactly these files.
fn check_start(block: &str, files: &[Raw]) -> Result<()> {
    let mut wanted = String::new();
    for file in files {
        let note = NOTES.iter().find(|(class, _)| *class == file.class);
        let (_, note) = note.with_context(|| format!("unknown kind of file: {}", file.class))?;
        wanted.push_str(&format!("\n\nContents of {} ({note}):\n\n{}", file.path, file.text));
    }
    wanted.push_str("\n</system-reminder>");
    let intro = block.strip_suffix(&wanted);
    let intro =
        intro.context("the request and the transcript differ in what was loaded at start")?;
    ensure!(!intro.contains("\nContents of "), "the request holds more files than the transcript");
    Ok(())
}

/// Returns the files of a touch as the request holds them, which has to hold no others.
///
/// 2.1.332 escapes what looks like a tag of its own wrapping, also with NUL or other invisible
/// characters in it: `<` becomes `<\` in a block of its own, and `&lt;` in what a hook brought. Its
/// transcript doesn't show that.
fn as_sent(body: &Value, touch: usize, mut files: Vec<Raw>, root: &str) -> Result<Vec<Raw>> {
    let text = after_touch(body, touch)?;
    let mut rest = text.as_str();
    let mut between = String::new();
    for file in &mut files {
        let head = format!("Contents of {}:\n\n", file.path);
        let found = rest.split_once(&head).and_then(|(before, after)| {
            let (sent, after) = after.split_at(escaped_length(&file.text, after)?);
            Some((before, sent, after))
        });
        let (before, sent, after) = found.with_context(|| {
            format!("the request lacks `{}` after touch {}", file.path, touch + 1)
        })?;
        file.text = sent.to_owned();
        between.push_str(before);
        rest = after;
    }
    between.push_str(rest);
    ensure!(
        !between.contains(&format!("Contents of {root}")),
        "the request holds more files than the transcript after touch {}",
        touch + 1
    );
    Ok(files)
}

/// Returns how many bytes of `sent` are `text` with some `<` escaped, if it begins with that.
fn escaped_length(text: &str, sent: &str) -> Option<usize> {
    let mut rest = sent;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if let Some(after) = rest.strip_prefix("&lt;").filter(|_| c == '<') {
            rest = after;
            continue;
        }
        rest = rest.strip_prefix(c)?;
        if c == '<' && chars.peek() != Some(&'\\') {
            rest = rest.strip_prefix('\\').unwrap_or(rest);
        }
    }
    Some(sent.len() - rest.len())
}

/// Returns the texts between a tool result and the next reply.
fn after_touch(body: &Value, touch: usize) -> Result<String> {
    let messages = body["messages"].as_array().context("a request has no messages")?;
    let mut results = 0;
    let mut text = String::new();
    for message in messages {
        if message["role"] == "assistant" {
            if results > touch {
                return Ok(text);
            }
            text.clear();
            continue;
        }
        for block in blocks(message) {
            if block["type"] == "tool_result" {
                results += 1;
            } else if let Some(part) = block["text"].as_str() {
                text.push_str(part);
                text.push('\n');
            }
        }
    }
    if results > touch {
        Ok(text)
    } else {
        bail!("the request has no result of touch {}", touch + 1)
    }
}

/// Returns the blocks of a message; a plain string is one text.
fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::Array(blocks) => blocks.clone(),
        Value::String(text) => vec![serde_json::json!({"type": "text", "text": text})],
        _ => Vec::new(),
    }
}

fn all_text(body: &Value) -> String {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts =
        messages.iter().flat_map(blocks).filter_map(|it| it["text"].as_str().map(str::to_owned));
    texts.collect::<Vec<_>>().join("\n")
}

fn first_block(body: &Value) -> Option<&str> {
    let content = &body["messages"][0]["content"];
    content.as_str().or_else(|| content[0]["text"].as_str())
}

/// Cuts the first block of a request at the header lines of files below the root.
fn sections(block: &str, root: &str) -> Vec<Raw> {
    let end = block.rfind("\n# currentDate\n").or_else(|| block.rfind("\n</system-reminder>"));
    let block = &block[..end.unwrap_or(block.len())];
    let mut heads = Vec::new();
    for (at, _) in block.match_indices("\n\nContents of ") {
        let line = at + "\n\nContents of ".len();
        let Some(stop) = block[line..].find('\n').map(|length| line + length) else { continue };
        let header = &block[line..stop];
        let known = NOTES.iter().find_map(|(class, note)| {
            let path = header.strip_suffix(&format!(" ({note}):"))?;
            path.strip_prefix(root)?.starts_with('/').then_some((*class, path))
        });
        if let Some((class, path)) = known
            && block[stop..].starts_with("\n\n")
        {
            heads.push((at, stop + 2, class, path));
        }
    }
    let ends = heads.iter().skip(1).map(|head| head.0).chain([block.len()]);
    heads
        .iter()
        .zip(ends)
        .map(|(&(_, from, class, path), to)| Raw {
            path: path.to_owned(),
            class: class.to_owned(),
            text: block.get(from..to).unwrap_or_default().to_owned(),
        })
        .collect()
}
