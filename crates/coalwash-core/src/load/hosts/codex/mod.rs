//! Codex CLI.
//!
//! One file of the user, one file in every folder from the root of the project down to the session,
//! all sent as they are, the project's up to a number of bytes. Measured on the real client, headless,
//! against a loopback stand-in for the model; see ARCHITECTURE.md, "Codex".

mod config;
mod skills;

use camino::{Utf8Path, Utf8PathBuf};

use super::files::{Collect, Host, Looked, folders, is_no_way, lossy};
use crate::load::map::{Cut, Kind, LoadMap, SkipReason, Tier};
use crate::load::scene::Scene;
use crate::load::tree::Tree;
use crate::text::Estimator;

/// The version whose rules these are.
pub const HOST: Host = Host { id: "codex", name: "Codex", version: "0.171.0" };

/// Tokens of the window of most of its models.
///
/// Source: the budget of the list of skills, which is two percent of it.
pub const WINDOW_TOKENS: u64 = 272_000;

/// Names of a folder's file, the first that is a file counts.
const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// Names that other hosts read in the same place.
const FOREIGN: [(&str, &str); 1] = [("AGENTS.local.md", "use `AGENTS.override.md`")];

/// Works out what a session in the scene's folder loads.
///
/// `scene.config` is `$CODEX_HOME`, `scene.managed` the system's folder.
pub fn load_map(scene: &Scene, tree: &dyn Tree, estimator: &dyn Estimator) -> LoadMap {
    let mut out = Collect::new(HOST, scene, tree);
    let config = config::read(scene, tree);
    for why in &config.refuses {
        out.not_measured.push(format!("anything: Codex does not start, since {why}"));
    }
    global(&mut out);
    if config.untrusted {
        let path = scene.cwd.join(NAMES[1]);
        if out.is_file(&path) {
            let fix = "trust the project in `~/.codex/config.toml` if it should load";
            out.skip(&path, SkipReason::SwitchedOff, fix);
        }
    } else {
        project(&mut out, &config);
    }
    skills::add(&mut out, &config);
    memory(&mut out, &config);
    out.done(estimator)
}

/// The user's own file: the first that has text.
fn global(out: &mut Collect<'_>) {
    let mut found = false;
    for name in NAMES {
        let path = out.scene.config.join(name);
        match out.look(&path) {
            Looked::File(real, bytes) => {
                let text = lossy(&bytes);
                if text.trim().is_empty() {
                    out.skip(&path, SkipReason::Empty, "delete it, or write something");
                } else if found {
                    let fix = "move what should load to `AGENTS.override.md`, or delete that";
                    out.skip(&path, SkipReason::Shadowed, fix);
                } else {
                    found = true;
                    let reason = "your instructions for all projects";
                    let text = text.trim().to_owned();
                    let kind = Kind::Instructions;
                    out.entries.push(out.entry(&path, &real, kind, Tier::Always, reason, text));
                }
            }
            Looked::NoFile => out.no_file(&path),
            Looked::Failed(why) => out.failed(&path, &why),
        }
    }
    let folder = out.scene.config.clone();
    out.wrong_case(&folder, &NAMES);
}

/// The file of every folder from the root down.
fn project(out: &mut Collect<'_>, config: &config::Config) {
    let cwd = out.scene.cwd.clone();
    let root = root(out, &config.markers);
    let first = out.entries.len();
    let mut left = config.most_bytes;
    let mut names: Vec<String> = NAMES.map(str::to_owned).to_vec();
    names.extend(config.fallbacks.iter().cloned());
    for folder in folders(&root, &cwd) {
        let mut found: Option<&str> = None;
        for name in &names {
            let path = folder.join(name);
            if let Some(found) = found {
                if out.is_file(&path) && NAMES.contains(&name.as_str()) {
                    let fix = format!("nothing to do, or delete `{found}`");
                    out.skip(&path, SkipReason::Shadowed, &fix);
                }
                continue;
            }
            match out.look(&path) {
                Looked::File(real, bytes) => {
                    found = Some(name);
                    file(out, &path, &real, &bytes, &mut left, folder == cwd);
                }
                Looked::NoFile => {
                    if NAMES.contains(&name.as_str()) {
                        out.no_file(&path);
                    }
                }
                // One file that can't be read takes all of the project's with it.
                Looked::Failed(why) => {
                    let lost: Vec<Utf8PathBuf> =
                        out.entries.drain(first..).map(|entry| entry.path).collect();
                    out.failed(&path, &why);
                    for path in lost {
                        let fix = "repair the file that can't be read; it takes all others with it";
                        out.skip(&path, SkipReason::ReadFailed, fix);
                    }
                    return;
                }
            }
        }
        out.wrong_case(&folder, &NAMES);
    }
    for (name, fix) in FOREIGN {
        let path = cwd.join(name);
        if out.is_file(&path) && !config.fallbacks.iter().any(|own| own == name) {
            out.skip(&path, SkipReason::NeverRead, fix);
        }
    }
}

/// Takes in one file of the project, up to what is left of the limit.
fn file(
    out: &mut Collect<'_>,
    path: &Utf8Path,
    real: &crate::load::tree::Real,
    bytes: &[u8],
    left: &mut u64,
    here: bool,
) {
    let room = usize::try_from(*left).unwrap_or(usize::MAX);
    let kept = bytes.len().min(room);
    let text = lossy(&bytes[..kept]);
    if room == 0 && !bytes.is_empty() {
        let fix = "shorten the files above it, or raise `project_doc_max_bytes`";
        return out.skip(path, SkipReason::OverLimit, fix);
    }
    if text.trim().is_empty() {
        return out.skip(path, SkipReason::Empty, "delete it, or write something");
    }
    *left -= kept as u64;
    let reason =
        if here { "instructions of this folder" } else { "instructions of a folder above" };
    let mut entry = out.entry(path, real, Kind::Instructions, Tier::Always, reason, text);
    if kept < bytes.len() {
        entry.cut = Some(Box::new(cut(bytes, kept)));
    }
    out.entries.push(entry);
}

/// Returns what is lost of a file of which `kept` bytes are sent.
fn cut(bytes: &[u8], kept: usize) -> Cut {
    let count = |part: &[u8]| part.iter().filter(|b| **b == b'\n').count();
    let line_start = bytes[..kept].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let line_end = bytes[kept..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| kept + n);
    let lines = count(bytes) + usize::from(!bytes.ends_with(b"\n"));
    let line = count(&bytes[..kept]) + 1;
    Cut {
        lines,
        lost_lines: lines - line + 1,
        first_lost: lossy(&bytes[line_start..line_end]).trim_end_matches('\r').to_owned(),
        lost_bytes: Some((bytes.len() - kept) as u64),
        line: Some(line),
    }
}

/// Returns the folder from which on files are read: the nearest one with a marker, else the session's.
fn root(out: &Collect<'_>, markers: &[String]) -> Utf8PathBuf {
    nearest(out, markers, |path| out.tree.real(path).is_ok())
}

/// Returns the folder from which on skills are searched: the same, but links that are no way count.
fn skills_root(out: &Collect<'_>, markers: &[String]) -> Utf8PathBuf {
    nearest(out, markers, |path| out.tree.real(path).is_ok() || is_no_way(out.tree, path))
}

fn nearest(
    out: &Collect<'_>,
    markers: &[String],
    counts: impl Fn(&Utf8Path) -> bool,
) -> Utf8PathBuf {
    let has = |folder: &Utf8Path| markers.iter().any(|marker| counts(&folder.join(marker)));
    let cwd = &out.scene.cwd;
    cwd.ancestors().find(|folder| has(folder)).unwrap_or(cwd).to_owned()
}

/// Bytes of the memory that are sent, about.
const MOST_MEMORY_BYTES: usize = 10_000;

/// The summary of its memory, where that feature is on.
fn memory(out: &mut Collect<'_>, config: &config::Config) {
    let path = out.scene.config.join("memories/memory_summary.md");
    if !config.memories {
        return;
    }
    if let Looked::File(real, bytes) = out.look(&path)
        && let Ok(text) = String::from_utf8(bytes)
        && !text.trim().is_empty()
    {
        if text.trim().len() > MOST_MEMORY_BYTES {
            out.not_measured.push("what Codex cuts out of the middle of its memory".to_owned());
        }
        let (kind, reason) = (Kind::Memory, "the summary of its memory");
        let text = text.trim().to_owned();
        out.entries.push(out.entry(&path, &real, kind, Tier::Always, reason, text));
    }
}
