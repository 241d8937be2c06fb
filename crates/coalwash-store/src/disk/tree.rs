//! [`Tree`] over the real disk.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::tree::{Child, Node, Real, Tree, Unreadable};
use coalwash_core::text::escape::escaped_bytes;
use rustc_hash::FxHashMap;
use std::io::Read as _;
use std::sync::Mutex;

use super::ahead::{Ahead, SizedList};

/// The real file system, read only.
///
/// Physical paths of folders are remembered for the life of the value, since every file of a rule
/// folder asks for the same one; make a new value for a new run.
#[derive(Debug, Default)]
pub struct DiskTree {
    /// By the text of the path.
    folders: Mutex<FxHashMap<String, Utf8PathBuf>>,
    ahead: Ahead,
}

impl DiskTree {
    /// Resolves a folder by way of the one above it, so that each name is looked at once.
    fn real_folder(&self, folder: &Utf8Path) -> Result<Utf8PathBuf, Unreadable> {
        if let Ok(known) = self.folders.lock()
            && let Some(real) = known.get(folder.as_str())
        {
            return Ok(real.clone());
        }
        let real = match (folder.parent(), folder.file_name()) {
            (Some(above), Some(name)) => {
                let path = self.real_folder(above)?.join(name);
                let meta = std::fs::symlink_metadata(&path).map_err(|e| unreadable(&e))?;
                if meta.is_symlink() { canonical(&path)? } else { path }
            }
            _ => canonical(folder)?,
        };
        if let Ok(mut known) = self.folders.lock() {
            known.insert(folder.as_str().to_owned(), real.clone());
        }
        Ok(real)
    }
}

fn listed<T>(
    folder: &Utf8Path,
    make: impl Fn(&std::fs::DirEntry, Child) -> T,
) -> Result<Vec<T>, Unreadable> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| unreadable(&e))? {
        let entry = entry.map_err(|e| unreadable(&e))?;
        let node = entry.file_type().map_or(Node::Special, node_of);
        let child = match entry.file_name().into_string() {
            Ok(name) => Child { name: Some(name), shown: String::new(), node },
            Err(name) => {
                let shown = escaped_bytes(name.as_encoded_bytes());
                Child { name: None, shown, node }
            }
        };
        out.push(make(&entry, child));
    }
    Ok(out)
}

pub(super) fn listed_sized(folder: &Utf8Path) -> SizedList {
    listed(folder, |entry, child| {
        let meta = (child.node == Node::File).then(|| entry.metadata().ok()).flatten();
        (child, meta.filter(std::fs::Metadata::is_file).map(|meta| meta.len()))
    })
}

fn canonical(path: &Utf8Path) -> Result<Utf8PathBuf, Unreadable> {
    let real = path.as_std_path().canonicalize().map_err(|e| unreadable(&e))?;
    Utf8PathBuf::from_path_buf(real).map_err(|_| Unreadable::NotUtf8)
}

impl Tree for DiskTree {
    fn list(&self, folder: &Utf8Path) -> Result<Vec<Child>, Unreadable> {
        listed(folder, |_, child| child)
    }

    fn list_sized(&self, folder: &Utf8Path) -> Result<Vec<(Child, Option<u64>)>, Unreadable> {
        self.ahead.listed(folder).unwrap_or_else(|| listed_sized(folder))
    }

    fn will_list_sized(&self, folder: &Utf8Path) {
        self.ahead.list(folder);
    }

    fn will_read(&self, folder: &Utf8Path) {
        self.ahead.read(folder);
    }

    fn node(&self, path: &Utf8Path) -> Result<Node, Unreadable> {
        let meta = std::fs::symlink_metadata(path).map_err(|e| unreadable(&e))?;
        Ok(node_of(meta.file_type()))
    }

    fn real(&self, path: &Utf8Path) -> Result<Real, Unreadable> {
        if let (Some(bytes), Some(above), Some(name)) =
            (self.ahead.bytes(path), path.parent(), path.file_name())
        {
            let path = self.real_folder(above)?.join(name);
            return Ok(Real { path, node: Node::File, bytes });
        }
        let mut meta = std::fs::symlink_metadata(path).map_err(|e| unreadable(&e))?;
        let real = match (path.parent(), path.file_name()) {
            (Some(above), Some(name)) if !meta.is_symlink() => self.real_folder(above)?.join(name),
            _ => {
                let real = canonical(path)?;
                meta = std::fs::metadata(&real).map_err(|e| unreadable(&e))?;
                real
            }
        };
        let node = node_of(meta.file_type());
        let bytes = if node == Node::File { meta.len() } else { 0 };
        Ok(Real { path: real, node, bytes })
    }

    fn leads_through_file(&self, path: &Utf8Path) -> bool {
        let is = |e: std::io::Error| e.kind() == std::io::ErrorKind::NotADirectory;
        std::fs::metadata(path).is_err_and(is)
    }

    fn read(&self, path: &Utf8Path) -> Result<Vec<u8>, Unreadable> {
        if let Some(bytes) = self.ahead.take(path) {
            return Ok(bytes);
        }
        read_file(path, u64::MAX)
    }

    fn read_start(&self, path: &Utf8Path, limit: usize) -> Result<Vec<u8>, Unreadable> {
        read_file(path, limit as u64)
    }
}

/// Returns at most `limit` bytes of the regular file at `path`, links followed.
///
/// # Errors
/// Says why it could not be read. A pipe or device is refused without waiting for it.
pub fn read_file(path: &Utf8Path, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let mut open = std::fs::OpenOptions::new();
    open.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // NONBLOCK: opening a pipe that nobody writes to would wait forever.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        open.custom_flags(flags.bits().cast_signed());
    }
    let handle = open.open(path).map_err(|e| unreadable(&e))?;
    let meta = handle.metadata().map_err(|e| unreadable(&e))?;
    match node_of(meta.file_type()) {
        Node::File => {}
        Node::Folder => return Err(Unreadable::Folder),
        Node::Link | Node::Special => return Err(Unreadable::Special),
    }
    let size = meta.len().min(limit);
    // As large as it was when it was opened: what another process adds meanwhile is of the next
    // look, and no further read has to see the end. Only a file that names no size is read to it.
    let mut bytes = Vec::new();
    if size == 0 {
        handle.take(limit).read_to_end(&mut bytes).map_err(|e| unreadable(&e))?;
        return Ok(bytes);
    }
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(size).map_err(|_| Unreadable::Io("too large for memory".to_owned()))?;
    bytes.resize(size, 0);
    let mut file = handle;
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(unreadable(&e)),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn node_of(kind: std::fs::FileType) -> Node {
    if kind.is_file() {
        Node::File
    } else if kind.is_dir() {
        Node::Folder
    } else if kind.is_symlink() {
        Node::Link
    } else {
        Node::Special
    }
}

/// Returns the cause in our words.
pub(crate) fn unreadable(e: &std::io::Error) -> Unreadable {
    use std::io::ErrorKind;
    match e.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
            Unreadable::Missing
        }
        ErrorKind::PermissionDenied => Unreadable::Denied,
        ErrorKind::IsADirectory => Unreadable::Folder,
        _ => match e.raw_os_error() {
            // ELOOP and ENXIO on Linux, which std doesn't name on every version.
            Some(40) if cfg!(target_os = "linux") => Unreadable::Loop,
            Some(6) if cfg!(unix) => Unreadable::Special,
            _ => Unreadable::Io(e.to_string()),
        },
    }
}

/// Returns when the file at `path` was last written, in milliseconds since 1970.
pub fn modified_ms(path: &Utf8Path) -> Option<i64> {
    let modified = std::fs::metadata(path).ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
