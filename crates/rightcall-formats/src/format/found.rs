//! The results of a reader.

use crate::error::CaseError;
use crate::trace::parts::divided;
use crate::trace::skills::add_skills;
use crate::trace::unread::checked;
use crate::trace::{Choices, Keep, Trace, TraceRecord, UnreadCalls};

/// The results of a reader: traces, and errors, each with its line.
#[derive(Debug, Default)]
pub(crate) struct FoundTraces {
    pub(crate) records: Vec<TraceRecord>,
    choices: Choices,
    /// The name of the current format.
    format: &'static str,
}

impl FoundTraces {
    pub(crate) fn new(choices: &Choices, format: &'static str) -> Self {
        Self {
            choices: *choices,
            format,
            ..Self::default()
        }
    }

    pub(crate) fn trace(&mut self, line: u64, mut trace: Trace) {
        trace.line = line;
        if self.choices.unread == UnreadCalls::Note || !trace.calls.is_empty() {
            trace.report.at_line(line);
        }
        let trace = checked(trace, self.choices.unread);
        self.add(line, trace);
    }

    /// Adds a trace from a reader that knows it is a run. Unread parts make it incomplete and aren't errors.
    pub(crate) fn settled(&mut self, line: u64, mut trace: Trace) {
        trace.line = line;
        trace.report.at_line(line);
        self.add(line, Ok(trace));
    }

    fn add(&mut self, line: u64, mut trace: Result<Trace, CaseError>) {
        if self.choices.skills == Keep::Keep
            && let Ok(trace) = &mut trace
        {
            add_skills(trace, self.format);
        }
        if !self.choices.has_parts() {
            return self.records.push((line, trace));
        }
        match trace.and_then(|trace| divided(trace, &self.choices)) {
            Ok(runs) => self
                .records
                .extend(runs.into_iter().map(|run| (line, Ok(run)))),
            Err(error) => self.error(line, error),
        }
    }

    #[cold]
    pub(crate) fn error(&mut self, line: u64, error: CaseError) {
        self.records.push((line, Err(error)));
    }
}
