//! The scores of a run by case: the input of comparisons.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::{Interval, TrialCounts, mean_interval};

/// The scores of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunScores {
    /// The display name: of a run, a file or a model.
    pub name: String,
    /// The names of the evaluators, which comparisons match.
    pub measures: Vec<String>,
    /// The cases, one for each trial.
    pub cases: Vec<TrialScores>,
}

/// The scores of one trial of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialScores {
    /// Identifies the same case across trials and runs.
    pub key: String,
    /// Its name in its run.
    pub label: String,
    /// Its trial as JSON text.
    pub trial: Option<String>,
    /// One for each evaluator.
    pub values: Vec<Measurement>,
    /// The combined result of all evaluators.
    pub overall: Measurement,
    /// A number of the case that comes from no evaluator, such as a reward.
    pub field: Option<f64>,
    /// The sides of a comparison that it belongs to, if one run is split, for example by model.
    pub sides: Vec<String>,
    /// Set if it lacks a meta key that pairs cases. Its name is its key then.
    pub missing: Option<Box<MissingKeys>>,
}

/// The meta keys of a case that lacks some of those that pair cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingKeys {
    /// The keys that it lacks.
    pub missing: Vec<String>,
    /// The keys that it has.
    pub present: Vec<String>,
}

/// A score and a verdict, if present.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measurement {
    /// The score.
    pub score: Option<f64>,
    /// Whether the case passed.
    pub passed: Option<bool>,
}

/// Trials grouped by case, sorted by key.
///
/// Sorting one list is much cheaper than a map with a list for each key, since most runs are nearly sorted.
#[derive(Debug)]
pub(crate) struct Grouped<'r> {
    trials: Vec<&'r TrialScores>,
    /// The start of each case's trials, and the end of the last one's.
    starts: Vec<usize>,
}

impl<'r> Grouped<'r> {
    /// The number of cases.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The trials of each case.
    pub(crate) fn values(&self) -> impl Iterator<Item = &[&'r TrialScores]> {
        let bounds = self.starts.windows(2);
        bounds.map(|bounds| &self.trials[bounds[0]..bounds[1]])
    }

    /// The keys of the cases.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'r str> {
        let starts = &self.starts[..self.len()];
        starts.iter().map(|start| self.trials[*start].key.as_str())
    }

    /// Each key with its trials.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'r str, &[&'r TrialScores])> {
        self.keys().zip(self.values())
    }

    /// True if there is a case with this key.
    pub(crate) fn contains(&self, key: &str) -> bool {
        let found = self.trials.binary_search_by(|it| it.key.as_str().cmp(key));
        found.is_ok()
    }
}

impl RunScores {
    pub(crate) fn grouped(&self) -> Grouped<'_> {
        let mut trials: Vec<_> = self.cases.iter().collect();
        trials.sort_by(|one, other| one.key.cmp(&other.key));
        let begins = |at: &usize| *at == 0 || trials[*at].key != trials[*at - 1].key;
        let starts = (0..trials.len()).filter(begins);
        let starts = starts.chain([trials.len()]).collect();
        Grouped { trials, starts }
    }

    /// The keys of the cases.
    pub fn keys(&self) -> BTreeSet<&str> {
        self.cases.iter().map(|case| case.key.as_str()).collect()
    }

    /// The mean over the cases for each evaluator, with its interval.
    pub fn means(&self, confidence: f64) -> Vec<Option<Interval>> {
        let cases = self.grouped();
        let mean_of = |position| {
            let scores = cases
                .values()
                .filter_map(|trials| ScoreColumn::Measure(position).score(trials));
            mean_interval(&scores.collect::<Vec<_>>(), confidence)
        };
        (0..self.measures.len()).map(mean_of).collect()
    }

    /// An index of the trials of each case.
    pub fn trial_index(&self) -> TrialIndex {
        let key = |position: usize| &self.cases[position].key;
        let mut positions: Vec<usize> = (0..self.cases.len()).collect();
        positions.sort_by(|one, other| key(*one).cmp(key(*other)));
        let mut ranges: HashMap<String, Range<usize>> = HashMap::new();
        let mut start = 0;
        for trials in positions.chunk_by(|one, other| key(*one) == key(*other)) {
            let end = start + trials.len();
            ranges.insert(key(trials[0]).clone(), start..end);
            start = end;
        }
        TrialIndex { positions, ranges }
    }

    /// Keeps only cases and evaluators that all of these runs have, in the order of the first run.
    /// Combined results that include another evaluator are dropped. Returns false and keeps
    /// everything if they share no case.
    pub fn keep_common(runs: &mut [Self]) -> bool {
        let Some((first, others)) = runs.split_first() else {
            return false;
        };
        let keys: Vec<_> = others.iter().map(Self::keys).collect();
        let common: BTreeSet<String> = first
            .keys()
            .into_iter()
            .filter(|key| keys.iter().all(|keys| keys.contains(key)))
            .map(ToOwned::to_owned)
            .collect();
        if common.is_empty() {
            return false;
        }
        let has_all = |name: &&String| others.iter().all(|run| run.measure(name).is_some());
        let measures: Vec<String> = first.measures.iter().filter(has_all).cloned().collect();
        for run in runs {
            run.retain(&common);
            let positions: Vec<_> = measures.iter().map(|name| run.measure(name)).collect();
            let dropped: Vec<_> = (0..run.measures.len())
                .filter(|place| !positions.contains(&Some(*place)))
                .collect();
            for case in &mut run.cases {
                let has = |has: fn(&Measurement) -> bool| {
                    let mut values = dropped.iter().filter_map(|place| case.values.get(*place));
                    values.any(has)
                };
                let (score, verdict) =
                    (has(|it| it.score.is_some()), has(|it| it.passed.is_some()));
                case.overall = Measurement {
                    score: case.overall.score.filter(|_| !score),
                    passed: case.overall.passed.filter(|_| !verdict),
                };
                let value = |at: &Option<usize>| case.values.get((*at)?).copied();
                case.values = positions
                    .iter()
                    .map(|at| value(at).unwrap_or_default())
                    .collect();
            }
            run.measures.clone_from(&measures);
        }
        true
    }

    /// Removes cases with other keys.
    pub fn retain(&mut self, keys: &BTreeSet<String>) {
        self.cases.retain(|case| keys.contains(&case.key));
    }

    /// The number of trials without a [`field`](TrialScores::field).
    pub fn without_field(&self) -> usize {
        let lacks = |case: &&TrialScores| case.field.is_none();
        self.cases.iter().filter(lacks).count()
    }

    /// The index of an evaluator.
    pub fn measure(&self, name: &str) -> Option<usize> {
        self.measures.iter().position(|measure| measure == name)
    }

    /// The largest number of trials of a case.
    pub fn most_trials(&self) -> usize {
        self.grouped().values().map(<[_]>::len).max().unwrap_or(0)
    }
}

/// Finds the trials of a case in a run.
#[derive(Clone, Debug)]
pub struct TrialIndex {
    /// Indices of the trials, sorted by the key of the case.
    positions: Vec<usize>,
    /// The range of each key in `positions`.
    ranges: HashMap<String, Range<usize>>,
}

impl TrialIndex {
    /// The indices of a case's trials in the indexed run; empty for an unknown case.
    pub fn trials(&self, key: &str) -> &[usize] {
        let range = self.ranges.get(key);
        range.map_or(&[], |range| &self.positions[range.clone()])
    }
}

/// Selects a measurement of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreColumn {
    /// The evaluator at this index.
    Measure(usize),
    /// The combined result.
    Overall,
}

impl ScoreColumn {
    pub(crate) fn of(self, case: &TrialScores) -> Measurement {
        match self {
            Self::Measure(position) => case.values.get(position).copied().unwrap_or_default(),
            Self::Overall => case.overall,
        }
    }

    /// The mean score over the trials of a case.
    pub(crate) fn score(self, trials: &[&TrialScores]) -> Option<f64> {
        let scores = || trials.iter().filter_map(|case| self.of(case).score);
        let number = scores().count();
        (number > 0).then(|| scores().sum::<f64>() / number as f64)
    }

    /// How many of a case's trials passed, among those with a verdict.
    pub(crate) fn passed(self, trials: &[&TrialScores]) -> TrialCounts {
        let verdicts = || trials.iter().filter_map(|case| self.of(case).passed);
        TrialCounts {
            trials: verdicts().count() as u64,
            passed: verdicts().filter(|passed| *passed).count() as u64,
        }
    }
}

impl TrialCounts {
    /// True if some passed and others failed.
    pub fn are_flaky(self) -> bool {
        self.passed > 0 && self.passed < self.trials
    }

    /// The share that passed.
    pub fn share(self) -> Option<f64> {
        (self.trials > 0).then(|| self.passed as f64 / self.trials as f64)
    }
}
