//! Development tasks.
//!
//! The real-client oracle: [`trees`] makes random homes and projects, [`client`] runs an installed
//! Claude Code in one of them against [`stub`], [`answer`] says which files reached the model, and
//! [`record`] keeps the answers as goldens that tests compare with. [`hosts`] holds the same of the
//! other hosts. [`live`] asks all of them about trees that nobody has seen.
//!
//! [`fuzz`] gives bent texts to what reads texts, [`hostile`] large ones.

pub mod alone;
pub mod answer;
pub mod client;
pub mod compare;
pub mod deny;
pub mod fuzz;
pub mod hostile;
pub mod hosts;
mod jobs;
pub mod live;
mod loopback;
pub mod npm;
pub mod record;
pub mod session;
pub mod stub;
pub mod trees;
