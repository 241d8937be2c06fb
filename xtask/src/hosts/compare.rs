//! Holds what coalwash works out for a host against what its client was seen to send.

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::{Entry, Kind, LoadMap, MemTree, Tier, Tree as Files, hosts::opencode};
use coalwash_core::text::FamilyFactor;
use coalwash_store::load::{Other, Places, scene_of};

use crate::{
    answer::{Answer, Sent, portable},
    trees::{HOME, Node, Tree},
};

/// A root as long as those in which the answers were recorded: Codex counts the characters of whole
/// paths.
const ROOT: &str = "/fx/cw1234567";

/// Works out the answer of a host in a generated tree, in memory, for a comparison with a recorded
/// one.
///
/// # Errors
/// When the tree has no folder to start in, or sets a variable that isn't known.
pub fn ours(host: &str, generated: &Tree) -> Result<Answer> {
    ours_at(host, generated, ROOT)
}

/// Works out the answer of a host in a generated tree, in memory, as if it stood at `root`.
///
/// # Errors
/// As [`ours`].
pub fn ours_at(host: &str, generated: &Tree, root: &str) -> Result<Answer> {
    let mut tree = MemTree::default();
    for (path, node) in generated.materialised(root) {
        match node {
            Node::File(bytes) => tree.file(&path, bytes),
            Node::Dir => tree.folder(&path),
            Node::Link(target) => tree.link(&path, &target),
        };
    }
    answer(host, generated, root, &tree)
}

/// Works out the answer of a host in a tree that was laid out at `root`.
///
/// # Errors
/// As [`ours`].
pub fn answer(host: &str, generated: &Tree, root: &str, tree: &dyn Files) -> Result<Answer> {
    let cwd = generated.cwd_at(root);
    let real = tree.real(Utf8Path::new(&cwd)).ok().with_context(|| format!("no folder `{cwd}`"))?;
    let (other, places) = question(host, generated, root, real.path)?;
    let (scene, _) = scene_of(tree, &other, &places);
    let estimator = &FamilyFactor::CLAUDE;
    let map = other.load_map(&scene, tree, estimator);
    let files: Vec<Utf8PathBuf> =
        generated.touches_at(root).into_iter().map(Utf8PathBuf::from).collect();
    let openings = other.openings(&scene, tree, estimator, &files);
    let mut out = Answer { version: other.host().version.to_owned(), ..Answer::default() };
    // Without an answer at the terminal the client doesn't start where a folder isn't trusted.
    let stops = |it: &String| {
        let asks = it.contains("trust this folder") && places_trust(&other).is_none();
        it.starts_with("anything") || asks
    };
    if map.not_measured.iter().any(stops) {
        out.touches = files.iter().map(|_| Vec::new()).collect();
        return Ok(out);
    }
    out.start = match &other {
        Other::Codex => {
            let config = &places.config;
            let config = tree.real(config).map_or_else(|_| config.clone(), |real| real.path);
            merged(&map, root, &scene.cwd, &config)
        }
        _ => {
            let mut all = sent(map.always().filter(|e| e.name.is_none()), root);
            // The system instruction comes before the first content.
            all.sort_by_key(|it| !matches!(it.class.as_str(), "global" | "memory"));
            all
        }
    };
    out.touches = openings.iter().map(|it| sent(it.entries.iter(), root)).collect();
    let lines = |agents: bool| {
        let own = map.always().filter(|e| e.name.is_some());
        let own = own.filter(|e| (e.kind == Kind::Agent) == agents);
        own.filter_map(|e| e.sent.as_deref()).map(|line| portable(root, line)).collect()
    };
    (out.skills, out.agents) = (lines(false), lines(true));
    Ok(out)
}

fn places_trust(other: &Other) -> Option<bool> {
    match other {
        Other::Gemini(trusted) => *trusted,
        _ => None,
    }
}

fn question(host: &str, generated: &Tree, root: &str, cwd: Utf8PathBuf) -> Result<(Other, Places)> {
    let mut home = Utf8PathBuf::from(format!("{root}/{HOME}"));
    let system = Utf8PathBuf::from(format!("{root}/no-system"));
    let mut config = match host {
        "codex" => home.join(".codex"),
        "gemini-cli" => home.join(".gemini"),
        "opencode" => home.join(".config/opencode"),
        other => bail!("no host `{other}`"),
    };
    let mut switches = opencode::Switches::default();
    let mut trusted = None;
    for (key, value) in generated.env_at(root) {
        switches.variables.insert(key.clone(), value.clone());
        let on = matches!(value.as_str(), "1" | "true" | "yes" | "on" | "y");
        match key.as_str() {
            "CODEX_HOME" if value.is_empty() => {}
            "CODEX_HOME" => config = coalwash_core::load::tree::resolved(&cwd, &value),
            "GEMINI_CLI_HOME" => {
                home = Utf8PathBuf::from(value);
                config = home.join(".gemini");
            }
            "XDG_CONFIG_HOME" => config = Utf8PathBuf::from(value).join("opencode"),
            "OPENCODE_CONFIG_DIR" => switches.config_dir = Some(value),
            "OPENCODE_CONFIG" => switches.config_file = Some(value),
            "OPENCODE_CONFIG_CONTENT" => switches.config_content = Some(value),
            "OPENCODE_DISABLE_CLAUDE_CODE" => {
                switches.no_claude_files |= on;
                switches.no_claude_skills |= on;
            }
            "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT" => switches.no_claude_files |= on,
            "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS" => switches.no_claude_skills |= on,
            "OPENCODE_DISABLE_EXTERNAL_SKILLS" => switches.no_external_skills = on,
            "OPENCODE_DISABLE_PROJECT_CONFIG" => {
                switches.no_project = value == "1" || value.eq_ignore_ascii_case("true");
            }
            "GEMINI_CLI_TRUST_WORKSPACE" => trusted = trusted.or(Some(value == "true")),
            "GEMINI_RESTRICTED_MODE" => trusted = Some(value != "true"),
            "PATH" => {}
            // What settings refer to.
            own if own.starts_with("CW_") => {}
            other => bail!("{other} is not asked for"),
        }
    }
    let other = match host {
        "codex" => Other::Codex,
        "gemini-cli" => Other::Gemini(trusted),
        _ => Other::OpenCode(Box::new(switches)),
    };
    let places = Places { cwd, home, config, managed: system, look_below: false, owners: false };
    Ok((other, places))
}

fn sent<'a>(entries: impl Iterator<Item = &'a Entry>, root: &str) -> Vec<Sent> {
    let text = |e: &Entry| e.sent.clone().unwrap_or_default();
    entries.map(|e| Sent::new(root, e.path.as_str(), class(e), &text(e))).collect()
}

fn class(entry: &Entry) -> &'static str {
    match (entry.kind, &*entry.reason) {
        (Kind::Memory, _) => "memory",
        (_, "your instructions for all projects") => "global",
        (_, reason) if reason.starts_with("of an extension") => "extension",
        (_, reason) if reason.starts_with("your instructions for all projects") => "global",
        _ if entry.tier == Tier::OnPath => "",
        _ => "project",
    }
}

/// Puts Codex's files together as it sends them: one text of the user, one of the project.
fn merged(map: &LoadMap, root: &str, cwd: &Utf8Path, config: &Utf8Path) -> Vec<Sent> {
    let (mut global, mut project) = (Vec::new(), Vec::new());
    for entry in map.always().filter(|e| e.name.is_none() && e.kind == Kind::Instructions) {
        let text = entry.sent.clone().unwrap_or_default();
        if class(entry) == "global" { global.push(text) } else { project.push(text) }
    }
    let mut out = Vec::new();
    if let Some(text) = global.first() {
        out.push(Sent::new(root, config.as_str(), "global", text));
    }
    if !project.is_empty() {
        out.push(Sent::new(root, cwd.as_str(), "project", &project.join("\n\n")));
    }
    out
}

/// Says how our answer differs from the client's, or nothing.
pub fn differs(host: &str, ours: &Answer, theirs: &Answer) -> Option<String> {
    // Only OpenCode's client says nothing of classes.
    let plain = |list: &[Sent]| -> Vec<Sent> {
        let mut out = list.to_vec();
        if host == "opencode" {
            out.iter_mut().for_each(|it| it.class = String::new());
        }
        out
    };
    let both = |what: &str, ours: &[Sent], theirs: &[Sent]| {
        let (ours, theirs) = (plain(ours), plain(theirs));
        let lines = |list: &[Sent]| -> String {
            let line =
                |it: &Sent| format!("\n    {} {} {} {}", it.class, it.path, it.chars, it.hash);
            list.iter().map(line).collect()
        };
        (ours != theirs)
            .then(|| format!("{what}:\n  client{}\n  ours{}", lines(&theirs), lines(&ours)))
    };
    if let Some(how) = both("start", &ours.start, &theirs.start) {
        return Some(how);
    }
    if ours.touches.len() != theirs.touches.len() {
        return Some(format!(
            "touches: client {}, ours {}",
            theirs.touches.len(),
            ours.touches.len()
        ));
    }
    for (number, (ours, theirs)) in ours.touches.iter().zip(&theirs.touches).enumerate() {
        let what = format!("touch {}", number + 1);
        if let Some(how) = both(&what, ours, theirs) {
            return Some(how);
        }
    }
    // Codex's list begins with what the names of folders stand for, which no entry is about.
    let skills: Vec<&String> =
        theirs.skills.iter().filter(|line| !line.starts_with("- `r")).collect();
    let inner = |line: &String| {
        let inner = line.strip_prefix("  <skill>\n").filter(|_| host == "opencode");
        inner.and_then(|line| line.strip_suffix("\n  </skill>")).unwrap_or(line).to_owned()
    };
    let mut own: Vec<String> = ours.skills.iter().map(inner).collect();
    // In which order Gemini CLI lists them is chance.
    if host == "gemini-cli" {
        own.sort_unstable();
    }
    if skills != own.iter().collect::<Vec<_>>() {
        // A description may be long; the difference must not be behind it.
        let short = |line: &String| line.chars().take(160).collect::<String>();
        let (skills, own): (Vec<_>, Vec<_>) =
            (skills.into_iter().map(short).collect(), own.iter().map(short).collect());
        return Some(format!("skills: client {skills:#?}\n  ours {own:#?}"));
    }
    let plain = |line: &String| line.strip_prefix("- ").unwrap_or(line).to_owned();
    let own: Vec<String> = match host {
        "opencode" => ours.agents.iter().map(plain).collect(),
        _ => ours.agents.clone(),
    };
    (own != theirs.agents).then(|| format!("agents: client {:#?}\n  ours {own:#?}", theirs.agents))
}
