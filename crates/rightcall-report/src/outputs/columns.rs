//! Parquet and Arrow: typed rows with the columns of CSV, for data frames and warehouses.

#[cfg(feature = "columns")]
mod writer;

#[cfg(feature = "columns")]
pub use writer::ResultTable;

use super::OutputFormat;

pub(super) const PARQUET: OutputFormat = OutputFormat {
    name: "parquet",
    ending: "parquet",
    about: "the same rows with types, and the alignments as JSON, for data frames and warehouses",
    is_earlier: |existing| {
        // Parquet stores the names of the columns at the end.
        let columns = ["evaluator", "outcome"];
        existing.head.starts_with(b"PAR1") && columns.iter().all(|name| existing.tail_has(name))
    },
    begin: writer::parquet,
    comparison: None,
};

pub(super) const ARROW: OutputFormat = OutputFormat {
    name: "arrow",
    ending: "arrow",
    about: "the same as an Arrow IPC file, which is read without decoding",
    is_earlier: |existing| {
        let columns = ["evaluator", "outcome"];
        existing.head.starts_with(b"ARROW1") && columns.iter().all(|name| existing.head_has(name))
    },
    begin: writer::arrow,
    comparison: None,
};

/// Replaces the writers in builds without them.
#[cfg(not(feature = "columns"))]
mod writer {
    use std::io;

    use rightcall_run::{Output, OutputFile};

    use crate::outputs::OutputSettings;

    pub(super) fn parquet(_: OutputFile, _: &OutputSettings) -> io::Result<Box<dyn Output>> {
        Err(rightcall_columns::not_built())
    }

    pub(super) fn arrow(_: OutputFile, _: &OutputSettings) -> io::Result<Box<dyn Output>> {
        Err(rightcall_columns::not_built())
    }
}
