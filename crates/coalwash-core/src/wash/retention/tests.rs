use super::*;

/// A time in the middle of a Wednesday, so that a day and a week have room on both sides.
const NOW: i64 = 2_900 * WEEK_MS + 6 * DAY_MS + 12 * HOUR_MS;

fn aged(age_hours: i64, bytes: u64) -> Aged {
    Aged { at_ms: Some(NOW - age_hours * HOUR_MS), bytes }
}

fn of(ages: &[i64]) -> Vec<Aged> {
    ages.iter().map(|age| aged(*age, 100)).collect()
}

/// Says what goes: the age of each in hours, and the rule.
fn goes(items: &[Aged], horizon_days: u32, budget_bytes: Option<u64>) -> String {
    let ladder = ladder(items, NOW, Terms { horizon_days, budget_bytes });
    assert_eq!(ladder.keep.len() + ladder.destroy.len(), items.len());
    let said = ladder.destroy.iter().map(|(item, rule)| {
        let at = items[*item].at_ms.expect("what is in doubt stays");
        format!("{} {}", (NOW - at) / HOUR_MS, rule.word())
    });
    let mut said: Vec<String> = said.collect();
    if let Some(conflict) = ladder.cap_conflict {
        said.push(format!("{} over {}", conflict.kept_bytes, conflict.budget_bytes));
    }
    said.join(", ")
}

/// The rows of the Node engine's own table, by their names there.
#[test]
fn the_ladder_is_that_of_the_node_engine() {
    let day = 24;
    for (name, ages, horizon, budget, wanted) in [
        ("B9", &[1][..], 30, None, ""),
        ("B10", &[31 * day], 30, None, "744 horizon"),
        ("B11, fat-bin", &[45 * day], 30, None, "1080 horizon"),
        ("B11, store.old", &[45 * day], 60, None, ""),
        ("the horizon itself stays", &[30 * day], 30, None, ""),
        ("two days themselves stay whole", &[48, 47, 46], 30, None, ""),
        // 60 and 55 hours before Wednesday noon are both Monday.
        ("B12, B14", &[60, 55], 30, None, "60 density"),
        ("B13", &[49, 49, 49, 49], 30, None, ""),
        ("an event goes whole", &[60, 60, 55, 55], 30, None, "60 density, 60 density"),
        ("a day is a day of the calendar", &[61, 59, 84, 85], 30, None, "84 density"),
        ("T1", &[0, 5, 10], 30, None, ""),
        ("T4", &[29 * day], 30, None, ""),
        ("T5", &[16 * day, 17 * day], 30, None, "408 density"),
        ("weeks begin on Thursday", &[20 * day, 21 * day], 30, None, ""),
        ("B15", &[1, 2, 3], 30, Some(250), "300 over 250"),
        ("B16", &[25, 72, 96, 120], 30, Some(200), "96 size-cap, 120 size-cap"),
        ("B17", &[25, 72, 96, 120], 30, None, ""),
        ("T7, a little", &[1, 25, 72, 96, 120], 30, Some(350), "96 size-cap, 120 size-cap"),
        (
            "T7, too much",
            &[1, 25, 72, 96, 120],
            30,
            Some(150),
            "72 size-cap, 96 size-cap, 120 size-cap, 200 over 150",
        ),
        // The one is the last of its week; of the three in another week two go first.
        ("T8", &[13 * day, 1, 72, 96, 120], 30, Some(300), "96 size-cap, 120 size-cap"),
        ("T8, more", &[13 * day, 1, 72, 96], 30, Some(200), "312 size-cap, 96 size-cap"),
        ("T9", &[4 * day, 11 * day, 18 * day], 60, Some(200), "432 size-cap"),
        ("T9, tiny", &[4 * day, 11 * day], 60, Some(1), "264 size-cap, 100 over 1"),
        ("only one", &[4 * day], 60, Some(0), "100 over 0"),
        ("the budget itself fits", &[4 * day, 11 * day], 60, Some(200), ""),
    ] {
        assert_eq!(goes(&of(ages), horizon, budget), wanted, "{name}");
    }
}

/// B19, B23, T6 and T10. Where the Node engine lets what has no time go, this stays.
#[test]
fn what_is_in_doubt_stays_and_counts() {
    let doubt = Aged { at_ms: None, bytes: 100 };
    let future = aged(-1, 100);
    assert_eq!(goes(&[doubt, future], 30, None), "");
    assert_eq!(goes(&[doubt, future], 30, Some(50)), "200 over 50");
    let weightless = Aged { bytes: 0, ..aged(72, 0) };
    assert_eq!(goes(&[weightless, future], 30, Some(50)), "100 over 50");
    assert_eq!(goes(&[weightless, future, aged(96, 100)], 30, Some(50)), "200 over 50");
    assert_eq!(goes(&[], 30, Some(0)), "");
    let far = [i64::MIN, i64::MAX].map(|at| Aged { at_ms: Some(at), bytes: u64::MAX });
    let ladder = ladder(&far, 0, Terms { horizon_days: u32::MAX, budget_bytes: Some(1) });
    assert_eq!(ladder.destroy, [(0, Rule::Horizon)]);
}

/// T2 and T3.
#[test]
fn old_things_thin_out_but_every_day_and_week_keeps_one() {
    let daily: Vec<Aged> = (0..20).map(|day| aged(day * 24, 1)).collect();
    let kept = ladder(&daily, NOW, Terms { horizon_days: 60, budget_bytes: None }).keep;
    assert!((0..=14).all(|day| kept.contains(&day)), "{kept:?}");
    let often: Vec<Aged> =
        (0..48 * 60).map(|half| Aged { at_ms: Some(NOW - half * HOUR_MS / 2), bytes: 1 }).collect();
    let kept = ladder(&often, NOW, Terms { horizon_days: 60, budget_bytes: None }).keep;
    let young = often.iter().filter(|it| it.at_ms >= Some(NOW - ALL_MS)).count();
    assert!(kept.len() <= young + 15 + 10 + 2, "{} of {young}", kept.len());
    assert!(kept.len() >= young + 12 + 6);
}
