//! Canonical calls.

use std::borrow::Cow;

use rightcall_core::call::{ArgumentSource, Arguments, Call, Executor};
use rightcall_core::value::{First, Kind, Reader, Syntax, Text, Value};

use super::fault::{Fault, Result, Within, shortened};
use super::fields::{items, label, recorded, string_of, text, whole};
use super::notation;
use super::spelling::{
    CALL, CallField, CallKeys, event_as_call, is_part_of_call, refuse_inner_calls, twice,
};

/// How a list of calls is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallReading {
    /// True for expected calls.
    pub(crate) is_expected: bool,
    /// Accepts a name under any key that plainly means one, not only `name`. Other shapes are recognized by their name keys.
    pub(crate) any_name: bool,
}

/// A list of calls; a string is a name without arguments.
pub(crate) fn calls<'a>(reader: &mut Reader<'a>, reading: CallReading) -> Result<Vec<Call<'a>>> {
    // Growing would move the calls, which are large. So reserve room for the number of calls of usual length that fit the remaining text.
    let mut calls = Vec::with_capacity((reader.left() / USUAL_LENGTH).clamp(4, 4096));
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        let index = calls.len();
        match reader.peek()? {
            Kind::Object => {
                read(reader, &mut calls, reading).within_item(index)?;
                if reading.is_expected {
                    check_text(&calls[index]).within_item(index)?;
                }
            }
            Kind::String => calls.push(Call {
                name: name_alone(reader).within_item(index)?,
                ..Call::default()
            }),
            _ => return Err(Fault::unexpected("a call", reader).help(CALL)).within_item(index),
        }
    }
    Ok(calls)
}

/// Bytes of a typical call. If the other side follows in the text, this reserves room for about twice the calls needed.
const USUAL_LENGTH: usize = 110;

/// A tool name in place of a call, or of all calls of the tool.
pub(super) fn name_alone<'a>(reader: &mut Reader<'a>) -> Result<Text<'a>> {
    let name = reader.string()?;
    match name.as_bytes() {
        [.., b')'] => refuse_notation(&name)?,
        bytes if is_enclosed(bytes) => return Err(json_as_name(&name)),
        bytes if is_no_name(bytes) => return Err(no_name(&name)),
        _ => {}
    }
    Ok(name)
}

/// True for the name of a tool in place of a call, or of all calls of the tool. False for JSON, sentences, and what ends like a call.
pub fn is_tool_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    !text.ends_with(')') && !is_enclosed(bytes) && !is_no_name(bytes)
}

pub(super) const WITHOUT_QUOTES: &str =
    "what the text holds can be read without the quotes around it";

/// True if the next value is a text that may be JSON of an object or a list.
pub(super) fn is_json_text(reader: &Reader<'_>) -> bool {
    let text = reader.clone().string();
    text.is_ok_and(|text| is_enclosed(text.as_bytes().trim_ascii()))
}

/// True for a text that may be JSON of an object or a list.
fn is_enclosed(text: &[u8]) -> bool {
    matches!(text, [b'{', .., b'}'] | [b'[', .., b']'])
}

/// True for a sentence, a line of a conversation or a printed object. The name of a tool may have blanks.
fn is_no_name(text: &[u8]) -> bool {
    let has_mark = text.iter().any(|byte| b"={<?!\n".contains(byte));
    let is_sentence = text.ends_with(b".") && text.contains(&b' ');
    has_mark || is_sentence || text.windows(2).any(|pair| matches!(pair, b": " | b", "))
}

/// A text such as `tool='find' tool_input={}` is an object as its program prints it.
#[cold]
fn no_name(name: &Text<'_>) -> Fault {
    let found = format!("the text \"{}\"", shortened(&name.to_display()));
    Fault::new("a call, or the name of a tool alone", found).help(CALL)
}

/// JSON text in a string is a whole record, not a tool name.
#[cold]
fn json_as_name(name: &Text<'_>) -> Fault {
    let found = format!("the text \"{}\"", shortened(&name.to_display()));
    Fault::new("a call, or the name of a tool alone", found).help(WITHOUT_QUOTES)
}

/// `find_order(id=7)` is a call as shown on screens. Taken as a name, it would match no tool.
#[cold]
fn refuse_notation(name: &Text<'_>) -> Result<()> {
    let written = name.to_display();
    if !notation::is_call(&written) {
        return Ok(());
    }
    let found = format!("the text \"{}\"", shortened(&written));
    let fault = Fault::slip("a call, or the name of a tool alone", found);
    Err(match notation::object(&written) {
        Some(object) => fault.help(format!("write {object}")),
        None => fault.help(CALL),
    })
}

/// Reads a call and appends it to `calls`.
#[inline]
fn read<'a>(
    reader: &mut Reader<'a>,
    calls: &mut Vec<Call<'a>>,
    reading: CallReading,
) -> Result<()> {
    let mut first = reader.enter_object()?;
    if !reader.next_key_is("name", &mut first) {
        return members(
            reader,
            calls,
            first,
            Call::default(),
            CallKeys::default(),
            reading,
        );
    }
    let name = name(reader)?;
    if !reader.next_key_is("args", &mut first) {
        return members(
            reader,
            calls,
            first,
            Call {
                name,
                ..Call::default()
            },
            CallKeys::read(Some("name"), None),
            reading,
        );
    }
    let arguments = arguments(reader).within("args")?;
    let call = Call {
        name,
        arguments,
        metadata: None,
    };
    // Fast path: nearly all calls end here.
    if reader.object_ends() {
        calls.push(call);
        return Ok(());
    }
    members(
        reader,
        calls,
        first,
        call,
        CallKeys::read(Some("name"), Some("args")),
        reading,
    )
}

/// Reads the remaining members of a call and appends it to `calls`. Separate from [`read`] because few calls need it.
#[expect(clippy::too_many_lines, reason = "one arm for each key")]
#[inline(never)]
fn members<'a>(
    reader: &mut Reader<'a>,
    calls: &mut Vec<Call<'a>>,
    mut first: First,
    mut call: Call<'a>,
    mut keys: CallKeys,
    reading: CallReading,
) -> Result<()> {
    // `is_foreign` is set by keys that spans and messages have but calls don't. Only `args` and `arguments` prove that this is a call.
    // `has_note` is set by a `type` with details that a call can't hold. The trace formats read such values.
    // `is_event` is set for an event, or a piece of a stream. A call has several of them.
    let mut is_foreign = false;
    let mut has_note = false;
    let mut is_event = false;
    let mut is_call = keys.has_arguments();
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_bytes() {
            b"name" => {
                if keys.begin(CallField::Name, "name", &call, reader)? {
                    call.name = name(reader)?;
                }
            }
            b"args" | b"arguments" => {
                let key = if key.as_bytes() == b"args" {
                    "args"
                } else {
                    "arguments"
                };
                if keys.begin(CallField::Arguments, key, &call, reader)? {
                    call.arguments = arguments(reader).within(key)?;
                }
                is_call = true;
            }
            b"output" => {
                let metadata = call.metadata_mut();
                metadata.output = recorded(reader)?.map(Into::into);
                if metadata.output.is_none() {
                    metadata.has_null_output = true;
                }
            }
            b"id" => call.metadata_mut().id = label(reader).within("id")?,
            b"call_id" => call.metadata_mut().id = label(reader).within("call_id")?,
            b"tool_call_id" => call.metadata_mut().id = label(reader).within("tool_call_id")?,
            b"tool_id" => call.metadata_mut().tool_id = label(reader).within("tool_id")?,
            b"turn" => call.metadata_mut().turn = whole(reader).within("turn")?,
            b"group" => call.metadata_mut().group = label(reader).within("group")?,
            b"error" => {
                let error = recorded(reader)?;
                if reading.is_expected && error == Some("false") {
                    return Err(error_of_expected()).within("error");
                }
                call.metadata_mut().error = error.map(Into::into);
            }
            b"start" => call.metadata_mut().start = recorded(reader)?.map(Into::into),
            b"end" => call.metadata_mut().end = recorded(reader)?.map(Into::into),
            b"actor" => set_actor(&mut call, text(reader).within("actor")?)?,
            // tau2-bench also records the agent as a requestor; only other requestors are actors.
            b"requestor" => {
                let requestor = text(reader).within("requestor")?;
                set_actor(&mut call, requestor.filter(|who| *who != *"assistant"))?;
            }
            b"parent" => call.metadata_mut().parent = reader.raw()?.parse().ok(),
            b"run" => match reader.raw()? {
                "\"provider\"" => call.metadata_mut().executor = Executor::Provider,
                "\"not\"" => call.metadata_mut().executor = Executor::Nobody,
                // `error` values of other kinds have no information about the outcome of the call.
                _ => {}
            },
            b"compare_args" => {
                let keys = compared(reader).within("compare_args")?;
                call.metadata_mut().compare_args = keys.map(Into::into);
            }
            b"object" if reader.clone().raw()? == "\"trace.span\"" => {
                is_foreign = true;
                reader.raw()?;
            }
            b"attributes" | b"role" | b"content" | b"parent_id" | b"span_id" | b"trace_id"
            | b"spanId" | b"traceId" | b"parentSpanId" | b"spanType" | b"span_type"
            | b"spanKind" | b"span_kind" | b"run_type" | b"runType" | b"as_type" | b"node_type"
            | b"step_type" | b"entityType" | b"entity_type" => {
                is_foreign = true;
                reader.raw()?;
            }
            b"children" | b"tool_calls" => {
                is_foreign = true;
                refuse_inner_calls(reader.raw()?).within(&key.to_display())?;
            }
            b"kind" if reader.peek()? == Kind::String => {
                refuse_span(reader.clone().raw()?).within("kind")?;
                keys.other(&mut call, key, reader, arguments_of_any_kind)?;
            }
            // A `type` other than a call's marks a message, an event or a result.
            b"type" if reader.peek()? == Kind::String => {
                let kind = reader.raw()?;
                refuse_span(kind).within("type")?;
                is_foreign |= is_type_of_other(kind);
                is_event |= is_part_of_call(kind);
                has_note |= is_type_of_provider(kind);
            }
            // DeepEval's key for arguments. It identifies that shape, so a canonical case refuses it.
            b"input_parameters" | b"inputParameters" if !reading.any_name => {
                return Err(Fault::unexpected("`args`", reader)).within(&key.to_display());
            }
            b"allow_partial_match" if reading.is_expected && reader.peek()? == Kind::Bool => {
                if reader.raw()? == "true" {
                    let fault = Fault::slip("false: a partial match is not computed", "true");
                    return Err(fault.help("name the arguments that must match in `compare_args`"))
                        .within("allow_partial_match");
                }
            }
            b"toolCallId" | b"tool_use_id" | b"toolUseId" if is_label(reader)? => {
                call.metadata_mut().id = label(reader)?;
            }
            _ => keys.other(&mut call, key, reader, arguments_of_any_kind)?,
        }
    }
    if is_event {
        return Err(event_as_call());
    }
    let is_foreign = is_foreign && !is_call || has_note && !reading.any_name;
    check(&call, &keys, reading, is_foreign)?;
    keys.finish(&call, reading.is_expected)?;
    check_name_alone(&call, &keys, reading)?;
    calls.push(call);
    Ok(())
}

#[cold]
fn error_of_expected() -> Fault {
    let fault = Fault::slip(
        "a condition that is compared",
        "`error: false` of an expected call",
    );
    fault.help("leave `error` out; the evaluator `constraints` with `max_errors: 0` demands calls without errors")
}

/// Refuses an object that is not a call, or a call that its author probably meant differently.
fn check(call: &Call<'_>, keys: &CallKeys, reading: CallReading, is_foreign: bool) -> Result<()> {
    let is_named = if reading.any_name {
        keys.has_name()
    } else {
        keys.has_name_under("name")
    };
    if is_named && is_foreign {
        return Err(Fault::new(
            "the arguments of a call under `args`",
            "none beside keys of spans and messages",
        )
        .help(CALL));
    }
    if !is_named {
        return Err(Fault::new("the name of a tool", "nothing").help(CALL)).within("name");
    }
    // Spans and events have names too. A name next to keys that calls don't have goes to the trace formats first.
    let is_plain = keys.has_arguments_under(&["args", "arguments"]);
    let has_others = !call.metadata().other_keys.is_empty();
    if !reading.any_name && !is_plain && has_others {
        return Err(no_arguments());
    }
    Ok(())
}

/// Refuses a name without arguments next to keys of other records, or one that is a whole call in a notation.
fn check_name_alone(call: &Call<'_>, keys: &CallKeys, reading: CallReading) -> Result<()> {
    if keys.has_arguments() {
        return Ok(());
    }
    let is_kind = |key: &Text<'_>| matches!(key.as_bytes(), b"kind" | b"level" | b"event");
    let metadata = call.metadata();
    let ids = [&metadata.id, &metadata.tool_id, &metadata.actor];
    let has_facts = ids.iter().any(|id| id.is_some())
        || metadata
            .recorded_output()
            .or(metadata.error.as_deref())
            .is_some()
        || metadata.turn.is_some();
    let is_said = reading.is_expected && metadata.other_keys.iter().all(is_comment);
    let is_of_call = is_said || has_facts || metadata.other_keys.is_empty();
    if keys.hold_more() || !is_of_call || metadata.other_keys.iter().any(is_kind) {
        return Err(no_arguments());
    }
    check_name(call)
}

/// Refuses a span of a model or an agent, which has a name and an input too.
fn refuse_span(kind: &str) -> Result<()> {
    const KINDS: [&str; 6] = [
        "llm",
        "agent",
        "chain",
        "generation",
        "chat_model",
        "workflow",
    ];
    let kind = kind.trim_matches('"');
    if KINDS.iter().any(|it| kind.eq_ignore_ascii_case(it)) {
        let fault = Fault::new("a call", format!("a span of the kind `{kind}`"));
        return Err(fault.help("spans with ids and attributes are read as a trace"));
    }
    Ok(())
}

#[cold]
fn no_arguments() -> Fault {
    let found = "none beside keys that calls do not have";
    Fault::new("the arguments of a call under `args`", found).help(CALL)
}

/// Refuses a name that is a whole call, in a notation or as JSON text, of a call without arguments.
pub(crate) fn check_name(call: &Call<'_>) -> Result<()> {
    let has_arguments = || match call.arguments.to_value() {
        None => false,
        Some(Value::Object(object)) => !object.is_empty(),
        Some(_) => true,
    };
    match call.name.as_bytes() {
        [.., b')'] if !has_arguments() => refuse_notation(&call.name).within("name"),
        name if is_enclosed(name) && !has_arguments() => {
            Err(json_as_name(&call.name)).within("name")
        }
        _ => Ok(()),
    }
}

/// True for a key of words about an expected call, which needs no arguments then.
fn is_comment(key: &Text<'_>) -> bool {
    const WORDS: [&str; 14] = [
        "comment",
        "comments",
        "description",
        "explanation",
        "index",
        "justification",
        "note",
        "notes",
        "rationale",
        "reason",
        "reasoning",
        "step",
        "type",
        "why",
    ];
    WORDS
        .iter()
        .any(|word| key.as_bytes().eq_ignore_ascii_case(word.as_bytes()))
}

/// Sets the actor. A call has one actor, under either key.
fn set_actor<'a>(call: &mut Call<'a>, who: Option<Text<'a>>) -> Result<()> {
    let Some(who) = who else { return Ok(()) };
    if call
        .metadata()
        .actor
        .as_ref()
        .is_some_and(|known| *known != who)
    {
        return Err(twice("the actor", "actor", "requestor"));
    }
    call.metadata_mut().actor = Some(who);
    Ok(())
}

/// True if this JSON text is the `type` of a call.
pub(crate) fn is_type_of_call(json: &str) -> bool {
    let kind = json.trim_matches('"');
    let is_named = ["call", "tool"].iter().any(|word| kind.contains(word));
    matches!(kind, "function" | "custom" | "null") || is_named && !is_type_of_other(json)
}

/// True if this JSON text is the `type` of a message, an event or a result.
fn is_type_of_other(json: &str) -> bool {
    const WORDS: [&str; 9] = [
        "result",
        "output",
        "response",
        "error",
        "message",
        "event",
        "reasoning",
        "text",
        "span",
    ];
    let kind = json.to_ascii_lowercase();
    WORDS.iter().any(|word| kind.contains(word))
}

/// True if this JSON text is the `type` of a call that the model's provider ran.
fn is_type_of_provider(json: &str) -> bool {
    matches!(
        json.trim_matches('"'),
        "mcp_call" | "mcp_tool_use" | "server_tool_use" | "server_tool_call"
    )
}

fn is_label(reader: &mut Reader<'_>) -> Result<bool> {
    Ok(matches!(reader.peek()?, Kind::String | Kind::Number))
}

/// [`arguments`] under a rare key, kept out of line.
#[cold]
fn arguments_of_any_kind<'a>(reader: &mut Reader<'a>) -> Result<Arguments<'a>> {
    arguments(reader)
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

/// A list of strings; `None` for null.
fn compared<'a>(reader: &mut Reader<'a>) -> Result<Option<&'a str>> {
    let mut list = reader.clone();
    if list.peek()? == Kind::List {
        items(&mut list, |list| {
            if list.peek()? != Kind::String {
                return Err(Fault::unexpected("the name of an argument", list));
            }
            Ok(list.string().map(drop)?)
        })?;
    } else if list.peek()? != Kind::Null {
        return Err(Fault::unexpected("a list of names of arguments", &mut list));
    }
    recorded(reader)
}

/// An object, its JSON text, or null.
#[expect(
    clippy::inline_always,
    reason = "a call for each call's arguments, which are read by another one"
)]
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
    Ok(Arguments::new(ArgumentSource::Text {
        text: string_of(json)?,
        json,
    }))
}

/// Refuses expected arguments whose text begins like an object and is none: no call could have them.
fn check_text(call: &Call<'_>) -> Result<()> {
    let text = call.arguments.text().map(Text::to_display);
    let is_broken = |text: &Cow<'_, str>| {
        let mut reader = Reader::new(text, Syntax::PYTHON);
        let mut is_whole = || reader.raw().is_ok() && reader.end().is_ok();
        text.trim_start().starts_with('{') && !is_whole()
    };
    let Some(text) = text.filter(is_broken) else {
        return Ok(());
    };
    let found = format!("the text \"{}\"", shortened(&text));
    let fault = Fault::new("an object or its JSON text", found);
    Err(fault.help("complete the JSON: no call has such arguments")).within("args")
}

/// Arguments of any kind; `null` counts as a value.
pub(crate) fn any_arguments<'a>(reader: &mut Reader<'a>) -> Result<Arguments<'a>> {
    if reader.peek()? == Kind::String {
        return argument_text(reader);
    }
    Ok(Arguments::read(reader)?)
}
