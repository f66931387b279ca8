//! Spans with UiPath's attributes.
//!
//! The spans stay in document order, as UiPath's evaluators see them. The calls are sorted by time, because exporters write a span when
//! it ends.

use std::cmp::Ordering;

use rightcall_core::call::{ArgumentSource, Arguments, Call, Span, Trajectory};
use rightcall_core::value::{Kind, Reader, Syntax, Text};

use super::calls::members;
use crate::case::{Fault, Result, Within, any_arguments, recorded, string_of};

/// The spans of a list, and the tool calls among them.
pub(super) struct SpansOfRun<'a> {
    pub(super) run: Trajectory<'a>,
    /// True if a span is from OpenInference: spans that `UiPath` doesn't read may then have more about the calls.
    pub(super) are_of_openinference: bool,
}

/// Reads a list of spans; `None` if no span has `UiPath`'s tool attributes, or a tool span has another dialect's.
pub(super) fn read(raw: &str) -> Result<Option<SpansOfRun<'_>>> {
    let mut are_of_openinference = false;
    let mut trajectory = Trajectory::default();
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    if reader.peek()? != Kind::List {
        return Ok(None);
    }
    let (mut first, mut index, mut has_tool) = (reader.enter_list()?, 0, false);
    while reader.next_item(&mut first)? {
        let mut attributes = None;
        let (mut start, mut end) = (None, None);
        let mut is_call = false;
        members(reader, |key, reader| {
            match key {
                b"attributes" => attributes = recorded(reader)?,
                b"start_time" | b"startTime" | b"start" => start = recorded(reader)?,
                b"end_time" | b"endTime" | b"end" => end = recorded(reader)?,
                b"args" | b"arguments" => {
                    is_call = true;
                    reader.raw()?;
                }
                _ => drop(reader.raw()?),
            }
            Ok(())
        })?;
        if is_call && attributes.is_none() {
            let fault = Fault::new("a span, as others in the list are", "a call");
            return Err(fault.help("calls and spans cannot be mixed in one list"))
                .within_item(index);
        }
        trajectory.spans.push(Span { attributes });
        are_of_openinference |= attributes.is_some_and(|it| it.contains("\"openinference."));
        let of_tool = attributes.map_or(Ok(SpanOf::Other), call);
        let of_tool = of_tool.within("attributes").within_item(index)?;
        if matches!(of_tool, SpanOf::OtherDialect) {
            return Ok(None);
        }
        has_tool |= !matches!(of_tool, SpanOf::Other);
        if let SpanOf::Call(mut call) = of_tool {
            let metadata = call.metadata_mut();
            (metadata.start, metadata.end) = (start.map(Into::into), end.map(Into::into));
            trajectory.calls.push(call);
        }
        index += 1;
    }
    let times: Option<Vec<_>> = trajectory
        .calls
        .iter()
        .map(|call| {
            let metadata = call.metadata();
            let end = metadata.end.as_deref().and_then(time);
            Some((time(metadata.start.as_deref()?)?, end))
        })
        .collect();
    if let Some(times) = times.filter(|times| !times.is_sorted()) {
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|&a, &b| times[a].partial_cmp(&times[b]).unwrap_or(Ordering::Equal));
        let sorted = order.iter().map(|&place| trajectory.calls[place].clone());
        trajectory.calls = sorted.collect();
    }
    Ok(has_tool.then_some(SpansOfRun {
        run: trajectory,
        are_of_openinference,
    }))
}

/// A time, comparable with others of its kind. Numbers sort before texts, which are assumed to be ISO 8601 in one time zone.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Time<'a> {
    Number(f64),
    Nanoseconds(i128),
    Text(&'a str),
}

fn time(raw: &str) -> Option<Time<'_>> {
    match raw.strip_prefix('"') {
        Some(text) => text
            .strip_suffix('"')
            .map(|text| text.parse().map_or(Time::Text(text), Time::Nanoseconds)),
        None => raw
            .parse()
            .map(Time::Nanoseconds)
            .ok()
            .or_else(|| raw.parse().ok().map(Time::Number)),
    }
}

/// The content of a span.
enum SpanOf<'a> {
    /// A span without `tool.name`.
    Other,
    /// The tool name is empty, or the framework synthesized the call.
    NoCall,
    /// A tool's arguments are in an attribute that UiPath does not write.
    OtherDialect,
    Call(Call<'a>),
}

fn call(attributes: &str) -> Result<SpanOf<'_>> {
    let mut call = Call::default();
    let mut is_call = false;
    let mut is_synthesized = false;
    let mut has_name = false;
    let (mut has_input, mut has_parameters) = (false, false);
    members(
        &mut Reader::new(attributes, Syntax::PYTHON),
        |key, reader| {
            match key {
                b"tool.name" => {
                    let raw = reader.raw()?;
                    has_name = true;
                    is_call = is_truthy(raw);
                    call.name = python_str(raw)?;
                }
                b"tool.synthesized" => is_synthesized = is_truthy(reader.raw()?),
                b"tool.id" => {
                    call.metadata_mut().tool_id = recorded(reader)?.map(python_str).transpose()?;
                }
                b"tool.parameters" => {
                    has_parameters = true;
                    reader.raw()?;
                }
                b"input.value" => {
                    has_input = true;
                    let arguments = any_arguments(reader)?;
                    let is_given = match arguments.source() {
                        ArgumentSource::Absent => false,
                        ArgumentSource::Json(json) => json.starts_with('{'),
                        ArgumentSource::Text { .. } => true,
                    };
                    call.arguments = if is_given {
                        arguments
                    } else {
                        Arguments::default()
                    };
                }
                b"output.value" => call.metadata_mut().output = recorded(reader)?.map(Into::into),
                b"error" => call.metadata_mut().error = recorded(reader)?.map(Into::into),
                _ => drop(reader.raw()?),
            }
            Ok(())
        },
    )?;
    if has_name && has_parameters && !has_input {
        return Ok(SpanOf::OtherDialect);
    }
    Ok(match (has_name, is_call && !is_synthesized) {
        (false, _) => SpanOf::Other,
        (true, false) => SpanOf::NoCall,
        (true, true) => SpanOf::Call(call),
    })
}

/// Python's truth value of a validated JSON text.
fn is_truthy(raw: &str) -> bool {
    match raw.as_bytes().first() {
        Some(b'n' | b'f') => false,
        Some(b't' | b'N' | b'I') => true,
        Some(b'"') => raw.len() > 2,
        Some(b'[' | b'{') => raw[1..raw.len() - 1]
            .bytes()
            .any(|byte| !byte.is_ascii_whitespace()),
        _ => raw.parse::<f64>() != Ok(0.0),
    }
}

/// Python's `str` of a name or id; lists and objects keep their JSON text.
fn python_str(raw: &str) -> Result<Text<'_>> {
    match raw {
        "true" => Ok(Text::new("True")),
        "false" => Ok(Text::new("False")),
        _ if raw.starts_with('"') => string_of(raw),
        _ => Ok(Text::new(raw)),
    }
}
