//! Messages of Anthropic.

use std::collections::BTreeMap;

use rightcall_core::value::MAX_DEPTH;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::{StreamEnding, cut_off, note_ending};
use crate::messages::output_of;
use crate::messages::parts::{pass_over, pass_over_text};
use crate::messages::pieces::{ArgumentPieces, is_lost_piece, piece_index};
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, Conversation, Doubt, TraceArguments, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "content blocks of type tool_use or tool_result",
    decides: |message| is_block(message) || message.holds("content", is_known),
    owns: |value| {
        // OpenAI's items have other blocks.
        let is_other = |block: &Node<'_>| block.says("type", "output_text");
        value.says("type", "message")
            && value.says("role", "assistant")
            && value.has("content")
            && !value.holds("content", is_other)
    },
    message,
    is_event: |value| {
        matches!(
            value.str_at("type"),
            Some(
                "message_start"
                    | "content_block_start"
                    | "content_block_delta"
                    | "content_block_stop"
                    | "message_stop"
            )
        ) || value.says("type", "message_delta") && value.has("delta")
    },
    stream: Some(|| Box::new(Blocks::default())),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "anthropic",
    title: "Anthropic Messages",
    summary: "messages with `tool_use` and `tool_result` blocks, replies and streamed events",
    reads: &[
        ("calls", "content blocks of type `tool_use`, `server_tool_use`, `mcp_tool_use`"),
        ("arguments", "`input`"),
        ("results", "blocks of type `tool_result` and `…_tool_result`"),
        ("ids", "`id`, `tool_use_id`"),
        ("errors", "`is_error`, and contents of a type that ends in `_error`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times"],
    notes: "Bodies of requests and replies of the Messages API, lists of messages, and event streams. Tools that the provider runs are marked as such;
`--read provider=drop` leaves them out.",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"find_order","input":{"id":7}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"shipped"}]}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// True for a call. The Agent SDK for Python has a class for each block in place of a type.
pub(crate) fn is_call(block: &Node<'_>) -> bool {
    match block.str_at("type") {
        Some(kind) => matches!(
            kind,
            "tool_use" | "server_tool_use" | "mcp_tool_use" | "ToolUseBlock" | "ServerToolUseBlock"
        ),
        None => ["id", "name", "input"].iter().all(|key| block.has(key)),
    }
}

/// True for a call that the provider runs.
fn is_of_provider(block: &Node<'_>) -> bool {
    let kind = block.str_at("type");
    kind.is_some_and(|kind| !matches!(kind, "tool_use" | "ToolUseBlock"))
}

pub(crate) fn is_result(block: &Node<'_>) -> bool {
    block.str_at("type").is_none_or(is_result_kind) && block.has_any(&RESULT_IDS)
}

fn is_result_kind(kind: &str) -> bool {
    kind.ends_with("tool_result") && !kind.contains('.') || kind.ends_with("ToolResultBlock")
}

/// Keys of the call that a result belongs to; Amp writes the second.
const RESULT_IDS: [&str; 2] = ["tool_use_id", "toolUseID"];

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    if is_block(message) {
        block(message, None, conversation);
        return;
    }
    blocks(message, is_of_model(message), conversation);
}

/// Reads the blocks of a message.
fn blocks(message: &Node<'_>, is_said: bool, conversation: &mut Conversation) {
    for item in message.list("content") {
        block(item, None, conversation);
        if is_known(item) {
            continue;
        }
        if item.str_at("type").is_some_and(is_result_kind) {
            // Without an id it answers the oldest open call.
            conversation.result(content_result(item, &[]).failed_if(item.is_set("is_error")));
        } else if is_said {
            pass_over(item, conversation);
        }
    }
}

/// True for a block without a message. Events of other formats may have its type, but not these members.
fn is_block(message: &Node<'_>) -> bool {
    is_known(message) && message.has("type") && message.has_any(&["input", "tool_use_id"])
}

fn is_known(block: &Node<'_>) -> bool {
    is_call(block) || is_result(block)
}

/// Reads a block of a message; streamed arguments are passed separately. Returns the index of the call it makes or answers.
pub(crate) fn block(
    block: &Node<'_>,
    streamed: Option<TraceArguments>,
    conversation: &mut Conversation,
) -> Option<usize> {
    if is_call(block) {
        let call = TraceCall::from_node(block, &["name"], &["input"], &["id"]);
        let call = call.by_provider_if(is_of_provider(block));
        conversation.call(TraceCall {
            arguments: streamed.unwrap_or(call.arguments),
            ..call
        })
    } else if is_result(block) {
        let content = block.get("content");
        let is_error = block.is_set("is_error")
            || block
                .at(&["run", "status"])
                .is_some_and(|status| status.str() == Some("error"))
            || content
                .and_then(|it| it.str_at("type"))
                .is_some_and(|kind| kind.ends_with("_error"));
        conversation.result(content_result(block, &RESULT_IDS).failed_if(is_error))
    } else {
        None
    }
}

/// Keys of an output in other formats.
const OTHER_OUTPUTS: [&str; 5] = ["result", "response", "text", "value", "data"];

/// The result in the content of a block or an event, for the call with the id under one of these keys.
pub(super) fn content_result(node: &Node<'_>, ids: &[&str]) -> CallResult {
    let run = node
        .get("run")
        .and_then(|run| run.any(&["result", "error"]));
    // AgentScope has `output`.
    let output = node.get("content").or_else(|| node.get("output")).or(run);
    let output = output.map(output_of);
    let is_empty = || (!node.has_any(&OTHER_OUTPUTS)).then(|| "\"\"".to_owned());
    CallResult {
        id: node.label_at(ids),
        output: output.or_else(is_empty),
        ..CallResult::default()
    }
}

/// An open block: its text and the pieces of its input.
type OpenBlock = (String, ArgumentPieces);

/// Open blocks of the stream, by index.
#[derive(Default)]
struct Blocks {
    open: BTreeMap<i128, OpenBlock>,
    ending: StreamEnding,
}

/// True for an event that the library adds to those of the API: a piece, and all pieces of the block so far.
fn is_of_library(event: &Node<'_>) -> bool {
    event.has("snapshot") && !event.has("index")
}

/// Reads a streamed block at its end, complete or not.
fn close((text, pieces): OpenBlock, conversation: &mut Conversation) {
    if let Ok(begun) = Node::parse(&text, MAX_DEPTH) {
        block(&begun, pieces.finish(), conversation);
        if !is_known(&begun) {
            pass_over(&begun, conversation);
        }
    }
}

impl Blocks {
    fn close(&mut self, index: i128, conversation: &mut Conversation) {
        let ended = self.open.remove(&index);
        ended.into_iter().for_each(|it| close(it, conversation));
    }
}

impl Stream for Blocks {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        if is_of_library(event) {
            return;
        }
        self.ending.add_piece(conversation);
        match event.str_at("type").unwrap_or_default() {
            "message_start" => {
                self.end(conversation);
                self.ending.add_piece(conversation);
                conversation.message();
                let message = event.get("message").unwrap_or(event);
                for text in [Some(message), message.get("content")]
                    .into_iter()
                    .flatten()
                {
                    pass_over_text(text, conversation);
                }
                let before = conversation.calls_read();
                blocks(message, true, conversation);
                let calls = conversation.calls_read() - before;
                conversation.look(message, calls, Doubt::None);
                note_ending(message, calls, conversation);
            }
            "content_block_start" => {
                let index = event.whole_at("index").unwrap_or_default();
                // The index may be reused by another block.
                self.close(index, conversation);
                if let Some(begun) = event.get("content_block") {
                    let pieces = ArgumentPieces::default();
                    self.open.insert(index, (begun.raw().to_owned(), pieces));
                }
            }
            "content_block_delta" => {
                self.ending
                    .add_text(event.at(&["delta", "text"]), conversation);
                let piece = event.at(&["delta", "partial_json"]);
                match self.open.get_mut(&piece_index(event, &self.open)) {
                    Some((_, pieces)) => pieces.push(piece),
                    None => self.pass(event),
                }
            }
            "content_block_stop" => self.close(piece_index(event, &self.open), conversation),
            "message_delta" => {
                self.ending.read(event.get("delta").unwrap_or(event));
                conversation.look_beside_reply(event);
            }
            "message_stop" => {
                self.ending.close();
                self.end(conversation);
            }
            _ => self.pass(event),
        }
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            let open = self.open.values_mut();
            open.for_each(|(_, pieces)| pieces.push(None));
        }
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        self.ending.has_begun() && (value.says("type", "ping") || is_of_library(value))
    }

    fn end(&mut self, conversation: &mut Conversation) {
        for begun in std::mem::take(&mut self.open).into_values() {
            let is_call = Node::parse(&begun.0, MAX_DEPTH).is_ok_and(|block| is_call(&block));
            if is_call && !self.ending.is_known() {
                cut_off(conversation);
            }
            close(begun, conversation);
        }
        self.ending.end(conversation);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, error_of};

    #[test]
    fn blocks_are_calls_and_results() {
        check(
            "anthropic",
            r#"[{"role":"user","content":"q"},
                {"role":"assistant","content":[{"type":"text","text":"t"},
                    {"type":"tool_use","id":"c","name":"find","input":{"id":7}},{"type":"tool_use","id":"d","name":"look"}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"d","is_error":true,"content":[{"type":"text","text":"no"}]},
                    {"type":"tool_result","tool_use_id":"c"},{"type":"tool_result","tool_use_id":"x"}]}]"#,
            &[
                r#"find({"id":7}) c @1 group-1 -> """#,
                r#"look({}) d @1 group-1 -> "no" error true"#,
                "1 orphans",
            ],
        );
    }

    #[test]
    fn a_reply_holds_what_the_provider_ran() {
        check(
            "anthropic",
            r#"{"type":"message","role":"assistant","content":[
                {"type":"server_tool_use","id":"s","name":"web_fetch","input":{"url":"u"}},
                {"type":"web_fetch_tool_result","tool_use_id":"s","content":{"type":"web_fetch_tool_result_error","error_code":"e"}}]}"#,
            &[
                r#"web_fetch({"url":"u"}) s @0 by provider -> {"type":"web_fetch_tool_result_error","error_code":"e"} error true"#,
            ],
        );
    }

    #[test]
    fn streamed_input_is_joined_and_an_empty_one_is_no_input() {
        check(
            "anthropic",
            r#"event: message_start
data: {"type":"message_start","message":{"content":[]}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"find","input":{}}}
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"id\":"}}
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"7}"}}
data: {"type":"content_block_stop","index":0}
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"d","name":"look","input":{}}}
data: {"type":"content_block_stop","index":1}
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"e","name":"cut","input":{}}}
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a"}}
"#,
            &[
                r#"find("{\"id\":7}") c @0 group-1"#,
                r"look({}) d @0 group-1",
                r#"cut("{\"a") e @0 group-1"#,
            ],
        );
    }

    #[test]
    fn another_block_under_the_same_index_is_another_call_and_pings_end_nothing() {
        check(
            "anthropic",
            r#"{"type":"message_start","message":{"content":[]}}
    {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"find","input":{}}}
    {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}
    {"type":"ping"}
    {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"d","name":"find","input":{"b":2}}}
    {"type":"message_delta","delta":{"stop_reason":"tool_use"}}
    {"type":"message_stop"}
    "#,
            &[
                r#"find("{\"a\":1}") c @0 group-1"#,
                r#"find({"b":2}) d @0 group-1"#,
            ],
        );
    }

    #[test]
    fn a_call_without_a_name_is_an_error() {
        for name in [
            "",
            r#""name":null,"#,
            r#""name":{"text":"find"},"#,
            r#""name":"","#,
        ] {
            let text = format!(
                r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"c",{name}"input":{{}}}}]}}]"#
            );
            let error = error_of("anthropic", &text, crate::Choices::default());
            assert_eq!(error.expected, "the name of a tool in each call", "{text}");
        }
    }
}
