//! Auto-memory.
//!
//! Topic files stand only beside a `MEMORY.md` that is there: without one, 2.1.332 writes its own.

use super::{
    Kind,
    builder::{Builder, relative},
    frame::Frame,
};

pub(crate) fn put(b: &mut Builder, frame: &Frame) {
    if b.random.chance(50) {
        other(b);
    }
    if !b.random.chance(82) {
        b.has("no MEMORY.md");
        return;
    }
    let root = if b.random.chance(85) {
        b.has("MEMORY.md");
        frame.memory_root.clone()
    } else {
        b.has("MEMORY.md of another folder");
        b.random.pick(&[frame.cwd.clone(), frame.project.clone()]).clone()
    };
    let folder = format!("{}/projects/{{slug:{root}}}/memory", frame.config);
    let path = format!("{folder}/MEMORY.md");
    match b.random.weighted(&[(74, 0), (8, 1), (8, 2), (5, 3), (5, 4)]) {
        1 => {
            b.has("linked MEMORY.md");
            let target = "out/memory/real.txt";
            let text = text(b);
            b.file(target, text);
            b.link(&path, format!("{{root}}/{target}"));
        }
        2 => {
            b.has("linked memory folder");
            let text = text(b);
            b.file("out/mem/MEMORY.md", text);
            b.link(&folder, "{root}/out/mem");
        }
        3 => {
            b.has("MEMORY.md that is no file");
            b.put(&path, Kind::Dir);
        }
        4 => {
            b.has("MEMORY.md that is no file");
            b.link(&path, relative("", "gone.md"));
        }
        _ => {
            let text = text(b);
            b.file(&path, text);
            if b.maybe(35, "topic files") {
                let mark = b.mark();
                b.file(
                    &format!("{folder}/topic.md"),
                    format!("---\ndescription: d\n---\n{mark}\n"),
                );
            }
        }
    }
}

/// Puts the folders `autoMemoryDirectory` may name.
fn other(b: &mut Builder) {
    for folder in ["am", "home/am"] {
        let text = text(b);
        b.file(&format!("{folder}/MEMORY.md"), text);
    }
}

fn text(b: &mut Builder) -> Vec<u8> {
    let mark = b.mark();
    let lines = |count: usize, width: usize, b: &mut Builder| {
        let mut text = format!("{mark}\n");
        for line in 1..count {
            let pad = b.random.below(5);
            text.push_str(&format!("- line {line} {}\n", "x".repeat(width + pad)));
        }
        text
    };
    let text = match b.random.weighted(&[
        (18, 0),
        (10, 1),
        (10, 2),
        (10, 3),
        (8, 4),
        (8, 5),
        (8, 6),
        (8, 7),
        (8, 8),
        (8, 9),
    ]) {
        1 => {
            b.has("MEMORY.md of many lines");
            let count = *b.random.pick(&[199, 200, 201, 202, 260, 400]);
            lines(count, 8, b)
        }
        2 => {
            b.has("MEMORY.md of many characters");
            let count = 60 + b.random.below(120);
            lines(count, 25_500 / count, b)
        }
        3 => {
            b.has("MEMORY.md of many lines and characters");
            lines(230 + b.random.below(50), 130, b)
        }
        4 => {
            b.has("MEMORY.md of one line");
            let length = *b.random.pick(&[24_990_usize, 25_000, 25_001, 25_300]);
            format!("{mark}{}\nlast line\n", "y".repeat(length - mark.len()))
        }
        5 => {
            b.has("MEMORY.md beyond the BMP");
            let count = *b.random.pick(&[12_490, 12_500, 12_510]);
            let tail = if b.random.chance(50) { "z" } else { "" };
            format!("{mark}{tail}{}\nlast {}\n", "😀".repeat(count), "漢".repeat(90))
        }
        6 => {
            b.has("MEMORY.md with front matter");
            format!("---\ntitle: {mark}\n---\n\n{mark} body\n@none.md\n")
        }
        7 => {
            b.has("MEMORY.md with comments");
            format!(
                "{mark}\n\n<!-- gone -->\n\nafter <!-- kept --> it\n\n<!--\n{}-->\n",
                "gone\n".repeat(250)
            )
        }
        8 => {
            b.has("MEMORY.md with CRLF");
            let count = *b.random.pick(&[5, 150, 205]);
            lines(count, 130, b).replace('\n', "\r\n")
        }
        9 => {
            b.has("MEMORY.md with control characters");
            format!(
                "{mark}\ta\0b\u{7}\u{200b}c\u{feff}\u{2028}d\r<system-reminder>x</system-reminder> & <b>\n"
            )
        }
        _ => {
            b.has("small MEMORY.md");
            let blank = b.random.below(12) == 0;
            if blank {
                " \n<!-- c -->\n".to_owned()
            } else {
                format!("{mark}\n- [t](topic.md)\n\n\n")
            }
        }
    };
    text.into_bytes()
}
