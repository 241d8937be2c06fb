//! The operations of which a change of files is made: few, so that a fake can fail each of them.

use std::io;

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

/// A disk, asked by open folders and names in them.
///
/// No operation follows a link. A write is on the disk for certain only after [`Disk::sync`], a name
/// only after [`Disk::sync_folder`].
pub trait Disk {
    /// A folder that is held open: whatever happens to its path, it stays the same folder.
    type Folder: Clone;

    /// Opens the folder at an absolute path. A link anywhere on the way is an error.
    fn open(&self, path: &Utf8Path) -> io::Result<Self::Folder>;
    /// Makes a folder that only its owner can enter.
    fn make_folder(&self, at: &Self::Folder, name: &str) -> io::Result<()>;
    /// Opens a folder in a folder, unless it is a link.
    fn open_in(&self, at: &Self::Folder, name: &str) -> io::Result<Self::Folder>;
    /// Lists the names in a folder, in no order. Those that aren't UTF-8 are left out.
    fn names(&self, at: &Self::Folder) -> io::Result<Vec<String>>;
    /// Says what is there; `None` where nothing is.
    fn stat(&self, at: &Self::Folder, name: &str) -> io::Result<Option<Stat>>;
    /// Reads at most `most` bytes of a regular file.
    fn read(&self, at: &Self::Folder, name: &str, most: u64) -> io::Result<Vec<u8>>;
    /// Reads what of a file is not its content.
    fn attributes(&self, at: &Self::Folder, name: &str) -> io::Result<Attributes>;
    /// Makes a new file.
    fn create(
        &self,
        at: &Self::Folder,
        name: &str,
        bytes: &[u8],
        attributes: &Attributes,
    ) -> io::Result<()>;
    /// Adds to the end of a file.
    fn append(&self, at: &Self::Folder, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Waits until the content of a file is on the disk.
    fn sync(&self, at: &Self::Folder, name: &str) -> io::Result<()>;
    /// Waits until the names of a folder are on the disk.
    fn sync_folder(&self, at: &Self::Folder) -> io::Result<()>;
    /// Lets two files of one folder trade names, in one step.
    ///
    /// Where the file system can't, the second name is given to the first file and the second file
    /// gets the first name in two steps, between which nothing is lost but what another program
    /// renames over the second name in that moment.
    fn exchange(&self, at: &Self::Folder, new: &str, old: &str) -> io::Result<()>;
    /// Renames a file or folder to a name that nothing has.
    fn rename_new(&self, from: (&Self::Folder, &str), to: (&Self::Folder, &str)) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, at: &Self::Folder, name: &str) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, at: &Self::Folder, name: &str) -> io::Result<()>;
}

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// How many names it has.
    pub links: u64,
    /// Its size.
    pub bytes: u64,
    /// When it was written, in nanoseconds since 1970.
    pub modified_ns: i64,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// What a file is besides its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// Permission bits; `None` leaves a new file as the user's mask has it.
    pub mode: Option<u32>,
    /// Owner and group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<(u32, u32)>,
    /// When it was written, in nanoseconds since 1970; `None` is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_ns: Option<i64>,
    /// Extended attributes, those that hold access lists among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extended: Vec<(String, Vec<u8>)>,
}

impl Attributes {
    /// A file of ours: for its owner only.
    pub fn private() -> Self {
        Self { mode: Some(0o600), ..Self::default() }
    }

    /// The same for a file that is written now.
    pub fn written_now(&self) -> Self {
        Self { modified_ns: None, ..self.clone() }
    }
}
