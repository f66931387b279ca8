//! Writes the rows in batches.

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
use rightcall_results::{COLUMNS, CaseResult, Cell, Column, ColumnType, RunHead, RunSummary};
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

/// Rows that are written together.
const ROWS: usize = 8192;

/// Bytes of text that are written together.
const BYTES: usize = 32 << 20;

/// All columns but the originals' details, which no history keeps.
fn screen_columns() -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(|column| column.name != "details")
}

fn schema(head: &RunHead) -> SchemaRef {
    let texts = || DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let field = |column: &Column| {
        let (of, nullable) = match column.kind {
            ColumnType::Text { nullable } => (DataType::Utf8, nullable),
            ColumnType::Number => (DataType::Float64, true),
            ColumnType::Flag => (DataType::Boolean, true),
            ColumnType::Count => (DataType::Int64, false),
            ColumnType::Texts => (texts(), false),
        };
        Field::new(column.name, of, nullable)
    };
    let about = [
        ("rightcall".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("run".to_owned(), head.title.clone()),
    ];
    let fields: Vec<_> = screen_columns().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, about.into()))
}

/// Where batches of rows go.
trait Batches {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<()>;
}

struct Columns {
    head: RunHead,
    schema: SchemaRef,
    builders: Vec<ColumnBuilder>,
    rows: usize,
    bytes: usize,
    file: Option<Box<dyn Batches>>,
}

/// The cells of a column that are not written yet.
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

    /// Adds a cell, and gives about its size.
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
            schema: schema(&settings.head),
            builders: screen_columns().map(ColumnBuilder::new).collect(),
            rows: 0,
            bytes: 0,
            file: Some(Box::new(file)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.rows) == 0 {
            return Ok(());
        }
        self.bytes = 0;
        let arrays = self
            .builders
            .iter_mut()
            .map(ColumnBuilder::finish)
            .collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(of_arrow)?;
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
            for (builder, column) in self.builders.iter_mut().zip(screen_columns()) {
                self.bytes += builder.push(&(column.cell)(&row));
            }
            self.rows += 1;
        }
        if self.rows >= ROWS || self.bytes >= BYTES {
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
        ArrowWriter::try_new(out, schema(head), Some(properties))
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
        FileWriter::try_new(out, &schema(head))
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

/// An output that is written to after its end.
fn ended() -> io::Error {
    io::Error::other("the output has ended")
}
