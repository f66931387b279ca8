//! The keys of names, and their corrections: an id of a call and a text that is the same for every tool are no names.

use std::collections::{BTreeMap, BTreeSet};

use super::arguments;
use super::outcome::has_output;
use super::survey::{Spot, Survey};
use super::words::{self, IDS, MODELS, NAMES, RUNS, TOOL_NAMES};
use crate::node::Node;

/// The candidates of each place.
pub(super) type Places<'n> = BTreeMap<Vec<&'n str>, Vec<Named<'n>>>;

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

    /// The paths to the arguments, most frequent first.
    pub(super) fn args_by_number(&self) -> Vec<String> {
        let mut args: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, path) in &self.with_args {
            *args.entry(path).or_default() += 1;
        }
        let mut args: Vec<_> = args.into_iter().collect();
        args.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        args.into_iter().map(|(path, _)| path.to_owned()).collect()
    }
}

/// The name and the arguments of each candidate that has both.
pub(super) fn pairs<'n>(
    survey: &Survey<'_, 'n>,
    all: &[Named<'n>],
) -> BTreeSet<(&'n str, &'n str)> {
    let mut pairs = BTreeSet::new();
    for named in all {
        for (place, path) in &named.with_args {
            let spot = &survey.spots[*place];
            let fields = survey.fields(spot);
            let args = fields.iter().find(|(known, _)| known == path);
            let name = spot.get(named.name).map(Node::raw);
            pairs.extend(name.zip(args.map(|(_, args)| args.raw())));
        }
    }
    pairs
}

/// For each place of objects with arguments, the key of a text that is probably the name: one with several values, best under an unusual key.
pub(super) fn texts<'n>(survey: &Survey<'_, 'n>) -> BTreeMap<Vec<&'n str>, &'n str> {
    let mut places: BTreeMap<Vec<&'n str>, Vec<&Spot<'n>>> = BTreeMap::new();
    for spot in survey.spots.iter().filter(|it| !arguments::are_around(it)) {
        if arguments::of(survey, spot).is_some() {
            places.entry(spot.keys.clone()).or_default().push(spot);
        }
    }
    let best = |spots: &Vec<&Spot<'n>>| {
        let ranked = spots[0].members().filter_map(|(key, value)| {
            let text = |spot: &&Spot<'n>| spot.get(key)?.str().filter(|it| words::is_tool_name(it));
            let values: Option<BTreeSet<&str>> = spots.iter().map(text).collect();
            let values = values.filter(|it| it.len() > 1 || spots.len() == 1)?;
            let has_digit = |it: &&str| it.contains(|letter: char| letter.is_ascii_digit());
            let is_id = values.iter().all(has_digit);
            let is_run =
                words::rank(key, RUNS) < words::rank("jobid", RUNS) && words::is_one(key, RUNS);
            let others = [words::TRIALS, MODELS, words::LEVELS, words::STATES];
            let is_other = is_run
                || crate::trace::time::from_log(value).is_some()
                || others.iter().any(|words| words::is_one(key, words));
            let rank = (is_id, words::is_known(key), std::cmp::Reverse(values.len()));
            (!is_other).then_some((rank, key))
        });
        ranked.min_by_key(|(rank, _)| *rank).map(|(_, key)| key)
    };
    let found = places.into_iter();
    found
        .filter_map(|(keys, spots)| Some((keys, best(&spots)?)))
        .collect()
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

/// Leaves out names without arguments that are in each record with a call, such as the function of the source code that wrote a log:
/// those with one value, and those that all other records have too.
pub(super) fn leave_out_constants(survey: &Survey<'_, '_>, places: &mut Places<'_>) {
    let records = |named: &Named<'_>| -> BTreeSet<usize> {
        let spots = named.with_args.iter();
        spots
            .map(|(place, _)| survey.spots[*place].record)
            .collect()
    };
    let all = places.values().flatten().map(records);
    let of_calls: Vec<BTreeSet<usize>> = all.filter(|it| !it.is_empty()).collect();
    for (keys, all) in places.iter_mut() {
        all.retain(|named| {
            let of_place = survey.spots.iter().filter(|spot| spot.keys == *keys);
            let with_name = of_place.filter_map(|spot| {
                let name = spot.get(named.name)?.str()?;
                Some((spot.record, name))
            });
            let (holders, values): (BTreeSet<usize>, BTreeSet<&str>) = with_name.unzip();
            let is_constant = values.len() == 1 || holders.len() == survey.records.len();
            let stands_in = |records: &BTreeSet<usize>| {
                records.is_subset(&holders) && (values.len() == 1 || records.len() < holders.len())
            };
            let is_left = named.with_args.is_empty() && is_constant;
            !(is_left && of_calls.iter().any(stands_in))
        });
    }
    places.retain(|_, all| !all.is_empty());
}

/// Another key of a name that has several values, if this one has the same in all of several calls.
pub(super) fn other_name<'n>(
    survey: &Survey<'_, 'n>,
    name: &str,
    items: &[usize],
) -> Option<&'n str> {
    let values = |key: &str| -> Option<BTreeSet<&'n str>> {
        let value = |&it: &usize| survey.spots[it].get(key)?.str();
        items.iter().map(value).collect()
    };
    let is_name = |text: &&str| words::is_tool_name(text);
    let mut members = survey.spots[*items.first()?].members();
    let (found, _) = members.find(|(key, _)| {
        let is_usual = words::is_one(key, TOOL_NAMES) || words::is_one(key, NAMES);
        let several = |it: BTreeSet<&str>| it.len() > 1 && it.iter().all(is_name);
        is_usual && *key != name && values(key).is_some_and(several)
    })?;
    values(name).filter(|it| it.len() == 1 && items.len() > 1)?;
    Some(found)
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

/// True if objects without arguments are results that repeat the name of their call: they have an output, or each follows a call of
/// its own with its name and has a key that no call has.
pub(super) fn are_results(
    survey: &Survey<'_, '_>,
    name: &str,
    calls: &BTreeSet<usize>,
    others: &[usize],
) -> bool {
    let has_output = |it: &usize| has_output(&survey.spots[*it]);
    if others.iter().any(has_output) && !calls.iter().any(has_output) {
        return true;
    }
    let keys = |it: &usize| survey.spots[*it].fields().into_iter().map(|(key, _)| key);
    let of_calls: BTreeSet<String> = calls.iter().flat_map(keys).collect();
    let has_new_key = |it: &usize| keys(it).any(|key| !of_calls.contains(&key));
    let all: BTreeSet<usize> = calls.iter().chain(others).copied().collect();
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    let mut answers = all.iter().map(|it| {
        let of_name = survey.spots[*it].get(name).map_or("", Node::raw);
        let open = open.entry(of_name).or_default();
        let is_call = calls.contains(it);
        let is_answer = !is_call && *open > 0;
        *open = if is_call {
            *open + 1
        } else {
            open.saturating_sub(1)
        };
        is_call || is_answer
    });
    !others.is_empty() && others.iter().all(has_new_key) && answers.all(|it| it)
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
