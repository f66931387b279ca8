//! CSV: each row is a case or a span, written as equivalent JSON.
//!
//! Columns are those of a case and those in exports of Promptfoo, `LangSmith` and Braintrust, see [`Columns`]. A row with the answers of
//! several models is one case per model. [`SpanColumns`] are the columns of a span table.

use std::io::{self, Read};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use csv::StringRecord;

use super::csv_columns::{Columns, structure};
use super::csv_plain::PlainColumns;
use super::csv_spans::SpanColumns;
use super::table_maps::{TableMaps, are_of_built_in_map};

/// The maximum length of a table's header, in bytes.
pub(super) const LONGEST_HEAD: usize = 16 << 10;

/// True if an input with this beginning may be a table, since JSON begins differently.
pub(super) fn may_begin_with(head: &[u8]) -> bool {
    let first = head.first().copied().unwrap_or_default();
    first.is_ascii_alphabetic() || matches!(first, b'_' | b'"' | 0xEF)
}

/// The separator of a table, from its first lines. `None` unless they are the header of cases, of spans, or of a table for a map.
pub(super) fn separator_of(head: &[u8], maps: TableMaps) -> Option<u8> {
    let is_table = |names: &StringRecord, row: Option<StringRecord>| {
        maps.is_chosen
            || SpanColumns::new(names).is_some()
            || Columns::new(names).have_calls()
            || row.is_some_and(|row| maps.recognise(&PlainColumns::new(names).record(&row)))
    };
    [b',', b'\t'].into_iter().find(|separator| {
        let mut table = csv::ReaderBuilder::new()
            .delimiter(*separator)
            .from_reader(head);
        let names = table.headers().cloned();
        let row = table.records().next().and_then(Result::ok);
        names.is_ok_and(|names| names.len() > 1 && is_table(&names, row))
    })
}

/// The rows of a table as JSON texts.
pub(super) struct CsvRows {
    table: csv::Reader<Bounded>,
    rows: Rows,
    /// The columns as members of records, until the first row shows what the rows are.
    plain: Option<PlainColumns>,
    maps: TableMaps,
    progress: Arc<Progress>,
    /// The line of the file that the next text corresponds to.
    line: u64,
}

/// The kind of the rows.
enum Rows {
    Cases(Columns),
    Spans(SpanColumns),
    /// Rows for a map.
    Plain(PlainColumns),
}

impl CsvRows {
    /// The rows of a table; each may take at most the given number of bytes.
    pub(super) fn new(
        bytes: Box<dyn Read + Send>,
        separator: u8,
        longest: usize,
        maps: TableMaps,
    ) -> io::Result<Self> {
        let progress = Arc::<Progress>::default();
        let bounded = Bounded {
            bytes,
            progress: Arc::clone(&progress),
            longest: longest.saturating_add(BUFFER),
        };
        let mut table = csv::ReaderBuilder::new()
            .delimiter(separator)
            .buffer_capacity(BUFFER)
            .from_reader(bounded);
        let names = table.headers().map_err(unreadable)?;
        let rows = match SpanColumns::new(names) {
            _ if maps.is_chosen => Rows::Plain(PlainColumns::new(names)),
            Some(columns) => Rows::Spans(columns),
            None => Rows::Cases(Columns::new(names)),
        };
        let plain = (!maps.is_chosen).then(|| PlainColumns::new(names));
        Ok(Self {
            table,
            rows,
            plain,
            maps,
            progress,
            line: 1,
        })
    }

    /// The texts, with empty ones for the header and for further lines of a row, so that line numbers match the file.
    pub(super) fn texts(mut self) -> impl Iterator<Item = io::Result<Vec<u8>>> + Send {
        let mut row = StringRecord::new();
        let rows = iter::from_fn(move || {
            self.progress.since_row.store(0, Ordering::Relaxed);
            match self.table.read_record(&mut row) {
                Ok(false) => None,
                Ok(true) if self.is_cut_off(&row) => Some(Err(damaged(
                    "the last row is cut off: it ends inside of a value".to_owned(),
                ))),
                Ok(true) => Some(Ok(self.lines_of(&row))),
                Err(error) => Some(Err(unreadable(error))),
            }
        });
        rows.flat_map(|row| match row {
            Ok(lines) => lines.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    /// True for a row without a line end, if its last cell begins like a structure but isn't valid.
    fn is_cut_off(&self, row: &StringRecord) -> bool {
        let last = row.iter().next_back().unwrap_or_default().trim();
        self.progress.has_ended.load(Ordering::Relaxed)
            && last.starts_with(['{', '['])
            && structure(last).is_none()
    }

    fn lines_of(&mut self, row: &StringRecord) -> Vec<Vec<u8>> {
        let begins = row.position().map_or(self.line, csv::Position::line);
        let missing = begins.saturating_sub(self.line);
        let empty = iter::repeat_n(Vec::new(), usize::try_from(missing).unwrap_or_default());
        let are_cases = matches!(self.rows, Rows::Cases(_));
        let is_mapped = |columns: &PlainColumns| {
            let record = columns.record(row);
            self.maps.recognise(&record) || are_cases && are_of_built_in_map(&record)
        };
        if let Some(columns) = self.plain.take().filter(is_mapped) {
            self.rows = Rows::Plain(columns);
        }
        let cases = match &self.rows {
            Rows::Cases(columns) => columns.cases(row, begins),
            Rows::Spans(columns) => vec![columns.span(row)],
            Rows::Plain(columns) => vec![columns.record(row)],
        };
        let lines: Vec<_> = empty
            .chain(cases.into_iter().map(String::into_bytes))
            .collect();
        self.line += lines.len() as u64;
        lines
    }
}

/// Read buffer size, in bytes.
const BUFFER: usize = 1 << 16;

/// The progress of reading.
#[derive(Debug, Default)]
struct Progress {
    /// Bytes since the last row.
    since_row: AtomicUsize,
    /// True after the end of the input.
    has_ended: AtomicBool,
}

/// Stops reading when a row gets too long: an unclosed quote would turn the rest of the file into one row.
struct Bounded {
    bytes: Box<dyn Read + Send>,
    progress: Arc<Progress>,
    longest: usize,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        if length == 0 && !buffer.is_empty() {
            self.progress.has_ended.store(true, Ordering::Relaxed);
        }
        let before = self.progress.since_row.fetch_add(length, Ordering::Relaxed);
        if before > self.longest {
            let message = format!(
                "a row of more than {} bytes: a quote may be missing, or raise --max-line",
                self.longest - BUFFER
            );
            return Err(damaged(message));
        }
        Ok(length)
    }
}

fn unreadable(error: csv::Error) -> io::Error {
    let message = match error.kind() {
        csv::ErrorKind::Utf8 { pos, .. } => {
            let line = pos.as_ref().map_or(1, csv::Position::line);
            format!("CSV that is no UTF-8 text, in the row of line {line}")
        }
        _ => error.to_string(),
    };
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => io::Error::new(
            io::ErrorKind::InvalidData,
            RaggedRow {
                line: pos.map_or(1, |pos| pos.line()),
                cells: len,
                columns: expected_len,
            },
        ),
        _ => damaged(message),
    }
}

/// A row with more or fewer cells than the header.
#[derive(Debug, thiserror::Error)]
#[error("a row of {cells} cells, where the header has {columns}")]
pub(super) struct RaggedRow {
    /// The line it begins on.
    pub(super) line: u64,
    cells: u64,
    columns: u64,
}

fn damaged(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Limits, ReadOptions, read_case};

    /// The texts of a table, one a line.
    fn lines(table: &str) -> String {
        let rows = CsvRows::new(
            Box::new(io::Cursor::new(table.to_owned())),
            b',',
            1 << 10,
            TableMaps::default(),
        )
        .unwrap();
        let lines = rows
            .texts()
            .map(|it| String::from_utf8(it.unwrap()).unwrap() + "\n");
        lines.collect()
    }

    #[test]
    fn a_row_stands_on_the_line_on_which_it_begins() {
        let table = "id,output\n\"a\",\"x\ny\"\nb,z\n";
        assert_eq!(
            lines(table),
            "\n{\"id\":\"a\",\"output\":\"x\\ny\"}\n\n{\"id\":\"b\",\"output\":\"z\"}\n"
        );
    }

    #[test]
    fn a_quote_that_is_not_closed_is_an_error() {
        let table = format!("id,output\na,\"{}", "x\n".repeat(1 << 18));
        let rows = CsvRows::new(
            Box::new(io::Cursor::new(table)),
            b',',
            1 << 10,
            TableMaps::default(),
        )
        .unwrap();
        let error = rows.texts().find_map(Result::err).unwrap();
        assert!(
            error.to_string().contains("a quote may be missing"),
            "{error}"
        );
    }

    /// The records of a file with this name, and the error that ended it early.
    fn records(name: &str, text: &str) -> (Vec<String>, Option<String>) {
        let (limits, options) = (Limits::default(), ReadOptions::default());
        let mut input =
            Input::from_bytes(name, text.as_bytes().to_vec(), limits, &options).unwrap();
        let mut records = Vec::new();
        loop {
            match input.next_block(1) {
                Ok(Some(block)) => {
                    records.extend(block.records().map(|it| crate::tests::text_of(&it)));
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
    fn a_table_without_a_name_is_told_by_its_head() {
        let case = r#"{"id":"7","expected":["find"],"actual":[]}"#;
        for text in [
            "id,expected,actual\n7,\"[\"\"find\"\"]\",[]\n",
            "\u{feff}\"id\",expected,actual\r\n7,\"[\"\"find\"\"]\",[]",
            "id\texpected\tactual\n7\t\"[\"\"find\"\"]\"\t[]\n",
        ] {
            for name in ["-", "/dev/fd/63"] {
                assert_eq!(records(name, text), (vec![case.to_owned()], None), "{text}");
            }
        }
        // The file name wins over the content, and not every line with commas is a header.
        assert_eq!(
            separator_of(b"find(id=1), refund(id=2)", TableMaps::default()),
            None
        );
        assert_eq!(separator_of(b"expected", TableMaps::default()), None);
        assert_eq!(records("cases.jsonl", &format!("{case}\n")).0, [case]);
        assert_eq!(records("cases.txt", "id,expected\n").0, ["id,expected"]);
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
            // A row may end without a line end, even with an empty last cell: a missing cell is not recorded.
            let is_whole =
                found.len() == 2 && (length + 1 == whole.len() || !found[1].contains("actual"));
            assert!(is_whole != error.is_some(), "{length}: {found:?}");
        }
        let unclosed = "id,expected,actual\na,[],\"[]\nb,[],[]\n";
        assert!(records("x.csv", unclosed).1.is_some());
    }
}
