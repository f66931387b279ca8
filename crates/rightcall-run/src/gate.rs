//! Gates: conditions on a run that decide whether it is good enough.

use rightcall_core::call::Case;
use rightcall_core::find;
use rightcall_results::{Bound, GateResult, GateSubject, Statistic};

use crate::{Configured, Filter, Grouping};

/// The maximum number of groups of a gate or table, to limit memory.
pub(crate) const MAX_GROUPS: usize = 1000;

/// The label of the groups beyond the limit.
pub(crate) fn more_groups() -> String {
    format!("more than {MAX_GROUPS} groups")
}

/// A condition on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The subject that the gate measures.
    pub subject: GateSubject,
    /// Only these cases count.
    pub only: Filter,
    /// The condition must hold in each of these groups.
    pub by: Option<Grouping>,
    /// The statistic of the subject.
    pub statistic: Statistic,
    /// The condition on that number.
    pub wanted: Bound,
    /// Added to every gate on scores, unless the suite sets this limit. Without it, a few good
    /// cases could pass for many to which the evaluator did not apply. Shown only if it fails.
    pub implied: bool,
}

impl Gate {
    /// The gate of this result, in a run with these evaluators. A result has its filter as text;
    /// `None` if no filter has this text.
    pub fn from_result(
        result: &GateResult,
        evaluators: &[Configured],
        filters: &[Filter],
    ) -> Option<Self> {
        let everything = Filter::default();
        let mut filters = filters.iter().chain([&everything]);
        let only = filters.find(|it| it.to_string() == result.only)?.clone();
        let mut subject = result.subject.clone();
        if let GateSubject::Evaluator { index, label } = &mut subject {
            let names = || evaluators.iter().map(|it| it.name.as_deref());
            let id = find(label).ok().map(|it| it.id);
            let mut ids = evaluators.iter().map(|it| Some(it.evaluator.id()));
            let named = names().position(|name| name == Some(label));
            *index = Some(named.or_else(|| ids.position(|it| it == id))?);
        }
        let by = result.by.as_deref().map(Grouping::parse);
        Some(Self {
            subject,
            only,
            by: by.map_or(Some(None), |by| by.map(Some))?,
            statistic: result.statistic,
            wanted: result.wanted,
            implied: false,
        })
    }

    /// True if a possible number fails it. Scores and shares are from 0 to 1, counts from 0.
    pub fn can_fail(&self) -> bool {
        let number = self.wanted.number();
        let near = [number - 1e-6, number, number + 1e-6];
        let tried = near.into_iter().chain([0.0, 1.0, number + 1.0]);
        let measured: Vec<f64> = match self.statistic {
            Statistic::Change(_) => return true,
            it if it.is_count() => tried.map(|it| it.ceil().max(0.0)).collect(),
            _ => tried.map(|it| it.clamp(0.0, 1.0)).collect(),
        };
        measured.iter().any(|it| !self.wanted.holds(*it))
    }

    /// True if the case counts.
    pub(crate) fn looks_at(&self, case: &Case<'_>) -> bool {
        self.only.admits(case) && self.by.as_ref().is_none_or(|by| by.has_values_for(case))
    }

    /// The groups that a case counts in; the group name is empty if the gate has no groups.
    pub(crate) fn groups<'g>(&self, of_case: &'g [String]) -> impl Iterator<Item = &'g str> {
        let all = self.by.is_none().then_some("");
        of_case.iter().map(String::as_str).chain(all)
    }

    /// The result of the gate for this number.
    pub(crate) fn result(&self, group: Option<String>, found: Option<f64>) -> GateResult {
        GateResult {
            subject: self.subject.clone(),
            statistic: self.statistic,
            only: self.only.to_string(),
            by: self.by.as_ref().map(ToString::to_string),
            group,
            wanted: self.wanted,
            found,
            held: found.is_some_and(|found| self.wanted.holds(found)),
            unjudged: false,
            no_longer_judged: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{Suite, SuiteOptions};

    const SUITE: &str = "
cases: cases.jsonl
evaluators:
  - {name: calls, evaluator: trajectory, threshold: 1}
  - uipath/tool-call-order
gates:
  - calls: {mean: '>= 0.5'}
  - {uipath/tool-call-order: {min: '>= 20%'}, by: model}
  - score: {p10: '>= 0.1'}
  - passed: '>= 60%'
  - {calls: {mean: '>= 0.5'}, tag: refund}
";

    #[test]
    fn gate_that_holds_for_every_number_cannot_fail() {
        let can_fail = |gate: &str| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("suite.yaml");
            let evaluators = "evaluators: [{name: calls, evaluator: trajectory, threshold: 1}]";
            fs::write(
                &path,
                format!("cases: c.jsonl\n{evaluators}\ngates: [{gate}]\n"),
            )
            .unwrap();
            let options = SuiteOptions {
                settings_alone: true,
                ..SuiteOptions::default()
            };
            Suite::read(&path, &options).unwrap().can_fail()
        };
        for (gate, fails) in [
            ("calls: {mean: '>= 0'}", false),
            ("calls: {mean: '<= 1'}", false),
            ("calls: {errors: '>= 0'}", false),
            ("passed: '>= 0%'", false),
            ("score: {p10: '>= 0'}", false),
            ("calls: {mean: '> 0'}", true),
            ("calls: {mean: '= 1'}", true),
            ("calls: {min: '<= 0.999'}", true),
            ("calls: {errors: '<= 0'}", true),
            ("calls: {errors: '!= 3'}", true),
            ("passed: '>= 1%'", true),
            ("calls: {mean: '>= 0', errors: '= 0'}", true),
        ] {
            assert_eq!(can_fail(&format!("{{{gate}}}")), fails, "{gate}");
        }
    }

    #[test]
    fn gate_of_a_stored_result_is_found_by_its_filter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.yaml");
        fs::write(&path, SUITE).unwrap();
        let suite = Suite::read(&path, &SuiteOptions::default()).unwrap();
        let gates = suite.gates.unwrap();
        for gate in gates.iter().filter(|it| !it.implied) {
            let group = gate.by.as_ref().map(|_| "gpt".to_owned());
            let stored = serde_json::to_string(&gate.result(group, Some(1.0))).unwrap();
            let stored: GateResult = serde_json::from_str(&stored).unwrap();
            let filter = std::slice::from_ref(&gate.only);
            let restored = Gate::from_result(&stored, &suite.evaluators, filter);
            assert_eq!(restored.as_ref(), Some(gate));
            let unfiltered = Gate::from_result(&stored, &suite.evaluators, &[]);
            assert_eq!(unfiltered.is_some(), gate.only.is_everything());
        }
    }
}
