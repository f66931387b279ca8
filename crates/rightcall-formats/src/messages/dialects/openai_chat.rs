//! Messages of the `OpenAI` Chat Completions API, and of the many APIs compatible with it.

mod of_api;
mod plain_call;
mod stream;

pub(crate) use of_api::are_of_api;
pub(crate) use plain_call::{are_plain_calls, listed, lists_other_calls};
use stream::Pieces;

use rightcall_core::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::actions::note_role;
use crate::messages::listed::{each_call, holds_call};
use crate::messages::output_of;
use crate::messages::parts::{CONTENTS, is_plain_part, pass_over};
use crate::node::Node;
use crate::trace::role::{is_of_model, model_text};
use crate::trace::wrappers;
use crate::trace::{
    CallResult, Conversation, TraceArguments, TraceCall, Understood, failed, is_demand,
};

static DIALECT: MessageDialect = MessageDialect {
    mark: "tool_calls[].function",
    decides,
    owns: |value| {
        value.says("object", "chat.completion")
            || are_of_api(value)
            || are_plain_calls(value)
            || listed(value).is_some()
    },
    is_message: |node| plain_call::is_plain_call(node) || in_memory(node).is_some(),
    message,
    is_event: |value| {
        value.says("object", "chat.completion.chunk")
            || value.list("choices").iter().any(|it| it.has("delta"))
            || stream::is_of_ollama(value) && !value.is_set("done")
            || stream::is_bare_delta(value)
    },
    stream: Some(|| Box::new(Pieces::default())),
    keys: &["choices", "object"],
    reply,
    list: Some(TASKS),
    takes_plain_text: true,
    ..MessageDialect::BASE
};

/// The key of the tasks in the output of a crew.
const TASKS: &str = "tasks_output";

pub(crate) static ENTRY: Format = Format {
    name: "openai-chat",
    title: "OpenAI Chat Completions",
    summary: "messages with `tool_calls[].function`, replies and streamed chunks",
    reads: &[
        ("calls", "`tool_calls[].function`, `tool_calls[].custom`, `function_call` of assistant messages; `toolCalls`"),
        ("arguments", "`function.arguments`, `custom.input`"),
        ("results", "messages with the role `tool` or `function`; of CAMEL's memory `result`"),
        ("ids", "`tool_calls[].id`, `tool_call_id`, `toolCallId`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "Conversations one a line or in a list, stored replies, outputs of CrewAI's crews, and streams of chunks. Many providers and servers speak this form; arguments may be an
object, ids may be missing. A list of calls alone, in any usual spelling of name and arguments, is a run. In messages of Inspect `tool_calls[].function` is the name. `parallel` calls are taken apart as in [`openai-responses`](openai-responses.md).",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\":7}"}}]},
 {"role":"tool","tool_call_id":"c1","content":"shipped"}]"#,
    priority: Priority::CommonMessages,
    reading: Reading::Messages(&DIALECT),
};

/// The message in a record of CAMEL's memory, and its role.
fn in_memory<'n, 'a>(record: &'n Node<'a>) -> Option<(&'n Node<'a>, &'n str)> {
    let role = record.str_at("role_at_backend")?;
    Some((record.get("message").filter(|it| it.is_object())?, role))
}

fn decides(message: &Node<'_>) -> bool {
    let message = in_memory(message).map_or(message, |(inner, _)| inner);
    let is_call = |call: &Node<'_>| {
        call.at(&["function", "name"]).is_some()
            || call.at(&["custom", "name"]).is_some()
            || is_of_inspect(call)
    };
    // Some APIs omit the object around name and arguments.
    let is_flat = |call: &Node<'_>| call.str_at("name").is_some() && call.has("arguments");
    let is_any = |key: &str| {
        holds_call(message, key, is_call)
            || message.has("role") && holds_call(message, key, is_flat)
    };
    is_any("tool_calls")
        || is_any("toolCalls")
        || message.has("role") && holds_call(message, "function_call", |call| call.has("name"))
        || message.says("role", "tool")
            && message.has_any(&["tool_call_id", "toolCallId"])
            && message.has("content")
}

/// True for a call in an Inspect message, which may occur outside its logs: the function is a name only.
fn is_of_inspect(call: &Node<'_>) -> bool {
    call.str_at("function").is_some()
}

/// The messages in a stored reply. Services with content filters begin a stream with a chunk without choices.
fn reply<'n, 'a>(value: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    if let Some(calls) = listed(value) {
        return Some(calls.iter().collect());
    }
    // The output of CrewAI's crew has the messages of each task.
    let tasks = value.list(TASKS);
    if !tasks.is_empty() {
        let messages = tasks.iter().map(|task| task.list("messages"));
        let is_whole = messages.clone().all(|of_task| !of_task.is_empty());
        return is_whole.then(|| messages.flatten().collect());
    }
    let choices = value.get("choices").filter(|choices| choices.is_list())?;
    let is_reply = !choices.items().is_empty() || value.says("object", "chat.completion");
    is_reply.then(|| {
        let choices = choices.items().iter();
        choices.flat_map(message_and_calls).collect()
    })
}

/// Keys of the calls in a message.
pub(crate) const CALLS: [&str; 3] = ["tool_calls", "toolCalls", "function_call"];

/// True for an object with calls. The `function_call` of a request demands one.
pub(crate) fn has_calls(node: &Node<'_>) -> bool {
    let is_call = |key: &&str| node.get(key).is_some_and(|it| !is_demand(it));
    CALLS.iter().any(is_call)
}

/// The message in an object, and the object itself if it holds the message's calls.
pub(crate) fn message_and_calls<'n, 'a>(
    value: &'n Node<'a>,
) -> impl Iterator<Item = &'n Node<'a>> + use<'n, 'a> {
    let message = value.get("message").filter(|it| it.is_object());
    let beside = message
        .filter(|it| has_calls(value) && !has_calls(it))
        .map(|_| value);
    message.into_iter().chain(beside)
}

pub(crate) fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    if plain_call::is_plain_call(message) {
        conversation.call(plain_call::read(message));
        return;
    }
    if let Some(call) = addressed_call(message) {
        conversation.call(call);
        return;
    }
    if let Some((inner, role)) = in_memory(message) {
        return match role {
            "assistant" => {
                conversation.note_agent_message(inner);
                calls(inner, conversation);
            }
            "function" | "tool" => {
                let (ids, names) = (["tool_call_id"], ["func_name"]);
                let result = CallResult::from_node(inner, &ids, &names, &["result"]);
                conversation.result(result);
            }
            _ => {}
        };
    }
    match message.str_at("role") {
        Some("tool") => {
            // AutoGen 0.2, AG2, tau2-bench and Spring AI store the results of parallel calls in one message.
            let results = message.any_list(&["tool_responses", "tool_messages", "responses"]);
            let alone = std::slice::from_ref(message);
            let results = if results.is_empty() { alone } else { results };
            results.iter().for_each(|it| result(it, conversation));
        }
        Some("function") => {
            conversation.result(CallResult::from_node(message, &[], &["name"], &["content"]));
        }
        _ => {
            note_role(message, conversation);
            calls(message, conversation);
        }
    }
}

fn result(message: &Node<'_>, conversation: &mut Conversation) {
    let id = message
        .label_at(&IDS[1..])
        .or_else(|| message.label_at(&IDS[..1]));
    // GLM has the results of parallel calls in one message.
    let several = message.list("content");
    if id.is_none() && !several.is_empty() && several.iter().all(|it| it.has_only(&["output"])) {
        for it in several {
            conversation.result(CallResult::from_node(it, &[], &[], &["output"]));
        }
        return;
    }
    let outputs = &["content", "response_data", "output"];
    let result = CallResult::from_node(message, &[], &["name", "tool_name"], outputs);
    conversation.result(CallResult {
        id,
        name: result.name.map(wrappers::tool_of),
        error: error_of(message),
        ..result
    });
}

/// Keys of the id of a call, in a call and in its result.
const IDS: [&str; 7] = [
    "id",
    "tool_call_id",
    "toolCallId",
    "call_id",
    "callId",
    "tool_use_id",
    "toolUseId",
];

/// The call in a message to a tool, as gpt-oss makes them: the recipient is the tool, the content its arguments. Agents that talk to each
/// other, as in AG2, name a recipient too, but have no channels.
fn addressed_call(message: &Node<'_>) -> Option<TraceCall> {
    const OTHERS: [&str; 3] = ["user", "assistant", "all"];
    let recipient = message.label_at(&["recipient"])?;
    let is_of_chat = message.has_any(&["sender", "tool_calls", "function_call"]);
    if !is_of_model(message) || is_of_chat || OTHERS.iter().any(|other| recipient == **other) {
        return None;
    }
    let arguments = model_text(message).map(|text| Text::from(text.into_owned()));
    let arguments = arguments.map_or(TraceArguments::Absent, TraceArguments::Text);
    let is_tool = message.has_any(&["channel", "content_type"])
        || recipient.to_display().starts_with("functions.")
        || arguments.understood() == Understood::Object;
    if !is_tool {
        return None;
    }
    Some(TraceCall {
        name: wrappers::tool_of(recipient),
        arguments,
        ..TraceCall::default()
    })
}

/// The error of a failed call. The API has no field for it, so tools use their own.
fn error_of(message: &Node<'_>) -> Option<String> {
    let error = message.get("error");
    let said = error.filter(|it| it.is_object() || it.str().is_some_and(|text| !text.is_empty()));
    let is_error = message.is_set("error")
        || message.is_set("is_error")
        || message.is_set("isError")
        || message.is_set("tool_call_error")
        || message.says("status", "error");
    said.map(output_of).or_else(|| is_error.then(failed))
}

/// Reads the calls of a message, and passes over its other parts.
pub(super) fn calls(message: &Node<'_>, conversation: &mut Conversation) {
    // A library may write a call under its old key too.
    let several = CALLS.iter().filter(|key| message.has(key)).count() > 1;
    let mut made = Vec::new();
    for key in CALLS {
        let before = made.len();
        each_call(message, key, conversation, &mut |call, id, conversation| {
            if key == "function_call" && is_empty_call(call) {
                return;
            }
            let read = call_under(key, call, id);
            let is_repeated = made[..before].iter().any(|it| read.is_equal(it));
            if several && is_repeated {
                return;
            }
            made.extend(several.then(|| read.clone()));
            conversation.call(read);
        });
    }
    note_executed(message, conversation);
    if is_of_model(message) {
        // Messages without calls may be in the form of any format.
        let parts = CONTENTS.iter().flat_map(|key| message.list(key));
        parts
            .filter(|part| !is_plain_part(part))
            .for_each(|part| pass_over(part, conversation));
    }
}

/// True for the empty values that libraries in Go write in place of a call.
fn is_empty_call(call: &Node<'_>) -> bool {
    call.says("name", "") && call.says("arguments", "")
}

/// Notes the tools that Groq's compound systems ran themselves; their entries have a type instead of a name.
fn note_executed(message: &Node<'_>, conversation: &mut Conversation) {
    let executed = message.list("executed_tools").len();
    (0..executed).for_each(|_| conversation.left_over("a call under `executed_tools`"));
}

/// A call under one of these keys, with the key it has there.
fn call_under(key: &str, call: &Node<'_>, id: Option<Text<'static>>) -> TraceCall {
    if key == "function_call" {
        return TraceCall::from_node(call, &["name"], &["arguments"], &[]);
    }
    let requestor = call.label_at(&["requestor"]);
    TraceCall {
        id: call.label_at(&IDS).or(id),
        // In tau2-bench the user has tools too.
        actor: requestor.filter(|name| *name != *"assistant"),
        ..self::call(call)
    }
}

fn call(call: &Node<'_>) -> TraceCall {
    let custom = call.get("custom");
    if let Some(custom) = custom.filter(|it| !it.says("name", "") || !call.has("function")) {
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
    let function = call.any(&["function", "tool"]).filter(|it| it.is_object());
    TraceCall::from_node(
        function.unwrap_or(call),
        &["name"],
        &["arguments", "args"],
        &[],
    )
}

#[cfg(test)]
mod tests;
