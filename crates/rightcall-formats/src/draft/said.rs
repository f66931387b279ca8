//! Tells the output of a call from what else stands beside it: what the model said, or what it saw before.

use std::collections::BTreeSet;

use super::calls::DraftedCalls;
use super::kinds::kinds;
use super::outcome::{Outcome, last_key, outcome};
use super::survey::{Survey, key_text};
use super::words::{self, SAID};
use crate::node::Node;

/// The outcome that calls themselves carry. What the model said beside a call is no output.
pub(super) fn own_outcome(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
    used: &[String],
) -> Outcome {
    let fields = survey.all_fields(&rule.items);
    let found = outcome(&fields, used);
    if let Some(path) = &found.output
        && is_from_before(survey, rule, path)
    {
        let unsure = "is it from before the call? then the next one is the output".to_owned();
        return Outcome {
            unsure: found.unsure.or(Some(unsure)),
            ..found
        };
    }
    let Some(path) = found.output.as_ref().filter(|path| {
        let mut values = fields.iter().flatten().filter(|(known, _)| known == *path);
        words::is_one(last_key(path), SAID) && values.all(|(_, value)| value.str().is_some())
    }) else {
        return found;
    };
    let by_model = rule.items.iter().any(|&it| is_of_model(survey, it));
    if by_model && is_said_elsewhere(survey, rule, path) {
        let mut used = used.to_vec();
        used.push(path.clone());
        return own_outcome(survey, rule, &used);
    }
    let unsure = (by_model || is_said_elsewhere(survey, rule, path))
        .then(|| "is it the output, or what was said?".to_owned());
    Outcome {
        unsure: found.unsure.or(unsure),
        ..found
    }
}

/// True if a kind of the object says that the model speaks.
fn is_of_model(survey: &Survey<'_, '_>, place: usize) -> bool {
    let mut kinds = kinds(survey, place).into_iter();
    kinds.any(|kind| words::is_model_role(&kind.value))
}

/// True if objects in the same place that hold no call have this key too, such as the messages of the user.
fn is_said_elsewhere(survey: &Survey<'_, '_>, rule: &DraftedCalls, path: &str) -> bool {
    elsewhere(survey, rule, path).any(|value| value.str().is_some())
}

/// True for an observation that stands before each call in the text, or in a step without a call, as the last one of a rollout has it.
fn is_from_before(survey: &Survey<'_, '_>, rule: &DraftedCalls, path: &str) -> bool {
    if !words::is_one(last_key(path), &["observation", "obs"]) {
        return false;
    }
    let is_before = |&it: &usize| {
        let spot = &survey.spots[it];
        let holder = &survey.spots[holder(survey, it, path)];
        let call = spot.keys.get(holder.keys.len()).copied();
        let place_of = |key: &str| {
            holder
                .members()
                .position(|(known, _)| key_text(known) == key)
        };
        let call = call.map_or_else(|| rule.name.clone(), key_text);
        place_of(path.trim_start_matches('^')) < place_of(&call)
    };
    rule.items.iter().all(is_before) || elsewhere(survey, rule, path).next().is_some()
}

/// The object that holds the value at this path from a call.
fn holder(survey: &Survey<'_, '_>, item: usize, path: &str) -> usize {
    let outer = survey.spots[item].outer;
    outer.filter(|_| path.starts_with('^')).unwrap_or(item)
}

/// The values under the same key in objects of the same place that hold no call.
fn elsewhere<'s, 'n>(
    survey: &'s Survey<'_, 'n>,
    rule: &DraftedCalls,
    path: &'s str,
) -> impl Iterator<Item = &'n Node<'n>> + use<'s, 'n> {
    let holders: BTreeSet<usize> = rule
        .items
        .iter()
        .map(|&it| holder(survey, it, path))
        .collect();
    let first = holders.first().map(|&it| &survey.spots[it]);
    let keys = first.map(|spot| spot.keys.clone());
    let spots = survey.spots.iter().enumerate();
    spots
        .filter(move |(place, spot)| keys.as_ref() == Some(&spot.keys) && !holders.contains(place))
        .filter_map(|(_, spot)| spot.get(path.trim_start_matches('^')))
}
