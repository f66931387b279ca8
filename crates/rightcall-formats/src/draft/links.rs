//! Finds the ids that pair results with calls.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::DraftedCalls;
use super::outcome::last_key;
use super::runs::DraftedRuns;
use super::survey::{Spot, Survey};
use super::words::{self, IDS, KINDS, RUNS, TIMES};
use crate::node::Node;
use crate::trace::time;

/// An id and the run it belongs to.
pub(super) type IdInRun = (Option<String>, String);

/// The ids at a path from calls, each with the values in the sample that hold it.
type Ids = BTreeMap<IdInRun, BTreeSet<*const u8>>;

/// The id that pairs results with calls.
pub(super) struct IdLink {
    /// The index of the rule for the calls.
    pub(super) rule: usize,
    /// The path to the id in a call.
    pub(super) call: String,
    /// The path to the id in a result.
    pub(super) result: String,
}

impl IdLink {
    /// The ids that these results have, each with its run.
    pub(super) fn ids(
        &self,
        survey: &Survey<'_, '_>,
        runs: &DraftedRuns,
        spots: &[usize],
    ) -> Vec<IdInRun> {
        let id = |&place: &usize| {
            let spot = &survey.spots[place];
            let mut labels = labels(survey, spot).into_iter();
            let label = labels.find(|label| label.path == self.result)?;
            Some((runs.of_record(survey, spot.record), label.id))
        };
        spots.iter().filter_map(id).collect()
    }
}

/// All ids of calls that results may refer to.
pub(super) struct Links {
    /// The ids found by each rule, per path from its items.
    ids: BTreeMap<(usize, String), Ids>,
    /// The names of all called tools.
    pub(super) names: BTreeSet<String>,
    /// True if no call has an output of its own.
    pub(super) lack_outputs: bool,
    /// The objects that are calls.
    calls: BTreeSet<usize>,
    /// The records with calls.
    records: BTreeSet<usize>,
}

impl Links {
    pub(super) fn of(
        survey: &Survey<'_, '_>,
        calls: &[DraftedCalls],
        runs: &DraftedRuns,
        has_own_outputs: bool,
    ) -> Self {
        let mut links = Self {
            ids: BTreeMap::new(),
            names: BTreeSet::new(),
            lack_outputs: !has_own_outputs,
            calls: calls
                .iter()
                .flat_map(|rule| rule.items.iter().copied())
                .collect(),
            records: BTreeSet::new(),
        };
        let records = links.calls.iter().map(|&it| survey.spots[it].record);
        links.records = records.collect();
        for (number, rule) in calls.iter().enumerate() {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for &item in &rule.items {
                let spot = &survey.spots[item];
                let run = runs.of_record(survey, spot.record);
                for Label { path, id, place } in labels(survey, spot) {
                    let is_other = path == rule.name
                        || rule.args.contains(&path)
                        || is_run_or_kind(&path, runs);
                    if path == rule.name {
                        links.names.insert(id.clone());
                    }
                    if !is_other {
                        *counts.entry(path.clone()).or_default() += 1;
                        let of_path = links.ids.entry((number, path)).or_default();
                        let places = of_path.entry((run.clone(), id)).or_default();
                        places.insert(place);
                    }
                }
            }
            // Keep only ids that are unique to one call.
            links.ids.retain(|(rule_number, path), ids| {
                *rule_number != number
                    || counts
                        .get(path)
                        .is_some_and(|count| ids.len() * 10 >= count * 9)
                        && (words::is_one(last_key(path), IDS) || ids.len() >= 2)
            });
        }
        links
    }

    /// The paths to ids of calls that this object has too: the rule of the calls, the path in them, and the path in the object.
    fn met(
        &self,
        survey: &Survey<'_, '_>,
        runs: &DraftedRuns,
        place: usize,
    ) -> Vec<(usize, &str, String)> {
        let spot = &survey.spots[place];
        let run = runs.of_record(survey, spot.record);
        let mut met = Vec::new();
        for Label { path, id, place } in labels(survey, spot) {
            if is_run_or_kind(&path, runs) {
                continue;
            }
            let key = (run.clone(), id);
            // Two ids under an unknown key may be anything, unless results have them under the same key.
            let is_likely = |call_path: &str, ids: &Ids| {
                let distinct = || ids.keys().map(|(_, id)| id).collect::<BTreeSet<_>>().len();
                let is_same = call_path == path && !path.starts_with('^');
                let is_usual = words::is_one(last_key(call_path), IDS);
                is_usual || ids.len() > 2 || is_same && distinct() > 1
            };
            // An object next to a call always shares the id of its record with it.
            let is_other = |places: &BTreeSet<*const u8>| !places.contains(&place);
            let found = self.ids.iter().filter(|((_, call_path), ids)| {
                ids.get(&key).is_some_and(is_other) && is_likely(call_path, ids)
            });
            met.extend(
                found.map(|((rule, call_path), _)| (*rule, call_path.as_str(), path.clone())),
            );
        }
        met
    }

    /// True if calls are in this place too.
    pub(super) fn are_beside_calls(&self, survey: &Survey<'_, '_>, keys: &[&str]) -> bool {
        self.calls.iter().any(|&it| survey.spots[it].keys == keys)
    }

    /// True if each of these objects is in the record behind a call, or the item behind one in the list of calls.
    pub(super) fn are_behind_calls(&self, survey: &Survey<'_, '_>, spots: &[usize]) -> bool {
        let item_before = |it: usize| {
            let spot = &survey.spots[it];
            let mut before = (survey.records[spot.record].start..it).rev();
            before.find(|&other| survey.spots[other].keys == spot.keys)
        };
        spots.iter().all(|&it| {
            let spot = &survey.spots[it];
            if spot.is_in_list() && spot.is_level() {
                return item_before(it).is_some_and(|it| self.calls.contains(&it));
            }
            let before = spot.record.checked_sub(1);
            before.is_some_and(|it| self.records.contains(&it))
        })
    }

    /// The number of different values at a path from these objects.
    fn distinct(survey: &Survey<'_, '_>, spots: &[usize], path: &str) -> usize {
        let labels = spots
            .iter()
            .flat_map(|&it| labels(survey, &survey.spots[it]));
        let ids = labels
            .filter(|label| label.path == path)
            .map(|label| label.id);
        ids.collect::<BTreeSet<_>>().len()
    }

    /// The pair of id paths, in calls and in these objects, with the most matches, and the objects. Without a kind they may be of several
    /// kinds: then only those with an id of a call count.
    pub(super) fn best(
        &self,
        survey: &Survey<'_, '_>,
        runs: &DraftedRuns,
        spots: &[usize],
        has_kind: bool,
    ) -> Option<(IdLink, Vec<usize>)> {
        let all: Vec<_> = spots
            .iter()
            .map(|&it| (it, self.met(survey, runs, it)))
            .collect();
        let mut met: BTreeMap<(usize, &str, String), usize> = BTreeMap::new();
        for it in all.iter().flat_map(|(_, met)| met) {
            *met.entry(it.clone()).or_default() += 1;
        }
        // Objects of several kinds must answer half of the calls.
        let is_enough = |(rule, call, _): &(usize, &str, String), count: usize| {
            let ids = self
                .ids
                .get(&(*rule, (*call).to_owned()))
                .map_or(0, Ids::len);
            count * 5 >= spots.len() * 3 || !has_kind && count * 2 >= ids
        };
        // A key with the same value in most objects is no id.
        let is_distinct = |(_, _, path): &(usize, &str, String), count: usize| {
            Self::distinct(survey, spots, path) * 2 >= count
        };
        let enough = met
            .into_iter()
            .filter(|(link, count)| is_enough(link, *count) && is_distinct(link, *count));
        let best = enough.max_by_key(|((_, call, own), count)| {
            let rank = |path: &str| words::rank(last_key(path), IDS).unwrap_or(IDS.len());
            (*count, std::cmp::Reverse(rank(call) + rank(own)))
        });
        let ((rule, call, result), _) = best?;
        let is_linked = |met: &Vec<(usize, &str, String)>| has_kind || !met.is_empty();
        let linked = all
            .iter()
            .filter(|(_, met)| is_linked(met))
            .map(|(it, _)| *it)
            .collect();
        let link = IdLink {
            rule,
            call: call.to_owned(),
            result,
        };
        Some((link, linked))
    }
}

/// A doubt if calls repeat an id of their run: each record of some logs holds the whole dialogue so far. Each id has its record.
pub(super) fn repeated(
    survey: &Survey<'_, '_>,
    runs: &DraftedRuns,
    ids: &[(usize, String)],
) -> Option<String> {
    let in_run = |(record, id): &(usize, String)| {
        let run = runs.of_record(survey, *record);
        let each_record = || (!runs.of_file).then(|| record.to_string());
        (run.or_else(each_record), id.clone())
    };
    let distinct: BTreeSet<IdInRun> = ids.iter().map(in_run).collect();
    let repeated = ids.len() - distinct.len();
    (repeated > 0).then(|| {
        let all = ids.len();
        format!(
            "{repeated} of {all} calls repeat an id of their run: do records repeat earlier calls?"
        )
    })
}

fn is_run_or_kind(path: &str, runs: &DraftedRuns) -> bool {
    let plain = path.trim_start_matches('^');
    runs.run.iter().any(|run| run == plain)
        || runs.id.as_deref() == Some(plain)
        || words::is_one(last_key(path), KINDS)
        || words::rank(last_key(path), RUNS) < words::rank("id", RUNS)
            && !words::is_one(last_key(path), IDS)
            && words::is_one(last_key(path), RUNS)
}

/// A value reachable by a path from an object that may be an id.
struct Label {
    path: String,
    id: String,
    /// Where the value is in the sample.
    place: *const u8,
}

/// The labels reachable by a path from an object. A time is not an id: all objects of a record share it.
fn labels<'n>(survey: &Survey<'_, 'n>, spot: &Spot<'n>) -> Vec<Label> {
    let fields = survey.fields(spot).into_iter();
    let is_time = |path: &str, value: &Node<'_>| {
        let is_written = value.str().is_some_and(|text| text.contains(':'));
        time::from_log(value).is_some() && (is_written || words::is_one(last_key(path), TIMES))
    };
    fields
        .filter(|(path, value)| {
            !is_time(path, value) && !words::is_one(last_key(path), words::OUTPUTS)
        })
        .filter_map(|(path, value)| {
            Some(Label {
                path,
                id: value.label()?.to_display().into_owned(),
                place: value.raw().as_ptr(),
            })
        })
        .collect()
}
