//! The JSON Schema of `coalwash.jsonc`, made from the table of keys.

use serde_json::{Map, Value, json};

use super::keys::{Key, Kind, Safety, Use};
use super::{HOSTS, default, keys};

/// Returns the schema, draft 2020-12.
pub fn schema() -> Value {
    let mut root = object();
    for key in keys::KEYS {
        add(&mut root, &key.name.split('.').collect::<Vec<_>>(), key);
    }
    let mut out = Map::new();
    out.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    out.insert("title".into(), json!("coalwash.jsonc"));
    if let Value::Object(root) = root {
        out.extend(root);
    }
    Value::Object(out)
}

fn object() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

fn add(at: &mut Value, path: &[&str], key: &Key) {
    match path {
        ["*"] if key.name == "budget.hosts.*" => {
            for host in HOSTS {
                at["properties"][host] = property(key);
            }
        }
        ["*"] => at["additionalProperties"] = property(key),
        [name] => at["properties"][*name] = property(key),
        [name, rest @ ..] => {
            if at["properties"].get(*name).is_none() {
                at["properties"][*name] = object();
            }
            add(&mut at["properties"][*name], rest, key);
        }
        [] => {}
    }
}

fn property(key: &Key) -> Value {
    let mut out = match key.kind {
        Kind::Word(words) => json!({"type": "string", "enum": words}),
        Kind::Switch => json!({"type": "boolean"}),
        Kind::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Number(least, most) => json!({"type": "number", "minimum": least, "maximum": most}),
        Kind::Text => json!({"type": "string"}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
    };
    out["description"] = json!(described(key));
    if let Some(default) = default(key) {
        out["default"] = default;
    }
    if key.used == Use::Nobody && key.name != "$schema" {
        out["deprecated"] = json!(true);
    }
    out
}

/// Returns what a key does, with what a repository may do about it.
pub fn described(key: &Key) -> String {
    let safety = match key.safety {
        None => "",
        Some(Safety::SafestFirst) => {
            " The words go from safe to bold; a repository may only go back."
        }
        Some(Safety::TrueIsSafe) => " A repository may only switch it on.",
        Some(Safety::FalseIsSafe) => " A repository may only switch it off.",
        Some(Safety::UserOnly) => " Only in your own configuration.",
    };
    let used = match key.used {
        Use::Elsewhere => " Checked and kept; this version does not use it.",
        Use::Here | Use::Nobody => "",
    };
    format!("{}{safety}{used}", key.about)
}
