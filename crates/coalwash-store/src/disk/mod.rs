//! The real file system.

mod ahead;
#[cfg(test)]
pub(crate) mod fault;
mod lock;
mod ops;
mod own;
#[cfg(unix)]
mod real;
mod replace;
mod sample;
mod tree;

pub(crate) use lock::{Waited, lock_file};
pub use ops::{Attributes, Disk, Kind, Stat};
pub(crate) use own::make_private;
pub use own::own_folder;
#[cfg(unix)]
pub use real::{Folder, RealDisk, stop_before};
pub use replace::{ReplaceError, replace};
pub use sample::{SampleItem, lay_out};
pub(crate) use tree::unreadable;
pub use tree::{DiskTree, modified_ms, read_file};
