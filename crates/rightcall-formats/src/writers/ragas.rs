//! Multi-turn samples of Ragas, one a line.

use rightcall_core::call::{Call, Case};
use rightcall_core::value::{JsonWriter, Text};

use super::lacks;
use super::parts::{
    beside, content, converse, expected_calls, named_call, object_line, object_or_empty, result,
};
use super::writer::{Frame, Writer, WrittenCase};

pub(super) static WRITER: Writer = Writer {
    name: "ragas",
    summary: "multi-turn samples of Ragas, with `reference_tool_calls`, one a line",
    needs: "a run and a plain list of expected calls",
    lacks: &[
        lacks::TIMES,
        lacks::TOOL_IDS,
        lacks::ACTORS,
        lacks::PARENTS,
        lacks::PROVIDER,
        lacks::NOT_RUN,
        lacks::SUCCESSES,
        lacks::ERRORS,
        lacks::NO_ARGUMENTS,
        lacks::NOT_OBJECTS,
        lacks::NO_TURNS,
        lacks::NO_IDS,
        lacks::STRUCTURED,
        lacks::GAPS,
        lacks::NOT_CALLS,
        lacks::ANY_ARGUMENTS,
        lacks::EXPECTED_NOT_OBJECTS,
        lacks::EXPECTED_RESULTS,
        lacks::COMPARE_ARGS,
        lacks::EXPECTED_ACTORS,
        lacks::EXPECTED_TURNS,
        lacks::EXPECTED_DETAILS,
    ],
    frame: Frame::LINES,
    write,
};

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    case.actual.as_ref()?;
    let expected = expected_calls(case)?;
    let says = |writer: &mut JsonWriter, role: &str, json: &str| {
        let who = if role == "user" { "human" } else { "ai" };
        writer.begin_object().key("content").raw(&content(json));
        writer.key("type").str(who).end_object();
    };
    let line = object_line(|writer| {
        beside(writer, case, is_of_ragas);
        writer.key("user_input").begin_list();
        converse(writer, case, says, message_with);
        writer.end_list().key("reference_tool_calls").begin_list();
        expected.iter().for_each(|call| named_call(writer, call));
        writer.end_list();
    });
    Some(line.into())
}

fn message_with(writer: &mut JsonWriter, calls: &[Call<'_>], ids: &[Text<'_>]) {
    writer.begin_object().key("content").str("");
    writer.key("type").str("ai").key("tool_calls").begin_list();
    for (call, id) in calls.iter().zip(ids) {
        let arguments = object_or_empty(call);
        writer.begin_object().key("name").text(&call.name);
        writer.key("args").raw(&arguments);
        writer.key("id").text(id).end_object();
    }
    writer.end_list().end_object();
    for (call, id) in calls.iter().zip(ids) {
        if let Some(result) = result(call) {
            writer.begin_object().key("content").raw(&content(result));
            writer.key("type").str("tool");
            writer.key("tool_call_id").text(id).end_object();
        }
    }
}

/// Fields that Ragas reads in addition to messages and calls.
fn is_of_ragas(key: &str, json: &str) -> bool {
    match key {
        "reference" => json.starts_with('"'),
        "reference_topics" => json.starts_with("[\""),
        _ => false,
    }
}
