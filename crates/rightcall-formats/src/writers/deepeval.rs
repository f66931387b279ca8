//! Test cases of `DeepEval`, in the list that its data sets are loaded from.

use rightcall_core::call::{Call, Case};
use rightcall_core::value::JsonWriter;

use super::lacks::{self, Lack};
use super::parts::{
    beside, content, expected_calls, object, object_line, question_or_empty, result,
};
use super::writer::{Frame, Writer, WrittenCase};
use crate::json;

pub(super) static WRITER: Writer = Writer {
    name: "deepeval",
    summary: "a list of test cases of DeepEval, with `tools_called` and `expected_tools`",
    needs: "a run or a plain list of expected calls",
    lacks: &[
        lacks::TIMES,
        lacks::IDS,
        lacks::TOOL_IDS,
        lacks::ACTORS,
        lacks::PARENTS,
        lacks::PROVIDER,
        lacks::NOT_RUN,
        lacks::SUCCESSES,
        lacks::ERRORS,
        lacks::TURNS,
        lacks::NOT_OBJECTS,
        lacks::GAPS,
        lacks::BLOCKS,
        lacks::NOT_CALLS,
        lacks::EXPECTED_NOT_OBJECTS,
        lacks::COMPARE_ARGS,
        lacks::EXPECTED_ACTORS,
        lacks::EXPECTED_TURNS,
        lacks::EXPECTED_DETAILS,
        lacks::QUESTIONS,
        Lack::cases("cases without a question, which get an empty one", |case| {
            case.input.is_none()
        }),
        Lack::cases("answers that are no text, which become JSON text", |case| {
            case.output.is_some_and(|json| !json.starts_with('"'))
        }),
    ],
    frame: Frame {
        opening: "[\n",
        between: ",\n",
        shared: "",
        closing: "\n]\n",
    },
    write,
};

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let expected = expected_calls(case);
    if case.actual.is_none() && expected.is_none() {
        return None;
    }
    let line = object_line(|writer| {
        beside(writer, case, is_of_deepeval);
        // Both are required.
        writer.key("input").raw(&question_or_empty(case));
        let output = case.output.map_or_else(|| "null".to_owned(), content);
        writer.key("actual_output").raw(&output);
        if let Some(run) = &case.actual {
            list(writer, "tools_called", &run.calls);
        }
        if let Some(expected) = expected {
            list(writer, "expected_tools", expected);
        }
    });
    Some(line.into())
}

/// Fields that `DeepEval` reads in addition to questions, answers and calls.
fn is_of_deepeval(key: &str, json: &str) -> bool {
    match key {
        "expected_output" | "comments" | "name" => json.starts_with('"'),
        "context" | "retrieval_context" => json.starts_with("[\""),
        _ => false,
    }
}

fn list(writer: &mut JsonWriter, key: &str, calls: &[Call<'_>]) {
    writer.key(key).begin_list();
    for call in calls {
        writer.begin_object().key("name").text(&call.name);
        json::raw(writer, "input_parameters", object(call).as_deref());
        json::raw(writer, "output", result(call));
        writer.end_object();
    }
    writer.end_list();
}
