//! `coalwash config`: which keys are set, where, and which value is in force.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::keys::{KEYS, Use};
use coalwash_core::config::{
    Config, Key, Kind, Layer, NotInForce, Origin, PROJECT_FILES, Problem, Setting, default, edit,
    keys, schema,
};
use coalwash_core::load::check::Limits;
use coalwash_core::text::escaped;
use coalwash_store::config::repository_files;
use coalwash_store::disk::{own_folder, read_file};
use serde::Serialize;
use serde_json::Value;

use crate::cli::{ConfigAct, ConfigArgs, Global};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::settings::{Found, not_in_force, problem, read};
use crate::ui::{Line, Mark, Names, Ui, pad, plural, wrapped};
use crate::writer::{Writer, physical};

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &ConfigArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    match &args.act {
        Some(ConfigAct::Schema) => {
            ui.json(&schema::schema())?;
            return Ok(Exit::Ok);
        }
        Some(ConfigAct::Explain { key }) if global.json => {
            ui.json(&explained_json(key.as_deref())?)?;
            return Ok(Exit::Ok);
        }
        Some(ConfigAct::Explain { key }) => {
            ui.screen(&explained(key.as_deref(), ui)?)?;
            return Ok(Exit::Ok);
        }
        _ => {}
    }
    let folder = env.folder(global.project.as_deref())?;
    let mut found = read(env, &folder);
    if args.act.is_none() {
        // What `check` would refuse is said here, too.
        let own = Config::of(&repository_files(&found.root));
        let refused = Limits::of(&own).err().unwrap_or_default();
        let new = refused.into_iter().filter(|it| !own.problems.contains(it));
        found.config.problems.extend(new);
    }
    let names = Names { root: &found.root, home: env.home.as_deref(), memory: None };
    match &args.act {
        None if global.json => {
            ui.json(&json(&found))?;
        }
        None => ui.screen(&screen(&found, &names, ui))?,
        Some(ConfigAct::Get { key }) => {
            edit::known(key).map_err(|error| Failure::usage(error.to_string(), EXPLAIN))?;
            let value = found.config.get(key).unwrap_or(Value::Null);
            if global.json {
                ui.json(&value)?;
            } else {
                let text = value.as_str().map_or_else(|| shown(&value), str::to_owned);
                ui.data(format!("{text}\n").as_bytes())?;
            }
        }
        Some(ConfigAct::Set { key, value, user, dry_run }) => {
            let change = Change::plan(env, &found.root, key, value, *user)?;
            let mut lines = change.screen(*dry_run, &names);
            if !dry_run {
                change.apply(env, &folder, *user, ui)?;
                let now = read(env, &folder).config.get(key);
                if now.as_ref().is_some_and(|now| shown(now) != shown(&change.value)) {
                    let why = "It is not in force: coalwash config";
                    lines.push(Line::marked(Mark::Warn, why));
                }
            }
            ui.screen(&lines)?;
            return Ok(Exit::Ok);
        }
        Some(ConfigAct::Schema | ConfigAct::Explain { .. }) => {}
    }
    Ok(if found.config.problems.is_empty() { Exit::Ok } else { Exit::Usage })
}

const EXPLAIN: &str = "coalwash config explain";

/// Returns a value as a person would write it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "(not set)".to_owned(),
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn place(origin: &Origin, names: &Names<'_>) -> String {
    let path = names.of(&origin.path);
    match origin.line {
        0 => path,
        line => format!("{path}:{line}"),
    }
}

fn screen(found: &Found, names: &Names<'_>, ui: &Ui) -> Vec<Line> {
    let config = &found.config;
    let set = |setting: &&Setting| setting.origin.is_some() || !setting.overruled.is_empty();
    let settings: Vec<&Setting> = config.settings.iter().filter(set).collect();
    let title = match (settings.len(), config.files.is_empty() && config.problems.is_empty()) {
        (0, true) => "No configuration: every key has its default.".to_owned(),
        (0, false) => "No key is set.".to_owned(),
        (1, _) => "1 key is set.".to_owned(),
        (n, _) => format!("{n} keys are set."),
    };
    let mut out = vec![Line::marked(Mark::Strong, title)];
    let width = settings.iter().map(|s| s.name.chars().count()).max().unwrap_or(0).min(36);
    let values = settings.iter().map(|s| shown(&s.value).chars().count()).max().unwrap_or(0);
    for setting in settings {
        let from = match &setting.origin {
            Some(origin) => place(origin, names),
            None => "default".to_owned(),
        };
        let value = escaped(&shown(&setting.value)).into_owned();
        let name = pad(&escaped(&setting.name), width);
        let line = format!("  {name}  {}  {from}", pad(&value, values.min(20)));
        out.extend(wrapped(line.trim_end(), ui.width, 6).into_iter().map(Line::plain));
        for (origin, value, why) in &setting.overruled {
            let value = value.to_string();
            let line = format!("      not {} of {}: {why}", escaped(&value), place(origin, names));
            out.extend(wrapped(&line, ui.width, 8).into_iter().map(Line::plain));
        }
    }
    if !config.problems.is_empty() {
        out.push(Line::plain(""));
        let count = plural(config.problems.len(), "problem", "problems");
        out.push(Line::marked(Mark::Bad, format!("{count}:")));
        for it in &config.problems {
            let line = format!("  {}", problem(it, names));
            out.extend(wrapped(&line, ui.width, 6).into_iter().map(Line::plain));
        }
    }
    for it in found.behind.iter().chain(&found.never_read) {
        let line = not_in_force(it, names);
        out.extend(wrapped(&line, ui.width, 4).into_iter().map(Line::plain));
    }
    out.push(Line::hint("Nothing was written.  All keys: coalwash config explain"));
    out
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    project: &'a Utf8Path,
    files: Vec<JsonFile<'a>>,
    settings: Vec<JsonSetting<'a>>,
    problems: &'a [Problem],
    never_read: Vec<&'a Utf8Path>,
    not_in_force: Vec<&'a NotInForce>,
}

#[derive(Serialize)]
struct JsonFile<'a> {
    path: &'a Utf8Path,
    layer: Layer,
}

#[derive(Serialize)]
struct JsonSetting<'a> {
    key: &'a str,
    value: &'a Value,
    origin: &'a Option<Origin>,
    overruled: Vec<JsonOverruled<'a>>,
}

#[derive(Serialize)]
struct JsonOverruled<'a> {
    value: &'a Value,
    origin: &'a Origin,
    why: &'static str,
}

fn json(found: &Found) -> Json<'_> {
    let settings = found.config.settings.iter().map(|setting| JsonSetting {
        key: &setting.name,
        value: &setting.value,
        origin: &setting.origin,
        overruled: setting
            .overruled
            .iter()
            .map(|(origin, value, why)| JsonOverruled { value, origin, why })
            .collect(),
    });
    Json {
        schema: "coalwash.config/1",
        project: &found.root,
        files: found
            .config
            .files
            .iter()
            .map(|(path, layer)| JsonFile { path, layer: *layer })
            .collect(),
        settings: settings.collect(),
        problems: &found.config.problems,
        never_read: found.never_read.iter().map(|it| &*it.path).collect(),
        not_in_force: found.behind.iter().chain(&found.never_read).collect(),
    }
}

#[derive(Serialize)]
struct JsonKey {
    key: &'static str,
    about: String,
    takes: String,
    default: Option<Value>,
}

#[derive(Serialize)]
struct JsonKeys {
    schema: &'static str,
    keys: Vec<JsonKey>,
}

fn explained_json(name: Option<&str>) -> Result<JsonKeys, Failure> {
    let one = name.map(described_key).transpose()?;
    let keys = KEYS.iter().filter(|key| one.is_none_or(|one| one.name == key.name));
    let keys = keys.map(|key| JsonKey {
        key: key.name,
        about: schema::described(key),
        takes: takes(key),
        default: default(key),
    });
    Ok(JsonKeys { schema: "coalwash.config-keys/1", keys: keys.collect() })
}

/// Returns the key that someone asks about; an open one may be named as in the table.
fn described_key(name: &str) -> Result<&'static Key, Failure> {
    if let Some(key) = keys::find(name).or_else(|| KEYS.iter().find(|key| key.name == name)) {
        return Ok(key);
    }
    edit::known(name).map_err(|error| Failure::usage(error.to_string(), EXPLAIN))
}

/// Returns what a key does, or what all of them do.
fn explained(name: Option<&str>, ui: &Ui) -> Result<Vec<Line>, Failure> {
    let Some(name) = name else {
        let mut out = vec![Line::marked(Mark::Strong, "Keys of `coalwash.jsonc`:")];
        let used = KEYS.iter().filter(|key| key.used != Use::Nobody);
        for key in used {
            let line = format!("  {}  {}", pad(key.name, 30), key.about);
            out.extend(wrapped(&line, ui.width, 34).into_iter().map(Line::plain));
        }
        out.push(Line::hint("One key: coalwash config explain KEY"));
        return Ok(out);
    };
    let key = described_key(name)?;
    let mut out = vec![Line::marked(Mark::Strong, key.name)];
    let about = schema::described(key);
    out.extend(wrapped(&format!("  {about}"), ui.width, 2).into_iter().map(Line::plain));
    out.push(Line::plain(format!("  Takes {}.", takes(key))));
    let default = default(key).map_or("none".to_owned(), |value| value.to_string());
    out.push(Line::plain(format!("  Default: {default}")));
    Ok(out)
}

fn takes(key: &Key) -> String {
    match key.kind {
        Kind::Word(words) => words.join(", "),
        Kind::Switch => "true, false".to_owned(),
        Kind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Kind::Number(least, most) => format!("a number from {least} to {most}"),
        Kind::Text => "a text".to_owned(),
        Kind::Texts => "a list of texts".to_owned(),
    }
}

/// One key that is to be set.
#[derive(Debug)]
struct Change {
    path: Utf8PathBuf,
    key: String,
    value: Value,
    old: Option<Vec<u8>>,
    new: String,
}

impl Change {
    fn plan(
        env: &Env,
        root: &Utf8Path,
        key: &str,
        text: &str,
        user: bool,
    ) -> Result<Self, Failure> {
        let value =
            edit::typed(key, text).map_err(|error| Failure::usage(error.to_string(), EXPLAIN))?;
        let (path, layer) = target(env, root, user)?;
        let old = match read_file(&path, coalwash_core::config::MOST_BYTES + 1) {
            Ok(bytes) if bytes.len() as u64 > coalwash_core::config::MOST_BYTES => {
                let what = format!("`{path}` is larger than 1 MiB");
                return Err(Failure::usage(what, "make it small again"));
            }
            Ok(bytes) => Some(bytes),
            Err(coalwash_core::load::Unreadable::Missing) => None,
            Err(why) => {
                let what = format!("`{path}` can't be read: {why}");
                return Err(Failure::usage(what, "correct it, or take it away"));
            }
        };
        let before = String::from_utf8(old.clone().unwrap_or_default()).map_err(|_| {
            let what = format!("`{path}` is not UTF-8");
            Failure::usage(what, "save it as UTF-8")
        })?;
        let (mark, text) = match before.strip_prefix('\u{feff}') {
            Some(rest) => ("\u{feff}", rest),
            None => ("", &*before),
        };
        let new = edit::set(text, layer, key, &value)
            .map_err(|error| Failure::usage(format!("{path}: {error}"), "correct it"))?;
        Ok(Self { path, key: key.to_owned(), value, old, new: format!("{mark}{new}") })
    }

    fn apply(&self, env: &Env, folder: &Utf8Path, user: bool, ui: &mut Ui) -> anyhow::Result<()> {
        if self.old.as_deref() == Some(self.new.as_bytes()) {
            return Ok(());
        }
        if user && let Some(own) = self.path.parent() {
            own_folder(own)
                .map_err(|error| Failure::io(format!("could not make `{own}`: {error}")))?;
        }
        let origin = format!("config set {}", self.key);
        let path = physical(&self.path);
        Writer::of(env, folder)?.write_settings(&origin, &path, self.old.as_deref(), &self.new, ui)
    }

    fn screen(&self, dry_run: bool, names: &Names<'_>) -> Vec<Line> {
        let (path, value) = (names.of(&self.path), escaped(&shown(&self.value)).into_owned());
        let same = self.old.as_deref() == Some(self.new.as_bytes());
        let key = escaped(&self.key);
        let text = match (dry_run, same) {
            (_, true) => format!("{path} has {key} = {value} already. Nothing was written."),
            (true, _) => format!("Would set {key} = {value} in {path}. Nothing was written."),
            (false, _) => format!("Set {key} = {value} in {path}"),
        };
        vec![Line::plain(text)]
    }
}

/// Returns the file that a key is set in: the one in force, else a new one of our own.
fn target(env: &Env, root: &Utf8Path, user: bool) -> Result<(Utf8PathBuf, Layer), Failure> {
    let candidates: Vec<(Utf8PathBuf, Layer)> = if user {
        env.user_folders().files()
    } else {
        PROJECT_FILES.iter().map(|(name, layer)| (root.join(name), *layer)).collect()
    };
    let exists = |path: &Utf8PathBuf| path.as_std_path().symlink_metadata().is_ok();
    let there = candidates.iter().find(|(path, _)| exists(path));
    there.or(candidates.first()).cloned().ok_or_else(|| {
        Failure::usage("`HOME` names no absolute path", "set it, or `XDG_CONFIG_HOME`")
    })
}
