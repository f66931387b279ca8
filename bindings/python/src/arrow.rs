//! Tables in and out, through the Arrow C interface: no copy on the way, and no package of Python needed.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::input::AnyRecordBatch;
use rightcall::value::{JsonWriter, Reader, Syntax, Text};

use crate::evaluation::Label;
use crate::run::{Given, Row, Wanted};
use crate::settings::reading;
use crate::spans;
use crate::subject::Subject;

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

/// A table that Python offers.
pub(crate) struct Table(Box<dyn RecordBatchReader + Send>);

/// The keys of a case that are texts, whatever they look like.
const TEXTS: [&str; 4] = ["id", "description", "input", "output"];

impl Table {
    /// A table from any object with an Arrow stream.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        object.extract::<AnyRecordBatch>()?.into_reader().map(Self)
    }

    /// Gives `work` the cases of the table, so many at a time.
    pub(crate) fn each_chunk(
        self,
        group_by: Option<&str>,
        chunk: usize,
        work: &mut dyn FnMut(Vec<Given>),
    ) -> Result<(), String> {
        match group_by {
            None => self.each_case(chunk, work),
            Some(key) => self.each_group(key, chunk, work),
        }
    }

    fn each_case(self, chunk: usize, work: &mut dyn FnMut(Vec<Given>)) -> Result<(), String> {
        let mut before = 0;
        for batch in self.0 {
            let batch = batch.map_err(|error| error.to_string())?;
            let ids = batch.column_by_name("id");
            for start in (0..batch.num_rows()).step_by(chunk) {
                let rows = start..batch.num_rows().min(start + chunk);
                let cases = rows.map(|row| {
                    let subject = case_text(&batch, row, &[]).and_then(subject_of);
                    let named = subject.as_ref().ok().and_then(Subject::label);
                    let label = named.unwrap_or_else(|| Label {
                        case: ids
                            .and_then(|ids| plain(ids, row))
                            .unwrap_or_else(|| format!("row {}", before + row)),
                        trial: None,
                    });
                    Given {
                        label,
                        subject: subject.map(Arc::new),
                    }
                });
                work(cases.collect());
            }
            before += batch.num_rows();
        }
        Ok(())
    }

    /// The rows are spans, and those with the same key are one run.
    fn each_group(
        self,
        key: &str,
        chunk: usize,
        work: &mut dyn FnMut(Vec<Given>),
    ) -> Result<(), String> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for batch in self.0 {
            let batch = batch.map_err(|error| error.to_string())?;
            let keys = batch
                .column_by_name(key)
                .ok_or_else(|| format!("expected a column `{key}` to group by, found none"))?;
            let expected = batch.column_by_name("expected");
            for row in 0..batch.num_rows() {
                // A span of no trace belongs to nobody.
                let Some(name) = plain(keys, row) else {
                    continue;
                };
                let place = *places.entry(name).or_insert_with_key(|name| {
                    groups.push(Group {
                        name: name.clone(),
                        ..Group::default()
                    });
                    groups.len() - 1
                });
                groups[place].add(&batch, row, expected);
            }
        }
        for groups in groups.chunks(chunk) {
            work(groups.iter().map(Group::case).collect());
        }
        Ok(())
    }
}

/// Spans of one run.
#[derive(Default)]
struct Group {
    name: String,
    spans: String,
    expected: Option<String>,
    fault: Option<String>,
}

impl Group {
    fn add(&mut self, batch: &RecordBatch, row: usize, expected: Option<&ArrayRef>) {
        match case_text(batch, row, &["expected"]) {
            Ok(span) => {
                self.spans
                    .push_str(if self.spans.is_empty() { "" } else { "," });
                self.spans.push_str(&span);
            }
            Err(fault) => self.fault = self.fault.take().or(Some(fault)),
        }
        if let Some(column) =
            expected.filter(|column| self.expected.is_none() && column.is_valid(row))
        {
            let mut writer = JsonWriter::new();
            match side(&mut writer, column, row) {
                Ok(()) => self.expected = Some(writer.finish().into_string()),
                Err(fault) => {
                    self.fault = self
                        .fault
                        .take()
                        .or(Some(format!("column `expected`: {fault}")));
                }
            }
        }
    }

    fn case(&self) -> Given {
        let label = Label {
            case: self.name.clone(),
            trial: None,
        };
        let subject = match &self.fault {
            Some(fault) => Err(fault.clone()),
            None => self.run().and_then(subject_of),
        };
        Given {
            label,
            subject: subject.map(Arc::new),
        }
    }

    /// The run that the spans tell, as the text of a case.
    fn run(&self) -> Result<String, String> {
        let mut trace = spans::run_of(format!("[{}]", self.spans))?;
        trace.id = Some(Text::from(self.name.clone()));
        trace.expected.clone_from(&self.expected);
        Ok(trace.to_case())
    }
}

fn subject_of(text: String) -> Result<Subject, String> {
    Subject::of_json(text, reading()).map_err(|error| {
        let place = if error.pointer.is_empty() {
            String::new()
        } else {
            format!("{}: ", error.pointer)
        };
        format!("{place}expected {}, found {}", error.expected, error.found)
    })
}

/// A row as a JSON object, without what is null.
fn case_text(batch: &RecordBatch, row: usize, without: &[&str]) -> Result<String, String> {
    let mut writer = JsonWriter::with_capacity(1024);
    writer.begin_object();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let name = field.name().as_str();
        if column.is_null(row) || without.contains(&name) {
            continue;
        }
        writer.key(name);
        let written = if TEXTS.contains(&name) {
            cell(&mut writer, column, row)
        } else {
            side(&mut writer, column, row)
        };
        written.map_err(|fault| format!("column `{name}`: {fault}"))?;
    }
    writer.end_object();
    Ok(writer.finish().into_string())
}

/// A cell that may hold JSON as text.
fn side(writer: &mut JsonWriter, column: &ArrayRef, row: usize) -> Result<(), String> {
    match text(column, row).filter(|text| text.trim_start().starts_with(['[', '{'])) {
        Some(json) => {
            let mut reader = Reader::new(json, Syntax::PYTHON);
            let value = reader.raw().and_then(|value| reader.end().map(|()| value));
            writer.raw(value.map_err(|error| error.to_string())?);
            Ok(())
        }
        None => cell(writer, column, row),
    }
}

fn text(column: &dyn Array, row: usize) -> Option<&str> {
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(column.as_string_view().value(row)),
        _ => None,
    }
}

/// A cell as a label.
fn plain(column: &ArrayRef, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    if let Some(text) = text(column, row) {
        return Some(text.to_owned());
    }
    let mut writer = JsonWriter::new();
    cell(&mut writer, column, row).ok()?;
    Some(writer.finish().into_string().trim_matches('"').to_owned())
}

/// Writes a cell as JSON. In a struct, a null is what a row leaves out: columns cannot tell the one from the other.
fn cell(writer: &mut JsonWriter, column: &dyn Array, row: usize) -> Result<(), String> {
    if column.is_null(row) {
        writer.null();
        return Ok(());
    }
    if let Some(text) = text(column, row) {
        writer.str(text);
        return Ok(());
    }
    macro_rules! number {
        ($kind:ty) => {
            _ = writer.raw(&column.as_primitive::<$kind>().value(row).to_string())
        };
    }
    macro_rules! nanoseconds {
        ($kind:ty, $factor:expr) => {
            _ = writer
                .raw(&(i128::from(column.as_primitive::<$kind>().value(row)) * $factor).to_string())
        };
    }
    match column.data_type() {
        DataType::Null => _ = writer.null(),
        DataType::Boolean => _ = writer.bool(column.as_boolean().value(row)),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 => {
            _ = writer.python_float(f64::from(column.as_primitive::<Float32Type>().value(row)));
        }
        DataType::Float64 => {
            _ = writer.python_float(column.as_primitive::<Float64Type>().value(row));
        }
        DataType::Timestamp(TimeUnit::Second, _) => {
            nanoseconds!(TimestampSecondType, 1_000_000_000);
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            nanoseconds!(TimestampMillisecondType, 1_000_000);
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            nanoseconds!(TimestampMicrosecondType, 1_000);
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => nanoseconds!(TimestampNanosecondType, 1),
        DataType::List(_) => items(writer, &column.as_list::<i32>().value(row))?,
        DataType::LargeList(_) => items(writer, &column.as_list::<i64>().value(row))?,
        DataType::FixedSizeList(..) => items(writer, &column.as_fixed_size_list().value(row))?,
        DataType::Struct(fields) => {
            let members = column.as_struct();
            writer.begin_object();
            for (field, member) in fields.iter().zip(members.columns()) {
                if member.is_valid(row) {
                    cell(writer.key(field.name()), member, row)?;
                }
            }
            writer.end_object();
        }
        DataType::Map(..) => {
            let entries = column.as_map().value(row);
            let (keys, values) = (entries.column(0), entries.column(1));
            writer.begin_object();
            for entry in 0..entries.len() {
                let key =
                    plain(keys, entry).ok_or("expected texts as keys of a map, found null")?;
                cell(writer.key(&key), values, entry)?;
            }
            writer.end_object();
        }
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let place = dictionary.normalized_keys()[row];
            cell(writer, dictionary.values(), place)?;
        }
        other => {
            return Err(format!(
                "expected text, numbers, lists, structs or maps, found {other}"
            ));
        }
    }
    Ok(())
}

fn items(writer: &mut JsonWriter, items: &ArrayRef) -> Result<(), String> {
    writer.begin_list();
    (0..items.len()).try_for_each(|item| cell(writer, items, item))?;
    writer.end_list();
    Ok(())
}
