//! Lists of calls with the keys of other tools, and ADK's invocations, which contain such lists.

use rightcall_core::call::{ArgumentSource, Arguments, Call};
use rightcall_core::value::{Kind, Reader, Syntax, Text};

use crate::case::{
    CallField, CallKeys, Fault, Result, Within, any_arguments, items, label, recorded, string_of,
};
use crate::format::CallDialect;
use crate::trace::likely_calls;

/// The calls in a list, or in Ragas' object with a list. A null item is skipped where the original tool skips it.
pub(super) fn of_list(raw: &str, dialect: CallDialect, is_expected: bool) -> Result<Vec<Call<'_>>> {
    let mut calls = Vec::new();
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    if dialect == CallDialect::Ragas && reader.peek()? == Kind::Object {
        let mut has_list = false;
        members(reader, |key, reader| match key {
            b"reference_tool_calls" => {
                has_list = true;
                append(reader, dialect, is_expected, &mut calls).within("reference_tool_calls")
            }
            _ => Ok(reader.raw().map(drop)?),
        })?;
        if !has_list {
            return Err(Fault::new(
                "a list of calls under `reference_tool_calls`",
                "none",
            ));
        }
    } else {
        append(reader, dialect, is_expected, &mut calls)?;
    }
    if let Some(index) = calls.iter().position(|call| call.name.is_empty()) {
        return Err(Fault::new("the name of a tool", "nothing")).within_item(index);
    }
    Ok(calls)
}

fn append<'a>(
    reader: &mut Reader<'a>,
    dialect: CallDialect,
    is_expected: bool,
    calls: &mut Vec<Call<'a>>,
) -> Result<()> {
    match reader.peek()? {
        Kind::List => {}
        Kind::Null => return Ok(reader.null()?),
        _ => return Err(Fault::unexpected("a list of calls", reader)),
    }
    items(reader, |reader| match reader.peek()? {
        Kind::Object => {
            calls.push(call(reader, dialect, is_expected)?);
            Ok(())
        }
        Kind::Null if dialect.skips_null() => Ok(reader.null()?),
        _ => Err(Fault::unexpected("a call, which is an object", reader)),
    })
}

fn call<'a>(reader: &mut Reader<'a>, dialect: CallDialect, is_expected: bool) -> Result<Call<'a>> {
    let (mut call, mut keys) = (Call::default(), CallKeys::default());
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        if let Some(own) = dialect.arguments().iter().copied().find(|own| key == *own) {
            if keys.begin(CallField::Arguments, own, &call, reader)? {
                call.arguments = any_arguments(reader).within(own)?;
                if call.arguments.source() == ArgumentSource::Json("null")
                    && !dialect.null_is_a_value()
                {
                    call.arguments = Arguments::default();
                }
            }
            continue;
        }
        match key.as_bytes() {
            name if name == dialect.name().as_bytes() => {
                if keys.begin(CallField::Name, dialect.name(), &call, reader)? {
                    if reader.peek()? != Kind::String {
                        return Err(Fault::unexpected("the name of a tool", reader))
                            .within(dialect.name());
                    }
                    call.name = reader.string()?;
                }
            }
            b"id" if is_label(reader)? => call.metadata_mut().id = label(reader)?,
            b"output" => call.metadata_mut().output = recorded(reader)?.map(Into::into),
            b"error" => call.metadata_mut().error = recorded(reader)?.map(Into::into),
            b"actor" if reader.peek()? == Kind::String => {
                call.metadata_mut().actor = Some(reader.string()?);
            }
            _ => foreign(&mut keys, &mut call, key, reader, dialect)?,
        }
    }
    // Calls of ADK's invocations, which are read as Axion's, may lack a name: the kit compares them so.
    if !keys.has_name() && dialect != CallDialect::Axion {
        return Err(Fault::new("the name of a tool", "nothing")).within(dialect.name());
    }
    keys.finish(&call, is_expected)?;
    Ok(call)
}

fn is_label(reader: &mut Reader<'_>) -> Result<bool> {
    Ok(matches!(reader.peek()?, Kind::String | Kind::Number))
}

/// A key that this shape's calls don't have. The shape's own evaluator would ignore it, so it must not be a name or arguments key.
#[cold]
fn foreign<'a>(
    keys: &mut CallKeys,
    call: &mut Call<'a>,
    key: Text<'a>,
    reader: &mut Reader<'a>,
    dialect: CallDialect,
) -> Result<()> {
    let written = key.to_display();
    let own = match CallField::of(&written) {
        Some(CallField::Arguments) if reader.peek()? != Kind::Null => dialect.arguments()[0],
        Some(CallField::Name) if reader.peek()? == Kind::String => dialect.name(),
        _ => return keys.without_meaning(call, key, reader),
    };
    let fault = Fault::slip(
        format!("`{own}`, as calls of this shape have it"),
        format!("the key `{written}`"),
    );
    Err(fault.help(format!(
        "write `{own}`; or put the calls under `expected` and `actual`, where either is read"
    )))
}

/// The calls of `[{"intermediate_data": {"tool_uses": […]}}]`, each with its invocation as turn; `None` if an invocation has events.
pub(super) fn of_invocations(raw: &str, is_expected: bool) -> Result<Option<Vec<Call<'_>>>> {
    let mut calls = Vec::new();
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    if reader.peek()? != Kind::List {
        return Ok(Some(calls));
    }
    let mut has_events = false;
    let mut first = reader.enter_list()?;
    let mut turn = 0;
    while reader.next_item(&mut first)? {
        let from = calls.len();
        let start = reader.clone();
        let mut is_answered = false;
        members(reader, |key, reader| match key {
            b"intermediate_data" | b"intermediateData" => {
                members(reader, |key, reader| match key {
                    b"tool_uses" | b"toolUses" => {
                        append(reader, CallDialect::Axion, is_expected, &mut calls)
                    }
                    b"tool_responses" | b"toolResponses" => {
                        is_answered |= !matches!(reader.clone().raw()?, "null" | "[]");
                        responses(reader, &mut calls[from..])
                    }
                    b"invocation_events" | b"invocationEvents" => {
                        has_events |= !matches!(reader.raw()?, "null" | "[]");
                        Ok(())
                    }
                    _ => Ok(reader.raw().map(drop)?),
                })
            }
            _ => Ok(reader.raw().map(drop)?),
        })?;
        if has_events {
            return Ok(None);
        }
        if calls.len() == from && is_answered {
            let found = "`tool_responses` without them";
            return Err(Fault::new(
                "calls under `intermediate_data.tool_uses`",
                found,
            ))
            .within_item(turn as usize);
        }
        if calls.len() == from {
            refuse_unread(&mut start.clone()).within_item(turn as usize)?;
        }
        calls[from..]
            .iter_mut()
            .for_each(|call| call.metadata_mut().turn = Some(turn));
        turn += 1;
    }
    Ok(Some(calls))
}

/// An invocation without calls must not contain call-like values.
fn refuse_unread(reader: &mut Reader<'_>) -> Result<()> {
    match likely_calls(reader.raw()?) {
        0 => Ok(()),
        _ => Err(Fault::new(
            "calls under `intermediate_data.tool_uses`",
            "calls under another key",
        )),
    }
}

/// Adds responses to the calls with their ids; without an id, to the first call with the name that has none yet.
fn responses<'a>(reader: &mut Reader<'a>, calls: &mut [Call<'a>]) -> Result<()> {
    if reader.peek()? != Kind::List {
        return Ok(reader.raw().map(drop)?);
    }
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        let (mut id, mut name, mut response) = (None, None, None);
        members(reader, |key, reader| {
            let raw = reader.raw()?;
            match key {
                b"id" if raw.starts_with('"') => id = Some(string_of(raw)?),
                b"name" if raw.starts_with('"') => name = Some(string_of(raw)?),
                b"response" => response = Some(raw),
                _ => {}
            }
            Ok(())
        })?;
        let is_answered = |call: &Call<'_>| match (&id, &name) {
            (Some(_), _) => call.metadata().id == id,
            (None, Some(name)) => call.name == *name,
            (None, None) => false,
        };
        let mut open = calls.iter_mut().filter(|it| it.metadata().output.is_none());
        if let Some(call) = open.find(|call| is_answered(call)) {
            call.metadata_mut().output = response.map(Into::into);
        }
    }
    Ok(())
}

/// Reads the members of an object; skips other values.
pub(super) fn members<'a>(
    reader: &mut Reader<'a>,
    mut member: impl FnMut(&[u8], &mut Reader<'a>) -> Result<()>,
) -> Result<()> {
    entries(reader, |key, reader| member(key.as_bytes(), reader))
}

/// Like [`members`], with keys that outlive the callback.
pub(super) fn entries<'a>(
    reader: &mut Reader<'a>,
    mut entry: impl FnMut(Text<'a>, &mut Reader<'a>) -> Result<()>,
) -> Result<()> {
    if reader.peek()? != Kind::Object {
        return Ok(reader.raw().map(drop)?);
    }
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        entry(key, reader)?;
    }
    Ok(())
}
