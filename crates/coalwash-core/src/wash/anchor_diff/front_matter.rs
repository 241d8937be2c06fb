//! The keys of a front matter, read as the Node engine read them.

use crate::text::lines::{is_js_space, js_trim, utf16_prefix};

/// Returns the keys of the top level; none where the block can't be told for certain.
pub(super) fn keys(text: &str) -> Vec<&str> {
    block(text).map(top_keys).unwrap_or_default()
}

/// Returns what stands between the two fences.
fn block(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if utf16_prefix(text, 64).contains(['\0', '\u{fffd}']) || text.starts_with('\u{feff}') {
        return None;
    }
    let rest = text.strip_prefix("---")?;
    let end = rest.find('\n')?;
    let tail = rest[..end].strip_suffix('\r').unwrap_or(&rest[..end]);
    if !is_blank(tail) {
        return None;
    }
    let block = &rest[end + 1..];
    let mut start = 0;
    for line in block.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let bare =
            if bare.len() < line.len() { bare.strip_suffix('\r').unwrap_or(bare) } else { bare };
        if bare.strip_prefix("---").is_some_and(is_blank) {
            return Some(&block[..start]);
        }
        start += line.len();
    }
    None
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

fn top_keys(block: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut root = None;
    for line in block.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
        let start = line.len() - line.trim_start_matches([' ', '\t']).len();
        let (indent, rest) = line.split_at(start);
        if js_trim(line).is_empty() || indent.contains('\t') || rest.starts_with('#') {
            continue;
        }
        let root = *root.get_or_insert(indent.len());
        if indent.len() > root || rest == "-" || rest.starts_with("- ") || rest.starts_with("-\t") {
            continue;
        }
        if (indent.len() == root || indent.is_empty())
            && !rest.starts_with(|c: char| is_js_space(c) || matches!(c, ':' | '#' | '-'))
            && let Some(key) = key(rest)
        {
            out.push(key);
        }
    }
    out
}

/// Returns what stands before the first colon that ends a key.
fn key(line: &str) -> Option<&str> {
    let at = line
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| line[at + 1..].chars().next().is_none_or(is_js_space))?;
    Some(line[..at].trim_end_matches(is_js_space))
}
