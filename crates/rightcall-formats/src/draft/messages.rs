//! Drafts a map for a known message format inside a custom envelope.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::Survey;
use crate::node::Node;
use crate::options::ReadOptions;
use crate::side::read_trace;

/// The number of records sampled.
const SAMPLE: usize = 50;

/// The path to messages with calls in records, and their calls; `None` for other logs.
pub(super) fn find(survey: &Survey<'_, '_>) -> Option<(String, MessagesFound)> {
    let options = ReadOptions::default();
    let mut found: BTreeMap<String, MessagesFound> = BTreeMap::new();
    let sample = 0..survey.records.len().min(SAMPLE);
    let whole = |record: usize| survey.spots[survey.records[record].start].node;
    // Each record may be a message. No known one has an object as its content, unlike cells of CSV with JSON.
    let is_message =
        |it: &Node<'_>| it.has("role") && !it.get("content").is_some_and(Node::is_object);
    let are_messages = sample.clone().all(|record| is_message(whole(record)));
    for record in sample {
        let item = are_messages.then(|| ("$item".to_owned(), whole(record)));
        let fields = survey.near_fields(record).iter();
        let fields = fields.map(|(path, _, value)| (path.clone(), *value));
        for (path, value) in item.into_iter().chain(fields) {
            let value = survey.memory.unfold(value);
            if !value.has("role") && !value.items().iter().any(|item| item.has("role")) {
                continue;
            }
            let calls = read_trace(value, &options).map_or_else(|_| Vec::new(), |it| it.calls);
            let of_path = found.entry(path.clone()).or_default();
            of_path.calls += calls.len();
            of_path
                .records
                .extend((!calls.is_empty()).then_some(record));
            let ids = calls.into_iter().filter_map(|call| call.id);
            let ids = ids.map(|id| (record, id.to_display().into_owned()));
            of_path.ids.extend(ids);
        }
    }
    found
        .into_iter()
        .filter(|(_, found)| found.calls > 0)
        .max_by_key(|(_, found)| found.calls)
}

/// The calls of the messages at a path.
#[derive(Default)]
pub(super) struct MessagesFound {
    calls: usize,
    /// The records with calls.
    pub(super) records: BTreeSet<usize>,
    /// The ids of the calls, each with its record.
    pub(super) ids: Vec<(usize, String)>,
}
