//! Times of calls.

use jiff::civil::DateTime;
use jiff::{Timestamp, tz::TimeZone};
use num_traits::ToPrimitive;

use crate::value::{Syntax, Value, decode_with};

/// Parses a time from JSON text into nanoseconds since 1970: an integer, also as a string, or ISO 8601, in UTC if it has no offset. `None`
/// for anything else.
pub fn nanoseconds(json: &str) -> Option<i128> {
    let time = match decode_with(json, Syntax::PYTHON).ok()? {
        Value::Integer(number) => number.to_big().to_i128(),
        Value::String(text) => text.as_str().and_then(|text| {
            let iso = || text.parse::<Timestamp>().ok().map(Timestamp::as_nanosecond);
            let local = || {
                TimeZone::UTC
                    .to_timestamp(text.parse::<DateTime>().ok()?)
                    .ok()
                    .map(Timestamp::as_nanosecond)
            };
            text.parse().ok().or_else(iso).or_else(local)
        }),
        _ => None,
    };
    // Limited so that differences of times don't overflow.
    time.filter(|time| time.unsigned_abs() < 1 << 100)
}
