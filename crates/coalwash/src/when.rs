//! Times as a person says them.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

/// Times around a fixed now, in one zone.
#[derive(Clone, Debug)]
pub(crate) struct When {
    now: ZonedDateTime,
}

impl When {
    /// Makes the clock of one run.
    pub(crate) fn new(now_ms: i64, zone: TimeZone) -> Self {
        let now = Timestamp::from_millisecond(now_ms).unwrap_or(Timestamp::UNIX_EPOCH);
        Self { now: now.to_zoned_datetime(zone) }
    }

    /// Returns a time of the host's as words: `at 14:02`, `yesterday`, `on Tuesday`, `on 9 Nov`.
    pub(crate) fn words(&self, ms: i64) -> String {
        let Ok(then) = Timestamp::from_millisecond(ms) else { return "once".to_owned() };
        let then = then.to_zoned_datetime(self.now.time_zone().clone());
        let days = then.date().until(self.now.date()).map_or(i32::MAX, |span| span.get_days());
        match days {
            0 => format!("at {}", then.strftime("%H:%M")),
            1 => "yesterday".to_owned(),
            2..=6 => format!("on {}", then.strftime("%A")),
            _ if then.year() == self.now.year() => format!("on {}", then.strftime("%-d %b")),
            _ => format!("on {}", then.strftime("%-d %b %Y")),
        }
    }

    /// Returns a time for a list: `today 15:20`, `Sun 09:40`, `12 Nov`, `12 Nov 2025`.
    pub(crate) fn stamp(&self, ms: i64) -> String {
        let Ok(then) = Timestamp::from_millisecond(ms) else { return "once".to_owned() };
        let then = then.to_zoned_datetime(self.now.time_zone().clone());
        let days = then.date().until(self.now.date()).map_or(i32::MAX, |span| span.get_days());
        match days {
            0 => format!("today {}", then.strftime("%H:%M")),
            1..=6 => then.strftime("%a %H:%M").to_string(),
            _ if then.year() == self.now.year() => then.strftime("%-d %b").to_string(),
            _ => then.strftime("%-d %b %Y").to_string(),
        }
    }
}

/// Returns the milliseconds of an RFC 3339 time.
pub(crate) fn parsed_ms(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_a_person_says_them() {
        let ms = |text: &str| parsed_ms(text).unwrap();
        let when = When::new(ms("2026-11-30T15:00:00Z"), TimeZone::fixed(jiff::tz::offset(1)));
        let words = |text| when.words(ms(text));
        assert_eq!(words("2026-11-30T13:02:00Z"), "at 14:02");
        assert_eq!(words("2026-11-29T22:59:00Z"), "yesterday");
        assert_eq!(words("2026-11-29T23:30:00Z"), "at 00:30", "already today in this zone");
        assert_eq!(words("2026-11-24T12:00:00Z"), "on Tuesday");
        assert_eq!(words("2026-11-09T12:00:00Z"), "on 9 Nov");
        assert_eq!(words("2025-11-09T12:00:00Z"), "on 9 Nov 2025");
        let stamp = |text| when.stamp(ms(text));
        assert_eq!(stamp("2026-11-30T13:02:00Z"), "today 14:02");
        assert_eq!(stamp("2026-11-29T08:40:00Z"), "Sun 09:40");
        assert_eq!(stamp("2026-11-12T12:00:00Z"), "12 Nov");
    }
}
