//! Compares two runs over the same cases.

use std::borrow::Cow;

use crate::alike::{AlikeTrials, CommonEvaluators};
use crate::run_scores::{Grouped, ScoreColumn};
use crate::{
    ChangeVerdict, ComparisonSettings, EvaluatorChange, Interval, MeanChange, RunScores,
    SignificanceTest, TrialCounts, TrialScores, cases_needed, deviation, holm, mcnemar, mean,
    mean_interval, sign_flip, standardised,
};

/// The probability of detecting a change, to compute how many cases are needed.
const POWER: f64 = 0.8;

/// A comparison of two runs over the same cases.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedComparison {
    /// Number of cases in both runs.
    pub shared: usize,
    /// Keys only in the first run, and keys only in the second.
    pub only: (Vec<String>, Vec<String>),
    /// The evaluators of both runs, in the order of the first.
    pub measures: Vec<EvaluatorChange>,
    /// The combined result of all evaluators, over the trials that the same evaluators judged in both runs.
    pub overall: EvaluatorChange,
    /// Number of trials left out of the combined result.
    pub unlike: usize,
    /// The cases that changed, by their weighted score, worst first.
    pub moved: Vec<MovedCase>,
}

/// A case with a different weighted score or verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedCase {
    /// Its key.
    pub key: String,
    /// Its mean score before; without scores, the share of its trials that passed.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// Its trials before.
    pub trials_before: TrialCounts,
    /// Its trials after.
    pub trials_after: TrialCounts,
}

impl MovedCase {
    /// Whether it got worse: it newly fails, or its score is lower, or (with an equal score) fewer of its trials pass. A fixed case got
    /// better even if its score is lower.
    pub fn is_worse(&self) -> bool {
        if self.is_newly_failing() || self.is_fixed() {
            return self.is_newly_failing();
        }
        let by_verdict = self.trials_after.share() < self.trials_before.share();
        self.after < self.before || (self.after - self.before < NOTHING && by_verdict)
    }

    /// The cases that got worse, and those that got better. Newly failing and fixed cases come first, then by size of the change; equal
    /// ones stay in order.
    pub fn by_direction<'m>(cases: impl IntoIterator<Item = &'m Self>) -> [Vec<&'m Self>; 2] {
        let (mut worse, mut better): (Vec<_>, Vec<_>) =
            cases.into_iter().partition(|it| it.is_worse());
        let change = |case: &Self| (case.after - case.before).abs();
        let is_turned = |case: &Self| case.is_newly_failing() || case.is_fixed();
        for cases in [&mut worse, &mut better] {
            cases.sort_by(|one, other| {
                let turned = is_turned(other).cmp(&is_turned(one));
                turned.then(change(other).total_cmp(&change(one)))
            });
        }
        [worse, better]
    }

    /// True if all trials passed before and not all pass now.
    pub fn is_newly_failing(&self) -> bool {
        self.trials_before.share() == Some(1.0)
            && self.trials_after.share().is_some_and(|it| it < 1.0)
    }

    /// True if all trials pass now and not all passed before.
    pub fn is_fixed(&self) -> bool {
        self.trials_after.share() == Some(1.0)
            && self.trials_before.share().is_some_and(|it| it < 1.0)
    }
}

impl PairedComparison {
    /// Compares the cases in both runs.
    pub fn between(before: &RunScores, after: &RunScores, rules: ComparisonSettings) -> Self {
        let (grouped_before, grouped_after) = (before.grouped(), after.grouped());
        let alike = CommonEvaluators::new(before, after);
        let pairs = Pairs::new(&grouped_before, &grouped_after, rules);
        let names = before.measures.iter().enumerate();
        let mut measures: Vec<_> = names
            .filter_map(|(position, name)| {
                let columns = (
                    ScoreColumn::Measure(position),
                    ScoreColumn::Measure(after.measure(name)?),
                );
                Some(pairs.measure(name.clone(), columns))
            })
            .collect();
        correct(&mut measures, rules);
        let wholes = pairs.alike(&alike);
        let whole = (ScoreColumn::Overall, ScoreColumn::Overall);
        let mut overall = wholes.measure("each case".to_owned(), whole);
        correct([&mut overall], rules);
        let only = |one: &Grouped<'_>, other: &Grouped<'_>| {
            let is_alone = |key: &&str| pairs.shared.len() < one.len() && !other.contains(key);
            let keys = one.keys().filter(is_alone);
            keys.map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        let only_before = only(&grouped_before, &grouped_after);
        Self {
            shared: pairs.shared.len(),
            only: (only_before, only(&grouped_after, &grouped_before)),
            measures,
            overall,
            unlike: wholes.unlike,
            moved: wholes.moved(whole),
        }
    }

    /// The cases that changed by the score of one evaluator, worst first. The evaluator is given by its index in each run.
    pub fn moved_by(
        before: &RunScores,
        after: &RunScores,
        columns: (ScoreColumn, ScoreColumn),
    ) -> Vec<MovedCase> {
        let (before, after) = (before.grouped(), after.grouped());
        Pairs::new(&before, &after, ComparisonSettings::default()).moved(columns)
    }

    /// Compares each run with the first. The p-values are corrected for all comparisons together.
    pub fn with_first(runs: &[RunScores], rules: ComparisonSettings) -> Vec<Self> {
        let mut all: Vec<Self> = runs
            .iter()
            .skip(1)
            .map(|run| Self::between(&runs[0], run, rules))
            .collect();
        correct(all.iter_mut().flat_map(|it| &mut it.measures), rules);
        all
    }

    /// True if some case was judged as a whole in both runs, by the same evaluators.
    pub fn compares_wholes(&self) -> bool {
        self.overall.score.is_some() || self.overall.passed.is_some()
    }

    /// The change for each evaluator; with several evaluators, the combined change follows.
    pub fn rows(&self) -> impl Iterator<Item = &EvaluatorChange> + Clone {
        let overall = (self.measures.len() > 1).then_some(&self.overall);
        self.measures.iter().chain(overall)
    }

    /// Approximate number of cases needed to detect a change as large as the margin, if there are too few.
    pub fn cases_needed(&self) -> Option<u64> {
        self.rows()
            .flat_map(|row| [&row.score, &row.passed])
            .flatten()
            .filter(|change| change.verdict == ChangeVerdict::NotEnough)
            .filter_map(|change| change.needed)
            // If all cases changed equally, a few are enough.
            .filter(|needed| *needed > 0)
            .max()
    }
}

/// Corrects the p-values of scores and of verdicts, as two families, and draws the conclusions.
fn correct<'m>(
    measures: impl IntoIterator<Item = &'m mut EvaluatorChange>,
    rules: ComparisonSettings,
) {
    let (scores, passed): (Vec<_>, Vec<_>) = measures
        .into_iter()
        .map(|it| (it.score.as_mut(), it.passed.as_mut()))
        .unzip();
    for family in [scores, passed] {
        let changes: Vec<&mut MeanChange> = family.into_iter().flatten().collect();
        let corrected = holm(&changes.iter().map(|change| change.p).collect::<Vec<_>>());
        for (change, corrected) in changes.into_iter().zip(corrected) {
            change.corrected = corrected;
            change.verdict = change.judge(rules);
        }
    }
}

/// The trials of a case in both of two runs.
#[derive(Clone)]
struct SharedCase<'r> {
    key: &'r str,
    /// The trials with comparable scores, before and after.
    scored: [Cow<'r, [&'r TrialScores]>; 2],
    /// The trials with comparable verdicts.
    judged: [Cow<'r, [&'r TrialScores]>; 2],
}

/// The cases in both of two runs, in the order of their keys.
struct Pairs<'r> {
    shared: Vec<SharedCase<'r>>,
    /// Number of scored trials left out.
    unlike: usize,
    rules: ComparisonSettings,
}

/// Smaller differences come from rounding.
const NOTHING: f64 = 1e-12;

impl<'r> Pairs<'r> {
    fn new(before: &'r Grouped<'r>, after: &'r Grouped<'r>, rules: ComparisonSettings) -> Self {
        // Both are sorted by key.
        let mut others = after.iter().peekable();
        let mut shared = Vec::new();
        for (key, trials) in before.iter() {
            while others.next_if(|(other, _)| *other < key).is_some() {}
            if let Some((_, after)) = others.next_if(|(other, _)| *other == key) {
                let all = [Cow::Borrowed(trials), Cow::Borrowed(after)];
                let scored = all.clone();
                shared.push(SharedCase {
                    key,
                    scored,
                    judged: all,
                });
            }
        }
        Self {
            shared,
            unlike: 0,
            rules,
        }
    }

    /// The same cases with the trials that the same evaluators judged.
    fn alike(&self, alike: &CommonEvaluators) -> Self {
        let kept = |trials: &[Cow<'r, [&'r TrialScores]>; 2], kept: AlikeTrials| {
            [0, 1].map(|side| {
                if kept[side].iter().all(|it| *it) {
                    return trials[side].clone();
                }
                let trials = trials[side].iter().zip(&kept[side]);
                trials.filter(|it| *it.1).map(|it| *it.0).collect()
            })
        };
        let scored = |trials: &[Cow<'_, [&TrialScores]>; 2]| -> usize {
            let trials = trials.iter().flat_map(|it| it.iter());
            trials.filter(|it| it.overall.score.is_some()).count()
        };
        let mut unlike = 0;
        let cases = self.shared.iter().map(|case| {
            let trials = case.scored.each_ref().map(|it| &**it);
            let like = SharedCase {
                key: case.key,
                scored: kept(&case.scored, alike.scored(trials)),
                judged: kept(&case.judged, alike.judged(trials)),
            };
            // A case that is scored in one run only is no comparison.
            if case
                .scored
                .iter()
                .all(|it| it.iter().any(|it| it.overall.score.is_some()))
            {
                unlike += scored(&case.scored) - scored(&like.scored);
            }
            like
        });
        let shared = cases.collect();
        Self {
            shared,
            unlike,
            rules: self.rules,
        }
    }

    fn measure(
        &self,
        label: String,
        (of_before, of_after): (ScoreColumn, ScoreColumn),
    ) -> EvaluatorChange {
        let scores = self.shared.iter().filter_map(|case| {
            let [before, after] = &case.scored;
            of_before.score(before).zip(of_after.score(after))
        });
        let scores: Vec<_> = scores.collect();
        let shares = self.shared.iter().filter_map(|case| {
            let [before, after] = &case.judged;
            let share = of_before.passed(before).share();
            share.zip(of_after.passed(after).share())
        });
        let shares: Vec<_> = shares.collect();
        let is_one_verdict = shares
            .iter()
            .all(|(before, after)| [before, after].iter().all(|it| **it == 0.0 || **it == 1.0));
        EvaluatorChange {
            label,
            score: self.change(&scores, SignificanceTest::Permutation),
            passed: self.change(
                &shares,
                if is_one_verdict {
                    SignificanceTest::McNemar
                } else {
                    SignificanceTest::Permutation
                },
            ),
        }
    }

    fn change(&self, pairs: &[(f64, f64)], test: SignificanceTest) -> Option<MeanChange> {
        let values = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).collect::<Vec<_>>();
        let (before, after) = (mean(&values(|it| it.0))?, mean(&values(|it| it.1))?);
        let differences: Vec<f64> = pairs
            .iter()
            .map(|(before, after)| after - before)
            .map(|it| if it.abs() < NOTHING { 0.0 } else { it })
            .collect();
        let count = |of: fn(f64) -> bool| differences.iter().filter(|it| of(**it)).count();
        let (better, worse) = (count(|it| it > 0.0), count(|it| it < 0.0));
        let p = match test {
            SignificanceTest::McNemar => mcnemar(better as u64, worse as u64),
            SignificanceTest::Permutation => sign_flip(&differences),
        };
        let unknown = Interval {
            estimate: after - before,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        };
        let level = 1.0 - self.rules.confidence;
        Some(MeanChange {
            cases: pairs.len(),
            before,
            after,
            change: mean_interval(&differences, self.rules.confidence).unwrap_or(unknown),
            test,
            p,
            corrected: p,
            effect: standardised(&differences),
            better,
            worse,
            needed: deviation(&differences)
                .and_then(|it| cases_needed(it, self.rules.margin, level, POWER)),
            verdict: ChangeVerdict::NotEnough,
        })
    }

    fn moved(&self, (of_before, of_after): (ScoreColumn, ScoreColumn)) -> Vec<MovedCase> {
        let mut moved = Vec::new();
        for case in &self.shared {
            let [before, after] = &case.judged;
            let (trials_before, trials_after) = (of_before.passed(before), of_after.passed(after));
            let [before, after] = &case.scored;
            let scores = of_before.score(before).zip(of_after.score(after));
            // Never compare a score with a share of passed trials.
            let shares = || trials_before.share().zip(trials_after.share());
            let Some((score_before, score_after)) = scores.or_else(shares) else {
                continue;
            };
            let has_other_verdict = trials_before.share() != trials_after.share()
                && trials_before.trials.min(trials_after.trials) > 0;
            if (score_after - score_before).abs() >= NOTHING || has_other_verdict {
                moved.push(MovedCase {
                    key: case.key.to_owned(),
                    before: score_before,
                    after: score_after,
                    trials_before,
                    trials_after,
                });
            }
        }
        moved.sort_by(|one, other| {
            (one.after - one.before).total_cmp(&(other.after - other.before))
        });
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measurement;
    use proptest::prelude::*;

    fn results(scores: &[(&str, f64)]) -> RunScores {
        let case = |(key, score): &(&str, f64)| {
            let judged = Measurement {
                score: Some(*score),
                passed: Some(*score >= 0.5),
            };
            TrialScores {
                key: (*key).to_owned(),
                values: vec![judged],
                overall: judged,
                ..TrialScores::default()
            }
        };
        RunScores {
            name: "r".into(),
            measures: vec!["order".into()],
            cases: scores.iter().map(case).collect(),
        }
    }

    fn compare(before: &[(&str, f64)], after: &[(&str, f64)]) -> PairedComparison {
        PairedComparison::between(
            &results(before),
            &results(after),
            ComparisonSettings::default(),
        )
    }

    #[test]
    fn only_what_both_have_is_compared_and_what_moved_comes_worst_first() {
        let found = compare(
            &[("a", 1.0), ("b", 0.5), ("c", 0.2), ("x", 0.0)],
            &[("a", 0.0), ("b", 0.5), ("c", 0.4), ("y", 1.0)],
        );
        assert_eq!(
            (found.shared, &found.only.0[..], &found.only.1[..]),
            (3, &["x".to_owned()][..], &["y".to_owned()][..])
        );
        let score = found.measures[0].score.as_ref().unwrap();
        assert_eq!((score.cases, score.better, score.worse), (3, 1, 1));
        assert!((score.change.estimate - -0.8 / 3.0).abs() < 1e-12);
        assert_eq!(
            found.measures[0].passed.as_ref().unwrap().test,
            SignificanceTest::McNemar
        );
        assert_eq!(
            found
                .moved
                .iter()
                .map(|it| it.key.as_str())
                .collect::<Vec<_>>(),
            ["a", "c"]
        );
        assert!(found.moved[0].is_worse() && !found.moved[1].is_worse());
    }

    #[test]
    fn a_case_counts_once_however_many_trials_it_has() {
        let found = compare(
            &[("a", 1.0), ("a", 0.0), ("a", 0.5), ("b", 1.0)],
            &[("a", 1.0), ("b", 1.0)],
        );
        let change = found.measures[0].score.as_ref().unwrap();
        assert_eq!((change.cases, change.before, change.after), (2, 0.75, 1.0));
        assert_eq!(
            found.measures[0].passed.as_ref().unwrap().test,
            SignificanceTest::Permutation
        );
        assert_eq!(
            found.moved[0].trials_before,
            TrialCounts {
                trials: 3,
                passed: 2
            }
        );
    }

    #[test]
    fn what_passes_now_is_fixed_and_what_passed_is_newly_failing() {
        let found = compare(
            &[("a", 1.0), ("b", 0.0), ("c", 0.1), ("d", 0.9), ("d", 0.1)],
            &[("a", 0.0), ("b", 1.0), ("c", 0.2), ("d", 0.0)],
        );
        let named = |is: fn(&MovedCase) -> bool| -> Vec<&str> {
            let cases = found.moved.iter().filter(|it| is(it));
            cases.map(|it| it.key.as_str()).collect()
        };
        assert_eq!(named(MovedCase::is_newly_failing), ["a"]);
        assert_eq!(named(MovedCase::is_fixed), ["b"]);
        assert_eq!(named(MovedCase::is_worse), ["a", "d"]);
    }

    #[test]
    fn cases_move_by_one_evaluator_as_by_all() {
        let (before, after) = (
            results(&[("a", 1.0), ("b", 0.5)]),
            results(&[("a", 0.0), ("b", 0.5)]),
        );
        let columns = (ScoreColumn::Measure(0), ScoreColumn::Measure(0));
        let moved = PairedComparison::moved_by(&before, &after, columns);
        assert_eq!(
            moved,
            PairedComparison::between(&before, &after, ComparisonSettings::default()).moved
        );
        assert_eq!(moved.len(), 1);
        let none = (ScoreColumn::Measure(1), ScoreColumn::Measure(1));
        assert_eq!(PairedComparison::moved_by(&before, &after, none), []);
    }

    #[test]
    fn of_cases_that_moved_as_far_the_first_by_name_comes_first_in_each_direction() {
        let names = ["e", "d", "c", "b", "a"];
        let all = |scores: [f64; 5]| names.into_iter().zip(scores).collect::<Vec<_>>();
        let found = compare(
            &all([0.0, 0.0, 0.0, 1.0, 1.0]),
            &all([0.5, 1.0, 0.5, 0.5, 0.5]),
        );
        let keys = MovedCase::by_direction(&found.moved)
            .map(|cases| cases.iter().map(|it| &*it.key).collect::<Vec<_>>());
        assert_eq!(keys, [vec!["a", "b"], vec!["d", "c", "e"]]);
    }

    fn verdict(
        before: impl Fn(usize) -> f64,
        after: impl Fn(usize) -> f64,
        cases: usize,
    ) -> ChangeVerdict {
        let names: Vec<_> = (0..cases).map(|number| format!("{number:03}")).collect();
        let of = |value: &dyn Fn(usize) -> f64| {
            names
                .iter()
                .enumerate()
                .map(|(at, name)| (name.as_str(), value(at)))
                .collect::<Vec<_>>()
        };
        compare(&of(&before), &of(&after)).measures[0]
            .score
            .as_ref()
            .unwrap()
            .verdict
    }

    #[test]
    fn a_verdict_says_no_more_than_the_cases_show() {
        let half = |at: usize| (at % 2) as f64;
        assert_eq!(verdict(|_| 0.5, |_| 0.9, 10), ChangeVerdict::Better);
        assert_eq!(verdict(|_| 0.9, |_| 0.5, 10), ChangeVerdict::Worse);
        assert_eq!(verdict(half, half, 3), ChangeVerdict::Same);
        assert_eq!(verdict(|_| 0.5, |_| 0.9, 3), ChangeVerdict::NotEnough);
        assert_eq!(
            verdict(half, |at| half(at + 1), 20),
            ChangeVerdict::NotEnough
        );
        assert_eq!(
            verdict(|_| 0.5, |at| if at % 2 == 0 { 0.52 } else { 0.48 }, 100),
            ChangeVerdict::NoDifference
        );
    }

    proptest! {
        #[test]
        fn turned_round_a_comparison_says_the_opposite(scores in prop::collection::vec((0_u8..=4, 0_u8..=4), 2..30)) {
            let names: Vec<_> = (0..scores.len()).map(|number| format!("{number:03}")).collect();
            let of = |side: &dyn Fn(&(u8, u8)) -> u8| {
                names.iter().zip(&scores).map(|(name, it)| (name.as_str(), f64::from(side(it)) / 4.0)).collect::<Vec<_>>()
            };
            let (before, after) = (of(&|it| it.0), of(&|it| it.1));
            let there = compare(&before, &after);
            let back = compare(&after, &before);
            let (one, other) = (there.measures[0].score.as_ref().unwrap(), back.measures[0].score.as_ref().unwrap());
            prop_assert!((one.change.estimate + other.change.estimate).abs() < 1e-12);
            prop_assert_eq!((one.better, one.worse), (other.worse, other.better));
            prop_assert!((one.p - other.p).abs() < 1e-12);
            prop_assert!(one.change.low <= one.change.estimate + 1e-12 && one.change.estimate <= one.change.high + 1e-12);
            prop_assert_eq!(there.moved.len(), back.moved.len());
        }
    }
}
