//! The evaluations of cases in memory, and what is kept of the cases.

use std::sync::Arc;
use std::thread;

use pyo3::prelude::*;
use rightcall_core::Outcome;
use rightcall_core::call::Case;
use rightcall_report::warnings;
use rightcall_results::{EvaluationResult, EvaluatorSummary, IdlePaths, RunSummary, Scores};
use rightcall_run::{Configured, NamesSeen};

use crate::errors;
use crate::evaluation::{Source, Wanted, failed, outcome};
use crate::evaluator::Evaluator;
use crate::run::{Row, Run};
use crate::subject::Subject;
use crate::table::Given;

/// What is kept of each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The case, from which everything else is computed when it is read.
    All,
    /// The outcomes only.
    Scores,
}

impl Keep {
    pub(crate) fn parse(py: Python<'_>, keep: &str, wanted: Wanted) -> PyResult<Self> {
        match keep {
            "all" => Ok(Self::All),
            "scores" if wanted == Wanted::default() => Ok(Self::Scores),
            "scores" => Err(errors::value(
                py,
                "keep: expected \"all\" with `details` or `alignment`, found \"scores\"",
            )),
            _ => Err(errors::value(
                py,
                &format!("keep: expected \"all\" or \"scores\", found {keep:?}"),
            )),
        }
    }
}

/// An evaluator of a batch.
struct BatchEvaluator {
    configured: Arc<Configured>,
    /// The source of results without a case.
    outcome_only: Source,
    keep: Keep,
}

impl BatchEvaluator {
    fn new(evaluator: &Evaluator, keep: Keep) -> Self {
        Self {
            configured: Arc::clone(&evaluator.configured),
            outcome_only: Source::of_outcome(&evaluator.configured),
            keep,
        }
    }

    fn source(&self, subject: &Arc<Subject>) -> Source {
        match self.keep {
            Keep::All => Source::Asked(Arc::clone(&self.configured), Arc::clone(subject)),
            Keep::Scores => self.outcome_only.clone(),
        }
    }
}

/// The evaluations of cases, and the names that the cases mention.
pub(crate) struct JudgedBatch {
    evaluators: Vec<BatchEvaluator>,
    rows: Vec<Row>,
    names: NamesSeen,
    /// The number of invalid cases.
    unreadable: usize,
}

impl JudgedBatch {
    pub(crate) fn new(evaluators: &[Evaluator], keep: Keep) -> Self {
        let evaluators: Vec<_> = evaluators
            .iter()
            .map(|evaluator| BatchEvaluator::new(evaluator, keep))
            .collect();
        Self {
            rows: Vec::new(),
            names: NamesSeen::new(&configured(&evaluators)),
            unreadable: 0,
            evaluators,
        }
    }

    /// Evaluates cases with all evaluators and appends the results in order, for any number of threads.
    pub(crate) fn judge(&mut self, cases: &[Given], threads: usize) {
        self.unreadable += cases.iter().filter(|case| case.subject.is_err()).count();
        let share = cases.len().div_ceil(threads.max(1)).max(64);
        if cases.len() <= share {
            self.add(judge_all(&self.evaluators, cases));
            return;
        }
        let evaluators = &self.evaluators;
        let parts: Vec<_> = thread::scope(|scope| {
            let workers: Vec<_> = cases
                .chunks(share)
                .map(|part| scope.spawn(move || judge_all(evaluators, part)))
                .collect();
            let joined = workers.into_iter().map(|worker| match worker.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        });
        parts.into_iter().for_each(|part| self.add(part));
    }

    fn add(&mut self, (mut rows, names): (Vec<Row>, NamesSeen)) {
        self.rows.append(&mut rows);
        self.names.merge(names);
    }

    /// True if there are evaluations, and none has a score.
    pub(crate) fn lacks_scores(&self) -> bool {
        let is_scored = |row: &Row| matches!(row.result.outcome, Outcome::Scored(_));
        !self.rows.is_empty() && !self.rows.iter().any(is_scored)
    }

    pub(crate) fn finish(
        self,
        problems: Vec<Py<PyAny>>,
        skip_invalid: bool,
        wanted: Wanted,
    ) -> Run {
        let number = self.evaluators.len();
        let mut summary = RunSummary {
            cases: (self.rows.len() / number - self.unreadable) as u64,
            unreadable: self.unreadable as u64,
            unread_errors: (self.unreadable * number) as u64,
            ..RunSummary::default()
        };
        for (place, evaluator) in self.evaluators.iter().enumerate() {
            let mut scores = Scores::default();
            let mut idle_paths = None;
            for row in self.rows.iter().skip(place).step_by(number) {
                scores.add(&row.result);
                if let Outcome::NotApplicable(reason) = &row.result.outcome {
                    IdlePaths::count(&mut idle_paths, reason);
                }
            }
            let configured = &evaluator.configured;
            summary.evaluators.push(EvaluatorSummary {
                totals: scores.totals(),
                idle_paths,
                ..configured.unscored(configured.label().to_owned())
            });
        }
        self.names
            .finish(&configured(&self.evaluators), &mut summary);
        let warnings = warnings::of_cases(&summary);
        Run::new(
            self.rows,
            &summary,
            &warnings,
            problems,
            skip_invalid,
            wanted,
        )
    }
}

fn configured(evaluators: &[BatchEvaluator]) -> Vec<&Configured> {
    let evaluators = evaluators.iter();
    evaluators.map(|it| &*it.configured).collect()
}

/// The rows of some cases, one for each evaluator, and the names that the cases mention.
fn judge_all(evaluators: &[BatchEvaluator], cases: &[Given]) -> (Vec<Row>, NamesSeen) {
    let mut names = NamesSeen::new(&configured(evaluators));
    let mut rows = Vec::with_capacity(cases.len() * evaluators.len());
    for case in cases {
        judge_one(evaluators, case, &mut rows, &mut names);
    }
    (rows, names)
}

fn judge_one(
    evaluators: &[BatchEvaluator],
    case: &Given,
    rows: &mut Vec<Row>,
    names: &mut NamesSeen,
) {
    let mut judge = |case: &Case<'_>| -> Vec<EvaluationResult> {
        names.add(case);
        let evaluators = evaluators.iter();
        evaluators.map(|it| outcome(&it.configured, case)).collect()
    };
    let judged = match &case.subject {
        Ok(subject) => subject
            .with_case(&mut judge)
            .map(|results| (results, subject))
            .map_err(|error| error.to_string()),
        Err(reason) => Err(reason.clone()),
    };
    let label = || case.label.clone();
    match judged {
        Ok((results, subject)) => {
            let rows_of = evaluators
                .iter()
                .zip(results)
                .map(|(evaluator, result)| Row {
                    label: label(),
                    result,
                    source: evaluator.source(subject),
                });
            rows.extend(rows_of);
        }
        Err(reason) => rows.extend(evaluators.iter().map(|evaluator| Row {
            label: label(),
            result: failed(reason.clone()),
            source: evaluator.outcome_only.clone(),
        })),
    }
}
