//! Random homes and projects for Gemini CLI.

use crate::trees::{Builder, Kind, Tree, join};

mod settings;
mod surfaces;
mod texts;

use texts::context_file;

/// Entries that may end the search upwards beside `.git`.
pub(super) const MARKERS: &[&str] = &["pkg.toml", "nothing"];

/// Folder names, so that some sort before `GEMINI.md` and some after.
const FOLDERS: &[&str] = &["a", "B", "1", "src", "Docs", ".hid", "x-y", "GEMINI", "ü", "_z"];

/// What everything else in a tree is put around.
struct Plan {
    /// The client's own folder.
    own: String,
    /// The folder that holds it.
    home: String,
    /// Every folder from the root of the tree down to that of the session, by real path.
    folders: Vec<String>,
    /// Names of context files, the default one too.
    names: Vec<String>,
    /// The value of `context.fileName`.
    names_setting: Option<serde_json::Value>,
}

impl Plan {
    /// Returns the real folder of the session.
    fn cwd(&self) -> &str {
        self.folders.last().expect("there is one folder at least")
    }
}

/// Returns the tree of a seed.
pub(super) fn generate(seed: u64) -> Tree {
    let mut b = Builder::new(seed);
    let mut plan = place(&mut b);
    // The session's folder is there even if nothing else is in it.
    b.file(&format!("{}/main.txt", plan.cwd()), "main\n");
    names(&mut b, &mut plan);
    roots(&mut b, &plan);
    settings::put(&mut b, &plan);
    contexts(&mut b, &plan);
    surfaces::memory(&mut b, &plan);
    surfaces::extensions(&mut b, &plan);
    below(&mut b, &plan);
    surfaces::skills(&mut b, &plan);
    surfaces::agents(&mut b, &plan);
    ignores(&mut b, &plan);
    b.finish()
}

/// Chooses the home and the folder of the session.
fn place(b: &mut Builder) -> Plan {
    let elsewhere = b.maybe(4, "home: GEMINI_CLI_HOME");
    let home = if elsewhere { "alt" } else { "home" }.to_owned();
    if elsewhere {
        b.env.push(("GEMINI_CLI_HOME".to_owned(), "{root}/alt".to_owned()));
    }
    let own = format!("{home}/.gemini");
    let (base, feature) = b.random.weighted(&[
        (52, ("proj", "cwd: plain")),
        (12, ("home/work", "cwd: below the home")),
        (8, ("My Proj_1.é", "cwd: a name to slug")),
        (6, ("deep/er/proj", "cwd: deep")),
        (5, ("home", "cwd: the home")),
        (4, ("home/.gemini/sub", "cwd: in the client's folder")),
        (2, ("p%20q", "cwd: a name with %")),
        (5, ("UPPER", "cwd: upper case")),
    ]);
    b.has(feature);
    let mut cwd = base.to_owned();
    for _ in 0..b.random.weighted(&[(40, 0), (30, 1), (20, 2), (10, 3)]) {
        cwd = format!("{cwd}/{}", b.random.pick(FOLDERS));
        b.has("cwd: below the project's folder");
    }
    if base.contains('%') && b.maybe(50, "cwd: its decoded name is there too") {
        let text = texts::plain(b);
        b.file(&format!("{}/GEMINI.md", cwd.replace("%20", " ")), text);
    }
    let mut folders = vec![String::new()];
    for (at, _) in cwd.match_indices('/') {
        folders.push(cwd[..at].to_owned());
    }
    folders.push(cwd.clone());
    let top = cwd.split('/').next().unwrap_or_default().to_owned();
    b.cwd = if b.maybe(8, "cwd: through a link") {
        b.link("lnk", top.clone());
        format!("lnk{}", &cwd[top.len()..])
    } else {
        cwd
    };
    Plan { own, home, folders, names: vec!["GEMINI.md".to_owned()], names_setting: None }
}

/// Chooses the names of context files.
fn names(b: &mut Builder, plan: &mut Plan) {
    if !b.maybe(45, "names: a setting") {
        return;
    }
    let (setting, names, feature) = *b.random.pick(&[
        (r#""X.md""#, &["X.md"] as &[&str], "names: one"),
        (r#"["Z.md","B.md"]"#, &["Z.md", "B.md"], "names: a list"),
        (r#"["AGENTS.md","GEMINI.md","CLAUDE.md"]"#, &["AGENTS.md", "CLAUDE.md"], "names: list"),
        (r#"["Z.md","./Z.md"," Z.md"]"#, &["Z.md"], "names: twice"),
        (r#""docs/R.md""#, &["docs/R.md"], "names: in a folder"),
        (r#""../UP.md""#, &["../UP.md"], "names: above"),
        (r#"["/abs/N.md"]"#, &["abs/N.md"], "names: absolute"),
        (r#""gemini.md""#, &["gemini.md"], "names: lower case"),
        (r#"[]"#, &[], "names: none"),
        (r#""""#, &[], "names: empty"),
        (r#"null"#, &[], "names: null"),
    ]);
    b.has(feature);
    plan.names.extend(names.iter().map(|name| (*name).to_owned()));
    plan.names_setting = serde_json::from_str(setting).ok();
}

/// Puts what marks the root of a project.
fn roots(b: &mut Builder, plan: &Plan) {
    if b.maybe(75, "root: a .git") {
        for _ in 0..if b.maybe(15, "root: two of them") { 2 } else { 1 } {
            let at = b.random.below(plan.folders.len());
            let path = join(&plan.folders[at], ".git");
            match b.random.weighted(&[(50, 0), (20, 1), (10, 2), (12, 3), (8, 4)]) {
                0 => b.file(&format!("{path}/HEAD"), "ref: refs/heads/main\n"),
                1 => b.put(&path, Kind::Dir),
                2 => b.file(&path, ""),
                3 => b.file(&path, "gitdir: /nowhere\n"),
                _ => {
                    b.has("root: a broken link");
                    b.link(&path, "nowhere")
                }
            };
        }
    }
    if b.maybe(20, "root: another marker") {
        let folder = b.random.pick(&plan.folders).clone();
        b.file(&join(&folder, "pkg.toml"), "");
    }
}

/// Puts the context files of the home and of every folder down to the session's.
fn contexts(b: &mut Builder, plan: &Plan) {
    for name in &plan.names {
        if b.random.chance(70) {
            let path = join(&plan.own, name);
            context_file(b, plan, &path);
        }
    }
    for folder in plan.folders.iter().rev() {
        for name in &plan.names {
            if b.random.chance(70) {
                let path = join(folder, name);
                context_file(b, plan, &path);
            }
        }
        for name in [".gemini/GEMINI.md", "Gemini.md", "AGENTS.md", "GEMINI.MD"] {
            if b.maybe(3, "context: a name that isn't read") {
                let text = texts::plain(b);
                b.file(&join(folder, name), text);
            }
        }
    }
    if b.maybe(15, "context: the home's own folder") {
        let text = texts::plain(b);
        b.file(&format!("{}/GEMINI.md", plan.home), text);
    }
}

/// Puts folders below the session's, and chooses what is read there.
fn below(b: &mut Builder, plan: &Plan) {
    let mut files = Vec::new();
    for _ in 0..b.random.below(4) {
        let mut folder = plan.cwd().to_owned();
        for _ in 0..=b.random.below(3) {
            folder = format!("{folder}/{}", b.random.pick(FOLDERS));
            for name in &plan.names {
                if b.random.chance(45) {
                    let path = join(&folder, name);
                    context_file(b, plan, &path);
                }
            }
        }
        let file = format!("{folder}/f.txt");
        let text = format!("read {}\n", b.number());
        if b.file(&file, text) {
            files.push(file);
        }
    }
    let cwd = plan.cwd().to_owned();
    if b.maybe(10, "touch: through a linked folder") && b.link(&format!("{cwd}/ln"), "Docs/in") {
        let file = format!("{cwd}/Docs/in/f.txt");
        let text = texts::plain(b);
        if b.file(&file, "linked\n") && b.file(&format!("{cwd}/Docs/in/GEMINI.md"), text) {
            files.push(format!("{cwd}/ln/f.txt"));
        }
    }
    if b.maybe(6, "touch: outside") && b.file("out/f.txt", "outside\n") {
        files.push("out/f.txt".to_owned());
    }
    if b.maybe(5, "touch: no such file") {
        files.push(format!("{cwd}/a/none.txt"));
    }
    if b.maybe(6, "touch: a nested repository") {
        let folder = format!("{cwd}/nest");
        b.put(&format!("{folder}/.git"), Kind::Dir);
        context_file(b, plan, &format!("{folder}/GEMINI.md"));
        if b.file(&format!("{folder}/f.txt"), "nested\n") {
            files.push(format!("{folder}/f.txt"));
        }
    }
    if b.maybe(8, "touch: a context file itself") {
        let path = format!("{cwd}/self/GEMINI.md");
        let text = texts::plain(b);
        if b.file(&path, text) {
            files.push(path);
        }
    }
    let mut left = b.random.below(4);
    while left > 0 && !files.is_empty() {
        let at = b.random.below(files.len());
        b.touches.push(files.remove(at));
        b.has("touch");
        left -= 1;
    }
}

/// Puts ignore files. They keep files from being read, but not from being loaded.
fn ignores(b: &mut Builder, plan: &Plan) {
    let cwd = plan.cwd().to_owned();
    if b.maybe(8, "ignored: context files") {
        b.file(&format!("{cwd}/.geminiignore"), "GEMINI.md\n*.md\n");
    }
    if b.maybe(5, "ignored: everything") {
        b.file(&format!("{cwd}/.gitignore"), "*\n");
    }
}
