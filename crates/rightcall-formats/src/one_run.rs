//! The only run in a source, for users who need its calls without a case.

use std::sync::Arc;

use rightcall_core::call::{Arguments, Call, argument_text};
use rightcall_core::value::{JsonText, Reader, Syntax, Value};

use crate::case::calls_text;
use crate::error::{CaseError, OpenError, ReadError};
use crate::input::Input;
use crate::json;
use crate::options::{Limits, ReadOptions};
use crate::read_case::read_case;
use crate::trace::Report;

/// The calls of the only run of an input as JSON, with the unread parts that may be calls: `{"calls", "malformed"}`, and `incomplete` if
/// calls may be missing. Text arguments that contain an object are converted to that object, unless it holds `NaN` or an infinity.
///
/// # Errors
/// The input cannot be read, holds several runs, or holds none that was recorded.
pub fn only_run(mut input: Input) -> Result<String, ReadError> {
    let (name, options) = (Arc::clone(input.name()), input.options());
    let (mut runs, mut report) = (Vec::new(), Report::default());
    while let Some(block) = input.next_block(Input::BLOCK)? {
        for record in block.records() {
            let case = record.content.clone().and_then(|it| it.case(&options));
            let case = case.map_err(|error| error.in_record(&name, &record))?;
            // Only the first of several runs is written.
            let calls = case.actual.as_ref().filter(|_| runs.is_empty());
            runs.push(WrittenRun {
                calls: calls.map(|run| written(&run.calls)),
                incomplete: case.incomplete.map(|why| why.to_string()),
            });
        }
        block.report().into_iter().for_each(|it| report.add(it));
    }
    let run = recorded(runs).map_err(|error| error.at(&name, None))?;
    Ok(run.text(&report))
}

/// As [`only_run`], for a text: a JSON value that is valid as `actual` of a case, or the contents of a file. `tools` are the agent's
/// tools, as JSON.
///
/// # Errors
/// The text cannot be read, holds several runs, or holds none that was recorded.
pub fn run_of_text(
    text: &str,
    tools: Option<&str>,
    options: &ReadOptions,
) -> Result<String, CaseError> {
    if options.format.is_some() || !is_value(text) {
        return run_of_file(text, options);
    }
    let tools = tools.map_or_else(String::new, |tools| format!("\"tools\":{tools},"));
    let case = format!("{{{tools}\"actual\":{text}}}");
    let case = read_case(&case, options).map_err(within_actual)?;
    let run = WrittenRun {
        calls: case.actual.as_ref().map(|run| written(&run.calls)),
        incomplete: case.incomplete.as_ref().map(ToString::to_string),
    };
    // A case keeps the report only as text.
    if run.incomplete.is_some()
        && let Ok(read) = run_of_file(text, options)
    {
        return Ok(read);
    }
    Ok(recorded(vec![run])?.text(&Report::default()))
}

fn run_of_file(text: &str, options: &ReadOptions) -> Result<String, CaseError> {
    let input = Input::from_bytes("text", text.as_bytes().to_vec(), Limits::default(), options);
    input
        .map_err(|OpenError { reason, help, .. }| CaseError {
            help,
            ..CaseError::new("a text that can be read", reason)
        })
        .and_then(|input| only_run(input).map_err(without_file))
}

/// A run, with its calls as JSON if it was recorded.
struct WrittenRun {
    calls: Option<String>,
    incomplete: Option<String>,
}

/// The run, if there is one and it was recorded.
fn recorded(mut runs: Vec<WrittenRun>) -> Result<WrittenRun, CaseError> {
    let found = match (runs.pop(), runs.len()) {
        (Some(run), 0) if run.calls.is_some() => return Ok(run),
        (Some(run), 0) => match run.incomplete {
            Some(why) => format!("one that was not recorded: {why}"),
            None => "no message or call of an agent".to_owned(),
        },
        (None, _) => "nothing".to_owned(),
        (Some(_), others) => format!("{} runs", others + 1),
    };
    Err(CaseError::new("the calls of one run", found))
}

impl WrittenRun {
    fn text(&self, report: &Report) -> String {
        json::object(|writer| {
            json::raw(writer, "calls", self.calls.as_deref());
            if let Some(why) = &self.incomplete {
                writer.key("incomplete").str(why);
            }
            writer.key("malformed").begin_list();
            for (looks, count, first) in malformed(report) {
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
}

/// The calls as JSON, with understood arguments.
fn written(calls: &[Call<'_>]) -> String {
    let calls: Vec<_> = calls.iter().map(understood).collect();
    calls_text(&calls)
}

fn understood<'a>(call: &Call<'a>) -> Call<'a> {
    let mut call = call.clone();
    if let Some(text) = call.arguments.text()
        && let object @ Value::Object(_) = argument_text(text).0
        && is_finite(&object)
    {
        call.arguments = Arguments::owned_json(JsonText::from_value(&object).into_string());
    }
    call
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

/// True for the text of one JSON value.
fn is_value(text: &str) -> bool {
    let reader = &mut Reader::new(text, Syntax::PYTHON);
    reader.raw().is_ok() && reader.end().is_ok()
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
