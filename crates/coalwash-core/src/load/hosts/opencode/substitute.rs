//! What `{env:NAME}` and `{file:PATH}` in the text of OpenCode's settings stand for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::files::lossy;
use crate::load::tree::{Tree, resolved};

/// Puts in what the marks stand for, before the text is read as JSON.
///
/// A variable is put in as it is, nothing for one that isn't set; a file trimmed and escaped for a
/// text of JSON. A path is relative to `folder`. A line that begins with `//` keeps
/// the mark of a file.
///
/// # Errors
/// The path of a file that can't be read; the host doesn't start then.
pub(super) fn marks(
    text: &str,
    folder: &Utf8Path,
    variables: &BTreeMap<String, String>,
    home: &Utf8Path,
    tree: &dyn Tree,
) -> Result<String, Utf8PathBuf> {
    let text = self::variables(text, variables);
    let text = replaced(&text, "{file:", |path, line| {
        if line.trim_start().starts_with("//") {
            return Ok(None);
        }
        let path = match path.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => resolved(folder, path),
        };
        let bytes = tree.read(&path).map_err(|_| path.clone())?;
        let quoted = serde_json::Value::from(lossy(&bytes).trim()).to_string();
        Ok(Some(quoted[1..quoted.len() - 1].to_owned()))
    })?;
    Ok(text.into_owned())
}

/// Puts in what `{env:NAME}` stands for.
fn variables<'a>(text: &'a str, variables: &BTreeMap<String, String>) -> Cow<'a, str> {
    let value = |name: &str| variables.get(name).cloned().unwrap_or_default();
    replaced(text, "{env:", |name, _| Ok(Some(value(name)))).unwrap_or(Cow::Borrowed(text))
}

/// Replaces `{mark…}`: `by` gets what stands in it and the line so far, and keeps it with `None`.
fn replaced<'a>(
    text: &'a str,
    mark: &str,
    by: impl Fn(&str, &str) -> Result<Option<String>, Utf8PathBuf>,
) -> Result<Cow<'a, str>, Utf8PathBuf> {
    if !text.contains(mark) {
        return Ok(Cow::Borrowed(text));
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(mark) {
        out.push_str(before);
        // The host looks for a mark with something in it.
        let Some((inside, behind)) = after.split_once('}').filter(|(it, _)| !it.is_empty()) else {
            out.push_str(mark);
            rest = after;
            continue;
        };
        let at = text.len() - after.len();
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        match by(inside, line)? {
            Some(value) => out.push_str(&value),
            None => {
                out.push_str(mark);
                out.push_str(inside);
                out.push('}');
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::MemTree;

    fn put(text: &str) -> Result<String, Utf8PathBuf> {
        let mut tree = MemTree::default();
        tree.file("/c/name", "a \"b\"\n");
        tree.file("/home/n", "own");
        let variables = [("X".to_owned(), "x".to_owned())].into();
        marks(text, Utf8Path::new("/c"), &variables, Utf8Path::new("/home"), &tree)
    }

    #[test]
    fn marks_stand_for_variables_and_files() {
        for (text, expected) in [
            ("plain", "plain"),
            ("{env:X}/{env:NOT}!", "x/!"),
            ("{env:X", "{env:X"),
            ("{env:}{env:X}", "{env:}x"),
            ("\"{file:name}\"", "\"a \\\"b\\\"\""),
            ("{file:./name}{file:~/n}", "a \\\"b\\\"own"),
            ("  // {file:missing}\n{file:/home/n}", "  // {file:missing}\nown"),
        ] {
            assert_eq!(put(text).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(put("{file:missing}"), Err("/c/missing".into()));
    }
}
