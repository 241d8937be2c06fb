//! Rewriting memory without losing a fact.

pub mod anchor_diff;
pub mod gate;
mod hash;
pub mod node;
mod plan;
pub mod retention;
mod review;

pub use hash::ContentHash;
pub use plan::{Action, Change, Plan, PlanError, SCHEMA as PLAN_SCHEMA, Target};
pub use review::{Passages, Review, review};
