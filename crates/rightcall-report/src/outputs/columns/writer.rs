//! Writes the rows in batches.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use rightcall_results::{
    CaseResult, Cell, Column, ColumnType, ResultRow, RunHead, RunSummary, columns_without,
};
use rightcall_run::{Output, OutputFile, Wants};

use crate::outputs::OutputSettings;

pub(super) fn parquet(out: OutputFile, settings: &OutputSettings) -> io::Result<Box<dyn Output>> {
    let file = ParquetFile::new(out, &settings.head)?;
    Ok(Box::new(Columns::new(settings, file)))
}

pub(super) fn arrow(out: OutputFile, settings: &OutputSettings) -> io::Result<Box<dyn Output>> {
    let file = ArrowFile::new(out, &settings.head)?;
    Ok(Box::new(Columns::new(settings, file)))
}

/// Maximum number of rows in a batch.
const ROWS: usize = 8192;

/// Maximum number of bytes of text in a batch.
const BYTES: usize = 32 << 20;

/// The columns of files: all except the details of the original metrics, which no history stores.
fn file_table(head: &RunHead) -> ResultTable {
    let about = [
        ("rightcall".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("run".to_owned(), head.title.clone()),
    ];
    ResultTable::new(columns_without(&["details"]), about.into())
}

/// A destination for batches of rows.
trait Batches {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<()>;
}

struct Columns {
    head: RunHead,
    table: ResultTable,
    file: Option<Box<dyn Batches>>,
}

/// Rows of results as an Arrow table.
#[derive(Debug)]
pub struct ResultTable {
    columns: Vec<&'static Column>,
    schema: SchemaRef,
    builders: Vec<ColumnBuilder>,
    rows: usize,
    /// Approximate number of bytes of text in the table.
    bytes: usize,
}

impl ResultTable {
    /// An empty table with these columns and this metadata.
    pub fn new(columns: Vec<&'static Column>, about: HashMap<String, String>) -> Self {
        let fields: Vec<_> = columns.iter().map(|column| field(column)).collect();
        Self {
            builders: columns.iter().map(|it| ColumnBuilder::new(it)).collect(),
            columns,
            schema: Arc::new(Schema::new_with_metadata(fields, about)),
            rows: 0,
            bytes: 0,
        }
    }

    /// The Arrow schema of the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Adds a row.
    pub fn push(&mut self, row: &ResultRow<'_>) {
        for (builder, column) in self.builders.iter_mut().zip(&self.columns) {
            self.bytes += builder.push(&(column.cell)(row));
        }
        self.rows += 1;
    }

    /// Takes all rows; the table is then empty.
    #[expect(
        clippy::missing_panics_doc,
        reason = "the columns are those of the schema, and of one length"
    )]
    pub fn take(&mut self) -> RecordBatch {
        (self.rows, self.bytes) = (0, 0);
        let columns = self
            .builders
            .iter_mut()
            .map(ColumnBuilder::finish)
            .collect();
        RecordBatch::try_new(self.schema(), columns)
            .expect("the columns are those of the schema, and of one length")
    }
}

fn field(column: &Column) -> Field {
    let texts = || DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let (of, nullable) = match column.kind {
        ColumnType::Text { nullable } => (DataType::Utf8, nullable),
        ColumnType::Number => (DataType::Float64, true),
        ColumnType::Flag => (DataType::Boolean, true),
        ColumnType::Count => (DataType::Int64, false),
        ColumnType::Texts => (texts(), false),
    };
    Field::new(column.name, of, nullable)
}

/// The unwritten cells of a column.
#[derive(Debug)]
enum ColumnBuilder {
    Texts(StringBuilder),
    Numbers(Float64Builder),
    Flags(BooleanBuilder),
    Counts(Int64Builder),
    Lists(ListBuilder<StringBuilder>),
}

impl ColumnBuilder {
    fn new(column: &Column) -> Self {
        match column.kind {
            ColumnType::Text { .. } => Self::Texts(StringBuilder::new()),
            ColumnType::Number => Self::Numbers(Float64Builder::new()),
            ColumnType::Flag => Self::Flags(BooleanBuilder::new()),
            ColumnType::Count => Self::Counts(Int64Builder::new()),
            ColumnType::Texts => Self::Lists(ListBuilder::new(StringBuilder::new())),
        }
    }

    /// Adds a cell, and returns its approximate size in bytes.
    fn push(&mut self, cell: &Cell<'_>) -> usize {
        match (self, cell) {
            (Self::Texts(texts), Cell::Text(text)) => {
                texts.append_option(text.as_deref());
                return text.as_ref().map_or(0, |text| text.len());
            }
            (Self::Numbers(numbers), Cell::Number(number)) => numbers.append_option(*number),
            (Self::Flags(flags), Cell::Flag(flag)) => flags.append_option(*flag),
            (Self::Counts(counts), Cell::Count(count)) => {
                counts.append_value(i64::try_from(*count).unwrap_or(i64::MAX));
            }
            (Self::Lists(lists), Cell::Texts(texts)) => {
                texts
                    .iter()
                    .for_each(|text| lists.values().append_value(text));
                lists.append(true);
            }
            _ => unreachable!("a cell is what its column says"),
        }
        0
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Texts(texts) => Arc::new(texts.finish()),
            Self::Numbers(numbers) => Arc::new(numbers.finish()),
            Self::Flags(flags) => Arc::new(flags.finish()),
            Self::Counts(counts) => Arc::new(counts.finish()),
            Self::Lists(lists) => Arc::new(lists.finish()),
        }
    }
}

impl Columns {
    fn new(settings: &OutputSettings, file: impl Batches + 'static) -> Self {
        Self {
            head: settings.head.clone(),
            table: file_table(&settings.head),
            file: Some(Box::new(file)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.table.rows == 0 {
            return Ok(());
        }
        let batch = self.table.take();
        self.file.as_mut().ok_or_else(ended)?.write(&batch)
    }
}

impl Output for Columns {
    fn wants(&self) -> Wants {
        Wants {
            explanation: true,
            ..Wants::default()
        }
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        for row in self.head.rows(case) {
            self.table.push(&row);
        }
        if self.table.rows >= ROWS || self.table.bytes >= BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn finish(&mut self, _: &RunSummary) -> io::Result<()> {
        self.flush()?;
        self.file.take().ok_or_else(ended)?.finish()
    }
}

struct ParquetFile(ArrowWriter<OutputFile>);

impl ParquetFile {
    fn new(out: OutputFile, head: &RunHead) -> io::Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("rightcall ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        ArrowWriter::try_new(out, file_table(head).schema(), Some(properties))
            .map(Self)
            .map_err(of_parquet)
    }
}

impl Batches for ParquetFile {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.0.write(batch).map_err(of_parquet)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.into_inner().map_err(of_parquet)?.commit()
    }
}

struct ArrowFile(FileWriter<OutputFile>);

impl ArrowFile {
    fn new(out: OutputFile, head: &RunHead) -> io::Result<Self> {
        FileWriter::try_new(out, &file_table(head).schema())
            .map(Self)
            .map_err(of_arrow)
    }
}

impl Batches for ArrowFile {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.0.write(batch).map_err(of_arrow)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.finish().map_err(of_arrow)?;
        self.0.into_inner().map_err(of_arrow)?.commit()
    }
}

fn of_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        other => io::Error::other(other),
    }
}

/// The error for writing to an output after its end.
fn ended() -> io::Error {
    io::Error::other("the output has ended")
}
