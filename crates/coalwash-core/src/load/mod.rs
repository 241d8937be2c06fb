//! The load map: what a host loads, worked out from its own rules.

pub mod map;
pub mod pattern;
pub mod tree;

pub use map::{Cut, Double, Entry, Kind, LoadMap, Origin, Owner, RoleMemory, SkipReason, Skipped, Tier};
pub use tree::{MemTree, Node, Real, Tree, Unreadable};
