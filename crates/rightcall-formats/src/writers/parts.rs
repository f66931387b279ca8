//! Helpers shared by writers: calls by message, and JSON text of the parts of a case.

use std::collections::HashSet;
use std::hash::Hasher;
use std::ops::Range;

use rightcall_core::call::{ArgumentSource, ArgumentText, Call, Case, argument_text};
use rightcall_core::value::{JsonText, JsonWriter, Kind, Reader, Syntax, Text, Value, on_one_line};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::case::case_text;
use crate::json;
pub(super) use crate::json::{object_line, quoted};
use crate::messages::json_text;
pub(super) use crate::trace::time::from_json as nanoseconds;

/// The calls of a case's run.
pub(super) fn calls<'c, 'a>(case: &'c Case<'a>) -> &'c [Call<'a>] {
    case.actual.as_ref().map_or(&[], |run| &run.calls)
}

/// The expected calls of a case, if they are a plain list.
pub(super) fn expected_calls<'c, 'a>(case: &'c Case<'a>) -> Option<&'c [Call<'a>]> {
    case.expected.calls.as_deref()
}

/// The calls of each assistant message: those of one turn, or of one group if no turn is known.
pub(super) fn messages(calls: &[Call<'_>]) -> Vec<Range<usize>> {
    runs(calls, |before, call| {
        match (before.metadata().turn, call.metadata().turn) {
            (None, None) => {
                call.metadata().group.is_some() && before.metadata().group == call.metadata().group
            }
            (before, turn) => before == turn,
        }
    })
}

/// The expected calls of each turn; calls without a turn belong to the previous turn.
pub(super) fn expected_turns(calls: &[Call<'_>]) -> Vec<Range<usize>> {
    runs(calls, |before, call| {
        let turn = call.metadata().turn;
        turn.is_none() || turn == before.metadata().turn
    })
}

/// Ranges of adjacent related items.
fn runs(calls: &[Call<'_>], is_with: impl Fn(&Call<'_>, &Call<'_>) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        match runs.last_mut().filter(|_| is_with(&calls[index - 1], call)) {
            Some(run) => run.end = index + 1,
            None => runs.push(index..index + 1),
        }
    }
    runs
}

/// An id for each call: its own, or a new one if it has none or an earlier call has the same.
pub(super) fn ids<'c>(calls: &'c [Call<'_>]) -> Vec<Text<'c>> {
    let mut taken: HashSet<Text<'_>> = calls
        .iter()
        .filter_map(|call| call.metadata().id.as_ref())
        .map(Text::reborrow)
        .collect();
    let mut seen: HashSet<Text<'_>> = HashSet::new();
    let mut number = 0;
    calls
        .iter()
        .map(|call| match &call.metadata().id {
            Some(id) if seen.insert(id.reborrow()) => id.reborrow(),
            _ => loop {
                number += 1;
                let id = Text::from(format!("toolu_{number}"));
                if taken.insert(id.clone()) {
                    break id;
                }
            },
        })
        .collect()
}

/// The id of a case as JSON text; by default an id derived from the case, the same each time.
pub(super) fn case_id(case: &Case<'_>) -> String {
    match &case.id {
        Some(id) => json_text(id),
        None => quoted(&digest(&[case_text(case).as_bytes()])),
    }
}

/// 32 hexadecimal digits derived from these parts.
pub(super) fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = SipHasher13::new();
    parts.iter().for_each(|part| hasher.write(part));
    format!("{:032x}", hasher.finish128().as_u128())
}

/// A JSON text as string content: a string is unchanged, other values are their JSON text as a string.
pub(super) fn content(json: &str) -> String {
    if json.starts_with('"') {
        json.to_owned()
    } else {
        quoted(json)
    }
}

/// The outcome of a call: its result, or its error message.
pub(super) fn result<'a>(call: &'a Call<'_>) -> Option<&'a str> {
    call.metadata().output.as_deref().or(error(call))
}

/// The error message of a failed call.
pub(super) fn error<'a>(call: &'a Call<'_>) -> Option<&'a str> {
    let error = call.metadata().error.as_deref();
    error.filter(|_| call.failed() == Some(true))
}

/// Arguments as JSON text.
pub(super) fn arguments<'c>(call: &'c Call<'_>) -> Option<Text<'c>> {
    match call.arguments.source() {
        ArgumentSource::Absent => None,
        ArgumentSource::Json(json) => Some(Text::new(json)),
        ArgumentSource::Text { text, .. } => Some(text),
    }
}

/// Arguments as the JSON text of an object, for formats that allow only objects: other values are wrapped in one, under `arguments`.
pub(super) fn object(call: &Call<'_>) -> Option<String> {
    let within = |json: &str| format!(r#"{{"arguments":{json}}}"#);
    Some(match call.arguments.source() {
        ArgumentSource::Absent => return None,
        ArgumentSource::Json(json) if json.starts_with('{') => json.to_owned(),
        ArgumentSource::Json(json) => within(json),
        ArgumentSource::Text { text, json } => match argument_text(&text) {
            (_, ArgumentText::Json) => text.to_display().into_owned(),
            (Value::Object(object), _) => {
                JsonText::from_value(&Value::Object(object)).into_string()
            }
            _ => within(json),
        },
    })
}

/// Like [`object`], if an object is required: unrecorded arguments become an empty one.
pub(super) fn object_or_empty(call: &Call<'_>) -> String {
    object(call).unwrap_or_else(|| "{}".to_owned())
}

/// One line for a conversation: the user's question, these messages, and the agent's answer, as far as they exist.
pub(super) fn conversation(case: &Case<'_>, messages: &[String]) -> String {
    let said = |role: &str, json: Option<&str>| {
        json.map(|json| format!(r#"{{"role":"{role}","content":{}}}"#, content(json)))
    };
    let messages = said("user", case.input)
        .into_iter()
        .chain(messages.iter().cloned())
        .chain(said("assistant", case.output));
    let messages: Vec<_> = messages.collect();
    let id = member("id", case.id.as_ref().map(json_text));
    on_one_line(format!(r#"{{{id}"messages":[{}]}}"#, messages.join(",")))
}

/// A member with a trailing comma; empty without a value.
pub(super) fn member(key: &str, json: Option<String>) -> String {
    json.map_or_else(String::new, |json| format!("\"{key}\":{json},"))
}

/// Writes the other parts of a case under canonical keys, for formats whose tools ignore unknown keys.
pub(super) fn beside(writer: &mut JsonWriter, case: &Case<'_>, is_own: fn(&str, &str) -> bool) {
    json::text(writer, "id", case.id.as_ref());
    json::text(writer, "description", case.description.as_ref());
    json::raw(writer, "trial", case.trial);
    case.write_tags(writer);
    // Keys known to the tool are written where it looks for them.
    let (own, others): (Vec<_>, Vec<_>) = case
        .meta
        .iter()
        .partition(|(key, json)| is_own(&key.to_display(), json));
    for (key, json) in own {
        writer.key_text(key).raw(json);
    }
    if !others.is_empty() {
        writer.key("meta").begin_object();
        for (key, json) in others {
            writer.key_text(key).raw(json);
        }
        writer.end_object();
    }
}

/// Writes the question, messages with calls, and the answer, in order.
pub(super) fn converse(
    writer: &mut JsonWriter,
    case: &Case<'_>,
    say: fn(&mut JsonWriter, &str, &str),
    act: fn(&mut JsonWriter, &[Call<'_>], &[Text<'_>]),
) {
    let calls = calls(case);
    let ids = ids(calls);
    if let Some(input) = case.input {
        say(writer, "user", input);
    }
    for message in messages(calls) {
        act(writer, &calls[message.clone()], &ids[message]);
    }
    if let Some(output) = case.output {
        say(writer, "assistant", output);
    }
}

/// Writes a text message with the content of this JSON text.
pub(super) fn say(writer: &mut JsonWriter, role: &str, json: &str) {
    writer.begin_object().key("role").str(role);
    writer.key("content").raw(&content(json)).end_object();
}

/// Writes a call with its name and its arguments.
pub(super) fn named_call(writer: &mut JsonWriter, call: &Call<'_>) {
    let arguments = object_or_empty(call);
    writer.begin_object().key("name").text(&call.name);
    writer.key("args").raw(&arguments).end_object();
}

/// The question of a case as JSON text; an empty string if there is none.
pub(super) fn question_or_empty(case: &Case<'_>) -> String {
    case.input.map_or_else(|| r#""""#.to_owned(), content)
}

/// True for the JSON text of an object or a list.
pub(super) fn is_nested(json: &str) -> bool {
    matches!(
        Reader::new(json, Syntax::PYTHON).peek(),
        Ok(Kind::Object | Kind::List)
    )
}

/// A time as ISO 8601 text, in quotes.
pub(super) fn iso(nanoseconds: i128) -> Option<String> {
    let time = jiff::Timestamp::from_nanosecond(nanoseconds).ok()?;
    Some(format!("\"{time}\""))
}

/// The request time of a message's calls, if they share one.
pub(super) fn common_start(calls: &[Call<'_>]) -> Option<i128> {
    let mut starts = calls
        .iter()
        .map(|call| nanoseconds(call.metadata().start.as_deref()));
    let first = starts.next()??;
    starts.all(|start| start == Some(first)).then_some(first)
}

/// True if the calls of each message share one request time, or have none.
pub(super) fn has_common_starts(case: &Case<'_>) -> bool {
    let calls = calls(case);
    messages(calls).into_iter().all(|message| {
        let calls = &calls[message];
        let is_unknown = calls.iter().all(|call| call.metadata().start.is_none());
        is_unknown || common_start(calls).and_then(iso).is_some()
    })
}
