//! Traces of the `OpenAI` Agents SDK, as sent to its backend.

use std::collections::{HashMap, HashSet};

use rightcall_core::value::Text;

use crate::format::{
    Format, FoundTraces, Lists, Priority, Reading, Recognition, TraceReader, ValuePlace,
};
use crate::messages::json_text;
use crate::node::Node;
use crate::spans::dialects::observations::OPENAI_AGENTS;
use crate::spans::{Attribute, Attributes, SpanTraces, TraceSpan, unread};
use crate::trace::unread::each_call_beside;
use crate::trace::{Doubt, Scope, Suspect, failed, time};

pub(super) static ENTRY: Format = Format {
    name: "openai-agents",
    title: "OpenAI Agents SDK traces",
    summary: "objects `trace` and `trace.span`, in lists, under `data`, or one a line",
    reads: &[
        ("calls", "spans whose `span_data.type` is `function`: `span_data.name`"),
        ("arguments", "`span_data.input`"),
        ("results", "`span_data.output`"),
        ("asked for, not run", "`span_data.output` of spans of type `generation` that no function span answers"),
        ("question", "what the user says in `span_data.input`"),
        ("times", "`started_at`, `ended_at`"),
        ("errors", "`error.data.error`, else `error.message`"),
        ("sub-agents", "function spans inside function spans"),
    ],
    lacks: &[
        "call ids, parallel groups and the calls of hand-offs, where the model is called through the Responses API: its spans hold the id of the reply alone",
        "arguments and results, where sensitive data are left out",
    ],
    notes: "What a tracing processor of the SDK receives, each item as its `export()` gives it; the SDK sends lists of them under `data` to its
backend. A trace is a trajectory; its `group_id` is kept as the conversation. Hand-offs are calls that the model asked for and no
function ran. A span of a hand-off does not name its call: without the output of its generation, the trace is incomplete.",
    extensions: &["json", "jsonl"],
    example: r#"{"data":[{"object":"trace","id":"trace_1","workflow_name":"shop","group_id":"thread-7"},
 {"object":"trace.span","id":"span_1","trace_id":"trace_1","parent_id":null,"started_at":"2025-01-01T00:00:00.000000+00:00","ended_at":"2025-01-01T00:00:00.200000+00:00","span_data":{"type":"function","name":"find_order","input":"{\"id\":7}","output":"shipped"},"error":null}]}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let item = value.get("data").unwrap_or(value).first_record();
            let object = item.str_at("object");
            if object == Some("trace") && item.has("workflow_name") {
                return Recognition::Certain;
            }
            Recognition::by_marks(&[("object: trace.span", object == Some("trace.span")), ("span_data", item.has("span_data"))])
        },
        |scope| Box::new(OpenAiAgents::new(scope)),
    ),
};

/// Span types without calls.
const KINDS: [&str; 8] = [
    "guardrail",
    "mcp_tools",
    "speech",
    "speech_group",
    "task",
    "transcription",
    "turn",
    "agent",
];

struct OpenAiAgents {
    spans: SpanTraces,
    /// The conversation (group) of each trace that names one.
    groups: HashMap<Text<'static>, Text<'static>>,
    /// The trace and parent of each generation with its output, which holds the call of a hand-off.
    recorded: HashSet<(Text<'static>, Option<Text<'static>>)>,
    /// Hand-offs, each with its line.
    handoffs: Vec<(TraceSpan<'static>, u64)>,
}

impl OpenAiAgents {
    fn new(scope: Scope) -> Self {
        Self {
            spans: SpanTraces::new(scope),
            groups: HashMap::new(),
            recorded: HashSet::new(),
            handoffs: Vec::new(),
        }
    }

    /// Keeps a hand-off until all generations are known. Its call may have another name than the SDK's default.
    fn handoff(&mut self, node: &Node<'_>, data: &Node<'_>, line: u64) {
        let to = data.str_at("to_agent").unwrap_or("an agent");
        let span = TraceSpan {
            trace: node.label_at(&["trace_id"]).unwrap_or_default(),
            id: node.label_at(&["id"]).unwrap_or_default(),
            parent: node.label_at(&["parent_id"]),
            start: node.str_at("started_at").and_then(time::from_iso),
            end: node.str_at("ended_at").and_then(time::from_iso),
            left_over: vec![format!("the call of a hand-off to `{to}`")],
            ..TraceSpan::default()
        };
        self.handoffs.push((span, line));
    }

    /// Adds the hand-offs. Their calls are missing if the generations next to them were not recorded.
    fn end_handoffs(&mut self) {
        for (mut span, line) in std::mem::take(&mut self.handoffs) {
            let place = (span.trace.clone(), span.parent.clone());
            if self.recorded.contains(&place) {
                span.left_over.clear();
            }
            self.spans.add(&span, line);
        }
    }

    fn add(&mut self, value: &Node<'_>, line: u64) {
        let value = value.get("data").unwrap_or(value);
        if value.is_list() || value.text().is_some() {
            value.each_item(&mut |item| {
                if item.is_object() {
                    self.add(item, line);
                }
            });
        } else if value.says("object", "trace") {
            let trace = value.label_at(&["id"]).unwrap_or_default();
            self.spans.look_beside(&trace, value, line);
            if let (Some(id), Some(group)) =
                (value.label_at(&["id"]), value.label_at(&["group_id"]))
            {
                self.groups.insert(id, group);
            }
        } else if let Some(data) = value.get("span_data") {
            self.span(value, data, line);
        } else if let Some(strange) =
            without_data(value).or_else(|| unread::call_among_spans(value))
        {
            let trace = value.label_at(&["trace_id"]).unwrap_or_default();
            let id = value.label_at(&["id"]).unwrap_or_default();
            self.spans.add(
                &TraceSpan {
                    trace,
                    id,
                    ..TraceSpan::from_suspect(strange)
                },
                line,
            );
        }
    }

    fn span(&mut self, node: &Node<'_>, data: &Node<'_>, line: u64) {
        let trace = node.label_at(&["trace_id"]).unwrap_or_default();
        let kind = data.str_at("type").unwrap_or_default();
        if kind == "handoff" {
            return self.handoff(node, data, line);
        }
        if matches!(kind, "generation" | "response") && !data.list("output").is_empty() {
            self.recorded
                .insert((trace.clone(), node.label_at(&["parent_id"])));
        }
        let name = data.text_at(&["name"]);
        let mut attributes = Attributes::default();
        let mut unread = unread::in_unknown(
            data,
            &[
                "type", "name", "input", "output", "tools", "handoffs", "usage", "mcp_data",
            ],
        );
        each_call_beside(node, &mut |it| unread.push(it));
        match kind {
            "function" | "generation" | "response" => {
                let kind = if kind == "function" {
                    "tool"
                } else {
                    "generation"
                };
                let side = |key| data.get(key).map(Attribute::from_node);
                let kind = Attribute::Text(Text::new(kind));
                attributes.add(OPENAI_AGENTS.kind, Some(kind));
                attributes.add(OPENAI_AGENTS.input, side("input"));
                attributes.add(OPENAI_AGENTS.output, side("output"));
            }
            "" => unread.push(Suspect::new("a span without a type", Doubt::None)),
            "agent" => {
                let name = Attribute::Text(name.clone());
                attributes.add("gen_ai.agent.name", Some(name));
            }
            kind if KINDS.contains(&kind) => {}
            kind => {
                let looks = format!("a span of the type `{kind}`");
                let known = ["type", "tools", "handoffs", "usage", "mcp_data"];
                unread.extend(unread::in_unknown(data, &known));
                if data.has_any(&["input", "output"]) {
                    unread.push(Suspect {
                        name: Some(name.clone().into_owned()),
                        ..Suspect::new(looks, Doubt::SameName)
                    });
                }
            }
        }
        let group = self.groups.get(&trace).cloned();
        attributes.add("gen_ai.conversation.id", group.map(Attribute::Text));
        let time = |key: &str| node.str_at(key).and_then(time::from_iso);
        let span = TraceSpan {
            trace,
            id: node.label_at(&["id"]).unwrap_or_default(),
            parent: node.label_at(&["parent_id"]),
            name,
            start: time("started_at"),
            end: time("ended_at"),
            error: node
                .get("error")
                .filter(|error| error.is_object())
                .map(error),
            attributes,
            unread,
            ..TraceSpan::default()
        };
        self.spans.add(&span, line);
    }
}

fn without_data(value: &Node<'_>) -> Option<Suspect> {
    let is_span = value.says("object", "trace.span");
    is_span.then(|| Suspect::new("a span without `span_data`", Doubt::None))
}

/// The error: its cause if recorded, else the general message.
fn error(error: &Node<'_>) -> String {
    let cause = error
        .at(&["data", "error"])
        .or_else(|| error.get("message"))
        .and_then(Node::text);
    cause.map_or_else(failed, json_text)
}

impl TraceReader for OpenAiAgents {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, _: &mut FoundTraces) {
        self.add(value, place.line);
    }

    fn lists(&self) -> Option<Lists> {
        Some(&[&[&["data"]]])
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.end_handoffs();
        self.spans.finish(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn generations_tell_what_was_asked_for_and_functions_what_ran() {
        let span = |id: &str, second: u8, data: &str, error: &str| {
            format!(
                r#"{{"object":"trace.span","id":"{id}","trace_id":"t","parent_id":null,"started_at":"2025-01-01T00:00:0{second}+00:00","ended_at":"2025-01-01T00:00:0{second}.5+00:00","span_data":{data},"error":{error}}}"#
            )
        };
        let asked = r#"{"type":"generation","input":[],"output":[{"role":"assistant","content":null,"tool_calls":[
            {"id":"c1","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}},
            {"id":"c2","type":"function","function":{"name":"transfer_to_clerk","arguments":"{}"}}]}]}"#;
        let ran = r#"{"type":"function","name":"find","input":"{\"id\":7}","output":null,"mcp_data":null}"#;
        let items = [
            r#"{"object":"trace","id":"t","workflow_name":"w","group_id":null}"#.to_owned(),
            span(
                "b",
                2,
                ran,
                r#"{"message":"Error running tool","data":{"tool_name":"find","error":"away"}}"#,
            ),
            span("a", 1, &asked.replace('\n', " "), "null"),
            span(
                "c",
                3,
                r#"{"type":"handoff","from_agent":"shop","to_agent":"clerk"}"#,
                "null",
            ),
        ];
        let expected = [
            r#"transfer_to_clerk("{}") c2 @0 group-1 not run"#,
            r#"find({"id":7}) c1 @0 group-1 error "away""#,
        ];
        check(
            "openai-agents",
            &format!("{{\"data\":[{}]}}", items.join(",")),
            &expected,
        );
        check("openai-agents", &items.join("\n"), &expected);
    }
}
