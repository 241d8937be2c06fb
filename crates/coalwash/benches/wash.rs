//! What it costs to change files: a plan for 25 of 500 files of 10 KB, one small rewrite, and undoing.
//!
//! `BENCH_FOLDER` names a folder on the file system to be measured, a memory disk for the cost besides
//! syncs. The number of syncs of each is printed.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::text::FamilyFactor;
use coalwash_core::wash::{Action, Change, Plan, Target, quick::cut};
use coalwash_store::disk::{Attributes, Disk, Folder, RealDisk, Stat, own_folder};
use coalwash_store::wash::{Engine, Holder, Locked, Meta, Process, UndoAsk};
use criterion::{Criterion, criterion_group, criterion_main};

/// The disk, with its syncs counted.
#[derive(Clone, Default)]
struct Counting(std::rc::Rc<Cell<usize>>);

impl Disk for Counting {
    type Folder = Folder;

    fn open(&self, path: &Utf8Path) -> io::Result<Folder> {
        RealDisk.open(path)
    }
    fn make_folder(&self, at: &Folder, name: &str) -> io::Result<()> {
        RealDisk.make_folder(at, name)
    }
    fn open_in(&self, at: &Folder, name: &str) -> io::Result<Folder> {
        RealDisk.open_in(at, name)
    }
    fn names(&self, at: &Folder) -> io::Result<Vec<String>> {
        RealDisk.names(at)
    }
    fn stat(&self, at: &Folder, name: &str) -> io::Result<Option<Stat>> {
        RealDisk.stat(at, name)
    }
    fn read(&self, at: &Folder, name: &str, most: u64) -> io::Result<Vec<u8>> {
        RealDisk.read(at, name, most)
    }
    fn attributes(&self, at: &Folder, name: &str) -> io::Result<Attributes> {
        RealDisk.attributes(at, name)
    }
    fn create(&self, at: &Folder, name: &str, bytes: &[u8], like: &Attributes) -> io::Result<()> {
        RealDisk.create(at, name, bytes, like)
    }
    fn append(&self, at: &Folder, name: &str, bytes: &[u8]) -> io::Result<()> {
        RealDisk.append(at, name, bytes)
    }
    fn sync(&self, at: &Folder, name: &str) -> io::Result<()> {
        self.0.set(self.0.get() + 1);
        RealDisk.sync(at, name)
    }
    fn sync_folder(&self, at: &Folder) -> io::Result<()> {
        self.0.set(self.0.get() + 1);
        RealDisk.sync_folder(at)
    }
    fn exchange(&self, at: &Folder, new: &str, old: &str) -> io::Result<()> {
        RealDisk.exchange(at, new, old)
    }
    fn rename_new(&self, from: (&Folder, &str), to: (&Folder, &str)) -> io::Result<()> {
        RealDisk.rename_new(from, to)
    }
    fn remove(&self, at: &Folder, name: &str) -> io::Result<()> {
        RealDisk.remove(at, name)
    }
    fn remove_folder(&self, at: &Folder, name: &str) -> io::Result<()> {
        RealDisk.remove_folder(at, name)
    }
}

/// A project with 500 files, every twentieth with a repeat, and an engine for it.
struct Project {
    root: Utf8PathBuf,
    data: Utf8PathBuf,
    engine: Engine<Counting>,
    syncs: Counting,
    _folder: tempfile::TempDir,
}

impl Project {
    #[expect(clippy::disallowed_methods, reason = "a bench lays its files out")]
    fn new() -> Self {
        let at = std::env::var("BENCH_FOLDER");
        let folder = match at {
            Ok(at) => tempfile::tempdir_in(at),
            Err(_) => tempfile::tempdir(),
        };
        let folder = folder.expect("a folder to measure in");
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().expect("it is there"));
        let root = root.expect("its path is UTF-8");
        std::fs::create_dir(root.join("p")).expect("the project");
        for number in 0..500 {
            let mut text = format!("# Rule {number}\n");
            for line in 0..140 {
                text += &format!(
                    "\nWhat holds in place {line} of rule {number}, said in one line here.\n"
                );
            }
            if number % 20 == 0 {
                text +=
                    &format!("\nWhat holds in place 7 of rule {number}, said in one line here.\n");
                text +=
                    &format!("\nWhat holds in place 9 of rule {number}, said in one line here.\n");
            }
            std::fs::write(root.join(format!("p/r{number}.md")), text).expect("a rule");
        }
        let data = own_folder(&root.join("data")).expect("a folder of our own");
        let syncs = Counting::default();
        let engine = Engine::new(syncs.clone(), data.clone());
        Self { root: root.join("p"), data, engine, syncs, _folder: folder }
    }

    /// Reads all files and plans what quick would cut.
    fn plan(&self) -> Plan {
        let mut actions = Vec::new();
        for number in 0..500 {
            let path = self.root.join(format!("r{number}.md"));
            let text = std::fs::read_to_string(&path).expect("it is there");
            if let Some(cut) = cut(&text, &[], &FamilyFactor::CLAUDE) {
                let file = Target::holding(path, text.as_bytes());
                let change = Change::Rewrite { file, content: cut.text };
                actions.push(Action { change, reason: String::new(), approvals: Vec::new() });
            }
        }
        Plan::new("bench", actions)
    }

    fn small(&self) -> Plan {
        let path = self.root.join("r1.md");
        let text = std::fs::read_to_string(&path).expect("it is there");
        let content = format!("{text}\nOne line more.\n");
        let change = Change::Rewrite { file: Target::holding(path, text.as_bytes()), content };
        let action = Action { change, reason: String::new(), approvals: Vec::new() };
        Plan::new("bench", vec![action])
    }

    fn locked(&self) -> Locked {
        let holder = Holder { process: Process::default(), since_ms: 0 };
        let wait = Duration::from_secs(1);
        Locked::take(&self.data, std::slice::from_ref(&self.root), &holder, wait)
            .expect("nobody else is here")
    }

    fn apply(&self, plan: Plan) -> u64 {
        let locked = self.locked();
        let staged =
            self.engine.stage(plan, std::slice::from_ref(&self.root)).expect("all files are plain");
        let reviews = staged.reviews(&|_, _| Vec::new());
        let cleared = staged.cleared(&reviews).ok().expect("nothing is lost");
        let prepared = self.engine.prepare(&locked, cleared, &Meta::default()).expect("room");
        prepared.commit(serde_json::Value::Null).expect("nobody else writes").run
    }

    fn undo(&self, run: u64) {
        let locked = self.locked();
        let roots = [self.root.clone()];
        let cleared =
            self.engine.undoing(run, &UndoAsk::default(), &roots).expect("as it was left");
        let prepared = self.engine.prepare(&locked, cleared, &Meta::default()).expect("room");
        prepared.commit(serde_json::Value::Null).expect("nobody else writes");
    }
}

#[expect(clippy::print_stdout, reason = "the syncs are a result")]
fn benches(c: &mut Criterion) {
    let project = Project::new();
    let counted = |what: &str, act: &dyn Fn() -> u64| {
        let before = project.syncs.0.get();
        let run = act();
        println!("{what}: {} syncs", project.syncs.0.get() - before);
        run
    };
    let run = counted("25 of 500 files", &|| project.apply(project.plan()));
    counted("undo of it", &|| {
        project.undo(run);
        0
    });
    let run = counted("one small rewrite", &|| project.apply(project.small()));
    project.undo(run);
    c.bench_function("500 files read, 25 cut, undone", |b| {
        b.iter(|| project.undo(project.apply(project.plan())));
    });
    c.bench_function("one small rewrite, undone", |b| {
        b.iter(|| project.undo(project.apply(project.small())));
    });
}

criterion_group! {
    name = group;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(5));
    targets = benches
}
criterion_main!(group);
