//! What hosts share that look for files by name and send them as they are.

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};

use crate::load::map::{Entry, Kind, LoadMap, Origin, Owner, SkipReason, Skipped, Tier};
use crate::load::scene::Scene;
use crate::load::tree::{Node, Real, Tree, Unreadable, below};
use crate::load::{doubles, measure};
use crate::text::Estimator;

/// A host: its names, and the version whose rules were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its id, as in JSON.
    pub id: &'static str,
    /// Its name, as people write it.
    pub name: &'static str,
    /// The version.
    pub version: &'static str,
}

/// A file that was looked at.
pub(super) enum Looked {
    /// A regular file and its bytes.
    File(Real, Vec<u8>),
    /// Nothing, or nothing that is a file.
    NoFile,
    /// Something that could not be read.
    Failed(Unreadable),
}

/// Collects what one host loads.
pub(super) struct Collect<'a> {
    pub(super) host: Host,
    pub(super) scene: &'a Scene,
    pub(super) tree: &'a dyn Tree,
    pub(super) entries: Vec<Entry>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) not_measured: Vec<String>,
}

impl<'a> Collect<'a> {
    pub(super) fn new(host: Host, scene: &'a Scene, tree: &'a dyn Tree) -> Self {
        let not_measured = [
            "the system prompt",
            "the host's own tools, skills and agents",
            "MCP servers' tools and instructions",
            "switches on the command line",
        ];
        Self {
            host,
            scene,
            tree,
            entries: Vec::new(),
            skipped: Vec::new(),
            not_measured: not_measured.map(str::to_owned).to_vec(),
        }
    }

    /// Looks at a file by name; links are followed.
    pub(super) fn look(&self, path: &Utf8Path) -> Looked {
        match self.tree.real(path) {
            Ok(real) if real.node == Node::File => match self.tree.read(&real.path) {
                Ok(bytes) => Looked::File(real, bytes),
                Err(why) => Looked::Failed(why),
            },
            Ok(_) | Err(Unreadable::Missing) => Looked::NoFile,
            Err(why) => Looked::Failed(why),
        }
    }

    pub(super) fn is_file(&self, path: &Utf8Path) -> bool {
        self.tree.real(path).is_ok_and(|real| real.node == Node::File)
    }

    pub(super) fn is_folder(&self, path: &Utf8Path) -> bool {
        self.tree.real(path).is_ok_and(|real| real.node == Node::Folder)
    }

    /// Makes an entry that sends `text`.
    pub(super) fn entry(
        &self,
        path: &Utf8Path,
        real: &Real,
        kind: Kind,
        tier: Tier,
        reason: impl Into<Cow<'static, str>>,
        text: String,
    ) -> Entry {
        let owner = self.owner(&real.path);
        Entry {
            reason: reason.into(),
            disk_bytes: real.bytes,
            sent: Some(text),
            ..Entry::new(path.to_owned(), real.path.clone(), kind, tier, owner)
        }
    }

    /// Returns whose a file is.
    pub(super) fn owner(&self, real: &Utf8Path) -> Owner {
        let scene = self.scene;
        if below(real, &scene.managed).is_some_and(|_| !scene.managed.as_str().is_empty()) {
            return Owner::Managed;
        }
        let in_config = below(real, &scene.config).is_some();
        match below(real, &scene.project) {
            Some(_) if in_config => Owner::Personal,
            Some(relative) => match scene.tracked.has(relative) {
                Some(false) => Owner::Personal,
                Some(true) | None => Owner::Git,
            },
            None if in_config || below(real, &scene.home).is_some() => Owner::Personal,
            None => Owner::Inherited,
        }
    }

    pub(super) fn skip(&mut self, path: &Utf8Path, reason: SkipReason, fix: &str) {
        self.skipped.push(Skipped {
            path: Some(path.to_owned()),
            text: None,
            from: None,
            reason,
            fix: fix.to_owned(),
        });
    }

    pub(super) fn skip_text(&mut self, text: &str, from: Origin, reason: SkipReason, fix: &str) {
        self.skipped.push(Skipped {
            path: None,
            text: Some(text.to_owned()),
            from: Some(from),
            reason,
            fix: fix.to_owned(),
        });
    }

    /// Notes something that could not be read.
    pub(super) fn failed(&mut self, path: &Utf8Path, why: &Unreadable) {
        let reason = match why {
            Unreadable::Missing => SkipReason::LinkBroken,
            Unreadable::Loop => SkipReason::LinkLoop,
            Unreadable::Denied => SkipReason::Denied,
            Unreadable::Folder => SkipReason::FolderForFile,
            Unreadable::Special => SkipReason::SpecialFile,
            Unreadable::Outside => SkipReason::LinkOutside,
            Unreadable::NotUtf8 => SkipReason::NameNotUtf8,
            Unreadable::Io(_) => SkipReason::ReadFailed,
        };
        let fix = match why {
            Unreadable::Io(what) => what.clone(),
            Unreadable::Outside => "put the file itself there".to_owned(),
            _ => "repair it, or take it away".to_owned(),
        };
        self.skip(path, reason, &fix);
    }

    /// Names what stands where a file is looked for and is none; the host passes it over.
    pub(super) fn no_file(&mut self, path: &Utf8Path) {
        let why = match self.tree.real(path) {
            Ok(real) => match real.node {
                Node::File => return,
                Node::Folder => Unreadable::Folder,
                _ => Unreadable::Special,
            },
            Err(Unreadable::Missing) if self.tree.node(path) == Ok(Node::Link) => {
                Unreadable::Missing
            }
            Err(Unreadable::Missing) => return,
            Err(why) => why,
        };
        if !self.skipped.iter().any(|it| it.path.as_deref() == Some(path)) {
            self.failed(path, &why);
        }
    }

    /// Names a file in `folder` whose name is right but for its case.
    pub(super) fn wrong_case(&mut self, folder: &Utf8Path, names: &[&str]) {
        for child in self.tree.list(folder).unwrap_or_default() {
            let Some(found) = child.name.filter(|_| child.node != Node::Folder) else { continue };
            let near = |name: &&&str| name.eq_ignore_ascii_case(&found) && **name != found;
            if let Some(name) = names.iter().find(near).filter(|_| !names.contains(&&*found)) {
                let fix = format!("rename it to `{name}`");
                self.skip(&folder.join(&found), SkipReason::WrongCase, &fix);
            }
        }
    }

    /// Ends the map.
    pub(super) fn done(self, estimator: &dyn Estimator) -> LoadMap {
        let Self { host, mut entries, skipped, not_measured, .. } = self;
        entries.sort_by_key(|entry| entry.tier != Tier::Always);
        measure(&mut entries, estimator);
        LoadMap {
            host: host.id,
            profile: host.version,
            doubles: doubles(&entries),
            entries,
            skipped,
            not_measured,
            role_memories: Vec::new(),
            again: Vec::new(),
        }
    }
}

/// Decodes as these hosts do: what isn't UTF-8 becomes U+FFFD.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns whether the system has another answer for a path than that nothing is there: a link in a
/// circle, or one that takes a file for a folder.
pub(super) fn is_no_way(tree: &dyn Tree, path: &Utf8Path) -> bool {
    match tree.real(path) {
        Err(Unreadable::Loop) => true,
        Err(Unreadable::Missing) => tree.leads_through_file(path),
        _ => false,
    }
}

/// Returns the folders from `top` down to `bottom`, both included.
pub(super) fn folders(top: &Utf8Path, bottom: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut out: Vec<_> = bottom
        .ancestors()
        .take_while(|folder| folder.starts_with(top))
        .map(Utf8Path::to_owned)
        .collect();
    out.reverse();
    out
}
