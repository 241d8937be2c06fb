//! The gate by what it says.

mod classes;
mod model;
mod properties;
mod scripts;
mod words;

use super::{Memo, Report, compare, compared};

/// Returns one line for each finding: its class and its text.
fn told(old: &str, new: &str) -> String {
    let lines = compare(&[old], new).findings.into_iter().map(|found| {
        let class = serde_json::to_string(&found.class).unwrap();
        format!("{} | {}", class.trim_matches('"'), found.text)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Compares without leaving out what both texts share.
fn whole(old: &str, new: &str) -> Report {
    compared(&[old], new, false, &mut Memo::default())
}
