//! The Node engine's state file, as far as a verdict needs it.
//!
//! What is changed here is changed in [`State::all`] too, so that whatever else stands in the file
//! stays: fields of the Node engine that no verdict reads, and those of newer versions.

use camino::Utf8Path;
use serde_json::{Map, Value, json};

use super::{Band, Crossing, Episode, Judgement, Measure};
use crate::config::jsonc;

/// Starts of sessions that are kept.
const MOST_STAMPS: usize = 60;
/// Paths of loaded files that are kept.
const MOST_PATHS: usize = 200;
/// The version of the file that is written.
const SCHEMA: u64 = 1;

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
const SENSITIVE: [&str; 7] = [
    "lastVerdict",
    "lastCrossing",
    "quickTried",
    "quickTriedAt",
    "lastEscalationFat",
    "lastObeseFat",
    REMOVED,
];

/// Whether a run that shortens took something out; not a field of the Node engine, which keeps it.
const REMOVED: &str = "removedThisEpisode";

/// Reads a state file. Anything that isn't an object is as good as no file.
pub fn read_state(bytes: &[u8]) -> State {
    let text = String::from_utf8_lossy(bytes);
    let Some(Value::Object(mut all)) = jsonc(text.trim_start_matches('\u{feff}')) else {
        return State::default();
    };
    for key in ["__proto__", "constructor", "prototype"] {
        all.remove(key);
    }
    if version(&all).is_none() {
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
            removed: all.get(REMOVED) == Some(&Value::Bool(true)),
        },
        starts,
        all,
    }
}

impl State {
    /// Returns whether a newer version than this one wrote it.
    pub fn is_newer(&self) -> bool {
        version(&self.all).is_some_and(|version| version > SCHEMA)
    }

    /// Notes that a session began. Spawned agents are counted per session, so their count ends.
    pub fn started(&mut self, at: i64, footprint: u64) {
        let stamps = self.all.entry("stamps").or_insert_with(|| json!([]));
        let mut kept: Vec<Value> = stamps.as_array().cloned().unwrap_or_default();
        kept.retain(|stamp| stamp.get("t").is_some_and(Value::is_i64));
        kept.push(json!({"t": at, "fp": footprint}));
        kept.drain(..kept.len().saturating_sub(MOST_STAMPS));
        *stamps = Value::Array(kept);
        for key in ["subSpawns", "subParcelTokensAccum"] {
            self.all.shift_remove(key);
        }
        self.starts.push(at);
        self.starts.drain(..self.starts.len().saturating_sub(MOST_STAMPS));
    }

    /// Takes in a verdict, and works out whether it is to be told.
    ///
    /// `paths` are the files that are loaded, in their order.
    pub fn judged<'p>(
        &mut self,
        judgement: &Judgement,
        measure: &Measure,
        paths: impl Iterator<Item = &'p Utf8Path>,
        at: i64,
        session: Option<&str>,
    ) {
        let Judgement { verdict, break_even } = judgement;
        self.episode.update(verdict.band, self.band, break_even.fat_tokens, at, session);
        self.band = Some(verdict.band);
        self.was_over = verdict.over;
        self.was_economical = verdict.econ_latched;
        let paths: Vec<&str> = paths.take(MOST_PATHS).map(Utf8Path::as_str).collect();
        let mut last = json!({
            "band": verdict.band,
            "reason": verdict.reason,
            "economical": break_even.economical,
            "fatTokens": break_even.fat_tokens,
            "overCeiling": verdict.over,
            "econLatched": verdict.econ_latched,
            "perDay": break_even.per_day,
            "breakEvenDays": break_even.break_even_days,
            "muscleTokens": verdict.muscle_tokens,
            "demotableTokens": break_even.demotable_tokens,
            "reorgPerDay": break_even.reorg_per_day,
            "reorgBreakEvenDays": break_even.reorg_break_even_days,
            "hardCeilingTokens": verdict.hard_ceiling_tokens,
            "alwaysLoadedPaths": paths,
            "alwaysLoadedBytes": measure.always_loaded.bytes,
            "storeTotalBytes": measure.total_bytes,
            "at": at,
        });
        // Fields of ours, where they say something.
        if let Some(cap) = verdict.cap {
            last["cap"] = json!(cap);
        }
        if let Some(cause) = verdict.cause {
            last["cause"] = json!(cause);
        }
        self.all.insert("lastVerdict".to_owned(), last);
        self.keep_episode();
    }

    /// Notes that what stood to be told was told.
    pub fn told(&mut self, at: i64) {
        self.episode.consume();
        self.keep_episode();
        if let Some(Value::Object(crossing)) = self.all.get_mut("lastCrossing") {
            crossing.insert("consumedAt".to_owned(), json!(at));
        }
    }

    /// Notes that a cut by code was asked for.
    pub fn quick_asked(&mut self, at: i64) {
        self.episode.quick_tried = true;
        self.keep_episode();
        self.all.insert("quickTriedAt".to_owned(), json!(at));
    }

    /// Notes that a run that shortens has taken something out.
    pub fn removed(&mut self) {
        self.episode.removed = true;
        self.keep_episode();
    }

    /// Returns the bytes of the file: one line, everything that stood there and what was noted.
    pub fn to_bytes(&self, project: &Utf8Path) -> Vec<u8> {
        let mut all = self.all.clone();
        if version(&all).is_none() {
            all.insert("stateSchema".to_owned(), json!(SCHEMA));
        }
        all.insert("projectRoot".to_owned(), json!(project));
        Value::Object(all).to_string().into_bytes()
    }

    /// Puts the episode into [`State::all`].
    fn keep_episode(&mut self) {
        let Episode { crossing, quick_tried, last_escalation_fat, last_obese_fat, removed } =
            &self.episode;
        let mark = |fat: &Option<u64>| fat.map(|fat| json!(fat));
        let crossing = crossing.as_ref().map(|it| {
            let old = self.all.get("lastCrossing").and_then(Value::as_object);
            // The same one keeps what else was noted of it.
            let same = old.filter(|old| old.get("at") == Some(&json!(it.at)));
            let mut out = same.cloned().unwrap_or_default();
            out.insert("band".to_owned(), json!(it.band));
            out.insert("at".to_owned(), json!(it.at));
            out.insert("consumed".to_owned(), json!(it.consumed));
            if it.escalation {
                out.insert("escalation".to_owned(), json!(true));
            }
            if let Some(session) = &it.session {
                out.insert("session".to_owned(), json!(session));
            }
            Value::Object(out)
        });
        let switch = |on: &bool| on.then(|| json!(true));
        let fields = [
            ("lastCrossing", crossing),
            ("quickTried", switch(quick_tried)),
            ("quickTriedAt", self.all.get("quickTriedAt").filter(|_| *quick_tried).cloned()),
            ("lastEscalationFat", mark(last_escalation_fat)),
            ("lastObeseFat", mark(last_obese_fat)),
            (REMOVED, switch(removed)),
        ];
        for (key, value) in fields {
            match value {
                Some(value) => drop(self.all.insert(key.to_owned(), value)),
                None => drop(self.all.shift_remove(key)),
            }
        }
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

/// Returns the version that the file says, as a number or as the text of one.
fn version(all: &Map<String, Value>) -> Option<u64> {
    let version = match all.get("stateSchema")? {
        Value::Number(n) => n.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    version.filter(|version| *version >= 1)
}

#[cfg(test)]
mod tests;
