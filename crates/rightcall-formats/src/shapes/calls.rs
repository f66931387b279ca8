//! Lists of calls with an original's own keys, and ADK's invocations, which hold such lists.

use rightcall::call::{ArgumentSource, Arguments, Call};
use rightcall::value::{Kind, Reader, Syntax, Text};

use crate::case::{Result, any_arguments, label, recorded, string_of};

/// The keys of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `{name, args}`; Ragas and ADK too.
    Axion,
    /// `{name, input_parameters}`.
    DeepEval,
    /// `{toolName, input}`.
    Evalite,
    /// `{tool, args}`.
    Tpmjs,
}

impl Dialect {
    fn name(self) -> &'static str {
        match self {
            Self::Axion | Self::DeepEval => "name",
            Self::Evalite => "toolName",
            Self::Tpmjs => "tool",
        }
    }

    fn is_arguments(self, key: &[u8]) -> bool {
        match self {
            Self::Axion | Self::Tpmjs => key == b"args",
            Self::DeepEval => matches!(key, b"input_parameters" | b"inputParameters"),
            Self::Evalite => key == b"input",
        }
    }

    /// True if a call that says `null` has recorded an argument.
    fn null_is_a_value(self) -> bool {
        matches!(self, Self::Evalite | Self::Tpmjs)
    }
}

/// The calls of a list, or of Ragas' object that holds one; anything in it that is not an object is left out.
pub(super) fn of_list(raw: &str, dialect: Dialect) -> Result<Vec<Call<'_>>> {
    let mut calls = Vec::new();
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    if reader.peek()? == Kind::Object {
        members(reader, |key, reader| match key {
            b"reference_tool_calls" => append(reader, dialect, &mut calls),
            _ => Ok(reader.raw().map(drop)?),
        })?;
    } else {
        append(reader, dialect, &mut calls)?;
    }
    Ok(calls)
}

fn append<'a>(reader: &mut Reader<'a>, dialect: Dialect, calls: &mut Vec<Call<'a>>) -> Result<()> {
    if reader.peek()? != Kind::List {
        reader.raw()?;
        return Ok(());
    }
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        if reader.peek()? == Kind::Object {
            calls.push(call(reader, dialect)?);
        } else {
            reader.raw()?;
        }
    }
    Ok(())
}

fn call<'a>(reader: &mut Reader<'a>, dialect: Dialect) -> Result<Call<'a>> {
    let mut call = Call::default();
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_bytes() {
            name if name == dialect.name().as_bytes() => call.name = name_of(reader)?,
            arguments if dialect.is_arguments(arguments) => {
                call.arguments = any_arguments(reader)?;
                if call.arguments.source() == ArgumentSource::Json("null") && !dialect.null_is_a_value() {
                    call.arguments = Arguments::default();
                }
            }
            b"id" if matches!(reader.peek()?, Kind::String | Kind::Number) => call.id = label(reader)?,
            b"output" => call.output = recorded(reader)?,
            b"error" => call.error = recorded(reader)?,
            _ => {
                reader.raw()?;
            }
        }
    }
    Ok(call)
}

/// A name; a value that is no string is named by its JSON text.
pub(super) fn name_of<'a>(reader: &mut Reader<'a>) -> Result<Text<'a>> {
    match reader.peek()? {
        Kind::String => Ok(reader.string()?),
        _ => Ok(Text::new(reader.raw()?)),
    }
}

/// The calls of `[{"intermediate_data": {"tool_uses": […]}}]`, each with its invocation as turn.
pub(super) fn of_invocations(raw: &str) -> Result<Vec<Call<'_>>> {
    let mut calls = Vec::new();
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    if reader.peek()? != Kind::List {
        return Ok(calls);
    }
    let mut first = reader.enter_list()?;
    let mut turn = 0;
    while reader.next_item(&mut first)? {
        let from = calls.len();
        members(reader, |key, reader| match key {
            b"intermediate_data" | b"intermediateData" => members(reader, |key, reader| match key {
                b"tool_uses" | b"toolUses" => append(reader, Dialect::Axion, &mut calls),
                b"tool_responses" | b"toolResponses" => responses(reader, &mut calls[from..]),
                _ => Ok(reader.raw().map(drop)?),
            }),
            _ => Ok(reader.raw().map(drop)?),
        })?;
        calls[from..].iter_mut().for_each(|call| call.turn = Some(turn));
        turn += 1;
    }
    Ok(calls)
}

/// Gives the responses to the calls whose ids they name.
fn responses<'a>(reader: &mut Reader<'a>, calls: &mut [Call<'a>]) -> Result<()> {
    if reader.peek()? != Kind::List {
        return Ok(reader.raw().map(drop)?);
    }
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        let (mut id, mut response) = (None, None);
        members(reader, |key, reader| {
            let raw = reader.raw()?;
            match key {
                b"id" if raw.starts_with('"') => id = Some(string_of(raw)?),
                b"response" => response = Some(raw),
                _ => {}
            }
            Ok(())
        })?;
        if let Some(call) = calls.iter_mut().find(|call| call.output.is_none() && id.is_some() && call.id == id) {
            call.output = response;
        }
    }
    Ok(())
}

/// Reads the members of an object, or skips a value that is none.
pub(super) fn members<'a>(reader: &mut Reader<'a>, mut member: impl FnMut(&[u8], &mut Reader<'a>) -> Result<()>) -> Result<()> {
    if reader.peek()? != Kind::Object {
        return Ok(reader.raw().map(drop)?);
    }
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        member(key.as_bytes(), reader)?;
    }
    Ok(())
}
