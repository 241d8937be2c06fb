//! `coalwash check`: fails on what is broken, cut off or over the budget, for CI.

pub(in crate::commands) mod github;
mod init;
mod json;
mod markdown;
pub(in crate::commands) mod sarif;
mod text;

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::config::{Config, File, NotInForce, Problem};
use coalwash_core::load::check::{
    Finding, HostMap, HostReport, Input, Limits, Outcome, Report, Standing,
};
use coalwash_core::load::tree::Tree;
use coalwash_core::load::{git, project};
use coalwash_core::text::{Estimator, FamilyFactor};
use coalwash_store::config::{never_read, repository_files};
use coalwash_store::disk::DiskTree;
use coalwash_store::load::{Fence, GitError, GitTree, repository_maps};

use crate::cli::{CheckArgs, Format, Global};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::settings;
use crate::ui::{Line, Mark, Names, Ui, number, wrapped};

/// A check that was done.
pub(super) struct Checked {
    pub(super) root: Utf8PathBuf,
    pub(super) report: Report,
    pub(super) limits: Limits,
    /// The commit that it was held against.
    pub(super) base: Option<String>,
    /// Why files count that git may not have.
    pub(super) note: Option<String>,
    /// Whether the files are those of git's index.
    pub(super) by_index: bool,
    /// Files of settings that have no say.
    pub(super) not_in_force: Vec<NotInForce>,
    pub(super) outcome: Outcome,
}

impl Checked {
    /// Returns what the base doesn't have, errors first: what is read elsewhere may be cut short.
    fn new_findings(&self) -> Vec<&Finding> {
        let mut out: Vec<_> = self.report.findings.iter().filter(|it| it.is_new).collect();
        out.sort_by_key(|it| it.severity());
        out
    }
}

/// Says that a host is over its budget.
fn over_budget(host: &HostReport) -> String {
    let (tokens, over_by) = (number(host.tokens.0), number(host.over_by()));
    format!("{} loads {tokens} tokens into every session, {over_by} over the budget", host.name)
}

/// Says that a host's budget can't be judged, where that is so.
fn unjudged(host: &HostReport) -> Option<String> {
    let why = host.unmeasured.as_ref().filter(|_| host.standing == Standing::Unjudged)?;
    Some(format!("{} could not be measured, so its budget can't be judged: {why}", host.name))
}

/// Runs the command.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &CheckArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let folder = env.folder(global.project.as_deref())?;
    let root = root(&folder);
    let files = repository_files(&root);
    if args.init {
        return init::run(env, &root, &files, ui);
    }
    let config = Config::of(&files);
    let limits = match Limits::of(&config) {
        Ok(limits) => limits,
        Err(problems) => {
            config_wrong(&root, &problems, args, global, ui)?;
            return Ok(Exit::Usage);
        }
    };
    let mut checked = check(&root, limits, args.base.as_deref())?;
    checked.not_in_force = config.behind(&files);
    checked.not_in_force.extend(never_read(&root, &files));
    if let Some(host) = global.host {
        checked.report.hosts.retain(|it| it.host == host.id());
        checked.report.findings.retain(|it| it.hosts.is_empty() || it.hosts.contains(&host.id()));
        checked.outcome = checked.report.outcome(&checked.limits);
    }
    let format = if global.json { Format::Json } else { args.format };
    match format {
        Format::Text => ui.screen(&text::lines(&checked, args.all, ui))?,
        Format::Json => ui.json(&json::value(&checked))?,
        Format::Sarif => ui.json(&sarif::value(&checked))?,
        Format::Github => ui.data(github::text(&checked).as_bytes())?,
        Format::Markdown => ui.data(markdown::text(&checked).as_bytes())?,
    }
    Ok(match checked.outcome {
        Outcome::Passed => Exit::Ok,
        Outcome::Failed => Exit::No,
        Outcome::Unjudged => Exit::Usage,
    })
}

/// Returns the root of the repository that a folder lies in. No home is looked at.
fn root(folder: &Utf8Path) -> Utf8PathBuf {
    let tree = DiskTree::default();
    let checkout = git::checkout(&tree, folder);
    let nowhere = Utf8Path::new("/coalwash-no-home");
    project::root(&tree, folder, nowhere, nowhere, checkout.as_ref())
}

/// Checks a repository, alone or against what it has in common with another branch.
fn check(root: &Utf8Path, limits: Limits, base: Option<&str>) -> Result<Checked, Failure> {
    let fence = Fence::new(root);
    let files = fence.files();
    let factor = FamilyFactor::CLAUDE;
    let estimator: &dyn Estimator = match &limits.ratio {
        Some(ratio) => ratio,
        None => &factor,
    };
    let maps = |tree: &dyn Tree, files: &[String]| repository_maps(tree, root, files, estimator);
    let before = |rev: &str| -> Result<(GitTree<'_>, Vec<String>, Vec<HostMap>), GitError> {
        let tree = GitTree::merge_base(&fence, rev)?;
        let files = tree.files();
        let hosts = maps(&tree, &files);
        Ok((tree, files, hosts))
    };
    // While git is asked the files are read, and each side is a thread's work.
    let (hosts, old) = match base {
        None => (maps(&fence, &files), None),
        Some(rev) => std::thread::scope(|scope| {
            let old = scope.spawn(|| before(rev));
            (maps(&fence, &files), Some((rev, old.join())))
        }),
    };
    let input = Input { root, tree: &fence, files: &files, hosts: &hosts, limits: &limits };
    let (report, base) = match old {
        None => (Report::of(&input, None), None),
        Some((rev, old)) => {
            let failed = |error: GitError| git_failure(&error, rev);
            let old = old.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let (tree, old_files, old_hosts) = old.map_err(failed)?;
            let old =
                Input { root, tree: &tree, files: &old_files, hosts: &old_hosts, limits: &limits };
            let report = Report::of(&input, Some(&old));
            let commit = tree.commit().to_owned();
            // What was worked out of a tree with something missing in it is wrong.
            match tree.failure() {
                Some(error) => return Err(failed(error)),
                None => (report, Some(commit)),
            }
        }
    };
    let outcome = report.outcome(&limits);
    let (note, by_index) = (fence.note().map(str::to_owned), fence.is_by_index());
    let root = root.to_owned();
    let not_in_force = Vec::new();
    Ok(Checked { root, report, limits, base, note, by_index, not_in_force, outcome })
}

fn git_failure(error: &GitError, rev: &str) -> Failure {
    let next = match error {
        GitError::NoRepository { .. } => "leave `--base` out, or name a repository with `-C`",
        GitError::NoGit { .. } => "install git, or leave `--base` out",
        GitError::Shallow { .. } | GitError::NoRevisionInShallow { .. } => {
            "fetch all of it: `fetch-depth: 0`, or `git fetch --unshallow`"
        }
        GitError::NoContent { .. } => "fetch all of it: clone it without `--filter`",
        GitError::NoBase { .. } => "fetch both branches, or name another base",
        GitError::Stopped { .. } | GitError::Unlisted { .. } => "see what `git fsck` says",
        _ => return Failure::usage(error.to_string(), format!("git fetch origin {rev}")),
    };
    Failure::usage(error.to_string(), next)
}

/// Says what is wrong with the configuration, in the form that was asked for.
fn config_wrong(
    root: &Utf8Path,
    problems: &[Problem],
    args: &CheckArgs,
    global: &Global,
    ui: &mut Ui,
) -> anyhow::Result<()> {
    let names = Names { root, home: None, memory: None };
    if global.json || args.format == Format::Json {
        return ui.json(&json::config_wrong(root, problems));
    }
    let said: Vec<String> = problems.iter().map(|it| settings::problem(it, &names)).collect();
    match args.format {
        Format::Github => {
            let lines = problems.iter().zip(&said).map(|(it, _)| github::config_wrong(root, it));
            return ui.data(lines.collect::<String>().as_bytes());
        }
        Format::Sarif => return ui.json(&sarif::config_wrong(root, problems)),
        Format::Markdown => {
            return ui.data(markdown::config_wrong(&said).as_bytes());
        }
        Format::Text | Format::Json => {}
    }
    let mut lines = Vec::new();
    for it in &said {
        lines.extend(wrapped(it, ui.width, 4).into_iter().map(Line::plain));
    }
    let last = "Not checked: the configuration is wrong.";
    lines.push(Line::marked(Mark::Bad, last));
    ui.screen(&lines)
}

/// Reads the files of a repository's configuration, for `--init`.
type ConfigFiles = [File];
