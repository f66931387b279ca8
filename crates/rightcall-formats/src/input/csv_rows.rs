//! CSV: a row is a case, written as the JSON that says the same.
//!
//! Columns are those of a case, and those that Promptfoo, `LangSmith` and Braintrust give their exports: [`Columns`] says what each of them
//! holds. A row that several models answered is a case of each.

use std::io::{self, Read};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::csv_columns::Columns;

/// The rows of a table as JSON texts.
pub(super) struct CsvRows {
    table: csv::Reader<Bounded>,
    columns: Columns,
    /// Bytes that were read since the last row.
    since_row: Arc<AtomicUsize>,
    /// The line of the file that the next text stands for.
    line: u64,
}

impl CsvRows {
    /// The rows of a table, of which none may take more than so many bytes.
    pub(super) fn new(bytes: Box<dyn Read + Send>, longest: usize) -> io::Result<Self> {
        let since_row = Arc::<AtomicUsize>::default();
        let bounded = Bounded {
            bytes,
            since_row: Arc::clone(&since_row),
            longest: longest.saturating_add(BUFFER),
        };
        let mut table = csv::ReaderBuilder::new()
            .flexible(true)
            .buffer_capacity(BUFFER)
            .from_reader(bounded);
        let columns = Columns::new(table.headers().map_err(unreadable)?);
        Ok(Self {
            table,
            columns,
            since_row,
            line: 1,
        })
    }

    /// The texts, empty ones for the head and for what a row takes beside its first line, so that each stands on its own line.
    pub(super) fn texts(mut self) -> impl Iterator<Item = io::Result<Vec<u8>>> + Send {
        let mut row = csv::StringRecord::new();
        let rows = iter::from_fn(move || {
            self.since_row.store(0, Ordering::Relaxed);
            match self.table.read_record(&mut row) {
                Ok(false) => None,
                Ok(true) => Some(Ok(self.lines_of(&row))),
                Err(error) => Some(Err(unreadable(error))),
            }
        });
        rows.flat_map(|row| match row {
            Ok(lines) => lines.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    fn lines_of(&mut self, row: &csv::StringRecord) -> Vec<Vec<u8>> {
        let begins = row.position().map_or(self.line, csv::Position::line);
        let missing = begins.saturating_sub(self.line);
        let empty = iter::repeat_n(Vec::new(), usize::try_from(missing).unwrap_or_default());
        let cases = self.columns.cases(row, begins);
        let lines: Vec<_> = empty
            .chain(cases.into_iter().map(String::into_bytes))
            .collect();
        self.line += lines.len() as u64;
        lines
    }
}

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// Reads on only while a row may go on: a quote that is never closed makes one of all the rest.
struct Bounded {
    bytes: Box<dyn Read + Send>,
    since_row: Arc<AtomicUsize>,
    longest: usize,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        let before = self.since_row.fetch_add(length, Ordering::Relaxed);
        if before > self.longest {
            let message = format!(
                "a row of more than {} bytes: a quote may be missing, or raise --max-line",
                self.longest - BUFFER
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
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
        _ => io::Error::new(io::ErrorKind::InvalidData, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of a table, one a line.
    fn lines(table: &str) -> String {
        let rows = CsvRows::new(Box::new(io::Cursor::new(table.to_owned())), 1 << 10).unwrap();
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
            "\n{\"id\":\"a\",\"actual\":[{\"role\":\"assistant\",\"content\":\"x\\ny\"}]}\n\n{\"id\":\"b\",\"actual\":[{\"role\":\"assistant\",\"content\":\"z\"}]}\n"
        );
    }

    #[test]
    fn a_quote_that_is_not_closed_is_an_error() {
        let table = format!("id,output\na,\"{}", "x\n".repeat(1 << 18));
        let rows = CsvRows::new(Box::new(io::Cursor::new(table)), 1 << 10).unwrap();
        let error = rows.texts().find_map(Result::err).unwrap();
        assert!(
            error.to_string().contains("a quote may be missing"),
            "{error}"
        );
    }
}
