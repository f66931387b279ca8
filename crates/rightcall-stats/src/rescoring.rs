//! Compares scores of the same rows under several settings: the spread of each setting, and the
//! differences of each pair.
//!
//! The measures of a [`RunScores`] are the settings, and its cases are the rows. Rows with the same key are a group, such as the
//! completions of one prompt. Intervals are bootstrapped over groups.

use serde::Serialize;

use crate::run_scores::{Measurement, ScoreColumn};
use crate::{
    EQUAL_WITHIN, Interval, RunScores, TrialScores, bootstrap, deviation, kappa, kendall, mean,
};

/// The lowest passing score, for rows without a mark and a verdict.
const PASSES: f64 = 1.0;

/// The spread of the scores of a setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingSpread {
    /// The setting.
    pub setting: String,
    /// Rows with a score.
    pub rows: usize,
    /// The mean over groups, each counted once by its own mean. The ends are not finite with fewer than two groups.
    pub mean: Option<Interval>,
    /// The standard deviation of all rows; `None` below two.
    pub deviation: Option<f64>,
    /// The mean over groups of the standard deviation within a group; `None` if no group has two rows.
    pub within_groups: Option<f64>,
    /// Groups with at least two scored rows.
    pub groups: usize,
    /// Groups among them with equal scores. A trainer that compares rows within a group can't learn
    /// from them.
    pub equal_groups: usize,
    /// The first of these.
    pub equal_example: Option<String>,
}

/// The agreement of two settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingPair {
    /// The position of the first setting.
    #[serde(skip)]
    pub first: usize,
    /// The position of the second.
    #[serde(skip)]
    pub second: usize,
    /// Rows that both score.
    pub rows: usize,
    /// Kendall's tau-b of the scores. The ends are not finite with fewer than two groups.
    pub tau_b: Option<Interval>,
    /// Cohen's kappa of the verdicts. The ends are not finite with fewer than two groups.
    pub kappa: Option<Interval>,
    /// Their differences.
    #[serde(skip)]
    pub partings: Vec<Parting>,
}

/// The rows with one kind of difference between two settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The kind.
    pub kind: PartingKind,
    /// The positions of the rows; never empty.
    pub rows: Vec<usize>,
    /// The row with the largest difference, the first one on a tie.
    pub example: usize,
}

/// A kind of difference between two settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartingKind {
    /// The first setting scores lower.
    FirstLower,
    /// The second setting scores lower.
    SecondLower,
    /// The row passes only under the first setting.
    FirstPassesAlone,
    /// The row passes only under the second setting.
    SecondPassesAlone,
    /// Only the first setting has a score.
    FirstScoresAlone,
    /// Only the second setting has a score.
    SecondScoresAlone,
}

impl PartingKind {
    /// All kinds, in the order of lists.
    pub const ALL: [Self; 6] = [
        Self::FirstLower,
        Self::SecondLower,
        Self::FirstPassesAlone,
        Self::SecondPassesAlone,
        Self::FirstScoresAlone,
        Self::SecondScoresAlone,
    ];

    /// True if two settings have this kind of difference on a row.
    fn applies(self, first: Measurement, second: Measurement, mark: Option<f64>) -> bool {
        let (Some(one), Some(other)) = (first.score, second.score) else {
            return match self {
                Self::FirstScoresAlone => first.score.is_some(),
                Self::SecondScoresAlone => second.score.is_some(),
                _ => false,
            };
        };
        let passes = [first, second].map(|it| passes(it, mark) == Some(true));
        match self {
            Self::FirstLower => other - one > EQUAL_WITHIN,
            Self::SecondLower => one - other > EQUAL_WITHIN,
            Self::FirstPassesAlone => passes == [true, false],
            Self::SecondPassesAlone => passes == [false, true],
            Self::FirstScoresAlone | Self::SecondScoresAlone => false,
        }
    }
}

/// True if a scored row passes: by the mark, else by its verdict, else with a score of 1.
fn passes(measurement: Measurement, mark: Option<f64>) -> Option<bool> {
    let score = measurement.score?;
    Some(match (mark, measurement.passed) {
        (Some(mark), _) => score >= mark,
        (None, Some(passed)) => passed,
        (None, None) => score >= PASSES,
    })
}

impl RunScores {
    /// The spread of the scores of each measure.
    pub fn spreads(&self, confidence: f64) -> Vec<SettingSpread> {
        let means = self.means(confidence);
        let settings = self.measures.iter().zip(means).enumerate();
        settings
            .map(|(at, (setting, interval))| self.spread(at, setting, interval))
            .collect()
    }

    fn spread(&self, at: usize, setting: &str, interval: Option<Interval>) -> SettingSpread {
        let score = |case: &TrialScores| ScoreColumn::Measure(at).of(case).score;
        let grouped = self.grouped();
        let groups: Vec<(&str, Vec<f64>)> = grouped
            .iter()
            .map(|(key, rows)| (key, rows.iter().filter_map(|row| score(row)).collect()))
            .collect();
        let means: Vec<f64> = groups.iter().filter_map(|(_, it)| mean(it)).collect();
        let all: Vec<f64> = self.cases.iter().filter_map(score).collect();
        let several: Vec<_> = groups.iter().filter(|(_, it)| it.len() > 1).collect();
        let within: Vec<f64> = several.iter().filter_map(|(_, it)| deviation(it)).collect();
        let is_equal = |scores: &[f64]| {
            let differs = |it: &f64| (it - scores[0]).abs() > EQUAL_WITHIN;
            !scores.iter().any(differs)
        };
        let mut equal = several.iter().filter(|(_, scores)| is_equal(scores));
        SettingSpread {
            setting: setting.to_owned(),
            rows: all.len(),
            mean: interval.or_else(|| mean(&means).map(without_interval)),
            deviation: deviation(&all),
            within_groups: mean(&within),
            groups: several.len(),
            equal_groups: equal.clone().count(),
            equal_example: equal.next().map(|(key, _)| (*key).to_owned()),
        }
    }

    /// The agreement of each pair of measures. A row passes by this mark, else by its verdict, else with a score of 1.
    pub fn setting_pairs(&self, confidence: f64, mark: Option<f64>) -> Vec<SettingPair> {
        let number = self.measures.len();
        let pairs = (0..number).flat_map(|first| (first + 1..number).map(move |it| (first, it)));
        pairs
            .map(|(first, second)| self.setting_pair(first, second, confidence, mark))
            .collect()
    }

    fn setting_pair(
        &self,
        first: usize,
        second: usize,
        confidence: f64,
        mark: Option<f64>,
    ) -> SettingPair {
        let of = |row: &TrialScores| [first, second].map(|at| ScoreColumn::Measure(at).of(row));
        let scored = |row: &&TrialScores| {
            let [one, other] = of(row);
            Some(ScoredRow {
                scores: (one.score?, other.score?),
                passes: (passes(one, mark)?, passes(other, mark)?),
            })
        };
        let groups: Vec<Vec<ScoredRow>> = self
            .grouped()
            .values()
            .map(|rows| rows.iter().filter_map(scored).collect())
            .filter(|rows: &Vec<_>| !rows.is_empty())
            .collect();
        SettingPair {
            first,
            second,
            rows: groups.iter().map(Vec::len).sum(),
            tau_b: with_interval(&groups, confidence, |rows| {
                let (one, other): (Vec<_>, Vec<_>) = rows.iter().map(|it| it.scores).unzip();
                kendall(&one, &other)
            }),
            kappa: with_interval(&groups, confidence, |rows| {
                let (one, other): (Vec<_>, Vec<_>) = rows.iter().map(|it| it.passes).unzip();
                kappa(&one, &other)
            }),
            partings: self.partings(of, mark),
        }
    }

    fn partings(
        &self,
        of: impl Fn(&TrialScores) -> [Measurement; 2],
        mark: Option<f64>,
    ) -> Vec<Parting> {
        let difference = |row: usize| {
            let [one, other] = of(&self.cases[row]).map(|it| it.score);
            one.zip(other)
                .map_or(0.0, |(one, other)| (one - other).abs())
        };
        let parting = |kind: PartingKind| {
            let has_difference = |row: &usize| {
                let [one, other] = of(&self.cases[*row]);
                kind.applies(one, other, mark)
            };
            let rows: Vec<usize> = (0..self.cases.len()).filter(has_difference).collect();
            let larger = |best: usize, row: usize| {
                if difference(row) > difference(best) {
                    row
                } else {
                    best
                }
            };
            let example = rows.iter().copied().reduce(larger)?;
            Some(Parting {
                kind,
                rows,
                example,
            })
        };
        PartingKind::ALL.into_iter().filter_map(parting).collect()
    }
}

/// A row that two settings score.
#[derive(Clone, Copy)]
struct ScoredRow {
    scores: (f64, f64),
    passes: (bool, bool),
}

/// A statistic of the rows with its bootstrap interval over groups.
fn with_interval(
    groups: &[Vec<ScoredRow>],
    confidence: f64,
    statistic: impl Fn(&[ScoredRow]) -> Option<f64>,
) -> Option<Interval> {
    let statistic_of = |groups_drawn: &[usize]| {
        let rows: Vec<ScoredRow> = groups_drawn
            .iter()
            .flat_map(|at| &groups[*at])
            .copied()
            .collect();
        statistic(&rows)
    };
    let all: Vec<usize> = (0..groups.len()).collect();
    bootstrap(groups.len(), confidence, statistic_of)
        .or_else(|| statistic_of(&all).map(without_interval))
}

/// A number without a known interval.
fn without_interval(estimate: f64) -> Interval {
    Interval {
        estimate,
        low: f64::NAN,
        high: f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows: the group, the scores under two settings, and a verdict under the second.
    type Rows<'r> = &'r [(&'r str, Option<f64>, Option<f64>, Option<bool>)];

    fn rescored(rows: Rows<'_>) -> RunScores {
        let row =
            |(key, first, second, passed): &(&str, Option<f64>, Option<f64>, Option<bool>)| {
                TrialScores {
                    key: (*key).to_owned(),
                    values: vec![
                        Measurement {
                            score: *first,
                            passed: None,
                        },
                        Measurement {
                            score: *second,
                            passed: *passed,
                        },
                    ],
                    ..TrialScores::default()
                }
            };
        RunScores {
            measures: vec!["strict".into(), "lenient".into()],
            cases: rows.iter().map(row).collect(),
            ..RunScores::default()
        }
    }

    #[test]
    fn groups_weigh_the_same_and_equal_scores_are_counted() {
        let rows = rescored(&[
            ("a", Some(1.0), Some(1.0), None),
            ("a", Some(1.0), Some(0.5), None),
            ("b", Some(0.0), Some(0.5), None),
            ("b", Some(0.1 + 0.2), None, None),
            ("c", Some(0.0), None, None),
        ]);
        let [strict, lenient] = &rows.spreads(0.95)[..] else {
            panic!("two settings")
        };
        assert_eq!((strict.rows, strict.groups, strict.equal_groups), (5, 2, 1));
        assert_eq!(strict.equal_example.as_deref(), Some("a"));
        // The means of the groups are 1, 0.15 and 0.
        assert!((strict.mean.unwrap().estimate - 1.15 / 3.0).abs() < 1e-12);
        assert_eq!(
            (lenient.rows, lenient.groups, lenient.equal_groups),
            (3, 1, 0)
        );
        assert!((lenient.within_groups.unwrap() - 0.125_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn pairs_of_settings_have_six_kinds_of_differences() {
        let rows = rescored(&[
            ("a", Some(0.5), Some(1.0), Some(true)),
            ("b", Some(0.2), Some(1.0), Some(true)),
            ("c", Some(1.0), Some(0.9), Some(false)),
            ("d", Some(1.0), None, None),
            ("e", None, Some(0.3), Some(true)),
            ("f", Some(0.3), Some(0.1 + 0.2), Some(false)),
            ("g", None, None, None),
        ]);
        let pairs = rows.setting_pairs(0.95, None);
        let [pair] = &pairs[..] else {
            panic!("one pair")
        };
        let found = pair.partings.iter();
        let found: Vec<_> = found
            .map(|it| (it.kind, &it.rows[..], it.example))
            .collect();
        let expected: [(PartingKind, &[usize], usize); 6] = [
            (PartingKind::FirstLower, &[0, 1], 1),
            (PartingKind::SecondLower, &[2], 2),
            (PartingKind::FirstPassesAlone, &[2], 2),
            (PartingKind::SecondPassesAlone, &[0, 1], 1),
            (PartingKind::FirstScoresAlone, &[3], 3),
            (PartingKind::SecondScoresAlone, &[4], 4),
        ];
        assert_eq!(found, expected);
        assert_eq!(pair.rows, 4);
        // Under a mark, verdicts don't count.
        let pair = &rows.setting_pairs(0.95, Some(0.9))[0];
        let alone = |it: &&Parting| it.kind == PartingKind::FirstPassesAlone;
        assert!(!pair.partings.iter().any(|it| alone(&it)));
    }

    #[test]
    fn a_setting_agrees_with_itself_and_one_group_has_no_interval() {
        let rows: Vec<_> = (0..20)
            .map(|row| {
                let score = Some(f64::from(row % 4) / 3.0);
                (["a", "b", "c", "d"][row as usize / 5], score, score, None)
            })
            .collect();
        let pair = &rescored(&rows).setting_pairs(0.95, None)[0];
        let full_agreement = Interval {
            estimate: 1.0,
            low: 1.0,
            high: 1.0,
        };
        assert_eq!(
            (pair.tau_b, pair.kappa),
            (Some(full_agreement), Some(full_agreement))
        );
        assert_eq!(pair.partings, []);
        let one = &rescored(&rows[..5]).setting_pairs(0.95, None)[0];
        let tau = one.tau_b.unwrap();
        assert!(tau.estimate == 1.0 && tau.low.is_nan());
    }
}
