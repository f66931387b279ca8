//! Which objects of a sample are the results of calls, and what they hold.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{Condition, DraftedCalls, kinds};
use super::runs::DraftedRuns;
use super::survey::{Spot, Survey};
use super::words::{
    self, ERRORS, FAILED, IDS, KINDS, NAMES, ORDERS, OUTPUTS, RUNS, SUCCEEDED, TOOL_NAMES,
};
use crate::node::Node;

/// How the outcome of a call is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) output: Option<String>,
    pub(super) error: Option<String>,
    /// A path and the value there of a call that failed.
    pub(super) failed: Option<(String, &'static str)>,
    pub(super) end: Option<String>,
    pub(super) unsure: Option<String>,
}

/// Results of one form, at one place.
#[derive(Debug)]
pub(super) struct DraftedResults {
    pub(super) path: String,
    pub(super) condition: Option<Condition>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) outcome: Outcome,
    /// What pairs a result with its call is unsure.
    pub(super) by_order: bool,
}

/// What these fields of objects hold of an outcome; paths in `used` are something else.
pub(super) fn outcome(fields: &[Vec<(String, &Node<'_>)>], used: &[String]) -> Outcome {
    let best = |words: &[&str], fits: &dyn Fn(&Node<'_>) -> bool| {
        let all = fields
            .iter()
            .flatten()
            .filter(|(path, value)| !used.contains(path) && fits(value));
        let ranked = all.filter_map(|(path, _)| Some((words::rank(last_key(path), words)?, path)));
        ranked.min().map(|(_, path)| path.clone())
    };
    let mut found = Outcome {
        error: best(ERRORS, &|_| true),
        end: best(words::ENDS, &|value| {
            crate::trace::time::of_log(value).is_some()
        }),
        ..Outcome::default()
    };
    let output = best(OUTPUTS, &|_| true);
    let values: Vec<&Node<'_>> = fields
        .iter()
        .flatten()
        .filter(|(path, _)| Some(path) == output.as_ref())
        .map(|(_, value)| *value)
        .collect();
    match (&output, inside(&values)) {
        (Some(path), Some((inner, error))) => {
            found.output = inner.map(|inner| format!("{path}.{inner}"));
            found.error = error.map(|error| format!("{path}.{error}")).or(found.error);
            found.unsure = Some("is the output inside of it?".to_owned());
        }
        _ => found.output = output,
    }
    let failed = best(FAILED, &|value| matches!(value.raw(), "true" | "false"));
    let succeeded = best(SUCCEEDED, &|value| matches!(value.raw(), "true" | "false"));
    found.failed = failed
        .map(|path| (path, "true"))
        .or_else(|| succeeded.map(|path| (path, "false")));
    found
}

/// The keys of output and error in values that hold nothing else.
fn inside(values: &[&Node<'_>]) -> Option<(Option<String>, Option<String>)> {
    let (mut output, mut error) = (None, None);
    for value in values {
        if !value.is_object() {
            return None;
        }
        for (key, _) in value.entries() {
            let key = key.as_str()?;
            let of = if words::is_one(key, ERRORS) {
                &mut error
            } else if words::is_one(key, OUTPUTS) {
                &mut output
            } else {
                return None;
            };
            if of.get_or_insert_with(|| key.to_owned()) != key {
                return None;
            }
        }
    }
    (output.is_some() || error.is_some()).then_some((output, error))
}

/// The last key of a path, without quotes.
fn last_key(path: &str) -> &str {
    match path.strip_suffix('"') {
        Some(quoted) => quoted.rsplit('"').next().unwrap_or(quoted),
        None => path.rsplit(['.', '^']).next().unwrap_or(path),
    }
}

/// Results that no call carries itself.
pub(super) fn find(
    survey: &Survey<'_, '_>,
    calls: &[DraftedCalls],
    runs: &DraftedRuns,
) -> (Vec<DraftedResults>, BTreeMap<usize, String>) {
    let items: BTreeSet<usize> = calls
        .iter()
        .flat_map(|rule| rule.items.iter().copied())
        .collect();
    let own_outputs = own_outputs(survey, calls, runs);
    let mut groups: BTreeMap<(Vec<&str>, Option<(bool, String, String)>), Vec<usize>> =
        BTreeMap::new();
    for (place, spot) in survey.spots.iter().enumerate() {
        let is_around = items
            .range(place..survey.records[spot.record].end)
            .any(|&item| survey.is_inside(item, place));
        let is_within = items
            .range(survey.records[spot.record].start..=place)
            .any(|&item| survey.is_inside(place, item));
        let is_output = || {
            own_outputs
                .iter()
                .any(|output| spot.node.raw().as_ptr() == output.as_ptr())
        };
        if is_around || is_within || survey.is_not_final(spot.record) || is_output() {
            continue;
        }
        let mut kinds = kinds(survey, place);
        kinds.sort_by_key(|(is_of_record, path, key, _)| {
            (*is_of_record, words::rank(key, KINDS), path.len())
        });
        let kind = kinds
            .into_iter()
            .next()
            .map(|(is_of_record, path, _, value)| (is_of_record, path, value));
        groups
            .entry((spot.keys.clone(), kind))
            .or_default()
            .push(place);
    }
    let links = Links::of(survey, calls, runs);
    let mut found: Vec<DraftedResults> = Vec::new();
    let mut linked: BTreeMap<usize, String> = BTreeMap::new();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    // Where ids pair results, what has none is something else.
    for has_link in [true, false] {
        for ((keys, kind), spots) in &groups {
            // What is inside of a result is part of it.
            let is_free = |&&place: &&usize| {
                let before = taken.range(survey.records[survey.spots[place].record].start..place);
                !before.into_iter().any(|&it| survey.is_inside(place, it))
            };
            let spots: Vec<usize> = spots.iter().filter(is_free).copied().collect();
            let link = links.best(survey, runs, &spots);
            if spots.is_empty() || link.is_some() != has_link {
                continue;
            }
            let condition = kind.as_ref().map(|(is_of_record, path, value)| Condition {
                is_of_record: *is_of_record,
                path: path.clone(),
                values: BTreeSet::from([value.clone()]),
            });
            if let Some(result) =
                result(survey, keys, &spots, condition, link.as_ref(), &links, runs)
            {
                linked.extend(link.map(|(rule, call_path, _)| (rule, call_path)));
                found.push(result);
                taken.extend(spots);
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    let mut merged: Vec<DraftedResults> = Vec::new();
    for result in found {
        let same = merged.iter_mut().find(|it| {
            it.path == result.path
                && (&it.id, &it.name, &it.outcome) == (&result.id, &result.name, &result.outcome)
                && it.condition.as_ref().map(|it| (it.is_of_record, &it.path))
                    == result
                        .condition
                        .as_ref()
                        .map(|it| (it.is_of_record, &it.path))
        });
        match (same.and_then(|it| it.condition.as_mut()), &result.condition) {
            (Some(same), Some(condition)) => same.values.extend(condition.values.iter().cloned()),
            _ => merged.push(result),
        }
    }
    (merged, linked)
}

/// The outputs that calls themselves hold.
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
        let outcome = outcome(&survey.all_fields(&rule.items), &used);
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

/// The results that these objects are, if they are.
fn result(
    survey: &Survey<'_, '_>,
    keys: &[&str],
    spots: &[usize],
    condition: Option<Condition>,
    link: Option<&(usize, String, String)>,
    links: &Links,
    runs: &DraftedRuns,
) -> Option<DraftedResults> {
    let mut used: Vec<String> = runs.run.clone();
    used.extend(condition.iter().map(|it| it.path.clone()));
    used.extend(link.map(|(_, _, path)| path.clone()));
    let name = name_of(survey, spots, links);
    used.extend(name.clone());
    let own: Vec<_> = spots
        .iter()
        .map(|&it| survey.own_fields(&survey.spots[it]))
        .collect();
    let mut outcome = outcome(&own, &used);
    let says_result = condition
        .as_ref()
        .is_some_and(|it| it.values.iter().all(|value| words::is_result_kind(value)));
    let last_says = keys
        .last()
        .is_some_and(|key| words::is_one(key, OUTPUTS) || words::is_result_kind(key));
    let of_tool = condition
        .as_ref()
        .is_some_and(|it| it.values.iter().all(|value| value == "tool"));
    let ends_run = condition
        .as_ref()
        .is_some_and(|it| it.values.iter().all(|value| words::is_ending_kind(value)));
    let is_likely = says_result && !ends_run || of_tool && last_says;
    if outcome.output.is_none() && (link.is_some() || is_likely) {
        outcome.output = only_other_key(survey, spots, &used, &outcome);
        outcome.unsure = outcome
            .output
            .is_some()
            .then(|| "is it the output?".to_owned());
    }
    let has_outcome =
        outcome.output.is_some() || outcome.error.is_some() || outcome.failed.is_some();
    let is_result = link.is_some()
        || has_outcome
            && (says_result
                || condition.is_none() && (last_says || keys.is_empty() && name.is_some()));
    (is_result && (has_outcome || link.is_some()) || of_tool && has_outcome && last_says).then(
        || DraftedResults {
            path: super::survey::path_of(keys),
            condition,
            id: link.map(|(_, _, path)| path.clone()),
            by_order: link.is_none() && name.is_none(),
            name: name.filter(|_| link.is_none()),
            outcome,
        },
    )
}

/// The key under which results name their tool.
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

/// The key of the output if only one is left that may hold it.
fn only_other_key(
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
    ];
    let mut keys: BTreeSet<String> = BTreeSet::new();
    for &place in spots {
        for (key, _) in survey.spots[place].members() {
            let path = super::survey::key_text(key);
            let is_known = used.contains(&path)
                || outcome.error.as_ref() == Some(&path)
                || outcome
                    .failed
                    .as_ref()
                    .is_some_and(|(failed, _)| *failed == path)
                || other.iter().any(|words| words::is_one(key, words));
            if !is_known {
                keys.insert(path);
            }
        }
    }
    (keys.len() == 1).then(|| keys.into_iter().next())?
}

/// The ids of calls, by which results are paired.
struct Links {
    /// Of each rule and each path from its items: the ids there, each with its run.
    ids: BTreeMap<(usize, String), BTreeSet<(Option<String>, String)>>,
    names: BTreeSet<String>,
}

impl Links {
    fn of(survey: &Survey<'_, '_>, calls: &[DraftedCalls], runs: &DraftedRuns) -> Self {
        let mut links = Self {
            ids: BTreeMap::new(),
            names: BTreeSet::new(),
        };
        for (number, rule) in calls.iter().enumerate() {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for &item in &rule.items {
                let spot = &survey.spots[item];
                let run = runs.of_record(survey, spot.record);
                for (path, id) in labels(survey, spot) {
                    let is_other = path == rule.name
                        || rule.args.contains(&path)
                        || is_run_or_kind(&path, runs);
                    if path == rule.name {
                        links.names.insert(id.clone());
                    }
                    if !is_other {
                        *counts.entry(path.clone()).or_default() += 1;
                        links
                            .ids
                            .entry((number, path))
                            .or_default()
                            .insert((run.clone(), id));
                    }
                }
            }
            // An id is of one call.
            links.ids.retain(|(rule_number, path), ids| {
                *rule_number != number
                    || counts
                        .get(path)
                        .is_some_and(|count| ids.len() * 10 >= count * 9)
                        && (words::is_one(last_key(path), IDS) || ids.len() >= 3)
            });
        }
        links
    }

    /// The path to the id in calls and in these objects under which most of them meet: the rule of the calls, and both paths.
    fn best(
        &self,
        survey: &Survey<'_, '_>,
        runs: &DraftedRuns,
        spots: &[usize],
    ) -> Option<(usize, String, String)> {
        let mut met: BTreeMap<(usize, &str, String), usize> = BTreeMap::new();
        for &place in spots {
            let spot = &survey.spots[place];
            let run = runs.of_record(survey, spot.record);
            for (path, id) in labels(survey, spot) {
                if is_run_or_kind(&path, runs) {
                    continue;
                }
                let key = (run.clone(), id);
                for ((rule, call_path), _) in self.ids.iter().filter(|(_, ids)| ids.contains(&key))
                {
                    *met.entry((*rule, call_path, path.clone())).or_default() += 1;
                }
            }
        }
        let enough = met
            .into_iter()
            .filter(|(_, count)| count * 5 >= spots.len() * 3);
        let best = enough.max_by_key(|((_, call, own), count)| {
            let rank = |path: &str| words::rank(last_key(path), IDS).unwrap_or(IDS.len());
            (*count, std::cmp::Reverse(rank(call) + rank(own)))
        });
        best.map(|((rule, call, own), _)| (rule, call.to_owned(), own))
    }
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

/// The labels that paths find from an object.
fn labels<'n>(survey: &Survey<'_, 'n>, spot: &Spot<'n>) -> Vec<(String, String)> {
    let fields = survey.fields(spot).into_iter();
    fields
        .filter_map(|(path, value)| Some((path, value.label()?.to_display().into_owned())))
        .collect()
}
