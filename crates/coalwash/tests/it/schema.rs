//! As much of JSON Schema as the schema of SARIF uses. A word it doesn't know is a failure.

use serde_json::Value;

/// Returns everything that a schema has against a value, each with its place.
pub(crate) fn against(schema: &Value, value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    Check { root: schema, out: &mut out }.value(schema, value, "");
    out
}

struct Check<'a> {
    root: &'a Value,
    out: &'a mut Vec<String>,
}

impl<'a> Check<'a> {
    fn value(&mut self, schema: &'a Value, value: &Value, at: &str) {
        for (word, rule) in schema.as_object().unwrap() {
            match word.as_str() {
                "$ref" => {
                    let name = rule.as_str().unwrap().strip_prefix('#').unwrap();
                    let target = self.root.pointer(name).unwrap();
                    self.value(target, value, at);
                }
                "anyOf" | "oneOf" => {
                    let fits = rule.as_array().unwrap().iter();
                    let count = fits.filter(|it| self.fits(it, value)).count();
                    let enough = if word == "anyOf" { count > 0 } else { count == 1 };
                    self.check(enough, at, || format!("{word} {rule}"));
                }
                "properties" => {
                    for (name, own) in members(value) {
                        if let Some(rule) = rule.get(name) {
                            self.value(rule, own, &format!("{at}/{name}"));
                        }
                    }
                }
                "additionalProperties" => {
                    let known = schema.get("properties");
                    for (name, own) in members(value) {
                        if known.and_then(|known| known.get(name)).is_some() {
                            continue;
                        }
                        match rule {
                            Value::Bool(allowed) => {
                                self.check(*allowed, at, || format!("unknown {name}"));
                            }
                            rule => self.value(rule, own, &format!("{at}/{name}")),
                        }
                    }
                }
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.value(rule, item, &format!("{at}/{i}"));
                    }
                }
                _ => {
                    let holds = holds(word, rule, value);
                    self.check(holds, at, || format!("{word} {rule}, and it is {value}"));
                }
            }
        }
    }

    fn fits(&self, schema: &'a Value, value: &Value) -> bool {
        let mut out = Vec::new();
        Check { root: self.root, out: &mut out }.value(schema, value, "");
        out.is_empty()
    }

    fn check(&mut self, holds: bool, at: &str, what: impl FnOnce() -> String) {
        if !holds {
            self.out.push(format!("{at}: {}", what()));
        }
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Returns whether a word without schemas in it holds.
fn holds(word: &str, rule: &Value, value: &Value) -> bool {
    let items = || value.as_array().map_or(&[][..], Vec::as_slice);
    match word {
        "type" => match rule.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("an unknown type: {other}"),
        },
        "enum" => rule.as_array().unwrap().contains(value),
        "required" => {
            let mut names = rule.as_array().unwrap().iter();
            !value.is_object() || names.all(|name| value.get(name.as_str().unwrap()).is_some())
        }
        "minimum" => value.as_f64().is_none_or(|it| it >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|it| it <= rule.as_f64().unwrap()),
        "minItems" => !value.is_array() || items().len() as u64 >= rule.as_u64().unwrap(),
        "uniqueItems" => {
            rule == false || items().iter().enumerate().all(|(i, it)| !items()[..i].contains(it))
        }
        "format" => match (rule.as_str().unwrap(), value.as_str()) {
            (_, None) => true,
            ("uri", Some(text)) => text.contains(':') && is_uri_reference(text),
            ("uri-reference", Some(text)) => is_uri_reference(text),
            (other, Some(_)) => panic!("a format that is not in use: {other}"),
        },
        "$schema" | "$id" | "$comment" | "definitions" => true,
        // `pattern` stands at identifiers and languages, of which the log has none.
        other => panic!("a word that is not in use: {other}"),
    }
}

/// Returns whether a text has only what a URI may have, with whole escapes, and no scheme by mistake.
///
/// Source: RFC 3986, sections 2 and 4.2.
fn is_uri_reference(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fine = match byte {
            b'%' => {
                let mut digit = || bytes.next().is_some_and(|it| it.is_ascii_hexdigit());
                digit() && digit()
            }
            byte => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte),
        };
        if !fine {
            return false;
        }
    }
    true
}
