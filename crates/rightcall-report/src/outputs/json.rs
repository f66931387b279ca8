//! JSON: an object for each case and evaluator, either as JSON Lines or in one document with the summary.

use std::io::{self, Write};
use std::sync::Arc;

use rightcall_results::{CaseResult, LineWriter, RunSummary};
use rightcall_run::{ExistingFile, Output, OutputFile, Renderer, Wants, is_results};

use super::{OutputFormat, OutputSettings};

pub(super) const LINES: OutputFormat = OutputFormat {
    name: "jsonl",
    ending: "jsonl",
    about: "JSON Lines: an object for each case and evaluator, for other programs",
    is_earlier: |existing| is_results(&existing.head) && !is_document(existing),
    begin: |out, settings| Ok(Box::new(Json::new(out, settings, false))),
    comparison: None,
};

pub(super) const DOCUMENT: OutputFormat = OutputFormat {
    name: "json",
    ending: "json",
    about: "the same objects in one JSON document, with the summary of the run",
    is_earlier: |existing| {
        is_document(existing) || existing.head.starts_with(b"{\"runs\":[{\"name\":")
    },
    begin: |out, settings| Ok(Box::new(Json::new(out, settings, true))),
    comparison: Some(|report| Ok(report.json() + "\n")),
};

struct Json {
    out: OutputFile,
    settings: OutputSettings,
    /// True for a document: `{"rightcall": VERSION, "results": […], "summary": {…}}`.
    is_document: bool,
    has_results: bool,
}

const HEAD: &str = concat!(
    "{\"rightcall\":\"",
    env!("CARGO_PKG_VERSION"),
    "\",\"results\":[\n"
);

fn is_document(existing: &ExistingFile) -> bool {
    existing.head.starts_with(b"{\"rightcall\":")
}

impl Json {
    fn new(out: OutputFile, settings: &OutputSettings, is_document: bool) -> Self {
        Self {
            out,
            settings: settings.clone(),
            is_document,
            has_results: false,
        }
    }
}

impl Output for Json {
    fn wants(&self) -> Wants {
        Wants {
            details: self.settings.contents.details,
            explanation: self.settings.contents.explained,
            shortfall: self.settings.contents.explained,
            ..Wants::default()
        }
    }

    fn renderer(&self) -> Option<Renderer> {
        let writer = LineWriter::new(&self.settings.head, self.settings.contents);
        Some(Box::new(move |case, result, out| {
            writer.write(out, case, result);
        }))
    }

    fn case(&mut self, _: &Arc<CaseResult>, drawn: &[u8]) -> io::Result<()> {
        if !self.is_document {
            return self.out.write_all(drawn);
        }
        for line in drawn
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let before = if self.has_results { ",\n" } else { HEAD };
            self.out.write_all(before.as_bytes())?;
            self.out.write_all(line)?;
            self.has_results = true;
        }
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        if self.is_document {
            if !self.has_results {
                self.out.write_all(HEAD.as_bytes())?;
            }
            writeln!(self.out, "\n],\"summary\":{}}}", summary.to_json())?;
        }
        self.out.commit()
    }
}
