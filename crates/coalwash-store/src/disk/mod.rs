//! The real file system.

mod ahead;
mod sample;
mod tree;

pub use sample::{SampleItem, lay_out};
pub(crate) use tree::unreadable;
pub use tree::{DiskTree, modified_ms, read_file};
