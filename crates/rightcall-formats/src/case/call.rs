//! Canonical calls.

use rightcall::call::{ArgumentSource, Arguments, Call, Run};
use rightcall::call_list;
use rightcall::value::{First, Kind, Reader, Text};

use super::fault::{Fault, Result, Within};
use super::fields::{label, recorded, string_of, text, whole};

/// A list of calls; a name alone may be a string.
pub(crate) fn calls<'a>(reader: &mut Reader<'a>) -> Result<Vec<Call<'a>>> {
    // Growing would move the calls, which are large, so there is room for as many as the text could hold if they were of usual length.
    let mut calls = call_list((reader.left() / USUAL_LENGTH).clamp(4, 4096));
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        let index = calls.len();
        match reader.peek()? {
            Kind::Object => read(reader, &mut calls).within_item(index)?,
            Kind::String => calls.push(Call { name: reader.string()?, ..Call::default() }),
            _ => return Err(Fault::unexpected("a call", reader).help(CALL)).within_item(index),
        }
    }
    Ok(calls)
}

/// Bytes of a call. Where the other side is yet to come there is room for twice as many.
const USUAL_LENGTH: usize = 110;

const CALL: &str = "a call is an object such as {\"name\": \"find_order\", \"args\": {\"id\": 7}}, or a name alone";

/// Reads a call, and adds it to those before.
#[inline]
fn read<'a>(reader: &mut Reader<'a>, calls: &mut Vec<Call<'a>>) -> Result<()> {
    let mut first = reader.enter_object()?;
    if !reader.next_key_is("name", &mut first) {
        return members(reader, calls, first, Call::default(), [false; 2]);
    }
    let name = name(reader)?;
    if !reader.next_key_is("args", &mut first) {
        return members(reader, calls, first, Call { name, ..Call::default() }, [true, false]);
    }
    let arguments = arguments(reader).within("args")?;
    let call = Call { name, arguments, circumstances: None };
    // Nearly all calls end here.
    if reader.object_ends() {
        calls.push(call);
        return Ok(());
    }
    members(reader, calls, first, call, [true; 2])
}

/// Reads the members that are left of a call, and adds it to those before. Apart from [`read`], since few calls come here.
#[inline(never)]
fn members<'a>(
    reader: &mut Reader<'a>,
    calls: &mut Vec<Call<'a>>,
    mut first: First,
    mut call: Call<'a>,
    [mut is_named, mut has_arguments]: [bool; 2],
) -> Result<()> {
    // Keys that calls do not have, but spans and messages do.
    let mut is_foreign = false;
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_bytes() {
            b"name" => {
                call.name = name(reader)?;
                is_named = true;
            }
            b"args" => {
                call.arguments = arguments(reader).within("args")?;
                has_arguments = true;
            }
            b"arguments" => {
                call.arguments = arguments(reader).within("arguments")?;
                has_arguments = true;
            }
            // The key of Anthropic's blocks.
            b"input" if !has_arguments && reader.peek()? == Kind::Object => {
                call.arguments = arguments(reader).within("input")?;
            }
            b"output" => call.output = recorded(reader)?,
            b"id" => call.id = label(reader).within("id")?,
            b"call_id" => call.id = label(reader).within("call_id")?,
            b"tool_call_id" => call.id = label(reader).within("tool_call_id")?,
            b"tool_id" => call.tool_id = label(reader).within("tool_id")?,
            b"turn" => call.turn = whole(reader).within("turn")?,
            b"group" => call.group = label(reader).within("group")?,
            b"error" => call.error = recorded(reader)?,
            b"start" => call.start = recorded(reader)?,
            b"end" => call.end = recorded(reader)?,
            b"actor" => call.actor = text(reader).within("actor")?,
            b"parent" => call.parent = reader.raw()?.parse().ok(),
            b"run" => match reader.raw()? {
                "\"provider\"" => call.run = Run::ByProvider,
                "\"not\"" => call.run = Run::Not,
                // What stands there for other ends says nothing of how the call ran.
                _ => {}
            },
            b"compare_args" => call.compare_args = keys(reader).within("compare_args")?,
            b"attributes" | b"role" | b"tool_calls" | b"content" => {
                is_foreign = true;
                reader.raw()?;
            }
            _ => {
                reader.raw()?;
            }
        }
    }
    if !is_named || is_foreign && !has_arguments {
        return Err(Fault::new("the name of a tool", "nothing").help(CALL)).within("name");
    }
    calls.push(call);
    Ok(())
}

#[inline]
fn name<'a>(reader: &mut Reader<'a>) -> Result<Text<'a>> {
    match reader.plain_text() {
        Some(name) => Ok(name),
        None => any_name(reader),
    }
}

#[cold]
fn any_name<'a>(reader: &mut Reader<'a>) -> Result<Text<'a>> {
    if reader.peek()? != Kind::String {
        return Err(Fault::unexpected("the name of a tool", reader)).within("name");
    }
    Ok(reader.string()?)
}

/// A list of texts, or nothing for null.
fn keys<'a>(reader: &mut Reader<'a>) -> Result<Option<&'a str>> {
    let mut list = reader.clone();
    if list.peek()? == Kind::List {
        let (mut first, mut index) = (list.enter_list()?, 0);
        while list.next_item(&mut first)? {
            if list.peek()? != Kind::String {
                return Err(Fault::unexpected("the name of an argument", &mut list)).within_item(index);
            }
            list.string()?;
            index += 1;
        }
    } else if list.peek()? != Kind::Null {
        return Err(Fault::unexpected("a list of names of arguments", &mut list));
    }
    recorded(reader)
}

/// An object, its JSON text, or nothing.
#[expect(clippy::inline_always, reason = "a call for each call's arguments, which are read by another one")]
#[inline(always)]
fn arguments<'a>(reader: &mut Reader<'a>) -> Result<Arguments<'a>> {
    match reader.peek()? {
        Kind::Object => Ok(Arguments::read(reader)?),
        kind => other_arguments(reader, kind),
    }
}

fn other_arguments<'a>(reader: &mut Reader<'a>, kind: Kind) -> Result<Arguments<'a>> {
    match kind {
        Kind::Null => {
            reader.null()?;
            Ok(Arguments::default())
        }
        Kind::String => argument_text(reader),
        _ => Err(Fault::unexpected("an object or its JSON text", reader)
            .help("if the trace did not record arguments, leave `args` out")),
    }
}

fn argument_text<'a>(reader: &mut Reader<'a>) -> Result<Arguments<'a>> {
    let json = reader.raw()?;
    Ok(Arguments::new(ArgumentSource::Text { text: string_of(json)?, json }))
}

/// Arguments of any kind; `null` is a value too.
pub(crate) fn any_arguments<'a>(reader: &mut Reader<'a>) -> Result<Arguments<'a>> {
    if reader.peek()? == Kind::String {
        return argument_text(reader);
    }
    Ok(Arguments::read(reader)?)
}
