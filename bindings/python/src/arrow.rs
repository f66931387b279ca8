//! Results as tables, through the Arrow C interface: no copy on the way, and no package of Python needed.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::run::{Row, Wanted};

/// The columns of results, always these and in this order; `details` and `alignment` are JSON texts, null unless asked for.
pub(crate) fn schema() -> SchemaRef {
    let text = |name, is_nullable| Field::new(name, DataType::Utf8, is_nullable);
    Arc::new(Schema::new(vec![
        text("case", false),
        text("trial", true),
        text("evaluator", false),
        text("name", true),
        text("outcome", false),
        Field::new("score", DataType::Float64, true),
        Field::new("passed", DataType::Boolean, true),
        text("reason", true),
        text("details", true),
        text("alignment", true),
    ]))
}

/// Results as columns.
pub(crate) fn batch_of(rows: &[Row], wanted: Wanted) -> RecordBatch {
    let mut texts: [StringBuilder; 8] = std::array::from_fn(|_| StringBuilder::new());
    let (mut scores, mut passed) = (
        Float64Builder::with_capacity(rows.len()),
        BooleanBuilder::with_capacity(rows.len()),
    );
    for row in rows {
        let parts = if wanted.details || wanted.alignment {
            row.source.parts(&row.result)
        } else {
            crate::evaluation::Parts::default()
        };
        let [
            case,
            trial,
            evaluator,
            name,
            outcome,
            reason,
            details,
            alignment,
        ] = &mut texts;
        case.append_value(&row.label.case);
        trial.append_option(row.label.trial.as_deref());
        evaluator.append_value(row.source.id());
        name.append_option(row.source.name());
        outcome.append_value(row.result.outcome.name());
        scores.append_option(row.result.score());
        passed.append_option(row.result.passed);
        reason.append_option(row.result.outcome.reason());
        details.append_option(parts.details.filter(|_| wanted.details));
        alignment.append_option(parts.alignment.filter(|_| wanted.alignment));
    }
    let [
        case,
        trial,
        evaluator,
        name,
        outcome,
        reason,
        details,
        alignment,
    ] = texts.map(|mut texts| Arc::new(texts.finish()) as ArrayRef);
    let columns = vec![
        case,
        trial,
        evaluator,
        name,
        outcome,
        Arc::new(scores.finish()),
        Arc::new(passed.finish()),
        reason,
        details,
        alignment,
    ];
    RecordBatch::try_new(schema(), columns)
        .expect("the columns are those of the schema, and of one length")
}

/// A table as a capsule that any Arrow library reads.
pub(crate) fn stream_of(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    capsule(
        py,
        Box::new(RecordBatchIterator::new([Ok(batch)], schema())),
    )
}

/// Tables, one after another.
pub(crate) fn stream_of_batches(
    py: Python<'_>,
    batches: impl Iterator<Item = Result<RecordBatch, String>> + Send + 'static,
) -> PyResult<Bound<'_, PyCapsule>> {
    let batches = batches.map(|batch| batch.map_err(ArrowError::ComputeError));
    capsule(py, Box::new(RecordBatchIterator::new(batches, schema())))
}

fn capsule(
    py: Python<'_>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

/// The columns of a table as lists, in a dict.
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
