//! Times as integers: nanoseconds since 1970.

use crate::node::Node;

/// Parses an ISO 8601 time with date; UTC if there is no zone.
pub(crate) fn from_iso(text: &str) -> Option<i128> {
    let text = text.trim();
    let number = |from: usize, to: usize| -> Option<i128> {
        let digits = text.get(from..to)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let is_at = |at: usize, allowed: &[u8]| {
        text.as_bytes()
            .get(at)
            .is_some_and(|byte| allowed.contains(byte))
    };
    if !(is_at(4, b"-") && is_at(7, b"-") && is_at(10, b"T t") && is_at(13, b":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 24 || minute > 59 {
        return None;
    }
    let mut rest = text.get(16..)?;
    let mut nanoseconds = 0;
    if let Some(seconds) = rest.strip_prefix(':') {
        nanoseconds = number(17, 19)? * 1_000_000_000;
        rest = seconds.get(2..)?;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
            let digits = fraction.get(..length.min(9))?;
            nanoseconds += digits.parse::<i128>().ok()? * 10_i128.pow(9 - digits.len() as u32);
            rest = fraction.get(length..)?;
        }
    }
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - zone(rest)?;
    Some(minutes * 60_000_000_000 + nanoseconds)
}

/// Parses a time of a canonical case: nanoseconds, or ISO 8601.
pub(crate) fn from_json(json: Option<&str>) -> Option<i128> {
    let text = json?.trim_matches('"');
    text.parse().ok().or_else(|| from_iso(text))
}

/// Parses a time of a log: ISO 8601, or a number of seconds, milliseconds, microseconds or
/// nanoseconds, depending on its magnitude.
pub(crate) fn from_log(node: &Node<'_>) -> Option<i128> {
    if let Some(time) = node.str().and_then(from_iso) {
        return Some(time);
    }
    let number: f64 = node
        .str()
        .unwrap_or(node.raw())
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())?;
    match number.abs() {
        // A float of seconds is exact to a fraction of a microsecond; further digits are noise.
        seconds if seconds < 1e11 => Some((number * 1e6).round() as i128 * 1000),
        milliseconds if milliseconds < 1e14 => Some((number * 1e3).round() as i128 * 1000),
        microseconds if microseconds < 1e17 => Some((number * 1e3).round() as i128),
        _ => node.whole(),
    }
}

/// The offset from UTC in minutes, positive to the east.
fn zone(text: &str) -> Option<i128> {
    let text = text.trim();
    if text.is_empty() || text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = text
        .get(1..)?
        .chars()
        .filter(|&character| character != ':')
        .collect();
    let number = |from: usize, to: usize| {
        digits
            .get(from..to)
            .map_or(Some(0), |it| it.parse::<i128>().ok())
    };
    Some(sign * (number(0, 2)? * 60 + number(2, 4)?))
}

/// Days from 1970 to a date of the Gregorian calendar.
fn days(year: i128, month: i128, day: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_parsed_as_nanoseconds() {
        for (text, seconds, nanoseconds) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("2023-11-14T22:13:20.000000001Z", 1_700_000_000, 1),
            ("2023-11-14T22:13:20.5", 1_700_000_000, 500_000_000),
            (
                "2023-11-14 23:13:20.1234567891+01:00",
                1_700_000_000,
                123_456_789,
            ),
            ("2024-02-29T00:00Z", 1_709_164_800, 0),
            ("1969-12-31T23:59:59-0000", -1, 0),
        ] {
            assert_eq!(
                from_iso(text),
                Some(seconds * 1_000_000_000 + nanoseconds),
                "{text}"
            );
        }
        for text in [
            "1700000000.5",
            "1700000000500",
            "\"1700000000500000\"",
            "1700000000500000000",
            "\"2023-11-14T22:13:20.5\"",
        ] {
            let node = Node::parse(text, 8).unwrap();
            assert_eq!(from_log(&node), Some(1_700_000_000_500_000_000), "{text}");
        }
        for text in [
            "",
            "soon",
            "2023-13-01T00:00:00Z",
            "2023-11-14",
            "2023-11-14T22:13:20 Mars",
        ] {
            assert_eq!(from_iso(text), None, "{text}");
        }
    }
}
