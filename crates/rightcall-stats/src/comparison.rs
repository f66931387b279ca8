//! Compares two runs over the same cases.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::alike::{AlikeTrials, CommonEvaluators, trials_of_both};
use crate::moved_case::MovedCase;
use crate::run_scores::{Grouped, ScoreColumn};
use crate::{
    ChangeVerdict, ComparisonSettings, EQUAL_WITHIN, EvaluatorChange, Interval, MeanChange,
    Measurement, RunScores, SignificanceTest, TrialCounts, TrialScores, cases_needed, deviation,
    fewest_cases, holm, mcnemar, mean, mean_interval, sign_flip, standardised,
};

/// The probability of detecting a change, for the number of needed cases.
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
    /// The keys of cases that had a weighted score before, and now have more trials without one.
    pub no_longer_judged: Vec<String>,
    /// The cases that changed, by their weighted score, worst first.
    pub moved: Vec<MovedCase>,
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
        let mut overall = wholes.measure("each case".to_owned(), WHOLE);
        let lost = pairs.lost_wholes(before, after);
        if let Some(change) = &mut overall.score {
            change.no_longer_judged = lost.len();
        }
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
            moved: wholes.moved(WHOLE, &lost),
            no_longer_judged: lost.into_iter().map(ToOwned::to_owned).collect(),
        }
    }

    /// The cases that changed by the score of one evaluator, worst first. The evaluator is given by its index in each run.
    pub fn moved_by(
        before: &RunScores,
        after: &RunScores,
        columns: (ScoreColumn, ScoreColumn),
    ) -> Vec<MovedCase> {
        let (before, after) = (before.grouped(), after.grouped());
        let pairs = Pairs::new(&before, &after, ComparisonSettings::default());
        pairs.moved(columns, &pairs.lost(columns, |it| it.score.is_some()))
    }

    /// The change of the share of cases that passed. This rule combines the trials of a case into one verdict.
    pub fn passed_by(
        before: &RunScores,
        after: &RunScores,
        rules: ComparisonSettings,
        rule: impl Fn(TrialCounts) -> bool,
    ) -> Option<MeanChange> {
        let alike = CommonEvaluators::new(before, after);
        let (before, after) = (before.grouped(), after.grouped());
        let pairs = Pairs::new(&before, &after, rules);
        let wholes = pairs.alike(&alike);
        let verdict = |trials: &[&TrialScores]| {
            let counts = ScoreColumn::Overall.passed(trials);
            (counts.trials > 0).then(|| f64::from(u8::from(rule(counts))))
        };
        let verdicts = wholes.shared.iter().filter_map(|case| {
            let [before, after] = &case.judged;
            verdict(before).zip(verdict(after))
        });
        let verdicts: Vec<_> = verdicts.collect();
        let mut change = wholes.change(&verdicts, SignificanceTest::McNemar)?;
        change.no_longer_judged = pairs.lost(WHOLE, |it| it.passed.is_some()).len();
        change.verdict = change.judge(rules);
        Some(change)
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

/// The trials of a case that two runs share.
#[derive(Clone)]
struct SharedCase<'r> {
    key: &'r str,
    /// The trials with comparable scores, before and after.
    scored: [Cow<'r, [&'r TrialScores]>; 2],
    /// The trials with comparable verdicts.
    judged: [Cow<'r, [&'r TrialScores]>; 2],
    /// Trials of the first run that the second run lacks. They are skipped on both sides.
    missing_after: Vec<&'r TrialScores>,
}

impl<'r> SharedCase<'r> {
    /// The case with the trials that both runs have.
    fn new(key: &'r str, trials: [&'r [&'r TrialScores]; 2]) -> Self {
        let (mut all, mut missing_after) = (trials.map(Cow::Borrowed), Vec::new());
        if let Some(kept) = trials_of_both(trials) {
            let of = |side: usize, is_kept: bool| -> Vec<_> {
                let trials = trials[side].iter().zip(&kept[side]);
                trials
                    .filter(|it| *it.1 == is_kept)
                    .map(|it| *it.0)
                    .collect()
            };
            missing_after = of(0, false);
            all = [0, 1].map(|side| Cow::Owned(of(side, true)));
        }
        Self {
            key,
            scored: all.clone(),
            judged: all,
            missing_after,
        }
    }
}

/// The cases that two runs share, in the order of their keys.
struct Pairs<'r> {
    shared: Vec<SharedCase<'r>>,
    /// Number of scored trials left out.
    unlike: usize,
    rules: ComparisonSettings,
}

/// The combined result, in both runs.
const WHOLE: (ScoreColumn, ScoreColumn) = (ScoreColumn::Overall, ScoreColumn::Overall);

impl<'r> Pairs<'r> {
    fn new(before: &'r Grouped<'r>, after: &'r Grouped<'r>, rules: ComparisonSettings) -> Self {
        // Both are sorted by key.
        let mut others = after.iter().peekable();
        let mut shared = Vec::new();
        for (key, trials) in before.iter() {
            while others.next_if(|(other, _)| *other < key).is_some() {}
            if let Some((_, after)) = others.next_if(|(other, _)| *other == key) {
                shared.push(SharedCase::new(key, [trials, after]));
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
            let comparable = SharedCase {
                key: case.key,
                scored: kept(&case.scored, alike.scored(trials)),
                judged: kept(&case.judged, alike.judged(trials)),
                missing_after: case.missing_after.clone(),
            };
            // A case that only one run scored can't be compared.
            if case
                .scored
                .iter()
                .all(|it| it.iter().any(|it| it.overall.score.is_some()))
            {
                unlike += scored(&case.scored) - scored(&comparable.scored);
            }
            comparable
        });
        let shared = cases.collect();
        Self {
            shared,
            unlike,
            rules: self.rules,
        }
    }

    /// The keys of cases that had a value before, and now have more trials without one.
    fn lost(
        &self,
        (before_column, after_column): (ScoreColumn, ScoreColumn),
        has: fn(&Measurement) -> bool,
    ) -> BTreeSet<&'r str> {
        let is_lost = |case: &&SharedCase<'_>| {
            let [before, after] = &case.scored;
            let judged = before
                .iter()
                .filter(|it| has(&before_column.of(it)))
                .count();
            let missing = after.iter().filter(|it| !has(&after_column.of(it))).count();
            let is_gone = case
                .missing_after
                .iter()
                .any(|it| has(&before_column.of(it)));
            is_gone || judged > 0 && missing > before.len() - judged
        };
        let lost = self.shared.iter().filter(is_lost);
        lost.map(|case| case.key).collect()
    }

    /// Like [`lost`](Self::lost), for combined scores. Evaluators of a single run don't count.
    fn lost_wholes(&self, before: &RunScores, after: &RunScores) -> BTreeSet<&'r str> {
        let has_score = |it: &Measurement| it.score.is_some();
        let names = before.measures.iter().enumerate();
        let columns = names.filter_map(|(position, name)| {
            let later = after.measure(name)?;
            Some((ScoreColumn::Measure(position), ScoreColumn::Measure(later)))
        });
        let of_measures: BTreeSet<_> = columns.flat_map(|it| self.lost(it, has_score)).collect();
        &self.lost(WHOLE, has_score) & &of_measures
    }

    fn measure(
        &self,
        label: String,
        (before_column, after_column): (ScoreColumn, ScoreColumn),
    ) -> EvaluatorChange {
        let scores = self.shared.iter().filter_map(|case| {
            let [before, after] = &case.scored;
            before_column.score(before).zip(after_column.score(after))
        });
        let scores: Vec<_> = scores.collect();
        let shares = self.shared.iter().filter_map(|case| {
            let [before, after] = &case.judged;
            let share = before_column.passed(before).share();
            share.zip(after_column.passed(after).share())
        });
        let shares: Vec<_> = shares.collect();
        let is_one_verdict = shares
            .iter()
            .all(|(before, after)| [before, after].iter().all(|it| **it == 0.0 || **it == 1.0));
        let test = if is_one_verdict {
            SignificanceTest::McNemar
        } else {
            SignificanceTest::Permutation
        };
        let columns = (before_column, after_column);
        let with_lost = |change: Option<MeanChange>, has| {
            let no_longer_judged = self.lost(columns, has).len();
            change.map(|change| MeanChange {
                no_longer_judged,
                ..change
            })
        };
        let score = self.change(&scores, SignificanceTest::Permutation);
        EvaluatorChange {
            label,
            score: with_lost(score, |it| it.score.is_some()),
            passed: with_lost(self.change(&shares, test), |it| it.passed.is_some()),
        }
    }

    fn change(&self, pairs: &[(f64, f64)], test: SignificanceTest) -> Option<MeanChange> {
        let values = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).collect::<Vec<_>>();
        let (before, after) = (mean(&values(|it| it.0))?, mean(&values(|it| it.1))?);
        let differences: Vec<f64> = pairs
            .iter()
            .map(|(before, after)| after - before)
            .map(|it| if it.abs() < EQUAL_WITHIN { 0.0 } else { it })
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
            no_longer_judged: 0,
            needed: deviation(&differences)
                .and_then(|it| cases_needed(it, self.rules.margin, level, POWER))
                .unwrap_or_default()
                .max(fewest_cases(level)),
            verdict: ChangeVerdict::NotEnough,
        })
    }

    /// `lost` are the keys of cases that are no longer judged in all of their trials.
    fn moved(
        &self,
        (before_column, after_column): (ScoreColumn, ScoreColumn),
        lost: &BTreeSet<&str>,
    ) -> Vec<MovedCase> {
        let mut moved = Vec::new();
        for case in &self.shared {
            // A trial without a score did not get worse: it is no longer judged.
            let is_lost = lost.contains(case.key);
            let passed = |trials: &[&TrialScores], column: ScoreColumn| {
                let is_scored = |it: &&&TrialScores| !is_lost || column.of(it).score.is_some();
                column.passed(&trials.iter().filter(is_scored).copied().collect::<Vec<_>>())
            };
            let [before, after] = &case.judged;
            let (trials_before, trials_after) =
                (passed(before, before_column), passed(after, after_column));
            let [before, after] = &case.scored;
            // Never compare a score with a share of passed trials.
            let found = (before_column.score(before), after_column.score(after));
            let was_scored = !matches!(found, (None, Some(_)));
            let scores = match found {
                (Some(before), Some(after)) => Some((before, after)),
                (Some(_), None) if is_lost => None,
                (None, Some(after)) => trials_before.share().map(|before| (before, after)),
                _ => trials_before.share().zip(trials_after.share()),
            };
            let Some((score_before, score_after)) = scores else {
                continue;
            };
            let has_other_verdict = trials_before.share() != trials_after.share()
                && trials_before.trials.min(trials_after.trials) > 0;
            let has_other_score = was_scored && (score_after - score_before).abs() >= EQUAL_WITHIN;
            if has_other_score || has_other_verdict {
                let scores = [score_before, score_after];
                let moved_case = MovedCase::new(case.key, scores, [trials_before, trials_after]);
                moved.push(MovedCase {
                    was_scored,
                    ..moved_case
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
mod tests;
