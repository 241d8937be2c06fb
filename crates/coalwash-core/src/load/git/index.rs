//! Git's index: which files it has.
//!
//! Source: git's documentation, *index-format*.

use rustc_hash::FxHashSet;

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Returns the names in an index that `keep` asks for.
pub(super) fn names(
    bytes: &[u8],
    keep: impl Fn(&[u8]) -> bool,
) -> Result<FxHashSet<String>, &'static str> {
    const CUT: &str = "the git index ends too early";
    if bytes.get(..4) != Some(b"DIRC") {
        return Err("the git index has an unknown format");
    }
    let version = be32(bytes, 4).ok_or(CUT)?;
    if !(2..=4).contains(&version) {
        return Err("the git index has an unknown version");
    }
    let count = be32(bytes, 8).ok_or(CUT)?;
    let mut names = FxHashSet::default();
    let mut name: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        // SHA-1 names: 40 bytes of stat data, 20 of hash, 2 of flags.
        let start = at;
        let flags = bytes.get(at + 60..at + 62).ok_or(CUT)?;
        at += if version >= 3 && flags[0] & 0x40 != 0 { 64 } else { 62 };
        if version == 4 {
            let (strip, used) = varint(bytes.get(at..).ok_or(CUT)?).ok_or(CUT)?;
            at += used;
            let kept = name.len().checked_sub(strip).ok_or("the git index is damaged")?;
            name.truncate(kept);
        } else {
            name.clear();
        }
        let rest = bytes.get(at..).ok_or(CUT)?;
        let len = memchr::memchr(0, rest).ok_or(CUT)?;
        name.extend_from_slice(&rest[..len]);
        at += len;
        at = if version == 4 { at + 1 } else { start + ((at - start) / 8 + 1) * 8 };
        if keep(&name)
            && let Ok(text) = std::str::from_utf8(&name)
        {
            names.insert(text.to_owned());
        }
    }
    // Extensions; `link` says that more names are in a second file.
    while at + 28 <= bytes.len() {
        if &bytes[at..at + 4] == b"link" {
            return Err("the git index is split over two files");
        }
        at += 8 + be32(bytes, at + 4).ok_or(CUT)? as usize;
    }
    Ok(names)
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

    fn entry(version: u32, strip: u8, name: &[u8]) -> Vec<u8> {
        let mut e = vec![0; 62];
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
        let v2 = index(2, &[entry(2, 0, b"CLAUDE.md"), entry(2, 0, b"src/main.rs")], b"");
        let t = Tracked::from_index(&v2, |n| n.ends_with(b".md"));
        assert_eq!(t.has("CLAUDE.md"), Some(true));
        assert_eq!(t.has("src/main.rs"), Some(false), "not asked for");
        let v4 = index(4, &[entry(4, 0, b"src/a.md"), entry(4, 4, b"b.md")], b"");
        assert_eq!(Tracked::from_index(&v4, |_| true).has("src/b.md"), Some(true));
    }

    #[test]
    fn an_index_that_cannot_be_read_is_unknown_not_empty() {
        let v2 = index(2, &[entry(2, 0, b"CLAUDE.md")], b"link\0\0\0\0");
        for bytes in [&v2[..], &v2[..40], b"", b"DIRC\0\0\0\x09\0\0\0\0"] {
            assert_eq!(Tracked::from_index(bytes, |_| true).has("CLAUDE.md"), None);
        }
    }
}
