//! Whether cleaning pays, and whether something is cut off.
//!
//! The words, marks and fields are those of the Node engine, whose state files carry the history;
//! what was measured better since goes in as a better input. Pure: what was read comes in as values.

mod capacity;
mod crossing;
mod economics;
mod judgement;
mod measure;
mod state;

use serde::Serialize;

pub use capacity::{Capacity, CapacitySource, capacity};
pub use crossing::{Crossing, Episode, Pending};
pub use economics::{Economics, Envelope, per_day};
pub use judgement::{BreakEven, Judgement, Terms};
pub use measure::{AlwaysLoaded, Fat, Index, Measure, certain_fat};
pub use state::{State, read_state, read_state_of_all};

/// Tokens of repeats from which on a clean store counts as one to wash, and to which it has to fall
/// before it counts as clean again.
///
/// Source: `CoalWash` 1.x.
pub const ARM: u64 = 500;
/// See [`ARM`].
pub const DISARM: u64 = 200;

/// How a store stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Band {
    /// Nothing to do.
    Lean,
    /// Repeats to cut.
    Obese,
    /// Cutting pays, or the host cuts something off.
    Full,
}

/// Why it stands so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// By the tokens of repeats.
    Fat,
    /// Cutting pays for itself.
    Economic,
    /// A limit is reached, and there are repeats to cut.
    AbsoluteCap,
    /// A limit is reached, and a run has taken out what it could.
    Externalize,
}

/// What has to be known first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A limit is reached, and no run has shown yet that nothing can be taken out.
    CapacityUnmeasured,
}

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cap {
    /// The host sends only the first lines of the memory's index.
    IndexLines,
    /// The host sends only the first characters of the memory's index.
    IndexSize,
    /// What is loaded reaches the room that there is.
    Capacity,
}

/// What a verdict is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Tokens in every session.
    pub footprint: u64,
    /// Of them tokens of exact repeats.
    pub fat: u64,
    /// Tokens that a session can hold.
    pub capacity: u64,
    /// Which limit of the host cuts something off, if one does.
    pub cut: Option<Cap>,
    /// Whether cutting pays, and moving topics out does, too.
    pub both_economical: bool,
    /// Whether the last verdict was that there are repeats to cut.
    pub was_over: bool,
    /// Whether the last verdict was that cutting pays.
    pub was_economical: bool,
    /// Whether a run that shortens took something out since the store was clean the last time.
    pub removed: bool,
}

/// A verdict, with the fields of the Node engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// How it stands.
    pub band: Band,
    /// Why.
    pub reason: Reason,
    /// Everything over what is no repeat; `None` where all is.
    pub bmi: Option<f64>,
    /// Whether there are repeats to cut.
    pub over: bool,
    /// Whether cutting paid once in this episode.
    pub econ_latched: bool,
    /// Tokens that are no repeats.
    pub muscle_tokens: u64,
    /// The tokens at which the band changes for the worse.
    pub hard_ceiling_tokens: u64,
    /// Which limit was reached; not a field of the Node engine.
    #[serde(skip)]
    pub cap: Option<Cap>,
    /// Why a limit is reached and moving topics out is not said to be the answer; not a field of
    /// the Node engine.
    #[serde(skip)]
    pub cause: Option<Cause>,
}

impl Verdict {
    /// Works out how a store stands.
    pub fn of(inputs: &Inputs) -> Self {
        let Inputs { footprint, fat, capacity, .. } = *inputs;
        let muscle = footprint.saturating_sub(fat);
        let over = if inputs.was_over { fat > DISARM } else { fat >= ARM };
        let economical = over && (inputs.both_economical || inputs.was_economical);
        let cap = inputs.cut.or((footprint >= capacity).then_some(Cap::Capacity));
        let (band, reason, latched) = match (cap.is_some(), over, economical) {
            (true, true, _) => (Band::Full, Reason::AbsoluteCap, economical),
            (true, false, _) if inputs.removed => (Band::Full, Reason::Externalize, false),
            (true, false, _) => (Band::Full, Reason::AbsoluteCap, false),
            (false, _, true) => (Band::Full, Reason::Economic, true),
            (false, true, false) => (Band::Obese, Reason::Fat, false),
            (false, false, false) => (Band::Lean, Reason::Fat, false),
        };
        #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^53")]
        let bmi = (muscle > 0).then(|| footprint as f64 / muscle as f64);
        Self {
            band,
            reason,
            bmi,
            over,
            econ_latched: latched,
            muscle_tokens: muscle,
            hard_ceiling_tokens: if cap.is_some() { capacity } else { muscle + ARM },
            cap,
            cause: (cap.is_some() && !over && !inputs.removed).then_some(Cause::CapacityUnmeasured),
        }
    }
}

#[cfg(test)]
mod tests;
