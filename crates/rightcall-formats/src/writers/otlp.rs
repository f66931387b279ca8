//! OpenTelemetry export requests, one a line, with spans in the conventions for generative AI: one for each message that requested calls,
//! one for each executed call.

use rightcall_core::call::{ArgumentSource, Call, Case, Executor};
use rightcall_core::value::on_one_line;

use super::lacks::{self, Lack};
use super::parts::{
    arguments, content, digest, error, is_nested, member, messages, nanoseconds, quoted,
};
use super::writer::{Frame, Writer, WrittenCase};
use crate::case::case_text;
use crate::messages::json_text;

pub(super) static WRITER: Writer = Writer {
    name: "otlp",
    summary: "OpenTelemetry requests with GenAI spans, one a line",
    lacks: &[
        lacks::TOOL_IDS,
        lacks::ACTORS,
        lacks::PROVIDER,
        lacks::SUCCESSES,
        Lack::calls(
            "results that are a number, true or false, which become text, or text that holds JSON, which becomes that",
            |call| {
                call.metadata()
                    .output
                    .as_deref()
                    .is_some_and(|json| !is_plain_text(json) && !is_nested(json))
            },
        ),
        Lack::calls("errors that are no text, which become JSON text", |call| {
            let is_text = |json: &str| json.starts_with('"') || matches!(json, "true" | "false");
            call.metadata()
                .error
                .as_deref()
                .is_some_and(|json| !is_text(json))
        }),
        Lack::calls(
            "places of calls that were not run among those asked for with them",
            |call| call.metadata().executor == Executor::Nobody,
        ),
        Lack::calls("times that cannot be read", |call| {
            [
                call.metadata().start.as_deref(),
                call.metadata().end.as_deref(),
            ]
            .into_iter()
            .any(|time| time.is_some() && nanoseconds(time).is_none())
        }),
        lacks::GAPS,
        lacks::EXPECTATIONS,
        lacks::TAGS,
        lacks::TRIALS,
        lacks::DESCRIPTIONS,
        lacks::META,
    ],
    needs: "a run",
    frame: Frame::LINES,
    write,
};

/// True for a string that no reader parses as an object or a list.
fn is_plain_text(json: &str) -> bool {
    json.starts_with('"')
        && !json
            .trim_start_matches(['"', ' '])
            .starts_with(['{', '[', '\\'])
}

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let calls = &case.actual.as_ref()?.calls;
    let mut spans = Spans {
        trace: trace_id(case),
        next: 0,
        written: Vec::new(),
    };
    // A call may be inside a later one, so ids are assigned first.
    let ids: Vec<_> = calls.iter().map(|_| spans.id()).collect();
    let root = spans.id();
    let conversation = case.id.as_ref().map(json_text);
    let attributes = [
        operation("invoke_agent"),
        attribute("gen_ai.conversation.id", conversation),
    ];
    spans.add(&root, None, "invoke_agent", [None, None], &attributes, None);
    for message in messages(calls) {
        let around = |call: &Call<'_>| {
            let parent = call.metadata().parent.and_then(|it| ids.get(it as usize));
            Some(parent.unwrap_or(&root))
        };
        let asked_for = &calls[message.clone()];
        if asked_for[0].metadata().turn.is_some()
            || asked_for
                .iter()
                .any(|call| call.metadata().executor == Executor::Nobody)
        {
            let id = spans.id();
            let time = asked_for
                .iter()
                .find_map(|call| nanoseconds(call.metadata().start.as_deref()));
            let asked = Some(quoted(&asked(asked_for)));
            let attributes = [
                operation("chat"),
                attribute("gen_ai.output.messages", asked),
            ];
            let parent = around(&asked_for[0]);
            spans.add(&id, parent, "chat", [time, time], &attributes, None);
        }
        for index in message.filter(|&index| calls[index].metadata().executor != Executor::Nobody) {
            let call = &calls[index];
            let metadata = call.metadata();
            let arguments = arguments(call).map(|text| json_text(&text));
            let attributes = [
                operation("execute_tool"),
                attribute("gen_ai.tool.name", Some(json_text(&call.name))),
                attribute("gen_ai.tool.call.id", metadata.id.as_ref().map(json_text)),
                attribute("gen_ai.tool.call.arguments", arguments),
                attribute(
                    "gen_ai.tool.call.result",
                    metadata.output.as_deref().map(content),
                ),
            ];
            spans.add(
                &ids[index],
                around(call),
                &format!("execute_tool {}", call.name.to_display()),
                [
                    nanoseconds(metadata.start.as_deref()),
                    nanoseconds(metadata.end.as_deref()),
                ],
                &attributes,
                error(call),
            );
        }
    }
    let request = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"scope":{{"name":"rightcall"}},"spans":[{}]}}]}}]}}"#,
        spans.written.join(",")
    );
    Some(on_one_line(request).into())
}

/// The requesting message, in the form of the conventions.
fn asked(calls: &[Call<'_>]) -> String {
    let part = |call: &Call<'_>| {
        let arguments = match call.arguments.source() {
            ArgumentSource::Json(json) if json.starts_with('{') => Some(json.to_owned()),
            _ => arguments(call).map(|text| json_text(&text)),
        };
        let arguments = arguments.map_or_else(String::new, |it| format!(r#","arguments":{it}"#));
        let id = member("id", call.metadata().id.as_ref().map(json_text));
        let name = json_text(&call.name);
        format!(r#"{{"type":"tool_call",{id}"name":{name}{arguments}}}"#)
    };
    let parts: Vec<_> = calls.iter().map(part).collect();
    format!(
        r#"[{{"role":"assistant","parts":[{}],"finish_reason":"tool_call"}}]"#,
        parts.join(",")
    )
}

/// The case's id if it is a valid trace id, else an id derived from it. Each trial of a case is a separate trace.
fn trace_id(case: &Case<'_>) -> String {
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match (&case.id, case.trial) {
        (Some(id), None) if id.as_bytes().len() == 32 && id.as_bytes().iter().all(is_hex) => {
            id.to_string()
        }
        (Some(id), trial) => digest(&[id.as_bytes(), trial.unwrap_or_default().as_bytes()]),
        (None, _) => digest(&[case_text(case).as_bytes()]),
    }
}

/// The spans of a trace being written.
struct Spans {
    trace: String,
    next: u64,
    written: Vec<String>,
}

impl Spans {
    fn id(&mut self) -> String {
        self.next += 1;
        format!("{:016x}", self.next)
    }

    fn add(
        &mut self,
        id: &str,
        parent: Option<&String>,
        name: &str,
        [start, end]: [Option<i128>; 2],
        attributes: &[Option<String>],
        error: Option<&str>,
    ) {
        let time = |time: Option<i128>| time.map(|time| format!("\"{time}\""));
        let attributes: Vec<_> = attributes.iter().flatten().map(String::as_str).collect();
        let status = error.map(|error| match error {
            "true" => r#","status":{"code":2}"#.to_owned(),
            error => format!(r#","status":{{"code":2,"message":{}}}"#, content(error)),
        });
        self.written.push(format!(
            r#"{{"traceId":{},"spanId":"{id}",{}"name":{},"kind":1,{}{}"attributes":[{}]{}}}"#,
            quoted(&self.trace),
            member("parentSpanId", parent.map(|parent| format!("\"{parent}\""))),
            quoted(name),
            member("startTimeUnixNano", time(start)),
            member("endTimeUnixNano", time(end)),
            attributes.join(","),
            status.unwrap_or_default()
        ));
    }
}

/// An attribute with a string, as JSON text.
fn attribute(key: &str, json: Option<String>) -> Option<String> {
    json.map(|json| format!(r#"{{"key":"{key}","value":{{"stringValue":{json}}}}}"#))
}

fn operation(name: &str) -> Option<String> {
    attribute("gen_ai.operation.name", Some(quoted(name)))
}
