//! A disk that isn't one: it can be stopped before any operation, and then loses what was not synced.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::ops::{Attributes, Disk, Kind, Stat};

/// What becomes of content that was written and not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsynced {
    Lost,
    /// The first half of it is there.
    Torn,
    Kept,
}

/// What becomes of names that were given and not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    Lost,
    Kept,
    /// Of the changes only every second one is there, the last one among them.
    Reordered,
}

/// What the disk does wrong on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Operations after which nothing works any more.
    pub(crate) stop_after: Option<usize>,
    /// The sync of this number does nothing.
    pub(crate) swallow: Option<usize>,
    /// The operation of this number happens after the next one.
    pub(crate) delay: Option<usize>,
    /// Our own folder, `/data`, is on another file system than the user's.
    pub(crate) two_disks: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct File {
    now: Vec<u8>,
    durable: Vec<u8>,
    attributes: Attributes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    File(usize),
    Folder,
}

/// One change of names, which happens as a whole.
type Rename = Vec<(Utf8PathBuf, Option<Node>)>;

type Delayed = Box<dyn FnOnce(&mut State) -> io::Result<()>>;

type Other = Box<dyn FnMut(usize, &mut Meddler<'_>)>;

#[derive(Default)]
struct State {
    files: Vec<File>,
    names: BTreeMap<Utf8PathBuf, Node>,
    durable: BTreeMap<Utf8PathBuf, Node>,
    pending: Vec<Rename>,
    done: Vec<String>,
    syncs: usize,
    fault: Fault,
    delayed: Option<Delayed>,
    clock_ns: i64,
    /// Called before each operation that changes something, with its number.
    meddle: Option<Other>,
}

/// A disk in memory.
pub(crate) struct FaultDisk(RefCell<State>);

/// Another program.
pub(crate) struct Meddler<'a>(&'a mut State);

impl Meddler<'_> {
    /// Replaces a file by another one of its name.
    pub(crate) fn replace(&mut self, path: &str, bytes: &[u8]) {
        let node = self.0.new_file(bytes, Attributes::default());
        self.0.rename(vec![(path.into(), Some(node))]);
    }

    /// Returns the file that has this name now, as one that has it open.
    pub(crate) fn open(&self, path: &str) -> Option<usize> {
        match self.0.names.get(Utf8Path::new(path)) {
            Some(Node::File(file)) => Some(*file),
            _ => None,
        }
    }

    /// Writes into an open file, whatever its name is by now.
    pub(crate) fn write(&mut self, file: usize, bytes: &[u8]) {
        self.0.files[file].now = bytes.to_vec();
    }

    /// Adds to an open file.
    pub(crate) fn append(&mut self, file: usize, bytes: &[u8]) {
        self.0.files[file].now.extend(bytes);
    }
}

fn crashed() -> io::Error {
    io::Error::other("the disk has stopped")
}

impl State {
    fn new_file(&mut self, bytes: &[u8], mut attributes: Attributes) -> Node {
        self.clock_ns += 1;
        attributes.modified_ns.get_or_insert(self.clock_ns);
        self.files.push(File { now: bytes.to_vec(), durable: Vec::new(), attributes });
        Node::File(self.files.len() - 1)
    }

    fn rename(&mut self, changes: Rename) {
        apply(&mut self.names, &changes);
        self.pending.push(changes);
    }

    fn file(&self, path: &Utf8Path) -> io::Result<usize> {
        match self.names.get(path) {
            Some(Node::File(file)) => Ok(*file),
            Some(Node::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn node(&self, path: &Utf8Path) -> io::Result<Node> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn free(&self, path: &Utf8Path) -> io::Result<()> {
        match self.names.contains_key(path) {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => Ok(()),
        }
    }
}

fn apply(names: &mut BTreeMap<Utf8PathBuf, Node>, changes: &Rename) {
    for (path, node) in changes {
        match node {
            Some(node) => names.insert(path.clone(), *node),
            None => names.remove(path),
        };
    }
}

impl FaultDisk {
    /// Makes a disk with these files, all of them on it for certain.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let mut state = State { clock_ns: 1_000, ..State::default() };
        for (path, bytes) in files {
            let path = Utf8PathBuf::from(path);
            for folder in path.ancestors().skip(1) {
                state.names.insert(folder.to_owned(), Node::Folder);
            }
            let mode = Attributes { mode: Some(0o640), ..Attributes::default() };
            let node = state.new_file(bytes, mode);
            state.names.insert(path, node);
        }
        for file in &mut state.files {
            file.durable.clone_from(&file.now);
        }
        state.durable.clone_from(&state.names);
        Self(RefCell::new(state))
    }

    pub(crate) fn folder(self, path: &str) -> Self {
        {
            let mut state = self.0.borrow_mut();
            for folder in Utf8Path::new(path).ancestors() {
                state.names.insert(folder.to_owned(), Node::Folder);
                state.durable.insert(folder.to_owned(), Node::Folder);
            }
        }
        self
    }

    pub(crate) fn fault(self, fault: Fault) -> Self {
        self.0.borrow_mut().fault = fault;
        self
    }

    /// Lets another program act before each operation that changes something.
    pub(crate) fn meddle(self, with: impl FnMut(usize, &mut Meddler<'_>) + 'static) -> Self {
        self.0.borrow_mut().meddle = Some(Box::new(with));
        self
    }

    /// Returns the same disk as it is when nothing waits for a sync any more.
    pub(crate) fn copied(&self) -> Self {
        let state = self.0.borrow();
        Self(RefCell::new(State {
            files: state.files.clone(),
            names: state.names.clone(),
            durable: state.names.clone(),
            clock_ns: state.clock_ns,
            fault: Fault { two_disks: state.fault.two_disks, ..Fault::default() },
            ..State::default()
        }))
    }

    /// Returns how many operations were done, and how many of them were syncs.
    pub(crate) fn counted(&self) -> (usize, usize) {
        let state = self.0.borrow();
        (state.done.len(), state.syncs)
    }

    /// Returns what was done, in order.
    pub(crate) fn log(&self) -> Vec<String> {
        self.0.borrow().done.clone()
    }

    /// Ends the power and gives it back: what was not synced has this fate.
    pub(crate) fn power_cycle(self, unsynced: Unsynced, names: Names) -> Self {
        let mut state = self.0.into_inner();
        let pending = std::mem::take(&mut state.pending);
        let count = pending.len();
        for (at, changes) in pending.iter().enumerate() {
            let is_kept = match names {
                Names::Lost => false,
                Names::Kept => true,
                Names::Reordered => (count - 1 - at).is_multiple_of(2),
            };
            if is_kept {
                apply(&mut state.durable, changes);
            }
        }
        state.names.clone_from(&state.durable);
        for file in &mut state.files {
            match unsynced {
                Unsynced::Kept => {}
                Unsynced::Lost => file.now.clone_from(&file.durable),
                Unsynced::Torn if file.now.starts_with(&file.durable) => {
                    let added = file.now.len() - file.durable.len();
                    file.now.truncate(file.durable.len() + added / 2);
                }
                Unsynced::Torn => file.now.truncate(file.now.len() / 2),
            }
            file.durable.clone_from(&file.now);
        }
        let clock_ns = state.clock_ns;
        let fault = Fault { two_disks: state.fault.two_disks, ..Fault::default() };
        let State { files, names, durable, .. } = state;
        Self(RefCell::new(State { files, names, durable, clock_ns, fault, ..State::default() }))
    }

    /// Returns every file below a folder with its content, mode and time.
    pub(crate) fn below(&self, folder: &str) -> BTreeMap<String, (String, Attributes)> {
        let state = self.0.borrow();
        let inside = |path: &Utf8PathBuf| path.starts_with(folder);
        let files = state.names.iter().filter(|(path, _)| inside(path));
        files
            .filter_map(|(path, node)| match node {
                Node::File(file) => {
                    let file = &state.files[*file];
                    let text = String::from_utf8_lossy(&file.now).into_owned();
                    Some((path.to_string(), (text, file.attributes.clone())))
                }
                Node::Folder => None,
            })
            .collect()
    }

    /// Does one operation that changes something, unless the disk has stopped.
    fn act(
        &self,
        what: String,
        change: impl FnOnce(&mut State) -> io::Result<()> + 'static,
    ) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        let number = state.done.len();
        if state.fault.stop_after.is_some_and(|most| number >= most) {
            return Err(crashed());
        }
        state.done.push(what);
        if let Some(mut meddle) = state.meddle.take() {
            meddle(number, &mut Meddler(&mut state));
            state.meddle = Some(meddle);
        }
        if state.fault.delay == Some(number) {
            state.delayed = Some(Box::new(change));
            return Ok(());
        }
        let done = change(&mut state);
        match state.delayed.take() {
            Some(delayed) => done.and(delayed(&mut state)),
            None => done,
        }
    }

    fn alive(&self) -> io::Result<()> {
        let state = self.0.borrow();
        match state.fault.stop_after.is_some_and(|most| state.done.len() >= most) {
            true => Err(crashed()),
            false => Ok(()),
        }
    }
}

impl Disk for FaultDisk {
    type Folder = Utf8PathBuf;

    fn open(&self, path: &Utf8Path) -> io::Result<Utf8PathBuf> {
        self.alive()?;
        match self.0.borrow().names.get(path) {
            Some(Node::Folder) => Ok(path.to_owned()),
            Some(Node::File(_)) => Err(io::ErrorKind::NotADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn make_folder(&self, at: &Utf8PathBuf, name: &str) -> io::Result<()> {
        let path = at.join(name);
        self.act(format!("make folder {path}"), move |state| {
            state.free(&path)?;
            state.rename(vec![(path, Some(Node::Folder))]);
            Ok(())
        })
    }

    fn open_in(&self, at: &Utf8PathBuf, name: &str) -> io::Result<Utf8PathBuf> {
        self.open(&at.join(name))
    }

    fn names(&self, at: &Utf8PathBuf) -> io::Result<Vec<String>> {
        self.alive()?;
        let state = self.0.borrow();
        let inside = state.names.keys().filter(|path| path.parent() == Some(at));
        Ok(inside.filter_map(|path| path.file_name()).map(str::to_owned).collect())
    }

    fn stat(&self, at: &Utf8PathBuf, name: &str) -> io::Result<Option<Stat>> {
        self.alive()?;
        let state = self.0.borrow();
        let Some(node) = state.names.get(&at.join(name)) else { return Ok(None) };
        let (kind, bytes, modified_ns) = match node {
            Node::Folder => (Kind::Folder, 0, 0),
            Node::File(file) => {
                let file = &state.files[*file];
                let modified = file.attributes.modified_ns.unwrap_or(0);
                (Kind::File, file.now.len() as u64, modified)
            }
        };
        Ok(Some(Stat { kind, links: 1, bytes, modified_ns }))
    }

    fn read(&self, at: &Utf8PathBuf, name: &str, most: u64) -> io::Result<Vec<u8>> {
        self.alive()?;
        let state = self.0.borrow();
        let file = state.file(&at.join(name))?;
        let bytes = &state.files[file].now;
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len());
        Ok(bytes[..most].to_vec())
    }

    fn attributes(&self, at: &Utf8PathBuf, name: &str) -> io::Result<Attributes> {
        self.alive()?;
        let state = self.0.borrow();
        let file = state.file(&at.join(name))?;
        Ok(state.files[file].attributes.clone())
    }

    fn create(
        &self,
        at: &Utf8PathBuf,
        name: &str,
        bytes: &[u8],
        attributes: &Attributes,
    ) -> io::Result<()> {
        let (path, bytes, attributes) = (at.join(name), bytes.to_vec(), attributes.clone());
        self.act(format!("create {path}"), move |state| {
            state.free(&path)?;
            let node = state.new_file(&bytes, attributes);
            state.rename(vec![(path, Some(node))]);
            Ok(())
        })
    }

    fn append(&self, at: &Utf8PathBuf, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (path, bytes) = (at.join(name), bytes.to_vec());
        self.act(format!("append {path}"), move |state| {
            let file = state.file(&path)?;
            state.files[file].now.extend(bytes);
            Ok(())
        })
    }

    fn sync(&self, at: &Utf8PathBuf, name: &str) -> io::Result<()> {
        let path = at.join(name);
        self.act(format!("sync {path}"), move |state| {
            let number = state.syncs;
            state.syncs += 1;
            let file = state.file(&path)?;
            if state.fault.swallow != Some(number) {
                let now = state.files[file].now.clone();
                state.files[file].durable = now;
            }
            Ok(())
        })
    }

    fn sync_folder(&self, at: &Utf8PathBuf) -> io::Result<()> {
        let at = at.clone();
        self.act(format!("sync folder {at}"), move |state| {
            let number = state.syncs;
            state.syncs += 1;
            if state.fault.swallow == Some(number) {
                return Ok(());
            }
            let pending = std::mem::take(&mut state.pending);
            let touches =
                |changes: &Rename| changes.iter().any(|(path, _)| path.parent() == Some(&at));
            let (synced, rest): (Vec<_>, Vec<_>) = pending.into_iter().partition(touches);
            synced.iter().for_each(|changes| apply(&mut state.durable, changes));
            state.pending = rest;
            Ok(())
        })
    }

    fn exchange(&self, at: &Utf8PathBuf, new: &str, old: &str) -> io::Result<()> {
        let (new, old) = (at.join(new), at.join(old));
        self.act(format!("exchange {old}"), move |state| {
            let (one, other) = (state.node(&new)?, state.node(&old)?);
            state.rename(vec![(new, Some(other)), (old, Some(one))]);
            Ok(())
        })
    }

    fn rename_new(&self, from: (&Utf8PathBuf, &str), to: (&Utf8PathBuf, &str)) -> io::Result<()> {
        let (from, to) = (from.0.join(from.1), to.0.join(to.1));
        let is_ours = |path: &Utf8PathBuf| path.starts_with("/data");
        if self.0.borrow().fault.two_disks && is_ours(&from) != is_ours(&to) {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        self.act(format!("rename {from} {to}"), move |state| {
            let node = state.node(&from)?;
            state.free(&to)?;
            let mut changes = vec![(from.clone(), None), (to.clone(), Some(node))];
            if node == Node::Folder {
                let inside: Vec<_> = state
                    .names
                    .range(from.clone()..)
                    .filter(|(path, _)| path.starts_with(&from) && **path != from)
                    .map(|(path, node)| (path.clone(), *node))
                    .collect();
                for (path, node) in inside {
                    let below = path.strip_prefix(&from).expect("it starts so");
                    changes.push((to.join(below), Some(node)));
                    changes.push((path, None));
                }
            }
            state.rename(changes);
            Ok(())
        })
    }

    fn remove(&self, at: &Utf8PathBuf, name: &str) -> io::Result<()> {
        let path = at.join(name);
        self.act(format!("remove {path}"), move |state| {
            state.file(&path)?;
            state.rename(vec![(path, None)]);
            Ok(())
        })
    }

    fn remove_folder(&self, at: &Utf8PathBuf, name: &str) -> io::Result<()> {
        let path = at.join(name);
        self.act(format!("remove folder {path}"), move |state| {
            state.rename(vec![(path, None)]);
            Ok(())
        })
    }
}
