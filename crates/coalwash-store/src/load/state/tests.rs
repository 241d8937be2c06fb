#![expect(clippy::disallowed_methods, reason = "tests lay files out and start themselves")]

use std::process::{Child, Command};

use serde_json::{Value, json};

use super::*;

const WAIT: Duration = Duration::from_secs(60);
/// Names the base for a process that only writes.
const BASE: &str = "COALWASH_TEST_STATE_BASE";
const PROJECT: &str = "/w/shop.api";

struct Place {
    _temp: tempfile::TempDir,
    base: Utf8PathBuf,
}

impl Place {
    /// Makes a base in which the host has a folder of the project.
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        let place = Self { _temp: temp, base };
        std::fs::create_dir_all(place.base.join("projects/-w-shop-api")).unwrap();
        place
    }

    fn files(&self) -> StateFiles {
        StateFiles::of(&self.base, PROJECT.into())
    }

    fn write(&self, path: &str, value: &Value) {
        let path = self.base.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    }

    fn own(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.files().own()).unwrap()).unwrap()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let all = self.base.join(folder).read_dir_utf8().unwrap();
        let mut all: Vec<_> = all.map(|it| it.unwrap().file_name().to_owned()).collect();
        all.sort();
        all
    }
}

const OWN: &str = "projects/-w-shop-api/coalwash/state.json";

fn count(state: &mut State) {
    let old = state.all.get("count").and_then(Value::as_u64).unwrap_or(0);
    state.all.insert("count".to_owned(), json!(old + 1));
}

#[test]
fn a_state_is_made_and_changed_and_what_is_unknown_stays() {
    let place = Place::new();
    place.files().update(WAIT, |state| state.started(5, 70)).unwrap();
    let wanted = json!({"stamps": [{"t": 5, "fp": 70}], "stateSchema": 1, "projectRoot": PROJECT});
    assert_eq!(place.own(), wanted);
    let bytes = std::fs::read(place.files().own()).unwrap();
    assert!(bytes.starts_with(b"{\"stamps\"") && !bytes.contains(&b'\n'));
    let node = json!({"stateSchema": 1, "leanFloorTokens": 3, "mine": {"a": [1]}, "stamps": [null, {"t": 1, "fp": 2}]});
    place.write(OWN, &node);
    let written = place.files().update(WAIT, |state| state.started(5, 70)).unwrap();
    assert_eq!(written.starts, [1, 5]);
    let own = place.own();
    assert_eq!((&own["leanFloorTokens"], &own["mine"]), (&json!(3), &json!({"a": [1]})));
    assert_eq!(own["stamps"], json!([{"t": 1, "fp": 2}, {"t": 5, "fp": 70}]));
    assert_eq!(place.names("projects/-w-shop-api/coalwash"), ["state.json", "state.lock"]);
}

#[test]
fn older_places_are_the_beginning_and_stay_as_they_are() {
    // Of a file that says no version only the history counts.
    let place = Place::new();
    let unversioned = json!({"projects": {PROJECT: {"quickTried": true, "stamps": [{"t": 3}]}}});
    place.write(".coalwash-state.json", &unversioned);
    place.files().update(WAIT, count).unwrap();
    assert_eq!((place.own().get("quickTried"), &place.own()["stamps"][0]["t"]), (None, &json!(3)));

    let place = Place::new();
    let oldest = json!({"stateSchema": 1, "projects": {PROJECT: {"quickTried": true, "x": 1}}});
    place.write(".coalwash-state.json", &oldest);
    place.files().update(WAIT, count).unwrap();
    let wanted =
        json!({"quickTried": true, "x": 1, "stateSchema": 1, "count": 1, "projectRoot": PROJECT});
    assert_eq!(place.own(), wanted);
    std::fs::remove_file(place.files().own()).unwrap();
    let shared = "coal/coalwash/state--w-shop-api.json";
    place.write(shared, &json!({"stateSchema": 1, "count": 8}));
    place.files().update(WAIT, count).unwrap();
    assert_eq!(place.own()["count"], 9);
    // From then on the own one counts.
    place.files().update(WAIT, count).unwrap();
    assert_eq!(place.own()["count"], 10);
    let text = |path: &str| std::fs::read_to_string(place.base.join(path)).unwrap();
    assert_eq!(text(".coalwash-state.json"), oldest.to_string());
    assert_eq!(text(shared), json!({"stateSchema": 1, "count": 8}).to_string());
}

#[test]
fn what_is_no_state_is_as_good_as_none() {
    for text in ["", "{\"stateSchema\": 1, \"lastV", "[1]", "\"x\"", "42", "null"] {
        let place = Place::new();
        place.write(OWN, &Value::Null);
        std::fs::write(place.files().own(), text).unwrap();
        place.files().update(WAIT, count).unwrap();
        assert_eq!(place.own()["count"], 1, "{text}");
    }
}

#[test]
fn nothing_is_written_where_it_does_not_belong() {
    let said = |place: &Place| place.files().update(Duration::ZERO, count).unwrap_err().to_string();
    // No folder of the host's: none is made, for it would look like a project.
    let place = Place::new();
    std::fs::remove_dir(place.base.join("projects/-w-shop-api")).unwrap();
    assert!(said(&place).contains("no folder of the host's"));
    assert_eq!(place.names("projects"), Vec::<String>::new());
    // Links, of the folder, of ours in it, of the file, of the lock.
    let outside = tempfile::tempdir().unwrap();
    for (at, what) in
        ["", "/coalwash", "/coalwash/state.json", "/coalwash/state.lock"].iter().enumerate()
    {
        let place = Place::new();
        let path = place.base.join(format!("projects/-w-shop-api{what}"));
        if at == 0 {
            std::fs::remove_dir(&path).unwrap();
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(outside.path(), &path).unwrap();
        let said = said(&place);
        assert!(said.contains("link") || said.contains("folder"), "{what}: {said}");
        assert_eq!(outside.path().read_dir().unwrap().count(), 0, "{what}");
    }
    let place = Place::new();
    place.write(OWN, &json!({"stateSchema": 2, "count": 1}));
    assert!(said(&place).contains("a newer version wrote"));
    assert_eq!(place.own()["count"], 1);
    let place = Place::new();
    std::fs::create_dir_all(place.files().own()).unwrap();
    assert!(said(&place).contains("it is a folder"));
    // Too large to be read whole.
    let place = Place::new();
    place.write(OWN, &json!({"x": "y".repeat(5 << 20)}));
    assert!(said(&place).contains("too large"));
}

#[test]
fn one_that_waits_too_long_is_told() {
    let place = Place::new();
    let mut inner = Ok(State::default());
    place
        .files()
        .update(WAIT, |state| {
            count(state);
            inner = place.files().update(Duration::from_millis(3), count);
        })
        .unwrap();
    assert!(matches!(inner, Err(StateError::Busy { .. })), "{inner:?}");
    assert_eq!(place.own()["count"], 1);
}

#[test]
fn what_a_writer_without_a_lock_wrote_meanwhile_is_kept() {
    for before in [None, Some(json!({"stateSchema": 1, "count": 1}))] {
        let place = Place::new();
        if let Some(before) = &before {
            place.write(OWN, before);
        }
        let mut calls = 0;
        let done = place.files().update(WAIT, |state| {
            calls += 1;
            if calls == 1 {
                place.write(OWN, &json!({"stateSchema": 1, "count": 40, "node": calls}));
            }
            count(state);
        });
        done.unwrap();
        let own = place.own();
        assert_eq!((&own["count"], &own["node"], calls), (&json!(41), &json!(1), 2), "{before:?}");
    }
    // One that never stops writing is left alone.
    let place = Place::new();
    let mut calls = 0;
    let done = place.files().update(WAIT, |_| {
        calls += 1;
        place.write(OWN, &json!({"stateSchema": 1, "node": calls}));
    });
    assert!(done.is_err());
    assert_eq!((calls, &place.own()["node"]), (MOST_TRIES, &json!(MOST_TRIES)));
}

/// Writes for the tests below, in a process of its own; alone it does nothing.
#[test]
fn writer() {
    let Ok(base) = std::env::var(BASE) else { return };
    let files = StateFiles::of(Utf8Path::new(&base), PROJECT.into());
    for _ in 0..PER_PROCESS {
        files.update(WAIT, count).unwrap();
    }
}

const PER_PROCESS: u64 = 25;

fn start_writer(place: &Place) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["load::state::tests::writer", "--exact"])
        .env(BASE, &place.base)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn no_update_of_many_processes_is_lost() {
    let place = Place::new();
    let mut processes: Vec<Child> = (0..8).map(|_| start_writer(&place)).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..PER_PROCESS {
                    place.files().update(WAIT, count).unwrap();
                }
            });
        }
    });
    for process in &mut processes {
        assert!(process.wait().unwrap().success());
    }
    assert_eq!(place.own()["count"], 12 * PER_PROCESS);
}

#[test]
fn a_process_that_dies_leaves_a_whole_state_and_no_lock() {
    let place = Place::new();
    let mut last = 0;
    for round in 0..20_u32 {
        let mut process = start_writer(&place);
        while !place.files().own().exists() {
            std::thread::yield_now();
        }
        for _ in 0..round * 2_000 {
            std::thread::yield_now();
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let now = place.own()["count"].as_u64().unwrap();
        assert!(now >= last, "{now} after {last}");
        last = now;
    }
    place.files().update(WAIT, count).unwrap();
    assert_eq!(place.own()["count"], last + 1);
}

#[test]
fn a_torn_file_of_a_write_that_was_cut_short_does_no_harm() {
    let place = Place::new();
    place.files().update(WAIT, count).unwrap();
    for name in [".coalwash-Ab12", "state.json.tmp"] {
        let path = place.files().own().with_file_name(name);
        std::fs::write(path, "{\"stateSchema\": 1, \"cou").unwrap();
    }
    assert_eq!(place.files().read(&mut Vec::new()).0.all["count"], 1);
    place.files().update(WAIT, count).unwrap();
    assert_eq!(place.own()["count"], 2);
}
