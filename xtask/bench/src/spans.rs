//! OpenTelemetry exports for benchmarks: seeded, and the same bytes on every machine.
//!
//! Each trace is an agent that asks a model and runs the requested tool, three times. The spans follow the conventions for generative AI
//! with recorded content: each model span contains the history so far. Several traces run at once, and an exporter sends spans in batches
//! as they end, so the spans of one trace are on several lines.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::random::Random;

/// The layout of export requests in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exported {
    /// One request a line, as a collector writes them.
    Lines,
    /// One document.
    Document,
}

/// The number of spans in a request.
const BATCH: usize = 64;
/// The number of concurrent traces.
const TOGETHER: usize = 8;
/// The number of model requests before an agent answers.
const ROUNDS: usize = 3;

const TOOLS: [&str; 6] = [
    "find_order",
    "track_parcel",
    "refund_order",
    "search_articles",
    "send_email",
    "open_ticket",
];
const WORDS: [&str; 16] = [
    "order", "parcel", "refund", "customer", "delayed", "in", "transit", "since", "Tuesday",
    "please", "check", "the", "status", "Zürich", "and", "reply",
];

/// Writes this many traces.
///
/// # Errors
/// An error of the writer.
pub fn write_spans(exported: Exported, traces: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut random = Random::new(0x07E1);
    let mut running: Vec<Vec<String>> = Vec::new();
    let mut batch = Vec::new();
    let (mut started, mut requests) = (0, 0);
    let mut write = |batch: &mut Vec<String>| {
        let (before, after) = match (exported, requests) {
            (Exported::Lines, _) => (r#"{"resourceSpans":["#, "]}\n"),
            (Exported::Document, 0) => (r#"{"resourceSpans":["#, ""),
            (Exported::Document, _) => (",", ""),
        };
        requests += 1;
        write!(
            out,
            r#"{before}{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"shop-agent"}}}},{{"key":"telemetry.sdk.language","value":{{"stringValue":"python"}}}}]}},"scopeSpans":[{{"scope":{{"name":"shop.agent","version":"1.4.2"}},"spans":[{}]}}]}}{after}"#,
            std::mem::take(batch).join(",")
        )
    };
    while started < traces || !running.is_empty() {
        while running.len() < TOGETHER && started < traces {
            let mut spans = trace(&mut random, started);
            // Spans are popped from the end.
            spans.reverse();
            running.push(spans);
            started += 1;
        }
        let next = random.between(0, running.len() - 1);
        batch.extend(running[next].pop());
        if running[next].is_empty() {
            running.swap_remove(next);
        }
        if batch.len() == BATCH {
            write(&mut batch)?;
        }
    }
    if !batch.is_empty() {
        write(&mut batch)?;
    }
    if exported == Exported::Document {
        writeln!(out, "]}}")
    } else {
        Ok(())
    }
}

/// The spans of a trace, in the order of their ends.
fn trace(random: &mut Random, number: usize) -> Vec<String> {
    let trace = format!("{:016x}{:016x}", random.bits(), number);
    let mut spans = Vec::new();
    let mut time = 1_760_000_000_000_000_000 + number as u64 * 40_000_000;
    let begin = time;
    let agent = format!("{:016x}", random.bits());
    let question = sentence(random, 30);
    let mut history =
        format!(r#"[{{"role":"user","parts":[{{"type":"text","content":"{question}"}}]}}"#);
    for round in 0..=ROUNDS {
        let tool = TOOLS[random.between(0, TOOLS.len() - 1)];
        let call = format!("call_{:016x}", random.bits());
        let arguments = format!(
            r#"{{"id":{},"note":"{}","urgent":{}}}"#,
            random.between(1, 99_999),
            sentence(random, 6),
            random.percent(20)
        );
        let asked = if round < ROUNDS {
            format!(
                r#"{{"type":"tool_call","id":"{call}","name":"{tool}","arguments":{arguments}}}"#
            )
        } else {
            format!(r#"{{"type":"text","content":"{}"}}"#, sentence(random, 25))
        };
        let message = format!(r#"{{"role":"assistant","parts":[{asked}]"#);
        let attributes = chat(random, number, &history, &message);
        spans.push(span(
            random,
            &trace,
            Some(&agent),
            "chat gpt-4o-mini",
            (time, 900_000_000),
            &attributes,
        ));
        time += 1_000_000_000;
        if round < ROUNDS {
            let result = format!(
                r#"{{"status":"{}","carrier":"post","steps":["{}","{}"]}}"#,
                sentence(random, 2),
                sentence(random, 12),
                sentence(random, 12)
            );
            let attributes = execution(tool, &call, &arguments, &result);
            spans.push(span(
                random,
                &trace,
                Some(&agent),
                &format!("execute_tool {tool}"),
                (time, 200_000_000),
                &attributes,
            ));
            time += 300_000_000;
            _ = write!(
                history,
                r#",{message}}},{{"role":"tool","parts":[{{"type":"tool_call_response","id":"{call}","response":{result}}}]}}"#
            );
        }
    }
    let attributes = [
        ("gen_ai.operation.name", text("invoke_agent")),
        ("gen_ai.agent.name", text("shop-agent")),
        (
            "gen_ai.conversation.id",
            text(&format!("conversation-{number}")),
        ),
    ];
    spans.push(span_of(
        &agent,
        &trace,
        None,
        "invoke_agent shop-agent",
        (begin, time - begin),
        &attributes,
    ));
    spans
}

type Attribute = (&'static str, String);

/// The attributes of a model request: the messages so far (the list is still open), and the answer.
fn chat(random: &mut Random, number: usize, history: &str, message: &str) -> [Attribute; 10] {
    [
        ("gen_ai.operation.name", text("chat")),
        ("gen_ai.provider.name", text("openai")),
        ("gen_ai.request.model", text("gpt-4o-mini")),
        ("gen_ai.response.model", text("gpt-4o-mini-2024-07-18")),
        (
            "gen_ai.response.id",
            text(&format!("chatcmpl-{:016x}", random.bits())),
        ),
        (
            "gen_ai.conversation.id",
            text(&format!("conversation-{number}")),
        ),
        (
            "gen_ai.usage.input_tokens",
            format!(r#"{{"intValue":"{}"}}"#, random.between(200, 4_000)),
        ),
        (
            "gen_ai.usage.output_tokens",
            format!(r#"{{"intValue":"{}"}}"#, random.between(10, 400)),
        ),
        ("gen_ai.input.messages", text(&format!("{history}]"))),
        (
            "gen_ai.output.messages",
            text(&format!(r#"[{message},"finish_reason":"stop"}}]"#)),
        ),
    ]
}

/// The attributes of a tool execution.
fn execution(tool: &str, call: &str, arguments: &str, result: &str) -> [Attribute; 6] {
    [
        ("gen_ai.operation.name", text("execute_tool")),
        ("gen_ai.tool.name", text(tool)),
        ("gen_ai.tool.call.id", text(call)),
        ("gen_ai.tool.type", text("function")),
        ("gen_ai.tool.call.arguments", text(arguments)),
        ("gen_ai.tool.call.result", text(result)),
    ]
}

fn span(
    random: &mut Random,
    trace: &str,
    parent: Option<&str>,
    name: &str,
    time: (u64, u64),
    attributes: &[Attribute],
) -> String {
    span_of(
        &format!("{:016x}", random.bits()),
        trace,
        parent,
        name,
        time,
        attributes,
    )
}

fn span_of(
    id: &str,
    trace: &str,
    parent: Option<&str>,
    name: &str,
    (start, length): (u64, u64),
    attributes: &[Attribute],
) -> String {
    let parent = parent.map_or_else(String::new, |parent| {
        format!(r#""parentSpanId":"{parent}","#)
    });
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(key, value)| format!(r#"{{"key":"{key}","value":{value}}}"#))
        .collect();
    format!(
        r#"{{"traceId":"{trace}","spanId":"{id}",{parent}"name":"{name}","kind":1,"startTimeUnixNano":"{start}","endTimeUnixNano":"{}","attributes":[{}],"status":{{}}}}"#,
        start + length,
        attributes.join(",")
    )
}

/// A text as an OTLP value.
fn text(text: &str) -> String {
    format!(r#"{{"stringValue":"{}"}}"#, text.replace('"', "\\\""))
}

fn sentence(random: &mut Random, words: usize) -> String {
    (0..words)
        .map(|_| random.choose(&WORDS))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(exported: Exported, traces: usize) -> String {
        let mut out = Vec::new();
        write_spans(exported, traces, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_bytes_stay_as_they_are_and_are_json() {
        let lines = written(Exported::Lines, 40);
        let spans: usize = lines
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|request| {
                request["resourceSpans"][0]["scopeSpans"][0]["spans"]
                    .as_array()
                    .unwrap()
                    .len()
            })
            .sum();
        assert_eq!(spans, 40 * (2 * ROUNDS + 2));
        let document = written(Exported::Document, 40);
        assert!(serde_json::from_str::<serde_json::Value>(&document).is_ok());
        let found =
            [lines, document].map(|text| format!("{:08x}", crc32fast::hash(text.as_bytes())));
        assert_eq!(found.join(" "), "013e8325 a1aa4eb5");
    }
}
