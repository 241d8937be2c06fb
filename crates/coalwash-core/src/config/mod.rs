//! The configuration: which keys there are, what the files set, and which value is in force.
//!
//! Two layers: the repository's file and the user's own. The repository may only make things
//! stricter or quieter. Nothing here reads a file; [`read()`] takes bytes, [`Config::of`] takes what
//! was read.

use camino::Utf8PathBuf;
use serde::Serialize;
use serde_json::Value;

pub mod edit;
pub mod keys;
mod read;
pub mod schema;
#[cfg(test)]
mod tests;

pub use keys::{Key, Kind, Safety, Use};
pub use read::{MOST_BYTES, Parsed, Set, read};
pub(crate) use read::{jsonc, jsonc_with_final_commas};

use read::fit as fits;

/// The hosts that a budget can name.
pub const HOSTS: [&str; 4] = ["claude-code", "codex", "gemini-cli", "opencode"];

/// Returns the id of a host that someone typed.
pub fn host_id(name: &str) -> Option<&'static str> {
    match name {
        "claude" => Some(HOSTS[0]),
        "gemini" => Some(HOSTS[2]),
        _ => HOSTS.into_iter().find(|id| *id == name),
    }
}

/// Where a file stands in the order of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// `coalwash.jsonc` at the root of the project.
    Repository,
    /// A file of the Node engine in the project.
    NodeRepository,
    /// The user's own.
    User,
    /// The Node engine's file of the user.
    NodeUser,
}

impl Layer {
    /// Returns whether the file comes with the repository.
    pub fn is_repository(self) -> bool {
        matches!(self, Self::Repository | Self::NodeRepository)
    }

    /// Returns whether the file has our own name.
    pub fn is_ours(self) -> bool {
        matches!(self, Self::Repository | Self::User)
    }
}

/// Files of a project, the first that can be read is in force.
///
/// Source: the order of the Node engine, behind our own name.
pub const PROJECT_FILES: [(&str, Layer); 6] = [
    ("coalwash.jsonc", Layer::Repository),
    (".claude/coal/coalwash.json", Layer::NodeRepository),
    (".agents/coal/coalwash.json", Layer::NodeRepository),
    (".gemini/coal/coalwash.json", Layer::NodeRepository),
    (".claude/.coalwash.json", Layer::NodeRepository),
    (".coalwash.json", Layer::NodeRepository),
];

/// Names that look like one of them and that no one reads.
pub const NEVER_READ: [&str; 2] = [".agents/.coalwash.json", ".gemini/.coalwash.json"];

/// Names that people give to [`PROJECT_FILES`]' first, and that no one reads either. Where there is
/// no other file one of them is a problem: whoever wrote it means it.
pub const MISNAMED: [&str; 5] =
    ["coalwash.json", ".coalwash.jsonc", "coalwash.yaml", "coalwash.yml", "coalwash.toml"];

/// The same beside the user's `config.jsonc`.
pub const USER_MISNAMED: [&str; 4] =
    ["config.json", "coalwash.jsonc", "coalwash.json", "config.toml"];

/// A file of settings that is not in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotInForce {
    /// Where it is.
    pub path: Utf8PathBuf,
    /// Why it isn't, a clause about it without a full stop.
    pub why: String,
}

/// Where a value stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The file.
    pub path: Utf8PathBuf,
    /// The 1-based line; 0 where the file as a whole is meant.
    pub line: usize,
    /// The 1-based column, in characters; 0 where the file as a whole is meant.
    pub column: usize,
}

/// How serious a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// The file as a whole can't be used.
    File,
    /// A key that no one knows.
    Unknown,
    /// A value that doesn't fit; the next layer's, or the default, is taken.
    Value,
    /// A value that doesn't fit and protects something; the safe value is taken.
    Safety,
    /// Something about a budget, which is never read as if it were not there.
    Budget,
}

/// Something wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where.
    #[serde(flatten)]
    pub origin: Origin,
    /// What, without a full stop.
    pub what: String,
    /// What to do.
    pub fix: String,
    /// How serious it is.
    pub trouble: Trouble,
}

/// A file that exists, and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Where it is.
    pub path: Utf8PathBuf,
    /// Where it stands in the order.
    pub layer: Layer,
    /// What it says.
    pub parsed: Parsed,
}

/// A value in force, or one that was set and isn't.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The key, with the user's part of an open one.
    pub name: String,
    /// The value in force.
    pub value: Value,
    /// Where it was set; `None` is the default.
    pub origin: Option<Origin>,
    /// Values that were set and are not in force, with the reason.
    pub overruled: Vec<(Origin, Value, &'static str)>,
}

/// The configuration in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Every key that a file sets, in the order of [`keys::KEYS`].
    pub settings: Vec<Setting>,
    /// What is wrong with the files.
    pub problems: Vec<Problem>,
    /// The repository's file in force, and the user's.
    pub files: Vec<(Utf8PathBuf, Layer)>,
}

impl Config {
    /// Merges files, given in their order: the repository's first.
    pub fn of(files: &[File]) -> Self {
        let mut out = Self::default();
        for file in files {
            out.problems.extend(file.parsed.problems.iter().cloned());
        }
        let first = |repository: bool| {
            files.iter().find(|f| f.layer.is_repository() == repository && f.parsed.readable)
        };
        let (project, user) = (first(true), first(false));
        out.files =
            [project, user].into_iter().flatten().map(|f| (f.path.clone(), f.layer)).collect();
        // A user's file that can't be read asked for something, and no one knows for what.
        let user_unread = files.iter().any(|f| !f.layer.is_repository() && !f.parsed.readable);
        for key in keys::KEYS {
            let mut names: Vec<&str> = Vec::new();
            let sets = [project, user].into_iter().flatten().flat_map(|f| &f.parsed.set);
            for set in sets.filter(|set| keys::find(&set.name).is_some_and(|k| k.name == key.name))
            {
                if !names.contains(&&*set.name) {
                    names.push(&set.name);
                }
            }
            if names.is_empty() && key.safety.is_some() && !key.is_open() {
                names.push(key.name);
            }
            for name in names {
                let of = |file: Option<&File>| {
                    file.and_then(|f| f.parsed.set.iter().find(|set| set.name == name)).cloned()
                };
                let user = of(user);
                let setting = match key.safety {
                    None => plain(key, name, of(project), user),
                    Some(safety) => {
                        // A switch that turns things off counts in any file that can be read.
                        let project = if key.name == "coalwashMode" {
                            strictest(key, files)
                        } else {
                            of(project)
                        };
                        safe(key, safety, project, user, user_unread)
                    }
                };
                if setting.origin.is_some() || !setting.overruled.is_empty() || user_unread {
                    out.settings.push(setting);
                }
            }
        }
        out
    }

    /// Returns the files, of those that were merged, that can be read and come too late in the order.
    pub fn behind(&self, files: &[File]) -> Vec<NotInForce> {
        let late = files.iter().filter(|file| file.parsed.readable);
        let late = late.filter(|file| self.files.iter().all(|(path, _)| *path != file.path));
        let why = |file: &File| {
            let is_repository = file.layer.is_repository();
            let mut sides = self.files.iter();
            let (first, _) = sides.find(|(_, layer)| layer.is_repository() == is_repository)?;
            let name = first.file_name().unwrap_or_default();
            let has_switch = file.parsed.set.iter().any(|set| set.name == "coalwashMode");
            let but = if is_repository && has_switch { ", but for its `coalwashMode`" } else { "" };
            Some(format!("is not in force{but}: `{name}` is"))
        };
        late.filter_map(|file| Some(NotInForce { path: file.path.clone(), why: why(file)? }))
            .collect()
    }

    /// Returns the value in force, where a file sets it or the key has a default.
    pub fn get(&self, name: &str) -> Option<Value> {
        let set = self.settings.iter().find(|setting| setting.name == name);
        set.map(|setting| setting.value.clone()).or_else(|| default(keys::find(name)?))
    }

    /// Returns a whole number in force.
    pub fn whole(&self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }

    /// Returns a list of texts in force.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let items = self.get(name).and_then(|value| value.as_array().cloned()).unwrap_or_default();
        items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    }

    /// Returns the settings of an open key with the user's part of each name, e.g. of `files.*`.
    pub fn open<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (&'a str, &'a Setting)> {
        let above = key.trim_end_matches('*');
        self.settings.iter().filter_map(move |setting| {
            let own = keys::find(&setting.name).is_some_and(|k| k.name == key);
            setting.name.strip_prefix(above).filter(|_| own).map(|part| (part, setting))
        })
    }
}

/// Returns the default of a key.
pub fn default(key: &Key) -> Option<Value> {
    key.default.and_then(|text| serde_json::from_str(text).ok())
}

/// Merges a key that protects nothing: the repository's value, then the user's, then the default.
fn plain(key: &Key, name: &str, project: Option<Set>, user: Option<Set>) -> Setting {
    let mut setting = Setting {
        name: name.to_owned(),
        value: default(key).unwrap_or(Value::Null),
        origin: None,
        overruled: Vec::new(),
    };
    for set in [project, user].into_iter().flatten() {
        let why = match (set.fits, &setting.origin) {
            (true, None) => {
                setting.value = canonical(key, set.value);
                setting.origin = Some(set.origin);
                continue;
            }
            (true, Some(_)) => "the repository sets it",
            (false, _) => "the value does not fit",
        };
        setting.overruled.push((set.origin, set.value, why));
    }
    setting
}

/// Merges a key that protects something.
fn safe(
    key: &Key,
    safety: Safety,
    project: Option<Set>,
    user: Option<Set>,
    user_unread: bool,
) -> Setting {
    let safest = match (safety, key.kind) {
        (Safety::TrueIsSafe, _) => Value::Bool(true),
        (Safety::FalseIsSafe, _) => Value::Bool(false),
        (_, Kind::Word(words)) => Value::String(words[0].to_owned()),
        _ => default(key).unwrap_or(Value::Null),
    };
    let mut setting = Setting {
        name: key.name.to_owned(),
        value: default(key).unwrap_or(Value::Null),
        origin: None,
        overruled: Vec::new(),
    };
    if user_unread && safety != Safety::UserOnly {
        setting.value = safest.clone();
    }
    match user {
        Some(set) if set.fits => {
            setting.value = canonical(key, set.value);
            setting.origin = Some(set.origin);
        }
        Some(set) => {
            setting.value = safest;
            setting.overruled.push((set.origin, set.value, "the value does not fit"));
        }
        None => {}
    }
    let Some(set) = project else { return setting };
    let value = canonical(key, set.value.clone());
    let rank = |value: &Value| match (safety, key.kind) {
        (Safety::TrueIsSafe, _) => usize::from(value != &Value::Bool(true)),
        (Safety::FalseIsSafe, _) => usize::from(value != &Value::Bool(false)),
        (_, Kind::Word(words)) => words.iter().position(|word| value == word).unwrap_or(0),
        _ => 0,
    };
    let why = match (set.fits, safety) {
        (false, _) => "the value does not fit",
        (true, Safety::UserOnly) => "a repository has no say here",
        (true, _) if rank(&value) < rank(&setting.value) => {
            if let Some(origin) = setting.origin.replace(set.origin) {
                let before = std::mem::replace(&mut setting.value, value);
                setting.overruled.push((origin, before, "the repository is stricter"));
            } else {
                setting.value = value;
            }
            return setting;
        }
        (true, _) if value == setting.value => "the same is in force already",
        (true, _) => "a repository may only make it stricter",
    };
    setting.overruled.push((set.origin, set.value, why));
    setting
}

/// Returns the strictest value of a key in all of the repository's files.
fn strictest(key: &Key, files: &[File]) -> Option<Set> {
    let Kind::Word(words) = key.kind else { return None };
    let sets = files
        .iter()
        .filter(|f| f.layer.is_repository() && f.parsed.readable)
        .flat_map(|f| f.parsed.set.iter().filter(|set| set.name == key.name));
    sets.min_by_key(|set| {
        let value = canonical(key, set.value.clone());
        words.iter().position(|word| value == *word).unwrap_or(usize::MAX)
    })
    .cloned()
}

/// Returns a word in lower case, anything else as it is.
fn canonical(key: &Key, value: Value) -> Value {
    match (key.kind, &value) {
        (Kind::Word(words), Value::String(text)) => {
            let word = words.iter().find(|word| word.eq_ignore_ascii_case(text));
            word.map_or(value.clone(), |word| Value::String((*word).to_owned()))
        }
        _ => value,
    }
}
