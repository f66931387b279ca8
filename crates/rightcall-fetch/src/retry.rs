//! Decides when to retry, and after what delay.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// A wait before a retry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The length of the wait.
    pub length: Duration,
    /// The reason: the service's answer.
    pub why: String,
}

/// The maximum number of attempts for a request.
pub(crate) const ATTEMPTS: u32 = 7;

/// The longest accepted wait.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(15 * 60);

/// True if a retry may succeed after this status.
pub(crate) fn may_retry(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502..=504)
}

/// Exponential backoff from 1 s to 32 s, for a service that doesn't specify a wait.
pub(crate) fn backoff(attempt: u32) -> Duration {
    Duration::from_secs(1 << attempt.min(5))
}

/// The headers that specify when a retry is allowed.
pub(crate) struct RateHeaders<'h> {
    pub(crate) retry_after: Option<&'h str>,
    pub(crate) remaining: Option<&'h str>,
    pub(crate) reset: Option<&'h str>,
    /// The response's time by the service's own clock.
    pub(crate) date: Option<&'h str>,
}

impl RateHeaders<'_> {
    /// The wait that the service requests; `None` if it doesn't.
    pub(crate) fn wait(&self) -> Option<Duration> {
        self.retry_after
            .and_then(|text| self.seconds_or_date(text))
            .or_else(|| self.until_reset())
    }

    /// The wait before the next request, if the rate limit is used up.
    pub(crate) fn wait_if_used_up(&self) -> Option<Duration> {
        let is_used_up = self.remaining.is_some_and(|text| text.trim() == "0");
        is_used_up.then(|| self.until_reset()).flatten()
    }

    /// Time until the limit resets, given in seconds, as Unix seconds, or in ISO 8601.
    fn until_reset(&self) -> Option<Duration> {
        /// Larger numbers are a time, since they can't be a wait in seconds.
        const LARGEST_WAIT: u64 = 1_000_000_000;
        let reset = self.reset?.trim();
        if let Ok(time) = reset.parse::<Timestamp>() {
            return self.delay_until(time);
        }
        // Some gateways send milliseconds or fractions.
        let whole = reset.split('.').next()?.parse::<u64>().ok()?;
        match whole {
            0..LARGEST_WAIT => Some(Duration::from_secs(whole)),
            _ if whole > LARGEST_WAIT * 1000 => {
                self.delay_until(Timestamp::from_millisecond(i64::try_from(whole).ok()?).ok()?)
            }
            _ => self.delay_until(Timestamp::from_second(i64::try_from(whole).ok()?).ok()?),
        }
    }

    fn seconds_or_date(&self, text: &str) -> Option<Duration> {
        let text = text.trim();
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        self.delay_until(date(text)?)
    }

    /// The time from the response until then; zero if it has passed.
    fn delay_until(&self, time: Timestamp) -> Option<Duration> {
        let answered = date(self.date?)?;
        let wait = time.duration_since(answered);
        Some(Duration::try_from(wait).unwrap_or_default())
    }
}

/// Parses an HTTP date, `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    fn wait(retry_after: Option<&str>, reset: Option<&str>, date: Option<&str>) -> Option<f64> {
        let headers = RateHeaders {
            retry_after,
            remaining: None,
            reset,
            date,
        };
        headers.wait().map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn retry_after_may_be_seconds_or_a_date() {
        assert_eq!(wait(Some("7"), None, None), Some(7.0));
        assert_eq!(wait(Some(" 0.5 "), None, None), Some(0.5));
        let later = "Sun, 06 Nov 1994 08:50:07 GMT";
        assert_eq!(wait(Some(later), None, Some(DATE)), Some(30.0));
        assert_eq!(wait(Some(DATE), None, Some(later)), Some(0.0));
        // For a date without the service's clock, or an unreadable value, no wait is known.
        assert_eq!(wait(Some(later), None, None), None);
        assert_eq!(wait(Some("soon"), None, Some(DATE)), None);
        assert_eq!(wait(Some("-1"), None, None), None);
    }

    #[test]
    fn rate_limit_may_reset_after_seconds_or_at_a_time() {
        assert_eq!(wait(None, Some("12"), None), Some(12.0));
        assert_eq!(wait(None, Some("784111787"), None), Some(784_111_787.0));
        let now = "Mon, 23 Nov 2026 12:00:00 GMT";
        assert_eq!(wait(None, Some("1795435230"), Some(now)), Some(30.0));
        assert_eq!(wait(None, Some("1795435230000"), Some(now)), Some(30.0));
        assert_eq!(
            wait(None, Some("2026-11-23T12:00:05Z"), Some(now)),
            Some(5.0)
        );
        assert_eq!(wait(Some("3"), Some("9"), None), Some(3.0));
    }

    #[test]
    fn delays_grow_to_half_a_minute() {
        let waits: Vec<_> = (0..ATTEMPTS).map(|it| backoff(it).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 32]);
    }
}
