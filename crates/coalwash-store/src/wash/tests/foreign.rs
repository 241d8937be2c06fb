//! Another program that writes at the same time.

use std::cell::Cell;
use std::rc::Rc;

use super::*;
use crate::disk::fault::Fault;

/// How another program writes.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A new file gets the name.
    Replace,
    /// The file that has the name now is emptied and written.
    Rewrite,
    /// A file that was opened before the run is added to.
    Append,
}

const TAG: &str = "written by someone else";

/// Carries the plan out while another program writes once, before operation `when`.
///
/// Returns whether the run succeeded, whether the other found a file to write to, and the disk.
fn meddled(kind: Kind, path: &'static str, when: usize) -> (bool, bool, FaultDisk) {
    let mut opened = None;
    let wrote = Rc::new(Cell::new(false));
    let has_written = Rc::clone(&wrote);
    let disk = disk().meddle(move |number, other| {
        if number == 0 {
            opened = other.open(path);
        }
        if number != when {
            return;
        }
        let file = match kind {
            Kind::Replace => {
                other.replace(path, TAG.as_bytes());
                has_written.set(true);
                return;
            }
            Kind::Rewrite => other.open(path),
            Kind::Append => opened,
        };
        if let Some(file) = file {
            match kind {
                Kind::Append => other.append(file, TAG.as_bytes()),
                _ => other.write(file, TAG.as_bytes()),
            }
            has_written.set(true);
        }
    });
    let engine = engine(disk);
    let done = apply(&engine, plan());
    if let Err(error) = &done {
        assert!(matches!(error, ApplyError::Foreign { .. }), "{kind:?} {path} {when}: {error}");
    }
    (done.is_ok(), wrote.get(), engine.disk)
}

/// Every write of another program, at every moment, is in the file or in the folder of the run.
#[test]
#[expect(clippy::print_stdout, reason = "the count is part of the result")]
fn nothing_that_another_program_writes_is_lost() {
    let whole = engine(disk());
    apply(&whole, plan()).unwrap();
    let (operations, _) = whole.disk.counted();
    let before = texts(&disk());
    let after = texts(&whole.disk);
    let paths = ["/p/a.md", "/p/c.md", "/p/docs/d.md", "/memory/e.md", "/memory/f.md"];
    let made = ["/p/docs/b.md", "/memory/g.md"];
    let (mut applies, mut writes, mut refused) = (0, 0, 0);
    for kind in [Kind::Replace, Kind::Rewrite, Kind::Append] {
        for path in paths.into_iter().chain(made) {
            for when in 0..operations {
                let (is_done, has_written, disk) = meddled(kind, path, when);
                applies += 1;
                writes += usize::from(has_written);
                refused += usize::from(!is_done);
                let mut everything = disk.below("/").into_values();
                let is_kept = everything.any(|(text, _)| text.contains(TAG));
                assert_eq!(is_kept, has_written, "{kind:?} {path} {when}");
                // All others are wholly as before, or wholly as after.
                let mut expected = if is_done { after.clone() } else { before.clone() };
                let mut others = texts(&disk);
                expected.remove(path);
                others.remove(path);
                assert_eq!(others, expected, "{kind:?} {path} {when}");
            }
        }
    }
    println!("{applies} applies, {writes} foreign writes, {refused} taken back, 0 writes lost");
    assert!(applies >= 500 && writes >= 400, "{applies} {writes}");
    assert!(refused > 0 && refused < applies, "{refused}");
}

#[test]
fn a_write_into_the_old_file_after_the_run_is_still_somewhere() {
    let disk = disk();
    let mut opened = None;
    let disk = disk.meddle(move |number, other| {
        if number == 0 {
            opened = other.open("/p/a.md");
        }
        // The last operation gives the run its final name.
        if number == 34
            && let Some(file) = opened
        {
            other.append(file, TAG.as_bytes());
        }
    });
    let engine = engine(disk);
    let done = apply(&engine, plan()).unwrap();
    assert_eq!(done.late, Vec::<String>::new(), "it came after the last look");
    let kept = engine.disk.below("/data/runs/1");
    assert!(kept["/data/runs/1/displaced-0"].0.contains(TAG));
}

#[test]
fn a_run_that_was_interrupted_stops_the_next_one() {
    let engine_of = |disk| super::engine(disk);
    let torn = engine_of(disk().fault(Fault { stop_after: Some(20), ..Fault::default() }));
    apply(&torn, plan()).unwrap_err();
    let engine = engine_of(torn.disk.copied());
    let one = || {
        let change = Change::Rewrite { file: held("/p/other.md"), content: "x\n".to_owned() };
        Plan::new("later", vec![action(change)])
    };
    let error = apply(&engine, one()).unwrap_err();
    assert_eq!(error.to_string(), "run 1 was interrupted (test)");
    assert_eq!(error.files(), super::super::apply::Files::NeedRecovery);
    assert_eq!(recover(&engine).unwrap().len(), 1);
    assert_eq!(apply(&engine, one()).unwrap().run, 2);
}

#[test]
fn an_edit_after_the_crash_is_handed_over_and_copied() {
    let torn = engine(disk().fault(Fault { stop_after: Some(24), ..Fault::default() }));
    apply(&torn, plan()).unwrap_err();
    let disk = torn.disk.copied().meddle(|number, other| {
        if number == 0 {
            other.replace("/p/a.md", TAG.as_bytes());
        }
    });
    let engine = engine(disk);
    let all = recover(&engine).unwrap();
    assert_eq!(all[0].handed_over, ["/p/a.md"]);
    let mut expected = texts(&super::disk());
    expected.remove("/p/a.md");
    let mut now = texts(&engine.disk);
    assert_eq!(now.remove("/p/a.md").unwrap().0, TAG);
    assert_eq!(now, expected);
    let copies = engine.disk.below("/data/runs/1");
    assert!(copies.iter().any(|(name, (text, _))| name.contains("found-0") && text == TAG));
}
