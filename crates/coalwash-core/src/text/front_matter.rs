//! The YAML in front of a Markdown file, read as leniently as hosts do.

use saphyr::{Scalar, Yaml, YamlLoader};
use saphyr_parser::Parser;
use serde_json::{Map, Value};

/// YAML bytes beyond which front matter isn't parsed; real ones stay below a few KB.
pub const MOST_BYTES: usize = 256 * 1024;

/// Returns the keys and values of `yaml`, or `None` where nothing can be made of it.
///
/// What doesn't parse is tried again with every suspicious value of a `key: value` line in quotes,
/// as Claude Code does, so that `paths: **/*.rs` is text and not an alias. YAML that holds no
/// mapping gives an empty one.
pub fn parse(yaml: &str) -> Option<Map<String, Value>> {
    if yaml.len() > MOST_BYTES {
        return None;
    }
    let value =
        load(yaml).or_else(|| load(&with_commas_quoted(yaml)?)).or_else(|| load(&quoted(yaml)))?;
    match value {
        Value::Object(map) => Some(map),
        _ => Some(Map::new()),
    }
}

/// Returns the keys and values of `yaml` as it stands; none where it isn't YAML of a mapping.
pub fn parse_strictly(yaml: &str) -> Option<Map<String, Value>> {
    match load(yaml).filter(|_| yaml.len() <= MOST_BYTES)? {
        Value::Object(map) => Some(map),
        _ => Some(Map::new()),
    }
}

fn load(yaml: &str) -> Option<Value> {
    let indented;
    let yaml = if yaml.contains('\t') || yaml.contains("\n]") || yaml.contains("\n}") {
        indented = indented_as_the_host_does(yaml);
        &indented
    } else {
        yaml
    };
    let mut loader = YamlLoader::<Yaml<'_>>::default();
    loader.allow_duplicate_keys(true);
    Parser::new_from_str(yaml).load(&mut loader, true).ok()?;
    if loader.error().is_some() {
        return None;
    }
    let mut docs = loader.into_documents();
    if docs.len() > 1 {
        return None;
    }
    Some(docs.pop().map_or(Value::Null, |doc| json(&doc)))
}

fn json(yaml: &Yaml<'_>) -> Value {
    match yaml {
        Yaml::Value(Scalar::Null) | Yaml::Alias(_) => Value::Null,
        // A binary tag, say: something, but nothing that a name or pattern could equal.
        Yaml::BadValue => Value::from("\0"),
        Yaml::Value(Scalar::Boolean(b)) => Value::Bool(*b),
        Yaml::Value(Scalar::Integer(n)) => Value::from(*n),
        Yaml::Value(Scalar::FloatingPoint(n)) => Value::from(n.into_inner()),
        Yaml::Value(Scalar::String(s)) => Value::from(s.as_ref()),
        Yaml::Representation(s, ..) => Value::from(s.as_ref()),
        Yaml::Sequence(items) => items.iter().map(json).collect(),
        Yaml::Mapping(map) => {
            let mut out = Map::new();
            for (key, value) in map {
                if let Value::String(key) = json(key) {
                    out.insert(key, json(value));
                }
            }
            // YAML 1.1's merge key.
            if let Some(Value::Object(merged)) = out.remove("<<") {
                for (key, value) in merged {
                    out.entry(key).or_insert(value);
                }
            }
            Value::Object(out)
        }
        Yaml::Tagged(_, inner) => json(inner),
    }
}

/// Rewrites what the host's parser takes as indentation and ours doesn't: tabs, and a closing
/// bracket in the first column.
fn indented_as_the_host_does(yaml: &str) -> String {
    let mut out = String::with_capacity(yaml.len() + 8);
    for line in yaml.split_inclusive('\n') {
        let text = line.trim_start_matches([' ', '\t']);
        let indent = &line[..line.len() - text.len()];
        out.push_str(&indent.replace('\t', "  "));
        if indent.is_empty() && text.starts_with([']', '}']) {
            out.push(' ');
        }
        out.push_str(text);
    }
    out
}

/// Puts values that begin with a comma in quotes: the host's parser takes them as text. `None` where
/// there are none.
fn with_commas_quoted(yaml: &str) -> Option<String> {
    let lines = yaml.split('\n').map(|line| {
        let at = [": ,", "- ,"].iter().filter_map(|start| line.find(start)).min();
        let at = at.filter(|at| !line[..*at].contains(['"', '\'', '#', '[', '{']));
        let Some(at) = at else { return (line.to_owned(), false) };
        let (before, value) = line.split_at(at + 2);
        (format!("{before}'{}'", value.trim_end().replace('\'', "''")), true)
    });
    let (lines, changed): (Vec<_>, Vec<_>) = lines.unzip();
    changed.contains(&true).then(|| lines.join("\n"))
}

/// Puts the value of each `key: value` line in quotes if a character in it could mean something.
fn quoted(yaml: &str) -> String {
    let lines: Vec<String> = yaml.split('\n').map(quoted_line).collect();
    lines.join("\n")
}

fn quoted_line(line: &str) -> String {
    let whole = || line.to_owned();
    let Some((key, rest)) = line.split_once(':') else { return whole() };
    let value = rest.trim_start_matches(super::lines::is_js_space);
    let is_key = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '-';
    let ends = ['\r', '\u{2028}', '\u{2029}'];
    if key.is_empty()
        || !key.chars().all(is_key)
        || value.len() == rest.len()
        || value.is_empty()
        || value.contains(ends)
    {
        return whole();
    }
    let in_quotes = |q: char| value.len() > 1 && value.starts_with(q) && value.ends_with(q);
    let special = value.contains(['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`']);
    let odd = special || value.contains(": ") || value.starts_with(',');
    if in_quotes('"') || in_quotes('\'') || !odd {
        return whole();
    }
    // A list that is fine by itself stays one.
    if value.starts_with('[') && value.ends_with(']') && load(value).is_some() {
        return whole();
    }
    format!("{key}: \"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
