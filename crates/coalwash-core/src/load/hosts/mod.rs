//! The hosts as tables.
//!
//! A [`Profile`] says which places a host reads, in which order and with which limits; the walker
//! (`super::walk`) only follows it. A new version of a host, or a new host, is a new value here;
//! what a host does to the *text* of a file is in its own folder.

pub mod claude_code;
pub mod codex;
pub mod files;
pub mod gemini;
pub mod opencode;

pub use files::Host;

/// One version of one host.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The host's id.
    pub host: &'static str,
    /// The host's name on a screen.
    pub name: &'static str,
    /// The version this table was measured on.
    pub version: &'static str,
    /// What is read at the start; within one place in this order.
    pub start: Vec<Surface>,
    /// What is read in a folder below the working one once a file there is touched.
    pub touch: Vec<Surface>,
    /// How imports are followed.
    pub import: ImportRules,
    /// How rule folders are read.
    pub rules: RuleRules,
    /// The host's own memory.
    pub memory: MemoryRules,
    /// How skills, commands and agents are listed.
    pub listing: ListingRules,
    /// Names that people expect to be read, and that this host never reads.
    pub never: Vec<NeverRead>,
    /// Which of the host's ways of reading text applies.
    pub dialect: claude_code::markdown::Dialect,
    /// Whether a file that was sent at the start is sent again when a touch loads it.
    pub touch_repeats: bool,
    /// Whether only a file that exists counts as touched.
    pub touch_needs_file: bool,
    /// Whether a pattern that can't be compiled ends a touch.
    pub broken_pattern_stops: bool,
    /// Whether rules of a main checkout that a worktree shadows still wait for a touch.
    pub shadowed_rules_wait: bool,
    /// Whether an excluding glob is also held against the name of a link in a rule folder.
    pub excludes_by_link: bool,
    /// Whether the local settings of the checkout's root count in its sub-folders.
    pub root_local_settings: bool,
}

/// A place in which a host looks for a file or a folder of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Which folders it is looked for in.
    pub place: Place,
    /// The name, relative to the folder.
    pub name: &'static str,
    /// What is expected there.
    pub shape: Shape,
    /// The kind of instructions, which decides whose they are and what switches them off.
    pub class: Class,
}

/// The folders of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The organisation's folder.
    Managed,
    /// The user's configuration folder.
    User,
    /// The working folder and every one above it, from the root down.
    Folder,
}

/// What a surface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One file.
    File,
    /// A folder of rules, with its sub-folders.
    Rules,
    /// One file that is read only where the host's own names are not in use.
    Fallback,
}

/// The kind of instructions, as the host distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The organisation's.
    Managed,
    /// The user's, for all projects.
    User,
    /// The project's.
    Project,
    /// The user's, for this project.
    Local,
}

/// How imports are followed.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportRules {
    /// Hops from the file that the host looked for by name.
    pub hops: usize,
    /// Extensions that are followed, in lower case; a name without one always is.
    pub extensions: Vec<&'static str>,
    /// Whether a link inside the project may lead to a file outside.
    pub through_links: bool,
}

/// How rule folders are read.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleRules {
    /// The extension of a rule, with its dot.
    pub extension: &'static str,
    /// Whether a link may lead out of the project without the user's approval.
    pub links_outside: bool,
}

/// The host's own memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryRules {
    /// The folder below the folder of the project.
    pub folder: &'static str,
    /// The file that is read at the start.
    pub index: &'static str,
    /// Lines of it that are sent.
    pub most_lines: usize,
    /// UTF-16 units of it that are sent.
    pub most_units: usize,
    /// Whether the host writes the index itself where there are only other files.
    pub writes_index: bool,
}

/// How skills, commands and agents are listed.
#[derive(Clone, Debug, PartialEq)]
pub struct ListingRules {
    /// UTF-16 units of one description.
    pub most_units: usize,
    /// Columns that the host's own skills take of the budget, its own commands as mere names.
    pub built_in: usize,
    /// The host's own commands, and the columns of the description that each may lose.
    pub commands: Vec<(&'static str, usize)>,
    /// Names of the host's own skills and commands, listed or not: a skill of a folder below that
    /// has one of them is listed with its folder.
    pub names: Vec<&'static str>,
}

/// A name that people expect to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeverRead {
    /// Where.
    pub place: Place,
    /// The name, relative to the folder.
    pub name: &'static str,
    /// What to do instead.
    pub fix: &'static str,
}
