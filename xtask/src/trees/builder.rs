//! The tree while it grows.

use std::collections::{BTreeMap, BTreeSet};

use super::{Item, Kind, Random, Tree};

/// The most items a tree may have.
const LIMIT: usize = 60;

/// A growing tree. What is put first stays: a later item on the same path, or below something that
/// isn't a folder, is dropped.
pub(crate) struct Builder {
    pub(crate) random: Random,
    pub(crate) cwd: String,
    pub(crate) touches: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    seed: u64,
    items: BTreeMap<String, Kind>,
    features: BTreeSet<&'static str>,
    marks: usize,
    numbers: usize,
    imported: Vec<String>,
    chain: Vec<String>,
}

impl Builder {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            cwd: String::new(),
            touches: Vec::new(),
            env: Vec::new(),
            seed,
            items: BTreeMap::new(),
            features: BTreeSet::new(),
            marks: 0,
            numbers: 0,
            imported: Vec::new(),
            chain: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> Tree {
        Tree {
            seed: self.seed,
            items: self.items.into_iter().map(|(path, kind)| Item { path, kind }).collect(),
            cwd: self.cwd,
            touches: self.touches,
            env: self.env,
            features: self.features.into_iter().collect(),
        }
    }

    /// Notes that the tree has something.
    pub(crate) fn has(&mut self, feature: &'static str) {
        self.features.insert(feature);
    }

    /// Returns true in `percent` of 100 calls, and notes `feature` then.
    pub(crate) fn maybe(&mut self, percent: usize, feature: &'static str) -> bool {
        let yes = self.random.chance(percent);
        if yes {
            self.has(feature);
        }
        yes
    }

    /// Returns a word no other text of the tree has.
    pub(crate) fn mark(&mut self) -> String {
        self.marks += 1;
        format!("mark{}k{}", self.seed, self.marks)
    }

    /// Returns a number no other file name of the tree has.
    pub(crate) fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// Notes an imported file, so that another text may import it too.
    pub(crate) fn remember(&mut self, path: &str) {
        self.imported.push(path.to_owned());
    }

    /// Returns one of the noted files.
    pub(crate) fn remembered(&mut self) -> Option<String> {
        let at = self.random.below(self.imported.len());
        self.imported.get(at).cloned()
    }

    /// Returns the files of the tree's chain of imports.
    pub(crate) fn chain(&self) -> Option<Vec<String>> {
        (!self.chain.is_empty()).then(|| self.chain.clone())
    }

    pub(crate) fn set_chain(&mut self, links: Vec<String>) {
        self.chain = links;
    }

    /// Returns true while there is room for `more` items.
    pub(crate) fn room(&self, more: usize) -> bool {
        self.items.len() + more <= LIMIT
    }

    pub(crate) fn is_taken(&self, path: &str) -> bool {
        self.items.contains_key(path)
            || self.items.range(format!("{path}/")..).next().is_some_and(|(next, _)| {
                next.starts_with(path) && next.as_bytes().get(path.len()) == Some(&b'/')
            })
    }

    /// Returns the paths of all files, links too.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.items.keys().cloned().collect()
    }

    /// Puts an item, and says whether there was room for it.
    pub(crate) fn put(&mut self, path: &str, kind: Kind) -> bool {
        let blocked = path.match_indices('/').any(|(at, _)| {
            self.items.get(&path[..at]).is_some_and(|above| !matches!(above, Kind::Dir))
        });
        if blocked || self.is_taken(path) || !self.room(1) {
            return false;
        }
        self.items.insert(path.to_owned(), kind);
        true
    }

    /// Gives a file that was put another text.
    pub(crate) fn rewrite(&mut self, path: &str, text: Vec<u8>) {
        if let Some(kind @ Kind::File(_)) = self.items.get_mut(path) {
            *kind = Kind::File(text);
        }
    }

    pub(crate) fn file(&mut self, path: &str, text: impl Into<Vec<u8>>) -> bool {
        self.put(path, Kind::File(text.into()))
    }

    pub(crate) fn link(&mut self, path: &str, target: impl Into<String>) -> bool {
        self.put(path, Kind::Link(target.into()))
    }
}

/// Joins two relative paths, the second of which may climb.
pub(crate) fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the folder of a relative path.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the relative path from a folder to a path.
pub(crate) fn relative(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; from.len() - common];
    parts.extend(&to[common..]);
    parts.join("/")
}
