//! A log of Inspect, with a sample for each case.

use rightcall_core::call::{Call, Case};
use rightcall_core::value::{JsonWriter, Text};

use super::lacks::{self, Lack};
use super::parts::{
    case_id, content, converse, error, object_line, object_or_empty, question_or_empty, say,
};
use super::writer::{Frame, Writer, WrittenCase};

pub(super) static WRITER: Writer = Writer {
    name: "inspect",
    summary: "a log of Inspect, a sample a case",
    needs: "a run",
    lacks: &[
        lacks::TIMES,
        lacks::TOOL_IDS,
        lacks::ACTORS,
        lacks::PARENTS,
        lacks::PROVIDER,
        lacks::NOT_RUN,
        lacks::SUCCESSES,
        Lack::calls(
            "errors without a type, which get `unknown`, or without a result, which get an empty one",
            |call| {
                let metadata = call.metadata();
                let has_type = metadata.error.as_deref().is_some_and(has_type);
                call.failed() == Some(true) && !(has_type && metadata.output.is_some())
            },
        ),
        lacks::NO_ARGUMENTS,
        lacks::NOT_OBJECTS,
        lacks::NO_TURNS,
        lacks::NO_IDS,
        lacks::STRUCTURED,
        lacks::NO_CASE_ID,
        Lack::cases(
            "trials that are no whole number, or none: they get epoch 1",
            |case| epoch(case).is_none(),
        ),
        Lack::cases(
            "questions that are neither text nor messages, which become text",
            |case| question(case).is_none(),
        ),
        lacks::ANSWERS,
        lacks::GAPS,
        lacks::EXPECTATIONS,
        lacks::TAGS,
        lacks::DESCRIPTIONS,
        lacks::META,
    ],
    frame: Frame {
        opening: concat!(
            r#"{"version":2,"status":"success","#,
            r#""eval":{"created":"1970-01-01T00:00:00+00:00","task":"rightcall","dataset":{},"model":"none/none","config":{}},"#,
            "\"samples\":[\n"
        ),
        between: ",\n",
        shared: "",
        closing: "\n]}\n",
    },
    write,
};

/// The trial, if it is an epoch number.
fn epoch<'a>(case: &Case<'a>) -> Option<&'a str> {
    case.trial.filter(|json| json.parse::<u32>().is_ok())
}

/// The question, if it is a text or messages.
fn question<'a>(case: &Case<'a>) -> Option<&'a str> {
    let is_kept = |json: &&str| json.starts_with('"') || json.starts_with(r#"[{"role":"#);
    case.input.filter(is_kept)
}

/// True for an error in Inspect's form.
fn has_type(json: &str) -> bool {
    json.starts_with('{') && json.contains(r#""type""#) && json.contains(r#""message""#)
}

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    case.actual.as_ref()?;
    let input = question_or_empty(case);
    let write_text = |writer: &mut JsonWriter, role: &str, json: &str| {
        if role == "assistant" || json.starts_with('"') {
            say(writer, role, json);
        }
    };
    let line = object_line(|writer| {
        writer.key("id").raw(&case_id(case));
        writer.key("epoch").raw(epoch(case).unwrap_or("1"));
        writer.key("input").raw(question(case).unwrap_or(&input));
        writer.key("target").str("").key("messages").begin_list();
        converse(writer, case, write_text, write_calls);
        writer.end_list();
    });
    Some(line.into())
}

/// Writes the message that requests these calls, then a message for each result.
fn write_calls(writer: &mut JsonWriter, calls: &[Call<'_>], ids: &[Text<'_>]) {
    writer.begin_object().key("role").str("assistant");
    writer.key("content").str("").key("tool_calls").begin_list();
    for (call, id) in calls.iter().zip(ids) {
        let arguments = object_or_empty(call);
        writer.begin_object().key("id").text(id);
        writer.key("function").text(&call.name);
        writer.key("arguments").raw(&arguments);
        writer.key("type").str("function").end_object();
    }
    writer.end_list().end_object();
    for (call, id) in calls.iter().zip(ids) {
        let error = error(call);
        let output = call.metadata().output.as_deref();
        if output.is_none() && error.is_none() {
            continue;
        }
        writer.begin_object().key("role").str("tool");
        let output = output.map_or_else(|| r#""""#.to_owned(), content);
        writer.key("content").raw(&output);
        writer.key("tool_call_id").text(id);
        writer.key("function").text(&call.name);
        if let Some(error) = error {
            writer.key("error");
            if has_type(error) {
                writer.raw(error);
            } else {
                writer.begin_object().key("type").str("unknown");
                writer.key("message").raw(&content(error)).end_object();
            }
        }
        writer.end_object();
    }
}
