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
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for record in 0..survey.records.len().min(SAMPLE) {
        for (path, _, value) in survey.near_fields(record) {
            let value = survey.memory.unfold(value);
            let has_roles = value.items().iter().any(|item| item.has("role"));
            let calls = || read_trace(value, &options).map_or(0, |trace| trace.calls.len());
            if has_roles {
                *found.entry(path.clone()).or_default() += calls();
            }
        }
    }
    let (path, _) = found
        .into_iter()
        .filter(|(_, calls)| *calls > 0)
        .max_by_key(|(_, calls)| *calls)?;
    Some(write::map_of_messages(survey, name, &path))
}
