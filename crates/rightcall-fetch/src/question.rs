//! A query for traces.

use std::num::NonZeroUsize;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::FetchError;

/// A query for traces, the same for all services.
#[derive(Clone, Debug, Default)]
pub struct FetchQuestion {
    /// The project or experiment, by name or id. `None` for the one in an environment variable, or the service's default.
    pub project: Option<String>,
    /// Only traces that started at or after this time.
    pub since: Option<TimeBound>,
    /// Only traces that started before this time.
    pub until: Option<TimeBound>,
    /// At most this number of traces.
    pub limit: Option<NonZeroUsize>,
    /// Filters: the service's keys, and the values that traces must have.
    pub filters: Vec<(String, String)>,
}

impl FetchQuestion {
    /// The given time bounds, with the service's words for `since` and `until`.
    pub(crate) fn bounds<'q>(
        &'q self,
        [since, until]: [&'static str; 2],
    ) -> impl Iterator<Item = (&'static str, &'q TimeBound)> {
        let bounds = [(since, &self.since), (until, &self.until)];
        let given = bounds.into_iter();
        given.filter_map(|(word, bound)| Some((word, bound.as_ref()?)))
    }

    /// The values of a filter, in the order given.
    pub(crate) fn values<'q>(&'q self, key: &str) -> impl Iterator<Item = &'q str> {
        let of_key = self.filters.iter().filter(move |(name, _)| name == key);
        of_key.map(|(_, value)| value.as_str())
    }

    /// The only value of a filter; `None` if it was not given.
    ///
    /// # Errors
    /// It was given twice.
    pub(crate) fn value(&self, key: &str) -> Result<Option<&str>, FetchError> {
        let mut values = self.values(key);
        let first = values.next();
        if values.next().is_some() {
            let what = format!("--filter {key} is given twice");
            return Err(FetchError::usage(what, "no trace has both values"));
        }
        Ok(first)
    }

    /// The filters with this prefix, such as `metadata.`, and the rest of each key.
    pub(crate) fn under<'q>(&'q self, prefix: &'q str) -> impl Iterator<Item = (&'q str, &'q str)> {
        let of_prefix = move |(key, value): &'q (String, String)| {
            Some((key.strip_prefix(prefix)?, value.as_str()))
        };
        self.filters.iter().filter_map(of_prefix)
    }
}

/// A time, and the text that the user wrote for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeBound {
    /// As written: `7d`, `2026-11-21`.
    pub text: String,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl TimeBound {
    /// The time as services parse it: `2026-11-21T00:00:00Z`.
    pub(crate) fn rfc3339(&self) -> String {
        Timestamp::from_millisecond(self.at)
            .map_or_else(|_| self.at.to_string(), |time| time.to_string())
    }
}
