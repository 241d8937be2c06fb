//! `recover --from-node`: a plan that takes back what a cut-short run of the Node engine left.
//!
//! The journal lies inside the project, so a repository can ship one. Nothing is done by itself: what
//! comes of it is a plan, to be shown, that stays inside the project, touches no file that git has and
//! follows no link. The journal doesn't say what its run wrote, so an edit made since then can't be
//! told from it; the engine keeps what it replaces, and `undo` brings it back.
//!
//! Nothing in the store is changed or removed, whatever the answer.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::Unread;
use coalwash_core::wash::node::{Journal, Status};
use coalwash_core::wash::{Action, Change, Plan, Target};

use super::snapshots::snapshot_ms;
use super::target::{Scope, Standing};
use super::{FOLDERS, NodeStore, Snapshot};
use crate::disk::Disk;
use crate::wash::{Cleared, Engine, StageError, Staged};

/// The origin of such a plan.
pub const ORIGIN: &str = "recover --from-node";

/// Folders that must not be taken for a project.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The physical home.
    pub home: &'a Utf8Path,
    /// The physical folders of the host's settings.
    pub settings: &'a [Utf8PathBuf],
}

/// What there is to take back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromNode {
    /// There is no journal, or its run is over.
    Nothing,
    /// The run was cut short before it touched a file.
    NotBegun,
    /// Every file is as it was before the run.
    AsBefore,
    /// Files differ.
    Back(TakeBack),
    /// It can't be told, or nothing of it may be done: each reason, with the file it is about.
    Refused(Vec<Unread>),
}

/// What would put things back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeBack {
    /// The changes.
    pub plan: Plan,
    /// Files that the journal names and that are left alone, and why.
    pub refused: Vec<Unread>,
}

impl TakeBack {
    /// Clears the plan, after someone has looked at it and said yes.
    ///
    /// # Errors
    /// When a file isn't as it was when the plan was made.
    pub fn cleared<D: Disk>(
        self,
        engine: &Engine<D>,
        project: &Utf8Path,
    ) -> Result<Cleared<D>, StageError> {
        Ok(engine.stage(self.plan, &[project.to_owned()])?.restoring())
    }

    /// Reads the files of the plan, to show it.
    ///
    /// # Errors
    /// When a file isn't as it was when the plan was made.
    pub fn staged<D: Disk>(
        &self,
        engine: &Engine<D>,
        project: &Utf8Path,
    ) -> Result<Staged<D>, StageError> {
        engine.stage(self.plan.clone(), &[project.to_owned()])
    }
}

/// Works out what a cut-short run of the Node engine left in a project. It writes nothing.
pub fn recover_from_node<D: Disk>(
    disk: &D,
    scope: Scope<'_>,
    around: Around<'_>,
    now_ms: i64,
) -> FromNode {
    let answer = anchored(scope.project, around).and_then(|()| look(disk, scope, now_ms));
    answer.unwrap_or_else(|why| FromNode::Refused(vec![why]))
}

/// Refuses a project that is the home, lies above it, or meets the host's settings.
fn anchored(project: &Utf8Path, around: Around<'_>) -> Result<(), Unread> {
    let no = |why: &str| Err(Unread::new(project.to_owned(), why.to_owned()));
    if around.home.starts_with(project) {
        return no("it is the home directory or an ancestor of it: go to the project itself");
    }
    let meets = |it: &Utf8PathBuf| project.starts_with(it) || it.starts_with(project);
    if around.settings.iter().any(meets) {
        return no("it holds the agent's own settings, or lies inside them");
    }
    Ok(())
}

fn look<D: Disk>(disk: &D, scope: Scope<'_>, now_ms: i64) -> Result<FromNode, Unread> {
    let store = NodeStore::open(disk, scope.project)?;
    let Some(journal) = store.journal()? else { return Ok(FromNode::Nothing) };
    if journal.status == Status::Over {
        return Ok(FromNode::Nothing);
    }
    let folder = scope.project.join(FOLDERS[0]).join(FOLDERS[1]);
    let no = |why: &str| Unread::new(folder.join("journal.json"), why.to_owned());
    if store.is_locked(now_ms)? {
        return Err(no("a run may still be going on: its lock is younger than 30 minutes"));
    }
    let Some(named) = &journal.snapshot else { return Ok(FromNode::NotBegun) };
    let name = Utf8Path::new(named).strip_prefix(&folder).map(Utf8Path::as_str).ok();
    let name = name.filter(|name| snapshot_ms(name).is_some());
    let name = name.ok_or_else(|| no("its snapshot lies elsewhere"))?;
    let Some(snapshot) = store.snapshot(name)? else { return Ok(FromNode::NotBegun) };
    let roots: Vec<&Utf8Path> = journal
        .roots
        .iter()
        .map(Utf8Path::new)
        .filter(|root| root.starts_with(scope.project))
        .collect();
    if roots.is_empty() {
        return Err(no("no verifiable roots: it names no folder of this project"));
    }
    let mut back = Collected {
        disk,
        scope,
        roots,
        seen: BTreeSet::new(),
        actions: Vec::new(),
        refused: Vec::new(),
    };
    back.collect(&journal, &snapshot);
    let Collected { actions, refused, .. } = back;
    Ok(match (actions.is_empty(), refused.is_empty()) {
        (true, true) => FromNode::AsBefore,
        (true, false) => FromNode::Refused(refused),
        (false, _) => FromNode::Back(TakeBack { plan: Plan::new(ORIGIN, actions), refused }),
    })
}

struct Collected<'a, D: Disk> {
    disk: &'a D,
    scope: Scope<'a>,
    roots: Vec<&'a Utf8Path>,
    /// Paths that were named, in lower case.
    seen: BTreeSet<String>,
    actions: Vec<Action>,
    refused: Vec<Unread>,
}

impl<D: Disk> Collected<'_, D> {
    fn collect(&mut self, journal: &Journal, snapshot: &Snapshot<'_, D>) {
        if snapshot.manifest.left_out > 0 {
            let why = format!("{} of its lines mean nothing", snapshot.manifest.left_out);
            self.refused.push(Unread::new(snapshot.path().join("manifest.json"), why));
        }
        for (copy, original) in &snapshot.manifest.copies {
            let path = Utf8PathBuf::from(original);
            let done = self.changed_back(&path, copy, snapshot);
            self.add(done, "as it was before the run");
        }
        for path in &journal.created {
            let done = self.unmade(Utf8Path::new(path));
            self.add(done, "the run made it");
        }
    }

    fn add(&mut self, done: Result<Option<Change>, Unread>, reason: &str) {
        match done {
            Ok(None) => {}
            Ok(Some(change)) => self.actions.push(Action {
                change,
                reason: reason.to_owned(),
                approvals: Vec::new(),
            }),
            Err(why) => self.refused.push(why),
        }
    }

    fn standing(&mut self, path: &Utf8Path) -> Result<Standing, Unread> {
        let standing = self.scope.standing(self.disk, path)?;
        let no = |why: &str| Err(Unread::new(path.to_owned(), why.to_owned()));
        if !self.roots.iter().any(|root| path.starts_with(root) && path != *root) {
            return no("it is in no folder that the run was for");
        }
        match self.seen.insert(path.as_str().to_lowercase()) {
            true => Ok(standing),
            false => no("it is named twice"),
        }
    }

    fn changed_back(
        &mut self,
        path: &Utf8Path,
        copy: &str,
        snapshot: &Snapshot<'_, D>,
    ) -> Result<Option<Change>, Unread> {
        let standing = self.standing(path).map_err(|mut why| {
            why.why.push_str(&format!(" (its copy: `{}`)", snapshot.path().join(copy)));
            why
        })?;
        let no = |why: &str| Unread::new(path.to_owned(), why.to_owned());
        let bytes = snapshot.copy(copy)?.ok_or_else(|| no("its copy is missing"))?;
        let content = String::from_utf8(bytes).map_err(|_| no("its copy isn't UTF-8"))?;
        Ok(match standing {
            Standing::File(now) if now == content.as_bytes() => None,
            Standing::File(now) => {
                Some(Change::Rewrite { file: Target::holding(path, &now), content })
            }
            Standing::Nothing => Some(Change::Create { path: path.to_owned(), content }),
        })
    }

    fn unmade(&mut self, path: &Utf8Path) -> Result<Option<Change>, Unread> {
        Ok(match self.standing(path)? {
            Standing::Nothing => None,
            Standing::File(now) => Some(Change::Delete { file: Target::holding(path, &now) }),
        })
    }
}
