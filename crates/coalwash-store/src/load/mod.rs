//! Reads what the load map is asked about: folders, settings, git, known projects.

mod discover;
mod fence;
mod git_tree;
mod memory;
mod nested;
mod others;
mod projects;
mod state;
mod version;

pub use discover::{Ask, discover};
pub use fence::Fence;
pub use git_tree::{GitError, GitTree};
pub(crate) use git_tree::{common, git};
pub use memory::{MemoryUse, memory_use};
pub use nested::{Nested, nested};
pub use others::{Other, Places, repository_maps, scene_of};
pub use projects::{KnownProject, known_projects};
pub use state::{StateError, StateFiles};
pub(crate) use version::is_version;
pub use version::{Installed, installed};
