//! Writes the embedded sample home into a folder of our own.

use camino::{Utf8Path, Utf8PathBuf};
use std::io::Write as _;

/// One file of a sample.
#[derive(Clone, Copy, Debug)]
pub struct SampleItem<'a> {
    /// Where it goes, below the sample's root; `/` separates.
    pub path: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
}

/// Lays `items` out below `root`, a folder that this process just made for itself.
///
/// A file that exists is never replaced and no link is followed in the last place: `root` is
/// private, so neither can be there.
///
/// # Errors
/// When a folder or file can't be made; names it.
pub fn lay_out(root: &Utf8Path, items: &[SampleItem<'_>]) -> std::io::Result<()> {
    for item in items {
        let path = root.join(item.path);
        let named = |e: std::io::Error| std::io::Error::new(e.kind(), format!("`{path}`: {e}"));
        make_folders(path.parent().unwrap_or(root)).map_err(named)?;
        let mut open = std::fs::OpenOptions::new();
        open.write(true).create_new(true);
        open.open(&path)
            .and_then(|mut f| f.write_all(item.bytes))
            .map_err(|e| std::io::Error::new(e.kind(), format!("`{path}`: {e}")))?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "this is the disk layer")]
fn make_folders(folder: &Utf8Path) -> std::io::Result<()> {
    std::fs::create_dir_all(Utf8PathBuf::from(folder))
}
