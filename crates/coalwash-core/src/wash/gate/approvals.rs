//! Findings that someone has looked at and wants.

use serde::{Deserialize, Serialize};

use super::report::{Class, Finding};

/// Leave to lose, change or move one thing, so many times, in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The file, as the report names it.
    pub file: String,
    /// What may happen.
    pub class: Class,
    /// To which words: the text of the finding.
    pub text: String,
    /// How often.
    #[serde(default = "once")]
    pub count: u32,
}

fn once() -> u32 {
    1
}

/// Approvals, and how often each was used.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    left: Vec<(Approval, u32)>,
}

/// A file of approvals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: String,
    approvals: Vec<Approval>,
}

/// The schema of a file of approvals.
pub const SCHEMA: &str = "coalwash.approvals/1";

impl Approvals {
    /// Reads a file of approvals.
    ///
    /// # Errors
    /// The place and what is wrong there, where it is none.
    pub fn read(json: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if file.schema != SCHEMA {
            return Err(format!("`schema` is `{}`; this build reads `{SCHEMA}`", file.schema));
        }
        Ok(Self::of(file.approvals))
    }

    /// Takes these approvals, none used.
    pub fn of(approvals: Vec<Approval>) -> Self {
        Self { left: approvals.into_iter().map(|approval| (approval, 0)).collect() }
    }

    /// Uses an approval for this finding, if one is left.
    pub fn take(&mut self, file: &str, finding: &Finding) -> bool {
        let fits = |(approval, used): &&mut (Approval, u32)| {
            *used < approval.count
                && approval.class == finding.class
                && approval.file == file
                && approval.text == finding.text
        };
        match self.left.iter_mut().find(fits) {
            Some((_, used)) => {
                *used += 1;
                true
            }
            None => false,
        }
    }

    /// Returns what was not used, with how often each was left.
    pub fn unused(&self) -> impl Iterator<Item = (&Approval, u32)> {
        self.left
            .iter()
            .filter(|(approval, used)| *used < approval.count)
            .map(|(approval, used)| (approval, approval.count - used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_is_for_one_file_class_text_and_count() {
        let json = r#"{"schema":"coalwash.approvals/1","approvals":[
            {"file":"a.md","class":"number-changed","text":"30 s → 60 s"},
            {"file":"a.md","class":"weaker","text":"must → should","count":2}]}"#;
        let mut approvals = Approvals::read(json).unwrap();
        let finding = |class, text: &str| Finding::new(class, text.to_owned());
        let number = finding(Class::NumberChanged, "30 s → 60 s");
        assert!(!approvals.take("b.md", &number));
        assert!(!approvals.take("a.md", &finding(Class::UnitChanged, "30 s → 60 s")));
        assert!(!approvals.take("a.md", &finding(Class::NumberChanged, "30 s → 90 s")));
        assert!(approvals.take("a.md", &number));
        assert!(!approvals.take("a.md", &number));
        assert!(approvals.take("a.md", &finding(Class::Weaker, "must → should")));
        let unused: Vec<_> =
            approvals.unused().map(|(approval, left)| (approval.class, left)).collect();
        assert_eq!(unused, [(Class::Weaker, 1)]);
    }

    #[test]
    fn what_is_no_file_of_approvals_is_refused_with_its_place() {
        for (json, expected) in [
            ("7", "invalid type"),
            (r#"{"schema":"x","approvals":[]}"#, "this build reads"),
            (
                r#"{"schema":"coalwash.approvals/1","approvals":[{"file":"a","class":"no","text":""}]}"#,
                "line 1 column",
            ),
            (r#"{"schema":"coalwash.approvals/1","approvals":[],"more":1}"#, "unknown field"),
        ] {
            let error = Approvals::read(json).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
