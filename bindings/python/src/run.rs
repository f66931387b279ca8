//! Many evaluations, and what they come to.

use std::sync::OnceLock;

use arrow_array::RecordBatch;
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PySlice};
use rightcall_results::{EvaluationResult, EvaluatorSummary, RunSummary};

use crate::evaluation::{Evaluation, Label, Source};
use crate::{arrow, plain_value, values};

/// One evaluation of a run.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) label: Label,
    pub(crate) result: EvaluationResult,
    pub(crate) source: Source,
}

impl Row {
    pub(crate) fn into_evaluation(self) -> Evaluation {
        Evaluation::new(self.result, Some(self.label), self.source)
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunTotals {
    /// The summary as JSON.
    json: String,
    /// The same in a line.
    line: String,
    exit_code: u8,
}

impl RunTotals {
    fn new(summary: &RunSummary, skip_invalid: bool) -> Self {
        let parts: Vec<_> = summary.evaluators.iter().map(in_words).collect();
        Self {
            json: summary.to_json(),
            line: format!("Run({} cases; {})", summary.cases, parts.join("; ")),
            exit_code: summary.ending(skip_invalid) as u8,
        }
    }
}

/// What evaluators made of many cases: a sequence of evaluations in the order of the cases, with a summary.
#[pyclass(frozen, sequence, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) rows: Vec<Row>,
    pub(crate) totals: RunTotals,
    /// What could not be read, as exceptions.
    pub(crate) problems: Vec<Py<PyAny>>,
    /// Whether tables have the columns that cost their making.
    pub(crate) wanted: Wanted,
    batch: OnceLock<RecordBatch>,
}

/// The columns that cost their making.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    pub(crate) details: bool,
    pub(crate) alignment: bool,
}

impl Run {
    pub(crate) fn new(
        rows: Vec<Row>,
        summary: &RunSummary,
        problems: Vec<Py<PyAny>>,
        skip_invalid: bool,
        wanted: Wanted,
    ) -> Self {
        Self::from_parts(
            rows,
            RunTotals::new(summary, skip_invalid),
            problems,
            wanted,
        )
    }

    pub(crate) fn from_parts(
        rows: Vec<Row>,
        totals: RunTotals,
        problems: Vec<Py<PyAny>>,
        wanted: Wanted,
    ) -> Self {
        Self {
            rows,
            totals,
            problems,
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

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let evaluation = |place: isize| {
            let row = usize::try_from(place)
                .ok()
                .and_then(|place| self.rows.get(place));
            row.map(|row| row.clone().into_evaluation())
        };
        let count = self.rows.len() as isize;
        if let Ok(slice) = index.cast::<PySlice>() {
            let slice = slice.indices(count)?;
            let places = (0..slice.slicelength as isize).map(|at| slice.start + at * slice.step);
            return Ok(
                PyList::new(py, places.filter_map(evaluation).collect::<Vec<_>>())?.into_any(),
            );
        }
        let index: isize = index.extract()?;
        let place = if index < 0 { index + count } else { index };
        let found = evaluation(place)
            .ok_or_else(|| PyIndexError::new_err(format!("there are {count} evaluations")))?;
        Ok(Bound::new(py, found)?.into_any())
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        sequence(slf.py())?.call_method1(intern!(slf.py(), "__iter__"), (slf,))
    }

    /// Where an evaluation stands first; a `ValueError` where it does not.
    #[pyo3(signature = (value, /, start = 0, stop = None))]
    fn index<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: Option<isize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        sequence(slf.py())?.call_method1(intern!(slf.py(), "index"), (slf, value, start, stop))
    }

    /// How often an evaluation is among them.
    #[pyo3(signature = (value, /))]
    fn count<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        sequence(slf.py())?.call_method1(intern!(slf.py(), "count"), (slf, value))
    }

    fn __reversed__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        sequence(slf.py())?.call_method1(intern!(slf.py(), "__reversed__"), (slf,))
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        plain_value::same_runs(py, self, other)
    }

    fn __hash__(&self) -> u64 {
        plain_value::hash_of(&(self.rows.len(), &self.totals))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<plain_value::Reduced<'py>> {
        plain_value::reduce_run(py, self)
    }

    /// What the run came to: a dict with `cases`, and for each of the `evaluators` its `mean`, `min`, `max`, `pass_rate` and counts.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::object_of(py, &self.totals.json)
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
        self.totals.exit_code
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

    /// The run as a dict: `summary`, the `evaluations` as dicts, and the `problems` as texts. Details and alignments are in it where
    /// the run was asked for them.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let wanted = slf.get().wanted;
        tables(slf.py())?.call_method1(
            intern!(slf.py(), "run_dict"),
            (slf, wanted.details, wanted.alignment),
        )
    }

    /// The evaluations as a data frame of pandas, with the columns of every table of results.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let columns = arrow::columns_of(slf.py(), slf.get().batch())?;
        tables(slf.py())?.call_method1(intern!(slf.py(), "to_pandas"), (columns,))
    }

    /// The evaluations as a data frame of polars, with the columns of every table of results.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf.py())?.call_method1(intern!(slf.py(), "to_polars"), (slf,))
    }

    /// How the scores of each evaluator are spread, as a figure of matplotlib.
    fn plot<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import(intern!(slf.py(), "rightcall._plot"))?
            .call_method1(intern!(slf.py(), "plot"), (slf,))
    }

    fn __repr__(&self) -> &str {
        &self.totals.line
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py()
            .import("rightcall._html")?
            .call_method1("run", (slf,))?
            .extract()
    }
}

/// The class whose methods are written in Python.
fn sequence(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import(intern!(py, "collections.abc"))?
        .getattr(intern!(py, "Sequence"))
}

fn tables(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(intern!(py, "rightcall._tables"))
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
