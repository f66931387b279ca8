//! Export requests of OpenTelemetry, one a line, with spans by the conventions for generative AI: one for each message that
//! asked for calls, one for each call that ran.

use std::hash::Hasher;

use rightcall::call::{Call, Case, Run};
use rightcall::value::{JsonWriter, Text};
use siphasher::sip128::{Hasher128, SipHasher13};

use super::writer::{
    ACTORS, Lack, PROVIDER, SUCCESSES, TOOL_IDS, Writer, arguments, calls, content, is_nested,
    messages, nanoseconds, one_line,
};
use crate::case::case_text;

pub(super) static WRITER: Writer = Writer {
    name: "otlp",
    summary: "OpenTelemetry requests with GenAI spans, one a line",
    lacks: &[
        TOOL_IDS,
        ACTORS,
        PROVIDER,
        SUCCESSES,
        Lack {
            what: "results that are a number, true or false, which become text, or text that holds JSON, which becomes that",
            is_in: |call| {
                call.output
                    .is_some_and(|json| !is_plain_text(json) && !is_nested(json))
            },
        },
        Lack {
            what: "places of calls that were not run among those asked for with them",
            is_in: |call| call.run == Run::Not,
        },
        Lack {
            what: "times that cannot be read",
            is_in: |call| {
                [call.start, call.end]
                    .into_iter()
                    .any(|time| time.is_some() && nanoseconds(time).is_none())
            },
        },
    ],
    holds_cases: false,
    write,
};

/// True for a text that no reader takes for an object or a list.
fn is_plain_text(json: &str) -> bool {
    json.starts_with('"')
        && !json
            .trim_start_matches(['"', ' '])
            .starts_with(['{', '[', '\\'])
}

fn write(case: &Case<'_>) -> String {
    let calls = calls(case);
    let mut spans = Spans {
        trace: trace_id(case),
        next: 0,
        writer: JsonWriter::new(),
    };
    // Calls may be made inside later ones, so each has its id from the start.
    let ids: Vec<_> = calls.iter().map(|_| spans.id()).collect();
    spans
        .writer
        .begin_object()
        .key("resourceSpans")
        .begin_list()
        .begin_object()
        .key("scopeSpans")
        .begin_list();
    spans
        .writer
        .begin_object()
        .key("scope")
        .begin_object()
        .key("name")
        .str("rightcall")
        .end_object();
    spans.writer.key("spans").begin_list();
    let root = spans.id();
    spans.begin(&root, None, "invoke_agent", None, None);
    spans.attribute("gen_ai.operation.name", &Text::new("invoke_agent"));
    if let Some(id) = &case.id {
        spans.attribute("gen_ai.conversation.id", id);
    }
    spans.end(None);
    for message in messages(calls) {
        let around = |call: &Call<'_>| {
            call.parent
                .and_then(|it| ids.get(it as usize))
                .unwrap_or(&root)
        };
        if calls[message.start].turn.is_some()
            || calls[message.clone()]
                .iter()
                .any(|call| call.run == Run::Not)
        {
            let id = spans.id();
            let time = calls[message.clone()]
                .iter()
                .find_map(|call| nanoseconds(call.start));
            spans.begin(&id, Some(around(&calls[message.start])), "chat", time, time);
            spans.attribute("gen_ai.operation.name", &Text::new("chat"));
            spans.attribute(
                "gen_ai.output.messages",
                &Text::from(asked(&calls[message.clone()])),
            );
            spans.end(None);
        }
        for index in message.filter(|&index| calls[index].run != Run::Not) {
            let call = &calls[index];
            let name = format!("execute_tool {}", call.name.to_display());
            spans.begin(
                &ids[index],
                Some(around(call)),
                &name,
                nanoseconds(call.start),
                nanoseconds(call.end),
            );
            spans.attribute("gen_ai.operation.name", &Text::new("execute_tool"));
            spans.attribute("gen_ai.tool.name", &call.name);
            if let Some(id) = &call.id {
                spans.attribute("gen_ai.tool.call.id", id);
            }
            if let Some(arguments) = arguments(call) {
                spans.attribute("gen_ai.tool.call.arguments", &arguments);
            }
            if let Some(json) = call.output {
                spans.json("gen_ai.tool.call.result", json);
            }
            spans.end(call.error.filter(|_| call.failed() == Some(true)));
        }
    }
    spans
        .writer
        .end_list()
        .end_object()
        .end_list()
        .end_object()
        .end_list()
        .end_object();
    one_line(spans.writer)
}

/// The message that asked for calls, as the conventions have it.
fn asked(calls: &[Call<'_>]) -> String {
    let mut writer = JsonWriter::new();
    writer
        .begin_list()
        .begin_object()
        .key("role")
        .str("assistant")
        .key("parts")
        .begin_list();
    for call in calls {
        writer.begin_object().key("type").str("tool_call");
        if let Some(id) = &call.id {
            writer.key("id").text(id);
        }
        writer.key("name").text(&call.name);
        match call.arguments.source() {
            rightcall::call::ArgumentSource::Json(json) if json.starts_with('{') => {
                _ = writer.key("arguments").raw(json)
            }
            _ => {
                if let Some(arguments) = arguments(call) {
                    writer.key("arguments").text(&arguments);
                }
            }
        }
        writer.end_object();
    }
    writer
        .end_list()
        .key("finish_reason")
        .str("tool_call")
        .end_object()
        .end_list();
    writer.finish().to_string()
}

/// The case's id where it is that of a trace, else one made of it, the same each time. Trials of a case are traces of their own.
fn trace_id(case: &Case<'_>) -> String {
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let mut hasher = SipHasher13::new();
    match (&case.id, case.trial) {
        (Some(id), None) if id.as_bytes().len() == 32 && id.as_bytes().iter().all(is_hex) => {
            return id.to_string();
        }
        (Some(id), trial) => {
            hasher.write(id.as_bytes());
            hasher.write(trial.unwrap_or_default().as_bytes());
        }
        (None, _) => hasher.write(case_text(case).as_bytes()),
    }
    format!("{:032x}", hasher.finish128().as_u128())
}

/// The spans of a trace, as they are written.
struct Spans {
    trace: String,
    next: u64,
    writer: JsonWriter,
}

impl Spans {
    fn id(&mut self) -> String {
        self.next += 1;
        format!("{:016x}", self.next)
    }

    fn begin(
        &mut self,
        id: &str,
        parent: Option<&String>,
        name: &str,
        start: Option<i128>,
        end: Option<i128>,
    ) {
        self.writer
            .begin_object()
            .key("traceId")
            .str(&self.trace)
            .key("spanId")
            .str(id);
        if let Some(parent) = parent {
            self.writer.key("parentSpanId").str(parent);
        }
        self.writer.key("name").str(name).key("kind").count(1);
        for (key, time) in [("startTimeUnixNano", start), ("endTimeUnixNano", end)] {
            if let Some(time) = time {
                self.writer.key(key).str(&time.to_string());
            }
        }
        self.writer.key("attributes").begin_list();
    }

    fn attribute(&mut self, key: &str, text: &Text<'_>) {
        self.writer
            .begin_object()
            .key("key")
            .str(key)
            .key("value")
            .begin_object()
            .key("stringValue")
            .text(text);
        self.writer.end_object().end_object();
    }

    /// A string, or a value as its JSON text.
    fn json(&mut self, key: &str, json: &str) {
        self.writer
            .begin_object()
            .key("key")
            .str(key)
            .key("value")
            .begin_object()
            .key("stringValue");
        content(&mut self.writer, json);
        self.writer.end_object().end_object();
    }

    fn end(&mut self, error: Option<&str>) {
        self.writer.end_list();
        if let Some(error) = error {
            self.writer
                .key("status")
                .begin_object()
                .key("code")
                .count(2);
            if error != "true" {
                self.writer.key("message");
                content(&mut self.writer, error);
            }
            self.writer.end_object();
        }
        self.writer.end_object();
    }
}
