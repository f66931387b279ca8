//! Test cases of promptfoo, one per line, with the expectation as assertions on the trajectory.

use rightcall_core::call::{Call, Case};
use rightcall_core::value::JsonWriter;

use super::lacks::{self, Lack};
use super::parts::{expected_calls, object, object_line};
use super::writer::{Frame, Writer, WrittenCase};
use crate::json;

pub(super) static WRITER: Writer = Writer {
    name: "promptfoo",
    summary: "test cases of promptfoo: what is expected, without runs, one a line",
    needs: "a plain list of expected calls",
    lacks: &[
        lacks::RUNS,
        lacks::ANSWERS,
        lacks::NOT_CALLS,
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
        lacks::EXPECTED_NOT_OBJECTS,
        lacks::EXPECTED_RESULTS,
        lacks::COMPARE_ARGS,
        lacks::EXPECTED_ACTORS,
        lacks::EXPECTED_TURNS,
        lacks::EXPECTED_DETAILS,
        lacks::TAGS,
        lacks::TRIALS,
        lacks::DESCRIPTIONS,
    ],
    frame: Frame::LINES,
    write,
};

/// True if a call with any arguments precedes one of the same tool with specific arguments.
fn is_mixed(calls: &[Call<'_>]) -> bool {
    calls.iter().enumerate().any(|(index, call)| {
        let is_later = |later: &Call<'_>| later.name == call.name && !later.arguments.is_absent();
        call.arguments.is_absent() && calls[index..].iter().any(is_later)
    })
}

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let calls = expected_calls(case)?;
    let line = object_line(|writer| {
        json::text(writer, "description", case.id.as_ref());
        writer.key("vars").begin_object();
        json::raw(writer, "input", case.input);
        writer.end_object().key("assert").begin_list();
        if calls.is_empty() {
            writer.raw(r#"{"type":"trajectory:step-count","value":{"type":"tool","max":0}}"#);
        } else {
            assertion(writer, "tool-sequence", |writer| {
                writer.key("mode").str("in_order").key("steps").begin_list();
                calls.iter().for_each(|call| _ = writer.text(&call.name));
                writer.end_list();
            });
        }
        for (call, arguments) in calls.iter().filter_map(|call| Some((call, object(call)?))) {
            assertion(writer, "tool-args-match", |writer| {
                writer.key("name").text(&call.name);
                writer.key("mode").str("exact").key("args").raw(&arguments);
            });
        }
        writer.end_list();
        if !case.meta.is_empty() {
            writer.key("metadata");
            case.write_meta(writer);
        }
    });
    Some(line.into())
}

/// Writes an assertion on the trajectory; `value` writes the members of its value.
fn assertion(writer: &mut JsonWriter, kind: &str, value: impl FnOnce(&mut JsonWriter)) {
    let kind = format!("trajectory:{kind}");
    writer.begin_object().key("type").str(&kind);
    writer.key("value").begin_object();
    value(writer);
    writer.end_object().end_object();
}
