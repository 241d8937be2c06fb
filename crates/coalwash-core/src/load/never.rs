//! What looks as if it were loaded, and isn't, though no host says so.

use camino::Utf8Path;

use super::hosts::claude_code::settings::InstructionFiles;
use super::hosts::{Place, Shape};
use super::map::SkipReason;
use super::walk::Walk;

/// Lists names that people expect to be read, and near misses of the names that are.
pub(super) fn find(walk: &mut Walk<'_>) {
    let (profile, scene) = (walk.profile, walk.scene);
    for row in &profile.never {
        let folder = match row.place {
            Place::Managed => &scene.managed,
            Place::User => &scene.config,
            Place::Folder => &scene.cwd,
        };
        let path = folder.join(row.name);
        let loaded = walk.tree.real(&path).is_ok_and(|real| walk.was_loaded(&real.path));
        if walk.is_file(&path) && !loaded {
            walk.skip_file(&path, SkipReason::NeverRead, row.fix);
        }
    }
    fallbacks(walk);
    wrong_case(walk);
    let beside = scene.home.join("CLAUDE.md");
    if !scene.cwd.starts_with(&scene.home) && walk.is_file(&beside) {
        let fix = "move it to `~/.claude/CLAUDE.md` if it should load everywhere";
        walk.skip_file(&beside, SkipReason::NeverRead, fix);
    }
}

/// Names that would be read if the host's own weren't there, or if a setting didn't say no.
fn fallbacks(walk: &mut Walk<'_>) {
    let (profile, scene) = (walk.profile, walk.scene);
    for surface in profile.start.iter().filter(|s| s.shape == Shape::Fallback) {
        let path = scene.cwd.join(surface.name);
        let Ok(real) = walk.tree.real(&path) else { continue };
        if walk.was_loaded(&real.path) || !walk.is_file(&path) {
            continue;
        }
        match scene.settings.instruction_files {
            InstructionFiles::Either => {
                let fix = format!("add the line `@{}` to `CLAUDE.md`", surface.name);
                walk.skip_file(&path, SkipReason::Shadowed, &fix);
            }
            InstructionFiles::ClaudeOnly | InstructionFiles::ManagedOnly => {
                let fix = "change `instructionFiles` in your settings if it should load";
                walk.skip_file(&path, SkipReason::SwitchedOff, fix);
            }
            InstructionFiles::Both => {}
        }
    }
}

fn wrong_case(walk: &mut Walk<'_>) {
    let (profile, cwd) = (walk.profile, walk.scene.cwd.clone());
    let wanted: Vec<&str> = profile
        .start
        .iter()
        .filter(|s| s.place == Place::Folder && !s.name.contains('/'))
        .map(|s| s.name)
        .collect();
    for child in walk.tree.list(&cwd).unwrap_or_default() {
        let Some(name) = child.name else { continue };
        let near = wanted.iter().find(|w| w.eq_ignore_ascii_case(&name) && **w != name);
        if let Some(right) = near
            // On a file system that folds case it is the same file.
            && !walk.is_file(&cwd.join(right))
        {
            let fix = format!("rename it to `{right}`");
            walk.skip_file(&cwd.join(&name), SkipReason::WrongCase, &fix);
        }
    }
}

/// Returns whether a file in a rule folder was probably meant to be a rule.
pub(super) fn looks_like_a_rule(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".md", ".mdc", ".mdx", ".markdown", ".txt"].iter().any(|end| name.ends_with(end))
}

/// Returns whether an `@` token that names no file was probably meant to name one.
///
/// Names of people, packages (`@types/node`) and annotations (`@param`) are everywhere.
pub(super) fn looks_like_a_path(token: &str, extensions: &[&str]) -> bool {
    if ["./", "../", "~/"].iter().any(|start| token.starts_with(start)) {
        return true;
    }
    let extension = Utf8Path::new(token).extension().map(str::to_ascii_lowercase);
    extension.is_some_and(|e| extensions.contains(&e.as_str()) || e == "mdx" || e == "mdc")
}
