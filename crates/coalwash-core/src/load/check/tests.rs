use super::*;
use crate::config::{Config, File, Layer, read};
use crate::load::hosts::claude_code::table;
use crate::load::hosts::codex;
use crate::load::{MemTree, Scene, load_map};

/// Checks a repository at `/r`, of which `files` are all files, for Claude Code and Codex.
fn checked(files: &[(&str, &str)], config: &str, base: Option<&[(&str, &str)]>) -> Report {
    let path = Utf8PathBuf::from("/r/coalwash.jsonc");
    let parsed = read(&path, Layer::Repository, config.as_bytes());
    let config = Config::of(&[File { path, layer: Layer::Repository, parsed }]);
    let limits = Limits::of(&config).unwrap();
    let (tree, names, maps) = laid_out(files);
    let input =
        Input { root: "/r".into(), tree: &tree, files: &names, hosts: &maps, limits: &limits };
    let Some(base) = base else { return Report::of(&input, None) };
    let (old_tree, old_names, old_maps) = laid_out(base);
    let old = Input { tree: &old_tree, files: &old_names, hosts: &old_maps, ..input };
    let input =
        Input { root: "/r".into(), tree: &tree, files: &names, hosts: &maps, limits: &limits };
    Report::of(&input, Some(&old))
}

fn laid_out(files: &[(&str, &str)]) -> (MemTree, Vec<String>, Vec<HostMap>) {
    let mut tree = MemTree::default();
    tree.folder("/r/.git");
    for (name, text) in files {
        match text.strip_prefix("-> ") {
            Some(target) => tree.link(&format!("/r/{name}"), target),
            None => tree.file(&format!("/r/{name}"), *text),
        };
    }
    let nested = files.iter().filter_map(|(name, _)| {
        let folder = name.rsplit_once('/')?.0;
        (!folder.starts_with('.')).then(|| Utf8PathBuf::from(format!("/r/{folder}")))
    });
    let scene = Scene {
        cwd: "/r".into(),
        home: "/none".into(),
        config: "/none/.claude".into(),
        managed: "/none/m".into(),
        project: "/r".into(),
        sealed: true,
        nested: nested.collect(),
        ..Scene::default()
    };
    let factor = FamilyFactor::CLAUDE;
    let profile = table::profile(None);
    let maps = vec![
        HostMap {
            name: profile.name,
            map: load_map(&profile, &scene, &tree, &factor),
            fragile: true,
        },
        HostMap {
            name: codex::HOST.name,
            map: codex::load_map(&Scene { config: "/none/.codex".into(), ..scene }, &tree, &factor),
            fragile: false,
        },
    ];
    (tree, files.iter().map(|(name, _)| (*name).to_owned()).collect(), maps)
}

fn said(report: &Report) -> String {
    let line = |it: &Finding| {
        let old = if it.is_new { "" } else { "old " };
        format!(
            "{old}{}:{}:{} {} [{}] {}\n",
            it.path,
            it.line,
            it.column,
            it.what,
            it.rule.code(),
            it.fix
        )
    };
    report.findings.iter().map(line).collect()
}

#[test]
fn what_is_wrong_is_found_with_its_place_and_its_fix() {
    let long = format!("# A\n{}", "a line of text\n".repeat(2_500));
    let files = [
        (
            "CLAUDE.md",
            "# P\n\nRead @docs/a.md. And (@docs/b.md) and @none.md\n@../out.md @docs\n- @loop/a.md\n",
        ),
        ("docs/a.md", "a"),
        ("docs/b.md", "b @../AGENTS.md"),
        ("loop/a.md", "@b.md"),
        ("loop/b.md", "@a.md"),
        ("pkg/CLAUDE.md", "@../CLAUDE.md and more\n"),
        ("claude.md", "wrong case"),
        ("AGENTS.md", &long),
        (".claude/rules/never.md", "---\npaths: \"db/**/*.sql\"\n---\nr\n"),
        (".claude/rules/dead.md", "---\npaths: \"./src/*.rs\"\n---\nr\n"),
        (".claude/rules/all.md", "---\npaths: \"**\"\n---\nr\n"),
        (".claude/rules/cursor.mdc", "---\npaths: \"**\"\n---\nr\n"),
        (".claude/agents/a.md", "---\nname: a\n---\nno description\n"),
        ("src/q.sql", "select 1"),
    ];
    insta::assert_snapshot!(said(&checked(&files, "{}", None)));
}

#[test]
fn a_team_that_relies_on_agents_md_is_told_how_it_breaks() {
    let report = checked(&[("AGENTS.md", "text\n")], "{}", None);
    assert_eq!(report.findings[0].rule, Rule::AgentsMdFragile);
    let fixed = [("AGENTS.md", "text\n"), ("CLAUDE.md", "@AGENTS.md\n")];
    assert_eq!(said(&checked(&fixed, "{}", None)), "");
}

#[test]
fn a_file_that_is_never_read_says_by_whom() {
    let found = |files: &[(&str, &str)]| said(&checked(files, "{}", None));
    assert_eq!(
        found(&[("AGENTS.local.md", "x"), ("CLAUDE.md", "x")]),
        "AGENTS.local.md:1:1 Claude Code and Codex never read a file of this name here \
         [never-read] use `CLAUDE.local.md`; for Codex: use `AGENTS.override.md`\n"
    );
    assert_eq!(
        found(&[(".claude/CLAUDE.local.md", "x"), ("CLAUDE.md", "x")]),
        ".claude/CLAUDE.local.md:1:1 Claude Code never reads a file of this name here \
         [never-read] move it one folder up, to `CLAUDE.local.md`\n"
    );
}

#[test]
fn a_budget_is_held_by_each_host_and_never_summed() {
    // The configuration, tokens of CLAUDE.md and of AGENTS.md, and how each host stands.
    let text = |tokens: usize| "x".repeat(tokens * 3);
    let ratio = r#""context": {"ratio": {"bytes_per_token": 3}}"#;
    for (config, claude, codex, wanted) in [
        (format!("{{{ratio}}}"), 60, 60, [Standing::Undeclared; 2]),
        (format!("{{{ratio}, \"budget\": {{\"always\": 100}}}}"), 60, 60, [Standing::Within; 2]),
        (format!("{{{ratio}, \"budget\": {{\"always\": 60}}}}"), 60, 60, [Standing::Within; 2]),
        (
            format!("{{{ratio}, \"budget\": {{\"always\": 59}}}}"),
            60,
            10,
            [Standing::Over, Standing::Within],
        ),
        (
            format!("{{{ratio}, \"budget\": {{\"always\": 9, \"hosts\": {{\"claude\": 60}}}}}}"),
            60,
            10,
            [Standing::Within, Standing::Over],
        ),
    ] {
        let (own, other) = (text(claude), text(codex));
        let report = checked(&[("CLAUDE.md", &own), ("AGENTS.md", &other)], &config, None);
        let found: Vec<Standing> = report.hosts.iter().map(|host| host.standing).collect();
        assert_eq!(found, wanted, "{config}");
        assert_eq!(report.hosts[0].tokens, Tokens(60));
    }
}

#[test]
fn what_cannot_be_read_is_never_called_within() {
    let files = [("CLAUDE.md", "-> nowhere"), ("AGENTS.md", "fine")];
    let report = checked(&files, r#"{"budget": {"always": 100}}"#, None);
    let found: Vec<Standing> = report.hosts.iter().map(|host| host.standing).collect();
    assert_eq!(found, [Standing::Unjudged, Standing::Within]);
    assert_eq!(report.outcome(&Limits::default()), Outcome::Unjudged);
    let report = checked(&files, "{}", None);
    assert_eq!(report.hosts[0].standing, Standing::Unmeasured);
}

#[test]
fn tokens_by_a_ratio_are_rounded_half_up_once() {
    let ratio = Ratio { bytes_per_token: 2.0, calibrated_by: Some("claude-code".to_owned()) };
    assert_eq!(ratio.tokens_of_bytes(3), Tokens(2));
    assert_eq!(ratio.calibration("claude-code"), Estimate::Calibrated);
    assert_eq!(ratio.calibration("codex"), Estimate::Extrapolated);
}

#[test]
fn only_what_the_branch_made_worse_fails() {
    let config = r#"{"budget": {"always": 20}}"#;
    let old =
        [("CLAUDE.md", "see @gone.md\n\nsome more words that cost a few tokens, and a few more\n")];
    let limits = Limits::default();
    // Nothing changed but the line that the problem stands in.
    let moved = format!("\n\n{}", old[0].1);
    let report = checked(&[("CLAUDE.md", &moved)], config, Some(&old));
    assert_eq!(report.outcome(&limits), Outcome::Passed, "{}", said(&report));
    assert!(report.findings.iter().all(|it| !it.is_new));
    // Another problem is new, and so are more tokens over the budget.
    let more = format!("{}see @lost.md\n", old[0].1);
    let report = checked(&[("CLAUDE.md", &more)], config, Some(&old));
    assert_eq!(report.findings.iter().filter(|it| it.is_new).count(), 1);
    assert_eq!(report.over().count(), 1);
    // Less, and still over.
    let less =
        [("CLAUDE.md", "some more words that cost a few tokens, and a few more than that\n")];
    let report = checked(&less, config, Some(&old));
    assert_eq!(report.hosts[0].standing, Standing::Over);
    assert_eq!(report.outcome(&limits), Outcome::Passed);
}

#[test]
fn less_of_an_old_problem_is_no_new_one() {
    let config = r#"{"files": {"docs/*.md": 20}}"#;
    let limits = Limits::default();
    let words = |n: usize| "a few more words ".repeat(n);
    let lines = |n: usize| "- one more line of these\n".repeat(n);
    let files = |n: usize| {
        [("docs/a.md", words(n)), ("AGENTS.md", lines(n * 200)), ("CLAUDE.md", "x".to_owned())]
    };
    let new = |now: usize, before: usize| -> Vec<Rule> {
        let (now, before) = (files(now), files(before));
        let now: Vec<(&str, &str)> = now.iter().map(|(name, text)| (*name, &**text)).collect();
        let before: Vec<_> = before.iter().map(|(name, text)| (*name, &**text)).collect();
        let report = checked(&now, config, Some(&before));
        report.failing(&limits).map(|finding| finding.rule).collect()
    };
    assert_eq!(new(10, 1), [Rule::CutOff, Rule::FileOver]);
    assert_eq!(new(10, 9), [Rule::CutOff, Rule::FileOver], "more of both");
    assert_eq!(new(9, 10), []);
    assert_eq!(new(10, 10), []);
}

#[test]
fn findings_are_left_out_by_rule_and_by_glob() {
    let files = [("CLAUDE.md", "@a/x.md\n"), ("sub/CLAUDE.md", "@b/x.md\n")];
    for (ignore, left) in [
        ("[]", 2),
        ("[\"import-missing\"]", 0),
        ("[\"import-missing:sub/**\"]", 1),
        ("[\"import-missing:*.md\"]", 1),
        ("[\"import-glued\"]", 2),
    ] {
        let config = format!("{{\"check\": {{\"ignore\": {ignore}}}}}");
        let report = checked(&files, &config, None);
        assert_eq!((report.findings.len(), report.ignored), (left, 2 - left), "{ignore}");
    }
}

#[test]
fn limits_that_cannot_be_meant_are_refused() {
    let of = |text: &str| {
        let path = Utf8PathBuf::from("/r/coalwash.jsonc");
        let parsed = read(&path, Layer::Repository, text.as_bytes());
        Limits::of(&Config::of(&[File { path, layer: Layer::Repository, parsed }]))
    };
    let said: Vec<String> = [
        r#"{"budget": {"always": 0}}"#,
        r#"{"context": {"always": {"budget": {"tokens": 10}}}}"#,
        r#"{"context": {"ratio": {"bytes_per_token": 0.99}}}"#,
        r#"{"budget": {"always": 5}, "context": {"ratio": {"bytes_per_token": 3}, "always": {"budget": {"tokens": 6}}}}"#,
        r#"{"context": {"ratio": {"bytes_per_token": 1e10}}}"#,
        r#"{"context": {"ratio": {"bytes_per_token": 3, "calibrated_by": ""}}}"#,
        r#"{"check": {"ignore": ["no-such-rule"]}}"#,
        r#"{"check": {"ignore": ["budget-over"]}}"#,
        r#"{"contxt": {}}"#,
    ]
    .iter()
    .flat_map(|text| of(text).unwrap_err())
    .map(|problem| problem.what)
    .collect();
    insta::assert_snapshot!(said.join("\n"));
    assert!(
        of(
            r#"{"context": {"ratio": {"bytes_per_token": 3}, "always": {"budget": {"tokens": 6}}}}"#
        )
        .is_ok()
    );
}

#[test]
fn the_way_back_names_the_folder_that_a_section_is_about() {
    let api = format!("## API\n\nIn `src/api/h.rs`:\n\n{}", "a line about it\n".repeat(60));
    let text = format!("# P\n\n{api}\n## Rest\n\n{}", "other words\n".repeat(30));
    let files = [("CLAUDE.md", &*text), ("src/api/h.rs", "code"), ("src/b.rs", "code")];
    let report = checked(&files, r#"{"budget": {"always": 100}}"#, None);
    let host = &report.hosts[0];
    assert_eq!(host.sections[0].paths.as_deref(), Some("src/api/**"));
    assert_eq!((host.sections[0].line, &*host.sections[0].heading), (3, "## API"));
    assert_eq!(host.ways[0].what, "move \"## API\" to a rule with `paths: src/api/**`");
    assert_eq!(host.ways[0].after, Tokens(host.tokens.0 - host.ways[0].saves.0));
}
