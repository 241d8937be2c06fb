//! The embedded sample: a small home with an agent's files, for a machine that has none.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::slug::slug;
use coalwash_store::disk::{SampleItem, lay_out};
use serde_json::json;
use tempfile::TempDir;

use crate::cli::Host;
use crate::env::{ClaudeEnv, Env, OthersEnv};
use crate::exit::Failure;
use crate::look::{Depth, look};

macro_rules! items {
    ($($path:literal <- $file:literal,)*) => {
        &[$(($path, include_str!(concat!("../sample/", $file)))),*]
    };
}

/// Where each file goes; `{memory}` is the folder of the host's memory.
const ITEMS: &[(&str, &str)] = items! {
    "home/.claude/CLAUDE.md" <- "home/CLAUDE.md",
    "home/.claude/skills/release-notes/SKILL.md" <- "home/skills/release-notes/SKILL.md",
    "home/.claude/skills/postmortem/SKILL.md" <- "home/skills/postmortem/SKILL.md",
    "{memory}/MEMORY.md" <- "home/memory/MEMORY.md",
    "{memory}/refunds.md" <- "home/memory/refunds.md",
    "{memory}/deploy.md" <- "home/memory/deploy.md",
    "home/.codex/AGENTS.md" <- "home/codex-AGENTS.md",
    "home/.config/opencode/opencode.json" <- "home/opencode.json",
    "home/work/shop-api/AGENTS.md" <- "shop-api/AGENTS.md",
    "home/work/shop-api/GEMINI.md" <- "shop-api/GEMINI.md",
    "home/work/shop-api/CLAUDE.md" <- "shop-api/CLAUDE.md",
    "home/work/shop-api/docs/conventions.md" <- "shop-api/docs/conventions.md",
    "home/work/shop-api/docs/api.md" <- "shop-api/docs/api.md",
    "home/work/shop-api/.claude/rules/testing.md" <- "shop-api/rules/testing.md",
    "home/work/shop-api/.claude/rules/pay.md" <- "shop-api/rules/pay.md",
    "home/work/shop-api/.claude/agents/reviewer.md" <- "shop-api/agents/reviewer.md",
    "home/work/shop-api/.claude/commands/train.md" <- "shop-api/commands/train.md",
    "home/work/shop-api/src/payments/CLAUDE.md" <- "shop-api/payments/CLAUDE.md",
    "home/work/shop-api/src/payments/refund.rs" <- "shop-api/payments/refund.rs",
};

const PROJECT: &str = "home/work/shop-api";

/// The sample, laid out in a private temporary folder that goes when this value goes.
#[derive(Debug)]
pub(crate) struct Sample {
    /// Keeps the folder.
    _folder: TempDir,
    root: Utf8PathBuf,
    project: Utf8PathBuf,
}

impl Sample {
    /// Lays the sample out, with a record of one session an hour before `now_ms`.
    pub(crate) fn make(now_ms: i64) -> anyhow::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("coalwash-sample-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir().map_err(|e| {
            Failure::io(format!(
                "no folder for the sample could be made in the temporary folder: {e}"
            ))
        })?;
        let real = folder.path().canonicalize()?;
        let root = Utf8PathBuf::from_path_buf(real)
            .map_err(|_| Failure::io("the path of the folder for temporary files is not UTF-8"))?;
        let project = root.join(PROJECT);
        let sessions = format!("home/.claude/projects/{}", slug(&project));
        let memory = format!("{sessions}/memory");
        let paths: Vec<_> =
            ITEMS.iter().map(|(path, _)| path.replace("{memory}", &memory)).collect();
        let texts = ITEMS.iter().map(|(_, text)| text.as_bytes());
        let mut items: Vec<_> =
            paths.iter().zip(texts).map(|(path, bytes)| SampleItem { path, bytes }).collect();
        let tracked: Vec<&str> =
            paths.iter().filter_map(|p| p.strip_prefix("home/work/shop-api/")).collect();
        let index = index(&tracked);
        items.push(SampleItem {
            path: "home/work/shop-api/.git/HEAD",
            bytes: b"ref: refs/heads/main\n",
        });
        items.push(SampleItem { path: "home/work/shop-api/.git/index", bytes: &index });
        lay_out(&root, &items)?;
        let sample = Self { _folder: folder, root, project };
        let record = sample.record(now_ms)?;
        let path = format!("{sessions}/7f3a91c2-0000-4000-8000-000000000000.jsonl");
        lay_out(&sample.root, &[SampleItem { path: &path, bytes: record.as_bytes() }])?;
        Ok(sample)
    }

    /// Returns the sample's project.
    pub(crate) fn project(&self) -> &Utf8Path {
        &self.project
    }

    /// Returns an environment that knows only the sample; screen and clock stay.
    pub(crate) fn env(&self, outer: &Env) -> Env {
        Env {
            home: Some(self.root.join("home")),
            cwd: Some(self.project.clone()),
            own_config: None,
            claude: ClaudeEnv::default(),
            others: OthersEnv { system: self.root.join("none"), ..OthersEnv::default() },
            managed: self.root.join("none"),
            path: String::new(),
            ..outer.clone()
        }
    }

    /// Returns what the host would have recorded: what the map says, an hour ago.
    fn record(&self, now_ms: i64) -> anyhow::Result<String> {
        let outer = Env::bare(now_ms);
        let found = look(&self.env(&outer), &self.project, Depth::Overview, Host::ClaudeCode)?;
        let files: Vec<_> = found
            .map
            .always()
            .filter(|e| e.name.is_none())
            .map(|e| json!({"path": e.path, "type": "Project", "content": e.sent}))
            .collect();
        let at = jiff::Timestamp::from_millisecond(now_ms - 3_600_000)?;
        let record = json!({
            "type": "attachment",
            "cwd": self.project,
            "sessionId": "7f3a91c2-0000-4000-8000-000000000000",
            "timestamp": at.to_string(),
            "version": found.map.profile,
            "attachment": {"type": "instructions", "files": files},
        });
        Ok(format!("{record}\n"))
    }
}

/// Returns a git index of version 2 that tracks `names`.
fn index(names: &[&str]) -> Vec<u8> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let count = u32::try_from(names.len()).unwrap_or(0);
    let mut out = b"DIRC\0\0\0\x02".to_vec();
    out.extend(count.to_be_bytes());
    for name in names {
        let start = out.len();
        out.resize(start + 60, 0);
        let flags = u16::try_from(name.len()).unwrap_or(u16::MAX).min(0xfff);
        out.extend(flags.to_be_bytes());
        out.extend(name.as_bytes());
        let len = (out.len() - start) / 8 * 8 + 8;
        out.resize(start + len, 0);
    }
    out.resize(out.len() + 20, 0);
    out
}
