//! The load map: what one host loads in one place, why, and what it passes over.

use std::borrow::Cow;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Serialize, Serializer};

use crate::text::{SentLines, Tokens};

/// What one host loads in one folder.
#[derive(Clone, Debug)]
pub struct LoadMap {
    /// The host's id, as in JSON and folder names.
    pub host: &'static str,
    /// The version of the host's table that was used.
    pub profile: &'static str,
    /// What is loaded at the start, and what only when needed, each in the host's order.
    pub entries: Vec<Entry>,
    /// What looks as if it were loaded, and isn't.
    pub skipped: Vec<Skipped>,
    /// What can't be known from the disk.
    pub not_measured: Vec<String>,
    /// Files that are loaded twice under two names.
    pub doubles: Vec<Double>,
    /// Memory of single agent roles, loaded only by those agents.
    pub role_memories: Vec<RoleMemory>,
    /// Imports of files that are loaded already, with the physical path of each.
    pub again: Vec<(Origin, Utf8PathBuf)>,
}

impl LoadMap {
    /// Returns the entries of every session, in the host's order.
    pub fn always(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| e.tier == Tier::Always)
    }

    /// Returns the entries that come only when needed.
    pub fn later(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| e.tier != Tier::Always)
    }
}

/// One file, or one line of a listing, that the host loads.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The path, as the host shows it to the model.
    pub path: Utf8PathBuf,
    /// What it is.
    pub kind: Kind,
    /// When it is loaded.
    pub tier: Tier,
    /// Whose it is.
    pub owner: Owner,
    /// Why it is loaded, one sentence without a full stop.
    pub reason: Cow<'static, str>,
    /// The place that pulled it in, where one did.
    pub from: Option<Origin>,
    /// Size on disk.
    pub disk_bytes: u64,
    /// The exact text that is sent, without its header; `None` for what was only looked at.
    pub sent: Option<String>,
    /// The `paths` of what waits for a file, as they are written.
    pub paths: Vec<String>,
    /// What they come to.
    pub patterns: Vec<String>,
    /// What the text costs; filled in at the end of `super::load_map`.
    pub tokens: Tokens,
    /// The name in a listing, for skills, commands and agents.
    pub name: Option<String>,
    /// What the host itself cuts off: text that stands in the file and is never sent.
    pub cut: Option<Box<Cut>>,
    /// The physical path, where it isn't `path`.
    pub target: Option<Box<Utf8Path>>,
    /// Where in the file the lines of `sent` stand.
    pub lines: SentLines,
    /// The rule folder that brought it in. Rules of one folder come in the order in which the
    /// system lists them, which no one should rely on.
    pub group: Option<Arc<Utf8Path>>,
}

impl Entry {
    /// Makes an entry of a file or a line of a list; everything optional is empty.
    pub fn new(path: Utf8PathBuf, real: Utf8PathBuf, kind: Kind, tier: Tier, owner: Owner) -> Self {
        let target = (real != path).then(|| real.into_boxed_path());
        Self {
            path,
            kind,
            tier,
            owner,
            reason: Cow::Borrowed(""),
            from: None,
            disk_bytes: 0,
            sent: None,
            paths: Vec::new(),
            patterns: Vec::new(),
            tokens: Tokens(0),
            name: None,
            cut: None,
            target,
            lines: SentLines::default(),
            group: None,
        }
    }

    /// Returns the physical path, by which a file is known whatever its name.
    pub fn real(&self) -> &Utf8Path {
        self.target.as_deref().unwrap_or(&self.path)
    }
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An instruction file that the host looks for by name.
    Instructions,
    /// A file that another one imports.
    Import,
    /// A file of a rule folder.
    Rule,
    /// The host's own memory.
    Memory,
    /// Name and description of a skill.
    Skill,
    /// Name and description of a command.
    Command,
    /// Name and description of an agent.
    Agent,
}

/// When an entry is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// At the start of every context.
    Always,
    /// When a file that matches is touched.
    OnPath,
    /// When it is called by name.
    OnInvoke,
    /// When the agent opens it.
    OnRead,
}

/// Whose an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// Tracked by git in this project.
    Git,
    /// The user's own.
    Personal,
    /// The organisation's.
    Managed,
    /// From above the project.
    Inherited,
}

/// The place that pulled an entry in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The file.
    pub path: Utf8PathBuf,
    /// The 1-based line.
    pub line: usize,
}

/// What the host cuts off a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// Lines of the file after the host's own clean-up.
    pub lines: usize,
    /// Lines of them that are never sent.
    pub lost_lines: usize,
    /// The first line that isn't sent, or only in part.
    pub first_lost: String,
    /// Bytes of the file that are never sent, where the host counts bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_bytes: Option<u64>,
    /// The 1-based line of the file in which the cut falls, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// Something that looks as if it were loaded, and isn't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file, where there is one.
    pub path: Option<Utf8PathBuf>,
    /// The words in the file, where words ask for a load.
    pub text: Option<String>,
    /// Where the words stand.
    pub from: Option<Origin>,
    /// Why the host passes it over.
    pub reason: SkipReason,
    /// What to do, a sentence without a full stop.
    pub fix: String,
}

macro_rules! skip_reasons {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $words:literal;)*) => {
        /// Why the host passes something over; the code is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum SkipReason {
            $($(#[doc = $doc])* $name,)*
        }

        impl SkipReason {
            /// All reasons, for the reference in the documentation.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the stable code, as in `--json`.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// Returns the reason in a few words.
            pub const fn words(self) -> &'static str {
                match self { $(Self::$name => $words),* }
            }
        }
    };
}

skip_reasons! {
    /// The import names no file.
    ImportMissing = "import-missing", "no such file";
    /// The import names a file but for the punctuation behind it.
    ImportPunctuation = "import-punctuation", "the punctuation is part of the name";
    /// An `@path` that is glued to a bracket, quote or word.
    ImportGlued = "import-glued", "no space before the `@`";
    /// The import names a folder.
    ImportFolder = "import-folder", "a folder";
    /// The import has an extension that the host doesn't follow.
    ImportExtension = "import-extension", "this extension is not followed";
    /// The import is more hops away than the host follows.
    ImportTooDeep = "import-too-deep", "too many imports in a row";
    /// The import leads out of the project, and the user never approved that.
    ImportOutside = "import-outside", "outside this folder, never approved";
    /// An import with a NUL character, which makes the host drop the whole file.
    ImportNul = "import-nul", "an `@path` with a NUL character makes the host drop the file";
    /// A link in a rule folder leads out of the project, and the user never approved that.
    RuleOutside = "rule-outside", "a link out of the project, never approved";
    /// A rule that isn't Markdown.
    RuleExtension = "rule-extension", "only `.md` files are rules";
    /// The front matter of a rule is larger than any that was meant as one.
    RuleFrontMatter = "rule-front-matter", "its front matter is too large to read";
    /// A name that the host looks for nowhere.
    NeverRead = "never-read", "a file of this name is never read here";
    /// A name that is right but for its case.
    WrongCase = "wrong-case", "names are case-sensitive";
    /// Another file switches this one off.
    Shadowed = "shadowed", "another file takes its place";
    /// A setting excludes the file.
    Excluded = "excluded", "a setting excludes it";
    /// A switch turns this kind of file off.
    SwitchedOff = "switched-off", "a setting switches it off";
    /// The `paths` of a rule come to more patterns than can be held.
    PathsBomb = "paths-bomb", "its `paths` come to too many patterns";
    /// The `paths` of a rule name nothing that could exist.
    PathsDead = "paths-dead", "its `paths` can never match";
    /// Nothing is left of the text.
    Empty = "empty", "nothing in it is sent";
    /// A link leads nowhere.
    LinkBroken = "link-broken", "a link that leads nowhere";
    /// Links lead to each other.
    LinkLoop = "link-loop", "links that lead in a circle";
    /// A link leads out of the repository; said only where nothing outside may be looked at.
    LinkOutside = "link-outside", "a link out of the repository";
    /// A folder stands where a file is expected.
    FolderForFile = "folder-for-file", "a folder, not a file";
    /// A pipe, socket or device stands where a file is expected.
    SpecialFile = "special-file", "a pipe, socket or device";
    /// The user may not read it.
    Denied = "denied", "permission denied";
    /// The name isn't UTF-8.
    NameNotUtf8 = "name-not-utf8", "its name is not UTF-8";
    /// Reading failed.
    ReadFailed = "read-failed", "it could not be read";
    /// A skill or command that asks to stay out of the listing.
    NotListed = "not-listed", "it asks not to be listed";
    /// A skill, command or agent file without what a listing needs.
    NotListable = "not-listable", "it has no name or description to list";
    /// Another file has the same name.
    NameTaken = "name-taken", "another one has the same name";
    /// The limit of all files together is used up before this one.
    OverLimit = "over-limit", "the host's limit is used up before it";
    /// The encoding is one that the host can't read.
    Utf16 = "utf-16", "UTF-16: the host reads it as noise";
}

impl Serialize for SkipReason {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.code())
    }
}

/// Something that could not be read, so that what follows from it isn't known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// The file or folder.
    pub path: Utf8PathBuf,
    /// What is wrong with it, and what isn't known for that reason.
    pub why: String,
}

impl Unread {
    /// Makes a note.
    pub fn new(path: impl Into<Utf8PathBuf>, why: impl Into<String>) -> Self {
        Self { path: path.into(), why: why.into() }
    }
}

/// A file that is loaded twice under two names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Double {
    /// The name it is loaded under first.
    pub first: Utf8PathBuf,
    /// The name it is loaded under again.
    pub again: Utf8PathBuf,
    /// What loading it again costs in every session.
    pub tokens: Tokens,
}

/// The memory of one agent role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoleMemory {
    /// The role's name.
    pub role: String,
    /// The folder.
    pub folder: Utf8PathBuf,
    /// The index, which that agent loads.
    pub index: Option<Utf8PathBuf>,
    /// The other files of it, with their bytes.
    #[serde(skip)]
    pub memories: Vec<(Utf8PathBuf, u64)>,
    /// Bytes of the index.
    #[serde(skip)]
    pub index_bytes: u64,
    /// Files, the index included.
    pub files: usize,
    /// Bytes of all files.
    pub disk_bytes: u64,
    /// What the index costs each time that agent starts.
    pub index_tokens: Tokens,
}

/// The sums of a load map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Tokens in every session.
    pub always_tokens: Tokens,
    /// Unicode scalars in every session.
    pub always_chars: u64,
    /// Files and lines of lists in every session.
    pub always_entries: u64,
    /// Of `always_tokens`: tracked by git here.
    pub git_tokens: Tokens,
    /// Of `always_tokens`: the user's own.
    pub personal_tokens: Tokens,
    /// Of `always_tokens`: the organisation's.
    pub managed_tokens: Tokens,
    /// Of `always_tokens`: from above the project.
    pub inherited_tokens: Tokens,
    /// Once files that match are touched.
    pub on_path_tokens: Tokens,
    /// Once called by name.
    pub on_invoke_tokens: Tokens,
    /// Once opened by the agent.
    pub on_read_tokens: Tokens,
    /// Memory of single roles, not in any of the above.
    pub role_memory_tokens: Tokens,
}
