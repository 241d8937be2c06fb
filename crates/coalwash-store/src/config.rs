//! Finds and reads configuration files.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::{
    File, Layer, MISNAMED, MOST_BYTES, NEVER_READ, NotInForce, PROJECT_FILES, Parsed,
    USER_MISNAMED, read,
};

use crate::disk::{read_file, unreadable};

/// Where the user's own files lie.
#[derive(Clone, Debug, Default)]
pub struct UserFolders {
    /// The folder of our own configuration.
    pub own: Option<Utf8PathBuf>,
    /// Claude Code's configuration folder, where the Node engine keeps its file.
    pub claude: Option<Utf8PathBuf>,
}

impl UserFolders {
    /// Returns the user's files, in their order.
    pub fn files(&self) -> Vec<(Utf8PathBuf, Layer)> {
        let own = self.own.as_ref().map(|dir| (dir.join("config.jsonc"), Layer::User));
        let node = self.claude.as_ref().map(|dir| (dir.join(".coalwash.json"), Layer::NodeUser));
        own.into_iter().chain(node).collect()
    }
}

/// Reads the files of a repository that exist, in their order.
///
/// A link that leads out of the repository is not followed. Where there is none, one with a wrong
/// name stands for it, unusable.
pub fn repository_files(root: &Utf8Path) -> Vec<File> {
    let files = PROJECT_FILES.iter().map(|(name, layer)| (root.join(name), *layer));
    let mut out: Vec<File> =
        files.filter_map(|(path, layer)| file(path, layer, Some(root))).collect();
    if out.is_empty()
        && let Some(path) = MISNAMED.iter().map(|name| root.join(name)).find(|path| exists(path))
    {
        let fix = "rename it to `coalwash.jsonc`";
        let parsed = Parsed::unusable(&path, None, "no one reads a file of this name", fix);
        out.push(File { path, layer: Layer::Repository, parsed });
    }
    out
}

/// Reads the user's files that exist, in their order.
pub fn user_files(folders: &UserFolders) -> Vec<File> {
    folders.files().into_iter().filter_map(|(path, layer)| file(path, layer, None)).collect()
}

/// Returns the files of a repository that look like a configuration and that no one reads, but for
/// those that are among `files`, which were read.
pub fn never_read(root: &Utf8Path, files: &[File]) -> Vec<NotInForce> {
    let names = NEVER_READ.iter().chain(&MISNAMED);
    let out = unread(root, names, "is read by no one; the name is `coalwash.jsonc`");
    let is_named = |it: &NotInForce| files.iter().any(|file| file.path == it.path);
    out.into_iter().filter(|it| !is_named(it)).collect()
}

/// Returns the same of the user's folder.
pub fn never_read_of_user(folders: &UserFolders) -> Vec<NotInForce> {
    let Some(own) = &folders.own else { return Vec::new() };
    unread(own, USER_MISNAMED.iter(), "is read by no one; the name is `config.jsonc`")
}

fn unread<'a>(
    folder: &Utf8Path,
    names: impl Iterator<Item = &'a &'a str>,
    why: &str,
) -> Vec<NotInForce> {
    let paths = names.map(|name| folder.join(name)).filter(|path| exists(path));
    paths.map(|path| NotInForce { path, why: why.to_owned() }).collect()
}

fn exists(path: &Utf8Path) -> bool {
    path.as_std_path().symlink_metadata().is_ok()
}

fn file(path: Utf8PathBuf, layer: Layer, inside: Option<&Utf8Path>) -> Option<File> {
    let unusable = |what: &str, fix: &str| {
        let parsed = Parsed::unusable(&path, None, what, fix);
        Some(File { path: path.clone(), layer, parsed })
    };
    let meta = match path.as_std_path().symlink_metadata() {
        Ok(meta) => meta,
        Err(e) => {
            return match unreadable(&e) {
                coalwash_core::load::Unreadable::Missing => None,
                why => unusable(&why.to_string(), "make it readable"),
            };
        }
    };
    if meta.is_symlink()
        && let Some(root) = inside
        && !path.as_std_path().canonicalize().is_ok_and(|real| real.starts_with(root))
    {
        return unusable("it is a link out of the repository", "put the file itself there");
    }
    match read_file(&path, MOST_BYTES + 1) {
        Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
            unusable("it is larger than 1 MiB, so it was not read", "keep it small")
        }
        Ok(bytes) => {
            let parsed = read(&path, layer, &bytes);
            Some(File { path, layer, parsed })
        }
        Err(why) => unusable(&format!("it can't be read: {why}"), "correct it, or take it away"),
    }
}
