use proptest::prelude::*;

use super::*;

fn verdict(inputs: Inputs) -> (Band, Reason, bool) {
    let verdict = Verdict::of(&inputs);
    (verdict.band, verdict.reason, verdict.econ_latched)
}

#[test]
fn bands_follow_the_marks() {
    use Band::{Full, Lean, Obese};
    use Reason::{AbsoluteCap, Economic, Externalize, Fat};
    let at = |fat, was_over| Inputs {
        footprint: 20_000,
        fat,
        capacity: 167_000,
        was_over,
        ..Inputs::default()
    };
    let rows = [
        (at(499, false), (Lean, Fat, false)),
        (at(500, false), (Obese, Fat, false)),
        (at(350, false), (Lean, Fat, false)),
        (at(350, true), (Obese, Fat, false)),
        (at(200, true), (Lean, Fat, false)),
        (at(201, true), (Obese, Fat, false)),
        // A limit, and nothing to cut: only a run that removed something says that topics must go.
        (Inputs { footprint: 167_000, ..at(0, false) }, (Full, AbsoluteCap, false)),
        (Inputs { footprint: 167_000, removed: true, ..at(0, false) }, (Full, Externalize, false)),
        (Inputs { footprint: 167_000, ..at(500, false) }, (Full, AbsoluteCap, false)),
        (
            Inputs { cut: Some(Cap::IndexLines), footprint: 90, removed: true, ..at(0, false) },
            (Full, Externalize, false),
        ),
        (Inputs { removed: true, ..at(0, false) }, (Lean, Fat, false)),
        (
            Inputs { removed: true, footprint: 167_000, ..at(500, false) },
            (Full, AbsoluteCap, false),
        ),
        (Inputs { both_economical: true, ..at(500, false) }, (Full, Economic, true)),
        (Inputs { both_economical: true, ..at(0, false) }, (Lean, Fat, false)),
        (Inputs { both_economical: true, ..at(350, false) }, (Lean, Fat, false)),
        (Inputs { was_economical: true, ..at(300, true) }, (Full, Economic, true)),
        (Inputs { was_economical: true, ..at(200, true) }, (Lean, Fat, false)),
        (Inputs { was_economical: true, ..at(300, false) }, (Lean, Fat, false)),
        (
            Inputs { was_economical: true, cut: Some(Cap::IndexSize), ..at(300, true) },
            (Full, AbsoluteCap, true),
        ),
        (
            Inputs { both_economical: true, cut: Some(Cap::IndexSize), ..at(100, true) },
            (Full, AbsoluteCap, false),
        ),
    ];
    for (inputs, wanted) in rows {
        assert_eq!(verdict(inputs), wanted, "{inputs:?}");
    }
    let lean = Verdict::of(&Inputs { footprint: 68_000, capacity: 167_000, ..Inputs::default() });
    assert_eq!((lean.muscle_tokens, lean.hard_ceiling_tokens), (68_000, 68_500));
    let all = Verdict::of(&Inputs { footprint: 5, fat: 5, capacity: 167_000, ..Inputs::default() });
    assert_eq!(all.bmi, None);
}

#[test]
fn the_cap_that_fired_is_named() {
    let capacity = 167_000;
    let of = |inputs: Inputs| Verdict::of(&inputs).cap;
    assert_eq!(of(Inputs { footprint: 100, capacity, ..Inputs::default() }), None);
    assert_eq!(
        of(Inputs { footprint: capacity, capacity, ..Inputs::default() }),
        Some(Cap::Capacity)
    );
    let cut = Some(Cap::IndexLines);
    assert_eq!(of(Inputs { footprint: 372, capacity, cut, ..Inputs::default() }), cut);
}

#[test]
fn runs_pay_or_they_do_not() {
    let of = |mass, store, days| Economics::of(mass, 1_000, store, days);
    assert_eq!(of(0, 5_000, 4.0).break_even_days, None);
    assert!(!of(0, 5_000, 4.0).economical);
    // Fourteen days of carrying it cost exactly what the run costs: it does not pay.
    assert!(!Economics::of(3, 14, 14, 1.0).economical);
    assert!(Economics::of(4, 14, 14, 1.0).economical);
    let sample = Economics::of(9_980, 17_382, 17_382, 4.0);
    assert_eq!((sample.per_day, sample.economical), (39_920, true));
    assert!((sample.break_even_days.unwrap() - 1.306_262_525_050_1).abs() < 1e-9);
    let envelope = Envelope::of(4_125, 20, 10, 10);
    assert_eq!((envelope.arm_at, envelope.disarm_at, envelope.fill_ceiling), (4_950, 3_713, 3_713));
    assert_eq!((envelope.demotable(5_560), envelope.demotable(4_949)), (1_847, 0));
}

#[test]
fn sessions_a_day_are_counted_from_the_first() {
    const DAY: i64 = 86_400_000;
    let now = 100 * DAY;
    assert!((per_day(&[], now) - 1.0).abs() < 1e-9);
    assert!((per_day(&[5], now) - 1.0).abs() < 1e-9);
    let ten: Vec<i64> = (0..10).map(|i| now - 5 * DAY + i * DAY / 2).collect();
    assert!((per_day(&ten, now) - 2.0).abs() < 1e-9);
    assert!((per_day(&[now; 50], now) - 20.0).abs() < 1e-9);
    assert!(per_day(&[now - 400 * DAY, now], now) >= 0.1);
}

#[test]
fn capacity_is_read_where_it_can_be_believed() {
    use CapacitySource::{CapacityFile, ConservativeDefault, StatsCache};
    let file = br#"{"stateSchema":1,"rawWindowTokens":1000000,"capacityTokens":967000}"#;
    let cache = |windows: &str| format!("{{\"modelUsage\":{{{windows}}}}}").into_bytes();
    let model = |name: &str, window: u64| format!("\"{name}\":{{\"contextWindow\":{window}}}");
    let of = |stats: Option<Vec<u8>>, file: Option<&[u8]>| {
        let found = capacity(stats.as_deref(), file);
        (found.tokens, found.source)
    };
    assert_eq!(of(None, None), (167_000, ConservativeDefault));
    assert_eq!(of(Some(cache(&model("a", 0))), Some(file)), (967_000, CapacityFile));
    assert_eq!(of(Some(cache(&model("a", 100_000))), Some(file)), (167_000, ConservativeDefault));
    let both = format!("{},{}", model("a", 1_000_000), model("b", 200_000));
    assert_eq!(of(Some(cache(&both)), Some(file)), (167_000, StatsCache));
    let marked = [b"\xef\xbb\xbf".as_slice(), &cache(&model("a", 200_000))].concat();
    assert_eq!(of(Some(marked), Some(file)), (967_000, CapacityFile));
    let marked = [b"\xef\xbb\xbf".as_slice(), file].concat();
    assert_eq!(of(None, Some(&marked)), (967_000, CapacityFile));
    for bad in [
        r#"{"stateSchema":"1","rawWindowTokens":1000000,"capacityTokens":967000}"#,
        r#"{"stateSchema":1,"rawWindowTokens":1000000,"capacityTokens":966999}"#,
        r#"{"stateSchema":1,"capacityTokens":967000}"#,
        r#"{"stateSchema":1,"rawWindowTokens":2000000,"capacityTokens":1967000}"#,
        "[1]",
        "{",
    ] {
        assert_eq!(of(None, Some(bad.as_bytes())).1, ConservativeDefault, "{bad}");
    }
}

#[test]
fn a_state_file_of_any_shape_is_read() {
    for bytes in ["", "{", "[1]", "\"x\"", "42", "null", "{\"stamps\":[null,null]}"] {
        let state = read_state(bytes.as_bytes());
        assert_eq!((state.starts.len(), state.band, state.was_over), (0, None, false), "{bytes}");
    }
    let whole = r#"{"stamps":[{"t":1700000000037,"fp":372},null,{"t":1700000000820,"fp":1161}],"stateSchema":SCHEMA,
        "lastVerdict":{"band":"FULL","overCeiling":true,"econLatched":false},"mine":[1],
        "lastCrossing":{"band":"FULL","at":1700000000824,"consumed":true,"session":"s4"},"quickTried":true}"#;
    for (schema, kept) in [
        ("1", true),
        ("2", true),
        ("\"1\"", true),
        ("0", false),
        ("-1", false),
        ("0.5", false),
        ("null", false),
        ("\"x\"", false),
    ] {
        let state = read_state(whole.replace("SCHEMA", schema).as_bytes());
        assert_eq!(state.starts.len(), 2, "{schema}");
        assert_eq!(state.was_over, kept, "{schema}");
        assert_eq!(state.episode.quick_tried, kept, "{schema}");
        assert_eq!(state.all["mine"], serde_json::json!([1]), "unknown fields stay");
    }
    let many: Vec<String> = (0..65).map(|n| format!("{{\"t\":{n}}}")).collect();
    let state = read_state(format!("{{\"stamps\":[{}]}}", many.join(",")).as_bytes());
    assert_eq!((state.starts.len(), state.starts[0]), (60, 5));
}

/// The rows of the reference's table of crossings.
#[test]
fn a_verdict_is_told_once_and_again_when_it_grew() {
    use Band::{Full, Lean, Obese};
    let told = |episode: &mut Episode| {
        let pending = episode.pending(1_000).map(|it| (it.band, it.escalation));
        episode.consume();
        pending
    };
    let mut it = Episode::default();
    it.update(Obese, Some(Lean), 600, 1, None);
    assert_eq!(it.last_obese_fat, Some(600));
    it.update(Obese, Some(Obese), 900, 2, None);
    assert_eq!(it.crossing.as_ref().unwrap().at, 1, "the first one is kept");
    assert_eq!(told(&mut it), Some((Obese, false)));
    it.update(Obese, Some(Obese), 1_100, 3, None);
    assert_eq!(told(&mut it), None);
    it.update(Obese, Some(Obese), 1_101, 4, None);
    assert_eq!(told(&mut it), Some((Obese, false)), "501 more");
    it.update(Lean, Some(Obese), 0, 5, None);
    assert_eq!(it, Episode::default());

    // Full: a cut by code, then a question, then silence until there is more.
    it.update(Full, None, 700, 1, Some("s"));
    assert_eq!(told(&mut it), Some((Full, false)));
    it.update(Full, Some(Full), 700, 2, Some("s"));
    assert_eq!(told(&mut it), None, "the same session, nothing tried");
    it.quick_tried = true;
    it.update(Full, Some(Full), 700, 3, Some("s"));
    assert_eq!(told(&mut it), Some((Full, true)));
    it.update(Full, Some(Full), 700, 4, Some("t"));
    assert_eq!(told(&mut it), None);
    it.update(Full, Some(Full), 701, 5, Some("t"));
    assert_eq!(told(&mut it), Some((Full, false)), "first by code again");
    it.update(Full, Some(Full), 702, 6, Some("t"));
    assert_eq!(told(&mut it), Some((Full, true)));

    // What stands to be told is told as it was, however much comes; more repeats are then cut first.
    it.quick_tried = true;
    it.update(Full, Some(Full), 703, 7, Some("t"));
    it.update(Full, Some(Full), 9_000, 8, Some("t"));
    assert_eq!(it.crossing.as_ref().unwrap().at, 7);
    it.update(Lean, Some(Full), 0, 9, Some("t"));
    assert_eq!(told(&mut it), None, "cut below the mark: nothing is asked");

    // A rise is a new beginning, though a cut was asked for before; repeats alone ask for no more.
    let mut it = Episode { quick_tried: true, ..Episode::default() };
    it.update(Obese, None, 600, 1, None);
    assert_eq!(told(&mut it), Some((Obese, false)));
    it.update(Obese, Some(Obese), 5_000, 2, None);
    assert_eq!(told(&mut it), Some((Obese, false)));
    it.update(Full, Some(Obese), 5_000, 3, None);
    assert_eq!(told(&mut it), Some((Full, false)));

    // Another session; none said is no other.
    let mut it = Episode::default();
    it.update(Full, None, 0, 1, Some("s"));
    it.consume();
    it.update(Full, Some(Full), 5, 2, None);
    assert_eq!(told(&mut it), None);
    it.update(Full, Some(Full), 5, 3, Some("u"));
    assert_eq!(told(&mut it), Some((Full, false)));

    // A fall tells nothing and takes nothing back; what is to come isn't told yet.
    let mut it = Episode::default();
    it.update(Full, None, 700, 1, None);
    it.update(Obese, Some(Full), 600, 2, None);
    assert_eq!(it.pending(1_000).map(|it| it.band), Some(Full));
    it.update(Full, Some(Obese), 700, 9_999, None);
    assert_eq!(it.pending(1_000), None);
}

proptest! {
    /// Growth of what is no repeat never arms anything below a cap.
    #[test]
    fn what_is_no_repeat_arms_nothing(muscle in 0u64..166_000, was_over: bool, latched: bool) {
        let inputs = Inputs {
            footprint: muscle, fat: 0, capacity: 167_000, was_over, was_economical: latched,
            both_economical: true, cut: None, removed: false,
        };
        prop_assert_eq!(Verdict::of(&inputs).band, Band::Lean);
    }

    /// The machine of the transition table, row by row.
    #[test]
    fn the_machine_is_the_table(
        fat in 0u64..1_000, was_over: bool, latched: bool, pays: bool, capped: bool, removed: bool,
    ) {
        let cut = capped.then_some(Cap::IndexLines);
        let inputs = Inputs {
            footprint: 10_000, fat, capacity: 167_000, cut,
            both_economical: pays, was_over, was_economical: latched, removed,
        };
        let got = Verdict::of(&inputs);
        let over = if was_over { fat > 200 } else { fat >= 500 };
        let (band, reason, latch) = match (capped, over) {
            (false, false) => (Band::Lean, Reason::Fat, false),
            (false, true) if pays || latched => (Band::Full, Reason::Economic, true),
            (false, true) => (Band::Obese, Reason::Fat, false),
            (true, true) => (Band::Full, Reason::AbsoluteCap, pays || latched),
            (true, false) if removed => (Band::Full, Reason::Externalize, false),
            (true, false) => (Band::Full, Reason::AbsoluteCap, false),
        };
        let unmeasured = (capped && !over && !removed).then_some(Cause::CapacityUnmeasured);
        prop_assert_eq!(got.cause, unmeasured);
        prop_assert_eq!((got.band, got.reason, got.econ_latched, got.over), (band, reason, latch, over));
    }
}
