//! Which files the model can't read, so that opening them adds nothing.
//!
//! Source: the client's program, 0.61.0, and sessions in which ignore files stood.

use camino::Utf8Path;

use super::Walk;
use super::settings::Ignoring;
use crate::load::pattern::Patterns;
use crate::load::tree::{Node, Real, Tree, below, resolved};

/// Names of folders and files in which nothing is read.
const CLOSED: [&str; 3] = [".git", ".env", "node_modules"];

/// Returns why the model can't read a file of a workspace, in words for a user, or nothing.
pub(super) fn why(
    walk: &Walk<'_>,
    workspace: &Utf8Path,
    file: &Utf8Path,
    real: &Real,
) -> Option<&'static str> {
    let closed = |name: &str| {
        let name = name.trim_end_matches([' ', '.']);
        CLOSED.iter().any(|closed| closed.eq_ignore_ascii_case(name))
    };
    if below(&real.path, workspace)?.split('/').any(closed) {
        return Some("the host lets the model read nothing in `.git`, `.env` and `node_modules`");
    }
    let top = super::decoded(&walk.out.scene.cwd);
    let ignored = Ignored { tree: walk.out.tree, top: &top, settings: &walk.settings.ignoring };
    // A link that leads out of the session's folder counts as ignored.
    let out = walk.out.tree.node(file) == Ok(Node::Link) && below(&real.path, &top).is_none();
    (out || [file, &real.path].iter().any(|path| ignored.names(path)))
        .then_some("take it out of `.gitignore` and `.geminiignore` if the model should read it")
}

/// The ignore files that hold in the session's folder.
struct Ignored<'a> {
    tree: &'a dyn Tree,
    top: &'a Utf8Path,
    settings: &'a Ignoring,
}

impl Ignored<'_> {
    fn names(&self, path: &Utf8Path) -> bool {
        let Some(path) = below(path, self.top).filter(|path| !path.is_empty()) else {
            return false;
        };
        let in_git =
            self.top.ancestors().any(|folder| self.tree.real(&folder.join(".git")).is_ok());
        let (gemini, own) = (self.lines(".geminiignore"), self.own());
        if self.settings.git && self.settings.gemini {
            let more = [gemini, own].concat();
            return match in_git {
                true => self.by_git(path, &more),
                false => names(&more, path),
            };
        }
        names(&own, path)
            || self.settings.git && in_git && self.by_git(path, &[])
            || self.settings.gemini && names(&gemini, path)
    }

    /// The patterns of one ignore file of the host's own kind.
    fn lines(&self, name: &str) -> Vec<String> {
        let bytes = self.tree.read(&resolved(self.top, name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines = text.split(['\n', '\r']).map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
    }

    fn own(&self) -> Vec<String> {
        self.settings.own.iter().rev().flat_map(|name| self.lines(name)).collect()
    }

    /// Goes by the files of git from the session's folder down, and by more patterns behind them.
    /// Git itself begins at the root of the repository.
    fn by_git(&self, path: &str, more: &[String]) -> bool {
        let more: Vec<String> = more.iter().filter_map(|line| placed(line, "")).collect();
        let mut all = vec![".git".to_owned()];
        all.extend(self.placed_lines(".git/info/exclude", ""));
        let folders = std::iter::once("").chain(path.match_indices('/').map(|(at, _)| &path[..at]));
        for folder in folders {
            let so_far = || [all.clone(), more.clone()].concat();
            if !folder.is_empty() && names(&so_far(), &format!("{folder}/")) {
                break;
            }
            let file = Utf8Path::new(folder).join(".gitignore");
            all.extend(self.placed_lines(file.as_str(), folder));
        }
        all.extend(more);
        names(&all, path)
    }

    fn placed_lines(&self, name: &str, folder: &str) -> Vec<String> {
        let bytes = self.tree.read(&self.top.join(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.split(['\n', '\r']).filter_map(|line| placed(line, folder)).collect()
    }
}

fn names(patterns: &[String], path: &str) -> bool {
    Patterns::new(patterns.iter().map(String::as_str)).matches(path)
}

/// Rewrites a pattern of a folder as one of the session's folder. The host takes a slash at its end
/// for one that holds it in place: `build/` of `sub` names only `sub/build`.
fn placed(line: &str, folder: &str) -> Option<String> {
    let line = line.trim_start();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (not, line) = line.strip_prefix('!').map_or(("", line), |line| ("!", line));
    let (slash, line) = line.strip_prefix('/').map_or(("", line), |line| ("/", line));
    if line.is_empty() {
        return None;
    }
    if folder.is_empty() {
        return Some(format!("{not}{slash}{line}"));
    }
    let anywhere = if slash.is_empty() && !line.contains('/') { "**/" } else { "" };
    let joined = resolved(Utf8Path::new("/"), &format!("{folder}/{anywhere}{line}"));
    let end = if line.ends_with('/') { "/" } else { "" };
    Some(format!("{not}{joined}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::MemTree;

    fn is_ignored(files: &[(&str, &str)], settings: &Ignoring, path: &str) -> bool {
        let mut tree = MemTree::default();
        for (path, text) in files {
            tree.file(path, *text);
        }
        let top = Utf8Path::new("/w/p");
        Ignored { tree: &tree, top, settings }.names(Utf8Path::new(path))
    }

    #[test]
    fn ignore_files_hold_from_the_sessions_folder_down() {
        let of = |files: &[(&str, &str)], path: &str| {
            let files = [&[("/w/.git/HEAD", "x")], files].concat();
            is_ignored(&files, &Ignoring::default(), &format!("/w/p/{path}"))
        };
        assert!(of(&[("/w/p/.gitignore", "*\n")], "a/b.rs"));
        assert!(!of(&[("/w/.gitignore", "*\n")], "a/b.rs"), "above the session's folder");
        assert!(of(&[("/w/p/.gitignore", "# x\r\n  b.rs\r\n")], "a/b.rs"));
        assert!(!of(&[("/w/p/.gitignore", "/b.rs")], "a/b.rs"));
        assert!(!of(&[("/w/p/.gitignore", "*.rs\n!b.rs")], "a/b.rs"));
        assert!(of(&[("/w/p/.gitignore", "*\n"), ("/w/p/a/.gitignore", "!b.rs")], "a/b.rs"));
        assert!(of(&[("/w/p/a/.gitignore", "b.rs")], "a/c/b.rs"));
        assert!(!of(&[("/w/p/a/.gitignore", "/b.rs")], "a/c/b.rs"));
        assert!(of(&[("/w/p/a/.gitignore", "c/")], "a/c/b.rs"));
        assert!(!of(&[("/w/p/a/.gitignore", "d/")], "a/c/d/b.rs"));
        assert!(!of(&[("/w/p/a/.gitignore", "b.rs")], "d/b.rs"));
        assert!(of(&[("/w/p/.geminiignore", "*.rs")], "a/b.rs"));
        assert!(!of(&[("/w/p/.gitignore", "*.rs"), ("/w/p/.geminiignore", "!b.rs")], "b.rs"));
        assert!(!of(&[("/w/p/a/.geminiignore", "*.rs")], "a/b.rs"));
    }

    #[test]
    fn without_git_only_the_hosts_own_files_count() {
        let files = [("/w/p/.gitignore", "a.rs"), ("/w/p/.geminiignore", "b.rs")];
        let of = |path| is_ignored(&files, &Ignoring::default(), path);
        assert_eq!(
            ["/w/p/a.rs", "/w/p/b.rs", "/w/b.rs", "/w/p"].map(of),
            [false, true, false, false]
        );
    }

    #[test]
    fn settings_switch_ignore_files_off_and_name_others() {
        let files = [
            ("/w/p/.git/HEAD", "x"),
            ("/w/p/.gitignore", "a.rs"),
            ("/w/p/.geminiignore", "b.rs"),
            ("/w/p/more", "c.rs"),
        ];
        let of = |git, gemini| {
            let own = || vec!["more".to_owned()];
            ["a", "b", "c"].map(|name| {
                let settings = Ignoring { git, gemini, own: own() };
                is_ignored(&files, &settings, &format!("/w/p/{name}.rs"))
            })
        };
        assert_eq!(of(true, true), [true, true, true]);
        assert_eq!(of(false, true), [false, true, true]);
        assert_eq!(of(true, false), [true, false, true]);
        assert_eq!(of(false, false), [false, false, true]);
    }
}
