//! The globs of `instructions`.

use camino::{Utf8Path, Utf8PathBuf};

use crate::load::pattern::expanded;
use crate::load::tree::{Node, Tree};

use super::part;

/// Folders that one glob may enter.
const MOST_FOLDERS: usize = 20_000;

/// Whether a wild card stands for names that begin with a full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    /// As for any other name.
    Matched,
    /// Only what is named with its full stop.
    Named,
}

impl Hidden {
    fn matches(self, part: &str, name: &str) -> bool {
        let open = self == Self::Matched || !name.starts_with('.') || part.starts_with('.');
        open && part::matches(part, name)
    }

    fn enters(self, name: &str) -> bool {
        self == Self::Matched || !name.starts_with('.')
    }
}

/// Returns the files that a glob names below a folder: brace by brace, level by level, and within a
/// folder in the reverse of the order in which the system lists it.
pub(super) fn files(
    tree: &dyn Tree,
    base: &Utf8Path,
    pattern: &str,
    hidden: Hidden,
) -> Vec<Utf8PathBuf> {
    let mut out: Vec<Utf8PathBuf> = Vec::new();
    if pattern.starts_with('!') && !pattern.starts_with("!(") {
        return out;
    }
    let mut options = expanded(&part::ranges(pattern));
    options.reverse();
    for option in options {
        let parts: Vec<&str> =
            option.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        if parts.is_empty() || option.ends_with('/') {
            continue;
        }
        let mut walk = Walk { tree, hidden, entered: 0, found: Vec::new() };
        walk.step(base, &parts, false);
        for path in walk.found {
            if !out.contains(&path) {
                out.push(path);
            }
        }
    }
    out
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    hidden: Hidden,
    entered: usize,
    found: Vec<Utf8PathBuf>,
}

impl Walk<'_> {
    fn step(&mut self, folder: &Utf8Path, parts: &[&str], named: bool) {
        let [part, rest @ ..] = parts else { return };
        if self.entered >= MOST_FOLDERS {
            return;
        }
        match *part {
            ".." => {
                let above = folder.parent().unwrap_or(folder).to_owned();
                self.step(&above, rest, named);
            }
            "**" => self.any_folders(folder, rest, named),
            part if is_literal(part) => {
                let path = folder.join(unescaped(part));
                self.take(&path, rest);
            }
            part => {
                self.entered += 1;
                for name in names(self.tree, folder) {
                    if self.hidden.matches(part, &name) {
                        self.take(&folder.join(name), rest);
                    }
                }
            }
        }
    }

    /// Takes a path that the parts so far name.
    fn take(&mut self, path: &Utf8Path, rest: &[&str]) {
        let Ok(real) = self.tree.real(path) else { return };
        match (rest.is_empty(), real.node) {
            (true, Node::File) => self.found.push(path.to_owned()),
            (false, Node::Folder) => self.step(path, rest, true),
            _ => {}
        }
    }

    /// Follows `**`: this folder, then those below, level by level. A link is only entered directly
    /// below a folder that was named.
    fn any_folders(&mut self, folder: &Utf8Path, rest: &[&str], named: bool) {
        let last: &[&str] = if rest.is_empty() { &["*"] } else { rest };
        let mut level = vec![folder.to_owned()];
        let mut links = named;
        while !level.is_empty() && self.entered < MOST_FOLDERS {
            let mut next = Vec::new();
            for folder in level {
                self.entered += 1;
                self.step(&folder, last, false);
                let names = names(self.tree, &folder);
                for name in names.iter().filter(|name| self.hidden.enters(name)) {
                    let path = folder.join(name);
                    match self.tree.node(&path) {
                        Ok(Node::Folder) => next.push(path),
                        Ok(Node::Link) if links => {
                            let real = self.tree.real(&path);
                            if real.is_ok_and(|real| real.node == Node::Folder) {
                                next.push(path);
                            }
                        }
                        _ => {}
                    }
                }
            }
            links = false;
            level = next;
        }
    }
}

fn names(tree: &dyn Tree, folder: &Utf8Path) -> Vec<String> {
    let children = tree.list(folder).unwrap_or_default();
    let mut names: Vec<String> = children.into_iter().filter_map(|child| child.name).collect();
    names.reverse();
    names
}

/// Returns whether a part has nothing that a glob gives a meaning to.
fn is_literal(part: &str) -> bool {
    let mut escaped = false;
    !part.chars().any(|c| {
        let special = !escaped && matches!(c, '*' | '?' | '[')
            || !escaped && matches!(c, '(') && part.contains(['+', '@', '!']);
        escaped = c == '\\' && !escaped;
        special
    })
}

fn unescaped(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::MemTree;

    #[test]
    fn globs_name_what_the_client_found() {
        let mut tree = MemTree::default();
        for path in ["x.md", "m/a.md", "m/.b.md", "m/d/c.md", ".git/g.md", "(p).md", "[x].md"] {
            tree.file(&format!("/w/s/{path}"), "x");
        }
        tree.file("/w/o.md", "x").file("/o/k.md", "x").file("/o/d/k.md", "x").link("/w/s/l", "/o");
        let with = |pattern: &str, hidden: Hidden| {
            let mut found: Vec<String> = files(&tree, "/w/s".into(), pattern, hidden)
                .into_iter()
                .map(|path| path.strip_prefix("/w").unwrap().to_string())
                .collect();
            found.sort();
            found.join(" ")
        };
        let of = |pattern: &str| with(pattern, Hidden::Matched);
        assert_eq!(of("x.md"), "s/x.md");
        assert_eq!(of("m/*"), "s/m/.b.md s/m/a.md");
        assert_eq!(of("**/c.md"), "s/m/d/c.md");
        assert_eq!(of("m/**"), "s/m/.b.md s/m/a.md s/m/d/c.md");
        assert_eq!(of("{x,m/a}.md"), "s/m/a.md s/x.md");
        assert_eq!(of("../o.md"), "o.md");
        assert_eq!(of("l/*.md"), "s/l/k.md");
        assert_eq!(of("l/**/k.md"), "s/l/d/k.md s/l/k.md");
        assert_eq!(of("**/k.md"), "", "a leading `**` enters no link");
        assert_eq!(of("(p).md"), "s/(p).md");
        assert_eq!(of("\\[x].md"), "s/[x].md");
        assert_eq!(of("*/g.md"), "s/.git/g.md");
        assert_eq!(with("m/**", Hidden::Named), "s/m/a.md s/m/d/c.md");
        assert_eq!(with("m/*", Hidden::Named), "s/m/a.md");
        assert_eq!(with("m/.b*", Hidden::Named), "s/m/.b.md");
        assert_eq!(with("**/g.md", Hidden::Named), "");
        assert_eq!(of("!x.md") + &of("m/") + &of("") + &of(".") + &of("X.md"), "");
    }
}
