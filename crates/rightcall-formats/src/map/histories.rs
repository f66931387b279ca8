//! Histories in the records of a run: a log of requests has earlier messages again in each record.

use std::collections::{HashMap, HashSet};

use rightcall_core::value::Text;

use super::record::Findings;
use crate::trace::{TraceArguments, TraceCall};

/// Keeps each call of a run once: a record whose messages go on in a later record has no calls of its own in them, and neither has one whose
/// calls later messages have again, with their ids, names and arguments. A call that a rule found is left out if messages have its id. Calls
/// in a history have their results.
pub(super) fn drop_repeated(records: &mut [Findings]) {
    let mut said = SaidSoFar::default();
    for place in 0..records.len() {
        for earlier in said.repeated_by(place, &records[place].history.messages) {
            let calls = std::mem::take(&mut records[earlier].history.calls);
            records[earlier].calls.drain(..calls);
        }
        let record = &mut records[place];
        let calls = &record.calls[..record.history.calls];
        if said.is_repeated_in_part && calls.iter().any(|it| it.call.id.is_none()) {
            record
                .report
                .left_over(REPEATED_IN_PART.to_owned(), "in a record of the run");
        }
    }
    let mut later = Later::default();
    for record in records.iter_mut().rev() {
        later.drop_known(record);
    }
}

/// Calls with ids count once; others cannot be told from new ones.
const REPEATED_IN_PART: &str = "messages that repeat the last ones in part, with calls without ids";

/// The messages of a run so far, as hashes.
#[derive(Default)]
struct SaidSoFar {
    messages: Vec<u64>,
    /// The records that have them.
    records: Vec<usize>,
    /// The number of messages in the last record.
    last: usize,
    /// True if the record looked at last begins with the last messages before it, but not with all.
    is_repeated_in_part: bool,
}

impl SaidSoFar {
    /// The earlier records whose messages this record has again: all if it goes on from their messages together, else at most the last.
    fn repeated_by(&mut self, record: usize, messages: &[u64]) -> Vec<usize> {
        self.is_repeated_in_part = false;
        if messages.is_empty() {
            return Vec::new();
        }
        let last = &self.messages[self.messages.len() - self.last..];
        let goes_on = |from: &[u64]| {
            let is_same = messages.len() == from.len() && from.len() > 1;
            !from.is_empty()
                && messages.starts_with(from)
                && (messages.len() > from.len() || is_same)
        };
        let repeated = if goes_on(&self.messages) {
            std::mem::take(&mut self.records)
        } else if goes_on(last) {
            self.records.pop().into_iter().collect()
        } else {
            let overlaps = |count: &usize| self.messages.ends_with(&messages[..*count]);
            self.is_repeated_in_part = (2..=messages.len()).any(|count| overlaps(&count));
            Vec::new()
        };
        if !repeated.is_empty() {
            let kept = if self.records.is_empty() {
                0
            } else {
                self.messages.len() - self.last
            };
            self.messages.truncate(kept);
        }
        self.messages.extend_from_slice(messages);
        self.records.push(record);
        self.last = messages.len();
        repeated
    }
}

/// The calls with ids in the messages of later records.
#[derive(Default)]
struct Later {
    /// Calls by id and name, with their arguments. A lone message is a reply and repeats none.
    in_histories: HashMap<CallKey, Vec<TraceArguments>>,
    all: HashSet<CallKey>,
}

/// The id and the name of a call.
type CallKey = (Text<'static>, Text<'static>);

impl Later {
    /// Leaves out the calls of a record that later messages have again, and those of its rules that its own messages have.
    fn drop_known(&mut self, record: &mut Findings) {
        let rest = record.calls.split_off(record.history.calls);
        let all = std::mem::take(&mut record.calls);
        self.all
            .extend(all.iter().filter_map(|it| key_of(&it.call)));
        for found in all {
            let key = key_of(&found.call);
            let known = key.as_ref().and_then(|key| self.in_histories.get(key));
            let arguments = &found.call.arguments;
            if !known.is_some_and(|known| known.iter().any(|it| it.is_same(arguments))) {
                record.calls.push(found);
            }
        }
        record.history.calls = record.calls.len();
        let is_history = record.history.messages.len() > 1;
        for found in record.calls.iter().filter(|_| is_history) {
            if let Some(key) = key_of(&found.call) {
                let arguments = found.call.arguments.clone();
                self.in_histories.entry(key).or_default().push(arguments);
            }
        }
        let is_known = |call: &TraceCall| key_of(call).is_some_and(|key| self.all.contains(&key));
        record
            .calls
            .extend(rest.into_iter().filter(|it| !is_known(&it.call)));
    }
}

fn key_of(call: &TraceCall) -> Option<CallKey> {
    Some((call.id.clone()?, call.name.clone()))
}
