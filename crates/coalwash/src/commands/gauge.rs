//! `coalwash gauge`: the Node engine's verdict, for scripts.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::verdict::{
    Band, BreakEven, Cap, Capacity, Cause, Judgement, Measure, Pending, Verdict,
};
use coalwash_core::load::{RoleMemory, SkipReason, Skipped, Unread};
use serde::Serialize;

use crate::cli::{Global, Host};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::judge::judge;
use crate::look::{Depth, look};
use crate::ui::Ui;

const SCHEMA: &str = "coalwash.gauge/1";

/// What this build does not have, and why. A field is `null` then.
const NOT_BUILT: [(&str, &str); 1] = [("gzipRatio", "this build does not compress")];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Gauge {
    schema: &'static str,
    project_root: Utf8PathBuf,
    platform: &'static str,
    /// What was passed over because of where it lies, and that Claude Code isn't used here.
    flags: Vec<String>,
    measure: Measure,
    inherited: Measure,
    verdict: Verdict,
    break_even: BreakEven,
    role_memories: Vec<Role>,
    recover: Recover,
    /// Which limit was reached.
    cap: Option<Cap>,
    /// Why a limit is reached and the verdict is not `externalize`.
    cause: Option<Cause>,
    capacity: Capacity,
    sessions_per_day: f64,
    /// What stands to be told.
    pending: Option<PendingJson>,
    /// The state file that was read.
    state: Option<Utf8PathBuf>,
    /// Fields that are `null`, and files that could not be read, with the reason.
    not_measured: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct Role {
    store: String,
    dir: Utf8PathBuf,
    index: Option<SizedFile>,
    memories: Vec<SizedFile>,
    bytes: u64,
    files: usize,
}

#[derive(Serialize)]
struct SizedFile {
    path: Utf8PathBuf,
    bytes: u64,
}

/// What was recovered: nothing ever, since only commands that write recover.
#[derive(Serialize)]
struct Recover {
    recovered: &'static str,
    /// A run of the Node engine that was cut short.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct PendingJson {
    band: Band,
    at: i64,
    escalation: bool,
}

/// Runs the command. It writes nothing: hooks write the state.
pub(crate) fn run(env: &Env, global: &Global, ui: &mut Ui) -> anyhow::Result<Exit> {
    if global.host.is_some_and(|host| host != Host::ClaudeCode) {
        let next = "leave `--host` out";
        return Err(Failure::usage("the verdict is about Claude Code only".to_owned(), next).into());
    }
    let gauge = measured(env, &env.folder(global.project.as_deref())?)?;
    if global.json {
        ui.json(&gauge)?;
    } else {
        ui.data(format!("{}\n", line(&gauge)).as_bytes())?;
    }
    Ok(Exit::Ok)
}

/// Returns the line that scripts rely on.
fn line(gauge: &Gauge) -> String {
    let band = match gauge.verdict.band {
        Band::Lean => "LEAN",
        Band::Obese => "OBESE",
        Band::Full => "FULL",
    };
    let bmi = gauge.verdict.bmi.map_or("n/a".to_owned(), |bmi| format!("{bmi:.2}"));
    let tokens = gauge.measure.always_loaded.tokens_est;
    let fat = gauge.break_even.fat_tokens;
    let cut_short = match gauge.recover.error {
        Some(_) => " · a run was cut short and not recovered (see --json)",
        None => "",
    };
    format!(
        "[CoalWash] {band} — always-loaded ~{tokens} tok/session (~est) · BMI {bmi} · certain fat \
         ~{fat} tok{cut_short}"
    )
}

fn measured(env: &Env, folder: &Utf8Path) -> Result<Gauge, Failure> {
    let look = look(env, folder, Depth::Sizes, Host::ClaudeCode)?;
    let scene = &look.scene;
    let mut not_measured = serde_json::Map::new();
    for (field, why) in NOT_BUILT {
        not_measured.insert(field.to_owned(), why.into());
    }
    for unread in &look.unread {
        not_measured.insert(unread.path.to_string(), unread.why.clone().into());
    }
    // What the host can't read costs it nothing; what only this user can't read may.
    let unread = |it: SkipReason| matches!(it, SkipReason::Denied | SkipReason::ReadFailed);
    for skipped in look.map.skipped.iter().filter(|it| unread(it.reason)) {
        if let Some(path) = &skipped.path {
            not_measured.insert(path.to_string(), skipped.reason.words().into());
        }
    }
    let judged = judge(scene, &look.map, &look.config, env.now_ms);
    for Unread { path, why } in &judged.unread {
        not_measured.insert(path.to_string(), why.as_str().into());
    }
    let Judgement { verdict, break_even } = judged.judgement;
    let used =
        env.claude.config_dir.as_ref().is_some_and(|dir| !dir.is_empty()) || scene.config.is_dir();
    let unused = (!used).then(|| {
        format!("unknown platform: no `{}`; measured as Claude Code would load it", scene.config)
    });
    Ok(Gauge {
        schema: SCHEMA,
        project_root: scene.project.clone(),
        platform: if used { "claude-code" } else { "unknown" },
        flags: unused.into_iter().chain(look.map.skipped.iter().filter_map(flag)).collect(),
        break_even,
        role_memories: look.map.role_memories.iter().map(role).collect(),
        recover: recover(&scene.project),
        cap: verdict.cap,
        cause: verdict.cause,
        verdict,
        measure: judged.measure,
        inherited: judged.inherited,
        capacity: judged.capacity,
        sessions_per_day: judged.loads_per_day,
        pending: judged.state.episode.pending(env.now_ms).map(pending),
        state: judged.state_file,
        not_measured,
    })
}

/// Returns what the Node engine says of files that it passes over.
fn flag(skipped: &Skipped) -> Option<String> {
    let outside = matches!(
        skipped.reason,
        SkipReason::ImportOutside | SkipReason::RuleOutside | SkipReason::LinkOutside
    );
    let path = skipped.path.as_ref().map(|path| path.as_str()).or(skipped.text.as_deref())?;
    outside.then(|| format!("skipped ({}): {path}", skipped.reason.words()))
}

/// Says whether a run of the Node engine was cut short. Its journal is in the project, so it may be
/// anyone's: it is not opened.
fn recover(project: &Utf8Path) -> Recover {
    let journal = project.join(".claude/coalwash/journal.json");
    let error = journal.symlink_metadata().is_ok().then(|| {
        format!(
            "a run of CoalWash 1.x was cut short, and this build does not take it back: {journal}"
        )
    });
    Recover { recovered: "none", error }
}

fn role(memory: &RoleMemory) -> Role {
    Role {
        store: format!("agent:{}", memory.role),
        dir: memory.folder.clone(),
        index: memory.index.clone().map(|path| SizedFile { path, bytes: memory.index_bytes }),
        memories: memory
            .memories
            .iter()
            .cloned()
            .map(|(path, bytes)| SizedFile { path, bytes })
            .collect(),
        bytes: memory.disk_bytes,
        files: memory.files,
    }
}

fn pending(pending: Pending) -> PendingJson {
    PendingJson { band: pending.band, at: pending.at, escalation: pending.escalation }
}
