//! Many texts bent out of shape, for whatever reads texts of unknown authors.
//!
//! [`fuzz`] makes cases from a seed until its time is up, and asks of each that it has an answer, in
//! time that its size explains, and one that keeps what `targets` promises. A case that doesn't is
//! kept in a file that `coalwash gate --batch` reads. So is the one that is being asked, since nothing
//! can be told of one that ends the process.

mod mutate;
mod targets;

use std::{
    collections::BTreeSet,
    fmt,
    fs::File,
    io::{Seek as _, Write as _},
    panic,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

use crate::trees::Random;
pub use mutate::Corpus;
pub use targets::{Case, Target};

/// A case that takes this many times what its size explains is slow.
const MOST_RATIO: f64 = 20.0;

/// What any case may take, however small it is.
const FREE: Duration = Duration::from_millis(2);

/// A case that takes longer has no end.
const MOST_TIME: Duration = Duration::from_secs(30);

/// Different failures after which a run ends.
const MOST_FAILURES: usize = 20;

/// What a run of cases came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was asked.
    pub target: Target,
    /// How often.
    pub cases: u64,
    /// For how long.
    pub time: Duration,
    /// How often a case took what its size explains, at most.
    pub worst: f64,
    /// How many different things went wrong.
    pub failures: usize,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { target, cases, worst, failures, .. } = self;
        let seconds = self.time.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate for a reader")]
        let rate = *cases as f64 / seconds.max(0.001);
        write!(
            f,
            "{target:6} {cases} cases in {seconds:.0} s, {rate:.0} cases/s, slowest {worst:.1} times \
             the ordinary pace, {failures} failed"
        )
    }
}

/// The number of the case that is being asked, and since when.
type Current = Arc<Mutex<Option<(Instant, u64)>>>;

/// Asks a target about the cases of a seed for `time`.
///
/// # Errors
/// When a case has no end, or can't be kept.
pub fn fuzz(
    target: Target,
    root: &Utf8Path,
    seed: u64,
    time: Duration,
    say: &dyn Fn(&str),
) -> Result<Outcome> {
    let corpus = Corpus::read(root)?;
    let file = file()?;
    let path = Utf8Path::from_path(file.path()).context("the temporary folder isn't UTF-8")?;
    say(&format!("{target}: if this ends early, the last case is in {path}"));
    let current = Current::default();
    let (send, receive) = mpsc::channel();
    let worker = {
        let (current, mut file) = (current.clone(), file.reopen().context("no temporary file")?);
        thread::spawn(move || ask(target, &corpus, seed, time, &current, &mut file, &send))
    };
    loop {
        match receive.recv_timeout(Duration::from_secs(1)) {
            Ok(Said::Failed(number, case, how)) => {
                let path = keep(&case)?;
                say(&format!("{target}: case {number} of seed {seed}: {how}\n  kept in {path}"));
                say(&format!("  {}", case.escaped()));
            }
            Ok(Said::Done(outcome)) => {
                drop(worker.join());
                return Ok(outcome);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let current = current.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((since, number)) = &*current
                    && since.elapsed() > MOST_TIME
                {
                    let path = kept(file)?;
                    bail!("{target}: case {number} of seed {seed} has no end; kept in {path}");
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                bail!("{target}: the run ended early; its last case is in {}", kept(file)?)
            }
        }
    }
}

/// What a run tells while it runs.
enum Said {
    Failed(u64, Case, String),
    Done(Outcome),
}

fn ask(
    target: Target,
    corpus: &Corpus,
    seed: u64,
    time: Duration,
    current: &Current,
    file: &mut File,
    send: &mpsc::Sender<Said>,
) {
    // A panic is told with its case, once for each place.
    let place = Arc::new(Mutex::new(String::new()));
    let told = place.clone();
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        *told.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
    let start = Instant::now();
    let pace = pace(target, corpus);
    let mut known = BTreeSet::new();
    let mut outcome = Outcome { target, cases: 0, time: Duration::ZERO, worst: 0.0, failures: 0 };
    while start.elapsed() < time && outcome.failures < MOST_FAILURES {
        let number = outcome.cases;
        let case = Case::of(target, corpus, &mut Random::new(seed ^ number.wrapping_mul(0x9e37)));
        if write(file, &case).is_err() {
            break;
        }
        *current.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), number));
        let checked = |case: &Case| match panic::catch_unwind(|| target.check(case)) {
            Ok(answer) => answer,
            Err(_) => Err(place.lock().unwrap_or_else(PoisonError::into_inner).clone()),
        };
        let (time, answer) = timed(&case, pace, &checked);
        let answer = answer.and_then(|()| {
            outcome.worst = outcome.worst.max(time / fair(&case, pace));
            match time > most(&case, pace) {
                true => Err(format!("slow\n{:.0} ms for {} bytes", time * 1e3, case.bytes())),
                false => Ok(()),
            }
        });
        if let Err(how) = answer {
            // The first line names the place or the promise.
            let first = |how: &str| how.lines().next().unwrap_or_default().to_owned();
            let what = first(&how);
            if known.insert(what.clone()) {
                outcome.failures += 1;
                let same = |case: &Case| checked(case).is_err_and(|how| first(&how) == what);
                let case = if what == "slow" { case } else { case.shrunk(&same) };
                drop(send.send(Said::Failed(number, case, how)));
            }
        }
        outcome.cases += 1;
    }
    *current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    panic::set_hook(before);
    outcome.time = start.elapsed();
    drop(send.send(Said::Done(outcome)));
}

/// Returns the seconds that a case takes, and what was said of it.
fn timed(
    case: &Case,
    pace: f64,
    check: &dyn Fn(&Case) -> Result<(), String>,
) -> (f64, Result<(), String>) {
    let mut least = f64::INFINITY;
    // What was slow once may have waited for the machine.
    for _ in 0..4 {
        let begin = Instant::now();
        let answer = check(case);
        least = least.min(begin.elapsed().as_secs_f64());
        if answer.is_err() || least <= most(case, pace) {
            return (least, answer);
        }
    }
    (least, Ok(()))
}

/// Returns the seconds that the size of a case explains.
#[expect(clippy::cast_precision_loss, reason = "a pace is no exact figure")]
fn fair(case: &Case, pace: f64) -> f64 {
    FREE.as_secs_f64() / MOST_RATIO + pace * case.bytes() as f64
}

/// Returns the seconds that a case may take.
fn most(case: &Case, pace: f64) -> f64 {
    fair(case, pace) * MOST_RATIO
}

/// Returns the seconds that a byte of the corpus takes.
fn pace(target: Target, corpus: &Corpus) -> f64 {
    let mut bytes = 0;
    let mut time = Duration::ZERO;
    for round in 0..2 {
        for text in corpus.texts() {
            let case = Case::ordinary(target, text);
            let start = Instant::now();
            drop(target.check(&case));
            // The first round fills caches.
            if round > 0 {
                time += start.elapsed();
                bytes += case.bytes();
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a pace is no exact figure")]
    let bytes = bytes.max(1) as f64;
    time.as_secs_f64() / bytes
}

/// Keeps a case and returns where.
fn keep(case: &Case) -> Result<Utf8PathBuf> {
    let mut file = file()?;
    write(file.as_file_mut(), case)?;
    kept(file)
}

fn file() -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("coalwash-fuzz-").suffix(".jsonl");
    builder.tempfile().context("no file to keep a case in")
}

fn kept(file: NamedTempFile) -> Result<Utf8PathBuf> {
    let (_, path) = file.keep().context("could not keep a case")?;
    Utf8PathBuf::from_path_buf(path).ok().context("the temporary folder isn't UTF-8")
}

/// Writes a case as the one line of a file that `coalwash gate --batch` reads.
fn write(file: &mut File, case: &Case) -> Result<()> {
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(format!("{}\n", case.json()).as_bytes()).context("could not write a case")
}
