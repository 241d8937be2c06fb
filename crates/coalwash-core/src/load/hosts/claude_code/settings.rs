//! Claude Code's settings, as far as they change what is loaded.
//!
//! A settings file with one known key of a wrong type is ignored whole by the host, which few
//! people expect; [`SettingsFile::problem`] says so.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use crate::load::slug::slug;
use crate::load::tree::{Tree, Unreadable, below, resolved};

/// The settings of all files, merged.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Globs of files that are never loaded, from all files.
    pub excludes: Vec<String>,
    /// Whether auto-memory is on.
    pub auto_memory: bool,
    /// Another folder for auto-memory.
    pub memory_folder: Option<Utf8PathBuf>,
    /// Which instruction files are read.
    pub instruction_files: InstructionFiles,
    /// How skills are listed, by name: `off`, `user-invocable-only`, `name-only` or `on`.
    pub skills: FxHashMap<String, String>,
    /// The selected output style.
    pub output_style: Option<String>,
    /// The model that is set.
    pub model: Option<String>,
    /// The share of the window that listings may take, in millionths.
    pub listing_share_millionths: Option<u64>,
    /// UTF-16 units of one description in a listing.
    pub description_units: Option<usize>,
    /// Text that an organisation gives in its settings.
    pub managed_text: Option<String>,
    /// Every file that was looked at and is there.
    pub files: Vec<SettingsFile>,
}

/// Which instruction files are read: the option of the built-in plugin for `AGENTS.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InstructionFiles {
    /// `AGENTS.md` where no `CLAUDE.md` is in use.
    #[default]
    Either,
    /// Both.
    Both,
    /// Never `AGENTS.md`.
    ClaudeOnly,
    /// Only the organisation's.
    ManagedOnly,
}

/// One settings file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where.
    pub path: Utf8PathBuf,
    /// Why the host ignores it, if it does.
    pub problem: Option<String>,
}

/// Where a settings file comes from, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    User,
    Project,
    Local,
    Managed,
}

/// Says whether a value has the type that its key asks for.
type IsRight = fn(&Value) -> bool;

/// The keys whose type the host insists on.
///
/// Measured: a wrong type in any of these makes the host ignore the whole file, see
/// `ARCHITECTURE.md`, "Claude Code". Keys that no test covers are not in the list.
const TYPES: &[(&str, IsRight)] = &[
    ("claudeMdExcludes", is_strings),
    ("autoMemoryEnabled", Value::is_boolean),
    ("autoMemoryDirectory", Value::is_string),
    ("cleanupPeriodDays", Value::is_number),
    ("model", Value::is_string),
    ("outputStyle", Value::is_string),
    ("permissions", is_permissions),
    ("pluginConfigs", Value::is_object),
    ("enabledPlugins", Value::is_object),
];

fn is_strings(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}

fn is_permissions(value: &Value) -> bool {
    let lists = ["allow", "deny", "ask", "additionalDirectories"];
    value.as_object().is_some_and(|p| lists.iter().all(|key| p.get(*key).is_none_or(is_strings)))
}

/// The name of the built-in plugin that reads `AGENTS.md`.
const AGENTS_PLUGIN: &str = "cc-plugin-agents-md@builtin";

impl Settings {
    /// Reads the settings that a session in `cwd` would use.
    ///
    /// The project's settings are those of `cwd`; `root` is the root of the checkout where the
    /// host also reads the local settings of it.
    pub fn read(
        tree: &dyn Tree,
        home: &Utf8Path,
        config: &Utf8Path,
        cwd: &Utf8Path,
        root: Option<&Utf8Path>,
        managed: &Utf8Path,
    ) -> Self {
        let mut out = Self { auto_memory: true, ..Self::default() };
        let mut files = vec![(Source::User, config.join("settings.json"))];
        if let Some(root) = root.filter(|r| *r != cwd) {
            files.push((Source::Local, root.join(".claude/settings.local.json")));
        }
        for (source, name) in
            [(Source::Project, "settings.json"), (Source::Local, "settings.local.json")]
        {
            let path = cwd.join(".claude").join(name);
            if path != files[0].1 {
                files.push((source, path));
            }
        }
        files.push((Source::Managed, managed.join("managed-settings.json")));
        // The last layer that says so switches the plugin on or off.
        let mut reads_agents = true;
        for (source, path) in files {
            let bytes = match tree.read_start(&path, MOST_BYTES + 1) {
                Ok(bytes) => bytes,
                Err(Unreadable::Missing) => continue,
                Err(why) => {
                    let problem = Some(why.to_string());
                    out.files.push(SettingsFile { path, problem });
                    continue;
                }
            };
            let problem = match parse(&bytes) {
                Ok(map) => {
                    out.merge(source, &map, home);
                    let plugin = map.get("enabledPlugins").and_then(|p| p.get(AGENTS_PLUGIN));
                    reads_agents = plugin.and_then(Value::as_bool).unwrap_or(reads_agents);
                    None
                }
                Err(problem) => Some(problem),
            };
            out.files.push(SettingsFile { path, problem });
        }
        if !reads_agents {
            out.instruction_files = InstructionFiles::ClaudeOnly;
        }
        out
    }

    fn merge(&mut self, source: Source, map: &Map<String, Value>, home: &Utf8Path) {
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        if let Some(globs) = map.get("claudeMdExcludes").and_then(Value::as_array) {
            self.excludes.extend(globs.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        if let Some(on) = map.get("autoMemoryEnabled").and_then(Value::as_bool) {
            self.auto_memory = on;
        }
        if let Some(folder) = text("autoMemoryDirectory") {
            let folder = folder
                .strip_prefix("~/")
                .map(|rest| home.join(rest))
                .or_else(|| Some(Utf8PathBuf::from(folder)).filter(|p| p.is_absolute()));
            // A folder that the host can't use takes back what a weaker layer says.
            self.memory_folder = folder.map(|folder| resolved(home, folder.as_str()));
        }
        if let Some(style) = text("outputStyle") {
            self.output_style = Some(style.to_owned());
        }
        if let Some(model) = text("model") {
            self.model = Some(model.to_owned());
        }
        if let Some(share) = map.get("skillListingBudgetFraction").and_then(Value::as_f64)
            && share > 0.0
            && share <= 1.0
        {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1")]
            let share = (share * 1e6) as u64;
            self.listing_share_millionths = Some(share);
        }
        if let Some(units) = map.get("skillListingMaxDescChars").and_then(Value::as_u64)
            && units > 0
        {
            self.description_units = usize::try_from(units).ok();
        }
        if let Some(overrides) = map.get("skillOverrides").and_then(Value::as_object) {
            const MODES: [&str; 4] = ["on", "off", "name-only", "user-invocable-only"];
            // One value that isn't known makes the host ignore them all.
            if overrides.values().all(|v| v.as_str().is_some_and(|m| MODES.contains(&m))) {
                let modes = overrides.iter().filter_map(|(k, v)| Some((k, v.as_str()?)));
                self.skills.extend(modes.map(|(k, v)| (k.clone(), v.to_owned())));
            }
        }
        if source == Source::Managed {
            self.managed_text = text("claudeMd").map(str::to_owned);
        }
        // A repository's own settings can't choose the files, only switch the plugin off.
        if matches!(source, Source::User | Source::Managed)
            && let Some(choice) = map
                .get("pluginConfigs")
                .and_then(|p| p.get(AGENTS_PLUGIN)?.get("options")?.get("instructionFiles"))
        {
            self.instruction_files = match choice.as_str() {
                Some("claude-md-and-agents-md") => InstructionFiles::Both,
                Some("claude-md") => InstructionFiles::ClaudeOnly,
                Some("managed-only") => InstructionFiles::ManagedOnly,
                _ => InstructionFiles::Either,
            };
        }
    }

    /// Returns whether the globs exclude the file at `path`.
    pub fn excludes(&self, path: &Utf8Path) -> bool {
        self.excludes.iter().any(|glob| crate::load::pattern::glob_matches(glob, path.as_str()))
    }
}

/// Bytes of a settings file beyond which it isn't read; real ones stay below a few KB.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Reads one settings file as the host does: strict JSON, UTF-8 or UTF-16, a BOM is fine.
fn parse(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    if bytes.len() > MOST_BYTES {
        return Err("it is larger than 4 MB and was not read".to_owned());
    }
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    let value: Value = serde_json::from_str(&text)
        .map_err(|e| format!("line {}: it does not parse, so the host ignores it", e.line()))?;
    let Value::Object(map) = value else {
        return Err("it holds no object, so the host ignores it".to_owned());
    };
    for (key, is_right) in TYPES {
        if map.get(*key).is_some_and(|value| !is_right(value)) {
            return Err(format!("`{key}` has a wrong type, so the host ignores the whole file"));
        }
    }
    Ok(map)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|b| unit([b[0], b[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// What the host's own state file says of projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectsOfHost {
    /// Whether the user approved imports from outside for the one that was asked about.
    pub outside_approved: bool,
    /// The others whose records may lie where its own do, or beside: those with the same folder
    /// name, and those below it.
    pub near: Vec<Utf8PathBuf>,
}

/// Reads what the host's state file says of the project `key`.
///
/// `bytes` is `.claude.json`.
///
/// # Errors
/// When it doesn't parse; then the host approves nothing.
pub fn projects_of_host(bytes: &[u8], key: &Utf8Path) -> Result<ProjectsOfHost, serde_json::Error> {
    #[derive(serde::Deserialize)]
    struct State {
        #[serde(default)]
        projects: FxHashMap<String, Project>,
    }
    #[derive(serde::Deserialize)]
    struct Project {
        #[serde(default, rename = "hasClaudeMdExternalIncludesApproved")]
        approved: Option<Value>,
    }
    let state: State = serde_json::from_slice(bytes)?;
    let project = state.projects.get(key.as_str());
    let own = slug(key);
    // There may be thousands, so each is compared by bytes first. Names of ASCII keep their length.
    let may_share = |path: &str| {
        path.len() == key.as_str().len() || !path.is_ascii() || !key.as_str().is_ascii()
    };
    let is_near = |path: &&String| {
        let is_below = below(Utf8Path::new(path), key).is_some_and(|rest| !rest.is_empty());
        let shares = || may_share(path) && path.as_str() != key && slug(Utf8Path::new(path)) == own;
        path.starts_with('/') && (is_below || shares())
    };
    let mut near: Vec<Utf8PathBuf> =
        state.projects.keys().filter(is_near).map(Utf8PathBuf::from).collect();
    near.sort();
    Ok(ProjectsOfHost {
        outside_approved: project.is_some_and(|p| p.approved.as_ref().is_some_and(is_truthy)),
        near,
    })
}

/// Returns whether JavaScript takes the value for true, which is how the host asks.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(b) => *b,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::MemTree;

    fn read(files: &[(&str, &str)]) -> Settings {
        let mut t = MemTree::default();
        for (path, text) in files {
            t.file(path, *text);
        }
        let path = |p: &'static str| Utf8Path::new(p);
        Settings::read(
            &t,
            path("/h"),
            path("/h/.claude"),
            path("/p/s"),
            Some(path("/p")),
            path("/etc/cc"),
        )
    }

    #[test]
    fn excludes_of_all_files_add_up() {
        let s = read(&[
            ("/h/.claude/settings.json", r#"{"claudeMdExcludes":["**/a.md"]}"#),
            ("/p/s/.claude/settings.json", r#"{"claudeMdExcludes":["**/b.md"]}"#),
            ("/p/.claude/settings.local.json", r#"{"claudeMdExcludes":["**/c.md"]}"#),
            ("/etc/cc/managed-settings.json", r#"{"claudeMdExcludes":["**/d.md"]}"#),
        ]);
        for name in ["a", "b", "c", "d"] {
            assert!(s.excludes(&Utf8PathBuf::from(format!("/p/{name}.md"))), "{name}");
        }
        assert!(!s.excludes(Utf8Path::new("/p/e.md")));
    }

    #[test]
    fn a_wrong_type_makes_the_host_ignore_the_whole_file() {
        for bad in [r#""permissions":{"allow":[1]}"#, r#""model":1"#, r#""cleanupPeriodDays":"x""#]
        {
            let s = read(&[(
                "/h/.claude/settings.json",
                &format!(r#"{{"claudeMdExcludes":["**"],{bad}}}"#),
            )]);
            assert!(s.excludes.is_empty(), "{bad}");
            assert!(s.files[0].problem.is_some(), "{bad}");
        }
        let s = read(&[("/h/.claude/settings.json", "{\"a\":1,\n}")]);
        assert_eq!(
            s.files[0].problem.as_deref(),
            Some("line 2: it does not parse, so the host ignores it")
        );
    }

    #[test]
    fn a_repository_cannot_choose_the_instruction_files_but_can_switch_agents_md_off() {
        let choice = r#"{"pluginConfigs":{"cc-plugin-agents-md@builtin":{"options":{"instructionFiles":"managed-only"}}}}"#;
        let off = r#"{"enabledPlugins":{"cc-plugin-agents-md@builtin":false}}"#;
        let of = |files: &[(&str, &str)]| read(files).instruction_files;
        assert_eq!(of(&[("/p/s/.claude/settings.json", choice)]), InstructionFiles::Either);
        assert_eq!(of(&[("/h/.claude/settings.json", choice)]), InstructionFiles::ManagedOnly);
        assert_eq!(of(&[("/p/s/.claude/settings.json", off)]), InstructionFiles::ClaudeOnly);
    }

    #[test]
    fn approval_is_asked_for_by_the_exact_project() {
        let of = |bytes: &[u8], key: &str| projects_of_host(bytes, Utf8Path::new(key)).unwrap();
        let approved = |bytes: &[u8], key: &str| of(bytes, key).outside_approved;
        let state = br#"{"projects":{"/p":{"hasClaudeMdExternalIncludesApproved":true},"/q":{"hasClaudeMdExternalIncludesApproved":"yes"},"/r":{"hasClaudeMdExternalIncludesApproved":0}},"x":[1]}"#;
        assert!(approved(state, "/p"));
        assert!(!approved(state, "/p/s"));
        assert!(approved(state, "/q"), "JavaScript's idea of true");
        assert!(!approved(state, "/r"));
        assert!(projects_of_host(b"{", Utf8Path::new("/p")).is_err());
        let near =
            of(br#"{"projects":{"/a.b":{},"/a-b":{},"/a.b/c":{},"/a.bc":{},"a.b":{}}}"#, "/a.b");
        assert_eq!(near.near, ["/a-b", "/a.b/c"]);
    }
}
