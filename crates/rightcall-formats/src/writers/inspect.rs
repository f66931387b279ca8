//! A log of Inspect, with a sample for each case.

use rightcall::call::{Call, Case};
use rightcall::value::{JsonWriter, Text, on_one_line};

use super::lacks::{
    ACTORS, ANSWERS, DESCRIPTIONS, EXPECTATIONS, Lack, META, NO_ARGUMENTS, NO_CASE_ID, NO_IDS,
    NO_TURNS, NOT_OBJECTS, NOT_RUN, PARENTS, PROVIDER, STRUCTURED, SUCCESSES, TAGS, TIMES,
    TOOL_IDS,
};
use super::parts::{case_id, content, error, ids, messages, object_or_empty};
use super::writer::{Frame, Writer, WrittenCase};

pub(super) static WRITER: Writer = Writer {
    name: "inspect",
    summary: "a log of Inspect, a sample a case",
    needs: "a run",
    lacks: &[
        TIMES,
        TOOL_IDS,
        ACTORS,
        PARENTS,
        PROVIDER,
        NOT_RUN,
        SUCCESSES,
        Lack::calls(
            "errors without a type, which get `unknown`, or without a result, which get an empty one",
            |call| {
                let metadata = call.metadata();
                let has_type = metadata.error.is_some_and(has_type);
                call.failed() == Some(true) && !(has_type && metadata.output.is_some())
            },
        ),
        NO_ARGUMENTS,
        NOT_OBJECTS,
        NO_TURNS,
        NO_IDS,
        STRUCTURED,
        NO_CASE_ID,
        Lack::cases(
            "trials that are no whole number, or none: they get epoch 1",
            |case| epoch(case).is_none(),
        ),
        Lack::cases(
            "questions that are neither text nor messages, which become text",
            |case| question(case).is_none(),
        ),
        ANSWERS,
        EXPECTATIONS,
        TAGS,
        DESCRIPTIONS,
        META,
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

/// The trial, where it is a number of an epoch.
fn epoch<'a>(case: &Case<'a>) -> Option<&'a str> {
    case.trial.filter(|json| json.parse::<u32>().is_ok())
}

/// The question, where it is a text or messages.
fn question<'a>(case: &Case<'a>) -> Option<&'a str> {
    let is_kept = |json: &&str| json.starts_with('"') || json.starts_with(r#"[{"role":"#);
    case.input.filter(is_kept)
}

/// True for an error as Inspect has it.
fn has_type(json: &str) -> bool {
    json.starts_with('{') && json.contains(r#""type""#) && json.contains(r#""message""#)
}

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let calls = &case.actual.as_ref()?.calls;
    let ids = ids(calls);
    let asked = case.input.map_or_else(|| r#""""#.to_owned(), content);
    let mut writer = JsonWriter::new();
    writer.begin_object().key("id").raw(&case_id(case));
    writer.key("epoch").raw(epoch(case).unwrap_or("1"));
    writer.key("input").raw(question(case).unwrap_or(&asked));
    writer.key("target").str("").key("messages").begin_list();
    if case.input.is_some_and(|json| json.starts_with('"')) {
        writer.begin_object().key("role").str("user");
        writer.key("content").raw(&asked).end_object();
    }
    for message in messages(calls) {
        message_with(&mut writer, &calls[message.clone()], &ids[message]);
    }
    if let Some(output) = case.output {
        writer.begin_object().key("role").str("assistant");
        writer.key("content").raw(&content(output)).end_object();
    }
    writer.end_list().end_object();
    Some(on_one_line(writer.finish()).into())
}

/// The message that asks for these calls, and those that answer it.
fn message_with(writer: &mut JsonWriter, calls: &[Call<'_>], ids: &[Text<'_>]) {
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
        let output = call.metadata().output;
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
