//! A path that a file of the stores names: where it may lead, and what stands there.

use camino::{Utf8Component, Utf8Path};
use coalwash_core::load::Unread;
use coalwash_core::wash::gate::is_pinned;

use super::FOLDERS;
use super::place::Place;
use crate::disk::Disk;

/// Texts that the Node engine rewrites; nothing else is ever put back because a store says so.
const TEXTS: [&str; 4] = ["md", "mdc", "markdown", "txt"];

/// What a named path has to keep to.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The physical folder of the project.
    pub project: &'a Utf8Path,
    /// Says whether git has a file; `None` where that isn't known. See [`super::git_has`].
    pub tracked: &'a dyn Fn(&Utf8Path) -> Option<bool>,
}

/// What stands under a named path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing, in a folder that is there.
    Nothing,
    /// A plain file of these bytes, that its own front matter doesn't pin.
    File(Vec<u8>),
}

impl Scope<'_> {
    /// Returns what stands under a path that a store names.
    ///
    /// # Errors
    /// Why nothing may be done to it from here.
    pub(super) fn standing<D: Disk>(&self, disk: &D, path: &Utf8Path) -> Result<Standing, Unread> {
        let no = |why: &str| Unread::new(path.to_owned(), why.to_owned());
        if let Some(why) = self.misplaced(path) {
            return Err(no(why));
        }
        match (self.tracked)(path) {
            Some(false) => {}
            Some(true) => return Err(no("git has it, and git can put it back")),
            None => return Err(no("whether git has it can't be told")),
        }
        let inside = path.strip_prefix(self.project).map_err(|_| no("it lies outside"))?;
        let mut place =
            Place::open(disk, self.project)?.ok_or_else(|| no("the project is gone"))?;
        for name in inside.parent().unwrap_or(Utf8Path::new("")).iter() {
            place = place.below(name)?.ok_or_else(|| no("its folder is gone"))?;
        }
        let name = inside.file_name().unwrap_or_default();
        let Some(stat) = place.file(name)? else { return Ok(Standing::Nothing) };
        if stat.links > 1 {
            return Err(no("it has other names (hard links)"));
        }
        let Some(bytes) = place.read(name)? else { return Ok(Standing::Nothing) };
        match is_pinned(&String::from_utf8_lossy(&bytes)) {
            true => Err(no("its front matter says `pinned: true`")),
            false => Ok(Standing::File(bytes)),
        }
    }

    /// Says what is wrong with a path by its form and place alone.
    fn misplaced(&self, path: &Utf8Path) -> Option<&'static str> {
        let plain = |part| matches!(part, Utf8Component::Normal(_) | Utf8Component::RootDir);
        let is_plain = path.is_absolute()
            && path.components().all(plain)
            && !path.as_str().contains('\0')
            && !path.as_str().split('/').any(|part| part == ".");
        if !is_plain {
            return Some("it is no plain absolute path");
        }
        let Ok(inside) = path.strip_prefix(self.project) else {
            return Some("it lies outside the project, where nothing is put back from here");
        };
        let folders: Vec<String> = inside.iter().map(str::to_lowercase).collect();
        if folders.starts_with(&FOLDERS.map(str::to_owned)) || folders.contains(&".git".to_owned())
        {
            return Some("it belongs to git or to the stores themselves");
        }
        let extension = path.extension().map(str::to_lowercase);
        match extension.is_some_and(|extension| TEXTS.contains(&&*extension)) {
            true => None,
            false => Some("it is no text that the Node engine would have washed"),
        }
    }
}
