//! Results of tau2-bench: a simulation for each case, followed by their tasks.

use rightcall_core::call::{Call, Case};
use rightcall_core::value::{JsonWriter, Text, on_one_line};

use super::lacks::{self, Lack};
use super::parts::{
    case_id, common_start, content, converse, digest, expected_calls, has_common_starts, iso,
    nanoseconds, object_or_empty, question_or_empty, result, say,
};
use super::writer::{Frame, Writer, WrittenCase};
use crate::case::case_text;
use crate::json;

pub(super) static WRITER: Writer = Writer {
    name: "tau2-bench",
    summary: "results of tau2-bench: simulations and their tasks",
    needs: "a run",
    lacks: &[
        Lack::cases(
            "when calls began that were asked for together, at times that differ or cannot be read",
            |case| !has_common_starts(case),
        ),
        Lack::calls(
            "when calls ended that have no result, or at a time that cannot be read",
            |call| call.metadata().end.is_some() && (end(call).is_none() || result(call).is_none()),
        ),
        lacks::TOOL_IDS,
        Lack::calls("actors other than the user", is_of_another),
        lacks::PARENTS,
        lacks::PROVIDER,
        lacks::NOT_RUN,
        lacks::SUCCESSES,
        lacks::ERROR_MESSAGES,
        lacks::NO_ARGUMENTS,
        lacks::NOT_OBJECTS,
        lacks::NO_TURNS,
        lacks::NO_IDS,
        lacks::STRUCTURED,
        lacks::GAPS,
        lacks::BLOCKS,
        lacks::NOT_CALLS,
        Lack::expected(
            "expected calls of any arguments, which get `compare_args: []`",
            |call| call.arguments.is_absent(),
        ),
        lacks::EXPECTED_NOT_OBJECTS,
        lacks::EXPECTED_RESULTS,
        Lack::expected("actors other than the user", is_of_another),
        lacks::EXPECTED_TURNS,
        lacks::EXPECTED_DETAILS,
        lacks::NO_CASE_ID,
        Lack::cases("trials that are no whole number", |case| {
            case.trial.is_some() && trial(case).is_none()
        }),
        lacks::QUESTIONS,
        lacks::ANSWERS,
        lacks::TAGS,
        lacks::DESCRIPTIONS,
        lacks::META,
    ],
    frame: Frame {
        opening: concat!(
            r#"{"info":{"git_commit":"unknown","num_trials":1,"max_steps":0,"max_errors":0,"#,
            r#""user_info":{"implementation":"unknown"},"agent_info":{"implementation":"unknown"},"#,
            r#""environment_info":{"domain_name":"unknown","policy":""}},"#,
            "\"simulations\":[\n"
        ),
        between: ",\n",
        shared: "\n],\"tasks\":[\n",
        closing: "\n]}\n",
    },
    write,
};

fn is_of_another(call: &Call<'_>) -> bool {
    let actor = call.metadata().actor.as_ref();
    actor.is_some_and(|it| *it != *"user")
}

fn trial<'a>(case: &Case<'a>) -> Option<&'a str> {
    case.trial.filter(|json| json.parse::<i64>().is_ok())
}

fn end(call: &Call<'_>) -> Option<String> {
    nanoseconds(call.metadata().end.as_deref()).and_then(iso)
}

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    case.actual.as_ref()?;
    let id = case_id(case);
    let own_id = digest(&[case_text(case).as_bytes()]);
    let text = json::object(|writer| {
        writer.key("id").str(&own_id).key("task_id").raw(&id);
        json::raw(writer, "trial", trial(case));
        // Required by the benchmark, but not part of a case.
        for key in ["start_time", "end_time"] {
            writer.key(key).str("1970-01-01T00:00:00");
        }
        writer.key("duration").raw("0.0");
        writer.key("termination_reason").str("agent_stop");
        writer.key("messages").begin_list();
        converse(writer, case, say, message_with);
        writer.end_list();
    });
    let task = on_one_line(task(case, &id));
    Some(WrittenCase {
        text: on_one_line(text),
        shared: Some((id, task)),
    })
}

/// The requestor of a call.
fn requestor(call: &Call<'_>) -> &'static str {
    match &call.metadata().actor {
        Some(actor) if *actor == *"user" => "user",
        _ => "assistant",
    }
}

/// The message that requests these calls, and the results.
fn message_with(writer: &mut JsonWriter, calls: &[Call<'_>], ids: &[Text<'_>]) {
    writer.begin_object().key("role").str(requestor(&calls[0]));
    writer.key("content").null().key("tool_calls").begin_list();
    for (call, id) in calls.iter().zip(ids) {
        let arguments = object_or_empty(call);
        writer.begin_object().key("id").text(id);
        writer.key("name").text(&call.name);
        writer.key("arguments").raw(&arguments);
        writer.key("requestor").str(requestor(call)).end_object();
    }
    writer.end_list();
    let start = common_start(calls).and_then(iso);
    json::raw(writer, "timestamp", start.as_deref());
    writer.end_object();
    for (call, id) in calls.iter().zip(ids) {
        let Some(result) = result(call) else { continue };
        writer.begin_object().key("role").str("tool");
        writer
            .key("id")
            .text(id)
            .key("content")
            .raw(&content(result));
        writer.key("requestor").str(requestor(call));
        writer.key("error").bool(call.failed() == Some(true));
        json::raw(writer, "timestamp", end(call).as_deref());
        writer.end_object();
    }
}

/// The task that a case is a simulation of.
fn task(case: &Case<'_>, id: &str) -> String {
    json::object(|writer| {
        writer.key("id").raw(id);
        writer.key("user_scenario").begin_object();
        writer.key("instructions").raw(&question_or_empty(case));
        writer.end_object().key("evaluation_criteria");
        let Some(calls) = expected_calls(case) else {
            writer.null();
            return;
        };
        writer.begin_object().key("actions").begin_list();
        for (number, call) in calls.iter().enumerate() {
            let action_id = number.to_string();
            writer.begin_object().key("action_id").str(&action_id);
            writer.key("requestor").str(requestor(call));
            writer.key("name").text(&call.name);
            let arguments = object_or_empty(call);
            // In an action, an empty list means that only the tool is compared.
            let any = call.arguments.is_absent().then_some("[]");
            let compared = call.metadata().compare_args.as_deref().or(any);
            writer.key("arguments").raw(&arguments);
            writer.key("compare_args").raw(compared.unwrap_or("null"));
            writer.end_object();
        }
        writer.end_list().end_object();
    })
}
