//! The journal of a run: what it is about to do, and how it ended.
//!
//! One record a line, each behind a checksum of its own, only ever added to. A line that a crash cut
//! off is as good as not written. A record that is not understood ends the reading, and says so.

use camino::Utf8PathBuf;
use coalwash_core::wash::ContentHash;
use serde::{Deserialize, Serialize};

use crate::disk::Attributes;

/// The version of the format. A reader takes it and older ones; a newer one is left alone.
pub(super) const VERSION: u32 = 1;

/// Hexadecimal digits of the checksum before each record.
const CHECK_DIGITS: usize = 16;

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub(super) enum Record {
    /// What will be done. Nothing is touched before this is on the disk.
    Begin(Begin),
    /// Bytes that the run didn't put there, and where they are now.
    Found(Found),
    /// All of it is done, and on the disk.
    Commit {
        /// What the command that made the plan wants remembered.
        receipt: serde_json::Value,
    },
    /// All of it is as it was, but for the steps that something else has changed since.
    TakenBack {
        /// Why.
        why: String,
        /// Those steps, by number.
        handed_over: Vec<usize>,
    },
}

/// What a run will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// [`VERSION`] of the writer.
    pub(super) version: u32,
    /// Its number.
    pub run: u64,
    /// The command that made the plan.
    pub origin: String,
    /// When it began, in milliseconds since 1970.
    pub at_ms: i64,
    /// Who runs it.
    pub process: Process,
    /// The folders whose locks it holds.
    pub stores: Vec<Utf8PathBuf>,
    /// The run that this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// The changes, removals last.
    pub steps: Vec<Step>,
}

/// One file, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its absolute path.
    pub path: Utf8PathBuf,
    /// The name beside it that a new text gets first, and the old one afterwards.
    pub(super) temp: String,
    /// What it held; `None` where there was no file.
    pub before: Option<Held>,
    /// What it holds then; `None` where it goes.
    pub after: Option<Held>,
    /// Why, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Its content.
    pub hash: ContentHash,
    /// The rest of it.
    pub(super) attributes: Attributes,
    /// Where the run keeps a copy.
    pub(super) copy: Extent,
}

/// A part of the file that holds the texts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Extent {
    /// Where it begins.
    pub(super) start: u64,
    /// Its length there.
    pub(super) packed_bytes: u64,
    /// Its length as a text.
    pub(super) bytes: u64,
}

/// Bytes that a run met and hadn't written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The step, by number.
    pub step: usize,
    /// The name that they have in the folder of the run.
    pub kept_as: String,
}

/// A process, so that others can tell whether it lives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The name of the machine.
    pub host: String,
    /// What the system calls the time since it was started.
    pub boot: String,
    /// The number of the process.
    pub pid: u32,
}

/// What a journal says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Journal {
    /// What was planned; `None` where nothing was touched yet.
    pub(super) begin: Option<Begin>,
    pub(super) found: Vec<Found>,
    pub(super) end: Option<End>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It is done.
    Committed(serde_json::Value),
    /// It was taken back, but for these steps.
    TakenBack {
        /// Why.
        why: String,
        /// Steps that something else had changed, by number.
        handed_over: Vec<usize>,
    },
}

/// Why a journal can't be relied on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Damage {
    #[error("the first record of its journal is damaged")]
    Start,
    #[error("a newer version of coalwash wrote it")]
    Newer,
}

impl Record {
    /// Returns it as a line, behind the end of whatever a crash left of another one.
    pub(super) fn line(&self) -> Vec<u8> {
        let json = serde_json::to_string(self).expect("a record is plain data");
        format!("\n{} {json}\n", check(json.as_bytes())).into_bytes()
    }
}

fn check(bytes: &[u8]) -> String {
    ContentHash::of(bytes).to_string()[..CHECK_DIGITS].to_owned()
}

impl Journal {
    /// Reads a journal. What a crash left of a line is passed over.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut out = Self::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(json) = sound(line) else { continue };
            let record = serde_json::from_slice(json).map_err(|_| Damage::Newer)?;
            if out.begin.is_none() && !matches!(record, Record::Begin(_)) {
                return Err(Damage::Start);
            }
            match record {
                Record::Begin(begin) if begin.version > VERSION => return Err(Damage::Newer),
                Record::Begin(begin) => out.begin = Some(begin),
                Record::Found(found) if !out.found.contains(&found) => out.found.push(found),
                Record::Found(_) => {}
                Record::Commit { receipt } => out.end = Some(End::Committed(receipt)),
                Record::TakenBack { why, handed_over } => {
                    out.end = Some(End::TakenBack { why, handed_over });
                }
            }
        }
        Ok(out)
    }
}

/// Returns the JSON of a line whose checksum is right.
fn sound(line: &[u8]) -> Option<&[u8]> {
    // One that lacks nothing but its end is whole: the next record would end it.
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let (sum, json) = line.split_at_checked(CHECK_DIGITS)?;
    let json = json.strip_prefix(b" ")?;
    (sum == check(json).as_bytes()).then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Record> {
        let begin = Begin {
            version: VERSION,
            run: 3,
            origin: "quick".to_owned(),
            at_ms: 7,
            process: Process::default(),
            stores: vec!["/p".into()],
            undoes: None,
            steps: Vec::new(),
        };
        vec![
            Record::Begin(begin),
            Record::Found(Found { step: 0, kept_as: "found-0".to_owned() }),
            Record::Commit { receipt: serde_json::json!({"a": 1}) },
        ]
    }

    fn lines(records: &[Record]) -> Vec<u8> {
        records.iter().flat_map(Record::line).collect()
    }

    #[test]
    fn a_journal_that_is_cut_anywhere_says_what_its_whole_lines_say() {
        let all = lines(&records());
        let ends: Vec<usize> = (1..=3).map(|n| lines(&records()[..n]).len()).collect();
        let more = Record::Found(Found { step: 1, kept_as: "found-1".to_owned() });
        for cut in 0..=all.len() {
            let read = Journal::read(&all[..cut]).unwrap();
            assert_eq!(read.begin.is_some(), cut + 1 >= ends[0], "{cut}");
            assert_eq!(read.found.len(), usize::from(cut + 1 >= ends[1]), "{cut}");
            assert_eq!(read.end.is_some(), cut + 1 >= ends[2], "{cut}");
            if read.begin.is_some() {
                let mut longer = all[..cut].to_vec();
                longer.extend(more.line());
                let longer = Journal::read(&longer).unwrap();
                assert_eq!(longer.found.len(), read.found.len() + 1, "{cut}");
                assert_eq!(longer.end, read.end, "{cut}");
            }
        }
    }

    #[test]
    fn a_byte_that_changed_is_never_read() {
        let all = lines(&records());
        let whole = Journal::read(&all).unwrap();
        for at in (0..all.len()).filter(|at| all[*at] != b'\n') {
            let mut torn = all.clone();
            torn[at] ^= 1;
            assert_ne!(Journal::read(&torn), Ok(whole.clone()), "{at}");
        }
    }

    #[test]
    fn what_a_newer_version_wrote_is_left_alone() {
        let mut newer = records();
        let Record::Begin(begin) = &mut newer[0] else { panic!() };
        begin.version = VERSION + 1;
        assert_eq!(Journal::read(&lines(&newer)), Err(Damage::Newer));
        let json = r#"{"record":"paint"}"#;
        let mut unknown = lines(&records()[..1]);
        unknown.extend(format!("{} {json}\n", check(json.as_bytes())).bytes());
        assert_eq!(Journal::read(&unknown), Err(Damage::Newer));
    }
}
