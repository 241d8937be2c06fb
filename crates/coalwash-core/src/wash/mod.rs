//! Rewriting memory without losing a fact.

pub mod gate;
