//! Whether a run of a model that shortens memory pays for itself.

use serde::Serialize;

/// A run reads what it shortens, writes it and checks it.
///
/// Source: the constant of `CoalWash` 1.x, which no measurement backs.
const RUN_COST: u64 = 3;
/// Days within which a run has to pay.
const HORIZON_DAYS: u64 = 14;
const DAY_MS: f64 = 86_400_000.0;

/// One of two proofs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Economics {
    /// Tokens a day that are paid for nothing.
    pub per_day: u64,
    /// Days after which a run has paid; `None` is never.
    pub break_even_days: Option<f64>,
    /// Whether it pays within two weeks.
    pub economical: bool,
}

impl Economics {
    /// Works out whether getting rid of `mass` tokens pays. `store` is everything that a run reads.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tokens are far below 2^53 and not negative"
    )]
    pub fn of(mass: u64, footprint: u64, store: u64, loads_per_day: f64) -> Self {
        let per_day = (mass as f64 * loads_per_day).round() as u64;
        let run = store.max(footprint) * RUN_COST;
        Self {
            per_day,
            break_even_days: (per_day > 0).then(|| run as f64 / per_day as f64),
            economical: per_day * HORIZON_DAYS > run,
        }
    }
}

/// Returns the sessions a day of a list of starts, in milliseconds since 1970: 1 where fewer than two
/// are known, and from 0.1 to 20.
#[expect(clippy::cast_precision_loss, reason = "times are far below 2^53")]
pub fn per_day(starts: &[i64], now_ms: i64) -> f64 {
    let Some(first) = starts.iter().min().filter(|_| starts.len() > 1) else { return 1.0 };
    let days = ((now_ms - first) as f64 / DAY_MS).max(1.0);
    (starts.len() as f64 / days).clamp(0.1, 20.0)
}

/// How long the index of a memory should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// Tokens from which on moving topics out is weighed.
    pub arm_at: u64,
    /// Tokens at which it is not weighed any more.
    pub disarm_at: u64,
    /// Tokens that moving topics out should reach.
    pub fill_ceiling: u64,
}

impl Envelope {
    /// Works it out from a target and percents above and below it.
    pub fn of(target: u64, arm: u64, disarm: u64, headroom: u64) -> Self {
        let percent = |p: u64| (target * p + 50) / 100;
        Self {
            arm_at: percent(100 + arm),
            disarm_at: percent(100 - disarm.min(100)),
            fill_ceiling: percent(100 - headroom.min(100)),
        }
    }

    /// Returns the tokens of an index that could be moved out; none below the mark.
    pub fn demotable(&self, index: u64) -> u64 {
        if index >= self.arm_at { index.saturating_sub(self.fill_ceiling) } else { 0 }
    }
}
