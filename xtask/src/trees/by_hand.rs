//! Trees that were laid out by hand, for numbers that random trees don't meet.

use super::{HOME, Item, Kind, Tree};

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

/// How many trees there are.
pub const COUNT: u64 = 1 + BUDGETS.len() as u64;

/// Returns the tree of a seed from [`BY_HAND`] on; behind the last one, an empty one.
pub(crate) fn tree(seed: u64) -> Tree {
    let number = usize::try_from(seed - BY_HAND).unwrap_or(usize::MAX);
    let (mut items, env) = match number.checked_sub(1) {
        None => (endings(), Vec::new()),
        Some(at) => {
            let (budget, used) = BUDGETS.get(at).copied().unwrap_or_default();
            let mut items = skills();
            if let Some(name) = used {
                let used =
                    format!(r#"{{"skillUsage":{{"{name}":{{"usageCount":99,"lastUsedAt":1}}}}}}"#);
                items.push(file(format!("{HOME}/.claude.json"), used));
            }
            (items, vec![("SLASH_COMMAND_TOOL_CHAR_BUDGET".to_owned(), budget.to_string())])
        }
    };
    items.push(Item { path: HOME.to_owned(), kind: Kind::Dir });
    items.sort_by(|a, b| a.path.cmp(&b.path));
    let (cwd, touches) = ("p".to_owned(), Vec::new());
    Tree { seed, items, cwd, touches, env, features: Vec::new() }
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

/// Eight skills whose lines are 100 characters long.
fn skills() -> Vec<Item> {
    let skill = |number: usize| {
        let text = format!("{number}").repeat(92);
        let text = format!("---\ndescription: \"d{}\"\n---\nbody\n", &text[1..]);
        file(format!("p/.claude/skills/s{number:03}/SKILL.md"), text)
    };
    (1..=8).map(skill).collect()
}

fn file(path: String, text: String) -> Item {
    Item { path, kind: Kind::File(text.into_bytes()) }
}
