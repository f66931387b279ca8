//! The trials of a case that the same evaluators judged in two runs.
//!
//! The combined result of a trial is a mean over the evaluators that apply to it. If other
//! evaluators apply in the other run, the two means differ even if the agent did the same. So such
//! means are never compared.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Measurement, RunScores, TrialScores};

/// Compares which evaluators judged the trials of two runs.
#[derive(Clone, Debug)]
pub struct CommonEvaluators {
    /// For each evaluator of both runs, its indices.
    shared: Vec<(usize, usize)>,
    /// For each run, the indices of the evaluators that the other lacks.
    unshared: [Vec<usize>; 2],
}

/// Tests whether an evaluator has a score, or a verdict, on a trial.
type Has = fn(&Measurement) -> bool;

/// For each trial of a case, before and after: true if it counts.
pub type AlikeTrials = [Vec<bool>; 2];

impl CommonEvaluators {
    /// Pairs the evaluators of two runs by name.
    pub fn new(before: &RunScores, after: &RunScores) -> Self {
        let names = before.measures.iter().enumerate();
        let shared: Vec<_> = names
            .filter_map(|(place, name)| Some((place, after.measure(name)?)))
            .collect();
        let unshared = |run: &RunScores, is_shared: &dyn Fn(usize) -> bool| {
            let all = 0..run.measures.len();
            all.filter(|place| !is_shared(*place)).collect()
        };
        Self {
            unshared: [
                unshared(before, &|place| shared.iter().any(|it| it.0 == place)),
                unshared(after, &|place| shared.iter().any(|it| it.1 == place)),
            ],
            shared,
        }
    }

    /// The trials whose combined scores can be compared.
    pub fn scored(&self, trials: [&[&TrialScores]; 2]) -> AlikeTrials {
        self.comparable(trials, |it| it.score.is_some())
    }

    /// The trials whose combined verdicts can be compared. A verdict without scores, for a missing run or an error, always can.
    pub(crate) fn judged(&self, trials: [&[&TrialScores]; 2]) -> AlikeTrials {
        let mut alike = self.comparable(trials, |it| it.passed.is_some());
        for (kept, trials) in alike.iter_mut().zip(trials) {
            for (is_kept, trial) in kept.iter_mut().zip(trials) {
                *is_kept |= trial.overall.score.is_none();
            }
        }
        alike
    }

    /// The trials judged by the most frequent set of evaluators that occurs in both runs; on a tie,
    /// by the largest set.
    fn comparable(&self, trials: [&[&TrialScores]; 2], has: Has) -> AlikeTrials {
        if self.are_all_alike(trials, has) {
            return trials.map(|trials| vec![true; trials.len()]);
        }
        let sets = [0, 1].map(|side| {
            let of_trial = |trial: &&TrialScores| self.judging_set(side, trial, has);
            trials[side].iter().map(of_trial).collect::<Vec<_>>()
        });
        let mut counts: BTreeMap<&Vec<bool>, [usize; 2]> = BTreeMap::new();
        for (side, sets) in sets.iter().enumerate() {
            for set in sets.iter().flatten() {
                counts.entry(set).or_default()[side] += 1;
            }
        }
        // A run without any set, such as a missing run, excludes no set.
        let known = [0, 1].map(|side| sets[side].iter().any(Option::is_some));
        let is_of_both = |number: &[usize; 2]| (0..2).all(|side| number[side] > 0 || !known[side]);
        let both = counts.iter().filter(|(_, number)| is_of_both(number));
        let size = |set: &[bool]| set.iter().filter(|it| **it).count();
        let commonest = both.max_by_key(|(set, number)| (number.iter().sum::<usize>(), size(set)));
        let is_kept = |set: &Option<Vec<bool>>| {
            set.as_ref()
                .is_some_and(|set| commonest.is_some_and(|(common, _)| set == *common))
        };
        sets.each_ref()
            .map(|sets| sets.iter().map(is_kept).collect())
    }

    /// True if all trials have the evaluators of the first one: the usual case, at a tenth of the cost.
    fn are_all_alike(&self, [before, after]: [&[&TrialScores]; 2], has: Has) -> bool {
        let judged = |trial: &TrialScores, place: usize| trial.values.get(place).is_some_and(has);
        let Some(first) = before.first() else {
            return false;
        };
        self.unshared.iter().all(Vec::is_empty)
            && self.shared.iter().all(|(place, later)| {
                let of_first = judged(first, *place);
                before.iter().all(|it| judged(it, *place) == of_first)
                    && after.iter().all(|it| judged(it, *later) == of_first)
            })
    }

    /// For each shared evaluator, true if it judged the trial. `None` if an unshared one did, or
    /// none.
    fn judging_set(&self, side: usize, trial: &TrialScores, has: Has) -> Option<Vec<bool>> {
        let judged = |place: usize| trial.values.get(place).is_some_and(has);
        if self.unshared[side].iter().any(|place| judged(*place)) {
            return None;
        }
        let places = self
            .shared
            .iter()
            .map(|it| if side == 0 { it.0 } else { it.1 });
        let set: Vec<_> = places.map(judged).collect();
        set.contains(&true).then_some(set)
    }
}

/// The trials of a case that both runs have, by name. `None` if the second run has all trials of
/// the first: further trials of the second run count too. Also `None` without distinct names or a
/// common trial, since such trials can't be paired.
pub fn trials_of_both(trials: [&[&TrialScores]; 2]) -> Option<AlikeTrials> {
    let names = |side: usize| -> Option<BTreeSet<&str>> {
        let names = trials[side].iter().map(|it| it.trial.as_deref());
        let names: BTreeSet<_> = names.collect::<Option<_>>()?;
        (names.len() == trials[side].len()).then_some(names)
    };
    let names = [names(0)?, names(1)?];
    if names[0].is_subset(&names[1]) || names[0].is_disjoint(&names[1]) {
        return None;
    }
    let is_in = |it: &&TrialScores, names: &BTreeSet<&str>| {
        it.trial.as_deref().is_some_and(|it| names.contains(it))
    };
    Some([0, 1].map(|side| {
        let trials = trials[side].iter();
        trials.map(|it| is_in(it, &names[1 - side])).collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ComparisonSettings, PairedComparison, mean};
    use proptest::prelude::*;

    /// Trials of the case `a` by two evaluators; the combined score is their mean.
    fn run(names: [&str; 2], trials: &[[Option<f64>; 2]]) -> RunScores {
        let trial = |scores: &[Option<f64>; 2]| {
            let judged = |score: Option<f64>| Measurement {
                score,
                passed: score.map(|it| it >= 0.5),
            };
            let known: Vec<_> = scores.iter().copied().flatten().collect();
            TrialScores {
                key: "a".to_owned(),
                values: scores.map(judged).to_vec(),
                overall: judged(mean(&known)),
                ..TrialScores::default()
            }
        };
        RunScores {
            name: "run".to_owned(),
            measures: names.map(str::to_owned).to_vec(),
            cases: trials.iter().map(trial).collect(),
        }
    }

    fn between(before: &RunScores, after: &RunScores) -> PairedComparison {
        PairedComparison::between(before, after, ComparisonSettings::default())
    }

    #[test]
    fn combined_scores_of_different_evaluators_are_not_compared() {
        let names = ["calls", "order"];
        let both = run(names, &[[Some(0.2), Some(1.0)]]);
        let one = run(names, &[[None, Some(1.0)]]);
        let found = between(&both, &one);
        assert_eq!((found.moved.len(), found.unlike), (0, 2));
        assert!(!found.compares_wholes());
        let order = found.measures[1].score.as_ref().unwrap();
        assert_eq!((order.before, order.after), (1.0, 1.0));
        // Trials that both evaluators score are compared.
        let mixed = run(names, &[[Some(0.4), Some(1.0)], [None, Some(1.0)]]);
        let found = between(&both, &mixed);
        assert_eq!((found.moved[0].before, found.moved[0].after), (0.6, 0.7));
        assert_eq!(found.unlike, 1);
        assert_eq!(found.moved[0].trials_after.trials, 1);
        // Evaluators of other names are others.
        let renamed = run(["calls", "count"], &[[Some(0.2), Some(0.0)]]);
        assert!(!between(&both, &renamed).compares_wholes());
        let alone = run(["calls", "count"], &[[Some(0.2), None]]);
        assert!(between(&alone, &run(["calls", "size"], &[[Some(0.3), None]])).compares_wholes());
    }

    #[test]
    fn a_case_without_its_run_is_no_longer_judged() {
        let names = ["calls", "order"];
        let mut lost = run(names, &[[None, None]]);
        lost.cases[0].overall.passed = Some(false);
        let found = between(&run(names, &[[Some(1.0), Some(1.0)]]), &lost);
        assert_eq!((found.moved.len(), found.no_longer_judged.len()), (0, 1));
        assert_eq!(found.unlike, 0);
    }

    #[test]
    fn combined_results_with_a_dropped_evaluator_are_dropped() {
        let scores = &[[Some(0.2), Some(1.0)], [Some(0.2), None]];
        let mut runs = [
            run(["calls", "order"], scores),
            run(["calls", "count"], scores),
        ];
        assert!(RunScores::keep_common(&mut runs));
        let wholes: Vec<_> = runs[0].cases.iter().map(|it| it.overall.score).collect();
        assert_eq!(wholes, [None, Some(0.2)]);
    }

    fn trials() -> impl Strategy<Value = Vec<[Option<f64>; 2]>> {
        let score = || {
            prop_oneof![
                Just(None),
                (0..=4_u8).prop_map(|it| Some(f64::from(it) / 4.0))
            ]
        };
        prop::collection::vec(
            (score(), score()).prop_map(|(one, other)| [one, other]),
            1..5,
        )
    }

    proptest! {
        /// Compared with a search for a set of evaluators with these means on both sides.
        #[test]
        fn a_case_changes_only_by_trials_of_one_set_of_evaluators(before in trials(), after in trials()) {
            let runs = [&before, &after].map(|trials| run(["calls", "order"], trials));
            let found = between(&runs[0], &runs[1]);
            let mean_of = |trials: &[[Option<f64>; 2]], set: [bool; 2]| {
                let of_set = trials.iter().filter(|it| it.map(|score| score.is_some()) == set);
                let scores = of_set.filter_map(|it| mean(&it.iter().copied().flatten().collect::<Vec<_>>()));
                mean(&scores.collect::<Vec<_>>())
            };
            let sets = [[true, true], [true, false], [false, true]];
            let means = sets.map(|set| mean_of(&before, set).zip(mean_of(&after, set)));
            let common: Vec<_> = means.into_iter().flatten().collect();
            prop_assert_eq!(found.overall.score.is_some(), !common.is_empty());
            if let Some(whole) = &found.overall.score {
                prop_assert!(common.contains(&(whole.before, whole.after)));
            }
            let turned = between(&runs[1], &runs[0]);
            prop_assert_eq!(turned.unlike, found.unlike);
        }
    }
}
