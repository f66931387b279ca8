//! Tells what the model said beside a call from the output of the call.

use std::collections::BTreeSet;

use super::calls::DraftedCalls;
use super::kinds::kinds;
use super::outcome::{Outcome, last_key, outcome};
use super::survey::Survey;
use super::words::{self, SAID};

/// The outcome that calls themselves carry. What the model said beside a call is no output.
pub(super) fn own_outcome(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
    used: &[String],
) -> Outcome {
    let fields = survey.all_fields(&rule.items);
    let found = outcome(&fields, used);
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
    let key = path.trim_start_matches('^');
    let holders: BTreeSet<usize> = rule
        .items
        .iter()
        .filter_map(|&it| {
            let is_outer = path.starts_with('^');
            is_outer.then(|| survey.spots[it].outer).unwrap_or(Some(it))
        })
        .collect();
    let Some(keys) = holders.first().map(|&it| &survey.spots[it].keys) else {
        return false;
    };
    survey.spots.iter().enumerate().any(|(place, spot)| {
        spot.keys == *keys
            && !holders.contains(&place)
            && spot.get(key).is_some_and(|value| value.str().is_some())
    })
}
