//! Evaluates cases in memory and rows of tables, on all processors.

use std::sync::Arc;
use std::thread;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rightcall::Outcome;
use rightcall::call::Case;
use rightcall_formats::{Format, MAX_THREADS};
use rightcall_report::warnings;
use rightcall_results::{EvaluationResult, EvaluatorSummary, IdlePaths, RunSummary, Scores};
use rightcall_run::{Configured, NamesSeen, place_in_batch};

use crate::errors;
use crate::evaluation::{Source, Wanted, failed, outcome};
use crate::evaluator::Evaluator;
use crate::progress::Progress;
use crate::run::{Row, Run};
use crate::subject::{Label, Subject};
use crate::table::{Given, Table, Unread};

/// The evaluations of cases, and the names that the cases mention.
struct JudgedBatch<'e> {
    evaluators: &'e [Evaluator],
    rows: Vec<Row>,
    names: NamesSeen,
    /// The number of invalid cases.
    unreadable: usize,
}

/// The number of cases that are sent to the workers at once.
const CHUNK: usize = 4096;

impl<'e> JudgedBatch<'e> {
    fn new(evaluators: &'e [Evaluator]) -> Self {
        let configured = configured(evaluators);
        Self {
            evaluators,
            rows: Vec::new(),
            names: NamesSeen::new(&configured),
            unreadable: 0,
        }
    }

    /// Evaluates cases with all evaluators and appends the results in order, for any number of threads.
    fn judge(&mut self, cases: &[Given], threads: usize) {
        self.unreadable += cases.iter().filter(|case| case.subject.is_err()).count();
        let share = cases.len().div_ceil(threads.max(1)).max(64);
        if cases.len() <= share {
            self.add(judge_all(self.evaluators, cases));
            return;
        }
        let evaluators = self.evaluators;
        thread::scope(|scope| {
            let workers: Vec<_> = cases
                .chunks(share)
                .map(|part| scope.spawn(move || judge_all(evaluators, part)))
                .collect();
            for worker in workers {
                match worker.join() {
                    Ok(part) => self.add(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
    }

    fn add(&mut self, (mut rows, names): (Vec<Row>, NamesSeen)) {
        self.rows.append(&mut rows);
        self.names.merge(names);
    }

    /// True if some evaluation has a score.
    fn has_score(&self) -> bool {
        let is_scored = |row: &Row| matches!(row.result.outcome, Outcome::Scored(_));
        self.rows.iter().any(is_scored)
    }

    fn finish(self, problems: Vec<Py<PyAny>>, skip_invalid: bool, wanted: Wanted) -> Run {
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
            .finish(&configured(self.evaluators), &mut summary);
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

fn configured(evaluators: &[Evaluator]) -> Vec<&Configured> {
    let evaluators = evaluators.iter();
    evaluators.map(|it| &*it.configured).collect()
}

/// The rows of some cases, one for each evaluator, and the names that the cases mention.
fn judge_all(evaluators: &[Evaluator], cases: &[Given]) -> (Vec<Row>, NamesSeen) {
    let mut names = NamesSeen::new(&configured(evaluators));
    let mut rows = Vec::with_capacity(cases.len() * evaluators.len());
    for case in cases {
        judge_one(evaluators, case, &mut rows, &mut names);
    }
    (rows, names)
}

fn judge_one(evaluators: &[Evaluator], case: &Given, rows: &mut Vec<Row>, names: &mut NamesSeen) {
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
                    source: Source::Asked(Arc::clone(&evaluator.configured), Arc::clone(subject)),
                });
            rows.extend(rows_of);
        }
        Err(reason) => rows.extend(evaluators.iter().map(|evaluator| Row {
            label: label(),
            result: failed(reason.clone()),
            source: Source::Kept(Arc::new(evaluator.configured.head())),
        })),
    }
}

pub(crate) fn thread_count(threads: Option<usize>) -> usize {
    threads
        .or_else(|| thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
        .clamp(1, MAX_THREADS)
}

/// Scores cases that are Python objects. An invalid case has an error for each evaluator, in its place.
#[pyfunction]
#[pyo3(signature = (cases, evaluators, /, *, threads, details, alignment, skip_invalid, progress))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn score_cases(
    py: Python<'_>,
    cases: &Bound<'_, PyAny>,
    evaluators: &Bound<'_, PyAny>,
    threads: Option<usize>,
    details: bool,
    alignment: bool,
    skip_invalid: bool,
    progress: Py<PyAny>,
) -> PyResult<Run> {
    let evaluators = Evaluator::of_objects(evaluators)?;
    let threads = thread_count(threads);
    let progress = Progress::shown(progress);
    let mut cases = cases.try_iter()?;
    let mut batch = JudgedBatch::new(&evaluators);
    let (mut problems, mut number) = (Vec::new(), 0_usize);
    loop {
        let mut chunk = Vec::new();
        let before = number;
        for case in cases.by_ref().take(CHUNK) {
            let case = case?;
            let place = place_in_batch(number);
            number += 1;
            let given = match Subject::of_case(&case) {
                Ok((subject, label)) => Given {
                    label: label.unwrap_or_else(|| Label::of_place(place)),
                    subject: Ok(Arc::new(subject)),
                },
                // `KeyboardInterrupt` and similar exceptions are not errors of the case.
                Err(error) if !error.is_instance_of::<PyException>(py) => return Err(error),
                Err(error) => {
                    let reason = errors::reason(py, &error);
                    let error = errors::of_case_number(py, error, &place);
                    problems.push(error.into_value(py).into_any());
                    Given {
                        label: Label::of_place(Subject::id_of(&case).unwrap_or(place)),
                        subject: Err(reason),
                    }
                }
            };
            chunk.push(given);
        }
        py.detach(|| batch.judge(&chunk, threads));
        py.check_signals()?;
        progress.advance(py, number - before)?;
        if number - before < CHUNK {
            break;
        }
    }
    Ok(batch.finish(problems, skip_invalid, Wanted { details, alignment }))
}

/// Scores the rows of a table: one row for each case, or with `group_by` one row for each span. An invalid row becomes an error row. The
/// cells of `walked` columns are Python objects. A table that `is_whole` has columns for the evaluation data.
#[pyfunction]
#[pyo3(signature = (table, evaluators, /, *, walked, is_whole, group_by, map = None, threads, details, alignment, skip_invalid, progress))]
#[expect(
    clippy::too_many_arguments,
    clippy::fn_params_excessive_bools,
    reason = "keywords of Python"
)]
pub(crate) fn score_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    evaluators: &Bound<'_, PyAny>,
    walked: &Bound<'_, PyDict>,
    is_whole: bool,
    group_by: Option<&str>,
    map: Option<&str>,
    threads: Option<usize>,
    details: bool,
    alignment: bool,
    skip_invalid: bool,
    progress: Py<PyAny>,
) -> PyResult<Run> {
    let evaluators = Evaluator::of_objects(evaluators)?;
    let map = map.map(|map| Format::from_map("map", map)).transpose();
    let map = map.map_err(|error| errors::read(py, &error))?;
    let threads = thread_count(threads);
    let progress = Progress::shown(progress);
    let table = Table::of(table, walked)?;
    let missing = if is_whole && group_by.is_none() {
        table.missing_sides()
    } else {
        Vec::new()
    };
    let mut batch = JudgedBatch::new(&evaluators);
    let mut problems = Vec::new();
    py.detach(|| {
        table.each_chunk(group_by, map, CHUNK, &mut |cases| {
            batch.judge(&cases, threads);
            Python::attach(|py| {
                for case in &cases {
                    if let Err(reason) = &case.subject {
                        let error = errors::table(py, reason, None);
                        let error = errors::of_case_number(py, error, &case.label.case);
                        problems.push(error.into_value(py).into_any());
                    }
                }
                py.check_signals()?;
                progress.advance(py, cases.len())
            })
        })
    })
    .map_err(|error| match error {
        Unread::Table(message) => errors::table(py, &message, None),
        Unread::Raised(error) => error,
    })?;
    // Some evaluators need no expectation, so this is an error only if nothing was scored.
    if let Some(missing) = missing.first()
        && !skip_invalid
        && !batch.rows.is_empty()
        && !batch.has_score()
    {
        return Err(missing.error(py));
    }
    Ok(batch.finish(problems, skip_invalid, Wanted { details, alignment }))
}
