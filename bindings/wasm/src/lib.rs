//! The engine for WebAssembly, with JSON text in and out: evaluates cases, and reads the calls of
//! runs.
//!
//! A page calls [`room`] for memory, writes its request there, and calls [`answer`], which returns
//! the length of the text at [`answered`]. The page passes no pointers, so only the exported names
//! need `unsafe`. A panic ends the instance, and the page gets a trap.

mod answer;
mod guards;

use std::borrow::Cow;
use std::cell::RefCell;

use rightcall_core::value::{JsonText, JsonWriter};
use rightcall_core::{Ask, EVALUATORS, Evaluator};
use rightcall_formats::{
    Format, Input, Limits, ReadOptions, case_text, only_run, read_case, refuse_near_keys,
    run_of_text,
};
use rightcall_results::result_json;

use crate::answer::Fault;

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The address at which a request of this length can be written.
#[expect(unsafe_code, reason = "the page finds it by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(bytes, 0);
        question.as_mut_ptr()
    })
}

/// Answers the request and returns the length of the answer in bytes. The answer is `{"ok": …}` or
/// `{"error": {"message", …}}`.
///
/// The first line of a request is one of these:
/// - `evaluators`;
/// - `evaluate`, followed by one line each for the evaluator's id, its settings as JSON, and the case as JSON;
/// - `calls`, followed by a line with the format (or a map as JSON), a line with the tools as JSON (both may be empty), and the JSON text of
///   a run;
/// - `calls of a file`, the same with the bytes of a file;
/// - `guard`, followed by a line each for the mode and the number of refusals, and the rules as JSON: answers with the guard's number;
/// - `guard of a snapshot`, followed by two empty lines and the snapshot;
/// - `guard` and a question such as `admit`, followed by a line each for the guard's number and a detail, and JSON.
#[expect(unsafe_code, reason = "the page finds it by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let answer = match QUESTION.with_borrow(|question| answer_to(question)) {
        Ok(json) => format!("{{\"ok\":{json}}}"),
        Err(fault) => format!("{{\"error\":{}}}", fault.to_json()),
    };
    ANSWER.with_borrow_mut(|known| {
        *known = answer;
        known.len()
    })
}

/// The address of the answer.
#[expect(unsafe_code, reason = "the page finds it by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

fn answer_to(question: &[u8]) -> Result<String, Fault> {
    let mut parts = question.splitn(4, |byte| *byte == b'\n');
    let mut part = || parts.next().unwrap_or_default();
    let (command, first, second, rest) = (text(part()), text(part()), text(part()), part());
    match &*command {
        "evaluate" => evaluation(&first, &second, &text(rest)),
        "calls" => calls(&first, &second, |options, tools| {
            Ok(run_of_text(&text(rest), tools, options)?)
        }),
        "calls of a file" => calls(&first, &second, |options, _| {
            let input = Input::from_bytes("<buffer>", rest.to_vec(), Limits::default(), options)?;
            only_run(input).map_err(|error| Fault::from(&error))
        }),
        "guard" => guards::make(&first, &second, &text(rest)),
        "guard of a snapshot" => guards::restore(&text(rest)),
        command => match command.strip_prefix("guard ") {
            Some(command) => guards::ask(command, &first, &second, &text(rest)),
            None => Ok(evaluators()),
        },
    }
}

fn text(part: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(part)
}

/// The evaluation of a case with its alignment, and the case as parsed.
fn evaluation(id: &str, settings: &str, case: &str) -> Result<String, Fault> {
    let evaluator = Evaluator::new(id, settings, None)?;
    let case = read_case(case, &ReadOptions::default())?;
    refuse_near_keys(&case)?;
    let ask = Ask {
        details: true,
        explanation: true,
        ..Ask::OUTCOME
    };
    let evaluation = evaluator.evaluate(&case, ask);
    let name = JsonText::from_type(evaluator.id());
    let members = format!("\"evaluator\":{name}");
    let result = result_json(&members, &evaluation.into());
    let read = case_text(&case);
    Ok(format!("{{\"result\":{result},\"read\":{read}}}"))
}

/// Finds a format by name, or creates one from a map (a JSON object).
fn format_of(format: &str) -> Result<&'static Format, Fault> {
    if format.starts_with('{') {
        return Format::from_map("map", format).map_err(|error| Fault::from(&error));
    }
    Ok(Format::find(format)?)
}

/// The calls of the run that `read` returns, and the call-like parts that it could not parse.
fn calls(
    format: &str,
    tools: &str,
    read: impl FnOnce(&ReadOptions, Option<&str>) -> Result<String, Fault>,
) -> Result<String, Fault> {
    let non_empty = |text| Some(text).filter(|text: &&str| !text.is_empty());
    let options = ReadOptions {
        format: non_empty(format).map(format_of).transpose()?,
        questions: false,
        ..ReadOptions::default()
    };
    read(&options, non_empty(tools))
}

/// The evaluators with their summaries.
fn evaluators() -> String {
    let mut writer = JsonWriter::new();
    writer.list(EVALUATORS, |writer, entry| {
        writer.begin_object().key("id").str(entry.id);
        writer.key("summary").str(entry.summary).end_object();
    });
    writer.finish().into_string()
}
