//! Skills that a session comes to know when it opens files: their names, their texts, their room.

use super::{Item, Kind, file};

/// A tree of skills.
#[derive(Debug)]
pub(super) struct Skills {
    /// The folder a session starts in.
    pub(super) cwd: &'static str,
    /// One file a line: `PATH: KEYS`, keys with `; ` between them. A path without an extension is a
    /// skill's folder. `PATH -> PATH` is a link, `PATH = TEXT` a file as it stands.
    files: &'static str,
    /// Files that are opened one after another.
    pub(super) touches: &'static [&'static str],
    /// Characters that a list may have.
    pub(super) budget: Option<&'static str>,
    /// Skills of the folder `p/a` that have a plain description.
    names: &'static str,
}

const PLAIN: Skills = Skills { cwd: "p", files: "", touches: &[], budget: None, names: "" };

/// Skills of the user, of the project and of folders below, some of one name.
const LEVELS: &str = "\
home/.claude/skills/user: description: du
home/.claude/skills/upath: description: du; paths: src/**
p/.claude/skills/root: description: dr
p/.claude/skills/zpath: description: dz; paths: \"src/**\"
p/.claude/skills/apath: description: da; paths: [\"src/*.ts\", \"a/*.rs\"]
p/a/.claude/skills/one: description: d1
p/a/.claude/skills/root: description: d2
p/a/.claude/skills/user: description: d2u
p/a/.claude/skills/hid: description: dh; disable-model-invocation: true
p/a/.claude/skills/pth: description: dp; paths: b/**
p/a/.claude/skills/pth2: description: dp2; paths: a/b/**
p/a/.claude/skills/named: description: dn; name: other
p/a/b/.claude/skills/one: description: d1b
p/a/b/.claude/skills/deep: description: ddeep
p/a/b/.claude/commands/cmd.md: description: dcmd
p/a/b/.claude/agents/ag.md: name: ag; description: dag
p/src/.claude/skills/s1: description: ds1
p/src/x.ts = x
p/src/y.ts = x
p/a/x.rs = x
p/a/b/x.rs = x
p/a/b/y.rs = x
p/README.md = x
";

/// Skills of a folder below whose name something else has, too, and settings that keep some back.
const TAKEN: &str = "\
home/.claude/skills/uhid: description: du; disable-model-invocation: true
home/.claude/skills/uoff: description: du
home/.claude/skills/unone: description: du
home/.claude/settings.json = {\"skillOverrides\":{\"uoff\":\"off\",\"nover\":\"off\",\"nname\":\"name-only\",\"a:quali\":\"name-only\",\"quali\":\"off\",\"unone\":\"name-only\"}}
home/.claude/commands/ucmd.md: description: dc
p/.claude/skills/rcond: description: dr; paths: never/**
p/.claude/commands/sub/deepc.md: description: dc
p/.claude/agents/ag.md: name: ag; description: dag
p/a/b/.claude/skills/quali: description: d
p/a/.claude/skills/nhid: description: d; disable-model-invocation: true
p/a/b/.claude/skills/nhid: description: d
p/a/.claude/skills/nodesc/SKILL.md = text of it
p/a/.claude/skills/nobody/SKILL.md = 
p/a/.claude/skills/hand: description: d; user-invocable: false
p/a/.claude/skills/w: description: d <b> & more; when_to_use: for x
p/a/b/x.rs = x
p/a/b/y.rs = x
p/never/z = x
";

/// Skills that wait for the same file under one name, and under names that are taken.
const WAITING: &str = "\
home/.claude/skills/k: description: duser; paths: src/**
p/.claude/skills/k: description: dfar; paths: src/**
p/s/.claude/skills/k: description: dnear; paths: src/**
p/.claude/skills/j: description: dfar; paths: src/**
p/s/.claude/skills/j: description: dnear; paths: README.md
home/.claude/skills/m: description: duser
p/.claude/skills/m: description: dproj; paths: src/**
home/.claude/skills/n: description: duser; paths: src/**
p/.claude/skills/n: description: dproj
p/.claude/commands/q.md: description: dcmd
p/.claude/skills/q: description: dproj; paths: src/**
p/.claude/skills/h: description: dhid; disable-model-invocation: true
home/.claude/skills/h: description: dcond; paths: src/**
p/s/src/.claude/skills/h: description: dnest
p/.claude/skills/init: description: dinit; paths: src/**
p/.claude/skills/help: description: dhelp; paths: src/**
home/.claude/skills/cc: description: duc; paths: src/**
p/.claude/skills/cc: description: dpc; paths: src/**; disable-model-invocation: true
p/.claude/commands/cp.md: description: dcmd; paths: src/**
p/.claude/skills/rp: description: dproj; paths: src/**; name: other
p/.claude/skills/off: description: d; paths: src/**
p/.claude/skills/nm: description: d; paths: src/**
p/.claude/skills/none: description: d; paths: []
p/.claude/skills/all: description: d; paths: [\"**\", \"x\"]
p/.claude/skills/sub: description: d; paths: s/src/**
p/.claude/skills/anchored: description: d; paths: /src/x.ts
p/.claude/skills/name: description: d; paths: \"*.ts\"
p/.claude/skills/braces: description: d; paths: \"{src,lib}/**\"
p/.claude/skills/not: description: d; paths: \"!src/**\"
p/.claude/skills/butnot: description: d; paths: [\"**/*.ts\", \"!src/**\"]
p/.claude/skills/bare: description: d; paths: src
p/.claude/skills/broken: description: d; paths: \"a[\"
home/.claude/settings.json = {\"skillOverrides\":{\"nm\":\"name-only\",\"off\":\"off\"}}
p/s/src/x.ts = x
p/s/README.md = x
";

/// Folders and skills that are links, hidden, ignored or a repository of their own.
const ODD_FOLDERS: &str = "\
p/.gitignore = ign/
p/ign/.claude/skills/i1: description: d
p/node_modules/m/.claude/skills/n1: description: d
p/rep/.git/HEAD = ref: refs/heads/main
p/rep/.claude/skills/r1: description: d
p/.hidden/.claude/skills/h1: description: d
p/real/.claude/skills/l1: description: d
p/ln -> real
out/skl/SKILL.md = ---\\ndescription: d\\n---\\nbody
p/.claude/skills/k: description: dk
p/lk/.claude/skills/viadir -> {root}/out/skl
p/lk/.claude/skills/again -> {root}/p/.claude/skills/k
p/miss/.claude/skills/m1: description: d
p/lw/.claude/skills/low/skill.md = low
p/lw/.claude/skills/a<b: description: d
p/lw/.claude/skills/sp ace: description: d
p/lw/.claude/skills/flat.md = flat
p/lw/.claude/skills/par/in: description: d
p/.claude/skills/c<d: description: d
p/.claude/commands/e<f.md: description: d
p/a b/c/.claude/skills/e: description: d
p/ign/f.rs = x
p/node_modules/m/f.rs = x
p/rep/f.rs = x
p/.hidden/f.rs = x
p/real/f.rs = x
p/lk/f.rs = x
p/lw/f.rs = x
p/a b/c/f.rs = x
p/README.md = x
";

/// More than a small budget holds.
const LONG: &str = "\
p/.claude/skills/cond: description: dcXXX; paths: a/**
p/.claude/skills/st: description: dsXXX
p/a/.claude/skills/long: description: dXXXXXXXXXXXXXXXXXXXXX
p/a/.claude/skills/s0: description: dXXX0
p/a/.claude/skills/s1: description: dXXX1
p/a/.claude/skills/s2: description: dXXX2
p/a/.claude/skills/s3: description: dXXX3
home/.claude.json = {\"skillUsage\":{\"s2\":{\"usageCount\":99,\"lastUsedAt\":1}}}
p/a/x.rs = x
p/a/y.rs = x
";

/// A home below the folder of the session.
const ABOVE: &str = "\
home/.claude/skills/k: description: dk
home/a/.claude/skills/n: description: dk
home/x.rs = x
home/a/y.rs = x
home/z = x
";

/// Names that were tried for being the client's own.
const OWN: &str = "\
    account add-dir advisor agent agents allow allowed-tools allowlist android api-key apikey \
    app ask attach auto auto-mode autofix-pr background bash bashes batch bell bg billing branch \
    brief btw btw-say buddy bug cd changelog checkpoint checkpoints chrome claude-api clear \
    code-review color commit commit-push-pr compact config context continue copy copy-last cost \
    cp cron cron-list cwd dark dataviz debug deep-research deny desktop detach diff doctor dream \
    effort effort-level emacs env exit export extra-usage fast fast-mode feedback \
    fewer-permission-prompts find focus forget fork goal graph heapdump help history hook hooks \
    ide image images init insights install install-github-app install-slack-app ios issue issues \
    job jobs key keybindings keybindings-help keys keys-help kill learn less-permission-prompts \
    light load log login logs loop ls map marketplace mcp mcps memories memory mobile model \
    model-switch monitor name network new notifications notify onboarding open output-style pair \
    passes paste pause peers perf permission permission-prompts permissions plan plugin \
    plugin-authoring plugins powerup pr pr-comments pr-review privacy-settings profile \
    profile-cpu proxy prs ps pwd quiet quit rc recap redo release-notes reload-plugins remember \
    remote remote-control rename report reset restore resume review rewind rewind-to run sandbox \
    sandbox-mode save schedule scroll search secrets security-review select session sessions \
    settings setup-bedrock setup-vertex share shell shortcuts side signin signout simplify skill \
    skills stats status statusline statusline-setup stickers stop switch task tasks teach \
    team-onboarding teleport terminal terminal-setup theme theme-switch think think-back \
    thinkback thinkback-play thinking todo todos tokens top trace transcript tree trust tui \
    ultraplan ultrareview ultrathink undo uninstall untrust update update-config upgrade usage \
    verbose verify version vi vim voice voice-mode watch web web-setup whoami wiki \
    workflow-authoring workflows worktree worktrees wt";

/// The trees. Which of a folder's skills 2.1.197 lists at once and which a turn later differs from
/// run to run.
pub(super) const TREES: [Skills; 10] = [
    Skills {
        files: LEVELS,
        touches: &["p/src/x.ts", "p/a/b/x.rs", "p/a/b/y.rs", "p/src/y.ts", "p/README.md"],
        ..PLAIN
    },
    Skills {
        files: LEVELS,
        touches: &["p/a/x.rs", "p/a/b/x.rs", "p/a/b/y.rs", "p/src/y.ts", "p/README.md"],
        ..PLAIN
    },
    Skills {
        files: TAKEN,
        touches: &["p/a/b/x.rs", "p/a/b/y.rs", "p/never/z"],
        names: "uhid uoff unone ucmd rcond deepc ag nover nname quali",
        ..PLAIN
    },
    Skills {
        cwd: "p/s",
        files: WAITING,
        touches: &["p/s/README.md", "p/s/src/x.ts", "p/s/README.md"],
        ..PLAIN
    },
    Skills { cwd: "p/s", files: WAITING, touches: &["p/s/src/no.ts", "p/s/README.md"], ..PLAIN },
    Skills {
        files: ODD_FOLDERS,
        touches: &[
            "p/ign/f.rs",
            "p/node_modules/m/f.rs",
            "p/rep/f.rs",
            "p/.hidden/f.rs",
            "p/ln/f.rs",
            "p/real/f.rs",
            "p/lk/f.rs",
            "p/miss/no.rs",
            "p/lw/f.rs",
            "p/a b/c/f.rs",
            "p/README.md",
        ],
        ..PLAIN
    },
    Skills { files: LONG, touches: &["p/a/x.rs", "p/a/y.rs"], budget: Some("300"), ..PLAIN },
    Skills { files: LONG, touches: &["p/a/x.rs", "p/a/y.rs"], budget: Some("7000"), ..PLAIN },
    Skills { cwd: ".", files: ABOVE, touches: &["home/x.rs", "home/a/y.rs", "home/z"], ..PLAIN },
    Skills {
        files: "p/a/x.rs = x\np/a/y.rs = x\n",
        touches: &["p/a/x.rs", "p/a/y.rs"],
        names: OWN,
        ..PLAIN
    },
];

impl Skills {
    /// Returns the files of the tree.
    pub(super) fn items(&self) -> Vec<Item> {
        let long = "x".repeat(90);
        let lines = self.files.lines().map(|line| {
            if let Some((path, target)) = line.split_once(" -> ") {
                return Item { path: path.to_owned(), kind: Kind::Link(target.to_owned()) };
            }
            if let Some((path, text)) = line.split_once(" = ") {
                return file(path.to_owned(), format!("{}\n", text.replace("\\n", "\n")));
            }
            let (path, keys) = line.split_once(": ").unwrap_or((line, ""));
            let keys = keys.replace("; ", "\n").replace("XXX", &long);
            named(path, &keys)
        });
        let own = self.names.split_whitespace();
        let own = own.map(|name| named(&format!("p/a/.claude/skills/{name}"), "description: d"));
        lines.chain(own).collect()
    }
}

fn named(path: &str, keys: &str) -> Item {
    let path = if path.ends_with(".md") { path.to_owned() } else { format!("{path}/SKILL.md") };
    file(path, format!("---\n{keys}\n---\nbody\n"))
}
