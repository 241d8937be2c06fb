//! Finds instruction files below a folder.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::{Checkout, Unread, Unreadable};
use coalwash_core::text::escape::escaped_bytes;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::disk::{read_file, unreadable};

/// Folders that are entered at the most in a checkout, where git says what to leave out.
const MOST_FOLDERS: usize = 50_000;
/// The same without git: the folder may be a whole home.
const MOST_FOLDERS_WITHOUT_GIT: usize = 3_000;

/// What was found below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nested {
    /// Folders that hold at least one of the names, outermost first.
    pub folders: Vec<Utf8PathBuf>,
    /// Folders that were entered.
    pub entered: usize,
    /// Folders that git ignores, and `node_modules`, not entered.
    pub ignored: usize,
    /// Whether the limit stopped the search.
    pub stopped: bool,
    /// Folders that could not be listed, and ignore files that were not read.
    pub unread: Vec<Unread>,
}

/// Looks below `top`, itself left out, for folders that hold one of `names`.
///
/// Links aren't followed; `.git`, `node_modules` and what git ignores aren't entered.
pub fn nested(top: &Utf8Path, names: &[&str], checkout: Option<&Checkout>) -> Nested {
    let limit = if checkout.is_some() { MOST_FOLDERS } else { MOST_FOLDERS_WITHOUT_GIT };
    let mut out = Nested::default();
    let mut rules: Vec<(usize, Gitignore)> = Vec::new();
    if let Some(checkout) = checkout {
        let info = checkout.root.join(".git/info/exclude");
        rules.push((0, ignore_file(&checkout.root, &info, &mut out.unread)));
        let above = top.ancestors().take_while(|a| a.starts_with(&checkout.root));
        for folder in above.collect::<Vec<_>>().into_iter().rev() {
            let file = folder.join(".gitignore");
            if folder != top {
                rules.push((0, ignore_file(folder, &file, &mut out.unread)));
            }
        }
    }
    let mut todo = vec![(top.to_owned(), 0usize)];
    while let Some((folder, depth)) = todo.pop() {
        let listing = match std::fs::read_dir(&folder) {
            Ok(listing) => listing,
            Err(e) => {
                let why = format!("{}, so it was not searched", unreadable(&e));
                out.unread.push(Unread::new(folder, why));
                continue;
            }
        };
        if out.entered >= limit {
            out.stopped = true;
            break;
        }
        out.entered += 1;
        rules.retain(|(from, _)| *from < depth || *from == 0);
        let mut below = Vec::new();
        let mut holds = false;
        for entry in listing.flatten() {
            let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
            let Ok(name) = entry.file_name().into_string() else {
                if is_folder {
                    let name = escaped_bytes(entry.file_name().as_encoded_bytes());
                    let why = "its name is not UTF-8, so it was not searched";
                    out.unread.push(Unread::new(folder.join(name), why));
                }
                continue;
            };
            let wanted = names.contains(&name.as_str());
            holds |= wanted;
            if checkout.is_some() && name == ".gitignore" {
                let file = folder.join(&name);
                rules.push((depth, ignore_file(&folder, &file, &mut out.unread)));
            }
            if is_folder && name == "node_modules" {
                out.ignored += 1;
            } else if is_folder && name != ".git" && !wanted {
                below.push(name);
            }
        }
        if holds && depth > 0 {
            out.folders.push(folder.clone());
        }
        below.sort_unstable();
        for name in below.into_iter().rev() {
            let path = folder.join(name);
            if is_ignored(&rules, &path) {
                out.ignored += 1;
            } else {
                todo.push((path, depth + 1));
            }
        }
    }
    out
}

/// Bytes and lines of an ignore file beyond which it isn't read: its patterns are compiled, which
/// costs far more than the file.
const MOST_IGNORE_BYTES: u64 = 256 * 1024;
const MOST_IGNORE_LINES: usize = 4_000;

fn ignore_file(folder: &Utf8Path, file: &Utf8Path, unread: &mut Vec<Unread>) -> Gitignore {
    let mut refuse = |why: String| {
        let why = format!("{why}, so what it ignores was searched too");
        unread.push(Unread::new(file, why));
        Gitignore::empty()
    };
    let bytes = match read_file(file, MOST_IGNORE_BYTES + 1) {
        Ok(bytes) => bytes,
        Err(Unreadable::Missing) => return Gitignore::empty(),
        Err(why) => return refuse(why.to_string()),
    };
    let text = String::from_utf8_lossy(&bytes);
    if bytes.len() as u64 > MOST_IGNORE_BYTES || text.lines().count() > MOST_IGNORE_LINES {
        return refuse("it is too large".to_owned());
    }
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.lines() {
        // A line that doesn't parse is left out, as git leaves it out.
        let _read = builder.add_line(None, line).is_ok();
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

fn is_ignored(rules: &[(usize, Gitignore)], path: &Utf8Path) -> bool {
    for (_, rules) in rules.iter().rev() {
        let inside = path.as_std_path().starts_with(rules.path());
        let answer = if inside { rules.matched(path, true) } else { ignore::Match::None };
        if !answer.is_none() {
            return answer.is_ignore();
        }
    }
    false
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests build trees")]
mod tests {
    use super::*;

    #[test]
    fn folders_with_instructions_are_found_and_ignored_ones_left_out() {
        let temp = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(temp.path()).unwrap();
        for file in [
            "a/CLAUDE.md",
            "a/b/.claude/rules/r.md",
            "a/c/x.rs",
            "build/CLAUDE.md",
            "a/gen/CLAUDE.md",
            ".git/CLAUDE.md",
            "CLAUDE.md",
            "later/CLAUDE.md",
        ] {
            let path = top.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        std::fs::write(top.join(".gitignore"), "/build\n").unwrap();
        std::fs::write(top.join("a/.gitignore"), "gen/\n").unwrap();
        let checkout = Checkout { root: top.to_owned(), main: top.to_owned() };
        let found = nested(top, &["CLAUDE.md", ".claude"], Some(&checkout));
        let names: Vec<_> =
            found.folders.iter().map(|f| f.strip_prefix(top).unwrap().as_str()).collect();
        assert_eq!(names, ["a", "a/b", "later"]);
        assert_eq!((found.ignored, found.stopped), (2, false));
    }
}
