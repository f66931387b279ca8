//! Conversations of `OpenAI` Chat Completions, one a line: `{"id", "messages"}`.

use rightcall::call::{Call, Case};
use rightcall::value::JsonWriter;

use super::writer::{
    ACTORS, ERRORS, NO_ARGUMENTS, NO_TURNS, NOT_RUN, PARENTS, PROVIDER, STRUCTURED, SUCCESSES,
    TIMES, TOOL_IDS, Writer, answer, arguments, calls, content, messages, one_line, question,
    result,
};

pub(super) static WRITER: Writer = Writer {
    name: "openai-chat",
    summary: "conversations of OpenAI Chat Completions, one a line",
    lacks: &[
        TIMES,
        TOOL_IDS,
        ACTORS,
        PARENTS,
        PROVIDER,
        NOT_RUN,
        SUCCESSES,
        ERRORS,
        NO_ARGUMENTS,
        NO_TURNS,
        STRUCTURED,
    ],
    holds_cases: false,
    write,
};

fn write(case: &Case<'_>) -> String {
    let calls = calls(case);
    let mut writer = JsonWriter::new();
    writer.begin_object();
    if let Some(id) = &case.id {
        writer.key("id").text(id);
    }
    writer.key("messages").begin_list();
    question(&mut writer, case);
    for message in messages(calls) {
        writer
            .begin_object()
            .key("role")
            .str("assistant")
            .key("content")
            .null()
            .key("tool_calls")
            .begin_list();
        calls[message.clone()]
            .iter()
            .for_each(|call| asked(&mut writer, call));
        writer.end_list().end_object();
        for index in message {
            let call = &calls[index];
            let result = result(call);
            // A call without a result must not be given that of a later call which looks the same.
            if result.is_some() || calls[index + 1..].iter().any(|later| is_alike(call, later)) {
                writer.begin_object().key("role").str("tool");
                match &call.id {
                    Some(id) => _ = writer.key("tool_call_id").text(id),
                    None => _ = writer.key("name").text(&call.name),
                }
                writer.key("content");
                match result {
                    Some(json) => content(&mut writer, json),
                    None => _ = writer.null(),
                }
                writer.end_object();
            }
        }
    }
    answer(&mut writer, case);
    writer.end_list().end_object();
    one_line(writer)
}

fn asked(writer: &mut JsonWriter, call: &Call<'_>) {
    writer.begin_object();
    if let Some(id) = &call.id {
        writer.key("id").text(id);
    }
    writer
        .key("type")
        .str("function")
        .key("function")
        .begin_object()
        .key("name")
        .text(&call.name);
    if let Some(arguments) = arguments(call) {
        writer.key("arguments").text(&arguments);
    }
    writer.end_object().end_object();
}

/// True if the result of a later call could be taken for one of this call, by its id or, without one, by its name.
fn is_alike(call: &Call<'_>, later: &Call<'_>) -> bool {
    match &later.id {
        Some(_) => call.id == later.id,
        None => call.name == later.name,
    }
}
