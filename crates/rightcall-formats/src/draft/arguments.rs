//! Finds the keys that hold the arguments of calls.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::{Spot, Survey, key_text};
use super::words::{self, ARGUMENTS, TOOL_NAMES};
use crate::node::Node;

/// The path to the arguments in an object or beside it.
pub(super) fn of<'n>(survey: &Survey<'_, 'n>, spot: &Spot<'n>) -> Option<String> {
    let own = spot.key_of(ARGUMENTS, |value| is_arguments(survey, value));
    own.map(key_text).or_else(|| args_beside(survey, spot))
}

/// True for an object inside of arguments.
pub(super) fn are_around(spot: &Spot<'_>) -> bool {
    let others = ["input", "inputs", "with", "request", "spec"];
    let is_one =
        |key: &&str| words::is_one(key, words::sure_arguments()) || words::is_one(key, &others);
    spot.keys.iter().any(is_one)
}

fn is_arguments<'n>(survey: &Survey<'_, 'n>, value: &'n Node<'n>) -> bool {
    let is_schema = || value.has("properties") || value.has("$schema");
    let held = survey.memory.unfold(value);
    held.is_object() && !is_schema() || value.str().is_some_and(|text| text.trim().is_empty())
}

/// The path to arguments beside an object that holds only the tool, such as `{"tool": {"name": …}, "input": {…}}`.
fn args_beside<'n>(survey: &Survey<'_, 'n>, spot: &Spot<'n>) -> Option<String> {
    let outer = &survey.spots[spot.outer.filter(|_| !spot.is_level())?];
    let is_tool =
        spot.keys.len() == outer.keys.len() + 1 && words::is_one(spot.keys.last()?, TOOL_NAMES);
    let args = outer.key_of(ARGUMENTS, |value| is_arguments(survey, value))?;
    is_tool.then(|| format!("^{}", key_text(args)))
}

/// The only key with an unusual name that holds an object in each of several calls.
pub(super) fn unusual_args<'n>(
    survey: &Survey<'_, 'n>,
    items: &[usize],
    name: &str,
) -> Option<&'n str> {
    let keys = |&it: &usize| {
        let members = survey.spots[it].members();
        let is_free = |key: &str| !words::is_known(key) || words::is_one(key, words::QUESTIONS);
        let objects = members.filter(|(key, value)| {
            *key != name && is_free(key) && survey.memory.unfold(value).is_object()
        });
        objects.map(|(key, _)| key).collect::<BTreeSet<_>>()
    };
    let mut all = items.iter().map(keys);
    let first = all.next().filter(|_| items.len() > 1)?;
    let mut common = all.fold(first, |common, keys| &common & &keys).into_iter();
    common.next().filter(|_| common.next().is_none())
}

/// The keys that aren't arguments when all other keys are: those that the calls of every tool have.
pub(super) fn rest(survey: &Survey<'_, '_>, items: &[usize]) -> Option<Vec<String>> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for &place in items {
        let keys: BTreeSet<&str> = survey.spots[place].members().map(|(key, _)| key).collect();
        keys.into_iter()
            .for_each(|key| *counts.entry(key).or_default() += 1);
    }
    // A tool often has an argument called `query`, so only `question` surely holds the question.
    let is_known = |key: &str| words::is_known(key) && !words::is_one(key, &words::QUESTIONS[1..]);
    let has_others = counts
        .iter()
        .any(|(key, count)| *count < items.len() && !words::is_known(key));
    let (has_columns, has_args) = (
        counts.keys().any(|key| words::is_column_of_arguments(key)),
        counts.keys().any(|key| words::is_one(key, ARGUMENTS)),
    );
    let free = counts.keys().filter(|key| !is_known(key)).count();
    let is_other = |key: &str, count: usize| match (has_columns, has_others) {
        (true, _) => !words::is_column_of_arguments(key),
        (_, true) => count == items.len(),
        _ => is_known(key),
    };
    (has_columns || has_others || free > 1 && !has_args).then(|| {
        let others = counts.iter().filter(|(key, count)| is_other(key, **count));
        others.map(|(key, _)| (*key).to_owned()).collect()
    })
}
