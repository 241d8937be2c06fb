//! Folders of our own.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

/// Makes a folder, and those above it that are missing, for its owner only.
pub(crate) fn make_private(folder: &Utf8Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes the folder of our own data, where it is missing, and returns its physical path.
///
/// # Errors
/// When it can't be made, or its path isn't UTF-8.
pub fn own_folder(folder: &Utf8Path) -> io::Result<Utf8PathBuf> {
    make_private(folder)?;
    folder.canonicalize_utf8()
}
