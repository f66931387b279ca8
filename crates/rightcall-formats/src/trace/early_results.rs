//! Results that precede their calls.

use std::collections::VecDeque;

use rightcall_core::value::Text;

use super::call_result::CallResult;
use super::open_calls::TextMap;

/// Results still without a call.
#[derive(Debug, Default)]
pub(super) struct EarlyResults {
    /// In order, each with the number of calls before it; `None` once its call is known.
    results: Vec<Option<(usize, CallResult)>>,
    by_id: TextMap<Text<'static>, VecDeque<usize>>,
}

impl EarlyResults {
    /// Keeps a result, with the number of calls before it.
    pub(super) fn keep(&mut self, calls: usize, result: CallResult) {
        if let Some(id) = &result.id {
            let same = self.by_id.entry(id.clone()).or_default();
            same.push_back(self.results.len());
        }
        self.results.push(Some((calls, result)));
    }

    /// Removes the first result with this id, when its call is read.
    pub(super) fn take(&mut self, id: &Text<'static>) -> Option<CallResult> {
        let number = self.by_id.get_mut(id)?.pop_front()?;
        self.results[number].take().map(|(_, result)| result)
    }

    /// The results without a call, each with the number of calls before it.
    pub(super) fn rest(self) -> impl Iterator<Item = (usize, CallResult)> {
        self.results.into_iter().flatten()
    }
}
