//! Helpers shared by the tests of readers.

use crate::case::case_text;
use crate::error::CaseError;
use crate::input::{Input, Record, RecordContent};
use crate::options::{Limits, ReadOptions};
use crate::read_case::case_of_trace;
use crate::trace::{Choices, Executor, Trace, TraceArguments};

/// The text of the case that a record or a run is.
#[track_caller]
pub(crate) fn text_of(record: &Record<'_>) -> String {
    let text = record.content.clone().and_then(RecordContent::text);
    text.unwrap().into_owned()
}

/// The text of a run's case.
#[track_caller]
pub(crate) fn case_of(trace: &Trace) -> String {
    case_text(&case_of_trace(trace, &ReadOptions::default()).unwrap())
}

/// Reads a text, which must be recognized as this format, and compares its calls line by line; `---` separates trajectories.
#[track_caller]
pub(crate) fn check(format: &str, text: &str, expected: &[&str]) {
    assert_eq!(shown(format, text, Choices::default()), expected, "{text}");
}

/// Reads a text of a format, and compares the reasons why its runs may be incomplete; complete runs have none.
#[track_caller]
pub(crate) fn check_gaps(format: &str, text: &str, expected: &[&str]) {
    let mut input = opened(format, text, Choices::default());
    let mut gaps = Vec::new();
    while let Some(traces) = input.next_traces().unwrap() {
        let traces = traces.into_iter().map(|(_, trace)| trace.unwrap());
        gaps.extend(traces.map(|trace| trace.incomplete.unwrap_or_default()));
    }
    assert_eq!(gaps, expected, "{text}");
}

/// The error in the only trajectory of a file.
#[track_caller]
pub(crate) fn error_of(format: &str, text: &str, choices: Choices) -> CaseError {
    let traces = opened(format, text, choices).next_traces().unwrap();
    traces.unwrap().remove(0).1.unwrap_err()
}

/// Opens a text, which must be recognized as this format.
#[track_caller]
fn opened(format: &str, text: &str, choices: Choices) -> Input {
    let options = ReadOptions {
        choices,
        ..ReadOptions::default()
    };
    let bytes = text.as_bytes().to_vec();
    let mut input = Input::from_bytes("text", bytes, Limits::default(), &options).unwrap();
    assert_eq!(
        input.format().unwrap().map(|format| format.name),
        Some(format),
        "{text}"
    );
    input
}

/// The agent's evidence for each trajectory of a file: `spoke` or `silent`, then the kinds left over.
pub(crate) fn evidence(format: &str, text: &str) -> Vec<String> {
    let mut input = opened(format, text, Choices::default());
    let mut lines = Vec::new();
    while let Some(traces) = input.next_traces().unwrap() {
        for (place, trace) in traces {
            let trace = trace.unwrap_or_else(|error| panic!("line {}: {error}", place.line));
            let turn = if trace.agent_spoke { "spoke" } else { "silent" };
            lines.push(turn.to_owned());
            let kinds = trace.report.left_over_kinds();
            lines.extend(kinds.map(|(kind, count, _)| format!("{count} {kind}")));
        }
    }
    lines
}

/// The calls of a file, one a line, and the report; `---` separates trajectories.
pub(crate) fn shown(format: &str, text: &str, choices: Choices) -> Vec<String> {
    use std::fmt::Write as _;

    let mut input = opened(format, text, choices);
    let mut lines = Vec::new();
    let mut is_first = true;
    while let Some(traces) = input.next_traces().unwrap() {
        for (place, trace) in traces {
            let trace = trace.unwrap_or_else(|error| panic!("line {}: {error}", place.line));
            if !std::mem::take(&mut is_first) {
                lines.push("---".to_owned());
            }
            for call in &trace.calls {
                let arguments = match &call.arguments {
                    TraceArguments::Absent => "?".to_owned(),
                    TraceArguments::Json(json) => json.clone(),
                    TraceArguments::Text(text) => format!("{:?}", text.to_string()),
                    TraceArguments::Free(text) => format!("free {:?}", text.to_string()),
                };
                let mut shown = format!("{}({arguments})", call.name);
                for text in [&call.id, &call.tool_id].into_iter().flatten() {
                    _ = write!(shown, " {text}");
                }
                if let Some(turn) = call.turn {
                    _ = write!(shown, " @{turn}");
                }
                for text in [&call.group, &call.actor].into_iter().flatten() {
                    _ = write!(shown, " {text}");
                }
                if let Some(parent) = call.parent {
                    _ = write!(shown, " in {parent}");
                }
                match call.executor {
                    Executor::Agent => {}
                    Executor::Provider => shown += " by provider",
                    Executor::Nobody => shown += " not run",
                }
                for (mark, json) in [("->", &call.output), ("error", &call.error)] {
                    if let Some(json) = json {
                        _ = write!(shown, " {mark} {json}");
                    }
                }
                lines.push(shown);
            }
            if trace.report.orphans > 0 {
                lines.push(format!("{} orphans", trace.report.orphans));
            }
            lines.extend(
                trace
                    .report
                    .dropped()
                    .map(|(reason, count)| format!("{count} {reason}")),
            );
        }
    }
    lines
}
