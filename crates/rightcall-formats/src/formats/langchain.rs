//! Messages of `LangChain`, and states and updates of `LangGraph`.

use crate::format::{Format, Reading};
use crate::messages::{Dialect, WholeMessages, output_of, recognise};
use crate::node::Node;
use crate::trace::conversation::{CallResult, Conversation};
use crate::trace::{TraceArguments, TraceCall};

static DIALECT: Dialect = Dialect {
    mark: "messages of type human, ai or tool",
    decides,
    owns: |_| false,
    message,
    is_event: is_update,
    stream: || Box::new(WholeMessages(&DIALECT)),
};

pub(super) static ENTRY: Format = Format {
    name: "langchain",
    title: "LangChain and LangGraph messages",
    summary: "messages of type `ai` and `tool`, plain or serialized, states and streamed updates",
    reads: &[
        (
            "calls",
            "`tool_calls[]` with `name` and `args`; `invalid_tool_calls`; else those of `additional_kwargs` or of content blocks",
        ),
        ("arguments", "`args`"),
        ("results", "messages of type `tool`"),
        ("ids", "`tool_calls[].id`, `tool_call_id`"),
        ("errors", "`status`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times"],
    notes: "A list of messages, a state of LangGraph, or its updates as they are streamed, one a line. Messages may be plain, with their content
under `data`, or serialized with `lc`. Calls that stand in several places of a message count once. Pieces of a streamed message are
put together by `index`.",
    extensions: &["json", "jsonl"],
    example: r#"{"messages":[{"type":"ai","content":"","tool_calls":[{"name":"find_order","args":{"id":7},"id":"c1","type":"tool_call"}]},{"type":"tool","content":"shipped","tool_call_id":"c1","name":"find_order","status":"success"}]}"#,
    recognise: |value| recognise(value, &DIALECT),
    reading: Reading::Messages(&DIALECT),
};

fn decides(message: &Node<'_>) -> bool {
    let is_typed = matches!(class(message), Some("human" | "ai" | "tool" | "system" | "AIMessageChunk"))
        && (message.has("content") || message.at(&["data", "content"]).is_some())
        && !message.has("role");
    let is_serialized = message.has("lc") && message.has("kwargs");
    let has_calls = message.list("tool_calls").iter().any(|call| call.has("args") && call.has("name"));
    is_typed || is_serialized || has_calls
}

/// `{"agent": {"messages": […]}}`: what one node of a graph did.
fn is_update(value: &Node<'_>) -> bool {
    match value.entries() {
        [(_, update)] => update.list("messages").iter().any(|message| decides(message) && !update.has("role")),
        _ => false,
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
    conversation.message();
    let class = class(message);
    // Serialized messages keep what they hold one level down.
    let body = message.any(&["data", "kwargs"]).filter(|body| body.is_object()).unwrap_or(message);
    let class = if body.has("tool_call_id") { Some("tool") } else { class };
    match class {
        Some("tool" | "ToolMessage" | "ToolMessageChunk" | "function" | "FunctionMessage") => {
            conversation.result(CallResult {
                id: body.label_at(&["tool_call_id"]),
                name: body.label_at(&["name"]),
                output: body.get("content").map(output_of),
                error: body.says("status", "error").then(|| "true".to_owned()),
            });
        }
        Some("human" | "HumanMessage" | "system" | "SystemMessage" | "user") => {}
        _ => calls(body, conversation),
    }
}

fn calls(body: &Node<'_>, conversation: &mut Conversation) {
    let (calls, invalid) = (body.list("tool_calls"), body.list("invalid_tool_calls"));
    if !calls.is_empty() || !invalid.is_empty() {
        calls.iter().chain(invalid).for_each(|it| _ = conversation.call(call(it)));
        return;
    }
    let chunks = body.list("tool_call_chunks");
    let wrapped = body.get("additional_kwargs").map_or(&[][..], |it| it.list("tool_calls"));
    if !chunks.is_empty() || !wrapped.is_empty() {
        let all = if chunks.is_empty() { wrapped } else { chunks };
        all.iter().for_each(|it| _ = conversation.call(call(it)));
        return;
    }
    body.list("content").iter().for_each(|block| _ = super::anthropic::block(block, None, conversation));
}

fn call(call: &Node<'_>) -> TraceCall {
    let function = call.get("function").unwrap_or(call);
    TraceCall {
        name: function.label_at(&["name"]).unwrap_or_default(),
        arguments: TraceArguments::of_call(function.any(&["args", "arguments"])),
        id: call.label_at(&["id"]),
        ..TraceCall::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::messages::check;

    const FOUND: [&str; 2] = [r#"find({"id":7}) c @0 group-1 -> "x" error true"#, r#"look("{") d @0 group-1"#];

    #[test]
    fn messages_are_read_plain_and_serialized() {
        let calls = r#""content":"","tool_calls":[{"name":"find","args":{"id":7},"id":"c","type":"tool_call"}],"invalid_tool_calls":[{"name":"look","args":"{","id":"d","error":"e"}]"#;
        let result = r#""content":"x","tool_call_id":"c","name":"find","status":"error""#;
        for text in [
            format!(r#"{{"messages":[{{"type":"ai",{calls}}},{{"type":"tool",{result}}}]}}"#),
            format!(r#"[{{"type":"ai","data":{{{calls}}}}},{{"type":"tool","data":{{{result}}}}}]"#),
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
            &["find({}) c @0", r#"find({"n":1}) d @1"#, r#"find("{}") e @2"#],
        );
    }
}
