//! Messages and streams of the Chat API of Cohere, versions 1 and 2.

use std::collections::BTreeSet;

use super::openai_chat;
use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::{StreamEnding, cut_off};
use crate::messages::listed::{each_call, holds_call};
use crate::messages::output_of;
use crate::messages::pieces::{PieceKey, StreamedCalls, is_lost_piece};
use crate::node::Node;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall};

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
            && value.has_any(&["delta", "index"])
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

const EVENTS: [&str; 11] = [
    "message-start",
    "content-start",
    "content-delta",
    "content-end",
    "tool-plan-delta",
    "tool-call-start",
    "tool-call-delta",
    "tool-call-end",
    "citation-start",
    "citation-end",
    "message-end",
];

fn decides(message: &Node<'_>) -> bool {
    let is_of_one = |call: &Node<'_>| call.has("name") && call.has("parameters");
    message.has("tool_plan") && message.has("tool_calls")
        || message.holds("tool_results", |it| it.has("call") && it.has("outputs"))
        || message.has("role") && holds_call(message, "tool_calls", is_of_one)
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let results = message.list("tool_results");
    let is_of_one = |call: &Node<'_>| call.has("parameters");
    if results.is_empty() && !holds_call(message, "tool_calls", is_of_one) {
        return openai_chat::message(message, conversation);
    }
    conversation.message();
    each_call(
        message,
        "tool_calls",
        conversation,
        &mut |call, key, conversation| {
            let call = TraceCall::from_node(call, &["name"], &["parameters"], &[]);
            conversation.call(TraceCall { id: key, ..call });
        },
    );
    for result in results {
        conversation.result(CallResult {
            name: result.get("call").and_then(|call| call.label_at(&["name"])),
            arguments: result
                .at(&["call", "parameters"])
                .map(TraceArguments::from_node),
            output: result.get("outputs").map(output_of),
            ..CallResult::default()
        });
    }
}

/// Streamed calls, until the next message.
#[derive(Default)]
struct Pieces {
    calls: StreamedCalls,
    /// The indices of the calls that have ended.
    ended: BTreeSet<Option<i128>>,
    ending: StreamEnding,
}

impl Stream for Pieces {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        self.ending.add_piece(conversation);
        let key = PieceKey {
            choice: 0,
            index: event.whole_at("index"),
        };
        let message = event.at(&["delta", "message"]);
        // The TypeScript SDK writes keys in camelCase.
        let call = message.and_then(|it| it.any(&["tool_calls", "toolCalls"]));
        let function = call.and_then(|call| call.get("function"));
        match event.str_at("type").unwrap_or_default() {
            "tool-call-start" => {
                let id = call.and_then(|call| call.label_at(&["id"]));
                let name = function.and_then(|function| function.name_at(&["name"]));
                let begun = self.calls.begin(key, id, name);
                if let Some(function) = function {
                    begun.arguments.read(function, &["arguments"]);
                }
            }
            "tool-call-delta" => {
                let begun = self.calls.piece(key, None, None);
                match function {
                    Some(function) => begun.arguments.read(function, &["arguments"]),
                    None => begun.arguments.push(None),
                }
            }
            "tool-call-end" => _ = self.ended.insert(key.index),
            "content-delta" => {
                let text = event.at(&["delta", "message", "content", "text"]);
                self.ending.add_text(text, conversation);
            }
            "message-start" => self.end(conversation),
            "message-end" => {
                self.ending.read(event.get("delta").unwrap_or(event));
                self.ending.close();
                self.end(conversation);
            }
            _ => {}
        }
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            self.calls.lose_piece();
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        if !self.calls.is_empty() {
            conversation.message();
        }
        for (key, call) in self.calls.take() {
            if !self.ending.is_known() && !self.ended.contains(&key.index) {
                cut_off(conversation);
            }
            conversation.call(call.into_call());
        }
        self.ending.end(conversation);
        *self = Self::default();
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

    #[test]
    fn a_call_that_begins_is_another_whatever_its_index() {
        let start = |id: &str| {
            format!(
                r#"{{"type":"tool-call-start","index":0,"delta":{{"message":{{"tool_calls":{{"id":"{id}","function":{{"name":"find","arguments":""}}}}}}}}}}"#
            )
        };
        let delta = r#"{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":{"id":7}}}}}}"#;
        let lines = [
            &start("a"),
            delta,
            &start("b"),
            delta,
            r#"{"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}"#,
        ];
        check(
            "cohere",
            &lines.join("\n"),
            &[
                r#"find({"id":7}) a @0 group-1"#,
                r#"find({"id":7}) b @0 group-1"#,
            ],
        );
    }
}
