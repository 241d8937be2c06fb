//! Plans that were made for the Node engine (CoalWash 1.x).
//!
//! Its deletes stand beside the text that took over what they said. With one such text that is a
//! merge; with several nobody can tell which, so each deleted file answers for itself.

use camino::Utf8PathBuf;
use serde::Deserialize;

use super::{Action, Change, Plan, PlanError, Target};
use crate::wash::hash::ContentHash;

/// Fields that this build has no use for are named, so that a misspelt one is no silent loss.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NodePlan {
    #[serde(rename = "roots")]
    _roots: Vec<String>,
    actions: Vec<NodeAction>,
    #[serde(default, rename = "sessionId")]
    _session: Option<String>,
    #[serde(default)]
    origin: Option<String>,
    #[serde(default)]
    approved_drops: serde_json::Value,
    #[serde(default, rename = "projectRoot")]
    _project_root: serde_json::Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NodeAction {
    r#type: NodeVerb,
    path: Utf8PathBuf,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    expected_orig: Option<String>,
    #[serde(default, rename = "scope")]
    _scope: Option<String>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum NodeVerb {
    Rewrite,
    Create,
    Delete,
}

/// Reads a plan of the Node engine. Its roots narrow nothing here: what may be touched is not for a
/// plan to say.
pub(super) fn read(json: &str) -> Result<Plan, PlanError> {
    let plan: NodePlan =
        serde_json::from_str(json).map_err(|error| PlanError::Form(error.to_string()))?;
    let mut written = Vec::new();
    let mut deleted = Vec::new();
    for (at, action) in plan.actions.into_iter().enumerate() {
        let needs = || PlanError::Action { number: at + 1, what: "it needs `content`".to_owned() };
        let expected = action.expected_orig.map(|text| ContentHash::of(text.as_bytes()));
        let file = Target { path: action.path, expected };
        match action.r#type {
            NodeVerb::Delete => deleted.push(file),
            NodeVerb::Rewrite => {
                let content = action.content.ok_or_else(needs)?;
                written.push(Change::Rewrite { file, content });
            }
            NodeVerb::Create => {
                let content = action.content.ok_or_else(needs)?;
                written.push(Change::Create { path: file.path, content });
            }
        }
    }
    let changes = match (&mut *written, deleted.is_empty()) {
        ([one], false) => {
            let (file, content) = match one {
                Change::Create { path, content } => {
                    (Target { path: path.clone(), expected: None }, content.clone())
                }
                Change::Rewrite { file, content } => (file.clone(), content.clone()),
                _ => unreachable!("only these two are written"),
            };
            vec![Change::Merge { file, content, sources: deleted }]
        }
        _ => {
            written.extend(deleted.into_iter().map(|file| Change::Delete { file }));
            written
        }
    };
    let action = |change| Action { change, reason: String::new(), approvals: Vec::new() };
    let origin = plan.origin.unwrap_or_else(|| "program-cut".to_owned());
    let mut out = Plan::new(&origin, changes.into_iter().map(action).collect());
    if plan.approved_drops.as_array().is_some_and(|drops| !drops.is_empty()) {
        out.notes.push(
            "`approvedDrops` approve nothing here: approve the findings, by class and words"
                .to_owned(),
        );
    }
    Ok(out)
}
