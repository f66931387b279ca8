//! Cases in memory and rows of tables to evaluations, on all processors.

use std::sync::Arc;
use std::thread;

use pyo3::prelude::*;
use rightcall_formats::MAX_THREADS;
use rightcall_results::{EvaluatorSummary, RunSummary, Scores};

use crate::errors;
use crate::evaluation::{Source, Wanted, failed, outcome};
use crate::evaluator::Evaluator;
use crate::progress::Progress;
use crate::run::{Row, Run};
use crate::subject::{Label, Subject};
use crate::table::{Given, Table, Unread};

/// The sums of rows that were made here.
fn summary_of(evaluators: &[Evaluator], rows: &[Row], cases: u64, unreadable: u64) -> RunSummary {
    let mut summary = RunSummary {
        cases,
        unreadable,
        ..RunSummary::default()
    };
    for (place, evaluator) in evaluators.iter().enumerate() {
        let configured = &evaluator.configured;
        let mut scores = Scores::default();
        let of_evaluator = rows.iter().skip(place).step_by(evaluators.len());
        of_evaluator.for_each(|row| scores.add(&row.result));
        summary.evaluators.push(EvaluatorSummary {
            totals: scores.totals(),
            ..configured.unscored(configured.label().to_owned())
        });
    }
    summary
}

/// Cases that are handed to the workers at a time.
const CHUNK: usize = 4096;

/// What all evaluators make of cases, in their order, for any number of threads.
pub(crate) fn judge(
    evaluators: &[Evaluator],
    cases: &[Given],
    threads: usize,
    rows: &mut Vec<Row>,
) {
    let judge_all = |cases: &[Given]| -> Vec<Row> {
        let pairs = cases
            .iter()
            .flat_map(|case| evaluators.iter().map(move |evaluator| (case, evaluator)));
        pairs
            .map(|(case, evaluator)| judge_one(evaluator, case))
            .collect()
    };
    let share = cases.len().div_ceil(threads.max(1)).max(64);
    if cases.len() <= share {
        rows.append(&mut judge_all(cases));
        return;
    }
    thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(share)
            .map(|part| scope.spawn(move || judge_all(part)))
            .collect();
        for worker in workers {
            match worker.join() {
                Ok(mut of_part) => rows.append(&mut of_part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
}

fn judge_one(evaluator: &Evaluator, case: &Given) -> Row {
    let configured = &evaluator.configured;
    match &case.subject {
        Ok(subject) => Row {
            label: case.label.clone(),
            result: outcome(configured, subject),
            source: Source::Asked(Arc::clone(configured), Arc::clone(subject)),
        },
        Err(reason) => Row {
            label: case.label.clone(),
            result: failed(reason.clone()),
            source: Source::Kept(Arc::new(configured.head())),
        },
    }
}

pub(crate) fn thread_count(threads: Option<usize>) -> usize {
    threads
        .or_else(|| thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
        .clamp(1, MAX_THREADS)
}

/// Scores cases that are Python objects.
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
    let (mut rows, mut problems, mut number) = (Vec::new(), Vec::new(), 0_usize);
    loop {
        let mut chunk = Vec::new();
        let before = number;
        for case in cases.by_ref().take(CHUNK) {
            let place = format!("cases[{number}]");
            number += 1;
            match Subject::of_case(&case?) {
                Ok((subject, label)) => {
                    let label = label.unwrap_or(Label {
                        case: place,
                        trial: None,
                    });
                    chunk.push(Given {
                        label,
                        subject: Ok(Arc::new(subject)),
                    });
                }
                Err(error) => {
                    let error = errors::of_case_number(py, error, &place);
                    if !skip_invalid {
                        return Err(error);
                    }
                    problems.push(error.into_value(py).into_any());
                }
            }
        }
        py.detach(|| judge(&evaluators, &chunk, threads, &mut rows));
        py.check_signals()?;
        progress.advance(py, number - before)?;
        if number - before < CHUNK {
            break;
        }
    }
    let judged = rows.len() / evaluators.len();
    let summary = summary_of(&evaluators, &rows, judged as u64, problems.len() as u64);
    Ok(Run::new(
        rows,
        &summary,
        problems,
        skip_invalid,
        Wanted { details, alignment },
    ))
}

/// Scores the rows of a table: one row a case, or with `group_by` one row a span. A row that is no case becomes an error row.
#[pyfunction]
#[pyo3(signature = (table, evaluators, /, *, group_by, threads, details, alignment, progress))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn score_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    evaluators: &Bound<'_, PyAny>,
    group_by: Option<&str>,
    threads: Option<usize>,
    details: bool,
    alignment: bool,
    progress: Py<PyAny>,
) -> PyResult<Run> {
    let evaluators = Evaluator::of_objects(evaluators)?;
    let threads = thread_count(threads);
    let progress = Progress::shown(progress);
    let table = Table::of(table)?;
    let (mut rows, mut unreadable) = (Vec::new(), 0);
    py.detach(|| {
        table.each_chunk(group_by, CHUNK, &mut |cases| {
            unreadable += cases.iter().filter(|case| case.subject.is_err()).count();
            judge(&evaluators, &cases, threads, &mut rows);
            Python::attach(|py| {
                py.check_signals()?;
                progress.advance(py, cases.len())
            })
        })
    })
    .map_err(|error| match error {
        Unread::Table(message) => errors::table(py, &message),
        Unread::Raised(error) => error,
    })?;
    let judged = rows.len() / evaluators.len() - unreadable;
    let summary = summary_of(&evaluators, &rows, judged as u64, unreadable as u64);
    Ok(Run::new(
        rows,
        &summary,
        Vec::new(),
        false,
        Wanted { details, alignment },
    ))
}
