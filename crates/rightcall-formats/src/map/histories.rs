//! Histories in the records of a run: a log of requests has earlier messages again in each record.

use std::collections::{HashMap, HashSet};

use rightcall_core::value::Text;

use super::record::Findings;
use crate::trace::{TraceArguments, TraceCall};

/// Keeps each call of a run once: a record whose messages go on in a later record has no calls of its own in them, and neither has one whose
/// calls later messages have again, with their ids, names and arguments. A call that a rule found is left out if messages have its id. Calls
/// in a history have their results.
pub(super) fn drop_repeated(records: &mut [Findings]) {
    let mut last: Option<usize> = None;
    for place in 0..records.len() {
        if records[place].history.messages.is_empty() {
            continue;
        }
        if let Some(earlier) = last.replace(place)
            && records[place].history.continues(&records[earlier].history)
        {
            let calls = std::mem::take(&mut records[earlier].history.calls);
            records[earlier].calls.drain(..calls);
        }
    }
    let mut later = Later::default();
    for record in records.iter_mut().rev() {
        later.drop_known(record);
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
