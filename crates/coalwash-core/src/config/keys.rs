//! Every key that a configuration may have.

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// One of these words, whatever their case.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A finite number from the first to the second.
    Number(f64, f64),
    /// A text.
    Text,
    /// A list of texts.
    Texts,
}

/// Which end of a key is the safe one, and what a repository may do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// The words are ordered from the safest on; a repository may only move to the front.
    SafestFirst,
    /// `true` is safe; a repository may only switch it on.
    TrueIsSafe,
    /// `false` is safe; a repository may only switch it off.
    FalseIsSafe,
    /// It says where things lie; a repository has no say.
    UserOnly,
}

/// Who reads a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// This build.
    Here,
    /// The Node engine, and capabilities that this build doesn't have: checked, kept, not used.
    Elsewhere,
    /// No one any more.
    Nobody,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name, with dots between the levels. `*` stands for a name of the user's choice.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What is taken where nothing is set, as JSON.
    pub default: Option<&'static str>,
    /// Which end is safe.
    pub safety: Option<Safety>,
    /// Who reads it.
    pub used: Use,
    /// What it does, one sentence.
    pub about: &'static str,
}

const fn key(name: &'static str, kind: Kind, default: Option<&'static str>, used: Use) -> Key {
    Key { name, kind, default, safety: None, used, about: "" }
}

impl Key {
    const fn safe(self, safety: Safety) -> Self {
        Self { safety: Some(safety), ..self }
    }

    const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// Returns whether the name of the last level is the user's choice.
    pub fn is_open(&self) -> bool {
        self.name.ends_with(".*")
    }
}

/// The largest token count that a budget may name: 2^53 − 1, beyond which other readers of JSON
/// lose digits.
pub const MOST_TOKENS: u64 = (1 << 53) - 1;

use Kind::{Number, Switch, Text, Texts, Whole, Word};
use Safety::{FalseIsSafe, SafestFirst, TrueIsSafe, UserOnly};
use Use::{Elsewhere, Here, Nobody};

/// All keys, those that people set first.
///
/// Source of the keys that the Node engine reads, of their ranges and defaults: its version 1.1.0
/// and the documents that came after it; of `context.*`: Portulan 0.4.
pub const KEYS: &[Key] = &[
    key("$schema", Text, None, Nobody).about("Where editors find the schema of this file."),
    key("budget.always", Whole(1, MOST_TOKENS), None, Here)
        .about("Tokens that this repository's files may put into every session of one host."),
    key("budget.hosts.*", Whole(1, MOST_TOKENS), None, Here)
        .about("The same for one host, in place of `budget.always`."),
    key("files.*", Whole(1, MOST_TOKENS), None, Here)
        .about("Tokens that a single file, or each file that a glob names, may have."),
    key("check.fail_on", Word(&["error", "warning"]), Some("\"error\""), Here)
        .about("The findings that make `check` fail."),
    key("check.ignore", Texts, Some("[]"), Here)
        .about("Findings to leave out: `RULE` or `RULE:GLOB`."),
    key("keep", Texts, Some("[]"), Elsewhere).about("Sections that no rewrite may lose."),
    key("context.ratio.bytes_per_token", Number(1.0, 1e9), None, Here)
        .about("Bytes of one token, in place of the built-in factor."),
    key("context.ratio.calibrated_by", Text, None, Here)
        .about("The host whose text the ratio was measured on."),
    key("context.always.budget.tokens", Whole(1, MOST_TOKENS), None, Here)
        .about("Another name of `budget.always`."),
    key("coalwashMode", Word(&["off", "manual", "auto"]), Some("\"auto\""), Here)
        .safe(SafestFirst)
        .about("Whether hooks act by themselves, only by hand, or not at all."),
    key("writeGuard", Word(&["on", "snapshot-only", "off"]), Some("\"on\""), Elsewhere)
        .safe(SafestFirst)
        .about("Whether memory is copied before an agent writes it, and looked at afterwards."),
    key("localOnly", Switch, Some("false"), Elsewhere)
        .safe(TrueIsSafe)
        .about("Whether only what code can do is done, and no model is asked."),
    key("updateMode", Word(&["off", "remind", "ask", "auto"]), Some("\"off\""), Elsewhere)
        .safe(SafestFirst)
        .about("Whether updates are looked for; this program never does."),
    key("updateCheckDays", Whole(1, 365), Some("14"), Elsewhere)
        .about("Days between two looks for an update."),
    key("scanEverything", Switch, Some("false"), Elsewhere)
        .safe(FalseIsSafe)
        .about("Whether more than the usual places is looked at."),
    key("language", Word(&["auto", "th", "en", "ja", "zh", "es"]), Some("\"auto\""), Elsewhere)
        .about("The language of what hooks say."),
    key("quickVsFull", Word(&["quick", "full"]), Some("\"quick\""), Elsewhere)
        .about("How thorough a wash is unless it says otherwise."),
    key("exercisePerBand.obese", Word(&["quick"]), Some("\"quick\""), Elsewhere)
        .about("How thorough a wash is that repeats ask for."),
    key("exercisePerBand.full", Word(&["quick", "full"]), Some("\"full\""), Elsewhere)
        .about("How thorough a wash is that a limit asks for."),
    key("managedPaths", Texts, Some("[]"), Elsewhere).about("Files that no one may wash."),
    key("fullPercent", Number(1.0, 50.0), Some("6"), Nobody).about("Read by no one any more."),
    key("fatMultiple", Number(1.6, 10.0), Some("2.0"), Nobody).about("Read by no one any more."),
    key("targetPercent", Number(0.5, 49.0), Some("3"), Nobody).about("Read by no one any more."),
    key("fileMaxSizeKb", Whole(1, 1024), Some("25"), Nobody).about("Read by no one any more."),
    key("retier.targetTokens", Whole(500, 6250), Some("4125"), Here)
        .about("Tokens that the index of the memory should have."),
    key("retier.armPct", Whole(5, 50), Some("20"), Here)
        .about("Percent above the target from which on moving topics out is weighed."),
    key("retier.disarmPct", Whole(5, 50), Some("10"), Here)
        .about("Percent below the target at which it is not weighed any more."),
    key("retier.headroomPct", Whole(5, 50), Some("10"), Here)
        .about("Percent below the target that moving topics out should reach."),
    key("estate.compressAfterDays", Whole(1, 3650), Some("14"), Elsewhere)
        .about("Days after which a transcript is compressed."),
    key("estate.purgeAfterDays", Whole(0, 36500), Some("180"), Elsewhere)
        .about("Days after which a cold transcript may be deleted; 0 is never."),
    key("estate.deleteCold", Switch, Some("false"), Elsewhere)
        .safe(FalseIsSafe)
        .about("Whether cold transcripts may be deleted."),
    key("estate.archiveDir", Text, Some("\"\""), Elsewhere)
        .safe(UserOnly)
        .about("Where the archive lies."),
    key("estate.indexEnabled", Switch, Some("true"), Elsewhere)
        .about("Whether transcripts are indexed."),
    key("estate.digCrush.singleFileTok", Whole(20_000, 200_000), Some("35000"), Elsewhere)
        .about("Tokens of one file from which on reading it is weighed first."),
    key("estate.digCrush.pileTok", Whole(40_000, 200_000), Some("58000"), Elsewhere)
        .about("Tokens of a pile from which on reading it is weighed first."),
    key("estate.digCrush.fileCount", Whole(3, 50), Some("6"), Elsewhere)
        .about("Files of a pile from which on reading it is weighed first."),
    key("estate.runBudget.maxSessionsPerRun", Whole(1, 100_000), Some("25"), Elsewhere)
        .about("Sessions that one run archives at the most."),
    key(
        "estate.runBudget.maxBytesPerRun",
        Whole(1_048_576, 1_099_511_627_776),
        Some("524288000"),
        Elsewhere,
    )
    .about("Bytes that one run archives at the most."),
];

/// Keys that once were, and that no one is told about.
pub const RETIRED: [&str; 1] = ["forceMode"];

/// Returns the key of a name; the name of an open key has the user's part in place of `*`.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| match key.name.strip_suffix('*') {
        Some(above) => name.strip_prefix(above).is_some_and(|rest| !rest.is_empty()),
        None => key.name == name,
    })
}

/// Returns the names that may stand in the object `above` (empty for the whole file).
pub fn children(above: &str) -> Vec<&'static str> {
    let mut out: Vec<&'static str> = Vec::new();
    for key in KEYS {
        let rest = match above {
            "" => Some(key.name),
            _ => key.name.strip_prefix(above).and_then(|rest| rest.strip_prefix('.')),
        };
        let Some(rest) = rest.filter(|rest| *rest != "*") else { continue };
        let child = rest.split('.').next().unwrap_or(rest);
        if !out.contains(&child) {
            out.push(child);
        }
    }
    out
}

/// Returns the known name that an unknown one most likely stands for.
pub fn meant(name: &str, among: &[&'static str]) -> Option<&'static str> {
    let close = |known: &&'static str| {
        let distance = strsim::damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase());
        (distance <= 2.max(known.len() / 4)).then_some((distance, *known))
    };
    among.iter().filter_map(close).min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_fits_its_key() {
        for key in KEYS {
            let Some(default) = key.default else { continue };
            let value: serde_json::Value = serde_json::from_str(default).unwrap();
            assert!(super::super::fits(key.kind, &value).is_ok(), "{}: {default}", key.name);
        }
    }

    #[test]
    fn names_are_found_and_guessed() {
        assert_eq!(find("budget.hosts.codex").unwrap().name, "budget.hosts.*");
        assert_eq!(find("files.docs/a.b.md").unwrap().name, "files.*");
        assert!(find("files.").is_none());
        assert!(find("budget").is_none());
        assert_eq!(children("budget"), ["always", "hosts"]);
        assert_eq!(children("files"), [""; 0]);
        assert_eq!(meant("budgets", &children("")), Some("budget"));
        assert_eq!(meant("alway", &children("context")), Some("always"));
        assert_eq!(meant("nothing-like-it", &children("")), None);
    }
}
