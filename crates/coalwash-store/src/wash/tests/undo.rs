//! Taking back what was done.

use super::super::undo::{UndoAsk, UndoError};
use super::*;

fn undo(engine: &Engine<FaultDisk>, run: u64, ask: &UndoAsk) -> Result<u64, UndoError> {
    let locked = locked();
    let cleared = engine.undoing(run, ask, &STORES.map(Into::into))?;
    let meta = Meta { undoes: Some(run), ..Meta::default() };
    let prepared = engine.prepare(&locked, cleared, &meta).unwrap();
    Ok(prepared.commit(serde_json::Value::Null).unwrap().run)
}

fn write(engine: &Engine<FaultDisk>, path: &'static str, text: &str) {
    use crate::disk::Disk as _;
    let at = engine.disk.open(camino::Utf8Path::new(path).parent().unwrap()).unwrap();
    let name = path.rsplit('/').next().unwrap();
    if engine.disk.stat(&at, name).unwrap().is_some() {
        engine.disk.remove(&at, name).unwrap();
    }
    engine.disk.create(&at, name, text.as_bytes(), &Attributes::default()).unwrap();
}

#[test]
fn applied_and_undone_is_as_it_was_and_undone_again_is_as_applied() {
    let engine = engine(disk());
    apply(&engine, plan()).unwrap();
    let applied = texts(&engine.disk);
    assert_eq!(undo(&engine, 1, &UndoAsk::default()).unwrap(), 2);
    assert_eq!(
        user_files(&engine.disk),
        user_files(&disk()),
        "mode and time are as they were, too"
    );
    assert_eq!(undo(&engine, 2, &UndoAsk::default()).unwrap(), 3);
    assert_eq!(texts(&engine.disk), applied);
    let (all, damaged) = engine.history(Some(&["/p".into()])).unwrap();
    let said: Vec<_> = all.iter().map(|run| (run.begin.run, run.begin.undoes)).collect();
    assert_eq!(said, [(3, Some(2)), (2, Some(1)), (1, None)]);
    assert!(damaged.is_empty());
    assert!(engine.history(Some(&["/elsewhere".into()])).unwrap().0.is_empty());
}

#[test]
fn a_file_that_changed_again_is_named() {
    let engine = engine(disk());
    apply(&engine, plan()).unwrap();
    write(&engine, "/p/a.md", "Use port 5433.\nAnd a new line.\n");
    let before = user_files(&engine.disk);
    let error = undo(&engine, 1, &UndoAsk::default()).unwrap_err();
    assert_eq!(error.to_string(), "`/p/a.md` changed again after run 1");
    assert_eq!(user_files(&engine.disk), before);

    let except = UndoAsk { except: vec!["/p/a.md".into()], ..UndoAsk::default() };
    undo(&engine, 1, &except).unwrap();
    let mut expected = texts(&disk());
    let mut now = texts(&engine.disk);
    assert_eq!(now.remove("/p/a.md").unwrap().0, "Use port 5433.\nAnd a new line.\n");
    expected.remove("/p/a.md");
    assert_eq!(now, expected);
    // What was taken back already is no work.
    let again = undo(&engine, 1, &except).unwrap_err();
    assert!(matches!(again, UndoError::NothingDone { .. }), "{again}");
}

#[test]
fn both_changes_are_kept_where_they_dont_touch() {
    let engine = engine(disk());
    let rewrite = |content: &str| {
        let change = Change::Rewrite { file: held("/p/a.md"), content: content.to_owned() };
        Plan::new("test", vec![action(change)])
    };
    apply(&engine, rewrite("Use port 5433.\n\nOne.\n\nTwo.\n")).unwrap();
    write(&engine, "/p/a.md", "Use port 5433.\n\nOne.\n\nTwo.\n\nThree.\n");
    let merge = UndoAsk { merge: true, ..UndoAsk::default() };
    let error = undo(&engine, 1, &merge).unwrap_err();
    assert!(error.to_string().contains("at the same place"), "{error}");
    write(&engine, "/p/a.md", "Zero.\n\nUse port 5433.\n\nOne.\n\nTwo.\n");
    let done = undo(&engine, 1, &merge);
    let said = done.map(|_| texts(&engine.disk)["/p/a.md"].0.clone());
    assert!(
        matches!(said, Err(UndoError::Conflict { .. })),
        "the first line is next to the change"
    );
}

#[test]
fn one_line_is_taken_back() {
    let long: &[u8] = b"one\ntwo\nthree\nfour\nfive\nsix\n";
    let engine = engine(FaultDisk::with(&[("/p/a.md", long)]).folder("/data").folder("/memory"));
    let change = Change::Rewrite {
        file: Target::holding("/p/a.md", long),
        content: "one\nthree\nfour\nfive\nSIX\n".to_owned(),
    };
    apply(&engine, Plan::new("test", vec![action(change)])).unwrap();
    write(&engine, "/p/a.md", "zero\none\nthree\nfour\nfive\nSIX\n");
    let line = |line| UndoAsk { line: Some(("/p/a.md".into(), line)), ..UndoAsk::default() };
    let error = undo(&engine, 1, &line(4)).unwrap_err();
    assert_eq!(error.to_string(), "run 1 changed nothing at line 4 of `/p/a.md`");
    undo(&engine, 1, &line(6)).unwrap();
    assert_eq!(texts(&engine.disk)["/p/a.md"].0, "zero\none\nthree\nfour\nfive\nsix\n");
}

#[test]
fn what_can_not_be_undone_says_why() {
    let engine = engine(disk());
    let ask = UndoAsk::default();
    assert_eq!(undo(&engine, 1, &ask).unwrap_err().to_string(), "there is no run 1");
    apply(&engine, plan()).unwrap();
    let other = UndoAsk { except: vec!["/p/none.md".into()], ..UndoAsk::default() };
    let error = undo(&engine, 1, &other).unwrap_err();
    assert_eq!(error.to_string(), "run 1 changed nothing in `/p/none.md`");
    let error = engine.undoing(1, &ask, &["/memory".into()]).err().unwrap();
    assert!(error.to_string().contains("not in a folder that may be changed"), "{error}");
}
