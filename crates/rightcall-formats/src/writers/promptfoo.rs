//! Test cases of promptfoo, one a line: what is expected, as assertions on the trajectory.

use rightcall::call::{Call, Case};
use rightcall::value::{JsonWriter, on_one_line};

use super::lacks::{
    ANSWERS, COMPARE_ARGS, DESCRIPTIONS, EXPECTED_ACTORS, EXPECTED_DETAILS, EXPECTED_NOT_OBJECTS,
    EXPECTED_RESULTS, EXPECTED_TURNS, Lack, NOT_CALLS, RUNS, TAGS, TRIALS,
};
use super::parts::{expected_calls, object};
use super::writer::{Frame, Writer, WrittenCase};

pub(super) static WRITER: Writer = Writer {
    name: "promptfoo",
    summary: "test cases of promptfoo: what is expected, without runs, one a line",
    needs: "a plain list of expected calls",
    lacks: &[
        RUNS,
        ANSWERS,
        NOT_CALLS,
        Lack::expected("names with `*` or `?`, which are patterns there", |call| {
            call.name.to_display().contains(['*', '?'])
        }),
        Lack::expected(
            "names and arguments with `{{`, which are templates there",
            |call| {
                let arguments = object(call).unwrap_or_default();
                call.name.to_display().contains("{{") || arguments.contains("{{")
            },
        ),
        Lack::cases(
            "which of several calls of a tool are expected with arguments",
            |case| expected_calls(case).is_some_and(is_mixed),
        ),
        EXPECTED_NOT_OBJECTS,
        EXPECTED_RESULTS,
        COMPARE_ARGS,
        EXPECTED_ACTORS,
        EXPECTED_TURNS,
        EXPECTED_DETAILS,
        TAGS,
        TRIALS,
        DESCRIPTIONS,
    ],
    frame: Frame::LINES,
    write,
};

/// True where a call of any arguments stands before one of the same tool with some.
fn is_mixed(calls: &[Call<'_>]) -> bool {
    calls.iter().enumerate().any(|(index, call)| {
        let is_later = |later: &Call<'_>| later.name == call.name && !later.arguments.is_absent();
        call.arguments.is_absent() && calls[index..].iter().any(is_later)
    })
}

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let calls = expected_calls(case)?;
    let mut writer = JsonWriter::new();
    writer.begin_object();
    if let Some(id) = &case.id {
        writer.key("description").text(id);
    }
    writer.key("vars").begin_object();
    if let Some(input) = case.input {
        writer.key("input").raw(input);
    }
    writer.end_object().key("assert").begin_list();
    if calls.is_empty() {
        writer.raw(r#"{"type":"trajectory:step-count","value":{"type":"tool","max":0}}"#);
    } else {
        writer.begin_object();
        writer.key("type").str("trajectory:tool-sequence");
        writer
            .key("value")
            .begin_object()
            .key("mode")
            .str("in_order");
        writer.key("steps").begin_list();
        calls.iter().for_each(|call| _ = writer.text(&call.name));
        writer.end_list().end_object().end_object();
    }
    for call in calls {
        let Some(arguments) = object(call) else {
            continue;
        };
        writer.begin_object();
        writer.key("type").str("trajectory:tool-args-match");
        writer
            .key("value")
            .begin_object()
            .key("name")
            .text(&call.name);
        writer.key("mode").str("exact").key("args").raw(&arguments);
        writer.end_object().end_object();
    }
    writer.end_list();
    if !case.meta.is_empty() {
        writer.key("metadata");
        case.write_meta(&mut writer);
    }
    writer.end_object();
    Some(on_one_line(writer.finish()).into())
}
