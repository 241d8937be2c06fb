//! The table of Claude Code: what each version reads, in which order, with which limits.
//!
//! Measured on the real clients, headless, against a loopback stub of the model API; what is known
//! and how is in `ARCHITECTURE.md`, "Claude Code". Every row is held by a test: taking one
//! away or changing it makes `tests/it/mutation.rs` name it.

use super::super::Class::{Local, Managed, Project, User};
use super::super::Shape::{Fallback, File, Rules};
use super::super::{
    Class, ImportRules, ListingRules, MemoryRules, NeverRead, Place, Profile, RuleRules, Shape,
    Surface,
};
use super::markdown::Dialect;

const fn at(place: Place, name: &'static str, shape: Shape, class: Class) -> Surface {
    Surface { place, name, shape, class }
}

/// Versions this build knows, oldest first.
pub const VERSIONS: [&str; 2] = ["2.1.197", "2.1.332"];

/// Returns the table that fits `version` best: the newest one that isn't newer, else the oldest.
///
/// Without a version it is the newest.
pub fn profile(version: Option<&str>) -> Profile {
    let wanted = version.and_then(parsed);
    let known = VERSIONS.iter().rev().find(|v| match (&wanted, parsed(v)) {
        (Some(wanted), Some(known)) => known <= *wanted,
        _ => true,
    });
    match *known.unwrap_or(&VERSIONS[0]) {
        "2.1.197" => v2_1_197(),
        _ => v2_1_332(),
    }
}

/// Returns the numbers of a version, for comparing.
pub fn parsed(version: &str) -> Option<[u64; 3]> {
    let mut parts = version
        .trim()
        .splitn(3, '.')
        .map(|part| part.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok()));
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// Extensions that imports follow; 680 were tried.
const EXTENSIONS: &str = "adoc asciidoc astro bash bat c cc cfg cjs clj cljc cljs cmake cmd conf \
    config cpp cs css csv cts cxx dart diff edn ejs elm env erb erl ex exs f f90 f95 fish for go \
    gql gradle graphql h hbs hpp hrl hs htm html hxx ini jade java js json jsx kt kts latex less \
    lhs lock log lua make md mjs ml mli mts org patch php pl pm properties proto ps1 pug py pyi \
    pyw r rake rb rs rst sass sbt scala scss sh sql svelte swift tex text toml ts tsx txt vue xml \
    yaml yml zsh";

/// Names of skills and commands of both versions; 253 were tried.
const OWN_NAMES: &str = "\
    add-dir agents background batch branch btw cd claude-api clear code-review color \
    compact config context copy debug deep-research diff doctor effort exit export fast \
    feedback fewer-permission-prompts focus fork goal heapdump help hooks ide init \
    insights keybindings keybindings-help login loop mcp memory mobile model passes \
    permissions plan plugin powerup recap release-notes reload-plugins rename resume \
    review rewind run sandbox security-review setup-bedrock setup-vertex simplify skills \
    status statusline stickers tasks team-onboarding terminal-setup theme tui \
    update-config usage verify workflows";

/// Those of the newer version alone.
const NEWER_NAMES: &str = "\
    allowed-tools android bashes bg bug checkpoint continue cost dataviz ios marketplace \
    name new output-style peers plugin-authoring plugins quit reset settings share stats \
    undo workflow-authoring";

fn v2_1_332() -> Profile {
    use Place::{Folder, Managed as Org, User as Config};
    Profile {
        host: "claude-code",
        name: "Claude Code",
        version: "2.1.332",
        start: vec![
            at(Org, "CLAUDE.md", File, Managed),
            at(Org, ".claude/rules", Rules, Managed),
            at(Config, "CLAUDE.md", File, User),
            at(Config, "rules", Rules, User),
            at(Folder, "CLAUDE.md", File, Project),
            at(Folder, ".claude/CLAUDE.md", File, Project),
            at(Folder, ".claude/rules", Rules, Project),
            at(Folder, "CLAUDE.local.md", File, Local),
            at(Folder, "AGENTS.md", Fallback, Project),
            at(Folder, ".claude/AGENTS.md", Fallback, Project),
        ],
        touch: vec![
            at(Folder, "CLAUDE.md", File, Project),
            at(Folder, ".claude/CLAUDE.md", File, Project),
            at(Folder, "CLAUDE.local.md", File, Local),
            at(Folder, ".claude/rules", Rules, Project),
            at(Folder, "AGENTS.md", Fallback, Project),
            at(Folder, ".claude/AGENTS.md", Fallback, Project),
        ],
        import: ImportRules {
            hops: 4,
            extensions: EXTENSIONS.split_whitespace().collect(),
            through_links: false,
        },
        rules: RuleRules { extension: ".md", links_outside: false },
        memory: MemoryRules {
            folder: "memory",
            index: "MEMORY.md",
            most_lines: 200,
            most_units: 25_000,
            writes_index: true,
        },
        listing: ListingRules {
            most_units: 1_536,
            built_in: 6_074,
            commands: vec![("init", 61), ("security-review", 73)],
            names: OWN_NAMES.split_whitespace().chain(NEWER_NAMES.split_whitespace()).collect(),
        },
        never: vec![
            never(Folder, ".claude/CLAUDE.local.md", "move it one folder up, to `CLAUDE.local.md`"),
            never(Folder, "AGENTS.override.md", "only Codex reads it; use `CLAUDE.local.md`"),
            never(Folder, "AGENTS.local.md", "use `CLAUDE.local.md`"),
            never(Config, "CLAUDE.local.md", "move its text to `CLAUDE.md` beside it"),
            never(Config, "AGENTS.md", "move its text to `CLAUDE.md` beside it"),
        ],
        dialect: Dialect::V2_1_332,
        touch_repeats: false,
        touch_needs_file: false,
        broken_pattern_stops: false,
        shadowed_rules_wait: false,
        excludes_by_link: true,
        root_local_settings: true,
    }
}

fn v2_1_197() -> Profile {
    let mut old = v2_1_332();
    let not_yet = |s: &Surface| s.shape != Fallback;
    old.version = "2.1.197";
    old.start.retain(not_yet);
    old.touch.retain(not_yet);
    old.import.through_links = true;
    old.rules.links_outside = true;
    old.memory.writes_index = false;
    old.listing.built_in = 4_247;
    old.listing.commands.insert(1, ("review", 70));
    old.listing.names = OWN_NAMES.split_whitespace().collect();
    old.never.push(never(
        Place::Folder,
        "AGENTS.md",
        "add the line `@AGENTS.md` to `CLAUDE.md`, or update Claude Code",
    ));
    old.dialect = Dialect::V2_1_197;
    old.touch_repeats = true;
    old.touch_needs_file = true;
    old.broken_pattern_stops = true;
    old.shadowed_rules_wait = true;
    old.excludes_by_link = false;
    old.root_local_settings = false;
    old
}

const fn never(place: Place, name: &'static str, fix: &'static str) -> NeverRead {
    NeverRead { place, name, fix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_in_between_uses_the_table_before_it() {
        let of = |v| profile(v).version;
        assert_eq!(of(None), "2.1.332");
        assert_eq!(of(Some("2.1.332")), "2.1.332");
        assert_eq!(of(Some("2.1.331")), "2.1.197");
        assert_eq!(of(Some("2.2.0-beta.1")), "2.1.332");
        assert_eq!(of(Some("1.0.9")), "2.1.197", "older than all: the oldest");
        assert_eq!(of(Some("nonsense")), "2.1.332");
    }
}
