//! Multi-turn samples of Ragas, one a line.

use rightcall::call::Case;
use rightcall::value::JsonWriter;

use super::lacks;
use super::parts::{
    beside, content, expected_calls, ids, messages, named_call, object_line, object_or_empty,
    result,
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
    let (calls, expected) = (&case.actual.as_ref()?.calls, expected_calls(case)?);
    let ids = ids(calls);
    let says = |writer: &mut JsonWriter, who: &str, json: &str| {
        writer.begin_object().key("content").raw(&content(json));
        writer.key("type").str(who).end_object();
    };
    let line = object_line(|writer| {
        beside(writer, case, is_of_ragas);
        writer.key("user_input").begin_list();
        if let Some(input) = case.input {
            says(writer, "human", input);
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
            says(writer, "ai", output);
        }
        writer.end_list().key("reference_tool_calls").begin_list();
        expected.iter().for_each(|call| named_call(writer, call));
        writer.end_list();
    });
    Some(line.into())
}

/// What Ragas reads of a sample beside messages and calls.
fn is_of_ragas(key: &str, json: &str) -> bool {
    match key {
        "reference" => json.starts_with('"'),
        "reference_topics" => json.starts_with("[\""),
        _ => false,
    }
}
