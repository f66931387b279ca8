//! Kinds of objects: the values of keys such as `type`.

use std::collections::BTreeSet;

use super::survey::{Survey, key_text};
use super::words;
use crate::trace::time;

/// A test that distinguishes some objects from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Condition {
    /// True if the path starts at the record, not at the item.
    pub(super) is_of_record: bool,
    pub(super) path: String,
    /// Accepted values at the path; empty if any value matches.
    pub(super) values: BTreeSet<String>,
}

/// A kind: a key with a value that classifies an object, such as `type`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShownKind {
    /// True if the key is in the record around the object.
    pub(super) is_of_record: bool,
    /// The rank of the key; lower is stronger evidence.
    rank: usize,
    pub(super) path: String,
    pub(super) value: String,
}

impl ShownKind {
    /// The condition that matches objects of this kind.
    pub(super) fn condition(&self) -> Condition {
        Condition {
            is_of_record: self.is_of_record,
            path: self.path.clone(),
            values: BTreeSet::from([self.value.clone()]),
        }
    }
}

/// The kinds of an object, from itself and its record, strongest first.
pub(super) fn kinds(survey: &Survey<'_, '_>, place: usize) -> Vec<ShownKind> {
    let spot = &survey.spots[place];
    let is_record = spot.keys.is_empty();
    let own = spot.members().filter(|_| !is_record);
    let own = own.map(|(key, value)| (false, key_text(key), key, value));
    let near = survey.near_fields(spot.record).iter();
    let of_record = near.map(|(path, key, value)| (true, path.clone(), *key, *value));
    let all = own
        .chain(of_record)
        .filter_map(|(is_of_record, path, key, value)| {
            let value = value
                .str()
                .filter(|value| (1..=60).contains(&value.len()))
                // These words are keywords in conditions.
                .filter(|value| !["any", "none"].contains(value))
                .filter(|_| time::from_log(value).is_none())?;
            Some(ShownKind {
                is_of_record,
                rank: words::kind_rank(key)?,
                path,
                value: value.to_owned(),
            })
        });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|kind| (kind.is_of_record, kind.rank, kind.path.len()));
    all
}

/// True if an object meets a condition.
pub(super) fn holds(survey: &Survey<'_, '_>, condition: &Condition, place: usize) -> bool {
    kinds(survey, place).iter().any(|kind| {
        kind.is_of_record == condition.is_of_record
            && kind.path == condition.path
            && condition.values.contains(&kind.value)
    })
}

/// A condition met by all `sure` objects and by no other object, except perhaps doubtful ones.
pub(super) fn distinguishing_condition(
    survey: &Survey<'_, '_>,
    sure: &BTreeSet<usize>,
    others: &[usize],
    doubtful: &BTreeSet<usize>,
) -> Option<Condition> {
    let first = kinds(survey, *sure.first()?).into_iter();
    let candidates = first.filter_map(|kind| {
        let mut condition = kind.condition();
        for &place in sure {
            let shown = kinds(survey, place).into_iter();
            let mut same =
                shown.filter(|it| (it.is_of_record, &it.path) == (kind.is_of_record, &kind.path));
            condition.values.insert(same.next()?.value);
        }
        let number = condition.values.len();
        (number <= 3 && (number < 2 || number < sure.len())).then_some(condition)
    });
    let records: BTreeSet<usize> = sure.iter().map(|&it| survey.spots[it].record).collect();
    let other_records = (0..survey.records.len()).filter(|record| !records.contains(record));
    let other_records: Vec<usize> = other_records
        .map(|record| survey.records[record].start)
        .collect();
    let mut candidates = candidates;
    candidates.find(|condition| {
        let others = if condition.is_of_record {
            &other_records[..]
        } else {
            others
        };
        let is_wrong =
            |&place: &usize| !doubtful.contains(&place) && holds(survey, condition, place);
        !others.is_empty() && !others.iter().any(is_wrong)
    })
}
