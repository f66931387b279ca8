//! Messages of the `OpenAI` Chat Completions API, and of the many APIs compatible with it.

mod stream;

use stream::Pieces;

use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::listed::{each_call, holds_call};
use crate::messages::output_of;
use crate::messages::parts::{CONTENTS, is_plain_part, names_action, pass_over};
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall, failed};

static DIALECT: MessageDialect = MessageDialect {
    mark: "tool_calls[].function",
    decides,
    owns: |value| value.says("object", "chat.completion"),
    message,
    is_event: |value| {
        value.says("object", "chat.completion.chunk")
            || value.list("choices").iter().any(|it| it.has("delta"))
    },
    stream: Some(|| Box::new(Pieces::default())),
    keys: &["choices", "object"],
    reply,
    takes_plain_text: true,
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "openai-chat",
    title: "OpenAI Chat Completions",
    summary: "messages with `tool_calls[].function`, replies and streamed chunks",
    reads: &[
        ("calls", "`tool_calls[].function`, `tool_calls[].custom`, `function_call` of assistant messages"),
        ("arguments", "`function.arguments`, `custom.input`"),
        ("results", "messages with the role `tool` or `function`"),
        ("ids", "`tool_calls[].id`, `tool_call_id`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "Conversations one a line or in a list, stored replies, and streams of chunks. Many providers and servers speak this form; arguments may be an
object, ids may be missing. In messages of Inspect `tool_calls[].function` is the name. `parallel` calls are taken apart as in [`openai-responses`](openai-responses.md).",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\":7}"}}]},
 {"role":"tool","tool_call_id":"c1","content":"shipped"}]"#,
    priority: Priority::CommonMessages,
    reading: Reading::Messages(&DIALECT),
};

fn decides(message: &Node<'_>) -> bool {
    let is_call = |call: &Node<'_>| {
        call.at(&["function", "name"]).is_some()
            || call.at(&["custom", "name"]).is_some()
            || is_of_inspect(call)
    };
    // Some APIs omit the object around name and arguments.
    let is_flat = |call: &Node<'_>| call.str_at("name").is_some() && call.has("arguments");
    holds_call(message, "tool_calls", is_call)
        || message.has("role") && holds_call(message, "tool_calls", is_flat)
        || message.has("role") && holds_call(message, "function_call", |call| call.has("name"))
        || message.says("role", "tool") && message.has("tool_call_id") && message.has("content")
}

/// True for a call in an Inspect message, which may occur outside its logs: the function is a name only.
fn is_of_inspect(call: &Node<'_>) -> bool {
    call.str_at("function").is_some()
}

/// The messages in a stored reply. Services with content filters begin a stream with a chunk without choices.
fn reply<'n, 'a>(value: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let choices = value.get("choices").filter(|choices| choices.is_list())?;
    let is_reply = !choices.items().is_empty() || value.says("object", "chat.completion");
    is_reply.then(|| {
        let choices = choices.items().iter();
        choices.flat_map(message_and_calls).collect()
    })
}

/// The message in an object, and the object itself if it holds the message's calls.
pub(crate) fn message_and_calls<'n, 'a>(
    value: &'n Node<'a>,
) -> impl Iterator<Item = &'n Node<'a>> + use<'n, 'a> {
    const CALLS: [&str; 2] = ["tool_calls", "function_call"];
    let message = value.get("message").filter(|it| it.is_object());
    let has_calls = |node: &Node<'_>| node.any(&CALLS).is_some();
    let beside = message
        .filter(|it| has_calls(value) && !has_calls(it))
        .map(|_| value);
    message.into_iter().chain(beside)
}

pub(crate) fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    match message.str_at("role") {
        Some("tool") => {
            // AutoGen 0.2, AG2 and tau2-bench store the results of parallel calls in one message.
            let results = message.any_list(&["tool_responses", "tool_messages"]);
            let alone = std::slice::from_ref(message);
            let results = if results.is_empty() { alone } else { results };
            results.iter().for_each(|it| result(it, conversation));
        }
        Some("function") => {
            conversation.result(CallResult::from_node(message, &[], &["name"], &["content"]));
        }
        role => {
            if let Some(role) = role.filter(|role| names_action(role)) {
                conversation.left_over(format!("a message of the role `{role}`"));
            }
            calls(message, conversation);
        }
    }
}

fn result(message: &Node<'_>, conversation: &mut Conversation) {
    let ids = &["tool_call_id", "id"];
    let result = CallResult::from_node(message, ids, &["name"], &["content"]);
    conversation.result(CallResult {
        error: error_of(message),
        ..result
    });
}

/// The error of a failed call. The API has no field for it, so tools use their own.
fn error_of(message: &Node<'_>) -> Option<String> {
    let error = message.get("error");
    let said = error.filter(|it| it.is_object() || it.str().is_some_and(|text| !text.is_empty()));
    let is_error = message.is_set("error")
        || message.is_set("is_error")
        || message.is_set("isError")
        || message.says("status", "error");
    said.map(output_of).or_else(|| is_error.then(failed))
}

fn calls(message: &Node<'_>, conversation: &mut Conversation) {
    each_call(
        message,
        "tool_calls",
        conversation,
        &mut |call, key, conversation| {
            let requestor = call.label_at(&["requestor"]);
            conversation.call(TraceCall {
                id: call.label_at(&["id"]).or(key),
                // In tau2-bench the user has tools too.
                actor: requestor.filter(|name| *name != *"assistant"),
                ..self::call(call)
            });
        },
    );
    each_call(
        message,
        "function_call",
        conversation,
        &mut |call, _, conversation| {
            conversation.call(TraceCall::from_node(call, &["name"], &["arguments"], &[]));
        },
    );
    if is_of_model(message) {
        // Messages without calls may be in the form of any format.
        let parts = CONTENTS.iter().flat_map(|key| message.list(key));
        parts
            .filter(|part| !is_plain_part(part))
            .for_each(|part| pass_over(part, conversation));
    }
}

fn call(call: &Node<'_>) -> TraceCall {
    if let Some(custom) = call.get("custom") {
        return TraceCall {
            name: custom.name_at(&["name"]).unwrap_or_default(),
            arguments: TraceArguments::free(custom, "input"),
            ..TraceCall::default()
        };
    }
    if is_of_inspect(call) {
        return TraceCall {
            error: call.raw_at("parse_error"),
            ..TraceCall::from_node(call, &["function"], &["arguments"], &[])
        };
    }
    let function = call.get("function").filter(|it| it.is_object());
    TraceCall::from_node(
        function.unwrap_or(call),
        &["name"],
        &["arguments", "args"],
        &[],
    )
}

#[cfg(test)]
mod tests;
