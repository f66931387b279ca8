//! Messages of the Converse API of Bedrock.

mod agent_events;

use std::collections::BTreeMap;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::{StreamEnding, cut_off};
use crate::messages::output_of;
use crate::messages::parts::pass_over_member;
use crate::messages::pieces::{StreamedCall, is_lost_piece};
use crate::messages::speaker::keep_question;
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, Conversation, LeftOut, TraceCall, failed};

static DIALECT: MessageDialect = MessageDialect {
    mark: "content blocks with toolUse",
    decides: |message| {
        let is_action = |block: &Node<'_>| block.any(&["toolUse", "toolResult"]).is_some();
        message.holds("content", is_action) || is_block(message)
    },
    is_message: is_block,
    owns: |value| value.at(&["output", "message"]).is_some() && value.has("stopReason"),
    message,
    is_event: |value| {
        is_piece(unwrapped(value))
            || strands_message(value).is_some()
            || agent_events::is_event(value)
    },
    stream: Some(|| Box::new(Pieces::default())),
    reply: |value| {
        let message = value.at(&["output", "message"]);
        message.filter(|it| it.is_object()).map(|it| vec![it])
    },
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "bedrock",
    title: "AWS Bedrock Converse",
    summary: "messages with `toolUse` and `toolResult` blocks, replies and streamed events",
    reads: &[
        ("calls", "content blocks with `toolUse`"),
        ("arguments", "`input`"),
        ("results", "content blocks with `toolResult`"),
        ("ids", "`toolUseId`"),
        ("errors", "`status`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times"],
    notes: "Bodies of requests and replies of the Converse API, and the events of its streams. Bodies of InvokeModel are in the form of the
model's maker. Strands uses these messages and events: its `stream_async` wraps them in `event` and `message`, its sessions have rows with
`message` and `message_id`, its agents in TypeScript stream events such as `messageAddedEvent` and `afterToolCallEvent`. The messages of a file are one run, and a message that repeats streamed calls adds only its results.",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"find_order","input":{"id":7}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"json":{"s":"shipped"}}],"status":"success"}}]}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// True for a block without its message.
fn is_block(node: &Node<'_>) -> bool {
    let block = node.any(&["toolUse", "toolResult"]);
    block.is_some_and(|block| block.has("toolUseId")) && !node.has_any(&["role", "content"])
}

fn is_piece(value: &Node<'_>) -> bool {
    value.has_any(&[
        "messageStart",
        "contentBlockStart",
        "contentBlockDelta",
        "contentBlockStop",
        "messageStop",
    ])
}

/// The event of the model in an event of Strands.
fn unwrapped<'n, 'a>(value: &'n Node<'a>) -> &'n Node<'a> {
    value
        .get("event")
        .filter(|it| is_piece(it))
        .unwrap_or(value)
}

/// The message in a row of a Strands session, or in an event of Strands, which has no other member.
fn strands_message<'n, 'a>(value: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let message = value.get("message").filter(|it| it.has("role"))?;
    let is_alone = value.entries().len() == 1
        || value.has("message_id") && value.has("created_at")
        || is_result(value);
    (is_alone && strands_blocks(message)).then_some(message)
}

/// True for a message with blocks that have no type.
fn strands_blocks(message: &Node<'_>) -> bool {
    let blocks = message.get("content").filter(|it| it.is_list());
    let is_block = |block: &Node<'_>| block.is_object() && !block.has("type");
    message.has("role") && blocks.is_some_and(|blocks| blocks.items().iter().all(is_block))
}

/// True for the result of a Strands agent: its last message, and its metrics as a Python text.
fn is_result(value: &Node<'_>) -> bool {
    value.has("stop_reason") && value.str_at("metrics").is_some()
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    read(message, false, conversation);
}

/// Reads a message, which may repeat calls of the stream.
fn read(message: &Node<'_>, is_repeated: bool, conversation: &mut Conversation) {
    conversation.message();
    let blocks = if is_block(message) {
        std::slice::from_ref(message)
    } else {
        message.list("content")
    };
    // A result next to its call: the provider ran the tool.
    let ran = |id: Option<&str>| {
        let mut results = blocks.iter().filter_map(|block| block.get("toolResult"));
        message.says("role", "assistant") && results.any(|it| it.str_at("toolUseId") == id)
    };
    for block in blocks {
        if let Some(call) = block.get("toolUse") {
            let id = call.label_at(&["toolUseId"]);
            if is_repeated && id.is_some_and(|id| conversation.has_call_id(&id)) {
                conversation.trace().report.drop(LeftOut::RepeatedInHistory);
                continue;
            }
            let by_provider = call.says("type", "server_tool_use") || ran(call.str_at("toolUseId"));
            let call = TraceCall::from_node(call, &["name"], &["input"], &["toolUseId"]);
            conversation.call(call.by_provider_if(by_provider));
        } else if let Some(result) = block.get("toolResult") {
            conversation.result(self::result(result));
        } else if is_of_model(message) {
            pass_over_member(block, &KNOWN, conversation);
        }
    }
}

/// Block members that aren't calls.
const KNOWN: [&str; 9] = [
    "image",
    "document",
    "video",
    "audio",
    "reasoningContent",
    "guardContent",
    "cachePoint",
    "citationsContent",
    "searchResult",
];

/// The result in a `toolResult`.
pub(crate) fn result(result: &Node<'_>) -> CallResult {
    CallResult {
        id: result.label_at(&["toolUseId"]),
        output: result.get("content").map(output),
        error: result.says("status", "error").then(failed),
        ..CallResult::default()
    }
}

/// The output in the content of a result: the value of a single `json` block, the text of text blocks, or else the blocks.
fn output(content: &Node<'_>) -> String {
    match content.items() {
        [one] if one.has("json") => one.get("json").map_or("null", Node::raw).to_owned(),
        _ => output_of(content),
    }
}

/// Open calls of the stream, by block.
#[derive(Default)]
struct Pieces {
    /// True if whole messages may repeat calls of this stream.
    has_begun: bool,
    open: BTreeMap<i128, StreamedCall>,
    /// The results of calls that the provider ran.
    results: BTreeMap<i128, CallResult>,
    ending: StreamEnding,
}

impl Pieces {
    /// The index of a block; by default the only open block.
    fn index(&self, event: &Node<'_>) -> i128 {
        let only = || {
            self.open
                .keys()
                .next()
                .copied()
                .filter(|_| self.open.len() == 1)
        };
        let index = event.whole_at("contentBlockIndex");
        index.or_else(only).unwrap_or_default()
    }

    /// A whole message between the events.
    fn whole(&mut self, message: &Node<'_>, conversation: &mut Conversation) {
        self.end(conversation);
        keep_question(message, conversation);
        if is_of_model(message) {
            conversation.agent_spoke();
        }
        read(message, self.has_begun, conversation);
    }

    fn close(&mut self, index: i128, conversation: &mut Conversation) {
        if let Some(call) = self.open.remove(&index) {
            conversation.call(call.into_call());
        }
        if let Some(result) = self.results.remove(&index) {
            conversation.result(result);
        }
    }
}

impl Stream for Pieces {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        if agent_events::is_event(event) {
            self.has_begun = true;
            return match agent_events::message_of(event) {
                Some(message) => self.whole(message, conversation),
                None => agent_events::read(event, conversation),
            };
        }
        if let Some(message) = strands_message(event) {
            let metrics = event.str_at("metrics").unwrap_or_default();
            if metrics.contains("toolUseId") {
                conversation.left_over("the calls in the text of `metrics`");
            }
            return self.whole(message, conversation);
        }
        if event.has("current_tool_use") {
            return;
        }
        let event = unwrapped(event);
        self.has_begun = true;
        self.ending.add_piece(conversation);
        if event.has("messageStart") {
            self.end(conversation);
            self.ending.add_piece(conversation);
            conversation.message();
        } else if let Some(begun) = event.get("contentBlockStart") {
            let index = begun.whole_at("contentBlockIndex").unwrap_or_default();
            // The index may be reused by another block.
            self.close(index, conversation);
            if let Some(call) = begun.at(&["start", "toolUse"]) {
                let mut piece = StreamedCall::default();
                piece.add(call.label_at(&["toolUseId"]), call.name_at(&["name"]));
                piece.is_of_provider = call.says("type", "server_tool_use");
                self.open.insert(index, piece);
            } else if let Some(begun) = begun.at(&["start", "toolResult"]) {
                self.results.insert(index, result(begun));
            } else if let Some(start) = begun.get("start") {
                pass_over_member(start, &KNOWN, conversation);
            }
        } else if let Some(piece) = event.get("contentBlockDelta") {
            self.ending
                .add_text(piece.at(&["delta", "text"]), conversation);
            let index = self.index(piece);
            let input = piece.at(&["delta", "toolUse"]);
            if input.is_some() && !self.open.contains_key(&index) {
                conversation.left_over("a piece of a call without its beginning");
            }
            let content = piece.at(&["delta", "toolResult"]);
            if let (Some(result), Some(_)) = (self.results.get_mut(&index), content) {
                result.output = content.map(output);
            }
            if let Some(call) = self.open.get_mut(&index) {
                call.arguments
                    .push(piece.at(&["delta", "toolUse", "input"]));
            }
        } else if let Some(ended) = event.get("contentBlockStop") {
            self.close(self.index(ended), conversation);
        } else if let Some(ended) = event.get("messageStop") {
            self.ending.read(ended);
            self.ending.close();
            self.end(conversation);
        }
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        // Strands repeats the call so far after each piece.
        self.has_begun && value.has("current_tool_use")
    }

    fn is_over_before(&self, event: &Node<'_>) -> bool {
        is_result(event)
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            let open = self.open.values_mut();
            open.for_each(|call| call.arguments.push(None));
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        for call in std::mem::take(&mut self.open).into_values() {
            if !self.ending.is_known() {
                cut_off(conversation);
            }
            conversation.call(call.into_call());
        }
        for result in std::mem::take(&mut self.results).into_values() {
            conversation.result(result);
        }
        self.ending.end(conversation);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn blocks_are_calls_and_results() {
        check(
            "bedrock",
            r#"[{"role":"assistant","content":[{"text":"t"},{"toolUse":{"toolUseId":"a","name":"find","input":{"id":7}}},
                    {"toolUse":{"toolUseId":"b","name":"search","input":{}}},{"toolResult":{"toolUseId":"b","content":[{"json":[1]}]}}]},
                {"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"no"}],"status":"error"}}]}]"#,
            &[
                r#"find({"id":7}) a @0 group-1 -> "no" error true"#,
                r"search({}) b @0 group-1 by provider -> [1]",
            ],
        );
    }

    #[test]
    fn streamed_input_is_joined() {
        check(
            "bedrock",
            r#"{"messageStart":{"role":"assistant"}}
{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"a","name":"find"}}}}
{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"id\""}}}}
{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":":7}"}}}}
{"contentBlockStop":{"contentBlockIndex":1}}
{"messageStop":{"stopReason":"tool_use"}}
"#,
            &[r#"find("{\"id\":7}") a @0"#],
        );
    }

    #[test]
    fn another_block_under_the_same_index_is_another_call() {
        check(
            "bedrock",
            r#"{"messageStart":{"role":"assistant"}}
    {"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"find"}}}}
    {"contentBlockDelta":{"delta":{"toolUse":{"input":{"id":7}}}}}
    {"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"b","name":"find"}}}}
    {"contentBlockDelta":{"delta":{"toolUse":{"input":"{}"}}}}
    {"messageStop":{"stopReason":"tool_use"}}
    "#,
            &[
                r#"find({"id":7}) a @0 group-1"#,
                r#"find("{}") b @0 group-1"#,
            ],
        );
    }

    const CALL: &str = r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"find","input":{"id":7}}}]}"#;
    const RESULT: &str = r#"{"role":"user","content":[{"toolResult":{"toolUseId":"a","status":"success","content":[{"text":"x"}]}}]}"#;

    #[test]
    fn events_of_strands_wrap_those_of_the_model() {
        check(
            "bedrock",
            &format!(
                r#"{{"init_event_loop":true}}
{{"event":{{"messageStart":{{"role":"assistant"}}}}}}
{{"event":{{"contentBlockStart":{{"start":{{"toolUse":{{"toolUseId":"a","name":"find"}}}}}}}}}}
{{"event":{{"contentBlockDelta":{{"delta":{{"toolUse":{{"input":"{{}}"}}}}}}}}}}
{{"type":"tool_use_stream","delta":{{"toolUse":{{"input":"{{}}"}}}},"current_tool_use":{{"toolUseId":"a","name":"find","input":"{{}}"}}}}
{{"event":{{"contentBlockStop":{{}}}}}}
{{"event":{{"messageStop":{{"stopReason":"tool_use"}}}}}}
{{"message":{CALL}}}
{{"message":{RESULT}}}
"#
            ),
            &[r#"find("{}") a @0 -> "x""#, "1 repeated in a history"],
        );
    }

    #[test]
    fn rows_of_a_strands_session_are_one_run() {
        let row = |message: &str, id: u8| {
            format!(
                r#"{{"message":{message},"message_id":{id},"redact_message":null,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}}"#
            )
        };
        let asked = row(r#"{"role":"user","content":[{"text":"q"}]}"#, 0);
        let rows = [asked, row(CALL, 1), row(RESULT, 2)];
        let calls = [r#"find({"id":7}) a @1 -> "x""#];
        check("bedrock", &rows.join("\n"), &calls);
        check("bedrock", &format!("[{}]", rows.join(",")), &calls);
        check(
            "bedrock",
            &format!("{{\"message\":{CALL}}}\n{{\"message\":{RESULT}}}\n"),
            &[r#"find({"id":7}) a @0 -> "x""#],
        );
    }
}
