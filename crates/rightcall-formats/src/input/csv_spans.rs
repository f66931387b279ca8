//! Tables of spans, as exported from data frames: each row is a span.
//!
//! Cells with JSON or a Python literal become that value, unless their column holds plain texts.

use csv::StringRecord;
use rightcall_columns::ColumnKey;
use rightcall_core::value::python::parse_literal;
use rightcall_core::value::{JsonText, JsonWriter, Syntax, Text, is_json};

use super::columns::keys;
use crate::json;

/// The columns of a table of spans.
#[derive(Debug)]
pub(super) struct SpanColumns {
    keys: Vec<ColumnKey>,
    /// The member that every row has as an object.
    object: &'static str,
}

impl SpanColumns {
    /// The columns with these names; `None` if they aren't columns of spans.
    pub(super) fn new(names: &StringRecord) -> Option<Self> {
        let (keys, object) = keys(&names.iter().collect::<Vec<_>>());
        Some(Self {
            keys,
            object: object?,
        })
    }

    /// The span of a row as JSON text.
    pub(super) fn span(&self, row: &StringRecord) -> String {
        let cells = self.keys.iter().zip(row);
        let cells: Vec<_> = cells.filter(|(_, cell)| !cell.is_empty()).collect();
        let mut objects = vec![self.object];
        json::object(|writer| {
            for (key, cell) in &cells {
                match &key.within {
                    None => write(key, cell, writer),
                    Some(within) if !objects.contains(&within.as_str()) => objects.push(within),
                    Some(_) => {}
                }
            }
            for object in objects {
                let is_own = |(key, _): &&(&ColumnKey, &str)| key.within.as_deref() == Some(object);
                writer.key(object).begin_object();
                for (key, cell) in cells.iter().filter(is_own) {
                    write(key, cell, writer);
                }
                writer.end_object();
            }
        })
    }
}

/// Writes the value in a cell, or else its text.
fn write(key: &ColumnKey, cell: &str, writer: &mut JsonWriter) {
    writer.key(&key.name);
    if !key.may_hold_json {
        writer.str(cell);
        return;
    }
    let is_text = cell.trim_start().starts_with('"');
    if !is_text && is_json(cell, Syntax::PYTHON) {
        writer.raw(cell);
        return;
    }
    let literal = || parse_literal(&Text::from(cell.to_owned())).ok();
    match cell
        .trim_start()
        .starts_with(['[', '{'])
        .then(literal)
        .flatten()
    {
        Some(value) => writer.raw(JsonText::from_value(&value).as_str()),
        None => writer.str(cell),
    };
}
