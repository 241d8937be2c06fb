//! Text as the hosts and the screen see it: decoding, lines, estimates of tokens, escapes.

pub mod escape;
pub mod estimate;
pub mod front_matter;
pub mod lines;
mod sent_lines;

pub use escape::escaped;
pub use estimate::{Estimate, Estimator, FamilyFactor, Tokens};
pub use sent_lines::SentLines;
