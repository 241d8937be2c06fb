//! The index of a bin.

use serde_json::{Map, Value};

use super::{is_bare, whole};

/// A bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bin {
    /// What code cut.
    FatBin,
    /// What a person or an agent cut.
    StoreOld,
}

impl Bin {
    /// Both, in the order in which an id is looked for.
    pub const ALL: [Self; 2] = [Self::FatBin, Self::StoreOld];

    /// Returns the name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::FatBin => "fat-bin",
            Self::StoreOld => "store.old",
        }
    }

    /// Returns how many days it keeps things.
    pub fn horizon_days(self) -> u32 {
        match self {
            Self::FatBin => 30,
            Self::StoreOld => 60,
        }
    }
}

/// Files of a bin that are no items.
const OWN: [&str; 5] = ["index.json", "index.json.tmp", "death.log", ".bin.lock", ".gitignore"];

/// One thing in a bin, as the index has it.
#[derive(Clone, Debug, PartialEq)]
pub struct BinEntry {
    /// Its name in the bin.
    pub id: String,
    /// When it was cut, in milliseconds since 1970; `None` where that is no whole number.
    pub at_ms: Option<i64>,
    /// The path it was cut from, as someone claims.
    pub original: Option<String>,
    /// All of the record, as it stands there.
    pub record: Map<String, Value>,
}

/// An index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// What it lists, each id once.
    pub entries: Vec<BinEntry>,
    /// Lines of it that mean nothing, or whose id leads elsewhere.
    pub left_out: usize,
}

/// Reads `index.json`.
///
/// # Errors
/// Why it isn't one. The items may be there all the same: see [`id_time_ms`].
pub fn index(bytes: &[u8]) -> Result<Index, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let Value::Array(list) = value else { return Err("it is no list".to_owned()) };
    let mut out = Index::default();
    let mut seen = std::collections::BTreeSet::new();
    for value in list {
        match entry(value).filter(|entry| seen.insert(entry.id.clone())) {
            Some(entry) => out.entries.push(entry),
            None => out.left_out += 1,
        }
    }
    Ok(out)
}

fn entry(value: Value) -> Option<BinEntry> {
    let Value::Object(record) = value else { return None };
    let text = |key: &str| record.get(key).and_then(Value::as_str).map(str::to_owned);
    let id = text("id").filter(|id| is_bare(id) && !OWN.contains(&&**id))?;
    Some(BinEntry { id, at_ms: whole(record.get("at")), original: text("original"), record })
}

/// Returns the time in the name of an item, or `None` for what is not named as items are: the
/// milliseconds, a hyphen, and one to six digits of base 36.
pub fn id_time_ms(name: &str) -> Option<i64> {
    let (time, rest) = name.split_once('-')?;
    let digits = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
    let base36 = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    let named = digits && (1..=6).contains(&rest.len()) && rest.bytes().all(base36);
    named.then(|| time.parse().ok())?
}
