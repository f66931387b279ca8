//! Finds the run of each record in a sample.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::DraftedCalls;
use super::finer;
use super::groups::{grouping, is_of_call, unusual_id};
use super::kinds::kinds;
use super::survey::Survey;
use super::words::{self, ORDERS, QUESTIONS, RUNS, WEAK_ORDERS};
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

pub(super) fn find(survey: &Survey<'_, '_>, calls: &[DraftedCalls]) -> DraftedRuns {
    let items = || calls.iter().flat_map(|rule| &rule.items);
    let records: BTreeSet<usize> = items().map(|&it| survey.spots[it].record).collect();
    let in_lists = items().any(|&it| survey.spots[it].is_in_list());
    let of_rule = |rule: &DraftedCalls| {
        let paths = std::iter::once(&rule.name).chain(&rule.args);
        let path = |path: &String| match rule.path.as_str() {
            "" => path.clone(),
            before => format!("{before}.{path}"),
        };
        paths.map(path).collect::<Vec<_>>()
    };
    let used: Vec<_> = calls.iter().flat_map(of_rule).collect();
    of_records(survey, &records, in_lists, &used)
}

/// A path to something that may be the id of a run.
struct Candidate<'n> {
    path: String,
    rank: usize,
    /// The values in records with calls.
    values: BTreeMap<usize, &'n Node<'n>>,
    is_repeated: bool,
    /// True if no two records share a value, with calls or without: it may be the id of a record.
    is_unique: bool,
}

impl Candidate<'_> {
    /// True for a key that often holds another id.
    fn is_weak(&self) -> bool {
        words::rank("id", RUNS).is_some_and(|weak| self.rank >= weak)
    }

    /// True for a key that rarely holds anything but the id of a run.
    fn is_strong(&self) -> bool {
        words::rank("jobid", RUNS).is_some_and(|other| self.rank < other)
    }

    fn distinct(&self) -> usize {
        let values = self.values.values().map(|it| it.raw());
        values.collect::<BTreeSet<_>>().len()
    }
}

/// The paths with the usual keys of runs, best first.
fn candidates<'n>(
    survey: &Survey<'_, 'n>,
    records: &BTreeSet<usize>,
    in_lists: bool,
    used: &[String],
) -> Vec<Candidate<'n>> {
    let mut found: BTreeMap<&str, (usize, BTreeMap<usize, &Node<'_>>)> = BTreeMap::new();
    for record in 0..survey.records.len() {
        for (path, key, value) in survey.near_fields(record) {
            let is_id = value.label().is_some_and(|label| {
                let label = label.to_display().into_owned();
                label.chars().count() <= 80
                    && !label.ends_with(['.', '?', '!'])
                    && label.split(' ').count() <= 3
                    && !(label.contains(' ') && words::is_one(key, QUESTIONS))
            });
            let is_machine = || {
                words::is_one(key, &["thread", "threadid"])
                    && words::is_thread_of_machine(value.raw())
            };
            let is_id = is_id && !is_of_call(path, used) && !is_machine();
            if let Some(rank) = words::rank(key, RUNS).filter(|_| is_id) {
                let it = found.entry(path).or_insert((rank, BTreeMap::new()));
                it.1.insert(record, value);
            }
        }
    }
    let candidate = |(path, (rank, mut values)): (&str, (usize, BTreeMap<usize, &'n Node<'n>>))| {
        // A record with a list of calls may be a whole run, unless another record has the same id.
        let all = values.clone();
        let of_all: BTreeSet<_> = all.values().map(|it| it.raw()).collect();
        values.retain(|record, _| records.contains(record));
        let repeated = if in_lists { &all } else { &values };
        let distinct: BTreeSet<_> = repeated.values().map(|it| it.raw()).collect();
        Candidate {
            path: path.to_owned(),
            rank,
            is_repeated: distinct.len() < repeated.len(),
            is_unique: !in_lists && all.len() > 1 && of_all.len() == all.len(),
            values,
        }
    };
    // An id that is different in each record is a call id, unless the record holds a whole run.
    let may_be_run = |it: &Candidate<'_>| {
        let is_usual = words::rank("case", RUNS).is_some_and(|last| it.rank < last);
        !it.values.is_empty() && (in_lists || it.is_repeated || records.len() == 1 || is_usual)
    };
    let mut all: Vec<_> = found
        .into_iter()
        .map(candidate)
        .filter(may_be_run)
        .collect();
    let has_other = all.iter().any(|it| !it.is_unique && !it.is_weak());
    all.sort_by_key(|it| {
        let is_partial = it.values.len() < records.len();
        let is_last = it.is_unique && has_other;
        (is_last, is_partial, it.rank, it.path.len())
    });
    all
}

/// The runs of these records with calls. `in_lists` is true if one record may hold several calls, `used` are the paths to their names and arguments.
pub(super) fn of_records(
    survey: &Survey<'_, '_>,
    records: &BTreeSet<usize>,
    in_lists: bool,
    used: &[String],
) -> DraftedRuns {
    let mut candidates = candidates(survey, records, in_lists, used);
    let mut runs = DraftedRuns::default();
    // If another key groups the calls, an assumed run id in each call may be the call's id.
    let differs = |it: &Candidate<'_>| !in_lists && records.len() > 1 && !it.is_repeated;
    if candidates.first().is_some_and(differs) {
        let groups = |it: &Candidate<'_>| {
            it.is_repeated && it.is_strong() && it.values.len() == records.len()
        };
        if let Some(place) = candidates.iter().position(groups) {
            let of_call = candidates.remove(0).path;
            candidates.rotate_left(place - 1);
            runs.unsure = Some(format!("{of_call} differs in each call: is that the run?"));
        }
    }
    let is_sure = candidates.first().is_some_and(|it| {
        let is_whole = in_lists && !it.is_repeated;
        is_whole || !it.is_weak() && !differs(it)
    });
    if !is_sure && let Some(group) = grouping(survey, records, in_lists, used) {
        let first = candidates.first();
        let known = first.map(Candidate::distinct);
        let is_better = known.is_none_or(|known| known < 2 || group.number <= known);
        if is_better && (group.of_calls || first.is_none_or(|it| it.is_unique)) {
            runs.run.push(group.path);
            runs.unsure = Some("is it the id of the run?".to_owned());
            runs.order = order(survey, &runs);
            return runs;
        }
    }
    let Some(best) = candidates.first() else {
        if in_lists && let Some(id) = unusual_id(survey, records, used) {
            runs.id = Some(id);
            runs.unsure = Some("is it the id of the run?".to_owned());
        } else {
            without_id(survey, records, in_lists, &mut runs);
        }
        runs.order = order(survey, &runs);
        return runs;
    };
    if in_lists && !best.is_repeated && best.values.len() == records.len() {
        runs.id = Some(best.path.clone());
    } else {
        runs.run.push(best.path.clone());
        let mut covered: BTreeSet<usize> = best.values.keys().copied().collect();
        for it in &candidates[1..] {
            let is_apart = it.values.keys().all(|record| !covered.contains(record));
            if covered.len() < records.len() && is_apart {
                runs.run.push(it.path.clone());
                covered.extend(it.values.keys());
            }
        }
        if covered.len() < records.len() {
            runs.unsure = Some("some calls are in records without it".to_owned());
        }
    }
    if best.is_unique && !runs.run.is_empty() {
        let unsure = || Some("it differs in each record: is it the id of the run?".to_owned());
        runs.unsure = runs.unsure.or_else(unsure);
    }
    if best.is_weak() && runs.id.is_none() {
        let unsure = || Some("is it the id of the run?".to_owned());
        runs.unsure = runs.unsure.or_else(unsure);
    }
    if differs(best) && !best.is_strong() && !runs.run.is_empty() {
        let unsure = || Some("it differs in each call: is it the id of the run?".to_owned());
        runs.unsure = runs.unsure.or_else(unsure);
    }
    let known = finer::Known {
        of_calls: records,
        in_lists,
        used,
        is_strong: best.is_strong(),
    };
    if !runs.run.is_empty() {
        let doubt = || finer::doubt(survey, &runs.run, &known);
        runs.unsure = runs.unsure.clone().or_else(doubt);
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
    let mut values: BTreeMap<(usize, &str), NumbersOfRuns> = BTreeMap::new();
    for record in 0..survey.records.len() {
        let run = runs.of_record(survey, record);
        for (path, key, value) in survey.near_fields(record) {
            let weak = || Some(words::rank(key, WEAK_ORDERS)? + ORDERS.len());
            if let Some(rank) = words::rank(key, ORDERS).or_else(weak) {
                let number = value.whole().or_else(|| time::from_log(value));
                let of_path = values.entry((rank, path)).or_default();
                of_path.entry(run.clone()).or_default().push(number);
            }
        }
    }
    let is_known = |runs: &NumbersOfRuns| {
        let is_distinct = |values: &Vec<Option<i128>>| {
            values.iter().collect::<BTreeSet<_>>().len() == values.len()
        };
        runs.values().flatten().all(Option::is_some) && runs.values().all(is_distinct)
    };
    let is_sorted = |runs: &NumbersOfRuns| runs.values().all(|values| values.is_sorted());
    let has_sorted = values
        .iter()
        .any(|((rank, _), runs)| *rank < ORDERS.len() && is_known(runs) && is_sorted(runs));
    let mut found = values.into_iter().filter(|((rank, _), runs)| {
        let is_usual = *rank < ORDERS.len();
        let is_in_all = || runs.values().map(Vec::len).sum::<usize>() == survey.records.len();
        (is_usual || !has_sorted && is_in_all()) && is_known(runs) && !is_sorted(runs)
    });
    found.next().map(|((_, path), _)| path.to_owned())
}
