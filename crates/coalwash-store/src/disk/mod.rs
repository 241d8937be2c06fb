//! The real file system.

mod ahead;
mod lock;
mod replace;
mod sample;
mod tree;

pub(crate) use lock::{Waited, lock_file};
pub use replace::{ReplaceError, replace};
pub use sample::{SampleItem, lay_out};
pub(crate) use tree::unreadable;
pub use tree::{DiskTree, modified_ms, read_file};
