//! The Python methods of a run.

use arrow_array::RecordBatch;
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PySlice};

use crate::evaluation::Evaluation;
use crate::run::{Row, Run};
use crate::{arrow, plain_value, values};

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

    fn __iter__(slf: Py<Self>) -> Rows {
        Rows { run: slf, next: 0 }
    }

    /// The index of the first equal evaluation; a `ValueError` if there is none.
    #[pyo3(signature = (value, /, start = 0, stop = None))]
    fn index<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: Option<isize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        sequence(slf.py())?.call_method1(intern!(slf.py(), "index"), (slf, value, start, stop))
    }

    /// The number of equal evaluations.
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

    /// The summary: a dict with `cases`, and for each of the `evaluators` its `mean`, `min`, `max`, `pass_rate` and counts.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::object_of(py, &self.totals.json)
    }

    /// The gates of the suite, each a dict with `gate`, `held`, and the wanted and found values; empty without a suite.
    #[getter]
    fn gates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.summary(py)?.get_item("gates")
    }

    /// The errors of input that could not be read, as exceptions.
    #[getter]
    fn problems(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.problems
            .iter()
            .map(|problem| problem.clone_ref(py))
            .collect()
    }

    /// The warnings of the command, one a line: keys of cases and tool names that may be misspelt, and call-like parts that were not
    /// parsed.
    #[getter]
    fn warnings(&self) -> &[String] {
        &self.totals.warnings
    }

    /// The command's exit code for this run. 0: nothing failed. 1: a gate or threshold failed, or an evaluator failed a case by its own
    /// verdict. 2: input could not be read or scored, no run matches a case, or a gate or threshold judged no case.
    #[getter]
    fn exit_code(&self) -> u8 {
        self.totals.exit_code
    }

    /// True if nothing failed, all input was read and scored, every gate and threshold judged a case, and at least one case has a score.
    #[getter]
    fn ok(&self) -> bool {
        let is_scored = |row: &Row| row.result.score().is_some();
        self.exit_code() == 0 && self.rows.iter().any(is_scored)
    }

    /// The run as a stream of Arrow tables; see the Arrow `PyCapsule` interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows a producer to ignore the requested schema.
        _ = requested_schema;
        arrow::stream_of(py, batch(self).clone())
    }

    /// The run as a dict: `summary`, the `evaluations` as dicts, and the `problems` as texts. Details and alignments are included if the
    /// run was asked for them.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let wanted = slf.get().wanted;
        tables(slf.py())?.call_method1(
            intern!(slf.py(), "run_dict"),
            (slf, wanted.details, wanted.alignment),
        )
    }

    /// The evaluations as a pandas data frame, with the columns of every results table.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let columns = arrow::columns_of(slf.py(), batch(slf.get()))?;
        tables(slf.py())?.call_method1(intern!(slf.py(), "to_pandas"), (columns,))
    }

    /// The evaluations as a polars data frame, with the columns of every results table.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf.py())?.call_method1(intern!(slf.py(), "to_polars"), (slf,))
    }

    /// The distribution of each evaluator's scores, as a matplotlib figure.
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

/// An iterator over the evaluations of a run.
#[pyclass]
struct Rows {
    run: Py<Run>,
    next: usize,
}

#[pymethods]
impl Rows {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self) -> Option<Evaluation> {
        let row = self.run.get().rows.get(self.next)?;
        self.next += 1;
        Some(row.clone().into_evaluation())
    }
}

/// The run as a table, computed once.
fn batch(run: &Run) -> &RecordBatch {
    let make = || arrow::batch_of(&run.rows, run.wanted);
    run.batch.get_or_init(make)
}

/// The class with the methods written in Python.
fn sequence(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import(intern!(py, "collections.abc"))?
        .getattr(intern!(py, "Sequence"))
}

fn tables(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(intern!(py, "rightcall._tables"))
}
