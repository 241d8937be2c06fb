//! Keeps: passages and files that someone decided to leave as they are.

use serde_json::{Map, Value};

use super::is_newer;

/// One decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Keep {
    /// What it is about, in the words of who decided.
    pub target: String,
    /// Words that have to stay somewhere, if any.
    pub anchor: Option<String>,
    /// The file that holds them, as someone claims.
    pub anchor_file: Option<String>,
    /// The user has still to answer.
    pub pending_user: bool,
    /// All of the record, also what this build has no name for.
    pub record: Map<String, Value>,
}

/// All decisions of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keeps {
    /// Those that can be read.
    pub keeps: Vec<Keep>,
    /// Records without a target.
    pub left_out: usize,
}

/// Reads a file of keeps.
///
/// # Errors
/// Why it isn't one, or that a newer engine wrote it.
pub fn keeps(bytes: &[u8]) -> Result<Keeps, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let Value::Object(mut file) = value else { return Err("it is no object".to_owned()) };
    if is_newer(file.get("v")) {
        return Err("a newer version wrote it".to_owned());
    }
    let Some(Value::Array(list)) = file.remove("keeps") else {
        return Err("it has no list `keeps`".to_owned());
    };
    let all = list.len();
    let keeps: Vec<Keep> = list.into_iter().filter_map(keep).collect();
    Ok(Keeps { left_out: all - keeps.len(), keeps })
}

fn keep(value: Value) -> Option<Keep> {
    let Value::Object(record) = value else { return None };
    let text = |key: &str| record.get(key).and_then(Value::as_str);
    let said = |key: &str| text(key).filter(|text| !text.is_empty()).map(str::to_owned);
    Some(Keep {
        target: text("target")?.to_owned(),
        anchor: said("anchor"),
        anchor_file: said("anchorFile"),
        pending_user: record.get("pendingUser") == Some(&Value::Bool(true)),
        record,
    })
}
