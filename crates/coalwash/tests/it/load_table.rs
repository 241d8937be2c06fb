//! The load tables that were recorded from the real clients on one large tree.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::hosts::claude_code::table;
use coalwash_core::load::{Entry, MemTree};

use crate::answers::{ask, order_differs, ours};

const TREE: &str = include_str!("../../../../goldens/load-fixture.json");
const TABLES: [(&str, &str); 2] = [
    ("2.1.332", include_str!("../../../../goldens/load-table-2.1.332.tsv")),
    ("2.1.197", include_str!("../../../../goldens/load-table-2.1.197.tsv")),
];

fn tree() -> MemTree {
    let mut out = MemTree::default();
    let items: Vec<serde_json::Value> = serde_json::from_str(TREE).unwrap();
    for item in &items {
        let path = item["path"].as_str().unwrap();
        if let Some(text) = item["text"].as_str() {
            out.file(path, text);
        } else if let Some(target) = item["link"].as_str() {
            out.link(path, target);
        } else if let Some(bytes) = item["bytes"].as_array() {
            let bytes = bytes.iter().map(|b| u8::try_from(b.as_u64().unwrap()).unwrap());
            out.file(path, bytes.collect::<Vec<_>>());
        } else {
            out.folder(path);
        }
    }
    out
}

/// One request of the recording: the files with their sizes, and the markers in it.
#[derive(Debug, Default)]
struct Request {
    files: Vec<(Utf8PathBuf, usize)>,
    markers: Vec<String>,
}

fn requests(table: &str) -> (Vec<Request>, Vec<String>) {
    let mut out: Vec<Request> = Vec::new();
    let mut absent = Vec::new();
    for line in table.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells[2] == "absent" {
            absent.push(cells[3].to_owned());
            continue;
        }
        let number: usize = cells[0].parse().unwrap();
        out.resize_with(out.len().max(number), Request::default);
        let request = &mut out[number - 1];
        match cells[2] {
            "file" => {
                let chars = cells[5].strip_prefix("chars=").unwrap().parse().unwrap();
                request.files.push((cells[3].into(), chars));
            }
            _ => request.markers.push(cells[3].to_owned()),
        }
    }
    (out, absent)
}

fn text(entries: &[Entry]) -> String {
    entries.iter().filter_map(|e| e.sent.as_deref()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_recorded_load_tables_are_reproduced() {
    let tree = tree();
    let root = Utf8Path::new("/fx");
    let files = ["src/deep/main.rs", "lib/main.rs"].map(|f| root.join("work/repo").join(f));
    for (version, recorded) in TABLES {
        let profile = table::profile(Some(version));
        let found = ours(&tree, &profile, &ask(root, &root.join("work/repo")), &files);
        let (requests, absent) = requests(recorded);
        let steps = [&found.start, &found.touches[0], &found.touches[1]];
        for (number, (request, entries)) in requests.iter().zip(steps).enumerate() {
            let step = format!("{version}, request {}", number + 1);
            let paths: Vec<_> = request.files.iter().map(|(path, _)| path.clone()).collect();
            assert_eq!(order_differs(entries, &paths), None, "{step}");
            for (path, chars) in &request.files {
                let entry = entries.iter().find(|e| e.path == *path).unwrap();
                let sent = entry.sent.as_deref().unwrap().trim_matches('\n');
                // The recording ran below a folder whose name had nine more characters.
                let sent = sent.chars().count() + 9 * sent.matches("/fx/").count();
                // The older client's block ends in its own closing words, which the recording
                // counts to the last file of it.
                let last = version == "2.1.197" && request.files.last().unwrap().0 == *path;
                assert!(sent == *chars || last && sent < *chars, "{step}: {path}: {sent} {chars}");
            }
            let all = format!("{}\n{}", text(entries), text(&found.lists));
            for marker in &request.markers {
                // What the tool read, and a list that grew by a touch, aren't files.
                let other = marker.ends_with("_file_KM") || marker == "MK_skill_paths_desc_KM";
                assert!(other || all.contains(marker), "{step}: {marker} is missing");
            }
        }
        let all = [text(&found.start), text(&found.touches.concat()), text(&found.lists)].concat();
        for marker in &absent {
            assert!(!all.contains(marker), "{version}: {marker} was never sent");
        }
    }
}
