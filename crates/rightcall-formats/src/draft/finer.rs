//! Doubts whether the key of runs is right: records with one id may be several runs, and another key may say which.

use std::collections::{BTreeMap, BTreeSet};

use super::groups::{is_id, is_of_call, may_be_run};
use super::survey::Survey;
use super::words::{self, RUNS, TRIALS, VARIANTS};
use crate::node::Node;

/// Facts about the records with calls.
pub(super) struct Known<'k> {
    pub(super) of_calls: &'k BTreeSet<usize>,
    pub(super) in_lists: bool,
    /// The paths to names and arguments.
    pub(super) used: &'k [String],
    /// True if the key of the run rarely holds the id of anything else.
    pub(super) is_strong: bool,
}

/// A value of the records with calls and the id of their run, in order.
type Values<'n> = Vec<(&'n str, String)>;

/// A doubt about the paths to the id of the run, if another key contradicts them.
pub(super) fn doubt(survey: &Survey<'_, '_>, run: &[String], known: &Known<'_>) -> Option<String> {
    let all = values(survey, run, known);
    let trial = all.iter().find(|(_, (key, values))| {
        let is_trial = words::is_one(key, TRIALS);
        let is_variant = || !known.is_strong && is_variant(key, values, known.in_lists);
        differ(values) && (is_trial || is_variant())
    });
    if let Some((path, _)) = trial {
        return Some(format!(
            "records with one id differ in {path}: are they several runs?"
        ));
    }
    let ids: BTreeSet<&str> = known
        .of_calls
        .iter()
        .filter_map(|it| near(survey, *it, run))
        .collect();
    let tree = all.iter().find(|(_, (key, values))| {
        let is_id = |value: &str| value.starts_with('"') || words::is_parent(key);
        let mut values = values.iter();
        values.any(|(value, run)| value != run && ids.contains(value) && is_id(value))
    });
    if let Some((path, _)) = tree {
        return Some(format!(
            "{path} has the ids of other runs: are they one run?"
        ));
    }
    let free = all.iter().filter(|(_, (key, values))| {
        let is_usual = words::is_one(key, RUNS);
        let is_run = |value: &str| {
            let node = Node::parse(value, 1);
            let is_number = |node: &Node<'_>| {
                let is_counter = [words::ORDERS, words::WEAK_ORDERS, VARIANTS, TRIALS]
                    .iter()
                    .any(|words| words::is_one(key, words));
                !words::is_known(key) && !is_counter && node.whole().is_some_and(|it| it >= 10)
            };
            let is_run = |node: &Node<'_>| may_be_run(key, node) || is_number(node);
            node.is_ok_and(|node| is_run(&node) || is_usual && node.label().is_some())
        };
        !is_smaller(key)
            && values.len() == known.of_calls.len()
            && values.iter().all(|(value, _)| is_run(value))
    });
    let better = free.filter(|(_, (key, values))| is_finer(key, values) || crosses(key, values));
    let best = better.min_by_key(|(path, (key, _))| {
        let rank = words::rank(key, RUNS).unwrap_or(RUNS.len());
        (rank, !is_id(key), path.len())
    });
    if let Some((path, (_, values))) = best {
        let number = distinct(values.iter().map(|(value, _)| *value));
        let of_runs = distinct(values.iter().map(|(_, run)| run.as_str()));
        return Some(format!(
            "or is it {path}? it has {number} values in {of_runs} runs"
        ));
    }
    let mut in_run = BTreeSet::new();
    let mut ids = known.of_calls.iter();
    let is_shared = ids.any(|it| !in_run.insert(near(survey, *it, run)));
    (known.in_lists && !known.is_strong && is_shared)
        .then(|| "records have one id: is each of them a run?".to_owned())
}

/// The labels at each path from the records with calls, with the last key of the path.
fn values<'n>(
    survey: &Survey<'_, 'n>,
    run: &[String],
    known: &Known<'_>,
) -> BTreeMap<String, (&'n str, Values<'n>)> {
    let mut all = BTreeMap::new();
    for &record in known.of_calls {
        let Some(of_run) = near(survey, record, run) else {
            continue;
        };
        for (path, key, value) in survey.near_fields(record) {
            let is_label = value.label().is_some() || value.raw().parse::<f64>().is_ok();
            let is_used = run.contains(path) || is_of_call(path, known.used);
            if is_label && !is_used {
                let (_, values) = all.entry(path.clone()).or_insert((*key, Values::new()));
                values.push((value.raw(), of_run.to_owned()));
            }
        }
    }
    all
}

/// The value at the first of these paths that a record has.
fn near<'n>(survey: &Survey<'_, 'n>, record: usize, paths: &[String]) -> Option<&'n str> {
    let fields = survey.near_fields(record);
    let mut found = paths.iter().filter_map(|path| {
        let mut fields = fields.iter();
        fields.find(|it| it.0 == *path)
    });
    found.next().map(|(_, _, value)| value.raw())
}

fn distinct<'n>(values: impl Iterator<Item = &'n str>) -> usize {
    values.collect::<BTreeSet<_>>().len()
}

/// The values in each run, in order.
fn by_run<'n>(values: &[(&'n str, String)]) -> BTreeMap<String, Vec<&'n str>> {
    let mut by_run: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (value, run) in values {
        by_run.entry(run.clone()).or_default().push(value);
    }
    by_run
}

/// True if a run has several values.
fn differ(values: &Values<'_>) -> bool {
    let mut runs = by_run(values).into_values();
    runs.any(|values| distinct(values.into_iter()) > 1)
}

/// True if equal values stand together.
fn are_blocks(values: &[&str]) -> bool {
    let blocks = values.chunk_by(|one, other| one == other).count();
    blocks == distinct(values.iter().copied())
}

/// True for a key whose values are the variants that a case ran with: they return in other cases. A number in each record may count them.
fn is_variant(key: &str, values: &Values<'_>, in_lists: bool) -> bool {
    let runs = by_run(values);
    let is_counted = |values: &Vec<&str>| {
        let is_number = values.iter().all(|it| !it.starts_with('"'));
        is_number && distinct(values.iter().copied()) == values.len()
    };
    let counts = !in_lists && runs.values().all(is_counted);
    if words::is_one(key, VARIANTS) {
        return !(counts && words::is_one(key, &VARIANTS[VARIANTS.len() - 5..]));
    }
    let is_other = words::is_known(key)
        || words::is_one(key, words::NAMES)
        || words::is_one(key, words::ARGUMENTS)
        || words::is_one(key, words::LEVELS)
        || words::is_one(key, words::SAID)
        || is_smaller(key);
    let mut in_runs: BTreeMap<&str, usize> = BTreeMap::new();
    for values in runs.values() {
        let values: BTreeSet<&str> = values.iter().copied().collect();
        values
            .into_iter()
            .for_each(|value| *in_runs.entry(value).or_default() += 1);
    }
    let is_text = values.iter().all(|(value, _)| value.starts_with('"'));
    let returns = in_runs.values().all(|number| *number > 1);
    let is_few = in_runs.len() * 2 <= values.len();
    is_text && !is_other && is_few && returns && runs.values().all(|it| are_blocks(it))
}

fn is_smaller(key: &str) -> bool {
    words::is_one(key, words::SMALLER_THAN_RUNS)
}

/// True if each run has records with one value that no other run has, and some runs have several such values.
fn is_finer(key: &str, values: &Values<'_>) -> bool {
    let runs = by_run(values);
    let number: usize = runs
        .values()
        .map(|values| distinct(values.iter().copied()))
        .sum();
    let all = distinct(values.iter().map(|(value, _)| *value));
    let has_digit = |(value, _): &(&str, String)| value.contains(|it: char| it.is_ascii_digit());
    let is_label = runs.len() > 1 || is_id(key) || values.iter().all(has_digit);
    number == all
        && all > runs.len()
        && all < values.len()
        && is_label
        && runs.values().all(|values| are_blocks(values))
}

/// True if values stand together that several runs have, and some of these runs return later, or are small numbers.
fn crosses(key: &str, values: &Values<'_>) -> bool {
    let runs = by_run(values);
    let own: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
    let of_runs: Vec<&str> = values.iter().map(|(_, run)| run.as_str()).collect();
    let number: usize = runs
        .values()
        .map(|values| distinct(values.iter().copied()))
        .sum();
    let all = distinct(own.iter().copied());
    let are_numbers = of_runs
        .iter()
        .all(|run| run.trim_matches('"').parse::<u16>().is_ok());
    let is_usual = is_id(key) || words::is_one(key, RUNS);
    let returns = !are_blocks(&of_runs) && are_blocks(&own);
    number > all
        && number > runs.len()
        && (1..own.len()).contains(&all)
        && (all > 1 || are_numbers)
        && (returns || are_numbers && is_usual)
}
