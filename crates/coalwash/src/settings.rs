//! The configuration of the folder that a command looks at.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::{Config, NotInForce, Origin, Problem};
use coalwash_core::load::{Unread, git, project};
use coalwash_core::text::escaped;
use coalwash_store::config::{never_read, never_read_of_user, repository_files, user_files};
use coalwash_store::disk::DiskTree;

use crate::env::Env;
use crate::ui::Names;

/// The configuration of a folder.
#[derive(Debug)]
pub(crate) struct Found {
    /// The project's root.
    pub(crate) root: Utf8PathBuf,
    /// What is in force.
    pub(crate) config: Config,
    /// Files that look like a configuration and aren't read.
    pub(crate) never_read: Vec<NotInForce>,
    /// Files that are read, and come behind another.
    pub(crate) behind: Vec<NotInForce>,
}

impl Found {
    /// Returns what is wrong with it, as notes of a screen about something else.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Unread> {
        let problems = self.config.problems.iter().map(|it| {
            let line = match it.origin.line {
                0 => String::new(),
                line => format!("line {line}: "),
            };
            Unread::new(&it.origin.path, format!("{line}{}", it.what))
        });
        let never = self.never_read.iter().map(|it| Unread::new(&it.path, it.why.clone()));
        problems.chain(never)
    }
}

/// Reads the configuration that is in force in a folder.
pub(crate) fn read(env: &Env, folder: &Utf8Path) -> Found {
    let tree = DiskTree::default();
    let checkout = git::checkout(&tree, folder);
    let home = env.home.clone().unwrap_or_else(|| Utf8PathBuf::from("/"));
    let config = home.join(".claude");
    let root = project::root(&tree, folder, &home, &config, checkout.as_ref());
    let folders = env.user_folders();
    let mut files = repository_files(&root);
    files.extend(user_files(&folders));
    let mut never = never_read(&root, &files);
    never.extend(never_read_of_user(&folders));
    let config = Config::of(&files);
    Found { root, behind: config.behind(&files), never_read: never, config }
}

/// Says of a file that it isn't in force.
pub(crate) fn not_in_force(it: &NotInForce, names: &Names<'_>) -> String {
    format!("{} {}", names.of(&it.path), escaped(&it.why))
}

/// Returns a problem in one line.
pub(crate) fn problem(problem: &Problem, names: &Names<'_>) -> String {
    let Origin { line, column, path } = &problem.origin;
    let place = match line {
        0 => names.of(path),
        _ => format!("{}:{line}:{column}", names.of(path)),
    };
    format!("{place}: {}; {}", escaped(&problem.what), problem.fix)
}
