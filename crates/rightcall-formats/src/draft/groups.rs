//! Finds runs by the values of a key alone: equal values in consecutive records.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::survey::{NearField, Survey};
use super::words::{self, SURE_IDS};
use crate::node::Node;
use crate::trace::time;

/// A key with equal values in the records of a run.
pub(super) struct Grouping {
    pub(super) path: String,
    /// The number of runs.
    pub(super) number: usize,
    /// True if a run has several calls, not just a call with its result.
    pub(super) of_calls: bool,
}

/// A key, and its values with their records.
type ValuesOfKey<'n> = (&'n str, Vec<(usize, &'n str)>);

/// The key with an unusual name that groups the records best. `used` are the paths to the names and arguments of tools.
pub(super) fn grouping(
    survey: &Survey<'_, '_>,
    of_calls: &BTreeSet<usize>,
    in_lists: bool,
    used: &[String],
) -> Option<Grouping> {
    let mut found: BTreeMap<&str, ValuesOfKey<'_>> = BTreeMap::new();
    for record in 0..survey.records.len() {
        for (path, key, value) in survey.near_fields(record) {
            if may_be_run(key, value) && !is_of_call(path, used) {
                let of_path = found.entry(path).or_insert((key, Vec::new()));
                of_path.1.push((record, value.raw()));
            }
        }
    }
    // A key that a call shares with its result alone may be the id of the call, unless another key is.
    let may_be_alone = has_call_id(survey, of_calls);
    let candidates = found.into_iter().filter_map(|(path, (key, values))| {
        let mut groups: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (record, value) in &values {
            groups.entry(value).or_default().insert(*record);
        }
        let blocks = values.chunk_by(|one, other| one.1 == other.1).count();
        let records: BTreeSet<usize> = values.iter().map(|(record, _)| *record).collect();
        let calls = |group: &BTreeSet<usize>| group.intersection(of_calls).count();
        let of_calls_alone = groups.values().any(|group| calls(group) > 1);
        // A record with a list of calls may be a whole run: then no other record belongs to it.
        let has_others = |group: &BTreeSet<usize>| calls(group) > 0 && group.len() > calls(group);
        let is_group = if in_lists {
            groups.values().any(has_others)
        } else {
            of_calls_alone
                || may_be_alone && !words::is_one(key, SURE_IDS) && groups.values().any(has_others)
        };
        let is_one =
            of_calls.is_subset(&records) && groups.len() > 1 && blocks == groups.len() && is_group;
        let grouping = || Grouping {
            path: path.to_owned(),
            number: groups.len(),
            of_calls: of_calls_alone || in_lists,
        };
        is_one.then(|| (is_id(key), groups.len(), grouping()))
    });
    let best = candidates.max_by_key(|(is_id, number, grouping)| {
        let depth = grouping.path.matches('.').count();
        let length = grouping.path.len();
        let of_calls = grouping.of_calls;
        (of_calls, *is_id, Reverse(depth), *number, Reverse(length))
    });
    best.map(|(.., grouping)| grouping)
}

/// True if each record with a call shares the usual id of a call with another record.
fn has_call_id(survey: &Survey<'_, '_>, of_calls: &BTreeSet<usize>) -> bool {
    let ids = |record: usize| {
        let fields = survey.near_fields(record).iter();
        let ids = fields.filter(|(_, key, _)| words::is_one(key, SURE_IDS));
        ids.map(|(_, _, value)| value.raw())
    };
    let others = (0..survey.records.len()).filter(|record| !of_calls.contains(record));
    let answered: BTreeSet<&str> = others.flat_map(ids).collect();
    let mut calls = of_calls.iter();
    calls.all(|&record| ids(record).any(|id| answered.contains(id)))
}

/// The first text with an unusual key that is different in each record; here each record is a run.
pub(super) fn unusual_id(
    survey: &Survey<'_, '_>,
    of_calls: &BTreeSet<usize>,
    used: &[String],
) -> Option<String> {
    let first = survey.near_fields(*of_calls.first()?).iter();
    let may_be_id = |(path, key, value): &&NearField<'_>| {
        value.str().is_some() && may_be_run(key, value) && !is_of_call(path, used)
    };
    let mut paths = first.filter(may_be_id);
    let found = paths.find(|(path, ..)| {
        let value = |record: usize| {
            let mut fields = survey.near_fields(record).iter();
            fields
                .find(|it| it.0 == *path)
                .map(|(_, _, value)| value.raw())
        };
        let values: Option<BTreeSet<&str>> = (0..survey.records.len()).map(value).collect();
        values.is_some_and(|values| values.len() > 1 && values.len() == survey.records.len())
    });
    found.map(|(path, ..)| path.clone())
}

pub(super) fn is_id(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.ends_with("id") || words::is_one(&key, words::IDS)
}

/// True for a path to the name of a tool or into its arguments; `used` are their paths.
pub(super) fn is_of_call(path: &str, used: &[String]) -> bool {
    used.iter().any(|it| {
        let rest = path.strip_prefix(it.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// True for a member that may be the id of a run, under any key.
pub(super) fn may_be_run(key: &str, value: &Node<'_>) -> bool {
    let others = [
        words::TOOL_NAMES,
        words::NAMES,
        words::ARGUMENTS,
        words::OUTPUTS,
        words::ERRORS,
        words::ORDERS,
        words::STATES,
        words::CODES,
        words::STARTS,
        words::ENDS,
        words::MODELS,
        words::QUESTIONS,
        words::FAILED,
        words::SUCCEEDED,
        words::NOT_RUN,
        words::PERMITTED,
        words::TRIALS,
        words::SMALLER_THAN_RUNS,
    ];
    let is_other =
        words::kind_rank(key).is_some() || others.iter().any(|words| words::is_one(key, words));
    let is_label = match value.str() {
        Some(text) => {
            // `166116e4` is an id, although it is a number of seconds too.
            let has_letters = !text.contains([':', '-']) && text.contains(char::is_alphabetic);
            let is_time = !has_letters && time::from_log(value).is_some();
            (1..=80).contains(&text.len()) && !text.contains(' ') && !is_time
        }
        None => value.whole().is_some() && is_id(key),
    };
    is_label && !is_other
}
