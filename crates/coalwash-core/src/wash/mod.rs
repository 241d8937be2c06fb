//! Rewriting memory without losing a fact.

pub mod anchor_diff;
pub mod gate;
mod hash;
mod keeps;
mod lines;
pub mod node;
mod plan;
pub mod quick;
pub mod retention;
mod review;

pub use hash::ContentHash;
pub use keeps::{Keep, Keeps, SCHEMA as KEEPS_SCHEMA, lines_of};
pub use lines::{LineChange, line_changes, merged, without_change};
pub use plan::{Action, Change, Plan, PlanError, SCHEMA as PLAN_SCHEMA, Target};
pub use review::{Passages, Review, review};
