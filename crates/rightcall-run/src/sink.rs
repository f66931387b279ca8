//! Where results go.

use std::io::{self, Write};

use crate::line::CSV_HEAD;
use crate::{Output, ScoredBlock, Summary};

/// Takes the results of a run, in input order.
pub trait Sink {
    /// The results of consecutive records.
    ///
    /// # Errors
    /// Where they cannot be written.
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()>;

    /// The end of the run; what was written stays only after this.
    ///
    /// # Errors
    /// Where the rest cannot be written.
    fn finish(&mut self, summary: &Summary) -> io::Result<()>;
}

/// JSON Lines: one object for each case and evaluator.
#[derive(Debug)]
pub struct LinesSink {
    out: Output,
}

impl LinesSink {
    /// A sink into `out`.
    pub fn new(out: Output) -> Self {
        Self { out }
    }
}

impl Sink for LinesSink {
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()> {
        self.out.write_all(scored.json())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.out.commit()
    }
}

/// One JSON document: `{"rightcall": VERSION, "results": […], "summary": {…}}`.
#[derive(Debug)]
pub struct JsonSink {
    out: Output,
    before_result: &'static [u8],
}

impl JsonSink {
    /// A sink into `out`.
    pub fn new(out: Output) -> Self {
        Self {
            out,
            before_result: concat!(
                "{\"rightcall\":\"",
                env!("CARGO_PKG_VERSION"),
                "\",\"results\":[\n"
            )
            .as_bytes(),
        }
    }
}

impl Sink for JsonSink {
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()> {
        for line in scored
            .json()
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            self.out.write_all(self.before_result)?;
            self.out.write_all(line)?;
            self.before_result = b",\n";
        }
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if self.before_result != b",\n" {
            self.out.write_all(self.before_result)?;
        }
        writeln!(self.out, "\n],\"summary\":{}}}", summary.to_json())?;
        self.out.commit()
    }
}

/// CSV with a head line.
#[derive(Debug)]
pub struct CsvSink {
    out: Output,
    head: &'static [u8],
}

impl CsvSink {
    /// A sink into `out`.
    pub fn new(out: Output) -> Self {
        Self {
            out,
            head: CSV_HEAD,
        }
    }

    fn write_head(&mut self) -> io::Result<()> {
        self.out.write_all(std::mem::take(&mut self.head))
    }
}

impl Sink for CsvSink {
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()> {
        self.write_head()?;
        self.out.write_all(scored.csv())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.write_head()?;
        self.out.commit()
    }
}
