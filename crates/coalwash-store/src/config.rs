//! Finds and reads configuration files.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::{File, Layer, MOST_BYTES, NEVER_READ, PROJECT_FILES, Parsed, read};

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
/// A link that leads out of the repository is not followed.
pub fn repository_files(root: &Utf8Path) -> Vec<File> {
    let files = PROJECT_FILES.iter().map(|(name, layer)| (root.join(name), *layer));
    files.filter_map(|(path, layer)| file(path, layer, Some(root))).collect()
}

/// Reads the user's files that exist, in their order.
pub fn user_files(folders: &UserFolders) -> Vec<File> {
    folders.files().into_iter().filter_map(|(path, layer)| file(path, layer, None)).collect()
}

/// Returns files that look like a configuration and that no one reads.
pub fn never_read(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let paths = NEVER_READ.iter().map(|name| root.join(name));
    paths.filter(|path| path.as_std_path().symlink_metadata().is_ok()).collect()
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
