//! Data that the viewer keeps between requests: the path of the history, and a cache of finished runs.
//!
//! A finished run never changes, so its cached data is valid while the run is in the history. Every
//! page first queries the history for its run. The keys of cache entries contain the unique key of
//! the run.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rightcall_quality::Coverage;
use rightcall_report::StoredScores;
use rightcall_stats::PairedComparison;

use crate::strength_reports::StrengthReports;

/// The path of the history, and a cache of its data.
#[derive(Debug)]
pub(crate) struct Viewed {
    pub(crate) history: PathBuf,
    /// The arguments that let other commands open the same history.
    pub(crate) history_words: Vec<String>,
    /// The secret that forms send back; `None` if the viewer changes no file.
    pub(crate) token: Option<String>,
    /// The results of compared runs, megabytes each.
    pub(crate) scores: Recent<StoredScores>,
    /// The comparisons of two runs.
    pub(crate) comparisons: Recent<PairedComparison>,
    /// The reasons why two runs are hard to compare, as texts.
    pub(crate) cautions: Recent<Vec<String>>,
    /// The sorted cases that a filter accepts.
    pub(crate) lists: Recent<Vec<i64>>,
    /// The numbers of the cases with a tool.
    pub(crate) with_tool: Recent<HashSet<u64>>,
    /// The tools and arguments that the cases of runs test.
    pub(crate) coverage: Recent<Coverage>,
    /// The strength of the suites of runs.
    pub(crate) strength: StrengthReports,
    /// The models of runs.
    pub(crate) models: Recent<Vec<String>>,
}

impl Viewed {
    pub(crate) fn new(history: PathBuf, history_words: Vec<String>, token: Option<String>) -> Self {
        Self {
            history,
            history_words,
            token,
            scores: Recent::new(4),
            comparisons: Recent::new(4),
            cautions: Recent::new(16),
            lists: Recent::new(32),
            with_tool: Recent::new(8),
            coverage: Recent::new(16),
            strength: StrengthReports::default(),
            models: Recent::new(64),
        }
    }
}

/// A cache of the most recently used values.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    /// The most recently used value comes first.
    values: Mutex<VecDeque<(String, Arc<T>)>>,
    at_most: usize,
}

impl<T> Recent<T> {
    fn new(at_most: usize) -> Self {
        Self {
            values: Mutex::new(VecDeque::new()),
            at_most,
        }
    }

    /// The cached value for a key, or a new one from `make`, which runs without the lock, so other
    /// requests don't wait.
    pub(crate) fn get_or_make<E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let known = {
            let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
            let place = values.iter().position(|(known, _)| known == key);
            place.and_then(|place| values.remove(place))
        };
        let value = match known {
            Some((_, value)) => value,
            None => Arc::new(make()?),
        };
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.retain(|(known, _)| known != key);
        values.push_front((key.to_owned(), Arc::clone(&value)));
        values.truncate(self.at_most);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_recently_used_values_are_kept() {
        let recent = Recent::new(2);
        let mut made = Vec::new();
        for key in ["a", "b", "a", "c", "a", "b"] {
            let value = recent.get_or_make(key, || {
                made.push(key);
                Ok::<_, ()>(key.len())
            });
            assert_eq!(value.as_deref(), Ok(&1));
        }
        assert_eq!(made, ["a", "b", "c", "b"]);
        assert_eq!(recent.get_or_make("d", || Err("no")), Err("no"));
        assert_eq!(
            recent.get_or_make("d", || Ok::<_, ()>(4)).as_deref(),
            Ok(&4)
        );
    }
}
