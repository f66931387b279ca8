//! Recorded calls as new elements of an expectation.

use std::rc::Rc;

use super::super::resolution::json;
use super::element::{Element, ElementKind, ElementList};
use super::search::{RepairSearch, names};
use super::widen::recorded;

/// Recorded calls as a list of elements.
pub(super) struct RecordedCalls {
    pub(super) list: Rc<ElementList>,
    /// Number of added calls, and 1 for a repeat around them.
    pub(super) cost: u64,
    /// The tools, for use in a sentence.
    pub(super) what: String,
}

impl RepairSearch<'_, '_> {
    /// Calls as they were recorded. Rounds of the same calls become a repeat if that costs less: 1 for each call of a round and 1 for the block.
    pub(super) fn recorded(&mut self, calls: &[u16], pointer: &str) -> RecordedCalls {
        let written: Vec<_> = calls
            .iter()
            .map(|call| recorded(&self.calls[*call as usize]))
            .collect();
        let texts: Vec<String> = written.iter().map(json).collect();
        let count = texts.len();
        let is_round = |length: &usize| {
            count.is_multiple_of(*length) && texts[*length..] == texts[..count - length]
        };
        let round = (1..count.saturating_sub(1)).find(is_round);
        let call = |call| Element::new(pointer, ElementKind::Call(call));
        let kept = written.into_iter().take(round.unwrap_or(count));
        let list = self.lists.list(kept.map(call).collect());
        let what = names(&list);
        let Some(length) = round else {
            let cost = count as u64;
            return RecordedCalls { list, cost, what };
        };
        let most = (count / length) as u64;
        let repeat = ElementKind::Repeat {
            round: list,
            min: 1,
            max: Some(most),
        };
        RecordedCalls {
            list: self.lists.list(vec![Element::new(pointer, repeat)]),
            cost: length as u64 + 1,
            what: format!("{what}, up to {most} times"),
        }
    }

    /// New branches for calls in any order: three or more equal calls share one, since a repeat of a call costs 2.
    pub(super) fn branches_of(&self, calls: &[u16]) -> Vec<Vec<u16>> {
        const SHARED: usize = 3;
        let mut equal: Vec<(String, Vec<u16>)> = Vec::new();
        for &call in calls {
            let text = json(&recorded(&self.calls[call as usize]));
            match equal.iter_mut().find(|(known, _)| *known == text) {
                Some((_, calls)) => calls.push(call),
                None => equal.push((text, vec![call])),
            }
        }
        let branches = equal.into_iter().flat_map(|(_, calls)| {
            let size = if calls.len() < SHARED { 1 } else { calls.len() };
            calls.chunks(size).map(<[u16]>::to_vec).collect::<Vec<_>>()
        });
        branches.collect()
    }
}
