//! Results as tables, through the Arrow C interface: without a copy and without a Python package.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Float64Type;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCapsule, PyDict, PyList};
use rightcall_report::ResultTable;
use rightcall_results::{Column, ColumnType, ResultRow, columns_without};

use crate::evaluation::Wanted;
use crate::run::Row;

/// The columns of evaluation tables that do not come from files; `details` and `alignment` are JSON texts, null unless requested.
fn columns() -> Vec<&'static Column> {
    columns_without(&["tags", "file", "line"])
}

fn empty_table() -> ResultTable {
    ResultTable::new(columns(), HashMap::new())
}

/// The columns of evaluation tables, each with its type: `text`, `number` or `flag`.
#[pyfunction]
pub(crate) fn result_columns(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let kind = |column: &Column| match column.kind {
        ColumnType::Number => "number",
        ColumnType::Flag => "flag",
        _ => "text",
    };
    let columns = columns().into_iter();
    columns.map(|it| (it.name, kind(it))).into_py_dict(py)
}

/// Results as columns.
pub(crate) fn batch_of(rows: &[Row], wanted: Wanted) -> RecordBatch {
    let mut table = empty_table();
    for row in rows {
        table.push(&ResultRow {
            label: &row.label.case,
            trial: row.label.trial.as_deref(),
            evaluator: Some(row.source.id()),
            name: row.source.name(),
            result: &row.source.with_parts(&row.result, wanted),
            tags: &[],
            place: ("", 0),
        });
    }
    table.take()
}

/// A table as a capsule for any Arrow library.
pub(crate) fn stream_of(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = batch.schema();
    capsule(py, Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

/// A stream of tables as a capsule.
pub(crate) fn stream_of_batches(
    py: Python<'_>,
    batches: impl Iterator<Item = Result<RecordBatch, String>> + Send + 'static,
) -> PyResult<Bound<'_, PyCapsule>> {
    let batches = batches.map(|batch| batch.map_err(ArrowError::ComputeError));
    let schema = empty_table().schema();
    capsule(py, Box::new(RecordBatchIterator::new(batches, schema)))
}

fn capsule(
    py: Python<'_>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

/// The columns of a table as a dict of lists.
pub(crate) fn columns_of<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let values = match field.data_type() {
            DataType::Float64 => PyList::new(py, column.as_primitive::<Float64Type>()),
            DataType::Boolean => PyList::new(py, column.as_boolean()),
            _ => PyList::new(py, column.as_string::<i32>()),
        };
        columns.set_item(field.name(), values?)?;
    }
    Ok(columns)
}
