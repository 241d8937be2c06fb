//! What a plan finds on the disk: every file opened by its folder, read, and held against the plan.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::wash::{Action, Change, ContentHash, Plan, Target};

use super::contents::MOST_BYTES;
use super::step::folder_of;
use crate::disk::{Attributes, Disk, Kind};

/// Why a file can't be part of a run. Nothing was written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum StageError {
    /// The plan may not reach there.
    #[error("`{path}` is not in a folder that may be changed from here")]
    Outside { path: Utf8PathBuf },
    /// No write follows a link, the file's own or one on the way.
    #[error("`{path}` is a link, or leads through one")]
    Link { path: Utf8PathBuf },
    /// Another name of the file would keep the old text.
    #[error("`{path}` has other names (hard links)")]
    HardLink { path: Utf8PathBuf },
    /// Not a regular file.
    #[error("`{path}` is no file")]
    NotAFile { path: Utf8PathBuf },
    /// Nothing is there.
    #[error("`{path}` doesn't exist")]
    Missing { path: Utf8PathBuf },
    /// Something is there already.
    #[error("`{path}` exists already")]
    Exists { path: Utf8PathBuf },
    /// The folder that a new file would lie in isn't there.
    #[error("`{folder}` doesn't exist")]
    NoFolder { folder: Utf8PathBuf },
    /// A name that differs only in case is one file on many disks.
    #[error("`{path}` differs from `{other}` only in case")]
    Case { path: Utf8PathBuf, other: String },
    /// The file isn't the one that the plan was made for.
    #[error("`{path}` was changed since the plan was made")]
    Changed { path: Utf8PathBuf },
    /// No run holds a file of this size.
    #[error("`{path}` is larger than {} MiB", MOST_BYTES >> 20)]
    TooLarge { path: Utf8PathBuf },
    /// The disk refused.
    #[error("could not read `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: io::Error },
}

impl StageError {
    /// The path that the message names.
    pub fn path(&self) -> &Utf8Path {
        match self {
            Self::NoFolder { folder } => folder,
            Self::Outside { path }
            | Self::Link { path }
            | Self::HardLink { path }
            | Self::NotAFile { path }
            | Self::Missing { path }
            | Self::Exists { path }
            | Self::Case { path, .. }
            | Self::Changed { path }
            | Self::TooLarge { path }
            | Self::Io { path, .. } => path,
        }
    }
}

/// One file of a plan, as it stands on the disk.
pub(super) struct StagedFile<D: Disk> {
    pub(super) path: Utf8PathBuf,
    pub(super) at: D::Folder,
    pub(super) before: Option<Text>,
    pub(super) after: Option<Text>,
}

/// The content of a file, and the rest of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    pub(super) attributes: Attributes,
}

/// An action with its files, the one that stays or is made first.
pub(super) struct StagedAction<D: Disk> {
    pub(super) action: Action,
    pub(super) files: Vec<StagedFile<D>>,
}

/// A plan whose files were read.
pub struct Staged<D: Disk> {
    pub(super) origin: String,
    pub(super) actions: Vec<StagedAction<D>>,
}

/// Reads every file of a plan. A target has to lie below one of `roots`, which are physical folders.
pub(super) fn stage<D: Disk>(
    disk: &D,
    plan: Plan,
    roots: &[Utf8PathBuf],
) -> Result<Staged<D>, StageError> {
    let mut actions = Vec::new();
    for action in plan.actions {
        for path in action.change.paths() {
            let is_below = |root: &Utf8PathBuf| path.starts_with(root) && path != root;
            if !roots.iter().any(is_below) || is_gits(path) {
                return Err(StageError::Outside { path: path.to_owned() });
            }
        }
        let files = files_of(disk, &action.change)?;
        actions.push(StagedAction { action, files });
    }
    Ok(Staged { origin: plan.origin, actions })
}

/// Git's own files are nobody's memory, and can hold programs.
fn is_gits(path: &Utf8Path) -> bool {
    path.components().any(|part| part.as_str().eq_ignore_ascii_case(".git"))
}

fn files_of<D: Disk>(disk: &D, change: &Change) -> Result<Vec<StagedFile<D>>, StageError> {
    let rewritten = |before: &Text, content: &str| Text {
        bytes: content.as_bytes().to_vec(),
        attributes: before.attributes.written_now(),
    };
    let fresh = |content: &str| Text {
        bytes: content.as_bytes().to_vec(),
        attributes: Attributes::default(),
    };
    Ok(match change {
        Change::Rewrite { file, content } => {
            let mut file = existing(disk, file)?;
            file.after = file.before.as_ref().map(|before| rewritten(before, content));
            vec![file]
        }
        Change::Create { path, content } => {
            let mut file = absent(disk, path)?;
            file.after = Some(fresh(content));
            vec![file]
        }
        Change::Delete { file } => vec![existing(disk, file)?],
        Change::Merge { file, content, sources } => {
            let mut target = match existing(disk, file) {
                Err(StageError::Missing { .. }) if file.expected.is_none() => {
                    absent(disk, &file.path)?
                }
                other => other?,
            };
            target.after = Some(match &target.before {
                Some(before) => rewritten(before, content),
                None => fresh(content),
            });
            let mut out = vec![target];
            for source in sources {
                out.push(existing(disk, source)?);
            }
            out
        }
        Change::Move { file, to } => {
            let source = existing(disk, file)?;
            let mut target = absent(disk, to)?;
            target.after.clone_from(&source.before);
            vec![target, source]
        }
    })
}

fn existing<D: Disk>(disk: &D, target: &Target) -> Result<StagedFile<D>, StageError> {
    let path = &target.path;
    let owned = || path.clone();
    let failed = |source| StageError::Io { path: owned(), source };
    let at = opened(disk, path)?;
    let name = path.file_name().unwrap_or_default();
    let stat = disk.stat(&at, name).map_err(failed)?;
    let stat = stat.ok_or_else(|| StageError::Missing { path: owned() })?;
    match stat.kind {
        Kind::File if stat.links > 1 => return Err(StageError::HardLink { path: owned() }),
        Kind::File if stat.bytes > MOST_BYTES => {
            return Err(StageError::TooLarge { path: owned() });
        }
        Kind::File => {}
        Kind::Link => return Err(StageError::Link { path: owned() }),
        Kind::Folder | Kind::Other => return Err(StageError::NotAFile { path: owned() }),
    }
    let bytes = disk.read(&at, name, MOST_BYTES + 1).map_err(failed)?;
    if target.expected.is_some_and(|expected| expected != ContentHash::of(&bytes)) {
        return Err(StageError::Changed { path: owned() });
    }
    let attributes = disk.attributes(&at, name).map_err(failed)?;
    let before = Some(Text { bytes, attributes });
    Ok(StagedFile { path: owned(), at, before, after: None })
}

fn absent<D: Disk>(disk: &D, path: &Utf8Path) -> Result<StagedFile<D>, StageError> {
    let owned = || path.to_owned();
    let failed = |source| StageError::Io { path: owned(), source };
    let at = opened(disk, path)?;
    let name = path.file_name().unwrap_or_default();
    if disk.stat(&at, name).map_err(failed)?.is_some() {
        return Err(StageError::Exists { path: owned() });
    }
    let folded = name.to_lowercase();
    let names = disk.names(&at).map_err(failed)?;
    if let Some(other) = names.into_iter().find(|other| other.to_lowercase() == folded) {
        return Err(StageError::Case { path: owned(), other });
    }
    Ok(StagedFile { path: owned(), at, before: None, after: None })
}

fn opened<D: Disk>(disk: &D, path: &Utf8Path) -> Result<D::Folder, StageError> {
    folder_of(disk, path).map_err(|source| match source.raw_os_error() {
        // ELOOP, and ENOTDIR for what is no folder: a link that is not followed is both.
        Some(40 | 20) if cfg!(target_os = "linux") => StageError::Link { path: path.to_owned() },
        _ if source.kind() == io::ErrorKind::NotFound => {
            StageError::NoFolder { folder: path.parent().unwrap_or(path).to_owned() }
        }
        _ => StageError::Io { path: path.to_owned(), source },
    })
}
