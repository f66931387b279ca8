//! Tables in and out, through the Arrow C interface: no copy on the way, and no package of Python needed.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator,
    RecordBatchReader, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::input::AnyRecordBatch;
use rightcall::value::{JsonWriter, Reader, Syntax, Text};
use rightcall_columns::value;

use crate::evaluation::{Label, Parts};
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
    let parts = |row: &Row| {
        if !wanted.details && !wanted.alignment {
            return (None, None);
        }
        let Parts {
            details, alignment, ..
        } = row.source.parts(&row.result);
        (
            details.filter(|_| wanted.details),
            alignment.filter(|_| wanted.alignment),
        )
    };
    let (details, alignments): (Vec<_>, Vec<_>) = rows.iter().map(parts).unzip();
    let scores = rows.iter().map(|row| row.result.score());
    let passed = rows.iter().map(|row| row.result.passed);
    let columns = vec![
        texts(rows.iter().map(|row| Some(&row.label.case))),
        texts(rows.iter().map(|row| row.label.trial.as_deref())),
        texts(rows.iter().map(|row| Some(row.source.id()))),
        texts(rows.iter().map(|row| row.source.name())),
        texts(rows.iter().map(|row| Some(row.result.outcome.name()))),
        Arc::new(scores.collect::<Float64Array>()),
        Arc::new(passed.collect::<BooleanArray>()),
        texts(rows.iter().map(|row| row.result.outcome.reason())),
        texts(details.into_iter()),
        texts(alignments.into_iter()),
    ];
    RecordBatch::try_new(schema(), columns)
        .expect("the columns are those of the schema, and of one length")
}

fn texts<T: AsRef<str>>(cells: impl Iterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(cells.collect::<StringArray>())
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
    match value::text(column, row).filter(|text| text.trim_start().starts_with(['[', '{'])) {
        Some(json) => {
            let mut reader = Reader::new(json, Syntax::PYTHON);
            let value = reader.raw().and_then(|value| reader.end().map(|()| value));
            writer.raw(value.map_err(|error| error.to_string())?);
            Ok(())
        }
        None => cell(writer, column, row),
    }
}

/// A cell as a label.
fn plain(column: &ArrayRef, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    if let Some(text) = value::text(column, row) {
        return Some(text.to_owned());
    }
    let mut writer = JsonWriter::new();
    cell(&mut writer, column, row).ok()?;
    Some(writer.finish().into_string().trim_matches('"').to_owned())
}

/// Writes a cell as JSON.
fn cell(writer: &mut JsonWriter, column: &ArrayRef, row: usize) -> Result<(), String> {
    value::check(column.data_type()).map_err(|other| {
        format!("expected text, numbers, lists, structs or maps, found {other}")
    })?;
    value::write(writer, column, row);
    Ok(())
}
