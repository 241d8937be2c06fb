//! What the load map has to know of a file system, as a trait.
//!
//! Core does no IO; the store implements [`Tree`] over the real disk, [`MemTree`] over values.

use camino::{Utf8Path, Utf8PathBuf};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, not followed.
    Link,
    /// A pipe, socket or device.
    Special,
}

/// One name in a folder, as the folder lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The name, or `None` where it isn't UTF-8.
    pub name: Option<String>,
    /// The name, safe to print, where it isn't UTF-8.
    pub shown: String,
    /// What it is; links aren't followed.
    pub node: Node,
}

/// A path with all links resolved, and what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Real {
    /// The physical path.
    pub path: Utf8PathBuf,
    /// What is there; never [`Node::Link`].
    pub node: Node,
    /// Size in bytes; 0 for anything but a file.
    pub bytes: u64,
}

/// Why something could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Nothing is there, or a link that leads nowhere.
    #[error("it does not exist")]
    Missing,
    /// The user may not read it.
    #[error("permission denied")]
    Denied,
    /// A folder where a file was expected.
    #[error("it is a folder")]
    Folder,
    /// A pipe, socket or device.
    #[error("it is a pipe, socket or device")]
    Special,
    /// Links that lead to each other.
    #[error("its links lead in a circle")]
    Loop,
    /// It leads out of what may be looked at.
    #[error("it leads out of the repository")]
    Outside,
    /// The path isn't UTF-8.
    #[error("its path is not UTF-8")]
    NotUtf8,
    /// Anything else the system says.
    #[error("{0}")]
    Io(String),
}

/// A file system to read from.
pub trait Tree: Sync {
    /// Returns the names in a folder, in the order the system lists them; links to folders count.
    ///
    /// # Errors
    /// Says why the folder could not be listed.
    fn list(&self, folder: &Utf8Path) -> Result<Vec<Child>, Unreadable>;

    /// Returns the names in a folder as [`Tree::list`] does, with the size of each regular file.
    ///
    /// Looking from within the folder costs less than asking for every path.
    ///
    /// # Errors
    /// As [`Tree::list`]. A file that can't be looked at has no size.
    fn list_sized(&self, folder: &Utf8Path) -> Result<Vec<(Child, Option<u64>)>, Unreadable> {
        let sized = |child: Child| {
            let file = child.name.as_ref().filter(|_| child.node == Node::File);
            let real = file.and_then(|name| self.real(&folder.join(name)).ok());
            (child, real.map(|real| real.bytes))
        };
        Ok(self.list(folder)?.into_iter().map(sized).collect())
    }

    /// Says that [`Tree::list_sized`] will be asked of a folder, so that it can begin.
    fn will_list_sized(&self, _folder: &Utf8Path) {}

    /// Says that the files of a folder will be asked for, so that reading them can begin.
    fn will_read(&self, _folder: &Utf8Path) {}

    /// Returns what is at `path` itself, not following a link in the last place.
    ///
    /// # Errors
    /// Says why it could not be looked at.
    fn node(&self, path: &Utf8Path) -> Result<Node, Unreadable>;

    /// Returns where `path` leads with every link followed.
    ///
    /// # Errors
    /// Says why it could not be resolved.
    fn real(&self, path: &Utf8Path) -> Result<Real, Unreadable>;

    /// Returns whether `path` leads nowhere because a link in it takes a file for a folder.
    ///
    /// For [`Tree::real`] nothing is there; some hosts' searches end at it.
    fn leads_through_file(&self, _path: &Utf8Path) -> bool {
        false
    }

    /// Returns the bytes of a regular file, links followed.
    ///
    /// # Errors
    /// Says why it could not be read. A pipe or device is never opened for its content.
    fn read(&self, path: &Utf8Path) -> Result<Vec<u8>, Unreadable>;

    /// Returns the first bytes of a regular file, at most `limit`.
    ///
    /// # Errors
    /// As [`Tree::read`].
    fn read_start(&self, path: &Utf8Path, limit: usize) -> Result<Vec<u8>, Unreadable> {
        let mut bytes = self.read(path)?;
        bytes.truncate(limit);
        Ok(bytes)
    }
}

/// Returns `path` with `.` and `..` taken away by their names alone, as the hosts do.
///
/// `base` is put before a relative path.
pub fn resolved(base: &Utf8Path, path: &str) -> Utf8PathBuf {
    let mut out: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { base.as_str() };
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    Utf8PathBuf::from(format!("/{}", out.join("/")))
}

/// Returns the part of `path` below `folder`, or `None` where it isn't below; both are absolute and
/// without `.` and `..`. Empty for the folder itself.
///
/// As `strip_prefix`, but by bytes: a map asks this of every file.
pub fn below<'p>(path: &'p Utf8Path, folder: &Utf8Path) -> Option<&'p str> {
    let rest = path.as_str().strip_prefix(folder.as_str().trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

mod mem {
    use super::{Child, Node, Real, Tree, Unreadable, resolved};
    use camino::{Utf8Path, Utf8PathBuf};
    use std::collections::BTreeMap;

    #[derive(Clone, Debug)]
    enum Item {
        File(Vec<u8>),
        Folder,
        Link(String),
        Special,
        Denied,
    }

    /// Why a path could not be followed.
    enum Wrong {
        Missing,
        ThroughFile,
        Loop,
    }

    /// A file system made of values, for tests and for asking "what if".
    ///
    /// Names are listed in the order of their bytes.
    #[derive(Clone, Debug, Default)]
    pub struct MemTree {
        items: BTreeMap<Utf8PathBuf, Item>,
    }

    impl MemTree {
        /// Puts a file, and the folders above it.
        pub fn file(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> &mut Self {
            self.put(path, Item::File(bytes.into()))
        }

        /// Puts a folder, and those above it.
        pub fn folder(&mut self, path: &str) -> &mut Self {
            self.put(path, Item::Folder)
        }

        /// Puts a symbolic link to `target`.
        pub fn link(&mut self, path: &str, target: &str) -> &mut Self {
            self.put(path, Item::Link(target.to_owned()))
        }

        /// Puts a pipe.
        pub fn special(&mut self, path: &str) -> &mut Self {
            self.put(path, Item::Special)
        }

        /// Puts a file that may not be read.
        pub fn denied(&mut self, path: &str) -> &mut Self {
            self.put(path, Item::Denied)
        }

        fn put(&mut self, path: &str, item: Item) -> &mut Self {
            let path = resolved(Utf8Path::new("/"), path);
            for above in path.ancestors().skip(1) {
                self.items.entry(above.to_owned()).or_insert(Item::Folder);
            }
            self.items.insert(path, item);
            self
        }

        fn follow(&self, path: &Utf8Path, hops: usize) -> Result<(Utf8PathBuf, &Item), Unreadable> {
            self.followed(path, hops).map_err(|wrong| match wrong {
                Wrong::ThroughFile | Wrong::Missing => Unreadable::Missing,
                Wrong::Loop => Unreadable::Loop,
            })
        }

        fn followed(&self, path: &Utf8Path, hops: usize) -> Result<(Utf8PathBuf, &Item), Wrong> {
            if hops > 40 {
                return Err(Wrong::Loop);
            }
            let mut at = Utf8PathBuf::from("/");
            let mut item = self.items.get(&at).ok_or(Wrong::Missing)?;
            for part in path.as_str().split('/').filter(|p| !p.is_empty()) {
                if !matches!(item, Item::Folder) {
                    return Err(Wrong::ThroughFile);
                }
                if part == ".." {
                    at.pop();
                } else if part != "." {
                    at.push(part);
                }
                item = self.items.get(&at).ok_or(Wrong::Missing)?;
                if let Item::Link(to) = item {
                    let base = at.parent().unwrap_or(Utf8Path::new("/")).to_owned();
                    // Not `resolved`: a `..` after a link is physical.
                    let next =
                        if to.starts_with('/') { Utf8PathBuf::from(to) } else { base.join(to) };
                    (at, item) = self.followed(&next, hops + 1)?;
                }
            }
            Ok((at, item))
        }
    }

    fn node_of(item: &Item) -> Node {
        match item {
            Item::File(_) | Item::Denied => Node::File,
            Item::Folder => Node::Folder,
            Item::Link(_) => Node::Link,
            Item::Special => Node::Special,
        }
    }

    impl Tree for MemTree {
        fn list(&self, folder: &Utf8Path) -> Result<Vec<Child>, Unreadable> {
            let (at, item) = self.follow(folder, 0)?;
            if !matches!(item, Item::Folder) {
                return Err(Unreadable::Missing);
            }
            let below = self.items.range(at.clone()..).skip(1);
            Ok(below
                .take_while(|(p, _)| p.starts_with(&at))
                .filter(|(p, _)| p.parent() == Some(&at))
                .map(|(p, item)| {
                    let name = p.file_name().unwrap_or_default().to_owned();
                    Child { name: Some(name), shown: String::new(), node: node_of(item) }
                })
                .collect())
        }

        fn node(&self, path: &Utf8Path) -> Result<Node, Unreadable> {
            let Some((above, name)) = path.parent().zip(path.file_name()) else {
                return Ok(Node::Folder);
            };
            let (above, _) = self.follow(above, 0)?;
            self.items.get(&above.join(name)).map(node_of).ok_or(Unreadable::Missing)
        }

        fn real(&self, path: &Utf8Path) -> Result<Real, Unreadable> {
            let (path, item) = self.follow(path, 0)?;
            let bytes = if let Item::File(b) = item { b.len() as u64 } else { 0 };
            Ok(Real { path, node: node_of(item), bytes })
        }

        fn leads_through_file(&self, path: &Utf8Path) -> bool {
            matches!(self.followed(path, 0), Err(Wrong::ThroughFile))
        }

        fn read(&self, path: &Utf8Path) -> Result<Vec<u8>, Unreadable> {
            match self.follow(path, 0)?.1 {
                Item::File(bytes) => Ok(bytes.clone()),
                Item::Folder => Err(Unreadable::Folder),
                Item::Denied => Err(Unreadable::Denied),
                Item::Special | Item::Link(_) => Err(Unreadable::Special),
            }
        }
    }
}

pub use mem::MemTree;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_by_name() {
        let at = |p| resolved(Utf8Path::new("/a/b"), p).into_string();
        assert_eq!(at("c"), "/a/b/c");
        assert_eq!(at("./c//d/../e"), "/a/b/c/e");
        assert_eq!(at("../../../x"), "/x");
        assert_eq!(at("/x/./y"), "/x/y");
    }

    #[test]
    fn below_is_by_whole_names() {
        let of = |path: &'static str, folder| below(Utf8Path::new(path), Utf8Path::new(folder));
        assert_eq!(of("/a/b/c", "/a/b"), Some("c"));
        assert_eq!(of("/a/bc", "/a/b"), None);
        assert_eq!(of("/a/b", "/a/b"), Some(""));
        assert_eq!(of("/a", "/"), Some("a"));
        assert_eq!(of("/a", "/a/b"), None);
    }

    #[test]
    fn a_tree_of_values_follows_links_like_a_disk() {
        let mut t = MemTree::default();
        t.file("/a/b/f", "x").link("/a/l", "b").link("/loop", "/loop").link("/gone", "/nope");
        assert_eq!(t.real(Utf8Path::new("/a/l/f")).unwrap().path, "/a/b/f");
        assert_eq!(t.node(Utf8Path::new("/a/l")), Ok(Node::Link));
        assert_eq!(t.real(Utf8Path::new("/loop")), Err(Unreadable::Loop));
        assert_eq!(t.read(Utf8Path::new("/gone")), Err(Unreadable::Missing));
        t.link("/through", "/a/b/f/x");
        assert_eq!(t.real(Utf8Path::new("/through")), Err(Unreadable::Missing));
        let through = |path| t.leads_through_file(Utf8Path::new(path));
        assert_eq!(
            ["/through", "/gone", "/loop", "/a/l/f"].map(through),
            [true, false, false, false]
        );
        assert_eq!(t.list(Utf8Path::new("/a")).unwrap().len(), 2);
    }
}
