//! Many evaluations: of cases in memory, of tables, of files.

use std::sync::{Arc, OnceLock};
use std::thread;

use arrow_array::RecordBatch;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rightcall_formats::MAX_THREADS;
use rightcall_results::{EvaluationResult, EvaluatorSummary, RunSummary, Scores};

use crate::arrow::{self, Table};
use crate::evaluation::{Evaluation, Label, Source, failed, outcome};
use crate::evaluator::Evaluator;
use crate::settings::reading;
use crate::subject::Subject;
use crate::{errors, values};

/// One evaluation of a run.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) label: Label,
    pub(crate) result: EvaluationResult,
    pub(crate) source: Source,
}

impl Row {
    fn evaluation(&self) -> Evaluation {
        Evaluation::new(
            self.result.clone(),
            Some(self.label.clone()),
            self.source.clone(),
        )
    }
}

/// What evaluators made of many cases: a sequence of evaluations in the order of the cases, with a summary.
#[pyclass(frozen, sequence, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Run {
    rows: Vec<Row>,
    summary: RunSummary,
    /// What could not be read, as exceptions.
    problems: Vec<Py<PyAny>>,
    skip_invalid: bool,
    /// Whether tables have the columns that cost their making.
    wanted: Wanted,
    batch: OnceLock<RecordBatch>,
}

/// The columns that cost their making.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) details: bool,
    pub(crate) alignment: bool,
}

impl Run {
    pub(crate) fn new(
        rows: Vec<Row>,
        summary: RunSummary,
        problems: Vec<Py<PyAny>>,
        skip_invalid: bool,
        wanted: Wanted,
    ) -> Self {
        Self {
            rows,
            summary,
            problems,
            skip_invalid,
            wanted,
            batch: OnceLock::new(),
        }
    }

    fn batch(&self) -> &RecordBatch {
        self.batch
            .get_or_init(|| arrow::batch_of(&self.rows, self.wanted))
    }
}

#[pymethods]
impl Run {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Evaluation> {
        let place = if index < 0 {
            index + self.rows.len() as isize
        } else {
            index
        };
        let row = usize::try_from(place)
            .ok()
            .and_then(|place| self.rows.get(place));
        row.map(Row::evaluation).ok_or_else(|| {
            PyIndexError::new_err(format!("there are {} evaluations", self.rows.len()))
        })
    }

    /// What the run came to: a dict with `cases`, and for each of the `evaluators` its `mean`, `min`, `max`, `pass_rate` and counts.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::object_of(py, &self.summary.to_json())
    }

    /// The gates of the suite, each a dict with `gate`, `held` and what was wanted and found; empty without a suite.
    #[getter]
    fn gates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.summary(py)?.get_item("gates")
    }

    /// What could not be read, a list of exceptions.
    #[getter]
    fn problems(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.problems
            .iter()
            .map(|problem| problem.clone_ref(py))
            .collect()
    }

    /// The exit code that the command line gives this run: 0 for fine, 1 for a gate or a threshold that is missed or an evaluator that
    /// says no, 2 for something that could not be read or scored, or runs of which none belongs to a case.
    #[getter]
    fn exit_code(&self) -> u8 {
        self.summary.ending(self.skip_invalid) as u8
    }

    /// True if nothing is missed, everything could be read and scored, and there was something to score.
    #[getter]
    fn ok(&self) -> bool {
        self.exit_code() == 0
    }

    /// The run as a stream of Arrow tables; see the Arrow `PyCapsule` interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A requested schema is a wish, which the interface lets a producer leave unanswered.
        _ = requested_schema;
        arrow::stream_of(py, self.batch().clone())
    }

    fn __repr__(&self) -> String {
        let parts: Vec<_> = self.summary.evaluators.iter().map(in_words).collect();
        format!("Run({} cases; {})", self.summary.cases, parts.join("; "))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py()
            .import("rightcall._html")?
            .call_method1("run", (slf,))?
            .extract()
    }
}

fn in_words(evaluator: &EvaluatorSummary) -> String {
    let totals = &evaluator.totals;
    let mut parts = vec![match totals.mean {
        Some(mean) => format!("{}: mean {mean:.3}", evaluator.label),
        None => format!("{}: no score", evaluator.label),
    }];
    if let Some(rate) = totals.pass_rate {
        parts.push(format!("{:.1}% passed", rate * 100.0));
    }
    for (count, what) in [
        (totals.not_applicable, "not applicable"),
        (totals.errors, "errors"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    parts.join(", ")
}

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

/// A case of a batch, or why it is none.
pub(crate) struct Given {
    pub(crate) label: Label,
    pub(crate) subject: Result<Arc<Subject>, String>,
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
#[pyo3(signature = (cases, evaluators, /, *, threads, details, alignment, skip_invalid))]
pub(crate) fn score_cases(
    py: Python<'_>,
    cases: &Bound<'_, PyAny>,
    evaluators: &Bound<'_, PyAny>,
    threads: Option<usize>,
    details: bool,
    alignment: bool,
    skip_invalid: bool,
) -> PyResult<Run> {
    let evaluators = Evaluator::of_objects(evaluators)?;
    let threads = thread_count(threads);
    let mut cases = cases.try_iter()?;
    let (mut rows, mut problems, mut number) = (Vec::new(), Vec::new(), 0_usize);
    loop {
        let mut chunk = Vec::new();
        let before = number;
        for case in cases.by_ref().take(CHUNK) {
            let place = format!("cases[{number}]");
            number += 1;
            match Subject::of_case(&case?, reading()) {
                Ok(subject) => {
                    let label = subject.label().unwrap_or(Label {
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
        if number - before < CHUNK {
            break;
        }
    }
    let judged = rows.len() / evaluators.len();
    let summary = summary_of(&evaluators, &rows, judged as u64, problems.len() as u64);
    Ok(Run::new(
        rows,
        summary,
        problems,
        skip_invalid,
        Wanted { details, alignment },
    ))
}

/// Scores the rows of a table: one row a case, or with `group_by` one row a span. A row that is no case becomes an error row.
#[pyfunction]
#[pyo3(signature = (table, evaluators, /, *, group_by, threads, details, alignment))]
pub(crate) fn score_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    evaluators: &Bound<'_, PyAny>,
    group_by: Option<&str>,
    threads: Option<usize>,
    details: bool,
    alignment: bool,
) -> PyResult<Run> {
    let evaluators = Evaluator::of_objects(evaluators)?;
    let threads = thread_count(threads);
    let table = Table::of(table)?;
    let (mut rows, mut unreadable) = (Vec::new(), 0);
    py.detach(|| {
        table.each_chunk(group_by, CHUNK, &mut |cases| {
            unreadable += cases.iter().filter(|case| case.subject.is_err()).count();
            judge(&evaluators, &cases, threads, &mut rows);
        })
    })
    .map_err(|error| errors::table(py, &error))?;
    let judged = rows.len() / evaluators.len() - unreadable;
    let summary = summary_of(&evaluators, &rows, judged as u64, unreadable as u64);
    Ok(Run::new(
        rows,
        summary,
        Vec::new(),
        false,
        Wanted { details, alignment },
    ))
}
