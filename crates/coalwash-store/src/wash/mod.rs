//! Changing files: the one engine that does it, and what it remembers.

mod apply;
mod changes;
mod contents;
mod journal;
mod lock;
pub mod node;
mod recover;
mod run;
mod stage;
mod step;
#[cfg(test)]
mod tests;

pub use apply::{ApplyError, Cleared, Done, Engine, Files, Meta, Prepared};
pub use changes::{Between, Change, Changes, changes};
pub use journal::{Begin, End, Found, Held, Process, Step};
pub use lock::{Holder, LockError, Locked, store_name};
pub use recover::Recovered;
pub use run::{RunError, RunRecord};
pub use stage::{StageError, Staged};
