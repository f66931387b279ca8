//! Wrappers that a framework puts around the arguments of a tool: the call passed to its toolset, or a message to the tool.

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::node::Node;
use crate::trace::{TraceArguments, TraceCall};

/// Keys of the call passed to a toolset.
const CALLS: [&str; 4] = ["call", "tool_call", "toolCall", "tool_use"];
const NAMES: &[&str] = &["tool_name", "toolName", "name"];
const ARGUMENTS: &[&str] = &["args", "arguments", "tool_args", "input", "parameters"];
const IDS: &[&str] = &["tool_call_id", "toolCallId", "id", "tool_use_id"];

/// Unwraps a call with an envelope as its arguments. A tool named by an attribute keeps that name.
pub(super) fn open(call: &mut TraceCall, label: &Text<'_>) {
    let text = match &call.arguments {
        TraceArguments::Json(json) => Some(json.as_str()),
        TraceArguments::Text(text) => text.as_str(),
        TraceArguments::Absent | TraceArguments::Free(_) => None,
    };
    let is_named = !call.name.is_empty();
    let Some(text) = text.filter(|text| !is_named || may_be_envelope(text)) else {
        return;
    };
    let Ok(input) = Node::parse(text, MAX_DEPTH) else {
        return;
    };
    if let Some(inner) = call_in(&input, label, is_named) {
        call.arguments = inner.arguments;
        call.id = call.id.take().or(inner.id);
        if !is_named {
            call.name = inner.name;
        }
    }
}

/// The key of a list of messages around a message to the tool.
const MESSAGES: &str = "messages";

/// True for a list, or for an object with a known first key, so that few arguments have to be parsed.
fn may_be_envelope(text: &str) -> bool {
    let text = text.trim_start();
    let first_key = text.strip_prefix('{').map(str::trim_start);
    let first_key = first_key.and_then(|text| text.strip_prefix('"')?.split('"').next());
    text.starts_with('[') || first_key.is_some_and(|key| CALLS.contains(&key) || key == MESSAGES)
}

/// The call inside an envelope, without a name if only its span has one; `None` for plain arguments.
fn call_in(input: &Node<'_>, label: &Text<'_>, is_named: bool) -> Option<TraceCall> {
    if let Some(message) = message_to_tool(input) {
        return of_message(message);
    }
    let inner = CALLS.iter().find_map(|key| input.get(key));
    let is_call_itself = input.says("type", "tool_call") || is_of_toolset(label);
    let inner = inner.or(Some(input).filter(|_| !is_named && is_call_itself))?;
    is_call(inner).then(|| TraceCall::from_node(inner, NAMES, ARGUMENTS, IDS))
}

fn is_call(node: &Node<'_>) -> bool {
    let is_named = NAMES.iter().any(|key| node.str_at(key).is_some());
    is_named && node.has_any(ARGUMENTS)
}

/// True for the name of a generic dispatch method, such as `ToolManager.handle_call`.
fn is_of_toolset(label: &Text<'_>) -> bool {
    let label = label.to_display();
    let method = label.rsplit('.').next().unwrap_or_default();
    matches!(
        method,
        "call_tool" | "handle_call" | "execute_tool_call" | "call_tool_async"
    )
}

/// The message to the tool: the only one, or the last with its role.
fn message_to_tool<'n, 'a>(input: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let input = input.get(MESSAGES).unwrap_or(input);
    let message = match input.items() {
        [only] => only,
        [] => input,
        several => several
            .iter()
            .rfind(|message| message.says("role", "tool"))?,
    };
    let is_message = message.says("role", "tool")
        || !input.items().is_empty() && message.says("role", "assistant");
    Some(message).filter(|_| is_message)
}

/// The call in a message: its part of the type `tool_call`, or its content, the arguments.
fn of_message(message: &Node<'_>) -> Option<TraceCall> {
    let mut parts = message.list("parts").iter();
    if let Some(call) = parts.find(|part| part.says("type", "tool_call")) {
        return is_call(call).then(|| TraceCall::from_node(call, NAMES, ARGUMENTS, IDS));
    }
    message.get("content").map(of_content)
}

fn of_content(content: &Node<'_>) -> TraceCall {
    let block = match content.items() {
        [only] => only,
        _ => content,
    };
    if let Some(call) = block.any(&["toolUse", "tool_use"]) {
        return TraceCall::from_node(call, &["name"], &["input"], &["toolUseId", "id"]);
    }
    let value = block
        .get("text")
        .filter(|_| content.is_list())
        .unwrap_or(block);
    TraceCall {
        arguments: TraceArguments::from_node(value.get("json").unwrap_or(value)),
        ..TraceCall::default()
    }
}
