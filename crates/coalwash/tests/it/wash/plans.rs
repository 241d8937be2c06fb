//! `apply PLAN`: each kind of action, and every plan that is refused.

use std::fmt::Write as _;

use coalwash_core::wash::ContentHash;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{files, text};
use crate::home::TestHome;

const OLD: &str = "# Shop\n\n- Never push to main without a review.\n- Timeout is 30 s.\n";
const PORTS: &str = "# Ports\n\n- Staging uses port 5433.\n";

fn shop() -> TestHome {
    let home = TestHome::new();
    home.file("CLAUDE.md", OLD).file("docs/ports.md", PORTS).file("docs/old.md", PORTS);
    home.folder(".claude/rules");
    home
}

/// Returns the hash of what a file holds.
fn hash(home: &TestHome, name: &str) -> Value {
    json!(ContentHash::of(&std::fs::read(home.path(name)).unwrap()).to_string())
}

/// Writes a plan with these actions; their paths begin in the project.
fn plan(home: &TestHome, actions: Value) {
    let actions = absolute(home, actions);
    let plan = json!({"schema": "coalwash.plan/1", "origin": "test", "actions": actions});
    home.file("plan.json", plan.to_string());
}

/// Makes the paths of a plan absolute, but for those that begin with `=`.
fn absolute(home: &TestHome, value: Value) -> Value {
    match value {
        Value::Array(all) => all.into_iter().map(|it| absolute(home, it)).collect(),
        Value::Object(all) => {
            let field = |(key, value): (String, Value)| match (key.as_str(), &value) {
                ("path" | "to", Value::String(name)) => {
                    let name = match name.strip_prefix('=') {
                        Some(name) => name.to_owned(),
                        None => format!("{}/{name}", home.project().display()),
                    };
                    (key, name.into())
                }
                _ => (key, absolute(home, value)),
            };
            Value::Object(all.into_iter().map(field).collect())
        }
        other => other,
    }
}

#[test]
fn a_plan_of_all_five_actions_is_one_run() {
    let home = shop();
    home.file("docs/a.md", "# A\n\n- Refunds take 5 days.\n")
        .file("docs/b.md", "# A\n\n- Refunds take 5 days.\n")
        .file("docs/c.md", "# C\n\n- Taxes are due in May.\n");
    let twice = format!("{OLD}- Timeout is 30 s.\n");
    home.file("CLAUDE.md", &twice);
    let all = |home: &TestHome| {
        json!([
            {"action": "rewrite", "path": "CLAUDE.md", "expected": hash(home, "CLAUDE.md"), "content": OLD},
            {"action": "create", "path": "docs/new.md", "content": "# New\n\n- Deploy on Tuesday.\n"},
            {"action": "merge", "path": "docs/a.md", "expected": hash(home, "docs/a.md"),
             "content": "# A\n\n- Refunds take 5 days.\n",
             "sources": [{"path": "docs/b.md", "expected": hash(home, "docs/b.md")}]},
            {"action": "move", "path": "docs/ports.md", "expected": hash(home, "docs/ports.md"),
             "to": ".claude/rules/ports.md", "reason": "only for ports"},
            {"action": "delete", "path": "docs/c.md", "expected": hash(home, "docs/c.md")},
        ])
    };
    plan(&home, all(&home));
    let was = files(&home);
    let refused = home.run(&["apply", "plan.json"]);
    assert_snapshot!(refused.all());
    assert_eq!(files(&home), was);
    let json = home.run(&["apply", "plan.json", "-n", "--json"]).json_of_exit(3);
    let found = json["files"].as_array().unwrap().iter();
    let found = found.flat_map(|file| {
        file["unapproved"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| json!({"file": file["path"], "class": it["class"], "text": it["text"]}))
    });
    // The paths of a run were cleaned of the temporary folder; a name from the project will do.
    let found = serde_json::to_string(&found.collect::<Vec<Value>>()).unwrap();
    let found: Value = serde_json::from_str(&found.replace("/tmp/T/u/work/shop/", "")).unwrap();
    home.file(
        "yes.json",
        json!({"schema": "coalwash.approvals/1", "approvals": found}).to_string(),
    );
    let was = files(&home);
    let args = ["apply", "plan.json", "--approve", "yes.json"];
    assert_snapshot!(home.run(&[&args[..], &["-n"]].concat()).all());
    assert_eq!(files(&home), was);
    assert_snapshot!(home.run(&args).all());
    assert_eq!(text(&home, "CLAUDE.md"), OLD);
    assert_eq!(text(&home, ".claude/rules/ports.md"), PORTS);
    let is = files(&home);
    for gone in ["docs/ports.md", "docs/b.md", "docs/c.md"] {
        assert!(!is.contains_key(&home.path(gone)), "{gone}");
    }
    assert_snapshot!(home.run(&["log", "1"]).all());
    assert_eq!(home.run(&["undo"]).code, 0);
    assert_eq!(files(&home), was);
}

#[test]
fn a_plan_of_the_node_engine_is_carried_out() {
    let home = shop();
    let path = |name: &str| home.path(name).to_str().unwrap().to_owned();
    let plan = json!({
        "roots": [path("docs")],
        "actions": [
            {"type": "rewrite", "path": path("docs/ports.md"), "content": PORTS, "expectedOrig": PORTS},
            {"type": "delete", "path": path("docs/old.md"), "expectedOrig": PORTS},
        ],
        "approvedDrops": ["x"],
    });
    home.file("plan.json", plan.to_string());
    assert_snapshot!(home.run(&["apply", "plan.json", "-n"]).all());
    assert_eq!(home.run(&["apply", "plan.json"]).code, 0);
    assert!(!home.path("docs/old.md").exists());
}

#[test]
fn every_plan_that_is_none_is_refused_with_the_place() {
    let home = shop();
    let rewrite = |path: &str| json!([{"action": "rewrite", "path": path, "expected": hash(&home, "CLAUDE.md"), "content": OLD}]);
    let plans = [
        ("no JSON", "{".to_owned()),
        ("nothing", "{}".to_owned()),
        ("another schema", json!({"schema": "coalwash.plan/9", "actions": []}).to_string()),
        (
            "no action",
            json!({"schema": "coalwash.plan/1", "origin": "t", "actions": []}).to_string(),
        ),
        (
            "an unknown field",
            r#"{"schema":"coalwash.plan/1","origin":"t","actions":[],"roots2":1}"#.to_owned(),
        ),
        ("an unknown action", action(&json!({"action": "burn", "path": "/a/b"}))),
        (
            "an unknown field of an action",
            action(&json!({"action": "delete", "path": "/a", "force": true})),
        ),
        (
            "a hash that is none",
            action(&json!({"action": "delete", "path": "/a", "expected": "5"})),
        ),
        ("no hash", action(&json!({"action": "rewrite", "path": "/a/b", "content": ""}))),
        ("a path that isn't absolute", action(&rewrite("a/b")[0])),
        ("a path with ..", action(&rewrite("/a/../b")[0])),
        ("a folder by its form", action(&rewrite("/a/b/")[0])),
        (
            "one file twice",
            json!({"schema": "coalwash.plan/1", "origin": "t", "actions":
            [rewrite("/a/b")[0], rewrite("/a/B")[0]]})
            .to_string(),
        ),
        ("content of a GB", "x".to_owned()),
    ];
    let mut out = String::new();
    for (what, plan) in &plans[..plans.len() - 1] {
        home.file("plan.json", plan);
        said(&home, &mut out, what, 2);
    }
    let large = json!([{"action": "create", "path": "/a/b", "content": "x".repeat(40 << 20)}]);
    home.file("plan.json", action(&large[0]));
    said(&home, &mut out, "40 MiB of content", 2);
    std::fs::remove_file(home.path("plan.json")).unwrap();
    said(&home, &mut out, "no file", 2);
    home.folder("plan.json");
    said(&home, &mut out, "a folder", 2);
    assert_snapshot!(out);
}

fn action(action: &Value) -> String {
    json!({"schema": "coalwash.plan/1", "origin": "t", "actions": [action]}).to_string()
}

/// Applies `plan.json`, expects this code and no change, and adds what was said.
fn said(home: &TestHome, out: &mut String, what: &str, code: i32) {
    let before = (files(home), home.snapshot());
    let run = home.run(&["apply", "plan.json"]);
    assert_eq!((run.code, &*run.stdout), (code, ""), "{what}: {}", run.all());
    assert_eq!((files(home), home.snapshot()), before, "{what}");
    writeln!(out, "{what}\n{}", run.stderr).unwrap();
}

#[test]
fn files_that_a_plan_may_not_touch_are_named() {
    let home = shop();
    home.file("~/work/other/a.md", OLD)
        .link("link.md", "CLAUDE.md")
        .link("away", "../other")
        .link("dangling.md", "nowhere")
        .pipe("pipe.md")
        .folder("folder.md")
        .file("twin.md", OLD)
        .link("null.md", "/dev/null")
        .folder(".git/hooks");
    std::fs::hard_link(home.path("twin.md"), home.path("twin2.md")).unwrap();
    let same = hash(&home, "CLAUDE.md");
    let root = home.home().to_str().unwrap().to_owned();
    let mut out = String::new();
    let mut case = |what: &str, action: Value| {
        plan(&home, json!([action]));
        said(&home, &mut out, what, 3);
    };
    let rewrite =
        |path: &str| json!({"action": "rewrite", "path": path, "expected": same, "content": OLD});
    let create = |path: &str| json!({"action": "create", "path": path, "content": OLD});
    case("another project's", rewrite(&format!("={root}/work/other/a.md")));
    case("the system's", rewrite("=/etc/hostname"));
    case("git's", create(".git/hooks/pre-commit"));
    case("a link", rewrite("link.md"));
    case("a link to a device", rewrite("null.md"));
    case("a device", rewrite("=/dev/null"));
    case("a link on the way", rewrite("away/a.md"));
    case("a new file behind a link", create("away/b.md"));
    case("a new file where a link leads nowhere", create("dangling.md"));
    case("a pipe", rewrite("pipe.md"));
    case("a folder", rewrite("folder.md"));
    case("a file in a file", rewrite("CLAUDE.md/a.md"));
    case("hard links", rewrite("twin.md"));
    case("nothing", rewrite("gone.md"));
    case("a new file that is there", create("CLAUDE.md"));
    case("a new file in no folder", create("gone/a.md"));
    case("a name that differs in case", create("claude.MD"));
    case(
        "a stale hash",
        json!({"action": "rewrite", "path": "docs/ports.md", "expected": same, "content": OLD}),
    );
    case("the project itself", rewrite(&format!("={}", home.project().display())));
    case(
        "a move onto a file",
        json!({"action": "move", "path": "CLAUDE.md", "expected": same, "to": "docs/old.md"}),
    );
    case(
        "a move out",
        json!({"action": "move", "path": "CLAUDE.md", "expected": same, "to": format!("={root}/work/other/b.md")}),
    );
    case(
        "a merge of a link",
        json!({"action": "merge", "path": "CLAUDE.md", "expected": same, "content": OLD,
        "sources": [{"path": "link.md", "expected": same}]}),
    );
    assert_snapshot!(out);
}

#[test]
fn a_home_is_no_project() {
    let home = TestHome::new();
    home.file("~/CLAUDE.md", format!("{OLD}{OLD}{OLD}{OLD}{OLD}")).file("~/draft.md", OLD);
    home.folder("~/.git");
    let before = files(&home);
    let run = home.run_in(&home.home(), &["apply", "CLAUDE.md", "--from", "draft.md"]);
    assert_snapshot!(run.all());
    let run = home.run_in(&home.home(), &["quick"]);
    assert_snapshot!(run.all());
    assert_eq!(files(&home), before);
}

#[test]
fn what_is_kept_is_neither_deleted_nor_moved() {
    let home = shop();
    let same = hash(&home, "CLAUDE.md");
    let before = files(&home);
    let delete = json!([{"action": "delete", "path": "CLAUDE.md", "expected": same}]);
    let away = json!([{"action": "move", "path": "CLAUDE.md", "expected": same, "to": "a.md"}]);
    let mut out = String::new();
    for action in [delete, away] {
        for keep in [r#"{"keep": ["CLAUDE.md"]}"#, r#"{"keep": ["CLAUDE.md#Shop"]}"#] {
            home.file("coalwash.jsonc", keep);
            plan(&home, action.clone());
            let run = home.run(&["apply", "plan.json"]);
            writeln!(out, "{keep}\n{}", run.all()).unwrap();
            assert_eq!(files(&home)[&home.path("CLAUDE.md")], before[&home.path("CLAUDE.md")]);
        }
    }
    assert_snapshot!(out);
}
