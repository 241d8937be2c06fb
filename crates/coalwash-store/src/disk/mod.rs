//! The real file system.

mod sample;
mod tree;

pub use sample::{SampleItem, lay_out};
pub use tree::{DiskTree, read_file};
