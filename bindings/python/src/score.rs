//! Evaluates cases in memory and rows of tables, on all processors.

use std::sync::Arc;
use std::thread;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rightcall_formats::{Format, MAX_THREADS};
use rightcall_run::place_in_batch;

use crate::batch::{JudgedBatch, Keep};
use crate::errors;
use crate::evaluation::Wanted;
use crate::evaluator::Evaluator;
use crate::progress::Progress;
use crate::run::Run;
use crate::subject::{Label, Subject};
use crate::table::{Given, Table, Unread};
use crate::walk;

/// The number of cases sent to the workers at once.
const CHUNK: usize = 4096;

pub(crate) fn thread_count(threads: Option<usize>) -> usize {
    threads
        .or_else(|| thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
        .clamp(1, MAX_THREADS)
}

/// Scores cases that are Python objects. An invalid case has an error for each evaluator, in its place.
#[pyfunction]
#[pyo3(signature = (cases, evaluators, /, *, keep, threads, details, alignment, skip_invalid, progress))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn score_cases(
    py: Python<'_>,
    cases: &Bound<'_, PyAny>,
    evaluators: &Bound<'_, PyAny>,
    keep: &str,
    threads: Option<usize>,
    details: bool,
    alignment: bool,
    skip_invalid: bool,
    progress: Py<PyAny>,
) -> PyResult<Run> {
    let wanted = Wanted { details, alignment };
    let keep = Keep::parse(py, keep, wanted)?;
    let threads = thread_count(threads);
    let progress = Progress::shown(progress);
    let mut batch = JudgedBatch::new(&Evaluator::of_objects(evaluators)?, keep);
    let mut cases = cases.try_iter()?;
    let (mut problems, mut number, mut walked) = (Vec::new(), 0_usize, 0_usize);
    loop {
        let (mut chunk, mut invalid) = (Vec::new(), Vec::new());
        let before = number;
        for case in cases.by_ref().take(CHUNK) {
            let case = case?;
            let place = place_in_batch(number);
            number += 1;
            let subject = match Subject::of_case(&case) {
                Ok(subject) => {
                    let before = walked;
                    walked += subject.len();
                    walk::let_others_run(py, before, walked);
                    Ok(Arc::new(subject))
                }
                // `KeyboardInterrupt` and similar exceptions are not errors of the case.
                Err(error) if !error.is_instance_of::<PyException>(py) => return Err(error),
                Err(error) => {
                    let reason = errors::reason(py, &error);
                    invalid.push((chunk.len(), error));
                    Err(reason)
                }
            };
            chunk.push(Given {
                label: Label::without_trial(Subject::id_of(&case).unwrap_or(place)),
                subject,
            });
        }
        let unparsed = py.detach(|| {
            let unparsed = batch.judge(&chunk, threads);
            // Freeing thousands of cases takes time, too.
            drop(chunk);
            unparsed
        });
        let unparsed = unparsed.iter();
        invalid.extend(unparsed.map(|(index, error)| (*index, errors::case(py, error))));
        invalid.sort_by_key(|(index, _)| *index);
        for (index, error) in invalid {
            let error = errors::of_case_number(py, error, &place_in_batch(before + index));
            problems.push(error.into_value(py).into_any());
        }
        py.check_signals()?;
        progress.advance(py, number - before)?;
        if number - before < CHUNK {
            break;
        }
    }
    Ok(py.detach(|| batch.finish(problems, skip_invalid, wanted)))
}

/// Scores the rows of a table: one row for each case, or with `group_by` one row for each span. An invalid row becomes an error row. The
/// cells of `walked` columns are Python objects. A table that `is_whole` has columns for the evaluation data.
#[pyfunction]
#[pyo3(signature = (table, evaluators, /, *, walked, notes = Vec::new(), is_whole, group_by, map = None, keep = "all", threads, details, alignment, skip_invalid, progress))]
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
    notes: Vec<String>,
    is_whole: bool,
    group_by: Option<&str>,
    map: Option<&str>,
    keep: &str,
    threads: Option<usize>,
    details: bool,
    alignment: bool,
    skip_invalid: bool,
    progress: Py<PyAny>,
) -> PyResult<Run> {
    let wanted = Wanted { details, alignment };
    let keep = Keep::parse(py, keep, wanted)?;
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
    let mut batch = JudgedBatch::new(&Evaluator::of_objects(evaluators)?, keep);
    let mut problems = Vec::new();
    py.detach(|| {
        table.each_chunk(group_by, map, CHUNK, &mut |cases| {
            let unparsed = batch.judge(&cases, threads);
            Python::attach(|py| {
                let reasons = cases.iter().enumerate().filter_map(|(index, case)| {
                    let reason = case.subject.as_ref().err()?;
                    Some((index, errors::table(py, reason, None)))
                });
                let unparsed = unparsed.iter();
                let unparsed = unparsed.map(|(index, error)| (*index, errors::case(py, error)));
                let mut invalid: Vec<_> = reasons.chain(unparsed).collect();
                invalid.sort_by_key(|(index, _)| *index);
                for (index, error) in invalid {
                    let error = errors::of_case_number(py, error, &cases[index].label.case);
                    problems.push(error.into_value(py).into_any());
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
    // Some evaluators need no expectation, so this is an error only if no case was scored.
    if let Some(missing) = missing.first()
        && !skip_invalid
        && batch.lacks_scores()
    {
        return Err(missing.error(py));
    }
    let mut run = batch.finish(problems, skip_invalid, wanted);
    run.totals.warnings.extend(notes);
    Ok(run)
}
