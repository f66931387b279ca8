//! The verdicts of a suite on a single run: of its evaluators and its gates.

use rightcall_core::{Ask, Outcome, PreparedCase};
use rightcall_results::{EvaluationResult, GateSubject, Statistic};

use crate::plan::labels;
use crate::{Configured, Gate, Plan};

/// The evaluators and gates of a plan that can judge a single run.
///
/// An evaluator judges by the user's threshold or by its own verdict. A gate on scores or verdicts
/// judges a run as if all runs were like it: `mean >= 0.9` passes a run with a score of at least
/// 0.9, `passed >= 95%` a run that passes. If there are gates, only they decide.
#[derive(Debug)]
pub struct RunJudges<'p> {
    plan: &'p Plan,
    judges: Vec<RunJudge>,
    /// By evaluator: true if a judge uses its result.
    is_used: Vec<bool>,
    unused: Vec<(String, String)>,
}

/// An evaluator or a gate that can judge a single run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunJudge {
    /// The name of the evaluator, or the condition of the gate.
    pub label: String,
    /// True if it decides whether the suite passes.
    pub decides: bool,
    source: JudgeSource,
}

/// The source of a verdict, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JudgeSource {
    Evaluator(usize),
    Gate(usize),
}

impl RunJudge {
    /// True for a gate.
    pub fn is_gate(&self) -> bool {
        matches!(self.source, JudgeSource::Gate(_))
    }
}

impl<'p> RunJudges<'p> {
    /// The judges of a plan: its evaluators first, then its gates.
    pub fn new(plan: &'p Plan) -> Self {
        let (mut judges, mut unused) = (Vec::new(), Vec::new());
        let gates = || plan.gates().iter().filter(|gate| !gate.implied);
        let decides = gates().next().is_none();
        for (index, (evaluator, label)) in plan
            .evaluators
            .iter()
            .zip(labels(&plan.evaluators))
            .enumerate()
        {
            let has_gate = gates().any(|gate| why_unused(gate).is_none() && looks_at(gate, index));
            if evaluator.is_decisive() {
                judges.push(RunJudge {
                    label,
                    decides,
                    source: JudgeSource::Evaluator(index),
                });
            } else if !has_gate {
                unused.push((
                    label,
                    "it has no threshold, and no gate looks at its scores".to_owned(),
                ));
            }
        }
        for (index, gate) in plan
            .gates()
            .iter()
            .enumerate()
            .filter(|(_, it)| !it.implied)
        {
            let label = words(gate);
            match why_unused(gate) {
                None => judges.push(RunJudge {
                    label,
                    decides: true,
                    source: JudgeSource::Gate(index),
                }),
                Some(reason) => unused.push((label, reason.to_owned())),
            }
        }
        let is_used = |index| {
            judges.iter().any(|judge| match judge.source {
                JudgeSource::Evaluator(at) => at == index,
                JudgeSource::Gate(at) => match plan.gates()[at].subject {
                    GateSubject::Evaluator { index: at, .. } => at == Some(index),
                    GateSubject::Score | GateSubject::Passed(_) => true,
                },
            })
        };
        Self {
            plan,
            is_used: (0..plan.evaluators.len()).map(is_used).collect(),
            judges,
            unused,
        }
    }

    /// The judges, in the order of their verdicts.
    pub fn judges(&self) -> &[RunJudge] {
        &self.judges
    }

    /// Evaluators and gates that can't judge a single run, each with the reason.
    pub fn unused(&self) -> &[(String, String)] {
        &self.unused
    }

    /// The verdict of each judge; `None` if it doesn't apply to the run, or doesn't select the case. An error counts as failed.
    pub fn judge(&self, case: &PreparedCase<'_>) -> Vec<Option<bool>> {
        let evaluators = self.plan.evaluators.iter();
        let result = |(it, is_used): (&Configured, &bool)| {
            if *is_used {
                it.evaluate_prepared(case, Ask::OUTCOME).into()
            } else {
                EvaluationResult::not_applicable("no judge looks at it")
            }
        };
        let results: Vec<EvaluationResult> = evaluators.zip(&self.is_used).map(result).collect();
        let judges = self.judges.iter().map(|judge| match judge.source {
            JudgeSource::Evaluator(index) => results[index].verdict(),
            JudgeSource::Gate(index) => self.holds(&self.plan.gates()[index], case, &results),
        });
        judges.collect()
    }

    /// True if a gate would hold if all runs were like this one.
    fn holds(
        &self,
        gate: &Gate,
        case: &PreparedCase<'_>,
        results: &[EvaluationResult],
    ) -> Option<bool> {
        if !gate.looks_at(case.case()) {
            return None;
        }
        let whole_result;
        let result = match gate.subject {
            GateSubject::Evaluator { index, .. } => results.get(index?)?,
            GateSubject::Score | GateSubject::Passed(_) => {
                whole_result = self.plan.whole_case(results, true);
                &whole_result
            }
        };
        match (gate.statistic, &result.outcome) {
            (Statistic::PassRate, _) => {
                let passed = result.verdict()?;
                Some(gate.wanted.holds(f64::from(u8::from(passed))))
            }
            (_, Outcome::Scored(score)) => Some(gate.wanted.holds(score.get())),
            (_, Outcome::Failed(_)) => Some(false),
            (_, _) => None,
        }
    }
}

/// Why a gate can't judge a single run; `None` if it can.
fn why_unused(gate: &Gate) -> Option<&'static str> {
    let is_of_runs = matches!(
        gate.statistic,
        Statistic::PassRate
            | Statistic::Mean
            | Statistic::Min
            | Statistic::Max
            | Statistic::Percentile(_)
    );
    (!is_of_runs).then_some("it says nothing about a run by itself")
}

/// True for a gate on the scores of this evaluator, alone or with others.
fn looks_at(gate: &Gate, evaluator: usize) -> bool {
    match gate.subject {
        GateSubject::Evaluator { index, .. } => index == Some(evaluator),
        GateSubject::Score => true,
        GateSubject::Passed(_) => false,
    }
}

/// A gate as text: `right calls mean >= 0.950`.
fn words(gate: &Gate) -> String {
    let result = gate.result(None, None);
    let words = [
        result.label(),
        result.statistic_name(),
        result.wanted_text(),
    ];
    let words = words.iter().filter(|it| !it.is_empty());
    words.map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rightcall_formats::{Limits, ReadOptions, read_case};

    use super::*;
    use crate::{Suite, SuiteOptions};

    const SUITE: &str = "
cases: cases.jsonl
evaluators:
  - {name: order, evaluator: uipath/tool-call-order}
  - {name: calls, evaluator: trajectory, threshold: 1}
  - {name: shown, evaluator: ragas/tool-call-f1}
gates:
  - order: {mean: '>= 0.5'}
  - calls: {applicable: '>= 90%'}
  - passed: '>= 60%'
";

    #[test]
    fn gates_judge_one_run_as_a_whole_suite() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.yaml");
        fs::write(&path, SUITE).unwrap();
        let suite = Suite::read(&path, &SuiteOptions::default()).unwrap();
        let plan = Plan {
            evaluators: suite.evaluators,
            gates: suite.gates,
            case_rule: Some(suite.case_rule),
            ..Plan::new(Vec::new(), ReadOptions::default(), Limits::default())
        };
        let judges = RunJudges::new(&plan);
        let labels: Vec<_> = judges.judges().iter().map(|it| it.label.as_str()).collect();
        assert_eq!(labels, ["calls", "order mean >= 0.500", "passed >= 60.0 %"]);
        let decide: Vec<_> = judges.judges().iter().map(|it| it.decides).collect();
        assert_eq!(decide, [false, true, true]);
        let unused: Vec<_> = judges.unused().iter().map(|(it, _)| it.as_str()).collect();
        assert_eq!(unused, ["shown", "calls applicable >= 90.0 %"]);
        for (actual, verdicts) in [
            (r#"["a","b"]"#, [Some(true), Some(true), Some(true)]),
            (r#"["a","c"]"#, [Some(false), Some(true), Some(false)]),
            (r#"["c"]"#, [Some(false), Some(false), Some(false)]),
        ] {
            let text = format!(r#"{{"expected":["a","b"],"actual":{actual}}}"#);
            let case = read_case(&text, &ReadOptions::default()).unwrap();
            assert_eq!(
                judges.judge(&PreparedCase::new(&case)),
                verdicts,
                "{actual}"
            );
        }
    }
}
