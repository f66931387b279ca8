//! What a reader has found.

use crate::error::CaseError;
use crate::trace::unread::checked;
use crate::trace::{Choices, Trace, TraceRecord, UnreadCalls};

/// What a reader has found: traces, and what could not be read, each with its line.
#[derive(Debug, Default)]
pub(crate) struct FoundTraces {
    pub(crate) records: Vec<TraceRecord>,
    unread: UnreadCalls,
}

impl FoundTraces {
    pub(crate) fn new(choices: &Choices) -> Self {
        Self {
            unread: choices.unread,
            ..Self::default()
        }
    }

    pub(crate) fn trace(&mut self, line: u64, mut trace: Trace) {
        trace.line = line;
        if self.unread == UnreadCalls::Note || !trace.calls.is_empty() {
            trace.report.at_line(line);
        }
        self.records.push((line, checked(trace, self.unread)));
    }

    #[cold]
    pub(crate) fn error(&mut self, line: u64, error: CaseError) {
        self.records.push((line, Err(error)));
    }
}
