//! One file per verb.

pub(crate) mod all;
pub(crate) mod anchor_diff;
pub(crate) mod apply;
pub(crate) mod bin;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod diff;
pub(crate) mod gauge;
pub(crate) mod generate;
pub(crate) mod keep;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod overview;
pub(crate) mod quick;
pub(crate) mod recover;
pub(crate) mod restore;
pub(crate) mod undo;
pub(crate) mod verdict;
