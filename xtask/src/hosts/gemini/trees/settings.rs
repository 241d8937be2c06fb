//! Settings files and trust.

use serde_json::{Map, Value, json};

use super::{Plan, texts};
use crate::trees::{Builder, join, relative};

/// Texts for which the client refuses to start.
const BROKEN: &[&str] = &["{nope", "", " \n", "[]", "null", "{\"a\":1,}", "\u{feff}{}"];

/// Puts the settings of the user and of the project, and decides whether it is trusted.
pub(super) fn put(b: &mut Builder, plan: &Plan) {
    let (mut user, mut project) = (Map::new(), Map::new());
    if let Some(value) = &plan.names_setting {
        let place = if b.random.chance(60) { &mut user } else { &mut project };
        set(place, "context", "fileName", value.clone());
        if b.maybe(10, "settings: names in both files") {
            set(&mut user, "context", "fileName", json!("X.md"));
            set(&mut project, "context", "fileName", value.clone());
        }
    }
    for (map, is_user) in [(&mut user, true), (&mut project, false)] {
        others(b, plan, map, is_user);
    }
    trust(b, plan, &mut user);
    write(b, &format!("{}/settings.json", plan.own), &user);
    write(b, &join(plan.cwd(), ".gemini/settings.json"), &project);
}

fn others(b: &mut Builder, plan: &Plan, map: &mut Map<String, Value>, is_user: bool) {
    let rare = if is_user { 12 } else { 5 };
    if b.maybe(rare, "settings: importFormat") {
        let value = *b.random.pick(&["flat", "flat", "tree", "zzz"]);
        set(map, "context", "importFormat", json!(value));
    }
    if b.maybe(rare, "settings: markers") {
        let value = *b.random.pick(&[
            r#"["pkg.toml"]"#,
            r#"[".git","pkg.toml"]"#,
            "[]",
            r#"["../x"]"#,
            r#"["nothing"]"#,
            r#"[""]"#,
            r#"["GEMINI.md"]"#,
            r#""pkg.toml""#,
        ]);
        let value = serde_json::from_str(value).expect("it is JSON");
        set(map, "context", "memoryBoundaryMarkers", value);
    }
    if b.maybe(rare, "settings: includeDirectories") {
        let folder = if b.random.chance(60) { "inc" } else { "inc/b" };
        let text = texts::text(b, "inc/GEMINI.md", 1);
        b.file("inc/GEMINI.md", text);
        let text = texts::plain(b);
        b.file("inc/b/GEMINI.md", text);
        let value = if b.random.chance(50) {
            json!([format!("{{root}}/{folder}")])
        } else {
            json!([relative(plan.cwd(), folder)])
        };
        set(map, "context", "includeDirectories", value);
        if b.random.chance(40) {
            set(map, "context", "loadMemoryFromIncludeDirectories", json!(b.random.chance(50)));
        }
    }
    if b.maybe(4, "settings: no effect") {
        set(map, "context", "discoveryMaxDirs", json!(0));
        set(map, "context", "includeDirectoryTree", json!(false));
        map.insert("contextFileName".to_owned(), json!("X.md"));
    }
    if b.maybe(3, "settings: a wrong type") {
        set(map, "context", "discoveryMaxDirs", json!("many"));
        map.insert("ui".to_owned(), json!("dark"));
    }
    if b.maybe(6, "settings: disabled skills") {
        let names = json!(["SK1", "sk2", "skill-creator"]);
        set(map, "skills", "disabled", names);
    }
    if b.maybe(2, "settings: no skills") {
        set(map, "skills", "enabled", json!(false));
    }
    if b.maybe(2, "settings: no agents") {
        set(map, "experimental", "enableAgents", json!(false));
    }
}

fn trust(b: &mut Builder, plan: &Plan, user: &mut Map<String, Value>) {
    let off = json!({"enabled": false});
    let folders = format!("{}/trustedFolders.json", plan.own);
    match b.random.weighted(&[(70, 0), (8, 1), (4, 2), (8, 3), (7, 4), (2, 5), (1, 6)]) {
        0 => b.env.push(("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned())),
        1 => {
            b.has("trust: a folder");
            let folder = b.random.pick(&plan.folders).clone();
            let path = format!("{{root}}/{folder}");
            let rule =
                format!("// rules\n{{\"{}\": \"TRUST_FOLDER\"}}", path.trim_end_matches('/'));
            b.file(&folders, rule);
        }
        2 => {
            b.has("trust: a parent");
            b.file(&folders, "{\"{root}/sibling\": \"TRUST_PARENT\"}");
        }
        3 => {
            b.has("trust: off");
            set(user, "security", "folderTrust", off);
        }
        4 => {
            b.has("trust: none, in a session");
            set(user, "security", "folderTrust", off);
            b.env.push(("GEMINI_RESTRICTED_MODE".to_owned(), "true".to_owned()));
        }
        5 => b.has("trust: refused"),
        _ => {
            b.has("trust: a broken file");
            b.file(&folders, "{\"{root}\": \"YES\"}");
        }
    }
}

fn set(map: &mut Map<String, Value>, group: &str, key: &str, value: Value) {
    let group = map.entry(group).or_insert_with(|| json!({}));
    if let Some(group) = group.as_object_mut() {
        group.insert(key.to_owned(), value);
    }
}

fn write(b: &mut Builder, path: &str, map: &Map<String, Value>) {
    if b.maybe(2, "settings: broken") {
        let text = *b.random.pick(BROKEN);
        b.file(path, text);
        return;
    }
    if map.is_empty() && !b.random.chance(8) {
        return;
    }
    let value = Value::Object(map.clone());
    let text = match b.random.below(3) {
        0 => value.to_string(),
        1 => format!("// settings\n{value:#} /* end */\n"),
        _ => format!("{value:#}\n"),
    };
    b.file(path, text);
}
