//! Trees on disk and in memory.

use std::{fs, io, path::Path};

use anyhow::{Context as _, Result};

use super::{Kind, Tree};

/// What stands at a path, with every placeholder replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A folder.
    Dir,
    /// A symbolic link to this target.
    Link(String),
}

impl Tree {
    /// Returns every path of the tree laid out at `root`, parent folders and `root` too, sorted so
    /// that a folder stands before what is in it.
    pub fn materialised(&self, root: &str) -> Vec<(String, Node)> {
        let mut all = std::collections::BTreeMap::new();
        all.insert(root.to_owned(), Node::Dir);
        for item in &self.items {
            let relative = with_slugs(&item.path, root);
            for (at, _) in relative.match_indices('/') {
                all.entry(format!("{root}/{}", &relative[..at])).or_insert(Node::Dir);
            }
            let node = match &item.kind {
                Kind::File(bytes) => Node::File(with_root(bytes, root)),
                Kind::Dir => Node::Dir,
                Kind::Link(target) => Node::Link(with_slugs(&text_at(target, root), root)),
            };
            all.insert(format!("{root}/{relative}"), node);
        }
        all.into_iter().collect()
    }

    /// Returns the folder of the session for a tree laid out at `root`.
    pub fn cwd_at(&self, root: &str) -> String {
        format!("{root}/{}", self.cwd)
    }

    /// Returns the files to read, in order, for a tree laid out at `root`.
    pub fn touches_at(&self, root: &str) -> Vec<String> {
        self.touches.iter().map(|touch| format!("{root}/{touch}")).collect()
    }

    /// Returns the environment variables for a tree laid out at `root`.
    pub fn env_at(&self, root: &str) -> Vec<(String, String)> {
        self.env.iter().map(|(key, value)| (key.clone(), text_at(value, root))).collect()
    }

    /// Writes the tree into a new folder, which goes away when it is dropped.
    ///
    /// The path has letters and digits only: it must not mean anything in Markdown, in a pattern or
    /// in the hosts' slugs.
    ///
    /// # Errors
    /// As [`Tree::lay_out`].
    pub fn lay_out_anew(&self) -> Result<tempfile::TempDir> {
        let folder =
            tempfile::Builder::new().prefix("cw").tempdir().context("no temporary folder")?;
        self.lay_out(&folder.path().canonicalize().context("no temporary folder")?)?;
        Ok(folder)
    }

    /// Writes the tree into the folder `root`, which is made if it is missing.
    ///
    /// # Errors
    /// When something can't be written, or a path of the tree is there already. What was written
    /// until then stays.
    #[expect(clippy::disallowed_methods, reason = "it fills a throw-away folder, no user's file")]
    pub fn lay_out(&self, root: &Path) -> Result<()> {
        let text = root.to_str().context("the root folder has to be valid UTF-8")?;
        for (path, node) in self.materialised(text) {
            let done = match &node {
                Node::Dir => fs::create_dir_all(&path),
                Node::File(bytes) => fs::write(&path, bytes),
                Node::Link(target) => link(target, &path),
            };
            done.with_context(|| format!("could not write `{path}`"))?;
        }
        Ok(())
    }
}

#[cfg(unix)]
fn link(target: &str, path: &str) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn link(_: &str, _: &str) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "golden trees need symbolic links"))
}

/// Replaces `{root}` in a text.
fn text_at(text: &str, root: &str) -> String {
    text.replace("{root}", root)
}

fn with_root(bytes: &[u8], root: &str) -> Vec<u8> {
    const MARK: &[u8] = b"{root}";
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(MARK.len()).position(|window| window == MARK) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(root.as_bytes());
        rest = &rest[at + MARK.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// Replaces `{slug:REL}` in a path.
fn with_slugs(path: &str, root: &str) -> String {
    let Some((before, rest)) = path.split_once("{slug:") else { return path.to_owned() };
    let Some((relative, after)) = rest.split_once('}') else { return path.to_owned() };
    format!("{before}{}{after}", slug(&format!("{root}/{relative}")))
}

/// Returns the name Claude Code gives to the folder that holds what belongs to `path`.
///
/// Every UTF-16 unit outside `[A-Za-z0-9]` becomes `-`. A name above 200 units is cut there and
/// followed by `-` and the hash of the whole path in base 36.
pub fn slug(path: &str) -> String {
    let mut name = String::new();
    let mut hash = 0_i32;
    for unit in path.encode_utf16() {
        hash = hash.wrapping_mul(31).wrapping_add(i32::from(unit));
        let byte = u8::try_from(unit).unwrap_or(b'-');
        name.push(if byte.is_ascii_alphanumeric() { char::from(byte) } else { '-' });
    }
    if name.len() > 200 {
        name.truncate(200);
        name.push('-');
        name.push_str(&base_36(hash.unsigned_abs()));
    }
    name
}

fn base_36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).expect("it is below the base"));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}
