//! Gates on changes since another run.

use std::fmt;

use rightcall_results::{
    Bound, ChangeStatistic, GateResult, GateSubject, Statistic, TrialRule, UNKNOWN_END,
};
use rightcall_stats::{MeanChange, PairedComparison};

/// A condition on a change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeGate {
    /// The name of an evaluator in results, `score` for the weighted score of the cases, or `passed` for their verdicts.
    pub subject: String,
    /// The statistic of the change.
    pub statistic: ChangeStatistic,
    /// The condition on that number.
    pub wanted: Bound,
}

impl ChangeGate {
    /// Parses `worse = 0`, `passed change >= -1%` or `right calls change_low >= -0.02`. Without a
    /// subject, the gate applies to the weighted score of the cases.
    pub fn parse(text: &str) -> Option<Self> {
        let operator = text.find(['=', '<', '>', '!'])?;
        let (name, bound) = text.split_at(operator);
        let (subject, statistic) = name
            .trim()
            .rsplit_once(' ')
            .unwrap_or(("score", name.trim()));
        let statistic = ChangeStatistic::parse(statistic)?;
        Some(Self {
            subject: subject.trim().to_owned(),
            statistic,
            wanted: Bound::parse(bound)?,
        })
    }

    /// The result. The gate fails if there is no number, or if cases are no longer judged.
    ///
    /// # Errors
    /// The names of all evaluators, if none has the name of the subject.
    pub fn judge(&self, comparison: &PairedComparison) -> Result<GateResult, Vec<String>> {
        let change = match self.subject.as_str() {
            "score" => comparison.overall.score.as_ref(),
            "passed" => comparison.overall.passed.as_ref(),
            name => {
                let entry = rightcall_core::find(name).ok();
                let is_meant =
                    |label: &str| label == name || entry.is_some_and(|entry| entry.id == label);
                let Some(measure) = comparison
                    .measures
                    .iter()
                    .find(|measure| is_meant(&measure.label))
                else {
                    return Err(comparison
                        .measures
                        .iter()
                        .map(|measure| measure.label.clone())
                        .collect());
                };
                measure.score.as_ref()
            }
        };
        let found = change.map(|change| statistic_of(self.statistic, change));
        let mut result = self.result(found);
        result.mark_lost(change.map_or(0, |change| change.no_longer_judged));
        Ok(result)
    }

    /// The number, formatted for people.
    pub fn shown(&self, number: f64) -> String {
        if self.statistic.is_count() {
            format!("{number}")
        } else if !number.is_finite() {
            UNKNOWN_END.to_owned()
        } else if self.wanted.is_percent() || self.subject == "passed" {
            format!("{:+.1} %", 100.0 * number)
        } else {
            format!("{number:+.3}")
        }
    }

    /// The result of the gate for this number.
    fn result(&self, found: Option<f64>) -> GateResult {
        let subject = match self.subject.as_str() {
            "score" => GateSubject::Score,
            "passed" => GateSubject::Passed(TrialRule::Each),
            label => GateSubject::Evaluator {
                index: None,
                label: label.to_owned(),
            },
        };
        GateResult {
            subject,
            statistic: Statistic::Change(self.statistic),
            only: String::new(),
            by: None,
            group: None,
            wanted: self.wanted,
            found,
            held: found.is_some_and(|found| self.wanted.holds(found)),
            unjudged: false,
            no_longer_judged: 0,
        }
    }

    /// The condition, formatted for people: `>= -0.020`.
    pub fn wanted_text(&self) -> String {
        format!(
            "{} {}",
            self.wanted.relation(),
            self.shown(self.wanted.number())
        )
    }
}

impl fmt::Display for ChangeGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {}",
            self.subject,
            self.statistic.name(),
            self.wanted_text()
        )
    }
}

/// The value of a statistic of a change.
pub(crate) fn statistic_of(statistic: ChangeStatistic, change: &MeanChange) -> f64 {
    match statistic {
        ChangeStatistic::Change => change.change.estimate,
        ChangeStatistic::Low => change.change.low,
        ChangeStatistic::High => change.change.high,
        ChangeStatistic::Worse => change.worse as f64,
        ChangeStatistic::Better => change.better as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rightcall_stats::{ComparisonSettings, Measurement, RunScores, TrialScores};

    fn judged(
        gate: &str,
        before: &[f64],
        after: &[f64],
    ) -> Result<(Option<f64>, bool), Vec<String>> {
        let results = |scores: &[f64]| {
            let case = |(number, score): (usize, &f64)| {
                let overall = Measurement {
                    score: Some(*score),
                    passed: Some(*score >= 0.5),
                };
                TrialScores {
                    key: number.to_string(),
                    values: vec![overall],
                    overall,
                    ..TrialScores::default()
                }
            };
            let measures = vec!["right calls".to_owned()];
            RunScores {
                measures,
                cases: scores.iter().enumerate().map(case).collect(),
                ..RunScores::default()
            }
        };
        let comparison = PairedComparison::between(
            &results(before),
            &results(after),
            ComparisonSettings::default(),
        );
        let result = ChangeGate::parse(gate).unwrap().judge(&comparison)?;
        Ok((result.found, result.held))
    }

    #[test]
    fn change_gates_judge_changes() {
        let (before, after) = ([1.0, 0.5, 0.0, 1.0], [1.0, 0.5, 0.5, 0.5]);
        for (gate, found, held) in [
            ("worse = 0", 1.0, false),
            ("better >= 1", 1.0, true),
            ("change >= 0", 0.0, true),
            ("right calls change >= -0.02", 0.0, true),
            ("passed change >= 20%", 0.25, true),
            ("passed worse = 0", 0.0, true),
        ] {
            assert_eq!(
                judged(gate, &before, &after),
                Ok((Some(found), held)),
                "{gate}"
            );
        }
        assert!(!judged("change_low >= -0.02", &before, &after).unwrap().1);
        assert!(judged("change_high >= -0.02", &before, &after).unwrap().1);
        assert_eq!(judged("worse = 0", &before, &[]), Ok((None, false)));
        assert_eq!(
            judged("other worse = 0", &before, &after),
            Err(vec!["right calls".to_owned()])
        );
        assert_eq!(
            ChangeGate::parse("right calls change_low >= -0.02")
                .unwrap()
                .to_string(),
            "right calls change_low >= -0.020"
        );
        for wrong in ["worse", "mean >= 0.9", "worse 0", ">= 1", ""] {
            assert_eq!(ChangeGate::parse(wrong), None, "{wrong}");
        }
    }
}
