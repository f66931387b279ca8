//! Finds the objects of a sample that are results of calls, and their contents.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::calls::{DraftedCalls, OtherPlace};
use super::kinds::{Condition, ShownKind, kinds};
use super::links::{IdInRun, IdLink, Links};
use super::lists::list_beside;
use super::outcome::{Outcome, State, add_reason, last_key, outcome};
use super::runs::DraftedRuns;
use super::said::own_outcome;
use super::survey::{Spot, Survey, is_inside};
use super::words::{self, IDS, KINDS, NAMES, ORDERS, OUTPUTS, RUNS, TOOL_NAMES};
use super::yaml::scalar;
use crate::node::Node;

/// Results of one form in one place.
#[derive(Debug)]
pub(super) struct DraftedResults {
    pub(super) path: String,
    pub(super) condition: Option<Condition>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) outcome: Outcome,
    /// True if no id pairs results with calls, so they are paired by order.
    pub(super) by_order: bool,
}

/// Results stored apart from their calls.
pub(super) fn find(
    survey: &Survey<'_, '_>,
    calls: &[DraftedCalls],
    others: &[OtherPlace],
    runs: &DraftedRuns,
) -> (Vec<DraftedResults>, BTreeMap<usize, String>) {
    let mut groups = groups(survey, calls, runs);
    // Objects that look like calls are not results, and what is inside of them belongs to them.
    groups.retain(|(keys, _), _| {
        let path = super::survey::path_of(keys);
        let is_within = |it: &OtherPlace| it.path == path || is_inside(&path, &it.path);
        !others.iter().any(is_within)
    });
    let has_own_outputs = !own_outputs(survey, calls, runs).is_empty();
    let links = Links::of(survey, calls, runs, has_own_outputs);
    let mut found = FoundResults::default();
    // Results with an id come first. If any exist, objects without an id are something else.
    for has_link in [true, false] {
        // Objects in the places of calls come before the records around them.
        let is_beside = |it: &(&(Vec<&str>, _), _)| links.are_beside_calls(survey, &it.0.0);
        let (beside, others): (Vec<_>, Vec<_>) = groups.iter().partition(is_beside);
        let number = beside.len();
        let mut known = BTreeMap::new();
        for (place, ((keys, kind), spots)) in beside.into_iter().chain(others).enumerate() {
            if place == number {
                known.clone_from(&found.linked);
            }
            let spots = found.free(survey, spots);
            let link = links.best(survey, runs, &spots, kind.is_some());
            // Where texts stand too, an object is only one form of the output.
            let is_part = link.is_none() && has_texts(survey, keys);
            if spots.is_empty() || is_part || link.is_some() != has_link {
                continue;
            }
            let (link, spots) = match link {
                Some((link, spots)) => (Some(link), spots),
                None => (None, spots),
            };
            // If objects next to calls have the ids of these, other ids belong to no call.
            let is_other = |it: &IdLink| known.get(&it.rule).is_some_and(|id| *id != it.call);
            if link.as_ref().is_some_and(is_other) {
                continue;
            }
            let condition = kind.as_ref().map(ShownKind::condition);
            let result = result(survey, keys, &spots, condition, link.as_ref(), &links, runs);
            // Around an object inside of records, the record may have the output.
            let has_outer = spots.iter().any(|it| !survey.spots[*it].is_level());
            let is_guess = |it: &DraftedResults| it.outcome.unsure.as_deref() == Some(GUESS);
            if let Some(result) = result.filter(|it| !has_outer || !is_guess(it)) {
                let ids = link.iter().flat_map(|it| it.ids(survey, runs, &spots));
                found.answers.push((result, ids.collect()));
                found.linked.extend(link.map(|link| (link.rule, link.call)));
                found.taken.extend(spots);
            }
        }
        if !found.answers.is_empty() {
            break;
        }
    }
    let (mut found, linked) = (found.answers, found.linked);
    if has_several(&found) {
        without_guesses(&mut found);
    }
    let has_several = has_several(&found);
    let mut found: Vec<_> = found.into_iter().map(|(result, _)| result).collect();
    if found.is_empty() && !has_own_outputs {
        let beside = list_beside(survey, calls).into_iter();
        found.extend(beside.map(|(path, outcome)| DraftedResults {
            path,
            condition: None,
            id: None,
            name: None,
            outcome,
            by_order: true,
        }));
    }
    let mut found = merged(found);
    if has_several {
        let unsure = || "some calls have several results: is the first one right?".to_owned();
        let all = found.iter_mut().map(|it| &mut it.outcome.unsure);
        all.for_each(|it| _ = it.get_or_insert_with(unsure));
    }
    (found, linked)
}

/// Results found so far.
#[derive(Default)]
struct FoundResults {
    answers: Vec<Answers>,
    /// For rules of calls, the path to the id that results have too.
    linked: BTreeMap<usize, String>,
    taken: BTreeSet<usize>,
}

impl FoundResults {
    /// The objects that are in no result, and hold none.
    fn free(&self, survey: &Survey<'_, '_>, spots: &[usize]) -> Vec<usize> {
        let around = |it: &usize| survey.upwards(*it);
        let holders: BTreeSet<usize> = self.taken.iter().flat_map(around).collect();
        let is_free = |place: &&usize| {
            let mut around = survey.upwards(**place).skip(1);
            !holders.contains(place) && !around.any(|it| self.taken.contains(&it))
        };
        spots.iter().filter(is_free).copied().collect()
    }
}

/// True if texts or numbers are in the place of these objects too.
fn has_texts(survey: &Survey<'_, '_>, keys: &[&str]) -> bool {
    let Some((last, before)) = keys.split_last() else {
        return false;
    };
    let holders = survey.spots.iter().filter(|spot| spot.keys == before);
    let mut values = holders.filter_map(|spot| spot.get(last));
    let is_text = |it: &Node<'_>| !it.is_object() && !it.is_list() && !it.is_null();
    values.any(|value| {
        let value = survey.memory.unfold(value);
        let mut items = value.items().iter();
        is_text(value) || items.any(|it| is_text(survey.memory.unfold(it)))
    })
}

/// Results, with the ids of the calls that they answer.
type Answers = (DraftedResults, Vec<IdInRun>);

/// True if a call has several results.
fn has_several(found: &[Answers]) -> bool {
    let mut answered = HashSet::new();
    let mut ids = found.iter().flat_map(|(_, ids)| ids);
    !ids.all(|id| answered.insert(id))
}

/// A doubt about an output under an unusual key.
const GUESS: &str = "is it the output?";

/// Leaves out guessed outputs, such as who approved a call, if other results have usual ones.
fn without_guesses(found: &mut Vec<Answers>) {
    let is_guess = |outcome: &Outcome| outcome.unsure.as_deref() == Some(GUESS);
    let is_usual = |(it, _): &Answers| it.outcome.output.is_some() && !is_guess(&it.outcome);
    if !found.iter().any(is_usual) {
        return;
    }
    for (result, _) in found.iter_mut().filter(|(it, _)| is_guess(&it.outcome)) {
        (result.outcome.output, result.outcome.unsure) = (None, None);
    }
    found.retain(|(it, _)| it.outcome.says_end());
}

/// Candidates for results, grouped by place and by the strongest kind that no call has.
type ResultGroups<'n> = BTreeMap<(Vec<&'n str>, Option<ShownKind>), Vec<usize>>;

fn groups<'n>(
    survey: &Survey<'_, 'n>,
    calls: &[DraftedCalls],
    runs: &DraftedRuns,
) -> ResultGroups<'n> {
    let items: BTreeSet<usize> = calls
        .iter()
        .flat_map(|rule| rule.items.iter().copied())
        .collect();
    let around: BTreeSet<usize> = items.iter().flat_map(|it| survey.upwards(*it)).collect();
    let own_outputs = own_outputs(survey, calls, runs);
    let own_outputs: HashSet<_> = own_outputs.iter().map(|it| it.as_ptr()).collect();
    let earlier: BTreeSet<usize> = calls.iter().flat_map(|it| &it.earlier).copied().collect();
    let of_calls: BTreeSet<ShownKind> = items.iter().flat_map(|&it| kinds(survey, it)).collect();
    let mut groups = ResultGroups::new();
    for (place, spot) in survey.spots.iter().enumerate() {
        let is_within = |it: usize| items.contains(&it) || earlier.contains(&it);
        let is_within = survey.upwards(place).any(is_within);
        let is_output = |it: usize| own_outputs.contains(&survey.spots[it].node.raw().as_ptr());
        let is_output = survey.upwards(place).any(is_output);
        if around.contains(&place) || is_within || is_output || survey.is_not_final(spot.record) {
            continue;
        }
        // A kind that calls have too doesn't tell their results apart.
        let mut kinds = kinds(survey, place).into_iter();
        let kind = kinds.find(|kind| !of_calls.contains(kind));
        groups
            .entry((spot.keys.clone(), kind))
            .or_default()
            .push(place);
    }
    groups
}

/// Merges results that differ only in the values of their condition.
fn merged(found: Vec<DraftedResults>) -> Vec<DraftedResults> {
    let mut merged: Vec<DraftedResults> = Vec::new();
    for result in found {
        let place = |it: &DraftedResults| {
            it.condition
                .as_ref()
                .map(|it| (it.is_of_record, it.path.clone()))
        };
        let same = merged.iter_mut().find(|it| {
            it.path == result.path
                && (&it.id, &it.name, &it.outcome) == (&result.id, &result.name, &result.outcome)
                && place(it) == place(&result)
        });
        match (same.and_then(|it| it.condition.as_mut()), &result.condition) {
            (Some(same), Some(condition)) => same.values.extend(condition.values.iter().cloned()),
            _ => merged.push(result),
        }
    }
    merged
}

/// The outputs stored in the calls themselves.
fn own_outputs<'n>(
    survey: &Survey<'_, 'n>,
    calls: &[DraftedCalls],
    runs: &DraftedRuns,
) -> Vec<&'n str> {
    let mut found = Vec::new();
    for rule in calls {
        let mut used = runs.run.clone();
        used.push(rule.name.clone());
        used.extend(rule.args.iter().cloned());
        let outcome = own_outcome(survey, rule, &used);
        let own: Vec<String> = [outcome.output, outcome.error]
            .into_iter()
            .flatten()
            .collect();
        let first = |path: &String| path.split('.').next().unwrap_or_default().to_owned();
        let own: Vec<String> = own.iter().map(first).collect();
        for &item in &rule.items {
            let fields = survey.fields(&survey.spots[item]).into_iter();
            let outputs = fields.filter(|(path, _)| own.contains(path));
            found.extend(outputs.map(|(_, value)| survey.memory.unfold(value).raw()));
        }
    }
    found
}

/// Drafts the results in these objects, if they are any.
fn result(
    survey: &Survey<'_, '_>,
    keys: &[&str],
    spots: &[usize],
    condition: Option<Condition>,
    link: Option<&IdLink>,
    links: &Links,
    runs: &DraftedRuns,
) -> Option<DraftedResults> {
    let mut used: Vec<String> = runs.run.clone();
    for path in condition.iter().map(|it| &it.path) {
        used.push(path.clone());
        // The object that holds the kind holds the output too.
        used.extend(path.split_once('.').map(|(holder, _)| holder.to_owned()));
    }
    used.extend(link.map(|link| link.result.clone()));
    let name = name_of(survey, spots, links);
    used.extend(name.clone());
    let own = spots.iter().map(|&it| survey.spots[it].fields());
    let is_linked = |fields: &Vec<(String, &Node<'_>)>| {
        link.is_none_or(|link| fields.iter().any(|(path, _)| *path == link.result))
    };
    let mut own: Vec<_> = own.collect();
    if own.iter().any(is_linked) {
        own.retain(is_linked);
    }
    let mut outcome = outcome(&own, &used);
    by_kind(keys, condition.as_ref(), &mut outcome);
    if condition.as_ref().is_some_and(says_failed) && outcome.error.is_none() {
        add_reason(&own, &used, &mut outcome);
    }
    let is_kind = |value: &String| {
        words::is_result_kind(value) || words::is_failed_kind(value) || words::is_not_run(value)
    };
    let says_result = condition
        .as_ref()
        .is_some_and(|it| it.values.iter().all(is_kind));
    let last_says = keys
        .last()
        .is_some_and(|key| words::is_one(key, OUTPUTS) || words::is_result_kind(key));
    let of_tool = condition
        .as_ref()
        .is_some_and(|it| it.values.iter().all(|value| words::is_tool_role(value)));
    let ends_run = condition
        .as_ref()
        .is_some_and(|it| it.values.iter().all(|value| words::is_ending_kind(value)));
    let is_likely = says_result && !ends_run || of_tool;
    let is_usual_place = keys.is_empty() || links.are_beside_calls(survey, keys);
    let has_usual_output = is_usual_place && outcome.output.is_some() && !ends_run;
    if outcome.output.is_none() && (link.is_some() || is_likely) {
        outcome.output = only_other_key(survey, spots, &used, &outcome);
        outcome.unsure = outcome.output.is_some().then(|| GUESS.to_owned());
    }
    let has_outcome = outcome.says_end();
    // An object inside a record without an outcome is something else.
    let is_result = link.is_some() && (has_outcome || keys.is_empty())
        || has_outcome
            && (says_result
                || of_tool
                || has_usual_output
                    && links.lack_outputs
                    && (name.is_some() || links.are_behind_calls(survey, spots))
                || condition.is_none() && (last_says || keys.is_empty() && name.is_some()));
    is_result.then(|| DraftedResults {
        path: super::survey::path_of(keys),
        condition,
        id: link.map(|link| link.result.clone()),
        by_order: link.is_none() && name.is_none(),
        name: name.filter(|_| link.is_none()),
        outcome,
    })
}

/// True for the kinds of records that say that a call failed.
fn says_failed(condition: &Condition) -> bool {
    let mut values = condition.values.iter();
    values.all(|it| words::is_failed_kind(it))
}

/// Uses the kind of results, which may mean that calls failed or were never made.
fn by_kind(keys: &[&str], condition: Option<&Condition>, outcome: &mut Outcome) {
    let Some(condition) = condition else { return };
    let all = |means: fn(&str) -> bool| condition.values.iter().all(|it| means(it));
    // Paths of a rule begin at its items.
    let state = |unsure| {
        let values: Vec<_> = condition.values.iter().map(|it| scalar(it)).collect();
        (keys.is_empty() || !condition.is_of_record).then(|| State {
            path: condition.path.clone(),
            values: format!("[{}]", values.join(", ")),
            unsure,
        })
    };
    if says_failed(condition) {
        outcome.error_unsure = None;
        if outcome.error.is_none() && outcome.failed.is_none() {
            outcome.failed = state(None);
        }
    } else if all(|it| words::is_not_run(it) && !words::is_open(it)) && outcome.not_run.is_none() {
        outcome.not_run = state(Some("were such calls never made?"));
    }
}

/// The key of the tool name in results.
fn name_of(survey: &Survey<'_, '_>, spots: &[usize], links: &Links) -> Option<String> {
    let mut keys: BTreeMap<(Option<usize>, &str), bool> = BTreeMap::new();
    for &place in spots {
        for (key, value) in survey.spots[place].members() {
            let rank = words::rank(key, TOOL_NAMES)
                .or_else(|| words::rank(key, NAMES).map(|rank| rank + TOOL_NAMES.len()))
                .or((key == "of").then_some(usize::MAX));
            if let (Some(rank), Some(text)) = (rank, value.str()) {
                let is_known = links.names.contains(text);
                *keys.entry((Some(rank), key)).or_insert(true) &= is_known;
            }
        }
    }
    let named = keys.into_iter().find(|(_, is_known)| *is_known);
    named.map(|((_, key), _)| super::survey::key_text(key))
}

/// The output key, if only one candidate is left.
pub(super) fn only_other_key(
    survey: &Survey<'_, '_>,
    spots: &[usize],
    used: &[String],
    outcome: &Outcome,
) -> Option<String> {
    let other = [
        RUNS,
        KINDS,
        ORDERS,
        IDS,
        words::STARTS,
        words::ENDS,
        words::MODELS,
        words::QUESTIONS,
        words::ERRORS,
        words::NOT_RUN,
        words::PERMITTED,
        words::sure_arguments(),
    ];
    let mut keys: BTreeSet<String> = BTreeSet::new();
    for &place in spots {
        for (key, _) in survey.spots[place].members() {
            let path = super::survey::key_text(key);
            let is_known = used.contains(&path)
                || outcome.error.as_ref() == Some(&path)
                || outcome.failed.as_ref().is_some_and(|it| it.path == path)
                || other.iter().any(|words| words::is_one(key, words));
            if !is_known {
                keys.insert(path);
            }
        }
    }
    if keys.len() > 1 {
        // Keys that all objects of the place have, and states, are seldom outputs.
        let place = spots.first().map(|&it| &survey.spots[it].keys);
        let all = || survey.spots.iter().filter(|it| Some(&it.keys) == place);
        let is_in_all = |path: &String| {
            let has_path = |it: &Spot<'_>| it.fields().iter().any(|(known, _)| known == path);
            all().count() > spots.len() && all().all(has_path)
        };
        let is_state = |path: &str| {
            let states = [words::STATES, words::CODES, words::LEVELS];
            states
                .iter()
                .any(|words| words::is_one(last_key(path), words))
        };
        keys.retain(|path| !is_in_all(path) && !is_state(path));
    }
    (keys.len() == 1).then(|| keys.into_iter().next())?
}
