//! A plan: what would change, as a value.
//!
//! Whoever wants a user's file to change makes a plan, and one engine carries it out. A plan says of
//! every file what it has to hold before; a file that holds something else is left alone.

use std::collections::BTreeSet;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::gate::{Approval, Class};
use super::hash::ContentHash;

mod node;
#[cfg(test)]
mod tests;

/// The schema of a plan. A reader takes its own version only; there is no older one.
pub const SCHEMA: &str = "coalwash.plan/1";

/// The most bytes that one file may hold after a plan.
///
/// Ours: the gate reads no more, and no host loads as much.
const MOST_BYTES: usize = super::gate::MOST_BYTES;

/// What would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Which command or program made it.
    pub origin: String,
    /// The changes, each of files of its own.
    pub actions: Vec<Action>,
    /// What of the plan has no meaning here, in words.
    pub notes: Vec<String>,
}

/// One change, with what someone said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What is done.
    pub change: Change,
    /// Why, in a few words for the log.
    pub reason: String,
    /// Findings of the gate that are meant.
    pub approvals: Vec<Approval>,
}

/// What is done. All paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file gets other text.
    Rewrite {
        /// The file and what it has to hold.
        file: Target,
        /// Its new text.
        content: String,
    },
    /// A file is made where none is.
    Create {
        /// The new file.
        path: Utf8PathBuf,
        /// Its text.
        content: String,
    },
    /// A file goes.
    Delete {
        /// The file and what it has to hold.
        file: Target,
    },
    /// Several files become one: `file` gets the facts of all, and `sources` go.
    Merge {
        /// The file that stays; one that has to hold nothing may be missing.
        file: Target,
        /// Its new text.
        content: String,
        /// The files that go.
        sources: Vec<Target>,
    },
    /// A file gets another name.
    Move {
        /// The file and what it has to hold.
        file: Target,
        /// Its new name, which nothing has.
        to: Utf8PathBuf,
    },
}

/// A file, and what it has to hold for a plan to be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its absolute path.
    pub path: Utf8PathBuf,
    /// Its content; without it whatever stands there when the plan is prepared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ContentHash>,
}

impl Target {
    /// Returns a file that has to hold these bytes.
    pub fn holding(path: impl Into<Utf8PathBuf>, bytes: &[u8]) -> Self {
        Self { path: path.into(), expected: Some(ContentHash::of(bytes)) }
    }
}

impl Change {
    /// Returns every path that changes, the one that stays or is made first.
    pub fn paths(&self) -> Vec<&Utf8Path> {
        match self {
            Self::Rewrite { file, .. } | Self::Delete { file } => vec![&file.path],
            Self::Create { path, .. } => vec![path],
            Self::Merge { file, sources, .. } => {
                let sources = sources.iter().map(|source| &*source.path);
                std::iter::once(&*file.path).chain(sources).collect()
            }
            Self::Move { file, to } => vec![to, &file.path],
        }
    }
}

/// Why a text is no plan.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum PlanError {
    /// Not JSON, or not of this form.
    #[error("{0}")]
    Form(String),
    /// A newer version, or another thing.
    #[error("`schema` is `{0}`; this build reads `{SCHEMA}`")]
    Schema(String),
    /// Nothing to do is no plan.
    #[error("the plan has no action")]
    Empty,
    /// A field that the action needs, or one that means nothing for it.
    #[error("action {number}: {what}")]
    Action { number: usize, what: String },
}

/// A plan as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    schema: String,
    origin: String,
    actions: Vec<WrittenAction>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenAction {
    action: Verb,
    path: Utf8PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<ContentHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Utf8PathBuf>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sources: Vec<Target>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    approvals: Vec<WrittenApproval>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Verb {
    Rewrite,
    Create,
    Delete,
    Merge,
    Move,
}

/// An approval whose file is that of its action.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenApproval {
    class: Class,
    text: String,
    #[serde(default = "once")]
    count: u32,
}

fn once() -> u32 {
    1
}

impl Plan {
    /// Returns a plan of these actions.
    pub fn new(origin: &str, actions: Vec<Action>) -> Self {
        Self { origin: origin.to_owned(), actions, notes: Vec::new() }
    }

    /// Reads a plan: our own, or one that was made for the Node engine.
    ///
    /// # Errors
    /// What is wrong and where, if it isn't one that can be carried out as it stands.
    pub fn read(json: &str) -> Result<Self, PlanError> {
        let form = |error: serde_json::Error| PlanError::Form(error.to_string());
        let value: serde_json::Value = serde_json::from_str(json).map_err(form)?;
        let plan = match value.get("schema") {
            Some(serde_json::Value::String(schema)) if schema == SCHEMA => {
                // From the text, so that an error has a line.
                Self::of_written(serde_json::from_str(json).map_err(form)?)?
            }
            Some(other) => {
                let shown = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
                return Err(PlanError::Schema(shown));
            }
            None if value.get("roots").is_some() => node::read(json)?,
            None => return Err(PlanError::Form("it has no `schema`".to_owned())),
        };
        plan.checked()
    }

    fn of_written(written: Written) -> Result<Self, PlanError> {
        let actions = written.actions.into_iter().enumerate().map(|(at, action)| {
            action.read().map_err(|what| PlanError::Action { number: at + 1, what })
        });
        Ok(Self::new(&written.origin, actions.collect::<Result<_, _>>()?))
    }

    /// Returns it as the text of a file.
    pub fn to_json(&self) -> String {
        let actions = self.actions.iter().map(WrittenAction::of).collect();
        let written = Written { schema: SCHEMA.to_owned(), origin: self.origin.clone(), actions };
        serde_json::to_string_pretty(&written).expect("a plan is plain data") + "\n"
    }

    /// Checks what can be told without a disk: that each path is one that can be meant, and has one
    /// action.
    ///
    /// # Errors
    /// The first action that can't be carried out.
    pub fn checked(self) -> Result<Self, PlanError> {
        if self.actions.is_empty() {
            return Err(PlanError::Empty);
        }
        let mut seen = BTreeSet::new();
        for (at, action) in self.actions.iter().enumerate() {
            let wrong = |what: String| PlanError::Action { number: at + 1, what };
            for path in action.change.paths() {
                if let Some(why) = misplaced(path) {
                    return Err(wrong(format!("`{path}` {why}")));
                }
                // On a disk that folds case they are one file.
                if !seen.insert(path.as_str().to_lowercase()) {
                    return Err(wrong(format!("`{path}` has an action already")));
                }
            }
            if let Some(content) = action.change.content()
                && content.len() > MOST_BYTES
            {
                let most = MOST_BYTES >> 20;
                return Err(wrong(format!("the content is larger than {most} MiB")));
            }
        }
        Ok(self)
    }
}

impl Change {
    fn content(&self) -> Option<&str> {
        match self {
            Self::Rewrite { content, .. }
            | Self::Create { content, .. }
            | Self::Merge { content, .. } => Some(content),
            Self::Delete { .. } | Self::Move { .. } => None,
        }
    }
}

/// Says what is wrong with a path by its form alone.
fn misplaced(path: &Utf8Path) -> Option<&'static str> {
    let plain = |part| {
        matches!(part, Utf8Component::Normal(_) | Utf8Component::RootDir | Utf8Component::Prefix(_))
    };
    if !path.is_absolute() {
        return Some("is not absolute");
    }
    if !path.components().all(plain) || path.as_str().split('/').any(|part| part == ".") {
        return Some("has `..` or `.` in it");
    }
    if path.file_name().is_none() || path.as_str().ends_with('/') {
        return Some("names a folder");
    }
    path.as_str().contains('\0').then_some("has a NUL in it")
}

impl WrittenAction {
    fn read(self) -> Result<Action, String> {
        let Self { action, path, expected, to, sources, content, reason, approvals } = self;
        let needs = |field| format!("it needs `{field}`");
        let no = |field: &str, is_there: bool| match is_there {
            true => Err(format!("`{field}` means nothing here")),
            false => Ok(()),
        };
        if action != Verb::Move {
            no("to", to.is_some())?;
        }
        if action != Verb::Merge {
            no("sources", !sources.is_empty())?;
        }
        if matches!(action, Verb::Delete | Verb::Move) {
            no("content", content.is_some())?;
        }
        let approvals = approvals
            .into_iter()
            .map(|it| Approval {
                file: path.to_string(),
                class: it.class,
                text: it.text,
                count: it.count,
            })
            .collect();
        let file = Target { path: path.clone(), expected };
        let hash = |file: &Target| match file.expected {
            Some(_) => Ok(()),
            None => Err(needs("expected")),
        };
        let change = match action {
            Verb::Rewrite => {
                hash(&file)?;
                Change::Rewrite { file, content: content.ok_or_else(|| needs("content"))? }
            }
            Verb::Create => {
                no("expected", file.expected.is_some())?;
                Change::Create { path, content: content.ok_or_else(|| needs("content"))? }
            }
            Verb::Delete => {
                hash(&file)?;
                Change::Delete { file }
            }
            Verb::Merge => {
                sources.iter().try_for_each(hash)?;
                if sources.is_empty() {
                    return Err(needs("sources"));
                }
                let content = content.ok_or_else(|| needs("content"))?;
                Change::Merge { file, content, sources }
            }
            Verb::Move => {
                hash(&file)?;
                Change::Move { file, to: to.ok_or_else(|| needs("to"))? }
            }
        };
        Ok(Action { change, reason, approvals })
    }

    fn of(action: &Action) -> Self {
        let (verb, file, content, to, sources) = match &action.change {
            Change::Rewrite { file, content } => {
                (Verb::Rewrite, file.clone(), Some(content.clone()), None, Vec::new())
            }
            Change::Create { path, content } => {
                let file = Target { path: path.clone(), expected: None };
                (Verb::Create, file, Some(content.clone()), None, Vec::new())
            }
            Change::Delete { file } => (Verb::Delete, file.clone(), None, None, Vec::new()),
            Change::Merge { file, content, sources } => {
                (Verb::Merge, file.clone(), Some(content.clone()), None, sources.clone())
            }
            Change::Move { file, to } => {
                (Verb::Move, file.clone(), None, Some(to.clone()), Vec::new())
            }
        };
        let approvals = action.approvals.iter().map(|it| WrittenApproval {
            class: it.class,
            text: it.text.clone(),
            count: it.count,
        });
        Self {
            action: verb,
            path: file.path,
            expected: file.expected,
            to,
            sources,
            content,
            reason: action.reason.clone(),
            approvals: approvals.collect(),
        }
    }
}
