//! A verdict with the figures that belong to it.

use serde::Serialize;

use super::{Band, Cap, Economics, Envelope, Inputs, Measure, State, Verdict};

/// What is judged, and by what.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// What is loaded.
    pub measure: &'a Measure,
    /// Which limit of the host cuts something off, if one does.
    pub cut: Option<Cap>,
    /// Tokens that a session can hold.
    pub capacity: u64,
    /// How long the index should be.
    pub envelope: Envelope,
    /// Sessions that begin in a day.
    pub loads_per_day: f64,
}

/// A verdict, and whether a run pays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// How it stands.
    pub verdict: Verdict,
    /// What a run would bring.
    pub break_even: BreakEven,
}

/// What a run would bring, with the fields of the Node engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakEven {
    /// Tokens of exact repeats.
    pub fat_tokens: u64,
    /// Tokens a day that they cost; 0 where there is nothing to cut.
    pub per_day: u64,
    /// Days after which cutting them has paid.
    pub break_even_days: Option<f64>,
    /// Tokens of the index that could be moved out.
    pub demotable_tokens: u64,
    /// Tokens a day that they cost.
    pub reorg_per_day: u64,
    /// Days after which moving them has paid.
    pub reorg_break_even_days: Option<f64>,
    /// Whether both pay now.
    pub economical: bool,
    /// Tokens that are no repeats.
    pub muscle_tokens: u64,
    /// The same as `fat_tokens`.
    pub mech_fat_tokens: u64,
}

impl Judgement {
    /// Judges what was measured in the light of what was remembered.
    pub fn of(terms: &Terms<'_>, state: &State) -> Self {
        let measure = terms.measure;
        let footprint = measure.always_loaded.tokens_est;
        let fat = measure.mech_fat.tokens_est;
        let demotable = terms.envelope.demotable((measure.index.bytes + 2) / 4);
        let proof =
            |mass| Economics::of(mass, footprint, measure.total_tokens_est, terms.loads_per_day);
        let (cut, reorganise) = (proof(fat), proof(demotable));
        let both = cut.economical && reorganise.economical;
        let verdict = Verdict::of(&Inputs {
            footprint,
            fat,
            capacity: terms.capacity,
            cut: terms.cut,
            both_economical: both,
            was_over: state.was_over,
            was_economical: state.was_economical,
            removed: state.episode.removed,
        });
        // Of repeats that are too few to cut no figure is told, whatever limit is reached.
        let tells = verdict.over;
        let break_even = BreakEven {
            fat_tokens: fat,
            per_day: if tells { cut.per_day } else { 0 },
            break_even_days: cut.break_even_days.filter(|_| tells),
            demotable_tokens: demotable,
            reorg_per_day: if tells { reorganise.per_day } else { 0 },
            reorg_break_even_days: reorganise.break_even_days.filter(|_| tells),
            economical: tells && verdict.band == Band::Full && both,
            muscle_tokens: verdict.muscle_tokens,
            mech_fat_tokens: fat,
        };
        Self { verdict, break_even }
    }
}
