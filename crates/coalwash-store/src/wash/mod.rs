//! Changing files: the one engine that does it, and what it remembers.

mod apply;
mod changes;
mod contents;
mod git_state;
mod journal;
mod keeps;
mod lock;
pub mod node;
mod node_lock;
mod recover;
mod retention;
mod run;
mod stage;
mod step;
#[cfg(test)]
mod tests;
mod undo;

pub use apply::{ApplyError, Cleared, Done, Engine, Files, Meta, Prepared, Texts};
pub use changes::{Between, Change, Changes, changes};
pub use git_state::{GitState, git_states};
pub use journal::{Begin, End, Found, Held, Process, Step};
pub use keeps::{KeepsError, change_keeps, keeps};
pub use lock::{Holder, LockError, Locked, store_name};
pub use node_lock::{NodeLock, NodeLockError};
pub use recover::Recovered;
pub use retention::{KEPT_MS, MOST_BYTES as MOST_KEPT_BYTES, Swept};
pub use run::{RunError, RunRecord};
pub use stage::{StageError, Staged};
pub use undo::{RunFile, UndoAsk, UndoError, whole_undo};
