//! Changes since the baseline.

use std::collections::BTreeMap;

use rightcall_results::{GateResult, GateSubject, Statistic, TrialRule};
use rightcall_stats::{ComparisonSettings, PairedComparison, RunScores};

use super::Fold;
use crate::change_gate::statistic_of;
use crate::gate::{Gate, MAX_GROUPS, more_groups};
use crate::judged::JudgedCase;
use crate::{Configured, Plan};

/// The scores of all cases, and the cases that each gate on changes covers.
pub(crate) struct Changes<'p> {
    plan: &'p Plan,
    gates: Vec<(usize, &'p Gate, ChosenCases)>,
    after: RunScores,
}

/// Positions of the cases of each group. The key is empty if the gate has no groups.
type ChosenCases = BTreeMap<String, Vec<usize>>;

impl<'p> Changes<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        let of_change = |(_, gate): &(usize, &Gate)| gate.statistic.is_of_change();
        let gates = plan.gates().iter().enumerate().filter(of_change);
        let labels = plan.evaluators.iter().map(Configured::label);
        Self {
            plan,
            gates: gates
                .map(|(position, gate)| (position, gate, ChosenCases::new()))
                .collect(),
            after: RunScores {
                measures: labels.map(ToOwned::to_owned).collect(),
                ..RunScores::default()
            },
        }
    }

    fn judge(&self, gate: &Gate, chosen: &ChosenCases, before: &RunScores) -> Vec<GateResult> {
        if !looks_at_some(gate) {
            return vec![self.judged(gate, None, [before, &self.after])];
        }
        if chosen.is_empty() {
            let nothing = RunScores::default();
            return vec![self.judged(gate, None, [&nothing, &nothing])];
        }
        let of_group = |(group, cases): (&String, &Vec<usize>)| {
            let cases = cases.iter().map(|at| self.after.cases[*at].clone());
            let after = RunScores {
                cases: cases.collect(),
                measures: self.after.measures.clone(),
                name: self.after.name.clone(),
            };
            let mut before = before.clone();
            before.retain(&after.keys().into_iter().map(ToOwned::to_owned).collect());
            let group = gate.by.is_some().then(|| group.clone());
            self.judged(gate, group, [&before, &after])
        };
        chosen.iter().map(of_group).collect()
    }

    fn judged(
        &self,
        gate: &Gate,
        group: Option<String>,
        [before, after]: [&RunScores; 2],
    ) -> GateResult {
        let settings = ComparisonSettings::default();
        let between = || PairedComparison::between(before, after, settings);
        let change = match &gate.subject {
            GateSubject::Score => between().overall.score,
            GateSubject::Passed(TrialRule::Each) => between().overall.passed,
            GateSubject::Passed(rule) => {
                PairedComparison::passed_by(before, after, settings, |it| rule.is_passed(it))
            }
            GateSubject::Evaluator { index, .. } => index.and_then(|index| {
                let label = &self.after.measures[index];
                let mut measures = between().measures.into_iter();
                measures.find(|it| it.label == *label)?.score
            }),
        };
        let found = match gate.statistic {
            Statistic::Change(statistic) => {
                let change = change.as_ref();
                change.map(|change| statistic_of(statistic, change))
            }
            _ => None,
        };
        let mut result = gate.result(group, found);
        result.mark_lost(change.map_or(0, |change| change.no_longer_judged));
        result
    }
}

/// True if a gate on changes covers only some cases, or groups.
fn looks_at_some(gate: &Gate) -> bool {
    !gate.only.is_everything() || gate.by.is_some()
}

impl Fold for Changes<'_> {
    /// The results of the gates on changes, and the scores of all cases.
    type Total = (Vec<GateResult>, RunScores);

    fn add(&mut self, case: &JudgedCase) {
        let Some(key) = &case.pairing else { return };
        let position = self.after.cases.len();
        self.after.cases.push(case.result.trial_scores(key.clone()));
        for (number, gate, chosen) in &mut self.gates {
            let Some(groups) = case.gates[*number].as_ref().filter(|_| looks_at_some(gate)) else {
                continue;
            };
            for group in gate.groups(groups) {
                // Groups beyond the limit keep no cases, so their gates fail.
                if chosen.contains_key(group) || chosen.len() < MAX_GROUPS {
                    chosen.entry(group.to_owned()).or_default().push(position);
                } else {
                    chosen.entry(more_groups()).or_default();
                }
            }
        }
    }

    fn finish(self) -> Self::Total {
        let results = |gate: &Gate, chosen: &ChosenCases, before: &RunScores| {
            let mut results = self.judge(gate, chosen, before);
            // No case has a score both before and now.
            if results.iter().all(|result| result.found.is_none()) {
                results.iter_mut().for_each(GateResult::mark_unjudged);
            }
            results
        };
        let judge = |before: &RunScores| {
            let gates = self.gates.iter();
            gates
                .flat_map(|(_, gate, chosen)| results(gate, chosen, before))
                .collect()
        };
        let before = self.plan.baseline_of(&self.after);
        let gates = before.as_deref().map(judge);
        (gates.unwrap_or_default(), self.after)
    }
}
