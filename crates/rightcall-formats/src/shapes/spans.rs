//! Spans with UiPath's attributes.
//!
//! The spans stay in the order of the document, which is how UiPath's evaluators see them; the calls made of them are sorted
//! by time, because exporters write a span when it ends.

use std::cmp::Ordering;

use rightcall::call::{ArgumentSource, Arguments, Call, Span, Trajectory};
use rightcall::value::{Kind, Reader, Syntax, Text};

use super::calls::members;
use crate::case::{Fault, Result, Within, any_arguments, recorded, string_of};

/// The spans of a list and the tool calls among them.
pub(super) fn trajectory(raw: &str) -> Result<Trajectory<'_>> {
    let mut trajectory = Trajectory::default();
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    if reader.peek()? != Kind::List {
        return Ok(trajectory);
    }
    let (mut first, mut index) = (reader.enter_list()?, 0);
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
            return Err(fault.help("calls and spans do not stand in one list: write either"))
                .within_item(index);
        }
        trajectory.spans.push(Span { attributes });
        if let Some(mut call) = attributes
            .map_or(Ok(None), call)
            .within("attributes")
            .within_item(index)?
        {
            (call.metadata_mut().start, call.metadata_mut().end) = (start, end);
            trajectory.calls.push(call);
        }
        index += 1;
    }
    let times: Option<Vec<_>> = trajectory
        .calls
        .iter()
        .map(|call| {
            Some((
                time(call.metadata().start?)?,
                call.metadata().end.and_then(time),
            ))
        })
        .collect();
    if let Some(times) = times.filter(|times| !times.is_sorted()) {
        let mut sorted: Vec<_> = times.into_iter().zip(trajectory.calls).collect();
        sorted.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        trajectory.calls = sorted.into_iter().map(|(_, call)| call).collect();
    }
    Ok(trajectory)
}

/// A time that can be compared with others of its kind: numbers come before texts, which are taken to be ISO 8601 of one zone.
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

/// The call of a span; `None` for a span that is none.
fn call(attributes: &str) -> Result<Option<Call<'_>>> {
    let mut call = Call::default();
    let mut is_call = false;
    let mut is_synthesized = false;
    // The name of a tool in the words of other conventions, which would leave the span no call.
    let (mut has_name, mut other_name) = (false, None);
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
                b"input.value" => {
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
                b"output.value" => call.metadata_mut().output = recorded(reader)?,
                b"error" => call.metadata_mut().error = crate::case::recorded(reader)?,
                _ if key.ends_with(b"name") || key.ends_with(b"Name") => {
                    let key = String::from_utf8_lossy(key);
                    if is_truthy(reader.raw()?) && key.to_lowercase().contains("tool") {
                        other_name = Some(key.into_owned());
                    }
                }
                _ => drop(reader.raw()?),
            }
            Ok(())
        },
    )?;
    if let Some(key) = other_name.filter(|_| !has_name) {
        let fault = Fault::slip(
            "`tool.name`, by which the spans of a case tell a call",
            format!("the attribute `{key}`"),
        );
        return Err(
            fault.help("traces of other conventions are read from files of their own: --traces")
        );
    }
    Ok((is_call && !is_synthesized).then_some(call))
}

/// Python's truth of a checked JSON text.
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
