//! The keys of names, and their corrections: an id of a call and a text that is the same for every tool are no names.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::Survey;
use super::words::{self, IDS, MODELS, RUNS, TOOL_NAMES};
use crate::node::Node;

/// Objects that have a name under the same key in the same place.
pub(super) struct Named<'n> {
    pub(super) name: &'n str,
    pub(super) spots: Vec<usize>,
    /// The objects that also have arguments, each with the path to them.
    pub(super) with_args: Vec<(usize, String)>,
}

impl Named<'_> {
    /// Ranks the candidates: an object with arguments counts twice.
    pub(super) fn weight(&self) -> usize {
        let is_sure = words::is_one(self.name, TOOL_NAMES) || self.with_args.is_empty();
        self.with_args.len() * 2 + if is_sure { self.spots.len() } else { 0 }
    }
}

/// Corrects the candidates of one place.
pub(super) fn correct<'n>(survey: &Survey<'_, 'n>, all: &mut Vec<Named<'n>>) {
    let is_id: Vec<bool> = all
        .iter()
        .map(|named| all.iter().any(|other| is_id_of(survey, named, other)))
        .collect();
    let mut is_id = is_id.into_iter();
    all.retain(|_| !is_id.next().unwrap_or_default());
    for named in all {
        if let Some(name) = telling_name(survey, named) {
            named.name = name;
        }
    }
}

/// True if the other calls have these names under the same key: then it is the id that they share with their results.
fn is_id_of(survey: &Survey<'_, '_>, named: &Named<'_>, other: &Named<'_>) -> bool {
    let values = |spots: &[usize]| -> BTreeSet<&str> {
        let values = spots
            .iter()
            .filter_map(|&it| survey.spots[it].get(named.name));
        values.map(Node::raw).collect()
    };
    let has_name = |&it: &usize| survey.spots[it].get(other.name).is_some();
    let own = values(&named.spots);
    named.name != other.name
        && !words::is_one(named.name, TOOL_NAMES)
        && own.len() == named.spots.len()
        && own.is_subset(&values(&other.spots))
        && !named.spots.iter().any(has_name)
}

/// A key that tells calls with different arguments apart, if the name is the same in all of them.
fn telling_name<'n>(survey: &Survey<'_, 'n>, named: &Named<'n>) -> Option<&'n str> {
    let spots = || {
        named
            .with_args
            .iter()
            .map(|(place, _)| &survey.spots[*place])
    };
    let values = |key: &str| -> Option<Vec<&'n str>> {
        let text = |value: &'n Node<'n>| value.str().map(|_| value.raw());
        spots().map(|spot| spot.get(key).and_then(text)).collect()
    };
    let is_constant =
        |key: &str| values(key).is_some_and(|values| values.iter().all(|it| *it == values[0]));
    if words::is_one(named.name, TOOL_NAMES) || !is_constant(named.name) {
        return None;
    }
    let keys_of_args: Vec<Vec<&str>> = named
        .with_args
        .iter()
        .map(|(place, path)| {
            let fields = survey.fields(&survey.spots[*place]).into_iter();
            let mut args = fields.filter(|(known, _)| known == path);
            let args = args.next().map(|(_, args)| survey.memory.unfold(args));
            let keys = args.into_iter().flat_map(Node::entries);
            let mut keys: Vec<_> = keys.filter_map(|(key, _)| key.as_str()).collect();
            keys.sort_unstable();
            keys
        })
        .collect();
    let forms = keys_of_args.iter().collect::<BTreeSet<_>>().len();
    if forms < 2 {
        return None;
    }
    let tells = |key: &&str| {
        let Some(values) = values(key) else {
            return false;
        };
        let mut by_value: BTreeMap<&str, BTreeSet<&Vec<&str>>> = BTreeMap::new();
        for (value, keys) in values.iter().zip(&keys_of_args) {
            by_value.entry(value).or_default().insert(keys);
        }
        // A value in each call is an id.
        let is_repeated = by_value.len() < values.len() || by_value.len() == forms;
        by_value.len() > 1 && is_repeated && by_value.values().all(|forms| forms.len() == 1)
    };
    let first = spots().next()?;
    let may_be_name = |(key, value): &(&str, &Node<'_>)| {
        let others = [
            RUNS,
            IDS,
            MODELS,
            words::OUTPUTS,
            words::STATES,
            words::TRIALS,
        ];
        value.str().is_some_and(words::is_tool_name)
            && (*key == "name" || !others.iter().any(|words| words::is_one(key, words)))
            && crate::trace::time::from_log(value).is_none()
    };
    let candidates = first.members().filter(may_be_name).map(|(key, _)| key);
    candidates
        .filter(tells)
        .max_by_key(|key| words::says_call(key) || words::is_one(key, words::NAMES))
}
