//! What is wrong with the host's memory, in words.

use camino::Utf8Path;
use coalwash_core::load::memory::{MemoryProblem, MemoryTrouble};
use coalwash_core::text::escaped;

use super::verdict;
use crate::look::Look;
use crate::ui::{Names, escaped_head, number};

/// All kinds of trouble, worst first.
pub(crate) const KINDS: [MemoryTrouble; 5] = [
    MemoryTrouble::MemoryTooLong,
    MemoryTrouble::MemoryShared,
    MemoryTrouble::MemoryEntryMissing,
    MemoryTrouble::MemoryLeftBehind,
    MemoryTrouble::MemoryFileUnnamed,
];

/// Returns the lines of these kinds of trouble, one for each kind and place.
pub(crate) fn lines(found: &Look, names: &Names<'_>, kinds: &[MemoryTrouble]) -> Vec<String> {
    let Some(memory) = &found.memory else { return Vec::new() };
    let mut out = Vec::new();
    for kind in kinds {
        let all: Vec<_> = memory.problems.iter().filter(|it| it.reason == *kind).collect();
        let Some(first) = all.first() else { continue };
        // Of names there may be hundreds, and they have one cause.
        let by_name =
            matches!(kind, MemoryTrouble::MemoryEntryMissing | MemoryTrouble::MemoryFileUnnamed);
        if by_name {
            let more = all.len() - 1;
            let more = if more > 0 {
                format!(" (and {} more)", number(more as u64))
            } else {
                String::new()
            };
            out.push(line(first, names) + &more);
        } else if *kind == MemoryTrouble::MemoryTooLong {
            out.extend(all.iter().map(|problem| too_long(problem, found, names)));
        } else {
            out.extend(all.iter().map(|problem| line(problem, names)));
        }
    }
    out
}

/// Returns what the host cuts off the index.
fn too_long(problem: &MemoryProblem, found: &Look, names: &Names<'_>) -> String {
    let entry = found.map.always().find(|entry| entry.path == problem.path);
    let cut = entry.and_then(|entry| entry.cut.as_ref());
    let (lost, all) = cut.map_or((0, 0), |cut| (cut.lost_lines, cut.lines));
    let repeat = found.repeats.all.iter().find(|it| it.certain && it.at.path == problem.path);
    let fix = match repeat {
        Some(repeat) => {
            let line = repeat.at.line;
            format!("its exact repeats can go, the first in line {line}: coalwash quick -n")
        }
        None if verdict::nothing_left(found) => {
            "nothing is left to cut: move a topic to its own file and leave one line".to_owned()
        }
        None => escaped(&problem.fix).into_owned(),
    };
    let from = escaped_head(problem.text.as_deref().unwrap_or_default(), 36);
    let place = place(problem, names);
    format!("{place}  too long: {lost} of {all} lines are never loaded, from \"{from}\" on; {fix}")
}

fn place(problem: &MemoryProblem, names: &Names<'_>) -> String {
    let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
    format!("{}{line}", names.of(&problem.path))
}

/// Returns one problem: where, what, and what to do.
pub(crate) fn line(problem: &MemoryProblem, names: &Names<'_>) -> String {
    let place = place(problem, names);
    let text = problem.text.as_deref().unwrap_or_default();
    let project = problem.project.as_deref().unwrap_or(Utf8Path::new("?"));
    let project = names.home_path(project);
    let fix = escaped(&problem.fix);
    match problem.reason {
        MemoryTrouble::MemoryTooLong => {
            format!("{place}  too long, from \"{}\" on; {fix}", escaped_head(text, 36))
        }
        MemoryTrouble::MemoryShared => {
            let place = names.home_path(&problem.path);
            format!("{place}  is the memory of {project}, too: the host gives both one name; {fix}")
        }
        MemoryTrouble::MemoryEntryMissing => {
            format!("{place}  `{}`  no such file; {fix}", escaped_head(text, 40))
        }
        MemoryTrouble::MemoryFileUnnamed => {
            format!("{place}  no line of the index names it, so no session knows of it; {fix}")
        }
        MemoryTrouble::MemoryLeftBehind => {
            let place = names.home_path(&problem.path);
            let of = problem.worktree_of.as_deref().map(|of| names.home_path(of));
            let of = of.map_or(String::new(), |of| format!(", a removed worktree of {of}"));
            let gone = match problem.text.as_deref() {
                Some(now) => {
                    format!(", where sessions use {} now", names.home_path(Utf8Path::new(now)))
                }
                None if of.is_empty() => ", which is gone".to_owned(),
                None => String::new(),
            };
            format!("{place}  is memory of {project}{of}{gone}; {fix}")
        }
    }
}
