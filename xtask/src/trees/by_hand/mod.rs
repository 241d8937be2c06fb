//! Trees that were laid out by hand, for numbers that random trees don't meet.

use super::{HOME, Item, Kind, Tree};

mod skills;

/// The seed of the first of them. The seeds of random trees are below.
pub const BY_HAND: u64 = 1_000_000_000;

/// Names with every ending that was tried, one on a line.
const NAMES: &str = include_str!("names.txt");

/// Where the list of skills meets its budget, in characters, and which of the client's own commands
/// was used before. What keeps one more description stands before what just doesn't: of the newer
/// client, then of the older one.
const BUDGETS: [(usize, Option<&str>); 18] = [
    (6_882, None),
    (6_881, None),
    (6_506, None),
    (6_505, None),
    (6_506 + 61, Some("init")),
    (6_505 + 61, Some("init")),
    (6_506 + 73, Some("security-review")),
    (6_505 + 73, Some("security-review")),
    (5_055, None),
    (5_054, None),
    (4_679, None),
    (4_678, None),
    (4_679 + 61, Some("init")),
    (4_678 + 61, Some("init")),
    (4_679 + 70, Some("review")),
    (4_678 + 70, Some("review")),
    (4_679 + 73, Some("security-review")),
    (4_678 + 73, Some("security-review")),
];

/// The variable that sets the budget of the list of skills.
const BUDGET: &str = "SLASH_COMMAND_TOOL_CHAR_BUDGET";

/// How many trees there are.
pub const COUNT: u64 = 3 + (BUDGETS.len() + skills::TREES.len()) as u64;

/// Returns the tree of a seed from [`BY_HAND`] on; behind the last one, an empty one.
pub(crate) fn tree(seed: u64) -> Tree {
    let number = usize::try_from(seed - BY_HAND).unwrap_or(usize::MAX);
    let (mut touches, mut env) = (Vec::new(), Vec::new());
    let mut cwd = "p";
    let mut items = match number {
        0 => endings(),
        1 => {
            touches.push("p/s/x.rs".to_owned());
            all_names()
        }
        2 => long_skills(),
        _ => match BUDGETS.get(number - 3) {
            Some((budget, used)) => {
                env.push((BUDGET.to_owned(), budget.to_string()));
                skills_of_one_length(*used)
            }
            None => match skills::TREES.get(number - 3 - BUDGETS.len()) {
                Some(tree) => {
                    cwd = tree.cwd;
                    touches.extend(tree.touches.iter().map(|path| (*path).to_owned()));
                    env.extend(tree.budget.map(|it| (BUDGET.to_owned(), it.to_owned())));
                    tree.items()
                }
                None => Vec::new(),
            },
        },
    };
    for folder in [HOME, cwd] {
        if !items.iter().any(|item| item.path.starts_with(folder)) {
            items.push(Item { path: folder.to_owned(), kind: Kind::Dir });
        }
    }
    items.sort_by(|a, b| a.path.cmp(&b.path));
    Tree { seed, items, cwd: cwd.to_owned(), touches, env, features: Vec::new() }
}

/// One `CLAUDE.md` that imports a file of every name, each in a folder of its own.
fn endings() -> Vec<Item> {
    let mut imports = String::new();
    let mut out = Vec::new();
    for (number, name) in NAMES.lines().enumerate() {
        imports.push_str(&format!("@d{number}/{}\n", name.replace(' ', "\\ ")));
        out.push(file(format!("p/d{number}/{name}"), format!("mark{number}\n")));
    }
    out.push(file("p/CLAUDE.md".to_owned(), imports));
    out
}

/// Every name at once, in the mode in which `AGENTS.md` is read beside the host's own names.
fn all_names() -> Vec<Item> {
    let mode = r#"{"pluginConfigs":{"cc-plugin-agents-md@builtin":{"options":{"instructionFiles":"claude-md-and-agents-md"}}}}"#;
    let mut out = vec![
        file(format!("{HOME}/.claude/settings.json"), mode.to_owned()),
        file("p/s/x.rs".to_owned(), "code\n".to_owned()),
    ];
    let names = [
        "CLAUDE.md",
        ".claude/CLAUDE.md",
        ".claude/rules/r.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        ".claude/AGENTS.md",
    ];
    for (number, (folder, name)) in
        ["p", "p/s"].into_iter().flat_map(|f| names.map(|n| (f, n))).enumerate()
    {
        out.push(file(format!("{folder}/{name}"), format!("mark{number}\n")));
    }
    out
}

/// Skills whose descriptions are as long as one may be, and one longer.
fn long_skills() -> Vec<Item> {
    let skill = |units: usize| {
        let text = format!("---\ndescription: \"{}\"\n---\nbody\n", "x".repeat(units));
        file(format!("p/.claude/skills/s{units}/SKILL.md"), text)
    };
    (1_535..=1_538).map(skill).collect()
}

/// Eight skills whose lines are 100 columns wide, and which of the client's commands was used.
fn skills_of_one_length(used: Option<&str>) -> Vec<Item> {
    let skill = |number: usize| {
        let text = format!("{number}").repeat(92);
        let text = format!("---\ndescription: \"d{}\"\n---\nbody\n", &text[1..]);
        file(format!("p/.claude/skills/s{number:03}/SKILL.md"), text)
    };
    let mut out: Vec<_> = (1..=8).map(skill).collect();
    if let Some(name) = used {
        let used = format!(r#"{{"skillUsage":{{"{name}":{{"usageCount":99,"lastUsedAt":1}}}}}}"#);
        out.push(file(format!("{HOME}/.claude.json"), used));
    }
    out
}

fn file(path: String, text: String) -> Item {
    Item { path, kind: Kind::File(text.into_bytes()) }
}
