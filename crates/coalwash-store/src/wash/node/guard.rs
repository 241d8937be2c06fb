//! Copies that the Node engine's write guard made before a first edit in a session.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::Unread;
use coalwash_core::wash::node::copy_name;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::NodeStore;
use super::place::Place;
use crate::disk::Disk;

/// The folder of all copies.
const FOLDER: &str = "writeguard";
/// What the name of a copy's own record ends in.
const RECORD: &str = ".meta.json";

/// One copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardCopy {
    /// The session, as its folder is called.
    pub session: String,
    /// Its name there.
    pub name: String,
    /// Where it lies.
    pub path: Utf8PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was made, in milliseconds since 1970.
    pub at_ms: i64,
    /// The file it is a copy of: what its record says, if its name fits that.
    pub original: Option<Utf8PathBuf>,
}

impl GuardCopy {
    /// Returns whether it is a copy of this physical path, going by its name.
    pub fn is_of(&self, path: &Utf8Path) -> bool {
        self.name == copy_name(path.as_str())
    }
}

/// What stands beside a copy.
#[derive(Deserialize)]
struct Record {
    sha256: String,
    #[serde(default)]
    original: Option<Utf8PathBuf>,
}

impl<'a, D: Disk> NodeStore<'a, D> {
    /// Lists the copies, newest first, and what could not be read.
    pub fn guard_copies(&self) -> (Vec<GuardCopy>, Vec<Unread>) {
        let (mut out, mut unread) = (Vec::new(), Vec::new());
        let sessions = self.guard().and_then(|place| match place {
            Some(place) => Ok((place.names()?, Some(place))),
            None => Ok((Vec::new(), None)),
        });
        let (names, place) = sessions.unwrap_or_else(|why| {
            unread.push(why);
            (Vec::new(), None)
        });
        for session in names.iter().filter(|name| *name != ".gitignore") {
            let listed = place.as_ref().map_or(Ok(None), |place| place.below(session));
            match listed {
                Ok(Some(place)) => list(&place, session, &mut out, &mut unread),
                Ok(None) => {}
                Err(why) => unread.push(why),
            }
        }
        out.sort_by(|a, b| (b.at_ms, &a.session, &a.name).cmp(&(a.at_ms, &b.session, &b.name)));
        (out, unread)
    }

    /// Reads a copy.
    ///
    /// # Errors
    /// When it is no plain file, or isn't what its record says it was.
    pub fn guard_copy(&self, copy: &GuardCopy) -> Result<Option<Vec<u8>>, Unread> {
        let place = match self.guard()? {
            Some(place) => place.below(&copy.session)?,
            None => None,
        };
        let Some(place) = place else { return Ok(None) };
        let Some(bytes) = place.read(&copy.name)? else { return Ok(None) };
        if let Some(record) = record(&place, &copy.name)? {
            let digest = Sha256::digest(&bytes);
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            if !record.sha256.eq_ignore_ascii_case(&hex) {
                return Err(place.wrong(&copy.name, "it isn't what was copied: its hash differs"));
            }
        }
        Ok(Some(bytes))
    }

    fn guard(&self) -> Result<Option<Place<'a, D>>, Unread> {
        self.place.as_ref().map_or(Ok(None), |place| place.below(FOLDER))
    }
}

fn list<D: Disk>(
    place: &Place<'_, D>,
    session: &str,
    out: &mut Vec<GuardCopy>,
    unread: &mut Vec<Unread>,
) {
    let names = place.names().unwrap_or_else(|why| {
        unread.push(why);
        Vec::new()
    });
    let copies = names.iter().filter(|name| *name != ".gitignore" && !name.ends_with(RECORD));
    for name in copies {
        let stat = match place.file(name) {
            Ok(Some(stat)) => stat,
            Ok(None) => continue,
            Err(why) => {
                unread.push(why);
                continue;
            }
        };
        let record = record(place, name).unwrap_or_else(|why| {
            unread.push(why);
            None
        });
        let original = record.and_then(|record| record.original);
        out.push(GuardCopy {
            session: session.to_owned(),
            name: name.clone(),
            path: place.path.join(name),
            bytes: stat.bytes,
            at_ms: stat.modified_ns / 1_000_000,
            original: original.filter(|path| copy_name(path.as_str()) == *name),
        });
    }
}

fn record<D: Disk>(place: &Place<'_, D>, name: &str) -> Result<Option<Record>, Unread> {
    let name = format!("{name}{RECORD}");
    let Some(bytes) = place.read(&name)? else { return Ok(None) };
    let read = serde_json::from_slice(&bytes);
    read.map(Some).map_err(|error| place.wrong(&name, &error.to_string()))
}
