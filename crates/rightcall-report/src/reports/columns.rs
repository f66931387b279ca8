//! Parquet and Arrow: the rows of CSV with types, for data frames and warehouses.

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
use rightcall_run::{CaseRecord, Output};

use super::csv::{outcome, rows};
use super::overview::{Head, Overview};
use super::{Report, ReportFormat};

pub(super) const PARQUET: ReportFormat = ReportFormat {
    name: "parquet",
    ending: "parquet",
    about: "the same rows with types, and the alignments as JSON, for data frames and warehouses",
    begin: |out, head| Ok(Box::new(Columns::new(head, ParquetFile::new(out, head)?))),
};

pub(super) const ARROW: ReportFormat = ReportFormat {
    name: "arrow",
    ending: "arrow",
    about: "the same as an Arrow IPC file, which is read without decoding",
    begin: |out, head| Ok(Box::new(Columns::new(head, ArrowFile::new(out, head)?))),
};

/// Rows that are written together.
const ROWS: usize = 8192;

/// Bytes of text that are written together.
const BYTES: usize = 32 << 20;

fn schema(head: &Head) -> SchemaRef {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let fields = vec![
        text("case", false),
        text("trial", true),
        text("evaluator", true),
        text("name", true),
        text("outcome", false),
        Field::new("score", DataType::Float64, true),
        Field::new("passed", DataType::Boolean, true),
        text("reason", true),
        Field::new(
            "tags",
            DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
            false,
        ),
        text("file", false),
        Field::new("line", DataType::Int64, false),
        text("alignment", true),
    ];
    let about = [
        ("rightcall".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("run".to_owned(), head.title.clone()),
    ];
    Arc::new(Schema::new_with_metadata(fields, about.into()))
}

/// Where batches of rows go.
trait Batches {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<()>;
}

struct Columns {
    head: Head,
    schema: SchemaRef,
    rows: Rows,
    file: Box<dyn Batches>,
}

#[derive(Default)]
struct Rows {
    case: StringBuilder,
    trial: StringBuilder,
    evaluator: StringBuilder,
    name: StringBuilder,
    outcome: StringBuilder,
    score: Float64Builder,
    passed: BooleanBuilder,
    reason: StringBuilder,
    tags: ListBuilder<StringBuilder>,
    file: StringBuilder,
    line: Int64Builder,
    alignment: StringBuilder,
    number: usize,
    bytes: usize,
}

impl Columns {
    fn new(head: &Head, file: impl Batches + 'static) -> Self {
        Self {
            head: head.clone(),
            schema: schema(head),
            rows: Rows::default(),
            file: Box::new(file),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.number == 0 {
            return Ok(());
        }
        let batch =
            RecordBatch::try_new(Arc::clone(&self.schema), rows.into_arrays()).map_err(of_arrow)?;
        self.file.write(&batch)
    }
}

impl Rows {
    fn into_arrays(mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.case.finish()),
            Arc::new(self.trial.finish()),
            Arc::new(self.evaluator.finish()),
            Arc::new(self.name.finish()),
            Arc::new(self.outcome.finish()),
            Arc::new(self.score.finish()),
            Arc::new(self.passed.finish()),
            Arc::new(self.reason.finish()),
            Arc::new(self.tags.finish()),
            Arc::new(self.file.finish()),
            Arc::new(self.line.finish()),
            Arc::new(self.alignment.finish()),
        ]
    }
}

impl Report for Columns {
    fn case(&mut self, case: &Arc<CaseRecord>) -> io::Result<()> {
        let to = &mut self.rows;
        for (evaluator, result) in rows(&self.head, case) {
            let (outcome, score, reason) = outcome(&result.outcome);
            to.case.append_value(&case.label);
            to.trial.append_option(case.trial.as_deref());
            to.evaluator.append_option(evaluator.map(|it| &it.id));
            to.name
                .append_option(evaluator.and_then(|it| it.name.as_deref()));
            to.outcome.append_value(outcome);
            to.score.append_option(score);
            to.passed.append_option(result.passed);
            to.reason.append_option(reason);
            case.tags
                .iter()
                .for_each(|tag| to.tags.values().append_value(tag));
            to.tags.append(true);
            to.file.append_value(&case.file);
            to.line
                .append_value(i64::try_from(case.line).unwrap_or(i64::MAX));
            to.alignment.append_option(result.alignment.as_deref());
            to.number += 1;
            to.bytes += case.label.len()
                + case.file.len()
                + result.alignment.as_ref().map_or(0, String::len);
        }
        if to.number >= ROWS || to.bytes >= BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn finish(mut self: Box<Self>, _: &Overview) -> io::Result<()> {
        self.flush()?;
        self.file.finish()
    }
}

struct ParquetFile(ArrowWriter<Output>);

impl ParquetFile {
    fn new(out: Output, head: &Head) -> io::Result<Self> {
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

struct ArrowFile(FileWriter<Output>);

impl ArrowFile {
    fn new(out: Output, head: &Head) -> io::Result<Self> {
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
