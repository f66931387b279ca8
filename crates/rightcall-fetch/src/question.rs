//! What is asked of a service.

use std::num::NonZeroUsize;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::FetchError;

/// What is asked of a service, whichever it is.
#[derive(Clone, Debug, Default)]
pub struct FetchQuestion {
    /// The project, or the experiment, by name or id; `None` for the one that a variable names or the service has for default.
    pub project: Option<String>,
    /// Traces that began then or later.
    pub since: Option<TimeBound>,
    /// Traces that began before.
    pub until: Option<TimeBound>,
    /// At most so many traces.
    pub limit: Option<NonZeroUsize>,
    /// What traces must have, by the names that the service gives: keys and values.
    pub filters: Vec<(String, String)>,
}

impl FetchQuestion {
    /// The values of a filter, in the order in which they were asked for.
    pub(crate) fn values<'q>(&'q self, key: &str) -> impl Iterator<Item = &'q str> {
        let of_key = self.filters.iter().filter(move |(name, _)| name == key);
        of_key.map(|(_, value)| value.as_str())
    }

    /// The only value of a filter; `None` where it was not asked for.
    ///
    /// # Errors
    /// It was asked for twice.
    pub(crate) fn value(&self, key: &str) -> Result<Option<&str>, FetchError> {
        let mut values = self.values(key);
        let first = values.next();
        if values.next().is_some() {
            let what = format!("--filter {key} stands twice");
            return Err(FetchError::usage(what, "no trace has both values"));
        }
        Ok(first)
    }

    /// The filters whose keys have this prefix, such as `metadata.`, with the rest of the key.
    pub(crate) fn under<'q>(&'q self, prefix: &'q str) -> impl Iterator<Item = (&'q str, &'q str)> {
        let of_prefix = move |(key, value): &'q (String, String)| {
            Some((key.strip_prefix(prefix)?, value.as_str()))
        };
        self.filters.iter().filter_map(of_prefix)
    }
}

/// A time, with what the user wrote for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeBound {
    /// As it was written: `7d`, `2026-11-21`.
    pub text: String,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl TimeBound {
    /// The time as services read it, `2026-11-21T00:00:00Z`.
    pub(crate) fn rfc3339(&self) -> String {
        Timestamp::from_millisecond(self.at)
            .map_or_else(|_| self.at.to_string(), |time| time.to_string())
    }
}
