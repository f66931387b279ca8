//! Messages of `LangChain`, and states and updates of `LangGraph`.

mod executor;

use std::collections::HashSet;

use rightcall_core::value::{MAX_DEPTH, Text};

use super::{anthropic, openai_chat, openai_responses};
use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::actions::note_role;
use crate::messages::ending::{StreamEnding, cut_off};
use crate::messages::in_text::read_text;
use crate::messages::listed::{each_call, holds_call};
use crate::messages::name_speaker;
use crate::messages::parts::pass_over;
use crate::messages::pieces::{PieceKey, StreamedCalls};
use crate::messages::refusal::answer_or_refuse;
use crate::messages::updates::Updates;
use crate::node::Node;
use crate::trace::role::body;
use crate::trace::{CallResult, CaseScope, Conversation, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "messages of type human, ai or tool",
    decides,
    owns: executor::is_result,
    message,
    is_event: |value| is_update(value) || is_streamed(value) || is_chunk(value),
    stream: Some(|| Box::new(Chunks::default())),
    is_message: |node| node.get("kwargs").is_some_and(Node::is_object) && !node.has("messages"),
    reply: |value| executor::is_result(value).then(|| vec![value]),
    keys: &["kwargs"],
    has_states: true,
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "langchain",
    title: "LangChain and LangGraph messages",
    summary: "messages of type `ai` and `tool`, plain or serialized, states and streamed updates",
    reads: &[
        (
            "calls",
            "`tool_calls[]` with `name` and `args`; `invalid_tool_calls`; `tool_call_chunks` put together; else those of `additional_kwargs` or of content blocks",
        ),
        ("arguments", "`args`"),
        ("results", "messages of type `tool`; of `AgentExecutor` the second of each pair in `intermediate_steps`"),
        ("ids", "`tool_calls[].id`, `tool_call_id`"),
        ("errors", "`status`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times"],
    notes: "A list of messages, a state of LangGraph, or its updates as they are streamed, one a line. Messages may be plain, with their content
under `data`, or serialized with `lc`. Calls in several places of a message count once. Pieces of a streamed message are
put together by `index`.",
    extensions: &["json", "jsonl"],
    example: r#"{"messages":[{"type":"ai","content":"","tool_calls":[{"name":"find_order","args":{"id":7},"id":"c1","type":"tool_call"}]},{"type":"tool","content":"shipped","tool_call_id":"c1","name":"find_order","status":"success"}]}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// True if only `LangChain` writes such a message.
pub(crate) fn decides(message: &Node<'_>) -> bool {
    let is_typed = match class(message) {
        Some("human" | "ai" | "AIMessageChunk" | "tool_execution_result") => true,
        Some("tool") => body(message).has("tool_call_id"),
        // System messages look the same in many formats.
        _ => false,
    };
    let has_content = message.has_any(&["content", "text", LANGCHAIN4J_CALLS])
        || message.at(&["data", "content"]).is_some();
    let is_serialized = message.has("lc") && message.has("kwargs");
    let is_call = |call: &Node<'_>| call.has("args") && call.has("name");
    is_typed && has_content && !message.has("role")
        || is_serialized
        || holds_call(message, "tool_calls", is_call)
}

/// The calls of a message of `LangChain4j`, in the word style of the other messages.
const LANGCHAIN4J_CALLS: &str = "tool_execution_requests";

/// `{"agent": {"messages": […]}}`: the update of one graph node.
fn is_update(value: &Node<'_>) -> bool {
    match value.entries() {
        [(_, update)] => !update.has("role") && update.holds("messages", decides),
        _ => false,
    }
}

/// `[MESSAGE, {"langgraph_node": …}]`: a streamed message, or a piece of one.
fn is_streamed(value: &Node<'_>) -> bool {
    matches!(value.items(), [message, about] if decides(message) && about.has("langgraph_node"))
}

/// A piece of a streamed message. Pieces merged by the class itself have parsed calls instead.
fn is_chunk(message: &Node<'_>) -> bool {
    let body = body(message);
    let is_parsed = !body.list("tool_calls").is_empty() && body.list("tool_call_chunks").is_empty();
    let may_be_piece = body.has("tool_call_chunks") || !body.has("tool_calls");
    class(message) == Some("AIMessageChunk") && may_be_piece && !is_parsed
}

/// A streamed message: its id, and its calls.
#[derive(Default)]
struct Chunks {
    message: Option<Text<'static>>,
    /// The text of the last message that stood alone in a list: a server sends it again as it grows.
    held: Option<String>,
    /// The ids of the messages so far. The update of a nested graph repeats earlier messages.
    seen: HashSet<Text<'static>>,
    calls: StreamedCalls,
    updates: Updates,
    ending: StreamEnding,
}

impl Chunks {
    /// Keeps a message until another one shows that it is complete.
    fn hold(&mut self, message: &Node<'_>, conversation: &mut Conversation) {
        let held = self.held.take();
        let before = held
            .as_ref()
            .and_then(|text| Node::parse(text, MAX_DEPTH).ok());
        if let Some(before) = before.filter(|it| it.label_at(&["id"]) != message.label_at(&["id"]))
        {
            self.whole(&before, conversation);
        }
        self.held = Some(message.raw().to_owned());
    }

    /// Reads a complete message, unless the stream had it before.
    fn whole(&mut self, message: &Node<'_>, conversation: &mut Conversation) {
        let id = body(message).label_at(&["id"]);
        if id.is_none_or(|id| self.seen.insert(id)) {
            whole(message, conversation);
        }
    }

    fn chunk(&mut self, message: &Node<'_>, conversation: &mut Conversation) {
        let body = body(message);
        let id = body.label_at(&["id"]);
        if id != self.message {
            self.end(conversation);
            self.seen.extend(id.clone());
            self.message = id;
        }
        conversation.agent_spoke();
        self.ending.add_piece(conversation);
        self.ending.add_text(body.get("content"), conversation);
        self.ending.read(body);
        // Many models give no reason.
        self.ending.close();
        for chunk in body.list("tool_call_chunks") {
            let key = PieceKey {
                choice: 0,
                index: chunk.whole_at("index"),
            };
            let name = chunk.name_at(&["name"]).filter(|name| !name.is_empty());
            let id = chunk.label_at(&["id"]).filter(|id| !id.is_empty());
            let call = self.calls.piece(key, id, name);
            call.arguments.read(chunk, &["args", "arguments"]);
        }
    }

    /// Sets the graph node of the message or update; waiting calls belong to the previous one.
    fn enter_node(
        &mut self,
        event: &Node<'_>,
        message: &Node<'_>,
        conversation: &mut Conversation,
    ) {
        if !is_chunk(message) || body(message).label_at(&["id"]) != self.message {
            self.end(conversation);
        }
        let node = match (event.items(), event.entries()) {
            ([_, about], _) => outermost_node(about),
            (_, [(node, _)]) if is_update(event) => Some(node.clone().into_owned()),
            _ => None,
        };
        if let Some(node) = node {
            conversation.enter(CaseScope::Node, || Some(node));
        }
    }
}

/// The node in the metadata of a message or event: the outermost for nested graphs.
pub(crate) fn outermost_node(metadata: &Node<'_>) -> Option<Text<'static>> {
    let path = metadata.label_at(&["langgraph_checkpoint_ns", "checkpoint_ns"]);
    let of_path = path.and_then(|path| {
        let path = path.to_display();
        let name = path.split(['|', ':']).next().unwrap_or_default();
        (!name.is_empty()).then(|| Text::from(name.to_owned()))
    });
    of_path.or_else(|| metadata.label_at(&["langgraph_node"]))
}

impl Stream for Chunks {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let message = event.items().first().unwrap_or(event);
        if conversation.has_parts() {
            self.enter_node(event, message, conversation);
        }
        if is_chunk(message) {
            return self.chunk(message, conversation);
        }
        if let [alone] = event.items()
            && alone.has_any(&["tool_calls", "content"])
            && alone.label_at(&["id"]).is_some()
        {
            return self.hold(alone, conversation);
        }
        self.end(conversation);
        if message.has("content") || body(message).has("content") {
            return self.whole(message, conversation);
        }
        self.updates.add(event);
        let update = match event.entries() {
            [(_, update)] if update.is_object() => update,
            _ => event,
        };
        for message in update.list("messages") {
            if is_chunk(message) {
                self.chunk(message, conversation);
            } else {
                self.whole(message, conversation);
            }
        }
    }

    fn is_over_before(&self, event: &Node<'_>) -> bool {
        is_update(event) && self.updates.begin_again(event)
    }

    fn end(&mut self, conversation: &mut Conversation) {
        if let Some(held) = self.held.take()
            && let Ok(held) = Node::parse(&held, MAX_DEPTH)
        {
            self.whole(&held, conversation);
        }
        self.message = None;
        if !self.calls.is_empty() {
            conversation.message();
        }
        for (_, call) in self.calls.take() {
            if !self.ending.is_known() && !call.arguments.are_whole() {
                cut_off(conversation);
            }
            conversation.call(call.into_call());
        }
        self.ending.end(conversation);
    }
}

/// A complete message in a stream.
fn whole(message: &Node<'_>, conversation: &mut Conversation) {
    name_speaker(message, conversation);
    let before = conversation.calls_read();
    self::message(message, conversation);
    if conversation.calls_read() == before {
        read_text(message, conversation);
    }
}

/// The class of a message: `ai`, `AIMessage`.
fn class<'n>(message: &'n Node<'_>) -> Option<&'n str> {
    match message.list("id").last() {
        Some(class) if message.has("kwargs") => class.str(),
        _ => message.str_at("type").or_else(|| message.str_at("role")),
    }
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    if executor::is_result(message) {
        return executor::read(message, conversation);
    }
    conversation.message();
    let class = class(message);
    let body = body(message);
    if std::ptr::eq(body, message) && message.has("kwargs") {
        conversation.left_over("a message with `kwargs` that are no object");
    }
    let class = if body.has("tool_call_id") {
        Some("tool")
    } else {
        class
    };
    match class {
        Some("tool" | "ToolMessage" | "ToolMessageChunk" | "function" | "FunctionMessage") => {
            result(body, conversation);
        }
        Some("chat" | "ChatMessage" | "ChatMessageChunk")
            if matches!(body.str_at("role"), Some("tool" | "function")) =>
        {
            result(body, conversation);
        }
        Some("chat" | "ChatMessage" | "ChatMessageChunk") => {
            note_role(body, conversation);
            calls(body, conversation);
        }
        Some("tool_execution_result") => {
            let result = CallResult::from_node(body, &["id"], &["tool_name"], &["text"]);
            conversation.result(result.failed_if(body.is_set("is_error")));
        }
        Some("human" | "HumanMessage" | "system" | "SystemMessage" | "user") => {}
        _ => calls(body, conversation),
    }
}

/// Reads the message of a tool, or of the middleware that asks a human.
fn result(body: &Node<'_>, conversation: &mut Conversation) {
    answer_or_refuse(tool_result(body), body.str_at("content"), conversation);
}

/// The result in a tool message.
pub(crate) fn tool_result(body: &Node<'_>) -> CallResult {
    CallResult::from_node(body, &["tool_call_id"], &["name"], &["content"])
        .failed_if(body.says("status", "error"))
}

fn calls(body: &Node<'_>, conversation: &mut Conversation) {
    let blocks = body.list("content");
    let first = blocks.iter().position(is_call_of_client);
    let (blocks_before, blocks) = blocks.split_at(first.unwrap_or(blocks.len()));
    for block in blocks_before {
        self::block(block, false, conversation);
    }
    let before = conversation.calls_read();
    let mut read =
        |call: &Node<'_>, key: Option<Text<'static>>, conversation: &mut Conversation| {
            let function = call.get("function").unwrap_or(call);
            conversation.call(TraceCall {
                id: call.label_at(&["id"]).or(key),
                ..TraceCall::from_node(function, &["name"], &["args", "arguments"], &[])
            });
        };
    each_call(body, "tool_calls", conversation, &mut read);
    each_call(body, "invalid_tool_calls", conversation, &mut read);
    each_call(body, LANGCHAIN4J_CALLS, conversation, &mut read);
    if let Some(kept) = body
        .get("additional_kwargs")
        .filter(|_| conversation.calls_read() == before)
    {
        openai_chat::calls(kept, conversation);
    }
    let has_calls = conversation.calls_read() > before;
    for block in blocks {
        self::block(block, has_calls, conversation);
    }
}

/// True for a block that the list of calls repeats. Calls that the provider ran before it are in blocks alone.
fn is_call_of_client(block: &Node<'_>) -> bool {
    const TYPES: [&str; 4] = [
        "tool_use",
        "tool_call",
        "invalid_tool_call",
        "function_call",
    ];
    TYPES.iter().any(|kind| block.says("type", kind)) || block.has("functionCall")
}

/// The types of `LangChain`'s own content blocks with calls.
const OWN_CALLS: [&str; 3] = ["tool_call", "invalid_tool_call", "server_tool_call"];

/// A block of an answer's content, which may repeat a call of the message.
fn block(block: &Node<'_>, has_calls: bool, conversation: &mut Conversation) {
    let is_of = |kind: &str| block.says("type", kind);
    let is_new = |conversation: &Conversation| match block.label_at(&["id"]) {
        Some(id) => !conversation.has_call_id(&id),
        None => !has_calls,
    };
    if anthropic::is_call(block) {
        if is_new(conversation) {
            anthropic::block(block, None, conversation);
        }
    } else if anthropic::is_result(block) {
        anthropic::block(block, None, conversation);
    } else if OWN_CALLS.iter().any(|kind| is_of(kind)) {
        if is_new(conversation) {
            let call = TraceCall::from_node(block, &["name"], &["args"], &["id"]);
            conversation.call(call.by_provider_if(is_of("server_tool_call")));
        }
    } else if openai_responses::is_provider_call(block) {
        if is_new(conversation) {
            conversation.call(openai_responses::provider_call(block));
        }
    } else if let Some(call) = block.get("functionCall").filter(|call| call.is_object()) {
        // A part of Gemini, which repeats a call of the message without its id.
        if !has_calls {
            conversation.call(TraceCall::from_node(call, &["name"], &["args"], &["id"]));
        }
    } else if is_of("server_tool_result") {
        let result = CallResult::from_node(block, &["tool_call_id"], &[], &["output"]);
        conversation.result(result.failed_if(block.says("status", "error")));
    } else {
        pass_over(block, conversation);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    const FOUND: [&str; 2] = [
        r#"find({"id":7}) c @0 group-1 -> "x" error true"#,
        r#"look("{") d @0 group-1"#,
    ];

    #[test]
    fn messages_are_read_plain_and_serialized() {
        let calls = r#""content":"","tool_calls":[{"name":"find","args":{"id":7},"id":"c","type":"tool_call"}],"invalid_tool_calls":[{"name":"look","args":"{","id":"d","error":"e"}]"#;
        let result = r#""content":"x","tool_call_id":"c","name":"find","status":"error""#;
        for text in [
            format!(r#"{{"messages":[{{"type":"ai",{calls}}},{{"type":"tool",{result}}}]}}"#),
            format!(
                r#"[{{"type":"ai","data":{{{calls}}}}},{{"type":"tool","data":{{{result}}}}}]"#
            ),
            format!(
                r#"[{{"lc":1,"type":"constructor","id":["a","AIMessage"],"kwargs":{{{calls}}}}},{{"lc":1,"type":"constructor","id":["a","ToolMessage"],"kwargs":{{{result}}}}}]"#
            ),
            format!(
                "{{\"agent\":{{\"messages\":[{{\"type\":\"ai\",{calls}}}]}}}}\n{{\"tools\":{{\"messages\":[{{\"type\":\"tool\",{result}}}]}}}}\n"
            ),
        ] {
            check("langchain", &text, &FOUND);
        }
    }

    #[test]
    fn calls_that_stand_in_several_places_count_once() {
        check(
            "langchain",
            r#"[{"type":"ai","content":[{"type":"tool_use","id":"c","name":"find","input":{}}],
                "tool_calls":[{"name":"find","args":{},"id":"c"}],"additional_kwargs":{"tool_calls":[{"id":"c","function":{"name":"find","arguments":"{}"}}]}},
                {"type":"ai","content":[{"type":"tool_use","id":"d","name":"find","input":{"n":1}}],"tool_calls":[]},
                {"type":"ai","content":"","additional_kwargs":{"tool_calls":[{"id":"e","function":{"name":"find","arguments":"{}"}}]}}]"#,
            &[
                "find({}) c @0",
                r#"find({"n":1}) d @1"#,
                r#"find("{}") e @2"#,
            ],
        );
    }

    #[test]
    fn pieces_of_a_streamed_message_are_put_together() {
        let chunk = |id: &str, calls: &str| {
            format!(
                r#"{{"type":"AIMessageChunk","id":"{id}","content":"","tool_calls":[],"tool_call_chunks":[{calls}]}}"#
            )
        };
        let chunks = [
            chunk("r1", r#"{"name":"find","args":"","id":"c","index":0}"#),
            chunk(
                "r1",
                r#"{"name":null,"args":"{\"id\"","id":null,"index":0}"#,
            ),
            chunk(
                "r1",
                r#"{"name":"look","args":"{}","id":"d","index":1},{"name":null,"args":":7}","id":null,"index":0}"#,
            ),
            chunk("r1", ""),
            r#"{"type":"tool","content":"x","tool_call_id":"c","name":"find"}"#.to_owned(),
            chunk("r2", r#"{"name":"find","args":"{}","id":"e","index":0}"#),
        ];
        let found = [
            r#"find("{\"id\":7}") c @0 group-1 -> "x""#,
            r#"look("{}") d @0 group-1"#,
            r#"find("{}") e @2"#,
        ];
        check("langchain", &chunks.join("\n"), &found);
        check("langchain", &format!("[{}]", chunks.join(",")), &found);
        let with_node = chunks
            .iter()
            .map(|chunk| format!(r#"[{chunk},{{"langgraph_node":"agent"}}]"#));
        check(
            "langchain",
            &with_node.collect::<Vec<_>>().join("\n"),
            &found,
        );
    }

    #[test]
    fn updates_of_nested_graphs_repeat_messages_that_count_once() {
        let call = r#"{"type":"ai","id":"m","content":"","tool_calls":[{"name":"find","args":{},"id":"c"}]}"#;
        let next = r#"{"type":"ai","id":"n","content":"","tool_calls":[{"name":"look","args":{},"id":"d"}]}"#;
        check(
            "langchain",
            &format!(
                "{{\"agent\":{{\"messages\":[{call}]}}}}\n{{\"nested\":{{\"messages\":[{call},{next}]}}}}\n"
            ),
            &["find({}) c @0", "look({}) d @1"],
        );
    }

    #[test]
    fn what_the_provider_ran_comes_in_the_order_of_the_content() {
        check(
            "langchain",
            r#"[{"type":"ai","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]},
                    {"type":"server_tool_call","id":"t","name":"code","args":{}},{"type":"server_tool_result","tool_call_id":"t","output":"x","status":"error"},
                    {"type":"web_search_call","id":"w","action":{"query":"q"}},{"type":"function_call","id":"f","call_id":"c","name":"find","arguments":"{}"}],
                "tool_calls":[{"name":"find","args":{},"id":"c"}]}]"#,
            &[
                r#"web_search({"q":1}) s @0 group-1 by provider -> []"#,
                r#"code({}) t @0 group-1 by provider -> "x" error true"#,
                r#"web_search({"query":"q"}) w @0 group-1 by provider"#,
                "find({}) c @0 group-1",
            ],
        );
    }

    #[test]
    fn what_the_system_says_tells_no_format() {
        let system = r#"{"type":"system","content":"x"}"#;
        let human = r#"{"type":"human","content":"q"}"#;
        let ai = r#"{"type":"ai","content":"","tool_calls":[{"name":"find","args":{},"id":"c"}]}"#;
        check(
            "langchain",
            &[system, human, ai].join("\n"),
            &["find({}) c @2"],
        );
        check(
            "langchain",
            &format!("[{system},{human},{ai}]"),
            &["find({}) c @2"],
        );
        let grok = r#"{"type":"assistant","content":"","tool_calls":[{"id":"k","name":"read","arguments":"{}"}],"model_id":"x"}"#;
        for lines in [[system, grok], [r#"{"type":"user","content":[]}"#, grok]] {
            let bytes = lines.join("\n").into_bytes();
            let (limits, options) = (crate::Limits::default(), crate::ReadOptions::default());
            let input = crate::Input::from_bytes("grok", bytes, limits, &options);
            let format = input
                .ok()
                .and_then(|mut input| input.format().ok().flatten());
            assert_ne!(format.map(|it| it.name), Some("langchain"), "{lines:?}");
        }
    }

    #[test]
    fn states_that_go_on_are_one_run() {
        let human = r#"{"type":"human","content":"q","id":"h"}"#;
        let ai = r#"{"type":"ai","content":"","id":"a","tool_calls":[{"name":"find","args":{"id":7},"id":"c"}]}"#;
        let tool = r#"{"type":"tool","content":"x","tool_call_id":"c","id":"t"}"#;
        let state = |messages: &[&str]| format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        let states = [&[human][..], &[human, ai], &[human, ai, tool]].map(state);
        let run = r#"find({"id":7}) c @1 -> "x""#;
        check("langchain", &states.join("\n"), &[run]);
        check("langchain", &format!("[{}]", states.join(",")), &[run]);
        // The same run again.
        let twice = [&states[..], &states].concat().join("\n");
        check("langchain", &twice, &[run, "---", run]);
        // Cases, each with the messages so far.
        let case = |id: u8, state: &str| state.replacen('{', &format!(r#"{{"id":{id},"#), 1);
        let cases = format!("{}\n{}", case(1, &states[1]), case(2, &states[2]));
        check("langchain", &cases, &[r#"find({"id":7}) c @1"#, "---", run]);
    }

    #[test]
    fn blocks_of_the_content_hold_calls() {
        check(
            "langchain",
            r#"[{"type":"ai","content":[{"type":"text","text":"x"},{"type":"tool_call","id":"c","name":"find","args":{"id":7}}]},{"type":"tool","content":"x","tool_call_id":"c"}]"#,
            &[r#"find({"id":7}) c @0 -> "x""#],
        );
    }
}
