//! Rewriting memory without losing a fact.

pub mod gate;
pub mod quick;
