//! Replaces one small file as a whole, or makes it.

use std::io::{self, Write as _};

use camino::{Utf8Path, Utf8PathBuf};

/// Why a file was not replaced. It is as it was, whatever the reason.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum ReplaceError {
    /// No write follows a link.
    #[error("`{path}` is a link")]
    Link { path: Utf8PathBuf },
    /// Other names of the file would keep the old text.
    #[error("`{path}` has other names (hard links)")]
    HardLink { path: Utf8PathBuf },
    /// Not a regular file.
    #[error("`{path}` is no file")]
    NotAFile { path: Utf8PathBuf },
    /// Something else wrote the file since it was read.
    #[error("`{path}` was changed by something else")]
    Changed { path: Utf8PathBuf },
    /// The disk refused.
    #[error("could not write `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: io::Error },
}

/// Replaces the file at `path` by `new`, if it still holds `old` (`None`: if there is none).
///
/// The new text goes into a new file in the same folder, with the mode of the old one; it is synced,
/// the old file is looked at again, and the new one takes its name. The folder is synced, too. A
/// folder that is missing is made.
///
/// # Errors
/// Nothing is written where the target is a link, has other names, is no file, or was changed; and
/// on any error the old file stays.
pub fn replace(path: &Utf8Path, old: Option<&[u8]>, new: &[u8]) -> Result<(), ReplaceError> {
    let failed = |source: io::Error| ReplaceError::Io { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    if old.is_none() {
        make_folder(folder).map_err(failed)?;
    }
    let before = unchanged(path, old)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".coalwash-");
    let mut file = builder.tempfile_in(folder).map_err(failed)?;
    file.write_all(new).map_err(failed)?;
    set_mode(file.as_file(), before.as_ref()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    unchanged(path, old)?;
    let done = match old {
        Some(_) => file.persist(path),
        None => file.persist_noclobber(path),
    };
    done.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => ReplaceError::Changed { path: path.to_owned() },
        _ => failed(error.error),
    })?;
    sync_folder(folder).map_err(failed)
}

/// Checks that the file is a plain one and holds `old`.
fn unchanged(
    path: &Utf8Path,
    old: Option<&[u8]>,
) -> Result<Option<std::fs::Metadata>, ReplaceError> {
    let owned = || path.to_owned();
    let meta = match (std::fs::symlink_metadata(path), old) {
        (Err(e), None) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        (Err(e), Some(_)) if e.kind() == io::ErrorKind::NotFound => {
            return Err(ReplaceError::Changed { path: owned() });
        }
        (Err(source), _) => return Err(ReplaceError::Io { path: owned(), source }),
        (Ok(meta), _) => meta,
    };
    if meta.is_symlink() {
        return Err(ReplaceError::Link { path: owned() });
    }
    if !meta.is_file() {
        return Err(ReplaceError::NotAFile { path: owned() });
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&meta) > 1 {
        return Err(ReplaceError::HardLink { path: owned() });
    }
    let limit = old.map_or(0, |old| old.len() as u64) + 1;
    let now = super::read_file(path, limit).map_err(|why| ReplaceError::Io {
        path: owned(),
        source: io::Error::other(why.to_string()),
    })?;
    match old {
        Some(old) if old == now => Ok(Some(meta)),
        _ => Err(ReplaceError::Changed { path: owned() }),
    }
}

#[expect(clippy::disallowed_methods, reason = "this is `store::disk`")]
fn make_folder(folder: &Utf8Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

#[cfg(unix)]
fn set_mode(file: &std::fs::File, before: Option<&std::fs::Metadata>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // A new file is for everyone to read, as an editor's would be, but for what the user's own
    // mask takes away; a temporary one is only for its owner.
    let mode = match before {
        Some(meta) => meta.permissions().mode() & 0o7777,
        None => 0o666 & !umask(),
    };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

/// Returns the process's mask, which can only be read by setting it.
#[cfg(unix)]
fn umask() -> u32 {
    use rustix::{fs::Mode, process::umask};
    let mask = umask(Mode::from_raw_mode(0o077));
    umask(mask);
    mask.as_raw_mode()
}

#[cfg(not(unix))]
fn set_mode(_file: &std::fs::File, _before: Option<&std::fs::Metadata>) -> io::Result<()> {
    Ok(())
}

fn sync_folder(folder: &Utf8Path) -> io::Result<()> {
    if cfg!(unix) { std::fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay files out")]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        (temp, root)
    }

    fn names(folder: &Utf8Path) -> Vec<String> {
        let all = folder.read_dir_utf8().unwrap();
        let mut all: Vec<_> = all.map(|it| it.unwrap().file_name().to_owned()).collect();
        all.sort();
        all
    }

    #[test]
    fn a_file_is_replaced_with_its_mode_and_nothing_is_left_behind() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_temp, root) = folder();
        let path = root.join("deep/er/a.jsonc");
        replace(&path, None, b"one").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, Some(b"one"), b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(path.parent().unwrap()), ["a.jsonc"]);
    }

    #[test]
    fn what_is_not_a_plain_unchanged_file_is_left_alone() {
        let (_temp, root) = folder();
        let plain = root.join("plain");
        std::fs::write(&plain, "old").unwrap();
        std::os::unix::fs::symlink("plain", root.join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("broken")).unwrap();
        std::fs::write(root.join("hard"), "old").unwrap();
        std::fs::hard_link(root.join("hard"), root.join("hard2")).unwrap();
        std::fs::create_dir(root.join("folder")).unwrap();
        let before = names(&root);
        for (name, old, wanted) in [
            ("link", Some("old"), "is a link"),
            ("broken", None, "is a link"),
            ("hard", Some("old"), "other names"),
            ("folder", Some("old"), "is no file"),
            ("plain", Some("other"), "changed by something else"),
            ("plain", Some("olde"), "changed by something else"),
            ("plain", None, "changed by something else"),
            ("missing", Some("old"), "changed by something else"),
        ] {
            let done = replace(&root.join(name), old.map(str::as_bytes), b"new");
            let said = done.unwrap_err().to_string();
            assert!(said.contains(wanted), "{name}: {said}");
        }
        assert_eq!(names(&root), before);
        assert_eq!(std::fs::read(&plain).unwrap(), b"old");
    }

    #[test]
    fn a_folder_that_cannot_be_written_leaves_the_file() {
        let (_temp, root) = folder();
        let path = root.join("file/below");
        std::fs::write(root.join("file"), "x").unwrap();
        assert!(matches!(replace(&path, None, b"new"), Err(ReplaceError::Io { .. })));
    }
}
