//! What a run came to, as the log remembers it.

use std::cmp::Ordering;

use camino::Utf8Path;
use coalwash_core::text::{Estimator as _, Tokens};
use coalwash_core::wash::Review;
use serde::{Deserialize, Serialize};

use crate::look::ESTIMATOR;
use crate::ui::{kilo, number};

/// What the log remembers of a run, besides its files.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Receipt {
    /// Different facts in the old texts, where they were counted.
    #[serde(default)]
    pub(crate) facts_before: Option<usize>,
    #[serde(default)]
    pub(crate) facts_after: Option<usize>,
    pub(crate) tokens_before: u64,
    pub(crate) tokens_after: u64,
}

impl Receipt {
    /// Reads what an older or newer version wrote, as far as it is understood.
    pub(crate) fn read(value: &serde_json::Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }

    /// Counts what all files of a change cost.
    pub(crate) fn of<'a>(
        files: impl Iterator<Item = (&'a Utf8Path, Option<&'a [u8]>, Option<&'a [u8]>)>,
    ) -> Self {
        let tokens = |bytes: Option<&[u8]>| {
            bytes.map_or(0, |bytes| ESTIMATOR.tokens(&String::from_utf8_lossy(bytes)).0)
        };
        let mut out =
            Self { facts_before: None, facts_after: None, tokens_before: 0, tokens_after: 0 };
        for (_, before, after) in files {
            out.tokens_before += tokens(before);
            out.tokens_after += tokens(after);
        }
        out
    }

    /// The same with the facts that the gate counted.
    pub(crate) fn with_facts(self, reviews: &[Review]) -> Self {
        Self {
            facts_before: Some(reviews.iter().map(|review| review.facts_before).sum()),
            facts_after: Some(reviews.iter().map(|review| review.facts_after).sum()),
            ..self
        }
    }

    /// Says what changed in size.
    pub(crate) fn words(self) -> String {
        let (before, after) = (self.tokens_before, self.tokens_after);
        match before.cmp(&after) {
            Ordering::Greater => format!("{} tokens less", kilo(Tokens(before - after))),
            Ordering::Less => format!("{} tokens more", kilo(Tokens(after - before))),
            Ordering::Equal => "as many tokens as before".to_owned(),
        }
    }

    /// Says how many facts there were and are.
    pub(crate) fn facts(self) -> String {
        let count = |facts: Option<usize>| number(facts.unwrap_or(0) as u64);
        format!("Facts: {} before, {} after", count(self.facts_before), count(self.facts_after))
    }
}
