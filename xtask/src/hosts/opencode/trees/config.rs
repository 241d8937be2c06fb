//! Configuration files of every layer, and the patterns in them.

use super::{Frame, at, texts};
use crate::trees::{Builder, HOME, Kind};

/// A configuration: keys and their values as JSON, in order.
type Fields = Vec<(&'static str, String)>;

/// Puts configuration files and what their patterns match.
pub(super) fn put(b: &mut Builder, frame: &Frame) {
    let mut places: Vec<(usize, String)> = Vec::new();
    for name in ["config.json", "opencode.json", "opencode.jsonc"] {
        places.push((14, at(&frame.config, name)));
    }
    for level in &frame.levels {
        let weight = if *level == frame.cwd { 22 } else { 12 };
        places.push((weight, at(level, "opencode.json")));
        places.push((6, at(level, "opencode.jsonc")));
        places.push((8, at(level, ".opencode/opencode.json")));
        places.push((4, at(level, ".opencode/opencode.jsonc")));
        places.push((2, at(level, ".opencode/config.json")));
    }
    places.push((6, at(HOME, ".opencode/opencode.json")));
    if let Some(folder) = &frame.config_dir {
        places.push((40, at(folder, "opencode.json")));
        places.push((20, at(folder, "opencode.jsonc")));
    }
    for (weight, path) in places {
        if b.random.chance(weight) {
            b.has("configuration file");
            let fields = fields(b, frame);
            let text = file(b, &fields);
            b.file(&path, text);
        }
    }
    if b.maybe(8, "OPENCODE_CONFIG") {
        let fields = fields(b, frame);
        let text = file(b, &fields);
        b.file("named.json", text);
        let value = if b.random.chance(85) { "{root}/named.json" } else { "{root}/gone.json" };
        b.env.push(("OPENCODE_CONFIG".to_owned(), value.to_owned()));
    }
    if b.maybe(8, "OPENCODE_CONFIG_CONTENT") {
        let text = object(&fields(b, frame));
        b.env.push(("OPENCODE_CONFIG_CONTENT".to_owned(), text));
    }
}

/// Returns the keys of one configuration.
fn fields(b: &mut Builder, frame: &Frame) -> Fields {
    let mut fields = Fields::new();
    if b.maybe(88, "instructions") {
        let count = b.random.weighted(&[(8, 0), (42, 1), (32, 2), (18, 3)]);
        let patterns: Vec<_> = (0..count).map(|_| pattern(b, frame)).collect();
        fields.push(("instructions", list(&patterns)));
    }
    if b.maybe(8, "skills.paths") {
        let number = b.number();
        let name = format!("qskill{number}");
        let (folder, value) = match b.random.below(3) {
            0 => (at(&frame.cwd, &format!("more{number}")), format!("more{number}")),
            1 => (at(HOME, &format!("more{number}")), format!("~/more{number}")),
            _ => (format!("outside/more{number}"), format!("{{root}}/outside/more{number}")),
        };
        let text = texts::skill(b, &name);
        b.file(&at(&folder, &format!("{name}/SKILL.md")), text);
        fields.push(("skills", format!("{{\"paths\": {}}}", list(&[value]))));
    }
    if b.maybe(7, "agent in a configuration") {
        let (number, mark) = (b.number(), b.mark());
        let mode = *b.random.pick(&["subagent", "all", "primary"]);
        let more = *b.random.pick(&["", "", ", \"hidden\": true", ", \"disable\": true"]);
        let agent = format!("{{\"description\": \"{mark}\", \"mode\": \"{mode}\"{more}}}");
        fields.push(("agent", format!("{{\"cagent{number}\": {agent}}}")));
    }
    if b.maybe(5, "permission") {
        let rules = [
            "{\"skill\": {\"a*\": \"deny\"}}",
            "{\"skill\": {\"*\": \"deny\", \"m*\": \"allow\"}}",
            "{\"skill\": {\"*\": \"ask\"}}",
            "{\"skill\": \"deny\"}",
            "{\"task\": {\"explore\": \"deny\"}}",
            "{\"task\": \"deny\"}",
        ];
        fields.push(("permission", (*b.random.pick(&rules)).to_owned()));
    }
    fields
}

/// Returns strings as JSON. They hold nothing that has to be escaped but backslashes.
fn list(values: &[String]) -> String {
    let quoted = values.iter().map(|value| format!("\"{}\"", value.replace('\\', "\\\\")));
    format!("[{}]", quoted.collect::<Vec<_>>().join(", "))
}

fn object(fields: &Fields) -> String {
    let lines = fields.iter().map(|(key, value)| format!("\"{key}\": {value}"));
    format!("{{{}}}", lines.collect::<Vec<_>>().join(", "))
}

/// Returns the text of a configuration file, some with what JSON doesn't have.
fn file(b: &mut Builder, fields: &Fields) -> String {
    let schema = ("$schema", "\"https://opencode.ai/config.json\"".to_owned());
    let mut all = fields.clone();
    if b.random.chance(75) {
        all.insert(0, schema);
    }
    match b.random.weighted(&[(66, 0), (12, 1), (6, 2), (6, 3), (6, 4), (4, 5)]) {
        1 => {
            b.has("comments in a configuration");
            let lines = all.iter().map(|(key, value)| format!("  \"{key}\": {value}, // more\n"));
            format!("// {{file:gone}}\n{{\n{}  /* last */\n}}\n", lines.collect::<String>())
        }
        2 => format!("\u{feff}{}", object(&all)),
        3 => {
            b.has("unknown key");
            all.push(("unknown", "1".to_owned()));
            object(&all)
        }
        4 => {
            b.has("key that stands twice");
            all.insert(0, ("instructions", list(&["never-this.md".to_owned()])));
            object(&all)
        }
        5 => {
            b.has("empty configuration");
            String::new()
        }
        _ => object(&all),
    }
}

/// Returns a pattern and puts what it matches.
fn pattern(b: &mut Builder, frame: &Frame) -> String {
    let number = b.number();
    // Any folder the client looks for it in, most often the session's.
    let base =
        if b.random.chance(60) { frame.cwd.clone() } else { b.random.pick(frame.seen()).clone() };
    let place = |path: &str| at(&base, &path.replace('#', &number.to_string()));
    let named = |text: &str| text.replace('#', &number.to_string());
    // Each: the pattern, the files, of which the patterns match some.
    let simple: &[(&str, &[&str])] = &[
        ("i#.md", &["i#.md"]),
        ("./docs/i#.md", &["docs/i#.md"]),
        ("docs//./i#.md", &["docs/i#.md"]),
        ("../i#.md", &["i#.md", "../i#.md"]),
        ("k#/../i#.md", &["i#.md", "k#/x.txt"]),
        ("m#/*.md", &["m#/one.md", "m#/two.txt", "m#/n/three.md"]),
        ("m#/*", &["m#/.hidden.md"]),
        ("m#/**/*.md", &["m#/one.md", "m#/n/two.md", "m#/n/.o/three.md"]),
        ("m#/**", &["m#/one.md", "m#/n/two.txt"]),
        ("m#/**/two.md", &["m#/one.md", "m#/n/two.md", "m#/node_modules/x.md"]),
        ("m#/*/x.md", &["m#/.git/x.md"]),
        ("m#/{b,a,zz}.md", &["m#/a.md", "m#/c.md"]),
        ("{m#,n#}/x.{md,txt}", &["n#/x.txt", "n#/x.rs"]),
        ("m#/{1..3}.md", &["m#/2.md", "m#/4.md"]),
        ("m#/?.md", &["m#/a.md", "m#/ab.md"]),
        ("m#/[ab].md", &["m#/b.md", "m#/c.md"]),
        ("m#/[!a]b.md", &["m#/ab.md", "m#/bb.md"]),
        ("m#/[^a]b.md", &["m#/ab.md", "m#/bb.md"]),
        ("m#/[[:digit:]].md", &["m#/a.md", "m#/5.md"]),
        ("m#/@(a|b).md", &["m#/b.md", "m#/c.md"]),
        ("m#/!(a|b).md", &["m#/a.md", "m#/c.md"]),
        ("m#/+(ab).md", &["m#/abab.md", "m#/aba.md"]),
        ("m#/?(w)x.md", &["m#/wx.md", "m#/wwx.md"]),
        ("m#/[x].md", &["m#/[x].md", "m#/x.md"]),
        ("m#/\\[x].md", &["m#/[x].md", "m#/x.md"]),
        ("m#/(y).md", &["m#/(y).md", "m#/y.md"]),
        ("m#/a b.md", &["m#/a b.md"]),
        ("!m#/a.md", &["m#/a.md", "m#/b.md"]),
        ("M#/A.md", &["m#/a.md"]),
        ("m#/", &["m#/a.md"]),
        ("m#", &["m#/a.md"]),
        ("gone#.md", &[]),
        ("AGENTS.md", &[]),
        ("CONTEXT.md", &[]),
        ("src/AGENTS.md", &[]),
        ("lib/CLAUDE.md", &[]),
        ("~/.claude/CLAUDE.md", &[]),
        ("~/.config/opencode/AGENTS.md", &[]),
    ];
    match b.random.weighted(&[(66, 0), (8, 1), (10, 2), (6, 3), (6, 4), (4, 5)]) {
        1 => {
            b.has("pattern below home");
            let (pattern, path) = *b.random.pick(&[
                ("~/h#.md", "h#.md"),
                ("~/h#/*.md", "h#/x.md"),
                ("~/h#/**", "h#/n/.x.md"),
                ("~/*/h#.md", "n#/h#.md"),
                ("~/../h#.md", "../h#.md"),
            ]);
            texts::instructions(b, &at(HOME, &named(path)));
            named(pattern)
        }
        2 => {
            b.has("absolute pattern");
            let (pattern, path) = *b.random.pick(&[
                ("a#.md", "a#.md"),
                ("a#/*.md", "a#/x.md"),
                ("a#/**", "a#/n/x.md"),
                ("a#/*/x.md", "a#/n/x.md"),
                ("a[#]/x.md", "a[#]/x.md"),
                ("../a#.md", "../a#.md"),
            ]);
            texts::instructions(b, &at(&base, &named(path)));
            format!("{{root}}/{base}/{}", named(pattern)).replace("//", "/")
        }
        3 => {
            b.has("pattern through a link");
            let (pattern, to) = *b.random.pick(&[
                ("l#/*.md", "x.md"),
                ("l#/**/x.md", "n/x.md"),
                ("m#/**/x.md", "x.md"),
                ("m#/*/x.md", "x.md"),
            ]);
            texts::instructions(b, &format!("outside/t{number}/{to}"));
            let link = if pattern.starts_with('l') { "l#" } else { "m#/l" };
            b.link(&place(link), format!("{{root}}/outside/t{number}"));
            named(pattern)
        }
        4 if frame.git_root.is_some() => {
            b.has("pattern that begins with a wild card");
            let (pattern, paths) = *b.random.pick(&[
                ("**/u#.md", ["u#.md", ".x/y/u#.md"].as_slice()),
                ("*/u#.md", ["x/u#.md", "x/y/u#.md"].as_slice()),
                ("{x,y}/**/u#.md", ["y/u#.md", "y/z/u#.md"].as_slice()),
            ]);
            for path in paths {
                let path = at(&frame.cwd, &named(path));
                texts::instructions(b, &path);
            }
            named(pattern)
        }
        5 => {
            b.has("pattern from elsewhere");
            texts::instructions(b, &place("e#/x.md"));
            if b.random.chance(50) {
                b.env.push((format!("CW_NAME{number}"), named("e#")));
                named("{env:CW_NAME#}/x.md{env:CW_NOTHING}")
            } else {
                b.file(&at(HOME, &named("e#.txt")), named("e#/x.md\n"));
                named("{file:~/e#.txt}")
            }
        }
        _ => {
            let (pattern, paths) = *b.random.pick(simple);
            b.has("relative pattern");
            for path in paths {
                texts::instructions(b, &place(path));
            }
            if paths.len() == 1 && b.maybe(25, "pattern that matches in several folders") {
                let other = b.random.pick(frame.seen()).clone();
                texts::instructions(b, &at(&other, &named(paths[0])));
            }
            if b.random.chance(5) {
                b.put(&place("k#"), Kind::Dir);
            }
            named(pattern)
        }
    }
}
