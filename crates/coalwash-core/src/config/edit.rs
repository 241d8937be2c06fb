//! Changes one value of a file and leaves every other byte: comments, order, line ends.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::keys::{self, Key, Kind};
use super::{Layer, read};

/// Why a value could not be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum EditError {
    /// No one knows the key.
    #[error("unknown key `{name}`{}", meant.map_or(String::new(), |m| format!("; did you mean `{m}`?")))]
    Unknown { name: String, meant: Option<&'static str> },
    /// The value doesn't fit the key.
    #[error("`{name}` has to be {wanted}")]
    Value { name: String, wanted: String },
    /// The file can't be read.
    #[error("line {line}, column {column}: it is not JSON: {why}")]
    Syntax { line: usize, column: usize, why: String },
    /// Something stands where an object is needed.
    #[error("`{name}` is not an object")]
    NotAnObject { name: String },
}

/// Returns the value that a person typed for a key: JSON, else a text or a list of one.
///
/// # Errors
/// When it doesn't fit the key.
pub fn typed(name: &str, text: &str) -> Result<Value, EditError> {
    let key = known(name)?;
    let parsed = serde_json::from_str::<Value>(text).ok();
    let as_text = || Value::String(text.to_owned());
    let value = match key.kind {
        Kind::Word(_) | Kind::Text => parsed.filter(Value::is_string).unwrap_or_else(as_text),
        Kind::Texts => parsed.filter(Value::is_array).unwrap_or(Value::Array(vec![as_text()])),
        _ => parsed.unwrap_or_else(as_text),
    };
    super::fits(key.kind, &value)
        .map_err(|wanted| EditError::Value { name: name.to_owned(), wanted })?;
    Ok(value)
}

/// Returns the key of a name that someone typed.
///
/// # Errors
/// When there is none.
pub fn known(name: &str) -> Result<&'static Key, EditError> {
    if let Some(key) = keys::find(name) {
        let host = name.strip_prefix("budget.hosts.");
        if host.is_none_or(|host| super::host_id(host).is_some()) {
            return Ok(key);
        }
    }
    let all: Vec<&'static str> = keys::KEYS.iter().map(|key| key.name).collect();
    Err(EditError::Unknown { name: name.to_owned(), meant: keys::meant(name, &all) })
}

/// Returns the text of a file with one key set; an empty text becomes a file of its own.
///
/// # Errors
/// When the key is unknown, or the text isn't a JSON object. Nothing is half changed.
pub fn set(text: &str, layer: Layer, name: &str, value: &Value) -> Result<String, EditError> {
    let key = known(name)?;
    let start = if text.trim().is_empty() { "{\n}\n" } else { text };
    let root = CstRootNode::parse(start, &read::options(layer)).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        EditError::Syntax { line, column, why: error.kind().to_string() }
    })?;
    let not_an_object = |name: &str| EditError::NotAnObject { name: name.to_owned() };
    let mut at: CstObject =
        root.object_value_or_create().ok_or_else(|| not_an_object("the file"))?;
    let path: Vec<&str> = match key.name.strip_suffix('*') {
        Some(above) => {
            let mut path: Vec<&str> = above.trim_end_matches('.').split('.').collect();
            path.push(&name[above.len()..]);
            path
        }
        None => name.split('.').collect(),
    };
    let (last, above) = path.split_last().unwrap_or((&name, &[]));
    for step in above {
        let is_new = at.get(step).is_none();
        at = at.object_value_or_create(step).ok_or_else(|| not_an_object(step))?;
        if is_new {
            at.ensure_multiline();
        }
    }
    match at.get(last) {
        Some(property) => property.set_value(input(value)),
        None => {
            at.append(last, input(value));
        }
    }
    Ok(root.to_string())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(switch) => CstInputValue::Bool(*switch),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(keys) => CstInputValue::Object(
            keys.iter().map(|(key, value)| (key.clone(), input(value))).collect(),
        ),
    }
}
