//! Eval sets of Google's Agent Development Kit: the expectation as reference invocations.

use rightcall_core::call::Case;

use super::lacks::{self, Lack};
use super::parts::{case_id, content, expected_calls, expected_turns, named_call, object_line};
use super::writer::{Frame, Writer, WrittenCase};

pub(super) static WRITER: Writer = Writer {
    name: "adk-eval-sets",
    summary: "an eval set of Google ADK: what is expected, without runs",
    needs: "a plain list of expected calls",
    lacks: &[
        lacks::RUNS,
        lacks::ANSWERS,
        lacks::NO_CASE_ID,
        lacks::NOT_CALLS,
        lacks::ANY_ARGUMENTS,
        lacks::EXPECTED_NOT_OBJECTS,
        lacks::EXPECTED_RESULTS,
        lacks::COMPARE_ARGS,
        lacks::EXPECTED_ACTORS,
        lacks::EXPECTED_DETAILS,
        Lack::cases("cases without a question, which get an empty one", |case| {
            case.input.is_none()
        }),
        lacks::QUESTIONS,
        Lack::cases(
            "what the user says in later invocations, which is empty",
            |case| expected_calls(case).is_some_and(|calls| expected_turns(calls).len() > 1),
        ),
        lacks::TAGS,
        lacks::TRIALS,
        lacks::DESCRIPTIONS,
        lacks::META,
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
    let mut turns = expected_turns(calls);
    if turns.is_empty() {
        turns.push(0..0);
    }
    let line = object_line(|writer| {
        writer.key("eval_id").raw(&case_id(case));
        writer.key("conversation").begin_list();
        for (number, turn) in (1..).zip(turns) {
            let asked = case.input.filter(|_| number == 1).unwrap_or(r#""""#);
            writer.begin_object();
            writer
                .key("invocation_id")
                .str(&format!("invocation-{number}"));
            writer.key("user_content").begin_object();
            writer.key("role").str("user").key("parts").begin_list();
            writer.begin_object().key("text").raw(&content(asked));
            writer.end_object().end_list().end_object();
            writer.key("intermediate_data").begin_object();
            writer.key("tool_uses").begin_list();
            calls[turn].iter().for_each(|call| named_call(writer, call));
            writer.end_list().end_object().end_object();
        }
        writer.end_list();
    });
    Some(line.into())
}
