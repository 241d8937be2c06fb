//! The selected output style, whose body is sent at the start of every session.
//!
//! Source: requests of both clients with styles of the user and of the project.

use super::listing::{found, project_levels, scalar};
use crate::load::map::{Entry, Kind, Tier};
use crate::load::tree::Node;
use crate::load::walk::Walk;
use crate::text::lines::js_trim;

/// The name that selects no style.
const NO_STYLE: &str = "default";

/// Adds the selected style. Where no file has its name, says what isn't measured.
pub(in crate::load) fn add(walk: &mut Walk<'_>) -> Option<String> {
    let wanted = walk.scene.settings.output_style.clone()?;
    let mut levels = project_levels(walk);
    levels.push(walk.scene.config.clone());
    for level in levels {
        let folder = level.join("output-styles");
        for child in walk.listed(&folder) {
            let is_file = matches!(child.node, Node::File | Node::Link);
            let Some(name) = child.name.filter(|n| is_file && n.ends_with(".md")) else { continue };
            let stem = name.trim_end_matches(".md").to_owned();
            let Some(file) = found(walk, stem, folder.join(&name), Kind::Instructions) else {
                continue;
            };
            if scalar(&file.keys, "name").unwrap_or_else(|| file.name.clone()) != wanted {
                continue;
            }
            let kind = Kind::Instructions;
            walk.entries.push(Entry {
                reason: "the output style that your settings select".into(),
                disk_bytes: file.disk_bytes,
                sent: Some(format!("# Output Style: {wanted}\n{}", js_trim(&file.body))),
                ..Entry::new(file.path, file.real, kind, Tier::Always, file.owner)
            });
            return None;
        }
    }
    (wanted != NO_STYLE)
        .then(|| format!("the output style `{wanted}`, which no file here has the name of"))
}

#[cfg(test)]
mod tests {
    use crate::load::hosts::claude_code::{settings::Settings, table};
    use crate::load::{LoadMap, MemTree, Scene, load_map};
    use crate::text::FamilyFactor;

    fn map(style: &str) -> LoadMap {
        let mut tree = MemTree::default();
        tree.file("/h/.claude/output-styles/a.md", "---\nname: Terse\n---\n\nSay little.\n")
            .file("/h/.claude/output-styles/b.md", "---\ndescription: x\n---\nUser's b @c.md\n")
            .file("/p/.claude/output-styles/b.md", "The project's b.")
            .folder("/p/s");
        let settings = Settings { output_style: Some(style.to_owned()), ..Settings::default() };
        let scene = Scene {
            cwd: "/p/s".into(),
            home: "/h".into(),
            config: "/h/.claude".into(),
            settings,
            ..Scene::default()
        };
        load_map(&table::profile(None), &scene, &tree, &FamilyFactor::CLAUDE)
    }

    #[test]
    fn the_body_of_the_selected_style_is_sent() {
        let sent = |style: &str| {
            map(style).entries.into_iter().map(|e| e.sent.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(sent("Terse"), ["# Output Style: Terse\nSay little."]);
        assert_eq!(sent("b"), ["# Output Style: b\nThe project's b."]);
        assert_eq!(sent("terse"), [""; 0], "case counts");
        assert_eq!(sent("a"), [""; 0], "a name in the front matter replaces the file's");
    }

    #[test]
    fn a_style_without_a_file_is_not_measured() {
        let said =
            |style: &str| map(style).not_measured.iter().any(|it| it.contains("output style"));
        assert!(said("Explanatory"));
        assert!(!said("default"));
        assert!(!said("Terse"));
    }
}
