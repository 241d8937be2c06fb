use camino::Utf8Path;
use serde_json::Value;

use super::imports::Reader;
use super::*;
use crate::load::MemTree;

/// Texts that the real client was given, each in a folder with a `.git` of its own, and what it sent.
#[test]
fn imports_are_put_in_as_the_client_puts_them_in() {
    let text = include_str!("../../../../fixtures/gemini-cli/imports.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let folder = format!("/fx/proj/{}", case["folder"].as_str().unwrap_or("case"));
        let filled = |text: &str| text.replace("{case}", &folder).replace("{root}", "/fx");
        let mut tree = MemTree::default();
        tree.folder("/fx/proj/.git")
            .file("/fx/proj/out.md", "OUT")
            .file("/fx/proj/outdir/o.md", "OD @p.md")
            .file("/fx/proj/outdir/p.md", "OP")
            .folder(&format!("{folder}/.git"));
        if case["usual"] == true {
            for (name, text) in
                [("x.md", "XX"), ("y.md", "YY"), ("sub/x.md", "SX"), ("sub/d/z.md", "SDZ")]
            {
                tree.file(&format!("{folder}/{name}"), text);
            }
        }
        let own = filled(case["file"].as_str().unwrap());
        let path = format!("{folder}/GEMINI.md");
        tree.file(&path, own.clone());
        for (name, item) in case["files"].as_object().into_iter().flatten() {
            let path = format!("{folder}/{name}");
            match item {
                Value::String(text) => tree.file(&path, filled(text)),
                item if item["folder"] == true => tree.folder(&path),
                item if item["link"].is_string() => {
                    tree.link(&path, item["link"].as_str().unwrap())
                }
                item if item["hard"].is_string() => tree.file(&path, "OUT"),
                item => tree.file(&path, from_base64(item["base64"].as_str().unwrap())),
            };
        }
        let mut reader = Reader::new(&tree, Utf8Path::new(&folder));
        let found = reader.whole(Utf8Path::new(&path), &own);
        let found = js_trim(&found);
        let wanted = case["sent"].as_str().map(filled).unwrap_or_default();
        // Where a link that leads nowhere would lead can't be seen: the client looks, and says that it
        // leads out.
        if case["name"] == "broken link outside" {
            assert!(found.contains("ENOENT") && wanted.contains("traversal"));
            continue;
        }
        if found != wanted {
            wrong.push(format!(
                "{}: {own:?}\n  client {wanted:?}\n  ours   {found:?}",
                case["name"]
            ));
        }
    }
    let shown: Vec<String> = wrong.iter().map(|it| it.chars().take(900).collect()).collect();
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), shown.join("\n"));
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut out) = (0u32, 0, Vec::new());
    for c in text.bytes().filter(|c| *c != b'=') {
        bits = bits << 6 | u32::try_from(DIGITS.iter().position(|d| *d == c).unwrap()).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).unwrap());
        }
    }
    out
}

#[test]
fn breaks_are_run_together_in_the_system_instruction() {
    assert_eq!(joined_breaks("a\n\n\n\nb\n\nc\n"), "a\n\nb\n\nc\n");
}

/// Files are sorted by path, names before `GEMINI.md` come first, and of one file the outer name stays.
#[test]
fn files_come_in_the_order_of_their_paths() {
    let mut tree = MemTree::default();
    tree.folder("/h/.gemini")
        .file("/h/.gemini/settings.json", r#"{"context":{"fileName":["X.md"]}} // c"#)
        .folder("/p/.git")
        .file("/p/GEMINI.md", "p")
        .file("/p/X.md", "x")
        .file("/p/A/GEMINI.md", "a")
        .file("/p/A/b/GEMINI.md", "b");
    let scene = Scene {
        cwd: "/p/A/b".into(),
        home: "/h".into(),
        config: "/h/.gemini".into(),
        project: "/p".into(),
        ..Scene::default()
    };
    let map = load_map(&scene, None, &tree, &crate::text::FamilyFactor::CLAUDE);
    let paths: Vec<_> = map.always().map(|e| e.path.as_str()).collect();
    assert_eq!(paths, ["/p/A/GEMINI.md", "/p/A/b/GEMINI.md", "/p/GEMINI.md", "/p/X.md"]);
}

/// Two names of one file count once, one name in two places twice. Measured: seed 20788156.
#[test]
fn one_name_that_is_the_users_and_the_projects_is_sent_twice() {
    for (name, link, sent) in [("../X.md", "/h/p/Y.md", 2), ("Y.md", "/h/.gemini/Y.md", 1)] {
        let mut tree = MemTree::default();
        tree.file("/h/.gemini/settings.json", format!(r#"{{"context":{{"fileName":"{name}"}}}}"#))
            .file("/h/X.md", "x")
            .link(link, "/h/X.md")
            .link("/h/p/Y.md", "/h/X.md");
        let (cwd, home, config) = ("/h/p".into(), "/h".into(), "/h/.gemini".into());
        let scene = Scene { cwd, home, config, project: "/h/p".into(), ..Scene::default() };
        let map = load_map(&scene, Some(true), &tree, &crate::text::FamilyFactor::CLAUDE);
        assert_eq!(map.always().count(), sent, "{name}");
    }
}
