//! Where the tokens are, and how to get under a budget.

use camino::Utf8PathBuf;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::{Input, always, relative};
use crate::load::map::{Kind, LoadMap};
use crate::load::repeats::Repeats;
use crate::text::lines::{head, line_of};
use crate::text::{Estimator, Tokens};

/// Sections and ways that are named.
const MOST: usize = 5;

/// A section below which moving it is not worth a line.
const LEAST: Tokens = Tokens(50);

/// A part of a file under one heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Section {
    /// The file, from the root.
    pub path: Utf8PathBuf,
    /// The 1-based line of the heading.
    pub line: usize,
    /// The heading with its marks.
    pub heading: String,
    /// What it costs.
    pub tokens: Tokens,
    /// The patterns of a rule that would load it only when it is needed.
    pub paths: Option<String>,
}

/// One way to get under the budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Way {
    /// What to do.
    pub what: String,
    /// Tokens it saves.
    pub saves: Tokens,
    /// Tokens in every session afterwards.
    pub after: Tokens,
}

/// Returns the largest sections of the files that load into every session.
pub(super) fn largest(input: &Input<'_>, map: &LoadMap, estimator: &dyn Estimator) -> Vec<Section> {
    let mut out = Vec::new();
    let places = Places::of(input.files);
    for entry in always(map).filter(|e| e.name.is_none() && e.kind != Kind::Memory) {
        let Some(text) = entry.sent.as_deref() else { continue };
        for (range, heading) in parts(text) {
            let part = &text[range.clone()];
            out.push(Section {
                path: relative(input.root, &entry.path),
                line: entry.lines.in_file(line_of(text, range.start)),
                heading: head(&heading, 60),
                tokens: estimator.tokens(part),
                paths: places.of_section(part, &heading),
            });
        }
    }
    out.sort_by(|a, b| {
        b.tokens.cmp(&a.tokens).then_with(|| (&a.path, a.line).cmp(&(&b.path, b.line)))
    });
    out.truncate(MOST);
    out
}

/// Returns the sections of a text at the highest level of headings that there is more than one of.
fn parts(text: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let mut headings: Vec<(HeadingLevel, usize, String)> = Vec::new();
    let mut open: Option<(HeadingLevel, usize, String)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                open = Some((level, range.start, String::new()));
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some((.., words)) = &mut open {
                    words.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
            _ => {}
        }
    }
    let mut levels: Vec<HeadingLevel> = headings.iter().map(|(level, ..)| *level).collect();
    levels.sort_unstable();
    let twice = levels.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let Some(level) = twice.or(levels.last().copied()) else { return Vec::new() };
    let heads: Vec<_> = headings.iter().filter(|(own, ..)| *own <= level).collect();
    let ends = heads.iter().skip(1).map(|(_, start, _)| *start).chain([text.len()]);
    heads
        .iter()
        .zip(ends)
        .filter(|((own, ..), _)| *own == level)
        .map(|((own, start, words), end)| {
            (*start..end, format!("{} {words}", "#".repeat(*own as usize)))
        })
        .collect()
}

/// The files and folders of a repository, to guess what a section is about.
struct Places<'a> {
    files: FxHashSet<&'a str>,
    folders: FxHashSet<&'a str>,
    /// Folders by their last name, in lower case; `None` where several have it.
    by_name: FxHashMap<String, Option<&'a str>>,
}

impl<'a> Places<'a> {
    fn of(files: &'a [String]) -> Self {
        let mut folders = FxHashSet::default();
        for file in files {
            let mut at = file.as_str();
            while let Some((above, _)) = at.rsplit_once('/') {
                if !folders.insert(above) {
                    break;
                }
                at = above;
            }
        }
        let mut by_name: FxHashMap<String, Option<&str>> = FxHashMap::default();
        for folder in folders.iter().filter(|folder| !folder.starts_with('.')) {
            let name = folder.rsplit('/').next().unwrap_or(folder).to_lowercase();
            by_name.entry(name).and_modify(|it| *it = None).or_insert(Some(folder));
        }
        Self { files: files.iter().map(String::as_str).collect(), folders, by_name }
    }

    /// Returns the patterns of the files that a section speaks of, if they are of one folder.
    fn of_section(&self, text: &str, heading: &str) -> Option<String> {
        let mut count: FxHashMap<&str, usize> = FxHashMap::default();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
        for word in text.split(|c: char| !is_part(c)) {
            let word = word.trim_start_matches("./").trim_matches(['.', '/']);
            let folder = match (self.files.get(word), self.folders.get(word)) {
                (Some(file), _) => file.rsplit_once('/').map(|(folder, _)| folder),
                (None, Some(folder)) => Some(*folder),
                _ => None,
            };
            if let Some(folder) = folder.filter(|folder| !folder.starts_with('.')) {
                *count.entry(folder).or_default() += 1;
            }
        }
        let most = count.iter().max_by_key(|(folder, n)| (**n, std::cmp::Reverse(**folder)));
        let by_mention = most.map(|(folder, _)| *folder);
        let by_heading = || {
            let words = heading.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
            words.filter_map(|word| self.by_name.get(&word).copied().flatten()).next()
        };
        by_mention.or_else(by_heading).map(|folder| format!("{folder}/**"))
    }
}

/// Returns the ways to get under the budget, best first.
pub(super) fn ways(
    input: &Input<'_>,
    map: &LoadMap,
    sections: &[Section],
    total: Tokens,
    estimator: &dyn Estimator,
) -> Vec<Way> {
    let mut out: Vec<(String, Tokens)> = Vec::new();
    for section in sections.iter().filter(|section| section.tokens >= LEAST) {
        let what = match (&section.paths, map.host) {
            (Some(paths), "claude-code") => {
                format!("move \"{}\" to a rule with `paths: {paths}`", section.heading)
            }
            (Some(paths), _) => {
                let folder = paths.trim_end_matches("/**");
                format!("move \"{}\" to a file in `{folder}`", section.heading)
            }
            (None, _) => {
                format!("move \"{}\" to a skill, or to a file it names", section.heading)
            }
        };
        out.push((what, section.tokens));
    }
    let repeats = Repeats::of(&map.entries, estimator);
    let certain = repeats.certain_tokens();
    if let Some(first) = repeats.all.iter().find(|repeat| repeat.certain) {
        let path = relative(input.root, &first.at.path);
        let count = repeats.all.iter().filter(|repeat| repeat.certain).count();
        let what = match count {
            1 => format!("coalwash quick (the exact repeat at {path}:{})", first.at.line),
            _ => format!(
                "coalwash quick ({count} exact repeats, the first at {path}:{})",
                first.at.line
            ),
        };
        out.push((what, certain));
    }
    out.sort_by_key(|(_, saves)| std::cmp::Reverse(*saves));
    out.truncate(MOST);
    out.into_iter()
        .map(|(what, saves)| Way { what, saves, after: Tokens(total.0.saturating_sub(saves.0)) })
        .collect()
}
