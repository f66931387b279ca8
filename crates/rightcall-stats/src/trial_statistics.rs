//! Cases with several trials.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::run_scores::ScoreColumn;
use crate::{RunScores, TrialCounts, TrialScores, agreement, pass_at, pass_hat};

/// Statistics over the trials of cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialStatistics {
    /// Cases with a verdict.
    pub cases: usize,
    /// The smallest number of trials of a case.
    pub fewest_trials: u64,
    /// The largest number of trials of a case.
    pub most_trials: u64,
    /// For each `k` up to 8, each power of two and the largest number of trials, if any case has `k` trials.
    pub by_k: Vec<PassAtK>,
    /// The probability that two trials of a case have the same verdict, averaged over cases with at least two trials.
    pub agreement: Option<f64>,
    /// Number of cases that passed in some trials and failed in others.
    pub flaky_cases: usize,
    /// The flaky cases with a known name, those closest to one half first.
    #[serde(serialize_with = "write_named", deserialize_with = "read_named")]
    pub flaky: Vec<(String, TrialCounts)>,
}

/// The JSON form of a case with its name and its counts.
#[derive(Serialize, Deserialize)]
struct NamedCase {
    case: String,
    passed: u64,
    trials: u64,
}

fn write_named<S: Serializer>(
    cases: &[(String, TrialCounts)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(cases.iter().map(|(case, counts)| NamedCase {
        case: case.clone(),
        passed: counts.passed,
        trials: counts.trials,
    }))
}

fn read_named<'d, D: Deserializer<'d>>(
    deserializer: D,
) -> Result<Vec<(String, TrialCounts)>, D::Error> {
    let counts = |it: NamedCase| {
        let (trials, passed) = (it.trials, it.passed);
        (it.case, TrialCounts { trials, passed })
    };
    let cases = Vec::deserialize(deserializer)?;
    Ok(cases.into_iter().map(counts).collect())
}

/// `pass@k` and `pass^k`, over the cases with at least `k` trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PassAtK {
    /// Number of trials.
    pub k: u64,
    /// Number of cases with at least `k` trials.
    pub cases: usize,
    /// The probability that at least one of `k` trials passes.
    #[serde(rename = "pass_at_k")]
    pub any: f64,
    /// The probability that all `k` trials pass.
    #[serde(rename = "pass_hat_k")]
    pub all: f64,
}

impl TrialStatistics {
    /// The statistics of these named cases; `None` if no trial has a verdict.
    pub fn from_cases(cases: &[(String, TrialCounts)]) -> Option<Self> {
        let mut counts = BTreeMap::new();
        cases
            .iter()
            .for_each(|(_, of)| *counts.entry(*of).or_default() += 1);
        Self::from_counts(
            &counts,
            cases
                .iter()
                .filter(|(_, of)| of.are_flaky())
                .cloned()
                .collect(),
        )
    }

    /// Like [`from_cases`](Self::from_cases), from the number of cases for each trial count.
    /// `flaky` may lack some names.
    pub fn from_counts(
        counts: &BTreeMap<TrialCounts, usize>,
        mut flaky: Vec<(String, TrialCounts)>,
    ) -> Option<Self> {
        let judged = || {
            counts
                .iter()
                .filter(|(of, _)| of.trials > 0)
                .map(|(of, cases)| (*of, *cases))
        };
        let fewest = judged().map(|(of, _)| of.trials).min()?;
        let most = judged().map(|(of, _)| of.trials).max()?;
        let number = |cases: &mut dyn Iterator<Item = (TrialCounts, usize)>| {
            cases.map(|(_, cases)| cases).sum::<usize>()
        };
        // Each different trial count is weighted by its number of cases.
        let average = |value: &dyn Fn(TrialCounts) -> Option<f64>| {
            let of_cases = judged().filter_map(|(of, cases)| Some((value(of)?, cases as f64)));
            let (sum, cases) = of_cases.fold((0.0, 0.0), |(sum, all), (value, cases)| {
                (sum + value * cases, all + cases)
            });
            (cases > 0.0).then(|| sum / cases)
        };
        let ks = (1..=most).filter(|k| *k <= 8 || k.is_power_of_two() || *k == most);
        let by_k = ks.filter_map(|k| {
            let cases = number(&mut judged().filter(|(of, _)| of.trials >= k));
            Some(PassAtK {
                k,
                cases,
                any: average(&|of| pass_at(k, of))?,
                all: average(&|of| pass_hat(k, of))?,
            })
        });
        let undecided = |of: &TrialCounts| (of.share().unwrap_or(0.0) - 0.5).abs();
        flaky.sort_by(|(one, of_one), (other, of_other)| {
            undecided(of_one)
                .total_cmp(&undecided(of_other))
                .then(one.cmp(other))
        });
        Some(Self {
            cases: number(&mut judged()),
            fewest_trials: fewest,
            most_trials: most,
            by_k: by_k.collect(),
            agreement: average(&agreement),
            flaky_cases: number(&mut judged().filter(|(of, _)| of.are_flaky())),
            flaky,
        })
    }
}

/// The rule for passing a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PassMark {
    /// By its verdict.
    Verdicts,
    /// If its combined score is at least this.
    Score(f64),
    /// If its field is at least this.
    Field(f64),
}

impl RunScores {
    /// The statistics of the trials; `None` if no case has several trials, or no trial has a verdict.
    pub fn trial_statistics(&self, mark: PassMark) -> Option<TrialStatistics> {
        let cases = self.grouped();
        if cases.values().all(|trials| trials.len() < 2) {
            return None;
        }
        let passed_from = |values: Vec<f64>, mark: f64| TrialCounts {
            trials: values.len() as u64,
            passed: values.iter().filter(|value| **value >= mark).count() as u64,
        };
        let counts = |trials: &[&TrialScores]| match mark {
            PassMark::Verdicts => ScoreColumn::Overall.passed(trials),
            PassMark::Score(mark) => {
                let scores = trials.iter().filter_map(|it| it.overall.score);
                passed_from(scores.collect(), mark)
            }
            PassMark::Field(mark) => {
                let fields = trials.iter().filter_map(|it| it.field);
                passed_from(fields.collect(), mark)
            }
        };
        let counts: Vec<_> = cases
            .iter()
            .map(|(key, trials)| (key.to_owned(), counts(trials)))
            .collect();
        TrialStatistics::from_cases(&counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_sometimes_pass_are_flaky() {
        let of = |name: &str, trials, passed| (name.to_owned(), TrialCounts { trials, passed });
        let cases = [
            of("sure", 4, 4),
            of("rare", 4, 1),
            of("even", 4, 2),
            of("never", 2, 0),
            of("none", 0, 0),
        ];
        let found = TrialStatistics::from_cases(&cases).unwrap();
        assert_eq!(
            (found.cases, found.fewest_trials, found.most_trials),
            (4, 2, 4)
        );
        assert_eq!(
            found
                .flaky
                .iter()
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>(),
            ["even", "rare"]
        );
        assert_eq!(
            found.by_k[0],
            PassAtK {
                k: 1,
                cases: 4,
                any: 1.75 / 4.0,
                all: 1.75 / 4.0
            }
        );
        assert_eq!(
            (found.by_k[3].cases, found.by_k[3].all, found.by_k[3].any),
            (3, 1.0 / 3.0, 1.0)
        );
        assert_eq!(found.flaky_cases, 2);
        assert_eq!(TrialStatistics::from_cases(&[of("none", 0, 0)]), None);
    }

    #[test]
    fn only_some_values_of_k_are_listed() {
        let of = |trials, passed| TrialCounts { trials, passed };
        let found =
            TrialStatistics::from_counts(&[(of(20, 5), 2), (of(10, 10), 1)].into(), Vec::new())
                .unwrap();
        assert_eq!(
            found.by_k.iter().map(|it| it.k).collect::<Vec<_>>(),
            [1, 2, 3, 4, 5, 6, 7, 8, 16, 20]
        );
        assert_eq!(
            (found.cases, found.flaky_cases, found.flaky.len()),
            (3, 2, 0)
        );
        assert_eq!((found.by_k[0].any, found.by_k[8].cases), (0.5, 2));
    }
}
