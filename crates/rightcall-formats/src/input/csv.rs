//! Comma-separated values: a row is a record, written as the JSON that says the same.
//!
//! What such a file holds is told by its name alone. Cells are texts; those that hold JSON or, as frames write lists and dicts, a
//! literal of Python are what they hold, where their column is none of texts.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use csv::ByteRecord;
use rightcall::value::python::parse_literal;
use rightcall::value::{JsonText, JsonWriter, Reader, Syntax, Text};
use rightcall_columns::ColumnKey;

use super::columns::keys;

/// What separates the cells of a file of this name; `None` for a name of no such file.
pub(super) fn separator(path: &Path) -> Option<u8> {
    let extension = path
        .extension()
        .and_then(OsStr::to_str)?
        .to_ascii_lowercase();
    match extension.as_str() {
        "csv" => Some(b','),
        "tsv" => Some(b'\t'),
        // The name of a packed file ends with what packed it.
        "gz" | "zst" => separator(Path::new(path.file_stem()?)),
        _ => None,
    }
}

/// The rows of a file, each as JSON text.
pub(super) struct CsvRows {
    reader: csv::Reader<Watched>,
    keys: Vec<ColumnKey>,
    /// The object that every row has.
    object: Option<&'static str>,
    watch: Arc<Watch>,
    record: ByteRecord,
}

impl CsvRows {
    /// The rows of so many bytes at most each; the first line names the columns.
    pub(super) fn new(
        bytes: Box<dyn Read + Send>,
        separator: u8,
        max_row: usize,
    ) -> io::Result<Self> {
        let watch = Arc::new(Watch::default());
        let watched = Watched {
            bytes,
            max_row,
            watch: Arc::clone(&watch),
        };
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .from_reader(watched);
        let heads = reader.headers()?.clone();
        let (keys, object) = keys(&heads.iter().collect::<Vec<_>>());
        Ok(Self {
            reader,
            keys,
            object,
            watch,
            record: ByteRecord::new(),
        })
    }

    fn row(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.watch.since_row.store(0, Ordering::Relaxed);
        if !self.reader.read_byte_record(&mut self.record)? {
            return Ok(None);
        }
        let damaged = |told: &str| io::Error::new(io::ErrorKind::InvalidData, told.to_owned());
        if self.watch.has_ended.load(Ordering::Relaxed) {
            return Err(damaged(
                "the last row has no end of line, so it may be cut off",
            ));
        }
        let cells = self.keys.iter().zip(&self.record);
        let cells: Vec<_> = cells
            .filter(|(_, cell)| !cell.is_empty())
            .map(|(key, cell)| {
                Ok((
                    key,
                    std::str::from_utf8(cell).map_err(|_| damaged("a row that is not UTF-8"))?,
                ))
            })
            .collect::<io::Result<_>>()?;
        let mut writer = JsonWriter::new();
        writer.begin_object();
        let mut objects: Vec<&str> = self.object.into_iter().collect();
        for (key, cell) in &cells {
            match &key.within {
                None => write(key, cell, &mut writer),
                Some(within) if !objects.contains(&within.as_str()) => objects.push(within),
                Some(_) => {}
            }
        }
        for object in objects {
            writer.key(object).begin_object();
            let own = cells
                .iter()
                .filter(|(key, _)| key.within.as_deref() == Some(object));
            own.for_each(|(key, cell)| write(key, cell, &mut writer));
            writer.end_object();
        }
        writer.end_object();
        Ok(Some(writer.finish().into_string().into_bytes()))
    }
}

impl Iterator for CsvRows {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.row().transpose()
    }
}

/// A cell as the value that it holds, else as a text.
fn write(key: &ColumnKey, cell: &str, writer: &mut JsonWriter) {
    writer.key(&key.name);
    if !key.may_hold_json {
        writer.str(cell);
        return;
    }
    let mut reader = Reader::new(cell, Syntax::PYTHON);
    let is_text = cell.trim_start().starts_with('"');
    if !is_text && reader.raw().and_then(|_| reader.end()).is_ok() {
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

/// What is known of the bytes that have been read.
#[derive(Debug, Default)]
struct Watch {
    since_row: AtomicUsize,
    has_ended: AtomicBool,
}

/// Bytes of which no row may take too many: a quote that is never closed would take them all.
struct Watched {
    bytes: Box<dyn Read + Send>,
    max_row: usize,
    watch: Arc<Watch>,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        if length == 0 && !buffer.is_empty() {
            self.watch.has_ended.store(true, Ordering::Relaxed);
        }
        let before = self.watch.since_row.fetch_add(length, Ordering::Relaxed);
        if before > self.max_row {
            let told = format!("a row of more than {} bytes", self.max_row);
            return Err(io::Error::new(io::ErrorKind::InvalidData, told));
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Input, Limits, ReadOptions, read_case};

    /// The records of a file of this name, and what ended it too early.
    fn records(name: &str, text: &str) -> (Vec<String>, Option<String>) {
        let (limits, options) = (Limits::default(), ReadOptions::default());
        let mut input =
            Input::from_bytes(name, text.as_bytes().to_vec(), limits, &options).unwrap();
        let mut records = Vec::new();
        loop {
            match input.next_block(1) {
                Ok(Some(block)) => {
                    records.extend(block.records().map(|it| it.text.unwrap().to_owned()));
                }
                Ok(None) => return (records, None),
                Err(error) => return (records, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn rows_are_cases() {
        let text = "id,expected,actual,meta.n\n7,\"[{\"\"name\"\":\"\"find\"\"}]\",\"[{'name': 'find', 'args': {'ok': True}}]\",\n";
        let (records, error) = records("cases.csv", text);
        assert_eq!(error, None);
        let expected = r#"{"id":"7","expected":[{"name":"find"}],"actual":[{"name":"find","args":{"ok":true}}]}"#;
        assert_eq!(records, [expected]);
        assert!(read_case(&records[0], &ReadOptions::default()).is_ok());
    }

    #[test]
    fn frames_of_spans_are_spans() {
        let text = "name,span_kind,parent_id,start_time,context.trace_id,context.span_id,attributes.llm.output_messages,attributes.tool.name,attributes.input.value\n\
            m,LLM,,2025-01-01 00:00:00+00:00,t,1,\"[{'message.role': 'assistant', 'message.tool_calls': [{'tool_call.id': 'c', 'tool_call.function.name': 'find', 'tool_call.function.arguments': '{}'}]}]\",,\n\
            find,TOOL,,2025-01-01 00:00:01+00:00,t,2,,find,\"{\"\"id\"\": 7}\"\n";
        let (records, error) = records("spans.csv", text);
        assert_eq!((records.len(), error), (1, None));
        let calls = r#""actual":[{"name":"find","args":"{\"id\": 7}","id":"c","start":"#;
        assert!(records[0].contains(calls), "{records:?}");
    }

    #[test]
    fn a_row_that_is_cut_off_is_an_error() {
        let whole = "id,expected,actual\na,[],[]\nb,[],[]\n";
        assert_eq!(records("x.csv", whole).0.len(), 2);
        for length in 28..whole.len() {
            let (found, error) = records("x.csv", &whole[..length]);
            assert!(found.len() == 1 && error.is_some(), "{length}: {found:?}");
        }
        let unclosed = "id,expected,actual\na,[],\"[]\n";
        assert!(records("x.csv", unclosed).1.is_some());
    }
}
