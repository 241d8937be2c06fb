//! The parts of a load map: the walk, the Markdown reader, the record splitter, the repeats.
//!
//! `cargo bench` ends within two minutes. Whole commands are measured by `benches/compare.sh`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use coalwash_core::load::hosts::claude_code::markdown::{Dialect, read};
use coalwash_core::load::hosts::claude_code::table;
use coalwash_core::load::repeats::Repeats;
use coalwash_core::load::{LoadMap, MemTree, load_map};
use coalwash_core::text::FamilyFactor;
use coalwash_core::transcripts::split::{Piece, pieces};
use coalwash_store::load::{Ask, discover};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const DIALECT: Dialect = Dialect::V2_1_332;

/// Prose that no other seed gives, a few hundred bytes for each paragraph.
fn prose(seed: usize, bytes: usize) -> String {
    const WORDS: [&str; 16] = [
        "the", "build", "runs", "tests", "before", "each", "release", "and", "keeps", "logs",
        "`cargo`", "never", "*always*", "deploy", "from", "main",
    ];
    let mut state = seed as u64 + 1;
    let mut out = format!("# Part {seed}\n\n");
    while out.len() < bytes {
        for _ in 0..40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let word = WORDS[(state >> 60) as usize];
            out.push_str(word);
            out.push(' ');
        }
        out.push_str(&format!("{seed}-{}.\n\n", out.len()));
    }
    out
}

fn thousand_files() -> MemTree {
    let mut tree = MemTree::default();
    tree.folder("/fx/home/.claude").folder("/fx/work/.git");
    let mut main = String::new();
    for file in 0..500 {
        tree.file(&format!("/fx/work/.claude/rules/r{file}.md"), prose(file, 1_000));
        tree.file(&format!("/fx/work/docs/d{file}.md"), prose(file + 500, 1_000));
        if file < 250 {
            main.push_str(&format!("- @docs/d{file}.md\n"));
        }
    }
    for (name, files) in [("a", 250..375), ("b", 375..500)] {
        let imports: String = files.map(|file| format!("- @d{file}.md\n")).collect();
        tree.file(&format!("/fx/work/docs/{name}.md"), imports);
        main.push_str(&format!("@docs/{name}.md\n"));
    }
    tree.file("/fx/work/CLAUDE.md", main);
    tree
}

fn map(tree: &MemTree) -> LoadMap {
    let ask = Ask {
        cwd: Utf8PathBuf::from("/fx/work"),
        home: Utf8PathBuf::from("/fx/home"),
        managed: Utf8PathBuf::from("/fx/no-organisation"),
        ..Ask::default()
    };
    let profile = table::profile(None);
    let (scene, _) = discover(tree, &profile, &ask);
    load_map(&profile, &scene, tree, &FamilyFactor::CLAUDE)
}

/// The load map and the repeats of 1,003 files that all load at the start.
fn walk(c: &mut Criterion) {
    let tree = thousand_files();
    let entries = map(&tree).entries;
    assert_eq!(entries.len(), 1_003, "every file of the tree loads");
    let mut group = c.benchmark_group("1,000 files");
    group.bench_function("load map", |b| b.iter(|| map(black_box(&tree))));
    group.bench_function("repeats", |b| {
        b.iter(|| Repeats::of(black_box(&entries), &FamilyFactor::CLAUDE));
    });
    group.finish();
}

/// The Markdown reader on what people write.
fn markdown(c: &mut Criterion) {
    let imports: String = (0..8_000)
        .map(|at| format!("- see @docs/part{at}.md and `@not/this{at}.md`, *then* @~/x{at}.md\n"))
        .collect();
    let comments = format!("<!-- a note -->\n\n{}", prose(1, 1_000)).repeat(400);
    let mut group = c.benchmark_group("markdown");
    for (name, text) in
        [("prose", prose(1, 512 << 10)), ("imports", imports), ("comments", comments)]
    {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| {
            b.iter_batched(
                || text.clone(),
                |text| read(text, DIALECT),
                criterion::BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// Texts on which a careless reader takes time that grows with the square of their length. Printed
/// for each: the time for 256 KB and for 512 KB, and the ratio, which is about 2 where the cost is
/// linear.
fn hostile(_: &mut Criterion) {
    let repeated = |part: &str, bytes: usize| part.repeat(bytes / part.len());
    let deep = |mark: &str, bytes: usize| {
        let mut out = String::new();
        let mut depth = 0;
        while out.len() < bytes {
            depth = (depth + 1) % 400;
            out.push_str(&mark.repeat(depth));
            out.push_str(" @a.md\n");
        }
        out
    };
    let texts: [(&str, &dyn Fn(usize) -> String); 12] = [
        ("open brackets", &|n| repeated("[", n) + "@a"),
        ("open links", &|n| repeated("[a](", n) + "@a"),
        ("backticks of all lengths", &|n| {
            let (mut out, mut run) = (String::from("@a "), 1);
            while out.len() < n {
                out.push_str(&"`".repeat(run));
                out.push(' ');
                run = run % 500 + 1;
            }
            out
        }),
        ("stars", &|n| repeated("*a **b ", n) + "@a"),
        ("underscores", &|n| repeated("_a __b_ ", n) + "@a"),
        ("open comments", &|n| repeated("<!--\n", n) + "@a"),
        ("comment starts in a line", &|n| repeated("a <!-- ", n) + "@a"),
        ("open tags", &|n| repeated("<a b='", n) + "@a"),
        ("quotes in quotes", &|n| deep(">", n)),
        ("lists in lists", &|n| deep("- ", n)),
        ("definitions", &|n| repeated("[a]: b\n", n) + "@a"),
        ("at signs", &|n| repeated("@", n)),
    ];
    println!("hostile texts                  256 KB     512 KB  ratio");
    for (name, text) in texts {
        let best = |bytes: usize| {
            let text = text(bytes);
            let run = || {
                let copy = text.clone();
                let start = Instant::now();
                drop(black_box(read(black_box(copy), DIALECT)));
                start.elapsed()
            };
            (0..5).map(|_| run()).min().unwrap_or_default()
        };
        let (half, whole) = (best(256 << 10), best(512 << 10));
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let ratio = whole.as_secs_f64() / half.as_secs_f64();
        println!("{name:26} {:7.2} ms {:7.2} ms  {ratio:5.2}", ms(half), ms(whole));
    }
}

/// The record splitter on a whole file, and on one with a damaged line in every ten.
fn records(c: &mut Criterion) {
    let record = |at: usize| {
        let text = prose(at, 2_000).replace('\n', "\\n");
        format!("{{\"type\":\"user\",\"uuid\":\"{at}\",\"message\":{{\"content\":\"{text}\"}}}}\n")
    };
    let whole: String = (0..4_000).map(record).collect();
    let torn: String = (0..4_000)
        .map(|at| {
            let mut line = record(at);
            if at % 10 == 0 {
                line.truncate(line.len() / 2);
            }
            line
        })
        .collect();
    let mut group = c.benchmark_group("records");
    for (name, text) in [("whole", whole), ("torn", torn)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                let all = pieces(black_box(text.as_bytes()));
                all.filter(|piece| matches!(piece, Piece::Record { .. })).count()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = walk, markdown, hostile, records
}
criterion_main!(benches);
