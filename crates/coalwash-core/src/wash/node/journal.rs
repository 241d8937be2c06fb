//! The journal of a run, and the manifest of its snapshot.

use serde_json::Value;

use super::{is_bare, is_newer};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing is left of it.
    Over,
    /// It was cut short, or could not be taken back.
    Open,
}

/// What a journal claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// How it ended.
    pub status: Status,
    /// Where its snapshot lies.
    pub snapshot: Option<String>,
    /// The folders that it might touch.
    pub roots: Vec<String>,
    /// Files that it made, or was about to.
    pub created: Vec<String>,
}

/// Reads `journal.json`.
///
/// # Errors
/// Why it isn't one, or that a newer engine wrote it.
pub fn journal(bytes: &[u8]) -> Result<Journal, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if value.is_null() {
        return Err("it is empty".to_owned());
    }
    if is_newer(value.get("version")) {
        return Err("a newer version wrote it".to_owned());
    }
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let list = |key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let status = match text(&value, "status").as_deref() {
        Some("committed" | "rolled-back") => Status::Over,
        _ => Status::Open,
    };
    let steps = list("steps");
    let creates = steps.iter().filter(|step| text(step, "type").as_deref() == Some("create"));
    Ok(Journal {
        status,
        snapshot: text(&value, "snapDir"),
        roots: list("roots").iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect(),
        created: creates.filter_map(|step| text(step, "path")).collect(),
    })
}

/// What a snapshot holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The name of each copy, and the path that it was copied from, as someone claims.
    pub copies: Vec<(String, String)>,
    /// Lines of it that mean nothing, or whose name leads elsewhere.
    pub left_out: usize,
}

/// Reads `manifest.json`.
///
/// # Errors
/// Why it isn't one.
pub fn manifest(bytes: &[u8]) -> Result<Manifest, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let Value::Array(list) = value else { return Err("it is no list".to_owned()) };
    let copy = |value: &Value| {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Some((text("snap").filter(|name| is_bare(name))?, text("original")?))
    };
    let copies: Vec<(String, String)> = list.iter().filter_map(copy).collect();
    Ok(Manifest { left_out: list.len() - copies.len(), copies })
}
