//! Random homes and projects, made from a seed.
//!
//! [`Tree::generate`] gives the same tree for the same seed for ever: the generator has its own
//! random numbers and no other input. Whoever changes the generator changes every tree, and has to
//! record the answers again (`cargo xtask record`); [`Tree::hash`] is stored beside each answer, so
//! that an old answer is noticed.
//!
//! Texts and link targets may hold `{root}`, which stands for the absolute folder the tree is laid
//! out in. Paths may hold `{slug:REL}`, the host's name for the project folder `root/REL`.

mod builder;
mod by_hand;
mod frame;
mod imports;
mod lay_out;
mod listing;
mod markdown;
mod memory;
mod odd_texts;
mod path_lists;
mod random;
mod rule_keys;
mod rules;
mod settings;
mod surfaces;
#[cfg(test)]
mod tests;

pub(crate) use builder::{Builder, join, relative};
pub use by_hand::{BY_HAND, COUNT as BY_HAND_COUNT};
pub use lay_out::{Node, slug};
pub use random::Random;

/// A home, a project and what is asked about them, as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The number the tree was made from.
    pub seed: u64,
    /// Everything on disk, sorted by path. Parent folders aren't listed.
    pub items: Vec<Item>,
    /// The folder a session starts in, below the root.
    pub cwd: String,
    /// Files that are read one after another, below the root.
    pub touches: Vec<String>,
    /// Environment variables for the client.
    pub env: Vec<(String, String)>,
    /// What the generator put in, sorted: names for counting, not part of the tree's identity. Now
    /// and then something was left out again for want of room.
    pub features: Vec<&'static str>,
}

/// One file, folder or link of a [`Tree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Path below the root.
    pub path: String,
    /// What is there.
    pub kind: Kind,
}

/// What stands at a path of a [`Tree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file with these bytes.
    File(Vec<u8>),
    /// An empty folder.
    Dir,
    /// A symbolic link to this target.
    Link(String),
}

/// The home of every tree, below the root.
pub const HOME: &str = "home";

impl Tree {
    /// Returns the tree of a seed: a random one, or from [`BY_HAND`] on one made by hand.
    pub fn generate(seed: u64) -> Self {
        if seed >= BY_HAND { by_hand::tree(seed) } else { frame::generate(seed) }
    }

    /// Returns the first 16 hex digits of the BLAKE3 hash over everything a client could see.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(self.cwd.as_bytes());
        for item in &self.items {
            part(item.path.as_bytes());
            match &item.kind {
                Kind::File(bytes) => (part(b"file"), part(bytes)).0,
                Kind::Dir => part(b"folder"),
                Kind::Link(target) => (part(b"link"), part(target.as_bytes())).0,
            }
        }
        for touch in &self.touches {
            part(b"touch");
            part(touch.as_bytes());
        }
        for (key, value) in &self.env {
            part(key.as_bytes());
            part(value.as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}
