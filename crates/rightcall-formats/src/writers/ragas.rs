//! Multi-turn samples of Ragas, one a line.

use rightcall::call::Case;
use rightcall::value::{JsonWriter, on_one_line};

use super::lacks::{
    ACTORS, ANY_ARGUMENTS, COMPARE_ARGS, ERRORS, EXPECTED_ACTORS, EXPECTED_DETAILS,
    EXPECTED_NOT_OBJECTS, EXPECTED_RESULTS, EXPECTED_TURNS, NO_ARGUMENTS, NO_IDS, NO_TURNS,
    NOT_CALLS, NOT_OBJECTS, NOT_RUN, PARENTS, PROVIDER, STRUCTURED, SUCCESSES, TIMES, TOOL_IDS,
};
use super::parts::{beside, content, expected_calls, ids, messages, object_or_empty, result};
use super::writer::{Frame, Writer, WrittenCase};

pub(super) static WRITER: Writer = Writer {
    name: "ragas",
    summary: "multi-turn samples of Ragas, with `reference_tool_calls`, one a line",
    needs: "a run and a plain list of expected calls",
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
        NOT_OBJECTS,
        NO_TURNS,
        NO_IDS,
        STRUCTURED,
        NOT_CALLS,
        ANY_ARGUMENTS,
        EXPECTED_NOT_OBJECTS,
        EXPECTED_RESULTS,
        COMPARE_ARGS,
        EXPECTED_ACTORS,
        EXPECTED_TURNS,
        EXPECTED_DETAILS,
    ],
    frame: Frame::LINES,
    write,
};

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let (calls, expected) = (&case.actual.as_ref()?.calls, expected_calls(case)?);
    let ids = ids(calls);
    let mut writer = JsonWriter::new();
    writer.begin_object();
    beside(&mut writer, case, is_of_ragas);
    writer.key("user_input").begin_list();
    let says = |writer: &mut JsonWriter, who: &str, json: &str| {
        writer.begin_object().key("content").raw(&content(json));
        writer.key("type").str(who).end_object();
    };
    if let Some(input) = case.input {
        says(&mut writer, "human", input);
    }
    for message in messages(calls) {
        writer.begin_object().key("content").str("");
        writer.key("type").str("ai").key("tool_calls").begin_list();
        for index in message.clone() {
            let arguments = object_or_empty(&calls[index]);
            writer.begin_object().key("name").text(&calls[index].name);
            writer.key("args").raw(&arguments);
            writer.key("id").text(&ids[index]).end_object();
        }
        writer.end_list().end_object();
        for index in message {
            if let Some(result) = result(&calls[index]) {
                writer.begin_object().key("content").raw(&content(result));
                writer.key("type").str("tool");
                writer.key("tool_call_id").text(&ids[index]).end_object();
            }
        }
    }
    if let Some(output) = case.output {
        says(&mut writer, "ai", output);
    }
    writer.end_list().key("reference_tool_calls").begin_list();
    for call in expected {
        let arguments = object_or_empty(call);
        writer.begin_object().key("name").text(&call.name);
        writer.key("args").raw(&arguments);
        writer.end_object();
    }
    writer.end_list().end_object();
    Some(on_one_line(writer.finish()).into())
}

/// What Ragas reads of a sample beside messages and calls.
fn is_of_ragas(key: &str, json: &str) -> bool {
    match key {
        "reference" => json.starts_with('"'),
        "reference_topics" => json.starts_with("[\""),
        _ => false,
    }
}
