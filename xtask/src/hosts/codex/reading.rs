//! What a session sent, read from its request and checked against its record.

use anyhow::{Context as _, Result, bail, ensure};
use camino::Utf8Path;
use serde_json::Value;

use crate::answer::{Answer, Sent, portable};

/// What the item of the merged text begins with.
const HEAD: &str = "# AGENTS.md instructions";
const OPEN: &str = "\n\n<INSTRUCTIONS>\n";
const CLOSE: &str = "\n</INSTRUCTIONS>";
/// What stands between the global and the project part.
const SEPARATOR: &str = "\n\n--- project-doc ---\n\n";

const SKILLS_OPEN: &str = "<skills_instructions>";
const SKILLS_CLOSE: &str = "</skills_instructions>";
const SKILLS_HEAD: &str = "\n## Skills\n";
const ROOTS: &str = "\n### Skill roots\n";
const SKILLS: &str = "\n### Available skills\n";
/// What an answer is read from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    /// The absolute root of the tree.
    pub root: &'a str,
    /// The client's own folder.
    pub folder: &'a str,
    /// The folder of the client's own skills.
    pub own_skills: &'a str,
    /// What every word that is ours begins with.
    pub mark: &'a str,
    /// The body of the only request.
    pub body: &'a Value,
    /// The records of the session.
    pub record: &'a [Value],
}

/// The two parts of a merged text, and the folder that is named for the second.
#[derive(Debug, PartialEq, Eq)]
struct Parts<'a> {
    global: Option<&'a str>,
    project: Option<(&'a str, &'a str)>,
}

impl Source<'_> {
    /// Reads the answer.
    ///
    /// # Errors
    /// When something is missing, isn't of a known form or could be read in two ways, or when the
    /// request and the record disagree.
    pub(super) fn answer(&self, version: &str) -> Result<Answer> {
        let said = self.payload("session_meta")?["cli_version"].as_str().unwrap_or_default();
        ensure!(said == version, "the client is version {said}, not {version}");
        let (mut merged, mut listed) = (None, None);
        for (role, text) in texts(self.body)? {
            let is_merged = role == "user" && text.starts_with(HEAD);
            let is_list = role == "developer" && text.starts_with(SKILLS_OPEN);
            if is_merged {
                ensure!(merged.replace(text).is_none(), "the request has two merged texts");
            } else if is_list {
                ensure!(listed.replace(text).is_none(), "the request has two lists of skills");
            } else {
                ensure!(!text.contains(self.mark), "a text of ours is in another place");
            }
        }
        let state = &self.payload("world_state")?["state"];
        let mut answer = Answer { version: version.to_owned(), ..Answer::default() };
        if let Some(text) = merged {
            answer.start = self.start(text, &state["agents_md"])?;
        } else {
            ensure!(state["agents_md"]["text"].is_null(), "the record has a text more");
        }
        if let Some(text) = listed {
            answer.skills = self.skills(text, &state["host_skills"])?;
        } else {
            ensure!(state["host_skills"]["body"].is_null(), "the record has a list more");
        }
        Ok(answer)
    }

    /// Returns the payload of the first record of a type.
    fn payload(&self, kind: &str) -> Result<&Value> {
        let record = self.record.iter().find(|it| it["type"] == kind);
        Ok(&record.with_context(|| format!("the record has no `{kind}`"))?["payload"])
    }

    fn start(&self, text: &str, recorded: &Value) -> Result<Vec<Sent>> {
        let (named, inner) = unframed(text)?;
        ensure!(recorded["text"] == inner, "the request and the record have different texts");
        ensure!(
            recorded["directory"].as_str() == named,
            "the request and the record name different folders"
        );
        let parts = parts(named, inner)?;
        let global = parts.global.map(|text| Sent::new(self.root, self.folder, "global", text));
        let project = parts.project.map(|(path, text)| Sent::new(self.root, path, "project", text));
        Ok(global.into_iter().chain(project).collect())
    }

    fn skills(&self, text: &str, recorded: &Value) -> Result<Vec<String>> {
        let body = text.strip_prefix(SKILLS_OPEN).and_then(|rest| rest.strip_suffix(SKILLS_CLOSE));
        let body = body.context("the list of skills has no end")?;
        ensure!(recorded["body"] == body, "the request and the record have different lists");
        let inner =
            body.strip_prefix(SKILLS_HEAD).context("the list of skills has another head")?;
        // Where whole paths leave room for more, there is no table of folders.
        let (intro, rest) =
            inner.split_once('\n').context("the list of skills has no beginning")?;
        let rest = format!("\n{rest}");
        let table = rest.strip_prefix(ROOTS);
        ensure!(
            table.is_some() || rest.starts_with(SKILLS),
            "the list of skills has a longer introduction: {intro}"
        );
        let (roots, skills) = table
            .unwrap_or(&rest)
            .split_once(SKILLS)
            .context("the list of skills has no skills")?;
        if skills.is_empty() {
            return Ok(Vec::new());
        }
        let skills = skills.strip_suffix('\n').context("the list of skills has another end")?;
        let own = format!("` = `{}`", self.own_skills);
        let own_root = roots.lines().find_map(|line| line.strip_suffix(own.as_str()));
        let own_root = own_root.and_then(|line| line.strip_prefix("- `"));
        let mut lines = Vec::new();
        for line in roots.split('\n').filter(|_| table.is_some()) {
            ensure!(line.starts_with("- `r") && line.ends_with('`'), "not a root: {line}");
            lines.extend((!line.ends_with(own.as_str())).then_some(line));
        }
        for line in skills.split('\n') {
            let (_, place) = line
                .strip_prefix("- ")
                .and_then(|line| line.strip_suffix("/SKILL.md)"))
                .and_then(|line| line.rsplit_once("(file: "))
                .with_context(|| format!("not a skill: {line}"))?;
            let root = place.split('/').next();
            let is_own = match table {
                Some(_) => own_root.is_some() && root == own_root,
                None => Utf8Path::new(place).starts_with(self.own_skills),
            };
            lines.extend((!is_own).then_some(line));
        }
        Ok(lines.into_iter().map(|line| portable(self.root, line)).collect())
    }
}

/// Returns the role and the text of every item of a request.
fn texts(body: &Value) -> Result<Vec<(&str, &str)>> {
    let items = body["input"].as_array().context("the request has no input")?;
    let mut all = Vec::new();
    for item in items {
        let role = item["role"].as_str().context("an item of the request has no role")?;
        let contents =
            item["content"].as_array().context("an item of the request has no content")?;
        for content in contents {
            let text = content["text"].as_str().context("an item of the request has no text")?;
            all.push((role, text));
        }
    }
    Ok(all)
}

/// Returns the folder that is named in the head of a merged text, and what is inside of the frame.
fn unframed(text: &str) -> Result<(Option<&str>, &str)> {
    let rest = text.strip_prefix(HEAD).context("the merged text has another head")?;
    let (place, rest) = rest.split_once(OPEN).context("the merged text has no beginning")?;
    let inner = rest.strip_suffix(CLOSE).context("the merged text has no end")?;
    if place.is_empty() {
        return Ok((None, inner));
    }
    let folder = place.strip_prefix(" for ").context("the merged text has another head")?;
    ensure!(folder.starts_with('/'), "the merged text names a folder that isn't absolute");
    Ok((Some(folder), inner))
}

/// Divides the inside of a merged text. Only a text of a project has a folder; only one with both
/// parts has the separator, which no text of a tree holds.
fn parts<'a>(folder: Option<&'a str>, inner: &'a str) -> Result<Parts<'a>> {
    let mut pieces = inner.split(SEPARATOR);
    let (first, second, more) = (pieces.next().unwrap_or_default(), pieces.next(), pieces.next());
    ensure!(more.is_none(), "the merged text has two separators");
    Ok(match (folder, second) {
        (None, None) => Parts { global: Some(first), project: None },
        (Some(folder), None) => Parts { global: None, project: Some((folder, first)) },
        (Some(folder), Some(second)) => {
            Parts { global: Some(first), project: Some((folder, second)) }
        }
        (None, Some(_)) => bail!("the merged text has a separator but no folder"),
    })
}
