//! Converts the rows of tables to cases and spans, through the Arrow C interface.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::DataType;
use pyo3::exceptions::{PyException, PyImportError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3_arrow::input::AnyRecordBatch;
use rightcall_columns::{CellRules, is_null_cell, label_of_cell, text_of_cell, write_cell};
use rightcall_core::call::Case;
use rightcall_core::value::{JsonWriter, Reader, Syntax, Text, decode_with};
use rightcall_formats::{Block, Format, Input, Limits, ReadOptions, case_text, key_meant_by};

use crate::call_parts::check_side;
use crate::incomplete::incomplete;
use crate::settings::reading;
use crate::subject::{Label, Subject, is_missing, live_calls};
use crate::{errors, scalar, walk};

/// Cells without a JSON type are written like objects.
const RULES: CellRules = CellRules {
    bytes: scalar::bytes,
    decimal: scalar::decimal,
};

/// A case of a batch, or the reason why it is invalid.
pub(crate) struct Given {
    /// Its label if the case has no id or is invalid.
    pub(crate) label: Label,
    pub(crate) subject: Result<Arc<Subject>, String>,
}

/// Why reading a table stopped.
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

/// A table from Python.
pub(crate) struct Table {
    reader: Box<dyn RecordBatchReader + Send>,
    walked: Walked,
}

/// Columns with Python objects as cells, by name. A cell is its JSON or its error; `None` if the
/// row omits it.
#[derive(Default)]
struct Walked {
    columns: HashMap<String, Vec<Option<Result<String, String>>>>,
    /// Why the run of a row may lack calls, by row.
    incomplete: HashMap<usize, String>,
}

impl Walked {
    /// Converts the cells like the same objects in a list of cases.
    fn new(columns: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut walked = Self::default();
        for (name, cells) in columns {
            let name: String = name.extract()?;
            let mut texts = Vec::new();
            for (row, cell) in cells.try_iter()?.enumerate() {
                let cell = cell?;
                if name == "actual"
                    && let Some(why) = incomplete(Some(&cell))?
                {
                    walked.incomplete.insert(row, why);
                }
                texts.push(walked_cell(&name, &cell)?);
            }
            walked.columns.insert(name, texts);
        }
        Ok(walked)
    }

    /// The cell in a row of the whole table, if the column is one of these.
    #[expect(
        clippy::option_option,
        reason = "no such column, or a cell that the row leaves out"
    )]
    fn cell(&self, name: &str, row: usize) -> Option<Option<&Result<String, String>>> {
        Some(self.columns.get(name)?.get(row)?.as_ref())
    }
}

fn walked_cell(name: &str, cell: &Bound<'_, PyAny>) -> PyResult<Option<Result<String, String>>> {
    if is_missing(cell) {
        return Ok(None);
    }
    let text = cell.cast::<PyString>().ok().and_then(|it| it.to_str().ok());
    if SIDES.contains(&name) && text.is_some_and(is_null_text) {
        return Ok(None);
    }
    if let Some(json) = text.filter(|text| !TEXTS.contains(&name) && holds_json(text)) {
        return Ok(Some(checked(json).map(ToOwned::to_owned)));
    }
    let py = cell.py();
    let json = match name {
        "actual" => live_calls(cell, ""),
        _ => Ok(cell.clone()),
    };
    let json = json.and_then(|cell| {
        if SIDES.contains(&name) {
            check_side(&cell, "")?;
        }
        walk::json_of(&cell)
    });
    match json {
        Err(error) if !error.is_instance_of::<PyException>(py) => Err(error),
        json => Ok(Some(json.map_err(|error| errors::reason(py, &error)))),
    }
}

/// A side without a column in the table.
pub(crate) struct MissingSide {
    side: &'static str,
    /// The columns of the table.
    columns: Vec<String>,
}

impl MissingSide {
    /// The Python exception.
    pub(crate) fn error(&self, py: Python<'_>) -> PyErr {
        let quoted: Vec<_> = self.columns.iter().map(|it| format!("`{it}`")).collect();
        let message = format!(
            "expected a table with a column `{}`, found {}",
            self.side,
            quoted.join(", ")
        );
        let mut columns = self.columns.iter();
        let near = columns.find(|it| key_meant_by(it) == Some(self.side));
        let help = near.map(|near| format!("is `{near}` meant? Rename it to `{}`", self.side));
        errors::table(py, &message, help.as_deref())
    }
}

/// Spans have one of these columns. Without it, they cannot hold calls.
const SPANS: [&str; 3] = ["attributes", "Attributes", "body"];

/// The keys of a case that are always text, even if they look like JSON.
const TEXTS: [&str; 4] = ["id", "description", "input", "output"];

/// The keys of the sides of a case.
const SIDES: [&str; 2] = ["expected", "actual"];

impl Table {
    /// Opens any object with an Arrow stream as a table.
    pub(crate) fn of(object: &Bound<'_, PyAny>, walked: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = object.py();
        let reader = object.extract::<AnyRecordBatch>();
        let reader = reader.and_then(AnyRecordBatch::into_reader);
        let reader = reader.map_err(|error| {
            // A missing package is not an error of the table.
            if error.is_instance_of::<PyImportError>(py) || !error.is_instance_of::<PyException>(py)
            {
                return error;
            }
            let found = errors::reason(py, &error);
            errors::table(
                py,
                &format!("expected a table that Arrow can hold, found {found}"),
                None,
            )
        })?;
        Ok(Self {
            reader,
            walked: Walked::new(walked)?,
        })
    }

    /// The sides without a column in the table.
    pub(crate) fn missing_sides(&self) -> Vec<MissingSide> {
        let schema = self.reader.schema();
        let columns: Vec<_> = schema.fields().iter().map(|it| it.name().clone()).collect();
        let missing = ["expected", "actual"].into_iter();
        let missing = missing.filter(|side| !columns.iter().any(|column| column == side));
        let missing = missing.map(|side| MissingSide {
            side,
            columns: columns.clone(),
        });
        missing.collect()
    }

    /// Passes the cases of the table to `work`, in chunks of this size. `map` reads the rows of a
    /// group; without it, the rows are spans.
    pub(crate) fn each_chunk(
        self,
        group_by: Option<&str>,
        map: Option<&'static Format>,
        chunk: usize,
        work: &mut dyn FnMut(Vec<Given>) -> PyResult<()>,
    ) -> Result<(), Unread> {
        match group_by {
            None => self.each_case(chunk, work),
            Some(key) => self.each_group(key, map, chunk, work),
        }
    }

    fn each_case(
        self,
        chunk: usize,
        work: &mut dyn FnMut(Vec<Given>) -> PyResult<()>,
    ) -> Result<(), Unread> {
        let mut before = 0;
        for batch in self.reader {
            let batch = batch.map_err(|error| error.to_string())?;
            for start in (0..batch.num_rows()).step_by(chunk) {
                let rows = start..batch.num_rows().min(start + chunk);
                let cases = rows.map(|row| {
                    let row = TableRow {
                        batch: &batch,
                        row,
                        walked: &self.walked,
                        number: before + row,
                    };
                    let place = || format!("row {}", row.number);
                    Given {
                        label: Label::without_trial(row.label("id").unwrap_or_else(place)),
                        subject: row.case_text(&[]).map(subject_of),
                    }
                });
                work(cases.collect())?;
            }
            before += batch.num_rows();
        }
        Ok(())
    }

    /// Reads rows that are spans, or records for a map. Consecutive rows with the same key are one run.
    fn each_group(
        self,
        key: &str,
        map: Option<&'static Format>,
        chunk: usize,
        work: &mut dyn FnMut(Vec<Given>) -> PyResult<()>,
    ) -> Result<(), Unread> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut before = 0;
        for batch in self.reader {
            let batch = batch.map_err(|error| error.to_string())?;
            if batch.column_by_name(key).is_none() {
                return Err(format!("expected a column `{key}` to group by, found none").into());
            }
            let is_span = |name: &&str| batch.column_by_name(name).is_some();
            if map.is_none() && !SPANS.iter().any(is_span) {
                let message = format!(
                    "expected spans, with a column `attributes`, to group by `{key}`; found no such column"
                );
                return Err(message.into());
            }
            for row in 0..batch.num_rows() {
                let row = TableRow {
                    batch: &batch,
                    row,
                    walked: &self.walked,
                    number: before + row,
                };
                let Some(name) = row.label(key) else {
                    let id = row.label("span_id");
                    groups.push(Group::without_group(
                        id.unwrap_or_else(|| format!("row {}", row.number)),
                        key,
                    ));
                    continue;
                };
                let place = *places.entry(name).or_insert_with_key(|name| {
                    groups.push(Group {
                        name: name.clone(),
                        map,
                        ..Group::default()
                    });
                    groups.len() - 1
                });
                groups[place].add(&row);
            }
            before += batch.num_rows();
        }
        for groups in groups.chunks(chunk) {
            work(groups.iter().map(Group::case).collect())?;
        }
        Ok(())
    }
}

/// The rows of one run.
#[derive(Default)]
struct Group {
    name: String,
    /// The map for the rows, if they are not spans.
    map: Option<&'static Format>,
    spans: String,
    expected: Option<String>,
    fault: Option<String>,
}

impl Group {
    /// The error for a span without a group key, because its run is unknown.
    fn without_group(name: String, key: &str) -> Self {
        Self {
            name,
            fault: Some(format!(
                "column `{key}`: expected which run the span belongs to, found null"
            )),
            ..Self::default()
        }
    }

    fn add(&mut self, row: &TableRow<'_>) {
        match row.case_text(&["expected"]) {
            Ok(span) => {
                self.spans
                    .push_str(if self.spans.is_empty() { "" } else { "," });
                self.spans.push_str(&span);
            }
            Err(fault) => self.fault = self.fault.take().or(Some(fault)),
        }
        if self.expected.is_none()
            && let Some(column) = row.batch.column_by_name("expected")
            && row.holds("expected", column)
        {
            let mut writer = JsonWriter::new();
            match row.write("expected", column, &mut writer) {
                Ok(()) => self.expected = Some(writer.finish().into_string()),
                Err(fault) => self.fault = self.fault.take().or(Some(fault)),
            }
        }
    }

    fn case(&self) -> Given {
        let text = match &self.fault {
            Some(fault) => Err(fault.clone()),
            None => self.run(),
        };
        Given {
            label: Label::without_trial(self.name.clone()),
            subject: text.map(subject_of),
        }
    }

    /// The run in the spans, as the text of a case.
    fn run(&self) -> Result<String, String> {
        let options = ReadOptions {
            format: self.map.or_else(|| Format::find("flat-spans").ok()),
            ..*reading()
        };
        let spans = format!("[{}]", self.spans).into_bytes();
        let input = Input::from_bytes("spans", spans, Limits::default(), &options);
        let mut input = input.map_err(|error| error.to_string())?;
        let mut blocks = Vec::new();
        while let Some(block) = input
            .next_block(Input::BLOCK)
            .map_err(|error| error.to_string())?
        {
            blocks.push(block);
        }
        let mut run: Option<Case<'_>> = None;
        for record in blocks.iter().flat_map(Block::records) {
            let next = record.content.and_then(|it| it.case(&options));
            let next = next.map_err(|error| error.to_string())?;
            run = Some(match run {
                None => next,
                Some(run) => merged(run, next),
            });
        }
        // Spans without a span of an agent are not an empty run: the run is missing.
        let case = case_text(&Case {
            id: Some(Text::new(&self.name)),
            ..run.unwrap_or_default()
        });
        // Append the expectation as JSON, with its matchers. Of duplicate keys, the last one
        // counts.
        Ok(match (&self.expected, case.strip_suffix('}')) {
            (Some(expected), Some(open)) => format!("{open},\"expected\":{expected}}}"),
            _ => case,
        })
    }
}

/// Merges two runs. The user's grouping takes precedence over the ids in the spans.
fn merged<'a>(one: Case<'a>, other: Case<'a>) -> Case<'a> {
    let mut actual = one.actual;
    if let Some(mut more) = other.actual {
        let run = actual.get_or_insert_default();
        let before = run.calls.len() as u32;
        let metadata = more.calls.iter_mut().filter_map(|it| it.metadata.as_mut());
        metadata.for_each(|it| it.parent = it.parent.map(|parent| parent + before));
        run.calls.append(&mut more.calls);
    }
    Case {
        actual,
        incomplete: one.incomplete.or(other.incomplete),
        ..one
    }
}

fn subject_of(text: String) -> Arc<Subject> {
    Arc::new(Subject::Text(text))
}

/// A row of a table.
struct TableRow<'r> {
    batch: &'r RecordBatch,
    /// The index in the batch.
    row: usize,
    walked: &'r Walked,
    /// The index in the table.
    number: usize,
}

impl TableRow<'_> {
    /// The row as a JSON object, without nulls.
    fn case_text(&self, without: &[&str]) -> Result<String, String> {
        let mut writer = JsonWriter::with_capacity(1024);
        writer.begin_object();
        let fields = self.batch.schema_ref().fields().iter();
        for (field, column) in fields.zip(self.batch.columns()) {
            let name = field.name().as_str();
            if !without.contains(&name) && self.holds(name, column) {
                self.write(name, column, writer.key(name))?;
            }
        }
        if let Some(why) = self.walked.incomplete.get(&self.number)
            && self.batch.column_by_name("incomplete").is_none()
        {
            writer.key("incomplete").str(why);
        }
        writer.end_object();
        Ok(writer.finish().into_string())
    }

    /// False if the row omits the cell.
    fn holds(&self, name: &str, column: &ArrayRef) -> bool {
        match self.walked.cell(name, self.number) {
            Some(cell) => cell.is_some(),
            None if is_null_cell(column, self.row) => false,
            None => {
                let text = text_of_cell(column, self.row).filter(|_| SIDES.contains(&name));
                !text.is_some_and(is_null_text)
            }
        }
    }

    /// Writes a cell that is present.
    fn write(&self, name: &str, column: &ArrayRef, writer: &mut JsonWriter) -> Result<(), String> {
        let at_column = |fault: String| {
            if fault.starts_with('/') {
                format!("/{name}{fault}")
            } else {
                format!("column `{name}`: {fault}")
            }
        };
        let written = match self.walked.cell(name, self.number).flatten() {
            Some(Ok(json)) => {
                writer.raw(json);
                Ok(())
            }
            Some(Err(fault)) => Err(fault.clone()),
            None if SIDES.contains(&name) && is_of_bytes(column) => {
                Err("expected calls or their JSON text, found bytes: decode them first".to_owned())
            }
            None if TEXTS.contains(&name) => write_cell(writer, column, self.row, &RULES),
            None => side(writer, column, self.row),
        };
        written.map_err(at_column)
    }

    /// The cell of a column as a label.
    fn label(&self, name: &str) -> Option<String> {
        match self.walked.cell(name, self.number) {
            Some(cell) => {
                let json = cell?.as_ref().ok()?;
                let text = decode_with(json, Syntax::PYTHON).ok()?;
                let text = text.as_text().map(ToString::to_string);
                Some(text.unwrap_or_else(|| json.clone()))
            }
            None => label_of_cell(self.batch.column_by_name(name)?, self.row, &RULES),
        }
    }
}

/// True for JSON text of a null: a side without a value.
fn is_null_text(text: &str) -> bool {
    text.trim() == "null"
}

/// True for a column of bytes.
fn is_of_bytes(column: &ArrayRef) -> bool {
    use DataType as T;
    matches!(
        column.data_type(),
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_)
    )
}

/// True for a text that is valid JSON.
fn holds_json(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{'])
}

/// Returns the text if it is valid JSON.
fn checked(json: &str) -> Result<&str, String> {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    let value = reader.raw().and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| {
        if json
            .trim_start()
            .trim_start_matches(['[', '{'])
            .starts_with('\'')
        {
            "expected JSON text, found the `repr` of Python: write the column with json.dumps"
                .to_owned()
        } else {
            error.to_string()
        }
    })
}

/// Writes a cell that may hold JSON as text.
fn side(writer: &mut JsonWriter, column: &dyn Array, row: usize) -> Result<(), String> {
    match text_of_cell(column, row).filter(|text| holds_json(text)) {
        Some(json) => {
            writer.raw(checked(json)?);
            Ok(())
        }
        None => write_cell(writer, column, row, &RULES),
    }
}
