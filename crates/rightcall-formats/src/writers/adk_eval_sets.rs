//! An eval set of Google's Agent Development Kit: what is expected, as its invocations of reference.

use rightcall::call::Case;
use rightcall::value::{JsonWriter, on_one_line};

use super::lacks::{
    ANSWERS, ANY_ARGUMENTS, COMPARE_ARGS, DESCRIPTIONS, EXPECTED_ACTORS, EXPECTED_DETAILS,
    EXPECTED_NOT_OBJECTS, EXPECTED_RESULTS, Lack, META, NO_CASE_ID, NOT_CALLS, QUESTIONS, RUNS,
    TAGS, TRIALS,
};
use super::parts::{case_id, content, expected_calls, expected_turns, object_or_empty};
use super::writer::{Frame, Writer, WrittenCase};

pub(super) static WRITER: Writer = Writer {
    name: "adk-eval-sets",
    summary: "an eval set of Google ADK: what is expected, without runs",
    needs: "a plain list of expected calls",
    lacks: &[
        RUNS,
        ANSWERS,
        NO_CASE_ID,
        NOT_CALLS,
        ANY_ARGUMENTS,
        EXPECTED_NOT_OBJECTS,
        EXPECTED_RESULTS,
        COMPARE_ARGS,
        EXPECTED_ACTORS,
        EXPECTED_DETAILS,
        Lack::cases("cases without a question, which get an empty one", |case| {
            case.input.is_none()
        }),
        QUESTIONS,
        Lack::cases(
            "what the user says in later invocations, which is empty",
            |case| expected_calls(case).is_some_and(|calls| expected_turns(calls).len() > 1),
        ),
        TAGS,
        TRIALS,
        DESCRIPTIONS,
        META,
    ],
    frame: Frame {
        opening: "{\"eval_set_id\":\"rightcall\",\"eval_cases\":[\n",
        between: ",\n",
        shared: "",
        closing: "\n]}\n",
    },
    write,
};

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let calls = expected_calls(case)?;
    let mut writer = JsonWriter::new();
    writer.begin_object().key("eval_id").raw(&case_id(case));
    writer.key("conversation").begin_list();
    let mut turns = expected_turns(calls);
    if turns.is_empty() {
        turns.push(0..0);
    }
    let mut said = case.input.map(content);
    for (number, turn) in (1..).zip(turns) {
        let text = said.take().unwrap_or_else(|| r#""""#.to_owned());
        writer.begin_object();
        writer
            .key("invocation_id")
            .str(&format!("invocation-{number}"));
        writer.key("user_content").begin_object();
        writer.key("role").str("user").key("parts").begin_list();
        writer.begin_object().key("text").raw(&text).end_object();
        writer.end_list().end_object();
        writer.key("intermediate_data").begin_object();
        writer.key("tool_uses").begin_list();
        for call in &calls[turn] {
            let arguments = object_or_empty(call);
            writer.begin_object().key("name").text(&call.name);
            writer.key("args").raw(&arguments);
            writer.end_object();
        }
        writer.end_list().end_object().end_object();
    }
    writer.end_list().end_object();
    Some(on_one_line(writer.finish()).into())
}
