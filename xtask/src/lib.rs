//! Development tasks.
//!
//! The real-client oracle: [`trees`] makes random homes and projects, [`client`] runs an installed
//! Claude Code in one of them against [`stub`], [`answer`] says which files reached the model, and
//! [`record`] keeps the answers as goldens that tests compare with.

pub mod answer;
pub mod client;
pub mod compare;
pub mod deny;
pub mod hosts;
pub mod live;
mod loopback;
pub mod record;
pub mod stub;
pub mod trees;
