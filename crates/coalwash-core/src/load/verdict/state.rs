//! The Node engine's state file, as far as a verdict needs it.

use camino::Utf8Path;
use serde_json::{Map, Value};

use super::{Band, Crossing, Episode};
use crate::config::jsonc;

/// Starts of sessions that are kept.
const MOST_STAMPS: usize = 60;

/// What a state file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// When sessions began, in milliseconds since 1970, oldest first.
    pub starts: Vec<i64>,
    /// Whether the last verdict was that there are repeats to cut.
    pub was_over: bool,
    /// Whether the last verdict was that cutting pays.
    pub was_economical: bool,
    /// The band of the last verdict.
    pub band: Option<Band>,
    /// What is remembered of this episode.
    pub episode: Episode,
    /// Everything as it stood there, for whoever writes it back: unknown fields stay.
    pub all: Map<String, Value>,
}

/// Fields that mean nothing where the file's version isn't known.
const SENSITIVE: [&str; 6] = [
    "lastVerdict",
    "lastCrossing",
    "quickTried",
    "quickTriedAt",
    "lastEscalationFat",
    "lastObeseFat",
];

/// Reads a state file. Anything that isn't an object is as good as no file.
pub fn read_state(bytes: &[u8]) -> State {
    let text = String::from_utf8_lossy(bytes);
    let Some(Value::Object(mut all)) = jsonc(text.trim_start_matches('\u{feff}')) else {
        return State::default();
    };
    for key in ["__proto__", "constructor", "prototype"] {
        all.remove(key);
    }
    if !has_version(&all) {
        for key in SENSITIVE {
            all.remove(key);
        }
    }
    let whole = |value: &Value| value.as_i64();
    let stamps = all.get("stamps").and_then(Value::as_array);
    let mut starts: Vec<i64> =
        stamps.into_iter().flatten().filter_map(|stamp| whole(stamp.get("t")?)).collect();
    if starts.len() > MOST_STAMPS {
        starts.drain(..starts.len() - MOST_STAMPS);
    }
    let verdict = all.get("lastVerdict");
    let switch = |key: &str| verdict.and_then(|v| v.get(key)) == Some(&Value::Bool(true));
    let band = |value: &Value| match value.as_str() {
        Some("LEAN") => Some(Band::Lean),
        Some("OBESE") => Some(Band::Obese),
        Some("FULL") => Some(Band::Full),
        _ => None,
    };
    let crossing = all.get("lastCrossing").and_then(Value::as_object).and_then(|it| {
        Some(Crossing {
            band: band(it.get("band")?)?,
            at: whole(it.get("at")?)?,
            consumed: it.get("consumed") != Some(&Value::Bool(false)),
            escalation: it.get("escalation") == Some(&Value::Bool(true)),
            session: it.get("session").and_then(Value::as_str).map(str::to_owned),
        })
    });
    let mark = |key: &str| all.get(key).and_then(Value::as_u64);
    State {
        was_over: switch("overCeiling"),
        was_economical: switch("econLatched"),
        band: verdict.and_then(|v| band(v.get("band")?)),
        episode: Episode {
            crossing,
            quick_tried: all.get("quickTried") == Some(&Value::Bool(true)),
            last_escalation_fat: mark("lastEscalationFat"),
            last_obese_fat: mark("lastObeseFat"),
        },
        starts,
        all,
    }
}

/// Reads a project's part of the file that held the states of all; none where it has no part in it.
pub fn read_state_of_all(bytes: &[u8], project: &Utf8Path) -> Option<State> {
    let text = String::from_utf8_lossy(bytes);
    let all = jsonc(text.trim_start_matches('\u{feff}'))?;
    let mut own = all.get("projects")?.get(project.as_str())?.as_object()?.clone();
    if let Some(version) = all.get("stateSchema") {
        own.insert("stateSchema".to_owned(), version.clone());
    }
    Some(read_state(Value::Object(own).to_string().as_bytes()))
}

/// Returns whether the file says a version, as a number or as the text of one.
fn has_version(all: &Map<String, Value>) -> bool {
    match all.get("stateSchema") {
        Some(Value::Number(n)) => n.as_u64().is_some_and(|n| n >= 1),
        Some(Value::String(text)) => text.trim().parse::<u64>().is_ok_and(|n| n >= 1),
        _ => false,
    }
}
