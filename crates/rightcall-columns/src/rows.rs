//! Converts rows to JSON, batch by batch.

mod stream;

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cell::{CellRules, check, is_null_cell, text_of_cell, write_cell};
use crate::{ColumnKey, Container};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rightcall_core::value::{JsonWriter, Syntax, is_json};
use stream::CheckedStream;

/// The JSON texts of the rows, in order.
pub struct Rows {
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
    keys: Vec<ColumnKey>,
    /// An object that every row has, even if empty.
    always: Option<&'static str>,
    batch: Option<(RecordBatch, usize)>,
    /// Number of rows returned so far.
    given: u64,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("given", &self.given)
            .finish_non_exhaustive()
    }
}

/// Rows per batch, if the file doesn't fix it.
const BATCH: usize = 1024;

impl Rows {
    /// The rows of a complete file. `keys` returns the place of each column, and the object that
    /// every row has.
    ///
    /// # Errors
    /// The file is damaged, or a column's type can't be written as JSON.
    pub fn from_file(
        container: Container,
        mut file: File,
        keys: impl FnOnce(&[&str]) -> (Vec<ColumnKey>, Option<&'static str>),
    ) -> io::Result<Self> {
        file.rewind()?;
        if container == Container::Parquet {
            let batches = read("Parquet", || {
                let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
                builder.with_batch_size(BATCH).build()
            })?;
            return Self::new(&batches.schema(), Box::new(batches), keys);
        }
        let reader = read("Arrow", || FileReader::try_new(BufReader::new(file), None))?;
        Self::new(&reader.schema(), Box::new(reader), keys)
    }

    /// The rows of a stream.
    ///
    /// # Errors
    /// The stream is damaged, or a column's type can't be written as JSON.
    pub fn from_stream(
        stream: impl Read + Send + 'static,
        keys: impl FnOnce(&[&str]) -> (Vec<ColumnKey>, Option<&'static str>),
    ) -> io::Result<Self> {
        let stream = CheckedStream::new(BufReader::new(stream));
        let reader = read("Arrow", || StreamReader::try_new(stream, None))?;
        Self::new(&reader.schema(), Box::new(reader), keys)
    }

    fn new(
        schema: &Schema,
        batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
        keys: impl FnOnce(&[&str]) -> (Vec<ColumnKey>, Option<&'static str>),
    ) -> io::Result<Self> {
        for field in schema.fields() {
            check(field.data_type()).map_err(|part| {
                let message = format!(
                    "the column `{}` holds values of type {part}, which cannot be read",
                    field.name()
                );
                io::Error::new(io::ErrorKind::InvalidData, message)
            })?;
        }
        let names: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let (keys, always) = keys(&names);
        Ok(Self {
            batches,
            keys,
            always,
            batch: None,
            given: 0,
        })
    }

    fn next_row(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some((batch, row)) = &mut self.batch
                && *row < batch.num_rows()
            {
                *row += 1;
                self.given += 1;
                let text = json(batch, *row - 1, &self.keys, self.always);
                return text.map(Some).map_err(|why| {
                    let message = format!("row {}: {why}", self.given);
                    io::Error::new(io::ErrorKind::InvalidData, message)
                });
            }
            let next = catch_panics(|| self.batches.next())
                .unwrap_or_else(|why| Some(Err(ArrowError::IpcError(why))));
            match next {
                Some(Ok(batch)) => self.batch = Some((batch, 0)),
                Some(Err(error)) => {
                    let message = format!("after row {}: {error}", self.given);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                None => return Ok(None),
            }
        }
    }
}

impl Iterator for Rows {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

/// Runs `read` and turns a panic of the library into an error.
fn catch_panics<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        text.unwrap_or("it cannot be read").to_owned()
    })
}

/// Runs `read` and reports both errors and panics as damaged input: the libraries panic on some damaged files.
fn read<T, E: fmt::Display>(what: &str, read: impl FnOnce() -> Result<T, E>) -> io::Result<T> {
    let read = catch_panics(read).and_then(|read| read.map_err(|error| error.to_string()));
    read.map_err(|why| io::Error::new(io::ErrorKind::InvalidData, format!("damaged {what}: {why}")))
}

/// The JSON object of a row. Null columns are omitted.
fn json(
    batch: &RecordBatch,
    row: usize,
    keys: &[ColumnKey],
    always: Option<&str>,
) -> Result<Vec<u8>, String> {
    let mut writer = JsonWriter::new();
    writer.begin_object();
    let columns = || {
        keys.iter()
            .zip(batch.columns())
            .filter(|(_, column)| !is_null_cell(column, row))
    };
    for (key, column) in columns().filter(|(key, _)| key.within.is_none()) {
        writer.key(&key.name);
        write(&mut writer, key, column, row)?;
    }
    let mut objects: Vec<&str> = keys
        .iter()
        .filter_map(|key| key.within.as_deref())
        .chain(always)
        .collect();
    objects.sort_unstable();
    objects.dedup();
    // Don't write an object twice if a separate column already has that key.
    objects.retain(|object| !columns().any(|(key, _)| key.within.is_none() && key.name == *object));
    for object in objects {
        let mut members = columns()
            .filter(|(key, _)| key.within.as_deref() == Some(object))
            .peekable();
        if members.peek().is_none() && always != Some(object) {
            continue;
        }
        writer.key(object).begin_object();
        for (key, column) in members {
            writer.key(&key.name);
            write(&mut writer, key, column, row)?;
        }
        writer.end_object();
    }
    writer.end_object();
    Ok(writer.finish().as_str().as_bytes().to_vec())
}

fn write(
    writer: &mut JsonWriter,
    key: &ColumnKey,
    column: &dyn Array,
    row: usize,
) -> Result<(), String> {
    let text = text_of_cell(column, row).filter(|_| key.may_hold_json);
    let json = text
        .map(str::trim)
        .filter(|text| text.starts_with(['{', '[']) && is_json(text, Syntax::PYTHON));
    match json {
        Some(json) => {
            writer.raw(json);
            Ok(())
        }
        None => write_cell(writer, column, row, &CellRules::FILE),
    }
}

#[cfg(test)]
mod tests;
