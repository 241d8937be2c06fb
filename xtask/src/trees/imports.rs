//! Imports: where they stand in a text, and what they name.

use super::{
    HOME, Kind,
    builder::{Builder, join, parent, relative},
    frame::Frame,
    markdown::{self, Scope},
};

/// Places of an import in a text; `{}` stands for it.
const PLACES: &[(&str, &str)] = &[
    ("import in prose", "See {} for more."),
    ("import in prose", "first line\n    {} continued"),
    ("import on its own line", "{}"),
    ("import on its own line", "  {}"),
    ("import in a list item", "- {}"),
    ("import in a list item", "- [ ] {}\n- b\n\n  {}"),
    ("import in a list item", "1. see {} there"),
    ("import in a code span of a list item", "- run `x {} y` now"),
    ("import in a code span of a list item", "- a\n\n  `q {} r`"),
    ("import in a code span of a list item", "> - **b** `q {} r`"),
    ("import in a code span of a list item", "- `{}`"),
    ("import in a quote", "> {}"),
    ("import in a quote", "> a `q {} r` b\nlazy {}"),
    ("import in a heading", "## {}"),
    ("import in a heading", "see {}\n---"),
    ("import in bold or italics", "a **{}** b"),
    ("import in bold or italics", "_{}_"),
    ("import in bold or italics", "**open {}"),
    ("import in a link", "[{}](u)"),
    ("import in a link", "[t]({})"),
    ("import in a link", "![{}](u)"),
    ("import in a link", "[r]: {}"),
    ("import in a fence", "```\n{}\n```"),
    ("import in a fence", "~~~md\n{}\n~~~"),
    ("import in a fence", "- a\n  ```\n  {}\n  ```"),
    ("import in a code span", "`{}`"),
    ("import in a code span", "a `b {} c` d"),
    ("import in indented code", "para\n\n    {}\n\nend"),
    ("import in HTML", "<div>\n{}\n</div>"),
    ("import in HTML", "<div>\n\n{}\n\n</div>"),
    ("import in HTML", "<b>{}</b>"),
    ("import in HTML", "a<br>{}"),
    ("import in HTML", "<my-rule>\n{}\n</my-rule>"),
    ("import in a comment", "<!-- {} -->"),
    ("import in a comment", "a <!-- {} --> b"),
    ("import in a comment", "- a <!-- {} --> b"),
    ("import in a comment", "<!-- c --> {}"),
    ("import glued to punctuation", "({})"),
    ("import glued to punctuation", "see {}."),
    ("import glued to punctuation", "see {}, and"),
    ("import glued to punctuation", "say \"{}\""),
    ("import glued to punctuation", "mail x{}"),
    ("import glued to punctuation", "see {}:12"),
    ("import glued to punctuation", "<{}>"),
    ("import glued to punctuation", "~~{}~~"),
    ("import glued to punctuation", "\\{}"),
    ("import with a fragment", "see {}#part"),
    ("import in a table", "| {} | c |\n| --- | --- |\n| a | b |"),
    ("import in a table", "|{}|"),
    ("import after odd white space", "a\u{a0}{}"),
    ("import after odd white space", "\t{}"),
    ("import after odd white space", "a\u{200b}{}"),
    ("import with a trailing slash", "{}/"),
    ("import after a code span", "`c`{}"),
];

/// Extensions of imported files; the last ones aren't followed.
const EXTENSIONS: &[&str] = &[".md", ".txt", ".json", ".yaml", ".py", "", ".MD", ".html", ".log"];
const REFUSED: &[&str] = &[".mdx", ".png", ".xyz", ".markdown", ".md.bak", ".jsonl"];

/// Returns a piece of text with an import, if there is room for what it names.
pub(crate) fn piece(
    b: &mut Builder,
    frame: &Frame,
    path: &str,
    scope: Scope,
    depth: usize,
) -> Option<String> {
    let name = reference(b, frame, path, scope, depth)?;
    // A plain place is the one that shows what is imported.
    let place = if b.random.chance(35) {
        b.has("import on its own line");
        "{}"
    } else {
        let &(feature, place) = b.random.pick(PLACES);
        b.has(feature);
        place
    };
    Some(place.replace("{}", &format!("@{name}")))
}

/// Returns what follows the `@`, and puts the file it names.
fn reference(
    b: &mut Builder,
    frame: &Frame,
    path: &str,
    scope: Scope,
    depth: usize,
) -> Option<String> {
    let folder = parent(path);
    let shared = scope == Scope::Shared;
    let kinds = [
        (26, 0),
        (5, 1),
        (5, 2),
        (7, 3),
        (5, 4),
        (8, 5),
        (7, 6),
        (5, 7),
        (4, 8),
        (4, 9),
        (4, 10),
        (4, 11),
        (8, 12),
        (5, 13),
        (9, 14),
        (8, 15),
        (4, 16),
    ];
    match b.random.weighted(&kinds) {
        1 => new(b, frame, &join(folder, "inc"), scope, depth, "")
            .map(|name| format!("./inc/{name}")),
        2 => {
            let missing =
                *b.random.pick(&["gone.md", "./gone/x.md", "{root}/gone.md", "org/package"]);
            b.has("import of a missing file");
            Some(missing.to_owned())
        }
        3 if !folder.is_empty() => {
            b.has("import of a parent folder");
            new(b, frame, parent(folder), scope, depth, "").map(|name| format!("../{name}"))
        }
        4 => {
            b.has("absolute import inside");
            let at = join(&frame.cwd, "abs");
            new(b, frame, &at, scope, depth, "").map(|name| format!("{{root}}/{at}/{name}"))
        }
        5 => {
            b.has("absolute import outside");
            new(b, frame, "out", scope, depth, "").map(|name| format!("{{root}}/out/{name}"))
        }
        6 => {
            b.has("import from home");
            let (at, shown) =
                *b.random.pick(&[("", "~/"), ("/notes", "~/notes/"), ("/.claude", "~/.claude/")]);
            new(b, frame, &format!("{HOME}{at}"), scope, depth, "")
                .map(|name| format!("{shown}{name}"))
        }
        7 => {
            b.has("import with a refused extension");
            let extension = *b.random.pick(REFUSED);
            new(b, frame, folder, scope, depth, extension)
        }
        8 => {
            b.has("import of a folder");
            let name = format!("dir{}.md", b.random.below(9));
            b.put(&join(folder, &name), Kind::Dir).then_some(name)
        }
        9 => {
            b.has("import with an escaped space");
            let name = new(b, frame, &join(folder, "sp ace"), scope, depth, "")?;
            Some(format!("sp\\ ace/{name}"))
        }
        10 => linked(b, frame, folder, depth, &join(folder, "real"), "import of a link inside"),
        11 => linked(b, frame, folder, depth, "out", "import of a link outside"),
        12 if shared => surface(b, frame, folder),
        13 if shared && depth > 0 => {
            b.has("import cycle");
            path.rsplit('/').next().map(str::to_owned)
        }
        14 if shared => chain(b, folder),
        15 if shared => again(b, folder),
        16 => {
            b.has("import with a detour");
            new(b, frame, folder, scope, depth, "").map(|name| format!("./up/..//{name}"))
        }
        _ => new(b, frame, folder, scope, depth, ""),
    }
}

/// Puts a new file into a folder and returns its name.
fn new(
    b: &mut Builder,
    frame: &Frame,
    folder: &str,
    scope: Scope,
    depth: usize,
    extension: &'static str,
) -> Option<String> {
    if !b.room(1) || depth > 4 {
        return None;
    }
    let number = b.number();
    let extension = if !extension.is_empty() {
        extension
    } else if b.random.chance(75) {
        ".md"
    } else {
        b.has("import of a file that is no .md");
        *b.random.pick(EXTENSIONS)
    };
    let stem = b.random.weighted(&[(90, "n"), (5, ".n"), (5, "N-1.2_")]);
    let mut name = format!("{stem}{number}{extension}");
    // In a rules folder a second `.md` would be a rule of its own.
    if frame.is_in_rules(&join(folder, &name)) && extension == ".md" {
        name = format!("{stem}{number}.txt");
    }
    let path = join(folder, &name);
    if !b.file(&path, "") {
        return None;
    }
    if scope == Scope::Shared {
        b.remember(&path);
    }
    let text = if b.random.chance(45) {
        b.has("import in an imported file");
        markdown::text(b, frame, &path, scope, depth + 1)
    } else {
        format!("{}\n", b.mark()).into_bytes()
    };
    b.rewrite(&path, text);
    Some(name)
}

/// Puts a link to a new file and returns the link's name.
fn linked(
    b: &mut Builder,
    frame: &Frame,
    folder: &str,
    depth: usize,
    to: &str,
    feature: &'static str,
) -> Option<String> {
    if !b.room(2) || frame.is_in_rules(&join(folder, "x")) {
        return None;
    }
    let target = format!("{to}/{}", new(b, frame, to, Scope::Own, depth.max(3), "")?);
    let name = format!("ln{}.md", b.number());
    b.has(feature);
    b.link(&join(folder, &name), relative(folder, &target)).then_some(name)
}

/// Returns the path of an instruction file that may or may not be there.
fn surface(b: &mut Builder, frame: &Frame, folder: &str) -> Option<String> {
    const NAMES: &[&str] = &[
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        ".claude/CLAUDE.md",
        ".claude/AGENTS.md",
        ".claude/rules/a.md",
        ".claude/rules/deep/n.md",
        "src/CLAUDE.md",
        "src/AGENTS.md",
    ];
    b.has("import of an instruction file");
    let level = if b.random.chance(70) { &frame.cwd } else { b.random.pick(&frame.levels) };
    let name = *b.random.pick(NAMES);
    Some(relative(folder, &join(level, name)))
}

/// Makes a chain of imports, or enters one that is there at any of its files.
fn chain(b: &mut Builder, folder: &str) -> Option<String> {
    if let Some(links) = b.chain() {
        b.has("chain with two entries");
        let at = b.random.below(links.len());
        return Some(relative(folder, &links[at]));
    }
    let length = 2 + b.random.below(5);
    if !b.room(length + 4) || folder.contains("/rules") {
        return None;
    }
    b.has("chain of imports");
    let links: Vec<String> =
        (1..=length).map(|step| join(folder, &format!("chain/c{step}.md"))).collect();
    for (step, path) in links.iter().enumerate() {
        let next = links.get(step + 1).map_or(String::new(), |_| format!("\n\n@c{}.md", step + 2));
        let mark = b.mark();
        b.file(path, format!("{mark}{next}\n"));
    }
    b.set_chain(links);
    Some("chain/c1.md".to_owned())
}

/// Returns a file that was imported before.
fn again(b: &mut Builder, folder: &str) -> Option<String> {
    let known = b.remembered()?;
    b.has("import of one file twice");
    Some(relative(folder, &known))
}
