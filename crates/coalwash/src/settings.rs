//! The configuration of the folder that a command looks at.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::{Config, Origin, Problem};
use coalwash_core::load::{Unread, git, project};
use coalwash_core::text::escaped;
use coalwash_store::config::{never_read, repository_files, user_files};
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
    pub(crate) ignored: Vec<Utf8PathBuf>,
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
        let ignored = self.ignored.iter().map(|path| {
            Unread::new(path, "no one reads this name; coalwash's is `coalwash.jsonc`")
        });
        problems.chain(ignored)
    }
}

/// Reads the configuration that is in force in a folder.
pub(crate) fn read(env: &Env, folder: &Utf8Path) -> Found {
    let tree = DiskTree::default();
    let checkout = git::checkout(&tree, folder);
    let home = env.home.clone().unwrap_or_else(|| Utf8PathBuf::from("/"));
    let config = home.join(".claude");
    let root = project::root(&tree, folder, &home, &config, checkout.as_ref());
    let mut files = repository_files(&root);
    files.extend(user_files(&env.user_folders()));
    let ignored = never_read(&root);
    Found { config: Config::of(&files), root, ignored }
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
