//! What the Node engine (`CoalWash` 1.x) left beside a project, read as values.
//!
//! It lies inside the project, so anybody may have written it: a repository can ship a well-formed
//! journal that asks for anything. So nothing here is believed for being well-formed. A name is a
//! name only if it leads nowhere else, and a path is only what someone claims.
//!
//! Source: the documented formats of v1.1.0.

mod bins;
mod guard;
mod journal;
mod keeps;
#[cfg(test)]
mod tests;

pub use bins::{Bin, BinEntry, Index, id_time_ms, index};
pub use guard::{copy_name, session_name};
pub use journal::{Journal, Manifest, Status, journal, manifest};
pub use keeps::{Keep, Keeps, keeps};

use serde_json::Value;

/// Returns whether a name is one name in one folder, wherever it is used.
pub fn is_bare(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', '\0'])
}

/// Returns whether JavaScript's `Number(version)` is above one, as for what a newer engine wrote.
fn is_newer(version: Option<&Value>) -> bool {
    let number = match version {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    number.is_some_and(|number| number > 1.0)
}

/// Returns a whole number, also one that is written as `1e3` or `1.0`.
fn whole(value: Option<&Value>) -> Option<i64> {
    let number = value?;
    // Beyond 2^53 a number of JavaScript isn't exact, and no time is as late.
    let exact = |number: f64| number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
    number.as_i64().or_else(|| number.as_f64().filter(|it| exact(*it)).map(|it| it as i64))
}
