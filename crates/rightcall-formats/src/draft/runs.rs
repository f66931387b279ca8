//! Finds the run of each record in a sample.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::DraftedCalls;
use super::kinds::kinds;
use super::survey::Survey;
use super::words::{self, LISTS_OF_RUNS, ORDERS, QUESTIONS, RUNS};
use crate::node::Node;
use crate::trace::time;

/// How to find the runs of a sample.
#[derive(Debug, Default)]
pub(super) struct DraftedRuns {
    /// The paths to the run id; several if the records differ.
    pub(super) run: Vec<String>,
    /// Set if each record is a run: the path to its id.
    pub(super) id: Option<String>,
    /// The condition for a record that begins a run: a path and a value.
    pub(super) begins: Option<(String, String)>,
    /// True if each file is a run.
    pub(super) of_file: bool,
    pub(super) order: Option<String>,
    pub(super) unsure: Option<String>,
}

impl DraftedRuns {
    /// The run id of a record, as text.
    pub(super) fn of_record(&self, survey: &Survey<'_, '_>, record: usize) -> Option<String> {
        let fields = survey.near_fields(record);
        self.run
            .iter()
            .find_map(|run| fields.iter().find(|(path, ..)| path == run))
            .map(|(_, _, value)| value.raw().to_owned())
    }
}

/// The keys that lead to a list of runs inside a single document.
pub(super) fn list_of_runs<'n>(
    survey: &Survey<'_, 'n>,
    calls: &[DraftedCalls],
) -> Option<Vec<&'n str>> {
    let item = &survey.spots[*calls.first()?.items.first()?];
    if survey.records.len() > 1
        || item.lists.len() < 2
            && !item.keys.is_empty()
            && item.lists.last() == Some(&item.keys.len())
    {
        return None;
    }
    item.lists.iter().find_map(|&length| {
        let last = item.keys.get(length.checked_sub(1)?)?;
        words::is_one(last, LISTS_OF_RUNS).then(|| item.keys[..length].to_vec())
    })
}

pub(super) fn find(survey: &Survey<'_, '_>, calls: &[DraftedCalls]) -> DraftedRuns {
    let items = || calls.iter().flat_map(|rule| &rule.items);
    let records: BTreeSet<usize> = items().map(|&it| survey.spots[it].record).collect();
    let in_lists = items().any(|&it| survey.spots[it].is_in_list());
    of_records(survey, &records, in_lists)
}

/// The runs of these records with calls. `in_lists` is true if one record may hold several calls.
pub(super) fn of_records(
    survey: &Survey<'_, '_>,
    records: &BTreeSet<usize>,
    in_lists: bool,
) -> DraftedRuns {
    let mut found: BTreeMap<String, (usize, BTreeMap<usize, &Node<'_>>)> = BTreeMap::new();
    for &record in records {
        for (path, key, value) in survey.near_fields(record) {
            let is_id = value.label().is_some_and(|label| {
                let label = label.to_display().into_owned();
                label.chars().count() <= 80
                    && !label.ends_with(['.', '?', '!'])
                    && label.split(' ').count() <= 3
                    && !(label.contains(' ') && words::is_one(key, QUESTIONS))
            });
            if let Some(rank) = words::rank(key, RUNS).filter(|_| is_id) {
                let it = found.entry(path.clone()).or_insert((rank, BTreeMap::new()));
                it.1.insert(record, value);
            }
        }
    }
    let mut candidates: Vec<_> = found
        .into_iter()
        .map(|(path, (rank, values))| {
            let distinct = values
                .values()
                .map(|it| it.raw())
                .collect::<BTreeSet<_>>()
                .len();
            let is_repeated = distinct < values.len();
            (path, rank, values, is_repeated)
        })
        // An id that is different in each record is a call id, unless the record holds a whole run.
        .filter(|(_, rank, _, is_repeated)| {
            in_lists
                || *is_repeated
                || records.len() == 1
                || words::rank("case", RUNS).is_some_and(|last| *rank < last)
        })
        .collect();
    candidates
        .sort_by_key(|(path, rank, values, _)| (values.len() < records.len(), *rank, path.len()));
    let mut runs = DraftedRuns::default();
    let Some((path, rank, values, is_repeated)) = candidates.first() else {
        without_id(survey, records, in_lists, &mut runs);
        runs.order = order(survey, &runs);
        return runs;
    };
    if in_lists && !is_repeated && values.len() == records.len() {
        runs.id = Some(path.clone());
    } else {
        runs.run.push(path.clone());
        let mut covered: BTreeSet<usize> = values.keys().copied().collect();
        for (path, _, values, _) in &candidates[1..] {
            let is_apart = values.keys().all(|record| !covered.contains(record));
            if covered.len() < records.len() && is_apart {
                runs.run.push(path.clone());
                covered.extend(values.keys());
            }
        }
        if covered.len() < records.len() {
            runs.unsure = Some("some calls are in records without it".to_owned());
        }
    }
    let is_weak = words::rank("id", RUNS).is_some_and(|weak| *rank >= weak);
    if is_weak && runs.id.is_none() {
        runs.unsure = runs
            .unsure
            .or_else(|| Some("is it the id of the run?".to_owned()));
    }
    runs.order = order(survey, &runs);
    runs
}

fn without_id(
    survey: &Survey<'_, '_>,
    of_calls: &BTreeSet<usize>,
    in_lists: bool,
    runs: &mut DraftedRuns,
) {
    if in_lists || survey.records.len() < 2 {
        return;
    }
    let begins = (0..survey.records.len())
        .filter(|record| !of_calls.contains(record))
        .find_map(|record| {
            let kinds = kinds(survey, survey.records[record].start);
            let mut kinds = kinds.into_iter();
            let begin = kinds.find(|kind| words::is_beginning_kind(&kind.value))?;
            Some((record, begin))
        });
    let Some((record, begin)) = begins else {
        runs.of_file = true;
        runs.unsure = Some("no key looks like the id of a run, so each file is one".to_owned());
        return;
    };
    let fields = survey.near_fields(record).iter();
    let ids = fields.filter(|(_, _, value)| value.label().is_some());
    let ranked = ids.filter_map(|(path, key, _)| Some((words::rank(key, RUNS)?, path)));
    runs.id = ranked.min().map(|(_, path)| path.clone());
    runs.begins = Some((begin.path, begin.value));
}

/// The numbers at a path, in the record order of each run.
type NumbersOfRuns = BTreeMap<Option<String>, Vec<Option<i128>>>;

/// The number or time to sort the records of a run by.
fn order(survey: &Survey<'_, '_>, runs: &DraftedRuns) -> Option<String> {
    if runs.run.is_empty() && !runs.of_file {
        return None;
    }
    let mut values: BTreeMap<(usize, String), NumbersOfRuns> = BTreeMap::new();
    for record in 0..survey.records.len() {
        let run = runs.of_record(survey, record);
        for (path, key, value) in survey.near_fields(record) {
            if let Some(rank) = words::rank(key, ORDERS) {
                let number = value.whole().or_else(|| time::of_log(value));
                let of_path = values.entry((rank, path.clone())).or_default();
                of_path.entry(run.clone()).or_default().push(number);
            }
        }
    }
    let is_order = |runs: &NumbersOfRuns| {
        let all_known = runs.values().flatten().all(Option::is_some);
        let is_sorted = runs.values().all(|values| values.is_sorted());
        let is_distinct = runs
            .values()
            .all(|values| values.iter().collect::<BTreeSet<_>>().len() == values.len());
        all_known && is_distinct && !is_sorted
    };
    let found = values.into_iter().find(|(_, runs)| is_order(runs));
    found.map(|((_, path), _)| path)
}
