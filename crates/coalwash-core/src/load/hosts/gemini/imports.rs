//! Imports in the text of Gemini CLI's files.
//!
//! An import is `@` behind white space, and all up to the next white space. Code between backticks is
//! left alone; nothing else is. Source: 256 texts that the real client was given, in
//! `fixtures/gemini-cli/imports.json`.

use camino::{Utf8Path, Utf8PathBuf};

use super::super::files::lossy;
use crate::load::map::{Origin, SkipReason};
use crate::load::tree::{Node, Tree, Unreadable, resolved};
use crate::text::lines::{js_trim, line_of};

/// Levels below the first file in which imports are followed.
const MOST_LEVELS: usize = 5;
/// Bytes that one file may grow to; imports that fan out would grow without end.
const MOST_BYTES: usize = 64 << 20;

/// Bytes of the longest path that Linux takes, its end included.
const MOST_PATH: usize = 4_096;

/// An import that brought nothing in.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) written: String,
    pub(super) from: Origin,
    pub(super) reason: SkipReason,
    pub(super) fix: String,
}

/// Puts the files that a text imports in their places.
pub(super) struct Reader<'a> {
    tree: &'a dyn Tree,
    /// The folder that imports may not leave.
    base: Utf8PathBuf,
    pub(super) failed: Vec<Failed>,
    /// How many files were put in.
    pub(super) inlined: usize,
    /// Whether it grew too large.
    pub(super) too_large: bool,
    bytes: usize,
}

/// Why an import brings nothing in: what the host writes, and why.
struct Refused {
    message: String,
    reason: SkipReason,
}

impl<'a> Reader<'a> {
    pub(super) fn new(tree: &'a dyn Tree, base: &Utf8Path) -> Self {
        let base = tree.real(base).map_or_else(|_| base.to_owned(), |real| real.path);
        Self { tree, base, failed: Vec::new(), inlined: 0, too_large: false, bytes: 0 }
    }

    /// Returns the text with every import in its place.
    pub(super) fn whole(&mut self, path: &Utf8Path, text: &str) -> String {
        self.put_in(path, text, &mut Vec::new(), 0)
    }

    fn put_in(
        &mut self,
        path: &Utf8Path,
        text: &str,
        above: &mut Vec<Utf8PathBuf>,
        level: usize,
    ) -> String {
        if level >= MOST_LEVELS {
            for (at, end) in found(text) {
                let from = Origin { path: path.to_owned(), line: line_of(text, at) };
                let written = text[at..end].to_owned();
                let fix = "import it from a file that is fewer hops away".to_owned();
                let reason = SkipReason::ImportTooDeep;
                self.failed.push(Failed { written, from, reason, fix });
            }
            return text.to_owned();
        }
        let folder = path.parent().unwrap_or(path).to_owned();
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (at, end) in found(text) {
            out.push_str(&text[done..at]);
            done = end;
            let written = &text[at + 1..end];
            let target = resolved(&folder, written);
            let refused = match self.target(&folder, written) {
                Err(refused) => Some(refused),
                Ok(_) if above.contains(&target) => {
                    out.push_str(&format!("<!-- File already processed: {written} -->"));
                    continue;
                }
                Ok(real) => match self.tree.read(&real) {
                    Ok(bytes) => {
                        let inner = lossy(&bytes);
                        self.bytes += inner.len();
                        if self.bytes > MOST_BYTES {
                            self.too_large = true;
                            return out;
                        }
                        self.inlined += 1;
                        above.push(target.clone());
                        let inner = self.put_in(&target, &inner, above, level + 1);
                        above.pop();
                        out.push_str(&format!(
                            "<!-- Imported from: {written} -->\n{inner}\n<!-- End of import from: {written} -->"
                        ));
                        None
                    }
                    Err(why) => Some(self.unread(&why, &target)),
                },
            };
            if let Some(Refused { message, reason }) = refused {
                out.push_str(&format!("<!-- Import failed: {written} - {message} -->"));
                let from = Origin { path: path.to_owned(), line: line_of(text, at) };
                let (reason, fix) = self.fix(&folder, written, reason);
                let written = format!("@{written}");
                self.failed.push(Failed { written, from, reason, fix });
            }
        }
        out.push_str(&text[done..]);
        out
    }

    /// Returns the file that an import names, or why none is put in.
    fn target(&self, folder: &Utf8Path, written: &str) -> Result<Utf8PathBuf, Refused> {
        let outside = || Refused {
            message: "Path traversal attempt".to_owned(),
            reason: SkipReason::ImportOutside,
        };
        if ["file://", "http://", "https://"].iter().any(|scheme| written.starts_with(scheme))
            || written.contains('\0')
            || decoded(written).contains('\0')
        {
            return Err(outside());
        }
        let target = resolved(folder, written);
        let checked = resolved(folder, &decoded(written));
        // What is missing counts by the folder that would hold it.
        let mut at = checked.as_path();
        let mut tail: Vec<&str> = Vec::new();
        let real = loop {
            match self.tree.real(at) {
                Ok(real) => {
                    break tail.iter().rev().fold(real.path, |path, name| path.join(name));
                }
                Err(Unreadable::Missing) => {
                    if self.tree.node(at) == Ok(Node::Link) {
                        break at.to_owned();
                    }
                    tail.push(at.file_name().unwrap_or_default());
                    match at.parent() {
                        Some(above) => at = above,
                        None => return Err(outside()),
                    }
                }
                Err(_) => return Err(outside()),
            }
        };
        if !real.starts_with(&self.base) {
            return Err(outside());
        }
        let real = match self.tree.real(&target) {
            Ok(real) => real,
            Err(why) => return Err(self.unread(&why, &target)),
        };
        match real.node {
            Node::Folder => Err(self.unread(&Unreadable::Folder, &target)),
            _ => Ok(real.path),
        }
    }

    /// Returns what the host writes of a file that can't be read.
    fn unread(&self, why: &Unreadable, target: &Utf8Path) -> Refused {
        let (message, reason) = match why {
            Unreadable::Folder => (
                "EISDIR: illegal operation on a directory, read".to_owned(),
                SkipReason::ImportFolder,
            ),
            Unreadable::Denied => {
                (format!("EACCES: permission denied, open '{target}'"), SkipReason::Denied)
            }
            Unreadable::Loop | Unreadable::Outside => {
                ("Path traversal attempt".to_owned(), SkipReason::ImportOutside)
            }
            _ => {
                let long =
                    target.as_str().len() >= MOST_PATH || target.iter().any(|n| n.len() > 255);
                let above = target.ancestors().skip(1).find_map(|at| self.tree.real(at).ok());
                let what = match above.map(|real| real.node) {
                    _ if long => "ENAMETOOLONG: name too long",
                    Some(Node::File) => "ENOTDIR: not a directory",
                    _ => "ENOENT: no such file or directory",
                };
                (format!("{what}, access '{target}'"), SkipReason::ImportMissing)
            }
        };
        Refused { message, reason }
    }

    /// Returns what to do about an import that brings nothing in, and why in our words.
    fn fix(&self, folder: &Utf8Path, written: &str, reason: SkipReason) -> (SkipReason, String) {
        let shorter = written.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let is_file = |path: &Utf8Path| self.tree.real(path).is_ok_and(|r| r.node == Node::File);
        if shorter.len() < written.len() && is_file(&resolved(folder, shorter)) {
            return (SkipReason::ImportPunctuation, format!("write `@{shorter}`"));
        }
        let fix = match reason {
            SkipReason::ImportOutside => "move it in",
            SkipReason::ImportFolder => "name one file in it",
            SkipReason::Denied => "make it readable",
            _ => "correct it, or put it in backticks",
        };
        (reason, fix.to_owned())
    }

    /// Returns the text and all that it imports one after another, as the setting `flat` asks for.
    pub(super) fn flat(&mut self, path: &Utf8Path, text: &str) -> String {
        let mut files = Vec::new();
        // The first is named by its folder.
        let shown = path.parent().unwrap_or(path).to_owned();
        let mut seen = vec![shown.clone()];
        self.gather(shown, path.parent().unwrap_or(path), text, &mut seen, &mut files);
        let parts = files.iter().map(|(path, text)| {
            format!("--- File: {path} ---\n{}\n--- End of File: {path} ---", js_trim(text))
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }

    fn gather(
        &mut self,
        shown: Utf8PathBuf,
        folder: &Utf8Path,
        text: &str,
        seen: &mut Vec<Utf8PathBuf>,
        files: &mut Vec<(Utf8PathBuf, String)>,
    ) {
        files.push((shown, text.to_owned()));
        for (at, end) in found(text).into_iter().rev() {
            let written = &text[at + 1..end];
            let target = resolved(folder, written);
            if seen.contains(&target) {
                continue;
            }
            let Ok(real) = self.target(folder, written) else { continue };
            let Ok(bytes) = self.tree.read(&real) else { continue };
            self.bytes += bytes.len();
            if self.bytes > MOST_BYTES {
                self.too_large = true;
                return;
            }
            seen.push(target.clone());
            self.inlined += 1;
            let folder = target.parent().unwrap_or(&target).to_owned();
            self.gather(target, &folder, &lossy(&bytes), seen, files);
        }
    }
}

/// Returns the places of all imports: from the `@` to the end of the path.
fn found(text: &str) -> Vec<(usize, usize)> {
    let is_space = |c: u8| matches!(c, b' ' | b'\t' | b'\n' | b'\r');
    let bytes = text.as_bytes();
    let code = code(bytes);
    let mut code = code.iter().peekable();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'@', &bytes[at..]) {
        at += step;
        while code.next_if(|region| region.1 <= at).is_some() {}
        let inside = code.peek().is_some_and(|region| region.0 <= at);
        let begins = at == 0 || is_space(bytes[at - 1]);
        let first = bytes.get(at + 1).copied().unwrap_or(b' ');
        let named = matches!(first, b'.' | b'/') || first.is_ascii_alphabetic();
        if inside || !begins || !named {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(|c| is_space(*c)).map_or(bytes.len(), |n| at + n);
        out.push((at, end));
        at = end;
    }
    out
}

/// Returns the regions between equal runs of backticks, from left to right.
///
/// A run that finds no equal one behind it is tried with one tick less, and so on.
fn code(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'`', &bytes[at..]) {
        let start = at + step;
        let len = bytes[start..].iter().take_while(|b| **b == b'`').count();
        runs.push((start, len));
        at = start + len;
    }
    // The longest run from each one on.
    let mut longest = vec![0; runs.len() + 1];
    for i in (0..runs.len()).rev() {
        longest[i] = longest[i + 1].max(runs[i].1);
    }
    let mut out = Vec::new();
    let mut i = 0;
    while i < runs.len() {
        let (start, len) = runs[i];
        let ticks = len.min(longest[i + 1]).max(len / 2);
        if ticks == 0 {
            i += 1;
            continue;
        }
        if 2 * ticks <= len {
            out.push((start, start + 2 * ticks));
            runs[i] = (start + 2 * ticks, len - 2 * ticks);
        } else {
            let mut end = i + 1;
            while runs[end].1 < ticks {
                end += 1;
            }
            out.push((start, runs[end].0 + ticks));
            runs[end] = (runs[end].0 + ticks, runs[end].1 - ticks);
            i = end;
        }
        if runs[i].1 == 0 {
            i += 1;
        }
    }
    out
}

/// Decodes `%41` and the like, if all of it can be decoded.
fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'%' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        let digits = text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let Some(byte) = digits else { return text.to_owned() };
        out.push(byte);
        at += 3;
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_as_the_host_finds_it() {
        let of = |text: &str| code(text.as_bytes());
        assert_eq!(of("a `b` c"), [(2, 5)]);
        assert_eq!(of("```\n@x\n```"), [(0, 10)]);
        assert_eq!(of("``` a `"), [(0, 2), (2, 7)], "an open fence pairs its own ticks first");
        assert_eq!(of("`a"), []);
        assert_eq!(of("``a`b``"), [(0, 7)]);
        assert_eq!(of("```a``"), [(0, 6)]);
    }
}
