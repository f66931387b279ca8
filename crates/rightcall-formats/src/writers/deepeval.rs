//! Test cases of `DeepEval`, in the list that its data sets are loaded from.

use rightcall::call::{Call, Case};
use rightcall::value::{JsonWriter, on_one_line};

use super::lacks::{
    ACTORS, BLOCKS, COMPARE_ARGS, ERRORS, EXPECTED_ACTORS, EXPECTED_DETAILS, EXPECTED_NOT_OBJECTS,
    EXPECTED_TURNS, IDS, Lack, NOT_CALLS, NOT_OBJECTS, NOT_RUN, PARENTS, PROVIDER, QUESTIONS,
    SUCCESSES, TIMES, TOOL_IDS, TURNS,
};
use super::parts::{beside, content, expected_calls, object, result};
use super::writer::{Frame, Writer, WrittenCase};

pub(super) static WRITER: Writer = Writer {
    name: "deepeval",
    summary: "a list of test cases of DeepEval, with `tools_called` and `expected_tools`",
    needs: "a run or a plain list of expected calls",
    lacks: &[
        TIMES,
        IDS,
        TOOL_IDS,
        ACTORS,
        PARENTS,
        PROVIDER,
        NOT_RUN,
        SUCCESSES,
        ERRORS,
        TURNS,
        NOT_OBJECTS,
        BLOCKS,
        NOT_CALLS,
        EXPECTED_NOT_OBJECTS,
        COMPARE_ARGS,
        EXPECTED_ACTORS,
        EXPECTED_TURNS,
        EXPECTED_DETAILS,
        QUESTIONS,
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
    let mut writer = JsonWriter::new();
    writer.begin_object();
    beside(&mut writer, case, is_of_deepeval);
    // Both have to be there.
    let input = case.input.map_or_else(|| r#""""#.to_owned(), content);
    let output = case.output.map_or_else(|| "null".to_owned(), content);
    writer.key("input").raw(&input);
    writer.key("actual_output").raw(&output);
    if let Some(run) = &case.actual {
        list(&mut writer, "tools_called", &run.calls);
    }
    if let Some(expected) = expected {
        list(&mut writer, "expected_tools", expected);
    }
    writer.end_object();
    Some(on_one_line(writer.finish()).into())
}

/// What `DeepEval` reads of a test case beside questions, answers and calls.
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
        if let Some(object) = object(call) {
            writer.key("input_parameters").raw(&object);
        }
        if let Some(output) = result(call) {
            writer.key("output").raw(output);
        }
        writer.end_object();
    }
    writer.end_list();
}
