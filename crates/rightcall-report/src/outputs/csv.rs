//! CSV: a row for each case and evaluator, and, if there are combined results, a row for each case without an evaluator.

use std::io::{self, Write};
use std::sync::Arc;

use rightcall_results::{CaseResult, Column, RunSummary, columns_without};
use rightcall_run::{Output, OutputFile, Renderer};

use super::{OutputFormat, OutputSettings};

pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "csv",
    ending: "csv",
    about: "a row for each case and evaluator, for spreadsheets",
    is_earlier: |existing| existing.head.starts_with(b"case,trial,evaluator,"),
    begin: |out, settings| {
        Ok(Box::new(Csv {
            out,
            settings: settings.clone(),
            head: head_line(),
        }))
    },
    comparison: None,
};

/// All columns except those with JSON, which is of no use in spreadsheets.
fn csv_columns() -> Vec<&'static Column> {
    columns_without(&["details", "alignment"])
}

fn head_line() -> Vec<u8> {
    let names: Vec<_> = csv_columns().iter().map(|column| column.name).collect();
    format!("{}\n", names.join(",")).into_bytes()
}

struct Csv {
    out: OutputFile,
    settings: OutputSettings,
    /// The header line, until it is written.
    head: Vec<u8>,
}

impl Output for Csv {
    fn renderer(&self) -> Option<Renderer> {
        let OutputSettings { head, cells, .. } = self.settings.clone();
        let columns = csv_columns();
        Some(Box::new(move |_, result, out| {
            for row in head.rows(result) {
                for (number, column) in columns.iter().enumerate() {
                    if number > 0 {
                        out.push(b',');
                    }
                    push_field(out, &cells.cell(&(column.cell)(&row).to_text()));
                }
                out.push(b'\n');
            }
        }))
    }

    fn case(&mut self, _: &Arc<CaseResult>, drawn: &[u8]) -> io::Result<()> {
        self.out.write_all(&std::mem::take(&mut self.head))?;
        self.out.write_all(drawn)
    }

    fn finish(&mut self, _: &RunSummary) -> io::Result<()> {
        self.out.write_all(&std::mem::take(&mut self.head))?;
        self.out.commit()
    }
}

/// Appends a field, quoted as in RFC 4180.
fn push_field(out: &mut Vec<u8>, field: &str) {
    if field.contains([',', '"', '\n', '\r']) {
        out.push(b'"');
        out.extend_from_slice(field.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(field.as_bytes());
    }
}
