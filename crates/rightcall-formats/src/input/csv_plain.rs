//! Tables read by a map: each row is an object, with a key for each non-empty cell.

use csv::StringRecord;
use rightcall_core::value::{Syntax, is_json};

use super::csv_columns::structure;
use crate::json;

/// The names of the columns.
#[derive(Debug)]
pub(super) struct PlainColumns(Vec<String>);

impl PlainColumns {
    pub(super) fn new(names: &StringRecord) -> Self {
        let plain = |name| str::trim_start_matches(name, '\u{feff}').trim().to_owned();
        Self(names.iter().map(plain).collect())
    }

    /// A row as JSON text. A cell with JSON, or with a Python list or dict, becomes that value.
    pub(super) fn record(&self, row: &StringRecord) -> String {
        let cells = self.0.iter().zip(row);
        json::object_line(|writer| {
            for (name, cell) in cells.filter(|(_, cell)| !cell.is_empty()) {
                writer.key(name);
                let trimmed = cell.trim();
                if is_json(trimmed, Syntax::JSON) {
                    writer.raw(trimmed);
                } else if let Some(json) = structure(trimmed) {
                    writer.raw(&json);
                } else {
                    writer.str(cell);
                }
            }
        })
    }
}
