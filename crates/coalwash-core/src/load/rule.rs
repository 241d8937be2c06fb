//! The condition in the front matter of a rule.

use serde_json::{Map, Value};

use super::pattern::{PathScope, path_scope};

/// Works out from its front matter when a rule is loaded.
pub fn scope(front_matter: &Map<String, Value>) -> PathScope {
    path_scope(paths(front_matter))
}

/// Returns the `paths` of a front matter, as they are written.
pub fn paths(front_matter: &Map<String, Value>) -> Vec<&str> {
    let mut texts = Vec::new();
    if let Some(paths) = front_matter.get("paths") {
        collect(paths, &mut texts);
    }
    texts
}

/// Lists of lists are flattened; what is no text is no pattern.
fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::pattern::Patterns;
    use crate::text::front_matter;

    /// Answers of the client on one touch of `src/x.rs`, for files whose front matter is plainly
    /// between two `---` lines; what counts as front matter is tested with the text reader.
    #[test]
    fn rules_wait_for_what_the_client_waited_for() {
        let text = include_str!("../../fixtures/claude-code/rule-front-matter.json");
        let cases: Vec<Value> = serde_json::from_str(text).unwrap();
        let mut wrong = Vec::new();
        for case in &cases {
            let file = case["file"].as_str().unwrap();
            let Some(yaml) = file.strip_prefix("---\n").and_then(|f| f.strip_suffix("---\nM"))
            else {
                continue;
            };
            if yaml.contains("---") {
                continue;
            }
            let scope = front_matter::parse(yaml).map_or(PathScope::Everywhere, |m| scope(&m));
            let ours = match scope {
                PathScope::Everywhere => "start",
                PathScope::Only(list) => {
                    let patterns = Patterns::new(list.iter().map(String::as_str));
                    if patterns.matches("src/x.rs") { "touch" } else { "never" }
                }
                PathScope::Bomb => "bomb",
            };
            if case["2.1.332"] != ours {
                wrong.push(format!("{yaml:?}: client {}, ours {ours}", case["2.1.332"]));
            }
        }
        assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    }
}
