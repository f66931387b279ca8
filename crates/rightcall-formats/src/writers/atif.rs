//! Trajectories of ATIF, one a line.

use rightcall_core::call::{Call, Case};
use rightcall_core::value::{JsonWriter, Text};

use super::lacks::{self, Lack};
use super::parts::{
    case_id, common_start, content, has_common_starts, ids, iso, messages, object_line,
    object_or_empty, result,
};
use super::writer::{Frame, Writer, WrittenCase};
use crate::json;

pub(super) static WRITER: Writer = Writer {
    name: "atif",
    summary: "trajectories of ATIF (Harbor), one a line",
    needs: "a run",
    lacks: &[
        Lack::calls("when calls ended", |call| call.metadata().end.is_some()),
        Lack::cases(
            "when calls began that were asked for together, at times that differ or cannot be read",
            |case| !has_common_starts(case),
        ),
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
        lacks::NO_CASE_ID,
        lacks::GAPS,
        lacks::EXPECTATIONS,
        lacks::TAGS,
        lacks::TRIALS,
        lacks::DESCRIPTIONS,
        lacks::META,
    ],
    frame: Frame::LINES,
    write,
};

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let calls = &case.actual.as_ref()?.calls;
    let ids = ids(calls);
    let mut number = 0;
    let mut begin_step = |writer: &mut JsonWriter, source: &str, message: &str| {
        number += 1;
        writer.begin_object().key("step_id").count(number);
        writer.key("source").str(source).key("message").raw(message);
    };
    let line = object_line(|writer| {
        writer.key("schema_version").str("ATIF-v1.5");
        writer.key("session_id").raw(&case_id(case));
        writer
            .key("agent")
            .raw(r#"{"name":"unknown","version":"unknown"}"#);
        writer.key("steps").begin_list();
        if let Some(input) = case.input {
            begin_step(writer, "user", &content(input));
            writer.end_object();
        }
        for message in messages(calls) {
            begin_step(writer, "agent", r#""""#);
            step(writer, &calls[message.clone()], &ids[message]);
            writer.end_object();
        }
        if let Some(output) = case.output {
            begin_step(writer, "agent", &content(output));
            writer.end_object();
        }
        writer.end_list();
    });
    Some(line.into())
}

/// The fields of a step about calls, next to the agent's message.
fn step(writer: &mut JsonWriter, calls: &[Call<'_>], ids: &[Text<'_>]) {
    let start = common_start(calls).and_then(iso);
    json::raw(writer, "timestamp", start.as_deref());
    writer.key("tool_calls").begin_list();
    for (call, id) in calls.iter().zip(ids) {
        let arguments = object_or_empty(call);
        writer.begin_object().key("tool_call_id").text(id);
        writer.key("function_name").text(&call.name);
        writer.key("arguments").raw(&arguments);
        writer.end_object();
    }
    writer.end_list();
    if !calls.iter().any(|call| result(call).is_some()) {
        return;
    }
    writer.key("observation").begin_object();
    writer.key("results").begin_list();
    for (call, id) in calls.iter().zip(ids) {
        if let Some(result) = result(call) {
            writer.begin_object().key("source_call_id").text(id);
            writer.key("content").raw(&content(result)).end_object();
        }
    }
    writer.end_list().end_object();
}
