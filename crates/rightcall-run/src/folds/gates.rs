//! The statistics that gates check, and the results of the gates.

use std::collections::BTreeMap;

use rightcall_core::Outcome;
use rightcall_results::{EvaluationResult, GateResult, GateSubject, Scores, Statistic, TrialRule};

use super::Fold;
use super::trials::TrialVerdicts;
use crate::gate::{Gate, MAX_GROUPS, more_groups};
use crate::judged::JudgedCase;

/// The scores that one gate checks, by group.
pub(crate) struct GateScores<'g> {
    gate: &'g Gate,
    /// Its index among the gates.
    position: usize,
    groups: BTreeMap<String, GroupScores>,
    /// True if there were more groups than the limit.
    overflowed: bool,
}

#[derive(Default)]
struct GroupScores {
    scores: Scores,
    /// The verdicts of trials, only for gates that combine the trials of a case.
    trials: TrialVerdicts,
}

impl<'g> GateScores<'g> {
    pub(crate) fn new(gate: &'g Gate, position: usize) -> Self {
        let all = gate
            .by
            .is_none()
            .then(|| (String::new(), GroupScores::new(gate)));
        Self {
            gate,
            position,
            groups: all.into_iter().collect(),
            overflowed: false,
        }
    }
}

impl Fold for GateScores<'_> {
    type Total = Vec<GateResult>;

    fn add(&mut self, case: &JudgedCase) {
        let Some(groups) = &case.gates[self.position] else {
            return;
        };
        for group in self.gate.groups(groups) {
            if let Some(known) = self.groups.get_mut(group) {
                known.add(self.gate, case);
            } else if self.groups.len() < MAX_GROUPS {
                let mut new = GroupScores::new(self.gate);
                new.add(self.gate, case);
                self.groups.insert(group.to_owned(), new);
            } else {
                self.overflowed = true;
            }
        }
    }

    /// One result, or one per group. Implied gates that hold are left out.
    fn finish(self) -> Vec<GateResult> {
        let gate = self.gate;
        let nothing = GroupScores::default();
        let groups = self.groups.iter();
        let groups = groups.map(|(name, group)| (gate.by.is_some().then(|| name.clone()), group));
        let none = self.groups.is_empty().then_some((None, &nothing));
        // Groups above the limit fail.
        let more = self.overflowed.then(|| (Some(more_groups()), &nothing));
        let results = groups
            .chain(none)
            .chain(more)
            .map(|(group, scores)| gate.result(group, scores.gate_value(gate)));
        let is_judged = self.groups.values().any(|group| group.has_judged(gate));
        let results = results.map(|mut result| {
            if !is_judged {
                result.mark_unjudged();
            }
            result
        });
        results
            .filter(|result| !(gate.implied && result.held))
            .collect()
    }
}

impl GroupScores {
    fn new(gate: &Gate) -> Self {
        let keeps_all = matches!(gate.statistic, Statistic::Percentile(_));
        Self {
            scores: if keeps_all {
                Scores::with_quantiles()
            } else {
                Scores::default()
            },
            ..Self::default()
        }
    }

    fn add(&mut self, gate: &Gate, case: &JudgedCase) {
        let result = &case.result;
        match gate.subject {
            GateSubject::Evaluator { index, .. } => {
                let of_evaluator = index.and_then(|index| result.evaluations.get(index));
                of_evaluator.into_iter().for_each(|it| self.scores.add(it));
            }
            GateSubject::Score => self.scores.add(&result.whole),
            GateSubject::Passed(rule) => {
                let trials = case.trials.as_ref().map_or(0, |(hash, _)| *hash);
                self.add_verdict(rule, &result.whole, trials);
            }
        }
    }

    fn add_verdict(&mut self, rule: TrialRule, whole: &EvaluationResult, trials: u64) {
        let Some(passed) = whole.verdict() else {
            self.scores.counts.not_applicable += 1;
            return;
        };
        self.scores.counts.scored += 1;
        self.scores.counts.errors += u64::from(matches!(whole.outcome, Outcome::Failed(_)));
        if rule == TrialRule::Each {
            self.scores.counts.judged += 1;
            self.scores.counts.passed += u64::from(passed);
        } else {
            self.trials.add(trials, passed);
        }
    }

    /// True if the subject of the gate scored any of these cases.
    fn has_judged(&self, gate: &Gate) -> bool {
        let counts = &self.scores.counts;
        let verdicts = match (&gate.subject, gate.statistic) {
            // A case that failed without a run has a verdict.
            (GateSubject::Evaluator { .. }, Statistic::PassRate) => counts.no_run,
            _ => 0,
        };
        counts.scored + counts.errors + verdicts > 0
    }

    fn gate_value(&self, gate: &Gate) -> Option<f64> {
        let GateSubject::Passed(rule) = gate.subject else {
            return number(gate.statistic, &self.scores);
        };
        match (gate.statistic, rule) {
            (Statistic::PassRate, TrialRule::All | TrialRule::Any) => {
                let count = self.trials.count();
                let passed = if rule == TrialRule::All {
                    count.in_all
                } else {
                    count.in_any
                };
                (count.cases > 0).then(|| passed as f64 / count.cases as f64)
            }
            (Statistic::PassRate, TrialRule::Each) => (self.scores.counts.judged > 0)
                .then(|| self.scores.counts.passed as f64 / self.scores.counts.judged as f64),
            // An error is also a verdict, so count it once.
            (Statistic::Applicable, _) => {
                let all = self.scores.counts.scored + self.scores.counts.not_applicable;
                (all > 0).then(|| self.scores.counts.scored as f64 / all as f64)
            }
            (statistic, _) => number(statistic, &self.scores),
        }
    }
}

fn number(statistic: Statistic, scores: &Scores) -> Option<f64> {
    match statistic {
        Statistic::Mean => scores.mean(),
        Statistic::Min => scores.counts.min,
        Statistic::Max => scores.counts.max,
        Statistic::Percentile(percent) => scores.quantile(f64::from(percent) / 100.0),
        Statistic::PassRate => scores.pass_rate(),
        Statistic::Applicable => scores.applicable(),
        // Without any cases, "no errors" would be meaningless.
        Statistic::Errors | Statistic::NotApplicable
            if scores.counts.scored + scores.counts.not_applicable + scores.counts.errors == 0 =>
        {
            None
        }
        Statistic::Errors => Some(scores.counts.errors as f64),
        Statistic::NotApplicable => Some(scores.counts.not_applicable as f64),
        // These are computed in the comparison with the baseline.
        Statistic::Change(_) => None,
    }
}

#[cfg(test)]
mod tests;
