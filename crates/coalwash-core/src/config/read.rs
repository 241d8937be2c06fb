//! Reads one configuration file: its bytes, its syntax, its keys.

use camino::Utf8PathBuf;
use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::keys::{self, RETIRED, Safety};
use super::{Kind, Layer, Origin, Problem, Trouble, fits};

/// Bytes of the largest file that is read.
pub const MOST_BYTES: u64 = 1 << 20;

/// Names that a JavaScript reader drops.
const DROPPED: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// One value that a file sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// The name of the key, with dots; of an open key with the user's part.
    pub name: String,
    /// The value as it stands there.
    pub value: Value,
    /// Where it stands.
    pub origin: Origin,
    /// Whether the value fits the key.
    pub fits: bool,
}

/// What one file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// Its values in the order of the file; what fits no key is not among them.
    pub set: Vec<Set>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// Whether the file as a whole could be read.
    pub readable: bool,
}

impl Parsed {
    /// A file that could not be read as a whole.
    pub fn unusable(path: &Utf8PathBuf, at: Option<(usize, usize)>, what: &str, fix: &str) -> Self {
        let (line, column) = at.unwrap_or((0, 0));
        let origin = Origin { path: path.clone(), line, column };
        let problem =
            Problem { origin, what: what.to_owned(), fix: fix.to_owned(), trouble: Trouble::File };
        Self { problems: vec![problem], ..Self::default() }
    }
}

/// Returns the text of a file's bytes: UTF-8, or UTF-16 with a byte order mark or with NULs.
fn decoded(bytes: &[u8]) -> Option<String> {
    let utf16 = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        let whole = bytes.len().is_multiple_of(2);
        char::decode_utf16(units).collect::<Result<String, _>>().ok().filter(|_| whole)
    };
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        _ if bytes.contains(&0) => utf16(bytes, u16::from_le_bytes)?,
        _ => String::from_utf8(bytes.to_vec()).ok()?,
    };
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Returns the options of the parser for a layer: comments everywhere, final commas only in files
/// of our own, since the Node engine refuses them.
pub(super) fn options(layer: Layer) -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: layer.is_ours(),
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Reads a file of a layer.
pub fn read(path: &Utf8PathBuf, layer: Layer, bytes: &[u8]) -> Parsed {
    let Some(text) = decoded(bytes) else {
        let fix = "save it as UTF-8";
        return Parsed::unusable(path, None, "it is neither UTF-8 nor UTF-16", fix);
    };
    let collect = CollectOptions::default();
    let root = match parse_to_ast(&text, &collect, &options(layer)) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let at = position(&text, error.range().start);
            let what = format!("it is not JSON: {}", lowered(&error.kind().to_string()));
            return Parsed::unusable(path, Some(at), &what, "correct it");
        }
    };
    let Some(Ast::Object(root)) = root else {
        let fix = "put `{` and `}` around its keys";
        return Parsed::unusable(path, None, "it is not a JSON object", fix);
    };
    let mut reader =
        Reader { path, layer, text: &text, out: Parsed { readable: true, ..Parsed::default() } };
    reader.object(&root, "");
    reader.out
}

struct Reader<'a> {
    path: &'a Utf8PathBuf,
    layer: Layer,
    text: &'a str,
    out: Parsed,
}

impl Reader<'_> {
    fn origin(&self, at: usize) -> Origin {
        let (line, column) = position(self.text, at);
        Origin { path: self.path.clone(), line, column }
    }

    fn problem(&mut self, at: usize, what: String, fix: String, trouble: Trouble) {
        let origin = self.origin(at);
        self.out.problems.push(Problem { origin, what, fix, trouble });
    }

    fn object(&mut self, object: &Object<'_>, above: &str) {
        let names = keys::children(above);
        for (i, property) in object.properties.iter().enumerate() {
            let name = property.name.as_str();
            let at = property.name.range().start;
            let full = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
            if DROPPED.contains(&name) || above.is_empty() && RETIRED.contains(&name) {
                continue;
            }
            let later = object.properties[i + 1..].iter().find(|p| p.name.as_str() == name);
            if let Some(later) = later {
                let line = position(self.text, later.name.range().start).0;
                let what = format!("`{full}` is set twice, again in line {line}");
                self.problem(at, what, "take one out".to_owned(), self.strict(&full));
                continue;
            }
            if let Some(key) = keys::find(&full) {
                self.value(&full, key, &property.value, at);
            } else if names.contains(&name) || is_open_object(&full) {
                match &property.value {
                    Ast::Object(inner) => self.object(inner, &full),
                    value => {
                        let what = format!("`{full}` is {}, not an object", kind_of(value));
                        let fix = format!("write `\"{name}\": {{ … }}`");
                        self.problem(at, what, fix, self.strict(&full));
                    }
                }
            } else {
                let meant = keys::meant(name, &names);
                let meant = meant.map_or(String::new(), |m| format!("; did you mean `{m}`?"));
                let fix = "see `coalwash config schema` for the keys".to_owned();
                let trouble = match self.strict(&full) {
                    Trouble::Budget => Trouble::Budget,
                    _ => Trouble::Unknown,
                };
                self.problem(at, format!("unknown key `{full}`{meant}"), fix, trouble);
            }
        }
    }

    fn value(&mut self, name: &str, key: &keys::Key, value: &Ast<'_>, at: usize) {
        let json = json(value);
        let mut fitting = fits(key.kind, &json);
        if key.name == "budget.hosts.*" && fitting.is_ok() {
            let host = name.rsplit('.').next().unwrap_or(name);
            if super::host_id(host).is_none() {
                let hosts = super::HOSTS.join(", ");
                fitting = Err(format!("names no host; the hosts are {hosts}"));
            }
        }
        let origin = self.origin(at);
        if let Err(why) = &fitting {
            let trouble = match key.safety {
                Some(Safety::UserOnly) | None => self.strict(name),
                Some(_) => Trouble::Safety,
            };
            let written = match value {
                Ast::NumberLit(literal) => literal.value.to_owned(),
                _ => json.to_string(),
            };
            let shown: String = written.chars().take(40).collect();
            let what = match key.name {
                "budget.hosts.*" if why.starts_with("names") => format!("`{name}` {why}"),
                _ => format!("`{name}` is `{shown}`, and has to be {why}"),
            };
            let fix = match trouble {
                Trouble::Safety => "correct it; until then the safe value is taken".to_owned(),
                _ => "correct it, or take it out".to_owned(),
            };
            self.out.problems.push(Problem { origin: origin.clone(), what, fix, trouble });
        }
        if key.safety == Some(Safety::UserOnly) && self.layer.is_repository() && fitting.is_ok() {
            let what = format!("`{name}` has no effect in a repository");
            let fix = "set it in your own configuration".to_owned();
            self.problem(at, what, fix, Trouble::Value);
        }
        let fits = fitting.is_ok();
        self.out.set.push(Set { name: name.to_owned(), value: json, origin, fits });
    }

    /// Returns how serious a bad value of a key is.
    fn strict(&self, name: &str) -> Trouble {
        let budgets = ["budget", "files", "context"];
        let first = name.split('.').next().unwrap_or(name);
        if budgets.contains(&first) { Trouble::Budget } else { Trouble::Value }
    }
}

/// Returns whether a name is that of an object whose keys are the user's choice.
fn is_open_object(name: &str) -> bool {
    keys::KEYS.iter().any(|key| key.name.strip_suffix(".*") == Some(name))
}

fn kind_of(value: &Ast<'_>) -> &'static str {
    match value {
        Ast::StringLit(_) => "a text",
        Ast::NumberLit(_) => "a number",
        Ast::BooleanLit(_) => "a switch",
        Ast::Object(_) => "an object",
        Ast::Array(_) => "a list",
        Ast::NullKeyword(_) => "`null`",
    }
}

/// Reads JSON with comments and without final commas, as hosts do; `None` where it isn't that.
pub(crate) fn jsonc(text: &str) -> Option<Value> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options(Layer::NodeUser)).ok()?;
    parsed.value.map(|value| json(&value))
}

/// The same, with final commas.
pub(crate) fn jsonc_with_final_commas(text: &str) -> Option<Value> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options(Layer::User)).ok()?;
    parsed.value.map(|value| json(&value))
}

/// Returns a number; a whole one as such, however it is written. One beyond all numbers is the
/// largest.
fn number(written: &str) -> Value {
    const MOST: f64 = (1u64 << 53) as f64;
    let value: Option<serde_json::Number> = serde_json::from_str(written).ok();
    if let Some(value) = value.as_ref().filter(|value| !value.is_f64()) {
        return value.clone().into();
    }
    let float = written.parse::<f64>().unwrap_or_default().clamp(f64::MIN, f64::MAX);
    // As an integer it has the same digits.
    let whole = (float.fract() == 0.0 && float.abs() < MOST).then(|| format!("{float:.0}"));
    let whole = whole.and_then(|digits| serde_json::from_str(&digits).ok());
    whole.unwrap_or_else(|| Value::from(float))
}

/// Returns a value without its places. A number keeps its digits where it is whole.
fn json(value: &Ast<'_>) -> Value {
    match value {
        Ast::StringLit(text) => Value::String(text.value.clone().into_owned()),
        Ast::NumberLit(literal) => number(literal.value),
        Ast::BooleanLit(switch) => Value::Bool(switch.value),
        Ast::NullKeyword(_) => Value::Null,
        Ast::Array(array) => Value::Array(array.elements.iter().map(json).collect()),
        Ast::Object(object) => Value::Object(
            object
                .properties
                .iter()
                .map(|p| (p.name.as_str().to_owned(), json(&p.value)))
                .collect(),
        ),
    }
}

/// Returns the 1-based line and column, in characters, of a byte.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

fn lowered(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Returns whether a value fits a kind, else what it has to be.
pub(super) fn fit(kind: Kind, value: &Value) -> Result<(), String> {
    let holds = match kind {
        Kind::Word(words) => value
            .as_str()
            .is_some_and(|text| words.iter().any(|word| word.eq_ignore_ascii_case(text))),
        Kind::Switch => value.is_boolean(),
        Kind::Whole(least, most) => value.as_u64().is_some_and(|n| (least..=most).contains(&n)),
        Kind::Number(least, most) => value.as_f64().is_some_and(|n| n >= least && n <= most),
        Kind::Text => value.is_string(),
        Kind::Texts => {
            value.as_array().is_some_and(|items| items.iter().all(serde_json::Value::is_string))
        }
    };
    if holds {
        return Ok(());
    }
    Err(match kind {
        Kind::Word(words) => {
            let words: Vec<_> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
            words.join(" or ")
        }
        Kind::Switch => "`true` or `false`".to_owned(),
        Kind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Kind::Number(least, most) => format!("a number from {least} to {most}"),
        Kind::Text => "a text".to_owned(),
        Kind::Texts => "a list of texts".to_owned(),
    })
}
