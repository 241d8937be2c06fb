//! Rule files.

use super::{
    builder::{Builder, join, parent, relative},
    frame::Frame,
    markdown::{self, Scope},
    odd_texts, path_lists, rule_keys,
};

const NAMES: &[&str] = &[
    "a.md",
    "b.md",
    "c.md",
    "deep/n.md",
    "deep/er/m.md",
    ".hid.md",
    ".git/h.md",
    "node_modules/m.md",
    "r r.md",
    "CLAUDE.md",
    "AGENTS.md",
    "README.md",
];

/// Names that aren't rules.
const OTHERS: &[&str] = &["x.txt", "y.MD", "z.mdx", "w.markdown", "noext"];

/// Puts up to `most` rules below a `.claude` folder.
pub(crate) fn put(b: &mut Builder, frame: &Frame, dot: &str, most: usize) {
    let folder = join(dot, "rules");
    if b.is_taken(&folder) {
        return;
    }
    if b.random.chance(5) && b.room(3) {
        return whole_folder(b, frame, dot, &folder);
    }
    if b.random.chance(5) {
        // The older client loses every rule it would look at afterwards, so it stands alone.
        b.has("pattern that throws");
        let mark = b.mark();
        b.file(
            &format!("{folder}/a.md"),
            format!("---\npaths: [\"[src/z\", \"*.rs\"]\n---\n{mark}\n"),
        );
        return;
    }
    let count = 1 + b.random.below(most);
    let first = b.random.below(NAMES.len());
    for step in 0..count {
        let name = if b.maybe(8, "file in a rules folder that is no rule") {
            *b.random.pick(OTHERS)
        } else {
            NAMES[(first + step) % NAMES.len()]
        };
        if name.contains('/') {
            b.has("rule in a sub-folder");
        }
        if name.starts_with('.') {
            b.has("hidden rule");
        }
        rule(b, frame, &folder, &format!("{folder}/{name}"));
    }
}

/// Links the whole rules folder.
fn whole_folder(b: &mut Builder, frame: &Frame, dot: &str, folder: &str) {
    b.has("linked rules folder");
    let to =
        if b.random.chance(50) { "out/rules".to_owned() } else { join(&frame.cwd, "docs/rules") };
    b.link(folder, relative(dot, &to));
    for name in ["q.md", "s/r.md"] {
        let mark = b.mark();
        let head = if b.random.chance(40) { "---\npaths: \"*.rs\"\n---\n" } else { "" };
        b.file(&format!("{to}/{name}"), format!("{head}{mark}\n"));
    }
}

fn rule(b: &mut Builder, frame: &Frame, folder: &str, path: &str) {
    if b.is_taken(path) || !b.room(2) {
        return;
    }
    let outside = "out/r".to_owned();
    let inside = join(&frame.cwd, "docs/r");
    match b.random.weighted(&[
        (26, 0),
        (42, 1),
        (7, 2),
        (3, 3),
        (6, 4),
        (5, 5),
        (4, 6),
        (3, 7),
        (3, 8),
        (3, 9),
    ]) {
        1 => {
            let text = conditional(b, path);
            b.file(path, "");
            b.rewrite(path, text);
        }
        2 => {
            b.has("rule with odd front matter");
            let mark = b.mark();
            let raw = *b.random.pick(odd_texts::RULES);
            let mut text = raw.to_vec();
            text.extend_from_slice(format!("\n{mark}\n").as_bytes());
            b.file(path, text);
        }
        3 => {
            b.has("rule without text");
            let text =
                *b.random.pick(&["", "---\npaths: \"*.rs\"\n---\n", "<!-- c -->", "---\n---\n"]);
            b.file(path, text);
        }
        4 => linked(b, path, &inside, "rule linked inside"),
        5 => linked(b, path, &outside, "rule linked outside"),
        6 => {
            b.has("linked folder among rules");
            let to = if b.random.chance(50) { outside } else { inside };
            let at = format!("{to}d{}", b.number());
            let mark = b.mark();
            let head = if b.random.chance(40) { "---\npaths: [\"src/**\"]\n---\n" } else { "" };
            b.file(&format!("{at}/in.md"), format!("{head}{mark}\n"));
            let link = format!("{folder}/ln{}", b.number());
            b.link(&link, relative(folder, &at));
        }
        7 => {
            b.has("loop among rules");
            let to = *b.random.pick(&[".", "../rules", "loop"]);
            b.link(&format!("{folder}/loop"), to);
        }
        8 => {
            b.has("dangling rule");
            b.link(path, "gone.md");
        }
        9 => {
            b.has("folder named like a rule");
            let mark = b.mark();
            b.file(&format!("{path}/in.md"), format!("{mark}\n"));
        }
        _ => {
            b.has("rule without paths");
            b.file(path, "");
            let text = markdown::text(b, frame, path, Scope::Own, 0);
            b.rewrite(path, text);
        }
    }
}

/// Puts a rule that is a link to a file.
fn linked(b: &mut Builder, path: &str, to: &str, feature: &'static str) {
    b.has(feature);
    let extension = b.random.weighted(&[(80, ".md"), (20, ".txt")]);
    let target = format!("{to}{}{extension}", b.number());
    let text = if b.random.chance(40) {
        conditional(b, &target)
    } else {
        format!("{}\n", b.mark()).into_bytes()
    };
    b.file(&target, text);
    b.link(path, relative(parent(path), &target));
}

/// Returns the text of a rule with `paths` or something like it.
fn conditional(b: &mut Builder, path: &str) -> Vec<u8> {
    let keys = if b.random.chance(38) {
        b.has("rule with an odd form of keys");
        (*b.random.pick(rule_keys::KEYS)).to_owned()
    } else if b.random.chance(55) {
        b.has("rule with an odd list of patterns");
        let list = *b.random.pick(path_lists::LISTS);
        if list.contains("\"!") {
            b.has("rule with a negated pattern");
        }
        format!("paths: {list}")
    } else {
        b.has("rule with plain paths");
        let plain = [
            "paths: src/**",
            "paths: \"*.rs\"",
            "paths:\n  - \"src/**/*.rs\"\n  - \"*.ts\"",
            "paths: \"**/*.{rs,ts}\"",
            "globs: src/**",
            "paths: []",
            "paths: \"**\"",
            "description: Use for: code\npaths: lib/**, a/**",
        ];
        (*b.random.pick(&plain)).to_owned()
    };
    let end = if keys.is_empty() { "" } else { "\n" };
    let mut body = format!("{}\n", b.mark());
    if b.maybe(30, "import in a rule with paths") {
        let mark = b.mark();
        let name = format!("i{}.txt", b.number());
        if b.file(&join(parent(path), &name), format!("{mark}\n")) {
            body.push_str(&format!("\n@{name}\n"));
        }
    }
    if b.random.chance(10) {
        body.push_str("\n<!-- c -->\n\nend\n");
    }
    let text = format!("---\n{keys}{end}---\n{body}");
    match b.random.below(20) {
        0 => text.replace('\n', "\r\n").into_bytes(),
        1 => format!("\u{feff}{text}").into_bytes(),
        _ => text.into_bytes(),
    }
}
