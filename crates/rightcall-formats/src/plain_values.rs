//! The plain values of another program's file, without cases or traces.

use std::path::Path;

use crate::error::{OpenError, ReadError};
use crate::format::Format;
use crate::input::{Input, RecordContent};
use crate::options::{Limits, ReadOptions};

/// A map that reads each value of a file as a run without calls whose answer is the value itself.
pub(crate) const VALUES: &str = "map: values\noutput: $item\nfinished: [{$item: any}]\ncall: {name: '\"no such key\"', optional: true}\n";

/// Why the values of a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ValuesError {
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Passes each value of a file of JSON, JSON Lines, YAML, CSV or columns to `each`, with its line: its JSON text, or its error.
/// A row of a table is an object. It ends if `each` returns false.
///
/// # Errors
/// The file cannot be opened, or not be read to its end.
pub fn plain_values(
    path: &Path,
    limits: Limits,
    each: &mut dyn FnMut(u64, Result<String, ReadError>) -> bool,
) -> Result<(), ValuesError> {
    let options = ReadOptions {
        format: Some(Format::from_map("values.yaml", VALUES)?),
        ..ReadOptions::default()
    };
    let mut input = Input::open(path, limits, &options)?;
    while let Some(block) = input.next_block(Input::BLOCK)? {
        for record in block.records() {
            let answer = |content: RecordContent<'_>| {
                let case = content.case(&options)?;
                Ok(case.output.map(ToOwned::to_owned))
            };
            let value = record.content.clone().and_then(answer).transpose();
            let value =
                value.map(|it| it.map_err(|it| it.at(input.name(), Some(record.place.line))));
            if value.is_some_and(|value| !each(record.place.line, value)) {
                return Ok(());
            }
        }
    }
    Ok(())
}
