//! How many tokens a session can hold before the host compacts it.

use serde::Serialize;
use serde_json::Value;

/// What the host keeps back for compacting.
///
/// Source: `CoalWash`'s documents after 1.1.0.
const RESERVE: u64 = 33_000;
/// The smallest window that is believed, and the largest.
const WINDOWS: std::ops::RangeInclusive<u64> = 200_000..=1_000_000;
/// Where nothing is known: the smallest window less the reserve.
const DEFAULT: u64 = 167_000;
/// The version of the file that another program writes.
const FILE_SCHEMA: u64 = 1;

/// Where a capacity was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapacitySource {
    /// The host's own statistics.
    StatsCache,
    /// `capacity.json`.
    CapacityFile,
    /// Nowhere.
    ConservativeDefault,
}

/// What a session can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Capacity {
    /// Tokens.
    pub tokens: u64,
    /// Where that was read.
    pub source: CapacitySource,
    /// Whether it was read anywhere.
    pub discovered: bool,
}

/// Works out the capacity from the bytes of the host's `stats-cache.json` and of `capacity.json`.
pub fn capacity(stats: Option<&[u8]>, file: Option<&[u8]>) -> Capacity {
    let found = |tokens, source| Capacity { tokens, source, discovered: true };
    let fallback = Capacity {
        tokens: DEFAULT,
        source: CapacitySource::ConservativeDefault,
        discovered: false,
    };
    // A file in the cache's place that begins with a mark or isn't an object says nothing.
    let stats = stats.and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
    let models = stats.as_ref().and_then(|stats| stats.get("modelUsage")?.as_object());
    let windows: Vec<u64> = models
        .into_iter()
        .flat_map(|models| models.values())
        .filter_map(|model| model.get("contextWindow")?.as_u64())
        .filter(|window| *window > 0)
        .collect();
    if !windows.is_empty() {
        let smallest = windows.into_iter().filter(|window| WINDOWS.contains(window)).min();
        return match smallest {
            Some(window) => found(window - RESERVE, CapacitySource::StatsCache),
            // A larger number elsewhere may not overrule a smaller window that the host reported.
            None => fallback,
        };
    }
    let file = file.map(|bytes| bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let file = file.and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
    let whole = |key: &str| file.as_ref()?.as_object()?.get(key)?.as_u64();
    match (whole("stateSchema"), whole("rawWindowTokens"), whole("capacityTokens")) {
        (Some(FILE_SCHEMA), Some(raw), Some(tokens))
            if WINDOWS.contains(&raw) && raw - RESERVE == tokens =>
        {
            found(tokens, CapacitySource::CapacityFile)
        }
        _ => fallback,
    }
}
