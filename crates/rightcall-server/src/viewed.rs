//! What the viewer keeps between requests: the file of the history, and what was read of finished runs lately.
//!
//! A finished run never changes, so what was read of it holds for as long as it is in the history, and every page asks the history for
//! its run first. A key names the run by its key, which no other run ever has.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rightcall_report::StoredScores;

/// The file of the history, and what was read of it lately.
#[derive(Debug)]
pub(crate) struct Viewed {
    pub(crate) history: PathBuf,
    /// Results of runs that were compared: megabytes each.
    pub(crate) scores: Recent<StoredScores>,
    /// The cases that a filter takes, in their order.
    pub(crate) lists: Recent<Vec<i64>>,
    /// The numbers of the cases with a tool.
    pub(crate) with_tool: Recent<HashSet<u64>>,
    /// The models of runs.
    pub(crate) models: Recent<Vec<String>>,
}

impl Viewed {
    pub(crate) fn new(history: PathBuf) -> Self {
        Self {
            history,
            scores: Recent::new(4),
            lists: Recent::new(32),
            with_tool: Recent::new(8),
            models: Recent::new(64),
        }
    }
}

/// The values that were used last.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    /// The last one used first.
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

    /// The value of a key, which is made if it was not used lately. Others are not kept waiting meanwhile.
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
    fn the_values_used_last_are_kept() {
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
