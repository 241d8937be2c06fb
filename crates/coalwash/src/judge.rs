//! The verdict about one folder: measured, and held against what was remembered of it.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::Config;
use coalwash_core::load::tree::{Tree as _, Unreadable};
use coalwash_core::load::verdict::{
    Cap, Capacity, Envelope, Judgement, Measure, State, Terms, capacity, per_day,
};
use coalwash_core::load::{Entry, LoadMap, Owner, Scene, Unread};
use coalwash_core::text::Tokens;
use coalwash_store::disk::DiskTree;
use coalwash_store::load::StateFiles;

/// Bytes of the files that tell the capacity.
const MOST_BYTES: usize = 4 << 20;
/// Tokens below which no window that is believed is full, whatever the estimate.
const NEVER_FULL: Tokens = Tokens(100_000);

/// A verdict, and everything that it is made of.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) judgement: Judgement,
    /// What counts for the verdict.
    pub(crate) measure: Measure,
    /// What comes from above the project.
    pub(crate) inherited: Measure,
    pub(crate) capacity: Capacity,
    pub(crate) loads_per_day: f64,
    pub(crate) state: State,
    /// The file in which the state was found.
    pub(crate) state_file: Option<Utf8PathBuf>,
    /// Files that could not be read.
    pub(crate) unread: Vec<Unread>,
}

/// Judges what Claude Code loads. Nothing is written: hooks write the state.
pub(crate) fn judge(scene: &Scene, map: &LoadMap, config: &Config, now_ms: i64) -> Judged {
    let is_inherited = |entry: &&Entry| entry.owner == Owner::Inherited;
    let measure = Measure::of(map.entries.iter().filter(|entry| !is_inherited(entry)));
    let inherited = Measure::of(map.entries.iter().filter(is_inherited));
    let mut unread = Vec::new();
    let capacity = read_capacity(scene, &mut unread);
    let (state, state_file) = StateFiles::of(&scene.config, &scene.project).read(&mut unread);
    let loads_per_day = per_day(&state.starts, now_ms);
    let terms = Terms {
        measure: &measure,
        cut: index_cut(&map.entries),
        capacity: capacity.tokens,
        envelope: envelope(config),
        loads_per_day,
    };
    let judgement = Judgement::of(&terms, &state);
    Judged { judgement, measure, inherited, capacity, loads_per_day, state, state_file, unread }
}

fn read_capacity(scene: &Scene, unread: &mut Vec<Unread>) -> Capacity {
    let mut read = |path: &Utf8Path| {
        let bytes = DiskTree::default().read_start(path, MOST_BYTES);
        if let Err(why) = &bytes
            && *why != Unreadable::Missing
        {
            unread.push(Unread::new(path, why.to_string()));
        }
        bytes.ok()
    };
    let stats = read(&scene.config.join("stats-cache.json"));
    let file = read(&scene.config.join("coal/coalwash/capacity.json"));
    capacity(stats.as_deref(), file.as_deref())
}

/// Returns whether a verdict could say what no screen says without it: that cutting pays, what to do
/// about an index that is cut, or that a session is full. To measure costs as much as to count.
pub(crate) fn may_say_more(scene: &Scene, map: &LoadMap, config: &Config, window: u64) -> bool {
    let index = coalwash_core::load::memory::index(map);
    let is_long = |index: &Entry| {
        index.cut.is_some() || envelope(config).demotable((index.disk_bytes + 2) / 4) > 0
    };
    if index.is_some_and(is_long) {
        return true;
    }
    let tokens: Tokens = map.always().map(|entry| entry.tokens).sum();
    tokens >= NEVER_FULL && is_full(tokens, &read_capacity(scene, &mut Vec::new()), window)
}

/// Returns whether so much can't be loaded. What is only assumed for a script that asks may be less
/// than the window that the model has.
pub(crate) fn is_full(tokens: Tokens, capacity: &Capacity, window: u64) -> bool {
    tokens.0 >= if capacity.discovered { capacity.tokens } else { window }
}

fn envelope(config: &Config) -> Envelope {
    let whole = |key: &str, default| config.whole(key).unwrap_or(default);
    Envelope::of(
        whole("retier.targetTokens", 4125),
        whole("retier.armPct", 20),
        whole("retier.disarmPct", 10),
        whole("retier.headroomPct", 10),
    )
}

/// Returns the limit by which the host cuts the index of the memory.
fn index_cut(entries: &[Entry]) -> Option<Cap> {
    /// Lines of the index that the host sends.
    const LINES: usize = 200;
    let cut = entries.iter().find_map(|entry| entry.cut.as_ref())?;
    Some(if cut.lines > LINES { Cap::IndexLines } else { Cap::IndexSize })
}
