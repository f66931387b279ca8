//! Histories in the records of a run: a log of requests has earlier messages again in each record.

use std::collections::HashSet;

use rightcall_core::value::Text;

use super::record::Findings;

/// Keeps each call of a run once: a record whose messages go on in a later record has no calls of its own in them, and a call that a rule
/// found is left out if a later history has its id. Calls in a history have their results.
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
    let mut later: HashSet<(Text<'static>, Text<'static>)> = HashSet::new();
    for record in records.iter_mut().rev() {
        let in_history = record.history.calls;
        let mut place = 0;
        record.calls.retain(|found| {
            place += 1;
            let call = &found.call;
            let is_later = call
                .id
                .as_ref()
                .is_some_and(|id| later.contains(&(id.clone(), call.name.clone())));
            place <= in_history || !is_later
        });
        let calls = record.calls[..in_history].iter().map(|found| &found.call);
        later.extend(calls.filter_map(|call| Some((call.id.clone()?, call.name.clone()))));
    }
}
