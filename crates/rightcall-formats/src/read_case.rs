//! Reads a record as a case: its text, or the run that was read from a trace.

use rightcall_core::call::{Call, Case, Trajectory};
use rightcall_core::value::{Reader, Syntax, Text};

use crate::case::{Draft, Result, Within, check_name, settle_near_keys, tags};
use crate::error::CaseError;
use crate::format::{Format, Reading};
use crate::options::ReadOptions;
use crate::shapes;
use crate::side::SidesReader;
use crate::trace::Trace;

/// Reads one case from the text of one JSON object.
///
/// Canonical cases and the shapes of other tools are distinguished by their keys, unless `options` name one. The case borrows from the
/// text; arguments are kept verbatim.
///
/// # Errors
/// The first place that is not JSON, or not valid in a case.
pub fn read_case<'a>(
    text: &'a str,
    options: &ReadOptions,
) -> std::result::Result<Case<'a>, CaseError> {
    read(text, options).map_err(|fault| fault.into_error(text))
}

/// Reads one call in the format of a case, and returns the answer of `look`.
///
/// # Errors
/// The first place in the call that is not JSON, or not valid in a call.
pub fn read_call<T>(
    text: &str,
    look: impl FnOnce(&Call<'_>) -> T,
) -> std::result::Result<T, CaseError> {
    let text = format!("{{\"actual\":[{text}]}}");
    let case = read_case(&text, &ReadOptions::default()).map_err(|error| CaseError {
        pointer: error
            .pointer
            .strip_prefix("/actual/0")
            .unwrap_or_default()
            .to_owned(),
        ..error
    })?;
    match case.actual.as_ref().map(|run| &run.calls[..]) {
        Some([call]) => Ok(look(call)),
        calls => {
            let found = format!("{} calls", calls.map_or(0, <[_]>::len));
            Err(CaseError::new("one call", found))
        }
    }
}

/// Rejects a key that is nearly a key of a case, for a case that is judged without warnings.
///
/// # Errors
/// The key: its value would not be judged.
pub fn refuse_near_keys(case: &Case<'_>) -> std::result::Result<(), CaseError> {
    case.near_keys.first().map_or(Ok(()), near_key)
}

/// Rejects a key that is nearly the name of a side that the case does not have.
///
/// # Errors
/// The key: the case would be judged without that side.
pub fn refuse_near_sides(case: &Case<'_>) -> std::result::Result<(), CaseError> {
    let is_side = |(_, meant): &&(Text<'_>, &'static str)| match *meant {
        "expected" => case.expected.is_empty() && case.native.is_none(),
        "actual" => case.actual.is_none() && case.incomplete.is_none(),
        _ => false,
    };
    case.near_keys.iter().find(is_side).map_or(Ok(()), near_key)
}

#[cold]
fn near_key((key, meant): &(Text<'_>, &'static str)) -> std::result::Result<(), CaseError> {
    Err(CaseError {
        help: Some(format!("did you mean `{meant}`?").into()),
        ..CaseError::new("a key of a case", format!("the key `{}`", key.to_display()))
    })
}

fn read<'a>(text: &'a str, options: &ReadOptions) -> Result<Case<'a>> {
    let is_shape = |format: &Format| matches!(format.reading, Reading::Shape(_));
    let sides_as_text = options.format.is_some_and(is_shape);
    let mut draft = Draft::read(text, options.max_depth, sides_as_text)?;
    draft.case.hash_key = options.hash_key;
    draft.case.max_comparisons = options.max_comparisons;
    if options.format.is_none() {
        shapes::find_run(&mut draft)?;
    }
    let is_of_tools = |(key, _): &&(Text<'_>, &str)| *key == *"tools";
    let tools = draft.case.meta.iter().find(is_of_tools).map(|it| it.1);
    let sides = SidesReader { options, tools };
    shapes::settle(&mut draft, options.format, &sides)?;
    if !draft.case.near_keys.is_empty() {
        settle_near_keys(&mut draft.case)?;
    }
    shapes::look_over(&mut draft.case);
    Ok(draft.case)
}

/// The case of a run and of what its trace expects. It borrows from the trace.
///
/// # Errors
/// The trace's expectation is not valid in a case, or a call has no valid name.
pub(crate) fn case_of_trace<'a>(
    trace: &'a Trace,
    options: &ReadOptions,
) -> std::result::Result<Case<'a>, CaseError> {
    read_trace(trace, options).map_err(|fault| fault.into_error(""))
}

fn read_trace<'a>(trace: &'a Trace, options: &ReadOptions) -> Result<Case<'a>> {
    let recorded = |json: &'a Option<String>| json.as_deref().filter(|json| *json != "null");
    let mut draft = Draft::default();
    if let Some(expected) = &trace.expected {
        let reader = &mut Reader::new(expected, Syntax::PYTHON);
        draft.expect(reader, expected, false)?;
        let sides = SidesReader {
            options,
            tools: None,
        };
        shapes::settle(&mut draft, None, &sides)?;
    }
    let mut case = Case {
        id: trace.id.as_ref().map(Text::reborrow),
        incomplete: trace.incomplete.as_deref().map(Text::new),
        input: recorded(&trace.input),
        output: recorded(&trace.output),
        trial: recorded(&trace.trial),
        meta: texts(&trace.meta, String::as_str),
        near_keys: texts(&trace.near_keys, |meant| *meant),
        hash_key: options.hash_key,
        max_comparisons: options.max_comparisons,
        ..draft.case
    };
    if let Some(json) = &trace.tags {
        case.tags = tags(&mut Reader::new(json, Syntax::PYTHON)).within("tags")?;
    }
    if !trace.lacks_run {
        let calls: Vec<_> = trace.calls.iter().map(Call::from).collect();
        for (index, call) in calls.iter().enumerate() {
            check_name(call).within_item(index).within("actual")?;
        }
        case.actual = Some(Trajectory {
            calls,
            spans: Vec::new(),
        });
    }
    shapes::look_over(&mut case);
    Ok(case)
}

fn texts<'a, T, V>(members: &'a [(String, T)], value: impl Fn(&'a T) -> V) -> Vec<(Text<'a>, V)> {
    let members = members.iter();
    members
        .map(|(key, it)| (Text::new(key), value(it)))
        .collect()
}

#[cfg(test)]
mod tests;
