//! Reads what a rewrite is compared with.

mod changes;

pub use changes::{Between, Change, Changes, changes};
