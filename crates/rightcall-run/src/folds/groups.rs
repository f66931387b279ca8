//! The results of the evaluators by group.

use std::collections::BTreeMap;

use rightcall_results::{EvaluatorSummary, GroupSummary, Scores};

use super::Fold;
use crate::gate::MAX_GROUPS;
use crate::judged::JudgedCase;
use crate::{Plan, select};

/// The scores of each group, by its name.
pub(crate) struct Groups {
    /// Evaluators without scores.
    evaluators: Vec<EvaluatorSummary>,
    has_whole_cases: bool,
    by_name: BTreeMap<String, GroupScores>,
    more: bool,
}

#[derive(Default)]
struct GroupScores {
    cases: u64,
    evaluators: Vec<Scores>,
    whole: Scores,
}

impl Groups {
    pub(crate) fn new(plan: &Plan, evaluators: Vec<EvaluatorSummary>) -> Self {
        Self {
            evaluators,
            has_whole_cases: plan.case_rule.is_some(),
            by_name: BTreeMap::new(),
            more: false,
        }
    }
}

impl Fold for Groups {
    /// The groups, and whether there were more.
    type Total = (Vec<GroupSummary>, bool);

    fn add(&mut self, case: &JudgedCase) {
        for name in &case.groups {
            if !self.by_name.contains_key(name) && self.by_name.len() == MAX_GROUPS {
                self.more = true;
                continue;
            }
            let group = self.by_name.entry(name.clone()).or_default();
            group.cases += 1;
            group
                .evaluators
                .resize_with(self.evaluators.len(), Scores::default);
            let evaluations = group.evaluators.iter_mut().zip(&case.result.evaluations);
            evaluations.for_each(|(scores, result)| scores.add(result));
            group.whole.add(&case.result.whole);
        }
    }

    fn finish(self) -> Self::Total {
        let summary = |(name, group): (String, GroupScores)| GroupSummary {
            name,
            cases: group.cases,
            evaluators: self
                .evaluators
                .iter()
                .zip(&group.evaluators)
                .map(|(evaluator, scores)| EvaluatorSummary {
                    totals: scores.totals(),
                    ..evaluator.clone()
                })
                .collect(),
            whole_cases: self.has_whole_cases.then(|| group.whole.totals()),
        };
        (self.by_name.into_iter().map(summary).collect(), self.more)
    }
}

/// True if the cases of a group lack all values that they are grouped by.
pub fn is_without_values(group: &GroupSummary) -> bool {
    group
        .name
        .split(", ")
        .all(|value| value == select::NO_VALUE)
}
