//! Cases and spans from the rows of tables, which Python offers through the Arrow C interface.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Decimal256Type, DecimalType, Float32Type, Float64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, downcast_integer_array};
use arrow_schema::{DataType, TimeUnit};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use rightcall::value::{JsonWriter, Reader, Syntax, Text};
use rightcall_formats::{Format, Input, Limits, ReadOptions, Trace, TraceCall};

use crate::scalar;
use crate::settings::reading;
use crate::subject::{Label, Subject};

/// A case of a batch, or why it is none.
pub(crate) struct Given {
    pub(crate) label: Label,
    pub(crate) subject: Result<Arc<Subject>, String>,
}

/// Why a table was not read to its end.
pub(crate) enum Unread {
    Table(String),
    Raised(PyErr),
}

impl From<String> for Unread {
    fn from(message: String) -> Self {
        Self::Table(message)
    }
}

impl From<PyErr> for Unread {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

/// A table that Python offers.
pub(crate) struct Table(Box<dyn RecordBatchReader + Send>);

/// The columns of which spans have one: without it nothing tells their calls.
const SPANS: [&str; 3] = ["attributes", "Attributes", "body"];

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
        work: &mut dyn FnMut(Vec<Given>) -> PyResult<()>,
    ) -> Result<(), Unread> {
        match group_by {
            None => self.each_case(chunk, work),
            Some(key) => self.each_group(key, chunk, work),
        }
    }

    fn each_case(
        self,
        chunk: usize,
        work: &mut dyn FnMut(Vec<Given>) -> PyResult<()>,
    ) -> Result<(), Unread> {
        let mut before = 0;
        for batch in self.0 {
            let batch = batch.map_err(|error| error.to_string())?;
            let ids = batch.column_by_name("id");
            for start in (0..batch.num_rows()).step_by(chunk) {
                let rows = start..batch.num_rows().min(start + chunk);
                let cases = rows.map(|row| {
                    let read = case_text(&batch, row, &[]).and_then(subject_of);
                    let (subject, label) = match read {
                        Ok((subject, label)) => (Ok(subject), label),
                        Err(fault) => (Err(fault), None),
                    };
                    let label = label.unwrap_or_else(|| Label {
                        case: ids
                            .and_then(|ids| plain(ids, row))
                            .unwrap_or_else(|| format!("row {}", before + row)),
                        trial: None,
                    });
                    Given { label, subject }
                });
                work(cases.collect())?;
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
        work: &mut dyn FnMut(Vec<Given>) -> PyResult<()>,
    ) -> Result<(), Unread> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut before = 0;
        for batch in self.0 {
            let batch = batch.map_err(|error| error.to_string())?;
            let keys = batch
                .column_by_name(key)
                .ok_or_else(|| format!("expected a column `{key}` to group by, found none"))?;
            if !SPANS
                .iter()
                .any(|name| batch.column_by_name(name).is_some())
            {
                let message = format!(
                    "expected spans, with a column `attributes`, to group by `{key}`; found no such column"
                );
                return Err(message.into());
            }
            let expected = batch.column_by_name("expected");
            let ids = batch.column_by_name("span_id");
            for row in 0..batch.num_rows() {
                let Some(name) = plain(keys, row) else {
                    let id = ids.and_then(|ids| plain(ids, row));
                    groups.push(Group::of_nobody(
                        id.unwrap_or_else(|| format!("row {}", before + row)),
                        key,
                    ));
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
            before += batch.num_rows();
        }
        for groups in groups.chunks(chunk) {
            work(groups.iter().map(Group::case).collect())?;
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
    /// A span that no key brings together with others: an error, since whose call it tells is unknown.
    fn of_nobody(name: String, key: &str) -> Self {
        Self {
            name,
            fault: Some(format!(
                "column `{key}`: expected which run the span belongs to, found null"
            )),
            ..Self::default()
        }
    }

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
            subject: subject.map(|(subject, _)| subject),
        }
    }

    /// The run that the spans tell, as the text of a case.
    fn run(&self) -> Result<String, String> {
        let options = ReadOptions {
            format: Format::find("flat-spans").ok(),
            ..*reading()
        };
        let spans = format!("[{}]", self.spans).into_bytes();
        let input = Input::from_bytes("spans", spans, Limits::default(), &options);
        let mut input = input.map_err(|error| error.to_string())?;
        let mut run: Option<Trace> = None;
        while let Some(records) = input.next_traces().map_err(|error| error.to_string())? {
            for (_, next) in records {
                let next = next.map_err(|error| error.to_string())?;
                run = Some(match run {
                    None => next,
                    Some(run) => together(run, next),
                });
            }
        }
        // Spans that tell nothing of an agent are no run without calls.
        let run = run.unwrap_or_else(|| Trace {
            lacks_run: true,
            ..Trace::default()
        });
        let case = Trace {
            id: Some(Text::from(self.name.clone())),
            ..run
        };
        let case = case.to_case();
        // What is expected is written as in a case, with matchers; of a key that comes again the last counts.
        Ok(match (&self.expected, case.strip_suffix('}')) {
            (Some(expected), Some(open)) => format!("{open},\"expected\":{expected}}}"),
            _ => case,
        })
    }
}

/// Two runs as one: whoever says that spans belong together is believed, whatever ids they have.
fn together(one: Trace, other: Trace) -> Trace {
    let before = one.calls.len();
    let others = other.calls.into_iter().map(|call| TraceCall {
        parent: call.parent.map(|parent| parent + before),
        ..call
    });
    Trace {
        calls: one.calls.into_iter().chain(others).collect(),
        lacks_run: one.lacks_run && other.lacks_run,
        agent_spoke: one.agent_spoke || other.agent_spoke,
        incomplete: one.incomplete.or(other.incomplete),
        ..one
    }
}

/// The case that a text holds, and what it is called.
fn subject_of(text: String) -> Result<(Arc<Subject>, Option<Label>), String> {
    let subject = Subject::Text(text);
    let label = subject.label().map_err(|error| error.to_string())?;
    Ok((Arc::new(subject), label))
}

/// A row as a JSON object, without what is null.
fn case_text(batch: &RecordBatch, row: usize, without: &[&str]) -> Result<String, String> {
    let mut writer = JsonWriter::with_capacity(1024);
    writer.begin_object();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let name = field.name().as_str();
        if is_null(column, row) || without.contains(&name) {
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
    let json = writer.finish().into_string();
    // Nulls may stand in a dictionary, or be all that a column can hold.
    (json != "null").then(|| json.trim_matches('"').to_owned())
}

/// True for a null; columns of nothing else have no list of them.
fn is_null(column: &ArrayRef, row: usize) -> bool {
    column.is_null(row) || *column.data_type() == DataType::Null
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
    match column.data_type() {
        DataType::List(_) => items(writer, &column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => items(writer, &column.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => items(writer, &column.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let members = column.as_struct();
            writer.begin_object();
            for (field, member) in fields.iter().zip(members.columns()) {
                if member.is_valid(row) {
                    cell(writer.key(field.name()), member, row)?;
                }
            }
            writer.end_object();
            Ok(())
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
            Ok(())
        }
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let place = dictionary.normalized_keys()[row];
            cell(writer, dictionary.values(), place)
        }
        _ => single(writer, column, row),
    }
}

/// Writes a cell that holds no others, and is neither null nor text.
fn single(writer: &mut JsonWriter, column: &dyn Array, row: usize) -> Result<(), String> {
    macro_rules! nanoseconds {
        ($kind:ty, $factor:expr) => {
            _ = writer
                .raw(&(i128::from(column.as_primitive::<$kind>().value(row)) * $factor).to_string())
        };
    }
    macro_rules! decimal {
        ($kind:ty, $precision:expr, $scale:expr) => {{
            let value = column.as_primitive::<$kind>().value(row);
            scalar::decimal(
                writer,
                &<$kind>::format_decimal(value, *$precision, *$scale),
            )?
        }};
    }
    match column.data_type() {
        DataType::Null => _ = writer.null(),
        DataType::Boolean => _ = writer.bool(column.as_boolean().value(row)),
        integer if integer.is_integer() => {
            let digits = downcast_integer_array!(
                column => column.value(row).to_string(),
                _ => return Err(format!("expected an integer, found {integer}")),
            );
            writer.raw(&digits);
        }
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
        DataType::Date32 => day(
            writer,
            column.as_primitive::<Date32Type>().value_as_date(row),
        )?,
        DataType::Date64 => day(
            writer,
            column.as_primitive::<Date64Type>().value_as_date(row),
        )?,
        DataType::Decimal128(precision, scale) => decimal!(Decimal128Type, precision, scale),
        DataType::Decimal256(precision, scale) => decimal!(Decimal256Type, precision, scale),
        DataType::Binary => scalar::bytes(writer, column.as_binary::<i32>().value(row)),
        DataType::LargeBinary => scalar::bytes(writer, column.as_binary::<i64>().value(row)),
        DataType::BinaryView => scalar::bytes(writer, column.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => {
            scalar::bytes(writer, column.as_fixed_size_binary().value(row));
        }
        other => {
            return Err(format!(
                "expected text, numbers, lists, structs or maps, found {other}"
            ));
        }
    }
    Ok(())
}

/// Writes a day as ISO 8601 has it.
fn day(writer: &mut JsonWriter, day: Option<impl std::fmt::Display>) -> Result<(), String> {
    let day = day.ok_or("expected a date of the calendar, found a number that is none")?;
    writer.str(&day.to_string());
    Ok(())
}

fn items(writer: &mut JsonWriter, items: &ArrayRef) -> Result<(), String> {
    writer.begin_list();
    (0..items.len()).try_for_each(|item| cell(writer, items, item))?;
    writer.end_list();
    Ok(())
}
