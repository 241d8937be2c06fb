//! Claude Code.

pub(in crate::load) mod listing;
pub mod markdown;
pub(in crate::load) mod memory;
pub mod settings;
pub(in crate::load) mod style;
pub mod table;

use super::Profile;
use crate::load::scene::Scene;

/// What has to be known of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Tokens of its window.
    pub window_tokens: u64,
    /// Characters that the host counts for one token of a list.
    pub characters_per_token: u64,
}

/// Families with a window of 200,000 tokens in every version measured.
const NARROW: [&str; 6] =
    ["opus-4-5", "opus-4-6", "sonnet-4-5", "sonnet-4-6", "haiku-4-5", "3-5-haiku"];

/// Returns what is known of the model that a session would use.
///
/// Without a model in the environment or the settings it is the one that a headless client picked.
///
/// Source: the list budgets of both clients with each model.
pub fn model_of(profile: &Profile, scene: &Scene) -> Model {
    let name = scene.model.as_deref().or(scene.settings.model.as_deref()).unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let old = profile.dialect == markdown::Dialect::V2_1_197;
    let narrow = NARROW.iter().any(|n| name.contains(n)) || old && name == "haiku";
    let wide = name.ends_with("[1m]") || name.is_empty() || !old && !narrow;
    Model {
        window_tokens: if wide { 1_000_000 } else { 200_000 },
        characters_per_token: if narrow { 4 } else { 3 },
    }
}
