//! Spans of any dialect, in memory.
//!
//! The reader of cases knows the spans of UiPath, whose attribute `tool.name` names a tool. All other dialects are read as in files of
//! spans, so that no call is missed because of the words in which it was recorded.

use rightcall::value::{JsonWriter, Kind, Reader, Syntax, SyntaxError};
use rightcall_formats::{Format, Input, Limits, ReadOptions, Trace};

use crate::settings::reading;

/// The text of a case in which `actual`, where it holds spans of another dialect than that of cases, is the calls that they tell.
pub(crate) fn read_actual(case: String) -> Result<String, String> {
    if !case.contains("\"attributes\"") || case.contains("\"tool.name\"") {
        return Ok(case);
    }
    match replaced(&case) {
        Ok(Some(text)) => text,
        // What is no JSON is for the reader of cases to say.
        Ok(None) | Err(_) => Ok(case),
    }
}

fn replaced(case: &str) -> Result<Option<Result<String, String>>, SyntaxError> {
    let mut reader = Reader::new(case, Syntax::PYTHON);
    let mut writer = JsonWriter::with_capacity(case.len());
    let mut has_spans = false;
    if reader.peek()? != Kind::Object {
        return Ok(None);
    }
    writer.begin_object();
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        let value = reader.raw()?;
        if key == *"actual" && holds_spans(value)? {
            has_spans = true;
            match run_of(value.to_owned(), false) {
                Ok(run) => writer.key("actual").raw(&calls_of(&run)),
                Err(message) => return Ok(Some(Err(message))),
            };
        } else {
            writer.key_text(&key).raw(value);
        }
    }
    writer.end_object();
    Ok(has_spans.then(|| Ok(writer.finish().into_string())))
}

/// True for a list whose first item has attributes.
fn holds_spans(json: &str) -> Result<bool, SyntaxError> {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    if reader.peek()? != Kind::List {
        return Ok(false);
    }
    let mut first = reader.enter_list()?;
    if !reader.next_item(&mut first)? || reader.peek()? != Kind::Object {
        return Ok(false);
    }
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        if key == *"attributes" {
            return Ok(true);
        }
        reader.raw()?;
    }
    Ok(false)
}

/// The calls of a run as JSON.
fn calls_of(run: &Trace) -> String {
    let calls = Trace {
        calls: run.calls.clone(),
        ..Trace::default()
    }
    .to_case();
    calls
        .strip_prefix("{\"actual\":")
        .and_then(|calls| calls.strip_suffix('}'))
        .map_or_else(|| "[]".to_owned(), ToOwned::to_owned)
}

/// The one run that the JSON text of a list of spans tells, with its question where that is wanted.
pub(crate) fn run_of(spans: String, questions: bool) -> Result<Trace, String> {
    let options = ReadOptions {
        format: Format::find("flat-spans").ok(),
        questions,
        ..*reading()
    };
    let input = Input::from_bytes("spans", spans.into_bytes(), Limits::default(), &options);
    let mut input = input.map_err(|error| error.to_string())?;
    let mut run: Option<Trace> = None;
    while let Some(records) = input.next_traces().map_err(|error| error.to_string())? {
        for (_, trace) in records {
            let trace = trace
                .map_err(|error| format!("expected {}, found {}", error.expected, error.found))?;
            match &mut run {
                None => run = Some(trace),
                // Whoever says that spans belong together is believed, whatever ids they have.
                Some(run) => run.calls.extend(trace.calls),
            }
        }
    }
    Ok(run.unwrap_or_default())
}
