//! Where the project, its repository and the session are.

use super::{Frame, at};
use crate::trees::{Builder, HOME, Kind, relative};

/// Chooses the folders and puts the repository.
pub(super) fn frame(b: &mut Builder) -> Frame {
    let base = b.random.weighted(&[(55, "w"), (14, "w/v"), (24, "home/w"), (7, HOME)]);
    if base.starts_with(HOME) {
        b.has("home above the session");
    }
    let name = b.random.weighted(&[(80, "p"), (7, "p.q"), (7, "p q"), (6, "P_q")]);
    let project = if base == HOME { HOME.to_owned() } else { format!("{base}/{name}") };
    let (cwd, git_root) = repository(b, base, &project);
    b.put(&cwd, Kind::Dir);
    b.cwd.clone_from(&cwd);
    let mut levels = vec![String::new()];
    levels.extend(cwd.match_indices('/').map(|(end, _)| cwd[..end].to_owned()));
    levels.push(cwd.clone());
    let (config, config_dir) = folders(b, &cwd);
    Frame { cwd, git_root, levels, config, config_dir, subs: Vec::new(), sources: Vec::new() }
}

/// Returns the user's folder, and the one that is named in the environment.
fn folders(b: &mut Builder, cwd: &str) -> (String, Option<String>) {
    let config = if b.maybe(8, "XDG_CONFIG_HOME") {
        b.env.push(("XDG_CONFIG_HOME".to_owned(), "{root}/xdg".to_owned()));
        "xdg/opencode".to_owned()
    } else {
        at(HOME, ".config/opencode")
    };
    let named = match b.random.weighted(&[(86, 0), (8, 1), (6, 2)]) {
        0 => None,
        1 => Some(("dir".to_owned(), "{root}/dir")),
        _ => Some((at(cwd, "dir"), "dir")),
    };
    let config_dir = named.map(|(folder, value)| {
        b.has("OPENCODE_CONFIG_DIR");
        b.env.push(("OPENCODE_CONFIG_DIR".to_owned(), value.to_owned()));
        folder
    });
    (config, config_dir)
}

/// Returns the session's folder and the root of the repository.
fn repository(b: &mut Builder, base: &str, project: &str) -> (String, Option<String>) {
    let sub = b.random.weighted(&[(60, "s"), (40, "s/a")]);
    let below = format!("{project}/{sub}");
    let own = || Some(project.to_owned());
    match b.random.weighted(&[(20, 0), (26, 1), (26, 2), (12, 3), (16, 4)]) {
        0 => {
            b.has("no repository");
            (if b.random.chance(50) { project.to_owned() } else { below }, None)
        }
        1 => {
            b.has("repository root is the session's folder");
            git_folder(b, project);
            (project.to_owned(), own())
        }
        2 => {
            b.has("repository root above the session");
            git_folder(b, project);
            (below, own())
        }
        3 => {
            b.has("worktree");
            let beside = b.random.chance(50) && base != HOME;
            let tree = if beside { format!("{base}/wt") } else { format!("{project}/wt") };
            git_folder(b, project);
            worktree(b, project, &tree);
            (if b.random.chance(60) { tree.clone() } else { format!("{tree}/s") }, Some(tree))
        }
        _ => odd(b, project, below),
    }
}

/// Puts what the client's git makes nothing or something else of.
fn odd(b: &mut Builder, project: &str, below: String) -> (String, Option<String>) {
    b.has("odd .git");
    let outer = b.random.chance(60);
    if outer {
        git_folder(b, project);
    }
    // In place of the repository, or inside it.
    let folder = if outer { below.clone() } else { project.to_owned() };
    let path = at(&folder, ".git");
    // A file that git can't follow and a link that can't be followed end the search; after a folder
    // without a repository, and after what isn't there, it goes on.
    let goes_on = match b.random.below(6) {
        0 => {
            b.file(&path, "");
            false
        }
        1 => {
            b.file(&path, "gitdir: ../nowhere\n");
            false
        }
        2 => b.put(&path, Kind::Dir),
        3 => b.file(&at(&path, "HEAD"), "ref: refs/heads/main\n"),
        4 => b.link(&path, "gone"),
        _ => {
            b.link(&path, ".git");
            false
        }
    };
    (below, (outer && goes_on).then(|| project.to_owned()))
}

/// Puts the least that git takes for a repository.
fn git_folder(b: &mut Builder, project: &str) {
    b.file(&format!("{project}/.git/HEAD"), "ref: refs/heads/main\n");
    b.put(&format!("{project}/.git/objects"), Kind::Dir);
    b.put(&format!("{project}/.git/refs"), Kind::Dir);
}

/// Makes a linked worktree by hand.
fn worktree(b: &mut Builder, main: &str, tree: &str) {
    let inner = format!("{main}/.git/worktrees/x");
    let to = if b.random.chance(70) { format!("{{root}}/{inner}") } else { relative(tree, &inner) };
    b.file(&format!("{tree}/.git"), format!("gitdir: {to}\n"));
    b.file(&format!("{inner}/HEAD"), "ref: refs/heads/x\n");
    b.file(&format!("{inner}/commondir"), "../..\n");
    b.file(&format!("{inner}/gitdir"), format!("{{root}}/{tree}/.git\n"));
}
