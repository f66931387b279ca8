//! The current time. No other module reads the clock.

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Now, in milliseconds since 1970, UTC. `SOURCE_DATE_EPOCH` (in seconds) overrides the clock, for reproducible output.
pub(crate) fn now() -> i64 {
    let still = env::var("SOURCE_DATE_EPOCH")
        .ok()
        .and_then(|seconds| seconds.parse::<i64>().ok());
    still
        .and_then(|seconds| seconds.checked_mul(1000))
        .unwrap_or_else(|| {
            let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
            i64::try_from(elapsed.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
        })
}

/// Parses a date, a time or an age: `2026-11-21`, `2026-11-21T16:00Z`, `7d`. Returns milliseconds since 1970.
pub(crate) fn parse_since(text: &str) -> Result<i64, String> {
    parse_before(text, now()).ok_or_else(|| {
        "expected a day such as 2026-11-21 or yesterday, a time such as 2026-11-21T16:00Z, or 12h, 7d"
            .to_owned()
    })
}

fn parse_before(text: &str, now: i64) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_millisecond());
    }
    // A date without a time means midnight.
    if let Ok(time) = text.parse::<DateTime>() {
        let time = time.to_zoned(TimeZone::UTC).ok()?;
        return Some(time.timestamp().as_millisecond());
    }
    // So do these words.
    if let Some(days) = ["today", "yesterday"].iter().position(|it| *it == text) {
        const DAY: i64 = 86_400_000;
        return Some((now.div_euclid(DAY) - i64::try_from(days).ok()?) * DAY);
    }
    let number = text
        .get(..text.len().checked_sub(1)?)?
        .parse::<u32>()
        .ok()?;
    let hours = match text.as_bytes().last()? {
        b'h' => 1,
        b'd' => 24,
        b'w' => 7 * 24,
        _ => return None,
    };
    let ago = SignedDuration::from_hours(i64::from(number) * hours);
    now.checked_sub(i64::try_from(ago.as_millis()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_moments_or_so_long_ago() {
        let now = 1_000_000_000_000;
        let at = |text| parse_before(text, now);
        assert_eq!(at("1970-01-02"), Some(86_400_000));
        assert_eq!(at("1970-01-02T01:00Z"), Some(90_000_000));
        assert_eq!(at("1970-01-02 01:00"), Some(90_000_000));
        assert_eq!(at("2d"), Some(now - 2 * 86_400_000));
        assert_eq!(at("3h"), Some(now - 3 * 3_600_000));
        assert_eq!(at("today"), Some(999_993_600_000));
        assert_eq!(at("yesterday"), Some(999_993_600_000 - 86_400_000));
        assert_eq!((at("soon"), at("-1d"), at("")), (None, None, None));
    }
}
