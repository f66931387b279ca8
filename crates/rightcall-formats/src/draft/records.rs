//! Finds the list inside a document whose items are its records, or its runs.

use super::calls::{DraftedCalls, OtherPlace};
use super::calls_of;
use super::outcome::last_key;
use super::runs::{self, DraftedRuns};
use super::survey::{ANY_KEY, Spot, Survey, path_of};
use super::words::{self, IDS, RUNS};
use crate::node::Node;

/// A sample whose records are the items of a list inside a document.
pub(super) struct Inner<'m, 'n> {
    /// The path to the list.
    pub(super) path: String,
    pub(super) survey: Survey<'m, 'n>,
    pub(super) calls: Vec<DraftedCalls>,
    pub(super) others: Vec<OtherPlace>,
}

/// The outermost list on the way to the calls whose items have the id of a run, or else the first whose key says that it holds runs.
pub(super) fn inner<'m, 'n>(
    survey: &Survey<'m, 'n>,
    calls: &[DraftedCalls],
) -> Option<Inner<'m, 'n>> {
    let item = &survey.spots[*calls.first()?.items.first()?];
    if survey.records.len() > 1 {
        return None;
    }
    let document = &survey.spots[0];
    let own_id = document.members().filter_map(|(key, value)| {
        let rank = words::rank(key, RUNS)?;
        value.label().map(|_| rank)
    });
    let own_id = own_id.min();
    let mut by_name = None;
    for &length in &item.lists {
        let keys = &item.keys[..length];
        let inner = at(survey, keys);
        let is_of_runs = is_list_of_runs(item, length);
        let runs = runs::find(&inner.survey, &inner.calls);
        let has_id = inner.survey.records.len() > 1
            && keys.last() != Some(&ANY_KEY)
            && !inner.calls.is_empty()
            && has_run_id(&runs, own_id, is_of_runs);
        if has_id {
            return Some(inner);
        }
        if is_of_runs && by_name.is_none() {
            by_name = Some(inner);
        }
    }
    by_name
}

/// True if the key of the list says that its items are runs, which hold the calls in lists of their own.
fn is_list_of_runs(item: &Spot<'_>, length: usize) -> bool {
    let last = item.keys[..length].last();
    let holds_calls = item.lists.len() < 2 && item.lists.last() == Some(&item.keys.len());
    !holds_calls
        && last.is_some_and(|key| words::is_list_of_runs(key) || *key == ANY_KEY && length == 1)
}

/// True if the records have the id of their run. A document with an id is probably one run; `own_id` is the rank of its key.
fn has_run_id(runs: &DraftedRuns, own_id: Option<usize>, is_of_runs: bool) -> bool {
    let is_before =
        |rank: Option<usize>, word: &str| rank.is_some() && rank < words::rank(word, RUNS);
    if is_before(own_id, "jobid") {
        return false;
    }
    let is_one = |path: &String| {
        let key = last_key(path);
        let rank = rank_of(path);
        let is_unusual = || rank.is_none() && !words::is_one(key, IDS);
        is_before(rank, "jobid") || own_id.is_none() && (is_before(rank, "id") || is_unusual())
    };
    let is_of_record = |id: &String| {
        let key = last_key(id);
        let rank = rank_of(id);
        let is_id = || is_one(id) && key.to_ascii_lowercase().ends_with("id");
        is_of_runs || is_before(rank, "jobid") || is_id()
    };
    runs.run.iter().any(is_one) || runs.id.as_ref().is_some_and(is_of_record)
}

/// The rank of the key of a run; in `session.id`, the rank of `session`.
fn rank_of(path: &str) -> Option<usize> {
    let before = path.strip_suffix(".id").map(last_key);
    let of_parent = before.and_then(|key| words::rank(key, RUNS));
    of_parent.or_else(|| words::rank(last_key(path), RUNS))
}

/// The sample with the items at these keys as its records.
fn at<'m, 'n>(survey: &Survey<'m, 'n>, keys: &[&str]) -> Inner<'m, 'n> {
    let mut items = Vec::new();
    for record in &survey.records {
        add_items(survey, survey.spots[record.start].node, keys, &mut items);
    }
    let survey = Survey::new(survey.memory, &items);
    let (calls, others) = calls_of(&survey);
    Inner {
        path: path_of(keys),
        survey,
        calls,
        others,
    }
}

/// Adds the objects at these keys; lists on the way add no key.
fn add_items<'n>(
    survey: &Survey<'_, 'n>,
    node: &'n Node<'n>,
    keys: &[&str],
    found: &mut Vec<&'n Node<'n>>,
) {
    let node = survey.memory.unfold(node);
    if node.is_list() {
        let items = node.items().iter();
        items.for_each(|item| add_items(survey, item, keys, found));
        return;
    }
    match keys {
        [] => found.push(node),
        [ANY_KEY, rest @ ..] => {
            let values = node.entries().iter().map(|(_, value)| value);
            values.for_each(|value| add_items(survey, value, rest, found));
        }
        [key, rest @ ..] => {
            if let Some(value) = node.get(key) {
                add_items(survey, value, rest, found);
            }
        }
    }
}
