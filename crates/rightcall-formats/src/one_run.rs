//! The only run in a source, for users who need its calls without a case.

use rightcall_core::call::argument_text;
use rightcall_core::value::{JsonText, Reader, Syntax, Value};

use crate::error::{CaseError, OpenError, ReadError};
use crate::input::Input;
use crate::json;
use crate::options::{Limits, ReadOptions};
use crate::read_case::read_case;
use crate::trace::{Report, Trace, TraceArguments, TraceCall, calls_text};

/// Reads the only run of an input.
///
/// # Errors
/// The input cannot be read, holds several runs, or holds none that was recorded.
pub fn only_run(mut input: Input) -> Result<Trace, ReadError> {
    let mut runs = Vec::new();
    while let Some(records) = input.next_traces()? {
        for (line, run) in records {
            runs.push(run.map_err(|error| error.at(input.name(), Some(line)))?);
        }
    }
    recorded(runs).map_err(|error| error.at(input.name(), None))
}

/// Reads the only run of a text: a JSON value that is valid as `actual` of a case, or the contents of a file. `tools` are the agent's
/// tools, as JSON.
///
/// # Errors
/// The text cannot be read, holds several runs, or holds none that was recorded.
pub fn run_of_text(
    text: &str,
    tools: Option<&str>,
    options: &ReadOptions,
) -> Result<Trace, CaseError> {
    if options.format.is_some() || !is_value(text) {
        return run_of_file(text, options);
    }
    let tools = tools.map_or_else(String::new, |tools| format!("\"tools\":{tools},"));
    let case = format!("{{{tools}\"actual\":{text}}}");
    let case = read_case(&case, options).map_err(within_actual)?;
    let mut run = Trace::from_case(&case, 1);
    if run.incomplete.is_some()
        && let Ok(read) = run_of_file(text, options)
    {
        // A case keeps the report only in words.
        run.report = read.report;
    }
    recorded(vec![run])
}

/// The calls of a run as JSON, with the unread parts that may be calls: `{"calls", "malformed"}`, and `incomplete` if calls may be
/// missing. Text arguments that contain an object are converted to that object, unless it holds `NaN` or an infinity.
pub fn run_text(run: &Trace) -> String {
    json::object(|writer| {
        let calls: Vec<_> = run.calls.iter().map(understood).collect();
        writer.key("calls").raw(&calls_text(&calls));
        if let Some(why) = &run.incomplete {
            writer.key("incomplete").str(why);
        }
        writer.key("malformed").begin_list();
        for (looks, count, first) in malformed(&run.report) {
            writer.begin_object().key("looks").str(looks);
            json::raw(writer, "count", Some(&count.to_string()));
            if !first.is_empty() {
                writer.key("first").str(first);
            }
            writer.end_object();
        }
        writer.end_list();
    })
}

fn understood(call: &TraceCall) -> TraceCall {
    let arguments = match &call.arguments {
        TraceArguments::Text(text) | TraceArguments::Free(text) => match argument_text(text).0 {
            object @ Value::Object(_) if is_finite(&object) => {
                TraceArguments::Json(JsonText::from_value(&object).into_string())
            }
            _ => call.arguments.clone(),
        },
        other => other.clone(),
    };
    TraceCall {
        arguments,
        ..call.clone()
    }
}

/// True if it holds no `NaN` and no infinity. JSON lacks them, and they would become `null`.
fn is_finite(value: &Value<'_>) -> bool {
    match value {
        Value::Float(number) => number.is_finite(),
        Value::List(items) => items.iter().all(is_finite),
        Value::Object(object) => object.iter().all(|(_, member)| is_finite(member)),
        _ => true,
    }
}

/// Unread parts that may be calls: the kind, the number, and the place of the first.
fn malformed(report: &Report) -> impl Iterator<Item = (&str, u64, &str)> {
    let orphans = (report.orphans > 0).then_some(("a result without a call", report.orphans, ""));
    report
        .unread_kinds()
        .chain(orphans)
        .chain(report.left_over_kinds())
}

fn run_of_file(text: &str, options: &ReadOptions) -> Result<Trace, CaseError> {
    let input = Input::from_bytes("text", text.as_bytes().to_vec(), Limits::default(), options);
    input
        .map_err(|OpenError { reason, help, .. }| CaseError {
            help,
            ..CaseError::new("a text that can be read", reason)
        })
        .and_then(|input| only_run(input).map_err(without_file))
}

/// True for the text of one JSON value.
fn is_value(text: &str) -> bool {
    let reader = &mut Reader::new(text, Syntax::PYTHON);
    reader.raw().is_ok() && reader.end().is_ok()
}

/// The run, if there is one and it was recorded.
fn recorded(mut runs: Vec<Trace>) -> Result<Trace, CaseError> {
    let found = match (runs.pop(), runs.len()) {
        (Some(run), 0) if !run.lacks_run => return Ok(run),
        (Some(run), 0) => run
            .incomplete
            .unwrap_or_else(|| "what is expected of one alone".to_owned()),
        (None, _) => "nothing".to_owned(),
        (Some(_), others) => format!("{} runs", others + 1),
    };
    Err(CaseError::new("the calls of one run", found))
}

fn within_actual(error: CaseError) -> CaseError {
    let inner = error.pointer.strip_prefix("/actual");
    CaseError {
        pointer: inner.unwrap_or(&error.pointer).to_owned(),
        ..error
    }
}

/// An error without a file, for a text in memory.
fn without_file(error: ReadError) -> CaseError {
    CaseError {
        pointer: error.at.pointer,
        expected: error.expected,
        found: error.found.into(),
        help: error.help,
    }
}
