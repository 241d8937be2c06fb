//! Git's index: which files it has.
//!
//! Source: git's documentation, *index-format*.

use rustc_hash::FxHashSet;

/// The name of an object: SHA-1 or SHA-256, as the repository has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId {
    len: usize,
    bytes: [u8; 32],
}

impl ObjectId {
    /// Makes one of 20 or 32 bytes.
    pub fn new(id: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        if !matches!(id.len(), 20 | 32) {
            return None;
        }
        bytes[..id.len()].copy_from_slice(id);
        Some(Self { len: id.len(), bytes })
    }

    /// Reads the digits that git writes.
    pub fn of_hex(hex: &[u8]) -> Option<Self> {
        let digit = |c: u8| char::from(c).to_digit(16).and_then(|n| u8::try_from(n).ok());
        let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
        if !hex.len().is_multiple_of(2) {
            return None;
        }
        Self::new(&hex.chunks_exact(2).map(pair).collect::<Option<Vec<u8>>>()?)
    }

    /// Returns its bytes: 20 of SHA-1, 32 of SHA-256.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// One line of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry<'a> {
    /// The path from the root.
    pub name: &'a [u8],
    /// What it is, as trees have it: `0o100644` and the like.
    pub mode: u32,
    /// The object.
    pub id: ObjectId,
    /// Whether it is a plain line: no side of a conflict, and not one that was only announced.
    pub is_plain: bool,
}

const CUT: &str = "the git index ends too early";
const DAMAGED: &str = "the git index is damaged";
/// Bytes of stat data in front of an entry's object name.
const STAT: usize = 40;
/// Of the first two bytes of flags: more follow; the stage; the length of the name.
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const NAME_LENGTH: u16 = 0x0fff;
/// Of the second two: `git add --intent-to-add`.
const ANNOUNCED: u16 = 0x2000;

/// Hands every entry of an index to `each`, in the order of their names.
///
/// Versions 2 to 4 are read, with object names of either kind: an index doesn't say which it has,
/// and read with the other one no entry has the length that it says. Entries may have been handed
/// out before an error is found.
///
/// # Errors
/// Says why it can't be read: another version, damaged, or split over two files.
pub fn index_entries(
    bytes: &[u8],
    mut each: impl FnMut(IndexEntry<'_>),
) -> Result<(), &'static str> {
    let hash = match read(bytes, 20, &mut |_| {}) {
        Ok(()) => 20,
        Err(why) => read(bytes, 32, &mut |_| {}).map(|()| 32).map_err(|_| why)?,
    };
    read(bytes, hash, &mut each)
}

/// Returns the names in an index that `keep` asks for.
pub(super) fn names(
    bytes: &[u8],
    keep: impl Fn(&[u8]) -> bool,
) -> Result<FxHashSet<String>, &'static str> {
    let collect = |hash| {
        let mut names = FxHashSet::default();
        read(bytes, hash, &mut |entry| {
            if keep(entry.name)
                && let Ok(text) = std::str::from_utf8(entry.name)
            {
                names.insert(text.to_owned());
            }
        })
        .map(|()| names)
    };
    collect(20).or_else(|why| collect(32).map_err(|_| why))
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn read(
    bytes: &[u8],
    hash: usize,
    each: &mut dyn FnMut(IndexEntry<'_>),
) -> Result<(), &'static str> {
    if bytes.get(..4) != Some(b"DIRC") {
        return Err("the git index has an unknown format");
    }
    let version = be32(bytes, 4).ok_or(CUT)?;
    if !(2..=4).contains(&version) {
        return Err("the git index has an unknown version");
    }
    let count = be32(bytes, 8).ok_or(CUT)?;
    let mut name: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        let start = at;
        let mode = be32(bytes, at + 24).ok_or(CUT)?;
        at += STAT + hash;
        let id = bytes.get(at - hash..at).and_then(ObjectId::new).ok_or(CUT)?;
        let flags = be16(bytes, at).ok_or(CUT)?;
        at += 2;
        let mut more = 0;
        if version >= 3 && flags & EXTENDED != 0 {
            more = be16(bytes, at).ok_or(CUT)?;
            at += 2;
        }
        if version == 4 {
            let (strip, used) = varint(bytes.get(at..).ok_or(CUT)?).ok_or(CUT)?;
            at += used;
            let kept = name.len().checked_sub(strip).ok_or(DAMAGED)?;
            name.truncate(kept);
        } else {
            name.clear();
        }
        let rest = bytes.get(at..).ok_or(CUT)?;
        let len = memchr::memchr(0, rest).ok_or(CUT)?;
        name.extend_from_slice(&rest[..len]);
        if usize::from(flags & NAME_LENGTH) != name.len().min(usize::from(NAME_LENGTH)) {
            return Err(DAMAGED);
        }
        at += len;
        at = if version == 4 { at + 1 } else { start + ((at - start) / 8 + 1) * 8 };
        let is_plain = flags & STAGE == 0 && more & ANNOUNCED == 0;
        each(IndexEntry { name: &name, mode, id, is_plain });
    }
    // Extensions, up to the sum at the end; `link` says that more names are in a second file.
    while at + 8 + hash <= bytes.len() {
        if &bytes[at..at + 4] == b"link" {
            return Err("the git index is split over two files");
        }
        at += 8 + be32(bytes, at + 4).ok_or(CUT)? as usize;
    }
    Ok(())
}

/// Reads git's variable-width number.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut used = 1;
    while bytes[used - 1] & 0x80 != 0 {
        let next = usize::from(bytes.get(used)? & 0x7f);
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(next)?;
        used += 1;
    }
    Some((value, used))
}

#[cfg(test)]
mod tests {
    use super::super::Tracked;
    use super::*;

    fn entry(version: u32, strip: u8, name: &[u8], length: usize) -> Vec<u8> {
        entry_of(&[7; 20], version, strip, name, length)
    }

    fn entry_of(id: &[u8], version: u32, strip: u8, name: &[u8], length: usize) -> Vec<u8> {
        let mut e = vec![0; 40];
        e[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
        e.extend_from_slice(id);
        e.extend(u16::try_from(length).unwrap().to_be_bytes());
        if version == 4 {
            e.push(strip);
            e.extend_from_slice(name);
            e.push(0);
        } else {
            e.extend_from_slice(name);
            e.resize((e.len() / 8 + 1) * 8, 0);
        }
        e
    }

    fn index(version: u32, entries: &[Vec<u8>], extension: &[u8]) -> Vec<u8> {
        let mut out = b"DIRC".to_vec();
        out.extend(version.to_be_bytes());
        out.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        out.extend(entries.concat());
        out.extend(extension);
        out.extend([0; 20]);
        out
    }

    #[test]
    fn names_of_all_index_versions_are_read() {
        let v2 = index(2, &[entry(2, 0, b"CLAUDE.md", 9), entry(2, 0, b"src/main.rs", 11)], b"");
        let t = Tracked::from_index(&v2, |n| n.ends_with(b".md"));
        assert_eq!(t.has("CLAUDE.md"), Some(true));
        assert_eq!(t.has("src/main.rs"), Some(false), "not asked for");
        let v4 = index(4, &[entry(4, 0, b"src/a.md", 8), entry(4, 4, b"b.md", 8)], b"");
        assert_eq!(Tracked::from_index(&v4, |_| true).has("src/b.md"), Some(true));
    }

    #[test]
    fn an_index_that_cannot_be_read_is_unknown_not_empty() {
        let v2 = index(2, &[entry(2, 0, b"CLAUDE.md", 9)], b"link\0\0\0\0");
        for bytes in [&v2[..], &v2[..40], b"", b"DIRC\0\0\0\x09\0\0\0\0"] {
            assert_eq!(Tracked::from_index(bytes, |_| true).has("CLAUDE.md"), None);
        }
    }

    #[test]
    fn an_entry_has_its_mode_its_object_and_what_is_odd_about_it() {
        let mut conflict = entry(2, 0, b"a.md", 4 | 0x2000);
        conflict[24..28].copy_from_slice(&0o120_000_u32.to_be_bytes());
        let mut announced = entry(3, 0, b"\x20\x00b.md", 4 | 0x4000);
        announced.truncate(72);
        let long = vec![b'n'; 5_000];
        let entries = [conflict, announced, entry(3, 0, &long, 0xfff)];
        let mut out = Vec::new();
        index_entries(&index(3, &entries, b""), |it| {
            out.push((it.name.len(), it.mode, it.id.to_string(), it.is_plain));
        })
        .unwrap();
        let id = "07".repeat(20);
        assert_eq!(
            out,
            [
                (4, 0o120_000, id.clone(), false),
                (4, 0o100_644, id.clone(), false),
                (5_000, 0o100_644, id, true),
            ]
        );
    }

    #[test]
    fn an_index_with_names_of_sha_256_is_read() {
        for version in [2, 4] {
            let entries: Vec<_> = [&b"CLAUDE.md"[..], b"docs/a.md", b"z"]
                .into_iter()
                .map(|name| {
                    entry_of(
                        &[0xab; 32],
                        version,
                        u8::try_from(name.len()).unwrap(),
                        name,
                        name.len(),
                    )
                })
                .collect();
            // In version 4 each name takes away what the one before it had.
            let mut entries = entries;
            if version == 4 {
                entries[0][74] = 0;
                entries[1][74] = 9;
                entries[2][74] = 9;
            }
            let mut bytes = index(version, &entries, b"TREE\0\0\0\x02xx");
            bytes.extend([0; 12]);
            let mut out = Vec::new();
            index_entries(&bytes, |it| out.push((it.name.to_vec(), it.id))).unwrap();
            let names: Vec<_> = out.iter().map(|(name, _)| name.as_slice()).collect();
            assert_eq!(names, [&b"CLAUDE.md"[..], b"docs/a.md", b"z"]);
            assert_eq!(out[2].1, ObjectId::of_hex("ab".repeat(32).as_bytes()).unwrap());
            assert_eq!(Tracked::from_index(&bytes, |_| true).has("docs/a.md"), Some(true));
        }
    }

    #[test]
    fn what_is_no_name_of_an_object_is_none() {
        for hex in ["", "07", "0", &"0g".repeat(20), &"ab".repeat(21)] {
            assert_eq!(ObjectId::of_hex(hex.as_bytes()), None, "{hex}");
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let good = index(2, &[entry(2, 0, b"CLAUDE.md", 9), entry(2, 0, b"src/a.md", 8)], b"");
        for at in 0..good.len() {
            for byte in [0, 4, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = byte;
                let mut count = 0;
                let whole = index_entries(&bytes, |_| count += 1).is_ok();
                assert!(!whole || count <= 2, "{at} {byte}");
                assert!(index_entries(&bytes[..at], |_| {}).is_err() || at >= 12, "{at}");
            }
        }
    }
}
