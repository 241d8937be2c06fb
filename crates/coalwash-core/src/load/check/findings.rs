//! What is wrong with a repository's instruction files.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::rules::{Rule, Severity};
use super::{HostMap, Input, always, limits, relative};
use crate::load::map::{Entry, Kind, Origin, SkipReason, Tier};
use crate::load::pattern::Patterns;
use crate::load::tree::{Tree, Unreadable};
use crate::text::Estimator;
use crate::text::lines::head;

/// Names of the files that hosts look for in every folder.
const INSTRUCTIONS: [&str; 5] =
    ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"];

/// Characters of foreign text in a message.
const MOST_CHARS: usize = 60;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The file, from the root.
    pub path: Utf8PathBuf,
    /// The 1-based line.
    pub line: usize,
    /// The 1-based column, in characters.
    pub column: usize,
    /// What is wrong, a sentence without its full stop.
    pub what: String,
    /// What to do, a sentence without its full stop.
    pub fix: String,
    /// The hosts that it is about.
    pub hosts: Vec<&'static str>,
    /// Whether the base doesn't have it, or not as much of it.
    pub is_new: bool,
    /// What tells it from others of its rule in its file, whatever line it stands in by now.
    #[serde(skip)]
    pub subject: String,
    /// How much of it there is, where that can be said: 0 otherwise.
    #[serde(skip)]
    pub amount: u64,
}

impl Finding {
    /// Returns how serious it is.
    pub fn severity(&self) -> Severity {
        self.rule.severity()
    }

    /// Returns what tells it from another one, whatever line it stands in and however much there is
    /// of it by now.
    pub fn fingerprint(&self) -> String {
        format!("{}:{}:{}", self.rule.code(), self.path, self.subject)
    }
}

/// Finds everything, by place.
pub(super) fn of(input: &Input<'_>, estimator: &dyn Estimator) -> Vec<Finding> {
    let mut out: Vec<Finding> = Vec::new();
    for host in input.hosts {
        let finder = Finder { input, host };
        for finding in finder.all() {
            match out.iter_mut().find(|old| {
                old.rule == finding.rule
                    && (&old.path, old.line, &old.what)
                        == (&finding.path, finding.line, &finding.what)
            }) {
                Some(old) => {
                    if old.rule == Rule::NeverRead && old.fix != finding.fix {
                        old.fix += &format!("; for {}: {}", host.name, finding.fix);
                    }
                    old.hosts.extend(finding.hosts);
                }
                None => out.push(finding),
            }
        }
    }
    // A file that another host reads is not in vain.
    let entries = input.hosts.iter().flat_map(|host| &host.map.entries);
    let read: FxHashSet<&str> =
        entries.flat_map(|e| [e.path.as_str(), e.real().as_str()]).collect();
    out.retain(|it| {
        let in_vain = matches!(it.rule, Rule::Shadowed | Rule::NeverRead);
        !in_vain || !read.contains(input.root.join(&it.path).as_str())
    });
    for finding in out.iter_mut().filter(|it| it.rule == Rule::NeverRead) {
        finding.what = never_read(input, &finding.hosts);
    }
    out.extend(files_over(input, estimator));
    out.sort_by(|a, b| {
        (&a.path, a.line, a.column, a.rule).cmp(&(&b.path, b.line, b.column, b.rule))
    });
    out
}

/// Says which hosts never read a file.
fn never_read(input: &Input<'_>, hosts: &[&str]) -> String {
    let host = |id: &&str| input.hosts.iter().find(|host| host.map.host == *id);
    let names: Vec<&str> = hosts.iter().filter_map(host).map(|host| host.name).collect();
    let (who, verb) = match names.split_last() {
        Some((last, [])) => ((*last).to_owned(), "reads"),
        Some((last, others)) => (format!("{} and {last}", others.join(", ")), "read"),
        None => return SkipReason::NeverRead.words().to_owned(),
    };
    format!("{who} never {verb} a file of this name here")
}

/// Marks what the base has, too, and no less of it.
pub(super) fn mark_old(all: &mut [Finding], base: Vec<Finding>) {
    let mut known: FxHashMap<String, Vec<u64>> = FxHashMap::default();
    for finding in base {
        known.entry(finding.fingerprint()).or_default().push(finding.amount);
    }
    for finding in all {
        let Some(amounts) = known.get_mut(&finding.fingerprint()) else { continue };
        let enough = amounts.iter().enumerate().filter(|(_, amount)| **amount >= finding.amount);
        if let Some((at, _)) = enough.min_by_key(|(_, amount)| **amount) {
            amounts.swap_remove(at);
            finding.is_new = false;
        }
    }
}

/// Holds single files against their limits.
fn files_over(input: &Input<'_>, estimator: &dyn Estimator) -> Vec<Finding> {
    let mut out = Vec::new();
    for limit in &input.limits.files {
        for file in input.files.iter().filter(|file| limits::names(&limit.glob, file)) {
            let finding = |rule, what: String, fix: &str, amount| Finding {
                rule,
                path: file.into(),
                line: 1,
                column: 1,
                what,
                fix: fix.to_owned(),
                hosts: Vec::new(),
                is_new: true,
                subject: limit.glob.clone(),
                amount,
            };
            let bytes = match input.tree.read(&input.root.join(file)) {
                Ok(bytes) => bytes,
                // A submodule, or a link to a folder; a file that was deleted and not yet from git.
                Err(Unreadable::Folder | Unreadable::Missing) => continue,
                Err(why) => {
                    let (rule, fix) = match why {
                        Unreadable::Outside => (Rule::LinkOutside, "put the file itself there"),
                        _ => (Rule::Unreadable, "make it readable"),
                    };
                    let what = format!("it can't be held against `files`: {why}");
                    out.push(finding(rule, what, fix, 0));
                    continue;
                }
            };
            let tokens = estimator.tokens(&String::from_utf8_lossy(&bytes));
            let most = limit.budget.tokens;
            if tokens.0 > most {
                let what = format!("{} tokens, and `files` allows it {most}", tokens.0);
                let fix = "shorten it, or move a part to a file that loads only when it is needed";
                out.push(finding(Rule::FileOver, what, fix, tokens.0));
            }
        }
    }
    out
}

struct Finder<'a> {
    input: &'a Input<'a>,
    host: &'a HostMap,
}

impl Finder<'_> {
    fn finding(
        &self,
        rule: Rule,
        path: &Utf8Path,
        line: usize,
        what: String,
        fix: String,
    ) -> Finding {
        Finding {
            rule,
            path: relative(self.input.root, path),
            line,
            column: 1,
            subject: what.clone(),
            amount: 0,
            what,
            fix,
            hosts: vec![self.host.map.host],
            is_new: true,
        }
    }

    fn all(&self) -> Vec<Finding> {
        let mut out = self.passed_over();
        out.extend(self.imports());
        for entry in &self.host.map.entries {
            out.extend(self.rule(entry));
            out.extend(self.cut_off(entry));
            out.extend(self.noise(entry));
        }
        let agents = |e: &&Entry| e.from.is_none() && e.path.file_name() == Some("AGENTS.md");
        if self.host.fragile
            && let Some(entry) = always(&self.host.map).find(agents)
        {
            let what =
                format!("{} reads it only while no one adds a `CLAUDE.local.md`", self.host.name);
            let fix = "add a `CLAUDE.md` with the line `@AGENTS.md`".to_owned();
            out.push(self.finding(Rule::AgentsMdFragile, &entry.path, 1, what, fix));
        }
        for double in &self.host.map.doubles {
            let first = relative(self.input.root, &double.first);
            let what =
                format!("the same text as {first}, loaded twice: {} tokens", double.tokens.0);
            let fix = "keep one of them".to_owned();
            let finding = self.finding(Rule::LoadedTwice, &double.again, 1, what, fix);
            out.push(Finding { subject: first.into_string(), amount: double.tokens.0, ..finding });
        }
        out
    }

    /// What the host passes over without a word.
    fn passed_over(&self) -> Vec<Finding> {
        let mut out = Vec::new();
        for skipped in &self.host.map.skipped {
            let Some(rule) = Rule::of_skipped(skipped.reason) else { continue };
            let place = match (&skipped.from, &skipped.path) {
                (Some(from), _) => from.clone(),
                (None, Some(path)) => Origin { path: path.clone(), line: 1 },
                (None, None) => continue,
            };
            let words = skipped.reason.words();
            let what = match (&skipped.text, &skipped.path) {
                (Some(text), _) => {
                    format!("`{}` loads nothing: {words}", head(text, MOST_CHARS))
                }
                (None, Some(path)) if skipped.from.is_some() => {
                    format!("`{}` loads nothing: {words}", relative(self.input.root, path))
                }
                _ => words.to_owned(),
            };
            let mut finding =
                self.finding(rule, &place.path, place.line, what, skipped.fix.clone());
            if rule == Rule::ImportOutside {
                finding.what = format!(
                    "`{}` leads out: each user is asked for approval, and not everyone has it",
                    head(skipped.text.as_deref().unwrap_or_default(), MOST_CHARS)
                );
                finding.fix = "copy it into the repository".to_owned();
                finding.subject.clone_from(&finding.what);
            }
            if let Some(text) = &skipped.text {
                finding.column = self.column(&place, text, rule == Rule::ImportGlued);
            }
            out.push(finding);
        }
        out
    }

    /// Circles, and imports of what loads anyway.
    fn imports(&self) -> Vec<Finding> {
        let map = &self.host.map;
        let by_path: FxHashMap<&str, &Entry> =
            map.entries.iter().map(|entry| (entry.path.as_str(), entry)).collect();
        // The file itself, and those that import it, up to one that the host looks for.
        let chain = |from: &Origin| {
            let mut out: Vec<&Utf8Path> = Vec::new();
            let mut at = by_path.get(from.path.as_str()).copied();
            while let Some(entry) = at.filter(|_| out.len() <= map.entries.len()) {
                out.push(entry.real());
                at = entry.from.as_ref().and_then(|from| by_path.get(from.path.as_str()).copied());
            }
            out
        };
        let mut out = Vec::new();
        let mut circles: Vec<&Origin> = Vec::new();
        for (from, target) in &map.again {
            if chain(from).contains(&target.as_path()) {
                circles.push(from);
                let target = relative(self.input.root, target);
                let what = format!("the import of `{target}` leads in a circle");
                let fix = "take one of the imports out".to_owned();
                out.push(self.finding(Rule::ImportCycle, &from.path, from.line, what, fix));
            }
        }
        let first = map.entries.iter().filter_map(|e| Some((e.from.as_ref()?, e.real())));
        let again = map.again.iter().map(|(from, target)| (from, target.as_path()));
        for (from, target) in first.chain(again) {
            let above = target.parent().unwrap_or(target);
            let holder = holder(&from.path);
            let is_name = target.file_name().is_some_and(|name| INSTRUCTIONS.contains(&name));
            if is_name && holder.starts_with(above) && holder != above && !circles.contains(&from) {
                let target = relative(self.input.root, target);
                let what = format!("`{target}` is above, where the host loads it anyway");
                let fix = "take the import out".to_owned();
                out.push(self.finding(Rule::ImportAncestor, &from.path, from.line, what, fix));
            }
        }
        out
    }

    /// Rules whose `paths` do something else than they seem to.
    fn rule(&self, entry: &Entry) -> Option<Finding> {
        if entry.tier == Tier::OnPath && !entry.patterns.is_empty() {
            return self.matches_nothing(entry);
        }
        let is_rule = entry.kind == Kind::Rule && entry.tier == Tier::Always;
        let line = is_rule.then(|| self.paths_line(&entry.path)).flatten()?;
        let what = "it has `paths` and loads into every session all the same".to_owned();
        let fix = "write `paths` as a list of patterns in quotes, or take it out".to_owned();
        Some(self.finding(Rule::RuleAlwaysLoads, &entry.path, line, what, fix))
    }

    fn matches_nothing(&self, entry: &Entry) -> Option<Finding> {
        let base = match entry.kind {
            Kind::Rule => rule_base(&entry.path),
            _ => self.input.root.to_owned(),
        };
        let base = relative(self.input.root, &base);
        let below = |file: &'_ str| -> Option<String> {
            if base.as_str().is_empty() {
                return Some(file.to_owned());
            }
            file.strip_prefix(base.as_str())?.strip_prefix('/').map(str::to_owned)
        };
        let files: Vec<String> = self.input.files.iter().filter_map(|f| below(f)).collect();
        let any = |patterns: &[&str]| {
            let patterns = Patterns::new(patterns.iter().copied());
            files.iter().any(|file| patterns.matches(file))
        };
        let own: Vec<&str> = entry.patterns.iter().map(String::as_str).collect();
        if any(&own) {
            return None;
        }
        let guess = own.iter().find_map(|pattern| {
            let last = pattern.trim_end_matches("/**").rsplit('/').next()?;
            let guess = format!("**/{last}");
            let is_name = last.chars().any(|c| c.is_alphanumeric());
            (is_name && guess != *pattern && any(&[&*guess])).then_some(guess)
        });
        let line = self.paths_line(&entry.path).unwrap_or(1);
        let shown = head(&entry.paths.join(", "), MOST_CHARS);
        let what = format!("`paths: {shown}` matches no file here");
        let fix = guess.map_or_else(
            || "correct it, or delete it".to_owned(),
            |guess| format!("did you mean `{guess}`?"),
        );
        Some(self.finding(Rule::RuleNeverMatches, &entry.path, line, what, fix))
    }

    /// Text that the host drops for its length.
    fn cut_off(&self, entry: &Entry) -> Option<Finding> {
        let cut = entry.cut.as_ref()?;
        let first = head(&cut.first_lost, MOST_CHARS);
        let what = format!(
            "{} drops everything from here on, {}, from \"{first}\"",
            self.host.name,
            match cut.lost_bytes {
                Some(bytes) => format!("{bytes} bytes past its limit"),
                None => format!("{} of {} lines", cut.lost_lines, cut.lines),
            }
        );
        let line = cut.line.unwrap_or(cut.lines - cut.lost_lines + 1);
        let fix = "shorten what stands before it, or move a part away".to_owned();
        let amount = cut.lost_bytes.unwrap_or(cut.lost_lines as u64);
        let finding = self.finding(Rule::CutOff, &entry.path, line, what, fix);
        Some(Finding { subject: self.host.map.host.to_owned(), amount, ..finding })
    }

    /// Bytes that arrive as replacement characters.
    fn noise(&self, entry: &Entry) -> Option<Finding> {
        let text = entry.sent.as_deref().filter(|text| text.contains('\u{fffd}'))?;
        let bytes = self.input.tree.read(entry.real()).ok()?;
        let error = std::str::from_utf8(&bytes).err()?;
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return None;
        }
        let line = bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
        let count = text.matches('\u{fffd}').count();
        let what = format!("bytes that are not UTF-8 arrive as \u{201c}\u{fffd}\u{201d} ({count})");
        let fix = "save it as UTF-8".to_owned();
        let finding = self.finding(Rule::Encoding, &entry.path, line, what, fix);
        Some(Finding { subject: "bytes".to_owned(), amount: count as u64, ..finding })
    }

    /// Returns the line of `paths` in the front matter of a file.
    fn paths_line(&self, path: &Utf8Path) -> Option<usize> {
        let bytes = self.input.tree.read(path).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().enumerate();
        lines.next().filter(|(_, line)| line.trim_end() == "---")?;
        let mut inside = lines.take_while(|(_, line)| line.trim_end() != "---");
        inside.find(|(_, line)| line.starts_with("paths:")).map(|(i, _)| i + 1)
    }

    /// Returns the 1-based column of a text in a line, or 1. Glued to a word or by itself: a line
    /// may hold it both ways.
    fn column(&self, place: &Origin, text: &str, glued: bool) -> usize {
        let column = |tree: &dyn Tree| {
            let bytes = tree.read(&place.path).ok()?;
            let all = String::from_utf8_lossy(&bytes);
            let line = all.split('\n').nth(place.line.checked_sub(1)?)?;
            let is_so = |at: &usize| {
                let is_glued = line[..*at].ends_with(|c: char| !c.is_whitespace());
                let goes_on = line[at + text.len()..].starts_with(|c: char| !c.is_whitespace());
                is_glued == glued && (glued || !goes_on)
            };
            let mut all = line.match_indices(text).map(|(at, _)| at);
            let at = all.clone().find(is_so).or_else(|| all.next())?;
            Some(line[..at].chars().count() + 1)
        };
        column(self.input.tree).unwrap_or(1)
    }
}

/// Returns the folder whose sessions a file belongs to: the one that holds its `.claude`.
fn holder(path: &Utf8Path) -> &Utf8Path {
    let folder = path.parent().unwrap_or(path);
    match folder.file_name() {
        Some(".claude") => folder.parent().unwrap_or(folder),
        _ => folder,
    }
}

/// Returns the folder that the patterns of a rule are relative to.
fn rule_base(path: &Utf8Path) -> Utf8PathBuf {
    let claude = path.ancestors().filter(|a| a.file_name() == Some(".claude")).last();
    claude.and_then(Utf8Path::parent).unwrap_or(path).to_owned()
}
