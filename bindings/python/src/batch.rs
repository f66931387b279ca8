//! The evaluations of cases in memory, and the stored parts of the cases.

use std::sync::Arc;
use std::thread;

use pyo3::prelude::*;
use rightcall_core::Outcome;
use rightcall_core::call::Case;
use rightcall_formats::CaseError;
use rightcall_report::warnings;
use rightcall_results::{EvaluationResult, EvaluatorSummary, IdlePaths, RunSummary, Scores};
use rightcall_run::{Configured, NamesSeen};

use crate::errors;
use crate::evaluation::{Source, Wanted, failed, outcome};
use crate::evaluator::Evaluator;
use crate::run::{Row, Run};
use crate::subject::Subject;
use crate::table::Given;

/// The stored parts of each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The case. Everything else is computed from it on access.
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

/// The evaluations of cases, and the names in the cases.
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

    /// Evaluates cases with all evaluators and appends the results in order, on any number of
    /// threads. Returns the invalid texts with their indices.
    pub(crate) fn judge(&mut self, cases: &[Given], threads: usize) -> Vec<(usize, CaseError)> {
        self.unreadable += cases.iter().filter(|case| case.subject.is_err()).count();
        let share = cases.len().div_ceil(threads.max(1)).max(64);
        let mut invalid = Vec::new();
        if cases.len() <= share {
            self.add(judge_all(&self.evaluators, cases), &mut invalid);
            return invalid;
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
        for (place, part) in parts.into_iter().enumerate() {
            let known = invalid.len();
            self.add(part, &mut invalid);
            invalid[known..]
                .iter_mut()
                .for_each(|(index, _)| *index += place * share);
        }
        invalid
    }

    fn add(&mut self, mut part: JudgedPart, invalid: &mut Vec<(usize, CaseError)>) {
        self.rows.append(&mut part.rows);
        self.names.merge(part.names);
        self.unreadable += part.invalid.len();
        invalid.append(&mut part.invalid);
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

/// The evaluations of some cases.
struct JudgedPart {
    /// One for each case and evaluator.
    rows: Vec<Row>,
    names: NamesSeen,
    /// The invalid texts, with their indices.
    invalid: Vec<(usize, CaseError)>,
}

fn judge_all(evaluators: &[BatchEvaluator], cases: &[Given]) -> JudgedPart {
    let mut part = JudgedPart {
        rows: Vec::with_capacity(cases.len() * evaluators.len()),
        names: NamesSeen::new(&configured(evaluators)),
        invalid: Vec::new(),
    };
    for (index, case) in cases.iter().enumerate() {
        match &case.subject {
            Ok(subject) => {
                if let Err(error) = part.judge(evaluators, case, subject) {
                    part.fail(evaluators, case, &error.to_string());
                    part.invalid.push((index, error));
                }
            }
            Err(reason) => part.fail(evaluators, case, reason),
        }
    }
    part
}

impl JudgedPart {
    fn judge(
        &mut self,
        evaluators: &[BatchEvaluator],
        case: &Given,
        subject: &Arc<Subject>,
    ) -> Result<(), CaseError> {
        let judge = |case: &Case<'_>| -> Vec<EvaluationResult> {
            self.names.add(case);
            let evaluators = evaluators.iter();
            evaluators.map(|it| outcome(&it.configured, case)).collect()
        };
        let (results, label) = subject.with_labelled_case(judge)?;
        let label = label.unwrap_or_else(|| case.label.clone());
        let results = evaluators.iter().zip(results);
        self.rows.extend(results.map(|(evaluator, result)| Row {
            label: label.clone(),
            result,
            source: evaluator.source(subject),
        }));
        Ok(())
    }

    fn fail(&mut self, evaluators: &[BatchEvaluator], case: &Given, reason: &str) {
        self.rows.extend(evaluators.iter().map(|evaluator| Row {
            label: case.label.clone(),
            result: failed(reason.to_owned()),
            source: evaluator.outcome_only.clone(),
        }));
    }
}
