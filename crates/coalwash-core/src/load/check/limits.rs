//! What a repository declares: budgets, limits of single files, what to leave out.

use serde::Serialize;

use super::rules::{Rule, Severity};
use crate::config::{Config, Origin, Problem, Setting, Trouble, host_id};
use crate::load::pattern::glob_matches;
use crate::text::{Estimate, Estimator, Tokens};

/// Everything that is declared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// The budget of every host that has none of its own.
    pub always: Option<Budget>,
    /// Budgets of single hosts.
    pub hosts: Vec<(&'static str, Budget)>,
    /// Bytes of one token.
    pub ratio: Option<Ratio>,
    /// Limits of single files, in the order of the configuration.
    pub files: Vec<FileLimit>,
    /// Whether warnings fail, too.
    pub fail_on_warning: bool,
    /// Findings that are left out.
    pub ignore: Vec<Ignore>,
}

/// A number of tokens and where it was declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// The most tokens.
    pub tokens: u64,
    /// Where.
    pub origin: Origin,
}

/// The limit of a file, or of each file that a glob names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLimit {
    /// The glob, from the root of the repository.
    pub glob: String,
    /// The limit.
    pub budget: Budget,
}

/// Findings that are left out: of one rule, and of the files of a glob where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    rule: Rule,
    glob: Option<String>,
}

impl Ignore {
    /// Returns whether a finding of `rule` in `path` is left out.
    pub fn covers(&self, rule: Rule, path: &str) -> bool {
        self.rule == rule && self.glob.as_deref().is_none_or(|glob| names(glob, path))
    }
}

/// Returns whether a glob from the root of the repository names a file.
pub fn names(glob: &str, path: &str) -> bool {
    glob_matches(&format!("/{}", glob.trim_start_matches("./")), &format!("/{path}"))
}

/// Bytes of one token, as the configuration declares them.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Bytes of the text that is sent.
    pub bytes_per_token: f64,
    /// The host it was measured on.
    pub calibrated_by: Option<String>,
}

impl Ratio {
    /// Returns how well the figures of a host are known with this ratio.
    pub fn calibration(&self, host: &str) -> Estimate {
        match self.calibrated_by.as_deref().map(|by| host_id(by).unwrap_or(by)) {
            Some(by) if by == host => Estimate::Calibrated,
            Some(_) => Estimate::Extrapolated,
            None => Estimate::Estimated,
        }
    }
}

impl Estimator for Ratio {
    fn tokens(&self, text: &str) -> Tokens {
        self.tokens_of_bytes(text.len() as u64)
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes are far below 2^53, and the quotient is not negative"
    )]
    fn tokens_of_bytes(&self, bytes: u64) -> Tokens {
        Tokens((bytes as f64 / self.bytes_per_token + 0.5).floor() as u64)
    }

    fn source(&self) -> Estimate {
        Estimate::Estimated
    }

    fn band_percent(&self) -> u8 {
        25
    }
}

impl Limits {
    /// Reads what a configuration declares.
    ///
    /// # Errors
    /// Every problem with a budget: none is ever read as if it were not there.
    pub fn of(config: &Config) -> Result<Self, Vec<Problem>> {
        let mut out = Self::default();
        let mut problems = config.problems.clone();
        let setting = |name: &str| config.settings.iter().find(|s| s.name == name);
        let budget = |s: &Setting| {
            let tokens = s.value.as_u64()?;
            Some(Budget { tokens, origin: s.origin.clone()? })
        };
        let own = setting("budget.always").and_then(budget);
        let other = setting("context.always.budget.tokens").and_then(budget);
        if let (Some(own), Some(other)) = (&own, &other)
            && own.tokens != other.tokens
        {
            problems.push(Problem {
                origin: other.origin.clone(),
                what: format!(
                    "`context.always.budget.tokens` is {}, and `budget.always` is {}",
                    other.tokens, own.tokens
                ),
                fix: "take one out".to_owned(),
                trouble: Trouble::Budget,
            });
        }
        let ratio = setting("context.ratio.bytes_per_token");
        if let (Some(other), None) = (&other, ratio) {
            problems.push(Problem {
                origin: other.origin.clone(),
                what: "`context` has a budget and no ratio".to_owned(),
                fix: "add `context.ratio.bytes_per_token`, or use `budget.always`".to_owned(),
                trouble: Trouble::Budget,
            });
        }
        let host = setting("context.ratio.calibrated_by");
        if let Some(origin) = host.filter(|it| it.value == "").and_then(|it| it.origin.clone()) {
            problems.push(Problem {
                origin,
                what: "`context.ratio.calibrated_by` names no host".to_owned(),
                fix: "name the one whose text was measured, or take it out".to_owned(),
                trouble: Trouble::Budget,
            });
        }
        out.always = own.or(other);
        for (host, setting) in config.open("budget.hosts.*") {
            let (Some(id), Some(budget)) = (host_id(host), budget(setting)) else { continue };
            out.hosts.push((id, budget));
        }
        out.ratio = ratio.and_then(|s| s.value.as_f64()).map(|bytes_per_token| Ratio {
            bytes_per_token,
            calibrated_by: config
                .get("context.ratio.calibrated_by")
                .and_then(|value| value.as_str().map(str::to_owned)),
        });
        for (glob, setting) in config.open("files.*") {
            let Some(budget) = budget(setting) else { continue };
            out.files.push(FileLimit { glob: glob.to_owned(), budget });
        }
        out.fail_on_warning = config.get("check.fail_on").is_some_and(|value| value == "warning");
        for text in config.texts("check.ignore") {
            let (code, glob) = match text.split_once(':') {
                Some((code, glob)) => (code, Some(glob.to_owned())),
                None => (&*text, None),
            };
            match Rule::of(code) {
                Some(Rule::BudgetOver | Rule::FileOver) | None => {
                    let origin = setting("check.ignore").and_then(|s| s.origin.clone());
                    let what = match Rule::of(code) {
                        None => format!("`check.ignore` names the unknown rule `{code}`"),
                        Some(_) => format!("`check.ignore` can't leave out `{code}`"),
                    };
                    problems.push(Problem {
                        origin: origin.unwrap_or(Origin {
                            path: "coalwash.jsonc".into(),
                            line: 0,
                            column: 0,
                        }),
                        what,
                        fix: "take it out".to_owned(),
                        trouble: Trouble::Value,
                    });
                }
                Some(rule) => out.ignore.push(Ignore { rule, glob }),
            }
        }
        if problems.is_empty() { Ok(out) } else { Err(problems) }
    }

    /// Returns the budget of a host.
    pub fn budget(&self, host: &str) -> Option<&Budget> {
        let own = self.hosts.iter().find(|(id, _)| *id == host).map(|(_, budget)| budget);
        own.or(self.always.as_ref())
    }

    /// Returns whether a finding of this severity makes the check fail.
    pub fn fails(&self, severity: Severity) -> bool {
        severity == Severity::Error || self.fail_on_warning
    }
}
