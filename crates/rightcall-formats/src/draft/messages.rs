//! Drafts a map for a known message format inside a custom envelope.

use std::collections::BTreeMap;

use super::survey::Survey;
use super::write;
use crate::options::ReadOptions;
use crate::side::read_trace;

/// The number of records sampled.
const SAMPLE: usize = 50;

/// A map for a log of records that hold messages with calls; `None` for other logs.
pub(super) fn draft(survey: &Survey<'_, '_>, name: &str) -> Option<String> {
    let options = ReadOptions::default();
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for record in 0..survey.records.len().min(SAMPLE) {
        for (path, _, value) in survey.near_fields(record) {
            let value = survey.memory.unfold(value);
            if !value.items().iter().any(|item| item.has("role")) {
                continue;
            }
            let calls = read_trace(value, &options).map_or_else(|_| Vec::new(), |it| it.calls);
            let of_path = found.entry(path.clone()).or_default();
            of_path.calls += calls.len();
            let ids = calls.into_iter().filter_map(|call| call.id);
            let ids = ids.map(|id| (record, id.to_display().into_owned()));
            of_path.ids.extend(ids);
        }
    }
    let (path, found) = found
        .into_iter()
        .filter(|(_, found)| found.calls > 0)
        .max_by_key(|(_, found)| found.calls)?;
    Some(write::map_of_messages(survey, name, &path, &found.ids))
}

/// The calls of the messages at a path.
#[derive(Default)]
struct Found {
    calls: usize,
    /// Their ids, each with its record.
    ids: Vec<(usize, String)>,
}
