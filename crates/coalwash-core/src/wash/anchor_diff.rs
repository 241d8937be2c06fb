//! Anchor-diff: what an old snapshot of a file had that neither the file nor a recorded cut has now.
//!
//! It goes by tokens, as the Node engine (`CoalWash` 1.x) did: links, dates, numbers and the like. A
//! token that is missing is a candidate for a look, never a loss that is proven; what is no token is
//! not seen at all. Our own comparison of texts is [`super::gate`].

mod front_matter;
mod inventory;
mod scan;
#[cfg(test)]
mod tests;

pub use inventory::{Inventory, TokenClass, inventory};

/// A token that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What kind of token.
    pub class: TokenClass,
    /// The token.
    pub value: String,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnchorDiff {
    /// What is missing, by class.
    pub candidates: Vec<Candidate>,
    /// For each class, how many different tokens the snapshot has and how many are missing.
    pub counts: Vec<(TokenClass, usize, usize)>,
}

/// Compares a snapshot with the file as it is, and with the texts that were cut from it since.
pub fn anchor_diff(anchor: &str, current: &str, approved: &[String]) -> AnchorDiff {
    let anchor = inventory(anchor);
    let elsewhere: Vec<Inventory> = std::iter::once(current)
        .chain(approved.iter().map(|text| &**text))
        .map(inventory)
        .collect();
    let mut out = AnchorDiff::default();
    for class in TokenClass::ALL {
        let missing = anchor
            .of(class)
            .iter()
            .filter(|value| !elsewhere.iter().any(|text| text.of(class).contains(value.as_str())));
        let before = out.candidates.len();
        out.candidates.extend(missing.map(|value| Candidate { class, value: value.clone() }));
        out.counts.push((class, anchor.of(class).len(), out.candidates.len() - before));
    }
    out
}
