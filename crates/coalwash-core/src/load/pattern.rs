//! Which files a list of patterns names, in the dialect of `.gitignore` that hosts use.
//!
//! The hosts match with a JavaScript library whose answers differ from git's in corners (case is
//! folded, `src/x.rs/**` matches nothing, a class may hold a slash). The answers of the real client
//! to 218 lists of patterns on 34 files are in `fixtures/claude-code/path-patterns.json`.
//!
//! Matching steps a set of states through the path, so its cost is the product of the two lengths
//! whatever the pattern.

/// A list of patterns; later ones win, and `!` takes back.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    negative: bool,
    steps: Vec<Step>,
    /// Whether it may begin behind any slash, not only at the start.
    floating: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// This character.
    Is(char),
    /// Any character but a slash, once.
    One,
    /// Any characters but a slash.
    Many,
    /// One of a class. Nothing negates it: the hosts read `!` and `^` as members.
    Class(Vec<(char, char)>),
    /// Nothing, or anything that ends in a slash.
    AnyFolders,
    /// Any number of `/name`.
    Folders,
    /// A slash and at least one character.
    Below,
    /// Any number of characters of a class.
    ManyOf(Vec<(char, char)>),
    /// Nothing can match.
    Never,
    /// The hosts' matcher cannot be made: nothing can match, and the older one fails.
    Broken,
    /// Anything, to the end.
    Rest,
}

impl Patterns {
    /// Reads patterns; empty ones, comments and ones that end in a backslash name nothing.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        Self { rules: patterns.into_iter().filter_map(Rule::new).collect() }
    }

    /// Returns whether the list names the file at `path`, relative and with `/` between names.
    ///
    /// A file below a named folder is named, whatever a later `!` says of it.
    pub fn matches(&self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|(at, _)| &path[..=at]);
        folders.chain([path]).any(|part| self.names(part))
    }

    fn names(&self, path: &str) -> bool {
        let mut named = false;
        for rule in &self.rules {
            if rule.negative == named && rule.matches(path) {
                named = !rule.negative;
            }
        }
        named
    }
}

impl Rule {
    fn new(pattern: &str) -> Option<Self> {
        if pattern.trim().is_empty() || pattern.starts_with('#') {
            return None;
        }
        let mut text = pattern;
        let negative = text.starts_with('!');
        if negative || text.starts_with("\\!") || text.starts_with("\\#") {
            text = &text[1..];
        }
        if text.ends_with('\\') && !text.ends_with("\\\\") {
            return None;
        }
        let text = trailing_spaces_off(text);
        let floating = !text.trim_end_matches('/').contains('/') || text.is_empty();
        Some(Self { negative, steps: steps(text), floating })
    }

    fn matches(&self, path: &str) -> bool {
        let starts = path.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(starts.filter(|_| self.floating));
        starts.filter(|at| *at < path.len()).any(|at| run(&self.steps, &path[at..], Case::Folded))
    }
}

fn trailing_spaces_off(text: &str) -> &str {
    let kept = text.trim_end();
    // `\ ` at the end keeps one space.
    if kept.ends_with('\\') && kept.len() < text.len() { &text[..=kept.len()] } else { kept }
}

/// Reads a pattern without its `!` and the space around it.
fn steps(text: &str) -> Vec<Step> {
    if text.is_empty() {
        return vec![Step::Rest];
    }
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    if chars.first() == Some(&'/') {
        at = 1;
    }
    if chars[at..].starts_with(&['*', '*', '/']) {
        out.push(Step::AnyFolders);
        at += 3;
    }
    while at < chars.len() {
        match chars[at] {
            '/' if chars[at + 1..].starts_with(&['*', '*'])
                && chars.get(at + 3).is_none_or(|c| *c == '/') =>
            {
                out.push(if at + 3 < chars.len() { Step::Folders } else { Step::Below });
                at += 3;
            }
            '*' => {
                let stars = chars[at..].iter().take_while(|c| **c == '*').count();
                let whole_name = matches!(out.last(), None | Some(Step::Is('/')));
                // A lone star as the last name asks for a name, not for the empty one.
                if at + stars == chars.len() && stars == 1 && whole_name && at > 0 {
                    out.push(Step::One);
                }
                out.push(Step::Many);
                at += stars;
            }
            '?' => {
                out.push(Step::One);
                at += 1;
            }
            '[' => {
                let (found, next) = ignoring_class(&chars, at);
                out.extend(found);
                at = next;
            }
            // Before a slash a backslash stands for itself.
            '\\' if chars.get(at + 1).is_some_and(|c| *c != '/') => {
                out.push(Step::Is(chars[at + 1]));
                at += 2;
            }
            c => {
                out.push(Step::Is(c));
                at += 1;
            }
        }
    }
    out
}

/// Reads a class at `at`, and returns its steps and where they end.
///
/// The hosts' matcher turns `*` and `?` into `[^/]*` and `[^/]` before it looks for classes. So a
/// class ends at the first of them as well as at `]`, and holds `[`, `^` and `/` then.
fn ignoring_class(chars: &[char], at: usize) -> (Vec<Step>, usize) {
    let mut end = at + 1;
    while end < chars.len() && !matches!(chars[end], ']' | '*' | '?') {
        end += if chars[end] == '\\' && end + 1 < chars.len() { 2 } else { 1 };
    }
    let inner = &chars[at + 1..end.min(chars.len())];
    let has_slash = inner.contains(&'/');
    let unclosed = vec![if has_slash { Step::Broken } else { Step::Never }];
    let widened = || {
        let mut ranges = ranges(inner);
        ranges.extend(['[', '^', '/'].map(|c| (c, c)));
        ranges
    };
    match chars.get(end) {
        Some('*') => {
            let stars = chars[end..].iter().take_while(|c| **c == '*').count();
            let behind = chars.get(end + stars);
            let after_slash = inner.last() == Some(&'/');
            if stars == 2 && after_slash && behind.is_none_or(|c| *c == '/') {
                return (vec![Step::Broken], chars.len());
            }
            match (stars, behind) {
                (1, None) if !has_slash => (unclosed, chars.len()),
                (1, None) if after_slash => {
                    (vec![Step::Class(widened()), Step::ManyOf(widened())], chars.len())
                }
                // A last star of several stands for itself.
                (_, None) => (vec![Step::ManyOf(widened())], end + stars.max(2) - 1),
                _ => (vec![Step::ManyOf(widened())], end + stars),
            }
        }
        Some('?') => (vec![Step::Class(widened())], end + 1),
        Some(_) => {
            let (step, next) = class(chars, at);
            (vec![step], next)
        }
        None => (unclosed, chars.len()),
    }
}

/// Reads a class at `at`, up to the first `]`; without one, or with a backslash before it, nothing
/// can match.
fn class(chars: &[char], at: usize) -> (Step, usize) {
    let Some(len) = chars[at..].iter().position(|c| *c == ']') else {
        return (Step::Never, chars.len());
    };
    let inner = &chars[at + 1..at + len];
    let next = at + len + 1;
    if inner.iter().rev().take_while(|c| **c == '\\').count() % 2 == 1 {
        return (Step::Never, next);
    }
    (Step::Class(ranges(inner)), next)
}

/// Reads what stands between the brackets of a class.
fn ranges(inner: &[char]) -> Vec<(char, char)> {
    let mut ranges = Vec::new();
    let mut rest = inner.iter().copied().filter(|c| *c != '\\').peekable();
    while let Some(low) = rest.next() {
        let mut ahead = rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(high)) => {
                ranges.push((low, high));
                rest = ahead;
            }
            _ => ranges.push((low, low)),
        }
    }
    ranges
}

/// Steps the set of reached states through `path`; a folder's final slash is optional.
fn run(steps: &[Step], path: &str, case: Case) -> bool {
    let chars: Vec<char> = path.chars().collect();
    let mut now = vec![false; steps.len() + 1];
    let mut next = now.clone();
    // `Folders` and `Below` are inside a name or between two.
    let mut inside = now.clone();
    let mut next_inside = now.clone();
    now[0] = true;
    for (i, c) in chars.iter().enumerate() {
        free_moves(steps, &mut now, i == 0 || chars[i - 1] == '/');
        if now[steps.len()] && *c == '/' && i + 1 == chars.len() {
            return true;
        }
        next.fill(false);
        next_inside.fill(false);
        for (s, step) in steps.iter().enumerate() {
            match step {
                Step::Is(want) => next[s + 1] |= now[s] && same(*want, *c, case),
                Step::One => next[s + 1] |= now[s] && *c != '/',
                Step::Many => next[s] |= now[s] && *c != '/',
                Step::Class(ranges) => next[s + 1] |= now[s] && in_class(ranges, *c, case),
                Step::ManyOf(ranges) => next[s] |= now[s] && in_class(ranges, *c, case),
                Step::AnyFolders => {
                    // Any text up to a slash; what follows begins behind it.
                    next_inside[s] |= now[s] || inside[s];
                    next[s + 1] |= (now[s] || inside[s]) && *c == '/';
                }
                Step::Folders => {
                    // `now`: a further `/name` may begin. `inside`: within a name.
                    if now[s] && *c == '/' {
                        next_inside[s] = true;
                    }
                    if inside[s] && *c != '/' {
                        next_inside[s] = true;
                        next[s] = true;
                    }
                }
                Step::Below => {
                    if now[s] && *c == '/' {
                        next_inside[s] = true;
                    }
                    if inside[s] {
                        next_inside[s] = true;
                        next[s + 1] = true;
                    }
                }
                Step::Rest => next[s] |= now[s],
                Step::Never | Step::Broken => {}
            }
        }
        std::mem::swap(&mut now, &mut next);
        std::mem::swap(&mut inside, &mut next_inside);
    }
    free_moves(steps, &mut now, false);
    now[steps.len()]
}

fn free_moves(steps: &[Step], now: &mut [bool], at_name: bool) {
    for (s, step) in steps.iter().enumerate() {
        let skip = match step {
            Step::Many | Step::ManyOf(_) | Step::Folders | Step::Rest => true,
            Step::AnyFolders => at_name,
            _ => false,
        };
        if skip && now[s] {
            now[s + 1] = true;
        }
    }
}

fn in_class(ranges: &[(char, char)], c: char, case: Case) -> bool {
    let within = |c: char| ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
    let lower = || c.to_lowercase().next().unwrap_or(c);
    within(c) || case == Case::Folded && (within(fold(c)) || within(lower()))
}

fn same(a: char, b: char, case: Case) -> bool {
    a == b || case == Case::Folded && fold(a) == fold(b)
}

/// Whether upper and lower case are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Exact,
    Folded,
}

/// Folds case as a JavaScript regular expression with the flag `i` does.
///
/// Source: ECMA-262, *Canonicalize*: upper case of one unit, never from outside ASCII into it.
fn fold(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(u), None) if c.is_ascii() || !u.is_ascii() => u,
        _ => c,
    }
}

/// Returns whether the glob of a setting names the absolute path.
///
/// Measured on the client: case counts, `*` and `?` stop at a slash, `**` crosses it only as a
/// whole name, a leading `!` turns the answer round, and a relative glob names nothing.
///
/// # Limitations
/// A group in a group and a group repeated more than three times aren't read;
/// [`glob_is_understood`] tells of the first.
pub fn glob_matches(glob: &str, path: &str) -> bool {
    if let Some(rest) = glob.strip_prefix('!').filter(|rest| !rest.starts_with('(')) {
        return !glob_matches(rest, path);
    }
    if let Some((before, mark, options, after)) = group(glob) {
        let with = |middle: &str| glob_matches(&format!("{before}{middle}{after}"), path);
        let once = format!("{{{options},}}");
        return match mark {
            '@' => with(&format!("{{{options},{options}}}")),
            '?' => with(&once),
            '*' => with(&once.repeat(3)),
            '+' => with(&format!("{{{options},{options}}}{}", once.repeat(2))),
            // No name that begins with one of the options, whatever follows.
            _ => with("*") && !with(&format!("{{{options},{options}}}*")),
        };
    }
    if glob.is_empty() {
        return false;
    }
    expanded(&glob.replace('\\', "/")).iter().any(|option| {
        let option = if option.starts_with('/') {
            super::tree::resolved(camino::Utf8Path::new("/"), option).into_string()
        } else {
            option.clone()
        };
        run(&glob_steps(&option), path, Case::Exact)
    })
}

/// Multiplies out the braces of a glob, which may be nested; a bomb names nothing.
pub(in crate::load) fn expanded(glob: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut todo = vec![glob.to_owned()];
    while let Some(text) = todo.pop() {
        // The innermost pair: the last opening one before the first closing one.
        let pair = text.find('}').and_then(|close| Some((text[..close].rfind('{')?, close)));
        match pair.filter(|(open, close)| text[*open..*close].contains(',')) {
            Some((open, close)) => todo.extend(
                text[open + 1..close]
                    .split(',')
                    .map(|option| format!("{}{option}{}", &text[..open], &text[close + 1..])),
            ),
            None => out.push(text),
        }
        if out.len() + todo.len() > MOST_PATTERNS {
            return Vec::new();
        }
    }
    out
}

/// Splits a glob at its first group such as `+(a|b)`: what is before, the mark, the options with
/// commas between them, and what is behind.
fn group(glob: &str) -> Option<(&str, char, String, &str)> {
    let open = ["+(", "@(", "!(", "?(", "*("].iter().filter_map(|open| glob.find(open)).min()?;
    let close = open + glob[open..].find(')')?;
    let mark = glob[open..].chars().next()?;
    let options = glob[open + 2..close].replace('|', ",");
    Some((&glob[..open], mark, options, &glob[close + 1..]))
}

/// Returns whether [`glob_matches`] reads everything in `glob`.
pub fn glob_is_understood(glob: &str) -> bool {
    group(glob)
        .is_none_or(|(_, _, options, after)| !options.contains('(') && glob_is_understood(after))
}

fn glob_steps(glob: &str) -> Vec<Step> {
    if glob == "**" {
        return vec![Step::Rest];
    }
    let chars: Vec<char> = glob.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    if chars.starts_with(&['*', '*', '/']) {
        out.push(Step::AnyFolders);
        at = 3;
    }
    while at < chars.len() {
        match chars[at] {
            '/' if chars[at + 1..].starts_with(&['*', '*'])
                && chars.get(at + 3).is_none_or(|c| *c == '/') =>
            {
                out.push(if at + 3 < chars.len() { Step::Folders } else { Step::Below });
                at += 3;
            }
            '*' => {
                out.push(Step::Many);
                at += 1;
            }
            '?' => {
                out.push(Step::One);
                at += 1;
            }
            '[' => {
                let (step, next) = class(&chars, at);
                out.push(step);
                at = next;
            }
            c => {
                out.push(Step::Is(c));
                at += 1;
            }
        }
    }
    out
}

/// Returns whether a pattern makes the host's matcher fail instead of answering no.
///
/// That is a class that is never closed and has a slash in it.
pub fn is_broken(pattern: &str) -> bool {
    Rule::new(pattern).is_some_and(|rule| rule.steps.contains(&Step::Broken))
}

/// Returns whether a pattern by itself can name no file: it only takes back, or leads out of its
/// folder, or holds a class that nothing is in.
pub fn is_dead(pattern: &str) -> bool {
    let leads_out = ["./", "../"].iter().any(|start| pattern.starts_with(start));
    let dead = |rule: Rule| {
        rule.negative || rule.steps.iter().any(|s| matches!(s, Step::Never | Step::Broken))
    };
    leads_out || Rule::new(pattern).is_none_or(dead)
}

/// Patterns that one list may come to before it is called a bomb.
pub const MOST_PATTERNS: usize = 10_000;
/// Bytes that multiplying out one pattern may write.
const MOST_PATTERN_BYTES: usize = 8 * 1024 * 1024;

/// What a `paths` value comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathScope {
    /// The rule is loaded at the start.
    Everywhere,
    /// The rule waits for a file that one of these names.
    Only(Vec<String>),
    /// Its braces come to more than [`MOST_PATTERNS`] patterns.
    Bomb,
}

/// Works out a `paths` value as the host does: commas outside braces split, braces multiply, one
/// `/**` at the end is dropped, and a list of nothing but `**` is no condition.
pub fn path_scope<'a>(values: impl IntoIterator<Item = &'a str>) -> PathScope {
    let mut out = Vec::new();
    for value in values {
        for part in split_commas(value) {
            if !expand(part.to_owned(), &mut out) {
                return PathScope::Bomb;
            }
        }
    }
    let out: Vec<String> = out
        .into_iter()
        .map(|p| p.strip_suffix("/**").map(str::to_owned).unwrap_or(p))
        .filter(|p| !p.is_empty())
        .collect();
    if out.iter().all(|p| p == "**") { PathScope::Everywhere } else { PathScope::Only(out) }
}

fn split_commas(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let mut start = 0;
    let mut out = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.into_iter().map(str::trim).filter(|p| !p.is_empty()).collect()
}

/// Multiplies out the braces of `pattern`; returns false where that comes to too many.
fn expand(pattern: String, out: &mut Vec<String>) -> bool {
    let mut room = MOST_PATTERN_BYTES;
    let mut todo = vec![pattern];
    while let Some(text) = todo.pop() {
        let braces = text.find('{').and_then(|open| {
            let close = open + text[open..].find('}')?;
            (close > open + 1).then_some((open, close))
        });
        let Some((open, close)) = braces else {
            out.push(text);
            if out.len() > MOST_PATTERNS {
                return false;
            }
            continue;
        };
        let (before, after) = (&text[..open], &text[close + 1..]);
        let options = text[open + 1..close].split(',');
        let mut grown: Vec<_> = options.map(|o| format!("{before}{}{after}", o.trim())).collect();
        if todo.len() + grown.len() > MOST_PATTERNS {
            return false;
        }
        match room.checked_sub(grown.iter().map(String::len).sum()) {
            Some(left) => room = left,
            None => return false,
        }
        grown.reverse();
        todo.append(&mut grown);
    }
    true
}

#[cfg(test)]
mod tests;
