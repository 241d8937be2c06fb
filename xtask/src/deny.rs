//! Licences, banned crates and sources of the dependencies.
//!
//! `deny.toml` is cargo-deny's file. This check reads what it needs of it and asks cargo for the
//! dependencies, so that it runs in a second and without a network. Advisories need a database, and
//! are left to cargo-deny.
//!
//! # Limitations
//! A licence is what the manifest says; no text of a licence is looked at.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    process::Command,
};

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;
use serde::Deserialize;

mod licence;
#[cfg(test)]
mod tests;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many packages were looked at, those of the workspace included.
    pub packages: usize,
    /// What `deny.toml` forbids, one line each.
    pub problems: Vec<String>,
    /// What it only warns of, one line each.
    pub notes: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (packages, problems, notes) = (self.packages, self.problems.len(), self.notes.len());
        write!(f, "{packages} packages checked, {problems} denied, {notes} noted")
    }
}

#[derive(Debug, Deserialize)]
struct Rules {
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(Debug, Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Bans {
    multiple_versions: Lint,
    deny: Vec<Ban>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Lint {
    Allow,
    Warn,
    Deny,
}

#[derive(Debug, Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
    allow_git: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

/// Checks the dependencies of the workspace at `root` against its `deny.toml`.
///
/// # Errors
/// When `deny.toml` can't be read or cargo can't list the packages, which it can't offline before
/// `cargo fetch`.
pub fn check(root: &Utf8Path) -> Result<Report> {
    let file = root.join("deny.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("could not read `{file}`"))?;
    let done = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--all-features", "--locked", "--offline"])
        .current_dir(root)
        .output()
        .context("could not run `cargo metadata`")?;
    ensure!(
        done.status.success(),
        "cargo can't list the packages offline (`cargo fetch --locked` gets them): {}",
        String::from_utf8_lossy(&done.stderr).trim()
    );
    judge(&text, &done.stdout)
}

/// Judges the packages that cargo lists by the text of a `deny.toml`.
fn judge(rules: &str, metadata: &[u8]) -> Result<Report> {
    let rules: Rules = toml::from_str(rules).context("`deny.toml` can't be read")?;
    let metadata: Metadata =
        serde_json::from_slice(metadata).context("cargo's list of packages can't be read")?;
    let mut report = Report { packages: metadata.packages.len(), ..Report::default() };
    let mut versions = BTreeMap::<&str, BTreeSet<&str>>::new();
    for package in &metadata.packages {
        let name = format!("{} {}", package.name, package.version);
        versions.entry(&package.name).or_default().insert(&package.version);
        match package.license.as_deref().map(|it| (it, licence::allowed(it, &rules.licenses.allow)))
        {
            Some((_, Some(true))) => {}
            Some((licence, Some(false))) => report.problems.push(format!("{name}: {licence}")),
            Some((licence, None)) => {
                report.problems.push(format!("{name}: no licence expression: {licence}"));
            }
            None => report.problems.push(format!("{name}: no licence")),
        }
        if let Some(ban) = rules.bans.deny.iter().find(|ban| ban.name == package.name) {
            report.problems.push(format!("{name}: banned ({})", ban.reason));
        }
        if !source_is_allowed(package, &metadata.workspace_members, &rules.sources) {
            let source = package.source.as_deref().unwrap_or("a folder outside the workspace");
            report.problems.push(format!("{name}: from {source}"));
        }
    }
    let twice = versions.iter().filter(|(_, versions)| versions.len() > 1);
    let twice = twice.map(|(name, versions)| {
        let versions: Vec<_> = versions.iter().copied().collect();
        format!("{name}: {} versions: {}", versions.len(), versions.join(", "))
    });
    match rules.bans.multiple_versions {
        Lint::Allow => {}
        Lint::Warn => report.notes.extend(twice),
        Lint::Deny => report.problems.extend(twice),
    }
    Ok(report)
}

fn source_is_allowed(package: &Package, members: &BTreeSet<String>, rules: &Sources) -> bool {
    let Some(source) = &package.source else { return members.contains(&package.id) };
    if let Some(registry) = source.strip_prefix("registry+") {
        return rules.allow_registry.iter().any(|it| it == registry);
    }
    let git = source.strip_prefix("git+").map(|it| it.split(['?', '#']).next().unwrap_or(it));
    git.is_some_and(|git| rules.allow_git.iter().any(|it| it == git))
}
