//! Items of the Responses API of `OpenAI`.

mod stream;

use rightcall_core::value::Text;
use stream::ResponseEvents;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::cut_off;
use crate::messages::output_of;
use crate::messages::parts::pass_over;
use crate::messages::refusal::{answer_or_refuse, refusal_of, refuse};
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{
    CallResult, Conversation, Executor, TraceArguments, TraceCall, Understood, failed,
};

static DIALECT: MessageDialect = MessageDialect {
    mark: "items of type function_call",
    decides: |item| {
        let is_known = matches!(
            item.str_at("type"),
            Some("item_reference" | "mcp_list_tools" | "mcp_approval_request")
        );
        kind_of(item) != ItemKind::Other || is_known
    },
    owns: |value| value.says("object", "response") && value.has("output"),
    message: |message, conversation| _ = item(message, conversation),
    is_event: |value| {
        let kind = value.str_at("type").unwrap_or_default();
        let is_of_session = kind.starts_with("session.") && value.has("event_id");
        kind.starts_with("response.") || kind.starts_with("conversation.item.") || is_of_session
    },
    stream: Some(new_stream),
    object: Some(("response", &["output"])),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "openai-responses",
    title: "OpenAI Responses",
    summary: "items such as `function_call` and `function_call_output`, responses, streamed events and those of the Realtime API",
    reads: &[
        ("calls", "items of type `function_call`, `custom_tool_call`, `mcp_call`, `mcp_approval_request`, `web_search_call` and the like"),
        ("arguments", "`arguments`, `input`, `action`, `code`, `queries`, `operation`"),
        ("results", "items of type `…_output`, and `output`, `outputs`, `results` of what the provider ran"),
        ("ids", "`call_id`, `callId`"),
        ("errors", "`error` of `mcp_call`"),
        ("order", "the order of items; calls with no message or result between them are parallel"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "Lists of items, stored responses, and event streams, from which the finished items count. Of the Realtime API these are
the items of `response.output_item.done`, else of `response.done`; items of the conversation count where no response holds them. A call of `parallel` or
`multi_tool_use.parallel` is taken apart into the calls that it holds; `--read wrappers=keep` leaves it whole.",
    extensions: &["json", "jsonl"],
    example: r#"[{"type":"function_call","id":"fc_1","call_id":"call_1","name":"find_order","arguments":"{\"id\":7}","status":"completed"},
 {"type":"function_call_output","call_id":"call_1","output":"shipped"}]"#,
    priority: Priority::SharedMessages,
    reading: Reading::Messages(&DIALECT),
};

/// Assembles the events of a stream.
pub(crate) fn new_stream() -> Box<dyn Stream> {
    Box::new(ResponseEvents::default())
}

/// The keys of ids. The JavaScript library for agents uses the second.
const IDS: &[&str] = &["call_id", "callId"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    /// A call run by the API's caller.
    Call,
    /// A call run by the provider.
    ProviderCall,
    /// The result of a call.
    Output,
    /// Neither.
    Other,
}

fn kind_of(item: &Node<'_>) -> ItemKind {
    match item.str_at("type").unwrap_or_default() {
        "function_call" | "custom_tool_call" | "computer_call" | "local_shell_call"
        | "shell_call" | "apply_patch_call" => ItemKind::Call,
        "tool_search_call" if item.says("execution", "client") => ItemKind::Call,
        "hosted_tool_call" if item.str_at("name").is_some_and(|it| OTHERS.contains(&it)) => {
            ItemKind::Other
        }
        "program" | "hosted_tool_call" => ItemKind::ProviderCall,
        kind if kind.ends_with("_call_output")
            || matches!(
                kind,
                "program_output" | "tool_search_output" | "function_call_result"
            ) =>
        {
            ItemKind::Output
        }
        // An unknown type is not used as a tool name.
        kind if kind.ends_with("_call")
            && kind != "tool_call"
            && (is_named(item) || kind == "mcp_call" || tool_of(kind).is_some()) =>
        {
            ItemKind::ProviderCall
        }
        _ => ItemKind::Other,
    }
}

/// Reads an item. Returns the index of the call that it makes or answers.
pub(crate) fn item(item: &Node<'_>, conversation: &mut Conversation) -> Option<usize> {
    match kind_of(item) {
        ItemKind::Call => {
            conversation.item();
            let call = call(item);
            if item.says("status", "incomplete")
                && call.arguments.understood() == Understood::Invalid
            {
                cut_off(conversation);
            }
            conversation.call(call)
        }
        ItemKind::ProviderCall => {
            let request = item.label_at(&["approval_request_id", "approvalRequestId"]);
            if let Some(id) = request.filter(|id| conversation.has_call_id(id)) {
                return approved(id, item, conversation);
            }
            conversation.item();
            conversation.call(provider_call(item))
        }
        ItemKind::Output => {
            conversation.interrupt();
            let kind = item.str_at("type").unwrap_or_default();
            let result = CallResult::from_node(item, IDS, &[], &["output", "result", "tools"]);
            // Without an id, the type identifies the call.
            let name = tool_of(kind).filter(|_| result.id.is_none());
            let result = CallResult {
                name: name.map(Text::new).or_else(|| item.label_at(&["name"])),
                ..result
            };
            // LiveKit has a flag.
            let has_failed = item.says("status", "failed") || item.is_set("is_error");
            let result = result.failed_if(has_failed);
            answer_or_refuse(result, item.str_at("output"), conversation)
        }
        ItemKind::Other => {
            other(item, conversation);
            None
        }
    }
}

/// Reads an approved call, whose request was read before.
fn approved(id: Text<'static>, item: &Node<'_>, conversation: &mut Conversation) -> Option<usize> {
    let TraceCall { output, error, .. } = provider_call(item);
    conversation.repeat();
    conversation.result(CallResult {
        id: Some(id),
        output,
        error,
        ..CallResult::default()
    })
}

/// True for a call of an unknown type with name and arguments under the usual keys.
fn is_named(item: &Node<'_>) -> bool {
    item.str_at("name").is_some() && item.has_any(&["arguments", "input", "action"])
}

/// True for a call run by the provider.
pub(super) fn is_provider_call(item: &Node<'_>) -> bool {
    kind_of(item) == ItemKind::ProviderCall
}

/// A call run by the provider, with its result.
pub(super) fn provider_call(item: &Node<'_>) -> TraceCall {
    if item.says("type", "hosted_tool_call") {
        return hosted_call(item);
    }
    let result = item.any(&["output", "outputs", "results", "result"]);
    let error = item.get("error").map(output_of);
    TraceCall {
        executor: Executor::Provider,
        output: result.map(output_of),
        error: error.or_else(|| item.says("status", "failed").then(failed)),
        ..call(item)
    }
}

/// A call run by the provider, as the JavaScript library for agents wraps it.
fn hosted_call(item: &Node<'_>) -> TraceCall {
    let is_item = |data: &&Node<'_>| data.str_at("type").is_some_and(|it| it.ends_with("_call"));
    let inner = item.get("providerData").filter(is_item);
    let read = inner.map(provider_call).unwrap_or_default();
    let arguments = item.get("arguments").map(TraceArguments::from_node);
    let name = item.name_at(&["name"]);
    let own = name
        .as_ref()
        .and_then(Text::as_str)
        .and_then(tool_of)
        .map(Text::new);
    TraceCall {
        name: Some(read.name)
            .filter(|it| !it.is_empty())
            .or(own)
            // A call of MCP has its name inside.
            .or(name.filter(|it| *it != *"mcp_call"))
            .unwrap_or_default(),
        arguments: arguments.unwrap_or(read.arguments),
        output: item.get("output").map(output_of).or(read.output),
        id: item.label_at(&["id"]).or(read.id),
        executor: Executor::Provider,
        ..read
    }
}

/// Items that are neither calls nor results.
const OTHERS: [&str; 9] = [
    "message",
    "reasoning",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "additional_tools",
    "compaction",
    "compaction_summary",
    "ghost_snapshot",
];

/// An item other than a call or a result.
fn other(item: &Node<'_>, conversation: &mut Conversation) {
    let kind = item.str_at("type").unwrap_or_default();
    // The JavaScript library for agents wraps items of MCP like calls.
    let wrapped = item
        .get("providerData")
        .filter(|_| kind == "hosted_tool_call");
    let (item, kind) = match wrapped {
        Some(inner) => (inner, item.str_at("name").unwrap_or_default()),
        None => (item, kind),
    };
    match kind {
        "reasoning" => return,
        "item_reference" => return conversation.left_over("a reference to an item elsewhere"),
        // A call that waits for approval.
        "mcp_approval_request" if is_named(item) => {
            conversation.item();
            conversation.call(TraceCall {
                executor: Executor::Provider,
                ..call(item)
            });
            return;
        }
        "mcp_approval_request" => {
            conversation.left_over("a request for approval that names no call");
        }
        "mcp_approval_response" if item.get("approve").is_some_and(|it| !it.is_true()) => {
            let id = item.label_at(&["approval_request_id", "approvalRequestId"]);
            refuse(refusal_of(id), conversation);
        }
        _ => {}
    }
    conversation.interrupt();
    conversation.message();
    if is_of_model(item) {
        conversation.note_agent_message(item);
        let parts = item.list("content").iter();
        parts.for_each(|part| pass_over(part, conversation));
    } else if item.str_at("role").is_none() && !OTHERS.contains(&kind) {
        pass_over(item, conversation);
    }
}

fn call(item: &Node<'_>) -> TraceCall {
    let kind = item.str_at("type").unwrap_or_default();
    let arguments = match item.any(&["arguments", "action", "operation"]) {
        Some(arguments) => TraceArguments::from_node(arguments),
        None if kind == "custom_tool_call" => TraceArguments::free(item, "input"),
        None if item.has_any(&["code", "queries"]) => {
            TraceArguments::from_members(item, &["code", "queries"])
        }
        None => match TraceArguments::from_call(item, &["input"]) {
            // These always have arguments: if they are missing here, they were not recorded.
            found if found == TraceArguments::none() && ARE_GIVEN.contains(&kind) => {
                TraceArguments::Absent
            }
            found => found,
        },
    };
    let name = item.name_at(&["name"]);
    TraceCall {
        name: name
            .or_else(|| tool_of(kind).map(Text::new))
            .unwrap_or_default(),
        arguments,
        id: item.label_at(IDS).or_else(|| item.label_at(&["id"])),
        ..TraceCall::default()
    }
}

/// The types of calls that always have arguments.
const ARE_GIVEN: [&str; 5] = [
    "function_call",
    "mcp_call",
    "code_interpreter_call",
    "file_search_call",
    "program",
];

/// Tools named by the type of their items; other calls have a name field.
const TOOLS: [&str; 14] = [
    "apply_patch",
    "code_interpreter",
    "collections_search",
    "computer",
    "file_search",
    "image_generation",
    "local_shell",
    "memory",
    "program",
    "shell",
    "tool_search",
    "web_fetch",
    "web_search",
    "x_search",
];

/// The tool named by the type of its items.
fn tool_of(kind: &str) -> Option<&'static str> {
    let kind = kind.strip_suffix("_output").unwrap_or(kind);
    let tool = kind.strip_suffix("_call").unwrap_or(kind);
    TOOLS.iter().find(|known| **known == tool).copied()
}

#[cfg(test)]
mod tests;
