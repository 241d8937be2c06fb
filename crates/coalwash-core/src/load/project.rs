//! Which folder is the project.

use camino::{Utf8Path, Utf8PathBuf};

use super::scene::Checkout;
use super::tree::{Node, Tree};

/// Files that mark the root of a project that git doesn't know.
///
/// Source: `CoalWash` 1.x; `AGENTS.md` is deliberately not among them.
const MARKERS: [&str; 7] = [
    "coalwash.jsonc",
    ".coalwash.json",
    "CLAUDE.md",
    ".claude/coal/coalwash.json",
    ".claude/.coalwash.json",
    ".agents/coal/coalwash.json",
    ".gemini/coal/coalwash.json",
];

/// Returns the project that the physical folder `cwd` belongs to.
///
/// It is the root of the checkout. Without git it is the nearest folder with a marker, home
/// included and never above it; a host's own configuration folder is no project. Without a marker
/// it is `cwd`.
pub fn root(
    tree: &dyn Tree,
    cwd: &Utf8Path,
    home: &Utf8Path,
    config: &Utf8Path,
    checkout: Option<&Checkout>,
) -> Utf8PathBuf {
    if let Some(checkout) = checkout {
        return checkout.root.clone();
    }
    let real = |path: &Utf8Path| tree.real(path).map_or_else(|_| path.to_owned(), |r| r.path);
    let (home, config) = (real(home), real(config));
    for folder in cwd.ancestors() {
        let is_file = |path: &Utf8Path| tree.real(path).is_ok_and(|r| r.node == Node::File);
        let marked = MARKERS.iter().any(|marker| is_file(&folder.join(marker)));
        if folder != config && marked {
            return folder.to_owned();
        }
        if folder == home {
            break;
        }
    }
    cwd.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::MemTree;

    fn root_of(files: &[&str], cwd: &str) -> String {
        let mut t = MemTree::default();
        t.folder(cwd).folder("/home/u/.claude");
        for path in files {
            match path.strip_suffix('/') {
                Some(folder) => t.folder(folder),
                None => t.file(path, "x"),
            };
        }
        let config = Utf8Path::new("/home/u/.claude");
        let checkout = crate::load::git::checkout(&t, cwd.into());
        root(&t, cwd.into(), "/home/u".into(), config, checkout.as_ref()).into_string()
    }

    /// The rows of the reference's table of roots that still hold.
    #[test]
    fn the_nearest_marker_is_the_root() {
        for (files, cwd, expected) in [
            (&["/home/u/p/.git/"][..], "/home/u/p/a/b", "/home/u/p"),
            (&["/home/u/p/.git"], "/home/u/p/a", "/home/u/p"),
            (&["/home/u/p/CLAUDE.md"], "/home/u/p/a/b/c", "/home/u/p"),
            (&["/home/u/p/.git/", "/home/u/p/a/CLAUDE.md"], "/home/u/p/a", "/home/u/p"),
            (&["/home/u/p/.git/", "/home/u/p/a/AGENTS.md"], "/home/u/p/a", "/home/u/p"),
            (&["/home/u/g/CLAUDE.md", "/home/u/g/r/.git/"], "/home/u/g/r/s", "/home/u/g/r"),
            (&["/home/u/p/.claude/coal/coalwash.json"], "/home/u/p/s", "/home/u/p"),
            (&[], "/home/u/p/s", "/home/u/p/s"),
            (&["/home/CLAUDE.md"], "/home/u/p/s", "/home/u/p/s"),
            (&["/home/u/CLAUDE.md"], "/home/u/p/s", "/home/u"),
            (&["/home/u/.claude/CLAUDE.md"], "/home/u/.claude/x", "/home/u/.claude/x"),
        ] {
            assert_eq!(root_of(files, cwd), expected, "{files:?}");
        }
    }
}
