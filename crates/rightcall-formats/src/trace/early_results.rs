//! Results that came before their calls.

use std::collections::VecDeque;

use rightcall::value::Text;

use super::call_result::CallResult;
use super::open_calls::TextMap;

/// Results without a call so far.
#[derive(Debug, Default)]
pub(super) struct EarlyResults {
    /// In the order in which they came, each with the number of calls before it; none where its call has come.
    results: Vec<Option<(usize, CallResult)>>,
    by_id: TextMap<Text<'static>, VecDeque<usize>>,
}

impl EarlyResults {
    /// Keeps a result that came after this many calls.
    pub(super) fn keep(&mut self, calls: usize, result: CallResult) {
        if let Some(id) = &result.id {
            let same = self.by_id.entry(id.clone()).or_default();
            same.push_back(self.results.len());
        }
        self.results.push(Some((calls, result)));
    }

    /// The first result of this id, whose call has come.
    pub(super) fn take(&mut self, id: &Text<'static>) -> Option<CallResult> {
        let number = self.by_id.get_mut(id)?.pop_front()?;
        self.results[number].take().map(|(_, result)| result)
    }

    /// Those whose calls never came, each with the number of calls before it.
    pub(super) fn rest(self) -> impl Iterator<Item = (usize, CallResult)> {
        self.results.into_iter().flatten()
    }
}
