//! Messages and streams of the Chat API of Cohere, versions 1 and 2.

use super::openai_chat;
use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::{output_of, pieces::StreamedCall};
use crate::node::Node;
use crate::trace::{CallResult, Conversation, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "tool_plan, or tool_calls[] with parameters",
    decides,
    owns: |value| {
        value.has("generation_id") && value.holds("tool_calls", |call| call.has("parameters"))
            || value.get("message").is_some_and(decides)
    },
    message,
    is_event: |value| {
        value
            .str_at("type")
            .is_some_and(|kind| EVENTS.contains(&kind))
            && (value.has("delta") || value.has("index"))
    },
    stream: Some(|| Box::new(Pieces::default())),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "cohere",
    title: "Cohere Chat",
    summary: "messages with `tool_plan` and `tool_calls`, replies and streamed events; of version 1 `tool_calls` with `parameters`",
    reads: &[
        ("calls", "`tool_calls[].function`; of version 1 `tool_calls[].name`"),
        ("arguments", "`function.arguments`; of version 1 `parameters`"),
        ("results", "messages with the role `tool`; of version 1 `tool_results[].outputs`"),
        ("ids", "`tool_calls[].id`, `tool_call_id`; version 1 has none"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "Bodies of requests and replies, conversations in a list or one a line, and the events of streams. Messages of version 2 without
`tool_plan` look like those of [`openai-chat`](openai-chat.md) and are read as such.",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","tool_plan":"I will look it up.","tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\":7}"}}]},
 {"role":"tool","tool_call_id":"c1","content":[{"type":"document","document":{"data":"{\"state\":\"shipped\"}"}}]}]"#,
    priority: Priority::SharedMessages,
    reading: Reading::Messages(&DIALECT),
};

const EVENTS: [&str; 3] = ["tool-call-start", "tool-call-delta", "tool-call-end"];

fn decides(message: &Node<'_>) -> bool {
    let is_of_one = |call: &Node<'_>| call.has("name") && call.has("parameters");
    message.has("tool_plan") && message.has("tool_calls")
        || message.holds("tool_results", |it| it.has("call") && it.has("outputs"))
        || message.has("role") && message.holds("tool_calls", is_of_one)
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let (calls, results) = (message.list("tool_calls"), message.list("tool_results"));
    if results.is_empty() && !calls.iter().any(|call| call.has("parameters")) {
        return openai_chat::message(message, conversation);
    }
    conversation.message();
    for call in calls {
        conversation.call(TraceCall::from_node(call, &["name"], &["parameters"], &[]));
    }
    for result in results {
        conversation.result(CallResult {
            name: result.get("call").and_then(|call| call.label_at(&["name"])),
            output: result.get("outputs").map(output_of),
            ..CallResult::default()
        });
    }
}

/// Streamed calls by index, until the next message.
#[derive(Default)]
struct Pieces(Vec<(Option<i128>, StreamedCall)>);

impl Stream for Pieces {
    fn event(&mut self, event: &Node<'_>, _: &mut Conversation) {
        let index = event.whole_at("index");
        let call = event.at(&["delta", "message", "tool_calls"]);
        let function = call.and_then(|call| call.get("function"));
        if let Some(call) = call.filter(|_| event.says("type", "tool-call-start")) {
            let mut begun = StreamedCall::default();
            let name = function.and_then(|function| function.label_at(&["name"]));
            begun.add(call.label_at(&["id"]), name);
            self.0.push((index, begun));
        }
        let begun = self.0.iter_mut().rev().find(|(known, _)| *known == index);
        if let Some((_, begun)) = begun {
            match function {
                Some(function) => begun.arguments.read(function, &["arguments"]),
                None if event.says("type", "tool-call-delta") => begun.arguments.push(None),
                None => {}
            }
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        let calls = std::mem::take(&mut self.0);
        if !calls.is_empty() {
            conversation.message();
        }
        for (_, call) in calls {
            conversation.call(call.into_call());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn replies_of_both_versions_are_read() {
        check(
            "cohere",
            r#"{"id":"r","finish_reason":"TOOL_CALL","message":{"role":"assistant","tool_plan":"p","tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":"{}"}}]}}"#,
            &[r#"find("{}") a @0"#],
        );
        check(
            "cohere",
            r#"[{"role":"USER","message":"q"},{"role":"CHATBOT","message":"","tool_calls":[{"name":"find","parameters":{"id":7}},{"name":"look","parameters":{}}]},
                {"role":"TOOL","tool_results":[{"call":{"name":"look","parameters":{}},"outputs":[{"n":1}]},{"call":{"name":"find","parameters":{"id":7}},"outputs":[{"s":"x"}]}]}]"#,
            &[
                r#"find({"id":7}) @1 group-1 -> [{"s":"x"}]"#,
                r#"look({}) @1 group-1 -> [{"n":1}]"#,
            ],
        );
    }

    #[test]
    fn streamed_calls_are_put_together_by_index() {
        check(
            "cohere",
            r#"data: {"type":"message-start","id":"r","delta":{"message":{"role":"assistant","tool_calls":[]}}}

data: {"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"a","type":"function","function":{"name":"find","arguments":""}}}}}
data: {"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{\"id\""}}}}}
data: {"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":":7}"}}}}}
data: {"type":"tool-call-end","index":0}
data: {"type":"tool-call-start","index":1,"delta":{"message":{"tool_calls":{"id":"b","type":"function","function":{"name":"look","arguments":"{}"}}}}}
"#,
            &[
                r#"find("{\"id\":7}") a @0 group-1"#,
                r#"look("{}") b @0 group-1"#,
            ],
        );
    }
}
